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
