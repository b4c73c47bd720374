//! Statements of a workload, and their order in a transaction.

use std::sync::Arc;

use crate::classes::{ScriptClasses, SessionSetting};
use crate::generator::Value;
use crate::options::Options;
use crate::table::Family;
use crate::workload::{Workload, WorkloadKind};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StatementKind {
    Read,
    Write,
    /// Begins or ends a transaction, or changes a session setting.
    Control,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Text with a `?` for each parameter.
    pub sql: String,
    /// Number of `?`.
    pub parameters: usize,
    pub kind: StatementKind,
    /// Session setting to prepare the statement with, such as another `sql_mode`.
    pub session_setting: Option<SessionSetting>,
}

impl Statement {
    pub(crate) fn new(sql: &str, kind: StatementKind) -> Self {
        Self { sql: sql.to_owned(), parameters: sql.matches('?').count(), kind, session_setting: None }
    }
}

/// A statement with the values of one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// Statement with a `?` or a name for each parameter.
    pub statement: String,
    /// Statement with values in place of the parameters, as text for EXPLAIN.
    pub sql: String,
    /// Session setting for the statement, such as another `sql_mode`.
    pub session_setting: Option<SessionSetting>,
}

/// Statements of a workload, and the source of its events. The load driver handles every workload
/// in this form.
#[derive(Clone, Debug)]
pub struct Script {
    /// Statements to prepare. Events refer to them by index.
    pub statements: Vec<Statement>,
    pub(crate) source: EventSource,
}

#[derive(Clone, Debug)]
pub(crate) enum EventSource {
    /// Built-in workload. The parameters of each call are drawn at random.
    BuiltIn(BuiltInScript),
    /// Workload folder. The values of each call are those of a sample.
    Classes(Arc<ScriptClasses>),
}

/// Steps of an event of a built-in workload.
#[derive(Clone, Debug)]
pub(crate) struct BuiltInScript {
    pub steps: Vec<Step>,
    pub options: Options,
    pub kind: WorkloadKind,
}

/// A part of an event: calls whose parameters are drawn in the same way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    /// Index of the statement for the first table. The statements for other tables follow.
    pub first: usize,
    pub parameters: StepParameters,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum StepParameters {
    /// `BEGIN` or `COMMIT`, without parameters.
    Control,
    /// The given number of calls on one table, each with an id.
    Ids(u32),
    /// First and last id of a range of the given number of rows.
    IdRange(u32),
    /// A new text for `c`, and the id of the row.
    NewText,
    /// An id to delete, then a new row with this id. The statements of the insert follow those of
    /// the delete.
    Replace,
    /// First and last `k` of ten small ranges in the first table.
    KRanges,
    /// The name of a row.
    Name,
    /// The prefix of a row's name with `%`.
    Prefix,
    /// New texts, then a row's own `c`, and its id.
    Literals,
}

/// Point selects of an oltp_read_only or oltp_read_write transaction (`--point-selects`).
const POINT_SELECTS: u32 = 10;
/// Number of ranges in the condition of select_random_ranges (`--number-of-ranges`).
pub(crate) const RANDOM_RANGES: usize = 10;
/// Last minus first `k` of each range (`--delta`).
pub(crate) const RANDOM_RANGE_DELTA: i64 = 5;
/// Literals of a long_literals statement: of 119 characters each, about 4,000 in total.
pub(crate) const LITERAL_COUNT: usize = 32;

