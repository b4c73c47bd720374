//! Programs whose texts fit before the plan and don't after it, on the private server.

use std::collections::BTreeMap;

use audit::{Conflict, ConflictEffect, ProgramConflicts, find_program_conflicts};
use check::{ObjectKind, Severity, table_name};
use facts::{Facts, Limits, Scope, ServerFacts};
use rehearsal::Object;
use server::{NoProgress, Server, collation_charset, current_charset_name};

use crate::Error;
use crate::checks::program_finding;
use crate::finding::Finding;
use crate::job::Job;
use crate::model::{Phase, Plan};
use crate::program::object_kind;

/// Two texts of a program, by their names.
type Pair = (ObjectKind, String, String, String);

/// Reads the schemas of the private server, with their programs.
pub fn read_facts(private: &Server, schemas: &[String]) -> Result<Facts, Error> {
    let scope = Scope { schemas: schemas.to_vec(), programs: true, activity: false };
    Ok(facts::read(private, &scope, &Limits::default(), &NoProgress)?)
}

/// Pairs of texts that conflict before the plan, and whether the server refuses them.
pub struct Conflicts(BTreeMap<Pair, bool>);

impl Conflicts {
    /// `source` decides which collation a character set means, and what is refused.
    pub fn find(facts: Facts, source: &ServerFacts) -> Self {
        let facts = Facts { server: source.clone(), ..facts };
        let mut pairs = BTreeMap::new();
        for program in find_program_conflicts(&facts) {
            for conflict in &program.conflicts {
                *pairs.entry(pair(&program, conflict)).or_insert(false) |= is_refused(conflict);
            }
        }
        Self(pairs)
    }

    fn is_new(&self, program: &ProgramConflicts<'_>, conflict: &Conflict) -> bool {
        let was_refused = self.0.get(&pair(program, conflict)).copied();
        was_refused.is_none_or(|was_refused| is_refused(conflict) && !was_refused)
    }

    /// Returns a finding for each program with new conflicts after the plan.
    pub fn find_new(&self, job: &Job<'_>, plan: &Plan, after: Facts) -> Vec<Finding> {
        let after = Facts { server: job.facts.server.clone(), ..after };
        let found = find_program_conflicts(&after);
        let describe = |program: &ProgramConflicts<'_>| {
            let new: Vec<&Conflict> =
                program.conflicts.iter().filter(|conflict| self.is_new(program, conflict)).collect();
            let object = find_definition(job, program)?;
            (!new.is_empty()).then(|| describe_program(job, plan, program, object, &new))
        };
        found.iter().filter_map(describe).collect()
    }
}

fn pair(program: &ProgramConflicts<'_>, conflict: &Conflict) -> Pair {
    let name = table_name(&program.schema.name, &program.program.name);
    (program.kind, name, conflict.left.name.clone(), conflict.right.name.clone())
}

fn is_refused(conflict: &Conflict) -> bool {
    matches!(conflict.effect, ConflictEffect::Refused(_))
}

fn find_definition<'j>(job: &Job<'j>, program: &ProgramConflicts<'_>) -> Option<&'j Object> {
    job.definitions.objects.iter().find(|object| {
        object.name.kind.is_program_or_view()
            && object_kind(object.name.kind) == program.kind
            && object.name.schema == program.schema.name
            && object.name.name == program.program.name
    })
}

fn describe_program(
    job: &Job<'_>,
    plan: &Plan,
    program: &ProgramConflicts<'_>,
    object: &Object,
    new: &[&Conflict],
) -> Finding {
    let refused: Vec<&Conflict> = new.iter().filter(|conflict| is_refused(conflict)).copied().collect();
    let shown: &[&Conflict] = if refused.is_empty() { new } else { &refused };
    let texts: Vec<String> = shown.iter().map(ToString::to_string).collect();
    let listed = message::list_names(&texts, 3);
    let table = program.table.filter(|table| is_converted(plan, &program.schema.name, table));
    let table = table.filter(|_| !refused.is_empty());
    let severity = if table.is_some() { Severity::Error } else { Severity::Warning };
    let mut finding = program_finding(job, object, severity);
    finding.details.table = table.map(str::to_owned);
    finding.details.count = shown.len() as u64;
    match shown[0].effect {
        ConflictEffect::Refused(code) => {
            finding.what = format!("after the plan, the server refuses what it compares (error {code}): {listed}");
            finding.why = match program.table {
                Some(table) => format!("each statement on {table} that fires the trigger and gets there fails then"),
                None => "it works now, and fails then when it gets there".into(),
            };
        }
        ConflictEffect::IndexLost(_) => {
            finding.what = format!("after the plan, a comparison converts a column: {listed}");
            finding.why = "the index is looked up now; then the whole index or table is read".into();
        }
    }
    let advice = advise(job, plan, object, shown[0]);
    finding.action = match table {
        Some(_) => format!("the plan leaves out the tables that it uses; {advice}, then run preflight again"),
        None => advice,
    };
    finding
}

