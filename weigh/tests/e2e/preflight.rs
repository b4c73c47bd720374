//! `weigh preflight` on real servers: from findings to the plan, run by the server's own client,
//! until nothing is left to find.

mod apply;
mod files;
mod interrupted;
mod locked;

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use ::preflight::{Phase, Plan, Report};
use fetch::Tool;
use mysql::prelude::Queryable;
use server::Conn;
use server::{Address, NoProgress, Options, Server, open};

use crate::workspace::{Finished, SMALL, Workspace, find_by_prefixes};

/// A latin1 shop: a foreign key, a trigger, two customers that collide, a doubly encoded name, a
/// text key.
const SHOP: [&str; 11] = [
    "CREATE DATABASE shop CHARACTER SET latin1",
    "USE shop",
    "CREATE TABLE countries (code CHAR(2) NOT NULL PRIMARY KEY, name VARCHAR(60) NOT NULL)",
    "CREATE TABLE customers (email VARCHAR(60) NOT NULL PRIMARY KEY, name VARCHAR(80) NOT NULL DEFAULT 'it''s none', country CHAR(2), \
     CONSTRAINT lives_in FOREIGN KEY (country) REFERENCES countries (code))",
    "CREATE TABLE notes (id INT PRIMARY KEY, note VARCHAR(100), KEY (note))",
    "INSERT INTO countries VALUES ('at', 'Österreich'), ('de', 'Deutschland')",
    "INSERT INTO customers VALUES ('straße@x', 'Bert', 'at'), ('strasse@x', 'Berta', 'AT'), ('ü@x', _latin1 X'4DC3BC6C6C6572', 'de')",
    "INSERT INTO notes VALUES (1, 'für alle')",
    "CREATE TRIGGER trimmed BEFORE INSERT ON notes FOR EACH ROW BEGIN SET NEW.note = TRIM(NEW.note); SET @seen = 1; END",
    "CREATE USER reader@localhost IDENTIFIED BY ''",
    "GRANT SELECT ON shop.notes TO reader@localhost",
];

struct Shop {
    server: Server,
    socket: PathBuf,
    conn: Conn,
    workspace: Workspace,
}

impl Shop {
    fn on(name: &str) -> Self {
        let options = Options { buffer_pool: Some(64 << 20), threads: 8, ..Options::default() };
        let server = open(&name.parse().unwrap(), &options, &NoProgress).unwrap();
        let mut conn = server.connect().unwrap();
        conn.query_drop("SET NAMES utf8mb4").unwrap();
        for statement in SHOP {
            conn.query_drop(statement).unwrap_or_else(|error| panic!("{name}: {statement}: {error}"));
        }
        let Address::Socket(socket) = &server.endpoint().address else { panic!() };
        Self { socket: socket.clone(), server, conn, workspace: Workspace::new() }
    }

    fn command(&self, words: &[&str]) -> Command {
        let login = ["preflight", "--no-defaults", "--socket", self.socket.to_str().unwrap(), "--schema=shop"];
        self.workspace.weigh(&[&login, words].concat())
    }

    fn preflight(&self, words: &[&str]) -> Finished {
        self.workspace.wait_for_end(self.command(&[&["--user=root"], words].concat()).spawn().unwrap())
    }

    fn report(&self, words: &[&str]) -> Report {
        read(&self.preflight(&[words, &["--format=json"]].concat()))
    }

    fn run(&mut self, statements: &[&str]) {
        for statement in statements {
            self.conn.query_drop(statement).unwrap_or_else(|error| panic!("{statement}: {error}"));
        }
    }
}

fn read(finished: &Finished) -> Report {
    serde_json::from_str(&finished.stdout).unwrap_or_else(|error| panic!("{error}: {finished}"))
}

