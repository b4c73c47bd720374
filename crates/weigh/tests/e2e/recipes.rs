//! Recipes: an experiment out of a file, and its claims judged.

use std::fs;

use measure::PairKind;
use recipe::ClaimVerdict;

use crate::place::{Done, Place};

/// Which layer costs, on few rows: the server's charset is two instances of one program. Whatever the machine's mood, a thousandth is
/// less and a thousand times more than what any of it can be.
pub const MINE: &str = r#"
title = "Layers"
study = "Me, today"
servers = ["mariadb"]
server_charsets = ["latin1", "utf8mb4"]
collations = ["utf8mb4_general_ci", "utf8mb4_0900_ai_ci"]
connections = ["latin1", "utf8mb4"]
workloads = ["oltp_point_select"]
[scales.tiny]
threads = [1]
table_size = 500
precision = "100%"
max_time = "2m"
block = "60ms"
warmup = "10ms"
replicates = 3
settings = { sort_buffer_size = "1M" }
[[claims]]
text = "the connection costs no more than all"
variant = { connection = "utf8mb4" }
against = { connection = "latin1" }
on = { server_charset = "latin1", charset = "latin1" }
ratio = { above = 0.001 }
[[claims]]
text = "the server's charset makes it a thousand times faster"
variant = { server_charset = "utf8mb4" }
against = { server_charset = "latin1" }
ratio = { above = 1000.0 }
[[claims]]
text = "MySQL is faster"
variant = { flavour = "mysql" }
against = { flavour = "mariadb" }
ratio = { above = 1.0 }
"#;

fn run(place: &Place, words: &[&str]) -> Done {
    place.end(place.weigh(&[&["run"], words].concat()).spawn().unwrap())
}

#[test]
fn a_recipe_of_the_users_own_is_measured_and_its_claims_are_judged() {
    let place = Place::new();
    fs::write(place.root().join("mine.toml"), MINE).unwrap();
    let done = run(&place, &["./mine.toml", "--out=out"]);
    assert_eq!(done.code, Some(0), "{done}");
    for line in [
        "What Me, today found, and whether it holds here",
        "confirmed: the connection costs no more than all: latin1_swedish_ci over a utf8mb4 connection × ",
        "refuted: the server's charset makes it a thousand times faster: ",
        "not measured: MySQL is faster: nothing that it speaks of was measured",
    ] {
        assert!(done.stdout.contains(line), "`{line}` is not in: {done}");
    }

    // All that the verdicts need is in the folder.
    let measured = place.read();
    measured.assert_complete();
    let claims = recipe::judge(&measured.run, &measured.analysis);
    let verdicts: Vec<ClaimVerdict> = claims.iter().map(|claim| claim.verdict).collect();
    assert_eq!(verdicts, [ClaimVerdict::Confirmed, ClaimVerdict::Refuted, ClaimVerdict::NotMeasured]);

    let run = &measured.run;
    let charsets: Vec<&str> =
        run.servers.iter().map(|server| server.settings["character_set_server"].as_str()).collect();
    assert_eq!(charsets, ["latin1", "utf8mb4"]);
    assert!(run.servers[1].label.ends_with(" (server utf8mb4)"), "{}", run.servers[1].label);
    assert!(run.servers.iter().all(|server| server.settings["sort_buffer_size"] == "1048576"));
    // Two collations over two connections each, on both: every one is held against its like on the other server.
    let cross_server = run.pairs.iter().filter(|pair| pair.kind == PairKind::Server).count();
    assert_eq!((measured.collations(0).len(), cross_server), (4, 4));
    assert!(run.command.as_ref().is_some_and(|command| command.contains("run ./mine.toml")), "{:?}", run.command);
}

#[test]
fn recipes_are_listed_printed_and_previewed() {
    let place = Place::new();
    let list = run(&place, &["--list"]);
    assert!(
        list.code == Some(0)
            && ["percona-2019", "cnblogs-2020", "order-by-2021", "mariadb-collations"]
                .iter()
                .all(|name| list.stdout.contains(name)),
        "{list}"
    );
    let json = run(&place, &["--list", "--format=json"]);
    let recipes: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(recipes.as_array().map(Vec::len), Some(5));

    let printed = run(&place, &["--print", "percona-2019"]);
    fs::write(place.root().join("again.toml"), &printed.stdout).unwrap();
    let preview = run(&place, &["./again.toml", "--dry-run", "--server=mariadb", "--threads=3"]);
    assert_eq!(preview.code, Some(0), "{preview}");
    assert!(
        preview.stdout.contains("threads      3") && preview.stdout.contains("oltp_read_only, oltp_point_select"),
        "{preview}"
    );
}

#[test]
fn what_can_not_be_run_is_told_before_anything_starts() {
    let place = Place::new();
    fs::write(place.root().join("bad.toml"), MINE.replace("title", "tile")).unwrap();
    run(&place, &["percona-2018"]).refuses_with(&["no recipe `percona-2018`", "percona-2019"]);
    run(&place, &["./bad.toml"]).refuses_with(&["./bad.toml, line 2: unknown field `tile`"]);
    run(&place, &["percona-2019", "--scale=huge"]).refuses_with(&["has no scale `huge`; it has full, laptop"]);
    run(&place, &["percona-2019", "--max-time=10ms"]).refuses_with(&["--max-time", "raise it"]);
    run(&place, &["--list", "--format=csv"]).refuses_with(&["text or json"]);
}
