//! `weigh workload compare` on real servers: planted differences are found, nothing else is, and
//! nothing stays.

use std::fs;
use std::path::Path;

use result_diff::{Difference, PlanChange, ResultDiff};

use crate::workspace::{Finished, Workspace};

/// A shop with planted differences under utf8mb4_unicode_ci.
const FILES: [(&str, &str); 19] = [
    ("workload.toml", "format = 1\nname = \"shop\"\n"),
    (
        "schema.sql",
        "CREATE TABLE customers (id INT PRIMARY KEY, name VARCHAR(80), city VARCHAR(40), KEY (name)) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;\n\
         CREATE TABLE orders (id INT PRIMARY KEY, code VARCHAR(20) CHARACTER SET latin1, KEY by_code (code)) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;\n\
         CREATE TABLE parts (id INT PRIMARY KEY, code VARCHAR(20), other VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_520_ci, KEY (code))\n\
           CHARACTER SET latin1;\n\
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

pub fn shop(workspace: &Workspace) {
    for (name, text) in FILES {
        let path = workspace.root().join("shop").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    // Enough rows for an index to pay.
    let orders: String = (0..500).map(|n| format!("{n},a{n}\n")).collect();
    fs::write(workspace.root().join("shop/rows/orders.csv"), format!("id:int,code\n{orders}")).unwrap();
}

fn compare(workspace: &Workspace, words: &[&str]) -> Finished {
    workspace.wait_for_end(
        workspace.weigh(&[&["workload", "compare", "shop", "--no-defaults"], words].concat()).spawn().unwrap(),
    )
}

fn read(finished: &Finished) -> ResultDiff {
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../schemas/workload-compare.schema.json");
    let schema = serde_json::from_str(&fs::read_to_string(schema).unwrap()).unwrap();
    let value: serde_json::Value =
        serde_json::from_str(&finished.stdout).unwrap_or_else(|error| panic!("{error}: {finished}"));
    jsonschema::validator_for(&schema).unwrap().validate(&value).unwrap();
    serde_json::from_value(value).unwrap()
}

/// A server doesn't use an index in another character set than the comparison's.
fn find_planted_differences(server: &str) {
    let workspace = Workspace::new();
    shop(&workspace);
    let server = format!("--server={server}");
    let finished = compare(&workspace, &[&server, "-c", "as-is,utf8mb4_unicode_ci", "--format=json"]);
    assert_eq!(finished.code, Some(1), "{finished}");
    let comparison = read(&finished);
    assert_eq!(comparison.sides[1].name, "utf8mb4_unicode_ci");
    // customers.name and city, parts.code, makers.name; not orders.code and parts.other.
    assert_eq!((comparison.sides[1].converted, comparison.sides[1].kept), (4, 2), "{comparison:#?}");
    assert_eq!(comparison.not_repeatable, ["g-random"]);
    let classes: Vec<&str> = comparison.findings.iter().map(|finding| finding.class.as_str()).collect();
    assert_eq!(classes, ["a-sharp-s", "b-lost-index", "c-error", "e-distinct", "f-write"], "{comparison:#?}");
    let finding_of = |class: &str| comparison.findings.iter().find(|finding| finding.class == class).unwrap();
    let [Difference::Rows { example, calls: 1 }] = finding_of("a-sharp-s").differences.as_slice() else {
        panic!("{comparison:#?}")
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
    assert!(finding_of("b-lost-index").plan.iter().any(by_code), "{comparison:#?}");
    let [Difference::Error { example, .. }] = finding_of("c-error").differences.as_slice() else {
        panic!("{comparison:#?}")
    };
    assert!(example.control.is_empty() && example.treatment[0].starts_with("1267: "), "{example:#?}");
    assert!(matches!(finding_of("e-distinct").differences[0], Difference::Rows { .. }));
    let [Difference::Affected { example, .. }] = finding_of("f-write").differences.as_slice() else {
        panic!("{comparison:#?}")
    };
    assert_eq!((example.control[0].as_str(), example.treatment[0].as_str()), ("2", "3"));

    // The text counts the classes by kind of difference.
    let text = compare(&workspace, &[&server, "-c", "as-is,utf8mb4_unicode_ci"]);
    assert!(
        text.stdout.contains(
            " classes differ: 2 with different rows, 1 with a different number of changed rows, 1 with an error"
        ),
        "{text}"
    );
    let same = compare(&workspace, &[&server, "-c", "utf8mb4_unicode_ci,as-is,utf8mb4_unicode_ci"]);
    assert!(same.code == Some(1), "{same}");
    let all = compare(
        &workspace,
        &[&server, "-c", "utf8mb4_unicode_ci,utf8mb4_unicode_520_ci", "--convert=all", "--format=json"],
    );
    assert_eq!((all.code, read(&all).findings), (Some(0), Vec::new()), "the same rows under both: {all}");
}

#[test]
fn finds_planted_differences_on_mariadb() {
    find_planted_differences("mariadb");
}

#[test]
fn finds_planted_differences_on_mysql() {
    find_planted_differences("mysql@sid");
}

/// Converted columns of foreign keys: the keys hold on both sides, by each side's collation.
fn compare_with_foreign_keys(server: &str) {
    let workspace = Workspace::new();
    let schema = "CREATE TABLE parents (code VARCHAR(20) PRIMARY KEY, above VARCHAR(20), CONSTRAINT below FOREIGN KEY (above) REFERENCES parents (code)) \
                  CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;\n\
                  CREATE TABLE children (id INT PRIMARY KEY, parent VARCHAR(20), CONSTRAINT of_parent FOREIGN KEY (parent) REFERENCES parents (code) \
                  ON DELETE CASCADE ON UPDATE CASCADE) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin;\n";
    for (name, text) in [
        ("workload.toml", "format = 1\n"),
        ("schema.sql", schema),
        ("rows/parents.csv", "code,above\nstrasse,strasse\n"),
        ("rows/children.csv", "id:int,parent\n1,strasse\n"),
        ("statements/a-orphan.sql", "INSERT INTO children VALUES (2, 'nobody')\n"),
        ("statements/b-case.sql", "INSERT INTO children VALUES (3, 'Straße')\n"),
        ("statements/c-itself.sql", "UPDATE parents SET above = 'STRASSE'\n"),
        ("statements/d-cascade.sql", "DELETE FROM parents WHERE code = 'strasse'\n"),
    ] {
        let path = workspace.root().join("shop").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let server = format!("--server={server}");
    // Columns that compare codes stay so, unless all are converted.
    let words = [&server, "-c", "as-is,utf8mb4_unicode_ci", "--format=json"];
    let kept = read(&compare(&workspace, &words));
    assert_eq!((kept.sides[1].converted, kept.sides[1].kept), (0, 3), "{kept:#?}");
    assert!(kept.findings.is_empty(), "{kept:#?}");
    let finished = compare(&workspace, &[&words[..], &["--convert=all"]].concat());
    let comparison = read(&finished);
    assert_eq!((comparison.sides[1].converted, comparison.sides[1].kept), (3, 0), "{comparison:#?}");
    let shared: Vec<Option<u16>> =
        comparison.class_calls.iter().map(|calls| calls.shared_error.as_ref().map(|error| error.code)).collect();
    assert_eq!(shared, [Some(1452), None, None, Some(1451)], "{comparison:#?}");
    let classes: Vec<&str> = comparison.findings.iter().map(|finding| finding.class.as_str()).collect();
    assert_eq!(classes, ["b-case", "c-itself"], "{comparison:#?}");
    for finding in &comparison.findings {
        let [Difference::Error { example, .. }] = finding.differences.as_slice() else { panic!("{comparison:#?}") };
        assert!(example.control[0].starts_with("1452: ") && example.treatment.is_empty(), "{example:#?}");
    }
}

#[test]
fn foreign_keys_hold_on_both_sides_on_mariadb() {
    compare_with_foreign_keys("mariadb");
}

#[test]
fn foreign_keys_hold_on_both_sides_on_mysql() {
    compare_with_foreign_keys("mysql@sid");
}

#[test]
fn reports_what_cannot_be_compared() {
    let workspace = Workspace::new();
    shop(&workspace);
    compare(&workspace, &["-c", "as-is"]).refuses_with(&["two sides"]);
    compare(&workspace, &["--server=mariadb", "-c", "as-is,utf8mb4_nowhere_ci"])
        .refuses_with(&["no collation utf8mb4_nowhere_ci"]);
    // A unique key with duplicates under the new collation.
    const UTF8MB4: &str = " CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci";
    fs::write(
        workspace.root().join("shop/schema.sql"),
        FILES[1].1.replace("KEY (name)", "UNIQUE (name)").replacen(
            UTF8MB4,
            " CHARACTER SET latin1 COLLATE latin1_general_cs",
            1,
        ),
    )
    .unwrap();
    compare(&workspace, &["--server=mariadb", "-c", "as-is,utf8mb4_unicode_ci"]).refuses_with(&[
        "convert customers",
        "weigh preflight",
        "--without-colliding-rows",
    ]);
    let without = ["--server=mariadb", "-c", "as-is,utf8mb4_unicode_ci", "--without-colliding-rows"];
    let comparison = read(&compare(&workspace, &[&without[..], &["--format=json"]].concat()));
    let rows: Vec<(&str, u64, &str)> =
        comparison.left_out.iter().map(|row| (row.table.as_str(), row.row, row.first.as_str())).collect();
    assert_eq!(rows, [("customers", 2, "2"), ("customers", 3, "3"), ("customers", 5, "5")], "{comparison:#?}");
    assert!(comparison.left_out.iter().all(|row| row.equals.is_some()), "{comparison:#?}");
    let text = compare(&workspace, &without);
    assert!(text.stdout.contains("3 rows are left out on all sides"), "{text}");
    assert!(text.stdout.contains("(3 of customers)") && text.stdout.contains("it equals row '"), "{text}");
    fs::write(workspace.root().join("shop/statements/d-same.sql"), "SELECT 1 FROM nowhere").unwrap();
    compare(&workspace, &["-c", "as-is,utf8mb4_unicode_ci"]).refuses_with(&["shop can't be run", "no table nowhere"]);
}

/// Rows of a Parquet file equal the server's, in columns of every type.
#[test]
fn parquet_rows_equal_the_servers() {
    let workspace = Workspace::new();
    let columns = "id INT PRIMARY KEY, name VARCHAR(40), day DATE, at TIME(6), moment DATETIME(6), nanos TIMESTAMP(6) NULL, millis DATETIME(3), \
                   price DECIMAL(10,2), ratio DOUBLE, small FLOAT, big BIGINT UNSIGNED, tiny TINYINT, flag BOOLEAN, raw VARBINARY(8)";
    let schema = format!("CREATE TABLE items ({columns}) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;\n");
    let statement = "SELECT id, name, day, at, moment, nanos, millis, price, ratio, small, big, tiny, flag, HEX(raw) FROM items \
                     WHERE name = :name\n";
    let files = [
        ("workload.toml", "format = 1\n[session]\ntime_zone = \"+00:00\"\n"),
        ("schema.sql", &schema),
        ("statements/by_name.sql", statement),
        ("statements/by_name.csv", "name\nStrasse\n"),
    ];
    for (name, text) in files {
        let path = workspace.root().join("shop").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../formats/parquetfile/tests/fixtures/items.parquet");
    fs::create_dir(workspace.root().join("shop/rows")).unwrap();
    fs::copy(fixture, workspace.root().join("shop/rows/items.parquet")).unwrap();
    let finished = compare(&workspace, &["--server=mariadb", "-c", "as-is,utf8mb4_unicode_ci", "--format=json"]);
    assert_eq!(finished.code, Some(1), "{finished}");
    let comparison = read(&finished);
    let [finding] = comparison.findings.as_slice() else { panic!("{finished}") };
    let Difference::Rows { example, .. } = &finding.differences[0] else { panic!("{finished}") };
    let moment = "'2024-02-29 12:34:56.789012'";
    let row = format!(
        "'1', 'Straße', '2024-02-29', '12:34:56.789012', {moment}, {moment}, '2024-02-29 12:34:56.789', '12.34', '0.1', '0.1', \
         '18446744073709551615', '-128', '1', '00FF'"
    );
    assert_eq!((&example.control[..], &example.treatment[..]), (&[][..], &[row][..]));
}

/// A conversion builds indexes of expressions again: otherwise MySQL keeps their old collation, and
/// no query uses them.
#[test]
fn indexes_of_expressions_are_kept() {
    let workspace = Workspace::new();
    let files = [
        ("workload.toml", "format = 1\nname = \"shop\"\n"),
        (
            "schema.sql",
            "CREATE TABLE orders (id INT PRIMARY KEY, code VARCHAR(20), KEY by_code ((LOWER(code)))) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci;\n",
        ),
        ("statements/a-lower.sql", "SELECT id FROM orders WHERE LOWER(code) = :code\n"),
        ("statements/a-lower.csv", "code\na7\n"),
    ];
    let rows: String = (0..500).map(|n| format!("{n},A{n}\n")).collect();
    for (name, text) in files.into_iter().chain([("rows/orders.csv", format!("id:int,code\n{rows}").as_str())]) {
        let path = workspace.root().join("shop").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let words = ["--server=mysql@sid", "-c", "as-is,utf8mb4_0900_ai_ci", "--format=json"];
    let finished = compare(&workspace, &words);
    assert_eq!((finished.code, read(&finished).findings), (Some(0), Vec::new()), "{finished}");
}
