//! From rounds to medians and ratios, and a block of the output. Pure but for writing.

use std::io::{self, Write};
use std::time::Duration;

use measure::{Estimate, median};

/// CPU times of one round.
#[derive(Clone, Copy)]
pub struct Round {
    /// The server's, of reading all rows.
    pub scan: Duration,
    /// The server's, of reading and sorting them.
    pub order_by: Duration,
    /// The server's, of reading and grouping them.
    pub group_by: Duration,
    /// The engine's, of sorting the values.
    pub engine: Duration,
    /// The engine's, of finding their order.
    pub argsort: Duration,
    /// The engine's, of numbering their groups.
    pub groups: Duration,
    /// The command's, of reading, sorting and writing them.
    pub weigh: Option<Duration>,
}

impl Round {
    /// The server's sort alone, in ms. Noise can make the difference negative.
    fn sort(&self) -> f64 {
        ms(self.order_by) - ms(self.scan)
    }

    /// The server's grouping alone, in ms.
    fn grouping(&self) -> f64 {
        ms(self.group_by) - ms(self.scan)
    }
}

/// A collation on a server.
pub struct Cell {
    /// Which.
    pub title: String,
    /// How the server sorts.
    pub filesort: String,
    /// At least six.
    pub rounds: Vec<Round>,
}

/// A line of a block.
#[derive(Debug, PartialEq)]
struct Line {
    what: &'static str,
    /// In ms.
    time: Estimate,
    /// How many times as long the server's sort takes, or its grouping, round by round.
    ratio: Option<Estimate>,
}

/// The medians of a cell; `None` for fewer rounds than an interval needs.
fn lines(rounds: &[Round]) -> Option<Vec<Line>> {
    let time = |of: &dyn Fn(&Round) -> f64| median(&rounds.iter().map(of).collect::<Vec<_>>());
    let line = |what, of: &dyn Fn(&Round) -> f64| Some(Line { what, time: time(of)?, ratio: None });
    let against = |what, theirs: &dyn Fn(&Round) -> f64, of: &dyn Fn(&Round) -> f64| {
        Some(Line { what, time: time(of)?, ratio: Some(time(&|round| theirs(round) / of(round))?) })
    };
    let mut lines = vec![
        line("the server, scan", &|round| ms(round.scan))?,
        line("the server, sort: ORDER BY less scan", &Round::sort)?,
        against("Collation::sort", &Round::sort, &|round| ms(round.engine))?,
        against("Collation::column_argsort", &Round::sort, &|round| ms(round.argsort))?,
    ];
    if rounds.iter().all(|round| round.weigh.is_some()) {
        let weigh = |round: &Round| round.weigh.map_or(f64::NAN, ms);
        lines.push(against("weigh sort, from a file to a file", &Round::sort, &weigh)?);
    }
    lines.push(line("the server, groups: GROUP BY less scan", &Round::grouping)?);
    lines.push(against("Collation::column_groups", &Round::grouping, &|round| ms(round.groups))?);
    Some(lines)
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// What all blocks have in common.
pub fn head(out: &mut dyn Write, rounds: u32) -> io::Result<()> {
    writeln!(out, "ms of CPU time: median of {rounds} rounds [interval of at least 95 %]")
}

/// A block.
pub fn print(out: &mut dyn Write, cell: &Cell) -> io::Result<()> {
    writeln!(out, "\n{}: {}", cell.title, cell.filesort)?;
    writeln!(out, "  {:38} {:>34} {:>27}", "", "", "the server's ÷ this")?;
    for Line { what, time, ratio } in lines(&cell.rounds).unwrap_or_default() {
        let time = format!("{:.1} ms [{:.1} … {:.1}]", time.value, time.low, time.high);
        let ratio = ratio.map(|ratio| format!("{:.2} × [{:.2} … {:.2}]", ratio.value, ratio.low, ratio.high));
        let line = format!("  {what:38} {time:>34} {:>27}", ratio.unwrap_or_default());
        writeln!(out, "{}", line.trim_end())?;
    }
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(scan: u64, order_by: u64, engine: u64, weigh: Option<u64>) -> Round {
        let ms = Duration::from_millis;
        let (group_by, engine) = (ms(scan + 3 * engine), ms(engine));
        Round {
            scan: ms(scan),
            order_by: ms(order_by),
            group_by,
            engine,
            argsort: engine,
            groups: engine,
            weigh: weigh.map(ms),
        }
    }

    #[test]
    fn differences_and_ratios_are_of_one_round() {
        // In the slow rounds all is slow: the ratio stays.
        let factors = [1, 9, 2, 3, 4, 5, 8];
        let rounds = factors.map(|factor| round(100 * factor, 700 * factor, 100 * factor, Some(200 * factor)));
        let lines = lines(&rounds).unwrap();
        let all = |value| Some(Estimate { value, low: value, high: value });
        assert_eq!(lines[0].time, Estimate { value: 400.0, low: 100.0, high: 900.0 });
        assert_eq!(lines[1].time, Estimate { value: 2400.0, low: 600.0, high: 5400.0 });
        let ratios: Vec<_> = lines.iter().map(|line| line.ratio).collect();
        assert_eq!(ratios, [None, None, all(6.0), all(6.0), all(3.0), None, all(3.0)]);
    }

    #[test]
    fn what_was_not_timed_has_no_line() {
        assert_eq!(lines(&[round(1, 7, 1, None); 6]).unwrap().len(), 6);
    }

    #[test]
    fn too_few_rounds_have_no_figures() {
        assert_eq!(lines(&[round(1, 7, 1, None); 5]), None);
    }
}
