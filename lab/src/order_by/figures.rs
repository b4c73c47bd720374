//! Computes medians and ratios of rounds, and prints them.

use std::io::{self, Write};
use std::time::Duration;

use measure::{Estimate, median_with_interval};

#[derive(Clone, Copy)]
pub struct Round {
    /// Server: reading all rows.
    pub scan: Duration,
    /// Server: reading and sorting all rows.
    pub order_by: Duration,
    /// Server: reading and grouping all rows.
    pub group_by: Duration,
    /// Engine: sorting the values.
    pub engine: Duration,
    /// Engine: computing the order of the values, as row numbers.
    pub argsort: Duration,
    /// Engine: numbering the groups of equal values.
    pub groups: Duration,
    /// `weigh sort`: reading, sorting and writing the values. `None` if the program is missing.
    pub weigh: Option<Duration>,
}

impl Round {
    /// Returns the server's time for sorting alone, in ms. Noise can make it negative.
    fn sort(&self) -> f64 {
        milliseconds(self.order_by) - milliseconds(self.scan)
    }

    /// Returns the server's time for grouping alone, in ms.
    fn grouping(&self) -> f64 {
        milliseconds(self.group_by) - milliseconds(self.scan)
    }
}

pub struct Condition {
    pub title: String,
    /// The server's own name of its sort.
    pub filesort: String,
    /// At least six.
    pub rounds: Vec<Round>,
}

#[derive(Debug, PartialEq)]
struct Line {
    what: &'static str,
    /// In ms.
    time: Estimate,
    /// Median of the rounds' ratios: the server's time for sorting, or grouping, to `time`. `None`
    /// for the server itself.
    ratio: Option<Estimate>,
}

/// Returns the medians. `None` for fewer than six rounds, which give no interval.
fn summarise(rounds: &[Round]) -> Option<Vec<Line>> {
    let time = |of: &dyn Fn(&Round) -> f64| median_with_interval(&rounds.iter().map(of).collect::<Vec<_>>());
    let line = |what, of: &dyn Fn(&Round) -> f64| Some(Line { what, time: time(of)?, ratio: None });
    let against = |what, theirs: &dyn Fn(&Round) -> f64, of: &dyn Fn(&Round) -> f64| {
        Some(Line { what, time: time(of)?, ratio: Some(time(&|round| theirs(round) / of(round))?) })
    };
    let mut lines = vec![
        line("the server, scan", &|round| milliseconds(round.scan))?,
        line("the server, sort: ORDER BY less scan", &Round::sort)?,
        against("Collation::sort", &Round::sort, &|round| milliseconds(round.engine))?,
        against("Collation::column_argsort", &Round::sort, &|round| milliseconds(round.argsort))?,
    ];
    if rounds.iter().all(|round| round.weigh.is_some()) {
        let weigh = |round: &Round| round.weigh.map_or(f64::NAN, milliseconds);
        lines.push(against("weigh sort, from a file to a file", &Round::sort, &weigh)?);
    }
    lines.push(line("the server, groups: GROUP BY less scan", &Round::grouping)?);
    lines.push(against("Collation::column_groups", &Round::grouping, &|round| milliseconds(round.groups))?);
    Some(lines)
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

pub fn print_heading(out: &mut dyn Write, rounds: u32) -> io::Result<()> {
    writeln!(out, "ms of CPU time: median of {rounds} rounds [interval of at least 95 %]")
}

pub fn print_condition(out: &mut dyn Write, condition: &Condition) -> io::Result<()> {
    writeln!(out, "\n{}: {}", condition.title, condition.filesort)?;
    writeln!(out, "  {:38} {:>34} {:>27}", "", "", "the server's ÷ this")?;
    for Line { what, time, ratio } in summarise(&condition.rounds).unwrap_or_default() {
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
        // Slow rounds are slow for all contestants, so ratios stay.
        let factors = [1, 9, 2, 3, 4, 5, 8];
        let rounds = factors.map(|factor| round(100 * factor, 700 * factor, 100 * factor, Some(200 * factor)));
        let lines = summarise(&rounds).unwrap();
        let all = |value| Some(Estimate { value, low: value, high: value });
        assert_eq!(lines[0].time, Estimate { value: 400.0, low: 100.0, high: 900.0 });
        assert_eq!(lines[1].time, Estimate { value: 2400.0, low: 600.0, high: 5400.0 });
        let ratios: Vec<_> = lines.iter().map(|line| line.ratio).collect();
        assert_eq!(ratios, [None, None, all(6.0), all(6.0), all(3.0), None, all(3.0)]);
    }

    #[test]
    fn untimed_contestants_have_no_line() {
        assert_eq!(summarise(&[round(1, 7, 1, None); 6]).unwrap().len(), 6);
    }

    #[test]
    fn too_few_rounds_have_no_figures() {
        assert_eq!(summarise(&[round(1, 7, 1, None); 5]), None);
    }
}
