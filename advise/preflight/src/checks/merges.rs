//! Distinct values that become equal, and equal values that become distinct.

use std::collections::BTreeSet;

use extsort::{Options, Sorter, Ties};
use sha2::{Digest, Sha256};

use super::{Check, CheckFunction, ColumnScan, RowCheck, TableScan};
use crate::Error;
use crate::finding::Finding;
use crate::model::{CollisionGroup, Example};
use crate::row::{Row, display_value};
use crate::text;
use check::{Reading, Severity};

pub static CHECK: Check = Check {
    name: "merges",
    title: "how many distinct values of a column become equal",
    reads: &[Reading::Schemas, Reading::Rows],
    doc: "GROUP BY, DISTINCT, joins and = see fewer values after a conversion to a coarser collation. Nothing fails; sums and results \
              change. Columns of type TEXT without an index are left out, and so are single columns with a unique key, which the check \
              unique-key sees to.",
    run: CheckFunction::Rows(merges),
};

pub static SEPARATES: Check = Check {
    name: "separates",
    title: "how many equal values of a column cease to be equal",
    reads: &[Reading::Schemas, Reading::Rows],
    doc: "GROUP BY and DISTINCT see more values after a conversion to a _bin, _cs or _as_ collation, and joins, logins and = find fewer \
              rows: 'Anna' no longer finds 'anna'. Collations of equal strength separate values, too: ü equals y under latin1_swedish_ci, \
              and u under utf8mb4_0900_ai_ci. Columns of type TEXT without an index are left out, and so are single columns with a \
              unique key, whose values are distinct.",
    run: CheckFunction::Rows(separates),
};

/// Effect of the conversion on a group of values.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    /// Values that are equal after the conversion, and were distinct.
    Merge,
    /// Values that were equal, and are distinct after the conversion.
    Separate,
}

/// Longer sort keys are truncated, and a digest of the whole key is appended.
const MAX_KEY_BYTES: usize = 240;
/// Longer values are truncated, and a digest of the whole value is appended.
const MAX_VALUE_BYTES: usize = 480;
/// Maximum number of values per group that the finding lists.
const MAX_VALUES: usize = 10;

/// Sorts values by the sort key that makes them a group. A record's value is the other sort key,
/// with its length in four bytes, and the value itself.
struct Merges<'j> {
    column: ColumnScan<'j>,
    direction: Direction,
    sorter: Sorter,
    other_key: Vec<u8>,
    key: Vec<u8>,
    value: Vec<u8>,
    last: Vec<u8>,
}

fn merges<'j>(scan: &TableScan<'j>) -> Vec<Box<dyn RowCheck + 'j>> {
    ColumnScan::text_columns(scan)
        .into_iter()
        .filter(is_checked)
        .map(|column| Merges::boxed(column, Direction::Merge))
        .collect()
}

fn separates<'j>(scan: &TableScan<'j>) -> Vec<Box<dyn RowCheck + 'j>> {
    ColumnScan::text_columns(scan)
        .into_iter()
        .filter(|column| is_checked(column) && may_separate(&column.conversion().from))
        .map(|column| Merges::boxed(column, Direction::Separate))
        .collect()
}

/// True if the target's collation is known, and the column is neither a TEXT without an index nor a
/// unique key by itself, which the check `unique-key` covers.
fn is_checked(column: &ColumnScan<'_>) -> bool {
    let name = &column.conversion().column.name;
    let is_long = column.conversion().column.data_type.ends_with("text");
    let table = column.scan.table.table;
    let is_unique = table.indexes.iter().any(|index| {
        index.unique
            && index.parts.len() == 1
            && index.parts[0].prefix.is_none()
            && index.parts[0].column.as_ref() == Some(name)
    });
    !is_unique && (!is_long || table.indexes_with_column(name).next().is_some()) && column.target().collation.is_some()
}

/// True if equal values may differ under another collation. Under a `_bin` collation, only equal
/// text is equal; the check `trailing-spaces` sees to spaces at its end.
fn may_separate(from: &str) -> bool {
    !from.ends_with("_bin") && from != "binary"
}

/// Truncates `bytes` longer than `max` and appends their SHA-256, so that different values stay
/// different.
fn truncate_with_digest(bytes: &mut Vec<u8>, max: usize) {
    if bytes.len() > max {
        let digest = Sha256::digest(&bytes);
        bytes.truncate(max);
        bytes.extend_from_slice(&digest);
    }
}

