//! Tests of requests: unknown names are refused, and a plan is for the tables that are named. Also
//! tests of single checks.

use facts::{Limits, Scope};
use mysql::prelude::Queryable;
use preflight::{Checkpoint, Options, ReadOptions, Report, RowSource, Severity, read_definitions, read_tied_schemas};
use server::{Address, Login, NoProgress, open};

use crate::lab::{Lab, NoProgressBar, describe_report, options};

const SHOP: [&str; 7] = [
    "CREATE TABLE customers (id INT PRIMARY KEY, email VARCHAR(60))",
    "CREATE TABLE orders (id INT PRIMARY KEY, note VARCHAR(60))",
    "INSERT INTO customers VALUES (1, 'a@x')",
    "SET NAMES latin1",
    "CREATE PROCEDURE of_customers () SELECT COUNT(*) FROM customers",
    "CREATE PROCEDURE of_orders () SELECT COUNT(*) FROM orders",
    "SET NAMES utf8mb4",
];

fn report_of(lab: &Lab, schema: &str, options: &Options) -> Result<Report, preflight::Error> {
    lab.report_with(schema, options, &ReadOptions::default(), &Checkpoint::disabled())
}

/// Runs preflight with the facts of several schemas.
pub fn report_of_schemas(lab: &Lab, schemas: Vec<String>, options: &Options) -> Report {
    let scope = Scope { schemas, programs: true, activity: false };
    let facts = facts::read(&lab.server, &scope, &Limits::default(), &NoProgress).unwrap();
    let definitions = read_definitions(&lab.server, &facts).unwrap();
    let read = ReadOptions::default();
    let open = || -> Result<Box<dyn RowSource + '_>, preflight::Error> {
        Ok(Box::new(preflight::ServerRows::open(&lab.server, &facts, &read)?))
    };
    let source = preflight::Source {
        label: "lab".into(),
        facts: &facts,
        definitions: &definitions,
        open: &open,
        is_server: true,
    };
    preflight::run(&source, options, &Checkpoint::disabled(), &NoProgressBar).unwrap()
}

fn refuses_unknown_names(lab: &Lab, target: &str) {
    let refused = |change: &dyn Fn(&mut Options), parts: &[&str]| {
        let mut options = options(target);
        change(&mut options);
        let error = report_of(lab, "fx_shop", &options).expect_err("refused").to_string();
        assert!(parts.iter().all(|part| error.contains(part)), "{error}");
    };
    refused(
        &|options| options.request.tables = vec!["fx_shop.custmers".into()],
        &["table fx_shop.custmers", "customers?"],
    );
    refused(&|options| options.request.columns = vec!["emial".into()], &["column emial", "email?"]);
    refused(&|options| options.request.schemas = vec!["fx_shpo".into()], &["schema fx_shpo", "fx_shop?"]);
}

fn counts_columns_if_nothing_is_to_convert(lab: &mut Lab, target: &str) {
    lab.schema("fx_done", "utf8mb4", &[format!("CREATE TABLE t (a VARCHAR(9), b TEXT, c INT) COLLATE {target}")]);
    let report = report_of(lab, "fx_done", &options(target)).unwrap();
    assert_eq!((report.columns, report.tables.len()), (2, 0), "{}", describe_report(&report));
}

fn plans_programs_of_the_requested_table(lab: &Lab, target: &str) {
    let mut options = options(target);
    options.request.tables = vec!["customers".into()];
    let report = report_of(lab, "fx_shop", &options).unwrap();
    let plan = report.plan.as_ref().unwrap();
    let objects: Vec<&str> = plan.steps.iter().map(|step| step.object.as_str()).collect();
    assert!(objects.contains(&"fx_shop.of_customers") && !objects.contains(&"fx_shop.of_orders"), "{objects:?}");
    let notes: Vec<&str> = plan.steps.iter().filter_map(|step| step.note.as_deref()).collect();
    assert!(notes.iter().any(|note| note.contains("uses fx_shop.customers")), "{notes:?}");
    let programs: Vec<&Vec<String>> = report
        .findings
        .iter()
        .filter(|finding| finding.check == "programs")
        .flat_map(|finding| finding.details.examples.iter().map(|example| &example.values))
        .collect();
    assert_eq!(programs, [&["procedure".to_owned(), "of_customers".to_owned()]]);
}

