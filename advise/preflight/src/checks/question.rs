//! Questions that the server answers about rows: weigh evaluates no SQL expressions.

use crate::finding::Finding;

/// A query about the rows of one table, and what its answer means.
pub struct Question {
    /// Finding if the query counts anything. `conclude` fills in the count, also at the beginning
    /// of `what`.
    pub finding: Finding,
    /// Noun for what is counted, in the singular: `row`.
    pub noun: &'static str,
    /// Object that stays unchecked without an answer: `CHECK constraint c of shop.orders`.
    pub subject: String,
    /// Query whose result is a single number.
    pub query: String,
    /// Default of a column that the query evaluates by `DEFAULT(column)`.
    pub default: Option<String>,
    /// Time zone of the session in which the query runs. `None`: any.
    pub time_zone: Option<String>,
    /// Why the answer would be wrong, so that the query is not run.
    pub unanswerable: Option<String>,
}

/// Answer of a source of rows.
pub enum Answer {
    Count(u64),
    /// There is no answer, with the reason.
    Unknown(String),
}

impl Question {
    /// Returns the finding, or the line about what was not checked. Returns neither if the count is
    /// 0.
    pub fn conclude(self, answer: Answer) -> (Option<Finding>, Option<String>) {
        match answer {
            Answer::Count(0) => (None, None),
            Answer::Count(count) => {
                let mut finding = self.finding;
                finding.details.count = count;
                finding.what = format!("{} {}", message::count_noun(count, self.noun), finding.what);
                (Some(finding), None)
            }
            Answer::Unknown(why) => (None, Some(format!("{}: {why}. To check it: {}", self.subject, self.query))),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::checks::check_constraint::CHECK;
    use crate::finding::ConversionDetails;

    /// Returns a question with a query.
    pub fn question(query: &str) -> Question {
        Question {
            finding: Finding {
                check: CHECK.name.into(),
                severity: check::Severity::Error,
                object: check::Object::new(check::ObjectKind::Table, "s.t"),
                what: String::new(),
                why: String::new(),
                action: String::new(),
                details: ConversionDetails::default(),
            },
            noun: "row",
            subject: String::new(),
            query: query.to_owned(),
            default: None,
            time_zone: None,
            unanswerable: None,
        }
    }
}
