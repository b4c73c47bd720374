//! Report of `weigh bench --self-test`: measured and true ratios.

use measure::{Estimate, ExtraWorkResult, Run, SelfTest};

use crate::format::number::{DASH, count_noun, format_given_percent, format_percent};
use crate::format::table::{ColumnKind, Row, Table, column};
use crate::format::text::{self, Style};
use crate::run::head::describe_setting;
use crate::run::name::condition_name;

/// Returns the self-test for a terminal. `run` is a round of the self-test.
pub fn self_test_text(test: &SelfTest, run: &Run, style: Style) -> String {
    text::render_table_document(&describe_setting(run), &table(test, run), &[describe_verdict(test)], style)
}

fn table(test: &SelfTest, run: &Run) -> Table {
    let columns = vec![
        column("", "a copy that does", ColumnKind::Left),
        column("true", "ratio", ColumnKind::Right),
        column("found, median", "(least … most)", ColumnKind::Left),
        column("interval", "holds the truth", ColumnKind::Right),
        column("", "called", ColumnKind::Left),
    ];
    let condition_names: Vec<String> =
        (0..run.conditions.len()).map(|condition| condition_name(run, condition)).collect();
    let title = format!("self-test, {} on {}", count_noun(test.rounds as u64, "round"), condition_names.join(", "));
    Table::new(title, columns, test.results.iter().map(row))
}

fn row(found: &ExtraWorkResult) -> Row {
    let work = if found.extra_work == 0.0 {
        "no more work".into()
    } else {
        format!("{} more work", format_given_percent(found.extra_work))
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
    Row::new(vec![work, format!("{:.3}", found.truth), median, holds, called.join(", ")])
}

fn describe_verdict(test: &SelfTest) -> String {
    let usual = median_width(test)
        .map_or_else(String::new, |width| format!(" The usual interval is ± {} wide.", format_percent(width)));
    if test.sound {
        format!("Intervals measured here can be trusted: they miss the truth no more often than they say.{usual}")
    } else {
        format!("Intervals measured here miss the truth more often than they say: do not trust them.{usual}")
    }
}

/// Returns the median of the intervals' half-widths, as a fraction.
fn median_width(test: &SelfTest) -> Option<f64> {
    let ratios = test.results.iter().flat_map(|found| &found.ratios);
    let mut widths: Vec<f64> = ratios.map(Estimate::precision).collect();
    widths.sort_unstable_by(f64::total_cmp);
    widths.get(widths.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_measured_and_true_ratios() {
        let ratio = |value: f64| Estimate { value, low: value * 0.99, high: value * 1.01 };
        let found = |extra_work: f64, slower: usize, no_difference: usize| ExtraWorkResult {
            extra_work,
            truth: 1.0 / (1.0 + extra_work),
            ratios: vec![ratio(0.999 / (1.0 + extra_work)), ratio(1.001 / (1.0 + extra_work))],
            holds: 2,
            slower,
            faster: 0,
            no_difference,
            not_measured: 1,
        };
        let test = SelfTest {
            format: String::new(),
            rounds: 3,
            results: vec![found(0.0, 0, 2), found(0.1, 2, 0)],
            sound: true,
        };
        let lines: Vec<Vec<String>> = test.results.iter().map(|found| row(found).fields).collect();
        let wanted = ["no more work", "1.000", "1.000 (0.999 … 1.001)", "2 of 2", "no difference 2, not measured 1"];
        assert_eq!(lines[0], wanted);
        assert_eq!(
            lines[1],
            ["10 % more work", "0.909", "0.909 (0.908 … 0.910)", "2 of 2", "slower 2, not measured 1"]
        );
        assert!(
            describe_verdict(&test).ends_with("no more often than they say. The usual interval is ± 1.0 % wide."),
            "{}",
            describe_verdict(&test)
        );
        let nothing = SelfTest { format: String::new(), rounds: 0, results: Vec::new(), sound: false };
        assert!(describe_verdict(&nothing).ends_with("do not trust them."));
    }
}
