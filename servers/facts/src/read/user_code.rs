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
    let views =
        format!("SELECT TABLE_NAME, VIEW_DEFINITION FROM information_schema.VIEWS WHERE DEFINER NOT IN {SYS_ACCOUNTS}");
    let views: Vec<(String, Option<String>)> = conn.query(views)?;
    let text = |(name, text): (String, Option<String>)| ViewText { name, text: text.filter(|text| !text.is_empty()) };
    Ok(UserCode { functions, views: views.into_iter().map(text).collect() })
}
