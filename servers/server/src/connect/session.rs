//! Settings that every control connection depends on. A server's defaults, or its `init_connect`,
//! could make results incomplete without an error.

use mysql::prelude::Queryable;

use super::connection::Conn;
use crate::error_code::UNKNOWN_SYSTEM_VARIABLE;

/// `sql_select_limit` and `max_join_size` cut or refuse results; `sql_big_selects` follows the
/// latter, so it is set after it. `sql_auto_is_null` changes `IS NULL`, `sql_safe_updates` refuses
/// statements without a key, and without `autocommit` a session keeps its first snapshot. Parts of
/// errors, such as `near '…'`, are found by their English words. Texts are UTF-8: with
/// `character_set_client_handshake = OFF` a server would read them in its own character set, and in
/// gbk the last byte of a character can be a backslash.
const SETTINGS: [&str; 9] = [
    "character_set_client = utf8mb4",
    "character_set_results = utf8mb4",
    "sql_select_limit = 18446744073709551615",
    "max_join_size = 18446744073709551615",
    "sql_big_selects = 1",
    "sql_safe_updates = 0",
    "sql_auto_is_null = 0",
    "autocommit = 1",
    "lc_messages = 'en_US'",
];

/// Sets [`SETTINGS`], without the ones that the server does not know.
pub(super) fn prepare(conn: &mut Conn) -> mysql::Result<()> {
    let all = SETTINGS.map(|setting| format!("SESSION {setting}")).join(", ");
    match conn.query_drop(format!("SET {all}")) {
        Err(mysql::Error::MySqlError(error)) if error.code == UNKNOWN_SYSTEM_VARIABLE => {
            SETTINGS.iter().try_for_each(|setting| set_if_known(conn, setting))
        }
        set => set,
    }
}

fn set_if_known(conn: &mut Conn, setting: &str) -> mysql::Result<()> {
    match conn.query_drop(format!("SET SESSION {setting}")) {
        Err(mysql::Error::MySqlError(error)) if error.code == UNKNOWN_SYSTEM_VARIABLE => Ok(()),
        set => set,
    }
}
