//! The rows of a run: loaded into a schema for each variant, and the variants that they make.

use std::collections::BTreeMap;

use drive::{Loaded, Prepared, Schemas, SysbenchScript, Wanted};
use parity::AS_IS;
use server::{Layers, Server};
use workload::{Table, Text};

use crate::error::Error;
use crate::instances::Instances;
use crate::model::{Run, TableSize, Variant};
use crate::plan::PlanError;
use crate::preview::{self, SchemaKey, schema_key, schema_keys};
use crate::recording::Recording;
use crate::request::{Observer, Request};
use crate::turn;

/// Columns that a message names.
const MOST_NAMED: usize = 3;

/// The schemas of one text, on all servers.
pub(crate) struct Rows<'s> {
    /// Dropped with this.
    schemas: Vec<Schemas<'s>>,
    /// Where each variant of the run is that holds this text.
    pub(crate) homes: BTreeMap<usize, Home>,
}

/// Where the rows of a variant are.
#[derive(Clone, Debug)]
pub(crate) struct Home {
    /// The instance's number.
    pub(crate) instance: usize,
    pub(crate) schema: String,
}

/// A schema that was filled by somebody else than the loader, with a text column of it.
struct Side {
    schema: String,
    column: Option<(String, String)>,
}

impl Rows<'_> {
    /// Drops the schemas, and tells if something stays.
    pub(crate) fn remove(self) -> Result<(), Error> {
        self.schemas.into_iter().try_for_each(|schemas| schemas.remove().map_err(Error::from))
    }
}

/// Loads the rows of a text.
pub(crate) struct Loader<'a> {
    pub(crate) request: &'a Request,
    pub(crate) observer: &'a dyn Observer,
    pub(crate) run: &'a mut Run,
    /// The replicate, from 0: each loads in another order, so that it is not always the same variant whose rows come first.
    pub(crate) replicate: u32,
}