impl Workload {
    /// Returns the script of this workload with these options.
    pub fn script(&self, options: &Options) -> Script {
        let built_in = BuiltInScript { steps: Vec::new(), options: *options, kind: self.kind };
        let mut script = ScriptBuilder { statements: Vec::new(), built_in };
        let range = self.range_size.unwrap_or(options.range_size);
        match self.kind {
            WorkloadKind::OltpPointSelect => script.add_point_selects(1),
            WorkloadKind::OltpReadOnly => script.add_transaction(|script| script.add_reads(range)),
            WorkloadKind::OltpReadWrite => script.add_transaction(|script| {
                script.add_reads(range);
                script.add_writes();
            }),
            WorkloadKind::OltpWriteOnly => script.add_transaction(ScriptBuilder::add_writes),
            WorkloadKind::OltpUpdateNonIndex => script.add_non_index_update(),
            WorkloadKind::SelectRandomRanges => script.add_random_ranges(),
            WorkloadKind::DistinctRanges => script.add_distinct_range(range),
            WorkloadKind::OrderRanges => script.add_order_range(range),
            WorkloadKind::VarcharLookup => script.add_words(StepParameters::Name, "SELECT team FROM {} WHERE name=?"),
            WorkloadKind::VarcharJoin => script.add_words(
                StepParameters::IdRange(range),
                "SELECT SUM(b.id) FROM {} a JOIN {} b ON b.name=a.friend WHERE a.id BETWEEN ? AND ?",
            ),
            // ORDER BY NULL, as GROUP BY sorts by default before MySQL 8.0; order_ranges measures
            // sorting.
            WorkloadKind::GroupBy => script.add_words(
                StepParameters::IdRange(range),
                "SELECT team, COUNT(*) FROM {} WHERE id BETWEEN ? AND ? GROUP BY team ORDER BY NULL",
            ),
            WorkloadKind::LikePrefix => {
                script.add_words(StepParameters::Prefix, "SELECT name FROM {} WHERE name LIKE ?")
            }
            WorkloadKind::LongLiterals => script.add_long_literals(),
        }
        Script { statements: script.statements, source: EventSource::BuiltIn(script.built_in) }
    }
}

/// Number of events generated for examples. With many tables, a statement can occur in none of them
/// and then has no example.
const EXAMPLE_EVENTS: usize = 50;

impl Script {
    /// Returns statements with the values of one call, for EXPLAIN: one for each class, or those of
    /// a built-in workload that read or change existing rows.
    pub fn examples(&self) -> Vec<Example> {
        if let EventSource::Classes(classes) = &self.source {
            return classes.examples();
        }
        let mut calls: Vec<Option<String>> = vec![None; self.statements.len()];
        let mut generator = self.generator(0);
        for _ in 0..EXAMPLE_EVENTS {
            let Ok(()) = generator.next_event(|statement, values| {
                let call = &mut calls[statement];
                if call.is_none() {
                    *call = Some(insert_values(&self.statements[statement].sql, values));
                }
                Ok::<(), std::convert::Infallible>(())
            });
        }
        let explained = self.statements.iter().zip(calls).filter(|(statement, _)| {
            // The plan of an INSERT of values has no choices, and MariaDB and MySQL 5.6 don't
            // explain it usefully.
            statement.kind != StatementKind::Control && !statement.sql.starts_with("INSERT")
        });
        let example = |(statement, call): (&Statement, Option<String>)| {
            Some(Example { statement: statement.sql.clone(), sql: call?, session_setting: None })
        };
        explained.filter_map(example).collect()
    }
}

