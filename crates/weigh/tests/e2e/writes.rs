//! Rows of a workload that writes: each pair has its own.

use std::sync::Mutex;
use std::time::Duration;

use measure::{Block, Folder, Mode, Observer, Request, Run, Standing};
use mysql::prelude::Queryable;
use server::{NoProgress, Options, open};
use workload::{Kind, Workload};

use crate::place::Place;
use crate::work::request;

/// Writes down which schemas stand while blocks are measured.
struct SeesSchemas {
    conn: Mutex<mysql::Conn>,
    seen: Mutex<Vec<Vec<String>>>,
}

impl Observer for SeesSchemas {
    fn stage(&self, _what: &str) {}
    fn fraction(&self, _done: f64) {}
    fn measuring(&self, _max_time: Duration, _replicate: u32, _replicates: u32) {}
    fn block(&self, _run: &Run, _block: &Block, _standings: &[Standing], _spent: Duration) {
        let standing = r"SELECT schema_name FROM information_schema.schemata
                         WHERE schema_name LIKE 'weigh\_%' ORDER BY schema_name";
        self.seen.lock().unwrap().push(self.conn.lock().unwrap().query(standing).unwrap());
    }
}

/// Measures three pairs, the A/A pair among them; blocks with the schemas that stood meanwhile.
fn measured(mode: Mode) -> Vec<(Block, Vec<String>)> {
    let place = Place::new();
    let mut server =
        open(&"mariadb".parse().unwrap(), &Options { threads: 8, ..Options::default() }, &NoProgress).unwrap();
    let mut request = Request {
        mode,
        workloads: vec![Workload { kind: Kind::OltpUpdateNonIndex, range_size: None }],
        max_time: Duration::from_secs(4),
        // As many blocks as there is time for.
        precision: 0.0,
        ..request()
    };
    request.axes.collations = Some(vec!["utf8mb4_bin".into(), "utf8mb4_general_ci".into()]);
    let sees = SeesSchemas { conn: Mutex::new(server.control().unwrap()), seen: Mutex::default() };
    let folder = Folder::create(&place.out()).unwrap();
    let outcome = measure::run(&request, std::slice::from_mut(&mut server), folder, "test", &sees, None);
    assert!(outcome.failure.is_none(), "{:?}", outcome.failure);
    server.stop().unwrap();
    place.read().blocks.into_iter().zip(sees.seen.into_inner().unwrap()).collect()
}

#[test]
fn each_pair_of_a_workload_that_writes_has_rows_of_its_own() {
    let blocks = measured(Mode::Duet);
    let by_pair: Vec<_> = blocks.chunk_by(|(one, _), (next, _)| one.pair == next.pair).collect();
    let pairs: Vec<_> = by_pair.iter().map(|blocks| blocks[0].0.pair.unwrap()).collect();
    assert_eq!(pairs, [0, 1, 2], "one after another");
    for blocks in &by_pair {
        let (first, rows) = &blocks[0];
        assert!(first.warm_up && first.round == 0 && blocks.len() > 2, "{}", blocks.len());
        assert_eq!(rows.len(), 2, "a schema for each side: {rows:?}");
        assert!(blocks.iter().all(|(_, standing)| standing == rows));
    }
    let all: Vec<&String> = by_pair.iter().flat_map(|blocks| &blocks[0].1).collect();
    assert!(all.iter().all(|one| all.iter().filter(|other| one == *other).count() == 1), "loaded anew: {all:?}");
}

#[test]
fn solos_share_rows_as_each_variant_writes_as_much_as_the_others() {
    let blocks = measured(Mode::Solo);
    let (_, rows) = &blocks[0];
    assert_eq!(rows.len(), 4, "the baseline, its copy and two variants: {rows:?}");
    assert!(blocks.iter().all(|(_, standing)| standing == rows));
}
