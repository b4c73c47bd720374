//! Children that lose their parent under the new collation, and orphans that get one.

use std::collections::BTreeSet;

use extsort::{Options, Sorter};
use facts::ForeignKey;

use super::unique_key::{KeyPart, write_key};
use super::{Check, CheckFunction, TableScan};
use crate::Error;
use crate::finding::{Finding, foreign_key_finding};
use crate::job::{Job, TableJob};
use crate::model::Example;
use crate::row::{Row, decode_values};
use check::{Reading, Severity};

pub static CHECK: Check = Check {
    name: "foreign-key",
    title: "foreign keys whose children lose their parent, or get one that they didn't have",
    reads: &[Reading::Schemas, Reading::Rows],
    doc: "A finer collation, or one without padding, can separate a child from its parent: 'a ' refers to 'a' under PAD SPACE and not under \
              NO PAD. Adding the foreign key again then fails with error 1452. A coarser one can give an orphan a parent. Both tables are \
              read, and the keys of both are merged, under the old collation and under the new one.",
    run: CheckFunction::ForeignKeys,
};

pub static ORPHANS: Check = Check {
    name: "orphans",
    title: "children that have no parent now",
    reads: &[Reading::Schemas, Reading::Rows],
    doc: "A load under foreign_key_checks = 0, as every mysqldump does it, doesn't verify foreign keys. A plan that has dropped the key can't add it again: error 1452. The plan adds such a key back under foreign_key_checks = 0.",
    run: CheckFunction::ForeignKeys,
};

const PARENT: u8 = 0;
const CHILD: u8 = 1;

/// Merges the keys of a foreign key's two tables, before and after the conversion.
///
/// Each key is sorted with a tag, [`PARENT`] or [`CHILD`], so that equal keys of both tables are
/// adjacent.
pub struct ForeignKeyMatch<'j> {
    job: &'j Job<'j>,
    key: &'j ForeignKey,
    /// Index of the target collation.
    target: usize,
    before: Option<Sorter>,
    after: Sorter,
    bytes: Vec<u8>,
    value: Vec<u8>,
}

/// Columns that a table adds to a [`ForeignKeyMatch`], as its child or its parent.
pub struct KeySide {
    before: Option<Vec<KeyPart>>,
    after: Option<Vec<KeyPart>>,
    fields: Vec<usize>,
    tag: u8,
}

impl<'j> ForeignKeyMatch<'j> {
    pub fn new(job: &'j Job<'j>, key: &'j ForeignKey, target: usize, sort_options: &Options) -> Self {
        let sorter = || Sorter::new(sort_options.clone());
        Self { job, key, target, before: Some(sorter()), after: sorter(), bytes: Vec::new(), value: Vec::new() }
    }

    /// Returns the table's roles: child, parent, or both for a foreign key to its own table. Empty
    /// for tables outside of the foreign key.
    pub fn key_sides(&self, scan: &TableScan<'_>) -> Vec<KeySide> {
        let table = scan.table.table;
        let is_table = |schema: &str, name: &str| table.schema == schema && table.name == name;
        let mut sides = Vec::new();
        let mut add = |columns: &[String], tag| {
            let parts = |target| {
                columns.iter().map(|column| KeyPart::new(scan, column, None, target)).collect::<Option<Vec<_>>>()
            };
            let fields = columns.iter().filter_map(|column| scan.fields.position(column)).collect();
            sides.push(KeySide { before: parts(None), after: parts(Some(self.target)), fields, tag });
        };
        if is_table(&self.key.schema, &self.key.table) {
            add(&self.key.columns, CHILD);
        }
        if is_table(&self.key.parent_schema, &self.key.parent_table) {
            add(&self.key.parent_columns, PARENT);
        }
        sides
    }

    /// Adds the key of a row.
    pub fn add_row(&mut self, side: &KeySide, row: &Row<'_>) -> Result<(), Error> {
        self.value.clear();
        self.value.push(side.tag);
        if side.tag == CHILD {
            let mut encoded = Vec::new();
            row.encode_values(&side.fields, &mut encoded);
            self.value.extend_from_slice(&encoded);
        }
        match (&side.before, &mut self.before) {
            (Some(parts), Some(before)) => {
                if write_key(parts, row, self.target, &mut self.bytes) {
                    before.push(&self.bytes, &self.value)?;
                }
            }
            // Without the old collation's weights the present orphans are unknown.
            _ => self.before = None,
        }
        if let Some(parts) = &side.after
            && write_key(parts, row, self.target, &mut self.bytes)
        {
            self.after.push(&self.bytes, &self.value)?;
        }
        Ok(())
    }

