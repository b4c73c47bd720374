//! Codes that pay for a Unicode collation.

use facts::{Column, Table};
use mysql_collation::Collation;
use rules::charset::max_bytes;

use super::common::{Draft, column_name, quoted, quoted_table};
use crate::check::{Check, Reading};
use crate::evidence::Evidence;
use crate::finding::{Finding, ObjectKind, Severity};
use crate::target::engine;

pub(super) static CHECK: Check = Check {
    name: "ascii-in-unicode",
    title: "indexed GUIDs, hashes and codes that pay for a Unicode collation",
    reads: &[Reading::Schemas, Reading::Rows],
    doc: "\
An indexed column of the length of a GUID (36, 32), of a hash in hexadecimal (32, 40, 56, 64, 96, 128) or of an ULID (26), whose name says so or whose sampled values are all ASCII, in a character set of several bytes. \
It reserves three or four bytes a character in index limits, sort buffers and in-memory tables, and is compared by weights where bytes would do. Told are the bytes of the widest key, and the bytes that the server \
compares a value by: its sort key, from the collation engine. What to do: CHARACTER SET ascii COLLATE ascii_bin (ascii_general_ci where case is to be ignored). Both sides of a join must go together (`join-mismatch`).",
    run,
};

const LENGTHS: [u64; 8] = [26, 32, 36, 40, 56, 64, 96, 128];
const NAMES: [&str; 12] =
    ["uuid", "guid", "hash", "sha", "md5", "digest", "checksum", "token", "ulid", "fingerprint", "uid", "etag"];

fn run(evidence: &Evidence) -> Vec<Finding> {
    evidence.facts.columns().filter_map(|(table, column)| finding(evidence, table, column)).collect()
}

fn finding(evidence: &Evidence, table: &Table, column: &Column) -> Option<Finding> {
    let (charset, collation) = (column.charset.as_deref()?, column.collation.as_deref()?);
    let width = u64::from(max_bytes(charset)?);
    let length = column.characters?;
    let indexes: Vec<&str> = table.indexes_of(&column.name).map(|index| index.name.as_str()).collect();
    if width == 1 || indexes.is_empty() || !LENGTHS.contains(&length) || !holds_codes(evidence, table, column) {
        return None;
    }
    let compared = match Collation::lookup(engine(evidence.facts.server.flavour), collation) {
        Ok(_) if collation.ends_with("_bin") => "values are compared by their bytes already".to_owned(),
        Ok(collation) => {
            let value = "0123456789abcdef".repeat(8);
            let key = collation.weight_string(&value.as_bytes()[..length as usize]).len();
            format!("a full value is compared by {key} bytes of weights instead of {length} of its own")
        }
        Err(error) => format!("what a value is compared by can't be told: {error}"),
    };
    let null = if column.nullable { " NULL" } else { " NOT NULL" };
    Some(
        Draft {
            severity: Severity::Note,
            kind: ObjectKind::Column,
            name: column_name(table, column),
            what: format!("{} in {collation}, indexed by {}", column.column_type, indexes.join(", ")),
            why: format!("A key reserves {} bytes instead of {length}; {compared}.", length * width),
            action: format!(
                "ALTER TABLE {} MODIFY {} {} CHARACTER SET ascii COLLATE ascii_bin{null}, with its default, comment and whatever it is joined to.",
                quoted_table(table),
                quoted(&column.name),
                column.column_type
            ),
        }
        .of(CHECK.name),
    )
}

/// The name says so, and no sampled value says otherwise; or many sampled values are ASCII without exception.
fn holds_codes(evidence: &Evidence, table: &Table, column: &Column) -> bool {
    let sample = evidence
        .samples
        .iter()
        .find(|sample| sample.schema == table.schema && sample.table == table.name && sample.column == column.name);
    let name = column.name.to_lowercase();
    let named = NAMES.iter().any(|word| name.contains(word));
    match sample {
        Some(sample) if sample.ascii < sample.values => false,
        Some(sample) if sample.values >= 100 && column.data_type == "char" => true,
        _ => named,
    }
}
