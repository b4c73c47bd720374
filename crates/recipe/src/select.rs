//! Which two variants a claim speaks of.

use measure::{ClaimSpec, Run, Selector, Variant};

/// The pairs of variants, as indices in the run, that a claim speaks of among the variants that hold a text.
pub(crate) fn pairs(claim: &ClaimSpec, run: &Run, text: &str) -> Vec<(usize, usize)> {
    let chosen = |selector: &Selector| -> Vec<usize> {
        let all = run.variants.iter().enumerate().filter(|(_, variant)| !variant.copy && variant.text == text);
        let fits = |variant: &Variant| matches(&claim.on, run, variant) && matches(selector, run, variant);
        all.filter(|(_, variant)| fits(variant)).map(|(index, _)| index).collect()
    };
    let (variants, others) = (chosen(&claim.variant), chosen(&claim.against));
    let all = variants.iter().flat_map(|&variant| others.iter().map(move |&other| (variant, other)));
    all.filter(|&(variant, other)| variant != other && alike_otherwise(claim, run, variant, other)).collect()
}

/// Whether a claim speaks of a workload.
pub(crate) fn is_about(claim: &ClaimSpec, workload: &str) -> bool {
    let kind = workload.split(':').next().unwrap_or(workload);
    claim.workloads.is_empty() || claim.workloads.iter().any(|name| name == workload || name == kind)
}

fn matches(selector: &Selector, run: &Run, variant: &Variant) -> bool {
    let server = &run.servers[variant.server];
    let version = numbers(&server.version);
    selector.flavour.is_none_or(|flavour| flavour == server.flavour)
        && selector.since.as_ref().is_none_or(|since| version >= numbers(since))
        && selector.before.as_ref().is_none_or(|before| version < numbers(before))
        && selector.server_charset.as_deref().is_none_or(|charset| server_charset(run, variant) == Some(charset))
        && selector.charset.as_ref().is_none_or(|charset| *charset == variant.charset)
        && (selector.collations.is_empty() || selector.collations.contains(&variant.collation))
        && selector.connection.as_ref().is_none_or(|charset| *charset == variant.connection_charset)
}

/// The leading numbers of a version: 8, 0, 15 of `8.0.15-debug`.
fn numbers(version: &str) -> Vec<u32> {
    let digits = version.split(|c: char| !c.is_ascii_digit() && c != '.').next().unwrap_or_default();
    digits.split('.').map_while(|number| number.parse().ok()).collect()
}

/// The charset that the server of a variant is set to, as it was read back.
fn server_charset<'a>(run: &'a Run, variant: &'a Variant) -> Option<&'a str> {
    let layers = variant.layers.as_ref().map(|layers| layers.server.charset.as_str());
    layers.or_else(|| run.servers[variant.server].settings.get("character_set_server").map(String::as_str))
}

/// Whether two variants differ in nothing but what the claim names.
fn alike_otherwise(claim: &ClaimSpec, run: &Run, one: usize, other: usize) -> bool {
    let named = |names: fn(&Selector) -> bool| names(&claim.variant) || names(&claim.against);
    let names_program = named(|s| s.flavour.is_some() || s.since.is_some() || s.before.is_some());
    let names_server_charset = named(|s| s.server_charset.is_some());
    let names_collation = named(|s| s.charset.is_some() || !s.collations.is_empty());
    // One charset for both is the same, be it the one's own or not.
    let names_connection = named(|s| s.connection.is_some()) || claim.on.connection.is_some();

    let (one, other) = (&run.variants[one], &run.variants[other]);
    let namesakes = measure::is_only_a_namesake(run, one, other);
    let program = |variant: &Variant| {
        let server = &run.servers[variant.server];
        (server.flavour, server.version.clone())
    };
    let same_server = one.server == other.server || names_server_charset && program(one) == program(other);
    (names_program || same_server)
        && (names_collation || one.collation == other.collation && !namesakes)
        && (names_connection || connection(one) == connection(other))
}

/// The charset of the connections where it is not the collation's own.
fn connection(variant: &Variant) -> Option<&str> {
    (variant.connection_charset != variant.charset).then_some(variant.connection_charset.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_by_their_numbers() {
        assert_eq!(numbers("8.0.15-debug"), [8, 0, 15]);
        assert!(numbers("5.7.25") < numbers("8.0") && numbers("8.0.15") >= numbers("8.0"));
        assert!(numbers("10.11.19-MariaDB-0+deb12u1") > numbers("10.6"));
        assert_eq!(numbers("no version"), [0u32; 0]);
    }

    #[test]
    fn a_workload_is_named_with_or_without_its_range() {
        let claim = |names: &[&str]| ClaimSpec {
            text: String::new(),
            source: None,
            workloads: names.iter().map(|name| (*name).into()).collect(),
            on: Selector::default(),
            variant: Selector::default(),
            against: Selector::default(),
            ratio: measure::Range { above: None, below: None },
        };
        assert!(is_about(&claim(&[]), "oltp_read_only"));
        assert!(is_about(&claim(&["distinct_ranges"]), "distinct_ranges:10"));
        assert!(is_about(&claim(&["distinct_ranges:10"]), "distinct_ranges:10"));
        assert!(!is_about(&claim(&["distinct_ranges:10"]), "distinct_ranges:100"));
        assert!(!is_about(&claim(&["oltp_read_only"]), "oltp_read_write"));
    }
}
