//! The statements of a workload, and the order in which a transaction sends them.

use std::sync::Arc;

use crate::generator::Value;
use crate::options::Options;
use crate::recorded::Recorded;
use crate::table::Family;
use crate::workload::{Kind, Workload};

/// What a statement does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StatementKind {
    /// Returns rows.
    Read,
    /// Changes rows.
    Write,
    /// Begins or ends a transaction.
    Control,
}

/// One statement of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// With a `?` for each parameter.
    pub sql: String,
    /// How many `?` it has.
    pub parameters: usize,
    /// What it does.
    pub kind: StatementKind,
    /// What is sent before it is prepared, and after, such as another `sql_mode`.
    pub around: Option<[String; 2]>,
}

impl Statement {
    pub(crate) fn new(sql: &str, kind: StatementKind) -> Self {
        Self { sql: sql.to_owned(), parameters: sql.matches('?').count(), kind, around: None }
    }
}

/// A statement with the values of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// The statement, with a `?` or a name for each parameter.
    pub statement: String,
    /// With its values in their places.
    pub sql: String,
    /// What is sent before and after it, such as another `sql_mode`.
    pub around: Option<[String; 2]>,
}

/// A workload made concrete: all statements, and how events draw on them. The driver knows no other form, wherever a workload comes from.
#[derive(Clone, Debug)]
pub struct Script {
    /// All that has to be prepared; events name statements by their place here.
    pub statements: Vec<Statement>,
    pub(crate) source: Source,
}

/// Where events come from.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// Parameters are generated: the built-in workloads.
    Generated(Generated),
    /// Calls are given.
    Recorded(Arc<Recorded>),
}

/// How a built-in workload draws on its statements.
#[derive(Clone, Debug)]
pub(crate) struct Generated {
    pub steps: Vec<Step>,
    pub options: Options,
    pub kind: Kind,
}

/// A part of an event: some calls with parameters drawn alike.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// The statement for the first table; that for the next table follows it.
    pub first: usize,
    pub call: Call,
}

/// How the parameters of a step are drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Call {
    /// No parameter and no table.
    Control,
    /// So many times an id, all of them in one table.
    Ids(u32),
    /// The first and last id of a range of so many rows.
    IdRange(u32),
    /// A new `c`, and an id.
    NewText,
    /// An id to delete, and a new row with this id; the insert's statements come after those of the delete.
    Replace,
    /// First and last `k` of ten small ranges, in the first table.
    KRanges,
    /// A row's name.
    Name,
    /// The start of a row's name.
    Prefix,
    /// Text after text, a row's own last, and its id.
    Literals,
}

/// Point selects of an oltp_read_only transaction (`--point-selects`).
const POINT_SELECTS: u32 = 10;
/// Ranges of select_random_ranges (`--number-of-ranges`).
pub(crate) const RANDOM_RANGES: usize = 10;
/// How far each of them reaches (`--delta`).
pub(crate) const RANDOM_RANGE_DELTA: i64 = 5;
/// Literals of a long_literals statement: with 119 characters each, about 4,000 in all.
pub(crate) const LITERALS: usize = 32;

