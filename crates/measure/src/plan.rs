//! From what was asked for and what the servers have to variants and pairs. Pure.

use parity::AS_IS;
use server::{CollationInfo, Flavour};
use workload::Text;

use crate::comparability::is_borrowed;
use crate::model::{Condition, OWN_TEXT, Pair, PairKind, Variant};

/// The collations that are compared unless told otherwise, of which each server takes those that it has.
pub const DEFAULT_COLLATIONS: [&str; 7] = [
    "latin1_swedish_ci",
    "utf8mb4_general_ci",
    "utf8mb4_bin",
    "utf8mb4_unicode_ci",
    "utf8mb4_unicode_520_ci",
    "utf8mb4_0900_ai_ci",
    "utf8mb4_uca1400_ai_ci",
];

/// The baseline unless told otherwise.
pub const DEFAULT_BASELINE: &str = "latin1_swedish_ci";

/// Charsets that no client may speak (MySQL manual, "Impermissible Client Character Sets").
const NO_CLIENT_CHARSET: [&str; 4] = ["ucs2", "utf16", "utf16le", "utf32"];

/// What was asked for along the axes that make variants.
#[derive(Clone, Debug, Default)]
pub struct Axes {
    /// Collations by name; the default list where absent.
    pub collations: Option<Vec<String>>,
    /// Collation of the baseline; the default one where absent.
    pub baseline: Option<String>,
    /// Charsets of the connections; the variant's own where `None` stands.
    pub connections: Vec<Option<String>>,
    /// Texts of the rows.
    pub texts: Vec<Text>,
    /// Whether a collation that no server has, or of which MariaDB has but the name, is left out with a note; else the one is an
    /// error and the other measured.
    pub lenient: bool,
    /// Extra work to inject into copies of each baseline, as shares of its own: the self-test.
    pub extra_work: Vec<f64>,
    /// For each server, the one that it is held against; the first where absent.
    pub controls: Vec<usize>,
    /// Collations to be held against each other server against server, although they are unlike.
    pub cross_server: Vec<CrossServer>,
}

/// Two collations that are held against each other, one on each server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrossServer {
    /// The one.
    pub one: String,
    /// The other.
    pub other: String,
}

impl Axes {
    fn control(&self, server: usize) -> usize {
        self.controls.get(server).copied().unwrap_or(0)
    }
}

/// A server as far as a plan needs it.
#[derive(Clone, Debug)]
pub struct Facts {
    /// Its name in messages.
    pub label: String,
    /// MySQL or MariaDB.
    pub flavour: Flavour,
    /// The collations that it has.
    pub collations: Vec<CollationInfo>,
}

impl Facts {
    /// The collation of this name.
    pub fn find(&self, name: &str) -> Option<&CollationInfo> {
        self.collations.iter().find(|collation| collation.name == name)
    }
}

/// The sides of a workload's folder on all servers, each server's baseline first, under each charset of the connections; `own` is the folder's.
/// `holds` tells whether a charset can carry all that is sent.
pub(crate) fn sides(
    axes: &Axes,
    own: &str,
    servers: &[Facts],
    holds: &dyn Fn(&str) -> Option<bool>,
    notes: &mut Vec<String>,
) -> Result<Vec<Variant>, PlanError> {
    let is_collation = |name: &&String| *name != AS_IS;
    let named = axes.collations.iter().flatten();
    let collations = Axes {
        collations: Some(named.clone().filter(is_collation).cloned().collect()),
        baseline: axes.baseline.clone().filter(|name| is_collation(&name)),
        ..axes.clone()
    };
    check_names(&collations, servers)?;
    let mut names: Vec<&String> = Vec::new();
    for name in axes.baseline.iter().chain(named) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let mut variants = Vec::new();
    for (server, facts) in servers.iter().enumerate() {
        for name in &names {
            let charset = match facts.find(name) {
                Some(collation) => Some(collation.charset.clone()),
                None if is_collation(name) => {
                    note(notes, format!("{} has no {name}: left out", facts.label));
                    continue;
                }
                None => None,
            };
            for asked in &axes.connections {
                let connection_charset = asked.clone().unwrap_or_else(|| own.to_owned());
                if holds(&connection_charset) != Some(true) {
                    note(notes, format!("a {connection_charset} connection cannot carry all that is sent: left out"));
                    continue;
                }
                variants.push(Variant {
                    server,
                    collation: (*name).clone(),
                    charset: charset.clone().unwrap_or_else(|| connection_charset.clone()),
                    connection_charset,
                    text: OWN_TEXT.into(),
                    copy: false,
                    extra_work: None,
                    layers: None,
                });
            }
        }
    }
    Ok(variants)
}

