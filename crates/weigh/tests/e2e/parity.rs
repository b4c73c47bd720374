//! `weigh workload compare` on real servers: what is planted is found, nothing else is, and nothing stays.

use std::fs;
use std::path::Path;

use parity::{Difference, Parity, PlanChange};

use crate::place::{Done, Place};

/// A shop whose statements differ under utf8mb4_unicode_ci in known ways.
const FILES: [(&str, &str); 19] = [
    ("workload.toml", "format = 1\nname = \"shop\"\n"),
    (
        "schema.sql",
        "CREATE TABLE customers (id INT PRIMARY KEY, name VARCHAR(80), city VARCHAR(40), KEY (name)) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;\n\
         CREATE TABLE orders (id INT PRIMARY KEY, code VARCHAR(20), KEY by_code (code)) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;\n\
         CREATE TABLE parts (id INT PRIMARY KEY, code VARCHAR(20) COLLATE utf8mb4_bin, other VARCHAR(20) COLLATE utf8mb4_unicode_520_ci, KEY (code))\n\
           CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;\n\
         CREATE TABLE makers (id INT PRIMARY KEY, name VARCHAR(20)) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci;\n\
         CREATE VIEW named AS SELECT id, name FROM customers;\n",
    ),
    ("rows/customers.csv", "id:int,name,city\n1,Straße,Köln\n2,Strasse,köln\n3,STRASSE,Bonn\n4,Weg,Ulm\n5,weg,Ulm\n"),
    ("rows/parts.csv", "id:int,code,other\n1,a1,x\n2,a2,y\n"),
    ("rows/makers.csv", "id:int,name\n1,x\n2,y\n"),
    ("statements/a-sharp-s.sql", "-- @weight = 3\nSELECT id FROM customers WHERE name = :name ORDER BY id\n"),
    ("statements/a-sharp-s.csv", "name\nStraße\nWeg\n"),
    (
        "statements/b-lost-index.sql",
        "SELECT p.id, o.id FROM parts p JOIN orders o ON o.code = p.code WHERE p.id = :id\n",
    ),
    ("statements/b-lost-index.csv", "id:int\n1\n2\n"),
    ("statements/c-error.sql", "SELECT p.id FROM parts p JOIN makers m ON m.name = p.other\n"),
    ("statements/d-same.sql", "SELECT id, city FROM customers WHERE id IN (:ids) ORDER BY id\n"),
    ("statements/d-same.csv", "ids:int[]\n\"[1, 2]\"\n"),
    ("statements/e-distinct.sql", "SELECT COUNT(DISTINCT name) AS names FROM named\n"),
    ("statements/f-write.sql", "UPDATE customers SET city = 'x' WHERE name = :name\n"),
    ("statements/f-write.csv", "name\nstrasse\n"),
    ("statements/g-random.sql", "SELECT RAND() FROM customers\n"),
    ("statements/h-order.sql", "SELECT name FROM makers ORDER BY name DESC\n"),
    ("statements/i-numbers.sql", "SELECT SUM(id) FROM orders WHERE id > :id\n"),
    ("statements/i-numbers.csv", "id:int\n3\n"),
];

