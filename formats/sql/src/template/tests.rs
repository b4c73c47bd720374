use proptest::prelude::*;

use super::*;
use crate::{hex_literal, quote_string};

fn extract(text: &str) -> Template {
    extract_template(text, SqlMode::default()).unwrap()
}

fn text(value: &str) -> Value {
    Value::Text(value.to_owned())
}

/// Template text and parameter values.
fn describe(statement: &str) -> String {
    let Template { text, parameters, .. } = extract(statement);
    let values = parameters.iter().map(|one| format!("{}={:?}", one.name, one.value));
    format!("{text} | {}", values.collect::<Vec<_>>().join(" "))
}

#[test]
fn parameters_are_named_after_their_columns() {
    assert_eq!(
        describe("SELECT * FROM t WHERE Mail = 'ann' AND t.age>=18 AND x BETWEEN -1 AND 2.5 LIMIT 10, 5"),
        "SELECT * FROM t WHERE Mail = :mail AND t.age>=:age AND x BETWEEN :x AND :x_2 LIMIT :limit, :p | \
         mail=Text(\"ann\") age=Int(18) x=Int(-1) x_2=Decimal(\"2.5\") limit=Int(10) p=Int(5)"
    );
    assert_eq!(
        describe("INSERT INTO t (id, `first name`, born) VALUES (1, 'x', NULL), (2, 'y', NULL)"),
        "INSERT INTO t (id, `first name`, born) VALUES (:id, :first_name, NULL), (:id_2, :first_name_2, NULL) | \
         id=Int(1) first_name=Text(\"x\") id_2=Int(2) first_name_2=Text(\"y\")"
    );
    assert_eq!(
        describe("UPDATE t SET a = 'x' WHERE b = 0x41"),
        "UPDATE t SET a = :a WHERE b = :b | a=Text(\"x\") b=Bytes([65])"
    );
}

#[test]
fn columns_may_be_named_as_keywords() {
    assert_eq!(
        describe("UPDATE t SET value = value - 5, offset = offset - 6 WHERE value = 7"),
        "UPDATE t SET value = value - :p, offset = offset - :p_2 WHERE value = :value | p=Int(5) p_2=Int(6) value=Int(7)"
    );
    assert_eq!(
        describe("SELECT a offset FROM t LIMIT 1 OFFSET 2"),
        "SELECT a offset FROM t LIMIT :limit OFFSET :offset | limit=Int(1) offset=Int(2)"
    );
}

#[test]
fn values_of_an_update_are_not_named_after_inserted_columns() {
    assert_eq!(
        describe("INSERT INTO t (t.a, `t`.`b c`) VALUES (1, 2)"),
        "INSERT INTO t (t.a, `t`.`b c`) VALUES (:a, :b_c) | a=Int(1) b_c=Int(2)"
    );
    assert_eq!(
        describe("INSERT INTO t (a, b) VALUES (1, 2) ON DUPLICATE KEY UPDATE value = VALUES(a), b = IF(b > 5, 3, 4)"),
        "INSERT INTO t (a, b) VALUES (:a, :b) ON DUPLICATE KEY UPDATE value = VALUES(a), b = IF(b > :b_2, :p, :p_2) | \
         a=Int(1) b=Int(2) b_2=Int(5) p=Int(3) p_2=Int(4)"
    );
}

#[test]
fn show_has_parameters_in_its_where_only() {
    assert_eq!(describe("SHOW FULL TABLES LIKE 'x%'"), "SHOW FULL TABLES LIKE 'x%' | ");
    assert_eq!(
        describe("SHOW TABLE STATUS WHERE Name LIKE 'x%'"),
        "SHOW TABLE STATUS WHERE Name LIKE :name | name=Text(\"x%\")"
    );
}

#[test]
fn lists_are_one_parameter_whatever_their_length() {
    let (one, three) = (extract("SELECT 1 FROM t WHERE a IN (1)"), extract("SELECT 1 FROM t WHERE a IN (1, 2,-3)"));
    assert_eq!((&one.key, &one.text), (&three.key, &three.text));
    assert_eq!(three.parameters[1].value, Value::List(vec![Value::Int(1), Value::Int(2), Value::Int(-3)]));
    assert!(extract("SELECT 1 FROM t WHERE a IN (1, 'x')").text.ends_with("IN (:a, :p_2)"));
    assert!(extract("SELECT 1 FROM t WHERE a IN (1, b)").text.ends_with("IN (:a, b)"));
}

