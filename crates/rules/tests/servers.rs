//! The rules, held against what servers answer.

use facts::{Facts, IndexKind, Limits, Scope};
use mysql::Conn;
use mysql::prelude::Queryable;
use rules::coercibility::{Coercibility, Operand, Outcome, Side, compare};
use rules::{keys, rows};
use server::{Flavour, NoProgress, Options, Server, Version, open};

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

/// Literals, whether they are ASCII, and the collations' character sets that can't hold them.
const LITERALS: [(&str, bool, &[&str]); 7] = [
    ("_latin1'a'", true, &[]),
    ("_latin1 X'E4'", false, &["ascii", "cp1251", "sjis"]),
    ("_utf8mb4'a'", true, &[]),
    ("_utf8mb4 X'D0B6'", false, &["ascii", "latin1", "latin2"]),
    ("_utf8mb4 X'F09F9880'", false, &["ascii", "latin1", "latin2", "cp1251", "sjis", "utf8", "ucs2"]),
    ("_cp1251 X'E6'", false, &["ascii", "latin1", "latin2"]),
    ("_binary'a'", false, &[]),
];

struct Asked {
    sql: String,
    collation: String,
    coercibility: Coercibility,
    is_ascii: bool,
    not_in: &'static [&'static str],
}

fn operands(conn: &mut Conn) -> Vec<Asked> {
    let asked = |sql: String, coercibility, is_ascii, not_in| Asked {
        sql,
        collation: String::new(),
        coercibility,
        is_ascii,
        not_in,
    };
    let mut all = vec![
        asked("t.`binary`".into(), Coercibility::Implicit, false, &[]),
        asked("USER()".into(), Coercibility::SystemConstant, false, &[]),
        asked("NULL".into(), Coercibility::Ignorable, true, &[]),
    ];
    for name in COLLATIONS {
        all.push(asked(format!("t.`{name}`"), Coercibility::Implicit, false, &[]));
        all.push(asked(format!("t.`{name}` COLLATE {name}"), Coercibility::Explicit, false, &[]));
    }
    all.extend(LITERALS.map(|(sql, is_ascii, not_in)| asked(sql.into(), Coercibility::Coercible, is_ascii, not_in)));
    for one in &mut all {
        one.collation = conn.query_first(format!("SELECT COLLATION({}) FROM q.t", one.sql)).unwrap().unwrap();
    }
    all
}

/// Every two operands: the error that comes, or the collation that wins, is what the function says.
fn coercibility(server: &Server, conn: &mut Conn) {
    let columns = COLLATIONS
        .map(|name| format!("`{name}` VARCHAR(9) CHARACTER SET {} COLLATE {name}", name.split('_').next().unwrap()));
    conn.query_drop(format!("CREATE TABLE q.t (`binary` VARBINARY(9), {})", columns.join(", "))).unwrap();
    conn.query_drop("INSERT INTO q.t () VALUES ()").unwrap();
    let operands = operands(conn);
    let version = Version::find(server.version()).unwrap();
    let mut asked = 0;
    for left in &operands {
        for right in &operands {
            fn operand(one: &Asked) -> Operand<'_> {
                Operand { collation: &one.collation, coercibility: one.coercibility, is_ascii: one.is_ascii }
            }
            let predicted = compare(server.flavour(), version, operand(left), operand(right));
            let pair = format!("{} = {}", left.sql, right.sql);
            let answer = conn.query_first::<Option<u8>, _>(format!("SELECT {pair} FROM q.t"));
            let refused = match &answer {
                Err(mysql::Error::MySqlError(error)) => {
                    assert!(matches!(error.code, 1267 | 3854), "{pair}: {error}");
                    true
                }
                answer => answer.is_err(),
            };
            let (winner, loser) = match predicted {
                Outcome::Illegal => {
                    assert!(refused, "{pair} is not refused by {}", server.version());
                    continue;
                }
                Outcome::Of(Side::Left) | Outcome::IfRepresentable(Side::Left) => (left, right),
                Outcome::Of(Side::Right) | Outcome::IfRepresentable(Side::Right) => (right, left),
            };
            let charset = winner.collation.split('_').next().unwrap().replace("utf8mb3", "utf8");
            let fits = matches!(predicted, Outcome::Of(_)) || !loser.not_in.contains(&charset.as_str());
            assert_eq!(refused, !fits, "{pair} of {}: {predicted:?}", server.version());
            asked += 1;
            // The functions that tell a comparison's collation treat NULL and two literals as values of their own kind.
            let told = left.coercibility < Coercibility::Coercible && right.coercibility < Coercibility::Coercible;
            if fits && told {
                let query = format!("SELECT COLLATION(LEAST({}, {})) FROM q.t", left.sql, right.sql);
                let won: String = conn.query_first(query).unwrap().unwrap();
                assert_eq!(won, winner.collation, "{pair} of {}", server.version());
            }
        }
    }
    assert!(asked > 800, "{asked} comparisons");
}

