//! Parses indexes and constraints of CREATE TABLE and ALTER TABLE statements.

use facts::{ForeignKey, Index, IndexKind, IndexPart, Table};
use sql::{Token, TokenKind, closing_parenthesis, ddl, quote_identifier};

use super::column::content_tokens;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyKind {
    Primary,
    Unique,
    Plain,
    Fulltext,
    Spatial,
    /// Index of vectors (MariaDB 11.7 and later).
    Vector,
    Foreign,
    Check,
}

impl KeyKind {
    fn read(token: &Token<'_>) -> Option<Self> {
        let kinds = [
            ("PRIMARY", Self::Primary),
            ("UNIQUE", Self::Unique),
            ("KEY", Self::Plain),
            ("INDEX", Self::Plain),
            ("FULLTEXT", Self::Fulltext),
            ("SPATIAL", Self::Spatial),
            ("VECTOR", Self::Vector),
            ("FOREIGN", Self::Foreign),
            ("CHECK", Self::Check),
        ];
        kinds.into_iter().find(|(word, _)| token.is_keyword(word)).map(|(_, kind)| kind)
    }

    /// Words of `SHOW CREATE TABLE`.
    fn words(self) -> &'static str {
        match self {
            Self::Primary => "PRIMARY KEY",
            Self::Unique => "UNIQUE KEY",
            Self::Plain => "KEY",
            Self::Fulltext => "FULLTEXT KEY",
            Self::Spatial => "SPATIAL KEY",
            Self::Vector => "VECTOR KEY",
            Self::Foreign => "FOREIGN KEY",
            Self::Check => "CHECK",
        }
    }

    fn is_index(self) -> bool {
        !matches!(self, Self::Foreign | Self::Check)
    }
}

/// Definition of an index or a constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key<'d> {
    pub kind: KeyKind,
    /// Name of the index, or of the constraint.
    name: Option<String>,
    /// Text in the parentheses: parts of an index, columns of a foreign key, or a condition.
    list: &'d str,
    /// Text after the parentheses.
    rest: &'d str,
}

impl<'d> Key<'d> {
    /// Reads ``UNIQUE KEY `name` (`a`) …`` or ``CONSTRAINT `name` CHECK (…)``, with or without
    /// backticks and names.
    pub fn parse(definition: &'d str) -> Option<Self> {
        let tokens = content_tokens(definition);
        let mut at = 0;
        let mut symbol = None;
        if tokens.first()?.is_keyword("CONSTRAINT") {
            symbol = tokens.get(1).filter(|token| KeyKind::read(token).is_none()).and_then(Token::name);
            at = 1 + usize::from(symbol.is_some());
        }
        let kind = KeyKind::read(tokens.get(at)?)?;
        at += 1;
        let skip = |at: &mut usize, words: &[&str]| {
            *at += tokens[*at..].iter().take_while(|token| token.is_any_keyword(words)).count();
        };
        skip(&mut at, &["KEY", "INDEX"]);
        skip(&mut at, &["IF", "NOT", "EXISTS"]);
        let own_name = tokens.get(at).filter(|token| !token.is_any_keyword(&["USING", "TYPE"])).and_then(Token::name);
        at += usize::from(own_name.is_some());
        if tokens.get(at).is_some_and(|token| token.is_any_keyword(&["USING", "TYPE"])) {
            at += 2;
        }
        Self::with_list(kind, symbol, own_name, definition, tokens.get(at..)?)
    }