impl Workload {
    /// The statements of this workload under these options.
    pub fn script(&self, options: &Options) -> Script {
        let own = Generated { steps: Vec::new(), options: *options, kind: self.kind };
        let mut script = Draft { statements: Vec::new(), own };
        let range = self.range_size.unwrap_or(options.range_size);
        match self.kind {
            Kind::OltpPointSelect => script.point_selects(1),
            Kind::OltpReadOnly => script.transaction(|script| script.reads(range)),
            Kind::OltpReadWrite => script.transaction(|script| {
                script.reads(range);
                script.writes();
            }),
            Kind::OltpWriteOnly => script.transaction(Draft::writes),
            Kind::OltpUpdateNonIndex => script.non_index_update(),
            Kind::SelectRandomRanges => script.random_ranges(),
            Kind::DistinctRanges => script.distinct_range(range),
            Kind::OrderRanges => script.order_range(range),
            Kind::VarcharLookup => script.words(Call::Name, "SELECT team FROM {} WHERE name=?"),
            Kind::VarcharJoin => script.words(
                Call::IdRange(range),
                "SELECT SUM(b.id) FROM {} a JOIN {} b ON b.name=a.friend WHERE a.id BETWEEN ? AND ?",
            ),
            // Before MySQL 8.0, GROUP BY sorts unless told not to; sorting is what order_ranges weighs.
            Kind::GroupBy => script.words(
                Call::IdRange(range),
                "SELECT team, COUNT(*) FROM {} WHERE id BETWEEN ? AND ? GROUP BY team ORDER BY NULL",
            ),
            Kind::LikePrefix => script.words(Call::Prefix, "SELECT name FROM {} WHERE name LIKE ?"),
            Kind::LongLiterals => script.long_literals(),
        }
        Script { statements: script.statements, source: Source::Generated(script.own) }
    }
}

/// So many events have every statement of a built-in workload among them, if it has any chance.
const EVENTS: usize = 50;

impl Script {
    /// The statements that read or change rows that are there, each with the values of a call of it: what there is to be explained.
    pub fn examples(&self) -> Vec<Example> {
        if let Source::Recorded(recorded) = &self.source {
            return recorded.examples();
        }
        let mut calls: Vec<Option<String>> = vec![None; self.statements.len()];
        let mut generator = self.generator(0);
        for _ in 0..EVENTS {
            let Ok(()) = generator.event(|statement, values| {
                let call = &mut calls[statement];
                if call.is_none() {
                    *call = Some(with_values(&self.statements[statement].sql, values));
                }
                Ok::<(), std::convert::Infallible>(())
            });
        }
        let explained = self.statements.iter().zip(calls).filter(|(statement, _)| {
            // MariaDB and MySQL 5.6 explain no INSERT of values in a useful way, and there is no choice of plan in it.
            statement.kind != StatementKind::Control && !statement.sql.starts_with("INSERT")
        });
        let example = |(statement, call): (&Statement, Option<String>)| {
            Some(Example { statement: statement.sql.clone(), sql: call?, around: None })
        };
        explained.filter_map(example).collect()
    }
}

