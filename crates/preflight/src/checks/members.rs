//! Members of ENUM and SET.

use std::collections::BTreeMap;

use mysql_collation::Charset;

use super::{Check, Run, finding};
use crate::job::{Job, has_members};
use crate::model::{Example, Finding, Group, Severity};
use crate::text;
use ::sql::ddl;

pub const CHECK: Check = Check {
    name: "members",
    summary: "members of ENUM and SET that become equal, or that the new character set lacks",
    explain: "The members of ENUM('a','A') are one member under a case-insensitive collation: the statement ends with error 1291 \
              (duplicated value), in strict mode. A member that the character set lacks becomes a question mark or an empty string (MySQL \
              bug 26731).",
    run: Run::Facts(run),
};

fn run(job: &Job<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for table in &job.tables {
        for conversion in table.conversions.iter().filter(|conversion| has_members(conversion.column)) {
            let members = ddl::members(&conversion.column.column_type);
            for to in &conversion.to {
                let (mut lacking, mut classes): (Vec<Example>, BTreeMap<Vec<u8>, Vec<String>>) = Default::default();
                for member in &members {
                    let Some(charset) = to.charset() else { continue };
                    match text::convert(member.as_bytes(), Charset::Utf8mb4, charset) {
                        Err(what) => lacking.push(Example {
                            key: Vec::new(),
                            values: vec![member.clone()],
                            note: Some(what.to_string()),
                        }),
                        Ok(bytes) => {
                            let Some(collation) = to.collation else { continue };
                            classes.entry(collation.sort_key(&bytes)).or_default().push(member.clone());
                        }
                    }
                }
                let object = format!("{}.{}", table.name(), conversion.column.name);
                if !lacking.is_empty() {
                    let mut one = finding(&CHECK, Severity::Error, table, &to.name);
                    one.object = object.clone();
                    one.count = lacking.len() as u64;
                    one.what = format!("{} members can't be held in {}", lacking.len(), to.charset);
                    one.why = "they would become question marks, and rows that have them an empty value".into();
                    one.todo = "rename these members first, or convert to utf8mb4".into();
                    one.examples = lacking;
                    found.push(one);
                }
                let groups: Vec<Group> =
                    classes.into_values().filter(|class| class.len() > 1).map(|class| group(to, class)).collect();
                if !groups.is_empty() {
                    let mut one = finding(&CHECK, Severity::Error, table, &to.name);
                    one.object = object;
                    one.count = groups.len() as u64;
                    one.what = format!("{} groups of members become equal", groups.len());
                    one.why = "ALTER TABLE ends with error 1291 (duplicated value) in strict mode".into();
                    one.todo = "merge the members first, or keep a collation that tells them apart".into();
                    one.groups = groups;
                    found.push(one);
                }
            }
        }
    }
    found
}

fn group(to: &crate::job::Target, class: Vec<String>) -> Group {
    let why = match (to.collation, to.charset()) {
        (Some(collation), Some(charset)) => {
            let bytes = |at: usize| {
                text::convert(class[at].as_bytes(), Charset::Utf8mb4, charset)
                    .map(|bytes| bytes.into_owned())
                    .unwrap_or_default()
            };
            explain::differences(collation, &bytes(0), &bytes(1))
        }
        _ => Vec::new(),
    };
    let rows =
        class.iter().map(|member| Example { key: Vec::new(), values: vec![member.clone()], note: None }).collect();
    Group { count: class.len() as u64, rows, why, kept_apart_by: Vec::new() }
}
