//! Queries with `GROUP BY` and without `ORDER BY`. MariaDB, and MySQL before 8.0, sort the groups;
//! MySQL 8.0 and later do not (MySQL manual, "Changes in MySQL 8.0", SQL changes).

use server::{Flavour, Server};

use crate::Error;
use crate::grammar::order_groups;
use crate::material::Given;
use crate::model::Mend;
use crate::script::Done;
use crate::side::{Rows, Session, version};

/// Groups of a query.
#[derive(Clone, Copy, Debug, Default)]
pub struct Groups {
    are_sorted: bool,
}

impl Groups {
    /// Groups of a query on the old server.
    pub fn new(source: &Server, text: &str) -> Self {
        Self { are_sorted: sorts_groups(source) && order_groups(text).is_some() }
    }

    /// True if the old server sorts them, and the query names no order.
    pub fn are_sorted(self) -> bool {
        self.are_sorted
    }

    /// Says why the new server returns other rows or another order. `None` if it sorts the groups
    /// as well.
    pub fn reason(self, target: &Server) -> Option<String> {
        (self.are_sorted && !sorts_groups(target))
            .then(|| "The old server sorts by the columns of GROUP BY, the new one does not".to_owned())
    }
}

fn sorts_groups(server: &Server) -> bool {
    let version = version(server);
    version.flavour == Flavour::MariaDb || version.version < (8, 0, 0)
}

/// The query with an `ORDER BY`, if the new server takes it. `old` are the old server's rows.
pub fn mend(target: &Server, given: &Given, after: &Done, old: &Rows) -> Result<Option<Mend>, Error> {
    let Some(text) = order_groups(&given.text) else { return Ok(None) };
    let mut session = Session::open(target, after.setup.schema.as_deref(), &after.setup.prelude)?;
    let Ok(rows) = session.run(&text)? else { return Ok(None) };
    let is_same = rows.ordered == old.ordered;
    let effects = if is_same { Vec::new() } else { vec!["The order or the rows still differ.".to_owned()] };
    let what = "Add ORDER BY with the columns of GROUP BY".to_owned();
    Ok(Some(Mend { what, sql: vec![text], effects, left: None }))
}