fn insert_values(sql: &str, values: &[Value<'_>]) -> String {
    let mut parts = sql.split('?');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for (value, part) in values.iter().zip(parts) {
        match value {
            Value::Int(number) => text += &number.to_string(),
            // Generated text needs no escaping.
            Value::Text(literal) => text += &format!("'{literal}'"),
            other => unreachable!("no workload generates {other:?}"),
        }
        text += part;
    }
    text
}

struct ScriptBuilder {
    statements: Vec<Statement>,
    built_in: BuiltInScript,
}

impl ScriptBuilder {
    fn add_transaction(&mut self, body: impl FnOnce(&mut Self)) {
        let control = |script: &mut Self, sql: &str| {
            if !script.built_in.options.skip_trx {
                let first = script.add(sql, StatementKind::Control);
                script.built_in.steps.push(Step { first, parameters: StepParameters::Control });
            }
        };
        control(self, "BEGIN");
        body(self);
        control(self, "COMMIT");
    }

    fn add_reads(&mut self, range: u32) {
        self.add_point_selects(POINT_SELECTS);
        self.add_sbtest(
            StepParameters::IdRange(range),
            StatementKind::Read,
            "SELECT c FROM {} WHERE id BETWEEN ? AND ?",
        );
        self.add_sbtest(
            StepParameters::IdRange(range),
            StatementKind::Read,
            "SELECT SUM(k) FROM {} WHERE id BETWEEN ? AND ?",
        );
        self.add_order_range(range);
        self.add_distinct_range(range);
    }

    fn add_writes(&mut self) {
        self.add_sbtest(StepParameters::Ids(1), StatementKind::Write, "UPDATE {} SET k=k+1 WHERE id=?");
        self.add_non_index_update();
        self.add_sbtest(StepParameters::Replace, StatementKind::Write, "DELETE FROM {} WHERE id=?");
        self.add_per_table(Family::Sbtest, StatementKind::Write, "INSERT INTO {} (id, k, c, pad) VALUES (?, ?, ?, ?)");
    }

    fn add_point_selects(&mut self, count: u32) {
        self.add_sbtest(StepParameters::Ids(count), StatementKind::Read, "SELECT c FROM {} WHERE id=?");
    }

    fn add_order_range(&mut self, range: u32) {
        self.add_sbtest(
            StepParameters::IdRange(range),
            StatementKind::Read,
            "SELECT c FROM {} WHERE id BETWEEN ? AND ? ORDER BY c",
        );
    }

    fn add_distinct_range(&mut self, range: u32) {
        let sql = "SELECT DISTINCT c FROM {} WHERE id BETWEEN ? AND ? ORDER BY c";
        self.add_sbtest(StepParameters::IdRange(range), StatementKind::Read, sql);
    }

    fn add_non_index_update(&mut self) {
        self.add_sbtest(StepParameters::NewText, StatementKind::Write, "UPDATE {} SET c=? WHERE id=?");
    }

    /// Reads the first table only, as sysbench does.
    fn add_random_ranges(&mut self) {
        let ranges = ["k BETWEEN ? AND ?"; RANDOM_RANGES].join(" OR ");
        let first = self.add(&format!("SELECT count(k) FROM sbtest1 WHERE {ranges}"), StatementKind::Read);
        self.built_in.steps.push(Step { first, parameters: StepParameters::KRanges });
    }

    /// The server parses every literal, converts it if connection and column differ in charset, and
    /// compares it with `c`. The result is one number, the position of the last literal, which is
    /// the row's own `c`.
    fn add_long_literals(&mut self) {
        let literals = ["?"; LITERAL_COUNT].join(", ");
        let sql = format!("SELECT FIELD(c, {literals}) FROM {{}} WHERE id=?");
        self.add_sbtest(StepParameters::Literals, StatementKind::Read, &sql);
    }

    fn add_sbtest(&mut self, parameters: StepParameters, kind: StatementKind, sql: &str) {
        let first = self.add_per_table(Family::Sbtest, kind, sql);
        self.built_in.steps.push(Step { first, parameters });
    }

    fn add_words(&mut self, parameters: StepParameters, sql: &str) {
        let first = self.add_per_table(Family::Words, StatementKind::Read, sql);
        self.built_in.steps.push(Step { first, parameters });
    }

    /// Adds a statement for each table, with the table's name for every `{}`. Returns the index of
    /// the first.
    fn add_per_table(&mut self, family: Family, kind: StatementKind, sql: &str) -> usize {
        let first = self.statements.len();
        for number in 1..=self.built_in.options.tables {
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
    fn statements_of_every_workload() {
        let options = Options { tables: 2, ..Options::default() };
        let mut text = String::new();
        for workload in WorkloadKind::ALL.map(Workload::from) {
            text += &format!("{workload}\n");
            for statement in workload.script(&options).statements {
                let Statement { sql, parameters, kind, .. } = statement;
                text += &format!("  {kind:?} {parameters}: {sql}\n");
            }
        }
        insta::assert_snapshot!(text);
    }

    #[test]
    fn every_planned_statement_has_an_example() {
        let options = Options { table_size: 100, ..Options::default() };
        for workload in WorkloadKind::ALL.map(Workload::from) {
            let examples = workload.script(&options).examples();
            assert!(
                !examples.is_empty() && examples.iter().all(|one| !one.sql.contains('?')),
                "{workload}: {examples:?}"
            );
        }
    }

    #[test]
    fn omits_control_statements_with_skip_trx() {
        let options = Options { skip_trx: true, ..Options::default() };
        for workload in WorkloadKind::ALL.map(Workload::from) {
            assert!(workload.script(&options).statements.iter().all(|s| s.kind != StatementKind::Control));
        }
    }
}
