//! Rows of a run: loads them into schemas and records the variants.

use std::collections::BTreeMap;

use load::{PreparedTables, SchemaOutcome, SchemaSpec, Schemas, SysbenchScript};
use result_diff::AS_IS;
use server::{Layers, Server};
use workload::{Table, Text};

use super::instances::Instances;
use super::{Error, Observer};
use crate::model::{Run, TableSize, Variant};
use crate::plan::PlanError;
use crate::plan::schemas::{self, SchemaKey, schema_key, schema_keys};
use crate::request::{MeasuredFolder, Request};
use crate::schedule::rotation;

/// Maximum number of columns named in a message.
const MAX_NAMED_COLUMNS: usize = 3;

/// The schemas of one text on all servers.
pub(crate) struct LoadedRows<'s> {
    /// Schemas on the servers, which are dropped when this value is dropped.
    schemas: Vec<Schemas<'s>>,
    /// Schema of each variant, by index in the run.
    pub(crate) locations: BTreeMap<usize, SchemaLocation>,
}

/// Location of a variant's rows.
#[derive(Clone, Debug)]
pub(crate) struct SchemaLocation {
    /// Number of the instance.
    pub(crate) instance: usize,
    pub(crate) schema: String,
}

/// A schema filled from a workload folder or by a script, with one of its text columns.
struct FilledSchema {
    schema: String,
    column: Option<(String, String)>,
}

impl LoadedRows<'_> {
    /// Drops the schemas. An error if one cannot be dropped.
    pub(crate) fn remove(self) -> Result<(), Error> {
        self.schemas.into_iter().try_for_each(|schemas| schemas.remove().map_err(Error::from))
    }
}

/// Loads the rows of a text.
pub(crate) struct RowLoader<'a> {
    pub(crate) request: &'a Request,
    pub(crate) observer: &'a dyn Observer,
    pub(crate) run: &'a mut Run,
    /// Number of the replicate, from 0. Rotates the order of loading, so that a different variant
    /// is loaded first in each replicate.
    pub(crate) replicate: u32,
}

