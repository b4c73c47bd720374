//! Objects of schemas as lists of named parts.

use std::collections::BTreeMap;
use std::fmt;

/// Kind of an object, in the order of creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    Schema,
    /// MariaDB 10.3 and later.
    Sequence,
    Table,
    /// MariaDB 10.3 and later.
    Package,
    PackageBody,
    Function,
    Procedure,
    View,
    Trigger,
    Event,
}

impl Kind {
    /// Returns the keyword after `SHOW CREATE` and `DROP`.
    pub fn keyword(self) -> &'static str {
        match self {
            Kind::Schema => "DATABASE",
            Kind::Sequence => "SEQUENCE",
            Kind::Table => "TABLE",
            Kind::Package => "PACKAGE",
            Kind::PackageBody => "PACKAGE BODY",
            Kind::Function => "FUNCTION",
            Kind::Procedure => "PROCEDURE",
            Kind::View => "VIEW",
            Kind::Trigger => "TRIGGER",
            Kind::Event => "EVENT",
        }
    }

    pub fn is_program_or_view(self) -> bool {
        !matches!(self, Kind::Schema | Kind::Sequence | Kind::Table)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectName {
    pub kind: Kind,
    pub schema: String,
    /// The schema's own name for a schema.
    pub name: String,
}

impl fmt::Display for ObjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            Kind::Schema => return write!(f, "schema {}", self.schema),
            kind => kind.keyword().to_lowercase(),
        };
        write!(f, "{kind} {}.{}", self.schema, self.name)
    }
}

/// Session settings that a program keeps from its creation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CreationSession {
    /// `None` for views, which have no SQL mode of their own.
    pub sql_mode: Option<String>,
    pub character_set_client: Option<String>,
    pub collation_connection: Option<String>,
    /// Collation of the schema. `None` for views.
    pub schema_collation: Option<String>,
    /// Time zone of an event.
    pub time_zone: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    pub name: ObjectName,
    /// Statement that creates the object, as the server prints it.
    pub create: String,
    pub session: CreationSession,
    /// Table of a trigger.
    pub table: Option<String>,
    /// True for an event whose last time is over, or will be within a day, and which a server
    /// therefore drops or disables when it is created: it is enabled, or not ON COMPLETION
    /// PRESERVE.
    pub ends_soon: bool,
    /// Statements that grant privileges on a routine. Empty for other objects, or if the privileges
    /// can't be read.
    pub grants: Vec<String>,
    /// Compared parts by name: ``column `a` ``, ``key `k` ``, `options`, `grants`.
    pub parts: BTreeMap<String, String>,
}

impl Object {
    pub fn new(kind: Kind, schema: &str, name: &str, create: String) -> Self {
        Self {
            name: ObjectName { kind, schema: schema.to_owned(), name: name.to_owned() },
            create,
            session: CreationSession::default(),
            table: None,
            ends_soon: false,
            grants: Vec::new(),
            parts: BTreeMap::new(),
        }
    }
}

/// An object whose definition the server doesn't return, or prints in a way that could be misread;
/// a view that doesn't open, or must not be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    pub name: ObjectName,
    /// Error number, 0 if the server reports none.
    pub code: u16,
    pub message: String,
}

/// Objects of schemas.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Definitions {
    /// In the order of creation. Triggers are in the order in which they run.
    pub objects: Vec<Object>,
    pub unread: Vec<Unread>,
}

impl Definitions {
    pub fn find(&self, kind: Kind, schema: &str, name: &str) -> Option<&Object> {
        self.objects
            .iter()
            .find(|object| object.name.kind == kind && object.name.schema == schema && object.name.name == name)
    }

    pub fn of_kind(&self, kind: Kind) -> impl Iterator<Item = &Object> {
        self.objects.iter().filter(move |object| object.name.kind == kind)
    }

    pub fn schemas(&self) -> Vec<String> {
        self.of_kind(Kind::Schema).map(|object| object.name.schema.clone()).collect()
    }
}
