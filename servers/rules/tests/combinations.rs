//! Compares the combined collations of three operands with real servers.

use mysql::prelude::Queryable;
use mysql_collation::{Coercibility, CombinedCollation, Expression, Operand, ServerVersion, combine_collations};
use server::error_code::CANNOT_CONVERT_STRING;
use server::{Conn, NoProgress, Options, open};

const COLUMNS: &str = "`binary` VARBINARY(9), \
    latin1_swedish_ci VARCHAR(9) CHARACTER SET latin1 COLLATE latin1_swedish_ci, \
    latin1_general_ci VARCHAR(9) CHARACTER SET latin1 COLLATE latin1_general_ci, \
    latin1_bin VARCHAR(9) CHARACTER SET latin1 COLLATE latin1_bin, \
    cp1251_general_ci VARCHAR(9) CHARACTER SET cp1251 COLLATE cp1251_general_ci, \
    ascii_general_ci VARCHAR(9) CHARACTER SET ascii COLLATE ascii_general_ci, \
    utf8_general_ci VARCHAR(9) CHARACTER SET utf8 COLLATE utf8_general_ci, \
    utf8_unicode_ci VARCHAR(9) CHARACTER SET utf8 COLLATE utf8_unicode_ci, \
    utf8mb4_general_ci VARCHAR(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci, \
    utf8mb4_unicode_ci VARCHAR(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci, \
    utf32_general_ci VARCHAR(9) CHARACTER SET utf32 COLLATE utf32_general_ci";

/// SQL, coercibility, and whether the value is ASCII.
const LIST_OPERANDS: [(&str, Coercibility, bool); 19] = [
    ("t.latin1_swedish_ci", Coercibility::Implicit, false),
    ("t.latin1_general_ci", Coercibility::Implicit, false),
    ("t.latin1_bin", Coercibility::Implicit, false),
    ("t.cp1251_general_ci", Coercibility::Implicit, false),
    ("t.ascii_general_ci", Coercibility::Implicit, true),
    ("t.utf8_general_ci", Coercibility::Implicit, false),
    ("t.utf8_unicode_ci", Coercibility::Implicit, false),
    ("t.utf8mb4_general_ci", Coercibility::Implicit, false),
    ("t.utf32_general_ci", Coercibility::Implicit, false),
    ("t.`binary`", Coercibility::Implicit, false),
    ("t.latin1_general_ci COLLATE latin1_general_ci", Coercibility::Explicit, false),
    ("t.utf8mb4_unicode_ci COLLATE utf8mb4_unicode_ci", Coercibility::Explicit, false),
    ("USER()", Coercibility::SystemConstant, false),
    ("_latin1'a'", Coercibility::Coercible, true),
    ("_utf8mb4 X'D0B6'", Coercibility::Coercible, false),
    ("CONCAT(t.latin1_swedish_ci, t.latin1_general_ci)", Coercibility::Mixed, false),
    ("CONCAT(t.utf8_general_ci, t.utf8_unicode_ci)", Coercibility::Mixed, false),
    ("5", Coercibility::Numeric, true),
    ("NULL", Coercibility::Ignorable, true),
];

