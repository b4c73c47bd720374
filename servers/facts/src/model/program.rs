//! Stored programs and views. The server stores each with the character set and collation of the
//! session that created it.

use serde::{Deserialize, Serialize};
use sql::SqlMode;

/// Character sets and collations in force when a program was created.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramCharsets {
    /// `character_set_client`.
    pub client: String,
    /// `collation_connection`, the collation of literals.
    pub connection: String,
    /// Collation of the schema, the default of parameters and variables. `None` for views.
    pub database: Option<String>,
}

/// Common properties of stored programs and views.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    pub schema: String,
    pub name: String,
    /// `user@host` of the definer.
    pub definer: String,
    /// Body. `None` if the account may not see it.
    pub body: Option<String>,
    pub charsets: ProgramCharsets,
    /// `sql_mode` of the session that created it. `None` for views, whose text the server prints
    /// in the default mode.
    #[serde(default)]
    pub sql_mode: Option<String>,
}

impl Program {
    /// Returns the mode in which the body is read: under `ANSI_QUOTES`, `"code"` is a name.
    pub fn lexer_mode(&self) -> SqlMode {
        self.sql_mode.as_deref().map_or_else(SqlMode::default, SqlMode::parse)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct View {
    /// The body is the `SELECT` statement.
    pub program: Program,
    /// `DEFINER` or `INVOKER`.
    pub security: String,
    /// Columns, with the collations of their expressions. Empty if the view was not opened: see
    /// [`UnopenedViews`](crate::UnopenedViews).
    pub columns: Vec<crate::Column>,
}

/// A stored procedure, function or package.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Routine {
    pub program: Program,
    /// `PROCEDURE` or `FUNCTION`; in MariaDB also `PACKAGE` and `PACKAGE BODY`.
    pub kind: String,
    /// Parameters in order. The result of a function comes first, without a name.
    pub parameters: Vec<Parameter>,
}

/// A parameter of a routine, or a function's result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    /// `None` for a function's result.
    pub name: Option<String>,
    /// Type with length, such as `varchar(20)`.
    pub column_type: String,
    /// `None` for types other than strings.
    pub charset: Option<String>,
    /// `None` for types other than strings.
    pub collation: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trigger {
    pub program: Program,
    /// Table of the trigger, in the same schema.
    pub table: String,
    /// `BEFORE` or `AFTER`.
    pub timing: String,
    /// `INSERT`, `UPDATE` or `DELETE`.
    pub event: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    pub program: Program,
    /// `ENABLED`, `DISABLED`, or `SLAVESIDE_DISABLED` and similar on replicas.
    pub status: String,
}
