//! Measured servers that represent other versions, which the study measured.

use measure::{ClaimSpec, RecipeRecord, Run, Selector};
use server::Flavour;

use crate::claim::{ClaimRatio, StandIn};
use crate::select::version_numbers;

/// A version that the study measured: `mysql-5.7`, or `5.7` of any flavour.
struct Studied<'a> {
    flavour: Option<Flavour>,
    version: &'a str,
}

impl<'a> Studied<'a> {
    fn parse(text: &'a str) -> Self {
        match text.split_once('-') {
            Some((name, version)) => Self { flavour: Some(Flavour::from_version(name)), version },
            None => Self { flavour: None, version: text },
        }
    }

    /// True if the measured version is of the studied series: 5.7.44 of 5.7.
    fn includes(&self, version: &str) -> bool {
        let rest = version.strip_prefix(self.version);
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
    }

    fn fits(&self, selector: &Selector) -> bool {
        let version = version_numbers(self.version);
        selector.since.as_ref().is_none_or(|since| version >= version_numbers(since))
            && selector.before.as_ref().is_none_or(|before| version < version_numbers(before))
    }
}

/// Lists the measured servers of versions that the study did not measure, with the studied version
/// that each represents: the newest one up to the measured version, or else the oldest. Leaves out
/// a server that represents none, for example because the claim is about versions after the study.
pub(crate) fn find(ratios: &[ClaimRatio], claim: &ClaimSpec, recipe: &RecipeRecord, run: &Run) -> Vec<StandIn> {
    let studied: Vec<Studied> = recipe.versions.iter().map(|text| Studied::parse(text)).collect();
    let mut found: Vec<StandIn> = Vec::new();
    let sides = ratios.iter().flat_map(|one| [(one.variant, &claim.variant), (one.against, &claim.against)]);
    for (variant, selector) in sides {
        let server = &run.servers[run.variants[variant].server];
        let concerned: Vec<&Studied> = studied
            .iter()
            .filter(|one| one.flavour.is_none_or(|flavour| flavour == server.flavour))
            .filter(|one| one.fits(&claim.on) && one.fits(selector))
            .collect();
        if concerned.iter().any(|one| one.includes(&server.version)) {
            continue;
        }
        let number = |one: &&&Studied| version_numbers(one.version);
        let older = concerned.iter().filter(|one| number(one) <= version_numbers(&server.version));
        let Some(nearest) = older.max_by_key(number).or(concerned.iter().min_by_key(number)) else { continue };
        let stand_in =
            StandIn { measured: format!("{} {}", server.flavour, server.version), studied: nearest.version.to_owned() };
        if !found.contains(&stand_in) {
            found.push(stand_in);
        }
    }
    found
}
