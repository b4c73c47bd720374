//! The statements that convert, in an order that foreign keys allow. Printed, never run. Pure.

mod advice;
mod tools;

use std::collections::{BTreeMap, BTreeSet};

use facts::{ForeignKey, Index};

use crate::checks::{converted_keys, fault};
use crate::job::{Conversion, Job, Request, TableJob, Target, flavour};
use crate::limits::{dynamic_helps, key_limits, part_bytes, shortened};
use crate::model::{Finding, Phase, Plan, Severity, Step};
use crate::sql::{charset_name, identifier, string, table};
use ::sql::ddl;

/// The source of a stored program: how to drop it and create it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramSource {
    /// Schema.
    pub schema: String,
    /// `PROCEDURE`, `FUNCTION`, `TRIGGER`, `EVENT` or `VIEW`.
    pub kind: String,
    /// Name.
    pub name: String,
    /// `sql_mode` that it was created in; views have none.
    pub sql_mode: Option<String>,
    /// The `CREATE` statement.
    pub create: String,
}

/// The plan for a job, after what was found.
pub fn plan(job: &Job<'_>, request: &Request, findings: &[Finding], programs: &[ProgramSource]) -> Plan {
    let mut steps = Vec::new();
    let converted: Vec<&TableJob<'_>> = job.tables.iter().filter(|table| !table.conversions.is_empty()).collect();
    let keys: Vec<&ForeignKey> = job.foreign_keys().collect();
    steps.extend(keys.iter().map(|key| drop_key(key)));
    steps.extend(converted.iter().map(|table| convert(job, table, findings)));
    steps.extend(defaults(job, request));
    steps.extend(keys.iter().map(|key| add_key(key)));
    steps.extend(programs.iter().flat_map(|program| recreate(job, program)));
    let repairs = findings.iter().filter(|finding| finding.check == "double-encoding");
    steps
        .extend(repairs.flat_map(|finding| {
            finding.statements.iter().map(|sql| step(Phase::Repair, &finding.object, sql.clone()))
        }));
    let stops = |finding: &&Finding| {
        finding.severity == Severity::Error && !finding.in_plan && finding.target == job.targets[0]
    };
    let blocked: BTreeSet<String> = findings
        .iter()
        .filter(stops)
        .filter_map(|finding| Some(format!("{}.{}", finding.schema, finding.table.as_ref()?)))
        .collect();
    let waiting = waiting(job, &blocked);
    for step in &mut steps {
        step.blocked = match step.phase {
            // Repairs are about columns.
            Phase::Repair => waiting.tables.iter().any(|table| step.object.starts_with(&format!("{table}."))),
            // A program may use any table of its schema.
            Phase::Programs => waiting.schemas.iter().any(|schema| step.object.starts_with(&format!("{schema}."))),
            _ => waiting.tables.contains(&step.object) || waiting.schemas.contains(&step.object),
        };
    }
    if !steps.is_empty() {
        steps.splice(0..0, session(job));
    }
    Plan {
        blocked: blocked.into_iter().collect(),
        tools: converted
            .iter()
            .map(|table| tools::tools(job, table, &convert_clauses(job, table, findings), findings))
            .collect(),
        verification: verification(job, &converted),
        algorithms_from: String::new(),
        advice: advice::advice(job, &converted, &steps),
        steps,
    }
}

fn step(phase: Phase, object: &str, sql: String) -> Step {
    Step { phase, object: object.to_owned(), sql, algorithm: None, note: None, time: None, blocked: false }
}

/// What must wait until people have dealt with the findings of a table.
struct Waiting {
    /// Blocked tables, and those that are tied to them by foreign keys: without them the plan would drop keys that it can't add again.
    tables: BTreeSet<String>,
    /// Their schemas.
    schemas: BTreeSet<String>,
}

fn waiting(job: &Job<'_>, blocked: &BTreeSet<String>) -> Waiting {
    let mut tables = blocked.clone();
    loop {
        let before = tables.len();
        for key in job.foreign_keys() {
            let ends = [format!("{}.{}", key.schema, key.table), format!("{}.{}", key.parent_schema, key.parent_table)];
            if ends.iter().any(|end| tables.contains(end)) {
                tables.extend(ends);
            }
        }
        if tables.len() == before {
            break;
        }
    }
    let of_waiting = job.tables.iter().filter(|table| tables.contains(&table.name()));
    let schemas = of_waiting.map(|table| table.table.schema.clone()).collect();
    Waiting { tables, schemas }
}

/// Statements, comments and defaults come as they were printed, and no value is to be changed in silence.
fn session(job: &Job<'_>) -> Vec<Step> {
    let strict = "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'";
    let names = if job.facts.server.charset("utf8mb4").is_some() { "SET NAMES utf8mb4" } else { "SET NAMES utf8" };
    [names, strict].map(|sql| step(Phase::Session, "session", sql.to_owned())).to_vec()
}

