//! Rows that no partition takes under the new collation.

use std::cmp::Ordering;

use facts::Partitioning;
use mysql_collation::{Charset, Collation};
use server::{Flavour, Version};
use sql::{SqlMode, Token, TokenKind};

use super::partition_key::converted_partition_columns;
use super::{Check, CheckFunction, ColumnScan, RowCheck, TableScan};
use crate::Error;
use crate::finding::{ConversionDetails, Finding};
use crate::job::TableJob;
use crate::model::Example;
use crate::row::Row;
use crate::text;
use check::{Reading, Severity};

pub static CHECK: Check = Check {
    name: "partition-rows",
    title: "rows that no partition takes under the new collation",
    reads: &[Reading::Schemas, Reading::Rows],
    doc: "LIST COLUMNS takes a row whose value equals a constant, RANGE COLUMNS one below the last bound. Under a collation that tells \
              'a' from 'A', or that orders otherwise, a row falls out of all partitions: the ALTER ends with error 1526. Tables that are \
              partitioned by one column of text are checked, others are listed as not checked.",
    run: CheckFunction::Rows(checks),
};

enum AcceptedValues {
    /// Constants of LIST COLUMNS.
    Equal(Vec<Vec<u8>>),
    /// Last bound of RANGE COLUMNS.
    Below(Vec<u8>),
}

/// Returns a line for a table whose rows are not judged: one that several columns partition, or one
/// with constants that can't be read.
pub fn describe_unchecked(table: &TableJob<'_>) -> Option<String> {
    let partitioning = table.table.partitioning.as_ref()?;
    let method = &partitioning.method;
    let columns = converted_partition_columns(table);
    let first = columns.first().filter(|_| method.ends_with("COLUMNS"))?;
    let why = if partitioning.expression.as_deref()?.contains(',') {
        format!("weigh judges {method} of one column only")
    } else {
        let charset = table.conversion(first)?.planned_target().charset()?;
        let constant = unreadable_constant(partitioning, charset)?;
        format!("weigh can't read {constant} in {}", charset.name())
    };
    Some(format!("{}: rows against its partitions (error 1526): {why}", table.name()))
}

/// Returns the first constant that decides about rows and can't be read.
fn unreadable_constant(partitioning: &Partitioning, charset: Charset) -> Option<&str> {
    let mut descriptions = partitioning.partitions.iter().filter_map(|partition| partition.description.as_deref());
    let takes_all = |description: &str| ["MAXVALUE", "DEFAULT"].contains(&description.to_uppercase().as_str());
    let is_unreadable = |description: &&str| read_constants(description, charset).is_none();
    if partitioning.method.starts_with("RANGE") {
        descriptions.next_back().filter(|bound| !takes_all(bound)).filter(is_unreadable)
    } else if descriptions.clone().any(takes_all) {
        None
    } else {
        descriptions.find(is_unreadable)
    }
}

impl AcceptedValues {
    /// Reads the constants of a table that is partitioned by one column. `None` if every value is
    /// accepted, if several columns or another method than LIST COLUMNS and RANGE COLUMNS partition
    /// the table, or if a constant can't be read.
    fn read(scan: &TableScan<'_>, charset: Charset) -> Option<Self> {
        let partitioning = scan.table.table.partitioning.as_ref()?;
        if partitioning.expression.as_deref()?.contains(',') {
            return None;
        }
        let descriptions: Vec<&str> =
            partitioning.partitions.iter().filter_map(|partition| partition.description.as_deref()).collect();
        let constants = |description: &&str| read_constants(description, charset);
        match partitioning.method.as_str() {
            "LIST COLUMNS" => {
                let all: Option<Vec<_>> = descriptions.iter().map(constants).collect();
                Some(Self::Equal(all?.concat()))
            }
            "RANGE COLUMNS" => Some(Self::Below(constants(descriptions.last()?)?.pop()?)),
            _ => None,
        }
    }

    fn accepts(&self, collation: Collation, value: &[u8]) -> bool {
        match self {
            Self::Equal(constants) => {
                constants.iter().any(|constant| collation.compare(constant, value) == Ordering::Equal)
            }
            Self::Below(bound) => collation.compare(value, bound) == Ordering::Less,
        }
    }
}

