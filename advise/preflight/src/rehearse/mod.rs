//! Rehearses the plan on a private server, and blocks the steps that fail there.

mod back;
mod findings;
mod meant;
mod old_mode;
mod refusing;
mod sample;
mod steps;

use std::collections::BTreeSet;

use check::table_name;
use facts::Facts;
use rehearsal::{Definitions, Rehearsal};
use server::Server;

use crate::Error;
use crate::finding::Finding;
use crate::job::{Job, Request};
use crate::model::{Phase, Plan, Report};
use crate::plan::block_steps;
use crate::run::sort_findings;
use findings::{broken_finding, change_finding, fault_finding, refusal_finding};
pub use sample::SampleOptions;
use sample::Sampler;

/// Inputs of [`rehearse`].
pub struct Rehearsed<'r> {
    pub facts: &'r Facts,
    pub definitions: &'r Definitions,
    pub request: &'r Request,
    /// Rows to copy from the source. `None` leaves the tables empty.
    pub sample: Option<SampleOptions>,
}

/// Maximum number of rehearsals. Another one follows if one has blocked an object.
const MAX_ROUNDS: usize = 8;

/// Runs the plan on a private server with the source's schemas, a sample of its rows, its
/// settings that refuse definitions, and its `old_mode` where the private server knows it. Adds a
/// finding for each refused statement. If no statement is refused, adds a finding for each change
/// that was not meant, each fault of a table, and each object that preflight would convert again.
/// Errors block the steps of their objects; then the rehearsal starts anew, until no error is new,
/// or [`MAX_ROUNDS`] times.
pub fn rehearse(private: &Server, source: &Server, inputs: &Rehearsed<'_>, report: &mut Report) -> Result<(), Error> {
    let Some(mut plan) = report.plan.take() else { return Ok(()) };
    let job = Job::new(inputs.facts, inputs.definitions, inputs.request);
    let mut summary = None;
    refusing::switch_off(private)?;
    let unknown = old_mode::adopt(private, &inputs.facts.server)?;
    if !unknown.is_empty() {
        report.notes.push(format!(
            "the plan was rehearsed without the source's old_mode {}, which {} doesn't know",
            unknown.join(","),
            private.version()
        ));
    }
    for _ in 0..MAX_ROUNDS {
        let round = run_round(private, source, inputs, &job, &mut plan)?;
        report.unchecked.extend(round.unchecked);
        let is_new = |finding: &Finding| !report.findings.contains(finding);
        let new: Vec<Finding> = round.findings.into_iter().filter(is_new).collect();
        let blocks = new.iter().any(|finding| finding.severity == check::Severity::Error);
        report.findings.extend(new);
        block_steps(&job, &report.findings, &mut plan);
        if !blocks {
            summary = Some(round.summary);
            break;
        }
    }
    plan.rehearsal = summary;
    plan.algorithms_from = format!("tried on a private {} ({})", private.label(), private.version());
    plan.advice.extend(steps::describe_time(&plan));
    if plan.rehearsal.is_none() {
        report.unchecked.push(format!("the plan as printed: not rehearsed to its end in {MAX_ROUNDS} rounds"));
    }
    report.unchecked.sort();
    report.unchecked.dedup();
    sort_findings(&mut report.findings);
    report.plan = Some(plan);
    Ok(())
}

/// Result of one rehearsal.
struct Round {
    findings: Vec<Finding>,
    unchecked: Vec<String>,
    summary: String,
}