/// Compares the predicted collation or error of `CONCAT(a, b, c)` and `a BETWEEN b AND c`, for all
/// [`lists_of_three`], with the server's.
fn check_lists(version: ServerVersion, conn: &mut Conn) {
    let collations: Vec<String> = LIST_OPERANDS
        .iter()
        .map(|(sql, ..)| conn.query_first(format!("SELECT COLLATION({sql}) FROM q.t")).unwrap().unwrap())
        .collect();
    let operand = |index: usize| {
        let (_, coercibility, is_ascii) = LIST_OPERANDS[index];
        Operand::new(&collations[index], coercibility).with_ascii(is_ascii)
    };
    let mut accepted = 0;
    for list in lists_of_three() {
        let sql: Vec<&str> = list.iter().map(|&index| LIST_OPERANDS[index].0).collect();
        let sql = sql.join(", ");
        let predict = |expression| combine_collations(version, expression, list.map(operand)).unwrap();
        let answer: mysql::Result<Option<String>> =
            conn.query_first(format!("SELECT COLLATION(CONCAT({sql})) FROM q.t"));
        let answer = answer.map(|name| name.unwrap().replace("utf8_", "utf8mb3_"));
        match predict(Expression::Text) {
            // A number becomes a text of the connection's collation.
            CombinedCollation::Collation(text) if text.coercibility == Coercibility::Numeric => {}
            CombinedCollation::Collation(text) => {
                assert_eq!(answer.unwrap(), text.collation, "{sql} of {version}");
                accepted += 1;
            }
            CombinedCollation::CollationIfRepresentable(text) => {
                assert!(answer.is_err() || answer.unwrap() == text.collation, "{sql} of {version}");
            }
            refused => assert_eq!(refused_with(answer), Some(refused), "{sql} of {version}"),
        }
        // A comparison with a number is one of numbers. MySQL 9.7 makes `=` of BETWEEN two equal bounds.
        if list[1] == list[2] || list.iter().any(|&index| LIST_OPERANDS[index].1 >= Coercibility::Numeric) {
            continue;
        }
        let [first, second, third] = list.map(|index| LIST_OPERANDS[index].0);
        let answer: mysql::Result<Option<Option<u8>>> =
            conn.query_first(format!("SELECT {first} BETWEEN {second} AND {third} FROM q.t"));
        match predict(Expression::Comparison) {
            CombinedCollation::Collation(_) => {
                // MySQL 9.7.4 converts the literal in BETWEEN to the other bound's character set.
                let is_converted = answer.as_ref().is_err_and(|error| has_code(error, CANNOT_CONVERT_STRING));
                assert!(answer.is_ok() || is_converted, "{sql} of {version}: {answer:?}");
            }
            CombinedCollation::CollationIfRepresentable(_) => {}
            refused => assert_eq!(refused_with(answer), Some(refused), "{sql} of {version}"),
        }
    }
    assert!(accepted > 1500, "{accepted}");
}

/// Lists of three operands without two `COLLATE` clauses that differ, and with one text at least.
fn lists_of_three() -> Vec<[usize; 3]> {
    let all = 0..LIST_OPERANDS.len();
    let lists =
        all.clone().flat_map(|a| all.clone().flat_map(move |b| (0..LIST_OPERANDS.len()).map(move |c| [a, b, c])));
    let of = |index: usize| LIST_OPERANDS[index].1;
    lists
        .filter(|list| {
            let clauses: Vec<&usize> = list.iter().filter(|&&index| of(index) == Coercibility::Explicit).collect();
            clauses.windows(2).all(|pair| pair[0] == pair[1])
                && list.iter().any(|&index| of(index) < Coercibility::Numeric)
        })
        .collect()
}

fn has_code(error: &mysql::Error, code: u16) -> bool {
    matches!(error, mysql::Error::MySqlError(error) if error.code == code)
}

fn refused_with<T>(answer: mysql::Result<T>) -> Option<CombinedCollation> {
    match answer {
        Err(mysql::Error::MySqlError(error)) => Some(CombinedCollation::IllegalMix { error: error.code }),
        _ => None,
    }
}

/// Combines on a server with a row of NULLs, which can be converted to any character set.
fn check_server(name: &str) {
    let server = open(&name.parse().unwrap(), &Options::default(), &NoProgress)
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    let mut conn = server.connect().unwrap();
    conn.query_drop("CREATE DATABASE q").unwrap();
    conn.query_drop(format!("CREATE TABLE q.t ({COLUMNS})")).unwrap();
    conn.query_drop("INSERT INTO q.t () VALUES ()").unwrap();
    let version: String = conn.query_first("SELECT VERSION()").unwrap().unwrap();
    check_lists(version.parse().unwrap(), &mut conn);
    server.stop().unwrap();
}

#[test]
fn mysql_5() {
    check_server("mysql@5.6");
    check_server("mysql@5.7");
}

#[test]
fn mysql_8_and_later() {
    check_server("mysql@8.0");
    check_server("mysql@sid");
}

#[test]
fn mariadb() {
    check_server("mariadb@bookworm");
    check_server("mariadb@trixie");
}
