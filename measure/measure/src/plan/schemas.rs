//! Schemas and tables that the variants of a request need.

use workload::{Table, Text};

use crate::model::Variant;
use crate::request::Request;

/// Returns the generated tables of one text.
pub(crate) fn workload_tables(request: &Request, text: Text) -> Vec<Table> {
    workload::tables(&request.workloads, &workload::Options { text, ..request.rows })
}

/// Identifies a schema on a server. Variants with the same key share a schema.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SchemaKey<'a> {
    pub(crate) collation: &'a str,
    copy: bool,
    /// Connection charset and extra work, if variants that differ in these need separate schemas.
    connection: Option<(&'a str, Option<f64>)>,
}

/// Returns the key of a variant's schema. A copy has its own schema. Variants that differ only in
/// their connections share one unless `separate` is set.
pub(crate) fn schema_key(variant: &Variant, separate: bool) -> SchemaKey<'_> {
    let connection = separate.then_some((variant.connection_charset.as_str(), variant.extra_work));
    SchemaKey { collation: &variant.collation, copy: variant.copy, connection }
}

/// Returns the distinct schemas that the variants need.
pub(crate) fn schema_keys<'a>(variants: impl Iterator<Item = &'a Variant>, separate: bool) -> Vec<SchemaKey<'a>> {
    let mut keys: Vec<SchemaKey<'_>> = Vec::new();
    for key in variants.map(|variant| schema_key(variant, separate)) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}