#[test]
fn keeps_literals_that_cannot_be_parameters() {
    for statement in [
        "SELECT a FROM t GROUP BY 1, 2 ORDER BY 2 DESC, 1",
        "SELECT CAST(a AS CHAR(10)), CAST(b AS DECIMAL(10,2)), CONVERT(c, CHAR(5)) FROM t",
        "SELECT a->'$.x', a->>'$.y' FROM t",
        "SELECT a 'alias', b AS 'other' FROM t",
        "SELECT _utf8mb4'x', DATE '2020-01-01', N'x' FROM t",
        "SELECT GROUP_CONCAT(a ORDER BY b SEPARATOR ', ') FROM t",
        "SELECT x FROM JSON_TABLE(d, '$[*]' COLUMNS (x INT PATH '$.x')) j",
        "SELECT a FROM t WHERE b LIKE c ESCAPE '|'",
        "SELECT SUM(a) OVER (ORDER BY b ROWS 5 PRECEDING) FROM t",
        "SELECT 'a' 'b' FROM t",
        "SET CHARACTER SET 'utf8mb4'",
        "ALTER TABLE t CHAR SET 'latin1'",
    ] {
        assert_eq!(extract(statement).parameters, [], "{}", extract(statement).text);
        assert_eq!(extract(statement).text, statement);
    }
}

#[test]
fn comments_and_white_space_make_no_difference() {
    let (one, other) =
        (extract("SELECT a  FROM t -- x\nWHERE b = 'y' /* trace 17 */;"), extract("SELECT a FROM t WHERE b='z'"));
    assert_eq!(one.key, other.key);
    assert_eq!(one.text, "SELECT a  FROM t WHERE b = :b");
    assert!(extract("SELECT /*+ NO_ICP(t) */ a FROM t").text.contains("NO_ICP"));
    assert!(extract("SELECT /*!40001 SQL_NO_CACHE */ a FROM t").text.contains("/*!40001 SQL_NO_CACHE */"));
}

#[test]
fn types_of_values_make_two_statements() {
    assert_ne!(extract("SELECT 1 FROM t WHERE a = 5").key, extract("SELECT 1 FROM t WHERE a = '5'").key);
    assert_ne!(extract("SELECT 1 FROM t WHERE a = 'x'").key, extract("SELECT 1 FROM u WHERE a = 'x'").key);
    assert_eq!(extract("SELECT 1 FROM t WHERE a = -5").key, extract("SELECT 1 FROM t WHERE a = 5").key);
    assert_ne!(extract("SELECT 1 FROM t WHERE a = 5").key, extract("SELECT 1 FROM t WHERE a = :int").key);
    // A minus, not a sign.
    assert_eq!(extract("SELECT a -5 FROM t").parameters[0].value, Value::Int(5));
}

#[test]
fn reports_truncated_statements_and_missing_values() {
    assert_eq!(extract_template("SELECT 'abc", SqlMode::default()), None);
    assert_eq!(extract("SELECT a FROM t WHERE b = ? AND c IN (?, ?)").placeholders, 3);
}

/// Takes milliseconds. With numbering from 1 for each name it took minutes.
#[test]
fn splits_insert_of_many_rows() {
    let rows: Vec<String> = (0..100_000).map(|n| format!("({n})")).collect();
    let found = extract(&format!("INSERT INTO t (id) VALUES {}", rows.join(",")));
    assert_eq!(found.parameters.len(), 100_000);
    assert_eq!(found.parameters[99_999].name, "id_100000");
    assert_eq!(
        describe("SELECT 1 FROM t WHERE id_2 = 1 AND id = 2 AND id = 3"),
        "SELECT :p FROM t WHERE id_2 = :id_2 AND id = :id AND id = :id_3 | p=Int(1) id_2=Int(1) id=Int(2) id_3=Int(3)"
    );
}

proptest! {
    /// A template with its values inserted has the same parameters again.
    #[test]
    fn values_round_trip(number: i64, word in ".{0,20}", list in prop::collection::vec(any::<i32>(), 1..5), raw: Vec<u8>) {
        let members = list.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        let statement = format!(
            "SELECT * FROM t WHERE a = {number} AND b LIKE {} AND c IN ({members}) AND d = {}", quote_string(&word), hex_literal(&raw)
        );
        let found = extract(&statement);
        prop_assert_eq!(&found.parameters[1].value, &text(&word));
        let mut filled = found.text.clone();
        for parameter in &found.parameters {
            filled = filled.replacen(&format!(":{}", parameter.name), &parameter.value.to_literal(SqlMode::default()), 1);
        }
        if !word.contains(':') {
            prop_assert_eq!(extract(&filled).parameters, found.parameters);
        }
    }

    #[test]
    fn any_text_is_taken_apart_without_a_panic(text in "[a-z ]{0,4}[aIN1 '\"`()/*!+@:?.x#\\-\né,=<>;]{0,60}") {
        let _ = extract_template(&text, SqlMode::default());
    }
}
