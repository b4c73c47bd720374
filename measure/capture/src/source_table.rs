//! Tables as `SHOW CREATE TABLE` defines them, and edits of definitions.

use mysql_collation::Collation;
use sql::{SqlMode, Token, TokenKind, Value};
use workload_folder::{CellType, Column, TableShape};

use crate::key::{Key, default_collation, find_collation, key_of};

#[derive(Clone, Debug, PartialEq)]
pub struct SourceTable {
    pub shape: TableShape,
    /// Columns that rows have: all except generated ones.
    pub columns: Vec<Column>,
    pub foreign_keys: Vec<ForeignKey>,
    /// Columns of the primary key; empty without one.
    pub primary: Vec<String>,
    /// Collations of `columns`. `None` for columns without one, and for unknown ones.
    pub collations: Vec<Option<Collation>>,
}

/// A foreign key to a table of the same schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignKey {
    pub columns: Vec<String>,
    pub parent: String,
    pub parent_columns: Vec<String>,
}

impl SourceTable {
    /// Reads keys and collations of a `CREATE TABLE` whose name and columns are known.
    pub fn new(shape: TableShape, create: &str) -> Self {
        let columns = shape.columns.iter().filter(|column| !column.is_generated);
        let columns: Vec<Column> =
            columns.map(|column| Column::new(&column.name, cell_type(&column.data_type, column.is_unsigned))).collect();
        let (mut foreign_keys, mut primary) = (Vec::new(), Vec::new());
        for definition in sql::ddl::split_definitions(create) {
            let tokens: Vec<Token<'_>> = tokenize(definition).collect();
            foreign_keys.extend(parse_foreign_key(&tokens));
            let is_key = |pair: &[Token<'_>]| pair[0].is_keyword("primary") && pair[1].is_keyword("key");
            let Some(key) = tokens.windows(2).position(is_key) else { continue };
            primary = match tokens[0].is_any_keyword(&["primary", "constraint"]) {
                true => parse_name_list(&tokens[key..]),
                false => tokens[0].name().into_iter().collect(),
            };
        }
        let default = named_collation(sql::ddl::table_options(create));
        let collation = |column: &Column| {
            let own = sql::ddl::find_column(create, &column.name).and_then(named_collation);
            (column.kind == CellType::Text).then_some(own.or(default)).flatten()
        };
        let collations = columns.iter().map(collation).collect();
        Self { shape, columns, foreign_keys, primary, collations }
    }

    /// Returns a key of values of some columns. Texts that the server treats as equal have equal
    /// keys if their column's collation is known.
    pub fn key(&self, positions: &[usize], values: &[Value]) -> Key {
        key_of(values, positions.iter().map(|position| self.collations.get(*position).copied().flatten()))
    }

    /// Returns the primary key's column if the key is one integer column other than BIGINT
    /// UNSIGNED.
    pub fn integer_key(&self) -> Option<&str> {
        let [name] = self.primary.as_slice() else { return None };
        let column = self.columns.iter().find(|column| column.name == *name)?;
        (column.kind == CellType::Int).then_some(name)
    }

    /// Returns the positions of columns in rows; `None` if one is missing.
    pub fn column_positions(&self, names: &[String]) -> Option<Vec<usize>> {
        let place = |name: &String| self.columns.iter().position(|column| column.name.eq_ignore_ascii_case(name));
        names.iter().map(place).collect()
    }
}

/// Returns the collation that a column's definition or the options of a table name, or that of the
/// character set that they name.
fn named_collation(text: &str) -> Option<Collation> {
    let tokens: Vec<Token<'_>> = tokenize(text).collect();
    let name_after = |at: usize| {
        let mut rest = tokens[at + 1..].iter().skip_while(|token| token.is_symbol('='));
        rest.next().and_then(Token::name)
    };
    let find = |word: &str| tokens.iter().position(|token| token.is_keyword(word));
    if let Some(at) = find("collate") {
        return find_collation(&name_after(at)?);
    }
    let set = tokens.windows(2).position(|pair| pair[0].is_keyword("character") && pair[1].is_keyword("set"));
    default_collation(&name_after(find("charset").or(set.map(|at| at + 1))?)?)
}

/// Returns the CSV type for a column type.
fn cell_type(data_type: &str, is_unsigned: bool) -> CellType {
    match data_type {
        // BIGINT UNSIGNED can exceed a signed integer of 64 bits.
        "bigint" if is_unsigned => CellType::Decimal,
        "tinyint" | "smallint" | "mediumint" | "int" | "integer" | "bigint" | "year" => CellType::Int,
        "decimal" | "numeric" | "dec" => CellType::Decimal,
        "float" | "double" | "real" => CellType::Float,
        _ if workload_folder::is_binary(data_type) => CellType::Hex,
        _ => CellType::Text,
    }
}

fn tokenize(text: &str) -> impl Iterator<Item = Token<'_>> {
    sql::tokenize(text, SqlMode::default()).filter(|token| token.kind != TokenKind::Comment)
}

