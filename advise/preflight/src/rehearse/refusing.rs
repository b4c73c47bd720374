//! Settings of the source that make it refuse statements: `sql_require_primary_key` and
//! `restrict_fk_on_non_standard_key`.

use facts::ServerFacts;
use mysql::prelude::Queryable;
use rehearsal::Rehearsal;
use server::Server;

use crate::Error;
use crate::checks::REFUSING_SETTINGS;

/// Switches the settings off for new sessions of the private server: the source's tables may be
/// older than its settings.
pub fn switch_off(private: &Server) -> Result<(), Error> {
    let mut conn = private.connect_patiently()?;
    for name in REFUSING_SETTINGS {
        // A server without the variable refuses nothing for its sake.
        let _ = conn.query_drop(format!("SET GLOBAL {name} = 0"));
    }
    Ok(())
}

/// Gives the session of the rehearsal the source's settings.
pub fn adopt(rehearsal: &mut Rehearsal<'_>, source: &ServerFacts) -> Result<(), Error> {
    for name in REFUSING_SETTINGS.into_iter().filter(|name| source.is_on(name)) {
        rehearsal.apply(&format!("SET SESSION {name} = 1"))?;
    }
    Ok(())
}

/// Gives new sessions of the private server the source's default collations of character sets:
/// what programs declare without COLLATE gets them.
pub fn adopt_defaults(private: &Server, source: &ServerFacts) -> Result<(), Error> {
    let mut conn = private.connect_patiently()?;
    for name in ["default_collation_for_utf8mb4", "character_set_collations"] {
        if let Some(value) = source.variable(name) {
            // Another version may lack the variable or the collation.
            let _ = conn.query_drop(format!("SET GLOBAL {name} = {}", sql::quote_string(value)));
        }
    }
    Ok(())
}
