//! Chooses collations for `weigh count` and `weigh micro`: the named ones, or the default list.

use server::CollationInfo;

use super::PlanError;
use super::names::{ServerCollations, suggest_names_of};
use crate::request::DEFAULT_COLLATIONS;

/// Returns the collations to measure on each server. Adds a note for each named collation that a
/// server lacks. Fails if a named collation is on no server.
pub fn choose_collations(
    requested: Option<&[String]>,
    servers: &[ServerCollations],
    notes: &mut Vec<String>,
) -> Result<Vec<Vec<CollationInfo>>, PlanError> {
    let Some(requested) = requested else {
        let defaults =
            |facts: &ServerCollations| DEFAULT_COLLATIONS.iter().filter_map(|name| facts.find(name).cloned()).collect();
        return Ok(servers.iter().map(defaults).collect());
    };
    for name in requested {
        if !servers.iter().any(|facts| facts.find(name).is_some()) {
            let all = servers.iter().flat_map(|facts| &facts.collations).map(|collation| collation.name.as_str());
            let labels: Vec<String> = servers.iter().map(|facts| facts.label.clone()).collect();
            let suggestion = suggest_names_of(servers.len(), name, all);
            return Err(PlanError::UnknownCollation { servers: labels, name: name.clone(), suggestion });
        }
    }
    let mut collations_of_server = |facts: &ServerCollations| {
        let mut chosen = Vec::new();
        for name in requested {
            match facts.find(name) {
                Some(collation) => chosen.push(collation.clone()),
                None => notes.push(format!("{} has no {name}: left out", facts.label)),
            }
        }
        chosen
    };
    Ok(servers.iter().map(&mut collations_of_server).collect())
}

#[cfg(test)]
mod tests {
    use server::Flavour;

    use super::*;

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

    fn names(chosen: &[Vec<CollationInfo>]) -> Vec<Vec<&str>> {
        chosen
            .iter()
            .map(|collations_of_server| collations_of_server.iter().map(|collation| collation.name.as_str()).collect())
            .collect()
    }

    #[test]
    fn takes_each_servers_part_of_the_default_list() {
        let servers = [facts("A", &["utf8mb4_bin", "gbk_bin"]), facts("B", &["utf8mb4_0900_ai_ci", "utf8mb4_bin"])];
        let mut notes = Vec::new();
        let chosen = choose_collations(None, &servers, &mut notes).unwrap();
        assert_eq!(names(&chosen), [vec!["utf8mb4_bin"], vec!["utf8mb4_bin", "utf8mb4_0900_ai_ci"]]);
        assert!(notes.is_empty(), "{notes:?}");
    }

    #[test]
    fn measures_a_collation_on_the_only_server_that_has_it() {
        let servers = [facts("A", &["gbk_bin", "utf8mb4_bin"]), facts("B", &["utf8mb4_bin"])];
        let mut notes = Vec::new();
        let chosen = choose_collations(Some(&["utf8mb4_bin".into(), "gbk_bin".into()]), &servers, &mut notes).unwrap();
        assert_eq!(names(&chosen), [vec!["utf8mb4_bin", "gbk_bin"], vec!["utf8mb4_bin"]]);
        assert_eq!(notes, ["B has no gbk_bin: left out"]);
    }

    #[test]
    fn unknown_collation_suggests_the_nearest() {
        let servers = [facts("A", &["gbk_bin", "utf8mb4_bin"])];
        let error =
            choose_collations(Some(&["utf8mb4_ban".into()]), &servers, &mut Vec::new()).unwrap_err().to_string();
        assert_eq!(error, "A has no collation utf8mb4_ban; the nearest it has: utf8mb4_bin");
    }
}
