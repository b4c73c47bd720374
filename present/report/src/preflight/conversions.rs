//! The table of the tables to convert: how long the plan blocks writes to each.

use preflight::trial::display_seconds;
use preflight::{Algorithm, Phase, Plan, Report, Step, TableReport};

use crate::format::number::{count_noun, group_thousands};
use crate::format::table::{ColumnKind, Row, Table, column};

/// Rows and bytes below which a copy of a table is taken to last less than a second, if no sample
/// was timed.
const SMALL_ROWS: u64 = 10_000;
const SMALL_BYTES: u64 = 4 << 20;

/// Builds the table of the tables with the most rows: what changes, how long writes are blocked and
/// by what, and what the conversion waits for. `None` if nothing is converted.
pub(super) fn conversion_table(report: &Report, max: usize) -> Option<Table> {
    let mut tables: Vec<&TableReport> = report.tables.iter().filter(|table| !table.converted.is_empty()).collect();
    tables.sort_by_key(|table| std::cmp::Reverse(rows_read(table)));
    let line = |table: &&TableReport| {
        let steps = report.plan.as_ref().map(|plan| TableSteps::find(plan, table));
        let waits = if steps.as_ref().is_some_and(TableSteps::wait) { "its errors" } else { "" };
        let change = count_noun(table.converted.len() as u64, "column");
        let read = if table.reading.is_some() { group_thousands(rows_read(table) as f64) } else { String::new() };
        let blocked = steps.map_or_else(String::new, |steps| steps.describe_block(table));
        Row::new(vec![qualified_name(table), read, change, blocked, waits.to_owned()])
    };
    let mut heads = vec![
        column("", "table", ColumnKind::Left),
        column("", "rows", ColumnKind::Right),
        column("", "change", ColumnKind::Left),
        column("", "writes blocked", ColumnKind::Left),
        column("", "waits for", ColumnKind::Left),
    ];
    let mut rows: Vec<Row> = tables.iter().take(max).map(line).collect();
    for at in (1..heads.len()).rev() {
        if rows.iter().all(|row| row.fields[at].is_empty()) {
            heads.remove(at);
            rows.iter_mut().for_each(|row| drop(row.fields.remove(at)));
        }
    }
    let mut table = Table::new("Tables to convert", heads, rows);
    let left = tables.len().saturating_sub(max);
    if left > 0 {
        table.footer.push(format!("… and {}", count_noun(left as u64, "more table")));
    }
    table.footer.extend(report.plan.as_ref().and_then(describe_basis));
    (!table.rows.is_empty()).then_some(table)
}

fn qualified_name(table: &TableReport) -> String {
    format!("{}.{}", table.schema, table.name)
}

fn rows_read(table: &TableReport) -> u64 {
    table.reading.as_ref().map_or(0, |reading| reading.rows)
}

/// Says where the times are from, and their sum. `None` if no ALTER that blocks writes was timed.
fn describe_basis(plan: &Plan) -> Option<String> {
    let blocking = plan.steps.iter().filter(|step| blocks(step));
    let seconds: Vec<f64> = blocking.filter_map(|step| Some(step.time?.seconds)).collect();
    let sum = match seconds.len() {
        0 => return None,
        1 => String::new(),
        _ => format!("{} in all, ", display_seconds(seconds.iter().sum())),
    };
    Some(format!("Times: {sum}from samples on a private server of this machine."))
}

fn blocks(step: &Step) -> bool {
    step.algorithm.is_some_and(Algorithm::blocks_writes)
}

/// ALTERs of one table in a plan.
struct TableSteps<'p> {
    /// The ALTER of its columns.
    convert: Option<&'p Step>,
    /// The ALTERs of its columns, foreign keys and defaults.
    all: Vec<&'p Step>,
}

impl<'p> TableSteps<'p> {
    fn find(plan: &'p Plan, table: &TableReport) -> Self {
        let name = qualified_name(table);
        let is_alter = |step: &&Step| {
            let alters =
                matches!(step.phase, Phase::DropForeignKeys | Phase::Convert | Phase::Defaults | Phase::AddForeignKeys);
            alters && step.object == name
        };
        let all: Vec<&Step> = plan.steps.iter().filter(is_alter).collect();
        Self { convert: all.iter().copied().find(|step| step.phase == Phase::Convert), all }
    }

    /// True if the conversion waits until errors are mended.
    fn wait(&self) -> bool {
        self.convert.is_some_and(|step| step.blocked)
    }

    /// Returns what blocks writes and for how long: `copy, about 12 min`, `foreign keys, under 1 s`,
    /// `default, under 1 s` or `no (instant)`.
    fn describe_block(&self, table: &TableReport) -> String {
        let Some(convert) = self.convert else { return String::new() };
        let by = match convert.algorithm {
            Some(Algorithm::Refused) => return "refused".into(),
            Some(Algorithm::Copy) => "copy",
            Some(Algorithm::InPlaceLocked) => "in place, locked",
            Some(algorithm) => match self.all.iter().find(|step| blocks(step)).map(|step| step.phase) {
                // MySQL 9.7 changes the default of a CSV table by a copy.
                Some(Phase::Defaults) => "default",
                Some(_) => "foreign keys",
                None => return format!("no ({})", algorithm.name()),
            },
            // Not tried: a copy at worst.
            None => "copy at worst",
        };
        format!("{by}, {}", self.describe_time(table))
    }

