//! Character sets of logs and scripts. weigh reads UTF-8: a server that reads gbk ends a string, or
//! a name in backticks, elsewhere.

use std::fs;

use mysql::prelude::Queryable;
use sql::SqlMode;

use super::weigh;
use crate::attach::Foreign;
use crate::workspace::Workspace;

const SPECS: [&str; 2] = ["mysql@sid", "mariadb@trixie"];

/// One string in UTF-8.
const IN_STRING: &str = r#"SET @a = '中\', GLOBAL init_connect = "owned" # '"#;
/// Names in UTF-8.
const IN_NAMES: &str = "SET @`中` = 1, @` = 1, GLOBAL init_connect = 0x6F776E6564 # ` = 1";

pub fn start(spec: &str) -> Foreign {
    let server = Foreign::start(spec);
    server.run("CREATE DATABASE shop CHARACTER SET utf8mb4");
    server.run("CREATE TABLE shop.a (id INT PRIMARY KEY, x VARCHAR(9))");
    server
}

/// Makes a slow log of statements in the schema `shop`.
pub fn slow_log(statements: &[&str]) -> String {
    let entry = |text: &&str| {
        format!(
            "# Time: 2026-11-30T06:00:00.000000Z\n# User@Host: m[m] @ localhost []  Id:     8\n\
             # Query_time: 12.000000  Lock_time: 0.000000 Rows_sent: 1  Rows_examined: 1\nuse shop;\n\
             SET timestamp=1764482400;\n{text};\n"
        )
    };
    statements.iter().map(entry).collect()
}

fn init_connect(server: &Foreign) -> String {
    server.hold_session("USE shop").query_first("SELECT @@GLOBAL.init_connect").unwrap().unwrap()
}

#[test]
fn settings_of_logs_in_gbk_reach_no_global_variable() {
    for spec in SPECS {
        let server = start(spec);
        let workspace = Workspace::new();
        let socket = format!("--socket={}", server.socket().display());
        for attack in [IN_STRING, IN_NAMES] {
            server.hold_session("SET NAMES gbk").query_drop(attack).unwrap();
            assert_eq!(init_connect(&server), "owned", "{spec}: the attack works: {attack}");
            server.run("SET GLOBAL init_connect = ''");
            let statements = ["SET NAMES gbk", attack, "SELECT x FROM a WHERE x = 'a'"];
            fs::write(workspace.root().join("app.sql"), statements.join(";\n")).unwrap();
            fs::write(workspace.root().join("slow.log"), slow_log(&statements)).unwrap();
            for command in ["audit", "why"] {
                for source in ["--sql=app.sql", "--slow-log=slow.log"] {
                    let words = [command, "--no-defaults", "-uroot", &socket, "--schema=shop", source];
                    let finished = weigh(&workspace, &words);
                    // The private copy of `why` can refuse the names.
                    assert!(matches!(finished.code, Some(0..=2)), "{spec}, {words:?}: {finished}");
                    assert_eq!(init_connect(&server), "", "{spec}, {words:?}: {attack}");
                }
            }
        }
    }
}

#[test]
fn queries_of_logs_in_gbk_write_no_file() {
    for spec in SPECS {
        let server = start(spec);
        let mut conn = server.hold_session("SET NAMES gbk");
        let folder: String = conn.query_first("SELECT @@GLOBAL.secure_file_priv").unwrap().unwrap();
        let attack =
            |name: &str| format!("SELECT '中\\' INTO DUMPFILE \"{}/{name}\" -- '", folder.trim_end_matches('/'));
        let mut is_there = |name: &str| -> bool {
            let file = format!("{}/{name}", folder.trim_end_matches('/'));
            conn.query_first(format!("SELECT LOAD_FILE('{file}') IS NOT NULL")).unwrap().unwrap()
        };
        server.hold_session("SET NAMES gbk").query_drop(attack("works")).unwrap();
        assert!(is_there("works"), "{spec}: the attack works");

        let workspace = Workspace::new();
        let (script, log) = (attack("script"), attack("log"));
        fs::write(workspace.root().join("app.sql"), ["SET NAMES gbk", &script].join(";\n")).unwrap();
        fs::write(workspace.root().join("slow.log"), slow_log(&["SET NAMES gbk", &log])).unwrap();
        let account = format!("u=root,S={}", server.socket().display());
        let both = [format!("--from={account}"), format!("--to={account}")];
        for (source, name) in [("--sql=app.sql", "script"), ("--slow-log=slow.log", "log")] {
            let words = ["upgrade", "--live", &both[0], &both[1], "--schema=shop", source];
            let finished = weigh(&workspace, &words);
            assert!(matches!(finished.code, Some(0 | 1)), "{spec}, {source}: {finished}");
            assert!(!is_there(name), "{spec}, {source}: {finished}");
            // The option of the application's collation.
            let finished = weigh(&workspace, &[&words[..], &["--connection-collation=gbk_bin"]].concat());
            assert!(!is_there(name), "{spec}, {source}: {finished}");
        }
    }
}

/// Literals and user variables get the collation of the log's session.
#[test]
fn settings_of_logs_decide_collations_only() {
    for spec in SPECS {
        let server = start(spec);
        for (names, literal) in [
            ("SET NAMES gbk COLLATE gbk_bin", "gbk_bin"),
            ("SET NAMES latin1", "latin1_swedish_ci"),
            ("SET NAMES swe7 COLLATE swe7_bin", "swe7_bin"),
            ("SET NAMES utf8mb4 COLLATE utf8mb4_bin, @@SESSION.sql_auto_is_null = 0", "utf8mb4_bin"),
            ("SET SESSION collation_connection = sjis_bin", "sjis_bin"),
        ] {
            let mut conn = server.hold_session("SET NAMES utf8mb4");
            for text in [names, r"SET @`中` := 'it''s \'é'", "SET @b = _latin1'x' COLLATE latin1_bin, @c = 5"] {
                facts::apply_settings(&mut conn, &sql::read_settings(text, SqlMode::default())).unwrap();
            }
            let session: (String, String, String, String, String, u8) = conn
                .query_first(
                    "SELECT @@character_set_client, @@character_set_results, COLLATION('a'), COLLATION(@`中`), \
                     COLLATION(@b), @c",
                )
                .unwrap()
                .unwrap();
            let expected = ["utf8mb4", "utf8mb4", literal, literal, "latin1_bin"].map(str::to_owned);
            assert_eq!([session.0, session.1, session.2, session.3, session.4], expected, "{spec}: {names}");
            assert_eq!(session.5, 5, "{spec}: {names}");
        }
        let mut conn = server.hold_session("SET NAMES utf8mb4 COLLATE utf8mb4_bin");
        let text = r"SET @a = 'it''s \'é'";
        facts::apply_settings(&mut conn, &sql::read_settings(text, SqlMode::default())).unwrap();
        let kept: (String, String) = conn.query_first("SELECT @a, COLLATION(@a)").unwrap().unwrap();
        assert_eq!(kept, ("it's 'é".to_owned(), "utf8mb4_bin".to_owned()), "{spec}");
    }
}
