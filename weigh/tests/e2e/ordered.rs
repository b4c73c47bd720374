//! The filters agree with servers.

use mysql::prelude::Queryable;
use server::Conn;
use server::{NoProgress, Options, Server, open};
use workload::Text;

use crate::offline::filter;
use crate::workspace::Workspace;

/// Lines in many scripts, with differences in case and accents, common prefixes, spaces and
/// controls.
fn lines() -> Vec<String> {
    let mut lines = Vec::new();
    for text in Text::ALL {
        for seed in 0..60 {
            lines.push(text.sample(seed, 1 + (seed as usize % 12)));
        }
    }
    for seed in 0..250 {
        let word = [Text::Latin, Text::Cyrillic, Text::Mixed][seed as usize % 3].sample(seed, 5);
        lines.extend([
            word.to_uppercase(),
            word.to_lowercase(),
            format!("{word} "),
            format!("{word}\t"),
            format!("{word}e\u{301}"),
        ]);
        lines.push(word.chars().take(3).collect());
    }
    lines.extend(
        ["", " ", "ß", "ss", "l·l", "เก", "แก", "가", "각", "한글", "\u{1F600}", "\u{10FFFF}", "ǆ", "ﬁ"]
            .map(String::from),
    );
    lines.retain(|line| !line.contains('\n'));
    lines.sort_unstable();
    lines.dedup();
    lines
}

fn server(spec: &str) -> Server {
    let options = Options { buffer_pool: Some(64 << 20), ..Options::default() };
    open(&spec.parse().unwrap(), &options, &NoProgress).unwrap_or_else(|error| panic!("{spec}: {error}"))
}

fn fill(conn: &mut Conn, lines: &[String]) {
    conn.query_drop("CREATE DATABASE words CHARACTER SET utf8mb4").unwrap();
    conn.query_drop("USE words").unwrap();
    // ORDER BY compares this many bytes of a key. With the default 1024, MariaDB doesn't reach the
    // last level of a VARCHAR(200).
    conn.query_drop("SET SESSION max_sort_length = 100000").unwrap();
    conn.query_drop("CREATE TABLE t (v VARCHAR(200) CHARACTER SET utf8mb4 NOT NULL)").unwrap();
    let value = |line: &String| format!("(_utf8mb4 X'{}')", hex(line.as_bytes()));
    for some in lines.chunks(500) {
        let values: Vec<String> = some.iter().map(value).collect();
        conn.query_drop(format!("INSERT INTO t VALUES {}", values.join(","))).unwrap();
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

fn weigh_lines(command: &str, words: &[&str], lines: &[String]) -> Vec<String> {
    let workspace = Workspace::new();
    let input = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    let (code, stdout) = filter(workspace.weigh(&[&[command], words].concat()), input.as_bytes());
    assert_eq!(code, Some(0), "{words:?}");
    String::from_utf8(stdout).unwrap().lines().map(String::from).collect()
}

fn assert_agrees(spec: &str, flavour: &str, collations: &[&str]) {
    let (server, lines) = (server(spec), lines());
    assert!(lines.len() > 1500, "{}", lines.len());
    let mut conn = server.connect().unwrap();
    fill(&mut conn, &lines);
    for collation in collations {
        let words = ["-c", collation, "--flavour", flavour];
        let query = format!("SELECT CAST(v AS BINARY) FROM t ORDER BY v COLLATE {collation}, HEX(v)");
        let rows: Vec<Vec<u8>> = conn.query(query).unwrap();
        let ordered: Vec<String> = rows.into_iter().map(|row| String::from_utf8(row).unwrap()).collect();
        assert_same(&format!("{spec} {collation}, ORDER BY"), &weigh_lines("sort", &words, &lines), &ordered);

        // Sort keys have the order of the lines.
        let mut keyed: Vec<(String, &String)> =
            weigh_lines("weights", &words, &lines).into_iter().zip(&lines).collect();
        keyed.sort();
        let by_key: Vec<String> = keyed.into_iter().map(|(_, line)| line.clone()).collect();
        assert_same(&format!("{spec} {collation}, keys"), &by_key, &ordered);

        let query = format!("SELECT HEX(v), HEX(WEIGHT_STRING(v COLLATE {collation})) FROM t ORDER BY HEX(v)");
        let rows: Vec<(String, String)> = conn.query(query).unwrap();
        let weights: Vec<String> = rows.into_iter().map(|(_, weights)| weights).collect();
        let own = weigh_lines("weights", &[&words[..], &["--weight-string"]].concat(), &lines);
        assert_same(&format!("{spec} {collation}, WEIGHT_STRING"), &own, &weights);
    }
}

fn assert_same(what: &str, own: &[String], servers: &[String]) {
    assert_eq!(own.len(), servers.len(), "{what}");
    for (index, (own, servers)) in own.iter().zip(servers).enumerate() {
        assert_eq!(own, servers, "{what}: line {}", index + 1);
    }
}

#[test]
fn orders_lines_like_mariadb() {
    let collations = [
        "utf8mb4_general_ci",
        "utf8mb4_bin",
        "utf8mb4_unicode_ci",
        "utf8mb4_unicode_520_ci",
        "utf8mb4_unicode_nopad_ci",
        "utf8mb4_uca1400_ai_ci",
        "utf8mb4_uca1400_as_cs",
    ];
    assert_agrees("mariadb@trixie", "mariadb", &collations);
}

#[test]
fn orders_lines_like_mysql() {
    let collations = [
        "utf8mb4_general_ci",
        "utf8mb4_unicode_ci",
        "utf8mb4_unicode_520_ci",
        "utf8mb4_0900_ai_ci",
        "utf8mb4_0900_as_cs",
        "utf8mb4_0900_bin",
    ];
    assert_agrees("mysql@sid", "mysql", &collations);
}

#[test]
fn orders_lines_like_old_mysql() {
    assert_agrees(
        "mysql@5.6",
        "mysql",
        &["utf8mb4_general_ci", "utf8mb4_bin", "utf8mb4_unicode_ci", "utf8mb4_unicode_520_ci"],
    );
}
