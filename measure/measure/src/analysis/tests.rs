use super::*;
use crate::model::latency;
use crate::model::{Latency, Mode};
use proptest::prelude::*;
use serde_json::json;

/// A run of one condition. `servers` has the server of each variant; a pair is kind, variant,
/// baseline.
fn run(mode: Mode, servers: &[usize], pairs: &[(PairKind, usize, usize)]) -> Run {
    let variant = |server: &usize| {
        json!({"server": server, "collation": "c", "charset": "c", "connection_charset": "c", "text": "digits",
               "copy": false})
    };
    let server = json!({"label": "s", "flavour": "mysql", "version": "1", "comment": "", "private": true,
                        "settings": {}});
    serde_json::from_value(json!({
        "format": crate::model::FORMAT,
        "weigh": "0",
        "started": "2026-11-21T00:00:00Z",
        "machine": {"system": "", "kernel": "", "processor": "", "cores": 2, "memory_bytes": 1},
        "servers": vec![server; servers.iter().max().map_or(0, |last| last + 1)],
        "options": {"mode": mode, "driver": "native", "precision": 0.02, "max_time_s": 1.0, "block_s": 1.0,
                    "warmup_s": 0.0, "pinned": true, "tables": 1, "table_size": 1, "range_size": 1,
                    "protocol": "prepared", "skip_trx": false, "rand_type": "uniform", "seed": 1},
        "variants": servers.iter().map(variant).collect::<Vec<_>>(),
        "conditions": [{"workload": "w", "text": "digits", "threads": 1}],
        "pairs": pairs.iter().map(|&(kind, variant, baseline)| Pair { condition: 0, variant, baseline, kind }).collect::<Vec<_>>(),
        "notes": [],
    }))
    .unwrap()
}

fn side(variant: usize, events: u64) -> Side {
    Side {
        variant,
        seconds: 1.0,
        events,
        queries: 10 * events,
        rows: None,
        errors: BTreeMap::new(),
        lost_connections: 0,
        unbound: false,
        missed: 0,
        effort: None,
        statement_effort: None,
        work: BTreeMap::new(),
        server_cpu_us: None,
        pages_read: None,
        client_cpu_us: None,
        latency: Latency { p50_ms: None, p95_ms: None, p99_ms: None, hdr: None },
        log: None,
    }
}

fn block(pair: Option<usize>, round: u32, sides: Vec<Side>) -> Block {
    Block { condition: 0, pair, replicate: None, round, warm_up: false, at_s: 0.0, seconds: 1.0, stolen: None, sides }
}

/// Duet blocks of a pair, with the events of baseline and variant in each block.
fn duets(run: &Run, pair: usize, events: &[(u64, u64)]) -> Vec<Block> {
    let Pair { variant, baseline, .. } = run.pairs[pair];
    let sides =
        events.iter().map(|&(of_baseline, of_variant)| vec![side(baseline, of_baseline), side(variant, of_variant)]);
    (0..).zip(sides).map(|(round, sides)| block(Some(pair), round, sides)).collect()
}

fn value(estimate: Option<Estimate>) -> f64 {
    let value = estimate.unwrap().value;
    (value * 1e6).round() / 1e6
}

fn estimate(value: f64, half: f64) -> Option<Estimate> {
    Some(Estimate { value, low: value - half, high: value + half })
}

#[test]
fn duets_are_compared_within_blocks() {
    let run = run(Mode::Duet, &[0, 0, 0], &[(PairKind::Collation, 1, 0), (PairKind::Collation, 2, 0)]);
    let mut blocks = duets(&run, 0, &[(100, 50), (200, 100), (400, 200)]);
    blocks.extend(duets(&run, 1, &[(100, 80); 3]));
    blocks.push(Block { warm_up: true, ..duets(&run, 0, &[(100, 1)]).remove(0) });
    blocks.push(Block { condition: 1, ..duets(&run, 0, &[(100, 1)]).remove(0) });
    let condition = &analyse(&run, &blocks).conditions[0];
    assert_eq!(
        condition.comparisons.iter().map(|c| (value(c.throughput), c.blocks)).collect::<Vec<_>>(),
        [(0.5, 3), (0.8, 3)]
    );
    assert_eq!(condition.comparisons[0].verdict, Verdict::Less);
}

