//! Tables partitioned by a converted column, and constants of their partitions.

use std::cmp::Ordering;

use facts::Partitioning;
use mysql_collation::{Charset, Collation};

use super::partition_rows::read_constants;
use super::{Check, CheckFunction};
use crate::finding::{Finding, table_finding};
use crate::job::{Job, TableJob};
use crate::text::display_text;
use check::{Reading, Severity};

pub static CHECK: Check = Check {
    name: "partition-key",
    title: "tables that are partitioned by a column that is converted: rows belong elsewhere afterwards",
    reads: &[Reading::Schemas],
    doc: "PARTITION BY KEY hashes the column's sort key, RANGE COLUMNS and LIST COLUMNS compare it. Another collation sends rows \
              elsewhere. A conversion in place leaves them where they are (MySQL bug 106884): lookups then miss them. The plan makes \
              the server copy the table. The server refuses constants that become equal (error 1495), and bounds that no longer \
              increase (error 1493).",
    run: CheckFunction::Facts(run),
};

/// Returns the converted columns that the table is partitioned by.
pub fn converted_partition_columns<'j>(table: &'j TableJob<'_>) -> Vec<&'j str> {
    let Some(partitioning) = &table.table.partitioning else { return Vec::new() };
    let expressions = [&partitioning.expression, &partitioning.sub_expression].into_iter().flatten();
    let text: String = expressions.map(|expression| format!("{expression},")).collect();
    // `PARTITION BY KEY()` without columns uses the primary key, else a unique key without NULLs.
    let uses_unique_key = partitioning.method.contains("KEY") && text.trim_matches(',').trim().is_empty();
    let partition_key = || table.table.primary_key().or_else(|| table.table.indexes.iter().find(|index| index.unique));
    let is_partition_column = |name: &str| {
        text.to_lowercase()
            .split(|character: char| !(character.is_alphanumeric() || character == '_' || character == '$'))
            .any(|word| word == name.to_lowercase())
            || (uses_unique_key
                && partition_key().is_some_and(|key| key.parts.iter().any(|part| part.column.as_deref() == Some(name))))
    };
    table
        .conversions
        .iter()
        .map(|conversion| conversion.column.name.as_str())
        .filter(|name| is_partition_column(name))
        .collect()
}

fn run(job: &Job<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for table in &job.tables {
        let columns = converted_partition_columns(table);
        let Some(partitioning) = table.table.partitioning.as_ref().filter(|_| !columns.is_empty()) else { continue };
        for target in &job.targets {
            let mut finding = table_finding(&CHECK, Severity::Warning, table, target);
            finding.details.count = partitioning.partitions.len() as u64;
            finding.what =
                format!("it is partitioned by {} ({}), which is converted", partitioning.method, columns.join(", "));
            finding.why =
                "rows belong to other partitions under another collation, and a conversion in place doesn't move them"
                    .into();
            finding.action = "the plan asks for ALGORITHM=COPY, which moves them; CHECK TABLE … afterwards".into();
            finding.details.statements =
                vec![format!("CHECK TABLE {}", sql::quote_table(&table.table.schema, &table.table.name))];
            finding.details.in_plan = true;
            findings.push(check_constants(table, partitioning, &columns, target).unwrap_or(finding));
        }
    }
    findings
}

/// Longest part of a constant that is shown, in characters.
const MAX_SHOWN: usize = 40;

/// A constant of a partition.
struct Constant<'p> {
    partition: &'p str,
    value: Vec<u8>,
}

/// Reports constants of LIST COLUMNS that become equal, and bounds of RANGE COLUMNS that no longer
/// increase. Tables that several columns partition are left to the rehearsal.
fn check_constants(
    table: &TableJob<'_>,
    partitioning: &Partitioning,
    columns: &[&str],
    target: &str,
) -> Option<Finding> {
    if partitioning.expression.as_deref()?.contains(',') || partitioning.sub_method.is_some() {
        return None;
    }
    let to = table.conversion(columns.first()?)?.targets.iter().find(|one| one.name == target)?;
    let (collation, charset) = (to.collation?, to.charset()?);
    let constants = read_all(partitioning, charset)?;
    let is_list = partitioning.method == "LIST COLUMNS";
    let conflict = match partitioning.method.as_str() {
        "LIST COLUMNS" => equal_constants(&constants, collation),
        "RANGE COLUMNS" => falling_bounds(&constants, collation),
        _ => None,
    }?;
    let text = |constant: &Constant<'_>| {
        format!("'{}' of {}", display_text(&constant.value, charset, MAX_SHOWN), constant.partition)
    };
    let (one, other) = (text(conflict.0), text(conflict.1));
    let mut finding = table_finding(&CHECK, Severity::Error, table, target);
    finding.details.count = partitioning.partitions.len() as u64;
    let name = sql::quote_table(&table.table.schema, &table.table.name);
    (finding.what, finding.why) = match is_list {
        true => (
            format!("constants of its partitions become equal: {one} = {other}"),
            "the ALTER ends with error 1495, and the table stays as it is".to_owned(),
        ),
        false => (
            format!("bounds of its partitions no longer increase: {one}, then {other}"),
            "the ALTER ends with error 1493, and the table stays as it is".to_owned(),
        ),
    };
    finding.action = format!(
        "take the partitions away before the plan, and partition the table after it by constants that differ under {target}"
    );
    finding.details.statements = vec![format!("ALTER TABLE {name} REMOVE PARTITIONING")];
    Some(finding)
}

fn read_all(partitioning: &Partitioning, charset: Charset) -> Option<Vec<Constant<'_>>> {
    let mut all = Vec::new();
    for partition in &partitioning.partitions {
        let description = partition.description.as_deref()?;
        if ["MAXVALUE", "DEFAULT"].contains(&description.to_uppercase().as_str()) {
            continue;
        }
        let constants = read_constants(description, charset)?;
        all.extend(constants.into_iter().map(|value| Constant { partition: &partition.name, value }));
    }
    Some(all)
}

fn equal_constants<'c, 'p>(
    constants: &'c [Constant<'p>],
    collation: Collation,
) -> Option<(&'c Constant<'p>, &'c Constant<'p>)> {
    let mut sorted: Vec<&Constant<'_>> = constants.iter().collect();
    sorted.sort_by(|one, other| collation.compare(&one.value, &other.value));
    let is_equal = |pair: &&[&Constant<'_>]| collation.compare(&pair[0].value, &pair[1].value) == Ordering::Equal;
    sorted.windows(2).find(is_equal).map(|pair| (pair[0], pair[1]))
}

fn falling_bounds<'c, 'p>(
    constants: &'c [Constant<'p>],
    collation: Collation,
) -> Option<(&'c Constant<'p>, &'c Constant<'p>)> {
    let is_falling = |pair: &&[Constant<'_>]| collation.compare(&pair[0].value, &pair[1].value) != Ordering::Less;
    constants.windows(2).find(is_falling).map(|pair| (&pair[0], &pair[1]))
}
