//! The command or statement that mends a finding as it stands, and the sampled rows it is about.

use check::{Finding, ObjectKind};
use facts::Table;

use crate::input::{AuditInput, ColumnSample};
use crate::model::Place;

/// Adds fix, counts and keys to the place of a finding.
pub(crate) fn complete(input: &AuditInput, finding: &Finding, mut place: Place) -> Place {
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
    place.fix = fix(input, finding, &place);
    place
}

/// Returns what mends the finding and can be run as it stands. A conversion is a preflight, which
/// reads the rows first. `None` if someone has to decide or to write it.
fn fix(input: &AuditInput, finding: &Finding, place: &Place) -> Option<String> {
    let facts = &input.facts;
    let table = || facts.table(place.schema.as_deref()?, place.table.as_deref()?);
    let unicode = || facts.server.charset("utf8mb4").map(|charset| charset.default_collation.as_str());
    match finding.check.as_str() {
        "join-mismatch" => preflight(place, &other_collation(input, finding)?),
        "foreign-key-mismatch" => {
            preflight(&Place { column: None, ..place.clone() }, &parent_collation(input, finding, table()?)?)
        }
        // Only utf8mb4: another charset may lack the column's characters.
        "column-mismatch" => {
            preflight(place, table()?.collation.as_deref().filter(|collation| collation.starts_with("utf8mb4_"))?)
        }
        "utf8mb3" | "legacy-charset" => preflight(place, unicode()?),
        "init-connect" => Some("SET GLOBAL init_connect = '';".into()),
        "statement-replication" => Some("SET GLOBAL binlog_format = 'ROW';".into()),
        _ => None,
    }
}

/// Returns the collation of the second of two columns that are compared.
fn other_collation(input: &AuditInput, finding: &Finding) -> Option<String> {
    let is_named = finding.object.kind == ObjectKind::Columns;
    let join =
        input.joins.iter().find(|join| is_named && finding.object.name == format!("{} = {}", join.left, join.right))?;
    let other = input.facts.table(&join.right.schema, &join.right.table)?.column(&join.right.column)?;
    other.collation.clone()
}

/// Returns the collation of the first text column that the foreign key refers to.
fn parent_collation(input: &AuditInput, finding: &Finding, child: &Table) -> Option<String> {
    let name = |key: &facts::ForeignKey| check::column_name(&child.schema, &child.name, &key.name);
    let key = child.foreign_keys.iter().find(|key| name(key) == finding.object.name)?;
    let parent = input.facts.table(&key.parent_schema, &key.parent_table)?;
    key.parent_columns.iter().find_map(|column| parent.column(column)?.collation.clone())
}

/// Returns the command that checks and plans the conversion of a column, table or schema.
fn preflight(place: &Place, collation: &str) -> Option<String> {
    let mut command = format!("weigh preflight --schema {}", escape::shell_word(place.schema.as_deref()?));
    for (option, name) in [("table", &place.table), ("column", &place.column)] {
        if let Some(name) = name {
            command += &format!(" --{option} {}", escape::shell_word(name));
        }
    }
    Some(format!("{command} --to {collation}"))
}
