//! `SHOW CREATE TABLE` and `SHOW CREATE VIEW`: what a capture has to know of them. Pure.

use replay::{Column, TableShape, Type};
use sql::{Kind, Mode, Token};

/// A table that is captured.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Name and columns.
    pub shape: TableShape,
    /// The columns that rows are taken of: those that are not computed.
    pub columns: Vec<Column>,
    /// Its foreign keys.
    pub foreign_keys: Vec<ForeignKey>,
    /// Its primary key.
    pub primary: Vec<String>,
}

/// A foreign key within the schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignKey {
    /// Columns of the child.
    pub columns: Vec<String>,
    /// The parent.
    pub parent: String,
    /// Columns of the parent.
    pub parent_columns: Vec<String>,
}

impl Table {
    /// Reads a `CREATE TABLE`, whose name and columns are known.
    pub fn new(shape: TableShape, create: &str) -> Self {
        let columns = shape.columns.iter().filter(|column| !column.is_generated);
        let columns =
            columns.map(|column| Column::new(&column.name, kind(&column.data_type, column.is_unsigned))).collect();
        let (mut foreign_keys, mut primary) = (Vec::new(), Vec::new());
        for definition in sql::ddl::definitions(create) {
            let tokens: Vec<Token<'_>> = tokens(definition).collect();
            foreign_keys.extend(foreign_key(&tokens));
            if tokens.first().is_some_and(|token| token.is("primary")) {
                primary = names_in(&tokens);
            } else if tokens.windows(2).any(|pair| pair[0].is("primary") && pair[1].is("key")) {
                primary = tokens[0].name().into_iter().collect();
            }
        }
        Self { shape, columns, foreign_keys, primary }
    }

    /// The primary key, where it is one whole number.
    pub fn integer_key(&self) -> Option<&str> {
        let [name] = self.primary.as_slice() else { return None };
        let column = self.columns.iter().find(|column| column.name == *name)?;
        (column.kind == Type::Int).then_some(name)
    }

    /// The places of columns.
    pub fn places(&self, names: &[String]) -> Option<Vec<usize>> {
        let place = |name: &String| self.columns.iter().position(|column| column.name.eq_ignore_ascii_case(name));
        names.iter().map(place).collect()
    }
}

/// How the values of a type are written down.
fn kind(data_type: &str, is_unsigned: bool) -> Type {
    match data_type {
        // Beyond 64 bits with a sign.
        "bigint" if is_unsigned => Type::Decimal,
        "tinyint" | "smallint" | "mediumint" | "int" | "integer" | "bigint" | "year" => Type::Int,
        "decimal" | "numeric" | "dec" => Type::Decimal,
        "float" | "double" | "real" => Type::Float,
        _ if replay::is_binary(data_type) => Type::Hex,
        _ => Type::Text,
    }
}

fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    sql::tokens(text, Mode::default()).filter(|token| token.kind != Kind::Comment)
}

