//! Names of objects as findings and reports write them: unquoted, from the schema down.

/// Returns `shop.orders`.
pub fn table_name(schema: &str, table: &str) -> String {
    format!("{schema}.{table}")
}

/// Returns `shop.orders.code`.
pub fn column_name(schema: &str, table: &str, column: &str) -> String {
    format!("{schema}.{table}.{column}")
}

/// Returns `shop.orders: by_code`, for an index or a foreign key.
pub fn index_name(schema: &str, table: &str, index: &str) -> String {
    format!("{schema}.{table}: {index}")
}

/// Maximum number of schemas that [`describe_own_schemas`] names.
const MAX_OWN_SCHEMAS: usize = 2;

/// Names schemas that a run of `weigh` made, and the command that removes them. `None` without any.
pub fn describe_own_schemas(names: &[String]) -> Option<String> {
    (!names.is_empty()).then(|| {
        format!(
            "{} that bench made ({}); weigh servers clean removes those of killed runs",
            message::count_noun(names.len() as u64, "schema"),
            message::list_names(names, MAX_OWN_SCHEMAS)
        )
    })
}
