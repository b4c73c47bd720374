//! Reads facts from real servers, also with an account that has only SELECT.

use facts::{Facts, IndexKind, Limits, RowFormat, Scope, Table};
use mysql::prelude::Queryable;
use server::Conn;
use server::{Flavour, Login, NoProgress, Options, Secret, Server, Spec, Version, open};

fn private(name: &str) -> Server {
    let options = Options { buffer_pool: Some(64 << 20), threads: 4, ..Options::default() };
    open(&name.parse().unwrap(), &options, &NoProgress).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn run(conn: &mut Conn, statements: &[&str]) {
    for statement in statements {
        conn.query_drop(statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
    }
}

/// A schema with all kinds of objects that MySQL 5.6 has.
const SHOP: [&str; 12] = [
    "CREATE DATABASE `sh``op` CHARACTER SET latin1 COLLATE latin1_bin",
    "USE `sh``op`",
    "CREATE TABLE parts (id INT PRIMARY KEY, code VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL DEFAULT 'x' \
     COMMENT 'näme', kind ENUM('a','b') NULL, body TEXT, amount DECIMAL(8,2), UNIQUE KEY codes (code(10), kind), \
     FULLTEXT KEY words (body)) ENGINE=InnoDB ROW_FORMAT=COMPACT DEFAULT CHARSET=utf8mb4 COMMENT='a table'",
    "CREATE TABLE `orders ü` (id INT PRIMARY KEY, part INT, CONSTRAINT to_part FOREIGN KEY (part) REFERENCES parts (id) ON DELETE CASCADE)",
    "CREATE TABLE split (id INT, PRIMARY KEY (id)) PARTITION BY RANGE (id) (PARTITION p0 VALUES LESS THAN (10), \
     PARTITION p1 VALUES LESS THAN MAXVALUE)",
    "INSERT INTO parts VALUES (1, 'a', 'a', 'text', 1)",
    "CREATE VIEW v AS SELECT code, 'lit' AS lit FROM parts",
    "CREATE FUNCTION f(a VARCHAR(10) CHARACTER SET latin1) RETURNS TEXT DETERMINISTIC RETURN CONCAT(a, 'b')",
    "CREATE PROCEDURE p(IN a INT) SELECT a",
    "CREATE TRIGGER t BEFORE INSERT ON parts FOR EACH ROW SET NEW.code = LOWER(NEW.code)",
    "CREATE EVENT e ON SCHEDULE EVERY 1 YEAR DO SELECT 1",
    "CREATE USER nobody@localhost IDENTIFIED BY 'hunter2'",
];

fn read(server: &Server) -> Facts {
    let scope = Scope { schemas: vec!["sh`op".into()], ..Scope::all() };
    facts::read(server, &scope, &Limits::default(), &NoProgress).unwrap()
}

fn check_facts(name: &str) {
    let server = private(name);
    let mut conn = server.connect().unwrap();
    run(&mut conn, &SHOP);
    let facts = read(&server);
    assert_eq!(facts.schemas.len(), 1);
    let shop = &facts.schemas[0];
    assert_eq!((shop.charset.as_str(), shop.collation.as_str()), ("latin1", "latin1_bin"));
    let names: Vec<&str> = shop.tables.iter().map(|table| table.name.as_str()).collect();
    assert_eq!(names, ["orders ü", "parts", "split"]);
    check_parts_table(facts.table("sh`op", "parts").unwrap());
    let key = &facts.table("sh`op", "orders ü").unwrap().foreign_keys[0];
    assert_eq!((key.name.as_str(), key.parent_table.as_str(), key.on_delete.as_str()), ("to_part", "parts", "CASCADE"));
    assert_eq!((&key.columns[..], &key.parent_columns[..]), (&["part".to_owned()][..], &["id".to_owned()][..]));
    let split = facts.table("sh`op", "split").unwrap().partitioning.as_ref().unwrap();
    assert_eq!((split.method.as_str(), split.partitions.len()), ("RANGE", 2));

    assert_eq!(shop.views[0].columns.len(), 2);
    assert!(shop.views[0].program.body.as_deref().unwrap().contains("parts"));
    let function = shop.routines.iter().find(|routine| routine.kind == "FUNCTION").unwrap();
    assert_eq!((function.parameters.len(), function.parameters[1].charset.as_deref()), (2, Some("latin1")));
    assert_eq!(function.program.charsets.database.as_deref(), Some("latin1_bin"));
    assert_eq!(shop.triggers[0].table, "parts");
    assert_eq!(shop.events[0].program.name, "e");
    assert!(facts.server.charset("utf8").is_some_and(|charset| charset.max_bytes == 3), "{name}");
    assert!(facts.server.collation("utf8mb4_bin").is_some());
    assert_eq!(facts.server.handshake.as_ref().unwrap().client, "utf8mb4");

    let copy: Facts = serde_json::from_str(&serde_json::to_string(&facts).unwrap()).unwrap();
    assert_eq!(copy, facts, "facts can be serialised");

    check_read_only(&server);
    check_newer_objects(&server, &mut conn);
    check_sessions(&server, &facts);
    check_without_privileges(&server, &mut conn);
    server.stop().unwrap();
}

fn check_parts_table(table: &Table) {
    assert_eq!((table.engine.as_deref(), table.row_format), (Some("InnoDB"), RowFormat::Compact));
    assert_eq!((table.charset(), table.comment.as_str()), (Some("utf8mb4"), "a table"));
    assert!(table.data_bytes.is_some_and(|bytes| bytes > 0));
    let code = table.column("CODE").unwrap();
    assert_eq!((code.column_type.as_str(), code.collation.as_deref()), ("varchar(20)", Some("utf8mb4_bin")));
    assert_eq!((code.characters, code.bytes, code.nullable), (Some(20), Some(80), false));
    assert_eq!(
        (code.comment.as_str(), code.default.as_deref().map(|text| text.trim_matches('\''))),
        ("näme", Some("x"))
    );
    let amount = table.column("amount").unwrap();
    assert_eq!((amount.precision, amount.scale, amount.charset.as_deref()), (Some(8), Some(2), None));
    assert_eq!(table.primary_key().unwrap().parts[0].column.as_deref(), Some("id"));
    let codes = table.indexes.iter().find(|index| index.name == "codes").unwrap();
    assert_eq!(
        (codes.unique, codes.kind, codes.parts.len(), codes.parts[0].prefix),
        (true, IndexKind::Btree, 2, Some(10))
    );
    assert!(table.indexes.iter().any(|index| index.kind == IndexKind::Fulltext));
    assert_eq!(table.indexes_with_column("body").count(), 1);
}

fn check_read_only(server: &Server) {
    let mut conn = facts::connect(server, &Limits::default()).unwrap();
    for statement in ["INSERT INTO `sh``op`.parts (id) VALUES (2)", "CREATE TABLE `sh``op`.new (a INT)"] {
        let refusal = conn.query_drop(statement).unwrap_err().to_string();
        assert!(refusal.contains("1792"), "{refusal}");
    }
}

/// Reads generated columns, check constraints and hidden indexes, which MySQL 5.6 does not have.
fn check_newer_objects(server: &Server, conn: &mut Conn) {
    if server.version().starts_with("5.6") {
        return;
    }
    run(
        conn,
        &[
            "CREATE TABLE `sh``op`.later (a VARCHAR(10), b VARCHAR(20) AS (CONCAT(a, 'x')) STORED, c VARCHAR(9) AS (a) VIRTUAL, \
           CONSTRAINT a_is_short CHECK (CHAR_LENGTH(a) < 5))",
        ],
    );
    let facts = read(server);
    let later = facts.table("sh`op", "later").unwrap();
    let b = later.column("b").unwrap().generated.as_ref().unwrap();
    assert!(b.stored && b.expression.contains("concat"), "{b:?}");
    assert!(!later.column("c").unwrap().generated.as_ref().unwrap().stored);
    assert_eq!(later.column("a").unwrap().generated, None);
    assert_eq!(later.checks[0].name, "a_is_short");
    assert!(later.checks[0].expression.contains("char_length"));
    let hidden = if server.flavour() == Flavour::MariaDb { "IGNORED" } else { "INVISIBLE" };
    run(conn, &[&format!("ALTER TABLE `sh``op`.later ADD INDEX hidden (a) {hidden}, ADD INDEX shown (a)")]);
    let facts = read(server);
    let indexes = &facts.table("sh`op", "later").unwrap().indexes;
    let found: Vec<(&str, bool)> = indexes.iter().map(|index| (index.name.as_str(), index.invisible)).collect();
    assert_eq!(found, [("hidden", true), ("shown", false)]);
}

fn shows_sessions(server: &Server) -> bool {
    server.flavour() == Flavour::MySql && Version::find(server.version()) >= Some(Version::new(5, 7, 0))
}

fn check_sessions(server: &Server, facts: &Facts) {
    if !shows_sessions(server) {
        assert!(facts.unseen.iter().any(|unseen| unseen.what.contains("sessions")), "{:?}", facts.unseen);
        return;
    }
    let mut other = server.connect().unwrap();
    other.query_drop("SET NAMES latin1").unwrap();
    let sessions = read(server).sessions;
    let latin1 = sessions.iter().find(|session| session.client.as_deref() == Some("latin1")).unwrap();
    assert_eq!((latin1.user.as_str(), latin1.collation.as_deref()), ("root", Some("latin1_swedish_ci")));
}

/// With an account that has only SELECT, the facts name hidden objects and the GRANT that shows
/// them.
fn check_without_privileges(server: &Server, conn: &mut Conn) {
    run(conn, &["GRANT SELECT ON `sh``op`.* TO nobody@localhost"]);
    let server::Address::Socket(socket) = &server.endpoint().address else { panic!() };
    let mut login = Login { no_defaults: true, ..Login::default() };
    login.options.socket = Some(socket.clone());
    login.options.user = Some("nobody".into());
    login.options.password = Some(Secret::new("hunter2"));
    let nobody = open(&Spec::Attach(Box::default()), &Options { login, ..Options::default() }, &NoProgress).unwrap();
    let facts = read(&nobody);
    assert_eq!(facts.schemas[0].tables.len(), read(server).schemas[0].tables.len());
    let key = &facts.table("sh`op", "orders ü").unwrap().foreign_keys[0];
    assert_eq!((key.name.as_str(), key.on_delete.as_str()), ("to_part", "CASCADE"), "MariaDB hides its constraint");
    assert!(facts.schemas[0].triggers.is_empty());
    for (what, grant) in [
        ("triggers", "GRANT TRIGGER ON `sh``op`.* TO 'nobody'@'localhost'"),
        ("events", "GRANT EVENT ON"),
        ("the text of 1 view of", "GRANT SHOW VIEW ON"),
        ("stored routines", "GRANT S"),
        ("source", "GRANT REPL"),
    ] {
        let unseen = facts
            .unseen
            .iter()
            .find(|unseen| unseen.what.contains(what))
            .unwrap_or_else(|| panic!("{what}: {:?}", facts.unseen));
        assert!(unseen.remedy.as_deref().is_some_and(|remedy| remedy.starts_with(grant)), "{unseen:?}");
    }
    if shows_sessions(server) {
        let unseen = facts.unseen.iter().find(|unseen| unseen.what.contains("sessions")).unwrap();
        run(conn, &[unseen.remedy.as_deref().unwrap()]);
        let facts = read(&nobody);
        assert!(facts.unseen.iter().all(|unseen| !unseen.what.contains("sessions")), "{:?}", facts.unseen);
        assert!(!facts.sessions.is_empty());
    }
    let all = facts::read(server, &Scope::all(), &Limits::default(), &NoProgress).unwrap();
    assert!(all.schemas.iter().all(|schema| schema.name != "mysql"));
    let unknown = Scope { schemas: vec!["no such".into()], ..Scope::default() };
    let refusal = facts::read(&nobody, &unknown, &Limits::default(), &NoProgress).unwrap_err().to_string();
    assert!(refusal.contains("no such") && refusal.contains("sh`op"), "{refusal}");
}

#[test]
fn mariadb() {
    check_facts("mariadb");
}

#[test]
fn mariadb_trixie() {
    check_facts("mariadb@trixie");
}

#[test]
fn mysql_sid() {
    check_facts("mysql@sid");
}

#[test]
fn mysql_5_6() {
    check_facts("mysql@5.6");
}