fn shop(place: &Place) {
    for (name, text) in FILES {
        let path = place.root().join("shop").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    // So many that an index is worth it.
    let orders: String = (0..500).map(|n| format!("{n},a{n}\n")).collect();
    fs::write(place.root().join("shop/rows/orders.csv"), format!("id:int,code\n{orders}")).unwrap();
}

fn compared(place: &Place, words: &[&str]) -> Done {
    place.end(place.weigh(&[&["workload", "compare", "shop", "--no-defaults"], words].concat()).spawn().unwrap())
}

fn read(done: &Done) -> Parity {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/parity.schema.json");
    let schema = serde_json::from_str(&fs::read_to_string(schema).unwrap()).unwrap();
    let value: serde_json::Value = serde_json::from_str(&done.stdout).unwrap_or_else(|error| panic!("{error}: {done}"));
    jsonschema::validator_for(&schema).unwrap().validate(&value).unwrap();
    serde_json::from_value(value).unwrap()
}

/// MySQL does without an index whose collation is not the comparison's; what MariaDB 10.11 explains is the same on both sides.
fn what_is_planted_is_found(server: &str, loses_index: bool) {
    let place = Place::new();
    shop(&place);
    let server = format!("--server={server}");
    let done = compared(&place, &[&server, "-c", "as-is,utf8mb4_unicode_ci", "--format=json"]);
    assert_eq!(done.code, Some(1), "{done}");
    let parity = read(&done);
    assert_eq!(parity.sides[1].name, "utf8mb4_unicode_ci");
    // customers.name and city, orders.code, makers.name; not parts' own.
    assert_eq!((parity.sides[1].converted, parity.sides[1].kept), (4, 2), "{parity:#?}");
    assert_eq!(parity.not_repeatable, ["g-random"]);
    let found: Vec<&str> = parity.findings.iter().map(|finding| finding.class.as_str()).collect();
    let lost: &[&str] = if loses_index { &["b-lost-index"] } else { &[] };
    assert_eq!(found, [&["a-sharp-s"], lost, &["c-error", "e-distinct", "f-write"]].concat(), "{parity:#?}");
    let of = |class: &str| parity.findings.iter().find(|finding| finding.class == class).unwrap();
    let [Difference::Rows { example, calls: 1 }] = of("a-sharp-s").differences.as_slice() else {
        panic!("{parity:#?}")
    };
    assert!(example.statement.contains("name = 'Straße'"), "{example:#?}");
    assert_eq!(
        (example.control.as_slice(), example.treatment.as_slice()),
        (&[][..], &["'2'".to_owned(), "'3'".to_owned()][..])
    );
    let why = "'Straße' = 'Strasse' under utf8mb4_unicode_ci: ß = ss";
    assert!(example.why.iter().any(|one| one.starts_with(why)), "{example:#?}");
    let by_code = |change: &PlanChange| match change {
        PlanChange::Index { table, control, .. } => table == "o" && control.as_deref() == Some("by_code"),
        PlanChange::Access { table, .. } => table == "o",
        _ => false,
    };
    assert!(!loses_index || of("b-lost-index").plan.iter().any(by_code), "{parity:#?}");
    let [Difference::Error { example, .. }] = of("c-error").differences.as_slice() else { panic!("{parity:#?}") };
    assert!(example.control.is_empty() && example.treatment[0].starts_with("1267: "), "{example:#?}");
    assert!(matches!(of("e-distinct").differences[0], Difference::Rows { .. }));
    let [Difference::Affected { example, .. }] = of("f-write").differences.as_slice() else { panic!("{parity:#?}") };
    assert_eq!((example.control[0].as_str(), example.treatment[0].as_str()), ("2", "3"));

    // As text, the verdict first; and against itself, nothing.
    let text = compared(&place, &[&server, "-c", "as-is,utf8mb4_unicode_ci"]);
    assert!(
        text.stdout
            .contains(" classes differ: 2 with other rows, 1 with another number of changed rows, 1 with an error"),
        "{text}"
    );
    let same = compared(&place, &[&server, "-c", "utf8mb4_unicode_ci,as-is,utf8mb4_unicode_ci"]);
    assert!(same.code == Some(1), "{same}");
    let all = compared(
        &place,
        &[&server, "-c", "utf8mb4_unicode_ci,utf8mb4_unicode_520_ci", "--convert=all", "--format=json"],
    );
    assert_eq!((all.code, read(&all).findings), (Some(0), Vec::new()), "the same rows under both: {all}");
}

#[test]
fn what_is_planted_is_found_on_mariadb() {
    what_is_planted_is_found("mariadb", false);
}

#[test]
fn what_is_planted_is_found_on_mysql() {
    what_is_planted_is_found("mysql@sid", true);
}

#[test]
fn what_cannot_be_compared_is_told() {
    let place = Place::new();
    shop(&place);
    compared(&place, &["-c", "as-is"]).refuses_with(&["two sides"]);
    compared(&place, &["--server=mariadb", "-c", "as-is,utf8mb4_nowhere_ci"])
        .refuses_with(&["no collation utf8mb4_nowhere_ci"]);
    // A unique key that the new collation can't keep.
    fs::write(
        place.root().join("shop/schema.sql"),
        FILES[1].1.replace("KEY (name)", "UNIQUE (name)").replace("utf8mb4_general_ci;\n", "utf8mb4_bin;\n"),
    )
    .unwrap();
    compared(&place, &["--server=mariadb", "-c", "as-is,utf8mb4_unicode_ci"])
        .refuses_with(&["convert customers", "weigh preflight"]);
    fs::write(place.root().join("shop/statements/d-same.sql"), "SELECT 1 FROM nowhere").unwrap();
    compared(&place, &["-c", "as-is,utf8mb4_unicode_ci"]).refuses_with(&["shop can't be run", "no table nowhere"]);
}

/// What another program wrote as Parquet is what the server has, in columns of every type.
#[test]
fn rows_of_a_parquet_file_are_the_servers() {
    let place = Place::new();
    let columns = "id INT PRIMARY KEY, name VARCHAR(40), day DATE, at TIME(6), moment DATETIME(6), nanos TIMESTAMP(6) NULL, millis DATETIME(3), \
                   price DECIMAL(10,2), ratio DOUBLE, small FLOAT, big BIGINT UNSIGNED, tiny TINYINT, flag BOOLEAN, raw VARBINARY(8)";
    let schema = format!("CREATE TABLE items ({columns}) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;\n");
    let statement = "SELECT id, name, day, at, moment, nanos, millis, price, ratio, small, big, tiny, flag, HEX(raw) FROM items \
                     WHERE name = :name\n";
    let files = [
        ("workload.toml", "format = 1\n[session]\ntime_zone = \"+00:00\"\n"),
        ("schema.sql", &schema),
        ("statements/by_name.sql", statement),
        ("statements/by_name.csv", "name\nStrasse\n"),
    ];
    for (name, text) in files {
        let path = place.root().join("shop").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../parquetfile/tests/fixtures/items.parquet");
    fs::create_dir(place.root().join("shop/rows")).unwrap();
    fs::copy(fixture, place.root().join("shop/rows/items.parquet")).unwrap();
    let done = compared(&place, &["--server=mariadb", "-c", "as-is,utf8mb4_unicode_ci", "--format=json"]);
    assert_eq!(done.code, Some(1), "{done}");
    let parity = read(&done);
    let [finding] = parity.findings.as_slice() else { panic!("{done}") };
    let Difference::Rows { example, .. } = &finding.differences[0] else { panic!("{done}") };
    let moment = "'2024-02-29 12:34:56.789012'";
    let row = format!(
        "'1', 'Straße', '2024-02-29', '12:34:56.789012', {moment}, {moment}, '2024-02-29 12:34:56.789', '12.34', '0.1', '0.1', \
         '18446744073709551615', '-128', '1', '00FF'"
    );
    assert_eq!((&example.control[..], &example.treatment[..]), (&[][..], &[row][..]));
}