/// A child in a schema that was not named blocks its parent, before any foreign key is dropped.
fn finds_children_in_other_schemas(lab: &mut Lab, target: &str) {
    lab.schema("fx_parent", "latin1", &["CREATE TABLE p (k VARCHAR(9) PRIMARY KEY)".into()]);
    lab.schema(
        "fx_child",
        "latin1",
        &["CREATE TABLE c (k VARCHAR(9), CONSTRAINT f FOREIGN KEY (k) REFERENCES fx_parent.p (k))".into()],
    );
    let mut schemas = vec!["fx_parent".to_owned()];
    let tied = read_tied_schemas(&lab.server, &schemas).unwrap().names;
    assert_eq!(tied, ["fx_child"]);
    schemas.extend(tied);
    let mut options = options(target);
    options.request.schemas = vec!["fx_parent".into()];
    let report = report_of_schemas(lab, schemas, &options);
    let partner = report.findings.iter().find(|finding| finding.check == "foreign-key-partner").unwrap();
    assert_eq!(partner.severity, Severity::Error);
    let plan = report.plan.as_ref().unwrap();
    let is_free = |step: &&preflight::Step| !step.blocked && step.object != "session";
    assert!(!plan.steps.iter().any(|step| is_free(&step)), "{}", describe_report(&report));
    lab.conn.query_drop("DROP DATABASE fx_child").unwrap();
}

/// Schemas whose programs an account may not see are not taken for schemas without programs.
fn names_programs_that_may_be_hidden(lab: &mut Lab) {
    let schemas = ["fx_shop".to_owned()];
    assert_eq!(read_tied_schemas(&lab.server, &schemas).unwrap().unseen, []);
    let tied = ["CREATE VIEW v AS SELECT email FROM fx_shop.customers", "CREATE VIEW w AS SELECT 1 AS fx_shop"];
    lab.schema("fx_tied", "utf8mb4", &tied.map(str::to_owned));
    lab.schema("fx_apart", "utf8mb4", &["CREATE VIEW w AS SELECT 1 AS fx_shop".into()]);
    assert_eq!(read_tied_schemas(&lab.server, &schemas).unwrap().names, ["fx_tied"]);
    let grants = ["fx_shop", "fx_tied"].map(|schema| format!("GRANT SELECT ON {schema}.* TO few@localhost"));
    lab.conn.query_drop("CREATE USER few@localhost").unwrap();
    grants.iter().for_each(|grant| lab.conn.query_drop(grant).unwrap());
    let few = open_as(lab, "few");
    let tied = read_tied_schemas(&few, &schemas).unwrap();
    let what: Vec<&str> = tied.unseen.iter().map(|unseen| unseen.what.as_str()).collect();
    assert_eq!(
        what,
        ["2 views of other schemas, which may use these", "programs of other schemas that use these"],
        "{:?}",
        tied.unseen
    );
    lab.conn.query_drop("DROP USER few@localhost").unwrap();
    lab.conn.query_drop("DROP DATABASE fx_tied").unwrap();
    lab.conn.query_drop("DROP DATABASE fx_apart").unwrap();
}

/// A conversion of one column names the columns that are joined with it and must be converted, too.
fn names_join_partners(lab: &mut Lab, target: &str) {
    let orders = [
        "CREATE TABLE orders (id INT PRIMARY KEY, code VARCHAR(20), memo VARCHAR(20), KEY (code))",
        "CREATE TABLE parcels (id INT PRIMARY KEY, order_code VARCHAR(20), memo VARCHAR(20))",
    ];
    lab.schema("fx_orders", "utf8mb3", &orders.map(str::to_owned));
    lab.schema("fx_archive", "utf8mb3", &["CREATE TABLE old (id INT PRIMARY KEY, code VARCHAR(20))".into()]);
    let mut options = options(target);
    options.request.columns = vec!["orders.code".into()];
    let schemas = vec!["fx_orders".to_owned(), "fx_archive".to_owned()];
    let report = report_of_schemas(lab, schemas.clone(), &options);
    let left: Vec<(&str, u64, &str)> = report
        .findings
        .iter()
        .filter(|finding| finding.check == "join-partner")
        .map(|finding| (finding.object.name.as_str(), finding.details.count, finding.action.as_str()))
        .collect();
    let action = "convert fx_orders.orders.code and fx_orders.parcels.order_code, fx_archive.old.code together";
    assert_eq!(left, [("fx_orders.orders.code", 2, action)], "{}", describe_report(&report));
    options.request.columns.clear();
    let whole = report_of_schemas(lab, schemas, &options);
    assert!(!whole.findings.iter().any(|finding| finding.check == "join-partner"), "{}", describe_report(&whole));
}

