//! Parses CREATE TABLE statements.

use std::collections::BTreeMap;

use facts::{Column, ForeignKey, Generated, Index, IndexKind, IndexPart, RowFormat, Table};
use mysql_collation::{Flavour, catalogue};

use sql::{SqlMode, Token, TokenKind, ddl, tokenize};

use super::partitions::parse_partitioning;

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
pub fn parse_table(schema: &str, create: &str, flavour: Flavour) -> Result<Table, Unparsed> {
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
    let options = ddl::table_options(create);
    let option = |names: &[&str]| {
        names
            .iter()
            .find_map(|name| Some(options.split_once(&format!("{name}="))?.1.split_whitespace().next()?.to_lowercase()))
    };
    let charset = option(&["CHARSET"]).unwrap_or_else(|| "utf8mb4".into());
    let collation = option(&["COLLATE"]).or_else(|| default_collation(&charset, flavour));
    let mut table = Table {
        schema: schema.to_owned(),
        name,
        engine: option(&["ENGINE"]),
        row_format: match option(&["ROW_FORMAT"]).as_deref() {
            Some("compact") => RowFormat::Compact,
            Some("redundant") => RowFormat::Redundant,
            Some("compressed") => RowFormat::Compressed,
            _ => RowFormat::Dynamic,
        },
        collation,
        partitioning: parse_partitioning(options),
        ..Table::default()
    };
    for definition in definitions {
        add_definition(&mut table, definition, flavour);
    }
    Ok(table)
}

/// True for definitions of a column in backticks, an index or a constraint. [`add_definition`]
/// skips checks, periods, and a primary key or unique index after CONSTRAINT without a name.
fn is_understood(definition: &str) -> bool {
    let mut tokens = tokenize(definition, SqlMode::default());
    let Some(first) = tokens.next() else { return false };
    let kinds =
        ["PRIMARY", "UNIQUE", "KEY", "INDEX", "FULLTEXT", "SPATIAL", "CONSTRAINT", "CHECK", "FOREIGN", "PERIOD"];
    let is_index = first.is_any_keyword(&["PRIMARY", "UNIQUE", "KEY", "INDEX", "FULLTEXT", "SPATIAL", "FOREIGN"]);
    first.kind == TokenKind::QuotedName || (first.is_any_keyword(&kinds) && (!is_index || definition.contains('`')))
}

fn default_collation(charset: &str, flavour: Flavour) -> Option<String> {
    let charset = if charset == "utf8" { "utf8mb3" } else { charset };
    catalogue(flavour).iter().find(|info| info.charset == charset && info.is_default).map(|info| info.name.to_owned())
}

/// Returns the last name in backticks: `t` for `` `s`.`t` ``.
fn last_quoted_name(text: &str) -> Option<String> {
    let names: Vec<&str> = text.split('`').collect();
    names.iter().skip(1).step_by(2).next_back().map(|name| (*name).to_owned())
}

fn add_definition(table: &mut Table, definition: &str, flavour: Flavour) {
    if let Some(rest) = definition.strip_prefix('`') {
        let Some((name, rest)) = rest.split_once("` ") else { return };
        let column = parse_column(table, name, rest, flavour);
        table.columns.push(column);
        return;
    }
    let upper = definition.to_uppercase();
    if upper.starts_with("PRIMARY KEY") {
        table.indexes.insert(0, parse_index("PRIMARY", true, IndexKind::Btree, definition));
    } else if (upper.starts_with("CONSTRAINT") || upper.starts_with("FOREIGN")) && upper.contains("FOREIGN KEY") {
        table.foreign_keys.extend(parse_foreign_key(table, definition));
    } else if let Some((name, rest)) = split_constraint(definition) {
        match rest.to_uppercase() {
            rest_upper if rest_upper.starts_with("PRIMARY KEY") => add_definition(table, rest, flavour),
            rest_upper if rest_upper.starts_with("UNIQUE") => {
                table.indexes.push(parse_index(name, true, IndexKind::Btree, rest));
            }
            _ => {}
        }
    } else if upper.starts_with("UNIQUE")
        || upper.starts_with("KEY")
        || upper.starts_with("INDEX")
        || upper.starts_with("FULLTEXT")
        || upper.starts_with("SPATIAL")
    {
        let name = definition.split('`').nth(1).unwrap_or_default().to_owned();
        let kind = match upper.as_bytes().first() {
            Some(b'F') => IndexKind::Fulltext,
            Some(b'S') => IndexKind::Spatial,
            _ => IndexKind::Btree,
        };
        table.indexes.push(parse_index(&name, upper.starts_with("UNIQUE"), kind, definition));
    }
}

