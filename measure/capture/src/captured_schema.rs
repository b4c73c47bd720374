//! Classification of statements against the captured schema.

use std::collections::{BTreeSet, HashSet};

use sql::{SqlMode, Template, Token, TokenKind};
use workload_folder::{Effect, NotReplayable, Obstacle, SchemaSql};

use crate::reason::Reason;

/// The schema that statements are captured for.
#[derive(Clone, Debug, Default)]
pub struct CapturedSchema {
    pub schema: String,
    /// Names of the captured tables and views.
    pub names: BTreeSet<String>,
    /// SQL mode of the statements.
    pub mode: SqlMode,
    /// True if statements whose default schema the log doesn't name count as statements of this
    /// schema.
    pub assume_schema: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ReplayableStatement {
    pub template: Template,
    pub effect: Effect,
    /// First table in the text.
    pub table: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NotReplayed {
    pub reason: Reason,
    /// Verb, command, schema or table that the reason is about. Can be empty.
    pub subject: String,
}

impl NotReplayed {
    pub fn new(reason: Reason, subject: &str) -> Self {
        Self { reason, subject: subject.to_owned() }
    }
}

impl CapturedSchema {
    pub fn new(schema: &str, tables: &SchemaSql, mode: SqlMode, assume_schema: bool) -> Self {
        Self { schema: schema.to_owned(), names: tables.names().map(str::to_owned).collect(), mode, assume_schema }
    }

    /// Decides whether a statement can be replayed. Returns it as a template, or the reason why
    /// not. `used` is its default schema, `None` if the log doesn't name it.
    pub fn classify(&self, text: &str, used: Option<&str>) -> Result<ReplayableStatement, NotReplayed> {
        let not_replayed = |reason, subject: &str| Err(NotReplayed::new(reason, subject));
        let own = self.strip_schema(text);
        let tokens = sql::tokenize_uncommented(&own, self.mode);
        if tokens.iter().any(|token| !token.is_closed) {
            return not_replayed(Reason::Cut, "");
        }
        let first = tokens.iter().find(|token| token.kind != TokenKind::ConditionalComment && !token.is_symbol('('));
        let verb = first.map(|token| token.text.to_ascii_uppercase()).unwrap_or_default();
        let effect = match workload_folder::statement_effect(&tokens) {
            Ok(effect) => effect,
            Err(NotReplayable { obstacle: Obstacle::Kind, .. }) => return not_replayed(Reason::NotRows, &verb),
            Err(NotReplayable { obstacle: Obstacle::Session, .. }) => return not_replayed(Reason::Session, ""),
            Err(NotReplayable { obstacle: Obstacle::Outside, .. }) => return not_replayed(Reason::Scope, ""),
        };
        let tables = sql::find_tables(&tokens);
        if let Some(other) = tables.iter().find_map(|table| table.schema.as_deref()) {
            return not_replayed(Reason::OtherSchema, other);
        }
        if tables.is_empty() && first.is_some_and(|first| first.is_keyword("select")) {
            // `SELECT 1` and `SELECT @@version` read no table, so no column's collation matters.
            return not_replayed(Reason::NotRows, "SELECT without a table");
        }
        // Tables that are named with the captured schema need no default schema.
        let is_qualified = own.len() != text.len() && !self.has_unqualified_table(text);
        match used {
            Some(used) if used != self.schema && !is_qualified => return not_replayed(Reason::OtherSchema, used),
            None if !self.assume_schema && !is_qualified => return not_replayed(Reason::UnknownSchema, ""),
            _ => {}
        }
        if let Some(unknown) = tables.iter().find(|table| !self.has_table(&table.name)) {
            return not_replayed(Reason::UnknownTable, &unknown.name);
        }
        let Some(template) = sql::extract_template(&own, self.mode) else { return not_replayed(Reason::Cut, "") };
        if template.placeholders > 0 {
            return not_replayed(Reason::NoValues, "");
        }
        Ok(ReplayableStatement { template, effect, table: tables.into_iter().next().map(|table| table.name) })
    }

    /// Decides whether a statement's template reads and writes nothing but tables of the schema.
    /// Takes longer than [`Self::classify`], and has the same answer for all statements of a class.
    pub fn is_in_scope(&self, template: &Template) -> bool {
        workload_folder::check_scope(&template.text, self.mode, &HashSet::new()).is_ok()
    }

    fn has_unqualified_table(&self, text: &str) -> bool {
        let tokens = sql::tokenize_uncommented(text, self.mode);
        sql::find_tables(&tokens).iter().any(|table| table.schema.is_none())
    }

    fn has_table(&self, name: &str) -> bool {
        self.names.contains(name) || self.names.iter().any(|known| known.eq_ignore_ascii_case(name))
    }

    /// Removes the captured schema's name before its tables: `shop.orders` becomes `orders`.
    pub fn strip_schema<'t>(&self, text: &'t str) -> std::borrow::Cow<'t, str> {
        if !text.contains(&self.schema) {
            return text.into();
        }
        let tokens: Vec<Token<'_>> = sql::tokenize(text, self.mode).collect();
        let is_own = |three: &&[Token<'_>]| {
            let names = three[0].name().is_some_and(|name| name == self.schema);
            names && three[1].is_symbol('.') && three[2].name().is_some_and(|name| self.has_table(&name))
        };
        let (mut out, mut end) = (String::new(), 0);
        for three in tokens.windows(3).filter(is_own) {
            // The text before the schema is not checked: `a.shop.orders` is a column of the table
            // `a.shop`, whose statement [`Self::classify`] rejects.
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

    fn captured_schema() -> CapturedSchema {
        let names = ["orders", "customers", "latest"].map(str::to_owned).into();
        CapturedSchema { schema: "shop".to_owned(), names, ..CapturedSchema::default() }
    }

    fn why(text: &str, used: Option<&str>) -> (Reason, String) {
        let NotReplayed { reason, subject } = captured_schema().classify(text, used).unwrap_err();
        (reason, subject)
    }

    #[test]
    fn accepts_statements_of_the_schema() {
        let found = captured_schema()
            .classify("SELECT * FROM shop.orders o JOIN `shop`.`customers` WHERE shop.orders.id = 5", None)
            .unwrap();
        assert_eq!(found.template.text, "SELECT * FROM orders o JOIN `customers` WHERE orders.id = :id");
        assert_eq!((found.effect, found.table.as_deref()), (Effect::Reads, Some("orders")));
        assert!(captured_schema().classify("insert into Orders values (1)", Some("shop")).is_ok());
        // `shop.` is an alias here: no table is named `id`.
        let alias = captured_schema().classify("SELECT shop.id FROM customers shop", Some("shop")).unwrap();
        assert_eq!(alias.template.text, "SELECT shop.id FROM customers shop");
    }

    #[test]
    fn names_the_reason_for_other_statements() {
        let shop = Some("shop");
        assert_eq!(why("SET NAMES utf8mb4", shop), (Reason::NotRows, "SET".to_owned()));
        assert_eq!(why("select 1", shop).0, Reason::NotRows);
        assert_eq!(why("SELECT 1 FROM orders", Some("log")), (Reason::OtherSchema, "log".to_owned()));
        assert_eq!(why("SELECT 1 FROM log.entries", shop), (Reason::OtherSchema, "log".to_owned()));
        assert_eq!(why("SELECT 1 FROM orders", None).0, Reason::UnknownSchema);
        let mixed = "SELECT * FROM shop.orders JOIN customers";
        assert_eq!(why(mixed, Some("log")), (Reason::OtherSchema, "log".to_owned()));
        assert_eq!(why(mixed, None).0, Reason::UnknownSchema);
        assert!(captured_schema().classify(mixed, shop).is_ok());
        assert_eq!(why("SELECT 1 FROM invoices", shop), (Reason::UnknownTable, "invoices".to_owned()));
        assert_eq!(why("SELECT LAST_INSERT_ID() FROM orders", shop).0, Reason::Session);
        for text in ["SELECT 1 FROM orders INTO OUTFILE 'x'", "SELECT SLEEP(1) FROM orders"] {
            assert_eq!(why(text, shop).0, Reason::Scope, "{text}");
        }
        for text in ["CALL p()", "LOAD DATA INFILE 'x' INTO TABLE orders"] {
            assert_eq!(why(text, shop).0, Reason::NotRows, "{text}");
        }
        assert_eq!(why("SELECT 1 FROM orders WHERE id = ?", shop).0, Reason::NoValues);
        assert_eq!(why("SELECT 1 FROM orders WHERE note = 'abc", shop).0, Reason::Cut);
        assert_eq!(why("", shop).0, Reason::NotRows);
        assert!(
            CapturedSchema { assume_schema: true, ..captured_schema() }.classify("SELECT 1 FROM orders", None).is_ok()
        );
    }

    #[test]
    fn templates_that_reach_outside_are_out_of_scope() {
        let in_scope = |text: &str| {
            let schema = captured_schema();
            schema.is_in_scope(&schema.classify(text, Some("shop")).unwrap().template)
        };
        assert!(in_scope("SELECT * FROM orders WHERE id = 5 AND note = 'x'"));
        assert!(!in_scope("SELECT LOAD_FILE('/etc/passwd') FROM orders"));
        assert!(!in_scope("SELECT weigh_marker.id FROM orders AS weigh_marker"));
    }
}
