//! The rows of a run: loaded into a schema for each variant, and the variants that they make.

use std::collections::BTreeMap;

use drive::{Loaded, Schemas, Wanted};
use server::{Layers, Server};
use workload::{Table, Text};

use crate::error::Error;
use crate::model::{Run, TableSize, Variant};
use crate::plan::PlanError;
use crate::preview::{self, SchemaKey, schema_key};
use crate::request::{Observer, Request};

/// The schemas of one text, on all servers.
pub(crate) struct Rows<'s> {
    /// Dropped with this.
    schemas: Vec<Schemas<'s>>,
    /// The schema of each variant of the run that holds this text.
    pub(crate) names: BTreeMap<usize, String>,
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
}

impl Loader<'_> {
    /// Loads the rows of one text into a schema for each variant that needs one of its own. Variants that the run doesn't have yet are
    /// added to it.
    pub(crate) fn load<'s>(
        &mut self,
        servers: &'s [Server],
        text: Text,
        variants: &[Variant],
    ) -> Result<Rows<'s>, Error> {
        let tables = preview::tables(self.request, text);
        let mut rows = Rows { schemas: Vec::new(), names: BTreeMap::new() };
        for (index, server) in servers.iter().enumerate() {
            let own: Vec<&Variant> = variants.iter().filter(|variant| variant.server == index).collect();
            self.load_server(server, text, &tables, &own, &mut rows)?;
        }
        Ok(rows)
    }

    fn load_server<'s>(
        &mut self,
        server: &'s Server,
        text: Text,
        tables: &[Table],
        variants: &[&Variant],
        rows: &mut Rows<'s>,
    ) -> Result<(), Error> {
        let writes = self.request.writes();
        let mut keys: Vec<SchemaKey<'_>> = Vec::new();
        for key in variants.iter().map(|variant| schema_key(variant, writes)) {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        let charset = |collation: &str| {
            variants.iter().find(|variant| variant.collation == collation).map_or("", |variant| &variant.charset)
        };
        let wanted: Vec<Wanted> = keys
            .iter()
            .map(|key| Wanted { charset: charset(key.collation).into(), collation: key.collation.into() })
            .collect();

        self.observer.stage(&format!("{}: loading {text} text", server.label()));
        let observer = self.observer;
        let report = |progress: drive::Progress| observer.fraction(progress.done as f64 / progress.total.max(1) as f64);
        let schemas = Schemas::new(server, &run_id())?;
        let loaded = schemas.load(tables, &wanted, &report)?;
        rows.schemas.push(schemas);
        let held_before = rows.names.len();
        for &variant in variants {
            let place = keys.iter().position(|key| *key == schema_key(variant, writes)).expect("its key is among them");
            match &loaded[place] {
                Loaded::Schema { name } => {
                    let index = self.index(server, name, tables, variant)?;
                    rows.names.insert(index, name.clone());
                }
                Loaded::CannotHold { reason } => self.leave_out(server, variant, reason)?,
            }
        }
        if rows.names.len() == held_before {
            return Err(Error::NothingToMeasure { server: server.label().into(), text: text.to_string() });
        }
        Ok(())
    }

    /// The variant's index in the run, which it is added to where it is new.
    fn index(&mut self, server: &Server, schema: &str, tables: &[Table], variant: &Variant) -> Result<usize, Error> {
        let is_it = |known: &Variant| Variant { layers: None, ..known.clone() } == *variant;
        if let Some(index) = self.run.variants.iter().position(is_it) {
            return Ok(index);
        }
        let index = self.run.variants.len();
        let layers = read_layers(server, schema, &tables[0])?;
        if !variant.copy {
            self.run.sizes.extend(read_sizes(server, schema, tables, index)?);
        }
        self.run.variants.push(Variant { layers: Some(layers), ..variant.clone() });
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

/// A name for the schemas of this run, unlike that of others on the same server.
fn run_id() -> String {
    let nanoseconds = jiff::Timestamp::now().as_nanosecond() as u64;
    format!("{:x}_{:x}", std::process::id(), nanoseconds & 0xFFFF_FFFF)
}

fn read_layers(server: &Server, schema: &str, table: &Table) -> Result<Layers, Error> {
    let column = table.text_columns().next().unwrap_or("id");
    let mut conn = server.control()?;
    server::layers(&mut conn, schema, &table.name, column).map_err(|source| {
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