fn drop_key(key: &ForeignKey) -> Step {
    let name = format!("{}.{}", key.schema, key.table);
    step(
        Phase::DropForeignKeys,
        &name,
        format!("ALTER TABLE {} DROP FOREIGN KEY {}", table(&key.schema, &key.table), identifier(&key.name)),
    )
}

fn add_key(key: &ForeignKey) -> Step {
    let list = |names: &[String]| names.iter().map(|name| identifier(name)).collect::<Vec<_>>().join(", ");
    let rule = |when: &str, rule: &str| match rule {
        "" | "RESTRICT" | "NO ACTION" => String::new(),
        rule => format!(" ON {when} {rule}"),
    };
    let sql = format!(
        "ALTER TABLE {} ADD CONSTRAINT {} FOREIGN KEY ({}) REFERENCES {} ({}){}{}",
        table(&key.schema, &key.table),
        identifier(&key.name),
        list(&key.columns),
        table(&key.parent_schema, &key.parent_table),
        list(&key.parent_columns),
        rule("DELETE", &key.on_delete),
        rule("UPDATE", &key.on_update),
    );
    step(Phase::AddForeignKeys, &format!("{}.{}", key.schema, key.table), sql)
}

fn convert(job: &Job<'_>, of: &TableJob<'_>, findings: &[Finding]) -> Step {
    let clauses = convert_clauses(job, of, findings).join(",\n  ");
    let sql = format!("ALTER TABLE {}\n  {clauses}", table(&of.table.schema, &of.table.name));
    let mut step = step(Phase::Convert, &of.name(), sql);
    step.note = copy_reason(job, of);
    step
}

/// Why the server must not convert in place.
fn copy_reason(job: &Job<'_>, of: &TableJob<'_>) -> Option<String> {
    let columns = converted_keys(of);
    if !columns.is_empty() {
        return Some(format!("copied, so that rows move to their new partitions ({})", columns.join(", ")));
    }
    fault(job, of).map(|(name, _)| format!("copied because of {name}"))
}

fn convert_clauses(job: &Job<'_>, of: &TableJob<'_>, findings: &[Finding]) -> Vec<String> {
    let mut clauses: Vec<String> =
        of.conversions.iter().map(|conversion| modify(job, of, conversion, findings)).collect();
    let new_type = |name: &str| of.conversion(name).and_then(|conversion| new_type(of, conversion, findings)).is_some();
    for index in of.table.indexes.iter().filter(|index| of.touches(index)) {
        let prefixes = shortened(job.facts, of, index, 0);
        // TEXT can't be indexed without a length.
        let needs_prefix =
            index.parts.iter().any(|part| part.prefix.is_none() && part.column.as_deref().is_some_and(new_type));
        if prefixes.is_some() || needs_prefix {
            clauses.extend(rebuild(index, prefixes));
        }
    }
    let per_part = key_limits(job.facts, of.table).part;
    let exceeds = |index: &&Index| part_bytes(job.facts, of, index, 0).iter().any(|&bytes| bytes > per_part);
    if dynamic_helps(job.facts, of.table)
        && of.table.indexes.iter().filter(|index| of.touches(index)).any(|index| exceeds(&index))
    {
        clauses.push("ROW_FORMAT=DYNAMIC".into());
    }
    if copy_reason(job, of).is_some() {
        clauses.push("ALGORITHM=COPY".into());
    }
    clauses
}

fn new_type(of: &TableJob<'_>, conversion: &Conversion<'_>, findings: &[Finding]) -> Option<String> {
    let object = format!("{}.{}", of.name(), conversion.column.name);
    findings
        .iter()
        .find(|finding| {
            finding.object == object && finding.target == conversion.planned().name && finding.new_type.is_some()
        })
        .and_then(|finding| finding.new_type.clone())
}

fn modify(job: &Job<'_>, of: &TableJob<'_>, conversion: &Conversion<'_>, findings: &[Finding]) -> String {
    let to = conversion.planned();
    let name = &conversion.column.name;
    let create = job.creates.get(&(of.table.schema.clone(), of.table.name.clone())).map_or("", String::as_str);
    let definition = ddl::column(create, name).unwrap_or(&conversion.column.column_type);
    let charset = charset_name(job.facts, &to.charset);
    let new_type = new_type(of, conversion, findings);
    format!("MODIFY {} {}", identifier(name), ddl::with_collation(definition, &charset, &to.name, new_type.as_deref()))
}

/// Drops an index and adds it with other prefixes.
fn rebuild(index: &Index, prefixes: Option<Vec<Option<u64>>>) -> Vec<String> {
    let part = |(at, part): (usize, &facts::IndexPart)| {
        let prefix = prefixes.as_ref().map_or(part.prefix, |prefixes| prefixes[at]);
        let length = prefix.map_or(String::new(), |prefix| format!("({prefix})"));
        let order = if part.descending { " DESC" } else { "" };
        match (&part.column, &part.expression) {
            (Some(column), _) => format!("{}{length}{order}", identifier(column)),
            (None, expression) => format!("({}){order}", expression.as_deref().unwrap_or_default()),
        }
    };
    let parts = index.parts.iter().enumerate().map(part).collect::<Vec<_>>().join(", ");
    if index.name == "PRIMARY" {
        return vec!["DROP PRIMARY KEY".into(), format!("ADD PRIMARY KEY ({parts})")];
    }
    let name = identifier(&index.name);
    let kind = if index.unique { "UNIQUE INDEX" } else { "INDEX" };
    vec![format!("DROP INDEX {name}"), format!("ADD {kind} {name} ({parts})")]
}

