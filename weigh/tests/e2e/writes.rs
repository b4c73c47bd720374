//! Rows of workloads that write: no two pairs share them.

use std::sync::Mutex;
use std::time::Duration;

use measure::{Block, Mode, Observer, PairProgress, Request, Run, RunFolder};
use mysql::prelude::Queryable;
use server::{NoProgress, Options, open};
use workload::{Workload, WorkloadKind};

use crate::work::request;
use crate::workspace::Workspace;

struct RecordsSchemas {
    conn: Mutex<server::Conn>,
    seen: Mutex<Vec<Vec<String>>>,
}

impl Observer for RecordsSchemas {
    fn stage(&self, _what: &str) {}
    fn fraction(&self, _done: f64) {}
    fn measuring(&self, _max_time: Duration, _replicate: u32, _replicates: u32) {}
    fn block(&self, _run: &Run, _block: &Block, _standings: &[PairProgress], _spent: Duration) {
        let standing = r"SELECT schema_name FROM information_schema.schemata
                         WHERE schema_name LIKE 'weigh\_%' ORDER BY schema_name";
        self.seen.lock().unwrap().push(self.conn.lock().unwrap().query(standing).unwrap());
    }
}

/// Measures three pairs, one of them A/A, and returns the blocks with their schemas.
fn measure(mode: Mode) -> Vec<(Block, Vec<String>)> {
    let workspace = Workspace::new();
    let mut server =
        open(&"mariadb".parse().unwrap(), &Options { threads: 8, ..Options::default() }, &NoProgress).unwrap();
    let mut request = Request {
        mode,
        workloads: vec![Workload { kind: WorkloadKind::OltpUpdateNonIndex, range_size: None }],
        ..request()
    };
    request.axes.baseline = Some("latin1_swedish_ci".into());
    request.axes.collations = Some(vec!["utf8mb4_bin".into(), "utf8mb4_general_ci".into()]);
    let sees = RecordsSchemas { conn: Mutex::new(server.connect().unwrap()), seen: Mutex::default() };
    let folder = RunFolder::create(&workspace.out(), files::Access::Umask).unwrap();
    let outcome = measure::run(&request, std::slice::from_mut(&mut server), folder, "test", &sees, None);
    assert!(outcome.failure.is_none(), "{:?}", outcome.failure);
    server.stop().unwrap();
    workspace.read().blocks.into_iter().zip(sees.seen.into_inner().unwrap()).collect()
}

#[test]
fn writing_pairs_have_their_own_rows() {
    let blocks = measure(Mode::Duet);
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
fn solos_share_rows() {
    let blocks = measure(Mode::Solo);
    let (_, rows) = &blocks[0];
    assert_eq!(rows.len(), 4, "the baseline, its copy and two variants: {rows:?}");
    assert!(blocks.iter().all(|(_, standing)| standing == rows));
}
