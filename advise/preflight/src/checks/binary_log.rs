//! Functions that can't be created on a server with a binary log.

use check::{Object, ObjectKind, Severity};
use rehearsal::Kind;
use sql::{SqlMode, TokenKind};

use super::BINARY_LOG;
use crate::finding::{ConversionDetails, Finding};
use crate::job::Job;
use crate::plan::keeps_old_collation;

pub fn run(job: &Job<'_>) -> Vec<Finding> {
    let server = &job.facts.server;
    if !server.is_on("log_bin") || server.is_on("log_bin_trust_function_creators") {
        return Vec::new();
    }
    let is_refused = |object: &&rehearsal::Object| {
        keeps_old_collation(object, &job.targets[0]).is_some() && !is_safe(&object.create)
    };
    job.definitions
        .of_kind(Kind::Function)
        .filter(is_refused)
        .map(|object| Finding {
            check: BINARY_LOG.name.into(),
            severity: Severity::Error,
            object: Object::new(ObjectKind::Routine, check::table_name(&object.name.schema, &object.name.name)),
            what: "the server refuses to create this function again".into(),
            why: "the binary log is on, log_bin_trust_function_creators is off, and the function says neither DETERMINISTIC nor NO SQL \
                  nor READS SQL DATA: error 1418"
                .into(),
            action: "SET GLOBAL log_bin_trust_function_creators = 1 while the plan runs, or declare what the function does".into(),
            details: ConversionDetails {
                schema: object.name.schema.clone(),
                target: job.targets[0].clone(),
                count: 1,
                ..ConversionDetails::default()
            },
        })
        .collect()
}

/// True if the function's characteristics, between the type that it returns and its body, satisfy
/// a server with a binary log (MySQL manual, "Stored Program Binary Logging"). Words in its COMMENT
/// don't count.
fn is_safe(create: &str) -> bool {
    let tokens = sql::tokenize(create, SqlMode::default());
    let words: Vec<String> = tokens
        .skip_while(|token| !token.is_any_keyword(&["returns", "return"]))
        .skip(1)
        .take_while(|token| !token.is_any_keyword(&["begin", "return", "if", "case"]))
        .filter(|token| token.kind == TokenKind::Word)
        .map(|token| token.text.to_uppercase())
        .collect();
    let says = |characteristic: &str| {
        let wanted: Vec<&str> = characteristic.split(' ').collect();
        words.windows(wanted.len()).any(|found| found.iter().eq(&wanted))
    };
    says("NO SQL") || says("READS SQL DATA") || (says("DETERMINISTIC") && !says("NOT DETERMINISTIC"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_characteristics_before_the_body() {
        assert!(is_safe("CREATE FUNCTION `f`() RETURNS int\n    DETERMINISTIC\nRETURN 1"));
        assert!(is_safe("CREATE FUNCTION `f`() RETURNS int\n    READS SQL DATA\nBEGIN RETURN 1; END"));
        assert!(!is_safe("CREATE FUNCTION `f`() RETURNS int\nBEGIN /* DETERMINISTIC */ RETURN 1; END"));
        assert!(!is_safe("CREATE FUNCTION `f`() RETURNS int\n    COMMENT 'reads sql data, really'\nRETURN 1"));
        assert!(!is_safe("CREATE FUNCTION `f`() RETURNS int\n    NOT DETERMINISTIC\nRETURN 1"));
        assert!(!is_safe("CREATE FUNCTION `deterministic`() RETURNS int RETURN 1"));
    }
}