fn facts(server: &Server) -> Facts {
    let scope = Scope { schemas: vec!["q".into()], ..Scope::default() };
    facts::read(server, &scope, &Limits::default(), &NoProgress).unwrap()
}

/// An index at the limit is taken, one byte or character more is not.
fn key_limits(server: &Server, conn: &mut Conn) {
    conn.query_drop("SET SESSION sql_mode = 'STRICT_ALL_TABLES', SESSION innodb_strict_mode = ON").unwrap();
    for (engine, format) in [("InnoDB", "COMPACT"), ("InnoDB", "DYNAMIC"), ("MyISAM", "DEFAULT"), ("Aria", "DEFAULT")] {
        if engine == "Aria" && server.flavour() == Flavour::MySql {
            continue;
        }
        let table = |name: &str, length: u64| {
            format!(
                "CREATE TABLE q.{name} (a VARCHAR({length}) CHARACTER SET utf8mb4, UNIQUE KEY k (a)) ENGINE={engine} \
                 ROW_FORMAT={format}"
            )
        };
        conn.query_drop("DROP TABLE IF EXISTS q.k").unwrap();
        conn.query_drop(table("k", 10)).unwrap();
        let facts = facts(server);
        let limits = keys::limits(&facts.server, facts.table("q", "k").unwrap()).unwrap();
        let most = limits.part.min(limits.whole) / 4;
        conn.query_drop("DROP TABLE q.k").unwrap();
        conn.query_drop(table("k", most)).unwrap_or_else(|error| panic!("{engine} {format} {most}: {error}"));
        let facts = self::facts(server);
        let made = facts.table("q", "k").unwrap();
        assert_eq!(keys::part_bytes(made, &made.indexes[0], |_| 4), [most * 4]);
        conn.query_drop("DROP TABLE q.k").unwrap();
        match conn.query_drop(table("k", most + 1)) {
            Err(refusal) => {
                let told = refusal.to_string();
                assert!(["1071", "1709"].iter().any(|code| told.contains(code)), "{engine} {format}: {told}");
            }
            // MariaDB makes a unique index of hashes of it.
            Ok(()) => {
                let made = self::facts(server);
                let index = &made.table("q", "k").unwrap().indexes[0];
                assert_eq!((server.flavour(), index.kind), (Flavour::MariaDb, IndexKind::Hash), "{engine} {format}");
                assert!(!keys::has_limits(index));
            }
        }
    }
}

/// A row at the limit is taken, one byte more is not.
fn row_limit(server: &Server, conn: &mut Conn) {
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
    let bytes = rows::row_bytes(facts(server).table("q", "r").unwrap(), width);
    // One more character for each byte that is left; beyond 255 the length takes a second byte.
    let most = 1 + rows::ROW_LIMIT - bytes - u64::from(rows::ROW_LIMIT - bytes >= 255);
    conn.query_drop("DROP TABLE q.r").unwrap();
    conn.query_drop(table(most)).unwrap_or_else(|error| panic!("{most}: {error}"));
    let made = facts(server);
    assert_eq!(rows::row_bytes(made.table("q", "r").unwrap(), width), rows::ROW_LIMIT);
    conn.query_drop("DROP TABLE q.r").unwrap();
    let refusal = conn.query_drop(table(most + 1)).expect_err("too long").to_string();
    assert!(refusal.contains("1118"), "{refusal}");
}

fn rules_hold(name: &str) {
    let options = Options { buffer_pool: Some(64 << 20), threads: 4, ..Options::default() };
    let server = open(&name.parse().unwrap(), &options, &NoProgress).unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut conn = server.control().unwrap();
    conn.query_drop("CREATE DATABASE q").unwrap();
    coercibility(&server, &mut conn);
    if server.version().starts_with("5.6") {
        // Row format DYNAMIC takes this file format; long keys take the other setting, too.
        conn.query_drop("SET GLOBAL innodb_file_format = Barracuda").unwrap();
        key_limits(&server, &mut conn);
        conn.query_drop("DROP TABLE q.k").unwrap_or_default();
        conn.query_drop("SET GLOBAL innodb_large_prefix = ON").unwrap();
    }
    key_limits(&server, &mut conn);
    row_limit(&server, &mut conn);
    server.stop().unwrap();
}

#[test]
fn of_mariadb() {
    rules_hold("mariadb");
}

#[test]
fn of_mariadb_of_trixie() {
    rules_hold("mariadb@trixie");
}

#[test]
fn of_mysql() {
    rules_hold("mysql@sid");
}

#[test]
fn of_mysql_5_6() {
    rules_hold("mysql@5.6");
}
