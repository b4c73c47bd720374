//! Unequal work of two sides: an index missing on one side shows in every output.

use std::sync::Mutex;
use std::time::Duration;

use measure::{Axes, Block, Incomparability, Observer, PairProgress, Request, Run, RunFolder};
use mysql::prelude::Queryable;
use server::{NoProgress, Options, open};
use workload::{Text, Workload, WorkloadKind};

use crate::workspace::{Workspace, retry};

/// Drops an index of one collation's table after its rows are loaded.
struct DropsIndex(Mutex<server::Conn>);

impl Observer for DropsIndex {
    fn stage(&self, what: &str) {
        if !what.ends_with(": connecting") {
            return;
        }
        let mut conn = self.0.lock().unwrap();
        let schema: Option<String> = conn
            .query_first(
                r"SELECT schema_name FROM information_schema.schemata
                  WHERE schema_name LIKE 'weigh\_%' AND default_collation_name = 'utf8mb4_bin'",
            )
            .unwrap();
        let table = format!("{}.sbtest1", schema.expect("a schema was loaded"));
        let index: Option<String> = conn
            .query_first(format!("SELECT index_name FROM information_schema.statistics WHERE CONCAT(table_schema, '.', table_name) = '{table}' AND column_name = 'k'"))
            .unwrap();
        conn.query_drop(format!("ALTER TABLE {table} DROP INDEX {}", index.expect("the table has an index over k")))
            .unwrap();
    }

    fn fraction(&self, _done: f64) {}
    fn measuring(&self, _max_time: Duration, _replicate: u32, _replicates: u32) {}
    fn block(&self, _run: &Run, _block: &Block, _standings: &[PairProgress], _spent: Duration) {}
}

pub fn request() -> Request {
    Request {
        axes: Axes {
            collations: Some(vec!["utf8mb4_bin".into()]),
            connections: vec![None],
            texts: vec![Text::Digits],
            ..Axes::default()
        },
        workloads: vec![Workload { kind: WorkloadKind::SelectRandomRanges, range_size: None }],
        threads: vec![2],
        rows: workload::Options { table_size: 2000, ..workload::Options::default() },
        precision: 1.0,
        max_time: Duration::from_secs(120),
        block: Duration::from_millis(150),
        warmup: Duration::from_millis(20),
        // The connection that drops the index belongs to this start of the server.
        replicates: Some(1),
        ..Request::default()
    }
}

fn find_missing_index(name: &str) {
    let workspace = Workspace::new();
    let mut server = open(&name.parse().unwrap(), &Options { threads: 8, ..Options::default() }, &NoProgress).unwrap();
    let folder = RunFolder::create(&workspace.out(), files::Access::Umask).unwrap();
    let takes_index = DropsIndex(Mutex::new(server.connect().unwrap()));
    let servers = std::slice::from_mut(&mut server);
    let outcome = measure::run(&request(), servers, folder, "test", &takes_index, None);
    assert!(outcome.failure.is_none(), "{:?}", outcome.failure);
    server.stop().unwrap();

    let measured = workspace.read();
    let found: Vec<(bool, &Vec<Incomparability>)> = measured.analysis.conditions[0]
        .comparisons
        .iter()
        .map(|c| (measured.run.variants[c.variant].copy, &c.not_comparable))
        .collect();
    for (copy, found) in found {
        let plan = found.iter().any(|found| matches!(found, Incomparability::Plan { .. }));
        let work = found
            .iter()
            .any(|found| matches!(found, Incomparability::Work { counter, .. } if counter.starts_with("Handler_")));
        assert_eq!((plan, work), (!copy, !copy), "{name}: {found:?}");
    }
    assert!(measured.run.plans.iter().all(|plan| !plan.steps.is_empty() && plan.json.is_some()), "{name}");

    let out = workspace.out();
    let out = out.to_str().unwrap();
    let warning = "the plans differ";
    for format in ["text", "markdown", "csv"] {
        let finished = workspace.wait_for_end(workspace.weigh(&["report", out, "--format", format]).spawn().unwrap());
        assert!(finished.stdout.contains(warning), "{name}, {format}: {finished}");
    }
    let json = workspace.wait_for_end(workspace.weigh(&["report", out, "--format", "json"]).spawn().unwrap());
    assert!(json.stdout.contains(r#""in": "plan""#) && json.stdout.contains(warning), "{name}: {json}");
    let page = workspace.wait_for_end(workspace.weigh(&["report", out]).spawn().unwrap());
    assert_eq!(page.code, Some(0), "{page}");
    let page = std::fs::read_to_string(workspace.out().join("report.html")).unwrap();
    assert!(page.contains(warning), "{name}");
}

#[test]
fn reports_a_missing_index_of_mariadb() {
    retry(|| find_missing_index("mariadb"));
}

#[test]
fn reports_a_missing_index_of_mysql() {
    retry(|| find_missing_index("mysql@sid"));
}
