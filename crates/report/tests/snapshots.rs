//! How reports look. After a change that is meant: `INSTA_UPDATE=always cargo test -p report --test snapshots`, and look at the
//! difference.

mod common;

use insta::assert_snapshot;
use measure::{Block, Run};
use report::{Report, Style, csv, markdown, text};

use common::{FIXTURES, report, run};

const PLAIN: Style = Style { color: false };
const COLOR: Style = Style { color: true };

fn fixture(name: &str) -> Report {
    let (run, blocks) = run(name);
    report(run, &blocks)
}

/// A run that is a fixture but for a change.
fn changed(name: &str, change: impl FnOnce(&mut Run, &mut [Block])) -> Report {
    let (mut run, mut blocks) = run(name);
    change(&mut run, &mut blocks);
    report(run, &blocks)
}

fn first_line(report: &Report) -> String {
    text(report, PLAIN).lines().next().unwrap_or_default().into()
}

/// Lines of the text's tables, with their titles.
fn table_lines(report: &Report) -> Vec<String> {
    let text = text(report, PLAIN);
    text.lines().filter(|line| line.starts_with("  ")).map(str::to_owned).collect()
}

#[test]
fn every_run_as_text_markdown_and_csv() {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for name in FIXTURES {
            let report = fixture(name);
            assert_snapshot!(format!("{name}.txt"), text(&report, PLAIN));
            assert_snapshot!(format!("{name}.md"), markdown(&report));
            assert_snapshot!(format!("{name}.csv"), csv([&report]));
        }
    });
}

#[test]
fn colors_mark_what_is_slower_and_faster() {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        let colored = text(&fixture("two_servers"), COLOR);
        assert_snapshot!("two_servers.color.txt", colored.replace('\x1b', "␛"));
    });
}

#[test]
fn color_changes_nothing_but_color() {
    for name in FIXTURES {
        let report = fixture(name);
        let mut bare = text(&report, COLOR);
        for code in ["0", "1", "33", "38;5;1", "38;5;2", "39"] {
            bare = bare.replace(&format!("\x1b[{code}m"), "");
        }
        assert_eq!(bare, text(&report, PLAIN), "{name}");
    }
}

#[test]
fn the_first_line_says_that_the_machine_was_too_noisy() {
    let noisy = changed("one_server", |run, _| run.options.precision = 0.001);
    assert_eq!(
        first_line(&noisy),
        "This machine was too noisy for the asked precision of ± 0.1 %: identical variants differed by up to 1.4 % on oltp_read_only."
    );
    assert!(markdown(&noisy).starts_with("> This machine was too noisy"));
}

#[test]
fn a_run_that_reached_its_precision_warns_of_nothing() {
    let calm = changed("replicates", |run, _| run.options.precision = 0.5);
    assert_eq!(calm.warnings, [""; 0]);
    assert_eq!(first_line(&calm), calm.headlines[0]);
}

#[test]
fn pairs_without_enough_blocks_are_named_once_for_a_workload() {
    let (run, blocks) = run("two_servers");
    let others: Vec<Block> = blocks.into_iter().filter(|block| !matches!(block.pair, Some(3 | 8))).collect();
    let report = report(run, &others);
    let wanted = "Not measured on oltp_read_only, too few blocks: utf8mb4_bin on mysql@5.6, utf8mb4_general_ci on mysql@sid \
                  against mysql@5.6.";
    assert!(report.sentences.contains(&wanted.to_string()), "{:#?}", report.sentences);
}

#[test]
fn a_duet_whose_connections_were_not_bound_says_so() {
    for (name, pinned, wanted) in
        [("one_server", true, false), ("one_server", false, true), ("solo", false, false), ("sysbench", true, true)]
    {
        let report = changed(name, |run, _| run.options.pinned = pinned);
        let says = table_lines(&report).iter().any(|line| line.contains("connections not bound to cores"));
        assert_eq!(says, wanted, "{name}, pinned: {pinned}");
    }
}

#[test]
fn tables_fit_120_columns_and_no_line_ends_in_blanks() {
    for name in FIXTURES {
        let report = fixture(name);
        for line in table_lines(&report) {
            assert!(line.chars().count() <= 120, "{name}: {line}");
        }
        assert!(text(&report, PLAIN).lines().all(|line| line == line.trim_end()), "{name}");
    }
}

#[test]
fn a_table_too_wide_does_without_p50_and_p99_but_not_without_p95_and_cpu() {
    let wide =
        changed("one_server", |run, _| run.variants[1].collation = "utf8mb4_a_collation_with_a_long_name_ci".into());
    let head = table_lines(&wide).into_iter().find(|line| line.contains("queries/s")).unwrap();
    assert!(head.contains("p95 ms") && head.contains("µs/query") && !head.contains("p50") && !head.contains("p99"));
    assert!(markdown(&wide).contains("p99 ms"), "Markdown has room");
}

