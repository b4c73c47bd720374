//! Members of ENUM and SET that become equal or can't be converted.

use std::collections::BTreeMap;

use mysql_collation::Charset;
use rules::encoding::{EncodingVerdict, classify, repair};

use super::{Check, CheckFunction};
use crate::finding::{Finding, column_finding};
use crate::job::{Conversion, Job, TableJob, TargetCollation, has_members};
use crate::model::{CollisionGroup, Example};
use crate::text;
use check::{Reading, Severity};
use sql::ddl;

pub static CHECK: Check = Check {
    name: "members",
    title: "members of ENUM and SET that become equal, that the new character set lacks, or that are double-encoded",
    reads: &[Reading::Schemas],
    doc: "The members of ENUM('a','A') are one member under a case-insensitive collation: the statement ends with error 1291 \
              (duplicated value), in strict mode. A member that the character set lacks becomes a question mark, and rows that have it show it, also in \
              strict mode (MySQL bug 26731). Members that are UTF-8 read as latin1 (Ã¼ for ü) stay so, and are warnings.",
    run: CheckFunction::Facts(run),
};

fn run(job: &Job<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for table in &job.tables {
        for conversion in table.conversions.iter().filter(|conversion| has_members(conversion.column)) {
            let members = ddl::parse_members(&conversion.column.column_type);
            findings.extend(check_encoding(table, conversion, &members));
            for target in &conversion.targets {
                let (mut unsupported, mut classes): (Vec<Example>, BTreeMap<Vec<u8>, Vec<String>>) = Default::default();
                for member in &members {
                    let Some(charset) = target.charset() else { continue };
                    match text::convert(member.as_bytes(), Charset::Utf8mb4, charset) {
                        Err(error) => unsupported.push(Example {
                            key: Vec::new(),
                            values: vec![member.clone()],
                            note: Some(error.to_string()),
                        }),
                        Ok(bytes) => {
                            let Some(collation) = target.collation else { continue };
                            classes.entry(collation.sort_key(&bytes)).or_default().push(member.clone());
                        }
                    }
                }
                if !unsupported.is_empty() {
                    let mut finding =
                        column_finding(&CHECK, Severity::Error, table, &conversion.column.name, &target.name);
                    finding.details.count = unsupported.len() as u64;
                    finding.what = format!(
                        "{} can't be held in {}",
                        message::count_noun(unsupported.len() as u64, "member"),
                        target.charset
                    );
                    finding.why = "they would become question marks, also in rows that have them, and without an error in strict mode".into();
                    finding.action = "rename these members first, or convert to utf8mb4".into();
                    finding.details.examples = unsupported;
                    findings.push(finding);
                }
                let groups: Vec<CollisionGroup> = classes
                    .into_values()
                    .filter(|class| class.len() > 1)
                    .map(|class| member_group(target, class))
                    .collect();
                if !groups.is_empty() {
                    let mut finding =
                        column_finding(&CHECK, Severity::Error, table, &conversion.column.name, &target.name);
                    finding.details.count = groups.len() as u64;
                    finding.what = match groups.len() {
                        1 => "members become equal".to_owned(),
                        count => format!("{count} groups of members become equal"),
                    };
                    finding.why = "ALTER TABLE ends with error 1291 (duplicated value) in strict mode".into();
                    finding.action = "merge the members first, or keep a collation that tells them apart".into();
                    finding.details.groups = groups;
                    findings.push(finding);
                }
            }
        }
    }
    findings
}

/// Returns a finding of members that are UTF-8 read as latin1. The plan keeps them.
fn check_encoding(table: &TableJob<'_>, conversion: &Conversion<'_>, members: &[String]) -> Option<Finding> {
    let is_double = |member: &&String| matches!(classify(member), EncodingVerdict::Double(_));
    let example = |member: &String| Example {
        key: Vec::new(),
        values: vec![member.clone()],
        note: Some(format!("double-encoded: {}", repair(member))),
    };
    let examples: Vec<Example> = members.iter().filter(is_double).map(example).collect();
    let target = &conversion.planned_target().name;
    let mut finding = column_finding(&CHECK, Severity::Warning, table, &conversion.column.name, target);
    finding.details.count = examples.len() as u64;
    finding.what = match examples.len() {
        0 => return None,
        1 => "a member is double-encoded text".into(),
        count => format!("{count} members are double-encoded text"),
    };
    finding.why = "a conversion keeps the characters that are stored, wrong ones too".into();
    finding.action =
        "after the plan, add the repaired members at the end, UPDATE the rows to them, then take the old ones \
                      out: a MODIFY keeps the text of each row, and not the number of its member"
            .into();
    finding.details.examples = examples;
    Some(finding)
}

fn member_group(target: &TargetCollation, class: Vec<String>) -> CollisionGroup {
    let why = match (target.collation, target.charset()) {
        (Some(collation), Some(charset)) => {
            let bytes = |at: usize| {
                text::convert(class[at].as_bytes(), Charset::Utf8mb4, charset)
                    .map(|bytes| bytes.into_owned())
                    .unwrap_or_default()
            };
            explain::explain_equality(collation, &bytes(0), &bytes(1))
        }
        _ => Vec::new(),
    };
    let rows =
        class.iter().map(|member| Example { key: Vec::new(), values: vec![member.clone()], note: None }).collect();
    CollisionGroup { count: class.len() as u64, rows, why, distinguished_by: Vec::new() }
}
