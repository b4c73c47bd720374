//! Axes of an experiment, in force as requested.

use std::process::Command;

use measure::{Mode, PairKind};

use crate::workspace::{Measured, SMALL, Workspace};

#[test]
fn compares_servers() {
    let measured = Workspace::new().measured(&["--server=mysql@5.6", "--server=mysql@sid", "-w", "distinct_ranges:10"]);
    measured.assert_complete();
    let run = &measured.run;
    assert_eq!(run.servers.iter().map(|server| server.label.as_str()).collect::<Vec<_>>(), ["mysql@5.6", "mysql@sid"]);
    let shared: Vec<&str> =
        measured.collations(1).into_iter().filter(|name| measured.collations(0).contains(name)).collect();
    let compared: Vec<&str> = run
        .pairs
        .iter()
        .filter(|pair| pair.kind == PairKind::Server)
        .map(|pair| {
            let (variant, baseline) = (&run.variants[pair.variant], &run.variants[pair.baseline]);
            assert_eq!((variant.server, baseline.server, &variant.collation), (1, 0, &baseline.collation));
            variant.collation.as_str()
        })
        .collect();
    assert!(shared.len() >= 5 && compared == shared, "{compared:?}");
}

#[test]
fn level_settings_and_remaining_differences() {
    let words = ["--server=mariadb", "--server=mysql@sid", "-w", "distinct_ranges:10", "-c", "utf8mb4_general_ci"];
    for (extra, cached) in [(&[][..], "on"), (&["--level"], "off")] {
        let workspace = Workspace::new();
        let finished = workspace.run_small_bench(&[&words, extra].concat());
        assert_eq!(finished.code, Some(0), "{finished}");
        let servers = workspace.read().run.servers;
        let agreed = |name: &str| servers.iter().map(|server| server.agreed[name].clone()).collect::<Vec<_>>();
        assert_eq!(agreed("MARIADB_CLIENT_CACHE_METADATA"), [cached, "off"]);
        let report = workspace.wait_for_end(workspace.weigh(&["report", "out", "--format=text"]).spawn().unwrap());
        let (_, differing) = report
            .stdout
            .split_once("What else differs between the servers")
            .expect("the report has a table of settings");
        let has = |name: &str| differing.lines().any(|line| line.trim_start().starts_with(name));
        assert_eq!(has("MARIADB_CLIENT_CACHE_METADATA"), extra.is_empty(), "{differing}");
        assert_eq!(has("performance_schema "), extra.is_empty(), "{differing}");
    }
}

#[test]
fn connection_charsets() {
    let words =
        ["--connection-charset=match,utf8mb4,utf8", "-c", "latin1_swedish_ci", "-w", "varchar_lookup", "--text=latin"];
    let measured = Workspace::new().measured(&words);
    measured.assert_complete();
    let in_force: Vec<(&str, &str)> = measured
        .run
        .variants
        .iter()
        .filter(|variant| !variant.copy)
        .map(|variant| {
            let layers = variant.layers.as_ref().unwrap();
            (layers.column.as_ref().unwrap().charset.as_str(), layers.connection.as_ref().unwrap().client.as_str())
        })
        .collect();
    // MariaDB calls utf8 utf8mb3.
    assert_eq!(in_force, [("latin1", "latin1"), ("latin1", "utf8mb4"), ("latin1", "utf8mb3")]);
    // Non-ASCII strings are found through all connection charsets.
    assert!(measured.results().all(|variant| variant.rows_per_query == Some(1.0)));
}

#[test]
fn threads_and_texts_multiply() {
    let words = [
        "--threads=1,2",
        "--text=cyrillic,digits",
        "-w",
        "order_ranges:10",
        "--collation=latin1_swedish_ci,utf8mb4_bin,utf8mb4_general_ci",
    ];
    let measured = Workspace::new().measured(&words);
    measured.assert_complete();
    let conditions: Vec<(&str, u32)> =
        measured.run.conditions.iter().map(|condition| (condition.text.as_str(), condition.threads)).collect();
    assert_eq!(conditions, [("cyrillic", 1), ("cyrillic", 2), ("digits", 1), ("digits", 2)]);
    // latin1 has no Cyrillic letters, so the next collation is the baseline of that text.
    assert!(measured.notes().contains("latin1_swedish_ci cannot hold cyrillic text"), "{}", measured.notes());
    for (condition, result) in measured.run.conditions.iter().zip(&measured.analysis.conditions) {
        let expected = if condition.text == "digits" { "latin1_swedish_ci" } else { "utf8mb4_bin" };
        let baselines =
            result.comparisons.iter().map(|comparison| &measured.run.variants[comparison.baseline].collation);
        assert!(baselines.clone().count() > 0 && baselines.clone().all(|name| name == expected), "{condition}");
    }
}

