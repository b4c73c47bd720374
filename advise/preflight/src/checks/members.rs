//! Members of ENUM and SET that become equal or can't be converted.

use std::collections::BTreeMap;

use mysql_collation::Charset;

use super::{Check, CheckFunction};
use crate::finding::{Finding, column_finding};
use crate::job::{Job, TargetCollation, has_members};
use crate::model::{CollisionGroup, Example};
use crate::text;
use check::{Reading, Severity};
use sql::ddl;

pub static CHECK: Check = Check {
    name: "members",
    title: "members of ENUM and SET that become equal, or that the new character set lacks",
    reads: &[Reading::Schemas],
    doc: "The members of ENUM('a','A') are one member under a case-insensitive collation: the statement ends with error 1291 \
              (duplicated value), in strict mode. A member that the character set lacks becomes a question mark, and rows that have it show it, also in \
              strict mode (MySQL bug 26731).",
    run: CheckFunction::Facts(run),
};

fn run(job: &Job<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for table in &job.tables {
        for conversion in table.conversions.iter().filter(|conversion| has_members(conversion.column)) {
            let members = ddl::parse_members(&conversion.column.column_type);
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