    /// Reads `CREATE INDEX`, whose tokens begin with INDEX or the word before it, such as UNIQUE.
    pub fn parse_create_index(text: &'d str, tokens: &[Token<'_>]) -> Option<Self> {
        let kind = KeyKind::read(tokens.first()?)?;
        let on = tokens.iter().position(|token| token.is_keyword("ON"))?;
        let words = ["INDEX", "UNIQUE", "FULLTEXT", "SPATIAL", "VECTOR", "IF", "NOT", "EXISTS"];
        let name = tokens[..on].iter().find(|token| !token.is_any_keyword(&words))?.name();
        let open = on + tokens[on..].iter().position(|token| token.is_symbol('('))?;
        Self::with_list(kind, None, name, text, &tokens[open..])
    }

    /// `tokens` begin with the parenthesis.
    fn with_list(
        kind: KeyKind,
        symbol: Option<String>,
        own_name: Option<String>,
        text: &'d str,
        tokens: &[Token<'_>],
    ) -> Option<Self> {
        let open = tokens.first().filter(|token| token.is_symbol('('))?;
        let close = tokens[1 + closing_parenthesis(&tokens[1..])?];
        let list = &text[open.end()..close.start];
        let name = match kind {
            KeyKind::Primary => Some("PRIMARY".to_owned()),
            KeyKind::Foreign | KeyKind::Check => symbol.or(own_name),
            // The servers name an index after its first column.
            _ => own_name.or(symbol).or_else(|| split_list(list).next()?.column),
        };
        Some(Self { kind, name, list, rest: &text[close.end()..] })
    }

    /// `None` for foreign keys and checks.
    pub fn index(&self) -> Option<Index> {
        let kind = match self.kind {
            KeyKind::Fulltext => IndexKind::Fulltext,
            KeyKind::Spatial => IndexKind::Spatial,
            KeyKind::Vector => IndexKind::Other,
            _ => IndexKind::Btree,
        };
        let invisible = content_tokens(self.rest).iter().any(|word| word.is_any_keyword(&["INVISIBLE", "IGNORED"]));
        self.kind.is_index().then(|| Index {
            name: self.name.clone().unwrap_or_default(),
            unique: matches!(self.kind, KeyKind::Primary | KeyKind::Unique),
            kind,
            invisible,
            parts: split_list(self.list).collect(),
        })
    }

    /// `None` unless the definition is of a foreign key with a parent.
    pub fn foreign_key(&self, table: &Table) -> Option<ForeignKey> {
        let tokens = content_tokens(self.rest);
        let open = tokens.iter().position(|token| token.is_symbol('('))?;
        if self.kind != KeyKind::Foreign || !tokens[0].is_keyword("REFERENCES") {
            return None;
        }
        let close = tokens[open + 1 + closing_parenthesis(&tokens[open + 1..])?];
        let parent: Vec<String> = tokens[1..open].iter().filter_map(Token::name).collect();
        let columns = |list: &str| split_list(list).filter_map(|part| part.column).collect();
        Some(ForeignKey {
            name: self.name.clone().unwrap_or_default(),
            schema: table.schema.clone(),
            table: table.name.clone(),
            columns: columns(self.list),
            parent_schema: if parent.len() > 1 { parent[0].clone() } else { table.schema.clone() },
            parent_table: parent.last()?.clone(),
            parent_columns: columns(&self.rest[tokens[open].end()..close.start]),
            on_update: ddl::referential_action(self.rest, "UPDATE").to_owned(),
            on_delete: ddl::referential_action(self.rest, "DELETE").to_owned(),
        })
    }

    /// Returns the definition as `SHOW CREATE TABLE` prints it. Columns of the table are in
    /// backticks.
    pub fn canonical(&self, columns: &[String]) -> String {
        let words = self.kind.words();
        let name = self.name.as_deref().map(quote_identifier);
        let head = match (name, self.kind) {
            (Some(name), KeyKind::Foreign | KeyKind::Check) => format!("CONSTRAINT {name} {words}"),
            (Some(name), kind) if kind != KeyKind::Primary => format!("{words} {name}"),
            _ => words.to_owned(),
        };
        format!("{head} ({}){}", quote_columns(self.list, columns), self.rest)
    }
}

/// Splits the list of an index into its parts.
fn split_list(list: &str) -> impl Iterator<Item = IndexPart> {
    let in_parentheses = format!("({list})");
    ddl::split_definitions(&in_parentheses).into_iter().map(parse_part).collect::<Vec<_>>().into_iter()
}

/// Reads `` `a`(9) DESC`` or `(lower(…))`.
fn parse_part(text: &str) -> IndexPart {
    let tokens = content_tokens(text);
    let descending = tokens.last().is_some_and(|token| token.is_keyword("DESC"));
    match tokens.as_slice() {
        [open, inside @ ..] if open.is_symbol('(') => {
            let end = closing_parenthesis(inside).map_or(text.len(), |close| inside[close].start);
            IndexPart { expression: Some(text[open.end()..end].to_owned()), descending, ..IndexPart::default() }
        }
        [name, rest @ ..] => {
            let prefix = rest.first().filter(|token| token.is_symbol('(')).and_then(|_| rest.get(1)?.text.parse().ok());
            IndexPart { column: name.name(), prefix, descending, ..IndexPart::default() }
        }
        [] => IndexPart::default(),
    }
}