    fn describe_time(&self, table: &TableReport) -> String {
        let blocking: Vec<&Step> = self.all.iter().copied().filter(|step| blocks(step)).collect();
        let times: Option<Vec<_>> = blocking.iter().map(|step| step.time).collect();
        match times.as_deref() {
            Some([time]) => time.display(),
            Some(times @ [first, ..]) => {
                let seconds = times.iter().map(|time| time.seconds).sum();
                preflight::AlterTime { seconds, ..*first }.display()
            }
            _ if is_small(table) => "under 1 s".into(),
            _ => "not timed".into(),
        }
    }
}

/// True if the table has few rows and bytes. A dump says no sizes: the bytes that were read count.
fn is_small(table: &TableReport) -> bool {
    let bytes = table.size.data.map(|data| data + table.size.indexes.unwrap_or(0));
    let bytes = bytes.or_else(|| table.reading.as_ref().map(|reading| reading.bytes));
    let has_few_rows = table.reading.is_none() || rows_read(table) < SMALL_ROWS;
    has_few_rows && bytes.is_some_and(|bytes| bytes < SMALL_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use preflight::{AlterTime, Reading, Size};

    fn step(phase: Phase, algorithm: Option<Algorithm>, seconds: Option<f64>) -> Step {
        let time = |seconds| AlterTime { seconds, rows: 900, sample_rows: 900, sample_seconds: seconds };
        Step {
            phase,
            object: "shop.orders".into(),
            sql: String::new(),
            algorithm,
            note: None,
            time: seconds.map(time),
            blocked: false,
        }
    }

    fn described(steps: &[Step], rows: u64, bytes: u64) -> String {
        described_from(steps, Reading { rows, ..Reading::default() }, Some(bytes))
    }

    fn described_from(steps: &[Step], reading: Reading, data: Option<u64>) -> String {
        let plan = Plan { steps: steps.to_vec(), ..Plan::default() };
        let table = TableReport {
            schema: "shop".into(),
            name: "orders".into(),
            reading: Some(reading),
            size: Size { data, ..Size::default() },
            ..TableReport::default()
        };
        TableSteps::find(&plan, &table).describe_block(&table)
    }

    #[test]
    fn says_for_each_table_what_blocks_writes_and_how_long() {
        use Algorithm::{Copy, CopyOnline, InPlace, InPlaceLocked, Instant};
        let convert = |algorithm, seconds| step(Phase::Convert, algorithm, seconds);
        assert_eq!(described(&[convert(Some(Copy), Some(0.02))], 900, 1), "copy, under 1 s");
        assert_eq!(described(&[convert(Some(InPlaceLocked), Some(40.0))], 1 << 20, 1), "in place, locked, about 40 s");
        assert_eq!(described(&[convert(Some(Instant), None)], 1 << 20, 1), "no (instant)");
        assert_eq!(described(&[convert(Some(CopyOnline), Some(40.0))], 1 << 20, 1), "no (copy, writes go on)");
        let key = step(Phase::AddForeignKeys, Some(Copy), Some(30.0));
        assert_eq!(described(&[convert(Some(InPlace), Some(9.0)), key.clone()], 1, 1), "foreign keys, about 30 s");
        assert_eq!(described(&[convert(Some(Copy), Some(30.0)), key], 1, 1), "copy, about 60 s");
        let default = step(Phase::Defaults, Some(Copy), Some(0.2));
        assert_eq!(described(&[convert(Some(InPlace), None), default], 1, 1), "default, under 1 s");
    }

    #[test]
    fn small_tables_have_a_time_without_a_rehearsal() {
        let untried = [step(Phase::Convert, None, None)];
        assert_eq!(described(&untried, 900, 1 << 20), "copy at worst, under 1 s");
        assert_eq!(described(&untried, 10_000, 1 << 20), "copy at worst, not timed");
        assert_eq!(described(&untried, 900, 1 << 30), "copy at worst, not timed");
        let of_dump = |bytes| Reading { rows: 900, bytes, ..Reading::default() };
        assert_eq!(described_from(&untried, of_dump(9_000), None), "copy at worst, under 1 s");
        assert_eq!(described_from(&untried, of_dump(1 << 30), None), "copy at worst, not timed");
    }

    #[test]
    fn a_time_from_few_rows_of_many_is_an_upper_bound() {
        let time = AlterTime { seconds: 720.0, rows: 1_000_000, sample_rows: 1_000, sample_seconds: 0.72 };
        assert_eq!(time.display(), "at most 12 min");
        assert_eq!(AlterTime { sample_rows: 50_000, ..time }.display(), "about 12 min");
    }
}
