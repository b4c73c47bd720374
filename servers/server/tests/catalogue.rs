//! Starts, reads and stops servers of the catalogue.

mod common;

use common::{assert_gone, is_alive, options, private, socket};
use mysql::prelude::Queryable;
use server::{CharsetCollation, CollationInfo, Flavour, NoProgress, Spec, open, read_connection_charsets, read_layers};

struct Expected {
    flavour: Flavour,
    version: Box<dyn Fn(&str) -> bool>,
    /// Default charset of the build.
    charset: &'static str,
    /// A collation that the server has.
    collation: &'static str,
    /// A collation that the server lacks.
    lacks: &'static str,
}

fn check_server(name: &str, expected: &Expected) {
    let server = private(name);
    assert_eq!((server.flavour(), server.is_private()), (expected.flavour, true));
    assert!((expected.version)(server.version()), "{}", server.version());
    assert!(!server.version_comment().is_empty());
    server.check_alive().unwrap();

    let mut conn = server.connect().unwrap();
    conn.query_drop("CREATE DATABASE weigh_layers CHARACTER SET latin1 COLLATE latin1_german1_ci").unwrap();
    conn.query_drop(
        "CREATE TABLE weigh_layers.t (id INT, c CHAR(9) COLLATE utf8mb4_unicode_ci) DEFAULT CHARSET utf8mb4 COLLATE utf8mb4_bin",
    )
    .unwrap();
    let read = read_layers(&mut conn, "weigh_layers", "t", "c").unwrap();
    let pair =
        |charset: &str, collation: &str| CharsetCollation { charset: charset.into(), collation: collation.into() };
    assert_eq!(read.server.charset, expected.charset);
    assert_eq!(read.database, pair("latin1", "latin1_german1_ci"));
    assert_eq!(read.table, pair("utf8mb4", "utf8mb4_bin"));
    assert_eq!(read.column, Some(pair("utf8mb4", "utf8mb4_unicode_ci")));
    assert_eq!((read.connection, read.handshake_collation_id), (None, None));
    assert_eq!(read_layers(&mut conn, "weigh_layers", "t", "id").unwrap().column, None);
    assert!(read_layers(&mut conn, "weigh_layers", "t", "nope").is_err());
    conn.query_drop("SET NAMES latin1 COLLATE latin1_bin, character_set_results = NULL").unwrap();
    let charsets = read_connection_charsets(&mut conn).unwrap();
    assert_eq!((charsets.client.as_str(), charsets.collation.as_str()), ("latin1", "latin1_bin"));
    assert_eq!(charsets.results, None);

    check_collations(&server.read_collations().unwrap(), expected);

    let (pid, socket) = (server.pid().unwrap(), socket(&server));
    assert!(is_alive(pid) && socket.exists());
    // The server does not run as root, even if this test does.
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let ids = status.lines().find_map(|line| line.strip_prefix("Uid:")).unwrap();
    assert!(ids.split_whitespace().all(|id| id != "0"), "{name} runs as root:{ids}");
    server.stop().unwrap();
    assert_gone(pid, socket.parent().unwrap());
}

fn check_collations(collations: &[CollationInfo], expected: &Expected) {
    let find = |name: &str| collations.iter().find(|collation| collation.name == name);
    let swedish = find("latin1_swedish_ci").unwrap();
    assert_eq!((swedish.id, swedish.charset.as_str(), swedish.is_default), (8, "latin1", true));
    let bin = find("utf8mb4_bin").unwrap();
    assert_eq!((bin.id, bin.charset.as_str(), bin.is_default), (46, "utf8mb4", false));
    assert!(find(expected.collation).is_some() && find(expected.lacks).is_none());
    let mut ids: Vec<u16> = collations.iter().map(|collation| collation.id).collect();
    assert!(ids.is_sorted());
    ids.dedup();
    assert_eq!(ids.len(), collations.len(), "ids are unique");
}

#[test]
fn mariadb_bookworm() {
    let expected = Expected {
        flavour: Flavour::MariaDb,
        version: Box::new(|version| version.starts_with("10.11.")),
        charset: "latin1",
        collation: "utf8mb4_uca1400_ai_ci",
        lacks: "utf8mb4_0900_ai_ci",
    };
    check_server("mariadb@bookworm", &expected);
}

#[test]
fn mysql_5_6() {
    let expected = Expected {
        flavour: Flavour::MySql,
        version: Box::new(|version| version.starts_with("5.6.")),
        charset: "latin1",
        collation: "utf8mb4_unicode_520_ci",
        lacks: "utf8mb4_0900_ai_ci",
    };
    check_server("mysql@5.6", &expected);
}

#[test]
fn mysql_sid() {
    let expected = Expected {
        flavour: Flavour::MySql,
        // Debian unstable updates the version.
        version: Box::new(|version| version.split('.').next().is_some_and(|major| major.parse::<u32>().unwrap() >= 8)),
        charset: "utf8mb4",
        collation: "utf8mb4_0900_ai_ci",
        lacks: "utf8mb4_uca1400_ai_ci",
    };
    check_server("mysql@sid", &expected);
}

#[test]
fn servers_of_the_maven_repository() {
    for (name, flavour, version, charset, collation, lacks) in [
        ("mysql@5.7", Flavour::MySql, "5.7.22", "latin1", "utf8_general_ci", "utf8mb4_0900_ai_ci"),
        ("mysql@8.0", Flavour::MySql, "8.0.12", "utf8mb4", "utf8mb4_0900_ai_ci", "utf8mb3_general_ci"),
        ("mariadb@11.4", Flavour::MariaDb, "11.4.5", "latin1", "utf8mb4_uca1400_ai_ci", "utf8mb4_ja_0900_as_cs"),
        ("mariadb@10.2", Flavour::MariaDb, "10.2.11", "latin1", "utf8mb4_unicode_nopad_ci", "utf8mb4_uca1400_ai_ci"),
        ("mariadb@10.1", Flavour::MariaDb, "10.1.23", "latin1", "utf8mb4_unicode_520_ci", "utf8mb4_unicode_nopad_ci"),
    ] {
        let expected =
            Expected { flavour, version: Box::new(move |found| found.starts_with(version)), charset, collation, lacks };
        check_server(name, &expected);
    }
}

#[test]
fn default_spec_opens_a_server() {
    let server = open(&Spec::default(), &options(), &NoProgress).unwrap();
    let one: Option<u8> = server.connect().unwrap().query_first("SELECT 1").unwrap();
    assert_eq!(one, Some(1));
}

#[test]
fn two_instances_of_a_server_run_at_once() {
    let (first, second) = (private("mariadb"), private("mariadb"));
    assert_ne!(first.endpoint(), second.endpoint());
    first.connect().unwrap().query_drop("CREATE DATABASE weigh_one").unwrap();
    second.connect().unwrap().query_drop("CREATE DATABASE weigh_one").unwrap();
    drop(first);
    second.check_alive().unwrap();
    assert_eq!(second.connect().unwrap().query_first::<u8, _>("SELECT 1").unwrap(), Some(1));
}
