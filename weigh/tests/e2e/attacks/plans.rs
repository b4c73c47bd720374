//! Definitions that act where a plan is run: on the machine of the client, or on another server.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use fetch::Tool;
use mysql::prelude::Queryable;
use preflight::Report;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use server::NoProgress;
use sql::ClientReader;

use super::rogue::Liar;
use super::weigh;
use crate::attach::Foreign;
use crate::workspace::{Finished, Workspace};

/// Servers with a collation to convert to.
const SERVERS: [(&str, &str); 2] = [("mariadb", "utf8mb4_unicode_ci"), ("mysql@sid", "utf8mb4_0900_ai_ci")];

fn start(name: &str) -> Foreign {
    let foreign = Foreign::start(name);
    for statement in [
        "CREATE DATABASE shop CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
        "CREATE TABLE shop.t (id INT PRIMARY KEY, s VARCHAR(41) CHARACTER SET latin1 NOT NULL DEFAULT 'defval' COMMENT 'commentval', \
         e ENUM('enuma', 'enumb') CHARACTER SET latin1, UNIQUE (s))",
    ] {
        foreign.run(statement);
    }
    foreign
}

fn preflight(workspace: &Workspace, socket: &Path, to: &str, words: &[&str]) -> Finished {
    let to = format!("--to={to}");
    let login = ["preflight", "--no-defaults", "--socket", socket.to_str().unwrap(), "--user=root", "--schema=shop"];
    weigh(workspace, &[&login[..], &["--all-columns", "--trial=none", &to], words].concat())
}

/// Runs a plan with MariaDB's client, which goes on after errors. Returns the files that appeared
/// in `ran`.
fn run(workspace: &Workspace, server: &Foreign, plan: &str) -> Vec<String> {
    run_client(workspace, server, plan);
    list_ran(workspace)
}