#[test]
fn leaves_out_texts_that_a_charset_lacks() {
    let words = [
        "--text=cyrillic",
        "-c",
        "utf8mb4_bin,dec8_swedish_ci",
        "--connection-charset=utf8mb4",
        "-w",
        "oltp_point_select",
    ];
    let measured = Workspace::new().measured(&words);
    measured.assert_complete();
    assert_eq!(measured.collations(0), ["utf8mb4_bin"]);
    assert!(measured.notes().contains("dec8_swedish_ci cannot hold cyrillic text"), "{}", measured.notes());
}

#[test]
fn runs_every_workload() {
    let names: Vec<&str> = workload::WorkloadKind::ALL.iter().map(|kind| kind.name()).collect();
    let measured = Workspace::new().measured(&["-c", "utf8mb4_general_ci", "-w", &names.join(",")]);
    measured.assert_complete();
    assert_eq!(measured.run.conditions.iter().map(|condition| condition.workload.as_str()).collect::<Vec<_>>(), names);
    assert_eq!(measured.results().count(), 3 * names.len(), "a baseline, its copy and a variant each");
}

/// Returns the statements per transaction, which must be equal in all blocks.
fn statements_per_transaction(measured: &Measured) -> u64 {
    let sides: Vec<_> = measured.blocks.iter().flat_map(|block| &block.sides).filter(|side| side.events > 0).collect();
    let count = sides[0].queries / sides[0].events;
    assert!(sides.iter().all(|side| side.queries == count * side.events));
    count
}

#[test]
fn solo_as_text_without_transactions() {
    let words = ["--mode=solo", "--protocol=text", "--skip-trx", "-c", "utf8mb4_bin", "-w", "oltp_read_write"];
    let measured = Workspace::new().measured(&words);
    measured.assert_complete();
    let options = &measured.run.options;
    assert_eq!((options.mode, options.protocol.as_str(), options.skip_trx), (Mode::Solo, "text", true));
    assert!(measured.blocks.iter().all(|block| block.pair.is_none() && block.sides.len() == 1));
    // 10 point selects, 4 ranges, 2 updates, a delete and an insert.
    assert_eq!(statements_per_transaction(&measured), 18);
}

#[test]
fn range_size_and_transactions() {
    let measured = Workspace::new().measured(&["-c", "utf8mb4_bin", "-w", "oltp_read_only:50,distinct_ranges:10"]);
    measured.assert_complete();
    for (condition, result) in measured.run.conditions.iter().zip(&measured.analysis.conditions) {
        for variant in &result.variants {
            let (rows, queries) = measured.rows_and_queries(result.condition, variant.variant);
            let rows = rows / queries;
            // 16 statements: 10 points, 3 ranges, a sum, BEGIN and COMMIT. A range at the table's
            // end is shorter. The first statement of a turn isn't counted, so blocks hold parts of
            // transactions: of few statements, if the machine is busy.
            let (most, tolerance) = match condition.workload.as_str() {
                "distinct_ranges:10" => (10.0, 0.2),
                _ => ((10.0 + 3.0 * 50.0 + 1.0) / 16.0, 0.2 + 10.0 / queries.sqrt()),
            };
            assert!((rows / most - 1.0).abs() <= tolerance, "{condition}: {rows} in {queries} statements");
        }
    }
}

#[test]
fn raises_the_limit_of_open_files() {
    let workspace = Workspace::new();
    let words = ["--threads=100", "-c", "latin1_swedish_ci", "-w", "oltp_point_select", "--mode=solo"];
    let bench = workspace.bench(&SMALL, &words);
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -S -n 128; exec \"$0\" \"$@\""]).arg(bench.get_program()).args(bench.get_args());
    workspace.set_up(&mut shell);
    let finished = workspace.wait_for_end(shell.spawn().unwrap());
    assert_eq!(finished.code, Some(0), "{finished}");
    // The baseline and its copy, 100 connections each.
    assert!(workspace.read().results().all(|variant| variant.queries_per_s > 0.0));
}