/// What can be wrong with what was asked for.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// No server has a collation that the user named.
    #[error("{server} has no collation {name}; {nearest}")]
    UnknownCollation {
        /// Servers asked.
        server: String,
        /// The collation.
        name: String,
        /// The names that it has, nearest first.
        nearest: String,
    },
    /// No server has a charset that the user named.
    #[error("{server} has no charset {name} for connections; {nearest}")]
    UnknownCharset {
        /// Servers asked.
        server: String,
        /// The charset.
        name: String,
        /// The names that it has, nearest first.
        nearest: String,
    },
    /// The baseline that the user named can't be had.
    #[error("the baseline {name} can't be used: {reason}; name another with --baseline")]
    NoBaseline {
        /// The collation.
        name: String,
        /// Why.
        reason: String,
    },
}

/// The variants of one text on all servers, each server's baseline first, and notes on what was left out. `holds` tells whether a
/// charset has all characters of the text, where that is known without asking a server.
pub fn variants(
    axes: &Axes,
    text: Text,
    servers: &[Facts],
    holds: &dyn Fn(&str) -> Option<bool>,
    notes: &mut Vec<String>,
) -> Result<Vec<Variant>, PlanError> {
    check_names(axes, servers)?;
    let mut variants = Vec::new();
    for (server, facts) in servers.iter().enumerate() {
        for collation in collations_of(axes, facts, notes) {
            if holds(&collation.charset) == Some(false) {
                refuse_baseline(axes, &collation.name, text)?;
                note(notes, format!("{} cannot hold {text} text: left out", collation.name));
                continue;
            }
            for asked in &axes.connections {
                let connection_charset = connection_charset(asked.as_deref(), &collation.charset);
                if holds(&connection_charset) == Some(false) {
                    note(notes, format!("a {connection_charset} connection cannot carry {text} text: left out"));
                    continue;
                }
                let variant = Variant {
                    server,
                    collation: collation.name.clone(),
                    charset: collation.charset.clone(),
                    connection_charset,
                    text: text.to_string(),
                    copy: false,
                    extra_work: None,
                    layers: None,
                };
                if !variants.contains(&variant) {
                    variants.push(variant);
                }
            }
        }
    }
    Ok(variants)
}

fn refuse_baseline(axes: &Axes, collation: &str, text: Text) -> Result<(), PlanError> {
    match &axes.baseline {
        Some(name) if name == collation => {
            Err(PlanError::NoBaseline { name: name.clone(), reason: format!("it cannot hold {text} text") })
        }
        _ => Ok(()),
    }
}

fn note(notes: &mut Vec<String>, note: String) {
    if !notes.contains(&note) {
        notes.push(note);
    }
}

fn connection_charset(asked: Option<&str>, own: &str) -> String {
    match asked {
        Some(name) => name.into(),
        None if NO_CLIENT_CHARSET.contains(&own) => "utf8mb4".into(),
        None => own.into(),
    }
}

