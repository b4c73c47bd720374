//! Reading live sessions and their character sets.

use std::collections::BTreeMap;

use server::{Error, Flavour, Version};

use super::Reader;
use crate::{ServerFacts, Session};

/// Name of the sessions' character sets in [`crate::Unseen`].
const FACTS_NAME: &str = "the character sets that live sessions use";
/// First MySQL version with `performance_schema.variables_by_thread`. The version is compared,
/// because `information_schema` hides the table from accounts without privileges.
const MIN_VERSION: Version = Version::new(5, 7, 0);

impl Reader<'_> {
    pub(super) fn read_sessions(&mut self, server: &ServerFacts) -> Result<Vec<Session>, Error> {
        let cause = match self.dictionary.flavour {
            Flavour::MariaDb => Some("MariaDB shows a session's variables only to that session"),
            Flavour::MySql if self.dictionary.version < MIN_VERSION => {
                Some("performance_schema.variables_by_thread exists in MySQL 5.7 and later")
            }
            Flavour::MySql => None,
        };
        if let Some(why) = cause {
            self.add_unseen(FACTS_NAME, why, None);
            return Ok(Vec::new());
        }
        if !server.is_on("performance_schema") {
            let remedy = "set performance_schema = ON in the server's option file and restart it".to_owned();
            self.add_unseen(FACTS_NAME, "performance_schema is off", Some(remedy));
            return Ok(Vec::new());
        }
        self.read_visible_sessions()
    }

    fn read_visible_sessions(&mut self) -> Result<Vec<Session>, Error> {
        let query = "SELECT t.PROCESSLIST_ID, t.PROCESSLIST_USER, t.PROCESSLIST_HOST, t.PROCESSLIST_DB, \
                     v.VARIABLE_NAME, v.VARIABLE_VALUE FROM performance_schema.threads t \
                     JOIN performance_schema.variables_by_thread v ON v.THREAD_ID = t.THREAD_ID \
                     WHERE t.PROCESSLIST_ID IS NOT NULL AND t.TYPE = 'FOREGROUND' AND t.PROCESSLIST_USER IS NOT NULL \
                     AND t.PROCESSLIST_USER NOT IN ('system user', 'event_scheduler') \
                     AND t.PROCESSLIST_ID <> CONNECTION_ID() AND v.VARIABLE_NAME IN ('character_set_client', \
                     'character_set_connection', 'character_set_results', 'collation_connection')";
        let rows = match self.try_query(query, &[]) {
            Ok(rows) => rows,
            Err(mysql::Error::MySqlError(error)) => {
                let statement = format!("GRANT SELECT ON performance_schema.* TO {}", self.grants.account);
                self.add_unseen(FACTS_NAME, format!("{} (error {})", error.message, error.code), Some(statement));
                return Ok(Vec::new());
            }
            Err(source) => {
                return Err(Error::Statement { label: self.label.clone(), what: "list its sessions", source });
            }
        };
        let programs = self.read_client_programs();
        let mut sessions: BTreeMap<u64, Session> = BTreeMap::new();
        for row in rows {
            let id = row.number(0).unwrap_or(0);
            let session = sessions.entry(id).or_insert_with(|| Session {
                id,
                user: row.text(1),
                host: row.text(2),
                schema: row.optional_text(3),
                program: programs.get(&id).cloned(),
                client: None,
                connection: None,
                collation: None,
                results: None,
            });
            let value = row.optional_text(5);
            match row.text(4).as_str() {
                "character_set_client" => session.client = value,
                "character_set_connection" => session.connection = value,
                "character_set_results" => session.results = value,
                _ => session.collation = value,
            }
        }
        Ok(sessions.into_values().collect())
    }

    /// Reads the names of client programs by connection id. Empty if the account may not see them:
    /// the names are informative only.
    fn read_client_programs(&mut self) -> BTreeMap<u64, String> {
        let query = "SELECT PROCESSLIST_ID, ATTR_NAME, ATTR_VALUE FROM performance_schema.session_connect_attrs \
                     WHERE ATTR_NAME IN ('program_name', '_client_name')";
        let mut programs = BTreeMap::new();
        for row in self.try_query(query, &[]).unwrap_or_default() {
            let (id, is_program) = (row.number(0).unwrap_or(0), row.text(1) == "program_name");
            if is_program || !programs.contains_key(&id) {
                programs.insert(id, row.text(2));
            }
        }
        programs
    }
}