/// Reads the constants of a partition, `NULL,'a',_utf8mb4 0x62`, in a character set. NULL is left
/// out. `None` if a constant is something else, or has a character that `charset` lacks.
pub(super) fn read_constants(description: &str, charset: Charset) -> Option<Vec<Vec<u8>>> {
    let tokens: Vec<Token<'_>> = sql::tokenize(description, SqlMode::default()).collect();
    let mut constants = Vec::new();
    for item in tokens.split(|token| token.is_symbol(',')) {
        let bytes = match item {
            [null] if null.is_keyword("null") => continue,
            [text] | [_, text] if text.kind == TokenKind::StringLiteral => {
                sql::unquote_string(text.text, SqlMode::default()).into_bytes()
            }
            [introducer, hex] if introducer.is_keyword("_utf8mb4") => decode_hex(hex.text.strip_prefix("0x")?)?,
            _ => return None,
        };
        constants.push(text::convert(&bytes, Charset::Utf8mb4, charset).ok()?.into_owned());
    }
    Some(constants)
}

fn decode_hex(digits: &str) -> Option<Vec<u8>> {
    let pairs = digits.as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

struct UnplacedRows<'j> {
    column: ColumnScan<'j>,
    collation: Collation,
    accepted: AcceptedValues,
    count: u64,
    examples: Vec<Example>,
}

fn checks<'j>(scan: &TableScan<'j>) -> Vec<Box<dyn RowCheck + 'j>> {
    let names = converted_partition_columns(scan.table);
    let check = |column: ColumnScan<'j>| {
        let target = column.target();
        let (collation, charset) = (target.collation?, target.charset()?);
        let accepted = AcceptedValues::read(scan, charset)?;
        let is_key = names.contains(&column.conversion().column.name.as_str());
        let check: Box<dyn RowCheck + 'j> =
            Box::new(UnplacedRows { column, collation, accepted, count: 0, examples: Vec::new() });
        is_key.then_some(check)
    };
    ColumnScan::text_columns(scan).into_iter().filter_map(check).collect()
}

impl RowCheck for UnplacedRows<'_> {
    fn check_row(&mut self, row: &Row<'_>) -> Result<(), Error> {
        if let Some(Ok(value)) = row.converted(self.column.target, self.column.field)
            && !self.accepted.accepts(self.collation, value)
        {
            self.count += 1;
            if self.examples.len() < self.column.scan.job.examples {
                self.examples.push(self.column.example(row));
            }
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Vec<Finding>, Error> {
        if self.count == 0 {
            return Ok(Vec::new());
        }
        let finding = self.column.finding(&CHECK, Severity::Error);
        let action = self.advise().into();
        let details = ConversionDetails { count: self.count, examples: self.examples, ..finding.details };
        Ok(vec![Finding {
            what: format!("no partition takes {} under the new collation", message::count_noun(self.count, "row")),
            why: "the ALTER ends with error 1526, and the table stays as it is".into(),
            action,
            details,
            ..finding
        }])
    }
}

impl UnplacedRows<'_> {
    /// Returns what to do with the rows. A list with `'a'` takes no `'A'` that is equal under the old
    /// collation (error 1495); only MariaDB has a DEFAULT partition.
    fn advise(&self) -> &'static str {
        let server = &self.column.scan.job.facts.server;
        let has_default = server.flavour == Flavour::MariaDb && server.version_number() >= Version::new(10, 2, 2);
        match &self.accepted {
            AcceptedValues::Below(_) => "add a partition VALUES LESS THAN (MAXVALUE) before converting",
            AcceptedValues::Equal(_) if has_default => {
                "write these values as the partition's constant that they equal now, or add a DEFAULT partition, before converting"
            }
            AcceptedValues::Equal(_) => {
                "write these values as the partition's constant that they equal now, before converting"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_constants_one_by_one() {
        let read = |description: &str| read_constants(description, Charset::Utf8mb4);
        let texts = |texts: &[&str]| Some(texts.iter().map(|text| text.as_bytes().to_vec()).collect::<Vec<_>>());
        assert_eq!(read("NULL,'a','b,c'"), texts(&["a", "b,c"]));
        assert_eq!(read("_utf8mb4 0xC3BC,'x'"), texts(&["ü", "x"]));
        assert_eq!(read("NULL"), texts(&[]));
        assert_eq!((read("MAXVALUE"), read("1")), (None, None));
    }
}
