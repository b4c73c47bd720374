use super::*;
use measure::{Comparison, ConditionResult, PairKind, Verdict as Measured};
use serde_json::{Value, json};

const LATIN1: usize = 0;
const GENERAL: usize = 1;
const UNICODE: usize = 2;

/// MySQL 5.6 and 9.7 with three collations each. Variants 0 to 2 are on 5.6, 3 to 5 on 9.7.
fn build_run(claims: Value) -> Run {
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

/// Ratios of each variant to the first variant of its server, ± 1 %. `ratios[3]` is the ratio of
/// the second server's first variant to the first server's.
fn build_analysis(ratios: [f64; 6]) -> Analysis {
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
    let server_pairs = |first: usize| {
        let pair = move |place: usize| comparison(first + place, first, PairKind::Collation, ratios[first + place]);
        [pair(1), pair(2)]
    };
    let cross_server = comparison(3, 0, PairKind::Server, ratios[3]);
    let comparisons = [server_pairs(0), server_pairs(3)].concat().into_iter().chain([cross_server]).collect();
    Analysis {
        stolen: None,
        cpu_spread: None,
        conditions: vec![ConditionResult { condition: 0, aa_bound: Some(0.005), variants: Vec::new(), comparisons }],
    }
}

const MEASURED_RATIOS: [f64; 6] = [1.0, 0.55, 0.40, 1.05, 0.80, 0.76];

fn judge_claim(claim: Value) -> Claim {
    let run = build_run(json!([claim]));
    judge(&run, &build_analysis(MEASURED_RATIOS)).remove(0)
}

/// A claim about versions before 8.0: the ratio of utf8mb4_general_ci to latin1.
fn general_ci_claim(ratio: Value) -> Value {
    json!({"text": "utf8mb4_general_ci costs", "on": {"before": "8.0"}, "variant": {"collations": ["utf8mb4_general_ci"]},
           "against": {"charset": "latin1"}, "ratio": ratio})
}

#[test]
fn run_without_recipe_has_no_claims() {
    let run = Run { recipe: None, ..build_run(json!([])) };
    assert_eq!(judge(&run, &build_analysis(MEASURED_RATIOS)), []);
}

#[test]
fn interval_lies_inside_outside_or_across_the_claimed_range() {
    let verdict = |ratio: Value| judge_claim(general_ci_claim(ratio)).verdict;
    assert_eq!(verdict(json!({"below": 0.65})), ClaimVerdict::Confirmed);
    assert_eq!(verdict(json!({"above": 0.5, "below": 0.65})), ClaimVerdict::Confirmed);
    assert_eq!(verdict(json!({"above": 0.65})), ClaimVerdict::Refuted);
    assert_eq!(verdict(json!({"below": 0.5})), ClaimVerdict::Refuted);
    assert_eq!(verdict(json!({"below": 0.553})), ClaimVerdict::NotDistinguishable);
}

#[test]
fn difference_within_the_aa_bound_is_not_distinguishable() {
    let ratio = Ratio {
        estimate: Estimate { value: 0.99, low: 0.985, high: 0.995 },
        degrees_of_freedom: None,
        aa_bound: 0.02,
        steps: 1,
    };
    let slower = Range { above: None, below: Some(1.0), rounded_to: None };
    assert_eq!(verdict(slower, ratio), ClaimVerdict::NotDistinguishable);
    assert_eq!(verdict(slower, Ratio { aa_bound: 0.002, ..ratio }), ClaimVerdict::Confirmed);
}

#[test]
fn lists_versions_that_the_study_did_not_measure() {
    let stand_ins = |versions: &[&str], claim: Value| {
        let mut run = build_run(json!([claim]));
        run.recipe.as_mut().unwrap().versions = versions.iter().map(ToString::to_string).collect();
        let claims = judge(&run, &build_analysis(MEASURED_RATIOS));
        let all = claims.iter().flat_map(|claim| &claim.stand_ins);
        all.map(|one| format!("{} for {}", one.measured, one.studied)).collect::<Vec<_>>()
    };
    let old = general_ci_claim(json!({"below": 0.65}));
    assert_eq!(stand_ins(&["mysql-5.7", "mysql-8.0"], old.clone()), ["MySQL 5.6.24 for 5.7"]);
    assert_eq!(stand_ins(&["5.7", "8.0"], old.clone()), ["MySQL 5.6.24 for 5.7"], "of any flavour");
    assert_eq!(stand_ins(&["mysql-5.6"], old.clone()), [""; 0]);
    assert_eq!(stand_ins(&["5.6.2"], old.clone()), ["MySQL 5.6.24 for 5.6.2"], "5.6.2 is another version");
    assert_eq!(stand_ins(&["mariadb-10.6"], old.clone()), [""; 0], "it says nothing about MySQL");
    assert_eq!(stand_ins(&[], old), [""; 0], "a recipe that names none");
    let both = json!({"text": "8.0 is faster", "variant": {"since": "8.0"}, "against": {"before": "8.0"},
                      "ratio": {"above": 1.0}});
    let wanted = ["MySQL 9.7.4-2 for 8.0", "MySQL 5.6.24 for 5.7"];
    assert_eq!(stand_ins(&["mysql-5.7", "mysql-8.0", "mariadb-10.6"], both), wanted);
    let today = json!({"text": "today", "on": {"since": "9"}, "variant": {"collations": ["utf8mb4_general_ci"]},
                       "against": {"charset": "latin1"}, "ratio": {"below": 1.0}});
    assert_eq!(stand_ins(&["mysql-8.0"], today), [""; 0], "a claim on later versions than the study's");
}

#[test]
fn ends_of_a_range_are_rounded_as_the_study_rounds() {
    // Measured: 0.550 (0.544 … 0.556), A/A bound 0.005.
    let verdict = |ratio: Value| judge_claim(general_ci_claim(ratio)).verdict;
    assert_eq!(verdict(json!({"below": 0.55})), ClaimVerdict::NotDistinguishable);
    assert_eq!(verdict(json!({"below": 0.55, "rounded_to": 0.05})), ClaimVerdict::Confirmed);
    assert_eq!(verdict(json!({"below": 0.50, "rounded_to": 0.01})), ClaimVerdict::Refuted);
    assert_eq!(verdict(json!({"above": 0.56, "rounded_to": 0.05})), ClaimVerdict::Confirmed);
}

#[test]
fn evidence_names_ratio_server_and_workload() {
    let claim = judge_claim(general_ci_claim(json!({"below": 0.65})));
    assert_eq!(claim.source, "Somebody, 2019");
    let wanted = "utf8mb4_general_ci × 0.550 (0.544 … 0.556) of latin1_swedish_ci on oltp_read_only, mysql@5.6";
    assert_eq!(claim.evidence, wanted);
    assert_eq!((claim.ratios[0].variant, claim.ratios[0].against), (GENERAL, LATIN1));
}

#[test]
fn unmeasured_pair_is_compared_through_the_baseline() {
    let slowest = json!({"text": "unicode_ci is slower than general_ci", "variant": {"collations": ["utf8mb4_unicode_ci"]},
                         "against": {"collations": ["utf8mb4_general_ci"]}, "ratio": {"below": 1.0}});
    let claim = judge_claim(slowest);
    assert_eq!((claim.verdict, claim.ratios.len()), (ClaimVerdict::Confirmed, 2));
    assert_eq!((claim.ratios[0].variant, claim.ratios[0].against), (UNICODE, GENERAL));
    assert!(claim.ratios.iter().all(|finding| !finding.direct));
    assert!(claim.evidence.contains("by way of their baselines"), "{}", claim.evidence);
}

#[test]
fn servers_are_compared_under_the_same_collation() {
    let newer = json!({"text": "8.0 is faster", "variant": {"since": "8.0"}, "against": {"before": "8.0"},
                       "ratio": {"above": 1.0}});
    let claim = judge_claim(newer.clone());
    assert_eq!((claim.verdict, claim.ratios.len()), (ClaimVerdict::Confirmed, 3));
    let mut slower = MEASURED_RATIOS;
    slower[3] = 0.8;
    let claim = judge(&build_run(json!([newer])), &build_analysis(slower)).remove(0);
    assert_eq!(claim.verdict, ClaimVerdict::Refuted);
    assert!(claim.evidence.starts_with("holds in 2 of 3 comparisons: mysql@sid × 0.800"), "{}", claim.evidence);
}

#[test]
fn claims_select_variants_by_connection_and_server_charset() {
    let mut run = build_run(json!([
        {"text": "the connection costs", "variant": {"connection": "utf8mb4"}, "against": {"connection": "latin1"},
         "ratio": {"below": 1.0}},
        {"text": "the server's charset costs", "variant": {"server_charset": "utf8mb4"},
         "against": {"server_charset": "latin1"}, "ratio": {"below": 1.0}},
    ]));
    run.variants[GENERAL] = measure::Variant { connection_charset: "utf8mb4".into(), ..run.variants[LATIN1].clone() };
    run.servers[1].version = run.servers[0].version.clone();
    run.servers[1].settings.insert("character_set_server".into(), "utf8mb4".into());
    let claims = judge(&run, &build_analysis(MEASURED_RATIOS));
    let pairs = |claim: &Claim| claim.ratios.iter().map(|f| (f.variant, f.against)).collect::<Vec<_>>();
    assert_eq!(pairs(&claims[0]), [(GENERAL, LATIN1)]);
    assert!(claims[0].evidence.starts_with("latin1_swedish_ci over a utf8mb4 connection × 0.550"));
    // This claim names neither collation nor connection, so both are equal on the two sides.
    // Variant 1 has no counterpart.
    assert_eq!(pairs(&claims[1]), [(3, LATIN1), (5, UNICODE)]);
}

#[test]
fn tables_are_compared_under_one_connection_charset() {
    let mut run = build_run(json!([{"text": "the tables cost", "on": {"connection": "latin1", "before": "8.0"},
        "variant": {"charset": "utf8mb4"}, "against": {"charset": "latin1"}, "ratio": {"below": 1.0}}]));
    run.variants[GENERAL].connection_charset = "latin1".into();
    let claim = judge(&run, &build_analysis(MEASURED_RATIOS)).remove(0);
    let pairs: Vec<_> = claim.ratios.iter().map(|f| (f.variant, f.against)).collect();
    assert_eq!((pairs, claim.verdict), (vec![(GENERAL, LATIN1)], ClaimVerdict::Confirmed));
}

#[test]
fn claim_without_measured_pair_is_not_measured() {
    let claim =
        judge_claim(json!({"text": "MariaDB is faster", "on": {"flavour": "mariadb"}, "ratio": {"above": 1.0}}));
    assert_eq!((claim.verdict, claim.ratios.len()), (ClaimVerdict::NotMeasured, 0));
    assert!(claim.evidence.contains("nothing that it speaks of was measured"));
}