/// Values that differ in case are equal before a conversion to `_bin`, and distinct afterwards.
fn counts_values_that_cease_to_be_equal(lab: &mut Lab) {
    let statements = [
        "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20), w VARCHAR(20))",
        "INSERT INTO t VALUES (1, 'Anna', 'Anna'), (2, 'anna', 'Bert'), (3, 'ANNA', 'Carl'), (4, 'Bert', 'Carl')",
    ];
    lab.schema("fx_separates", "utf8mb4 COLLATE utf8mb4_general_ci", &statements.map(str::to_owned));
    let report = report_of(lab, "fx_separates", &options("utf8mb4_bin")).unwrap();
    let separated: Vec<(&str, &str)> = report
        .findings
        .iter()
        .filter(|finding| finding.check == "separates")
        .map(|finding| (finding.object.name.as_str(), finding.what.as_str()))
        .collect();
    assert_eq!(
        separated,
        [("fx_separates.t.v", "1 of 2 distinct values is split into 3")],
        "{}",
        describe_report(&report)
    );
}

/// A `_bin` column gets the `_bin` collation of the new character set. Its errors block its table.
/// Errors under the second target block nothing.
fn blocks_columns_that_stay_binary(lab: &mut Lab) {
    let statements = [
        "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20) COLLATE utf8mb4_bin)",
        "CREATE TABLE u (id INT PRIMARY KEY, v VARCHAR(20))",
        "INSERT INTO t VALUES (1, '漢')",
        "INSERT INTO u VALUES (1, 'ü')",
    ];
    lab.schema("fx_binary", "utf8mb4 COLLATE utf8mb4_general_ci", &statements.map(str::to_owned));
    let mut options = options("latin1_swedish_ci");
    options.request.targets.push("ascii_general_ci".into());
    let report = report_of(lab, "fx_binary", &options).unwrap();
    let blockers: Vec<(&str, &str)> =
        report.blockers().map(|one| (one.object.name.as_str(), one.details.target.as_str())).collect();
    assert_eq!(blockers, [("fx_binary.t.v", "latin1_bin")], "{}", describe_report(&report));
    assert_eq!(report.plan.as_ref().unwrap().blocked, ["fx_binary.t"]);
    let errors = report.findings.iter().filter(|finding| finding.severity == preflight::Severity::Error).count();
    assert_eq!(errors, 3, "{}", describe_report(&report));
}

/// Long values are compared whole, under both collations.
fn long_values_are_not_taken_for_merges(lab: &mut Lab, target: &str) {
    let statements = [
        "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(700))",
        "INSERT INTO t VALUES (1, REPEAT('a', 600)), (2, REPEAT('A', 600)), (3, CONCAT(REPEAT('b', 600), 'ß')), (4, CONCAT(REPEAT('b', 600), 'ss'))",
    ];
    lab.schema("fx_long", "utf8mb4 COLLATE utf8mb4_general_ci", &statements.map(str::to_owned));
    let report = report_of(lab, "fx_long", &options(target)).unwrap();
    let merges: Vec<u64> = report
        .findings
        .iter()
        .filter(|finding| finding.check == "merges")
        .map(|finding| finding.details.count)
        .collect();
    assert_eq!(merges, [1], "{}", describe_report(&report));
}

fn run_all(server: &str, target: &str) {
    let mut lab = Lab::new(server);
    lab.schema("fx_shop", "latin1", &SHOP.map(str::to_owned));
    refuses_unknown_names(&lab, target);
    plans_programs_of_the_requested_table(&lab, target);
    counts_columns_if_nothing_is_to_convert(&mut lab, target);
    finds_children_in_other_schemas(&mut lab, target);
    names_programs_that_may_be_hidden(&mut lab);
    names_join_partners(&mut lab, target);
    counts_values_that_cease_to_be_equal(&mut lab);
    blocks_columns_that_stay_binary(&mut lab);
    long_values_are_not_taken_for_merges(&mut lab, target);
}