/// Splits ``CONSTRAINT `name` …`` into the name and the rest.
fn split_constraint(definition: &str) -> Option<(&str, &str)> {
    let keyword = definition.get(.."CONSTRAINT".len()).filter(|word| word.eq_ignore_ascii_case("CONSTRAINT"))?;
    let (name, rest) = definition[keyword.len()..].trim_start().strip_prefix('`')?.split_once('`')?;
    Some((name, rest.trim_start()))
}

fn parse_column(table: &Table, name: &str, definition: &str, flavour: Flavour) -> Column {
    let data_type: String =
        definition.chars().take_while(|character| character.is_alphanumeric()).collect::<String>().to_lowercase();
    let is_text = matches!(
        data_type.as_str(),
        "char" | "varchar" | "tinytext" | "text" | "mediumtext" | "longtext" | "enum" | "set"
    );
    let clause_value = |name: &str| Some(definition.split_once(name)?.1.split([' ', ',']).next()?.to_lowercase());
    let own_charset = clause_value("CHARACTER SET ");
    let own_collation = clause_value("COLLATE ");
    let collation = own_collation.or_else(|| match &own_charset {
        Some(charset) => default_collation(charset, flavour),
        None => table.collation.clone(),
    });
    let charset = collation.as_deref().map(|name| name.split('_').next().unwrap_or(name).to_owned());
    let (length, scale) = parse_lengths(&definition[data_type.len()..]);
    let is_bytes = matches!(data_type.as_str(), "binary" | "varbinary" | "vector");
    let is_number = matches!(data_type.as_str(), "decimal" | "bit" | "time" | "timestamp" | "datetime");
    let upper = definition.to_uppercase();
    Column {
        name: name.to_owned(),
        position: table.columns.len() as u32 + 1,
        column_type: definition.to_owned(),
        charset: charset.filter(|_| is_text),
        collation: collation.filter(|_| is_text),
        characters: length.or(crate::limits::max_text_bytes(&data_type)).filter(|_| is_text || is_bytes),
        bytes: length,
        precision: length.filter(|_| is_number),
        scale,
        nullable: !upper.contains("NOT NULL"),
        data_type,
        generated: parse_generated(definition),
        ..Column::default()
    }
}

/// Returns the numbers in the parentheses directly behind a type: 10 and 2 of `(10,2) NOT NULL`.
fn parse_lengths(behind_type: &str) -> (Option<u64>, Option<u64>) {
    let inside = behind_type.strip_prefix('(').and_then(|rest| rest.split(')').next()).unwrap_or_default();
    let mut numbers = inside.split(',').map(|number| number.trim().parse().ok());
    (numbers.next().flatten(), numbers.next().flatten())
}

/// Reads `GENERATED ALWAYS AS (upper(`a`)) STORED`, or `AS (…) PERSISTENT` as older MariaDBs print it.
fn parse_generated(definition: &str) -> Option<Generated> {
    let tokens: Vec<Token<'_>> = tokenize(definition, SqlMode::default()).collect();
    let open = 1 + tokens.windows(2).position(|pair| pair[0].is_keyword("as") && pair[1].is_symbol('('))?;
    let inside = &tokens[open + 1..];
    let closing = sql::closing_parenthesis(inside)?;
    let stored = inside[closing..].iter().any(|token| token.is_any_keyword(&["stored", "persistent"]));
    let expression = definition[tokens[open].end()..inside[closing].start].to_owned();
    Some(Generated { expression, stored })
}

