//! Rows of all tables: a sample of each table, and the parents of sampled rows.
//!
//! A sampled row can refer to parents that aren't in the parent table's sample. They are fetched by
//! key, then their parents, until none is missing. The keys of captured rows are held in memory;
//! `--rows` bounds their number.

use std::collections::{HashMap, HashSet};

use server::Progress;
use sql::Value;
use workload_folder::{Cell, FolderWriter, RowsWriter};

use crate::error::Error;
use crate::key::{Key, WantedKeys, key_values};
use crate::source::{KeyRequest, SampleExtent, TableSource};
use crate::source_table::SourceTable;
use crate::summary::CapturedTable;

/// Columns of a parent table that a foreign key refers to.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct ReferencedKey {
    /// Index of the parent among the tables.
    table: usize,
    /// Positions of the columns in the parent.
    positions: Vec<usize>,
}

/// A foreign key with resolved columns.
struct ResolvedForeignKey {
    /// Positions of the columns in the child.
    positions: Vec<usize>,
    parent: ReferencedKey,
}

/// Values of a referenced key. Parents that are needed and not present are requested.
#[derive(Default)]
struct KeySets {
    /// Keys of captured rows.
    present: HashSet<Key>,
    /// Keys that captured rows refer to, with the values of one of them.
    needed: HashMap<Key, Vec<Value>>,
    /// Keys whose rows were requested from the source.
    requested: HashSet<Key>,
}

impl KeySets {
    /// Returns the needed keys that are neither present nor requested, and marks them as requested.
    fn take_missing(&mut self) -> WantedKeys {
        let is_missing =
            |(key, _): &(&Key, &Vec<Value>)| !self.present.contains(*key) && !self.requested.contains(*key);
        let missing: HashMap<Key, Vec<Value>> =
            self.needed.iter().filter(is_missing).map(|(key, values)| (key.clone(), values.clone())).collect();
        self.requested.extend(missing.keys().cloned());
        WantedKeys(missing)
    }
}

/// Reads rows from a source and writes them to the workload folder.
pub struct RowCapture<'a> {
    tables: &'a [SourceTable],
    writers: Vec<RowsWriter>,
    keys: HashMap<ReferencedKey, KeySets>,
    /// Foreign keys of each table, by the table's index.
    foreign_keys: Vec<Vec<ResolvedForeignKey>>,
    /// Primary keys of captured rows, or whole rows of tables without one, so that no row is
    /// written twice. `None` for tables that no foreign key refers to.
    seen: Vec<Option<HashSet<Vec<Cell>>>>,
}

pub struct CapturedRows {
    pub tables: Vec<CapturedTable>,
    /// Number of foreign key values whose parent row the source lacks.
    pub orphans: u64,
}

impl<'a> RowCapture<'a> {
    /// Creates a file of rows for each table.
    pub fn new(tables: &'a [SourceTable], folder: &FolderWriter) -> Result<Self, Error> {
        let mut keys = HashMap::new();
        let foreign_keys: Vec<Vec<_>> = tables.iter().map(|table| resolve_foreign_keys(table, tables)).collect();
        let mut seen: Vec<Option<HashSet<Vec<Cell>>>> = tables.iter().map(|_| None).collect();
        for foreign_key in foreign_keys.iter().flatten() {
            seen[foreign_key.parent.table] = Some(HashSet::new());
            keys.entry(foreign_key.parent.clone()).or_insert_with(KeySets::default);
        }
        let create = |table: &SourceTable| {
            let mut writer = folder.create_rows(&table.shape.name, table.columns.clone())?;
            writer.close().map(|()| writer)
        };
        let writers = tables.iter().map(create);
        Ok(Self { tables, writers: writers.collect::<Result<_, _>>()?, keys, foreign_keys, seen })
    }

    /// Captures a sample of each table and the parents of its rows.
    pub fn capture_all(
        mut self,
        source: &mut dyn TableSource,
        max_rows: u64,
        seed: u64,
        progress: &dyn Progress,
    ) -> Result<CapturedRows, Error> {
        let mut extents = Vec::new();
        progress.step("reading rows");
        source.prepare_samples(self.tables);
        for at in 0..self.tables.len() {
            progress.fraction(at as f64 / self.tables.len() as f64);
            extents.push(self.read_sample(source, at, max_rows, seed)?);
        }
        let sampled: Vec<u64> = self.writers.iter().map(|writer| writer.rows).collect();
        if extents.iter().any(|extent| !extent.is_complete) {
            progress.step("reading the rows that these refer to");
            self.fetch_missing_parents(source)?;
        }
        let missing = |keys: &KeySets| keys.needed.keys().filter(|key| !keys.present.contains(*key)).count() as u64;
        let orphans = self.keys.values().map(missing).sum();
        let mut tables = Vec::new();
        for ((table, writer), (extent, sampled)) in
            self.tables.iter().zip(self.writers).zip(extents.into_iter().zip(sampled))
        {
            let (rows, name) = (writer.rows, table.shape.name.clone());
            tables.push(CapturedTable {
                name,
                rows,
                parent_rows: rows - sampled,
                is_complete: extent.is_complete,
                estimated_rows: extent.estimated_rows,
            });
            writer.finish()?;
        }
        Ok(CapturedRows { tables, orphans })
    }

