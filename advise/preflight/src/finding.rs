//! Findings of a conversion, and their layout in reports and checkpoints.

use check::{Object, ObjectKind, Severity};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::checks::Check;
use crate::job::TableJob;
use crate::model::{CollisionGroup, Example};

pub type Finding = check::Finding<ConversionDetails>;

/// Properties of a preflight finding in addition to [`check::Finding`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConversionDetails {
    pub schema: String,
    /// `None` for a whole schema and for most programs.
    pub table: Option<String>,
    /// Target collation.
    pub target: String,
    /// Size of the problem in the check's own unit: groups for `unique-key`, bytes for `row-size`,
    /// partitions for `partition-key`.
    pub count: u64,
    pub groups: Vec<CollisionGroup>,
    pub examples: Vec<Example>,
    /// Statements that repair the problem or find it again.
    pub statements: Vec<String>,
    /// Type that the plan gives the column. `None` if the column keeps its type.
    pub new_type: Option<String>,
    /// True if the plan solves the problem. An error that the plan doesn't solve blocks the table's
    /// steps. False without a plan.
    pub in_plan: bool,
    /// True if children of a foreign key have no parent before the conversion.
    pub has_orphans: bool,
}

/// True for an error that the plan doesn't solve. An error for another collation than the plan's
/// `target` counts only if a column gets that collation: `planned` are the names and new collations
/// of the plan's columns, of which some get `_bin`.
pub(crate) fn blocks<'p>(
    finding: &Finding,
    target: &str,
    mut planned: impl Iterator<Item = (String, &'p str)>,
) -> bool {
    let is_planned = |(column, to): (String, &str)| to == finding.details.target && column == finding.object.name;
    finding.severity == Severity::Error
        && !finding.details.in_plan
        && (finding.details.target == target || planned.any(is_planned))
}

/// Creates a finding about a table. `what`, `why` and `action` are empty.
pub fn table_finding(check: &Check, severity: Severity, table: &TableJob<'_>, target: &str) -> Finding {
    Finding {
        check: check.name.into(),
        severity,
        object: Object::new(ObjectKind::Table, table.name()),
        what: String::new(),
        why: String::new(),
        action: String::new(),
        details: ConversionDetails {
            schema: table.table.schema.clone(),
            table: Some(table.table.name.clone()),
            target: target.to_owned(),
            ..ConversionDetails::default()
        },
    }
}

pub fn column_finding(check: &Check, severity: Severity, table: &TableJob<'_>, column: &str, target: &str) -> Finding {
    let object = Object::new(ObjectKind::Column, table.column_name(column));
    Finding { object, ..table_finding(check, severity, table, target) }
}

pub fn index_finding(check: &Check, severity: Severity, table: &TableJob<'_>, index: &str, target: &str) -> Finding {
    let name = check::index_name(&table.table.schema, &table.table.name, index);
    Finding { object: Object::new(ObjectKind::Index, name), ..table_finding(check, severity, table, target) }
}

/// Creates a finding about a foreign key, reported with one of its tables.
pub fn foreign_key_finding(
    check: &Check,
    severity: Severity,
    table: &TableJob<'_>,
    key: &str,
    target: &str,
) -> Finding {
    let name = check::index_name(&table.table.schema, &table.table.name, key);
    Finding { object: Object::new(ObjectKind::ForeignKey, name), ..table_finding(check, severity, table, target) }
}