    /// Returns the findings after the last row of both tables.
    pub fn finish(self) -> Result<Vec<Finding>, Error> {
        let orphans_before = self.before.map(find_orphans).transpose()?;
        let orphans_after = find_orphans(self.after)?;
        let is_before_known = orphans_before.is_some();
        let before = orphans_before.unwrap_or_default();
        let lost: Vec<&Vec<u8>> = orphans_after.difference(&before).collect();
        let gained: Vec<&Vec<u8>> = before.difference(&orphans_after).collect();
        let Some(child) = self.job.table(&self.key.schema, &self.key.table) else { return Ok(Vec::new()) };
        let target = &self.job.targets[self.target];
        let mut findings = Vec::new();
        let kept: Vec<&Vec<u8>> = before.intersection(&orphans_after).collect();
        if !kept.is_empty() {
            let mut orphans =
                rows_finding(&ORPHANS, child, self.key, target, Severity::Warning, &kept, self.job.examples);
            orphans.what = format!("{} have no parent", message::count_noun(kept.len(), "row"));
            orphans.why = format!(
                "they were stored under foreign_key_checks = 0; adding the foreign key to {} again would end with error 1452",
                self.key.parent_table
            );
            orphans.action = "the plan adds the key back under foreign_key_checks = 0, as it is now; better delete or mend these rows first".into();
            orphans.details.in_plan = true;
            orphans.details.has_orphans = true;
            findings.push(orphans);
        }
        if !lost.is_empty() {
            let mut lost_parents =
                rows_finding(&CHECK, child, self.key, target, Severity::Error, &lost, self.job.examples);
            let parent = &self.key.parent_table;
            if is_before_known {
                lost_parents.what = format!("{} children lose their parent", lost.len());
                lost_parents.why = format!(
                    "under {target} their keys no longer equal a key of {parent}; adding the foreign key again ends with error 1452"
                );
            } else {
                lost_parents.what = format!("{} children have no parent under {target}", lost.len());
                lost_parents.why = format!(
                    "their keys equal no key of {parent}, and whether they equal one now is unknown, as weigh does not \
                     know the present collation; adding the foreign key again ends with error 1452"
                );
            }
            lost_parents.action = "write the parent's key into these children first".into();
            findings.push(lost_parents);
        }
        if !gained.is_empty() {
            let mut gained_parents =
                rows_finding(&CHECK, child, self.key, target, Severity::Warning, &gained, self.job.examples);
            gained_parents.what = format!("{} orphans get a parent", gained.len());
            gained_parents.why = format!(
                "they refer to nothing now, and under {target} their keys equal a key of {}",
                self.key.parent_table
            );
            gained_parents.action = "see whether it is the right one; ON DELETE and ON UPDATE will follow it".into();
            findings.push(gained_parents);
        }
        Ok(findings)
    }
}

fn rows_finding(
    check: &Check,
    child: &TableJob<'_>,
    key: &ForeignKey,
    target: &str,
    severity: Severity,
    rows: &[&Vec<u8>],
    examples: usize,
) -> Finding {
    let mut finding = foreign_key_finding(check, severity, child, &key.name, target);
    finding.details.count = rows.len() as u64;
    let columns = key.columns.len();
    let example = |row: &&Vec<u8>| {
        let values: Vec<String> = decode_values(row)
            .into_iter()
            .map(|value| value.map_or("NULL".into(), |value| String::from_utf8_lossy(&value).into_owned()))
            .collect();
        let (key, values) = values.split_at(values.len().saturating_sub(columns));
        Example { key: key.to_vec(), values: values.to_vec(), note: None }
    };
    finding.details.examples = rows.iter().take(examples).map(example).collect();
    finding
}

/// Maximum number of orphans that are held in memory. Further ones are not counted.
const MAX_ORPHANS: usize = 1_000_000;

/// Returns the encoded rows of up to [`MAX_ORPHANS`] children that have no parent.
fn find_orphans(sorter: Sorter) -> Result<BTreeSet<Vec<u8>>, Error> {
    let mut sorted = sorter.finish()?;
    let mut orphans = BTreeSet::new();
    let (mut key, mut children, mut has_parent): (Vec<u8>, Vec<Vec<u8>>, bool) = (Vec::new(), Vec::new(), false);
    loop {
        let record = sorted.next()?;
        if record.as_ref().is_none_or(|record| record.key != key) {
            if !has_parent {
                let room = MAX_ORPHANS.saturating_sub(orphans.len());
                orphans.extend(children.drain(..).take(room));
            }
            children.clear();
            has_parent = false;
        }
        let Some(record) = record else { return Ok(orphans) };
        if record.key != key {
            key.clear();
            key.extend_from_slice(record.key);
        }
        match record.value.split_first() {
            Some((&CHILD, row)) if !has_parent && children.len() < MAX_ORPHANS => children.push(row.to_vec()),
            Some((&PARENT, _)) => {
                has_parent = true;
                children.clear();
            }
            _ => {}
        }
    }
}
