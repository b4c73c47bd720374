use super::*;
use measure::{Comparison, ConditionResult, PairKind, Verdict as Measured};
use serde_json::{Value, json};

const LATIN1: usize = 0;
const GENERAL: usize = 1;
const UNICODE: usize = 2;

/// MySQL 5.6 and 9.7 with three collations each, the second server's variants behind the first's.
fn run(claims: Value) -> Run {
    let server = |label: &str, version: &str| {
        json!({"label": label, "flavour": "mysql", "version": version, "comment": "", "private": true,
               "settings": {"character_set_server": "latin1"}})
    };
    let variant = |server: usize, collation: &str| {
        let charset = collation.split('_').next();
        json!({"server": server, "collation": collation, "charset": charset, "connection_charset": charset,
               "text": "digits", "copy": false})
    };
    let collations = ["latin1_swedish_ci", "utf8mb4_general_ci", "utf8mb4_unicode_ci"];
    let variants: Vec<Value> =
        (0..2).flat_map(|server| collations.map(|collation| variant(server, collation))).collect();
    serde_json::from_value(json!({
        "format": measure::FORMAT,
        "weigh": "0",
        "started": "2026-11-21T00:00:00Z",
        "machine": {"system": "", "kernel": "", "processor": "", "cores": 2, "memory_bytes": 1},
        "servers": [server("mysql@5.6", "5.6.24"), server("mysql@sid", "9.7.4-2")],
        "options": {"mode": "duet", "driver": "native", "precision": 0.02, "max_time_s": 1.0, "block_s": 1.0,
                    "warmup_s": 0.0, "pinned": true, "tables": 1, "table_size": 1, "range_size": 1,
                    "protocol": "prepared", "skip_trx": false, "rand_type": "uniform", "seed": 1},
        "recipe": {"name": "a-study", "title": "A study", "study": "Somebody, 2019", "scale": "laptop", "claims": claims},
        "variants": variants,
        "conditions": [{"workload": "oltp_read_only", "text": "digits", "threads": 2}],
        "pairs": [],
        "notes": [],
    }))
    .unwrap()
}

/// Each variant's ratio to its server's first, ± 1 %, and that of the second server's first to the first server's.
fn analysis(ratios: [f64; 6]) -> Analysis {
    let comparison = |variant, baseline, kind, ratio: f64| Comparison {
        pair: 0,
        variant,
        baseline,
        kind,
        blocks: 6,
        throughput: Some(Estimate { value: ratio, low: ratio * 0.99, high: ratio * 1.01 }),
        replicates: Vec::new(),
        server_cpu: None,
        server_cpu_difference_us: None,
        latency: measure::LatencyRatios::default(),
        cpu_aa_bound: None,
        cpu_verdict: Measured::NotMeasured,
        aa_bound: Some(0.005),
        verdict: Measured::NotMeasured,
        not_comparable: Vec::new(),
    };
    let own = |first: usize| {
        let pair = move |place: usize| comparison(first + place, first, PairKind::Collation, ratios[first + place]);
        [pair(1), pair(2)]
    };
    let cross_server = comparison(3, 0, PairKind::Server, ratios[3]);
    let comparisons = [own(0), own(3)].concat().into_iter().chain([cross_server]).collect();
    Analysis {
        stolen: None,
        unsteady: None,
        conditions: vec![ConditionResult { condition: 0, aa_bound: Some(0.005), variants: Vec::new(), comparisons }],
    }
}

const STUDY: [f64; 6] = [1.0, 0.55, 0.40, 1.05, 0.80, 0.76];

fn judged(claim: Value) -> Claim {
    let run = run(json!([claim]));
    judge(&run, &analysis(STUDY)).remove(0)
}

/// A claim on MySQL before 8.0, general_ci against latin1.
fn general_costs(ratio: Value) -> Value {
    json!({"text": "utf8mb4_general_ci costs", "on": {"before": "8.0"}, "variant": {"collations": ["utf8mb4_general_ci"]},
           "against": {"charset": "latin1"}, "ratio": ratio})
}

#[test]
fn a_run_without_a_recipe_has_no_claims() {
    let run = Run { recipe: None, ..run(json!([])) };
    assert_eq!(judge(&run, &analysis(STUDY)), []);
}

#[test]
fn an_interval_is_inside_outside_or_across_the_end_of_what_is_claimed() {
    let verdict = |ratio: Value| judged(general_costs(ratio)).verdict;
    assert_eq!(verdict(json!({"below": 0.65})), ClaimVerdict::Confirmed);
    assert_eq!(verdict(json!({"above": 0.5, "below": 0.65})), ClaimVerdict::Confirmed);
    assert_eq!(verdict(json!({"above": 0.65})), ClaimVerdict::Refuted);
    assert_eq!(verdict(json!({"below": 0.5})), ClaimVerdict::Refuted);
    assert_eq!(verdict(json!({"below": 0.553})), ClaimVerdict::NotDistinguishable);
}

#[test]
fn a_difference_within_the_aa_bound_is_not_told() {
    let ratio =
        Ratio { estimate: Estimate { value: 0.99, low: 0.985, high: 0.995 }, freedom: None, aa_bound: 0.02, steps: 1 };
    let slower = Range { above: None, below: Some(1.0) };
    assert_eq!(verdict(slower, ratio), ClaimVerdict::NotDistinguishable);
    assert_eq!(verdict(slower, Ratio { aa_bound: 0.002, ..ratio }), ClaimVerdict::Confirmed);
}