/// Defaults for new columns and tables, apart from the columns: together they would rebuild the table on some servers.
fn defaults(job: &Job<'_>, request: &Request) -> Vec<Step> {
    let Some(target) = job.targets.first() else { return Vec::new() };
    if !request.columns.is_empty() {
        return Vec::new();
    }
    let to = Target::new(target, flavour(job.facts));
    let charset = charset_name(job.facts, &to.charset);
    let mut steps = Vec::new();
    for of in job.facts.tables().filter(|of| request.selects(of)) {
        if let Some(collation) = new_default(of.collation.as_deref(), &to, request) {
            let name = table(&of.schema, &of.name);
            let sql = format!("ALTER TABLE {name} DEFAULT CHARACTER SET {charset} COLLATE {collation}");
            steps.push(step(Phase::Defaults, &format!("{}.{}", of.schema, of.name), sql));
        }
    }
    for schema in job.facts.schemas.iter().filter(|_| request.tables.is_empty()) {
        if let Some(collation) = new_default(Some(&schema.collation), &to, request) {
            let name = identifier(&schema.name);
            let sql = format!("ALTER DATABASE {name} CHARACTER SET {charset} COLLATE {collation}");
            steps.push(step(Phase::Defaults, &schema.name, sql));
        }
    }
    steps
}

/// What a default becomes, by the rule for columns: one for bytes or ASCII stays, one that compares codes goes on doing so.
fn new_default(collation: Option<&str>, to: &Target, request: &Request) -> Option<String> {
    let from = collation?;
    let on_purpose = !request.all_columns;
    if on_purpose && (from == "binary" || from.starts_with("ascii_")) {
        return None;
    }
    let new = match on_purpose && from.ends_with("_bin") && !to.name.ends_with("_bin") {
        true => format!("{}_bin", to.charset),
        false => to.name.clone(),
    };
    (!new.eq_ignore_ascii_case(from)).then_some(new)
}

/// Creates a program again, with the new collation in force.
fn recreate(job: &Job<'_>, program: &ProgramSource) -> Vec<Step> {
    let object = format!("{}.{}", program.schema, program.name);
    let target = &job.targets[0];
    let mut statements = vec![
        format!("USE {}", identifier(&program.schema)),
        format!("SET SESSION collation_connection = {}", string(target)),
    ];
    if let Some(sql_mode) = &program.sql_mode {
        statements.push(format!("SET SESSION sql_mode = {}", string(sql_mode)));
    }
    if program.kind == "VIEW" {
        statements.push(program.create.replacen("CREATE ", "CREATE OR REPLACE ", 1));
    } else {
        statements.push(format!("DROP {} IF EXISTS {}", program.kind, identifier(&program.name)));
        statements.push(program.create.clone());
    }
    statements.into_iter().map(|sql| step(Phase::Programs, &object, sql)).collect()
}

/// Queries that return no row once the plan has worked.
fn verification(job: &Job<'_>, converted: &[&TableJob<'_>]) -> Vec<String> {
    let mut by_collation: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for of in converted {
        for conversion in &of.conversions {
            let names = [&of.table.schema, &of.table.name, &conversion.column.name].map(|name| string(name));
            by_collation.entry(&conversion.planned().name).or_default().push(format!("({})", names.join(", ")));
        }
    }
    let columns = by_collation.into_iter().map(|(collation, columns)| {
        format!(
            "SELECT table_schema, table_name, column_name, collation_name FROM information_schema.columns\nWHERE collation_name <> {} AND (table_schema, table_name, column_name) IN (\n  {})",
            string(collation),
            columns.join(",\n  ")
        )
    });
    let mut queries: Vec<String> = columns.collect();
    let orphan = |key: &ForeignKey| {
        let joined = |left: &str, right: &str| {
            let pairs = key.columns.iter().zip(&key.parent_columns);
            pairs
                .map(|(column, parent)| format!("{left}.{} = {right}.{}", identifier(column), identifier(parent)))
                .collect::<Vec<_>>()
                .join(" AND ")
        };
        let not_null = key
            .columns
            .iter()
            .map(|column| format!("c.{} IS NOT NULL", identifier(column)))
            .collect::<Vec<_>>()
            .join(" AND ");
        format!(
            "SELECT c.* FROM {} c LEFT JOIN {} p ON {} WHERE {not_null} AND p.{} IS NULL",
            table(&key.schema, &key.table),
            table(&key.parent_schema, &key.parent_table),
            joined("c", "p"),
            identifier(&key.parent_columns[0]),
        )
    };
    queries.extend(job.foreign_keys().map(orphan));
    queries
}
