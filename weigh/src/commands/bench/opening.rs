//! Opens the servers of a run, and announces what is created on attached ones.

use anyhow::Result;
use measure::Request;
use server::{Options, Server, Setting, Spec};

use super::announce;
use super::live::Live;
use crate::options::connect::Targets;
use crate::output;

#[derive(Debug)]
pub struct Opening {
    pub spec: Spec,
    pub options: Options,
    /// Suffix of the server's label, such as `server latin1` for a recipe with server charsets.
    pub label_suffix: Option<String>,
}

/// Settings of `--level`. Their defaults differ between servers and cost CPU that isn't charset or
/// collation. MySQL has performance_schema on, MariaDB off. MySQL before 8.4 and MariaDB before
/// 10.5 have the adaptive hash index on.
const LEVEL_SETTINGS: [(&str, &str); 2] = [("performance_schema", "OFF"), ("innodb_adaptive_hash_index", "OFF")];

pub fn level_settings() -> impl Iterator<Item = Setting> {
    LEVEL_SETTINGS.iter().map(|(name, value)| Setting::known(name, *value))
}

pub fn resolve_openings(targets: Targets) -> Vec<Opening> {
    let Targets { specs, options } = targets;
    specs.into_iter().map(|spec| Opening { spec, options: options.clone(), label_suffix: None }).collect()
}

pub fn open_servers(openings: &[Opening], live: &Live<'_>) -> Result<Vec<Server>> {
    let open = |opening: &Opening| -> Result<Server, server::Error> {
        let mut server = server::open(&opening.spec, &opening.options, live)?;
        if let Some(label_suffix) = &opening.label_suffix {
            server.set_label(format!("{} ({label_suffix})", server.label()));
        }
        Ok(server)
    };
    let servers = openings.iter().map(open).collect::<Result<_, _>>();
    live.end();
    Ok(servers?)
}

/// Prints what will be created on attached servers, and what killed runs left there.
pub fn print_footprint(request: &Request, servers: &[Server]) -> Result<()> {
    let attached = || servers.iter().filter(|server| !server.is_private());
    if attached().next().is_none() {
        return Ok(());
    }
    output::print_note(&announce::describe_footprint(request, &measure::preview(request, servers)?, servers));
    for server in attached() {
        // An account without the rights to look gets no list; the run goes on.
        let leftovers = load::find_leftovers(server).unwrap_or_default();
        if !leftovers.is_empty() {
            output::print_note(&announce::describe_leftovers(server, &leftovers));
        }
    }
    Ok(())
}
