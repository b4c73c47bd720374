//! MariaDB's `old_mode`, which decides what `utf8` means and how tables are copied.

use facts::ServerFacts;
use mysql::prelude::Queryable;
use server::{Conn, Flavour, Server, Version};
use sql::quote_string;

use crate::Error;

/// Mode that makes `utf8` mean utf8mb3 on MariaDB 10.6.1 and later. On earlier versions, `utf8`
/// always does.
const UTF8_IS_UTF8MB3: (&str, Version) = ("UTF8_IS_UTF8MB3", Version::new(10, 6, 1));

/// Gives new sessions of the private server the source's `old_mode`. Returns the modes that the
/// private server doesn't know.
pub fn adopt(private: &Server, source: &ServerFacts) -> Result<Vec<String>, Error> {
    if source.flavour != Flavour::MariaDb || private.flavour() != Flavour::MariaDb {
        return Ok(Vec::new());
    }
    let (mode, since) = UTF8_IS_UTF8MB3;
    let mut conn = private.connect_patiently()?;
    let mut modes = String::new();
    if source.version_number() < since && set(&mut conn, mode)? {
        modes = mode.to_owned();
    } else {
        set(&mut conn, "")?;
    }
    let mut unknown = Vec::new();
    let own = source.variable("old_mode").unwrap_or_default();
    for mode in own.split(',').filter(|mode| !mode.is_empty()) {
        let more = if modes.is_empty() { mode.to_owned() } else { format!("{modes},{mode}") };
        match set(&mut conn, &more)? {
            true => modes = more,
            false => unknown.push(mode.to_owned()),
        }
    }
    Ok(unknown)
}

/// Sets the variable for new sessions. False if the server refuses the value.
fn set(conn: &mut Conn, modes: &str) -> Result<bool, Error> {
    match conn.query_drop(format!("SET GLOBAL old_mode = {}", quote_string(modes))) {
        Ok(()) => Ok(true),
        Err(mysql::Error::MySqlError(_)) => Ok(false),
        Err(source) => Err(Error::Statement { what: format!("set old_mode = {modes}"), source }),
    }
}