fn with_values(sql: &str, values: &[Value<'_>]) -> String {
    let mut pieces = sql.split('?');
    let mut text = pieces.next().unwrap_or_default().to_owned();
    for (value, piece) in values.iter().zip(pieces) {
        match value {
            Value::Int(number) => text += &number.to_string(),
            // Generated text is valid between quotes as it is.
            Value::Text(literal) => text += &format!("'{literal}'"),
            other => unreachable!("no workload generates {other:?}"),
        }
        text += piece;
    }
    text
}

/// A built-in workload's script while it is put together.
struct Draft {
    statements: Vec<Statement>,
    own: Generated,
}

impl Draft {
    fn transaction(&mut self, body: impl FnOnce(&mut Self)) {
        let control = |script: &mut Self, sql: &str| {
            if !script.own.options.skip_trx {
                let first = script.add(sql, StatementKind::Control);
                script.own.steps.push(Step { first, call: Call::Control });
            }
        };
        control(self, "BEGIN");
        body(self);
        control(self, "COMMIT");
    }

    fn reads(&mut self, range: u32) {
        self.point_selects(POINT_SELECTS);
        self.sbtest(Call::IdRange(range), StatementKind::Read, "SELECT c FROM {} WHERE id BETWEEN ? AND ?");
        self.sbtest(Call::IdRange(range), StatementKind::Read, "SELECT SUM(k) FROM {} WHERE id BETWEEN ? AND ?");
        self.order_range(range);
        self.distinct_range(range);
    }

    fn writes(&mut self) {
        self.sbtest(Call::Ids(1), StatementKind::Write, "UPDATE {} SET k=k+1 WHERE id=?");
        self.non_index_update();
        self.sbtest(Call::Replace, StatementKind::Write, "DELETE FROM {} WHERE id=?");
        self.add_per_table(Family::Sbtest, StatementKind::Write, "INSERT INTO {} (id, k, c, pad) VALUES (?, ?, ?, ?)");
    }

    fn point_selects(&mut self, count: u32) {
        self.sbtest(Call::Ids(count), StatementKind::Read, "SELECT c FROM {} WHERE id=?");
    }

    fn order_range(&mut self, range: u32) {
        self.sbtest(Call::IdRange(range), StatementKind::Read, "SELECT c FROM {} WHERE id BETWEEN ? AND ? ORDER BY c");
    }

    fn distinct_range(&mut self, range: u32) {
        let sql = "SELECT DISTINCT c FROM {} WHERE id BETWEEN ? AND ? ORDER BY c";
        self.sbtest(Call::IdRange(range), StatementKind::Read, sql);
    }

    fn non_index_update(&mut self) {
        self.sbtest(Call::NewText, StatementKind::Write, "UPDATE {} SET c=? WHERE id=?");
    }

    /// As sysbench's, it reads the first table whatever their number.
    fn random_ranges(&mut self) {
        let ranges = ["k BETWEEN ? AND ?"; RANDOM_RANGES].join(" OR ");
        let first = self.add(&format!("SELECT count(k) FROM sbtest1 WHERE {ranges}"), StatementKind::Read);
        self.own.steps.push(Step { first, call: Call::KRanges });
    }

    /// The server parses every literal, converts it where connection and column differ, and compares it with `c`; of all the text it
    /// sends back a single number, the last literal's place, for that one is the row's own `c`.
    fn long_literals(&mut self) {
        let literals = ["?"; LITERALS].join(", ");
        let sql = format!("SELECT FIELD(c, {literals}) FROM {{}} WHERE id=?");
        self.sbtest(Call::Literals, StatementKind::Read, &sql);
    }

    fn sbtest(&mut self, call: Call, kind: StatementKind, sql: &str) {
        let first = self.add_per_table(Family::Sbtest, kind, sql);
        self.own.steps.push(Step { first, call });
    }

    fn words(&mut self, call: Call, sql: &str) {
        let first = self.add_per_table(Family::Words, StatementKind::Read, sql);
        self.own.steps.push(Step { first, call });
    }

    /// Adds a statement for each table, with the table's name for every `{}`, and returns the place of the first.
    fn add_per_table(&mut self, family: Family, kind: StatementKind, sql: &str) -> usize {
        let first = self.statements.len();
        for number in 1..=self.own.options.tables {
            self.add(&sql.replace("{}", &format!("{}{number}", family.name())), kind);
        }
        first
    }

    fn add(&mut self, sql: &str, kind: StatementKind) -> usize {
        self.statements.push(Statement::new(sql, kind));
        self.statements.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_statements_of_every_workload() {
        let options = Options { tables: 2, ..Options::default() };
        let mut text = String::new();
        for workload in Kind::ALL.map(Workload::from) {
            text += &format!("{workload}\n");
            for statement in workload.script(&options).statements {
                let Statement { sql, parameters, kind, .. } = statement;
                text += &format!("  {kind:?} {parameters}: {sql}\n");
            }
        }
        insta::assert_snapshot!(text);
    }

    #[test]
    fn every_statement_that_has_a_plan_has_an_example_with_values() {
        let options = Options { table_size: 100, ..Options::default() };
        for workload in Kind::ALL.map(Workload::from) {
            let examples = workload.script(&options).examples();
            assert!(
                !examples.is_empty() && examples.iter().all(|one| !one.sql.contains('?')),
                "{workload}: {examples:?}"
            );
        }
    }

    #[test]
    fn without_transactions_nothing_controls() {
        let options = Options { skip_trx: true, ..Options::default() };
        for workload in Kind::ALL.map(Workload::from) {
            assert!(workload.script(&options).statements.iter().all(|s| s.kind != StatementKind::Control));
        }
    }
}
