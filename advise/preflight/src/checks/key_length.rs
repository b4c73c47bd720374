//! Indexes that exceed the limit of key lengths.

use facts::{ForeignKey, Index, IndexPart, RowFormat};
use rules::keys::{KeyLimits, TooLong, judge_length, lacking_settings};

use super::{Check, CheckFunction};
use crate::finding::{Finding, index_finding};
use crate::job::{Job, TableJob};
use crate::limits::{dynamic_format_helps, key_limits, part_bytes, shortened_prefixes};
use check::{Reading, Severity};

pub static CHECK: Check = Check {
    name: "key-length",
    title: "indexes that no longer fit their limit: 767, 1000, 2300 or 3072 bytes",
    reads: &[Reading::Settings, Reading::Schemas],
    doc: "Keys are limited in bytes, and a character of utf8mb4 counts as four: VARCHAR(255) takes 1020. InnoDB takes 3072 bytes a part \
              in the row formats DYNAMIC and COMPRESSED, 767 in the others (and on MySQL 5.6, 5.7 and MariaDB before 10.3 unless \
              innodb_large_prefix is on), and 3072 in all; less with pages below 16 KiB. MyISAM takes 1000 in all, Aria 2300 (2000 in MariaDB \
              10.5, 1000 before). ALTER TABLE ends with error 1071, 1709 or 3886, shortens an index that is not unique (MySQL in non-strict mode, \
              MariaDB from 10.5 on in any mode), or makes a unique index a hash index (InnoDB and MyISAM of MariaDB from 10.4 on). The plan changes the row \
              format where that is enough, and shortens the key where it isn't. A unique key is judged at its new length; from then on, it \
              refuses values that differ only behind it.",
    run: CheckFunction::Facts(run),
};

fn run(job: &Job<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for table in &job.tables {
        for index in table.table.indexes.iter().filter(|index| table.converts_part_of(index)) {
            for (target, name) in job.targets.iter().enumerate() {
                let KeyLimits { max_part_bytes: per_part, max_key_bytes: in_all, .. } =
                    key_limits(job.facts, table.table);
                let bytes = part_bytes(job.facts, table, index, target);
                let outcome = judge_length(&job.facts.server, table.table, index, &bytes);
                let Some(outcome) = outcome else { continue };
                let longest = bytes.iter().copied().max().unwrap_or(0);
                let sum = bytes.iter().sum::<u64>();
                let (bytes_after, limit) = if longest > per_part { (longest, per_part) } else { (sum, in_all) };
                let prefixes = shortened_prefixes(job.facts, table, index, target);
                let becomes_hash = outcome == TooLong::Hash;
                let is_changed = becomes_hash || prefixes.is_some();
                let foreign_key = find_foreign_key(job, table, index).filter(|_| is_changed);
                let severity = if foreign_key.is_some() { Severity::Error } else { Severity::Warning };
                // The plan shortens it, and that changes what the key guarantees.
                let loses_values = index.unique && prefixes.is_some() && foreign_key.is_none();
                let mut finding = index_finding(&CHECK, severity, table, &index.name, name);
                finding.details.count = bytes_after;
                finding.what = format!("it would take {bytes_after} bytes, and the limit is {limit}");
                finding.why = format!("ALTER TABLE {}", outcome.describe());
                let dynamic_format_helps = !becomes_hash && dynamic_format_helps(job.facts, table.table);
                finding.details.in_plan =
                    foreign_key.is_none() && !loses_values && (prefixes.is_some() || dynamic_format_helps);
                finding.action = match prefixes {
                    _ if foreign_key.is_some() => format!(
                        "shorten its columns by hand on both sides: the foreign key {} takes {} only",
                        foreign_key.map_or("", |key| key.name.as_str()),
                        if becomes_hash { "an ordered index" } else { "whole columns" }
                    ),
                    None if becomes_hash => {
                        "if queries search or sort by it, add an index of a prefix, or shorten its columns".into()
                    }
                    None if dynamic_format_helps => {
                        "the plan sets ROW_FORMAT=DYNAMIC, which takes keys of 3072 bytes".into()
                    }
                    None => "shorten the index by hand: what can be shortened is not enough".into(),
                    Some(prefixes) if loses_values => {
                        finding.what += &format!(
                            ": the plan shortens it to {}, and it then refuses values that differ only behind that",
                            describe_parts(index, prefixes)
                        );
                        "see that no such values will come, or shorten its columns first".into()
                    }
                    Some(prefixes) => format!("the plan shortens it to {}", describe_parts(index, prefixes)),
                };
                if (finding.details.in_plan || loses_values) && !dynamic_format_helps {
                    finding.action.push_str(&advise_settings(job, table, &bytes));
                }
                findings.push(finding);
            }
        }
    }
    findings
}

/// Returns the parts of an index with prefixes: `name(191), code`.
fn describe_parts(index: &Index, prefixes: Vec<Option<u64>>) -> String {
    let part = |(part, prefix): (&IndexPart, Option<u64>)| match prefix {
        Some(prefix) => format!("{}({prefix})", part.column.as_deref().unwrap_or_default()),
        None => part.column.clone().unwrap_or_default(),
    };
    index.parts.iter().zip(prefixes).map(part).collect::<Vec<_>>().join(", ")
}

/// Returns the end of a sentence about the settings with which an index stays whole. Empty without
/// such settings.
fn advise_settings(job: &Job<'_>, table: &TableJob<'_>, bytes: &[u64]) -> String {
    let is_old_format = matches!(table.table.row_format, RowFormat::Compact | RowFormat::Redundant);
    let is_innodb = table.table.engine.as_deref().is_some_and(|engine| engine.eq_ignore_ascii_case("innodb"));
    let settings = lacking_settings(&job.facts.server);
    if !is_innodb || !is_old_format || settings.is_empty() || bytes.iter().sum::<u64>() > 3072 {
        return String::new();
    }
    let settings: Vec<String> = settings.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    format!(" (it stays whole if you first set {})", settings.join(", "))
}

/// Returns a foreign key that uses an index, on either side. The server takes no prefixes
/// (error 1071 or 1822) and no hash indexes (1821) there.
fn find_foreign_key<'f>(job: &Job<'f>, table: &TableJob<'_>, index: &Index) -> Option<&'f ForeignKey> {
    let columns: Vec<&str> = index.parts.iter().filter_map(|part| part.column.as_deref()).collect();
    let begins_with = |key: &[String]| columns.len() >= key.len() && key.iter().zip(&columns).all(|(a, b)| a == b);
    let is = |schema: &str, name: &str| table.table.schema == schema && table.table.name == name;
    job.foreign_keys().find(|key| {
        is(&key.schema, &key.table) && begins_with(&key.columns)
            || is(&key.parent_schema, &key.parent_table) && begins_with(&key.parent_columns)
    })
}