impl RowCheck for Merges<'_> {
    fn check_row(&mut self, row: &Row<'_>) -> Result<(), Error> {
        let (Some(value), Some(Ok(after))) =
            (row.value(self.column.field), row.converted(self.column.target, self.column.field))
        else {
            return Ok(());
        };
        let Some(collation) = self.column.target().collation else { return Ok(()) };
        // Consecutive rows often have the same value; repetitions are skipped.
        if value == self.last && !self.sorter.is_empty() {
            return Ok(());
        }
        self.last.clear();
        self.last.extend_from_slice(value);
        let (new_key, old_key) = match self.direction {
            Direction::Merge => (&mut self.key, &mut self.other_key),
            Direction::Separate => (&mut self.other_key, &mut self.key),
        };
        new_key.clear();
        collation.sort_key_into(after, new_key);
        old_key.clear();
        // Without the old collation's weights, each value is taken to be distinct.
        match self.column.conversion().source_collation {
            Some(old) => old.sort_key_into(value, old_key),
            None => old_key.extend_from_slice(value),
        }
        truncate_with_digest(&mut self.key, MAX_KEY_BYTES);
        truncate_with_digest(&mut self.other_key, MAX_KEY_BYTES);
        self.value.clear();
        self.value.extend_from_slice(value);
        truncate_with_digest(&mut self.value, MAX_VALUE_BYTES);
        let mut record = (self.other_key.len() as u32).to_be_bytes().to_vec();
        record.extend_from_slice(&self.other_key);
        record.extend_from_slice(&self.value);
        Ok(self.sorter.push(&self.key, &record)?)
    }

    fn finish(mut self: Box<Self>) -> Result<Vec<Finding>, Error> {
        let sorter = std::mem::replace(&mut self.sorter, Sorter::new(Options::default()));
        let mut sorted = sorter.finish()?;
        let (mut groups, mut group_count, mut value_count) = (Vec::new(), 0_u64, 0_u64);
        // Values that are distinct before the conversion.
        let mut distinct_count = 0_u64;
        let (mut key, mut values): (Vec<u8>, Vec<Vec<u8>>) = (Vec::new(), Vec::new());
        let mut other_keys: BTreeSet<Vec<u8>> = BTreeSet::new();
        loop {
            let record = sorted.next()?;
            if !record.as_ref().is_some_and(|record| record.key == key && !values.is_empty()) {
                distinct_count += match self.direction {
                    Direction::Merge => other_keys.len() as u64,
                    Direction::Separate => u64::from(!values.is_empty()),
                };
                if other_keys.len() > 1 {
                    group_count += 1;
                    value_count += other_keys.len() as u64;
                    if groups.len() < self.column.scan.job.examples {
                        groups.push(self.collision_group(&values, other_keys.len() as u64));
                    }
                }
                values.clear();
                other_keys.clear();
            }
            let Some(record) = record else { break };
            key.clear();
            key.extend_from_slice(record.key);
            let Some((other_key, value)) = split_record(record.value) else { continue };
            let is_new = other_keys.insert(other_key.to_vec());
            if values.is_empty() || (is_new && values.len() < MAX_VALUES) {
                values.push(value.to_vec());
            }
        }
        if group_count == 0 {
            return Ok(Vec::new());
        }
        let check = if self.direction == Direction::Merge { &CHECK } else { &SEPARATES };
        let mut finding = self.column.finding(check, Severity::Warning);
        finding.details.count = group_count;
        if self.direction == Direction::Merge {
            finding.what = format!("{value_count} of {distinct_count} distinct values are merged into {group_count}");
            finding.why = "GROUP BY, DISTINCT, joins and = take each group for one value".into();
            finding.action = "see that the application means them to be equal".into();
        } else {
            let verb = if group_count == 1 { "is" } else { "are" };
            finding.what = format!("{group_count} of {distinct_count} distinct values {verb} split into {value_count}");
            finding.why = "their spellings are equal now, and distinct under the new collation: GROUP BY counts them apart, and =, joins \
                           and logins find fewer rows"
                .into();
            finding.action = "write one spelling, or see that the application means them to be distinct".into();
        }
        finding.details.groups = groups;
        Ok(vec![finding])
    }
}

/// Splits a record's value into the other sort key and the value.
fn split_record(record: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = record.split_at_checked(4)?;
    rest.split_at_checked(u32::from_be_bytes(length.try_into().ok()?) as usize)
}

impl<'j> Merges<'j> {
    fn boxed(column: ColumnScan<'j>, direction: Direction) -> Box<dyn RowCheck + 'j> {
        let sorter = Sorter::new(Options { ties: Ties::Distinct, ..column.scan.sort_options.clone() });
        Box::new(Self {
            column,
            direction,
            sorter,
            key: Vec::new(),
            other_key: Vec::new(),
            value: Vec::new(),
            last: Vec::new(),
        })
    }

    fn collision_group(&self, values: &[Vec<u8>], count: u64) -> CollisionGroup {
        let field = &self.column.scan.fields.columns[self.column.field];
        let example = |value: &Vec<u8>| Example {
            key: Vec::new(),
            values: vec![display_value(field, Some(&value[..value.len().min(MAX_VALUE_BYTES)]))],
            note: None,
        };
        let converted = |value: &Vec<u8>| {
            let to = self.column.target().charset()?;
            text::convert(value, self.column.conversion().read_charset(), to).ok().map(|value| value.into_owned())
        };
        let why = if self.direction == Direction::Merge { self.reasons(values, converted) } else { Vec::new() };
        CollisionGroup { count, rows: values.iter().map(example).collect(), why, distinguished_by: Vec::new() }
    }

    /// Returns why the other values are equal to the first, each reason once.
    fn reasons(&self, values: &[Vec<u8>], converted: impl Fn(&Vec<u8>) -> Option<Vec<u8>>) -> Vec<String> {
        let Some(collation) = self.column.target().collation else { return Vec::new() };
        let converted: Vec<Vec<u8>> =
            values.iter().filter_map(converted).filter(|value| value.len() <= MAX_VALUE_BYTES).collect();
        let Some((first, others)) = converted.split_first() else { return Vec::new() };
        let mut reasons: Vec<String> = Vec::new();
        for other in others {
            for reason in explain::explain_equality(collation, first, other) {
                if !reasons.contains(&reason) {
                    reasons.push(reason);
                }
            }
        }
        reasons
    }
}
