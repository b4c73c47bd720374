//! Plans that are rehearsed: a case per silent loss or refusal.
//!
//! Each plan is rehearsed on a private server of the same version, then run on the source, whose
//! content is then checked by queries.

mod cases;

use mysql::prelude::Queryable;
use preflight::{Algorithm, Phase, Report, Severity};

use crate::lab::{Lab, describe_report, find_finding, options};
use cases::{Case, cases};

/// Runs the steps that the plan doesn't block.
fn run_plan(lab: &mut Lab, report: &Report) -> Result<(), String> {
    let Some(plan) = &report.plan else { return Err("no plan".into()) };
    for step in plan.steps.iter().filter(|step| !step.blocked) {
        lab.conn.query_drop(&step.sql).map_err(|error| format!("{}: {error}", step.sql))?;
    }
    Ok(())
}

/// Returns check and object of warnings and errors, sorted. Objects are without their schema.
fn serious_findings(report: &Report, schema: &str) -> Vec<(String, String)> {
    let serious = report.findings.iter().filter(|finding| finding.severity > Severity::Note);
    let mut found: Vec<(String, String)> = serious
        .map(|finding| {
            let object = finding.object.name.strip_prefix(schema).unwrap_or(&finding.object.name);
            (finding.check.clone(), object.trim_start_matches('.').to_owned())
        })
        .collect();
    found.sort();
    found
}

fn run_case(lab: &mut Lab, target: &str, case: &Case) -> Result<(), String> {
    let schema = format!("fx_{}", case.name);
    let statements: Vec<String> = case.statements.iter().map(|statement| (*statement).to_owned()).collect();
    lab.schema(&schema, case.charset, &statements);
    let before = definitions(lab, &schema);
    let mut options = options(target);
    options.request.plan_back = true;
    let report = lab.rehearsed_report_with(&schema, &options);
    let mut expected: Vec<(String, String)> =
        case.findings.iter().map(|(check, object)| ((*check).to_owned(), (*object).to_owned())).collect();
    expected.sort();
    let found = serious_findings(&report, &schema);
    if found != expected {
        let lines: Vec<String> =
            report.findings.iter().map(|finding| format!("  {}: {}", finding.object.name, finding.what)).collect();
        return Err(format!("findings {found:?} instead of {expected:?}\n{}", lines.join("\n")));
    }
    if report.plan.as_ref().is_none_or(|plan| plan.rehearsal.is_none()) {
        return Err(format!("not rehearsed: {:?}", report.unchecked));
    }
    run_plan(lab, &report)?;
    for (query, value) in case.after {
        let found: Option<Option<String>> = lab.conn.query_first(query).map_err(|error| format!("{query}: {error}"))?;
        if found.clone().flatten().as_deref() != Some(*value) {
            return Err(format!("{query}: {found:?} instead of {value}"));
        }
    }
    let plan = report.plan.clone().ok_or("no plan")?;
    if plan.blocked.is_empty() {
        let again = lab.report(&schema, target);
        let rest: Vec<&str> =
            again.tables.iter().filter(|table| !table.converted.is_empty()).map(|table| table.name.as_str()).collect();
        if !rest.is_empty() {
            return Err(format!("not converted: {rest:?}"));
        }
    }
    if plan.not_restored.iter().any(|lost| !(case.repairs && lost.contains("values of"))) {
        return Err(format!("the way back: {:?}", plan.not_restored));
    }
    for step in plan.back.iter().filter(|step| !step.blocked) {
        lab.conn.query_drop(&step.sql).map_err(|error| format!("back: {}: {error}", step.sql))?;
    }
    let back = definitions(lab, &schema);
    let differences: Vec<&String> = before
        .iter()
        .filter(|line| !back.contains(line))
        .chain(back.iter().filter(|line| !before.contains(line)))
        .collect();
    if !differences.is_empty() {
        return Err(format!("not as before after the way back: {differences:#?}"));
    }
    Ok(())
}

