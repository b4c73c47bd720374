//! The servers of a run, opened, and what will be created on those that are not `weigh`'s own.

use anyhow::Result;
use measure::Request;
use server::{Options, Server, Spec};

use super::announce;
use super::live::Live;
use crate::connect::Targets;
use crate::output;

/// A server to open.
#[derive(Debug)]
pub struct Opening {
    /// Which.
    pub spec: Spec,
    /// How.
    pub options: Options,
    /// What its name says beside the program's, where several of one program are opened.
    pub distinction: Option<String>,
}

/// Settings whose defaults differ from server to server and cost what a comparison of servers is not about: MySQL has performance_schema on
/// and MariaDB off, MySQL before 8.4 and MariaDB before 10.5 have the adaptive hash index on.
const LEVEL: [(&str, &str); 2] = [("performance_schema", "OFF"), ("innodb_adaptive_hash_index", "OFF")];

/// The settings of `--level`.
pub fn level() -> impl Iterator<Item = (String, String)> {
    LEVEL.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
}

/// Each server as it was named.
pub fn openings(targets: Targets) -> Vec<Opening> {
    let Targets { specs, options } = targets;
    specs.into_iter().map(|spec| Opening { spec, options: options.clone(), distinction: None }).collect()
}

/// Opens the servers, one after the other.
pub fn open(openings: &[Opening], live: &Live<'_>) -> Result<Vec<Server>> {
    let open = |opening: &Opening| -> Result<Server, server::Error> {
        let mut server = server::open(&opening.spec, &opening.options, live)?;
        if let Some(distinction) = &opening.distinction {
            server.rename(format!("{} ({distinction})", server.label()));
        }
        Ok(server)
    };
    let servers = openings.iter().map(open).collect::<Result<_, _>>();
    live.end();
    Ok(servers?)
}

/// Says what will be created on servers that are not `weigh`'s own, and what is still there of a run that was killed.
pub fn tell_footprint(request: &Request, servers: &[Server]) -> Result<()> {
    let attached = || servers.iter().filter(|server| !server.is_private());
    if attached().next().is_none() {
        return Ok(());
    }
    output::tell(&announce::footprint(request, &measure::preview(request, servers)?, servers));
    for server in attached() {
        // Whoever can't look has nothing to tell, and a run to make.
        let leftovers = drive::leftovers(server).unwrap_or_default();
        if !leftovers.is_empty() {
            output::tell(&announce::leftovers(server, &leftovers));
        }
    }
    Ok(())
}
