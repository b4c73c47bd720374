//! Collations by name. As on the command line, a prefix `mysql:` or `mariadb:` selects the flavour.

use std::collections::BTreeSet;

use explain::NamedCollation;
use mysql_collation::{Collation, Flavour, Meaning, catalogue};
use serde::Serialize;

/// A name in the list of choices.
#[derive(Serialize)]
pub struct Choice {
    name: String,
    /// Servers that have the collation. A semicolon separates servers on which the order of strings
    /// differs.
    servers: String,
}

/// Returns all names in alphabetical order. A name with two meanings is followed by the name with
/// each flavour.
pub fn list_choices() -> Vec<Choice> {
    let infos = Flavour::ALL.into_iter().flat_map(catalogue).filter(|info| info.is_enabled());
    let names: BTreeSet<&str> = infos.map(|info| info.name).collect();
    names.into_iter().flat_map(choices_of_name).collect()
}

fn choices_of_name(name: &str) -> Vec<Choice> {
    let meanings = meanings_of(name);
    let servers = meanings.iter().map(|meaning| meaning.servers.as_str()).collect::<Vec<_>>().join("; ");
    let mut choices = vec![Choice { name: name.to_owned(), servers }];
    if meanings.len() > 1 {
        choices.extend(meanings.into_iter().map(|meaning| Choice {
            name: format!("{}:{name}", meaning.servers.to_lowercase()),
            servers: meaning.servers,
        }));
    }
    choices
}

/// Returns the collations that a name means: none, one, or two if the flavours differ.
pub fn meanings_of(name: &str) -> Vec<NamedCollation> {
    if let Some((flavour, name)) = name.split_once(':') {
        let collation = flavour.parse().ok().and_then(|flavour| Collation::by_name(flavour, name).ok());
        return collation.map(with_flavour).into_iter().collect();
    }
    match Collation::of_name(name) {
        Ok(Meaning::Alone(collation)) => vec![with_flavour(collation)],
        Ok(Meaning::Same(collation)) => {
            vec![NamedCollation { collation, servers: Flavour::ALL.map(|flavour| flavour.to_string()).join(", ") }]
        }
        Ok(Meaning::Different(both)) => both.map(with_flavour).into(),
        Err(_) => Vec::new(),
    }
}

fn with_flavour(collation: Collation) -> NamedCollation {
    NamedCollation { collation, servers: collation.info().flavour.to_string() }
}
