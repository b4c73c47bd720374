//! Dumps get the findings of the server that wrote them.

use preflight::{Checkpoint, Finding, Report, RowSource, Severity, Source, read_definitions};
use rehearsal::Kind;

use crate::lab::{Lab, NoProgressBar, describe_report, options};

const ROWS: &str = "INSERT INTO l VALUES (1, 'a'), (2, 'B')";

/// Runs preflight on a dump with the definitions of the lab's schema `fx_dump`.
fn report_of_dump(lab: &Lab, target: &str, flavour: mysql_collation::Flavour) -> Report {
    let definitions = read_definitions(&lab.server, &lab.facts("fx_dump")).unwrap();
    let creates: String = definitions.of_kind(Kind::Table).map(|table| format!("{};\n", table.create)).collect();
    let file = tempfile::NamedTempFile::new().unwrap();
    let rows = ROWS.replace(" l ", " `l` ");
    std::fs::write(file.path(), format!("USE `fx_dump`;\n{}{rows};\n", creates.replace("`fx_dump`.", ""))).unwrap();
    let (facts, definitions, rows) = preflight::read_dump(file.path(), flavour).unwrap();
    let open = || -> Result<Box<dyn RowSource>, preflight::Error> { Ok(Box::new(rows.clone())) };
    let source =
        Source { label: "dump".into(), facts: &facts, definitions: &definitions, open: &open, is_server: false };
    preflight::run(&source, &options(target), &Checkpoint::disabled(), &NoProgressBar).unwrap()
}

/// Lengths of rows and partitions are read from definitions.
#[test]
fn definitions_of_dumps_are_judged_as_on_the_server() {
    for (server, target, flavour) in [
        ("mysql@sid", "utf8mb4_0900_as_cs", mysql_collation::Flavour::MySql),
        ("mariadb@trixie", "utf8mb4_uca1400_as_cs", mysql_collation::Flavour::MariaDb),
    ] {
        let mut lab = Lab::new(server);
        let shorts: String = (0..210).map(|at| format!(", c{at} CHAR(10)")).collect();
        let statements = [
            "CREATE TABLE w (id INT PRIMARY KEY, a VARBINARY(30000), b VARCHAR(9000))".to_owned(),
            "CREATE TABLE v (id INT PRIMARY KEY, b VARCHAR(9000), g VARCHAR(9000) AS (b) VIRTUAL)".to_owned(),
            format!("CREATE TABLE p (id INT PRIMARY KEY, d DECIMAL(60,10), t DATETIME(6), b BIT(40){shorts})"),
            "CREATE TABLE k (c VARCHAR(10) PRIMARY KEY) PARTITION BY KEY (c) PARTITIONS 3".to_owned(),
            "CREATE TABLE n (id INT PRIMARY KEY, c VARCHAR(10)) PARTITION BY HASH (id) PARTITIONS 3".to_owned(),
            "CREATE TABLE l (id INT, c VARCHAR(10)) PARTITION BY LIST COLUMNS (c) \
             (PARTITION a VALUES IN ('A'), PARTITION b VALUES IN ('B'))"
                .to_owned(),
            ROWS.to_owned(),
        ];
        lab.schema("fx_dump", "latin1", &statements);
        let on_server = lab.report("fx_dump", target);
        let in_dump = report_of_dump(&lab, target, flavour);
        let found = |report: &Report| {
            let is_compared =
                |finding: &&Finding| ["row-size", "partition-key", "partition-rows"].contains(&finding.check.as_str());
            let shown = |finding: &Finding| {
                (finding.object.name.clone(), finding.check.clone(), finding.severity, finding.details.count)
            };
            let mut found: Vec<_> = report.findings.iter().filter(is_compared).map(shown).collect();
            found.sort();
            found
        };
        assert_eq!(found(&in_dump), found(&on_server), "{server}: {}", describe_report(&in_dump));
        let names: Vec<(String, Severity)> =
            found(&in_dump).into_iter().map(|(object, _, severity, _)| (object, severity)).collect();
        let expected = [
            ("fx_dump.k", Severity::Warning),
            ("fx_dump.l", Severity::Warning),
            ("fx_dump.l.c", Severity::Error),
            ("fx_dump.p", Severity::Error),
            ("fx_dump.w", Severity::Error),
        ];
        assert_eq!(names, expected.map(|(name, severity)| (name.to_owned(), severity)), "{server}");
    }
}
