//! Reading the names of functions, and the views, of all schemas.

use mysql::prelude::Queryable;
use server::Conn;

use crate::{UserCode, ViewText};

/// True for functions and views of the schema `sys` as servers install it. The accounts are
/// compared byte by byte: in SQL, `Mysql.SYS@localhost` would equal `mysql.sys@localhost`.
pub(super) fn is_installed(schema: &str, definer: &str) -> bool {
    schema == "sys" && ["mysql.sys@localhost", "mariadb.sys@localhost"].contains(&definer)
}

/// Reads the stored functions that the account sees, the loadable functions if it may list them,
/// and the views. Functions of the schema `sys`, as servers install it, count as harmless. Its
/// views are left out.
///
/// An account doesn't see stored functions that it may not execute.
pub fn read_user_code(conn: &mut Conn) -> mysql::Result<UserCode> {
    let stored = "SELECT ROUTINE_NAME, ROUTINE_SCHEMA, DEFINER FROM information_schema.ROUTINES \
                  WHERE ROUTINE_TYPE <> 'PROCEDURE'";
    let stored: Vec<(String, String, String)> = conn.query(stored)?;
    let (installed, stored): (Vec<_>, Vec<_>) =
        stored.into_iter().partition(|(_, schema, definer)| is_installed(schema, definer));
    let mut functions: Vec<String> = stored.into_iter().map(|(name, ..)| name).collect();
    let harmless = installed.into_iter().map(|(name, ..)| name).collect();
    match conn.query::<String, _>("SELECT name FROM mysql.func") {
        Ok(loadable) => functions.extend(loadable),
        // Accounts without rights on `mysql` can't list them.
        Err(mysql::Error::MySqlError(_)) => {}
        Err(error) => return Err(error),
    }
    Ok(UserCode { functions, harmless, views: read_views(conn)? })
}

/// Reads the stored functions that run with the rights of this account, and the views. Functions
/// with `SQL SECURITY DEFINER` of another definer count as harmless. Opens no view.
pub fn read_code_with_own_rights(conn: &mut Conn) -> mysql::Result<UserCode> {
    let query = "SELECT ROUTINE_NAME, SECURITY_TYPE, DEFINER, CURRENT_USER() FROM information_schema.ROUTINES \
                 WHERE ROUTINE_TYPE <> 'PROCEDURE'";
    let functions: Vec<(String, String, String, String)> = conn.query(query)?;
    let (own, harmless): (Vec<_>, Vec<_>) =
        functions.into_iter().partition(|(_, security, definer, account)| security != "DEFINER" || definer == account);
    let functions = own.into_iter().map(|(name, ..)| name).collect();
    let harmless = harmless.into_iter().map(|(name, ..)| name).collect();
    Ok(UserCode { functions, harmless, views: read_views(conn)? })
}

/// Reads the texts of all views, except those of the schema `sys` as servers install it. Opens no
/// view.
pub(super) fn read_views(conn: &mut Conn) -> mysql::Result<Vec<ViewText>> {
    type View = (String, String, Option<String>, Option<String>, String);
    let query = "SELECT TABLE_SCHEMA, TABLE_NAME, VIEW_DEFINITION, CHARACTER_SET_CLIENT, DEFINER \
                 FROM information_schema.VIEWS";
    let mut views: Vec<View> = conn.query(query)?;
    views.retain(|(schema, .., definer)| !is_installed(schema, definer));
    let view = |(schema, name, text, client, _): View| ViewText {
        schema,
        name,
        text: text.filter(|text| !text.is_empty()),
        client: client.unwrap_or_default(),
    };
    Ok(views.into_iter().map(view).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_accounts_of_servers_own_installed_code() {
        assert!(is_installed("sys", "mysql.sys@localhost") && is_installed("sys", "mariadb.sys@localhost"));
        for (schema, definer) in [("sys", "Mysql.SYS@localhost"), ("evil", "mysql.sys@localhost"), ("SYS", "root@%")] {
            assert!(!is_installed(schema, definer), "{schema} {definer}");
        }
    }
}