#[test]
fn other_versions_than_the_studys_stand_in_for_them() {
    let judged_of = |versions: &[&str]| {
        let mut run = run(json!([general_costs(json!({"below": 0.65}))]));
        run.recipe.as_mut().unwrap().versions = versions.iter().map(ToString::to_string).collect();
        judge(&run, &analysis(STUDY)).remove(0).stand_ins
    };
    assert_eq!(judged_of(&["5.7", "8.0"]), ["5.6.24"]);
    assert_eq!(judged_of(&["5.6"]), [""; 0]);
    assert_eq!(judged_of(&["5.6.2"]), ["5.6.24"], "5.6.2 is another version");
    assert_eq!(judged_of(&[]), [""; 0], "a recipe that names none");
}

#[test]
fn the_evidence_names_figures_server_and_workload() {
    let claim = judged(general_costs(json!({"below": 0.65})));
    assert_eq!(claim.source, "Somebody, 2019");
    let wanted = "utf8mb4_general_ci × 0.550 (0.544 … 0.556) of latin1_swedish_ci on oltp_read_only, mysql@5.6";
    assert_eq!(claim.evidence, wanted);
    assert_eq!((claim.findings[0].variant, claim.findings[0].against), (GENERAL, LATIN1));
}

#[test]
fn what_no_pair_measured_goes_by_way_of_the_baseline() {
    let slowest = json!({"text": "unicode_ci is slower than general_ci", "variant": {"collations": ["utf8mb4_unicode_ci"]},
                         "against": {"collations": ["utf8mb4_general_ci"]}, "ratio": {"below": 1.0}});
    let claim = judged(slowest);
    assert_eq!((claim.verdict, claim.findings.len()), (ClaimVerdict::Confirmed, 2));
    assert_eq!((claim.findings[0].variant, claim.findings[0].against), (UNICODE, GENERAL));
    assert!(claim.findings.iter().all(|finding| !finding.direct));
    assert!(claim.evidence.contains("by way of their baselines"), "{}", claim.evidence);
}

#[test]
fn server_against_server_compares_the_same_collation_only() {
    let newer = json!({"text": "8.0 is faster", "variant": {"since": "8.0"}, "against": {"before": "8.0"},
                       "ratio": {"above": 1.0}});
    let claim = judged(newer.clone());
    assert_eq!((claim.verdict, claim.findings.len()), (ClaimVerdict::Confirmed, 3));
    let mut slower = STUDY;
    slower[3] = 0.8;
    let claim = judge(&run(json!([newer])), &analysis(slower)).remove(0);
    assert_eq!(claim.verdict, ClaimVerdict::Refuted);
    assert!(claim.evidence.starts_with("holds in 2 of 3 comparisons: mysql@sid × 0.800"), "{}", claim.evidence);
}

#[test]
fn layers_are_told_apart_by_the_connections_and_the_servers_charset() {
    let mut run = run(json!([
        {"text": "the connection costs", "variant": {"connection": "utf8mb4"}, "against": {"connection": "latin1"},
         "ratio": {"below": 1.0}},
        {"text": "the server's charset costs", "variant": {"server_charset": "utf8mb4"},
         "against": {"server_charset": "latin1"}, "ratio": {"below": 1.0}},
    ]));
    run.variants[GENERAL] = measure::Variant { connection_charset: "utf8mb4".into(), ..run.variants[LATIN1].clone() };
    run.servers[1].version = run.servers[0].version.clone();
    run.servers[1].settings.insert("character_set_server".into(), "utf8mb4".into());
    let claims = judge(&run, &analysis(STUDY));
    let pairs = |claim: &Claim| claim.findings.iter().map(|f| (f.variant, f.against)).collect::<Vec<_>>();
    assert_eq!(pairs(&claims[0]), [(GENERAL, LATIN1)]);
    assert!(claims[0].evidence.starts_with("latin1_swedish_ci over a utf8mb4 connection × 0.550"));
    // Of the collations that both have, each with its own connection.
    assert_eq!(pairs(&claims[1]), [(3, LATIN1), (5, UNICODE)]);
}

#[test]
fn tables_are_compared_under_one_connection_charset() {
    let mut run = run(json!([{"text": "the tables cost", "on": {"connection": "latin1", "before": "8.0"},
        "variant": {"charset": "utf8mb4"}, "against": {"charset": "latin1"}, "ratio": {"below": 1.0}}]));
    run.variants[GENERAL].connection_charset = "latin1".into();
    let claim = judge(&run, &analysis(STUDY)).remove(0);
    let pairs: Vec<_> = claim.findings.iter().map(|f| (f.variant, f.against)).collect();
    assert_eq!((pairs, claim.verdict), (vec![(GENERAL, LATIN1)], ClaimVerdict::Confirmed));
}

#[test]
fn what_was_not_measured_is_said_so() {
    let claim = judged(json!({"text": "MariaDB is faster", "on": {"flavour": "mariadb"}, "ratio": {"above": 1.0}}));
    assert_eq!((claim.verdict, claim.findings.len()), (ClaimVerdict::NotMeasured, 0));
    assert!(claim.evidence.contains("nothing that it speaks of was measured"));
}
