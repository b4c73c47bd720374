//! Functions that can't be created on a server with a binary log.

use check::{Object, ObjectKind, Severity};
use rehearsal::Kind;

use super::BINARY_LOG;
use crate::finding::{ConversionDetails, Finding};
use crate::job::Job;
use crate::plan::keeps_old_collation;

/// A server with a binary log demands one of these characteristics of a function (MySQL manual,
/// "Stored Program Binary Logging").
const SAFE: [&str; 3] = ["DETERMINISTIC", "NO SQL", "READS SQL DATA"];

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

/// True if the function's characteristics, between parameters and body, satisfy the binary log.
fn is_safe(create: &str) -> bool {
    let upper = create.to_uppercase();
    let head = upper.split_once("RETURNS").map_or("", |(_, rest)| rest);
    let end = ["\nBEGIN", " BEGIN", "\nRETURN", " RETURN "].iter().filter_map(|word| head.find(word)).min();
    let head = &head[..end.unwrap_or(head.len())];
    SAFE.iter().any(|characteristic| head.contains(characteristic)) && !head.contains("NOT DETERMINISTIC")
        || ["NO SQL", "READS SQL DATA"].iter().any(|characteristic| head.contains(characteristic))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_characteristics_before_the_body() {
        assert!(is_safe("CREATE FUNCTION `f`() RETURNS int\n    DETERMINISTIC\nRETURN 1"));
        assert!(is_safe("CREATE FUNCTION `f`() RETURNS int\n    READS SQL DATA\nBEGIN RETURN 1; END"));
        assert!(!is_safe("CREATE FUNCTION `f`() RETURNS int\nBEGIN /* DETERMINISTIC */ RETURN 1; END"));
    }
}
