//! Checks the names of collations and charsets in a request.

use server::{CollationInfo, Flavour, current_charset_name, is_same_collation};

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

    /// Returns the server's name of a charset that clients may use, such as `utf8` for `utf8mb3` on
    /// MySQL 5.7. `None` if the server lacks it, or clients may not use it.
    pub fn client_charset(&self, name: &str) -> Option<&str> {
        self.client_charsets().find(|charset| current_charset_name(charset) == current_charset_name(name))
    }

    fn client_charsets(&self) -> impl Iterator<Item = &str> {
        let charsets = self.collations.iter().map(|collation| collation.charset.as_str());
        charsets.filter(|charset| !NO_CLIENT_CHARSET.contains(charset))
    }
}

pub(super) fn check_names(axes: &Axes, servers: &[ServerCollations]) -> Result<(), PlanError> {
    let labels = || servers.iter().map(|facts| facts.label.clone()).collect::<Vec<_>>();
    let strict = axes.collations.iter().flatten().filter(|_| !axes.lenient);
    for name in strict.chain(&axes.baseline) {
        if !servers.iter().any(|facts| facts.find(name).is_some()) {
            let suggestion = suggest_collations_of(servers, name);
            return Err(PlanError::UnknownCollation { servers: labels(), name: name.clone(), suggestion });
        }
    }
    for name in axes.connections.iter().flatten() {
        if !servers.iter().any(|facts| facts.client_charset(name).is_some()) {
            let usable = servers.iter().flat_map(ServerCollations::client_charsets);
            let suggestion = suggest_names_of(servers.len(), name, usable);
            return Err(PlanError::UnknownCharset { servers: labels(), name: name.clone(), suggestion });
        }
    }
    if let Some(name) = &axes.baseline
        && let Some(facts) = servers.iter().find(|facts| facts.find(name).is_none())
    {
        let reason = format!("{} does not have it", facts.label);
        return Err(PlanError::UnusableBaseline { name: name.clone(), reason });
    }
    Ok(())
}

/// Returns the end of a message about an unknown collation.
fn suggest_collations_of(servers: &[ServerCollations], name: &str) -> String {
    let all = || servers.iter().flat_map(|facts| &facts.collations);
    let is_of_charset = |info: &&CollationInfo| current_charset_name(&info.charset) == current_charset_name(name);
    match all().filter(is_of_charset).find(|info| info.is_default) {
        Some(default) => format!("it is a character set, whose default collation is {}", default.name),
        None => suggest_names_of(servers.len(), name, all().map(|info| info.name.as_str())),
    }
}

/// Maximum number of names that a message suggests.
const MAX_NAMES: usize = 5;

/// Returns the end of a message about an unknown name: those that may be meant, the most similar
/// first. If no name is similar, the least different ones.
pub fn suggest_names<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> String {
    format!("the nearest it has: {}", list_nearest(wanted, names))
}

/// As [`suggest_names`], about the names of several servers.
pub(super) fn suggest_names_of<'a>(servers: usize, wanted: &str, names: impl Iterator<Item = &'a str>) -> String {
    let subject = if servers > 1 { "they have" } else { "it has" };
    format!("the nearest {subject}: {}", list_nearest(wanted, names))
}

fn list_nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> String {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names.dedup();
    let mut similar = mysql_collation::similar_names(wanted, names.iter().copied());
    if similar.is_empty() {
        similar = message::sort_by_similarity(wanted, names);
    }
    similar.truncate(MAX_NAMES);
    similar.join(", ")
}
