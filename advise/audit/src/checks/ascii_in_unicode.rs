//! Indexed columns with GUIDs, hashes and other ASCII codes in a multi-byte character set.

use facts::{Column, Table};
use mysql_collation::Collation;
use rules::charset::max_bytes;

use super::Check;
use super::common::{Draft, column_name, quote_table};
use crate::advice::Advice;
use crate::input::{AuditInput, ColumnRef};
use check::{Finding, ObjectKind, Reading, Severity, collation_flavour};
use sql::quote_identifier;

pub(super) static CHECK: Check = Check {
    name: "ascii-in-unicode",
    title: "indexed GUIDs, hashes and codes that pay for a Unicode collation",
    reads: &[Reading::Schemas, Reading::Rows],
    doc: "\
An indexed column of the length of a GUID (36, 32), of a hash in hexadecimal (32, 40, 56, 64, 96, 128) or of an ULID (26), whose name says so, or which is CHAR and has 100 sampled values or more, in a character set of several bytes. All sampled values must be ASCII. \
It reserves two to four bytes per character in index limits, sort buffers and in-memory tables, and is compared by weights although bytes would suffice. Reports the maximum bytes of a key, and the bytes of the sort key by which the server \
compares a value, from the collation engine. What to do: CHARACTER SET ascii with a collation that keeps equality: ascii_general_ci for columns that ignore case, ascii_bin for others. Both sides of a join must go together: columns of `join-mismatch` and `foreign-key-mismatch` are left out until they have one collation.",
    run,
};

/// Lengths of ULIDs, GUIDs and hashes in hexadecimal, in characters.
const LENGTHS: [u64; 8] = [26, 32, 36, 40, 56, 64, 96, 128];
/// Words in the names of columns that hold codes, digits left out: `sha` of `file_sha256`.
const NAMES: [&str; 12] =
    ["uuid", "guid", "hash", "sha", "md", "digest", "checksum", "token", "ulid", "fingerprint", "uid", "etag"];

fn run(input: &AuditInput) -> Vec<Finding> {
    let advice = Advice::new(input);
    let is_joined = |table: &Table, column: &Column| {
        let name = ColumnRef { schema: table.schema.clone(), table: table.name.clone(), column: column.name.clone() };
        advice.joined(&name).is_some()
    };
    let columns = input.facts.columns().filter(|(table, column)| !is_joined(table, column));
    columns.filter_map(|(table, column)| check_column(input, table, column)).collect()
}

fn check_column(input: &AuditInput, table: &Table, column: &Column) -> Option<Finding> {
    let (charset, collation) = (column.charset.as_deref()?, column.collation.as_deref()?);
    let width = u64::from(max_bytes(charset)?);
    let length = column.characters?;
    let indexes: Vec<&str> = table.indexes_with_column(&column.name).map(|index| index.name.as_str()).collect();
    if width == 1 || indexes.is_empty() || !LENGTHS.contains(&length) || !holds_codes(input, table, column) {
        return None;
    }
    let compared = match Collation::lookup(collation_flavour(input.facts.server.flavour), collation) {
        Ok(_) if collation.ends_with("_bin") => "values are compared by their bytes already".to_owned(),
        Ok(collation) => {
            let value = "0123456789abcdef".repeat(8);
            let key = collation.weight_string(&value.as_bytes()[..length as usize]).len();
            format!("a full value is compared by {key} bytes of weights instead of {length} of its own")
        }
        Err(error) => format!("the size of sort keys is unknown: {error}"),
    };
    let is_insensitive = collation.ends_with("_ci");
    let (near, change) = match (is_insensitive, is_pad_space(collation)) {
        (true, true) => ("ascii_general_ci", " COLLATE ascii_bin compares bytes, but then 'a' and 'A' are two values."),
        (true, false) => (
            "ascii_general_ci",
            " COLLATE ascii_bin compares bytes, but then 'a' and 'A' are two values. Both ignore trailing spaces, which count now.",
        ),
        (false, true) => ("ascii_bin", ""),
        (false, false) => ("ascii_bin", " It ignores trailing spaces, which count now."),
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
                "ALTER TABLE {} MODIFY {} {} CHARACTER SET ascii COLLATE {near}{null}, with its default, comment and whatever it is joined to.{change}",
                quote_table(table),
                quote_identifier(&column.name),
                column.column_type
            ),
        }
        .into_finding(CHECK.name),
    )
}

/// True for PAD SPACE collations. Of several bytes per character, these are all without `_0900_` or
/// `nopad` in their name.
fn is_pad_space(collation: &str) -> bool {
    !collation.contains("_0900_") && !collation.contains("nopad")
}

/// True if a word of the column's name is one of [`NAMES`], or its type is CHAR and at least 100
/// sampled values are all ASCII.
///
/// A single sampled value that is not ASCII makes it false.
fn holds_codes(input: &AuditInput, table: &Table, column: &Column) -> bool {
    let sample = input
        .samples
        .iter()
        .find(|sample| sample.schema == table.schema && sample.table == table.name && sample.column == column.name);
    let has_code_name = words(&column.name).any(|word| NAMES.contains(&word.as_str()));
    match sample {
        Some(sample) if sample.ascii_values < sample.values => false,
        Some(sample) if sample.values >= 100 && column.data_type == "char" => true,
        _ => has_code_name,
    }
}

/// Returns the words of a name in lower case without digits: `file`, `sha` of `fileSHA256` and
/// `file_sha256`.
fn words(name: &str) -> impl Iterator<Item = String> {
    let mut split = String::new();
    let mut before_is_lower = false;
    for character in name.chars() {
        if character.is_uppercase() && before_is_lower {
            split.push('_');
        }
        before_is_lower = character.is_lowercase();
        split.extend(character.to_lowercase());
    }
    let words: Vec<String> = split.split(|c: char| !c.is_alphabetic()).map(str::to_owned).collect();
    words.into_iter().filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_whole_words() {
        let is_code = |name: &str| words(name).any(|word| NAMES.contains(&word.as_str()));
        for name in ["uuid", "file_sha256", "fileHash", "md5", "user-guid", "SHA1"] {
            assert!(is_code(name), "{name}");
        }
        for name in ["shared_network_name", "fluid", "hashtag", "shape"] {
            assert!(!is_code(name), "{name}");
        }
    }
}
