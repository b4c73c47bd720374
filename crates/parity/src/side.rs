//! A side's schema: filled, its text columns converted or rebuilt as they are, and analysed.

use drive::{Schemas, Wanted};
use replay::Workload;
use server::{CollationInfo, Server};

use crate::convert::{Definition, Target};
use crate::error::Error;
use crate::fill::Filling;

/// What the workload's own collations are called.
pub const AS_IS: &str = "as-is";

/// A schema that holds a workload's rows.
#[derive(Clone, Debug)]
pub struct Filled {
    /// Its name.
    pub schema: String,
    pub(crate) definitions: Vec<Definition>,
    all: bool,
}

impl Filled {
    /// The names of its tables.
    pub fn tables(&self) -> impl Iterator<Item = &str> {
        self.definitions.iter().map(|definition| definition.name.as_str())
    }

    /// A table and a column of it that a conversion converts, or that holds text at least.
    pub fn text_column(&self) -> Option<(&str, &str)> {
        let any = Target { charset: String::new(), collation: String::new(), all: self.all };
        let converted = |one: &Definition| one.converted(&any).next().map(|column| column.name.clone());
        let found = self.definitions.iter().find(|one| converted(one).is_some());
        let one = found.or_else(|| self.definitions.iter().find(|one| !one.columns.is_empty()))?;
        let column = one.converted(&any).next().or(one.columns.first())?;
        let column = one.columns.iter().find(|own| own.name == column.name)?;
        Some((&one.name, &column.name))
    }
}

/// Creates a schema, fills it, and converts its text columns to a collation, or rebuilds them with their own.
///
/// # Errors
/// If the server lacks the collation, or refuses a statement.
pub fn fill(
    server: &Server,
    workload: &Workload,
    schemas: &Schemas<'_>,
    collation: Option<&str>,
    all: bool,
) -> Result<Filled, Error> {
    let known = server.collations()?;
    let target = target(server, &known, collation, all)?;
    fill_target(server, workload, schemas, &wanted(server, &known)?, target.as_ref(), all)
}

pub(crate) fn fill_target(
    server: &Server,
    workload: &Workload,
    schemas: &Schemas<'_>,
    wanted: &Wanted,
    target: Option<&Target>,
    all: bool,
) -> Result<Filled, Error> {
    let schema = schemas.create(wanted)?;
    let mut filling = Filling::new(server, &schema, workload)?;
    filling.fill()?;
    let definitions = filling.definitions()?;
    // As it is, a side is rebuilt by the statements that convert the others.
    let any = Target { charset: String::new(), collation: String::new(), all };
    filling.rebuild(&definitions, target.unwrap_or(&any), target.is_none())?;
    filling.programs()?;
    Ok(Filled { schema, definitions, all })
}

/// Text columns that a conversion converts, and all.
pub(crate) fn columns_of(definitions: &[Definition], target: &Target) -> (u64, u64) {
    definitions.iter().fold((0, 0), |(changed, all), one| {
        (changed + one.converted(target).count() as u64, all + one.columns.len() as u64)
    })
}

pub(crate) fn name(target: Option<&Target>) -> String {
    target.map_or(AS_IS.to_owned(), |target| target.collation.clone())
}

pub(crate) fn target(
    server: &Server,
    known: &[CollationInfo],
    side: Option<&str>,
    all: bool,
) -> Result<Option<Target>, Error> {
    let Some(name) = side else { return Ok(None) };
    let found = known.iter().find(|one| one.name.eq_ignore_ascii_case(name));
    let missing = || Error::NoCollation { server: server.label().to_owned(), collation: name.to_owned() };
    let found = found.ok_or_else(missing)?;
    Ok(Some(Target { charset: found.charset.clone(), collation: found.name.clone(), all }))
}

/// The schemas' own default, for tables that don't say theirs: utf8mb4's, as on a new server.
pub(crate) fn wanted(server: &Server, known: &[CollationInfo]) -> Result<Wanted, Error> {
    let default = known.iter().find(|one| one.charset == "utf8mb4" && one.is_default);
    let named = || known.iter().find(|one| one.name == "utf8mb4_general_ci");
    let missing = || Error::NoCollation { server: server.label().to_owned(), collation: "of utf8mb4".to_owned() };
    let found = default.or_else(named).ok_or_else(missing)?;
    Ok(Wanted { charset: found.charset.clone(), collation: found.name.clone() })
}
