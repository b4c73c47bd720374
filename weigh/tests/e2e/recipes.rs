//! Recipes: experiments from a file, with judged claims.

use std::fs;

use measure::PairKind;
use recipe::ClaimVerdict;

use crate::workspace::{Finished, Workspace};

/// A recipe with few rows. Two server charsets take two instances of one program. The
/// bounds of the first two claims are a thousandth and a thousand, so that any ratio decides them.
/// The third claim needs a MySQL server, and is not measured.
pub const CUSTOM_RECIPE: &str = r#"
title = "Layers"
study = "Me, today"
servers = ["mariadb"]
server_charsets = ["latin1", "utf8mb4"]
baseline = "latin1_swedish_ci"
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

fn run(workspace: &Workspace, words: &[&str]) -> Finished {
    workspace.wait_for_end(workspace.weigh(&[&["run"], words].concat()).spawn().unwrap())
}

#[test]
fn judges_claims_of_a_custom_recipe() {
    let workspace = Workspace::new();
    fs::write(workspace.root().join("mine.toml"), CUSTOM_RECIPE).unwrap();
    let finished = run(&workspace, &["./mine.toml", "--out=out"]);
    assert_eq!(finished.code, Some(0), "{finished}");
    for line in [
        "Me, today: 1 of 3 claims holds here, 1 does not, 1 stays open",
        "✓ the connection costs no more than all: latin1_swedish_ci over a utf8mb4 connection × ",
        "✗ the server's charset makes it a thousand times faster: ",
        "– MySQL is faster: nothing that it speaks of was measured",
    ] {
        assert!(finished.stdout.contains(line), "`{line}` is not in: {finished}");
    }

    // The folder holds all that the verdicts need.
    let measured = workspace.read();
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
    // Two collations and two connection charsets on both servers: each variant has a pair with the
    // same variant of the other server.
    let cross_server = run.pairs.iter().filter(|pair| pair.kind == PairKind::Server).count();
    assert_eq!((measured.collations(0).len(), cross_server), (4, 4));
    assert!(run.command.as_ref().is_some_and(|command| command.contains("run ./mine.toml")), "{:?}", run.command);
}

#[test]
fn lists_prints_and_previews_recipes() {
    let workspace = Workspace::new();
    let list = run(&workspace, &["--list"]);
    assert!(
        list.code == Some(0)
            && ["percona-2019", "cnblogs-2020", "order-by-2021", "mariadb-collations"]
                .iter()
                .all(|name| list.stdout.contains(name)),
        "{list}"
    );
    let json = run(&workspace, &["--list", "--format=json"]);
    let recipes: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(recipes.as_array().map(Vec::len), Some(5));

    let printed = run(&workspace, &["--print", "percona-2019"]);
    fs::write(workspace.root().join("again.toml"), &printed.stdout).unwrap();
    let preview = run(&workspace, &["./again.toml", "--dry-run", "--server=mariadb", "--threads=3"]);
    assert_eq!(preview.code, Some(0), "{preview}");
    assert!(
        preview.stdout.contains("threads      3") && preview.stdout.contains("oltp_read_only, oltp_point_select"),
        "{preview}"
    );
}

#[test]
fn rejects_recipes_before_starting() {
    let workspace = Workspace::new();
    fs::write(workspace.root().join("bad.toml"), CUSTOM_RECIPE.replace("title", "tile")).unwrap();
    run(&workspace, &["percona-2018"]).refuses_with(&["no recipe `percona-2018`", "percona-2019"]);
    run(&workspace, &["./bad.toml"]).refuses_with(&["./bad.toml, line 2: unknown field `tile`"]);
    run(&workspace, &["percona-2019", "--scale=huge"]).refuses_with(&["has no scale `huge`; it has full, laptop"]);
    run(&workspace, &["percona-2019", "--max-time=10ms"]).refuses_with(&["--max-time", "raise it"]);
    run(&workspace, &["--list", "--format=csv"]).refuses_with(&["text or json"]);
}