#[test]
fn solos_of_one_round_belong_together() {
    let run = run(Mode::Solo, &[0, 0], &[(PairKind::Collation, 1, 0)]);
    let solo = |round, variant, events| block(None, round, vec![side(variant, events)]);
    let blocks = [
        solo(0, 0, 100),
        solo(0, 1, 50),
        // The second round is in reverse order on a slower machine; the third is incomplete.
        solo(1, 1, 5),
        solo(1, 0, 10),
        solo(2, 0, 1000),
    ];
    let condition = &analyse(&run, &blocks).conditions[0];
    assert_eq!((value(condition.comparisons[0].throughput), condition.comparisons[0].blocks), (0.5, 2));
    assert_eq!(
        condition.variants.iter().map(|v| (v.blocks, v.transactions_per_s)).collect::<Vec<_>>(),
        [(3, 370.0), (2, 27.5)]
    );
}

#[test]
fn figures_of_a_variant_come_from_one_pair() {
    let pairs = [(PairKind::AA, 2, 0), (PairKind::Collation, 1, 0), (PairKind::Server, 3, 1)];
    let run = run(Mode::Duet, &[0, 0, 0, 1], &pairs);
    let mut blocks = duets(&run, 0, &[(100, 100); 2]);
    blocks.extend(duets(&run, 1, &[(70, 60); 2]));
    blocks.extend(duets(&run, 2, &[(30, 40); 2]));
    let variants = &analyse(&run, &blocks).conditions[0].variants;
    let figures: Vec<_> = variants.iter().map(|v| (v.variant, v.transactions_per_s, v.queries_per_s)).collect();
    assert_eq!(figures, [(0, 100.0, 1000.0), (1, 60.0, 600.0), (2, 100.0, 1000.0), (3, 40.0, 400.0)]);
}

/// Both sides have the same speed. A call of one side is twice the work of a call of the other.
#[test]
fn sides_with_different_calls_are_weighted() {
    let run = run(Mode::Duet, &[0, 0], &[(PairKind::Collation, 1, 0)]);
    let called = |variant: usize, events: u64, effort: f64| Side {
        effort: Some(effort),
        statement_effort: Some(effort / 10.0),
        server_cpu_us: Some(1000.0 * effort),
        ..side(variant, events)
    };
    let blocks: Vec<_> =
        (0..3).map(|round| block(Some(0), round, vec![called(0, 200, 0.1), called(1, 100, 0.2)])).collect();
    let comparison = &analyse(&run, &blocks).conditions[0].comparisons[0];
    assert_eq!((value(comparison.throughput), value(comparison.server_cpu)), (1.0, 1.0));
    assert_eq!(comparison.server_cpu_difference_us.map(|difference| difference.value), Some(0.0));
}

#[test]
fn baseline_reveals_varying_speed() {
    let run = run(Mode::Duet, &[0, 0], &[(PairKind::Collation, 1, 0)]);
    let unsteady = |blocks: usize, slow: f64| {
        let side = |variant: usize, cpu: f64| Side { server_cpu_us: Some(cpu), ..side(variant, 100) };
        // Every other block is slow. The variant's own CPU time does not matter.
        let cpu = |round: usize| if round % 2 == 1 { slow } else { 40.0 };
        let blocks: Vec<_> = (0..blocks)
            .map(|round| block(Some(0), round as u32, vec![side(0, cpu(round)), side(1, 99.0 * round as f64)]))
            .collect();
        analyse(&run, &blocks).cpu_spread
    };
    assert_eq!(unsteady(9, 50.0), None, "too few blocks");
    assert_eq!((unsteady(10, 50.0), unsteady(10, 40.0)), (Some(0.25), Some(0.0)));
}

