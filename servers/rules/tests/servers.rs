//! Compares the rules with real servers.

use facts::{Facts, Limits, Scope};
use mysql::prelude::Queryable;
use rules::coercibility::{Coercibility, Operand, Outcome, Side, choose_collation};
use rules::departures::departures;
use rules::rows;
use server::Conn;
use server::error_code::{CANNOT_CONVERT_STRING, CANT_AGGREGATE_2COLLATIONS};
use server::{NoProgress, Options, Server, Version, open};

const COLLATIONS: [&str; 17] = [
    "latin1_swedish_ci",
    "latin1_bin",
    "latin1_general_ci",
    "latin2_general_ci",
    "ascii_general_ci",
    "ascii_bin",
    "utf8_general_ci",
    "utf8_bin",
    "utf8_unicode_ci",
    "utf8mb4_general_ci",
    "utf8mb4_bin",
    "utf8mb4_unicode_ci",
    "ucs2_general_ci",
    "utf16_general_ci",
    "utf32_general_ci",
    "cp1251_general_ci",
    "sjis_japanese_ci",
];

/// SQL, whether the value is ASCII, and the character sets that cannot represent it.
const LITERALS: [(&str, bool, &[&str]); 9] = [
    ("_latin1'a'", true, &[]),
    ("_latin1 X'E4'", false, &["ascii", "cp1251", "sjis"]),
    ("_utf8mb4'a'", true, &[]),
    ("_utf8mb4 X'D0B6'", false, &["ascii", "latin1", "latin2"]),
    ("_utf8mb4 X'F09F9880'", false, &["ascii", "latin1", "latin2", "cp1251", "sjis", "utf8", "ucs2"]),
    ("_cp1251 X'E6'", false, &["ascii", "latin1", "latin2"]),
    ("_sjis X'82A0'", false, &["ascii", "latin1", "latin2", "cp1251"]),
    ("_ascii'a'", true, &[]),
    ("_binary'a'", false, &[]),
];

struct TestOperand {
    sql: String,
    collation: String,
    coercibility: Coercibility,
    is_ascii: bool,
    /// Character sets that cannot represent the value.
    not_representable_in: &'static [&'static str],
}

impl TestOperand {
    fn operand(&self) -> Operand<'_> {
        Operand::new(&self.collation, self.coercibility).with_ascii(self.is_ascii)
    }
}

fn operands(conn: &mut Conn) -> Vec<TestOperand> {
    let operand = |sql: String, coercibility, is_ascii, not_representable_in| TestOperand {
        sql,
        collation: String::new(),
        coercibility,
        is_ascii,
        not_representable_in,
    };
    let mut all = vec![
        operand("t.`binary`".into(), Coercibility::Implicit, false, &[]),
        operand("USER()".into(), Coercibility::SystemConstant, false, &[]),
        operand("NULL".into(), Coercibility::Ignorable, true, &[]),
    ];
    for name in COLLATIONS {
        all.push(operand(format!("t.`{name}`"), Coercibility::Implicit, false, &[]));
        all.push(operand(format!("t.`{name}` COLLATE {name}"), Coercibility::Explicit, false, &[]));
    }
    all.extend(
        LITERALS.map(|(sql, is_ascii, charsets)| operand(sql.into(), Coercibility::Coercible, is_ascii, charsets)),
    );
    for operand in &mut all {
        operand.collation = conn.query_first(format!("SELECT COLLATION({}) FROM q.t", operand.sql)).unwrap().unwrap();
    }
    all
}