/// Returns the columns in the first parentheses: `a` and `b` of ``(`a`(10), `b` DESC)``.
fn parse_name_list(tokens: &[Token<'_>]) -> Vec<String> {
    let open = tokens.iter().position(|token| token.is_symbol('(')).unwrap_or(tokens.len());
    sql::list_items(tokens, open).into_iter().filter_map(|at| tokens[at].name()).collect()
}

fn parse_foreign_key(tokens: &[Token<'_>]) -> Option<ForeignKey> {
    let foreign = tokens.iter().position(|token| token.is_keyword("foreign"))?;
    let references = tokens.iter().position(|token| token.is_keyword("references"))?;
    let parent = tokens.get(references + 1)?;
    if foreign > references {
        return None;
    }
    Some(ForeignKey {
        columns: parse_name_list(&tokens[foreign..references]),
        parent: parent.name()?,
        parent_columns: parse_name_list(&tokens[references..]),
    })
}

/// Removes foreign keys to tables of other schemas from a `CREATE TABLE`. Also returns the parents
/// of these keys, as `schema.table`.
pub fn remove_cross_schema_keys(create: &str) -> (String, Vec<String>) {
    let (mut kept, mut left_out, mut end) = (String::new(), Vec::new(), 0);
    for definition in sql::ddl::split_definitions(create) {
        let tokens: Vec<Token<'_>> = tokenize(definition).collect();
        let Some(parent) = cross_schema_parent(&tokens) else { continue };
        left_out.push(parent);
        // The definition is a slice of `create`. A comma precedes it, as a foreign key is never the
        // first definition.
        let start = definition.as_ptr() as usize - create.as_ptr() as usize;
        let comma = create[..start].rfind(',').unwrap_or(start);
        kept += &create[end..comma];
        end = start + definition.len();
    }
    (kept + &create[end..], left_out)
}

/// Returns the parent as `schema.table` if a foreign key refers to another schema.
fn cross_schema_parent(tokens: &[Token<'_>]) -> Option<String> {
    let references = tokens.iter().position(|token| token.is_keyword("references"))?;
    match &tokens[references + 1..] {
        [schema, dot, name, ..] if dot.is_symbol('.') => Some(format!("{}.{}", schema.name()?, name.name()?)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CREATE: &str = "CREATE TABLE `orders` (\n  `id` int(11) NOT NULL AUTO_INCREMENT,\n  `number` bigint(20) unsigned NOT NULL,\n  `customer` int DEFAULT NULL,\n  \
         `lines` int GENERATED ALWAYS AS (1) VIRTUAL,\n  `scan` blob,\n  PRIMARY KEY (`id`),\n  KEY `c` (`customer`),\n  \
         CONSTRAINT `fk` FOREIGN KEY (`customer`, `id`) REFERENCES `customers` (`id`, `no`) ON DELETE CASCADE,\n  \
         CONSTRAINT `far` FOREIGN KEY (`number`) REFERENCES `other`.`t` (`id`)\n) ENGINE=InnoDB";

    #[test]
    fn reads_keys_and_columns_of_a_definition() {
        let (create, far) = remove_cross_schema_keys(CREATE);
        assert_eq!(far, ["other.t"]);
        assert!(create.ends_with("(`id`, `no`) ON DELETE CASCADE\n) ENGINE=InnoDB"), "{create}");
        assert_eq!(remove_cross_schema_keys(&create), (create.clone(), Vec::new()));
        let (schema, faults) = workload_folder::SchemaSql::parse(&create);
        assert_eq!(faults, []);
        let table = SourceTable::new(schema.tables[0].clone(), &create);
        let kinds: Vec<_> = table.columns.iter().map(|column| (column.name.as_str(), column.kind)).collect();
        assert_eq!(
            kinds,
            [
                ("id", CellType::Int),
                ("number", CellType::Decimal),
                ("customer", CellType::Int),
                ("scan", CellType::Hex)
            ]
        );
        assert_eq!(table.integer_key(), Some("id"));
        assert_eq!(table.foreign_keys.len(), 1);
        assert_eq!(table.foreign_keys[0].parent, "customers");
        assert_eq!(table.foreign_keys[0].columns, ["customer", "id"]);
        assert_eq!(table.foreign_keys[0].parent_columns, ["id", "no"]);
        assert_eq!(table.column_positions(&table.foreign_keys[0].columns), Some(vec![2, 0]));
    }

    #[test]
    fn reads_collations() {
        let create = "CREATE TABLE `t` (\n  `a` varchar(9) DEFAULT 'COLLATE x',\n  `b` varchar(9) CHARACTER SET latin1 NOT NULL,\n  \
                      `c` varchar(9) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,\n  `d` int\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci";
        let (schema, _) = workload_folder::SchemaSql::parse(create);
        let table = SourceTable::new(schema.tables[0].clone(), create);
        let names: Vec<_> = table.collations.iter().map(|one| one.map_or("", |one| one.info().name)).collect();
        assert_eq!(names, ["utf8mb4_0900_ai_ci", "latin1_swedish_ci", "utf8mb4_bin", ""]);
    }

    #[test]
    fn reads_every_column_of_a_primary_key() {
        let key = |definition: &str| {
            let create = format!("CREATE TABLE `t` (\n  `a` text NOT NULL,\n  `b` int NOT NULL,\n  {definition}\n)");
            let (schema, _) = workload_folder::SchemaSql::parse(&create);
            SourceTable::new(schema.tables[0].clone(), &create).primary
        };
        assert_eq!(key("PRIMARY KEY (`a`(10),`b`)"), ["a", "b"]);
        assert_eq!(key("PRIMARY KEY (`b` DESC, `a`(10) ASC) USING BTREE COMMENT '(c)'"), ["b", "a"]);
        assert_eq!(key("CONSTRAINT `x` PRIMARY KEY (`a`(10))"), ["a"]);
        assert_eq!(key("CONSTRAINT PRIMARY KEY USING BTREE (b)"), ["b"]);
        assert_eq!(key("`c` int PRIMARY KEY"), ["c"]);
        assert_eq!(key("UNIQUE KEY `u` (`b`)"), [""; 0]);
    }
}
