//! Tables of the built-in workloads, and their rows.

use std::fmt::Write as _;

use crate::names::Names;
use crate::options::Options;
use crate::random::{Purpose, Random};
use crate::workload::{Workload, WorkloadKind};

/// Characters of `c`, in a column of 120: sysbench's.
pub(crate) const C_CHARACTERS: usize = 119;
/// Characters of `pad`, in a column of 60: sysbench's.
pub(crate) const PAD_CHARACTERS: usize = 59;

/// Tables with the same columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Family {
    /// sysbench's tables, identical: sysbench can run on them.
    Sbtest,
    /// Tables of names, for workloads that look up text.
    Words,
}

impl Family {
    pub fn for_kind(kind: WorkloadKind) -> Self {
        match kind {
            WorkloadKind::OltpPointSelect
            | WorkloadKind::OltpReadOnly
            | WorkloadKind::OltpReadWrite
            | WorkloadKind::OltpWriteOnly
            | WorkloadKind::OltpUpdateNonIndex
            | WorkloadKind::SelectRandomRanges
            | WorkloadKind::DistinctRanges
            | WorkloadKind::OrderRanges
            | WorkloadKind::LongLiterals => Family::Sbtest,
            WorkloadKind::VarcharLookup
            | WorkloadKind::VarcharJoin
            | WorkloadKind::GroupBy
            | WorkloadKind::LikePrefix => Family::Words,
        }
    }

    /// Returns the prefix of the tables' names.
    pub fn name(self) -> &'static str {
        match self {
            Family::Sbtest => "sbtest",
            Family::Words => "words",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    pub name: &'static str,
    /// Type and options, as in CREATE TABLE.
    pub definition: &'static str,
    /// True for text columns, which the schema's charset applies to.
    pub is_text: bool,
}

const SBTEST_COLUMNS: [Column; 4] = [
    Column { name: "id", definition: "INTEGER NOT NULL AUTO_INCREMENT", is_text: false },
    Column { name: "k", definition: "INTEGER DEFAULT '0' NOT NULL", is_text: false },
    Column { name: "c", definition: "CHAR(120) DEFAULT '' NOT NULL", is_text: true },
    Column { name: "pad", definition: "CHAR(60) DEFAULT '' NOT NULL", is_text: true },
];

const WORDS_COLUMNS: [Column; 4] = [
    Column { name: "id", definition: "INTEGER NOT NULL", is_text: false },
    Column { name: "name", definition: "VARCHAR(64) NOT NULL", is_text: true },
    Column { name: "friend", definition: "VARCHAR(64) NOT NULL", is_text: true },
    Column { name: "team", definition: "VARCHAR(64) NOT NULL", is_text: true },
];

/// A table and its rows, which depend only on the options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Name: `sbtest1`, `words1`, …
    pub name: String,
    pub family: Family,
    /// Number within the family, from 1.
    pub number: u32,
    /// Number of rows. Ids are 1 to this number.
    pub rows: u32,
    options: Options,
}

/// Returns the tables that the workloads need: `--tables` of each family.
pub fn tables(workloads: &[Workload], options: &Options) -> Vec<Table> {
    let mut families: Vec<Family> = workloads.iter().map(|workload| Family::for_kind(workload.kind)).collect();
    families.sort_unstable();
    families.dedup();
    let numbered = |family| (1..=options.tables).map(move |number| Table::new(family, number, options));
    families.into_iter().flat_map(numbered).collect()
}

impl Table {
    fn new(family: Family, number: u32, options: &Options) -> Self {
        let name = format!("{}{number}", family.name());
        Self { name, family, number, rows: options.table_size, options: *options }
    }

    /// Returns the columns, in the order of [`Table::insert_row`].
    pub fn columns(&self) -> &'static [Column] {
        match self.family {
            Family::Sbtest => &SBTEST_COLUMNS,
            Family::Words => &WORDS_COLUMNS,
        }
    }

    pub fn text_columns(&self) -> impl Iterator<Item = &'static str> {
        self.columns().iter().filter(|column| column.is_text).map(|column| column.name)
    }

    /// Returns the CREATE TABLE, without secondary indexes. Charset and collation are the schema's.
    pub fn create_sql(&self) -> String {
        let mut sql = format!("CREATE TABLE {} (", self.name);
        for column in self.columns() {
            let _ = write!(sql, "{} {}, ", column.name, column.definition);
        }
        sql + "PRIMARY KEY (id)) ENGINE=InnoDB"
    }

    /// Returns the CREATE INDEX statements, to run after the rows are loaded.
    pub fn index_sql(&self) -> Vec<String> {
        let (name, number) = (&self.name, self.number);
        match self.family {
            Family::Sbtest => vec![format!("CREATE INDEX k_{number} ON {name}(k)")],
            Family::Words => vec![format!("CREATE INDEX name_{number} ON {name}(name)")],
        }
    }

    /// Returns the INSERT up to its rows.
    pub fn insert_sql(&self) -> String {
        let columns: Vec<&str> = self.columns().iter().map(|column| column.name).collect();
        format!("INSERT INTO {} ({}) VALUES ", self.name, columns.join(", "))
    }

    /// Appends the row with this id, from 1 to [`Table::rows`], as a tuple of literals.
    pub fn insert_row(&self, id: u32, out: &mut String) {
        let _ = write!(out, "({id},");
        match self.family {
            Family::Sbtest => {
                let (k, mut random) = begin_sbtest_row(&self.options, self.number, id);
                let _ = write!(out, "{k},");
                push_quoted(out, |out| self.options.text.fill(&mut random, C_CHARACTERS, out));
                out.push(',');
                push_quoted(out, |out| self.options.text.fill(&mut random, PAD_CHARACTERS, out));
            }
            Family::Words => {
                let names = Names::for_table(&self.options, self.number);
                push_quoted(out, |out| names.push_name(id, out));
                out.push(',');
                push_quoted(out, |out| names.push_friend(id, out));
                out.push(',');
                push_quoted(out, |out| names.push_team(id, out));
            }
        }
        out.push(')');
    }
}

