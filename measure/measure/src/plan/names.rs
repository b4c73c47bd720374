//! Checks the names of collations and charsets in a request.

use server::{CollationInfo, Flavour, is_same_collation};

use super::PlanError;
use crate::request::Axes;

/// Charsets that a client may not use (MySQL manual, "Impermissible Client Character Sets").
pub const NO_CLIENT_CHARSET: [&str; 4] = ["ucs2", "utf16", "utf16le", "utf32"];

/// A server with its collations.
#[derive(Clone, Debug)]
pub struct ServerCollations {
    /// Server name in messages.
    pub label: String,
    pub flavour: Flavour,
    pub collations: Vec<CollationInfo>,
}

impl ServerCollations {
    /// Finds a collation by name. `utf8_bin` equals `utf8mb3_bin`.
    pub fn find(&self, name: &str) -> Option<&CollationInfo> {
        self.collations.iter().find(|collation| is_same_collation(&collation.name, name))
    }
}

pub(super) fn check_names(axes: &Axes, servers: &[ServerCollations]) -> Result<(), PlanError> {
    let all = || servers.iter().flat_map(|facts| &facts.collations);
    let labels = || servers.iter().map(|facts| facts.label.as_str()).collect::<Vec<_>>().join(" and ");
    let strict = axes.collations.iter().flatten().filter(|_| !axes.lenient);
    for name in strict.chain(&axes.baseline) {
        if !servers.iter().any(|facts| facts.find(name).is_some()) {
            let nearest = suggest_names(name, all().map(|collation| collation.name.as_str()));
            return Err(PlanError::UnknownCollation { server: labels(), name: name.clone(), nearest });
        }
    }
    for name in axes.connections.iter().flatten() {
        let usable = || all().map(|c| c.charset.as_str()).filter(|charset| !NO_CLIENT_CHARSET.contains(charset));
        if !usable().any(|charset| charset == name) {
            return Err(PlanError::UnknownCharset {
                server: labels(),
                name: name.clone(),
                nearest: suggest_names(name, usable()),
            });
        }
    }
    if let Some(name) = &axes.baseline
        && let Some(facts) = servers.iter().find(|facts| facts.find(name).is_none())
    {
        let reason = format!("{} does not have it", facts.label);
        return Err(PlanError::NoBaseline { name: name.clone(), reason });
    }
    Ok(())
}

/// Maximum number of names that a message suggests.
const MAX_NAMES: usize = 5;

/// Returns the end of a message about an unknown name: those that may be meant, the most similar
/// first. If no name is similar, the least different ones.
pub fn suggest_names<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> String {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names.dedup();
    let mut similar = mysql_collation::similar_names(wanted, names.iter().copied());
    if similar.is_empty() {
        similar = message::sort_by_similarity(wanted, names);
    }
    similar.truncate(MAX_NAMES);
    format!("the nearest it has: {}", similar.join(", "))
}
