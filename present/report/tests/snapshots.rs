//! Snapshots of reports. To accept changes: `INSTA_UPDATE=always cargo test -p report --test
//! snapshots`, then review the diff.

mod common;

use insta::assert_snapshot;
use measure::{Block, Run};
use report::{Report, Style, csv, details_text, markdown, text};

use common::{FIXTURES, folder, report, run};

const PLAIN: Style = Style { color: false, width: None };
const NARROW: Style = Style { color: false, width: Some(80) };
const COLOR: Style = Style { color: true, width: None };

fn fixture(name: &str) -> Report {
    let (run, blocks) = run(name);
    report(run, &blocks)
}

/// Returns the report of a changed fixture.
fn changed_report(name: &str, change: impl FnOnce(&mut Run, &mut [Block])) -> Report {
    let (mut run, mut blocks) = run(name);
    change(&mut run, &mut blocks);
    report(run, &blocks)
}

fn first_line(report: &Report) -> String {
    text(report, PLAIN).lines().next().unwrap_or_default().into()
}

/// Returns the text's indented lines: tables and their notes.
fn table_lines(report: &Report) -> Vec<String> {
    let text = details_text(report, PLAIN);
    text.lines().filter(|line| line.starts_with("  ")).map(str::to_owned).collect()
}

#[test]
fn renders_each_run_as_text_markdown_and_csv() {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for name in FIXTURES {
            let report = fixture(name);
            assert_snapshot!(format!("{name}.txt"), text(&report, NARROW));
            assert_snapshot!(format!("{name}.details.txt"), details_text(&report, PLAIN));
            assert_snapshot!(format!("{name}.md"), markdown(&report));
            assert_snapshot!(format!("{name}.csv"), csv([&report]));
        }
    });
}

#[test]
fn colors_mark_slower_and_faster() {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        let colored = details_text(&fixture("two_servers"), COLOR);
        assert_snapshot!("two_servers.color.txt", colored.replace('\x1b', "␛"));
    });
}

#[test]
fn color_changes_only_colors() {
    for name in FIXTURES {
        let report = fixture(name);
        let mut bare = details_text(&report, COLOR);
        for code in ["0", "1", "33", "38;5;1", "38;5;2", "39"] {
            bare = bare.replace(&format!("\x1b[{code}m"), "");
        }
        assert_eq!(without_trailing_blanks(&bare), details_text(&report, PLAIN), "{name}");
    }
}