/// Result of a check: one problem of one object.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Finding")]
pub(crate) struct FindingRecord {
    /// Name of the check (`weigh preflight --list`).
    check: String,
    /// Effect on the conversion: error, warning or note.
    severity: Severity,
    /// Name of the object: `schema`, `schema.table`, `schema.table.column` or `schema.table:
    /// index`.
    object: String,
    /// Name of the schema, without quotes.
    schema: String,
    /// Name of the table, without schema and quotes. `null` for a whole schema and for most
    /// programs.
    table: Option<String>,
    /// Target collation.
    target: String,
    /// The problem, in one sentence.
    what: String,
    /// Why the problem matters, or its cause.
    why: String,
    /// Advice on the problem.
    todo: String,
    /// Size of the problem in the check's own unit: groups for `unique-key`, bytes for `row-size`,
    /// partitions for `partition-key`.
    count: u64,
    /// Groups of rows or values that become equal, or distinct for `separates`, or are equal
    /// already for `duplicate-key`, up to the limit of `--examples`. All for `members`.
    groups: Vec<CollisionGroup>,
    /// Affected objects, or rows up to the limit of `--examples`.
    examples: Vec<Example>,
    /// Statements that repair the problem or find it again.
    statements: Vec<String>,
    /// Type that the plan gives the column. `null` if the column keeps its type.
    new_type: Option<String>,
    /// Whether the plan solves the problem. An error that the plan doesn't solve blocks the table's
    /// steps. `false` without a plan.
    in_plan: bool,
    /// Whether children of a foreign key have no parent before the conversion.
    #[serde(default)]
    has_orphans: bool,
}

impl From<&Finding> for FindingRecord {
    fn from(finding: &Finding) -> Self {
        let Finding { check, severity, object, what, why, action, details } = finding.clone();
        Self {
            check,
            severity,
            object: object.name,
            schema: details.schema,
            table: details.table,
            target: details.target,
            what,
            why,
            todo: action,
            count: details.count,
            groups: details.groups,
            examples: details.examples,
            statements: details.statements,
            new_type: details.new_type,
            in_plan: details.in_plan,
            has_orphans: details.has_orphans,
        }
    }
}

impl From<FindingRecord> for Finding {
    fn from(record: FindingRecord) -> Self {
        Finding {
            severity: record.severity,
            object: Object::new(object_kind(&record), record.object),
            check: record.check,
            what: record.what,
            why: record.why,
            action: record.todo,
            details: ConversionDetails {
                schema: record.schema,
                table: record.table,
                target: record.target,
                count: record.count,
                groups: record.groups,
                examples: record.examples,
                statements: record.statements,
                new_type: record.new_type,
                in_plan: record.in_plan,
                has_orphans: record.has_orphans,
            },
        }
    }
}

/// Derives the kind of an object from its name, as records don't store it. Stored programs come out
/// as schemas or tables.
fn object_kind(record: &FindingRecord) -> ObjectKind {
    let Some(table) = &record.table else { return ObjectKind::Schema };
    let table_name = check::table_name(&record.schema, table);
    match record.object.strip_prefix(&table_name) {
        Some(rest) if rest.starts_with('.') => ObjectKind::Column,
        Some(rest)
            if rest.starts_with(": ") && (record.check.starts_with("foreign-key") || record.check == "orphans") =>
        {
            ObjectKind::ForeignKey
        }
        Some(rest) if rest.starts_with(": ") => ObjectKind::Index,
        _ => ObjectKind::Table,
    }
}

/// Serialises findings as [`FindingRecord`]s, for `#[serde(with)]`.
pub(crate) mod records {
    use serde::{Deserialize, Deserializer, Serializer};

    use super::{Finding, FindingRecord};

    pub fn serialize<S: Serializer>(findings: &[Finding], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(findings.iter().map(FindingRecord::from))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Finding>, D::Error> {
        let records = Vec::<FindingRecord>::deserialize(deserializer)?;
        Ok(records.into_iter().map(Finding::from).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn restores_object_kinds_from_records() {
        let details = ConversionDetails { schema: "s".into(), table: Some("t".into()), ..Default::default() };
        let finding = |check: &str, kind, name: &str, details: &ConversionDetails| Finding {
            check: check.into(),
            severity: Severity::Note,
            object: Object::new(kind, name),
            what: String::new(),
            why: String::new(),
            action: String::new(),
            details: details.clone(),
        };
        let schema_details = ConversionDetails { table: None, ..details.clone() };
        for finding in [
            finding("row-size", ObjectKind::Table, "s.t", &details),
            finding("widened", ObjectKind::Column, "s.t.a", &details),
            finding("unique-key", ObjectKind::Index, "s.t: PRIMARY", &details),
            finding("foreign-key-partner", ObjectKind::ForeignKey, "s.t: f", &details),
            finding("programs", ObjectKind::Schema, "s", &schema_details),
        ] {
            assert_eq!(Finding::from(FindingRecord::from(&finding)), finding);
        }
    }
}
