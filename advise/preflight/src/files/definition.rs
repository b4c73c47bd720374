//! Parses CREATE TABLE statements.

use facts::{Column, RowFormat, Table};

use sql::{SqlMode, Token, TokenKind, ddl, tokenize};

use super::column::{TEXT_TYPES, content_tokens, find_charset, find_option, is_other_text, outer_tokens, parse_column};
use super::key::{Key, KeyKind};
use super::origin::Defaults;

/// A CREATE TABLE that was not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unparsed {
    /// Name of the table; empty if even that is unclear.
    pub name: String,
    /// The missing or unparsed part, as text for a message.
    pub problem: String,
}

/// Parses a CREATE TABLE statement that is laid out as mysqldump and `SHOW CREATE TABLE` do it:
/// names in backticks, one column, index or constraint per definition.
pub fn parse_table(schema: &str, create: &str, defaults: Defaults<'_>) -> Result<Table, Unparsed> {
    let head: Vec<Token<'_>> = tokenize(create, SqlMode::default()).take_while(|token| !token.is_symbol('(')).collect();
    let name = head.iter().rev().find_map(Token::name).unwrap_or_default();
    let unparsed = |problem: String| Unparsed { name: name.clone(), problem };
    let definitions = ddl::split_definitions(create);
    if definitions.is_empty() {
        return Err(unparsed("it has no list of columns".into()));
    }
    if let Some(unknown) = definitions.iter().find(|definition| !is_understood(definition)) {
        let start: String = unknown.chars().take(40).collect();
        return Err(unparsed(format!(
            "weigh reads definitions with names in backticks, as mysqldump writes them: {start}"
        )));
    }
    let options = content_tokens(ddl::table_options(create));
    let options = outer_tokens(&options);
    let option = |name: &str| find_option(&options, &[name]);
    let collation = option("COLLATE").or_else(|| match find_charset(&options) {
        Some(charset) => defaults.origin.default_collation(&charset),
        None => defaults.schema.map(str::to_owned),
    });
    let names_none = collation.is_none() && find_charset(&options).is_none();
    let mut table = Table {
        schema: schema.to_owned(),
        name: name.clone(),
        engine: option("ENGINE"),
        row_format: match option("ROW_FORMAT").as_deref() {
            Some("compact") => RowFormat::Compact,
            Some("redundant") => RowFormat::Redundant,
            Some("compressed") => RowFormat::Compressed,
            _ => RowFormat::Dynamic,
        },
        collation,
        ..Table::default()
    };
    for definition in definitions {
        add_definition(&mut table, definition, defaults);
    }
    let has_default = |column: &Column| column.collation.is_none() && TEXT_TYPES.contains(&column.data_type.as_str());
    if let Some(column) = table.columns.iter().find(|column| names_none && has_default(column)) {
        return Err(unparsed(format!(
            "the character set of {} is not known: neither the table nor CREATE DATABASE names one",
            column.name
        )));
    }
    Ok(table)
}

/// True for definitions of a column in backticks with a type as the servers print it and without a
/// key, for an index or a constraint, and for periods.
fn is_understood(definition: &str) -> bool {
    let tokens = content_tokens(definition);
    let Some(first) = tokens.first() else { return false };
    match first.kind {
        TokenKind::QuotedName => {
            let keys = ["UNIQUE", "PRIMARY", "KEY", "REFERENCES"];
            !is_other_text(&definition[first.end()..])
                && !outer_tokens(&tokens).iter().any(|token| token.is_any_keyword(&keys))
        }
        _ => first.is_keyword("PERIOD") || Key::parse(definition).is_some(),
    }
}

/// Adds a column, or an index or foreign key. Checks and periods are read from the table's text.
fn add_definition(table: &mut Table, definition: &str, defaults: Defaults<'_>) {
    let tokens = content_tokens(definition);
    let column = tokens.first().filter(|token| token.kind == TokenKind::QuotedName);
    if let Some((token, name)) = column.and_then(|token| Some((token, token.name()?))) {
        let column = parse_column(table, &name, definition[token.end()..].trim_start(), defaults.origin);
        table.columns.push(column);
    } else if let Some(key) = Key::parse(definition) {
        table.foreign_keys.extend(key.foreign_key(table));
        match key.index() {
            Some(primary) if key.kind == KeyKind::Primary => table.indexes.insert(0, primary),
            index => table.indexes.extend(index),
        }
    }
}

#[cfg(test)]
mod tests {
    use mysql_collation::Flavour;

    use super::super::origin::Origin;
    use super::*;

    /// Defaults of a schema with utf8mb4.
    fn defaults() -> Defaults<'static> {
        Defaults { origin: Origin::unknown(Flavour::MariaDb), schema: Some("utf8mb4_general_ci") }
    }

    #[test]
    fn the_schema_decides_without_a_character_set() {
        let text = |column: &str| format!("CREATE TABLE `c` (\n  `i` int,\n  `a` {column}\n) ENGINE=InnoDB");
        let collation = |column: &str, schema| {
            let table = parse_table("s", &text(column), Defaults { schema, ..defaults() })?;
            Ok::<_, Unparsed>(table.columns[1].collation.clone())
        };
        assert_eq!(collation("varchar(9)", Some("latin1_bin")).unwrap().as_deref(), Some("latin1_bin"));
        assert!(collation("varchar(9)", None).unwrap_err().problem.contains("character set of a is not known"));
        assert_eq!(collation("text CHARACTER SET latin1", None).unwrap().as_deref(), Some("latin1_swedish_ci"));
        assert_eq!(collation("varbinary(9)", None).unwrap(), None);
    }

    #[test]
    fn parses_constraints_with_and_without_names() {
        let text = "CREATE TABLE `c` (\n  `a` varchar(9),\n  `b` varchar(9),\n  CONSTRAINT `k` UNIQUE KEY (`a`),\n  \
                    FOREIGN KEY (`b`) REFERENCES `p` (`b`),\n  CONSTRAINT `p` PRIMARY KEY (`a`)\n) ENGINE=InnoDB";
        let table = parse_table("s", text, defaults()).unwrap();
        let indexes: Vec<(&str, bool)> =
            table.indexes.iter().map(|index| (index.name.as_str(), index.unique)).collect();
        assert_eq!(indexes, [("PRIMARY", true), ("k", true)]);
        assert_eq!(table.foreign_keys[0].parent_table, "p");
    }

    #[test]
    fn keys_within_a_column_are_not_understood() {
        for attribute in ["UNIQUE", "PRIMARY KEY", "REFERENCES `p` (`a`)"] {
            let text = format!("CREATE TABLE `c` (\n  `a` varchar(9) {attribute}\n) ENGINE=InnoDB");
            assert!(parse_table("s", &text, defaults()).is_err(), "{attribute}");
        }
        let named = "CREATE TABLE `c` (\n  `key` varchar(9) DEFAULT 'UNIQUE' COMMENT 'PRIMARY KEY'\n) ENGINE=InnoDB";
        assert!(parse_table("s", named, defaults()).is_ok());
    }

    #[test]
    fn parses_lengths_and_generated_columns() {
        let text = "CREATE TABLE `t` (\n  `a` varbinary(40),\n  `d` decimal(20,4),\n  `t` datetime(6),\n  `s` set('a(1)','b'),\n  \
                    `g` varchar(9) GENERATED ALWAYS AS (lower(`s`)) STORED,\n  `v` int(11) AS (length(`s`)) VIRTUAL\n) ENGINE=InnoDB";
        let table = parse_table("s", text, defaults()).unwrap();
        let lengths: Vec<_> = table.columns.iter().map(|one| (one.characters, one.precision, one.scale)).collect();
        let none = (None, None, None);
        let expected = [
            (Some(40), None, None),
            (None, Some(20), Some(4)),
            (None, Some(6), None),
            none,
            (Some(9), None, None),
            none,
        ];
        assert_eq!(lengths, expected);
        let generated =
            |at: usize| table.columns[at].generated.as_ref().map(|one| (one.expression.as_str(), one.stored));
        assert_eq!([3, 4, 5].map(generated), [None, Some(("lower(`s`)", true)), Some(("length(`s`)", false))]);
    }

    #[test]
    fn parses_definition_of_a_dump() {
        let create = "CREATE TABLE `c` (\n  `id` int(11) NOT NULL,\n  `a` varchar(20) DEFAULT NULL,\n  `b` char(5) CHARACTER SET latin1 COLLATE latin1_bin NOT NULL,\n  \
                      PRIMARY KEY (`id`),\n  UNIQUE KEY `u` (`a`(5),`b`) /*!80000 INVISIBLE */,\n  CONSTRAINT `f` FOREIGN KEY (`b`) REFERENCES `p` (`k`) ON DELETE CASCADE\n) \
                      ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci";
        let table = parse_table("s", create, defaults()).unwrap();
        assert_eq!((table.name.as_str(), table.collation.as_deref()), ("c", Some("utf8mb4_general_ci")));
        let collations: Vec<Option<&str>> = table.columns.iter().map(|column| column.collation.as_deref()).collect();
        assert_eq!(collations, [None, Some("utf8mb4_general_ci"), Some("latin1_bin")]);
        assert_eq!(table.columns[1].characters, Some(20));
        let unique = &table.indexes[1];
        assert!(unique.invisible && !table.indexes[0].invisible);
        assert!(unique.unique && unique.parts[0].prefix == Some(5) && unique.parts[1].column.as_deref() == Some("b"));
        let key = &table.foreign_keys[0];
        assert_eq!(
            (key.parent_table.as_str(), key.parent_columns[0].as_str(), key.on_delete.as_str()),
            ("p", "k", "CASCADE")
        );
    }
}