fn run_round(
    private: &Server,
    source: &Server,
    inputs: &Rehearsed<'_>,
    job: &Job<'_>,
    plan: &mut Plan,
) -> Result<Round, Error> {
    let tables = involved_tables(inputs.facts, plan);
    let schemas = inputs.definitions.schemas();
    let mut sampler = inputs.sample.map(|options| Sampler::new(source, inputs.facts, options)).transpose()?;
    let (mut rehearsal, built) = Rehearsal::build(private, inputs.definitions, &mut |conn| match &mut sampler {
        Some(sampler) => sampler.fill(conn, &tables),
        None => Ok::<(), Error>(()),
    })?;
    let unbuilt = built.unbuilt;
    let mut unchecked: Vec<String> = unbuilt
        .iter()
        .map(|unbuilt| {
            format!(
                "{}: not rehearsed: {} refuses to create it (error {}: {})",
                unbuilt.name,
                private.label(),
                unbuilt.code,
                unbuilt.message
            )
        })
        .collect();
    unchecked.extend(built.left_out.iter().map(|(name, options)| {
        format!("{name}: rehearsed without {}, which reaches out of the private server's folder", options.join(", "))
    }));
    let samples = sampler.map(|sampler| sampler.finish(&mut unchecked)).unwrap_or_default();
    rehearsal.begin(&schemas, &tables)?;
    refusing::adopt(&mut rehearsal, &inputs.facts.server)?;
    let missing: BTreeSet<String> =
        unbuilt.iter().map(|unbuilt| table_name(&unbuilt.name.schema, &unbuilt.name.name)).collect();
    let refused = steps::run_steps(&mut rehearsal, inputs.facts, plan, &samples, &missing)?;
    let mut findings: Vec<Finding> = refused.iter().map(|refusal| refusal_finding(job, private, refusal)).collect();
    if findings.is_empty() {
        let (after, changes) = rehearsal.changes(&schemas, &tables)?;
        let is_unmeant = |change: &&rehearsal::Change| !meant::is_meant(job, plan, change);
        findings.extend(changes.iter().filter(is_unmeant).map(|change| {
            match after.unread.iter().find(|unread| unread.name == change.object) {
                Some(broken) if change.after.is_none() => broken_finding(job, private, broken),
                _ => change_finding(job, private, change),
            }
        }));
        let faults = rehearsal.prove(&after, &tables)?;
        findings.extend(faults.iter().map(|fault| fault_finding(job, private, fault)));
        findings.extend(back::find_unconverted(private, &after, inputs.request, job, plan)?);
        if !plan.back.is_empty() && findings.iter().all(|finding| finding.severity < check::Severity::Error) {
            plan.not_restored = back::rehearse_back(&mut rehearsal, plan, &schemas, &tables)?;
        }
    }
    let rows: u64 = samples.values().map(|sample| sample.rows).sum();
    let statements = plan.steps.iter().filter(|step| !step.blocked).count();
    let summary = format!(
        "rehearsed on a private {} ({}) with {}: {} ran, one by one; definitions were read back and compared, tables checked and loaded again",
        private.label(),
        private.version(),
        message::count_noun(rows, "row"),
        message::count_noun(statements as u64, "statement"),
    );
    Ok(Round { findings, unchecked, summary })
}

/// Returns schema and name of the tables that the plan alters or repairs, and of the tables that
/// their foreign keys refer to.
fn involved_tables(facts: &Facts, plan: &Plan) -> Vec<(String, String)> {
    let altered: BTreeSet<&str> = plan
        .steps
        .iter()
        .filter(|step| {
            matches!(
                step.phase,
                Phase::DropForeignKeys | Phase::Convert | Phase::Defaults | Phase::AddForeignKeys | Phase::Statistics
            )
        })
        .map(|step| step.object.as_str())
        .collect();
    let is_altered = |schema: &str, name: &str| altered.contains(table_name(schema, name).as_str());
    let is_involved = |table: &&facts::Table| {
        is_altered(&table.schema, &table.name)
            || facts.tables().flat_map(|child| &child.foreign_keys).any(|key| {
                is_altered(&key.schema, &key.table)
                    && key.parent_schema == table.schema
                    && key.parent_table == table.name
            })
    };
    facts.tables().filter(is_involved).map(|table| (table.schema.clone(), table.name.clone())).collect()
}
