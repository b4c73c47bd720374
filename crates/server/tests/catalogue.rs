//! Each kind of server of the catalogue: it starts, tells what is in force, and is gone without a trace.

mod common;

use common::{assert_gone, is_alive, options, private, socket};
use mysql::prelude::Queryable;
use server::{CharsetCollation, CollationInfo, Flavour, NoProgress, Spec, connection_charsets, layers, open};

struct Expected {
    flavour: Flavour,
    version: fn(&str) -> bool,
    /// The charset that the build ships as the server's default.
    charset: &'static str,
    collation: &'static str,
    lacks: &'static str,
}

fn lives_and_leaves_nothing(name: &str, expected: &Expected) {
    let server = private(name);
    assert_eq!((server.flavour(), server.is_private()), (expected.flavour, true));
    assert!((expected.version)(server.version()), "{}", server.version());
    assert!(!server.version_comment().is_empty());
    server.check_alive().unwrap();

    let mut conn = server.control().unwrap();
    conn.query_drop("CREATE DATABASE weigh_layers CHARACTER SET latin1 COLLATE latin1_german1_ci").unwrap();
    conn.query_drop(
        "CREATE TABLE weigh_layers.t (id INT, c CHAR(9) COLLATE utf8mb4_unicode_ci) DEFAULT CHARSET utf8mb4 COLLATE utf8mb4_bin",
    )
    .unwrap();
    let read = layers(&mut conn, "weigh_layers", "t", "c").unwrap();
    let pair =
        |charset: &str, collation: &str| CharsetCollation { charset: charset.into(), collation: collation.into() };
    assert_eq!(read.server.charset, expected.charset);
    assert_eq!(read.database, pair("latin1", "latin1_german1_ci"));
    assert_eq!(read.table, pair("utf8mb4", "utf8mb4_bin"));
    assert_eq!(read.column, Some(pair("utf8mb4", "utf8mb4_unicode_ci")));
    assert_eq!((read.connection, read.handshake_collation_id), (None, None));
    assert_eq!(layers(&mut conn, "weigh_layers", "t", "id").unwrap().column, None);
    assert!(layers(&mut conn, "weigh_layers", "t", "nope").is_err());
    conn.query_drop("SET NAMES latin1 COLLATE latin1_bin, character_set_results = NULL").unwrap();
    let charsets = connection_charsets(&mut conn).unwrap();
    assert_eq!((charsets.client.as_str(), charsets.collation.as_str()), ("latin1", "latin1_bin"));
    assert_eq!(charsets.results, None);

    collations_are_whole(&server.collations().unwrap(), expected);

    let (pid, socket) = (server.pid().unwrap(), socket(&server));
    assert!(is_alive(pid) && socket.exists());
    // Where root runs this, the server is not root: it has no rights but to its own folder.
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let ids = status.lines().find_map(|line| line.strip_prefix("Uid:")).unwrap();
    assert!(ids.split_whitespace().all(|id| id != "0"), "{name} runs as root:{ids}");
    server.stop().unwrap();
    assert_gone(pid, socket.parent().unwrap());
}

fn collations_are_whole(collations: &[CollationInfo], expected: &Expected) {
    let find = |name: &str| collations.iter().find(|collation| collation.name == name);
    let swedish = find("latin1_swedish_ci").unwrap();
    assert_eq!((swedish.id, swedish.charset.as_str(), swedish.is_default), (8, "latin1", true));
    let bin = find("utf8mb4_bin").unwrap();
    assert_eq!((bin.id, bin.charset.as_str(), bin.is_default), (46, "utf8mb4", false));
    assert!(find(expected.collation).is_some() && find(expected.lacks).is_none());
    let mut ids: Vec<u16> = collations.iter().map(|collation| collation.id).collect();
    assert!(ids.is_sorted());
    ids.dedup();
    assert_eq!(ids.len(), collations.len(), "every collation has an id of its own");
}

#[test]
fn mariadb_bookworm() {
    let expected = Expected {
        flavour: Flavour::MariaDb,
        version: |version| version.starts_with("10.11."),
        charset: "latin1",
        collation: "utf8mb4_uca1400_ai_ci",
        lacks: "utf8mb4_0900_ai_ci",
    };
    lives_and_leaves_nothing("mariadb@bookworm", &expected);
}

#[test]
fn mysql_5_6() {
    let expected = Expected {
        flavour: Flavour::MySql,
        version: |version| version.starts_with("5.6."),
        charset: "latin1",
        collation: "utf8mb4_unicode_520_ci",
        lacks: "utf8mb4_0900_ai_ci",
    };
    lives_and_leaves_nothing("mysql@5.6", &expected);
}

#[test]
fn mysql_sid() {
    let expected = Expected {
        flavour: Flavour::MySql,
        // The suite moves on; only that it is newer than 5.6 is known.
        version: |version| version.split('.').next().is_some_and(|major| major.parse::<u32>().unwrap() >= 8),
        charset: "utf8mb4",
        collation: "utf8mb4_0900_ai_ci",
        lacks: "utf8mb4_uca1400_ai_ci",
    };
    lives_and_leaves_nothing("mysql@sid", &expected);
}

#[test]
fn no_spec_at_all_gives_a_server_too() {
    let server = open(&Spec::Default, &options(), &NoProgress).unwrap();
    let one: Option<u8> = server.control().unwrap().query_first("SELECT 1").unwrap();
    assert_eq!(one, Some(1));
}

#[test]
fn two_of_the_same_run_side_by_side() {
    let (one, two) = (private("mariadb"), private("mariadb"));
    assert_ne!(one.endpoint(), two.endpoint());
    one.control().unwrap().query_drop("CREATE DATABASE weigh_one").unwrap();
    two.control().unwrap().query_drop("CREATE DATABASE weigh_one").unwrap();
    drop(one);
    two.check_alive().unwrap();
    assert_eq!(two.control().unwrap().query_first::<u8, _>("SELECT 1").unwrap(), Some(1));
}