#[test]
fn variant_without_block_has_no_figures() {
    let run = run(Mode::Duet, &[0, 0, 0], &[(PairKind::Collation, 1, 0), (PairKind::Collation, 2, 0)]);
    let condition = &analyse(&run, &duets(&run, 0, &[(100, 50)])).conditions[0];
    assert_eq!(condition.variants.iter().map(|v| v.variant).collect::<Vec<_>>(), [0, 1]);
    let states: Vec<_> = condition.comparisons.iter().map(|c| (c.blocks, c.verdict)).collect();
    assert_eq!(states, [(1, Verdict::NotMeasured), (0, Verdict::NotMeasured)], "one block has no interval");
}

#[test]
fn figures_are_summed_and_averaged_over_blocks() {
    let run = run(Mode::Duet, &[0, 0], &[(PairKind::Collation, 1, 0)]);
    let busy = |cpu: f64, p95: f64, code: u16, seconds: f64| {
        let latency = Latency { p50_ms: None, p95_ms: Some(p95), p99_ms: None, hdr: None };
        let errors = BTreeMap::from([(1213, 2), (code, 5)]);
        Side { server_cpu_us: Some(cpu), rows: Some(50), latency, errors, seconds, ..side(1, 100) }
    };
    let idle = Side { server_cpu_us: Some(10.0), ..side(0, 200) };
    let blocks = [
        block(Some(0), 0, vec![idle.clone(), busy(20.0, 3.0, 1205, 0.5)]),
        block(Some(0), 1, vec![idle, busy(40.0, 5.0, 1062, 1.5)]),
    ];
    let condition = &analyse(&run, &blocks).conditions[0];
    let own = &condition.variants[1];
    assert_eq!((own.transactions_per_s, own.queries_per_s), (100.0, 1000.0));
    assert_eq!((own.server_cpu_us, own.client_cpu_us, own.p95_ms), (Some(30.0), None, Some(4.0)));
    assert_eq!(own.rows_per_query, Some(0.05));
    assert_eq!(own.errors, BTreeMap::from([(1062, 5), (1205, 5), (1213, 4)]));
    assert_eq!(value(condition.comparisons[0].server_cpu), value(estimate(8f64.sqrt(), 0.0)));
    assert_eq!(condition.variants[0].rows_per_query, None, "a driver that does not tell rows");
}

#[test]
fn merges_histograms_of_latencies() {
    let latency = |milliseconds: u64| {
        let mut histogram = load::new_histogram();
        (0..10).for_each(|_| histogram.record(milliseconds * 1_000_000).unwrap());
        latency::from_histogram(&histogram)
    };
    let run = run(Mode::Duet, &[0, 0], &[(PairKind::Collation, 1, 0)]);
    let of = |milliseconds| vec![side(0, 10), Side { latency: latency(milliseconds), ..side(1, 10) }];
    let blocks = [block(Some(0), 0, of(1)), block(Some(0), 1, of(9)), block(Some(0), 2, of(9))];
    let own = &analyse(&run, &blocks).conditions[0].variants[1];
    assert!((own.p50_ms.unwrap() - 9.0).abs() < 0.1, "{:?} is not the median of 1, 9 and 9", own.p50_ms);
}

#[test]
fn block_without_counts_of_a_side_has_no_ratio() {
    let run = run(Mode::Duet, &[0, 0], &[(PairKind::Collation, 1, 0)]);
    let mut blocks = duets(&run, 0, &[(100, 50), (100, 50), (0, 7)]);
    blocks[2].sides[0].seconds = 0.0;
    let condition = &analyse(&run, &blocks).conditions[0];
    assert_eq!((value(condition.comparisons[0].throughput), condition.comparisons[0].blocks), (0.5, 2));
    assert_eq!(condition.variants[0].transactions_per_s, 100.0);
}

