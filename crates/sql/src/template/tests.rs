use proptest::prelude::*;

use super::*;
use crate::{bytes, string};

fn of(text: &str) -> Template {
    template(text, Mode::default()).unwrap()
}

fn text(value: &str) -> Value {
    Value::Text(value.to_owned())
}

/// The template's text, with the values behind it.
fn shown(statement: &str) -> String {
    let Template { text, parameters, .. } = of(statement);
    let values = parameters.iter().map(|one| format!("{}={:?}", one.name, one.value));
    format!("{text} | {}", values.collect::<Vec<_>>().join(" "))
}

#[test]
fn parameters_are_named_after_their_columns() {
    assert_eq!(
        shown("SELECT * FROM t WHERE Mail = 'ann' AND t.age>=18 AND x BETWEEN -1 AND 2.5 LIMIT 10, 5"),
        "SELECT * FROM t WHERE Mail = :mail AND t.age>=:age AND x BETWEEN :x AND :x_2 LIMIT :limit, :p | \
         mail=Text(\"ann\") age=Int(18) x=Int(-1) x_2=Decimal(\"2.5\") limit=Int(10) p=Int(5)"
    );
    assert_eq!(
        shown("INSERT INTO t (id, `first name`, born) VALUES (1, 'x', NULL), (2, 'y', NULL)"),
        "INSERT INTO t (id, `first name`, born) VALUES (:id, :first_name, NULL), (:id_2, :first_name_2, NULL) | \
         id=Int(1) first_name=Text(\"x\") id_2=Int(2) first_name_2=Text(\"y\")"
    );
    assert_eq!(
        shown("UPDATE t SET a = 'x' WHERE b = 0x41"),
        "UPDATE t SET a = :a WHERE b = :b | a=Text(\"x\") b=Bytes([65])"
    );
}

#[test]
fn lists_are_one_parameter_whatever_their_length() {
    let (one, three) = (of("SELECT 1 FROM t WHERE a IN (1)"), of("SELECT 1 FROM t WHERE a IN (1, 2,-3)"));
    assert_eq!((&one.key, &one.text), (&three.key, &three.text));
    assert_eq!(three.parameters[1].value, Value::List(vec![Value::Int(1), Value::Int(2), Value::Int(-3)]));
    assert!(of("SELECT 1 FROM t WHERE a IN (1, 'x')").text.ends_with("IN (:a, :p_2)"));
    assert!(of("SELECT 1 FROM t WHERE a IN (1, b)").text.ends_with("IN (:a, b)"));
}

#[test]
fn what_the_grammar_wants_as_a_literal_stays() {
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
    ] {
        assert_eq!(of(statement).parameters, [], "{}", of(statement).text);
        assert_eq!(of(statement).text, statement);
    }
}

#[test]
fn comments_and_white_space_make_no_difference() {
    let (one, other) = (of("SELECT a  FROM t -- x\nWHERE b = 'y' /* trace 17 */;"), of("SELECT a FROM t WHERE b='z'"));
    assert_eq!(one.key, other.key);
    assert_eq!(one.text, "SELECT a  FROM t WHERE b = :b");
    assert!(of("SELECT /*+ NO_ICP(t) */ a FROM t").text.contains("NO_ICP"));
    assert!(of("SELECT /*!40001 SQL_NO_CACHE */ a FROM t").text.contains("/*!40001 SQL_NO_CACHE */"));
}

#[test]
fn types_of_values_make_two_statements() {
    assert_ne!(of("SELECT 1 FROM t WHERE a = 5").key, of("SELECT 1 FROM t WHERE a = '5'").key);
    assert_ne!(of("SELECT 1 FROM t WHERE a = 'x'").key, of("SELECT 1 FROM u WHERE a = 'x'").key);
    assert_eq!(of("SELECT 1 FROM t WHERE a = -5").key, of("SELECT 1 FROM t WHERE a = 5").key);
    // Here it is no sign.
    assert_eq!(of("SELECT a -5 FROM t").parameters[0].value, Value::Int(5));
}

#[test]
fn what_is_cut_off_or_has_no_values_is_told() {
    assert_eq!(template("SELECT 'abc", Mode::default()), None);
    assert_eq!(of("SELECT a FROM t WHERE b = ? AND c IN (?, ?)").unknown, 3);
}

fn written(value: &Value) -> String {
    match value {
        Value::Int(number) => number.to_string(),
        Value::Decimal(number) | Value::Float(number) => number.clone(),
        Value::Text(text) => string(text),
        Value::Bytes(given) => bytes(given),
        Value::List(members) => members.iter().map(written).collect::<Vec<_>>().join(", "),
    }
}

/// A name a value, each looked for once: this takes a moment, where looking from the first number on took minutes.
#[test]
fn an_insert_of_many_rows_is_taken_apart() {
    let rows: Vec<String> = (0..100_000).map(|n| format!("({n})")).collect();
    let found = of(&format!("INSERT INTO t (id) VALUES {}", rows.join(",")));
    assert_eq!(found.parameters.len(), 100_000);
    assert_eq!(found.parameters[99_999].name, "id_100000");
    assert_eq!(
        shown("SELECT 1 FROM t WHERE id_2 = 1 AND id = 2 AND id = 3"),
        "SELECT :p FROM t WHERE id_2 = :id_2 AND id = :id AND id = :id_3 | p=Int(1) id_2=Int(1) id=Int(2) id_3=Int(3)"
    );
}

proptest! {
    /// With its values put back, a template means what the statement did: taken apart again, it is the same.
    #[test]
    fn values_come_back(number: i64, word in ".{0,20}", list in prop::collection::vec(any::<i32>(), 1..5), raw: Vec<u8>) {
        let members = list.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
        let statement = format!(
            "SELECT * FROM t WHERE a = {number} AND b LIKE {} AND c IN ({members}) AND d = {}", string(&word), bytes(&raw)
        );
        let found = of(&statement);
        prop_assert_eq!(&found.parameters[1].value, &text(&word));
        let mut filled = found.text.clone();
        for parameter in &found.parameters {
            filled = filled.replacen(&format!(":{}", parameter.name), &written(&parameter.value), 1);
        }
        if !word.contains(':') {
            prop_assert_eq!(of(&filled).parameters, found.parameters);
        }
    }

    #[test]
    fn any_text_is_taken_apart_without_a_panic(text in "[a-z ]{0,4}[aIN1 '\"`()/*!+@:?.x#\\-\né,=<>;]{0,60}") {
        let _ = template(&text, Mode::default());
    }
}
