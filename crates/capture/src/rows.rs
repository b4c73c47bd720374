//! The rows of all tables: a sample of each, and the rows that those refer to.
//!
//! A sample of a child names parents that the parent's own sample may lack. They are fetched by their keys, and in turn theirs, until
//! nothing is missing. Keys of rows that are taken are held in memory; there are as many as `--rows` lets there be.

use std::collections::{HashMap, HashSet};

use replay::{Cell, Folder, RowsWriter};
use server::Progress;
use sql::Value;

use crate::create::Table;
use crate::error::Error;
use crate::model::CapturedTable;
use crate::source::{Extent, Source, Take};

/// Columns of a parent that foreign keys refer to: its place among the tables, the columns' places in it.
type Target = (usize, Vec<usize>);

/// What is known of the keys of a target.
#[derive(Default)]
struct Keys {
    /// Those of rows that are taken.
    present: HashSet<Vec<Value>>,
    /// Those that rows refer to.
    needed: HashSet<Vec<Value>>,
    /// Those that were asked for.
    asked: HashSet<Vec<Value>>,
}

/// Takes rows.
pub struct Rows<'a> {
    tables: &'a [Table],
    writers: Vec<RowsWriter>,
    keys: HashMap<Target, Keys>,
    /// Of each table, its foreign keys: the places of its columns, and what they refer to.
    links: Vec<Vec<(Vec<usize>, Target)>>,
    /// Of tables that others refer to, the rows that are taken, so that none comes twice.
    taken: Vec<Option<HashSet<Vec<Cell>>>>,
}

/// What was taken.
pub struct Taken {
    /// The tables.
    pub tables: Vec<CapturedTable>,
    /// Values of foreign keys whose parent isn't in the source.
    pub orphans: u64,
}

impl<'a> Rows<'a> {
    /// Begins the files.
    pub fn new(tables: &'a [Table], folder: &Folder) -> Result<Self, Error> {
        let mut keys = HashMap::new();
        let links: Vec<Vec<_>> = tables.iter().map(|table| links(table, tables)).collect();
        let mut taken: Vec<Option<HashSet<Vec<Cell>>>> = tables.iter().map(|_| None).collect();
        for (_, target) in links.iter().flatten() {
            taken[target.0] = Some(HashSet::new());
            keys.entry(target.clone()).or_insert_with(Keys::default);
        }
        let writers = tables.iter().map(|table| folder.rows(&table.shape.name, table.columns.clone()));
        Ok(Self { tables, writers: writers.collect::<Result<_, _>>()?, keys, links, taken })
    }

    /// Takes a sample of each table, and what these refer to.
    pub fn take(
        mut self,
        source: &mut dyn Source,
        most: u64,
        seed: u64,
        progress: &dyn Progress,
    ) -> Result<Taken, Error> {
        let mut extents = Vec::new();
        progress.step("reading rows");
        for at in 0..self.tables.len() {
            progress.fraction(at as f64 / self.tables.len() as f64);
            extents.push(self.read(source, at, &Take::Sample { rows: most, seed })?);
        }
        let sampled: Vec<u64> = self.writers.iter().map(|writer| writer.rows).collect();
        if extents.iter().any(|extent| !extent.all) {
            progress.step("reading the rows that these refer to");
            self.close(source)?;
        }
        let missing = |keys: &Keys| keys.needed.difference(&keys.present).count() as u64;
        let orphans = self.keys.values().map(missing).sum();
        let mut tables = Vec::new();
        for ((table, writer), (extent, sampled)) in
            self.tables.iter().zip(self.writers).zip(extents.into_iter().zip(sampled))
        {
            let (rows, name) = (writer.rows, table.shape.name.clone());
            tables.push(CapturedTable { name, rows, parents: rows - sampled, all: extent.all, of: extent.of });
            writer.finish()?;
        }
        Ok(Taken { tables, orphans })
    }

    /// Fetches parents until nothing is missing that is there.
    fn close(&mut self, source: &mut dyn Source) -> Result<(), Error> {
        let mut targets: Vec<Target> = self.keys.keys().cloned().collect();
        targets.sort();
        loop {
            let mut any = false;
            for target in &targets {
                let Some(keys) = self.keys.get_mut(target) else { continue };
                let open = |key: &&Vec<Value>| !keys.present.contains(*key) && !keys.asked.contains(*key);
                let missing: HashSet<Vec<Value>> = keys.needed.iter().filter(open).cloned().collect();
                if missing.is_empty() {
                    continue;
                }
                keys.asked.extend(missing.iter().cloned());
                any = true;
                self.read(source, target.0, &Take::Keys { places: &target.1, keys: &missing })?;
            }
            if !any {
                return Ok(());
            }
        }
    }