#[test]
fn pair_is_judged_by_the_aa_bound_of_its_servers() {
    let pairs = [
        (PairKind::AA, 1, 0),
        (PairKind::AA, 4, 3),
        (PairKind::Collation, 2, 0),
        (PairKind::Collation, 5, 3),
        (PairKind::Server, 5, 2),
    ];
    let run = run(Mode::Duet, &[0, 0, 0, 1, 1, 1], &pairs);
    let mut blocks = duets(&run, 0, &[(100, 130), (130, 100), (100, 130), (130, 100), (100, 100)]);
    blocks.extend(duets(&run, 1, &[(1000, 1001), (1001, 1000), (1000, 1000), (1000, 1001), (1001, 1000)]));
    for pair in [2, 3, 4] {
        blocks.extend(duets(&run, pair, &[(100, 90); 5]));
    }
    let condition = &analyse(&run, &blocks).conditions[0];
    let bounds: Vec<f64> = condition.comparisons.iter().map(|c| c.aa_bound.unwrap()).collect();
    assert!(bounds[0] > 0.1 && bounds[1] < 0.01, "{bounds:?}");
    assert_eq!(
        (condition.aa_bound, bounds[2], bounds[3], bounds[4]),
        (Some(bounds[0]), bounds[0], bounds[1], bounds[0])
    );
    assert!(matches!(condition.comparisons[2].verdict, Verdict::NoDifference { .. }));
    assert_eq!(condition.comparisons[3].verdict, Verdict::Less);
}

#[test]
fn uses_aa_bound_of_the_condition_if_the_servers_have_none() {
    let run = run(Mode::Duet, &[0, 0, 1, 1], &[(PairKind::AA, 1, 0), (PairKind::Collation, 3, 2)]);
    let mut blocks = duets(&run, 0, &[(100, 130), (130, 100), (100, 130), (130, 100)]);
    blocks.extend(duets(&run, 1, &[(100, 90); 4]));
    let condition = &analyse(&run, &blocks).conditions[0];
    assert_eq!(condition.comparisons[1].aa_bound, condition.aa_bound);
    assert!(matches!(condition.comparisons[1].verdict, Verdict::NoDifference { .. }));
}

#[test]
fn single_logs_with_intervals_give_a_ratio() {
    let run = run(Mode::Solo, &[0, 0], &[(PairKind::Collation, 1, 0)]);
    let log = |variant: usize, events: u64, rates: &[f64]| {
        let intervals = rates.iter().map(|&transactions_per_s| crate::model::LogInterval {
            until_s: 1.0,
            transactions_per_s,
            latency_ms: 1.0,
            errors_per_s: None,
        });
        let figures = crate::model::LogFigures { intervals: intervals.collect(), ..Default::default() };
        block(None, 0, vec![Side { log: Some(figures), ..side(variant, events) }])
    };
    let steady = [100.0, 101.0, 99.0, 100.0, 100.0, 100.0];
    let ratio = |blocks: &[Block]| analyse(&run, blocks).conditions[0].comparisons[0].throughput;
    let found = ratio(&[log(0, 200, &steady), log(1, 100, &steady)]).unwrap();
    assert!(found.value == 0.5 && found.low < 0.5 && found.high > 0.5 && found.precision() < 0.05, "{found:?}");
    assert_eq!(ratio(&[log(0, 200, &steady), log(1, 100, &steady[..5])]), None, "too few lines");
    assert_eq!(ratio(&[log(0, 200, &steady)]), None);
}

/// Returns the incomparabilities of a run's only pair.
fn not_comparable(sides: [(server::Flavour, &str); 2], kind: PairKind, rows: [u64; 2]) -> Vec<Incomparability> {
    let mut run = run(Mode::Duet, &[0, 1], &[(kind, 1, 0)]);
    for (index, (flavour, collation)) in sides.into_iter().enumerate() {
        run.servers[index].flavour = flavour;
        run.variants[index].collation = collation.into();
    }
    let side = |index: usize| Side { rows: Some(rows[index]), ..side(index, 100) };
    let blocks = vec![block(Some(0), 0, vec![side(0), side(1)]); 2];
    analyse(&run, &blocks).conditions[0].comparisons[0].not_comparable.clone()
}