/// Appends a string literal. Generated text has no quotes or backslashes, so it needs no escaping
/// under any `sql_mode`.
fn push_quoted(out: &mut String, text: impl FnOnce(&mut String)) {
    out.push('\'');
    text(out);
    out.push('\'');
}

/// Returns the `k` of an sbtest row, and the stream that draws its `c` and `pad` next.
fn begin_sbtest_row(options: &Options, table: u32, id: u32) -> (u32, Random) {
    let mut random = Random::new(options.seed, Purpose::SbtestRow, u64::from(table), u64::from(id));
    (options.distribution.id(&mut random, options.table_size), random)
}

pub(crate) fn push_c(options: &Options, table: u32, id: u32, out: &mut String) {
    let (_, mut random) = begin_sbtest_row(options, table, id);
    options.text.fill(&mut random, C_CHARACTERS, out);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::Text;

    fn all(options: &Options) -> Vec<Table> {
        tables(&WorkloadKind::ALL.map(Workload::from), options)
    }

    fn row(table: &Table, id: u32) -> String {
        let mut out = String::new();
        table.insert_row(id, &mut out);
        out
    }

    #[test]
    fn workloads_get_only_the_tables_they_need() {
        let options = Options { tables: 2, ..Options::default() };
        let names = |kinds: &[WorkloadKind]| {
            let workloads: Vec<Workload> = kinds.iter().map(|kind| Workload::from(*kind)).collect();
            tables(&workloads, &options).into_iter().map(|table| table.name).collect::<Vec<_>>()
        };
        assert_eq!(names(&[WorkloadKind::OltpReadOnly, WorkloadKind::LongLiterals]), ["sbtest1", "sbtest2"]);
        assert_eq!(names(&[WorkloadKind::GroupBy]), ["words1", "words2"]);
        assert_eq!(names(&WorkloadKind::ALL), ["sbtest1", "sbtest2", "words1", "words2"]);
    }

    #[test]
    fn schema_text() {
        let sql =
            |table: &Table| [vec![table.create_sql()], table.index_sql(), vec![table.insert_sql()]].concat().join("\n");
        let tables: Vec<String> = all(&Options::default()).iter().map(sql).collect();
        insta::assert_snapshot!(tables.join("\n\n"));
    }

    #[test]
    fn first_rows() {
        let rows: Vec<String> = [Text::Digits, Text::Mixed]
            .into_iter()
            .flat_map(|text| all(&Options { text, ..Options::default() }))
            .flat_map(|table| (1..=2).map(move |id| row(&table, id)))
            .collect();
        insta::assert_snapshot!(rows.join("\n"));
    }

    proptest! {
        #[test]
        fn rows_depend_on_seed_table_and_id(seed: u64, kind in 0..Text::ALL.len(), id in 1u32..100_000) {
            let options = Options { text: Text::ALL[kind], tables: 2, seed, ..Options::default() };
            let (tables, again) = (all(&options), all(&options));
            for (table, again) in tables.iter().zip(&again) {
                prop_assert_eq!(row(table, id), row(again, id));
            }
            prop_assert_ne!(row(&tables[0], id), row(&tables[1], id));
            prop_assert_ne!(row(&tables[2], id), row(&tables[3], id));
            prop_assert_ne!(row(&tables[0], id), row(&tables[0], id + 1));
        }

        #[test]
        fn row_literals_have_the_columns_lengths(seed: u64, kind in 0..Text::ALL.len(), id in 1u32..100_000) {
            let options = Options { text: Text::ALL[kind], seed, ..Options::default() };
            for table in all(&options) {
                let row = row(&table, id);
                let start = format!("({id},");
                prop_assert!(row.starts_with(&start) && row.ends_with(')'));
                prop_assert!(!row.contains('\\'));
                let parts: Vec<&str> = row.split('\'').collect();
                let lengths: Vec<usize> = parts.iter().skip(1).step_by(2).map(|literal| literal.chars().count()).collect();
                prop_assert_eq!(lengths.len(), table.text_columns().count());
                match table.family {
                    Family::Sbtest => prop_assert_eq!(lengths, [C_CHARACTERS, PAD_CHARACTERS]),
                    Family::Words => prop_assert!(lengths.iter().all(|length| (1..=64).contains(length))),
                }
            }
        }
    }

    #[test]
    fn c_follows_from_the_id() {
        let options = Options::default();
        let table = &all(&options)[0];
        let mut c = String::new();
        push_c(&options, table.number, 77, &mut c);
        assert!(row(table, 77).contains(&format!("'{c}'")));
    }
}