fn check_names(axes: &Axes, servers: &[Facts]) -> Result<(), PlanError> {
    let all = || servers.iter().flat_map(|facts| &facts.collations);
    let labels = || servers.iter().map(|facts| facts.label.as_str()).collect::<Vec<_>>().join(" and ");
    let strict = axes.collations.iter().flatten().filter(|_| !axes.lenient);
    for name in strict.chain(&axes.baseline) {
        if !all().any(|collation| collation.name == *name) {
            let nearest = nearest(name, all().map(|collation| collation.name.as_str()));
            return Err(PlanError::UnknownCollation { server: labels(), name: name.clone(), nearest });
        }
    }
    for name in axes.connections.iter().flatten() {
        let usable = || all().map(|c| c.charset.as_str()).filter(|charset| !NO_CLIENT_CHARSET.contains(charset));
        if !usable().any(|charset| charset == name) {
            return Err(PlanError::UnknownCharset {
                server: labels(),
                name: name.clone(),
                nearest: nearest(name, usable()),
            });
        }
    }
    if let Some(name) = &axes.baseline
        && let Some(facts) = servers.iter().find(|facts| !facts.collations.iter().any(|c| c.name == *name))
    {
        let reason = format!("{} does not have it", facts.label);
        return Err(PlanError::NoBaseline { name: name.clone(), reason });
    }
    Ok(())
}

/// The collations of one server that were asked for, the baseline first.
fn collations_of<'a>(axes: &Axes, facts: &'a Facts, notes: &mut Vec<String>) -> Vec<&'a CollationInfo> {
    let baseline = axes.baseline.as_deref().unwrap_or(DEFAULT_BASELINE);
    let mut names = vec![baseline];
    match &axes.collations {
        Some(asked) => names.extend(asked.iter().map(String::as_str)),
        None => names.extend(DEFAULT_COLLATIONS),
    }
    let mut found: Vec<&CollationInfo> = Vec::new();
    for name in names {
        match facts.find(name) {
            Some(_) if axes.lenient && facts.flavour == Flavour::MariaDb && is_borrowed(name) => {
                note(notes, format!("{}'s {name} is not MySQL's, it has other weights: left out", facts.label));
            }
            Some(collation) if !found.iter().any(|earlier| earlier.name == name) => found.push(collation),
            Some(_) => {}
            None => note(notes, format!("{} has no {name}: left out", facts.label)),
        }
    }
    found
}

/// Up to five names, nearest first, as the end of a message.
pub fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> String {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names.dedup();
    names.sort_by_key(|name| strsim::damerau_levenshtein(name, wanted));
    format!("the nearest it has: {}", names[..names.len().min(5)].join(", "))
}