impl Loader<'_> {
    /// Loads the rows of one text into a schema for each variant that needs one of its own. Variants that the run doesn't have yet are
    /// added to it.
    pub(crate) fn load<'s>(
        mut self,
        instances: &'s Instances<'_>,
        text: Text,
        variants: &[Variant],
    ) -> Result<Rows<'s>, Error> {
        let tables = preview::tables(self.request, text);
        let mut rows = Rows { schemas: Vec::new(), homes: BTreeMap::new() };
        for index in 0..instances.servers().len() {
            let own: Vec<&Variant> = variants.iter().filter(|variant| variant.server == index).collect();
            if own.is_empty() {
                continue;
            }
            let places: Vec<(usize, &Server)> = instances.of(index).collect();
            match (&self.request.recording, &self.request.script) {
                (Some(recording), _) => self.fill_server(places[0], recording, &own, &mut rows)?,
                (None, Some(script)) => self.prepare_server(places[0], script, &own, &mut rows)?,
                (None, None) => self.load_server(&places, text, &tables, &own, &mut rows)?,
            }
        }
        Ok(rows)
    }

    /// The schemas that variants need, in this replicate's order: each replicate begins with another.
    fn schemas_in_turn<'v>(&self, variants: &[&'v Variant]) -> Vec<SchemaKey<'v>> {
        let mut keys = schema_keys(variants.iter().copied(), self.request.keeps_apart());
        turn::rotate(&mut keys, self.replicate);
        keys
    }

    /// Loads into the instances of one server: all variants into its only one, or each into its own.
    fn load_server<'s>(
        &mut self,
        places: &[(usize, &'s Server)],
        text: Text,
        tables: &[Table],
        variants: &[&Variant],
        rows: &mut Rows<'s>,
    ) -> Result<(), Error> {
        let apart = self.request.keeps_apart();
        let keys = self.schemas_in_turn(variants);
        let charset = |collation: &str| {
            variants.iter().find(|variant| variant.collation == collation).map_or("", |variant| &variant.charset)
        };
        let wanted: Vec<Wanted> = keys
            .iter()
            .map(|key| Wanted { charset: charset(key.collation).into(), collation: key.collation.into() })
            .collect();

        let together = if self.request.buffer_pool.is_some() { 1 } else { wanted.len() };
        let mut loaded: Vec<(usize, &Server, Loaded)> = Vec::new();
        for (&(number, server), wanted) in places.iter().zip(wanted.chunks(together)) {
            let schemas = Schemas::new(server, &drive::run_name())?;
            let filled = self.fill(&schemas, server, text, tables, wanted)?;
            rows.schemas.push(schemas);
            loaded.extend(filled.into_iter().map(|filled| (number, server, filled)));
        }
        let held_before = rows.homes.len();
        for &variant in variants {
            let place = keys.iter().position(|key| *key == schema_key(variant, apart)).expect("its key is among them");
            let (number, server, filled) = &loaded[place];
            match filled {
                Loaded::Schema { name } => {
                    let column = tables[0].text_columns().next().unwrap_or("id");
                    let index = self.index(server, name, tables, Some((&tables[0].name, column)), variant)?;
                    rows.homes.insert(index, Home { instance: *number, schema: name.clone() });
                }
                Loaded::CannotHold { reason } => self.leave_out(server, variant, reason)?,
            }
        }
        if rows.homes.len() == held_before {
            return Err(Error::NothingToMeasure { server: places[0].1.label().into(), text: text.to_string() });
        }
        Ok(())
    }

    /// Fills a schema of one server for each side of a workload's folder.
    fn fill_server<'s>(
        &mut self,
        (number, server): (usize, &'s Server),
        recording: &Recording,
        variants: &[&Variant],
        rows: &mut Rows<'s>,
    ) -> Result<(), Error> {
        let keys = self.schemas_in_turn(variants);
        let schemas = Schemas::new(server, &drive::run_name())?;
        let mut sides: Vec<Side> = Vec::new();
        for (place, key) in keys.iter().enumerate() {
            self.observer.stage(&format!("{}: filling a schema for {}", server.label(), key.collation));
            self.observer.fraction(place as f64 / keys.len() as f64);
            let collation = Some(key.collation).filter(|name| *name != AS_IS);
            let filled = parity::fill(server, &recording.folder, &schemas, collation, recording.convert_all)?;
            let column = filled.text_column().map(|(table, column)| (table.to_owned(), column.to_owned()));
            sides.push(Side { schema: filled.schema, column });
        }
        rows.schemas.push(schemas);
        self.settle((number, server), &keys, &sides, variants, rows)
    }

    /// Has a script prepare its tables in a schema of one server for each variant.
    fn prepare_server<'s>(
        &mut self,
        (number, server): (usize, &'s Server),
        script: &SysbenchScript,
        variants: &[&Variant],
        rows: &mut Rows<'s>,
    ) -> Result<(), Error> {
        let keys = self.schemas_in_turn(variants);
        let schemas = Schemas::new(server, &drive::run_name())?;
        let (mut sides, mut first): (Vec<Side>, Option<(Prepared, &str)>) = (Vec::new(), None);
        for (place, key) in keys.iter().enumerate() {
            self.observer.stage(&format!("{}: {} prepares {}", server.label(), script.name, key.collation));
            self.observer.fraction(place as f64 / keys.len() as f64);
            let charset = variants.iter().find(|variant| variant.collation == key.collation);
            let charset = charset.map_or_else(String::new, |variant| variant.charset.clone());
            let schema = schemas.create(&Wanted { charset, collation: key.collation.into() })?;
            let prepared = drive::prepare_by_script(server, &schema, script, &self.request.rows)?;
            if prepared.column.is_none() && !prepared.others.is_empty() {
                return Err(Error::ScriptHasCollations {
                    script: script.named.clone(),
                    columns: other_columns(&prepared),
                });
            }
            self.note_prepared(server, script, key.collation, &prepared, first.as_ref());
            sides.push(Side { schema, column: prepared.column.clone() });
            first.get_or_insert((prepared, key.collation));
        }
        rows.schemas.push(schemas);
        self.settle((number, server), &keys, &sides, variants, rows)
    }

    /// Notes what of a script's tables is not the schema's collation, and what is not as in the schema that was prepared first.
    fn note_prepared(
        &mut self,
        server: &Server,
        script: &SysbenchScript,
        collation: &str,
        prepared: &Prepared,
        first: Option<&(Prepared, &str)>,
    ) {
        let mut notes = Vec::new();
        if !prepared.others.is_empty() {
            notes.push(format!(
                "columns that {} gives a collation of their own keep it on all sides: {}",
                script.named,
                other_columns(prepared)
            ));
        }
        if let Some((first, on)) = first.filter(|(first, _)| first.tables != prepared.tables) {
            let rows = |prepared: &Prepared| {
                let rows = prepared.tables.iter().map(|(table, rows)| format!("{table}: {rows}"));
                rows.collect::<Vec<_>>().join(", ")
            };
            notes.push(format!(
                "{}: {} prepared other rows for {collation} ({}) than for {on} ({}): their ratio is of these, too",
                server.label(),
                script.named,
                rows(prepared),
                rows(first)
            ));
        }
        notes.retain(|note| !self.run.notes.contains(note));
        self.run.notes.extend(notes);
    }

    /// Gives each variant the schema of its key.
    fn settle(
        &mut self,
        (number, server): (usize, &Server),
        keys: &[SchemaKey<'_>],
        sides: &[Side],
        variants: &[&Variant],
        rows: &mut Rows<'_>,
    ) -> Result<(), Error> {
        let apart = self.request.keeps_apart();
        for &variant in variants {
            let place = keys.iter().position(|key| *key == schema_key(variant, apart)).expect("its key is among them");
            let Side { schema, column } = &sides[place];
            let column = column.as_ref().map(|(table, column)| (table.as_str(), column.as_str()));
            let index = self.index(server, schema, &[], column, variant)?;
            rows.homes.insert(index, Home { instance: number, schema: schema.clone() });
        }
        Ok(())
    }

    fn fill(
        &self,
        schemas: &Schemas<'_>,
        server: &Server,
        text: Text,
        tables: &[Table],
        wanted: &[Wanted],
    ) -> Result<Vec<Loaded>, Error> {
        let observer = self.observer;
        observer.stage(&format!("{}: loading {text} text", server.label()));
        let report = |progress: drive::Progress| observer.fraction(progress.done as f64 / progress.total.max(1) as f64);
        Ok(schemas.load(tables, wanted, &report)?)
    }

    /// The variant's index in the run, which it is added to where it is new, with what is in force down to this table's column.
    fn index(
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

    /// Notes that a variant can't hold the text; for a baseline that was asked for it is an error.
    fn leave_out(&mut self, server: &Server, variant: &Variant, reason: &str) -> Result<(), Error> {
        if self.request.axes.baseline.as_ref() == Some(&variant.collation) {
            let (name, reason) = (variant.collation.clone(), format!("{} says that {reason}", server.label()));
            return Err(PlanError::NoBaseline { name, reason }.into());
        }
        let note = format!("{}, {}: {reason}: left out", server.label(), variant.collation);
        if !self.run.notes.contains(&note) {
            self.run.notes.push(note);
        }
        Ok(())
    }
}

/// The first columns that have a collation of their own.
fn other_columns(prepared: &Prepared) -> String {
    let named = prepared.others.iter().map(|one| format!("{}.{} {}", one.table, one.column, one.collation));
    let more = prepared.others.len().saturating_sub(MOST_NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    named.take(MOST_NAMED).collect::<Vec<_>>().join(", ") + &more
}

fn read_layers(server: &Server, schema: &str, (table, column): (&str, &str)) -> Result<Layers, Error> {
    let mut conn = server.control()?;
    server::layers(&mut conn, schema, table, column).map_err(|source| {
        let label = server.label().into();
        server::Error::Statement { label, what: "tell the charsets in force", source }.into()
    })
}

fn read_sizes(server: &Server, schema: &str, tables: &[Table], variant: usize) -> Result<Vec<TableSize>, Error> {
    let of_table = |size: drive::TableSize| TableSize {
        variant,
        table: size.table,
        rows: size.rows,
        data_bytes: size.data_bytes,
        index_bytes: size.index_bytes,
        leaf_pages: size.leaf_pages,
        page_bytes: size.page_bytes,
    };
    Ok(drive::table_sizes(server, schema, tables)?.into_iter().map(of_table).collect())
}