#[test]
fn mariadb() {
    run_all("mariadb", "utf8mb4_unicode_ci");
}

#[test]
fn mysql() {
    run_all("mysql@sid", "utf8mb4_0900_ai_ci");
}

/// A function that says nothing of what it does can't be created on a server with a binary log.
#[test]
fn binary_log_refuses_functions() {
    let mut lab = Lab::with_settings("mysql@sid", &[("log_bin", "binlog"), ("server_id", "1")]);
    let statements = [
        "CREATE TABLE t (a VARCHAR(9))",
        "SET GLOBAL log_bin_trust_function_creators = 1",
        "SET NAMES latin1",
        "CREATE FUNCTION unsafe () RETURNS INT RETURN 1",
        "CREATE FUNCTION safe () RETURNS INT DETERMINISTIC RETURN 1",
        "SET NAMES utf8mb4",
        "SET GLOBAL log_bin_trust_function_creators = 0",
    ];
    lab.schema("fx_log", "latin1", &statements.map(str::to_owned));
    let report = report_of(&lab, "fx_log", &options("utf8mb4_0900_ai_ci")).unwrap();
    let refused: Vec<&str> = report
        .findings
        .iter()
        .filter(|finding| finding.check == "binary-log")
        .map(|finding| finding.object.name.as_str())
        .collect();
    assert_eq!(refused, ["fx_log.unsafe"], "{}", describe_report(&report));
    for step in report.plan.unwrap().steps.iter().filter(|step| !step.blocked) {
        lab.conn.query_drop(&step.sql).unwrap_or_else(|error| panic!("{}: {error}", step.sql));
    }
    let functions: Vec<String> = lab
        .conn
        .query("SELECT ROUTINE_NAME FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = 'fx_log' ORDER BY 1")
        .unwrap();
    assert_eq!(functions, ["safe", "unsafe"]);
}

/// Opens the lab's server as another user.
pub fn open_as(lab: &Lab, user: &str) -> server::Server {
    let Address::Socket(socket) = &lab.server.endpoint().address else { panic!("no socket") };
    let spec = format!("u={user},S={}", socket.display()).parse().unwrap();
    let login = Login { no_defaults: true, ..Login::default() };
    open(&spec, &server::Options { login, ..server::Options::default() }, &NoProgress).unwrap()
}

/// A view that names a function of another account is not opened on MariaDB, and is not broken.
#[test]
fn a_view_of_a_foreign_function_is_not_checked_on_mariadb() {
    let mut lab = Lab::new("mariadb@bookworm");
    let statements = [
        "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(9))",
        "CREATE FUNCTION f (x VARCHAR(9)) RETURNS VARCHAR(9) DETERMINISTIC RETURN UPPER(x)",
        "CREATE VIEW v AS SELECT f(a) AS a FROM t",
        "CREATE TABLE gone (id INT)",
        "CREATE VIEW broken AS SELECT id FROM gone",
        "DROP TABLE gone",
        "CREATE USER 'sees'@'localhost'",
        "GRANT SELECT, SHOW VIEW ON fx_execute.* TO 'sees'@'localhost'",
    ];
    lab.schema("fx_execute", "latin1", &statements.map(str::to_owned));
    let sees = Lab { conn: lab.server.connect().unwrap(), server: open_as(&lab, "sees"), private: None };
    let report = report_of(&sees, "fx_execute", &options("utf8mb4_unicode_ci")).unwrap();
    let unreadable: Vec<(&str, &str)> = report
        .findings
        .iter()
        .filter(|finding| finding.check == "unreadable")
        .map(|finding| (finding.object.name.as_str(), finding.action.as_str()))
        .collect();
    let action = "grant what its definer or this account lacks, or repair or drop it, then run preflight again";
    assert_eq!(unreadable, [("fx_execute.broken", action)], "{}", describe_report(&report));
    let line = report.unchecked.iter().find(|line| line.contains("fx_execute.v"));
    let line = line.unwrap_or_else(|| panic!("{:?}", report.unchecked));
    assert!(line.contains("functions of other accounts"), "{line}");
}

