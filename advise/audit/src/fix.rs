//! Completes a finding: a command or statement that fixes it and can be run without changes, and
//! the sampled rows that show it.

use check::{Finding, ObjectKind};
use escape::Command;

use crate::advice::Advice;
use crate::input::{AuditInput, ColumnSample, JoinKind, JoinPlans};
use crate::model::Place;

/// Adds the fix, and the counts and keys of sampled rows, to the place of a finding.
pub(crate) fn add_fix_and_sample(
    input: &AuditInput,
    advice: &Advice<'_>,
    finding: &Finding,
    mut place: Place,
) -> Place {
    let is_place = |sample: &&ColumnSample| {
        Some(&sample.schema) == place.schema.as_ref()
            && Some(&sample.table) == place.table.as_ref()
            && Some(&sample.column) == place.column.as_ref()
    };
    if let Some(sample) = input.samples.iter().find(is_place) {
        let found = match finding.check.as_str() {
            "double-encoded" => Some((sample.encodings.double_encoded + sample.encodings.mixed, &sample.encoding_keys)),
            "serialized-text" => {
                let counts = sample.serialized;
                Some((counts.utf8 + counts.latin1 + counts.broken, &sample.serialized_keys))
            }
            _ => None,
        };
        if let Some((count, keys)) = found {
            place.sampled = Some(sample.values);
            place.count = Some(count);
            place.keys.clone_from(keys);
        }
    }
    place.fix = fix(input, advice, finding, &place);
    place
}

/// Returns a command or statement that fixes the finding and can be run without changes. For a
/// conversion this is `weigh preflight`, which checks the rows and prints the ALTER TABLE
/// statements. `None` if someone has to decide, or to write a statement.
fn fix(input: &AuditInput, advice: &Advice<'_>, finding: &Finding, place: &Place) -> Option<String> {
    let facts = &input.facts;
    let table = || facts.table(place.schema.as_deref()?, place.table.as_deref()?);
    match finding.check.as_str() {
        "join-mismatch" | "foreign-key-mismatch" => {
            let join = find_join(input, finding)?;
            advice.commands(&[&join.left, &join.right])
        }
        "utf8mb3" | "legacy-charset" | "column-mismatch" => {
            let table = table()?;
            // Only utf8mb4: another charset may lack the column's characters.
            let collation = advice.table_collation(table).filter(|name| name.starts_with("utf8mb4_"))?;
            preflight_command(input, &table.schema, &[&table.name], &[], &collation)
        }
        "init-connect" => {
            let statements = facts.server.variable("init_connect")?.trim().trim_end_matches(';');
            // A value that may hold another statement or assignment is not cleared.
            (!statements.contains([';', ','])).then(|| "SET GLOBAL init_connect = '';".into())
        }
        "statement-replication" => Some("SET GLOBAL binlog_format = 'ROW';".into()),
        _ => None,
    }
}

/// Returns the join whose columns or foreign key the finding's name is made from.
fn find_join<'a>(input: &'a AuditInput, finding: &Finding) -> Option<&'a JoinPlans> {
    let name = |join: &JoinPlans| match &join.kind {
        JoinKind::ForeignKey(name) => check::column_name(&join.left.schema, &join.left.table, name),
        JoinKind::SameName | JoinKind::Compared => format!("{} = {}", join.left, join.right),
    };
    let is_key = finding.object.kind == ObjectKind::ForeignKey;
    let is_kind = |join: &&JoinPlans| is_key == matches!(join.kind, JoinKind::ForeignKey(_));
    input.joins.iter().filter(is_kind).find(|join| name(join) == finding.object.name)
}

/// Returns the command that checks and plans the conversion of tables or of columns. `None` if a
/// name has a comma or a control character, which the options cannot take.
pub(crate) fn preflight_command(
    input: &AuditInput,
    schema: &str,
    tables: &[&str],
    columns: &[&str],
    collation: &str,
) -> Option<String> {
    let command = Command::new("weigh preflight").words(&input.source);
    let mut command = command.names("schema", &[schema])?.names("table", tables)?;
    if !columns.is_empty() {
        command = command.names("column", columns)?;
    }
    Some(command.option("to", collation).to_string())
}
