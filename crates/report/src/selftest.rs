//! What a self-test found against what is true.

use measure::{Estimate, Found, Run, SelfTest};

use crate::head::setting;
use crate::name::in_words;
use crate::number::{DASH, counted, percent, set_percent};
use crate::table::{Kind, Row, Table, column};
use crate::text::{self, Style};

/// The self-test for a terminal; `run` is any of its rounds.
pub fn self_test_text(test: &SelfTest, run: &Run, style: Style) -> String {
    text::sheet(&setting(run), &table(test, run), &[verdict(test)], style)
}

fn table(test: &SelfTest, run: &Run) -> Table {
    let columns = vec![
        column("", "a copy that does", Kind::Left),
        column("true", "ratio", Kind::Right),
        column("found, median", "(least … most)", Kind::Left),
        column("interval", "holds the truth", Kind::Right),
        column("", "called", Kind::Left),
    ];
    let places: Vec<String> = (0..run.conditions.len()).map(|condition| in_words(run, condition)).collect();
    let title = format!("self-test, {} on {}", counted(test.rounds as u64, "round"), places.join(", "));
    Table::new(title, columns, test.found.iter().map(row))
}

fn row(found: &Found) -> Row {
    let work = if found.more_work == 0.0 {
        "no more work".into()
    } else {
        format!("{} more work", set_percent(found.more_work))
    };
    let values = || found.ratios.iter().map(|ratio| ratio.value);
    let (least, most) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
    let median = found.median().map_or_else(|| DASH.into(), |median| format!("{median:.3} ({least:.3} … {most:.3})"));
    let called = [
        ("slower", found.slower),
        ("faster", found.faster),
        ("no difference", found.no_difference),
        ("not measured", found.not_measured),
    ];
    let called: Vec<String> =
        called.iter().filter(|(_, count)| *count > 0).map(|(name, count)| format!("{name} {count}")).collect();
    let holds = format!("{} of {}", found.holds, found.ratios.len());
    Row::plain(vec![work, format!("{:.3}", found.truth), median, holds, called.join(", ")])
}

fn verdict(test: &SelfTest) -> String {
    let usual = usual_width(test)
        .map_or_else(String::new, |width| format!(" The usual interval is ± {} wide.", percent(width)));
    if test.sound {
        format!("Intervals measured here can be trusted: they miss the truth no more often than they say.{usual}")
    } else {
        format!("Intervals measured here miss the truth more often than they say: do not trust them.{usual}")
    }
}

/// The half-width in the middle, as a fraction.
fn usual_width(test: &SelfTest) -> Option<f64> {
    let ratios = test.found.iter().flat_map(|found| &found.ratios);
    let mut widths: Vec<f64> = ratios.map(Estimate::precision).collect();
    widths.sort_unstable_by(f64::total_cmp);
    widths.get(widths.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_found_stands_beside_what_is_true() {
        let ratio = |value: f64| Estimate { value, low: value * 0.99, high: value * 1.01 };
        let found = |more_work: f64, slower: usize, no_difference: usize| Found {
            more_work,
            truth: 1.0 / (1.0 + more_work),
            ratios: vec![ratio(0.999 / (1.0 + more_work)), ratio(1.001 / (1.0 + more_work))],
            holds: 2,
            slower,
            faster: 0,
            no_difference,
            not_measured: 1,
        };
        let test = SelfTest { rounds: 3, found: vec![found(0.0, 0, 2), found(0.1, 2, 0)], sound: true };
        let lines: Vec<Vec<String>> = test.found.iter().map(|found| row(found).fields).collect();
        let wanted = ["no more work", "1.000", "1.000 (0.999 … 1.001)", "2 of 2", "no difference 2, not measured 1"];
        assert_eq!(lines[0], wanted);
        assert_eq!(
            lines[1],
            ["10 % more work", "0.909", "0.909 (0.908 … 0.910)", "2 of 2", "slower 2, not measured 1"]
        );
        assert!(
            verdict(&test).ends_with("no more often than they say. The usual interval is ± 1.0 % wide."),
            "{}",
            verdict(&test)
        );
        let nothing = SelfTest { rounds: 0, found: Vec::new(), sound: false };
        assert!(verdict(&nothing).ends_with("do not trust them."));
    }
}
