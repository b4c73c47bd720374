//! What a self-test found against what is true.

use measure::{Found, Run, SelfTest};

use crate::head::setting;
use crate::name::condition;
use crate::number::{DASH, counted, set_percent};
use crate::table::{Column, Kind, Mood, Row, Table};
use crate::text::{self, Style};

/// The self-test for a terminal; `run` is any of its rounds.
pub fn self_test_text(test: &SelfTest, run: &Run, style: Style) -> String {
    text::sheet(&setting(run), &table(test, run), &[verdict(test)], style)
}

fn table(test: &SelfTest, run: &Run) -> Table {
    let heads = [
        ("", "a copy that does", Kind::Left),
        ("true", "ratio", Kind::Right),
        ("found, median", "(least … most)", Kind::Left),
        ("interval", "holds the truth", Kind::Right),
        ("", "called", Kind::Left),
    ];
    let column =
        |(first, second, kind): &(&str, &str, Kind)| Column { head: [(*first).into(), (*second).into()], kind: *kind };
    let conditions: Vec<String> = (0..run.cells.len()).map(|cell| condition(run, cell)).collect();
    Table {
        title: format!("self-test, {} on {}", counted(test.rounds as u64, "round"), conditions.join(", ")),
        columns: heads.iter().map(column).collect(),
        rows: test.found.iter().map(row).collect(),
        foot: Vec::new(),
    }
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
    Row { fields: vec![work, format!("{:.3}", found.truth), median, holds, called.join(", ")], mood: Mood::Plain }
}

fn verdict(test: &SelfTest) -> String {
    if test.sound {
        "Ratios of this machine and these servers can be trusted: they miss the truth no more often than their intervals say.".into()
    } else {
        "Ratios of this machine and these servers miss the truth more often than their intervals say: do not trust them.".into()
    }
}
