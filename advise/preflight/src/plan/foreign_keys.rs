//! Drops foreign keys before their columns are converted, and adds them again afterwards.

use check::table_name;
use facts::ForeignKey;
use sql::{quote_identifier, quote_table};

use super::step;
use crate::finding::Finding;
use crate::model::{Phase, Step};

pub(super) fn drop_foreign_key(key: &ForeignKey) -> Step {
    let name = table_name(&key.schema, &key.table);
    step(
        Phase::DropForeignKeys,
        &name,
        format!(
            "ALTER TABLE {} DROP FOREIGN KEY {}",
            quote_table(&key.schema, &key.table),
            quote_identifier(&key.name)
        ),
    )
}

/// Returns the steps that add a foreign key again. With `foreign_key_checks = 0` if children have
/// no parent already: the server would refuse the key (error 1452).
pub(super) fn add_foreign_key(key: &ForeignKey, findings: &[Finding]) -> Vec<Step> {
    let name = table_name(&key.schema, &key.table);
    let object = check::index_name(&key.schema, &key.table, &key.name);
    let has_orphans = findings.iter().any(|finding| finding.details.has_orphans && finding.object.name == object);
    let switch = |value: u8| step(Phase::AddForeignKeys, &name, format!("SET SESSION foreign_key_checks = {value}"));
    let add = step(Phase::AddForeignKeys, &name, add_statement(key));
    if has_orphans { vec![switch(0), add, switch(1)] } else { vec![add] }
}

/// Returns the step that adds a foreign key by hand after a plan that stopped.
pub(super) fn put_back(key: &ForeignKey) -> Step {
    step(Phase::AddForeignKeys, &table_name(&key.schema, &key.table), add_statement(key))
}

fn add_statement(key: &ForeignKey) -> String {
    let list = |names: &[String]| names.iter().map(|name| quote_identifier(name)).collect::<Vec<_>>().join(", ");
    let rule = |when: &str, rule: &str| match rule {
        "" | "RESTRICT" | "NO ACTION" => String::new(),
        rule => format!(" ON {when} {rule}"),
    };
    format!(
        "ALTER TABLE {} ADD CONSTRAINT {} FOREIGN KEY ({}) REFERENCES {} ({}){}{}",
        quote_table(&key.schema, &key.table),
        quote_identifier(&key.name),
        list(&key.columns),
        quote_table(&key.parent_schema, &key.parent_table),
        list(&key.parent_columns),
        rule("DELETE", &key.on_delete),
        rule("UPDATE", &key.on_update),
    )
}
