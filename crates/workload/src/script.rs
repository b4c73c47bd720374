//! The statements of a workload, and the order in which a transaction sends them.

use crate::options::Options;
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
}

/// A workload made concrete: all statements, and how events draw on them.
#[derive(Clone, Debug)]
pub struct Script {
    /// All that has to be prepared; events name statements by their place here.
    pub statements: Vec<Statement>,
    pub(crate) steps: Vec<Step>,
    pub(crate) options: Options,
    pub(crate) kind: Kind,
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
        let mut script = Script { statements: Vec::new(), steps: Vec::new(), options: *options, kind: self.kind };
        let range = self.range_size.unwrap_or(options.range_size);
        match self.kind {
            Kind::OltpPointSelect => script.point_selects(1),
            Kind::OltpReadOnly => script.transaction(|script| script.reads(range)),
            Kind::OltpReadWrite => script.transaction(|script| {
                script.reads(range);
                script.writes();
            }),
            Kind::OltpWriteOnly => script.transaction(Script::writes),
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
        script
    }
}

impl Script {
    fn transaction(&mut self, body: impl FnOnce(&mut Self)) {
        let control = |script: &mut Self, sql: &str| {
            if !script.options.skip_trx {
                let first = script.add(sql, StatementKind::Control);
                script.steps.push(Step { first, call: Call::Control });
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
        self.steps.push(Step { first, call: Call::KRanges });
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
        self.steps.push(Step { first, call });
    }

    fn words(&mut self, call: Call, sql: &str) {
        let first = self.add_per_table(Family::Words, StatementKind::Read, sql);
        self.steps.push(Step { first, call });
    }

    /// Adds a statement for each table, with the table's name for every `{}`, and returns the place of the first.
    fn add_per_table(&mut self, family: Family, kind: StatementKind, sql: &str) -> usize {
        let first = self.statements.len();
        for number in 1..=self.options.tables {
            self.add(&sql.replace("{}", &format!("{}{number}", family.name())), kind);
        }
        first
    }

    fn add(&mut self, sql: &str, kind: StatementKind) -> usize {
        let parameters = sql.matches('?').count();
        self.statements.push(Statement { sql: sql.to_owned(), parameters, kind });
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
                let Statement { sql, parameters, kind } = statement;
                text += &format!("  {kind:?} {parameters}: {sql}\n");
            }
        }
        insta::assert_snapshot!(text);
    }

    #[test]
    fn without_transactions_nothing_controls() {
        let options = Options { skip_trx: true, ..Options::default() };
        for workload in Kind::ALL.map(Workload::from) {
            assert!(workload.script(&options).statements.iter().all(|s| s.kind != StatementKind::Control));
        }
    }
}