/// Columns, indexes, foreign keys, defaults and programs as the server lists them.
fn definitions(lab: &mut Lab, schema: &str) -> Vec<String> {
    let queries = [
        "'column', TABLE_NAME, COLUMN_NAME, COLUMN_TYPE, IFNULL(COLLATION_NAME, ''), IS_NULLABLE, IFNULL(COLUMN_DEFAULT, ''), COLUMN_COMMENT) FROM information_schema.COLUMNS WHERE TABLE_SCHEMA",
        "'index', TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX, IFNULL(COLUMN_NAME, ''), IFNULL(SUB_PART, ''), NON_UNIQUE, INDEX_COMMENT) FROM information_schema.STATISTICS WHERE TABLE_SCHEMA",
        "'table', TABLE_NAME, IFNULL(TABLE_COLLATION, ''), IFNULL(ROW_FORMAT, '')) FROM information_schema.TABLES WHERE TABLE_SCHEMA",
        "'key', TABLE_NAME, CONSTRAINT_NAME, UPDATE_RULE, DELETE_RULE) FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA",
        "'routine', ROUTINE_NAME, COLLATION_CONNECTION, DATABASE_COLLATION, SQL_MODE) FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA",
        "'trigger', TRIGGER_NAME, COLLATION_CONNECTION, DATABASE_COLLATION, ACTION_STATEMENT) FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA",
        "'view', TABLE_NAME, COLLATION_CONNECTION) FROM information_schema.VIEWS WHERE TABLE_SCHEMA",
        "'schema', DEFAULT_COLLATION_NAME) FROM information_schema.SCHEMATA WHERE SCHEMA_NAME",
    ];
    lab.conn.query_drop("SET NAMES utf8mb4").unwrap();
    let mut lines = Vec::new();
    for query in queries {
        let own: Vec<String> = lab.conn.query(format!("SELECT CONCAT_WS(' ', {query} = '{schema}'")).unwrap();
        lines.extend(own);
    }
    lines.extend(index_orders(lab, schema));
    lines
}

/// Indexes of each table in the order of its definition.
fn index_orders(lab: &mut Lab, schema: &str) -> Vec<String> {
    let query = format!(
        "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_TYPE = 'BASE TABLE' AND TABLE_SCHEMA = '{schema}'"
    );
    let tables: Vec<String> = lab.conn.query(query).unwrap();
    let order = |table: String| {
        let show = format!("SHOW CREATE TABLE {}", sql::quote_table(schema, &table));
        let (_, create): (String, String) = lab.conn.query_first(show).unwrap().unwrap();
        let definitions = sql::ddl::split_definitions(&create).into_iter();
        let is_index =
            |one: &&str| ["KEY ", "UNIQUE ", "FULLTEXT ", "SPATIAL "].iter().any(|kind| one.starts_with(kind));
        let names = definitions.filter(is_index).filter_map(|one| Some(one.split_once(" (")?.0));
        format!("indexes of {table}: {}", names.collect::<Vec<_>>().join(", "))
    };
    tables.into_iter().map(order).collect()
}

