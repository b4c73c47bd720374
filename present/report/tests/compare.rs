//! Comparisons of runs.

mod common;

use common::run;
use insta::assert_snapshot;
use measure::{Block, Run, Side};
use report::{Comparison, Style, compare_csv, compare_json, compare_markdown, compare_text};

const PLAIN: Style = Style { color: false, width: None };

fn compare(before: &(Run, Vec<Block>), after: &(Run, Vec<Block>), fail_over: f64) -> Comparison {
    let change = measure::compare_runs((&before.0, &before.1), (&after.0, &after.1));
    Comparison::new("before".into(), "after".into(), change, fail_over)
}

/// Returns a fixture in which the selected sides did half the work.
fn halve_work(name: &str, is_selected: impl Fn(&Side) -> bool) -> (Run, Vec<Block>) {
    let (run, mut blocks) = run(name);
    for side in blocks.iter_mut().flat_map(|block| &mut block.sides).filter(|side| is_selected(side)) {
        side.queries /= 2;
        side.events /= 2;
    }
    (run, blocks)
}

#[test]
fn two_runs_of_a_server() {
    let comparison = compare(&run("one_server"), &run("two_servers"), 0.0);
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        assert_snapshot!("compare.txt", compare_text(&comparison, PLAIN));
        assert_snapshot!("compare.md", compare_markdown(&comparison));
        assert_snapshot!("compare.csv", compare_csv(&[comparison]));
    });
}

#[test]
fn run_is_not_slower_than_itself() {
    for name in common::FIXTURES {
        let (one, other) = (run(name), run(name));
        let comparison = compare(&one, &other, 0.0);
        assert!(comparison.slower.is_empty(), "{name}: {:?}", comparison.slower);
        assert!(comparison.change.environment.is_empty(), "{name}");
        // All measured ratios are compared, except those of A/A pairs.
        let pairs = measure::analyse(&one.0, &one.1).conditions;
        let ratios =
            pairs.iter().flat_map(|condition| &condition.comparisons).filter(|c| c.kind != measure::PairKind::AA);
        assert_eq!(comparison.change.ratios.len(), ratios.filter(|c| c.throughput.is_some()).count(), "{name}");
    }
}

#[test]
fn names_slower_figures_beyond_the_tolerance() {
    let before = run("one_server");
    let after = halve_work("one_server", |side| side.variant == 1);
    let name = &before.0.variants[1].collation;
    let comparison = compare(&before, &after, 0.0);
    assert_eq!(comparison.slower.len(), 2, "its throughput and its ratio: {:?}", comparison.slower);
    assert!(comparison.slower.iter().all(|line| line.contains(name.as_str()) && line.contains("50 % lower")));
    assert!(compare(&before, &after, 0.6).slower.is_empty());
    // In the other direction it is faster.
    assert!(compare(&after, &before, 0.0).slower.is_empty());
}

#[test]
fn csv_has_a_line_per_figure_and_marks_failures() {
    let (before, after) = (run("two_servers"), halve_work("two_servers", |side| side.variant == 1));
    let comparisons = [compare(&before, &after, 0.0), compare(&before, &before, 0.0)];
    let csv = compare_csv(&comparisons);
    let lines: Vec<&str> = csv.lines().skip(1).collect();
    let figures = |own: &Comparison| own.change.throughputs.len() + own.change.ratios.len();
    assert_eq!(lines.len(), comparisons.iter().map(figures).sum::<usize>());
    let failed = lines.iter().filter(|line| line.ends_with(",slower,true")).count();
    assert!(failed > 0 && failed == comparisons[0].slower.len(), "{csv}");
    assert!(comparisons[1].slower.is_empty());
}

#[test]
fn throughput_of_another_machine_does_not_fail() {
    let before = run("one_server");
    let mut after = halve_work("one_server", |_| true);
    after.0.machine.cores += 2;
    let comparison = compare(&before, &after, 0.0);
    assert!(comparison.slower.is_empty(), "{:?}", comparison.slower);
    assert!(comparison.warnings.iter().any(|warning| warning.contains("machines differ")));
    assert!(comparison.change.throughputs.iter().all(|change| change.throughput.contains(0.5)));
    after.0.machine.cores -= 2;
    assert!(!compare(&before, &after, 0.0).slower.is_empty(), "on the same machine it counts");
}

#[test]
fn json_conforms_to_the_schema() {
    let comparison = compare(&run("one_server"), &run("two_servers"), 0.05);
    let schema = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../schemas/compare.schema.json"));
    let schema = jsonschema::validator_for(&serde_json::from_str(&schema.unwrap()).unwrap()).unwrap();
    let document: serde_json::Value = serde_json::from_str(&compare_json(&comparison)).unwrap();
    let faults: Vec<String> = schema.iter_errors(&document).map(|error| error.to_string()).collect();
    assert!(faults.is_empty(), "{faults:?}");
    assert_eq!(document["fail_over"], 0.05);
}
