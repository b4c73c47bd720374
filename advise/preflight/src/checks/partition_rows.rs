//! Rows that no partition takes under the new collation.

use std::cmp::Ordering;

use mysql_collation::{Charset, Collation};
use sql::ddl;

use super::partition_key::converted_partition_columns;
use super::{Check, CheckFunction, ColumnScan, RowCheck, TableScan};
use crate::Error;
use crate::finding::{ConversionDetails, Finding};
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
              partitioned by one column of text are checked.",
    run: CheckFunction::Rows(checks),
};

enum AcceptedValues {
    /// Constants of LIST COLUMNS.
    Equal(Vec<Vec<u8>>),
    /// Last bound of RANGE COLUMNS.
    Below(Vec<u8>),
}

impl AcceptedValues {
    /// Reads the constants of a table that is partitioned by one column. `None` if every value is
    /// accepted, if several columns partition the table, or if a constant is neither NULL nor a
    /// quoted string that `charset` has: servers print some as `_utf8mb4 0x…`.
    fn read(scan: &TableScan<'_>, charset: Charset) -> Option<Self> {
        let partitioning = scan.table.table.partitioning.as_ref()?;
        if partitioning.expression.as_deref()?.contains(',') {
            return None;
        }
        let descriptions: Vec<&str> =
            partitioning.partitions.iter().filter_map(|partition| partition.description.as_deref()).collect();
        let constants = |description: &&str| -> Option<Vec<Vec<u8>>> {
            let members = ddl::parse_members(&format!("({description})"));
            let bytes = |member: String| {
                let converted = text::convert(member.as_bytes(), Charset::Utf8mb4, charset);
                converted.ok().map(|bytes| bytes.into_owned())
            };
            members.into_iter().map(bytes).collect()
        };
        let is_quoted = |description: &&str| {
            !description.contains("_utf8mb4 0x") && description.trim_start().starts_with(['\'', '_'])
                || **description == *"NULL"
        };
        if !descriptions.iter().all(is_quoted) {
            return None;
        }
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
        let details = ConversionDetails { count: self.count, examples: self.examples, ..finding.details };
        Ok(vec![Finding {
            what: format!("no partition takes {} rows under the new collation", self.count),
            why: "the ALTER ends with error 1526, and the table stays as it is".into(),
            action: "add the values, or a partition for the rest, before converting".into(),
            details,
            ..finding
        }])
    }
}