fn parse_index(name: &str, unique: bool, kind: IndexKind, definition: &str) -> Index {
    let list = definition.split_once('(').and_then(|(_, rest)| rest.rsplit_once(')')).map_or("", |(list, _)| list);
    let part = |text: &str| {
        let column = text.split('`').nth(1).map(str::to_owned);
        let prefix = text.split_once("`(").and_then(|(_, rest)| rest.split(')').next()?.parse().ok());
        IndexPart { column, prefix, ..IndexPart::default() }
    };
    // A comma inside a column's name would be misread as the end of a part.
    let parts = list.split(',').filter(|text| text.contains('`')).map(part).collect();
    let mut words = tokenize(definition, SqlMode::default());
    let invisible = words.any(|word| word.is_any_keyword(&["INVISIBLE", "IGNORED"]));
    Index { name: name.to_owned(), unique, kind, invisible, parts }
}

fn parse_foreign_key(table: &Table, definition: &str) -> Option<ForeignKey> {
    let (head, rest) = definition.split_once("FOREIGN KEY")?;
    let (columns, rest) = rest.split_once("REFERENCES")?;
    let (parent, rest) = rest.split_once('(')?;
    let names = |text: &str| text.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let parent = names(parent);
    let rules: BTreeMap<&str, String> = ["ON DELETE ", "ON UPDATE "]
        .iter()
        .filter_map(|rule| Some((*rule, rest.split_once(rule)?.1.to_owned())))
        .collect();
    let rule = |name: &str| {
        rules
            .get(name)
            .map(|text| {
                ["CASCADE", "SET NULL", "RESTRICT"]
                    .into_iter()
                    .find(|rule| text.starts_with(rule))
                    .unwrap_or("NO ACTION")
                    .to_owned()
            })
            .unwrap_or_default()
    };
    Some(ForeignKey {
        name: last_quoted_name(head).unwrap_or_default(),
        schema: table.schema.clone(),
        table: table.name.clone(),
        columns: names(columns),
        parent_schema: if parent.len() > 1 { parent[0].clone() } else { table.schema.clone() },
        parent_table: parent.last()?.clone(),
        parent_columns: names(rest.split(')').next()?),
        on_update: rule("ON UPDATE "),
        on_delete: rule("ON DELETE "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_constraints_with_and_without_names() {
        let text = "CREATE TABLE `c` (\n  `a` varchar(9),\n  `b` varchar(9),\n  CONSTRAINT `k` UNIQUE KEY (`a`),\n  \
                    FOREIGN KEY (`b`) REFERENCES `p` (`b`),\n  CONSTRAINT `p` PRIMARY KEY (`a`)\n) ENGINE=InnoDB";
        let table = parse_table("s", text, Flavour::MySql).unwrap();
        let indexes: Vec<(&str, bool)> =
            table.indexes.iter().map(|index| (index.name.as_str(), index.unique)).collect();
        assert_eq!(indexes, [("PRIMARY", true), ("k", true)]);
        assert_eq!(table.foreign_keys[0].parent_table, "p");
    }

    #[test]
    fn parses_lengths_and_generated_columns() {
        let text = "CREATE TABLE `t` (\n  `a` varbinary(40),\n  `d` decimal(20,4),\n  `t` datetime(6),\n  `s` set('a(1)','b'),\n  \
                    `g` varchar(9) GENERATED ALWAYS AS (lower(`s`)) STORED,\n  `v` int(11) AS (length(`s`)) VIRTUAL\n) ENGINE=InnoDB";
        let table = parse_table("s", text, Flavour::MariaDb).unwrap();
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
        let table = parse_table("s", create, Flavour::MariaDb).unwrap();
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
