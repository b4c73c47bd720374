//! Forms the pairs of a condition.

use server::{current_charset_name, is_same_collation};

use crate::model::{Condition, Pair, PairKind, Variant};
use crate::request::{Axes, CrossServer, WorkloadSource};

/// Returns the pairs of the condition with index `condition`. The first variant of a server with
/// the condition's text is the server's baseline. A variant with `copy` set is paired with the
/// baseline that it copies.
pub fn form_pairs(condition: usize, under: &Condition, variants: &[Variant], axes: &Axes) -> Vec<Pair> {
    let own: Vec<(usize, &Variant)> =
        variants.iter().enumerate().filter(|(_, variant)| variant.text == under.text).collect();
    let first = |wanted: &dyn Fn(&Variant) -> bool| own.iter().find(|(_, variant)| wanted(variant)).map(|own| own.0);
    let baseline_of = |variant: &Variant| first(&|candidate| candidate.server == variant.server);
    let same_on_control = |variant: &Variant| {
        first(&|candidate| {
            candidate.server == axes.control(variant.server)
                && is_same_collation(&candidate.collation, &variant.collation)
                && current_charset_name(&candidate.connection_charset)
                    == current_charset_name(&variant.connection_charset)
                && !candidate.copy
        })
    };
    // Only variants whose connection charset is their own: besides server and collation, the
    // connection charset would be a third difference.
    let cross_server_control = |variant: &Variant, collation: &str| {
        first(&|candidate| {
            candidate.server == axes.control(variant.server)
                && is_same_collation(&candidate.collation, collation)
                && !candidate.copy
                && variant.connection_charset == variant.charset
                && candidate.connection_charset == candidate.charset
        })
    };
    let mut pairs = Vec::new();
    let mut add = |kind, variant, baseline: Option<usize>| {
        if let Some(baseline) = baseline.filter(|&baseline| baseline != variant) {
            pairs.push(Pair { condition, variant, baseline, kind });
        }
    };
    for &(index, variant) in own.iter().filter(|(_, variant)| variant.copy) {
        let kind = if variant.extra_work.is_none() { PairKind::AA } else { PairKind::Collation };
        add(kind, index, baseline_of(variant));
    }
    for &(index, variant) in own.iter().filter(|(_, variant)| !variant.copy) {
        add(PairKind::Collation, index, baseline_of(variant));
    }
    for &(index, variant) in own.iter().filter(|(_, v)| !v.copy && axes.control(v.server) != v.server) {
        add(PairKind::Server, index, same_on_control(variant));
        for CrossServer { one, other } in &axes.cross_server {
            for (own, its) in [(one, other), (other, one)] {
                if is_same_collation(&variant.collation, own) {
                    add(PairKind::Server, index, cross_server_control(variant, its));
                }
            }
        }
    }
    pairs
}

/// Returns the pairs of a condition. Leaves out A/A pairs for a single class of a workload folder,
/// to which the A/A pairs of the mix apply.
pub(crate) fn form_pairs_of_source(
    source: &WorkloadSource,
    index: usize,
    condition: &Condition,
    variants: &[Variant],
    axes: &Axes,
) -> Vec<Pair> {
    let mut pairs = form_pairs(index, condition, variants, axes);
    pairs.retain(|pair| pair.kind != PairKind::AA || source.has_aa_pairs());
    pairs
}