/// Compares the predicted collation or error of all pairs of operands with the server's.
fn check_coercibility(server: &Server, conn: &mut Conn) {
    let columns = COLLATIONS
        .map(|name| format!("`{name}` VARCHAR(9) CHARACTER SET {} COLLATE {name}", name.split('_').next().unwrap()));
    conn.query_drop(format!("CREATE TABLE q.t (`binary` VARBINARY(9), {})", columns.join(", "))).unwrap();
    conn.query_drop("INSERT INTO q.t () VALUES ()").unwrap();
    let operands = operands(conn);
    let version = Version::find(server.version()).unwrap();
    let mut comparisons = 0;
    for left in &operands {
        for right in &operands {
            let predicted = choose_collation(server.flavour(), version, left.operand(), right.operand()).unwrap();
            let pair = format!("{} = {}", left.sql, right.sql);
            let answer = conn.query_first::<Option<u8>, _>(format!("SELECT {pair} FROM q.t"));
            let refused = match &answer {
                Err(mysql::Error::MySqlError(error)) => {
                    assert!(
                        matches!(error.code, CANT_AGGREGATE_2COLLATIONS | CANNOT_CONVERT_STRING),
                        "{pair}: {error}"
                    );
                    true
                }
                answer => answer.is_err(),
            };
            let (winner, loser) = match predicted {
                Outcome::Collation(Side::Left) | Outcome::CollationIfRepresentable(Side::Left) => (left, right),
                Outcome::Collation(Side::Right) | Outcome::CollationIfRepresentable(Side::Right) => (right, left),
                _ => {
                    assert!(refused, "{pair} is not refused by {}", server.version());
                    continue;
                }
            };
            let charset = winner.collation.split('_').next().unwrap().replace("utf8mb3", "utf8");
            let fits =
                matches!(predicted, Outcome::Collation(_)) || !loser.not_representable_in.contains(&charset.as_str());
            assert_eq!(refused, !fits, "{pair} of {}: {predicted:?}", server.version());
            comparisons += 1;
            // LEAST has another rule for NULL and for two literals.
            let has_least = left.coercibility < Coercibility::Coercible && right.coercibility < Coercibility::Coercible;
            if fits && has_least {
                let query = format!("SELECT COLLATION(LEAST({}, {})) FROM q.t", left.sql, right.sql);
                let actual: String = conn.query_first(query).unwrap().unwrap();
                assert_eq!(actual, winner.collation, "{pair} of {}", server.version());
            }
        }
    }
    assert!(comparisons > 800, "{comparisons}");
}

fn facts(server: &Server) -> Facts {
    let scope = Scope { schemas: vec!["q".into()], ..Scope::default() };
    facts::read(server, &scope, &Limits::default(), &NoProgress).unwrap()
}

/// The server accepts a row at the limit, and refuses one more byte.
fn check_row_limit(server: &Server, conn: &mut Conn) {
    let table = |last: u64| {
        format!(
            "CREATE TABLE q.r (a VARCHAR(16000) CHARACTER SET utf8mb4, b CHAR(200) CHARACTER SET utf8mb4 NOT NULL, c TEXT, \
             d VARCHAR({last}) CHARACTER SET latin1, e DATETIME(3), f DECIMAL(20,6)) ENGINE=MyISAM"
        )
    };
    conn.query_drop(table(1)).unwrap();
    let width = |column: &facts::Column| {
        u64::from(rules::charset::max_bytes(column.charset.as_deref().unwrap_or("")).unwrap_or(1))
    };
    let bytes = rows::longest_row_bytes(server.flavour(), facts(server).table("q", "r").unwrap(), width);
    // Each remaining byte takes one character. Beyond 255, the length takes a second byte.
    let max_length = 1 + rows::MAX_ROW_BYTES - bytes - u64::from(rows::MAX_ROW_BYTES - bytes >= 255);
    conn.query_drop("DROP TABLE q.r").unwrap();
    conn.query_drop(table(max_length)).unwrap_or_else(|error| panic!("{max_length}: {error}"));
    let made = facts(server);
    assert_eq!(rows::longest_row_bytes(server.flavour(), made.table("q", "r").unwrap(), width), rows::MAX_ROW_BYTES);
    conn.query_drop("DROP TABLE q.r").unwrap();
    let refusal = conn.query_drop(table(max_length + 1)).expect_err("too long").to_string();
    assert!(refusal.contains("1118"), "{refusal}");
}