/// Removes the padding that coloured cells keep at the end of a line.
fn without_trailing_blanks(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

#[test]
fn verdict_fits_a_screen_and_says_nothing_twice() {
    for name in FIXTURES {
        let text = text(&fixture(name), NARROW);
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{name}: {text}");
        // `grid` has eight conditions. `interrupted` ended before any collation could be compared.
        let limit = if ["grid", "interrupted"].contains(&name) { 40 } else { 24 };
        assert!(text.lines().count() <= limit, "{name}: {} lines: {text}", text.lines().count());
        assert_no_sentence_twice(&text);
    }
}

/// Answers of audit, preflight, profile and compare on a terminal of 80 columns.
#[test]
fn answers_of_other_commands_fit_a_screen_and_say_nothing_twice() {
    let read = |path: &str| std::fs::read_to_string(folder(path)).unwrap();
    let found: ::audit::Audit = serde_json::from_str(&read("audit/audit.json")).unwrap();
    let converted: ::preflight::Report = serde_json::from_str(&read("preflight/report.json")).unwrap();
    let profiles: profile::Profiles = serde_json::from_str(&read("profile/profiles.json")).unwrap();
    let (before, after) = (run("one_server"), run("one_server"));
    let change = measure::compare_runs((&before.0, &before.1), (&after.0, &after.1));
    let path = |name: &str| Some(format!("weigh-results/2026-11-29T04-04-32Z/{name}"));
    let files = report::preflight::PlanFiles {
        plan: path("plan.sql"),
        online: path("plan-online.sh"),
        page: path("preflight.html"),
        client: ["mariadb", "--host=db", "--user=it's me"].map(str::to_owned).into(),
        ..report::preflight::PlanFiles::default()
    };
    for (name, text) in [
        ("audit", report::audit::text(&found, report::audit::Selection::default(), NARROW)),
        ("preflight", report::preflight::text(&converted, &files, NARROW)),
        ("profile", report::profile_text(&profiles, false, NARROW)),
        ("compare", report::compare_text(&report::Comparison::new("a".into(), "b".into(), change, 0.0), NARROW)),
    ] {
        // Findings of preflight have examples. The examples and the plan take two screens.
        let limit = if name == "preflight" { 2 * 24 } else { 40 };
        assert!(text.lines().count() <= limit, "{name}: {} lines: {text}", text.lines().count());
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{name}: {text}");
        assert_no_sentence_twice(&text);
    }
}

/// Compares sentences without their figures.
fn assert_no_sentence_twice(text: &str) {
    let joined = text.replace("\n  ", " ");
    let sentences = joined.split(['\n', ';']).flat_map(|line| line.split(". "));
    let without_figures = |sentence: &str| -> String {
        sentence.chars().filter(|character| character.is_alphabetic() || *character == ' ').collect()
    };
    let is_sentence = |words: &String| words.split_whitespace().count() > 3;
    let mut sentences: Vec<String> = sentences.map(without_figures).filter(is_sentence).collect();
    sentences.sort();
    for pair in sentences.windows(2) {
        assert_ne!(pair[0], pair[1], "twice in: {text}");
    }
}

#[test]
fn differing_copies_end_the_verdict() {
    // The copy takes 1.5 times its CPU time.
    let noisy = changed_report("one_server", |run, blocks| {
        let copies: Vec<usize> = (0..run.variants.len()).filter(|&index| run.variants[index].copy).collect();
        for side in blocks.iter_mut().flat_map(|block| &mut block.sides).filter(|side| copies.contains(&side.variant)) {
            side.server_cpu_us = side.server_cpu_us.map(|cpu| cpu * 1.5);
        }
    });
    let reason = noisy.cannot_tell().unwrap();
    assert!(reason.contains("identical copies differ") && reason.contains("--max-time"), "{reason}");
    let text = text(&noisy, PLAIN);
    assert!(text.starts_with("✗ This run can't tell"), "{text}");
    assert!(!text.contains("utf8mb4_bin"), "no figure of a collation: {text}");
    assert!(fixture("one_server").cannot_tell().is_none());
}

#[test]
fn absurd_intervals_have_no_figures() {
    let grid = fixture("grid");
    let text = text(&grid, PLAIN);
    assert!(text.contains("? too few measurements") && !text.contains("22144"), "{text}");
    assert!(!grid.sentences.iter().any(|sentence| sentence.contains("not excluded") && sentence.contains("317 %")));
}

#[test]
fn names_pairs_without_enough_blocks_once_per_workload() {
    let (run, blocks) = run("two_servers");
    let others: Vec<Block> = blocks.into_iter().filter(|block| !matches!(block.pair, Some(3 | 8))).collect();
    let report = report(run, &others);
    let wanted = "Not measured on oltp_read_only, too few blocks: utf8mb4_bin on mysql@5.6, utf8mb4_general_ci on mysql@sid \
                  compared with mysql@5.6.";
    assert!(report.sentences.contains(&wanted.to_string()), "{:#?}", report.sentences);
}

#[test]
fn notes_unpinned_connections_of_a_duet() {
    for (name, pinned, wanted) in
        [("one_server", true, false), ("one_server", false, true), ("solo", false, false), ("sysbench", true, true)]
    {
        let report = changed_report(name, |run, _| run.options.pinned = pinned);
        let says = table_lines(&report).iter().any(|line| line.contains("connections not bound to cores"));
        assert_eq!(says, wanted, "{name}, pinned: {pinned}");
    }
}

#[test]
fn tables_fit_120_columns_without_trailing_blanks() {
    for name in FIXTURES {
        let report = fixture(name);
        for line in table_lines(&report) {
            assert!(line.chars().count() <= 120, "{name}: {line}");
        }
        assert!(details_text(&report, PLAIN).lines().all(|line| line == line.trim_end()), "{name}");
    }
}

#[test]
fn wide_table_omits_p50_and_p99() {
    let wide = changed_report("one_server", |run, _| {
        run.variants[1].collation = "utf8mb4_a_collation_with_a_long_name_ci".into()
    });
    let head = table_lines(&wide).into_iter().find(|line| line.contains("queries/s")).unwrap();
    assert!(head.contains("p95 ms") && head.contains("µs/query") && !head.contains("p50") && !head.contains("p99"));
    assert!(markdown(&wide).contains("p99 ms"), "Markdown has room");
}

/// Counts the column separators of a Markdown line.
fn count_column_separators(line: &str) -> usize {
    line.replace("\\|", "").matches('|').count()
}

#[test]
fn server_labels_do_not_break_markdown_tables() {
    let report = changed_report("two_servers", |run, _| run.servers[1].label = "h=a|b,D=c\nd".into());
    let markdown = markdown(&report);
    let tables: Vec<Vec<&str>> =
        markdown.split("\n\n").filter(|part| part.starts_with('|')).map(|part| part.lines().collect()).collect();
    assert_eq!(tables.len(), 4);
    for table in tables {
        assert!(
            table
                .iter()
                .all(|line| line.ends_with('|') && count_column_separators(line) == count_column_separators(table[0])),
            "{table:#?}"
        );
    }
    assert!(markdown.contains("h=a\\|b,D=c d"), "{markdown}");
}

#[test]
fn csv_has_a_line_per_pair_and_baseline() {
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
fn imported_run_warns_in_its_first_line() {
    let imported = changed_report("solo", |run, blocks| {
        run.imported = Some(measure::Imported { from: "sysbench 1.0.20".into(), files: vec!["a.log".into()] });
        run.servers[0].version = String::new();
        // One log per variant, without intervals.
        blocks.iter_mut().filter(|block| block.round > 0).for_each(|block| block.warm_up = true);
    });
    assert!(
        first_line(&imported).starts_with("! Imported from logs of sysbench 1.0.20, measured one after the other: ")
    );
    let text = details_text(&imported, PLAIN);
    assert!(text.contains(": MySQL (") || text.contains(": MySQL, ") || text.contains(": MariaDB"), "{text}");
    assert!(!text.contains("machine: "), "{text}");
    assert!(imported.sentences.iter().all(|line| line.starts_with("No ratio on ")), "{:#?}", imported.sentences);
}

#[test]
fn names_incomparable_sides_in_every_format() {
    let incomparable = changed_report("two_servers", |run, _| {
        let pair = run.pairs.iter().find(|pair| pair.kind == measure::PairKind::Server).unwrap();
        run.variants[pair.variant].collation = "utf8mb4_0900_ai_ci".into();
    });
    let words = "another server and another collation, two differences at once";
    let text = details_text(&incomparable, PLAIN);
    assert!(text.contains("² a different server and a different collation"), "{text}");
    assert!(incomparable.sentences.iter().any(|line| line.contains(words)), "{:#?}", incomparable.sentences);
    assert!(
        text.contains("not comparable: utf8mb4_0900_ai_ci on mysql@sid compared with latin1_swedish_ci on mysql@5.6"),
        "{text}"
    );
    assert!(markdown(&incomparable).contains(words));
    assert!(csv([&incomparable]).contains(words));
    assert!(report::json(&incomparable).contains(r#""in": "collation""#));
}

#[test]
fn claims_come_first_and_published_figures_last() {
    let with_recipe = changed_report("two_servers", |run, _| {
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
    assert!(
        text(&with_recipe, PLAIN).starts_with("Somebody, 2019: 1 of 2 claims holds here, 0 do not, 1 stays open\n✓ ")
    );
    let details = details_text(&with_recipe, PLAIN);
    assert!(details.contains("Figures published by Somebody, 2019"), "{details}");
    assert!(
        markdown(&with_recipe).contains("### Somebody, 2019: 1 of 2 claims holds here, 0 do not, 1 stays open\n\n- ")
    );
    assert!(markdown(&with_recipe).contains("| mysql-5.7.25 | oltp_read_only | utf8mb4_bin | 64 | 28,125.16 |"));
}

/// Shares of CPU add up to the mix, and what is unclear is not reported as the same.
#[test]
fn classes_of_a_workload_folder_share_the_mix() {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let report = fixture("folder");
    let printed = text(&report, PLAIN);
    settings.bind(|| assert_snapshot!("folder.txt", printed));
    let classes = printed.lines().filter(|line| line.starts_with("  000") && line.contains(" % "));
    let of_cpu = |line: &str| {
        let percent = line.split(" %").filter_map(|part| part.split(' ').next_back()?.parse::<f64>().ok());
        percent.last().unwrap_or_default()
    };
    let shares: Vec<f64> = classes.map(of_cpu).collect();
    let sum: f64 = shares.iter().sum();
    assert!(shares.len() == 8 && (sum - 100.0).abs() < 2.0, "{shares:?}: {printed}");
    let line =
        "2 of 8 statements by themselves cost more (0007-select-orders, 0004-select-customers), and 5 are unclear";
    assert!(printed.contains(line), "{printed}");
}

/// The page says once what its intervals leave out, and names no chance as a cause.
#[test]
fn profiles_without_a_difference_name_no_cause() {
    let profiles = std::fs::read_to_string(folder("profile/profiles.json")).unwrap();
    let mut profiles: profile::Profiles = serde_json::from_str(&profiles).unwrap();
    let mut same = profiles.profiles[0].clone();
    let chance = |cpu: &mut Option<measure::Estimate>| {
        *cpu =
            cpu.map(|cpu| measure::Estimate { value: cpu.value, low: -cpu.value.abs(), high: 2.0 * cpu.value.abs() });
    };
    for difference in &mut same.differences {
        chance(&mut difference.cpu_us);
        difference.categories.iter_mut().for_each(|one| chance(&mut one.cpu_us));
        difference.functions.iter_mut().for_each(|one| chance(&mut one.cpu_us));
    }
    let alone = profile::Profiles { profiles: vec![same.clone()], ..profiles.clone() };
    let printed = report::profile_text(&alone, false, PLAIN);
    assert!(printed.contains(", no difference found.") && !printed.contains('█'), "{printed}");
    assert!(!printed.contains("Functions: "), "{printed}");
    profiles.profiles.push(same);
    let printed = report::profile_text(&profiles, false, PLAIN);
    assert_eq!(printed.matches("± is of these samples alone").count(), 1, "{printed}");
    assert!(printed.contains('█'), "{printed}");
}

/// Terminal, Markdown and page have the same words for kinds of work and functions, and say what ±
/// leaves out.
#[test]
fn profiles_have_the_same_words_everywhere() {
    let profiles = std::fs::read_to_string(folder("profile/profiles.json")).unwrap();
    let mut profiles: profile::Profiles = serde_json::from_str(&profiles).unwrap();
    profiles.profiles[0].differences[0].not_comparable =
        Some(measure::Incomparability::Work { counter: "Handler_read_rnd".into(), variant: 12.5, baseline: 6.2 });
    let text = report::profile_text(&profiles, true, NARROW);
    for printed in [text, report::profile_markdown(&profiles), report::profile_page(&profiles, &[])] {
        let line = printed.replace("\n  ", " ");
        for words in [
            "hashing strings",
            "hash_sort of utf8mb4_general_nopad_ci",
            "± is of these samples alone",
            "12.5 per query instead of 6.2: the server sorts row ids",
        ] {
            assert!(line.contains(words) || line.replace('\\', "").contains(words), "{words}: {printed}");
        }
        assert!(!printed.contains("charset and validation") && !printed.contains("hash_sort@"), "{printed}");
    }
    let csv = report::profile_csv(&profiles);
    assert!(csv.lines().next().unwrap().ends_with(",raw_name"), "{csv}");
    let line = csv.lines().find(|line| line.contains("hash_sort of utf8mb4_general_nopad_ci,")).unwrap();
    assert!(line.ends_with(",hash_sort@utf8mb4_general_nopad_ci"), "{line}");
}

/// The report of a run that only profiled has what `weigh profile` printed, functions included.
#[test]
fn a_profile_is_printed_again() {
    let profiles = std::fs::read_to_string(folder("profile/profiles.json")).unwrap();
    let profiles: profile::Profiles = serde_json::from_str(&profiles).unwrap();
    let mut run = run("one_server").0;
    run.pairs.clear();
    let report = report(run, &[]).with_profiles(Some(profiles.clone()));
    let printed = details_text(&report, PLAIN);
    assert!(printed.starts_with(&report::profile_text(&profiles, false, PLAIN)), "{printed}");
    for printed in [printed, markdown(&report)] {
        assert!(printed.contains("the functions that differ most"), "{printed}");
    }
}
