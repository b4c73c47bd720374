//! The axes of an experiment, each in force as asked for.

use std::process::Command;

use measure::{Mode, PairKind};

use crate::place::{Measured, Place, SMALL};

#[test]
fn server_against_server() {
    let measured = Place::new().measured(&["--server=mysql@5.6", "--server=mysql@sid", "-w", "distinct_ranges:10"]);
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
fn level_ground_and_what_differs_all_the_same() {
    let words = ["--server=mariadb", "--server=mysql@sid", "-w", "distinct_ranges:10", "-c", "utf8mb4_general_ci"];
    for (extra, cached) in [(&[][..], "on"), (&["--level"], "off")] {
        let place = Place::new();
        let done = place.run(&[&words, extra].concat());
        assert_eq!(done.code, Some(0), "{done}");
        let servers = place.read().run.servers;
        let of = |name: &str| servers.iter().map(|server| server.agreed[name].clone()).collect::<Vec<_>>();
        assert_eq!(of("MARIADB_CLIENT_CACHE_METADATA"), [cached, "off"]);
        let (_, differing) =
            done.stdout.split_once("What else differs between the servers").expect("a table of settings");
        let has = |name: &str| differing.lines().any(|line| line.trim_start().starts_with(name));
        assert_eq!(has("MARIADB_CLIENT_CACHE_METADATA"), extra.is_empty(), "{differing}");
        assert_eq!(has("performance_schema "), extra.is_empty(), "{differing}");
    }
}

#[test]
fn the_charset_of_the_connection() {
    let words =
        ["--connection-charset=match,utf8mb4", "-c", "latin1_swedish_ci", "-w", "varchar_lookup", "--text=latin"];
    let measured = Place::new().measured(&words);
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
    assert_eq!(in_force, [("latin1", "latin1"), ("latin1", "utf8mb4")]);
    // What is not ASCII is looked up in either charset, and found.
    assert!(measured.results().all(|variant| variant.rows_per_query == Some(1.0)));
}

#[test]
fn threads_and_texts_multiply() {
    let words = [
        "--threads=1,2",
        "--text=cyrillic,digits",
        "-w",
        "order_ranges:10",
        "--collation=utf8mb4_bin,utf8mb4_general_ci",
    ];
    let measured = Place::new().measured(&words);
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
fn a_charset_of_which_only_the_server_knows_what_it_holds_is_left_out_with_a_note() {
    let words = [
        "--text=cyrillic",
        "-c",
        "utf8mb4_bin,dec8_swedish_ci",
        "--connection-charset=utf8mb4",
        "-w",
        "oltp_point_select",
    ];
    let measured = Place::new().measured(&words);
    measured.assert_complete();
    assert_eq!(measured.collations(0), ["utf8mb4_bin"]);
    assert!(measured.notes().contains("dec8_swedish_ci: dec8 has no "), "{}", measured.notes());
}

#[test]
fn every_workload() {
    let names: Vec<&str> = workload::Kind::ALL.iter().map(|kind| kind.name()).collect();
    let measured = Place::new().measured(&["-c", "utf8mb4_general_ci", "-w", &names.join(",")]);
    measured.assert_complete();
    assert_eq!(measured.run.conditions.iter().map(|condition| condition.workload.as_str()).collect::<Vec<_>>(), names);
    assert_eq!(measured.results().count(), 3 * names.len(), "a baseline, its copy and a variant each");
}

/// Statements of a transaction, which must be the same in every block.
fn statements_an_event(measured: &Measured) -> u64 {
    let sides: Vec<_> = measured.blocks.iter().flat_map(|block| &block.sides).filter(|side| side.events > 0).collect();
    let count = sides[0].queries / sides[0].events;
    assert!(sides.iter().all(|side| side.queries == count * side.events));
    count
}

#[test]
fn solo_as_text_without_transactions() {
    let words = ["--mode=solo", "--protocol=text", "--skip-trx", "-c", "utf8mb4_bin", "-w", "oltp_read_write"];
    let measured = Place::new().measured(&words);
    measured.assert_complete();
    let options = &measured.run.options;
    assert_eq!((options.mode, options.protocol.as_str(), options.skip_trx), (Mode::Solo, "text", true));
    assert!(measured.blocks.iter().all(|block| block.pair.is_none() && block.sides.len() == 1));
    // 10 point selects, 4 ranges, 2 updates, a delete and an insert.
    assert_eq!(statements_an_event(&measured), 18);
}

#[test]
fn a_range_of_its_own_and_transactions() {
    let measured = Place::new().measured(&["-c", "utf8mb4_bin", "-w", "oltp_read_only:50,distinct_ranges:10"]);
    measured.assert_complete();
    for (condition, result) in measured.run.conditions.iter().zip(&measured.analysis.conditions) {
        for variant in &result.variants {
            let rows = variant.rows_per_query.unwrap();
            // 10 points, 3 ranges and a sum in 16 statements, BEGIN and COMMIT among them; a range at the table's end is shorter.
            // A turn's first statement is not counted, so what counts is not of whole transactions only.
            let most = if condition.workload == "distinct_ranges:10" { 10.0 } else { (10.0 + 3.0 * 50.0 + 1.0) / 16.0 };
            assert!(rows > 0.8 * most && rows <= 1.1 * most, "{condition}: {rows}");
        }
    }
}

#[test]
fn more_connections_than_the_soft_limit_of_files_allows() {
    let place = Place::new();
    let words = ["--threads=100", "-c", "latin1_swedish_ci", "-w", "oltp_point_select", "--mode=solo"];
    let bench = place.bench(&SMALL, &words);
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -S -n 128; exec \"$0\" \"$@\""]).arg(bench.get_program()).args(bench.get_args());
    place.set_up(&mut shell);
    let done = place.end(shell.spawn().unwrap());
    assert_eq!(done.code, Some(0), "{done}");
    // The baseline and its copy, 100 connections each.
    assert!(place.read().results().all(|variant| variant.queries_per_s > 0.0));
}
