//! Asks the server questions about rows.

use mysql::prelude::Queryable;

use super::session::TIME_LIMIT_SECONDS;
use super::{ServerRows, is_disconnect, is_time_limit};
use crate::Error;
use crate::checks::{Answer, Question};

impl ServerRows<'_> {
    /// Runs a question's query within the time limit of a statement.
    pub(super) fn ask(&mut self, question: &Question) -> Result<Answer, Error> {
        let count = match &question.time_zone {
            Some(zone) => self.count_in_zone(zone, &question.query),
            None => self.conn.query_first(&question.query),
        };
        Ok(match count {
            Ok(count) => Answer::Count(count.unwrap_or(0)),
            Err(error) if is_time_limit(&error) => {
                Answer::Unknown(format!("the server takes more than {TIME_LIMIT_SECONDS} s for it"))
            }
            Err(mysql::Error::MySqlError(refusal)) if !is_disconnect(refusal.code) => {
                Answer::Unknown(format!("the server refuses it with error {}: {}", refusal.code, refusal.message))
            }
            Err(error) => {
                self.reconnect(&error)?;
                Answer::Unknown(format!("the connection was lost: {error}"))
            }
        })
    }

    fn count_in_zone(&mut self, zone: &str, query: &str) -> Result<Option<u64>, mysql::Error> {
        let own: Option<String> = self.conn.query_first("SELECT @@SESSION.time_zone")?;
        self.conn.query_drop(format!("SET SESSION time_zone = {}", sql::quote_string(zone)))?;
        let count = self.conn.query_first(query);
        let own = sql::quote_string(own.as_deref().unwrap_or("SYSTEM"));
        self.conn.query_drop(format!("SET SESSION time_zone = {own}"))?;
        count
    }
}
