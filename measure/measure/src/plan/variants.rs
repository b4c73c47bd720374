//! Forms the variants of a request from the servers' collations.

use result_diff::AS_IS;
use server::{CollationInfo, Flavour};
use workload::Text;

use super::names::{NO_CLIENT_CHARSET, check_names};
use super::{PlanError, ServerCollations};
use crate::model::{OWN_TEXT, Variant, is_mysql_uca900_name};
use crate::request::{Axes, DEFAULT_COLLATIONS};

/// Returns the sides of a workload folder on all servers under each connection charset. Each
/// server's baseline comes first. `own` is the folder's charset. `holds` returns whether a charset
/// can encode all text that is sent.
pub(crate) fn form_folder_variants(
    axes: &Axes,
    own: &str,
    servers: &[ServerCollations],
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
            let found = facts.find(name).filter(|_| is_collation(name));
            let (collation, charset) = match found {
                Some(collation) => (&collation.name, Some(collation.charset.clone())),
                None if is_collation(name) => {
                    add_note(notes, format!("{} has no {name}: left out", facts.label));
                    continue;
                }
                None => (*name, None),
            };
            for requested in &axes.connections {
                let connection_charset =
                    requested.as_deref().map_or(own, |name| client_charset(facts, name)).to_owned();
                if holds(&connection_charset) != Some(true) {
                    add_note(
                        notes,
                        format!("a {connection_charset} connection cannot carry all that is sent: left out"),
                    );
                    continue;
                }
                variants.push(Variant {
                    server,
                    collation: collation.clone(),
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

/// Returns the variants of one text on all servers, each server's baseline first. Adds notes on
/// excluded ones. `holds` returns whether a charset can encode the text; `None` if only the server
/// can tell.
pub fn form_variants(
    axes: &Axes,
    text: Text,
    servers: &[ServerCollations],
    holds: &dyn Fn(&str) -> Option<bool>,
    notes: &mut Vec<String>,
) -> Result<Vec<Variant>, PlanError> {
    check_names(axes, servers)?;
    let mut variants = Vec::new();
    for (server, facts) in servers.iter().enumerate() {
        for collation in select_collations(axes, facts, notes) {
            if holds(&collation.charset) == Some(false) {
                reject_if_baseline(axes, &collation.name, text)?;
                add_note(notes, format!("{} cannot hold {text} text: left out", collation.name));
                continue;
            }
            for requested in &axes.connections {
                let connection_charset = connection_charset(requested.as_deref(), &collation.charset, facts);
                if holds(&connection_charset) == Some(false) {
                    add_note(notes, format!("a {connection_charset} connection cannot carry {text} text: left out"));
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

fn reject_if_baseline(axes: &Axes, collation: &str, text: Text) -> Result<(), PlanError> {
    match &axes.baseline {
        Some(name) if name == collation => {
            Err(PlanError::UnusableBaseline { name: name.clone(), reason: format!("it cannot hold {text} text") })
        }
        _ => Ok(()),
    }
}

fn add_note(notes: &mut Vec<String>, note: String) {
    if !notes.contains(&note) {
        notes.push(note);
    }
}

/// Returns a server's name of a charset; the name itself if the server lacks it.
fn client_charset<'a>(facts: &'a ServerCollations, name: &'a str) -> &'a str {
    facts.client_charset(name).unwrap_or(name)
}

fn connection_charset(requested: Option<&str>, own: &str, facts: &ServerCollations) -> String {
    match requested {
        Some(name) => client_charset(facts, name).into(),
        None if NO_CLIENT_CHARSET.contains(&own) => "utf8mb4".into(),
        None => own.into(),
    }
}

/// Returns the requested collations of one server, the baseline first.
fn select_collations<'a>(axes: &Axes, facts: &'a ServerCollations, notes: &mut Vec<String>) -> Vec<&'a CollationInfo> {
    let mut names = vec![axes.baseline_name()];
    match &axes.collations {
        Some(requested) => names.extend(requested.iter().map(String::as_str)),
        None => names.extend(DEFAULT_COLLATIONS),
    }
    let mut found: Vec<&CollationInfo> = Vec::new();
    for name in names {
        match facts.find(name) {
            Some(_) if axes.lenient && facts.flavour == Flavour::MariaDb && is_mysql_uca900_name(name) => {
                add_note(notes, format!("{}'s {name} is not MySQL's, it has other weights: left out", facts.label));
            }
            Some(collation) if !found.iter().any(|earlier| earlier.name == collation.name) => found.push(collation),
            Some(_) => {}
            None => add_note(notes, format!("{} has no {name}: left out", facts.label)),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Condition, PairKind};
    use crate::plan::form_pairs;
    use crate::request::CrossServer;

    fn facts(label: &str, names: &[&str]) -> ServerCollations {
        let collation = |name: &&str| CollationInfo {
            name: (*name).into(),
            charset: name.split('_').next().unwrap().into(),
            id: 1,
            is_default: false,
        };
        ServerCollations {
            label: label.into(),
            flavour: Flavour::MySql,
            collations: names.iter().map(collation).collect(),
        }
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

    /// Forms the variants of a text. With `foreign`, latin1 cannot hold the text.
    fn planned(
        axes: &Axes,
        servers: &[ServerCollations],
        foreign: bool,
    ) -> Result<(Vec<Variant>, Vec<String>), PlanError> {
        let mut notes = Vec::new();
        let text = if foreign { Text::Cyrillic } else { Text::Digits };
        let holds = |charset: &str| Some(charset != "latin1" || !foreign);
        form_variants(axes, text, servers, &holds, &mut notes).map(|variants| (variants, notes))
    }

    fn names(variants: &[Variant]) -> Vec<(usize, &str)> {
        variants.iter().map(|variant| (variant.server, variant.collation.as_str())).collect()
    }

    #[test]
    fn default_list_contains_available_collations() {
        let server = facts("A", &["utf8mb4_bin", "latin1_swedish_ci", "utf8mb4_general_ci", "gbk_bin"]);
        let (variants, notes) = planned(&axes(None), &[server], false).unwrap();
        assert_eq!(names(&variants), [(0, "latin1_swedish_ci"), (0, "utf8mb4_general_ci"), (0, "utf8mb4_bin")]);
        assert!(notes.contains(&"A has no utf8mb4_0900_ai_ci: left out".to_string()), "{notes:?}");
    }

    #[test]
    fn first_of_several_named_collations_is_the_baseline() {
        let server = [facts("A", &["latin1_swedish_ci", "utf8mb4_bin", "utf8mb4_general_ci"])];
        let planned = |named: &[&str]| planned(&axes(Some(named)), &server, false).unwrap().0;
        let both = planned(&["utf8mb4_general_ci", "utf8mb4_bin"]);
        assert_eq!(names(&both), [(0, "utf8mb4_general_ci"), (0, "utf8mb4_bin")]);
        for single in [&["utf8mb4_bin"][..], &["utf8mb4_bin", "utf8mb4_bin"]] {
            assert_eq!(names(&planned(single)), [(0, "latin1_swedish_ci"), (0, "utf8mb4_bin")]);
        }
        // A text that the first can't hold has the next as its baseline.
        let (variants, notes) =
            super::tests::planned(&axes(Some(&["latin1_swedish_ci", "utf8mb4_bin"])), &server, true).unwrap();
        assert_eq!(names(&variants), [(0, "utf8mb4_bin")]);
        assert_eq!(notes, ["latin1_swedish_ci cannot hold cyrillic text: left out"]);
    }

    #[test]
    fn unknown_name_suggests_the_nearest() {
        let server = facts("A", &["latin1_swedish_ci", "utf8mb4_general_ci", "gbk_bin"]);
        let error = planned(&axes(Some(&["utf8mb4_genral_ci"])), &[server], false).unwrap_err();
        assert_eq!(error.to_string(), "A has no collation utf8mb4_genral_ci; the nearest it has: utf8mb4_general_ci");
    }

    #[test]
    fn old_and_new_names_of_utf8mb3_collations_are_the_same() {
        let servers = [
            facts("A", &["latin1_swedish_ci", "utf8_general_ci"]),
            facts("B", &["latin1_swedish_ci", "utf8mb3_general_ci"]),
        ];
        for requested in ["utf8_general_ci", "utf8mb3_general_ci"] {
            let axes = axes(Some(&[requested]));
            let (variants, notes) = planned(&axes, &servers, false).unwrap();
            let all =
                [(0, "latin1_swedish_ci"), (0, "utf8_general_ci"), (1, "latin1_swedish_ci"), (1, "utf8mb3_general_ci")];
            assert_eq!((names(&variants), notes), (all.to_vec(), vec![]));
            let condition = Condition { workload: "w".into(), text: "digits".into(), threads: 1 };
            let pairs = form_pairs(0, &condition, &variants, &axes);
            let of_servers = pairs.iter().filter(|pair| pair.kind == PairKind::Server);
            assert_eq!(of_servers.map(|pair| (pair.variant, pair.baseline)).collect::<Vec<_>>(), [(2, 0), (3, 1)]);
        }
    }

    #[test]
    fn rejects_charsets_unusable_by_clients() {
        let server = facts("A", &["latin1_swedish_ci", "ucs2_bin"]);
        let error = planned(&Axes { connections: vec![Some("ucs2".into())], ..axes(None) }, &[server], false);
        assert_eq!(error.unwrap_err().to_string(), "A has no charset ucs2 for connections; the nearest it has: latin1");
    }

    #[test]
    fn connection_charsets_have_the_names_of_their_server() {
        let servers = [facts("A", &["utf8mb4_bin", "utf8_bin"]), facts("B", &["utf8mb4_bin", "utf8mb3_bin"])];
        for name in ["utf8", "utf8mb3"] {
            let axes = Axes { connections: vec![Some(name.into())], ..axes(Some(&["utf8mb4_bin"])) };
            let (variants, _) = planned(&axes, &servers, false).unwrap();
            let charsets: Vec<&str> = variants.iter().map(|variant| variant.connection_charset.as_str()).collect();
            assert_eq!(charsets, ["utf8", "utf8mb3"]);
        }
    }

    #[test]
    fn names_no_server_has_are_refused_for_all() {
        let servers = [facts("A", &["latin1_swedish_ci", "utf8mb4_bin"]), facts("B", &["latin1_swedish_ci"])];
        let error = planned(&axes(Some(&["utf8mb4_bim"])), &servers, false).unwrap_err();
        assert_eq!(
            error.to_string(),
            "neither A nor B has a collation utf8mb4_bim; the nearest they have: utf8mb4_bin"
        );
    }

    #[test]
    fn cross_server_pairs_have_one_collation() {
        let servers = [
            facts("A", &["latin1_swedish_ci", "utf8mb4_bin"]),
            facts("B", &["latin1_swedish_ci", "utf8mb4_bin", "utf8mb4_0900_ai_ci"]),
        ];
        let (mut variants, _) = planned(&axes(None), &servers, false).unwrap();
        variants.push(Variant { copy: true, ..variants[0].clone() });
        let condition = Condition { workload: "w".into(), text: "digits".into(), threads: 1 };
        let pairs: Vec<_> = form_pairs(0, &condition, &variants, &axes(None))
            .into_iter()
            .map(|p| (p.variant, p.baseline, p.kind))
            .collect();
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
    fn compares_different_collations_only_on_request() {
        let servers = [
            facts("A", &["latin1_swedish_ci", "utf8mb4_0900_ai_ci"]),
            facts("B", &["latin1_swedish_ci", "utf8mb4_general_ci"]),
        ];
        let (variants, _) = planned(&axes(None), &servers, false).unwrap();
        let cross_server = CrossServer { one: "utf8mb4_0900_ai_ci".into(), other: "utf8mb4_general_ci".into() };
        let requested = Axes { cross_server: vec![cross_server], ..axes(None) };
        let condition = Condition { workload: "w".into(), text: "digits".into(), threads: 1 };
        let between_servers = |axes: &Axes| -> Vec<_> {
            let pairs = form_pairs(0, &condition, &variants, axes).into_iter().filter(|p| p.kind == PairKind::Server);
            pairs.map(|p| (p.variant, p.baseline)).collect()
        };
        assert_eq!(between_servers(&axes(None)), [(2, 0)]);
        assert_eq!(between_servers(&requested), [(2, 0), (3, 1)]);
    }

    #[test]
    fn pairs_a_server_with_its_copy() {
        let servers = ["A", "A utf8mb4", "B", "B utf8mb4"].map(|label| facts(label, &["latin1_swedish_ci"]));
        let axes = Axes { controls: vec![0, 0, 0, 2], ..axes(None) };
        let (variants, _) = planned(&axes, &servers, false).unwrap();
        let condition = Condition { workload: "w".into(), text: "digits".into(), threads: 1 };
        let pairs: Vec<_> =
            form_pairs(0, &condition, &variants, &axes).into_iter().map(|p| (p.variant, p.baseline)).collect();
        assert_eq!(pairs, [(1, 0), (2, 0), (3, 2)]);
    }

    #[test]
    fn omits_missing_collations_if_allowed() {
        let server = facts("A", &["latin1_swedish_ci"]);
        let axes = Axes { lenient: true, ..axes(Some(&["utf8mb4_0900_ai_ci"])) };
        let (variants, notes) = planned(&axes, &[server], false).unwrap();
        assert_eq!((variants.len(), notes), (1, vec!["A has no utf8mb4_0900_ai_ci: left out".to_string()]));
    }

    #[test]
    fn replaces_default_baseline_that_cannot_hold_the_text() {
        let servers = [facts("A", &["latin1_swedish_ci", "utf8mb4_bin"])];
        let (variants, notes) = planned(&axes(None), &servers, true).unwrap();
        assert_eq!(names(&variants), [(0, "utf8mb4_bin")]);
        assert!(notes.contains(&"latin1_swedish_ci cannot hold cyrillic text: left out".to_string()), "{notes:?}");
        let requested = Axes { baseline: Some("latin1_swedish_ci".into()), ..axes(None) };
        assert!(matches!(planned(&requested, &servers, true), Err(PlanError::UnusableBaseline { .. })));
    }

    #[test]
    fn rejects_baseline_that_a_server_lacks() {
        let servers = [facts("A", &["utf8mb4_bin", "ascii_bin"]), facts("B", &["utf8mb4_bin"])];
        let requested = Axes { baseline: Some("ascii_bin".into()), ..axes(None) };
        let error = planned(&requested, &servers, false).unwrap_err().to_string();
        assert!(error.contains("ascii_bin can't be used: B does not have it"), "{error}");
    }

    #[test]
    fn each_connection_charset_has_variants_or_is_replaced_by_utf8mb4() {
        let servers = [facts("A", &["latin1_swedish_ci", "ucs2_bin", "utf8mb4_bin"])];
        let mismatch = Axes { connections: vec![None, Some("utf8mb4".into())], ..axes(Some(&["ucs2_bin"])) };
        let (variants, _) = planned(&mismatch, &servers, false).unwrap();
        let charsets: Vec<_> = variants.iter().map(|v| (v.charset.as_str(), v.connection_charset.as_str())).collect();
        assert_eq!(charsets, [("latin1", "latin1"), ("latin1", "utf8mb4"), ("ucs2", "utf8mb4")]);
    }
}
