//! Collations, names, and defaults of character sets by server version.

use std::collections::BTreeSet;

use anyhow::Result;
use mysql::prelude::Queryable;
use mysql_collation::{Charset, ServerVersion, catalogue};

use crate::verify::{Outcome, Session};

pub fn compare(session: &mut Session<'_>, version: ServerVersion) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    let names: BTreeSet<String> =
        session.server().server.read_collations()?.into_iter().map(|collation| collation.name).collect();
    for info in catalogue(version.flavour) {
        let theirs = names.contains(&*info.name_in(version));
        outcome
            .count(info.exists_in(version) == theirs, || format!("{} exists there: {theirs}", info.name_in(version)));
    }
    let query = "SELECT character_set_name, default_collate_name FROM information_schema.character_sets";
    let defaults: Vec<(String, String)> = session.server().conn.query(query)?;
    for charset in Charset::ALL {
        let theirs = defaults.iter().find(|(name, _)| name == charset.name_in(version)).map(|(_, default)| default);
        let ours = charset.default_collation(version).map(|info| info.name_in(version));
        outcome.count(ours.as_deref() == theirs.map(String::as_str), || {
            format!("the default of {charset} is {ours:?} here, {theirs:?} there")
        });
    }
    Ok(outcome)
}
