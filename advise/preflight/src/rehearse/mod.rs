//! Rehearses the plan on a private server, and blocks the steps that fail there.

mod back;
mod conflicts;
mod findings;
mod meant;
mod old_mode;
mod refusing;
mod sample;
mod steps;

use std::collections::BTreeSet;

use check::{ObjectKind, Severity, table_name};
use facts::Facts;
use rehearsal::{Definitions, Object, ObjectName, Rehearsal};
use server::Server;

use crate::Error;
use crate::checks::{PROGRAM_MIX, Selection};
use crate::finding::Finding;
use crate::job::{Job, Request};
use crate::model::{Phase, Plan, Report};
use crate::plan::{block_steps, mark_programs_left_out};
use crate::run::sort_findings;
use conflicts::{Conflicts, read_facts};
use findings::{broken_finding, change_finding, fault_finding, refusal_finding};
pub use sample::SampleOptions;
use sample::Sampler;

/// Inputs of [`rehearse`].
pub struct Rehearsed<'r> {
    pub facts: &'r Facts,
    pub definitions: &'r Definitions,
    pub request: &'r Request,
    /// Programs are compared only if it has `program-mix`.
    pub selection: &'r Selection,
    /// Rows to copy from the source. `None` leaves the tables empty.
    pub sample: Option<SampleOptions>,
}

/// Maximum number of rehearsals. Another one follows if one has blocked an object.
const MAX_ROUNDS: usize = 8;

/// Runs the plan on a private server with the source's schemas, a sample of its rows, its
/// settings that refuse definitions, and its `old_mode` where the private server knows it. Adds a
/// finding for each refused statement. If no statement is refused, adds a finding for each change
/// that was not meant, each fault of a table, each program that fails or loses an index after the
/// plan, and each object that preflight would convert again.
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
    refusing::adopt_defaults(private, &inputs.facts.server)?;
    let mut before = None;
    let mut warnings = Vec::new();
    for _ in 0..MAX_ROUNDS {
        let round = run_round(private, source, inputs, &job, &mut plan, &mut before)?;
        report.unchecked.extend(round.unchecked);
        let (errors, of_programs): (Vec<Finding>, Vec<Finding>) =
            round.conflicts.into_iter().partition(|finding| finding.severity == Severity::Error);
        // The warnings of the last round stay: each round leaves out more of the plan.
        warnings = of_programs;
        let is_new = |finding: &Finding| !report.findings.contains(finding);
        let mut new: Vec<Finding> = round.findings.into_iter().filter(is_new).collect();
        new.extend(errors.into_iter().filter(|error| !has_conflict(&report.findings, error, Severity::Error)));
        let blocks = new.iter().any(|finding| finding.severity == Severity::Error);
        new.into_iter().for_each(|finding| add(&mut report.findings, finding));
        block_steps(&job, &report.findings, &mut plan);
        if !blocks {
            summary = Some(round.summary);
            break;
        }
    }
    warnings.retain(|warning| !has_conflict(&report.findings, warning, Severity::Error));
    warnings.into_iter().for_each(|warning| add(&mut report.findings, warning));
    mark_programs_left_out(&mut report.findings, &plan);
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

/// True if there is a finding of `program-mix` about the same program, of this severity.
fn has_conflict(findings: &[Finding], of: &Finding, severity: Severity) -> bool {
    findings.iter().any(|one| one.check == PROGRAM_MIX.name && one.object == of.object && one.severity == severity)
}

/// Adds a finding of the rehearsal. If it is about a program or broken view, it replaces the
/// warning of `program-mix` that the definition led to.
fn add(findings: &mut Vec<Finding>, finding: Finding) {
    let is_broken_view = finding.object.kind == ObjectKind::View && finding.severity == Severity::Error;
    let is_of_program = finding.check == PROGRAM_MIX.name || is_broken_view;
    findings.retain(|one| {
        let is_expected = one.check == PROGRAM_MIX.name && one.severity == Severity::Warning;
        !(is_of_program && is_expected && one.object == finding.object)
    });
    findings.push(finding);
}

/// Result of one rehearsal.
struct Round {
    findings: Vec<Finding>,
    /// Programs that fail, or lose an index, after the plan.
    conflicts: Vec<Finding>,
    unchecked: Vec<String>,
    summary: String,
}

fn run_round(
    private: &Server,
    source: &Server,
    inputs: &Rehearsed<'_>,
    job: &Job<'_>,
    plan: &mut Plan,
    before: &mut Option<Conflicts>,
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
    let is_unbuilt = |name: &ObjectName| unbuilt.iter().any(|unbuilt| unbuilt.name == *name);
    let gone: Vec<&Object> = rehearsal.missing(inputs.definitions).filter(|object| !is_unbuilt(&object.name)).collect();
    // The check `programs` reports the others.
    let unexpected = gone.iter().filter(|object| !object.ends_soon);
    unchecked.extend(
        unexpected
            .map(|object| format!("{}: not rehearsed: {} drops it when it is created", object.name, private.label())),
    );
    let absent = unbuilt.iter().map(|unbuilt| &unbuilt.name).chain(gone.iter().map(|object| &object.name));
    let missing: BTreeSet<String> = absent.map(|name| table_name(&name.schema, &name.name)).collect();
    if before.is_none() && inputs.selection.contains(PROGRAM_MIX.name) {
        *before = Some(Conflicts::find(read_facts(private, &schemas)?, &inputs.facts.server));
    }
    let refused = steps::run_steps(&mut rehearsal, inputs.facts, plan, &samples, &missing)?;
    let mut findings: Vec<Finding> = refused.iter().map(|refusal| refusal_finding(job, private, refusal)).collect();
    let mut conflicts = Vec::new();
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
        let facts = read_facts(private, &schemas)?;
        findings.extend(back::find_unconverted(private, &facts, &after, inputs.request, job, plan));
        if let Some(before) = before {
            conflicts = before.find_new(job, plan, facts);
        }
        if !plan.back.is_empty() && findings.iter().all(|finding| finding.severity < Severity::Error) {
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
    Ok(Round { findings, conflicts, unchecked, summary })
}

/// Returns schema and name of the tables that the plan alters, and of the tables that their foreign
/// keys refer to.
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
