//! A table's facts from its CREATE TABLE.

use std::collections::BTreeMap;

use facts::{Column, ForeignKey, Index, IndexKind, IndexPart, RowFormat, Table};
use mysql_collation::{Flavour, catalogue};

use ::sql::ddl;

/// The table that a CREATE TABLE makes; `None` for another statement.
pub fn table(schema: &str, create: &str, flavour: Flavour) -> Option<Table> {
    let head = create.split('(').next()?;
    if !head.trim_start().to_uppercase().starts_with("CREATE TABLE") {
        return None;
    }
    let name = quoted(head)?;
    let options = create.rsplit_once(')').map_or("", |(_, options)| options);
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
        ..Table::default()
    };
    for definition in ddl::definitions(create) {
        add(&mut table, definition, flavour);
    }
    Some(table)
}

fn default_collation(charset: &str, flavour: Flavour) -> Option<String> {
    let charset = if charset == "utf8" { "utf8mb3" } else { charset };
    catalogue(flavour).iter().find(|info| info.charset == charset && info.is_default).map(|info| info.name.to_owned())
}

/// The first name in backticks.
fn quoted(text: &str) -> Option<String> {
    let names: Vec<&str> = text.split('`').collect();
    // `schema`.`table` or `table`: the last one.
    names.iter().skip(1).step_by(2).next_back().map(|name| (*name).to_owned())
}

fn add(table: &mut Table, definition: &str, flavour: Flavour) {
    if let Some(rest) = definition.strip_prefix('`') {
        let Some((name, rest)) = rest.split_once("` ") else { return };
        let column = column(table, name, rest, flavour);
        table.columns.push(column);
        return;
    }
    let upper = definition.to_uppercase();
    if upper.starts_with("PRIMARY KEY") {
        table.indexes.insert(0, index("PRIMARY", true, IndexKind::Btree, definition));
    } else if upper.starts_with("CONSTRAINT") && upper.contains("FOREIGN KEY") {
        table.foreign_keys.extend(foreign_key(table, definition));
    } else if upper.starts_with("UNIQUE")
        || upper.starts_with("KEY")
        || upper.starts_with("FULLTEXT")
        || upper.starts_with("SPATIAL")
    {
        let name = definition.split('`').nth(1).unwrap_or_default().to_owned();
        let kind = match upper.as_bytes().first() {
            Some(b'F') => IndexKind::Fulltext,
            Some(b'S') => IndexKind::Spatial,
            _ => IndexKind::Btree,
        };
        table.indexes.push(index(&name, upper.starts_with("UNIQUE"), kind, definition));
    }
}

fn column(table: &Table, name: &str, definition: &str, flavour: Flavour) -> Column {
    let data_type: String =
        definition.chars().take_while(|character| character.is_alphanumeric()).collect::<String>().to_lowercase();
    let is_text = matches!(
        data_type.as_str(),
        "char" | "varchar" | "tinytext" | "text" | "mediumtext" | "longtext" | "enum" | "set"
    );
    let clause = |name: &str| Some(definition.split_once(name)?.1.split([' ', ',']).next()?.to_lowercase());
    let own_charset = clause("CHARACTER SET ");
    let own_collation = clause("COLLATE ");
    let collation = own_collation.or_else(|| match &own_charset {
        Some(charset) => default_collation(charset, flavour),
        None => table.collation.clone(),
    });
    let charset = collation.as_deref().map(|name| name.split('_').next().unwrap_or(name).to_owned());
    let length = definition.split_once('(').and_then(|(_, rest)| rest.split(')').next()?.parse().ok());
    let upper = definition.to_uppercase();
    Column {
        name: name.to_owned(),
        position: table.columns.len() as u32 + 1,
        column_type: definition.to_owned(),
        charset: charset.filter(|_| is_text),
        collation: collation.filter(|_| is_text),
        characters: length.or(crate::limits::text_bytes(&data_type)).filter(|_| is_text),
        bytes: length,
        nullable: !upper.contains("NOT NULL"),
        data_type,
        ..Column::default()
    }
}

fn index(name: &str, unique: bool, kind: IndexKind, definition: &str) -> Index {
    let list = definition.split_once('(').and_then(|(_, rest)| rest.rsplit_once(')')).map_or("", |(list, _)| list);
    let part = |text: &str| {
        let column = text.split('`').nth(1).map(str::to_owned);
        let prefix = text.split_once("`(").and_then(|(_, rest)| rest.split(')').next()?.parse().ok());
        IndexPart { column, prefix, ..IndexPart::default() }
    };
    // A comma inside a name would be taken for the end of a part; dumps of such tables are rare enough.
    let parts = list.split(',').filter(|text| text.contains('`')).map(part).collect();
    Index { name: name.to_owned(), unique, kind, parts }
}

fn foreign_key(table: &Table, definition: &str) -> Option<ForeignKey> {
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
        name: quoted(head).unwrap_or_default(),
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
    fn a_dump_says_what_a_server_would() {
        let create = "CREATE TABLE `c` (\n  `id` int(11) NOT NULL,\n  `a` varchar(20) DEFAULT NULL,\n  `b` char(5) CHARACTER SET latin1 COLLATE latin1_bin NOT NULL,\n  \
                      PRIMARY KEY (`id`),\n  UNIQUE KEY `u` (`a`(5),`b`),\n  CONSTRAINT `f` FOREIGN KEY (`b`) REFERENCES `p` (`k`) ON DELETE CASCADE\n) \
                      ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci";
        let table = table("s", create, Flavour::MariaDb).unwrap();
        assert_eq!((table.name.as_str(), table.collation.as_deref()), ("c", Some("utf8mb4_general_ci")));
        let collations: Vec<Option<&str>> = table.columns.iter().map(|column| column.collation.as_deref()).collect();
        assert_eq!(collations, [None, Some("utf8mb4_general_ci"), Some("latin1_bin")]);
        assert_eq!(table.columns[1].characters, Some(20));
        let unique = &table.indexes[1];
        assert!(unique.unique && unique.parts[0].prefix == Some(5) && unique.parts[1].column.as_deref() == Some("b"));
        let key = &table.foreign_keys[0];
        assert_eq!(
            (key.parent_table.as_str(), key.parent_columns[0].as_str(), key.on_delete.as_str()),
            ("p", "k", "CASCADE")
        );
    }
}
