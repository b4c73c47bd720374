//! Selects the pairs of variants that a claim is about.

use measure::{ClaimSpec, Run, Selector, Variant};
use server::{current_charset_name, is_same_collation};

/// Returns the pairs of variants that a claim is about, as indices in the run, for rows of one kind
/// of text.
pub(crate) fn select_pairs(claim: &ClaimSpec, run: &Run, text: &str) -> Vec<(usize, usize)> {
    let chosen = |selector: &Selector| -> Vec<usize> {
        let all = run.variants.iter().enumerate().filter(|(_, variant)| !variant.copy && variant.text == text);
        let fits = |variant: &Variant| matches(&claim.on, run, variant) && matches(selector, run, variant);
        all.filter(|(_, variant)| fits(variant)).map(|(index, _)| index).collect()
    };
    let (variants, others) = (chosen(&claim.variant), chosen(&claim.against));
    let all = variants.iter().flat_map(|&variant| others.iter().map(move |&other| (variant, other)));
    all.filter(|&(variant, other)| variant != other && differ_only_as_claimed(claim, run, variant, other)).collect()
}

/// True if a claim is about a workload. A claim names workloads with or without their range size.
pub(crate) fn concerns_workload(claim: &ClaimSpec, workload: &str) -> bool {
    let kind = workload.split(':').next().unwrap_or(workload);
    claim.workloads.is_empty() || claim.workloads.iter().any(|name| name == workload || name == kind)
}

fn matches(selector: &Selector, run: &Run, variant: &Variant) -> bool {
    let server = &run.servers[variant.server];
    let version = version_numbers(&server.version);
    selector.flavour.is_none_or(|flavour| flavour == server.flavour)
        && selector.since.as_ref().is_none_or(|since| version >= version_numbers(since))
        && selector.before.as_ref().is_none_or(|before| version < version_numbers(before))
        && selector
            .server_charset
            .as_deref()
            .is_none_or(|charset| server_charset(run, variant).is_some_and(|own| is_same_charset(own, charset)))
        && selector.charset.as_ref().is_none_or(|charset| is_same_charset(charset, &variant.charset))
        && (selector.collations.is_empty()
            || selector.collations.iter().any(|name| is_same_collation(name, &variant.collation)))
        && selector.connection.as_ref().is_none_or(|charset| is_same_charset(charset, &variant.connection_charset))
}

/// Returns the leading numbers of a version: 8, 0, 15 for `8.0.15-debug`.
pub(crate) fn version_numbers(version: &str) -> Vec<u32> {
    let digits = version.split(|c: char| !c.is_ascii_digit() && c != '.').next().unwrap_or_default();
    digits.split('.').map_while(|number| number.parse().ok()).collect()
}

/// Returns the server charset of a variant as read back from the server. `None` if not recorded.
fn server_charset<'a>(run: &'a Run, variant: &'a Variant) -> Option<&'a str> {
    let layers = variant.layers.as_ref().map(|layers| layers.server.charset.as_str());
    layers.or_else(|| run.servers[variant.server].settings.get("character_set_server").map(String::as_str))
}

/// True if two variants agree in server, collation and connection charset, except where the claim
/// names them. A claim that names a flavour or version allows any two servers.
fn differ_only_as_claimed(claim: &ClaimSpec, run: &Run, one: usize, other: usize) -> bool {
    let named = |names: fn(&Selector) -> bool| names(&claim.variant) || names(&claim.against);
    let names_version = named(|s| s.flavour.is_some() || s.since.is_some() || s.before.is_some());
    let names_server_charset = named(|s| s.server_charset.is_some());
    let names_collation = named(|s| s.charset.is_some() || !s.collations.is_empty());
    // A claim may name one connection charset for both variants, such as utf8mb4. That charset may
    // be the charset of one variant's collation and not of the other's, such as latin1.
    let names_connection = named(|s| s.connection.is_some()) || claim.on.connection.is_some();

    let (one, other) = (&run.variants[one], &run.variants[other]);
    let namesakes = measure::has_same_name_but_different_weights(run, one, other);
    let flavour_and_version = |variant: &Variant| {
        let server = &run.servers[variant.server];
        (server.flavour, server.version.clone())
    };
    let same_server =
        one.server == other.server || names_server_charset && flavour_and_version(one) == flavour_and_version(other);
    (names_version || same_server)
        && (names_collation || is_same_collation(&one.collation, &other.collation) && !namesakes)
        && (names_connection || custom_connection_charset(one) == custom_connection_charset(other))
}

fn is_same_charset(one: &str, other: &str) -> bool {
    current_charset_name(one) == current_charset_name(other)
}

/// Returns the current name of the connection charset if it differs from the charset of the collation.
fn custom_connection_charset(variant: &Variant) -> Option<&str> {
    let is_custom = !is_same_charset(&variant.connection_charset, &variant.charset);
    is_custom.then(|| current_charset_name(&variant.connection_charset))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_by_number() {
        assert_eq!(version_numbers("8.0.15-debug"), [8, 0, 15]);
        assert!(
            version_numbers("5.7.25") < version_numbers("8.0") && version_numbers("8.0.15") >= version_numbers("8.0")
        );
        assert!(version_numbers("10.11.19-MariaDB-0+deb12u1") > version_numbers("10.6"));
        assert_eq!(version_numbers("no version"), [0u32; 0]);
    }

    #[test]
    fn claims_name_workloads_with_or_without_range_size() {
        let claim = |names: &[&str]| ClaimSpec {
            text: String::new(),
            source: None,
            workloads: names.iter().map(|name| (*name).into()).collect(),
            on: Selector::default(),
            variant: Selector::default(),
            against: Selector::default(),
            ratio: measure::Range { above: None, below: None, rounded_to: None },
        };
        assert!(concerns_workload(&claim(&[]), "oltp_read_only"));
        assert!(concerns_workload(&claim(&["distinct_ranges"]), "distinct_ranges:10"));
        assert!(concerns_workload(&claim(&["distinct_ranges:10"]), "distinct_ranges:10"));
        assert!(!concerns_workload(&claim(&["distinct_ranges:10"]), "distinct_ranges:100"));
        assert!(!concerns_workload(&claim(&["oltp_read_only"]), "oltp_read_write"));
    }
}
