//! Rules of a table that refuse made-up rows: checks, triggers and partitions.

use mysql::prelude::Queryable;
use server::{Flavour, Version};
use sql::{SqlMode, Token, quote_identifier, quote_string, quote_table, tokenize};

use super::value::{Column, Sample};
use crate::Error;
use crate::copy::{Copy, Session, StoredProgram};

impl Copy<'_> {
    /// Changes the rows of a table while its checks and triggers are off.
    pub(super) fn change_rows_despite_rules(
        &mut self,
        schema: &str,
        name: &str,
        statements: &[String],
    ) -> Result<(), Error> {
        let session = Session { schema: Some(schema.to_owned()), prelude: Vec::new() };
        let checks = self.enforced_checks(schema, name)?;
        let enforce = |check: &String, how: &str| {
            format!("ALTER TABLE {} ALTER CHECK {} {how}", quote_table(schema, name), quote_identifier(check))
        };
        for check in &checks {
            let _ = self.run(&session, &[enforce(check, "NOT ENFORCED")])?;
        }
        let triggers = self.drop_triggers(schema, name)?;
        self.change_rows(schema, name, statements)?;
        for trigger in &triggers {
            self.put_back(trigger)?;
        }
        for check in &checks {
            // A check that the rows violate stays off. It has no part in plans.
            let _ = self.run(&session, &[enforce(check, "ENFORCED")])?;
        }
        Ok(())
    }

    /// Names of the checks that MySQL enforces. MariaDB's are off in all sessions of the copy.
    fn enforced_checks(&self, schema: &str, name: &str) -> Result<Vec<String>, Error> {
        if self.flavour != Flavour::MySql || self.version < Version::new(8, 0, 16) {
            return Ok(Vec::new());
        }
        self.names(&format!(
            "SELECT CONSTRAINT_NAME FROM information_schema.TABLE_CONSTRAINTS \
             WHERE TABLE_SCHEMA = {} AND TABLE_NAME = {} AND CONSTRAINT_TYPE = 'CHECK' AND ENFORCED = 'YES'",
            quote_string(schema),
            quote_string(name)
        ))
    }

    /// Drops the triggers that an INSERT runs, and returns them. One whose text the server does not
    /// show stays.
    fn drop_triggers(&mut self, schema: &str, name: &str) -> Result<Vec<StoredProgram>, Error> {
        let mut dropped = Vec::new();
        for trigger in self.triggers_of_events(schema, name, &["INSERT"])? {
            let Some(program) = self.program("TRIGGER", schema, &trigger)? else { continue };
            let drop = format!("DROP TRIGGER {}", quote_table(schema, &trigger));
            if self.run(&Session::default(), &[drop])?.is_ok() {
                dropped.push(program);
            }
        }
        Ok(dropped)
    }

    fn put_back(&mut self, trigger: &StoredProgram) -> Result<(), Error> {
        self.recreate(trigger)?.map_err(|refusal| Error::Statement {
            place: "private copy".into(),
            message: format!("cannot create {} again after rows were made up: {refusal}", trigger.title()),
        })
    }

    /// Gives the columns values that fit into the partitions of their table.
    pub(super) fn fit_partitions(
        &self,
        schema: &str,
        name: &str,
        mut columns: Vec<Column>,
    ) -> Result<Vec<Column>, Error> {
        let query = format!(
            "SELECT PARTITION_METHOD, PARTITION_EXPRESSION, PARTITION_DESCRIPTION FROM information_schema.PARTITIONS \
             WHERE TABLE_SCHEMA = {} AND TABLE_NAME = {} AND PARTITION_METHOD IS NOT NULL ORDER BY PARTITION_ORDINAL_POSITION",
            quote_string(schema),
            quote_string(name)
        );
        let partitions: Vec<(String, Option<String>, Option<String>)> =
            self.server().connect()?.query(query).map_err(|source| self.failed("read a table's partitions", source))?;
        let Some((method, expression, _)) = partitions.first() else { return Ok(columns) };
        let listed = expression.as_deref().filter(|_| method.starts_with("LIST")).and_then(only_name);
        let values: Vec<String> =
            partitions.iter().filter_map(|(_, _, values)| values.as_deref()).flat_map(split_values).collect();
        let sample = |column: &Column| match &listed {
            Some(name) if name.eq_ignore_ascii_case(&column.name) && !values.is_empty() => {
                Sample::Listed(values.clone())
            }
            _ => Sample::Early,
        };
        for column in &mut columns {
            column.sample = sample(column);
        }
        Ok(columns)
    }
}

/// Column of an expression that is a column alone.
fn only_name(expression: &str) -> Option<String> {
    let tokens: Vec<Token<'_>> = tokenize(expression, SqlMode::default()).collect();
    let [name] = tokens.as_slice() else { return None };
    name.name()
}

/// Values of a list partition's description: `1,2`, `'north','south'`. Tuples are left out.
fn split_values(description: &str) -> Vec<String> {
    let tokens: Vec<Token<'_>> = tokenize(description, SqlMode::default()).collect();
    if tokens.iter().any(|token| token.is_symbol('(')) {
        return Vec::new();
    }
    let values = tokens.split(|token| token.is_symbol(','));
    let text = |value: &[Token<'_>]| Some(description[value.first()?.start..value.last()?.end()].to_owned());
    values.filter_map(text).filter(|value| !value.eq_ignore_ascii_case("default")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_a_list_are_split() {
        assert_eq!(split_values("1,-2,NULL"), ["1", "-2", "NULL"]);
        assert_eq!(split_values("'north','so,uth'"), ["'north'", "'so,uth'"]);
        assert!(split_values("(1,2),(3,4)").is_empty());
        assert!(split_values("DEFAULT").is_empty());
    }

    #[test]
    fn an_expression_is_no_name() {
        assert_eq!(only_name("`region`").as_deref(), Some("region"));
        assert_eq!(only_name("region").as_deref(), Some("region"));
        assert_eq!(only_name("year(`d`)"), None);
    }
}