/// The account that runs the plan needs rights that the plan names: without them the server refuses
/// to create programs of another definer (1227), and triggers while the binary log is on (1419).
fn names_the_rights_of_programs(server: &str, target: &str) {
    let mut lab = Lab::with_settings(server, &[("log_bin", "binlog"), ("server_id", "1")]);
    for account in ["'gone'@'localhost'", "'runs'@'localhost'"] {
        lab.conn.query_drop(format!("CREATE USER {account}")).unwrap();
    }
    let statements = [
        "CREATE TABLE t (a VARCHAR(9))",
        "SET NAMES latin1",
        "CREATE DEFINER='gone'@'localhost' PROCEDURE p (x VARCHAR(9)) SELECT COUNT(*) FROM t WHERE a = x",
        "CREATE DEFINER='runs'@'localhost' TRIGGER x BEFORE INSERT ON t FOR EACH ROW SET NEW.a = CONCAT(NEW.a, 'x')",
        "SET NAMES utf8mb4",
        "DROP USER 'gone'@'localhost'",
        "GRANT ALL ON fx_rights.* TO 'runs'@'localhost'",
    ];
    lab.schema("fx_rights", "latin1", &statements.map(str::to_owned));
    let report = report_of(&lab, "fx_rights", &options(target)).unwrap();
    let plan = report.plan.as_ref().unwrap();
    let advice = plan.advice.join("\n");
    for part in ["(error 1227)", "`gone`@`localhost`", "(error 1419)"] {
        assert!(advice.contains(part), "{part}: {advice}");
    }
    let mut limited = open_as(&lab, "runs").connect().unwrap();
    limited.query_drop("USE fx_rights").unwrap();
    let creates = |word: &str| {
        let is_create = |step: &&preflight::Step| step.sql.contains("CREATE") && step.sql.contains(word);
        plan.steps.iter().find(is_create).unwrap_or_else(|| panic!("{}", describe_report(&report))).sql.clone()
    };
    for (word, code) in [("PROCEDURE", 1227), ("TRIGGER", 1419)] {
        match limited.query_drop(creates(word)) {
            Err(mysql::Error::MySqlError(error)) => assert_eq!(error.code, code, "{server} {word}: {error}"),
            other => panic!("{server} {word}: {other:?}"),
        }
    }
    // An account with the rights runs the plan, and the missing definer stays.
    assert_eq!(lab.run_plan(&report), [], "{}", describe_report(&report));
    let definers: Vec<String> =
        lab.conn.query("SELECT DEFINER FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA = 'fx_rights'").unwrap();
    assert_eq!(definers, ["gone@localhost"]);
}

#[test]
fn rights_of_programs_on_mysql() {
    names_the_rights_of_programs("mysql@sid", "utf8mb4_0900_ai_ci");
}

#[test]
fn rights_of_programs_on_mariadb() {
    names_the_rights_of_programs("mariadb@trixie", "utf8mb4_uca1400_ai_ci");
}

#[test]
fn rights_of_programs_on_mysql_5_7() {
    names_the_rights_of_programs("mysql@5.7", "utf8mb4_unicode_ci");
}

/// A table whose definition isn't laid out as mysqldump's is listed, not dropped in silence.
#[test]
fn dumps_of_other_layouts_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dump.sql");
    let dump = "CREATE TABLE plain (id int, name varchar(9));\n\
                CREATE TABLE `one(line` (`id` int NOT NULL, `name` varchar(9), PRIMARY KEY (`id`)) ENGINE=InnoDB DEFAULT CHARSET=latin1;\n";
    std::fs::write(&path, dump).unwrap();
    let (facts, definitions, rows) = preflight::read_dump(&path, mysql_collation::Flavour::MySql).unwrap();
    let tables: Vec<&str> = facts.tables().map(|table| table.name.as_str()).collect();
    assert_eq!(tables, ["one(line"]);
    assert_eq!(definitions.unread[0].name.name, "plain");
    let options = options("utf8mb4_0900_ai_ci");
    let open = || -> Result<Box<dyn RowSource>, preflight::Error> { Ok(Box::new(rows.clone())) };
    let source = preflight::Source {
        label: "dump".into(),
        facts: &facts,
        definitions: &definitions,
        open: &open,
        is_server: false,
    };
    let report = preflight::run(&source, &options, &Checkpoint::disabled(), &NoProgressBar).unwrap();
    assert!(report.has_problems() && report.findings[0].check == "unreadable", "{}", describe_report(&report));
}