/// The pairs of one condition, whose index is `condition`. The first variant of a server that holds the condition's text is the server's baseline;
/// a variant with `copy` set is the A/A partner of the baseline that it copies.
pub fn pairs(condition: usize, under: &Condition, variants: &[Variant], axes: &Axes) -> Vec<Pair> {
    let own: Vec<(usize, &Variant)> =
        variants.iter().enumerate().filter(|(_, variant)| variant.text == under.text).collect();
    let first = |wanted: &dyn Fn(&Variant) -> bool| own.iter().find(|(_, variant)| wanted(variant)).map(|own| own.0);
    let baseline_of = |variant: &Variant| first(&|candidate| candidate.server == variant.server);
    let same_on_control = |variant: &Variant| {
        first(&|candidate| {
            (candidate.server, &candidate.collation, &candidate.connection_charset, candidate.copy)
                == (axes.control(variant.server), &variant.collation, &variant.connection_charset, false)
        })
    };
    // Each in its own charset from end to end: what is held against what is unlike enough.
    let cross_server_control = |variant: &Variant, collation: &str| {
        first(&|candidate| {
            (candidate.server, candidate.collation.as_str(), candidate.copy)
                == (axes.control(variant.server), collation, false)
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
                if variant.collation == *own {
                    add(PairKind::Server, index, cross_server_control(variant, its));
                }
            }
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(label: &str, names: &[&str]) -> Facts {
        let collation = |name: &&str| CollationInfo {
            name: (*name).into(),
            charset: name.split('_').next().unwrap().into(),
            id: 1,
            is_default: false,
        };
        Facts { label: label.into(), flavour: Flavour::MySql, collations: names.iter().map(collation).collect() }
    }

    fn axes(collations: Option<&[&str]>) -> Axes {
        Axes {
            collations: collations.map(|names| names.iter().map(|name| (*name).into()).collect()),
            baseline: None,
            connections: vec![None],
            texts: vec![Text::Digits],
            ..Axes::default()
        }
    }

    /// As `variants`, for a text that latin1 cannot hold where `foreign` is set.
    fn planned(axes: &Axes, servers: &[Facts], foreign: bool) -> Result<(Vec<Variant>, Vec<String>), PlanError> {
        let mut notes = Vec::new();
        let text = if foreign { Text::Cyrillic } else { Text::Digits };
        let holds = |charset: &str| Some(charset != "latin1" || !foreign);
        variants(axes, text, servers, &holds, &mut notes).map(|variants| (variants, notes))
    }

    fn names(variants: &[Variant]) -> Vec<(usize, &str)> {
        variants.iter().map(|variant| (variant.server, variant.collation.as_str())).collect()
    }

    #[test]
    fn the_default_list_is_what_the_server_has_of_it() {
        let server = facts("A", &["utf8mb4_bin", "latin1_swedish_ci", "utf8mb4_general_ci", "gbk_bin"]);
        let (variants, notes) = planned(&axes(None), &[server], false).unwrap();
        assert_eq!(names(&variants), [(0, "latin1_swedish_ci"), (0, "utf8mb4_general_ci"), (0, "utf8mb4_bin")]);
        assert!(notes.contains(&"A has no utf8mb4_0900_ai_ci: left out".to_string()), "{notes:?}");
    }

    #[test]
    fn a_name_that_no_server_has_is_an_error_with_the_nearest_names() {
        let server = facts("A", &["latin1_swedish_ci", "utf8mb4_general_ci", "gbk_bin"]);
        let error = planned(&axes(Some(&["utf8mb4_genral_ci"])), &[server], false).unwrap_err();
        assert_eq!(
            error.to_string(),
            "A has no collation utf8mb4_genral_ci; the nearest it has: utf8mb4_general_ci, latin1_swedish_ci, gbk_bin"
        );
    }

    #[test]
    fn a_charset_that_no_client_may_speak_is_an_error() {
        let server = facts("A", &["latin1_swedish_ci", "ucs2_bin"]);
        let error = planned(&Axes { connections: vec![Some("ucs2".into())], ..axes(None) }, &[server], false);
        assert_eq!(error.unwrap_err().to_string(), "A has no charset ucs2 for connections; the nearest it has: latin1");
    }

    #[test]
    fn servers_are_compared_like_with_like() {
        let servers = [
            facts("A", &["latin1_swedish_ci", "utf8mb4_bin"]),
            facts("B", &["latin1_swedish_ci", "utf8mb4_bin", "utf8mb4_0900_ai_ci"]),
        ];
        let (mut variants, _) = planned(&axes(None), &servers, false).unwrap();
        variants.push(Variant { copy: true, ..variants[0].clone() });
        let condition = Condition { workload: "w".into(), text: "digits".into(), threads: 1 };
        let pairs: Vec<_> =
            pairs(0, &condition, &variants, &axes(None)).into_iter().map(|p| (p.variant, p.baseline, p.kind)).collect();
        assert_eq!(
            pairs,
            [
                (5, 0, PairKind::AA),
                (1, 0, PairKind::Collation),
                (3, 2, PairKind::Collation),
                (4, 2, PairKind::Collation),
                (2, 0, PairKind::Server),
                (3, 1, PairKind::Server),
            ]
        );
    }

    #[test]
    fn unlike_collations_are_held_against_each_other_only_where_that_is_asked_for() {
        let servers = [
            facts("A", &["latin1_swedish_ci", "utf8mb4_0900_ai_ci"]),
            facts("B", &["latin1_swedish_ci", "utf8mb4_general_ci"]),
        ];
        let (variants, _) = planned(&axes(None), &servers, false).unwrap();
        let cross_server = CrossServer { one: "utf8mb4_0900_ai_ci".into(), other: "utf8mb4_general_ci".into() };
        let asked = Axes { cross_server: vec![cross_server], ..axes(None) };
        let condition = Condition { workload: "w".into(), text: "digits".into(), threads: 1 };
        let between_servers = |axes: &Axes| -> Vec<_> {
            let pairs = pairs(0, &condition, &variants, axes).into_iter().filter(|p| p.kind == PairKind::Server);
            pairs.map(|p| (p.variant, p.baseline)).collect()
        };
        assert_eq!(between_servers(&axes(None)), [(2, 0)]);
        assert_eq!(between_servers(&asked), [(2, 0), (3, 1)]);
    }

    #[test]
    fn a_server_is_held_against_its_twin() {
        let servers = ["A", "A utf8mb4", "B", "B utf8mb4"].map(|label| facts(label, &["latin1_swedish_ci"]));
        let axes = Axes { controls: vec![0, 0, 0, 2], ..axes(None) };
        let (variants, _) = planned(&axes, &servers, false).unwrap();
        let condition = Condition { workload: "w".into(), text: "digits".into(), threads: 1 };
        let pairs: Vec<_> =
            pairs(0, &condition, &variants, &axes).into_iter().map(|p| (p.variant, p.baseline)).collect();
        assert_eq!(pairs, [(1, 0), (2, 0), (3, 2)]);
    }

    #[test]
    fn a_collation_that_no_server_has_is_left_out_where_that_is_allowed() {
        let server = facts("A", &["latin1_swedish_ci"]);
        let axes = Axes { lenient: true, ..axes(Some(&["utf8mb4_0900_ai_ci"])) };
        let (variants, notes) = planned(&axes, &[server], false).unwrap();
        assert_eq!((variants.len(), notes), (1, vec!["A has no utf8mb4_0900_ai_ci: left out".to_string()]));
    }

    #[test]
    fn a_baseline_that_cannot_hold_the_text_gives_way_unless_it_was_asked_for() {
        let servers = [facts("A", &["latin1_swedish_ci", "utf8mb4_bin"])];
        let (variants, notes) = planned(&axes(None), &servers, true).unwrap();
        assert_eq!(names(&variants), [(0, "utf8mb4_bin")]);
        assert!(notes.contains(&"latin1_swedish_ci cannot hold cyrillic text: left out".to_string()), "{notes:?}");
        let asked = Axes { baseline: Some("latin1_swedish_ci".into()), ..axes(None) };
        assert!(matches!(planned(&asked, &servers, true), Err(PlanError::NoBaseline { .. })));
    }

    #[test]
    fn a_baseline_that_a_server_lacks_is_an_error() {
        let servers = [facts("A", &["utf8mb4_bin", "ascii_bin"]), facts("B", &["utf8mb4_bin"])];
        let asked = Axes { baseline: Some("ascii_bin".into()), ..axes(None) };
        let error = planned(&asked, &servers, false).unwrap_err().to_string();
        assert!(error.contains("ascii_bin can't be used: B does not have it"), "{error}");
    }

    #[test]
    fn connection_charsets_multiply_the_variants_and_those_no_client_speaks_are_replaced() {
        let servers = [facts("A", &["latin1_swedish_ci", "ucs2_bin", "utf8mb4_bin"])];
        let mismatch = Axes { connections: vec![None, Some("utf8mb4".into())], ..axes(Some(&["ucs2_bin"])) };
        let (variants, _) = planned(&mismatch, &servers, false).unwrap();
        let charsets: Vec<_> = variants.iter().map(|v| (v.charset.as_str(), v.connection_charset.as_str())).collect();
        assert_eq!(charsets, [("latin1", "latin1"), ("latin1", "utf8mb4"), ("ucs2", "utf8mb4")]);
    }
}
