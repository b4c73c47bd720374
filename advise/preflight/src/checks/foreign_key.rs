//! Children that lose their parent under the new collation, and orphans that get one.

use extsort::{Options, Sorter, Ties};
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
    doc: "A load under foreign_key_checks = 0, as mysqldump does it, doesn't verify foreign keys. A plan that has dropped the key can't add it again: error 1452. The plan adds such a key back under foreign_key_checks = 0.",
    run: CheckFunction::ForeignKeys,
};

const PARENT: u8 = 0;
const CHILD: u8 = 1;

const BEFORE: u8 = 0;
const AFTER: u8 = 1;

/// Merges the keys of a foreign key's two tables, before and after the conversion.
///
/// Each key is sorted with a tag, [`PARENT`] or [`CHILD`], so that equal keys of both tables are
/// adjacent, the parents first. The orphans of both collations are sorted again, by row.
pub struct ForeignKeyMatch<'j> {
    job: &'j Job<'j>,
    key: &'j ForeignKey,
    /// Index of the target collation.
    target: usize,
    before: Option<Sorter>,
    after: Sorter,
    orphans: Sorter,
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
        let sorter = || Sorter::new(Options { ties: Ties::Value, ..sort_options.clone() });
        Self {
            job,
            key,
            target,
            before: (!has_mixed_collations(job, key)).then(&sorter),
            after: sorter(),
            orphans: sorter(),
            bytes: Vec::new(),
            value: Vec::new(),
        }
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
            // Without the weights of one old collation the present orphans are unknown.
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
    pub fn finish(mut self) -> Result<Vec<Finding>, Error> {
        let is_before_known = self.before.is_some();
        if let Some(before) = self.before.take() {
            find_orphans(before, BEFORE, &mut self.orphans)?;
        }
        find_orphans(self.after, AFTER, &mut self.orphans)?;
        let Orphans { kept, lost, gained } = compare_orphans(self.orphans, self.job.examples)?;
        let Some(child) = self.job.table(&self.key.schema, &self.key.table) else { return Ok(Vec::new()) };
        let target = &self.job.targets[self.target];
        let mut findings = Vec::new();
        if kept.count > 0 {
            let mut orphans = rows_finding(&ORPHANS, child, self.key, target, Severity::Warning, &kept);
            orphans.what = match kept.count {
                1 => "1 row has no parent".into(),
                count => format!("{count} rows have no parent"),
            };
            orphans.why = format!(
                "they were stored under foreign_key_checks = 0; adding the foreign key to {} again would end with error 1452",
                self.key.parent_table
            );
            orphans.action = "the plan adds the key back under foreign_key_checks = 0, as it is now; better delete or correct these rows first".into();
            orphans.details.in_plan = true;
            orphans.details.has_orphans = true;
            findings.push(orphans);
        }
        if lost.count > 0 {
            let mut lost_parents = rows_finding(&CHECK, child, self.key, target, Severity::Error, &lost);
            let parent = &self.key.parent_table;
            if is_before_known {
                lost_parents.what = describe_children(lost.count, "loses its", "lose their", "");
                lost_parents.why = format!(
                    "under {target} their keys no longer equal a key of {parent}; adding the foreign key again ends with error 1452"
                );
            } else {
                lost_parents.what = describe_children(lost.count, "has no", "have no", &format!(" under {target}"));
                let cause = match has_mixed_collations(self.job, self.key) {
                    true => "the two columns have different collations",
                    false => "weigh does not know the present collation",
                };
                lost_parents.why = format!(
                    "their keys equal no key of {parent}, and whether they equal one now is unknown, as {cause}; adding \
                     the foreign key again ends with error 1452"
                );
            }
            lost_parents.action = "write the parent's key into these children first".into();
            findings.push(lost_parents);
        }
        if gained.count > 0 {
            let mut gained_parents = rows_finding(&CHECK, child, self.key, target, Severity::Warning, &gained);
            gained_parents.what = match gained.count {
                1 => "1 orphan gets a parent".into(),
                count => format!("{count} orphans get a parent"),
            };
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

/// True for a key that `foreign_key_checks = 0` has left between columns of different collations.
fn has_mixed_collations(job: &Job<'_>, key: &ForeignKey) -> bool {
    let collation =
        |schema: &str, table: &str, column: &str| job.facts.table(schema, table)?.column(column)?.collation.as_deref();
    key.columns.iter().zip(&key.parent_columns).any(|(child, parent)| {
        let own = collation(&key.schema, &key.table, child);
        own != collation(&key.parent_schema, &key.parent_table, parent)
    })
}

fn describe_children(count: u64, one: &str, many: &str, suffix: &str) -> String {
    match count {
        1 => format!("1 child {one} parent{suffix}"),
        _ => format!("{count} children {many} parent{suffix}"),
    }
}

fn rows_finding(
    check: &Check,
    child: &TableJob<'_>,
    key: &ForeignKey,
    target: &str,
    severity: Severity,
    rows: &FoundRows,
) -> Finding {
    let mut finding = foreign_key_finding(check, severity, child, &key.name, target);
    finding.details.count = rows.count;
    let columns = key.columns.len();
    let example = |row: &Vec<u8>| {
        let values: Vec<String> = decode_values(row)
            .into_iter()
            .map(|value| value.map_or("NULL".into(), |value| String::from_utf8_lossy(&value).into_owned()))
            .collect();
        let (key, values) = values.split_at(values.len().saturating_sub(columns));
        Example { key: key.to_vec(), values: values.to_vec(), note: None }
    };
    finding.details.examples = rows.examples.iter().map(example).collect();
    finding
}

/// Adds the encoded rows of the children that have no parent to `orphans`.
fn find_orphans(sorter: Sorter, tag: u8, orphans: &mut Sorter) -> Result<(), Error> {
    let mut sorted = sorter.finish()?;
    // The last parent's key. A key's parents come before its children.
    let mut parent: Option<Vec<u8>> = None;
    while let Some(record) = sorted.next()? {
        match record.value.split_first() {
            Some((&CHILD, row)) if parent.as_deref() != Some(record.key) => orphans.push(row, &[tag])?,
            Some((&PARENT, _)) => {
                let known = parent.get_or_insert_default();
                known.clear();
                known.extend_from_slice(record.key);
            }
            _ => {}
        }
    }
    Ok(())
}

/// Number of rows, and the first of them, encoded.
#[derive(Default)]
struct FoundRows {
    count: u64,
    examples: Vec<Vec<u8>>,
}

impl FoundRows {
    fn add(&mut self, row: &[u8], count: u64, most: usize) {
        self.count += count;
        if count > 0 && self.examples.len() < most {
            self.examples.push(row.to_vec());
        }
    }
}

/// Children without a parent: under both collations, only under the new one, only under the old
/// one.
#[derive(Default)]
struct Orphans {
    kept: FoundRows,
    lost: FoundRows,
    gained: FoundRows,
}

/// Compares the orphans before and after the conversion. Keeps up to `examples` of each kind.
fn compare_orphans(orphans: Sorter, examples: usize) -> Result<Orphans, Error> {
    let mut sorted = orphans.finish()?;
    let mut found = Orphans::default();
    let (mut row, mut before, mut after): (Vec<u8>, u64, u64) = (Vec::new(), 0, 0);
    loop {
        let record = sorted.next()?;
        if record.as_ref().is_none_or(|record| record.key != row) {
            // Rows without a primary key can be equal.
            let kept = before.min(after);
            found.kept.add(&row, kept, examples);
            found.lost.add(&row, after - kept, examples);
            found.gained.add(&row, before - kept, examples);
            (before, after) = (0, 0);
        }
        let Some(record) = record else { return Ok(found) };
        row.clear();
        row.extend_from_slice(record.key);
        match record.value {
            [BEFORE] => before += 1,
            _ => after += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorter() -> Sorter {
        Sorter::new(Options { ties: Ties::Value, ..Options::default() })
    }

    #[test]
    fn orphans_are_the_children_of_keys_without_a_parent() {
        let mut keys = sorter();
        for (key, value) in
            [("a", "\u{1}x"), ("a", "\u{0}"), ("b", "\u{1}y"), ("b", "\u{1}z"), ("c", "\u{0}"), ("", "\u{1}w")]
        {
            keys.push(key.as_bytes(), value.as_bytes()).unwrap();
        }
        let mut orphans = sorter();
        find_orphans(keys, AFTER, &mut orphans).unwrap();
        let found = compare_orphans(orphans, 2).unwrap();
        assert_eq!((found.lost.count, found.lost.examples), (3, vec![b"w".to_vec(), b"y".to_vec()]));
        assert_eq!((found.kept.count, found.gained.count), (0, 0));
    }

    #[test]
    fn orphans_of_both_collations_are_compared_row_by_row() {
        let mut orphans = sorter();
        for (row, tag) in
            [("k", BEFORE), ("k", AFTER), ("l", AFTER), ("g", BEFORE), ("e", BEFORE), ("e", AFTER), ("e", AFTER)]
        {
            orphans.push(row.as_bytes(), &[tag]).unwrap();
        }
        let found = compare_orphans(orphans, 9).unwrap();
        let shown = |rows: &FoundRows| (rows.count, rows.examples.concat());
        assert_eq!(shown(&found.kept), (2, b"ek".to_vec()));
        assert_eq!(shown(&found.lost), (2, b"el".to_vec()));
        assert_eq!(shown(&found.gained), (1, b"g".to_vec()));
        assert_eq!(compare_orphans(sorter(), 9).unwrap().kept.count, 0);
    }
}