    fn read(&mut self, source: &mut dyn Source, at: usize, take: &Take<'_>) -> Result<Extent, Error> {
        server::interrupt::check().map_err(Error::Server)?;
        let tables = self.tables;
        source.rows(&tables[at], take, &mut |row| self.note(at, row))
    }

    fn note(&mut self, at: usize, row: Vec<Cell>) -> Result<(), Error> {
        if let Some(taken) = &mut self.taken[at]
            && !taken.insert(identity(&self.tables[at], &row))
        {
            return Ok(());
        }
        for ((table, places), keys) in &mut self.keys {
            if *table == at {
                keys.present.extend(key(&row, places));
            }
        }
        for (places, target) in &self.links[at] {
            if let (Some(key), Some(keys)) = (key(&row, places), self.keys.get_mut(target)) {
                keys.needed.insert(key);
            }
        }
        Ok(self.writers[at].write(&row)?)
    }
}

fn links(table: &Table, tables: &[Table]) -> Vec<(Vec<usize>, Target)> {
    let link = |key: &crate::create::ForeignKey| {
        let parent = tables.iter().position(|table| table.shape.name == key.parent)?;
        Some((table.places(&key.columns)?, (parent, tables[parent].places(&key.parent_columns)?)))
    };
    table.foreign_keys.iter().filter_map(link).collect()
}

/// The values of columns; `None` where one is NULL, which refers to nothing.
fn key(row: &[Cell], places: &[usize]) -> Option<Vec<Value>> {
    places.iter().map(|place| row.get(*place).cloned().flatten()).collect()
}

/// The primary key, or the whole row.
fn identity(table: &Table, row: &[Cell]) -> Vec<Cell> {
    match table.places(&table.primary).filter(|places| !places.is_empty()) {
        Some(places) => places.iter().map(|place| row[*place].clone()).collect(),
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

    /// A hundred rows a table: row n refers to row n of the parent, rows above 90 to none that is there.
    struct Numbers {
        /// Tables that were asked for keys, and how many.
        asked: RefCell<Vec<(String, usize)>>,
    }

    impl Source for Numbers {
        fn origin(&self) -> Origin {
            Origin::default()
        }

        fn definitions(&mut self) -> Result<Definitions, Error> {
            Ok(Definitions::default())
        }

        fn rows(
            &mut self,
            table: &Table,
            take: &Take<'_>,
            each: &mut crate::source::Each<'_>,
        ) -> Result<Extent, Error> {
            let name = table.shape.name.as_str();
            let row = |id: i64| {
                let other = if id > 90 { id + 1000 } else { id };
                vec![Some(Value::Int(id)), (name != "regions").then_some(Value::Int(other))]
            };
            // Orders from the end, the others from the begin: samples that share nothing.
            let from = if name == "orders" { 80 } else { 0 };
            match take {
                Take::Sample { rows, .. } => (from..from + *rows as i64).try_for_each(|id| each(row(id)))?,
                Take::Keys { keys, .. } => {
                    self.asked.borrow_mut().push((name.to_owned(), keys.len()));
                    let mut there = (0..100).filter(|id| keys.contains(&vec![Value::Int(*id)]));
                    there.try_for_each(|id| each(row(id)))?;
                }
            }
            Ok(Extent { all: false, of: Some(100) })
        }
    }

    #[test]
    fn parents_are_taken_until_nothing_is_missing() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::create(&place.path().join("w")).unwrap();
        let table = |create: &&str| Table::new(replay::SchemaSql::parse(create).0.tables[0].clone(), create);
        let tables: Vec<Table> = CREATES.iter().map(table).collect();
        let mut source = Numbers { asked: RefCell::default() };
        let rows = Rows::new(&tables, &folder).unwrap();
        let taken = rows.take(&mut source, 15, 1, &server::NoProgress).unwrap();
        // Orders 80 to 94; customers 0 to 14 and 80 to 90; regions 0 to 14 and 80 to 90.
        let counts: Vec<_> = taken.tables.iter().map(|table| (table.rows, table.parents)).collect();
        assert_eq!(counts, [(26, 11), (26, 11), (15, 0)]);
        assert_eq!(taken.orphans, 4);
        let asked = source.asked.into_inner();
        assert!(asked.contains(&("customers".to_owned(), 15)) && asked.len() == 2, "{asked:?}");
    }
}