    /// Fetches parents until none is missing that the source has. Each pass requests the missing
    /// parents in all tables, so there is one pass per level of references.
    fn fetch_missing_parents(&mut self, source: &mut dyn TableSource) -> Result<(), Error> {
        let tables = self.tables;
        let mut targets: Vec<ReferencedKey> = self.keys.keys().cloned().collect();
        targets.sort();
        loop {
            lifecycle::interrupt::check()?;
            let mut requests = Vec::new();
            for target in &targets {
                let keys = self.keys.get_mut(target).map(KeySets::take_missing).unwrap_or_default();
                if !keys.0.is_empty() {
                    let (at, positions) = (target.table, &target.positions);
                    requests.push(KeyRequest { at, table: &tables[at], positions, keys });
                }
            }
            if requests.is_empty() {
                return Ok(());
            }
            let mut open = None;
            source.rows_by_keys(&requests, &mut |at, row| {
                if let Some(other) = open.replace(at).filter(|other| *other != at) {
                    self.writers[other].close()?;
                }
                self.add_row(at, row)
            })?;
            open.map_or(Ok(()), |at: usize| self.writers[at].close())?;
        }
    }

    fn read_sample(
        &mut self,
        source: &mut dyn TableSource,
        at: usize,
        rows: u64,
        seed: u64,
    ) -> Result<SampleExtent, Error> {
        lifecycle::interrupt::check()?;
        let tables = self.tables;
        let extent = source.sample(&tables[at], rows, seed, &mut |row| self.add_row(at, row))?;
        self.writers[at].close()?;
        Ok(extent)
    }

    fn add_row(&mut self, at: usize, row: Vec<Cell>) -> Result<(), Error> {
        if let Some(seen) = &mut self.seen[at]
            && !seen.insert(row_identity(&self.tables[at], &row))
        {
            return Ok(());
        }
        for (target, keys) in &mut self.keys {
            if target.table == at {
                let values = key_values(&row, &target.positions);
                keys.present.extend(values.map(|values| self.tables[at].key(&target.positions, &values)));
            }
        }
        for ResolvedForeignKey { positions, parent } in &self.foreign_keys[at] {
            if let (Some(values), Some(keys)) = (key_values(&row, positions), self.keys.get_mut(parent)) {
                // The columns of a foreign key have the collations of the columns that it refers
                // to.
                let key = self.tables[parent.table].key(&parent.positions, &values);
                keys.needed.entry(key).or_insert(values);
            }
        }
        Ok(self.writers[at].write(&row)?)
    }
}

fn resolve_foreign_keys(table: &SourceTable, tables: &[SourceTable]) -> Vec<ResolvedForeignKey> {
    let resolve = |key: &crate::source_table::ForeignKey| {
        let parent = tables.iter().position(|table| table.shape.name == key.parent)?;
        let positions = table.column_positions(&key.columns)?;
        let parent_positions = tables[parent].column_positions(&key.parent_columns)?;
        Some(ResolvedForeignKey { positions, parent: ReferencedKey { table: parent, positions: parent_positions } })
    };
    table.foreign_keys.iter().filter_map(resolve).collect()
}

