//! Findings that only the running server's plan shows.

use server::{LoadLimits, NoProgress, Options, Server, open};
use why::{Copy, Diagnosis, Given, Loaded, Request, confirm, diagnose, load_dump};

const SCHEMA: &str = "\
CREATE TABLE parcels (id INT PRIMARY KEY, tenant INT NOT NULL, code VARCHAR(40) NOT NULL) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci;
CREATE TABLE orders (id INT AUTO_INCREMENT PRIMARY KEY, tenant INT NOT NULL, code VARCHAR(40) NOT NULL, KEY tenant (tenant), KEY code (code)) CHARACTER SET latin1;
";

const ROWS: &str = "\
CREATE TABLE digits (d INT PRIMARY KEY);
INSERT INTO digits VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9);
INSERT INTO parcels VALUES (7, 1, 'p77'), (8, 9, 'p88');
INSERT INTO orders (tenant, code) SELECT n % 3, CONCAT('p', n) FROM (SELECT a.d * 1000 + b.d * 100 + c.d * 10 + e.d AS n FROM digits a, digits b, digits c, digits e) numbers;
ANALYZE TABLE parcels, orders;
";

fn start(name: &str, dump: &str) -> Server {
    let options = Options { buffer_pool: Some(64 << 20), threads: 4, ..Options::default() };
    let server = open(&name.parse().unwrap(), &options, &NoProgress).unwrap();
    let mut loaded = Loaded::default();
    load_dump(&server, "shop", dump.as_bytes(), LoadLimits::default(), &mut loaded).unwrap();
    assert!(loaded.refused.is_empty(), "{:?}", loaded.refused);
    server
}

#[test]
fn rows_that_are_filtered_in_vain_show_a_lost_index_on_mysql() {
    filtered_rows_show_a_lost_index("mysql@sid", "conversion on field 'code'");
}

#[test]
fn rows_that_are_filtered_in_vain_show_a_lost_index_on_mariadb() {
    filtered_rows_show_a_lost_index("mariadb@trixie", "Cannot use key parts with");
}

/// The copy finds one row by another index. The running server reads thousands by it.
fn filtered_rows_show_a_lost_index(name: &str, warning: &str) {
    let (source, private) = (start(name, &format!("{SCHEMA}{ROWS}")), start(name, SCHEMA));
    let ask = |parcel: u32| {
        let text = format!(
            "SELECT o.id FROM parcels p JOIN orders o ON o.tenant = p.tenant AND o.code = p.code WHERE p.id = {parcel}"
        );
        let given = vec![Given { place: "statement".into(), text, ..Given::default() }];
        let request = Request { given, schema: Some("app".into()), first: Vec::new() };
        let found = diagnose(&mut Copy::new(&private).unwrap(), &request).unwrap();
        assert!(found.statements[0].findings.is_empty(), "{found:?}");
        let mut diagnosis = Diagnosis {
            format: why::FORMAT,
            weigh: String::new(),
            server: source.label().to_owned(),
            version: source.version().to_owned(),
            copy: String::new(),
            statements: found.statements,
            notes: found.notes,
        };
        confirm(&source, &request, &mut diagnosis).unwrap();
        diagnosis
    };
    let many = ask(7);
    let [finding] = many.statements[0].findings.as_slice() else { panic!("{many:?}") };
    let details = finding.details.join("; ");
    for part in [warning, "and keeps about"] {
        assert!(details.contains(part), "{part}: {details}");
    }
    assert!(finding.server_plan.is_some() && !finding.remedies.is_empty(), "{finding:?}");
    let few = ask(8);
    assert!(few.statements[0].findings.is_empty(), "{few:?}");
    assert!(few.notes.iter().any(|note| note.contains("the server warns")), "{:?}", few.notes);
    source.stop().unwrap();
    private.stop().unwrap();
}
