//! Whether two sides did the same work: an index that is missing on one of them shows in every output.

use std::sync::Mutex;
use std::time::Duration;

use measure::{Axes, Block, Driver, Folder, Incomparability, Mode, Observer, Pin, Request, Run, Standing};
use mysql::prelude::Queryable;
use server::{NoProgress, Options, open};
use workload::{Kind, Text, Workload};

use crate::place::Place;

/// Takes an index from one collation's table once its rows are loaded, before anything is measured.
struct TakesIndex(Mutex<mysql::Conn>);

impl Observer for TakesIndex {
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
        let table = format!("{}.sbtest1", schema.expect("the schema that was loaded"));
        let index: Option<String> = conn
            .query_first(format!("SELECT index_name FROM information_schema.statistics WHERE CONCAT(table_schema, '.', table_name) = '{table}' AND column_name = 'k'"))
            .unwrap();
        conn.query_drop(format!("ALTER TABLE {table} DROP INDEX {}", index.expect("an index over k"))).unwrap();
    }

    fn fraction(&self, _done: f64) {}
    fn measuring(&self, _max_time: Duration, _replicate: u32, _replicates: u32) {}
    fn block(&self, _run: &Run, _block: &Block, _standings: &[Standing], _spent: Duration) {}
}

pub fn request() -> Request {
    Request {
        axes: Axes {
            collations: Some(vec!["utf8mb4_bin".into()]),
            baseline: None,
            connections: vec![None],
            texts: vec![Text::Digits],
            ..Axes::default()
        },
        workloads: vec![Workload { kind: Kind::SelectRandomRanges, range_size: None }],
        recording: None,
        script: None,
        threads: vec![2],
        rows: workload::Options { table_size: 2000, ..workload::Options::default() },
        protocol: drive::Protocol::Prepared,
        mode: Mode::Duet,
        driver: Driver::Native,
        precision: 1.0,
        max_time: Duration::from_secs(120),
        block: Duration::from_millis(150),
        warmup: Duration::from_millis(20),
        // The connection that takes the index is of this one start of the server.
        replicates: Some(1),
        command: None,
        pin: Pin::Private,
        rate: None,
        level: false,
        ignored_errors: drive::IgnoredErrors::default(),
        buffer_pool: None,
        recipe: None,
        ratios: true,
    }
}

fn a_missing_index_shows(name: &str) {
    let place = Place::new();
    let mut server = open(&name.parse().unwrap(), &Options { threads: 8, ..Options::default() }, &NoProgress).unwrap();
    let folder = Folder::create(&place.out()).unwrap();
    let takes_index = TakesIndex(Mutex::new(server.control().unwrap()));
    let servers = std::slice::from_mut(&mut server);
    let outcome = measure::run(&request(), servers, folder, "test", &takes_index, None);
    assert!(outcome.failure.is_none(), "{:?}", outcome.failure);
    server.stop().unwrap();

    let measured = place.read();
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

    let out = place.out();
    let out = out.to_str().unwrap();
    let told = "the plans differ";
    for format in ["text", "markdown", "csv"] {
        let done = place.end(place.weigh(&["report", out, "--format", format]).spawn().unwrap());
        assert!(done.stdout.contains(told), "{name}, {format}: {done}");
    }
    let json = place.end(place.weigh(&["report", out, "--format", "json"]).spawn().unwrap());
    assert!(json.stdout.contains(r#""in": "plan""#) && json.stdout.contains(told), "{name}: {json}");
    let page = place.end(place.weigh(&["report", out]).spawn().unwrap());
    assert_eq!(page.code, Some(0), "{page}");
    let page = std::fs::read_to_string(place.out().join("report.html")).unwrap();
    assert!(page.contains(told), "{name}");
}

#[test]
fn an_index_that_is_missing_on_one_side_shows_in_every_output_mariadb() {
    a_missing_index_shows("mariadb");
}

#[test]
fn an_index_that_is_missing_on_one_side_shows_in_every_output_mysql() {
    a_missing_index_shows("mysql@sid");
}