/// Returns the primary key's values, or the whole row if the table has none.
fn row_identity(table: &SourceTable, row: &[Cell]) -> Vec<Cell> {
    match table.column_positions(&table.primary).filter(|positions| !positions.is_empty()) {
        Some(positions) => positions.iter().map(|position| row[*position].clone()).collect(),
        None => row.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::source::{Definitions, Origin};

    const CREATES: [&str; 3] = [
        "CREATE TABLE `regions` (`id` int, `name` text, PRIMARY KEY (`id`))",
        "CREATE TABLE `customers` (`id` int, `region` int, PRIMARY KEY (`id`), FOREIGN KEY (`region`) REFERENCES `regions` (`id`))",
        "CREATE TABLE `orders` (`id` int, `customer` int, PRIMARY KEY (`id`), FOREIGN KEY (`customer`) REFERENCES `customers` (`id`))",
    ];

    /// Source of 100 rows per table. Row n refers to row n of the parent; rows above 90 refer to
    /// missing rows.
    struct NumberedRows {
        /// Tables with their number of keys, by pass.
        asked: RefCell<Vec<Vec<(String, usize)>>>,
    }

    impl TableSource for NumberedRows {
        fn origin(&self) -> Origin {
            Origin::default()
        }

        fn definitions(&mut self) -> Result<Definitions, Error> {
            Ok(Definitions::default())
        }

        fn sample(
            &mut self,
            table: &SourceTable,
            rows: u64,
            _seed: u64,
            sink: &mut crate::source::RowSink<'_>,
        ) -> Result<SampleExtent, Error> {
            // Samples of orders begin at row 80, the others at row 0, so that they share nothing.
            let from = if table.shape.name.starts_with("orders") { 80 } else { 0 };
            (from..from + rows as i64).try_for_each(|id| sink(row(table, id)))?;
            Ok(SampleExtent { is_complete: false, estimated_rows: Some(100) })
        }

        fn rows_by_keys(
            &mut self,
            requests: &[KeyRequest<'_>],
            sink: &mut crate::source::TableRowSink<'_>,
        ) -> Result<(), Error> {
            let asked = requests.iter().map(|request| (request.table.shape.name.clone(), request.keys.0.len()));
            self.asked.borrow_mut().push(asked.collect());
            for request in requests {
                let mut rows = (0..100).map(|id| row(request.table, id)).filter(|row| request.wants(row));
                rows.try_for_each(|row| sink(request.at, row))?;
            }
            Ok(())
        }
    }

    fn row(table: &SourceTable, id: i64) -> Vec<Cell> {
        let other = if id > 90 { id + 1000 } else { id };
        vec![Some(Value::Int(id)), (table.shape.name != "regions").then_some(Value::Int(other))]
    }

    #[test]
    fn few_files_are_open_at_once() {
        let place = tempfile::tempdir().unwrap();
        let folder = FolderWriter::create(&place.path().join("w")).unwrap();
        let table = |at: usize| {
            let create = format!("CREATE TABLE `t{at}` (`id` int, `x` int, PRIMARY KEY (`id`))");
            SourceTable::new(workload_folder::SchemaSql::parse(&create).0.tables[0].clone(), &create)
        };
        let tables: Vec<SourceTable> = (0..300).map(table).collect();
        let rows = RowCapture::new(&tables, &folder).unwrap();
        let open = std::fs::read_dir("/proc/self/fd").unwrap().count();
        assert!(open < 200, "{open} files are open");
        let mut source = NumberedRows { asked: RefCell::default() };
        let captured = rows.capture_all(&mut source, 2, 1, &server::NoProgress).unwrap();
        assert!(captured.tables.len() == 300 && captured.tables.iter().all(|table| table.rows == 2));
        assert_eq!(std::fs::read_to_string(place.path().join("w/rows/t7.csv")).unwrap(), "id:int,x:int\n0,0\n1,1\n");
    }

    #[test]
    fn fetches_parents_until_none_is_missing() {
        let place = tempfile::tempdir().unwrap();
        let folder = FolderWriter::create(&place.path().join("w")).unwrap();
        let table =
            |create: &&str| SourceTable::new(workload_folder::SchemaSql::parse(create).0.tables[0].clone(), create);
        let tables: Vec<SourceTable> = CREATES.iter().map(table).collect();
        let mut source = NumberedRows { asked: RefCell::default() };
        let rows = RowCapture::new(&tables, &folder).unwrap();
        let captured = rows.capture_all(&mut source, 15, 1, &server::NoProgress).unwrap();
        // Orders 80 to 94; customers and regions 0 to 14 and 80 to 90.
        let counts: Vec<_> = captured.tables.iter().map(|table| (table.rows, table.parent_rows)).collect();
        assert_eq!(counts, [(26, 11), (26, 11), (15, 0)]);
        assert_eq!(captured.orphans, 4);
        let asked = source.asked.into_inner();
        assert_eq!(asked, [[("customers".to_owned(), 15)], [("regions".to_owned(), 11)]]);
    }

    /// However many tables refer to others, the source is read once per level of references.
    #[test]
    fn parents_in_many_tables_take_one_pass_per_level() {
        let place = tempfile::tempdir().unwrap();
        let folder = FolderWriter::create(&place.path().join("w")).unwrap();
        let create = |at: usize| {
            let customer = CREATES[1].replace("customers", &format!("customers{at}"));
            let order =
                CREATES[2].replace("orders", &format!("orders{at}")).replace("customers", &format!("customers{at}"));
            [customer, order]
        };
        let creates = (0..20).flat_map(create).chain([CREATES[0].to_owned()]);
        let tables: Vec<SourceTable> = creates
            .map(|create| SourceTable::new(workload_folder::SchemaSql::parse(&create).0.tables[0].clone(), &create))
            .collect();
        let mut source = NumberedRows { asked: RefCell::default() };
        let rows = RowCapture::new(&tables, &folder).unwrap();
        rows.capture_all(&mut source, 15, 1, &server::NoProgress).unwrap();
        let passes: Vec<usize> = source.asked.into_inner().iter().map(Vec::len).collect();
        assert_eq!(passes, [20, 1]);
    }
}