#[test]
fn reports_why_sides_are_not_comparable() {
    use server::Flavour::{MariaDb, MySql};
    let (bin, new) = ("utf8mb4_bin", "utf8mb4_0900_ai_ci");
    let same = [1000, 1001];
    assert_eq!(not_comparable([(MySql, bin), (MariaDb, bin)], PairKind::Server, same), []);
    assert_eq!(not_comparable([(MySql, bin), (MySql, new)], PairKind::Collation, same), []);
    assert_eq!(not_comparable([(MySql, bin), (MariaDb, new)], PairKind::Server, same), [Incomparability::Collation]);
    assert_eq!(not_comparable([(MySql, new), (MariaDb, new)], PairKind::Server, same), [Incomparability::Weights]);
    assert_eq!(not_comparable([(MySql, new), (MySql, new)], PairKind::Server, same), []);
    let fewer = not_comparable([(MySql, bin), (MySql, new)], PairKind::Collation, [1000, 800]);
    assert!(matches!(fewer[..], [Incomparability::Rows { variant, baseline }] if variant < baseline), "{fewer:?}");
}

/// A histogram with one changed character.
fn damaged_histogram() -> impl Strategy<Value = String> {
    let mut histogram = load::new_histogram();
    (1..100).for_each(|milliseconds| histogram.record(milliseconds * 1_000_000).unwrap());
    let text = latency::from_histogram(&histogram).hdr.unwrap();
    (any::<prop::sample::Index>(), "[A-Za-z0-9+/=]").prop_map(move |(at, character)| {
        let at = at.index(text.len());
        format!("{}{character}{}", &text[..at], &text[at + 1..])
    })
}

prop_compose! {
    fn any_side()(
        variant in 0usize..6,
        seconds in prop_oneof![Just(0.0), 1e-9..10.0],
        (events, queries, rows) in (any::<u64>(), any::<u64>(), any::<Option<u64>>()),
        errors in prop::collection::btree_map(any::<u16>(), any::<u64>(), 0..3),
        server_cpu_us in prop::option::of(prop_oneof![Just(0.0), -1.0..1e9]),
        p95_ms in prop::option::of(0.0..1e9),
        hdr in prop::option::of(damaged_histogram()),
    ) -> Side {
        let latency = Latency { p50_ms: None, p95_ms, p99_ms: None, hdr };
        Side { variant, seconds, events, queries, rows, errors, server_cpu_us, pages_read: None, client_cpu_us: server_cpu_us, latency, lost_connections: 0, unbound: false, missed: 0, work: BTreeMap::new(), effort: None, statement_effort: None, log: None }
    }
}

prop_compose! {
    fn any_block()(
        condition in 0usize..3,
        pair in prop::option::of(0usize..6),
        replicate in prop::option::of(0u32..4),
        round in 0u32..4,
        warm_up in any::<bool>(),
        sides in prop::collection::vec(any_side(), 0..4),
    ) -> Block {
        Block { condition, pair, replicate, round, warm_up, at_s: 0.0, seconds: 1.0, stolen: None, sides }
    }
}

fn any_pair() -> impl Strategy<Value = (PairKind, usize, usize)> {
    (prop::sample::select(vec![PairKind::AA, PairKind::Collation, PairKind::Server]), 0usize..6, 0usize..6)
}

proptest! {
    #[test]
    fn any_blocks_give_finite_figures_without_a_panic(
        mode in prop::sample::select(vec![Mode::Duet, Mode::Solo]),
        servers in prop::collection::vec(0usize..3, 0..5),
        pairs in prop::collection::vec(any_pair(), 0..5),
        blocks in prop::collection::vec(any_block(), 0..40),
    ) {
        let analysis = analyse(&run(mode, &servers, &pairs), &blocks);
        let text = serde_json::to_string(&analysis).unwrap();
        prop_assert_eq!(serde_json::from_str::<Analysis>(&text).map_err(|error| error.to_string()).map(|_| ()), Ok(()));
    }
}