fn check_rules(name: &str) {
    let options = Options { buffer_pool: Some(64 << 20), threads: 4, ..Options::default() };
    let server = open(&name.parse().unwrap(), &options, &NoProgress).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut conn = server.connect().unwrap();
    conn.query_drop("CREATE DATABASE q").unwrap();
    check_coercibility(&server, &mut conn);
    check_row_limit(&server, &mut conn);
    server.stop().unwrap();
}

#[test]
fn mariadb() {
    check_rules("mariadb");
}

#[test]
fn mariadb_trixie() {
    check_rules("mariadb@trixie");
}

/// MariaDB's names with `0900`, except `utf8mb4_0900_bin`, are other names of its `uca1400`
/// collations.
#[test]
fn mariadb_compares_aliases() {
    for (spec, aliases) in [("mariadb@11.4", 44), ("mariadb@trixie", 44)] {
        let server = open(&spec.parse().unwrap(), &Options::default(), &NoProgress).unwrap();
        let version = Version::find(server.version()).unwrap();
        let mut conn = server.connect().unwrap();
        let names: Vec<String> = conn
            .query(
                "SELECT full_collation_name FROM information_schema.collation_character_set_applicability \
                 WHERE full_collation_name LIKE 'utf8mb4%0900%' OR full_collation_name LIKE 'utf8mb4%nopad%' \
                 OR full_collation_name = 'utf8mb4_bin'",
            )
            .unwrap();
        let mut found = 0;
        for alias in names.iter().filter(|name| name.contains("_0900_")) {
            for name in names.iter().filter(|name| *name != alias) {
                let query = format!("SELECT _utf8mb4'a' COLLATE {alias} = _utf8mb4'a' COLLATE {name}");
                let is_refused = conn.query_drop(query).is_err();
                let explicit = |name| Operand::new(name, Coercibility::Explicit);
                let predicted = choose_collation(server.flavour(), version, explicit(alias), explicit(name));
                assert_eq!(predicted == Some(Outcome::IllegalMix), is_refused, "{alias} = {name} of {spec}");
                found += usize::from(!is_refused);
            }
        }
        assert_eq!(found, aliases, "{spec}");
        server.stop().unwrap();
    }
}

#[test]
fn mysql_sid() {
    check_rules("mysql@sid");
}

#[test]
fn mysql_5_6() {
    check_rules("mysql@5.6");
}

#[test]
fn mysql_5_7() {
    check_rules("mysql@5.7");
}

#[test]
fn mysql_8_0() {
    check_rules("mysql@8.0");
}

/// Two strings that a departing version takes for equal under a collation.
const DEPARTURES: [(&str, &str, &str); 3] = [
    ("ucs2_general_mysql500_ci", "_ucs2 X'00DF'", "_ucs2 X'0073'"),
    ("utf8_general_nopad_ci", "_utf8 X'4100'", "_utf8 X'41'"),
    ("utf8mb4_0900_bin", "_utf8mb4 'a '", "_utf8mb4 'a'"),
];

#[test]
fn versions_depart_as_they_are_said_to() {
    let mut departing = 0;
    for spec in ["mysql@5.7", "mysql@sid", "mariadb@10.2", "mariadb@bullseye", "mariadb@11.4", "mariadb@trixie"] {
        let server = open(&spec.parse().unwrap(), &Options::default(), &NoProgress).unwrap();
        let version = Version::find(server.version()).unwrap();
        let mut conn = server.connect().unwrap();
        for (collation, a, b) in DEPARTURES {
            let answer = conn.query_first::<bool, _>(format!("SELECT {a} = {b} COLLATE {collation}"));
            // Error 1273: the server has no such collation.
            let Ok(Some(are_equal)) = answer else { continue };
            let departs = !departures(server.flavour(), version, collation).is_empty();
            assert_eq!(are_equal, departs, "{collation} on {spec}");
            departing += usize::from(departs);
        }
    }
    assert_eq!(departing, 4);
}