/// The bars of a Markdown line that part its conditions.
fn bars(line: &str) -> usize {
    line.replace("\\|", "").matches('|').count()
}

#[test]
fn a_markdown_table_keeps_its_columns_whatever_a_server_is_called() {
    let report = changed("two_servers", |run, _| run.servers[1].label = "h=a|b,D=c\nd".into());
    let markdown = markdown(&report);
    let tables: Vec<Vec<&str>> =
        markdown.split("\n\n").filter(|part| part.starts_with('|')).map(|part| part.lines().collect()).collect();
    assert_eq!(tables.len(), 3);
    for table in tables {
        assert!(table.iter().all(|line| line.ends_with('|') && bars(line) == bars(table[0])), "{table:#?}");
    }
    assert!(markdown.contains("h=a\\|b,D=c d"), "{markdown}");
}

#[test]
fn csv_has_a_line_for_each_pair_and_each_baseline() {
    for name in FIXTURES {
        let report = fixture(name);
        let csv = csv([&report]);
        let mut baselines: Vec<(usize, usize)> =
            report.run.pairs.iter().map(|pair| (pair.condition, pair.baseline)).collect();
        baselines.retain(|&(condition, baseline)| {
            !report.run.pairs.iter().any(|p| (p.condition, p.variant) == (condition, baseline))
        });
        baselines.sort_unstable();
        baselines.dedup();
        assert_eq!(csv.lines().count(), 1 + report.run.pairs.len() + baselines.len(), "{name}");
    }
}

#[test]
fn an_imported_run_says_in_its_first_line_what_its_intervals_do_not_know() {
    let imported = changed("solo", |run, blocks| {
        run.imported = Some(measure::Imported { from: "sysbench 1.0.20".into(), files: vec!["a.log".into()] });
        run.servers[0].version = String::new();
        // One log of each, without intervals.
        blocks.iter_mut().filter(|block| block.round > 0).for_each(|block| block.warm_up = true);
    });
    assert!(first_line(&imported).starts_with("Imported from logs of sysbench 1.0.20, measured one after the other: "));
    let text = text(&imported, PLAIN);
    assert!(text.contains(": MySQL (") || text.contains(": MySQL, ") || text.contains(": MariaDB"), "{text}");
    assert!(!text.contains("machine: "), "{text}");
    assert!(imported.sentences.iter().all(|line| line.starts_with("No ratio on ")), "{:#?}", imported.sentences);
}

#[test]
fn unlike_sides_are_named_in_every_output() {
    let unlike = changed("two_servers", |run, _| {
        let pair = run.pairs.iter().find(|pair| pair.kind == measure::PairKind::Server).unwrap();
        run.variants[pair.variant].collation = "utf8mb4_0900_ai_ci".into();
    });
    let words = "another server and another collation, two differences at once";
    let text = text(&unlike, PLAIN);
    assert!(unlike.sentences.iter().any(|line| line.contains(words)), "{:#?}", unlike.sentences);
    assert!(
        text.contains("not comparable: utf8mb4_0900_ai_ci on mysql@sid against latin1_swedish_ci on mysql@5.6"),
        "{text}"
    );
    assert!(markdown(&unlike).matches(words).count() >= 2);
    assert!(csv([&unlike]).contains(words));
    assert!(report::json(&unlike).contains(r#""in": "collation""#));
}

#[test]
fn claims_and_published_figures_follow_the_sentences() {
    let with_recipe = changed("two_servers", |run, _| {
        let recipe = serde_json::json!({
            "name": "a-study", "title": "A study", "study": "Somebody, 2019", "scale": "laptop",
            "claims": [
                {"text": "utf8mb4_general_ci costs a third on MySQL 5", "on": {"before": "8.0"},
                 "variant": {"collations": ["utf8mb4_general_ci"]}, "against": {"charset": "latin1"},
                 "ratio": {"below": 0.67}},
                {"text": "MariaDB is faster", "source": "a comment", "variant": {"flavour": "mariadb"},
                 "against": {"flavour": "mysql"}, "ratio": {"above": 1.0}},
            ],
            "published": [{"source": "Somebody, 2019", "server": "mysql-5.7.25", "workload": "oltp_read_only",
                           "collation": "utf8mb4_bin", "threads": 64, "value": 28125.16, "unit": "transactions/s"}],
        });
        run.recipe = Some(serde_json::from_value(recipe).unwrap());
    });
    let text = text(&with_recipe, PLAIN);
    let (_, claims) = text.split_once("What Somebody").unwrap();
    assert_snapshot!(claims);
    assert!(markdown(&with_recipe).contains("### What Somebody, 2019 found, and whether it holds here\n\n- "));
    assert!(markdown(&with_recipe).contains("| mysql-5.7.25 | oltp_read_only | utf8mb4_bin | 64 | 28,125.16 |"));
}
