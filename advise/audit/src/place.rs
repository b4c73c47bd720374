//! Places of findings: schema, table and column of the object that a check names.

use std::collections::BTreeMap;

use check::{Object, ObjectKind, table_name};
use facts::Facts;

use crate::model::Place;

/// Finds schema, table and column by the names that checks write. Names can contain dots, so they
/// are looked up, not split.
pub struct Places<'a> {
    /// Schema and table by `schema.table`.
    tables: BTreeMap<String, (&'a str, &'a str)>,
    schemas: Vec<&'a str>,
}

impl<'a> Places<'a> {
    pub fn new(facts: &'a Facts) -> Self {
        let tables = facts
            .tables()
            .map(|table| (table_name(&table.schema, &table.name), (table.schema.as_str(), table.name.as_str())));
        Self { tables: tables.collect(), schemas: facts.schemas.iter().map(|schema| schema.name.as_str()).collect() }
    }

    /// `check` becomes the beginning of the id.
    pub fn find(&self, check: &str, object: &Object) -> Place {
        let id = format!("{check}: {}", object.name);
        let place = match object.kind {
            ObjectKind::Schema => self.find_schema(&object.name),
            ObjectKind::Columns => self.find_table(object.name.split(" = ").next().unwrap_or_default()),
            _ => self.find_table(&object.name),
        };
        // `shop.orders.by_code` can also be an index, a foreign key or a constraint.
        let column = place.column.filter(|_| matches!(object.kind, ObjectKind::Column | ObjectKind::Columns));
        Place { id, column, ..place }
    }

    /// Finds the schema that a name is, or begins with: `shop`, `shop.a_routine`.
    fn find_schema(&self, name: &str) -> Place {
        let is_of =
            |schema: &&&str| name == **schema || name.strip_prefix(**schema).is_some_and(|rest| rest.starts_with('.'));
        let schema = self.schemas.iter().filter(is_of).max_by_key(|schema| schema.len());
        Place { schema: schema.map(|schema| (*schema).to_owned()), ..Place::default() }
    }

    /// Finds the base table that a name is, or begins with: `shop.orders`, `shop.orders.code`. The
    /// rest after a dot is returned as the column. Of `shop.a_view.code` only the schema is found.
    fn find_table(&self, name: &str) -> Place {
        let mut ends = [name.len()].into_iter().chain(name.rmatch_indices('.').map(|(at, _)| at));
        let found = ends.find_map(|end| Some((self.tables.get(&name[..end])?, &name[end..])));
        let Some(((schema, table), rest)) = found else { return self.find_schema(name) };
        Place {
            schema: Some((*schema).to_owned()),
            table: Some((*table).to_owned()),
            column: rest.strip_prefix('.').map(str::to_owned),
            ..Place::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_dots_are_found() {
        let tables = [("shop.orders", ("shop", "orders")), ("shop.orders.old", ("shop", "orders.old"))];
        let places = Places {
            tables: tables.map(|(name, table)| (name.to_owned(), table)).into(),
            schemas: vec!["shop", "shop.eu"],
        };
        let find = |kind, name: &str| {
            let place = places.find("c", &Object::new(kind, name));
            [place.schema, place.table, place.column].map(Option::unwrap_or_default)
        };
        assert_eq!(find(ObjectKind::Column, "shop.orders.code"), ["shop", "orders", "code"]);
        assert_eq!(find(ObjectKind::Table, "shop.orders.old"), ["shop", "orders.old", ""]);
        assert_eq!(find(ObjectKind::Index, "shop.orders.by_code"), ["shop", "orders", ""]);
        assert_eq!(find(ObjectKind::Columns, "shop.orders.code = shop.parts.code"), ["shop", "orders", "code"]);
        assert_eq!(find(ObjectKind::Schema, "shop.eu"), ["shop.eu", "", ""]);
        assert_eq!(find(ObjectKind::Routine, "shop.total"), ["shop", "", ""]);
        assert_eq!(find(ObjectKind::Variable, "collation_server"), ["", "", ""]);
    }
}
