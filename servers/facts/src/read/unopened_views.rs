//! Views that run code of a server's users as they are opened.
//!
//! MariaDB evaluates constant arguments while it opens or creates a view: `SUBSTR('a', f())` runs
//! `f`. A function with `SQL SECURITY INVOKER` then has the rights of the account that opens the
//! view. Any function can set session variables of its connection, such as `sql_select_limit = 0`,
//! which the following queries keep (MariaDB 10.11 and 11.8). MySQL 5.6 to 9.7 evaluate none.
//!
//! Seen on MariaDB 10.1, 10.11, 11.4 and 11.8:
//!
//! | opens views | opens none |
//! | --- | --- |
//! | `COLUMNS` of a schema | `COLUMNS` and `TABLES` of one table, both names being literals |
//! | `TABLES` with `ROW_FORMAT`, `TABLE_ROWS`, `CREATE_OPTIONS` | `TABLES` with name, type, engine, collation |
//! | `VIEWS` with `IS_UPDATABLE` | `VIEWS` with other columns |
//! | `SHOW CREATE VIEW`, `SHOW FIELDS`, `SHOW TABLE STATUS` | `SHOW FULL TABLES`, `SHOW CREATE TABLE` of a table |
//! | `CREATE VIEW`, `PREPARE` of a query | other tables of `information_schema` |

use std::collections::BTreeMap;

use mysql::prelude::Queryable;
use server::{Conn, Flavour, Server};

use super::user_code::{is_installed, read_views};
use crate::{RunnableNames, UserCode, ViewText};

/// Views of a running MariaDB server that name a stored function, call a function that may do more
/// than compute, such as `LOAD_FILE`, or name a view that does. If there are stored functions, also
/// views whose text is hidden. Functions whose definer is the account itself don't count.
#[derive(Clone, Debug, Default)]
pub struct UnopenedViews(BTreeMap<(String, String), Option<String>>);

impl UnopenedViews {
    /// Reads the views, and opens none. Returns none for MySQL, and for a server that `weigh`
    /// started.
    ///
    /// In a running MariaDB server, begins a read-only transaction, which no function can end: a
    /// view that its owner replaces between this look and its opening cannot write to a table.
    pub fn read(server: &Server, conn: &mut Conn) -> mysql::Result<Self> {
        if server.flavour() != Flavour::MariaDb || server.is_private() {
            return Ok(Self::default());
        }
        conn.query_drop("START TRANSACTION READ ONLY")?;
        let (functions, harmless) = read_functions(conn)?;
        Ok(Self::find(UserCode { functions, harmless, views: read_views(conn)? }))
    }

    fn find(code: UserCode) -> Self {
        let names = RunnableNames::new(&code);
        let has_stored_functions = !code.functions.is_empty();
        let named = |view: ViewText| {
            let named = match &view.text {
                Some(text) => {
                    Some(view.unknown_function(&code.harmless).or_else(|| names.find_in(text).map(str::to_owned))?)
                }
                None if has_stored_functions => None,
                None => return None,
            };
            Some(((view.schema, view.name), named))
        };
        Self(code.views.iter().cloned().filter_map(named).collect())
    }

    /// True if a query about all columns of a schema would open a view that must not be opened.
    pub fn closes_any(&self, schema: &str) -> bool {
        self.0.keys().any(|(own, _)| own == schema)
    }

    /// Returns the reason why a view must not be opened: the server could run a function in this
    /// account's session. `None` if the view may be opened.
    pub fn refuse_to_open(&self, schema: &str, view: &str) -> Option<String> {
        let names = match self.0.get(&(schema.to_owned(), view.to_owned()))? {
            Some(name) => {
                format!("names {name}, a function that may do more than compute, or a view that names one")
            }
            None => "may name a function of another account, as its text is hidden".to_owned(),
        };
        Some(format!("it {names}, which MariaDB could run in this account's session"))
    }
}

/// Name, schema, definer, and the account of the session.
type Function = (String, String, String, String);

/// Reads the names of functions and packages: those of other definers than this account, and those
/// of this account and of servers.
fn read_functions(conn: &mut Conn) -> mysql::Result<(Vec<String>, Vec<String>)> {
    let query = "SELECT ROUTINE_NAME, ROUTINE_SCHEMA, DEFINER, CURRENT_USER() FROM information_schema.ROUTINES \
                 WHERE ROUTINE_TYPE <> 'PROCEDURE'";
    let functions: Vec<Function> = conn.query(query)?;
    // In SQL, `Root@localhost` would equal `root@localhost`, which is another account.
    let is_foreign = |(_, schema, definer, account): &Function| definer != account && !is_installed(schema, definer);
    let (foreign, own): (Vec<_>, Vec<_>) = functions.into_iter().partition(is_foreign);
    let names = |functions: Vec<Function>| functions.into_iter().map(|(name, ..)| name).collect();
    Ok((names(foreign), names(own)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_are_closed_by_functions_views_and_hidden_texts() {
        let view = |name: &str, text: Option<&str>| ViewText {
            schema: "evil".into(),
            name: name.into(),
            text: text.map(str::to_owned),
            client: "utf8mb4".into(),
        };
        let views = vec![
            view("direct", Some("select substr('abc',`evil`.`f`())")),
            view("indirect", Some("select `evil`.`direct`.`a` from `evil`.`direct`")),
            view("hidden", None),
            view("plain", Some("select `evil`.`t`.`a` from `evil`.`t`")),
            view("file", Some("select substr('a',get_lock(load_file('/x'),0)) AS `x`")),
        ];
        let found = UnopenedViews::find(UserCode { functions: vec!["f".into()], harmless: Vec::new(), views });
        for (name, reason) in
            [("direct", "names f"), ("indirect", "names direct"), ("hidden", "hidden"), ("file", "names get_lock")]
        {
            let refusal = found.refuse_to_open("evil", name);
            assert!(refusal.is_some_and(|refusal| refusal.contains(reason)), "{name}");
        }
        assert_eq!(found.refuse_to_open("evil", "plain"), None);
        assert!(found.closes_any("evil") && !found.closes_any("shop"));
    }
}