/// The names in the first parentheses.
fn names_in(tokens: &[Token<'_>]) -> Vec<String> {
    let inside = tokens.iter().skip_while(|token| !token.is_symbol('(')).take_while(|token| !token.is_symbol(')'));
    inside.filter(|token| token.kind == Kind::Name || token.kind == Kind::Word).filter_map(Token::name).collect()
}

fn foreign_key(tokens: &[Token<'_>]) -> Option<ForeignKey> {
    let foreign = tokens.iter().position(|token| token.is("foreign"))?;
    let references = tokens.iter().position(|token| token.is("references"))?;
    let parent = tokens.get(references + 1)?;
    if foreign > references {
        return None;
    }
    Some(ForeignKey {
        columns: names_in(&tokens[foreign..references]),
        parent: parent.name()?,
        parent_columns: names_in(&tokens[references..]),
    })
}

/// A `CREATE TABLE` without its foreign keys to tables of other schemas, and what these are.
pub fn without_far_keys(create: &str) -> (String, Vec<String>) {
    let (mut kept, mut left_out, mut end) = (String::new(), Vec::new(), 0);
    for definition in sql::ddl::definitions(create) {
        let tokens: Vec<Token<'_>> = tokens(definition).collect();
        let Some(parent) = far_parent(&tokens) else { continue };
        left_out.push(parent);
        // A slice of `create`, behind the comma that ends the definition before it: a key is never the first.
        let start = definition.as_ptr() as usize - create.as_ptr() as usize;
        let comma = create[..start].rfind(',').unwrap_or(start);
        kept += &create[end..comma];
        end = start + definition.len();
    }
    (kept + &create[end..], left_out)
}

/// The table of another schema that a foreign key refers to.
fn far_parent(tokens: &[Token<'_>]) -> Option<String> {
    let references = tokens.iter().position(|token| token.is("references"))?;
    match &tokens[references + 1..] {
        [schema, dot, name, ..] if dot.is_symbol('.') => Some(format!("{}.{}", schema.name()?, name.name()?)),
        _ => None,
    }
}

/// A `CREATE VIEW` that needs no account of the server that it comes from.
pub fn without_definer(create: &str) -> String {
    let tokens: Vec<Token<'_>> = sql::tokens(create, Mode::default()).collect();
    let (mut out, mut end, mut at) = (String::new(), 0, 0);
    while at < tokens.len() {
        let token = &tokens[at];
        let next = |offset: usize| tokens.get(at + offset);
        if token.is("definer") && next(1).is_some_and(|next| next.is_symbol('=')) {
            let mut last = at + 2;
            if tokens.get(last + 1).is_some_and(|token| token.kind == Kind::Variable) {
                last += 1;
            }
            out.push_str(&create[end..token.start]);
            end = tokens.get(last + 1).map_or(create.len(), |token| token.start);
            at = last;
        } else if token.is("security") && next(1).is_some_and(|next| next.is("definer")) {
            out.push_str(&create[end..token.end()]);
            out.push_str(" INVOKER");
            end = tokens[at + 1].end();
            at += 1;
        }
        at += 1;
    }
    out.push_str(&create[end..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const CREATE: &str = "CREATE TABLE `orders` (\n  `id` int(11) NOT NULL AUTO_INCREMENT,\n  `number` bigint(20) unsigned NOT NULL,\n  `customer` int DEFAULT NULL,\n  \
         `lines` int GENERATED ALWAYS AS (1) VIRTUAL,\n  `scan` blob,\n  PRIMARY KEY (`id`),\n  KEY `c` (`customer`),\n  \
         CONSTRAINT `fk` FOREIGN KEY (`customer`, `id`) REFERENCES `customers` (`id`, `no`) ON DELETE CASCADE,\n  \
         CONSTRAINT `far` FOREIGN KEY (`number`) REFERENCES `other`.`t` (`id`)\n) ENGINE=InnoDB";

    #[test]
    fn a_table_is_known_from_its_definition() {
        let (create, far) = without_far_keys(CREATE);
        assert_eq!(far, ["other.t"]);
        assert!(create.ends_with("(`id`, `no`) ON DELETE CASCADE\n) ENGINE=InnoDB"), "{create}");
        assert_eq!(without_far_keys(&create), (create.clone(), Vec::new()));
        let (schema, faults) = replay::SchemaSql::parse(&create);
        assert_eq!(faults, []);
        let table = Table::new(schema.tables[0].clone(), &create);
        let kinds: Vec<_> = table.columns.iter().map(|column| (column.name.as_str(), column.kind)).collect();
        assert_eq!(kinds, [("id", Type::Int), ("number", Type::Decimal), ("customer", Type::Int), ("scan", Type::Hex)]);
        assert_eq!(table.integer_key(), Some("id"));
        assert_eq!(table.foreign_keys.len(), 1);
        assert_eq!(table.foreign_keys[0].parent, "customers");
        assert_eq!(table.foreign_keys[0].columns, ["customer", "id"]);
        assert_eq!(table.foreign_keys[0].parent_columns, ["id", "no"]);
        assert_eq!(table.places(&table.foreign_keys[0].columns), Some(vec![2, 0]));
    }

    #[test]
    fn views_lose_their_accounts() {
        let create = "CREATE ALGORITHM=UNDEFINED DEFINER=`root`@`localhost` SQL SECURITY DEFINER VIEW `v` AS select 1 AS `definer`";
        assert_eq!(
            without_definer(create),
            "CREATE ALGORITHM=UNDEFINED SQL SECURITY INVOKER VIEW `v` AS select 1 AS `definer`"
        );
        assert_eq!(without_definer("CREATE DEFINER=`role` VIEW v AS select 1"), "CREATE VIEW v AS select 1");
        assert_eq!(without_definer("CREATE VIEW v AS select 1"), "CREATE VIEW v AS select 1");
    }
}