/// Runs a script without an error and without output.
fn run_script(socket: &Path, script: &str) {
    let output = try_script(socket, script);
    assert!(output.status.success(), "{}\n{script}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stdout), "", "verification found rows\n{script}");
}

/// Runs a script with MariaDB's client, which stops at the first error.
fn try_script(socket: &Path, script: &str) -> Output {
    let mut client = Command::new(Tool::Client.find_or_install(&NoProgress).unwrap());
    client.args(["--no-defaults", "--user=root", "--socket"]).arg(socket);
    let mut child = client.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn script(finished: &Finished) -> &str {
    let (_, rest) = finished.stdout.split_once("```sql\n").unwrap_or_else(|| panic!("no plan: {finished}"));
    rest.split_once("```").unwrap().0
}

fn convert_until_nothing_is_found(name: &str, target: &str) {
    let mut shop = Shop::on(name);
    let to = format!("--to={target}");
    let text = shop.preflight(&[&to]);
    assert_eq!((text.code, text.stderr.as_str()), (Some(1), ""), "{text}");
    for part in ["✗ Not yet: ", "'straße@x'", "'strasse@x'", "double-encoded: Müller", "its errors"] {
        assert!(text.stdout.contains(part), "{part}: {text}");
    }
    assert!(text.stdout.lines().count() <= 48 && !text.stdout.contains("-- left out"), "{text}");
    let [folder] = &find_by_prefixes(shop.workspace.root(), &["weigh-results", "2"])[..] else { panic!("one folder") };
    let plan = fs::read_to_string(folder.join("plan.sql")).unwrap();
    assert!(plan.contains("-- left out until the errors are mended:") && plan.contains("lives_in"), "{plan}");
    let online = fs::read_to_string(folder.join("plan-online.sh")).unwrap();
    assert!(online.contains("\n# gh-ost ") && online.contains("\n# pt-online-schema-change "), "{online}");
    for (severity, code) in [("error", 1), ("warning", 1)] {
        assert_eq!(shop.preflight(&[&to, "--trial=none", "--fail-on", severity]).code, Some(code));
    }
    let words = [&to, "--trial=none", "--fail-on=error", "--table=notes"];
    assert_eq!(shop.preflight(&words).code, Some(0), "no finding of table notes is an error");
    let report = shop.report(&[&to, "--trial=none"]);
    assert_eq!(report.plan.as_ref().unwrap().blocked, ["shop.customers"]);
    // A typed private server is tried first; if it does not start, that is an error.
    for words in [&["--set=no_such_variable=1"][..], &["--trial=mysql@99"], &["--trial=/no/such/server"]] {
        let unstarted = shop.preflight(&[&[&*to], words].concat());
        assert!(unstarted.code == Some(2) && unstarted.stdout.is_empty(), "{unstarted}");
    }
    // The option file of a running server is a client's.
    let file = shop.workspace.root().join("client.cnf");
    fs::write(&file, "[client]\nuser=root\n[mysqld]\nno_such_variable=1\n").unwrap();
    let file = format!("--defaults-file={}", file.display());
    let socket = format!("--socket={}", shop.socket.display());
    let words = ["preflight", &file, &socket, "--schema=shop", &to, "--format=json"];
    let unchecked = read(&shop.workspace.wait_for_end(shop.workspace.weigh(&words).spawn().unwrap())).unchecked;
    assert!(unchecked.iter().all(|line| !line.contains("not rehearsed")), "{unchecked:?}");
    let page = shop.preflight(&[&to, "--trial=none", "--format=html"]);
    assert!(page.code == Some(1) && page.stdout.contains("<h1") && page.stdout.contains("straße@x"), "{page}");
    let csv = shop.preflight(&[&to, "--trial=none", "--format=csv"]);
    assert!(csv.code == Some(1) && csv.stdout.starts_with("severity,check,"), "{csv}");

    // The plan converts all tables that aren't held back, and loses no foreign key.
    run_unverified(&shop, &to);
    let keys = "SELECT COUNT(*) FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = 'shop'";
    assert_eq!(shop.conn.query_first::<u32, _>(keys).unwrap(), Some(1));
    let remaining = shop.report(&[&to, "--trial=none"]);
    let converted: Vec<&str> =
        remaining.tables.iter().filter(|table| !table.converted.is_empty()).map(|table| table.name.as_str()).collect();
    assert_eq!(converted, ["countries", "customers"]);

    shop.run(&["UPDATE shop.customers SET email = 'strasse2@x' WHERE name = 'Berta'"]);
    run_printed_command(&shop, &[&to, "--trial=none"]);
    assert_eq!(shop.conn.query_first::<u32, _>(keys).unwrap(), Some(1));
    let names: Vec<String> = shop.conn.query("SELECT name FROM shop.customers ORDER BY name").unwrap();
    assert_eq!(names, ["Bert", "Berta", "Müller"]);
    let again = shop.preflight(&[&to, "--trial=none"]);
    assert_eq!(again.code, Some(0), "{again}");
    assert!(again.stdout.starts_with("✓ Nothing to convert"), "{again}");
    let twice = shop.preflight(&[&to, "--trial=none", "--format=markdown"]);
    assert!(!twice.stdout.contains("```sql"), "{twice}");
    shop.preflight(&["--to=utf8mb4_general_co"]).refuses_with(&["utf8mb4_general_co", "utf8mb4_general_ci"]);
    shop.server.stop().unwrap();
}

/// Runs the plan without its final checks, which fail for tables that are held back.
fn run_unverified(shop: &Shop, to: &str) {
    let plan = shop.preflight(&[to, "--trial=none", "--format=markdown"]);
    let script = script(&plan);
    run_script(&shop.socket, script.split("-- afterwards:").next().unwrap());
}

/// Runs the command that the text prints, with a client on the PATH.
fn run_printed_command(shop: &Shop, words: &[&str]) {
    let client = Tool::Client.find_or_install(&NoProgress).unwrap();
    let programs = shop.workspace.root().join("programs");
    fs::create_dir(&programs).unwrap();
    symlink(&client, programs.join("mariadb")).unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let mut preflight = shop.command(&[&["--user=root"], words].concat());
    let text = shop.workspace.wait_for_end(preflight.env("PATH", &path).spawn().unwrap());
    let (_, rest) = text.stdout.split_once("then run it:\n").unwrap_or_else(|| panic!("no command: {text}"));
    let line = rest.lines().next().unwrap();
    assert!(line.contains(" --no-defaults --socket=") && line.contains(" --user=root < "), "{line}");
    let mut shell = Command::new("sh");
    let ran = shell.args(["-c", line]).env("PATH", &path).current_dir(shop.workspace.root()).output().unwrap();
    assert!(ran.status.success(), "{line}: {}", String::from_utf8_lossy(&ran.stderr));
    assert_eq!(String::from_utf8_lossy(&ran.stdout), "", "verification found rows: {line}");
}

#[test]
fn converts_mariadb_by_the_plan() {
    convert_until_nothing_is_found("mariadb", "utf8mb4_unicode_ci");
}

#[test]
fn converts_mysql_by_the_plan() {
    convert_until_nothing_is_found("mysql@sid", "utf8mb4_0900_ai_ci");
}

/// The plan is tried where --trial or --scratch says. Parallel reading finds the same.
#[test]
fn trials_and_parallel_reading() {
    let mut shop = Shop::on("mariadb");
    let to = "--to=utf8mb4_unicode_ci";
    let scratch = shop.report(&[to, "--scratch=weigh_trial", "--parallel=3"]);
    let plan = scratch.plan.as_ref().unwrap();
    assert!(plan.algorithms_from.contains("in weigh_trial"), "{}", plan.algorithms_from);
    let alters = plan.steps.iter().filter(|step| step.sql.starts_with("ALTER TABLE"));
    assert!(alters.clone().count() >= 5 && alters.clone().all(|step| step.algorithm.is_some()), "{plan:#?}");
    let schemas: Vec<String> = shop.conn.query("SHOW DATABASES LIKE 'weigh%'").unwrap();
    assert!(schemas.is_empty(), "{schemas:?}");
    let private = shop.report(&[to, "--trial=mariadb"]);
    let tried = private.plan.as_ref().unwrap();
    assert!(tried.algorithms_from.starts_with("tried on a private"), "{}", tried.algorithms_from);
    // The rehearsal leaves out steps that wait for the errors of other rows.
    assert!(tried.steps.iter().any(|step| step.algorithm.is_some()), "{tried:#?}");
    for (one, other) in plan.steps.iter().zip(&tried.steps).filter(|(_, other)| !other.blocked) {
        assert_eq!(one.algorithm, other.algorithm, "{other:#?}");
    }
    let untried = shop.report(&[to, "--trial=none"]);
    assert!(untried.plan.unwrap().algorithms_from.starts_with("documentation"));
    assert_eq!(scratch.findings, private.findings);
    shop.run(&["CREATE DATABASE weigh_mine"]);
    shop.preflight(&[to, "--scratch=weigh_mine"]).refuses_with(&["weigh_mine", "must not exist"]);
    let schemas: Vec<String> = shop.conn.query("SHOW DATABASES LIKE 'weigh%'").unwrap();
    assert_eq!(schemas, ["weigh_mine"]);
    shop.server.stop().unwrap();
}

#[test]
fn takes_the_server_of_option_files() {
    let shop = Shop::on("mariadb");
    let file = shop.workspace.root().join("my.cnf");
    fs::write(&file, format!("[client]\nuser=root\nsocket={}\n", shop.socket.display())).unwrap();
    let file = format!("--defaults-file={}", file.display());
    let words = ["preflight", &file, "--schema=shop", "--to=utf8mb4_unicode_ci", "--trial=none", "--format=json"];
    let report = read(&shop.workspace.wait_for_end(shop.workspace.weigh(&words).spawn().unwrap()));
    assert!(report.tables.iter().any(|table| table.name == "customers"), "{:?}", report.tables);
    shop.server.stop().unwrap();
}

/// The cost of a conversion is reported if bench results have both collations.
#[test]
fn reports_costs_from_bench_results() {
    let shop = Shop::on("mariadb");
    let words = ["--server=mariadb", "-c", "latin1_swedish_ci,utf8mb4_unicode_ci", "-w", "oltp_point_select"];
    let measured = shop.workspace.wait_for_end(shop.workspace.bench(&SMALL, &words).spawn().unwrap());
    assert_eq!(measured.code, Some(0), "{measured}");
    let costs = format!("--costs={}", shop.workspace.out().display());
    let report = shop.report(&["--to=utf8mb4_unicode_ci,utf8mb4_bin", &costs, "--trial=none"]);
    let [cost] = report.costs.as_slice() else { panic!("{:#?}", report.costs) };
    assert_eq!((cost.from.as_str(), cost.to.as_str()), ("latin1_swedish_ci", "utf8mb4_unicode_ci"));
    assert!(cost.low < cost.throughput && cost.throughput < cost.high && cost.aa_bound > 0.0, "{cost:?}");
    assert!(cost.workload.starts_with("oltp_point_select"), "{cost:?}");
    let other = shop.report(&["--to=utf8mb4_bin", &costs, "--trial=none"]);
    assert!(
        other.costs.is_empty() && other.notes.iter().any(|note| note.contains("--baseline latin1_swedish_ci")),
        "{:?}",
        other.notes
    );
    shop.preflight(&["--to=utf8mb4_bin", "--costs=nowhere"]).refuses_with(&["nowhere"]);
    shop.preflight(&["--to=utf8mb4_bin", "--plan=a.sql", "--plan-back=a.sql"])
        .refuses_with(&["--plan and --plan-back both write a.sql"]);
    shop.server.stop().unwrap();
}

/// A table with values of every type, and a trial that converts a sample of its rows.
fn time_alter_on_a_sample(name: &str, target: &str) {
    let mut shop = Shop::on(name);
    shop.run(&[
        // The time below does not exist in some time zones.
        "SET time_zone = '+00:00'",
        "CREATE TABLE orders (id INT PRIMARY KEY, label VARCHAR(40) NOT NULL, long_label VARCHAR(80) AS (CONCAT(label, '!')) STORED, \
         size ENUM('klein', 'groß'), bits BIT(5), raw VARBINARY(9), price DECIMAL(9,2), weight DOUBLE, made TIMESTAMP NULL, place POINT, \
         more JSON, nothing INT, KEY (label))",
        "INSERT INTO orders (id, label, size, bits, raw, price, weight, made, place, more) VALUES \
         (1, 'für ''alle''', 'groß', 5, X'00FF27', -1.50, 1e-300, '2026-03-29 02:30:00', POINT(1, 2), '{\"a\": \"ß\"}')",
    ]);
    let doubled = "INSERT INTO orders (id, label, size, bits, raw, price, weight, made, place, more) \
                   SELECT id + (SELECT MAX(id) FROM (SELECT id FROM orders) o), label, size, bits, raw, price, weight, made, place, more FROM orders";
    shop.run(&[doubled; 14]);
    shop.run(&["ANALYZE TABLE orders"]);
    let trial = format!("--trial={name}");
    let report = shop.report(&[&format!("--to={target}"), "--sample=2000", &trial]);
    let plan = report.plan.as_ref().unwrap();
    let step =
        |object: &str| plan.steps.iter().find(|step| step.object == object && step.phase == Phase::Convert).unwrap();
    let time = step("shop.orders").time.unwrap_or_else(|| panic!("{plan:#?}"));
    assert_eq!(time.sample_rows, 2000);
    assert!((10_000..30_000).contains(&time.rows) && time.seconds > time.sample_seconds, "{time:?}");
    // All rows of a small table are copied: they took this long, and no estimate is needed.
    let small = step("shop.notes").time.unwrap_or_else(|| panic!("{plan:#?}"));
    assert!((small.rows, small.sample_rows) == (1, 1) && small.seconds == small.sample_seconds, "{small:?}");
    assert!(plan.advice.iter().any(|line| line.starts_with("Time: ")), "{:?}", plan.advice);
    let text = shop.preflight(&[&format!("--to={target}"), &trial]).stdout;
    let row = |table: &str| text.lines().find(|line| line.starts_with(&format!("  {table} "))).unwrap_or_default();
    assert!(row("shop.orders").contains("copy, ") && row("shop.orders").contains(" s"), "{text}");
    assert!(row("shop.notes").contains("copy, under 1 s"), "{text}");
    let untimed = shop.report(&[&format!("--to={target}"), "--sample=0", &trial]);
    let untimed = untimed.plan.unwrap();
    assert!(untimed.steps.iter().all(|step| step.time.is_none()), "{untimed:#?}");
    let algorithms = |plan: &Plan| plan.steps.iter().map(|step| step.algorithm).collect::<Vec<_>>();
    assert_eq!(algorithms(&untimed), algorithms(plan));
    shop.server.stop().unwrap();
}

#[test]
fn times_an_alter_on_a_sample_of_mariadb() {
    time_alter_on_a_sample("mariadb", "utf8mb4_unicode_ci");
}

#[test]
fn times_an_alter_on_a_sample_of_mysql() {
    time_alter_on_a_sample("mysql@sid", "utf8mb4_0900_ai_ci");
}

/// An account that may read one of three tables and insert into another: the first is checked, and
/// the grants to read the other and to see programs are named.
#[test]
fn reports_missing_privileges() {
    let mut shop = Shop::on("mariadb");
    shop.run(&["GRANT INSERT ON shop.customers TO reader@localhost"]);
    let words = ["--user=reader", "--to=utf8mb4_unicode_ci", "--trial=none", "--table=notes"];
    let text = shop.workspace.wait_for_end(shop.command(&words).spawn().unwrap());
    let line = text.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(line.contains("run it as an account that may ALTER (this one may not in shop):"), "{text}");
    assert!(text.stdout.contains(" --user=ACCOUNT < "), "{text}");
    let words = ["--user=reader", "--to=utf8mb4_unicode_ci", "--format=json"];
    let report = read(&shop.workspace.wait_for_end(shop.command(&words).spawn().unwrap()));
    let unchecked = report.unchecked.join("\n");
    for grant in [
        "GRANT SELECT ON `shop`.`customers` TO 'reader'@'localhost'",
        "GRANT TRIGGER ON `shop`.* TO 'reader'@'localhost'",
        "GRANT EVENT ON `shop`.* TO 'reader'@'localhost'",
    ] {
        assert!(unchecked.contains(grant), "{grant}: {unchecked}");
    }
    let read: Vec<&str> =
        report.tables.iter().filter(|table| table.reading.is_some()).map(|table| table.name.as_str()).collect();
    assert_eq!(read, ["notes"]);
    shop.server.stop().unwrap();
}