/// Returns an expression with the table's columns in backticks.
fn quote_columns(expression: &str, columns: &[String]) -> String {
    let tokens = content_tokens(expression);
    let (mut quoted, mut copied) = (String::new(), 0);
    for (at, token) in tokens.iter().enumerate() {
        let is_call = tokens.get(at + 1).is_some_and(|next| next.is_symbol('('));
        let column = columns.iter().find(|column| token.text.eq_ignore_ascii_case(column));
        // `name(10)` at the beginning of a part is a column with a prefix.
        let begins_part = at == 0 || tokens[at - 1].is_symbol(',');
        if let Some(column) = column.filter(|_| token.kind == TokenKind::Word && (!is_call || begins_part)) {
            quoted += &expression[copied..token.start];
            quoted += &quote_identifier(column);
            copied = token.end();
        }
    }
    quoted + &expression[copied..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(definition: &str) -> Vec<(Option<String>, Option<String>)> {
        let index = Key::parse(definition).unwrap().index().unwrap();
        index.parts.into_iter().map(|part| (part.column, part.expression)).collect()
    }

    #[test]
    fn expressions_are_no_columns() {
        let expression = |text: &str| (None, Some(text.to_owned()));
        let column = |name: &str| (Some(name.to_owned()), None);
        assert_eq!(parts("UNIQUE KEY `fy` ((md5(`a`)))"), [expression("md5(`a`)")]);
        assert_eq!(
            parts("UNIQUE KEY `fx` ((left(`a`,2)) DESC,`b`(5),`c,d` DESC)"),
            [expression("left(`a`,2)"), column("b"), column("c,d")]
        );
    }

    #[test]
    fn keys_get_the_form_of_the_servers() {
        let columns = ["id".to_owned(), "Name".to_owned()];
        for (definition, canonical) in [
            ("UNIQUE KEY `u` (`id`,`Name`(5)) USING BTREE", "UNIQUE KEY `u` (`id`,`Name`(5)) USING BTREE"),
            ("UNIQUE (name(5), id)", "UNIQUE KEY `name` (`Name`(5), `id`)"),
            ("constraint c unique index using btree (name)", "UNIQUE KEY `c` (`Name`)"),
            ("PRIMARY KEY (id)", "PRIMARY KEY (`id`)"),
            ("INDEX i ((lower(name)))", "KEY `i` ((lower(`Name`)))"),
            ("FULLTEXT KEY IF NOT EXISTS f (name)", "FULLTEXT KEY `f` (`Name`)"),
            (
                "CONSTRAINT fk FOREIGN KEY (name) REFERENCES s.p (n) ON DELETE SET NULL",
                "CONSTRAINT `fk` FOREIGN KEY (`Name`) REFERENCES s.p (n) ON DELETE SET NULL",
            ),
            ("CONSTRAINT c CHECK (name <> 'name')", "CONSTRAINT `c` CHECK (`Name` <> 'name')"),
            ("CHECK (id > 0)", "CHECK (`id` > 0)"),
        ] {
            assert_eq!(Key::parse(definition).unwrap().canonical(&columns), canonical);
        }
        assert_eq!((Key::parse("`key` int"), Key::parse("PERIOD FOR p (`a`,`b`)")), (None, None));
    }

    #[test]
    fn foreign_keys_name_their_parents() {
        let table = Table { schema: "s".into(), name: "c".into(), ..Table::default() };
        let read = |text: &str| Key::parse(text).unwrap().foreign_key(&table).unwrap();
        let key = read("CONSTRAINT fkx FOREIGN KEY (login) REFERENCES wp_users (user_login) ON UPDATE CASCADE");
        let found = (key.name.as_str(), key.parent_schema.as_str(), key.parent_table.as_str());
        assert_eq!(found, ("fkx", "s", "wp_users"));
        assert_eq!((key.columns, key.parent_columns), (vec!["login".to_owned()], vec!["user_login".to_owned()]));
        assert_eq!((key.on_update.as_str(), key.on_delete.as_str()), ("CASCADE", ""));
        assert_eq!(read("FOREIGN KEY (`a`) REFERENCES `o`.`p` (`k`)").parent_schema, "o");
    }
}
