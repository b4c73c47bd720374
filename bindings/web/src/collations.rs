//! Collations by the names that the page has for them: as on a command line, `mysql:` or `mariadb:` in front says whose.

use std::collections::BTreeSet;

use explain::Named;
use mysql_collation::{Collation, Flavour, Meaning, catalogue};
use serde::Serialize;

/// A name to choose.
#[derive(Serialize)]
pub struct Choice {
    name: String,
    /// The servers that have it; those that order strings in different ways under it are told apart by a semicolon.
    servers: String,
}

/// All names, in alphabetical order. One that means two collations is followed by those of each flavour.
pub fn all() -> Vec<Choice> {
    let infos = Flavour::ALL.into_iter().flat_map(catalogue).filter(|info| info.is_enabled());
    let names: BTreeSet<&str> = infos.map(|info| info.name).collect();
    names.into_iter().flat_map(choices).collect()
}

fn choices(name: &str) -> Vec<Choice> {
    let named = named(name);
    let joined = named.iter().map(|one| one.servers.as_str()).collect::<Vec<_>>().join("; ");
    let mut choices = vec![Choice { name: name.to_owned(), servers: joined }];
    if named.len() > 1 {
        choices.extend(
            named
                .into_iter()
                .map(|one| Choice { name: format!("{}:{name}", one.servers.to_lowercase()), servers: one.servers }),
        );
    }
    choices
}

/// All that a name means: none, one, or two where the flavours differ.
pub fn named(name: &str) -> Vec<Named> {
    if let Some((flavour, name)) = name.split_once(':') {
        let collation = flavour.parse().ok().and_then(|flavour| Collation::by_name(flavour, name).ok());
        return collation.map(of_one).into_iter().collect();
    }
    match Collation::of_name(name) {
        Ok(Meaning::Alone(collation)) => vec![of_one(collation)],
        Ok(Meaning::Same(collation)) => {
            vec![Named { collation, servers: Flavour::ALL.map(|flavour| flavour.to_string()).join(", ") }]
        }
        Ok(Meaning::Different(both)) => both.map(of_one).into(),
        Err(_) => Vec::new(),
    }
}

fn of_one(collation: Collation) -> Named {
    Named { collation, servers: collation.info().flavour.to_string() }
}
