//! Schema of a side of the comparison: filled, converted or rebuilt, and analysed.

use load::{SchemaSpec, Schemas};
use rules::conversion::is_binary;
use server::{CollationInfo, Server};
use workload_folder::Workload;

use crate::colliding::LeftOut;
use crate::convert::{ConversionTarget, TableDefinition};
use crate::error::Error;
use crate::fill::SchemaFiller;
use crate::model::CollidingRow;

/// Name of the side that keeps the workload's collations.
pub const AS_IS: &str = "as-is";

/// A schema with the rows of a workload.
#[derive(Clone, Debug)]
pub struct FilledSchema {
    pub schema: String,
    pub(crate) definitions: Vec<TableDefinition>,
    all_columns: bool,
}

impl FilledSchema {
    pub fn tables(&self) -> impl Iterator<Item = &str> {
        self.definitions.iter().map(|definition| definition.name.as_str())
    }

    /// Returns a table and one of its text columns, if possible a column that conversions convert.
    pub fn text_column(&self) -> Option<(&str, &str)> {
        let unchanged = ConversionTarget::unchanged(self.all_columns);
        let first_converted =
            |one: &TableDefinition| one.converted_columns(&unchanged).next().map(|column| column.name.clone());
        let found = self.definitions.iter().find(|one| first_converted(one).is_some());
        let one = found.or_else(|| self.definitions.iter().find(|one| !one.columns.is_empty()))?;
        let column = one.converted_columns(&unchanged).next().or(one.columns.first())?;
        let column = one.columns.iter().find(|own| own.name == column.name)?;
        Some((&one.name, &column.name))
    }
}

/// Creates and fills a schema without the rows `left_out`, and converts its text columns to a
/// collation: those with their table's collation, or all. Without a collation, the tables are
/// rebuilt and keep their collations.
///
/// # Errors
/// If the server lacks the collation, or a statement fails.
pub fn fill(
    server: &Server,
    workload: &Workload,
    schemas: &Schemas<'_>,
    collation: Option<&str>,
    all_columns: bool,
    left_out: &[CollidingRow],
) -> Result<FilledSchema, Error> {
    let collations = server.read_collations()?;
    let target = find_target(server, &collations, collation, all_columns)?;
    let default = default_collation(server, &collations)?;
    let left_out = LeftOut::from_rows(left_out);
    let request = FillRequest { default: &default, target: target.as_ref(), all_columns, left_out: &left_out };
    fill_with_target(server, workload, schemas, &request, None)
}

pub(crate) struct FillRequest<'r> {
    pub default: &'r SchemaSpec,
    /// `None` keeps the collations.
    pub target: Option<&'r ConversionTarget>,
    pub all_columns: bool,
    /// Rows that are not inserted.
    pub left_out: &'r LeftOut,
}

/// Creates and fills a schema. With `colliding`, rows that collide are added to it; the schema is
/// then incomplete.
pub(crate) fn fill_with_target(
    server: &Server,
    workload: &Workload,
    schemas: &Schemas<'_>,
    request: &FillRequest<'_>,
    colliding: Option<&mut LeftOut>,
) -> Result<FilledSchema, Error> {
    let &FillRequest { default, target, all_columns, left_out } = request;
    let schema = schemas.create(default)?;
    let mut filler = SchemaFiller::new(server, &schema, workload)?;
    filler.create_and_fill_tables(left_out)?;
    let definitions = filler.read_definitions()?;
    // The control is rebuilt by statements that differ from the treatments' only in the collation.
    let unchanged = ConversionTarget::unchanged(all_columns);
    filler.convert_tables(&definitions, target.unwrap_or(&unchanged), target.is_none(), colliding)?;
    filler.create_programs()?;
    Ok(FilledSchema { schema, definitions, all_columns })
}

/// Returns the number of text columns that a conversion converts, and of all text columns.
pub(crate) fn count_columns(definitions: &[TableDefinition], target: &ConversionTarget) -> (u64, u64) {
    definitions.iter().fold((0, 0), |(changed, total), one| {
        let converted = one.converted_columns(target).filter(|column| !target.keeps(column));
        (changed + converted.count() as u64, total + one.columns.len() as u64)
    })
}

pub(crate) fn side_name(target: Option<&ConversionTarget>) -> String {
    target.map_or(AS_IS.to_owned(), |target| target.collation.clone())
}

pub(crate) fn find_target(
    server: &Server,
    collations: &[CollationInfo],
    side: Option<&str>,
    all_columns: bool,
) -> Result<Option<ConversionTarget>, Error> {
    let Some(name) = side else { return Ok(None) };
    let found = collations.iter().find(|one| server::is_same_collation(&one.name, name));
    let missing = || Error::NoCollation { server: server.label().to_owned(), collation: name.to_owned() };
    let found = found.ok_or_else(missing)?;
    let binary_collations = collations.iter().map(|one| one.name.clone()).filter(|name| is_binary(name)).collect();
    let (charset, collation) = (found.charset.clone(), found.name.clone());
    Ok(Some(ConversionTarget { charset, collation, all_columns, binary_collations }))
}

/// Returns the default collation of the schemas: the server's default of utf8mb4, as on a new
/// server. It applies to tables that name no collation.
pub(crate) fn default_collation(server: &Server, collations: &[CollationInfo]) -> Result<SchemaSpec, Error> {
    let marked = collations.iter().find(|one| one.charset == "utf8mb4" && one.is_default);
    let named = || collations.iter().find(|one| one.name == "utf8mb4_general_ci");
    let missing = || Error::NoCollation { server: server.label().to_owned(), collation: "of utf8mb4".to_owned() };
    let found = marked.or_else(named).ok_or_else(missing)?;
    Ok(SchemaSpec { charset: found.charset.clone(), collation: found.name.clone() })
}
