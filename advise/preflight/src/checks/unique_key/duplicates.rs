//! Rows of a file that have one key already.

use extsort::Sorter;
use facts::Index;
use rehearsal::Kind;

use super::collisions::MAX_ROWS;
use super::{KeyPart, display_values, write_key};
use crate::Error;
use crate::checks::{Check, CheckFunction, RowCheck, TableScan};
use crate::finding::{Finding, index_finding};
use crate::model::{CollisionGroup, Example};
use crate::row::{Row, decode_values};
use check::{Reading, Severity};

pub static CHECK: Check = Check {
    name: "duplicate-key",
    title: "rows of a file that a unique key doesn't tell apart now",
    reads: &[Reading::Rows],
    doc: "No server has checked the keys that --key names for a CSV or Parquet file. Rows that are equal under the present collation are \
              reported here, and only others by the check unique-key.",
    run: CheckFunction::Rows(checks),
};

fn checks<'j>(scan: &TableScan<'j>) -> Vec<Box<dyn RowCheck + 'j>> {
    let table = scan.table.table;
    // Servers have checked the keys of tables with a definition.
    if scan.job.definitions.find(Kind::Table, &table.schema, &table.name).is_some() {
        return Vec::new();
    }
    let check = |index: &'j Index| {
        let part = |part: &facts::IndexPart| KeyPart::new(scan, part.column.as_deref()?, part.prefix, None);
        let parts = index.parts.iter().map(part).collect::<Option<Vec<_>>>()?;
        let sorter = Sorter::new(scan.sort_options.clone());
        let check = DuplicateKey { scan: *scan, index, parts, sorter, key: Vec::new(), value: Vec::new() };
        Some(Box::new(check) as Box<dyn RowCheck + 'j>)
    };
    scan.table.unique_indexes().filter_map(check).collect()
}

struct DuplicateKey<'j> {
    scan: TableScan<'j>,
    index: &'j Index,
    parts: Vec<KeyPart>,
    sorter: Sorter,
    key: Vec<u8>,
    value: Vec<u8>,
}

impl DuplicateKey<'_> {
    fn example(&self, record: &[u8]) -> Example {
        let fields: Vec<usize> = self.parts.iter().map(|part| part.field).collect();
        let values = decode_values(record);
        let (key, values) = values.split_at(self.scan.fields.key.len());
        Example {
            key: display_values(self.scan.fields, &self.scan.fields.key, key),
            values: display_values(self.scan.fields, &fields, values),
            note: None,
        }
    }
}

impl RowCheck for DuplicateKey<'_> {
    fn check_row(&mut self, row: &Row<'_>) -> Result<(), Error> {
        if write_key(&self.parts, row, 0, &mut self.key) {
            let fields: Vec<usize> = self.parts.iter().map(|part| part.field).collect();
            row.encode_values(&fields, &mut self.value);
            self.sorter.push(&self.key, &self.value)?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<Vec<Finding>, Error> {
        let sorter = std::mem::replace(&mut self.sorter, Sorter::new(self.scan.sort_options.clone()));
        let mut sorted = sorter.finish()?;
        let (mut key, mut rows, mut count) = (Vec::new(), Vec::new(), 0_u64);
        let (mut groups, mut group_count, mut row_count) = (Vec::new(), 0_u64, 0_u64);
        loop {
            let record = sorted.next()?;
            if !record.as_ref().is_some_and(|record| count > 0 && record.key == key) {
                if count > 1 {
                    group_count += 1;
                    row_count += count;
                    if groups.len() < self.scan.job.examples {
                        let rows = rows.iter().map(|row: &Vec<u8>| self.example(row)).collect();
                        groups.push(CollisionGroup { count, rows, why: Vec::new(), distinguished_by: Vec::new() });
                    }
                }
                count = 0;
                rows.clear();
            }
            let Some(record) = record else { break };
            if count == 0 {
                key.clear();
                key.extend_from_slice(record.key);
            }
            count += 1;
            if rows.len() < MAX_ROWS {
                rows.push(record.value.to_vec());
            }
        }
        if group_count == 0 {
            return Ok(Vec::new());
        }
        let target = &self.scan.job.targets[0];
        let mut finding = index_finding(&CHECK, Severity::Warning, self.scan.table, &self.index.name, target);
        finding.details.count = group_count;
        finding.what = match group_count {
            1 => format!("{row_count} rows are equal already"),
            _ => format!("{row_count} rows in {group_count} groups are equal already"),
        };
        finding.why = "the key isn't unique in the file; a table with it takes one row of each group, before and after a conversion".into();
        finding.action =
            "change or merge the rows of each group first, or name the columns that are unique by --key".into();
        finding.details.groups = groups;
        Ok(vec![finding])
    }
}