impl RowLoader<'_> {
    /// Loads the rows of one text into the schemas of the variants. Adds new variants to the run.
    pub(crate) fn load<'s>(
        mut self,
        instances: &'s Instances<'_>,
        text: Text,
        variants: &[Variant],
    ) -> Result<LoadedRows<'s>, Error> {
        let tables = schemas::workload_tables(self.request, text);
        let mut rows = LoadedRows { schemas: Vec::new(), locations: BTreeMap::new() };
        for index in 0..instances.servers().len() {
            let own: Vec<&Variant> = variants.iter().filter(|variant| variant.server == index).collect();
            if own.is_empty() {
                continue;
            }
            let places: Vec<(usize, &Server)> = instances.for_server(index).collect();
            match (&self.request.workload_folder, &self.request.script) {
                (Some(folder), _) => self.fill_from_folder(places[0], folder, &own, &mut rows)?,
                (None, Some(script)) => self.prepare_with_script(places[0], script, &own, &mut rows)?,
                (None, None) => self.load_generated_rows(&places, text, &tables, &own, &mut rows)?,
            }
        }
        Ok(rows)
    }

    /// Returns the required schemas, rotated by the replicate.
    fn schema_keys_in_order<'v>(&self, variants: &[&'v Variant]) -> Vec<SchemaKey<'v>> {
        let mut keys = schema_keys(variants.iter().copied(), self.request.separates_variants());
        rotation::rotate_for_replicate(&mut keys, self.replicate);
        keys
    }

    /// Loads generated rows into the instances of one server: one schema per instance with
    /// `--buffer-pool`, otherwise all schemas into the single instance.
    fn load_generated_rows<'s>(
        &mut self,
        places: &[(usize, &'s Server)],
        text: Text,
        tables: &[Table],
        variants: &[&Variant],
        rows: &mut LoadedRows<'s>,
    ) -> Result<(), Error> {
        let separate = self.request.separates_variants();
        let keys = self.schema_keys_in_order(variants);
        let charset = |collation: &str| {
            variants.iter().find(|variant| variant.collation == collation).map_or("", |variant| &variant.charset)
        };
        let wanted: Vec<SchemaSpec> = keys
            .iter()
            .map(|key| SchemaSpec { charset: charset(key.collation).into(), collation: key.collation.into() })
            .collect();

        let together = if self.request.buffer_pool.is_some() { 1 } else { wanted.len() };
        let mut loaded: Vec<(usize, &Server, SchemaOutcome)> = Vec::new();
        for (&(number, server), wanted) in places.iter().zip(wanted.chunks(together)) {
            let schemas = Schemas::new(server, &load::new_run_name())?;
            let filled = self.load_with_progress(&schemas, server, text, tables, wanted)?;
            rows.schemas.push(schemas);
            loaded.extend(filled.into_iter().map(|filled| (number, server, filled)));
        }
        let held_before = rows.locations.len();
        for &variant in variants {
            let place =
                keys.iter().position(|key| *key == schema_key(variant, separate)).expect("each variant has a key");
            let (number, server, filled) = &loaded[place];
            match filled {
                SchemaOutcome::Schema { name } => {
                    let column = tables[0].text_columns().next().unwrap_or("id");
                    let index = self.add_variant(server, name, tables, Some((&tables[0].name, column)), variant)?;
                    rows.locations.insert(index, SchemaLocation { instance: *number, schema: name.clone() });
                }
                SchemaOutcome::CannotHold { reason } => self.exclude_variant(server, variant, reason)?,
            }
        }
        if rows.locations.len() == held_before {
            return Err(
                PlanError::NothingToMeasure { server: places[0].1.label().into(), text: text.to_string() }.into()
            );
        }
        Ok(())
    }

    /// Fills the schemas from a workload folder. In a run that only reads, variants that differ
    /// only in their connections share a schema.
    fn fill_from_folder<'s>(
        &mut self,
        (number, server): (usize, &'s Server),
        folder: &MeasuredFolder,
        variants: &[&Variant],
        rows: &mut LoadedRows<'s>,
    ) -> Result<(), Error> {
        let keys = self.schema_keys_in_order(variants);
        let schemas = Schemas::new(server, &load::new_run_name())?;
        let mut sides: Vec<FilledSchema> = Vec::new();
        let left_out = folder.left_out();
        for (place, key) in keys.iter().enumerate() {
            self.observer.stage(&format!("{}: filling a schema for {}", server.label(), key.collation));
            self.observer.fraction(place as f64 / keys.len() as f64);
            let collation = Some(key.collation).filter(|name| *name != AS_IS);
            let filled = result_diff::fill(server, &folder.folder, &schemas, collation, folder.convert_all, &left_out)?;
            let column = filled.text_column().map(|(table, column)| (table.to_owned(), column.to_owned()));
            sides.push(FilledSchema { schema: filled.schema, column });
        }
        rows.schemas.push(schemas);
        self.assign_schemas((number, server), &keys, &sides, variants, rows)
    }

    /// Runs a script's `prepare` command in one schema per schema key.
    fn prepare_with_script<'s>(
        &mut self,
        (number, server): (usize, &'s Server),
        script: &SysbenchScript,
        variants: &[&Variant],
        rows: &mut LoadedRows<'s>,
    ) -> Result<(), Error> {
        let keys = self.schema_keys_in_order(variants);
        let schemas = Schemas::new(server, &load::new_run_name())?;
        let (mut sides, mut first): (Vec<FilledSchema>, Option<(PreparedTables, &str)>) = (Vec::new(), None);
        for (place, key) in keys.iter().enumerate() {
            self.observer.stage(&format!("{}: {} prepares {}", server.label(), script.name, key.collation));
            self.observer.fraction(place as f64 / keys.len() as f64);
            let charset = variants.iter().find(|variant| variant.collation == key.collation);
            let charset = charset.map_or_else(String::new, |variant| variant.charset.clone());
            let schema = schemas.create(&SchemaSpec { charset, collation: key.collation.into() })?;
            let prepared = load::prepare_by_script(server, &schema, script, &self.request.rows)?;
            if prepared.text_column.is_none() && !prepared.deviating_columns.is_empty() {
                return Err(Error::ScriptHasCollations {
                    script: script.given_path.clone(),
                    columns: describe_deviating_columns(&prepared),
                });
            }
            self.note_prepared(server, script, key.collation, &prepared, first.as_ref());
            sides.push(FilledSchema { schema, column: prepared.text_column.clone() });
            first.get_or_insert((prepared, key.collation));
        }
        rows.schemas.push(schemas);
        self.assign_schemas((number, server), &keys, &sides, variants, rows)
    }

    /// Adds notes to the run on columns that do not use the schema's collation, and on differences
    /// from the tables of the variant prepared first.
    fn note_prepared(
        &mut self,
        server: &Server,
        script: &SysbenchScript,
        collation: &str,
        prepared: &PreparedTables,
        first: Option<&(PreparedTables, &str)>,
    ) {
        let mut notes = Vec::new();
        if !prepared.deviating_columns.is_empty() {
            notes.push(format!(
                "columns with a collation set by {} keep it on all sides: {}",
                script.given_path,
                describe_deviating_columns(prepared)
            ));
        }
        if let Some((first, on)) = first.filter(|(first, _)| first.tables != prepared.tables) {
            let rows = |prepared: &PreparedTables| {
                let rows = prepared.tables.iter().map(|(table, rows)| format!("{table}: {rows}"));
                rows.collect::<Vec<_>>().join(", ")
            };
            notes.push(format!(
                "{}: {} prepared different rows for {collation} ({}) and for {on} ({}): the ratio includes this difference",
                server.label(),
                script.given_path,
                rows(prepared),
                rows(first)
            ));
        }
        notes.retain(|note| !self.run.notes.contains(note));
        self.run.notes.extend(notes);
    }

    /// Assigns each variant the schema of its key.
    fn assign_schemas(
        &mut self,
        (number, server): (usize, &Server),
        keys: &[SchemaKey<'_>],
        sides: &[FilledSchema],
        variants: &[&Variant],
        rows: &mut LoadedRows<'_>,
    ) -> Result<(), Error> {
        let separate = self.request.separates_variants();
        for &variant in variants {
            let place =
                keys.iter().position(|key| *key == schema_key(variant, separate)).expect("each variant has a key");
            let FilledSchema { schema, column } = &sides[place];
            let column = column.as_ref().map(|(table, column)| (table.as_str(), column.as_str()));
            let index = self.add_variant(server, schema, &[], column, variant)?;
            rows.locations.insert(index, SchemaLocation { instance: number, schema: schema.clone() });
        }
        Ok(())
    }

    fn load_with_progress(
        &self,
        schemas: &Schemas<'_>,
        server: &Server,
        text: Text,
        tables: &[Table],
        wanted: &[SchemaSpec],
    ) -> Result<Vec<SchemaOutcome>, Error> {
        let observer = self.observer;
        observer.stage(&format!("{}: loading {text} text", server.label()));
        let report = |progress: load::Progress| observer.fraction(progress.done as f64 / progress.total.max(1) as f64);
        Ok(schemas.load(tables, wanted, &report)?)
    }

    /// Returns the variant's index in the run. Adds a new variant with the character sets and
    /// collations that the server reports for itself, the schema, the table and the column.
    fn add_variant(
        &mut self,
        server: &Server,
        schema: &str,
        tables: &[Table],
        column: Option<(&str, &str)>,
        variant: &Variant,
    ) -> Result<usize, Error> {
        let is_it = |known: &Variant| Variant { layers: None, ..known.clone() } == *variant;
        if let Some(index) = self.run.variants.iter().position(is_it) {
            return Ok(index);
        }
        let index = self.run.variants.len();
        let layers = column.map(|column| read_layers(server, schema, column)).transpose()?;
        if !variant.copy {
            self.run.sizes.extend(read_sizes(server, schema, tables, index)?);
        }
        self.run.variants.push(Variant { layers, ..variant.clone() });
        Ok(index)
    }

    /// Notes that a variant cannot hold the text. For the requested baseline this is an error.
    fn exclude_variant(&mut self, server: &Server, variant: &Variant, reason: &str) -> Result<(), Error> {
        if self.request.axes.baseline.as_ref() == Some(&variant.collation) {
            let (name, reason) = (variant.collation.clone(), format!("{} says that {reason}", server.label()));
            return Err(PlanError::UnusableBaseline { name, reason }.into());
        }
        let note = format!("{}, {}: {reason}: left out", server.label(), variant.collation);
        if !self.run.notes.contains(&note) {
            self.run.notes.push(note);
        }
        Ok(())
    }
}

/// Lists the first three columns whose collation the script sets:
/// `t.c latin1_bin, t.d utf8mb4_bin, u.c latin1_bin and 2 more`.
fn describe_deviating_columns(prepared: &PreparedTables) -> String {
    let named = prepared.deviating_columns.iter().map(|one| format!("{}.{} {}", one.table, one.column, one.collation));
    message::list_names(&named.collect::<Vec<_>>(), MAX_NAMED_COLUMNS)
}

fn read_layers(server: &Server, schema: &str, (table, column): (&str, &str)) -> Result<Layers, Error> {
    let mut conn = server.connect()?;
    server::read_layers(&mut conn, schema, table, column).map_err(|source| {
        let label = server.label().into();
        server::Error::Statement { label, what: "tell the charsets in force", source }.into()
    })
}

fn read_sizes(server: &Server, schema: &str, tables: &[Table], variant: usize) -> Result<Vec<TableSize>, Error> {
    let to_record = |size: load::TableSize| TableSize {
        variant,
        table: size.table,
        rows: size.rows,
        data_bytes: size.data_bytes,
        index_bytes: size.index_bytes,
        leaf_pages: size.leaf_pages,
        page_bytes: size.page_bytes,
    };
    Ok(load::table_sizes(server, schema, tables)?.into_iter().map(to_record).collect())
}