/// True if the plan converts the table.
fn is_converted(plan: &Plan, schema: &str, table: &str) -> bool {
    let name = table_name(schema, table);
    plan.steps.iter().any(|step| step.phase == Phase::Convert && !step.blocked && step.object == name)
}

/// Returns how the text of a program lets its comparison run and use the index of its column. A
/// COLLATE of another character set than the text's is refused (error 1253).
fn adapt(Conflict { left, right, .. }: &Conflict, target: &str) -> String {
    let charset = |collation: &str| current_charset_name(collation_charset(collation)).to_owned();
    let is_one_charset = charset(&left.collation) == charset(&right.collation);
    let (column, other) = match (left.is_column, right.is_column) {
        (true, false) => (left, right),
        (false, true) => (right, left),
        _ if is_one_charset && charset(&left.collation) == charset(target) => {
            return format!("write COLLATE {target} into the comparison");
        }
        _ => return "give both sides one character set".to_owned(),
    };
    if is_one_charset {
        format!("write COLLATE {} behind {} in the comparison", column.collation, other.name)
    } else {
        let charset = collation_charset(&column.collation);
        format!(
            "write CONVERT({} USING {charset}) COLLATE {} in the comparison, which makes ? of characters that {charset} lacks",
            other.name, column.collation
        )
    }
}

fn advise(job: &Job<'_>, plan: &Plan, object: &Object, conflict: &Conflict) -> String {
    let name = table_name(&object.name.schema, &object.name.name);
    let is_left_out =
        plan.steps.iter().any(|step| step.blocked && step.phase == Phase::Programs && step.object == name);
    if is_left_out {
        return "the plan leaves the program out because of errors: mend these first, and don't run the rest of the plan before"
            .into();
    }
    let collate = adapt(conflict, &job.targets[0]);
    let schema = &object.name.schema;
    let keeps_default = job.facts.schema(schema).is_some_and(|schema| schema.collation != job.targets[0]);
    if !job.request.selects_schema(schema) {
        format!("convert {schema} in the same run (--schema), or {collate}")
    } else if job.request.names_tables() && keeps_default {
        format!("convert the whole of {schema}, without --table and --column, or {collate}")
    } else {
        collate
    }
}

#[cfg(test)]
mod tests {
    use audit::ConflictSide;

    use super::*;

    #[test]
    fn collations_are_of_the_character_set_of_their_text() {
        let side = |name: &str, collation: &str, is_column| ConflictSide {
            name: name.into(),
            collation: collation.into(),
            is_column,
        };
        let advise = |column_collation: &str, other: &str, is_column| {
            let effect = ConflictEffect::IndexLost("s.t: k".into());
            let (left, right) = (side("s.t.a", column_collation, true), side("v", other, is_column));
            adapt(&Conflict { left, right, effect }, "utf8mb4_unicode_ci")
        };
        let collate = "write COLLATE utf8mb4_bin behind v in the comparison";
        assert_eq!(advise("utf8mb4_bin", "utf8mb4_unicode_ci", false), collate);
        let convert = advise("latin1_swedish_ci", "utf8mb4_unicode_ci", false);
        assert!(convert.starts_with("write CONVERT(v USING latin1) COLLATE latin1_swedish_ci in"), "{convert}");
        let both = advise("utf8mb4_bin", "utf8mb4_unicode_ci", true);
        assert_eq!(both, "write COLLATE utf8mb4_unicode_ci into the comparison");
        assert_eq!(advise("latin1_bin", "utf8mb4_unicode_ci", true), "give both sides one character set");
    }
}
