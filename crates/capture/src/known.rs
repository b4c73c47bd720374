//! What is known of the schema that statements are captured for, and what a statement is to it. Pure.

use std::collections::BTreeSet;

use replay::{Effect, SchemaSql};
use sql::{Kind, Mode, Template, Token};

use crate::reason::Reason;

/// The schema that statements are captured for.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Its name.
    pub schema: String,
    /// Names of its tables and views that are captured.
    pub names: BTreeSet<String>,
    /// How statements are written.
    pub mode: Mode,
    /// Whether statements whose schema isn't told are of this one.
    pub assume_schema: bool,
}

/// A statement that can be replayed.
#[derive(Clone, Debug, PartialEq)]
pub struct Playable {
    /// Its template.
    pub template: Template,
    /// What it does.
    pub effect: Effect,
    /// The table that it names first.
    pub table: Option<String>,
}

/// Why it can't be, and the word that it is about: a verb, a table.
pub type Left = (Reason, String);

impl Known {
    /// Of a schema's name and tables.
    pub fn new(schema: &str, tables: &SchemaSql, mode: Mode, assume_schema: bool) -> Self {
        Self { schema: schema.to_owned(), names: tables.names().map(str::to_owned).collect(), mode, assume_schema }
    }

    /// What a statement that was used in a schema is: something to replay, or why not.
    ///
    /// # Errors
    /// The reason why it isn't replayed.
    pub fn judge(&self, text: &str, used: Option<&str>) -> Result<Playable, Left> {
        let left = |reason, word: &str| Err((reason, word.to_owned()));
        let own = self.unqualified(text);
        let tokens: Vec<Token<'_>> = sql::tokens(&own, self.mode).filter(|token| token.kind != Kind::Comment).collect();
        if tokens.iter().any(|token| !token.closed) {
            return left(Reason::Cut, "");
        }
        let first = tokens.iter().find(|token| token.kind != Kind::Conditional && !token.is_symbol('('));
        let verb = first.map(|token| token.text.to_ascii_uppercase()).unwrap_or_default();
        let effect = match replay::effect(&tokens) {
            Ok(effect) => effect,
            Err((0, _)) => return left(Reason::NotRows, &verb),
            Err((at, _)) if first.is_some_and(|first| first.start == at) => return left(Reason::NotRows, &verb),
            Err(_) => return left(Reason::Session, ""),
        };
        let tables = sql::tables(&tokens);
        if let Some(other) = tables.iter().find_map(|table| table.schema.as_deref()) {
            return left(Reason::OtherSchema, other);
        }
        if tables.is_empty() && first.is_some_and(|first| first.is("select")) {
            // `SELECT 1`, `SELECT @@version`: of no schema, and of no table whose collation could matter.
            return left(Reason::NotRows, "SELECT without a table");
        }
        // A statement that names its own schema in front of its tables needs none in use.
        let is_qualified = own.len() != text.len();
        match used {
            Some(used) if used != self.schema && !is_qualified => return left(Reason::OtherSchema, used),
            None if !self.assume_schema && !is_qualified => return left(Reason::UnknownSchema, ""),
            _ => {}
        }
        if let Some(unknown) = tables.iter().find(|table| !self.has(&table.name)) {
            return left(Reason::UnknownTable, &unknown.name);
        }
        let Some(template) = sql::template(&own, self.mode) else { return left(Reason::Cut, "") };
        if template.unknown > 0 {
            return left(Reason::NoValues, "");
        }
        Ok(Playable { template, effect, table: tables.into_iter().next().map(|table| table.name) })
    }

    fn has(&self, name: &str) -> bool {
        self.names.contains(name) || self.names.iter().any(|known| known.eq_ignore_ascii_case(name))
    }

    /// The statement without the schema's own name in front of its tables.
    pub fn unqualified<'t>(&self, text: &'t str) -> std::borrow::Cow<'t, str> {
        if !text.contains(&self.schema) {
            return text.into();
        }
        let tokens: Vec<Token<'_>> = sql::tokens(text, self.mode).collect();
        let is_own = |three: &&[Token<'_>]| {
            let names = three[0].name().is_some_and(|name| name == self.schema);
            names && three[1].is_symbol('.') && three[2].name().is_some_and(|name| self.has(&name))
        };
        let (mut out, mut end) = (String::new(), 0);
        for three in tokens.windows(3).filter(is_own) {
            // `a.shop.orders` is a column of `shop.orders` behind nothing that there is.
            out.push_str(&text[end..three[0].start]);
            end = three[2].start;
        }
        out.push_str(&text[end..]);
        out.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Known {
        let names = ["orders", "customers", "latest"].map(str::to_owned).into();
        Known { schema: "shop".to_owned(), names, ..Known::default() }
    }

    fn why(text: &str, used: Option<&str>) -> (Reason, String) {
        known().judge(text, used).unwrap_err()
    }

    #[test]
    fn a_statement_of_the_schema_is_played() {
        let found = known()
            .judge("SELECT * FROM shop.orders o JOIN `shop`.`customers` WHERE shop.orders.id = 5", None)
            .unwrap();
        assert_eq!(found.template.text, "SELECT * FROM orders o JOIN `customers` WHERE orders.id = :id");
        assert_eq!((found.effect, found.table.as_deref()), (Effect::Reads, Some("orders")));
        assert!(known().judge("insert into Orders values (1)", Some("shop")).is_ok());
        // An alias that is called as the schema stays.
        let alias = known().judge("SELECT shop.id FROM customers shop", Some("shop")).unwrap();
        assert_eq!(alias.template.text, "SELECT shop.id FROM customers shop");
    }

    #[test]
    fn what_is_not_played_has_a_reason() {
        let shop = Some("shop");
        assert_eq!(why("SET NAMES utf8mb4", shop), (Reason::NotRows, "SET".to_owned()));
        assert_eq!(why("select 1", shop).0, Reason::NotRows);
        assert_eq!(why("SELECT 1 FROM orders", Some("log")), (Reason::OtherSchema, "log".to_owned()));
        assert_eq!(why("SELECT 1 FROM log.entries", shop), (Reason::OtherSchema, "log".to_owned()));
        assert_eq!(why("SELECT 1 FROM orders", None).0, Reason::UnknownSchema);
        assert_eq!(why("SELECT 1 FROM invoices", shop), (Reason::UnknownTable, "invoices".to_owned()));
        assert_eq!(why("SELECT LAST_INSERT_ID() FROM orders", shop).0, Reason::Session);
        assert_eq!(why("SELECT 1 FROM orders WHERE id = ?", shop).0, Reason::NoValues);
        assert_eq!(why("SELECT 1 FROM orders WHERE note = 'abc", shop).0, Reason::Cut);
        assert_eq!(why("", shop).0, Reason::NotRows);
        assert!(Known { assume_schema: true, ..known() }.judge("SELECT 1 FROM orders", None).is_ok());
    }
}
