//! Text of schema.sql.

use sql::{LocalDefinition, SqlMode, keep_local, remove_definer};

use crate::captured_schema::CapturedSchema;
use crate::source::Definitions;
use crate::source_table::remove_cross_schema_keys;

/// Text of schema.sql and its contents.
pub struct SchemaText {
    pub text: String,
    /// Table names with definitions.
    pub tables: Vec<(String, String)>,
    pub views: Vec<String>,
    /// Descriptions of foreign keys and views that were left out because they name another schema,
    /// and of options that reach out of the server's folder: `a foreign key of orders to
    /// crm.customers`, `DATA DIRECTORY of orders`.
    pub cross_schema_definitions: Vec<String>,
}

/// Returns the text of tables, then of views in the order of their dependencies.
pub fn build_schema_text(definitions: &Definitions, schema: &str) -> SchemaText {
    let (mut text, mut tables, mut cross_schema_definitions) = (String::new(), Vec::new(), Vec::new());
    for (name, create) in &definitions.tables {
        let (create, far) = remove_cross_schema_keys(create);
        cross_schema_definitions.extend(far.into_iter().map(|parent| format!("a foreign key of {name} to {parent}")));
        let LocalDefinition { text: create, removed } = keep_local(&create, SqlMode::default());
        cross_schema_definitions.extend(removed.into_iter().map(|option| format!("{option} of {name}")));
        text += &format!("{create};\n\n");
        tables.push((name.clone(), create.into_owned()));
    }
    let names = definitions.tables.iter().chain(&definitions.views).map(|(name, _)| name.clone()).collect();
    let captured_schema = CapturedSchema { schema: schema.to_owned(), names, ..CapturedSchema::default() };
    let mut pending: Vec<(&str, String)> = definitions
        .views
        .iter()
        .map(|(name, create)| (name.as_str(), captured_schema.strip_schema(&remove_definer(create)).into_owned()))
        .collect();
    pending.retain(|(name, create)| {
        let tokens: Vec<_> = sql::tokenize(create, SqlMode::default()).collect();
        let far =
            sql::find_tables(&tokens).into_iter().find_map(|table| Some(format!("{}.{}", table.schema?, table.name)));
        cross_schema_definitions.extend(far.iter().map(|table| format!("the view {name}, which reads {table}")));
        far.is_none()
    });
    let views = pending.iter().map(|(name, _)| (*name).to_owned()).collect();
    for create in order_views(pending) {
        text += &format!("{create};\n\n");
    }
    SchemaText { text, tables, views, cross_schema_definitions }
}

/// Returns the definitions of views, each after the views that it reads.
fn order_views(mut pending: Vec<(&str, String)>) -> Vec<String> {
    let waits = |own: &str, create: &str, pending: &[(&str, String)]| {
        let tokens: Vec<_> = sql::tokenize(create, SqlMode::default()).collect();
        let reads = |name: &str| sql::find_tables(&tokens).iter().any(|table| table.name == name);
        pending.iter().any(|(name, _)| *name != own && reads(name))
    };
    let mut ordered = Vec::new();
    while !pending.is_empty() {
        // Views can't depend on each other in a cycle. If they seem to, the first comes first.
        let ready = pending.iter().position(|(name, create)| !waits(name, create, &pending)).unwrap_or(0);
        ordered.push(pending.remove(ready).1);
    }
    ordered
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_views_after_the_views_they_read() {
        let view = |name: &str, from: &str| {
            (name.to_owned(), format!("CREATE VIEW `{name}` AS select 1 from `shop`.`{from}`"))
        };
        let definitions = Definitions {
            tables: vec![("t".to_owned(), "CREATE TABLE `t` (`a` int) DATA DIRECTORY='/x/'".to_owned())],
            views: vec![
                view("a", "c"),
                view("b", "t"),
                view("c", "b"),
                ("far".to_owned(), "CREATE VIEW `far` AS select 1 from `log`.`t`".to_owned()),
            ],
            others: Vec::new(),
        };
        let SchemaText { text, views, cross_schema_definitions, .. } = build_schema_text(&definitions, "shop");
        assert_eq!(views, ["a", "b", "c"]);
        assert_eq!(cross_schema_definitions, ["DATA DIRECTORY of t", "the view far, which reads log.t"]);
        assert!(text.starts_with("CREATE TABLE `t` (`a` int) ") && !text.contains("DIRECTORY"), "{text}");
        let order: Vec<_> = text.split("CREATE VIEW `").skip(1).map(|view| &view[..1]).collect();
        assert_eq!(order, ["b", "c", "a"]);
        assert!(!text.contains("shop"), "{text}");
    }
}
