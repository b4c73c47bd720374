//! Distinct values that become one.

use std::collections::BTreeSet;

use extsort::{Options, Sorter, Ties};
use sha2::{Digest, Sha256};

use super::{Check, ColumnScan, RowCheck, Run, Scan};
use crate::Error;
use crate::model::{Example, Finding, Group, Severity};
use crate::row::{Row, shown};
use crate::text;

pub const CHECK: Check = Check {
    name: "merges",
    summary: "how many distinct values of a column become equal",
    explain: "GROUP BY, DISTINCT, joins and = see fewer values after a conversion to a coarser collation. Nothing fails; sums and results \
              change. Columns of type TEXT without an index are left out, and so are single columns with a unique key, which the check \
              unique-key sees to.",
    run: Run::Rows(checks),
};

/// Bytes of a sort key that are sorted by; a digest of the whole stands after them.
const KEY: usize = 240;
/// Bytes of a value that are kept.
const VALUE: usize = 480;
/// Values of a group that are kept.
const VALUES: usize = 10;

struct Merges<'j> {
    column: ColumnScan<'j>,
    sorter: Sorter,
    key: Vec<u8>,
    value: Vec<u8>,
    last: Vec<u8>,
}

fn checks<'j>(scan: &Scan<'j>) -> Vec<Box<dyn RowCheck + 'j>> {
    let is_wanted = |column: &ColumnScan<'_>| {
        let name = &column.conversion().column.name;
        let is_long = column.conversion().column.data_type.ends_with("text");
        let table = scan.table.table;
        let is_unique = table.indexes.iter().any(|index| {
            index.unique
                && index.parts.len() == 1
                && index.parts[0].prefix.is_none()
                && index.parts[0].column.as_ref() == Some(name)
        });
        !is_unique && (!is_long || table.indexes_of(name).next().is_some()) && column.target().collation.is_some()
    };
    let watch = |column: ColumnScan<'j>| {
        let sorter = Sorter::new(Options { ties: Ties::Distinct, ..scan.sorting.clone() });
        Box::new(Merges { column, sorter, key: Vec::new(), value: Vec::new(), last: Vec::new() })
            as Box<dyn RowCheck + 'j>
    };
    ColumnScan::all(scan).into_iter().filter(is_wanted).map(watch).collect()
}

/// Cuts what is too long and puts a digest in its place, so that equal values stay equal and different ones different.
fn bounded(bytes: &mut Vec<u8>, most: usize) {
    if bytes.len() > most {
        let digest = Sha256::digest(&bytes);
        bytes.truncate(most);
        bytes.extend_from_slice(&digest);
    }
}

impl RowCheck for Merges<'_> {
    fn row(&mut self, row: &Row<'_>) -> Result<(), Error> {
        let (Some(value), Some(Ok(after))) =
            (row.value(self.column.field), row.converted(self.column.target, self.column.field))
        else {
            return Ok(());
        };
        let Some(collation) = self.column.target().collation else { return Ok(()) };
        // Neighbours in the key's order often hold the same.
        if value == self.last && !self.sorter.is_empty() {
            return Ok(());
        }
        self.last.clear();
        self.last.extend_from_slice(value);
        self.key.clear();
        collation.sort_key_into(after, &mut self.key);
        bounded(&mut self.key, KEY);
        self.value.clear();
        self.value.extend_from_slice(value);
        bounded(&mut self.value, VALUE);
        Ok(self.sorter.push(&self.key, &self.value)?)
    }

    fn finish(mut self: Box<Self>) -> Result<Vec<Finding>, Error> {
        let sorter = std::mem::replace(&mut self.sorter, Sorter::new(Options::default()));
        let mut sorted = sorter.finish()?;
        let (mut groups, mut group_count, mut value_count) = (Vec::new(), 0_u64, 0_u64);
        let (mut key, mut values): (Vec<u8>, Vec<Vec<u8>>) = (Vec::new(), Vec::new());
        let mut before: BTreeSet<Vec<u8>> = BTreeSet::new();
        loop {
            let record = sorted.next()?;
            if !record.as_ref().is_some_and(|record| record.key == key && !values.is_empty()) {
                if before.len() > 1 {
                    group_count += 1;
                    value_count += before.len() as u64;
                    if groups.len() < self.column.scan.job.examples {
                        groups.push(self.group(&values, before.len() as u64));
                    }
                }
                values.clear();
                before.clear();
            }
            let Some(record) = record else { break };
            key.clear();
            key.extend_from_slice(record.key);
            // Values that the old collation takes for equal count once.
            let class =
                self.column.conversion().before.map_or_else(|| record.value.to_vec(), |old| old.sort_key(record.value));
            let is_new = before.insert(class);
            if values.is_empty() || (is_new && values.len() < VALUES) {
                values.push(record.value.to_vec());
            }
        }
        if group_count == 0 {
            return Ok(Vec::new());
        }
        let mut found = self.column.finding(&CHECK, Severity::Warning);
        found.count = group_count;
        found.what = format!("{value_count} distinct values become {group_count}");
        found.why = "GROUP BY, DISTINCT, joins and = take each group for one value".into();
        found.todo = "see that the application means them to be equal".into();
        found.groups = groups;
        Ok(vec![found])
    }
}

impl Merges<'_> {
    fn group(&self, values: &[Vec<u8>], count: u64) -> Group {
        let field = &self.column.scan.fields.columns[self.column.field];
        let example = |value: &Vec<u8>| Example {
            key: Vec::new(),
            values: vec![shown(field, Some(&value[..value.len().min(VALUE)]))],
            note: None,
        };
        let converted = |value: &Vec<u8>| {
            let to = self.column.target().charset()?;
            text::convert(value, self.column.conversion().read_charset(), to).ok().map(|value| value.into_owned())
        };
        let why = match (
            values.first().and_then(converted),
            values.get(1).and_then(converted),
            self.column.target().collation,
        ) {
            (Some(a), Some(b), Some(collation)) if a.len().max(b.len()) <= VALUE => {
                explain::differences(collation, &a, &b)
            }
            _ => Vec::new(),
        };
        Group { count, rows: values.iter().map(example).collect(), why, kept_apart_by: Vec::new() }
    }
}
