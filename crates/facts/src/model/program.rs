//! Stored programs and views: SQL that keeps the character set and collation of the session that created it.

use serde::{Deserialize, Serialize};

/// The character sets that the server stored with a program when it was created.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramCharsets {
    /// `character_set_client` at creation.
    pub client: String,
    /// `collation_connection` at creation: what its literals are compared by.
    pub connection: String,
    /// The schema's collation at creation: what its parameters and variables have where they name none. Views have none.
    pub database: Option<String>,
}

/// What stored programs and views have in common.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// Schema.
    pub schema: String,
    /// Name.
    pub name: String,
    /// `user@host` of the definer.
    pub definer: String,
    /// Body; absent where the privilege to see it is missing.
    pub body: Option<String>,
    /// Character sets that were in force when it was created.
    pub charsets: ProgramCharsets,
}

/// A view.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct View {
    /// Name, definer, `SELECT` statement.
    pub program: Program,
    /// `DEFINER` or `INVOKER`.
    pub security: String,
    /// Its columns; each carries the collation that the view's expression has.
    pub columns: Vec<crate::Column>,
}

/// A stored procedure or function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Routine {
    /// Name, definer, body.
    pub program: Program,
    /// `PROCEDURE` or `FUNCTION`; MariaDB's packages, too.
    pub kind: String,
    /// Parameters in their order; a function's result comes first, without a name.
    pub parameters: Vec<Parameter>,
}

/// A parameter of a routine, or a function's result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    /// Name; absent for a function's result.
    pub name: Option<String>,
    /// Type in full, such as `varchar(20)`.
    pub column_type: String,
    /// Character set, where it holds text.
    pub charset: Option<String>,
    /// Collation, where it holds text.
    pub collation: Option<String>,
}

/// A trigger.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trigger {
    /// Name, definer, body.
    pub program: Program,
    /// Table that it is on, in the same schema.
    pub table: String,
    /// `BEFORE` or `AFTER`.
    pub timing: String,
    /// `INSERT`, `UPDATE` or `DELETE`.
    pub event: String,
}

/// A scheduled event.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// Name, definer, body.
    pub program: Program,
    /// `ENABLED`, `DISABLED` or that of replicas.
    pub status: String,
}
