//! Reading the names of functions and views of all schemas.

use mysql::prelude::Queryable;
use server::Conn;

use crate::{UserCode, ViewText};

/// Accounts that own the functions and views of the schema `sys`.
const SYS_ACCOUNTS: &str = "('mysql.sys@localhost', 'mariadb.sys@localhost')";

/// Reads the functions that the account sees, and if there are any, the views. Leaves out those of
/// the schema `sys` as servers install it.
///
/// An account doesn't see functions that it may not execute.
pub fn read_user_code(conn: &mut Conn) -> mysql::Result<UserCode> {
    let stored = format!(
        "SELECT DISTINCT ROUTINE_NAME FROM information_schema.ROUTINES \
         WHERE ROUTINE_TYPE <> 'PROCEDURE' AND DEFINER NOT IN {SYS_ACCOUNTS}"
    );
    let mut functions: Vec<String> = conn.query(stored)?;
    match conn.query::<String, _>("SELECT name FROM mysql.func") {
        Ok(loadable) => functions.extend(loadable),
        // Accounts without rights on `mysql` can't list them.
        Err(mysql::Error::MySqlError(_)) => {}
        Err(error) => return Err(error),
    }
    if functions.is_empty() {
        return Ok(UserCode::default());
    }
    Ok(UserCode { functions, views: read_views(conn)? })
}

/// Reads the stored functions that run with the rights of this account, and all views. Leaves out
/// functions with `SQL SECURITY DEFINER` of another definer. Opens no view.
pub fn read_code_with_own_rights(conn: &mut Conn) -> mysql::Result<UserCode> {
    let query = "SELECT ROUTINE_NAME, SECURITY_TYPE, DEFINER, CURRENT_USER() FROM information_schema.ROUTINES \
                 WHERE ROUTINE_TYPE <> 'PROCEDURE'";
    let mut functions: Vec<(String, String, String, String)> = conn.query(query)?;
    functions.retain(|(_, security, definer, account)| security != "DEFINER" || definer == account);
    Ok(UserCode { functions: functions.into_iter().map(|(name, ..)| name).collect(), views: read_views(conn)? })
}

/// Reads the texts of all views, except those of the schema `sys` as servers install it. Opens no
/// view.
pub(super) fn read_views(conn: &mut Conn) -> mysql::Result<Vec<ViewText>> {
    let views = format!(
        "SELECT TABLE_SCHEMA, TABLE_NAME, VIEW_DEFINITION FROM information_schema.VIEWS \
         WHERE DEFINER NOT IN {SYS_ACCOUNTS}"
    );
    let views: Vec<(String, String, Option<String>)> = conn.query(views)?;
    let view = |(schema, name, text): (String, String, Option<String>)| ViewText {
        schema,
        name,
        text: text.filter(|text| !text.is_empty()),
    };
    Ok(views.into_iter().map(view).collect())
}