/// Runs all cases, or the case named by `WEIGH_CASE`.
fn run_cases(server: &str, target: &str) {
    let mut lab = Lab::new(server);
    lab.conn.query_drop("CREATE USER teller@localhost").unwrap();
    let only = std::env::var("WEIGH_CASE").ok();
    let is_chosen = |case: &&Case| only.as_ref().is_none_or(|only| case.name == only);
    let cases: Vec<&Case> = cases().filter(|case| (case.on)(&lab)).filter(is_chosen).collect();
    let mut failures = Vec::new();
    for case in cases {
        if let Err(problem) = run_case(&mut lab, target, case) {
            failures.push(format!("{server} {}: {problem}", case.name));
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn mariadb() {
    run_cases("mariadb", "utf8mb4_unicode_ci");
}

#[test]
fn mariadb_trixie() {
    run_cases("mariadb@trixie", "utf8mb4_uca1400_ai_ci");
}

#[test]
fn mysql() {
    run_cases("mysql@sid", "utf8mb4_0900_ai_ci");
}

#[test]
fn mariadb_10_1() {
    run_cases("mariadb@10.1", "utf8mb4_unicode_ci");
}

#[test]
fn mariadb_10_2() {
    run_cases("mariadb@10.2", "utf8mb4_unicode_ci");
}

#[test]
fn mariadb_11_4() {
    run_cases("mariadb@11.4", "utf8mb4_uca1400_ai_ci");
}

#[test]
fn mysql_8_0() {
    run_cases("mysql@8.0", "utf8mb4_0900_ai_ci");
}

#[test]
fn mysql_5_7() {
    run_cases("mysql@5.7", "utf8mb4_unicode_ci");
}

#[test]
fn mysql_5_6() {
    run_cases("mysql@5.6", "utf8mb4_unicode_ci");
}

/// Rehearses the conversion of a table with a key, and returns its algorithm and the plan's time.
fn rehearse_conversion(server: &str, settings: &[(&str, &str)]) -> (Algorithm, String) {
    let mut lab = Lab::with_settings(server, settings);
    let create = "CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, a VARCHAR(20), KEY (a))";
    let insert = "INSERT INTO t (a) VALUES ('ü')";
    let double = ["INSERT INTO t (a) SELECT a FROM t"; 14];
    let statements = [create, insert].into_iter().chain(double).chain(["ANALYZE TABLE t"]);
    lab.schema("copies", "latin1", &statements.map(str::to_owned).collect::<Vec<_>>());
    let plan = lab.rehearsed_report_with("copies", &options("utf8mb4_unicode_ci")).plan.unwrap();
    let step = plan.steps.iter().find(|step| step.phase == Phase::Convert).unwrap();
    let time = plan.advice.iter().find(|line| line.starts_with("Time: "));
    (step.algorithm.unwrap(), time.unwrap_or_else(|| panic!("{plan:#?}")).clone())
}

/// A parameter whose definition is refused where `utf8` means utf8mb3.
const UTF8_MEANS_UTF8MB4: [&str; 2] = [
    "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20))",
    "CREATE PROCEDURE p(a VARCHAR(9) CHARACTER SET utf8 COLLATE utf8mb4_bin) SELECT COUNT(*) FROM t WHERE v = a",
];

/// The private server has the source's `old_mode`, however it starts itself.
#[test]
fn rehearses_with_the_old_mode_of_the_source() {
    let utf8_is_utf8mb4 = [("old_mode", "")];
    for name in ["mariadb@bookworm", "mariadb@11.4"] {
        let mut lab = Lab::with_settings(name, &utf8_is_utf8mb4);
        lab.schema("modes", "latin1", &UTF8_MEANS_UTF8MB4.map(str::to_owned));
        let report = lab.rehearsed_report_with("modes", &options("utf8mb4_unicode_ci"));
        assert_eq!(report.unchecked, [""; 0], "{name}: {}", describe_report(&report));
        let plan = report.plan.as_ref().unwrap();
        assert!(plan.rehearsal.is_some() && plan.blocked.is_empty(), "{name}: {}", describe_report(&report));
        run_plan(&mut lab, &report).unwrap();
    }
}

/// On a source before MariaDB 10.6.1, `utf8` always means utf8mb3. A newer private server gets
/// UTF8_IS_UTF8MB3 in `old_mode`, whichever mode it has itself. Modes of the source that it does
/// not know are left out.
#[test]
fn rehearses_an_older_source_with_its_meaning_of_utf8() {
    let mut lab = Lab::with_settings("mariadb@10.2", &[("old_mode", "NO_PROGRESS_INFO")]);
    lab.private = Lab::with_settings("mariadb@11.4", &[("old_mode", "")]).server.into();
    let table = "CREATE TABLE t (id INT PRIMARY KEY, v VARCHAR(20) CHARACTER SET utf8)";
    lab.schema("modes", "latin1", &[table.to_owned()]);
    let report = lab.rehearsed_report_with("modes", &options("utf8mb4_unicode_ci"));
    assert!(report.plan.as_ref().unwrap().rehearsal.is_some(), "{}", describe_report(&report));
    let mut conn = lab.private.as_ref().unwrap().connect().unwrap();
    let mode: Option<String> = conn.query_first("SELECT @@SESSION.old_mode").unwrap();
    assert_eq!(mode.as_deref(), Some("NO_PROGRESS_INFO,UTF8_IS_UTF8MB3"));
}

/// Tables and foreign keys that are older than the settings under which a server would refuse them.
#[test]
fn converts_what_the_source_would_refuse_now() {
    let mut lab = Lab::new("mysql@sid");
    let statements = [
        "SET SESSION restrict_fk_on_non_standard_key = 0",
        "CREATE TABLE loose (id INT PRIMARY KEY, k VARCHAR(20), KEY (k))",
        "CREATE TABLE child (id INT PRIMARY KEY, k VARCHAR(20), CONSTRAINT c FOREIGN KEY (k) REFERENCES loose (k))",
        "CREATE TABLE keyless (a VARCHAR(20))",
        "INSERT INTO loose VALUES (1, 'ü')",
        "INSERT INTO child VALUES (1, 'ü')",
        "INSERT INTO keyless VALUES ('ü')",
    ];
    lab.schema("refused", "latin1", &statements.map(str::to_owned));
    for (restricts, expected) in [(1, &["child: c", "keyless"][..]), (0, &["keyless"])] {
        for setting in [format!("restrict_fk_on_non_standard_key = {restricts}"), "sql_require_primary_key = 1".into()]
        {
            lab.conn.query_drop(format!("SET GLOBAL {setting}")).unwrap();
        }
        let report = lab.rehearsed_report_with("refused", &options("utf8mb4_0900_ai_ci"));
        let found: Vec<String> = serious_findings(&report, "refused")
            .into_iter()
            .filter(|(check, _)| check == "refusing-setting")
            .map(|(_, object)| object)
            .collect();
        assert_eq!(found, expected, "{}", describe_report(&report));
        assert_eq!(report.unchecked, [""; 0]);
        let plan = report.plan.as_ref().unwrap();
        assert!(plan.rehearsal.is_some() && plan.blocked.is_empty(), "{}", describe_report(&report));
    }
    lab.conn = lab.server.connect().unwrap();
    let report = lab.report("refused", "utf8mb4_0900_ai_ci");
    assert_eq!(run_plan(&mut lab, &report), Ok(()));
}

/// Global settings with which a session would begin, and which would stop the plan or undo it.
#[test]
fn undoes_global_settings_that_would_stop_the_plan() {
    let mut lab = Lab::new("mariadb@bookworm");
    let statements =
        ["CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(40), KEY (a))", "INSERT INTO t VALUES (1, X'4DC3BC6C6C6572')"];
    lab.schema("inherited", "latin1", &statements.map(str::to_owned));
    for setting in ["autocommit = 0", "alter_algorithm = 'INSTANT'", "max_statement_time = 60"] {
        lab.conn.query_drop(format!("SET GLOBAL {setting}")).unwrap();
    }
    let report = lab.report("inherited", "utf8mb4_unicode_ci");
    lab.conn = lab.server.connect().unwrap();
    assert_eq!(run_plan(&mut lab, &report), Ok(()));
    let limit: Option<f64> = lab.conn.query_first("SELECT @@SESSION.max_statement_time").unwrap();
    lab.conn = lab.server.connect().unwrap();
    let repaired: Option<String> = lab.conn.query_first("SELECT HEX(a) FROM inherited.t").unwrap();
    assert_eq!((limit, repaired.as_deref()), (Some(0.0), Some("4DC3BC6C6C6572")));
}

/// With `innodb_file_format=Antelope`, MySQL 5.6 and MariaDB 10.1 refuse `ROW_FORMAT=DYNAMIC`, even
/// with `innodb_large_prefix=ON`.
#[test]
fn shortens_keys_where_the_row_format_is_refused() {
    for server in ["mysql@5.6", "mariadb@10.1"] {
        for (file_format, expected) in [("Antelope", (Some(191), "Compact")), ("Barracuda", (None, "Dynamic"))] {
            let settings = [("innodb_large_prefix", "1"), ("innodb_file_format", file_format)];
            let mut lab = Lab::with_settings(server, &settings);
            lab.private = Lab::with_settings(server, &settings).server.into();
            let create = "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(255), KEY k (a)) ROW_FORMAT=COMPACT";
            lab.schema("prefixes", "latin1", &[create.to_owned()]);
            let report = lab.rehearsed_report_with("prefixes", &options("utf8mb4_unicode_ci"));
            assert!(report.plan.as_ref().unwrap().blocked.is_empty(), "{}", describe_report(&report));
            let finding = find_finding(&report, "key-length", "prefixes.t: k");
            let names_setting = finding.action.contains("innodb_file_format = Barracuda");
            assert_eq!(names_setting, file_format == "Antelope", "{}", finding.action);
            assert_eq!(run_plan(&mut lab, &report), Ok(()), "{server} {file_format}");
            let query = "SELECT SUB_PART, ROW_FORMAT FROM information_schema.STATISTICS JOIN information_schema.TABLES \
                         USING (TABLE_SCHEMA, TABLE_NAME) WHERE TABLE_SCHEMA = 'prefixes' AND INDEX_NAME = 'k'";
            let (prefix, format): (Option<u64>, String) = lab.conn.query_first(query).unwrap().unwrap();
            assert_eq!((prefix, format.as_str()), expected, "{server} {file_format}");
        }
    }
}

/// Rows that are written while a trigger is gone miss it.
#[test]
fn advises_to_stop_writes_while_triggers_are_gone() {
    let mut lab = Lab::new("mariadb@trixie");
    let statements = [
        "CREATE TABLE t (id INT PRIMARY KEY, a VARCHAR(20))",
        "CREATE TRIGGER tr BEFORE INSERT ON t FOR EACH ROW SET NEW.a = CONCAT(NEW.a, '1')",
    ];
    lab.schema("watched", "latin1", &statements.map(str::to_owned));
    let plan = lab.report("watched", "utf8mb4_unicode_ci").plan.unwrap();
    assert!(plan.advice.iter().any(|line| line.contains("Stop writes to watched.t meanwhile.")), "{:?}", plan.advice);
}

/// MariaDB 11.2 and later copy while writes go on, unless `old_mode` forbids it.
#[test]
fn copies_online_where_the_server_does() {
    for server in ["mariadb@11.4", "mariadb@trixie"] {
        let (algorithm, time) = rehearse_conversion(server, &[]);
        assert_eq!(algorithm, Algorithm::CopyOnline, "{server}");
        assert!(time.contains("ALTERs that copy while writes go on") && !time.contains("block writes"), "{time}");
    }
    let locking = [("old_mode", "LOCK_ALTER_TABLE_COPY")];
    for (server, settings) in [("mariadb@11.4", &locking[..]), ("mariadb@bookworm", &[]), ("mysql@sid", &[])] {
        let (algorithm, time) = rehearse_conversion(server, settings);
        assert_eq!(algorithm, Algorithm::Copy, "{server}");
        assert!(time.contains("ALTERs that block writes") && !time.contains("go on"), "{time}");
    }
}

/// Foreign keys between columns of different collations are rehearsed, and mended by the plan.
#[test]
fn rehearses_keys_of_different_collations() {
    for server in ["mysql@sid", "mysql@5.6"] {
        let mut lab = Lab::new(server);
        let statements = [
            "CREATE TABLE parent (name VARCHAR(20) NOT NULL PRIMARY KEY)",
            "CREATE TABLE child (id INT PRIMARY KEY, p_name VARCHAR(20), KEY p_name_idx (p_name), \
             CONSTRAINT fk_pname FOREIGN KEY (p_name) REFERENCES parent (name))",
            "INSERT INTO parent VALUES ('a'), ('b')",
            "INSERT INTO child VALUES (1, 'a')",
            "SET SESSION foreign_key_checks = 0",
            "ALTER TABLE child MODIFY p_name VARCHAR(20) CHARACTER SET latin1",
            "SET SESSION foreign_key_checks = 1",
        ];
        lab.schema("fx_keys", "utf8", &statements.map(str::to_owned));
        let report = lab.rehearsed_report_with("fx_keys", &options("utf8mb4_unicode_ci"));
        assert_eq!(serious_findings(&report, "fx_keys"), [], "{server}: {}", describe_report(&report));
        assert_eq!(report.plan.as_ref().unwrap().blocked, [""; 0], "{server}: {}", describe_report(&report));
        assert!(!report.unchecked.iter().any(|line| line.contains("fx_keys")), "{server}: {:?}", report.unchecked);
        run_plan(&mut lab, &report).unwrap();
        lab.assert_converges("fx_keys", "utf8mb4_unicode_ci", &report);
        // The columns fit now.
        lab.conn.query_drop("ALTER TABLE fx_keys.child MODIFY id BIGINT").unwrap();
    }
}