/// Runs a script as [`run`] does. Returns what the client printed.
fn run_client(workspace: &Workspace, server: &Foreign, script: &str) -> String {
    let mut client = Command::new(Tool::Client.find_or_install(&NoProgress).unwrap());
    client.args(["--no-defaults", "--user=root", "--comments", "--force", "--named-commands", "--skip-column-names"]);
    let script = File::open(workspace.root().join(script)).unwrap();
    let output = client.arg("--socket").arg(server.socket()).stdin(script).output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Returns the files in `ran`.
fn list_ran(workspace: &Workspace) -> Vec<String> {
    let files = fs::read_dir(workspace.root().join("ran")).unwrap();
    files.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// `\! touch …/ran/NAME`
fn touch(workspace: &Workspace, name: &str) -> String {
    format!("\\! touch {}", workspace.root().join("ran").join(name).display())
}

/// Texts that are one statement in the character set of their author's client, and two in UTF-8.
#[test]
fn programs_of_other_character_sets_stay_out_of_the_plan() {
    for name in ["mysql@5.7", "mysql@sid", "mariadb"] {
        let (server, workspace) = (start(name), Workspace::new());
        let definitions = b"delimiter $$\nset names swe7$$\n\
            create procedure shop.p1() select '\\'; drop database victim; -- '$$\nset names armscii8$$\n\
            create procedure shop.p2() select '\xff; drop database victim; -- '$$\nset names latin1$$\n\
            create procedure shop.p3() select 1 --\xa0; drop database victim$$\n";
        fs::create_dir(workspace.root().join("ran")).unwrap();
        fs::write(workspace.root().join("definitions.sql"), definitions).unwrap();
        run(&workspace, &server, "definitions.sql");
        server.run("CREATE PROCEDURE shop.harmless() SELECT 'ö'");
        let finished = preflight(&workspace, &server.socket(), "utf8mb4_unicode_ci", &["--plan=plan.sql"]);
        let plan = fs::read_to_string(workspace.root().join("plan.sql")).unwrap();
        assert!(plan.contains("harmless") && !plan.contains("drop database victim"), "{name}: {plan}");
        assert!(finished.stdout.contains("swe7") && finished.stdout.contains("armscii8"), "{name}: {finished}");
    }
}

#[test]
fn bodies_of_programs_run_nothing_in_the_client() {
    for (name, to) in SERVERS {
        let (server, workspace) = (start(name), Workspace::new());
        fs::create_dir(workspace.root().join("ran")).unwrap();
        let touch = |name: &str| touch(&workspace, name);
        let mut conn = server.hold_session("USE shop");
        for (sql_mode, program) in [
            ("", format!("dash() BEGIN SET @a = 1; --\u{1f}' \n SET @c = '{}\n'; END", touch("dash"))),
            ("", format!("control() BEGIN SET @a = 1; --\u{7f}' \n SET @c = '{}\n'; END", touch("control"))),
            ("", format!("comment() BEGIN SET @a = 1; /*M!999999 {}\n */ END", touch("comment"))),
            ("", format!("quote() BEGIN SET @a = 1; /*M!999999 ' */ SET @b = '\n{}\n'; END", touch("quote"))),
            ("ANSI_QUOTES", format!("ansi() BEGIN DECLARE \"a\\\" INT; SET @b = '\" {}\n\"'; END", touch("ansi"))),
            ("NO_BACKSLASH_ESCAPES", format!("mode() BEGIN SET @a = 'a\\', @b = '{}\n'; END", touch("mode"))),
            // Both together: for the client, the comment of the first ends in the second.
            ("", "overlap() BEGIN SELECT 1 /* /*/; END".to_owned()),
            ("", format!("overlapped() BEGIN SELECT '*/\n{}\n'; END", touch("overlap"))),
            (
                "",
                "harmless() BEGIN SET @a = 'can\\'t', @b = '\\\\! touch'; SELECT /*! STRAIGHT_JOIN */ 1; END"
                    .to_owned(),
            ),
        ] {
            conn.query_drop(format!("SET SESSION sql_mode = '{sql_mode}'")).unwrap();
            // MariaDB reads comments that MySQL leaves out, and the other way round.
            if let Err(error) = conn.query_drop(format!("CREATE PROCEDURE {program}")) {
                eprintln!("{name}: not created: {error}");
            }
        }
        let finished = preflight(&workspace, &server.socket(), to, &["--plan=plan.sql", "--plan-back=back.sql"]);
        assert_eq!(finished.code, Some(1), "{finished}");
        for file in ["plan.sql", "back.sql"] {
            assert_eq!(run(&workspace, &server, file), [""; 0], "{name}: {file}");
        }
        let json = preflight(&workspace, &server.socket(), "utf8mb4_bin", &["--format=json"]);
        let report: Report = serde_json::from_str(&json.stdout).unwrap();
        let left_out: Vec<&str> = report
            .findings
            .iter()
            .filter(|finding| finding.check == "client")
            .map(|finding| finding.object.name.as_str())
            .collect();
        for name in ["shop.dash", "shop.ansi", "shop.overlap"] {
            assert!(left_out.contains(&name), "{name}: {left_out:?}");
        }
        assert!(!left_out.contains(&"shop.harmless") && !left_out.contains(&"shop.t"), "{left_out:?}");
        let steps = &report.plan.as_ref().unwrap().steps;
        let is_blocked = |object: &str| steps.iter().filter(|step| step.object == object).all(|step| step.blocked);
        assert!(is_blocked("shop.dash") && !is_blocked("shop.harmless"), "{steps:#?}");
    }
}

/// The client reads random bodies that `ClientReader` takes for safe as one statement each, and
/// runs no command in them.
#[test]
fn the_client_agrees_with_its_reader_about_random_bodies() {
    const PARTS: [&str; 44] = [
        "'",
        "\"",
        "`",
        "\\",
        "\\'",
        "--",
        "-- ",
        "--\u{1}",
        "--\t",
        "--\u{7f}",
        "#",
        "/*",
        "/*!",
        "/*!50000 ",
        "/*M!",
        "/*M!100000 ",
        "/*+",
        "*/",
        "/",
        "*",
        "\n",
        "\r",
        " ",
        "a",
        ";",
        "$$",
        "\u{1a}",
        "\u{c}",
        "é",
        "\u{a0}",
        "''",
        "1",
        "N'",
        "\u{8}",
        "@`",
        "!",
        "/**/",
        "/*/",
        "*/*",
        "COMMAND",
        "\nCOMMAND",
        ";\nSELECT 'early';\n",
        "\\n",
        "\\N",
    ];
    let (server, workspace) = (Foreign::start("mariadb"), Workspace::new());
    fs::create_dir(workspace.root().join("ran")).unwrap();
    let command = format!("{}\n", touch(&workspace, "command"));
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let (mut script, mut count, mut reader) = (String::new(), 0, ClientReader::default());
    while count < 1_000 {
        let length = 3 + random.next_u64() as usize % 14;
        let body: String = (0..length).map(|_| PARTS[random.next_u64() as usize % PARTS.len()]).collect();
        if !body.contains("COMMAND") {
            continue;
        }
        let statement = format!("CREATE PROCEDURE p() BEGIN {} END", body.replace("COMMAND", &command));
        if let Ok(closing) = reader.read(&statement, "$$", true) {
            script += &format!("DELIMITER $$\n{statement}\n$$\nDELIMITER ;\n{closing}SELECT 'marker {count}';\n");
            count += 1;
        }
    }
    fs::write(workspace.root().join("plan.sql"), script).unwrap();
    let printed = run_client(&workspace, &server, "plan.sql");
    assert_eq!(printed.lines().filter(|line| line.starts_with("marker ")).count(), count, "{printed}");
    assert!(printed.lines().all(|line| line != "early"), "{printed}");
    assert_eq!(list_ran(&workspace), [""; 0]);
}

#[test]
fn definitions_of_a_lying_server_run_nothing_in_the_client() {
    for (name, to) in SERVERS {
        let (server, workspace) = (start(name), Workspace::new());
        fs::create_dir(workspace.root().join("ran")).unwrap();
        server.run("CREATE PROCEDURE shop.p() SELECT s FROM t");
        for place in
            ["varchar(41)", "'defval", "'commentval", "'enuma", "SELECT s FROM t", "DEFINER=`root`@`localhost`"]
        {
            for attack in ["\nCOMMAND\n", "' \nCOMMAND\n '", ";\nCOMMAND\n"] {
                let lie = format!("{place}{}", attack.replace("COMMAND", &touch(&workspace, "lie")));
                let liar = Liar::start(workspace.root(), &server.socket(), place, &lie);
                let _ = fs::remove_file(workspace.root().join("plan.sql"));
                let finished = preflight(&workspace, &liar.socket, to, &["--plan=plan.sql", "--timeout=20s"]);
                assert!(liar.has_lied(), "{name}: {place}: {finished}");
                if workspace.root().join("plan.sql").exists() {
                    assert_eq!(run(&workspace, &server, "plan.sql"), [""; 0], "{name}: {lie:?}");
                }
            }
        }
    }
}

#[test]
fn a_body_is_one_statement_on_the_server_of_apply_to() {
    for (name, to) in SERVERS {
        let (source, target, workspace) = (start(name), start(name), Workspace::new());
        for server in [&source, &target] {
            server.run("CREATE PROCEDURE shop.p() SELECT s FROM t");
        }
        target.run("CREATE DATABASE weigh_victim");
        let lie = "begin end; DROP DATABASE weigh_victim";
        let liar = Liar::start(workspace.root(), &source.socket(), "SELECT s FROM t", lie);
        let apply_to = format!("--apply-to=u=root,S={}", target.socket().display());
        let finished = preflight(&workspace, &liar.socket, to, &[&apply_to]);
        assert!(liar.has_lied() && finished.code == Some(1), "{finished}");
        assert!(finished.stdout.contains("the plan stopped on"), "{finished}");
        assert_eq!(target.schemas(), ["weigh_mine", "weigh_victim"], "{finished}");
    }
}

/// A GRANT of MySQL 5.7 creates an account without a password, unless its SQL mode refuses that.
#[test]
fn grants_of_a_plan_create_no_account() {
    let (source, target, copy, workspace) =
        (start("mysql@8.0"), start("mysql@5.7"), start("mysql@5.7"), Workspace::new());
    fs::create_dir(workspace.root().join("ran")).unwrap();
    source.run("CREATE PROCEDURE shop.p() SELECT s FROM t");
    for account in ["joe@'%'", "ann@'%'"] {
        source.run(&format!("CREATE USER {account} IDENTIFIED WITH mysql_native_password BY 'p'"));
        source.run(&format!("GRANT EXECUTE ON PROCEDURE shop.p TO {account}"));
    }
    for server in [&target, &copy] {
        server.run("CREATE USER ann@'%' IDENTIFIED BY 'p'");
    }
    let apply_to = format!("--apply-to=u=root,S={}", target.socket().display());
    let finished = preflight(&workspace, &source.socket(), "utf8mb4_unicode_ci", &["--plan=plan.sql", &apply_to]);
    assert!(finished.stdout.contains("statements ran without an error"), "{finished}");
    assert!(finished.stdout.contains("were left out: 'joe'@'%'"), "{finished}");
    assert_eq!(run(&workspace, &copy, "plan.sql"), [""; 0]);
    for server in [&target, &copy] {
        let mut conn = server.hold_session("USE shop");
        let granted: Vec<String> = conn.query("SELECT User FROM mysql.procs_priv WHERE Db = 'shop'").unwrap();
        let accounts: Vec<String> = conn.query("SELECT User FROM mysql.user WHERE User = 'joe'").unwrap();
        assert_eq!((granted, accounts), (vec!["ann".to_owned()], Vec::new()));
    }
}

#[test]
fn names_with_control_characters_stay_out_of_scripts_and_terminals() {
    let (server, workspace) = (start("mariadb"), Workspace::new());
    server.run("CREATE TABLE shop.`t\u{1}';touch pwned;#` (s VARCHAR(9) CHARACTER SET latin1, KEY (s))");
    let programs = workspace.root().join("programs");
    fs::create_dir(&programs).unwrap();
    for name in ["gh-ost", "pt-online-schema-change"] {
        fs::write(programs.join(name), "#!/bin/sh\n").unwrap();
        fs::set_permissions(programs.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let text = preflight(&workspace, &server.socket(), "utf8mb4_unicode_ci", &[]);
    let [folder] = &crate::workspace::find_by_prefixes(workspace.root(), &["weigh-results", "2"])[..] else {
        panic!("{text}")
    };
    let script = fs::read_to_string(folder.join("plan-online.sh")).unwrap();
    assert!(script.contains("convert it by hand"), "{script}");
    let commands = script.replace("\n# gh-ost", "\ngh-ost").replace("\n# pt-online", "\npt-online");
    let path = format!("{}:/usr/bin:/bin", programs.display());
    for shell in ["dash", "bash"] {
        let mut shell = Command::new(shell);
        let ran = shell.args(["-c", &commands]).env("PATH", &path).current_dir(workspace.root()).output().unwrap();
        assert!(ran.status.success() && !workspace.root().join("pwned").exists(), "{commands}");
    }
    let sql = preflight(&workspace, &server.socket(), "utf8mb4_unicode_ci", &["--format=sql"]);
    assert!(!sql.stdout.contains(|c: char| c.is_control() && c != '\n'), "{sql}");
    assert!(sql.stdout.lines().all(|line| line.is_empty() || line.starts_with("-- ")), "{sql}");
}

#[test]
fn plans_replace_files_of_weigh_only() {
    let (server, workspace) = (start("mariadb"), Workspace::new());
    let at = |name: &str| workspace.root().join(name);
    for option in ["--plan", "--plan-back"] {
        fs::write(at("precious"), "-- mine\n").unwrap();
        let word = |name: &str| format!("{option}={name}");
        let refused = preflight(&workspace, &server.socket(), "utf8mb4_unicode_ci", &[&word("precious")]);
        refused.refuses_with(&["precious", "weigh did not write it"]);
        assert_eq!(fs::read_to_string(at("precious")).unwrap(), "-- mine\n");
        for _ in 0..2 {
            let again = preflight(&workspace, &server.socket(), "utf8mb4_unicode_ci", &[&word("own")]);
            assert_ne!(again.code, Some(2), "{again}");
        }
    }
}
