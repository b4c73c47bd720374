//! Drops foreign keys before their columns are converted, and adds them again afterwards.

use check::table_name;
use facts::ForeignKey;
use server::{Flavour, Version};
use sql::{quote_identifier, quote_table};

use super::step;
use crate::finding::Finding;
use crate::job::Job;
use crate::model::{Phase, Step};

/// Returns the step that drops a foreign key. On MariaDB, it can run again after a plan that
/// stopped; MySQL has no IF EXISTS for keys.
pub(super) fn drop_foreign_key(job: &Job<'_>, key: &ForeignKey) -> Step {
    let exists = if job.facts.server.flavour == Flavour::MariaDb { "IF EXISTS " } else { "" };
    let name = table_name(&key.schema, &key.table);
    step(
        Phase::DropForeignKeys,
        &name,
        format!(
            "ALTER TABLE {} DROP FOREIGN KEY {exists}{}",
            quote_table(&key.schema, &key.table),
            quote_identifier(&key.name)
        ),
    )
}

/// Returns the steps that add a foreign key again. With `foreign_key_checks = 0` if children have
/// no parent already: the server would refuse the key (error 1452).
pub(super) fn add_foreign_key(job: &Job<'_>, key: &ForeignKey, findings: &[Finding]) -> Vec<Step> {
    let name = table_name(&key.schema, &key.table);
    let object = check::index_name(&key.schema, &key.table, &key.name);
    let has_orphans = findings.iter().any(|finding| finding.details.has_orphans && finding.object.name == object);
    let switch = |value: u8| step(Phase::AddForeignKeys, &name, format!("SET SESSION foreign_key_checks = {value}"));
    let add = step(Phase::AddForeignKeys, &name, add_statement(job, key));
    if has_orphans { vec![switch(0), add, switch(1)] } else { vec![add] }
}

fn add_statement(job: &Job<'_>, key: &ForeignKey) -> String {
    let list = |names: &[String]| names.iter().map(|name| quote_identifier(name)).collect::<Vec<_>>().join(", ");
    format!(
        "ALTER TABLE {} ADD CONSTRAINT {} FOREIGN KEY ({}) REFERENCES {} ({}){}",
        quote_table(&key.schema, &key.table),
        quote_identifier(&key.name),
        list(&key.columns),
        quote_table(&key.parent_schema, &key.parent_table),
        list(&key.parent_columns),
        rules(job, key),
    )
}

/// Returns the rules that differ from those of a key without rules: NO ACTION from MySQL 8.0 on,
/// RESTRICT elsewhere. MySQL 8.0.12 leaves RESTRICT out of `SHOW CREATE TABLE`.
fn rules(job: &Job<'_>, key: &ForeignKey) -> String {
    let server = &job.facts.server;
    let is_mysql_8 = server.flavour == Flavour::MySql && server.version_number() >= Version::new(8, 0, 0);
    let default = if is_mysql_8 { "NO ACTION" } else { "RESTRICT" };
    let rule = |when: &str, rule: &str| match rule {
        "" => String::new(),
        rule if rule == default => String::new(),
        rule => format!(" ON {when} {rule}"),
    };
    rule("DELETE", &key.on_delete) + &rule("UPDATE", &key.on_update)
}
