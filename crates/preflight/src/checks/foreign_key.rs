//! Foreign keys whose children lose their parent, or find another.

use std::collections::BTreeSet;

use extsort::{Options, Sorter};
use facts::ForeignKey;

use super::unique_key::{Part, whole_key};
use super::{Check, Run, Scan, finding};
use crate::Error;
use crate::job::{Job, TableJob};
use crate::model::{Example, Finding, Severity};
use crate::row::{Row, decode};

pub const CHECK: Check = Check {
    name: "foreign-key",
    summary: "foreign keys whose children lose their parent, or get one that they didn't have",
    explain: "A finer collation, or one without padding, can part a child from its parent: 'a ' refers to 'a' under PAD SPACE and not under \
              NO PAD. Adding the foreign key again then fails with error 1452. A coarser one can give an orphan a parent. Both tables are \
              read, and the keys of both are merged, under the old collation and under the new one.",
    run: Run::ForeignKeys,
};

const PARENT: u8 = 0;
const CHILD: u8 = 1;

/// The keys of a foreign key's two tables.
pub struct KeyMatch<'j> {
    job: &'j Job<'j>,
    key: &'j ForeignKey,
    /// Which target it is about.
    target: usize,
    before: Option<Sorter>,
    after: Sorter,
    bytes: Vec<u8>,
    value: Vec<u8>,
}

/// What a table contributes to a [`KeyMatch`].
pub struct Side {
    before: Option<Vec<Part>>,
    after: Option<Vec<Part>>,
    fields: Vec<usize>,
    tag: u8,
}

impl<'j> KeyMatch<'j> {
    /// For the target of this number.
    pub fn new(job: &'j Job<'j>, key: &'j ForeignKey, target: usize, sorting: &Options) -> Self {
        let sorter = || Sorter::new(sorting.clone());
        Self { job, key, target, before: Some(sorter()), after: sorter(), bytes: Vec::new(), value: Vec::new() }
    }

    /// What the table of a scan contributes: as a child, as the parent, or both.
    pub fn sides(&self, scan: &Scan<'_>) -> Vec<Side> {
        let table = scan.table.table;
        let is = |schema: &str, name: &str| table.schema == schema && table.name == name;
        let mut sides = Vec::new();
        let mut add = |columns: &[String], tag| {
            let parts =
                |target| columns.iter().map(|column| Part::new(scan, column, None, target)).collect::<Option<Vec<_>>>();
            let fields = columns.iter().filter_map(|column| scan.fields.place(column)).collect();
            sides.push(Side { before: parts(None), after: parts(Some(self.target)), fields, tag });
        };
        if is(&self.key.schema, &self.key.table) {
            add(&self.key.columns, CHILD);
        }
        if is(&self.key.parent_schema, &self.key.parent_table) {
            add(&self.key.parent_columns, PARENT);
        }
        sides
    }

    /// Sees a row of one of the tables.
    pub fn row(&mut self, side: &Side, row: &Row<'_>) -> Result<(), Error> {
        self.value.clear();
        self.value.push(side.tag);
        if side.tag == CHILD {
            let mut encoded = Vec::new();
            row.encode(&side.fields, &mut encoded);
            self.value.extend_from_slice(&encoded);
        }
        match (&side.before, &mut self.before) {
            (Some(parts), Some(before)) => {
                if whole_key(parts, row, self.target, &mut self.bytes) {
                    before.push(&self.bytes, &self.value)?;
                }
            }
            // Without the old weights it can't be told who has a parent now.
            _ => self.before = None,
        }
        if let Some(parts) = &side.after
            && whole_key(parts, row, self.target, &mut self.bytes)
        {
            self.after.push(&self.bytes, &self.value)?;
        }
        Ok(())
    }

    /// Whether the library has the weights of both tables' columns.
    pub fn can_tell(side: &Side) -> bool {
        side.after.is_some()
    }

    /// Says what it found.
    pub fn finish(self) -> Result<Vec<Finding>, Error> {
        let orphans_before = self.before.map(orphans).transpose()?;
        let orphans_after = orphans(self.after)?;
        let before = orphans_before.unwrap_or_default();
        let lost: Vec<&Vec<u8>> = orphans_after.difference(&before).collect();
        let gained: Vec<&Vec<u8>> = before.difference(&orphans_after).collect();
        let Some(child) = self.job.table(&self.key.schema, &self.key.table) else { return Ok(Vec::new()) };
        let target = &self.job.targets[self.target];
        let mut found = Vec::new();
        if !lost.is_empty() {
            let mut lost_ones = self_finding(child, self.key, target, Severity::Error, &lost, self.job.examples);
            lost_ones.what = format!("{} children lose their parent", lost.len());
            lost_ones.why = format!(
                "under {target} their keys no longer equal a key of {}; adding the foreign key again ends with error 1452",
                self.key.parent_table
            );
            lost_ones.todo = "write the parent's key into these children first".into();
            found.push(lost_ones);
        }
        if !gained.is_empty() {
            let mut gained_ones = self_finding(child, self.key, target, Severity::Warning, &gained, self.job.examples);
            gained_ones.what = format!("{} orphans get a parent", gained.len());
            gained_ones.why = format!(
                "they refer to nothing now, and under {target} their keys equal a key of {}",
                self.key.parent_table
            );
            gained_ones.todo = "see whether it is the right one; ON DELETE and ON UPDATE will follow it".into();
            found.push(gained_ones);
        }
        Ok(found)
    }
}

fn self_finding(
    child: &TableJob<'_>,
    key: &ForeignKey,
    target: &str,
    severity: Severity,
    rows: &[&Vec<u8>],
    examples: usize,
) -> Finding {
    let mut found = finding(&CHECK, severity, child, target);
    found.object = format!("{}: {}", found.object, key.name);
    found.count = rows.len() as u64;
    let columns = key.columns.len();
    let example = |row: &&Vec<u8>| {
        let values: Vec<String> = decode(row)
            .into_iter()
            .map(|value| value.map_or("NULL".into(), |value| String::from_utf8_lossy(&value).into_owned()))
            .collect();
        let (key, values) = values.split_at(values.len().saturating_sub(columns));
        Example { key: key.to_vec(), values: values.to_vec(), note: None }
    };
    found.examples = rows.iter().take(examples).map(example).collect();
    found
}

/// The most orphans that are kept; a foreign key that has more was never checked.
const MOST: usize = 1_000_000;

/// Children whose key no parent has.
fn orphans(sorter: Sorter) -> Result<BTreeSet<Vec<u8>>, Error> {
    let mut sorted = sorter.finish()?;
    let mut found = BTreeSet::new();
    let (mut key, mut children, mut has_parent): (Vec<u8>, Vec<Vec<u8>>, bool) = (Vec::new(), Vec::new(), false);
    loop {
        let record = sorted.next()?;
        if record.as_ref().is_none_or(|record| record.key != key) {
            if !has_parent {
                let room = MOST.saturating_sub(found.len());
                found.extend(children.drain(..).take(room));
            }
            children.clear();
            has_parent = false;
        }
        let Some(record) = record else { return Ok(found) };
        if record.key != key {
            key.clear();
            key.extend_from_slice(record.key);
        }
        match record.value.split_first() {
            Some((&CHILD, row)) if !has_parent && children.len() < MOST => children.push(row.to_vec()),
            Some((&PARENT, _)) => {
                has_parent = true;
                children.clear();
            }
            _ => {}
        }
    }
}
