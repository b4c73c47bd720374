//! Recognises the statements of a dump that concern tables, and programs.

use sql::{SqlMode, TableName, Token, ddl, find_tables, read_table_name, tokenize};

use super::column::{content_tokens, find_charset, find_option};

/// A statement of a dump.
#[derive(Debug, PartialEq, Eq)]
pub enum Statement {
    Rows(InsertHead),
    CreateTable(TableName, Existing),
    /// `DROP TABLE`.
    Drop(Vec<TableName>),
    /// `CREATE DATABASE` and `ALTER DATABASE`.
    Schema(SchemaDefault),
    DropSchema(String),
    /// `CREATE INDEX` on a table.
    CreateIndex(TableName),
    /// `ALTER TABLE`, with the text of each change.
    Alter(TableName, Vec<String>),
    /// Kind and name of a program or view, such as `` TRIGGER `t` ``.
    Program(String),
    /// A statement that changes a table in another way.
    Other(TableName),
    /// A statement that is taken to change no table.
    Unrelated,
}

/// Effect of a `CREATE TABLE` if the table exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Servers refuse the statement.
    Refused,
    /// `IF NOT EXISTS`.
    Kept,
    /// `OR REPLACE`.
    Replaced,
}

/// Character set and collation that a statement gives a schema, in lower case.
#[derive(Debug, PartialEq, Eq)]
pub struct SchemaDefault {
    /// `None`: the schema in use.
    pub name: Option<String>,
    pub charset: Option<String>,
    pub collation: Option<String>,
}

/// Length of a statement's beginning in which names are searched, in bytes.
const MAX_HEAD_BYTES: usize = 512 << 10;

/// Length of a statement's end in which ON DUPLICATE KEY UPDATE is searched, in bytes.
const MAX_TAIL_BYTES: usize = 64 << 10;

impl Statement {
    pub fn read(statement: &[u8]) -> Self {
        let head = valid_head(statement);
        let words: Vec<Token<'_>> = tokenize(head, SqlMode::default()).filter(Token::is_content).take(8).collect();
        let Some(first) = words.first() else { return Self::Unrelated };
        match first.text.to_ascii_lowercase().as_str() {
            "insert" | "replace" => InsertHead::read(statement).map_or_else(|| Self::other(head), Self::Rows),
            "create" => Self::read_create(statement, head, &words),
            "alter" => Self::read_alter(head, &words),
            "drop" if words.get(1).is_some_and(|word| word.is_any_keyword(&["DATABASE", "SCHEMA"])) => {
                let name = words[2..].iter().find(|word| !word.is_any_keyword(&["IF", "EXISTS"]));
                name.and_then(Token::name).map_or(Self::Unrelated, Self::DropSchema)
            }
            "drop" if words.get(1).is_some_and(|word| word.is_keyword("TABLE")) => Self::read_drop(head),
            "rename" | "drop" if !words.iter().any(|word| word.is_any_keyword(&["TABLE", "TABLES", "INDEX"])) => {
                Self::Unrelated
            }
            "drop" if words.get(1).is_none_or(|word| word.is_keyword("TEMPORARY")) => Self::Unrelated,
            "load" if words.get(1).is_some_and(|word| word.is_keyword("INDEX")) => Self::Unrelated,
            "rename" | "drop" | "load" | "update" | "delete" | "truncate" | "import" => Self::other(head),
            _ => Self::Unrelated,
        }
    }

    fn read_create(statement: &[u8], head: &str, words: &[Token<'_>]) -> Self {
        let attributes = ["OR", "REPLACE", "TEMPORARY", "ONLINE", "OFFLINE", "UNIQUE", "FULLTEXT", "SPATIAL", "VECTOR"];
        let object = words[1..].iter().find(|word| !word.is_any_keyword(&attributes));
        let after_object = || object.map_or(&[][..], |object| &words[position(words, object) + 1..]);
        match object {
            // Old dumps write a placeholder of a view as a table in a conditional comment.
            Some(word) if word.is_keyword("TABLE") && head.trim_start().starts_with("/*") => Self::Unrelated,
            Some(word) if word.is_keyword("TABLE") => {
                let name = after_object().iter().position(|word| !word.is_any_keyword(&["IF", "NOT", "EXISTS"]));
                let existing = match name {
                    _ if words[1].is_keyword("OR") => Existing::Replaced,
                    Some(at) if at > 0 => Existing::Kept,
                    _ => Existing::Refused,
                };
                Self::CreateTable(name.map_or_else(unclear_name, |at| table_name(&after_object()[at..])), existing)
            }
            Some(word) if word.is_any_keyword(&["DATABASE", "SCHEMA"]) => Self::read_schema(head),
            Some(word) if word.is_keyword("INDEX") => {
                let tokens = content_tokens(head);
                let on = tokens.iter().position(|token| token.is_keyword("ON"));
                Self::CreateIndex(on.map_or_else(unclear_name, |on| table_name(&tokens[on + 1..])))
            }
            _ => find_program(statement).map_or(Self::Unrelated, Self::Program),
        }
    }

    fn read_alter(head: &str, words: &[Token<'_>]) -> Self {
        let is_table = words[1..]
            .iter()
            .find(|word| !word.is_any_keyword(&["ONLINE", "OFFLINE", "IGNORE"]))
            .is_some_and(|word| word.is_keyword("TABLE"));
        if words.get(1).is_some_and(|word| word.is_any_keyword(&["DATABASE", "SCHEMA"])) {
            return Self::read_schema(head);
        }
        if !is_table {
            return Self::Unrelated;
        }
        let tokens = content_tokens(head);
        let skipped = ["ALTER", "ONLINE", "OFFLINE", "IGNORE", "TABLE", "IF", "EXISTS"];
        let begin = tokens.iter().position(|token| !token.is_any_keyword(&skipped)).unwrap_or(tokens.len());
        let Some((name, length)) = read_table_name(&tokens[begin..]) else { return Self::Other(unclear_name()) };
        let changes = match (tokens.get(begin + length), tokens.last()) {
            (Some(first), Some(last)) => format!("({})", &head[first.start..last.end()]),
            _ => String::new(),
        };
        Self::Alter(name, ddl::split_definitions(&changes).into_iter().map(str::to_owned).collect())
    }

    /// Reads `DROP TABLE IF EXISTS a, b`.
    fn read_drop(head: &str) -> Self {
        let tokens = content_tokens(head);
        let mut at = 2 + tokens[2..].iter().take_while(|token| token.is_any_keyword(&["IF", "EXISTS"])).count();
        let mut names = Vec::new();
        while let Some((name, length)) = read_table_name(&tokens[at..]) {
            names.push(name);
            at += length;
            if !tokens.get(at).is_some_and(|token| token.is_symbol(',')) {
                break;
            }
            at += 1;
        }
        Self::Drop(names)
    }

    /// Reads `CREATE DATABASE IF NOT EXISTS a DEFAULT CHARACTER SET b COLLATE c`.
    fn read_schema(head: &str) -> Self {
        let tokens = content_tokens(head);
        let words = ["OR", "REPLACE", "CREATE", "ALTER", "DATABASE", "SCHEMA", "IF", "NOT", "EXISTS"];
        let name = tokens.iter().find(|token| !token.is_any_keyword(&words));
        // ALTER DATABASE may leave the name out.
        let options = ["DEFAULT", "CHARACTER", "CHARSET", "COLLATE", "COMMENT", "ENCRYPTION", "READ"];
        let name = name.filter(|token| !token.is_any_keyword(&options)).and_then(Token::name);
        Self::Schema(SchemaDefault {
            name,
            charset: find_charset(&tokens),
            collation: find_option(&tokens, &["COLLATE"]),
        })
    }

    fn other(head: &str) -> Self {
        let tokens = content_tokens(head);
        let after = |word: &str| {
            let at = tokens.iter().position(|token| token.is_keyword(word))?;
            Some(table_name(&tokens[at + 1..]))
        };
        let named = match tokens[0].text.to_ascii_lowercase().as_str() {
            "drop" => after("ON"),
            "load" => after("TABLE"),
            _ => find_tables(&tokens).into_iter().next(),
        };
        // `TRUNCATE t` has no word before the name.
        Self::Other(named.unwrap_or_else(|| table_name(&tokens[1..])))
    }
}

/// Reads the name of a table; empty if it is unclear.
fn table_name(tokens: &[Token<'_>]) -> TableName {
    read_table_name(tokens).map_or_else(unclear_name, |(name, _)| name)
}

fn unclear_name() -> TableName {
    TableName { schema: None, name: String::new() }
}

fn position(words: &[Token<'_>], word: &Token<'_>) -> usize {
    words.iter().position(|other| other.start == word.start).unwrap_or(0)
}

/// Returns at most [`MAX_HEAD_BYTES`] of a statement, up to the first bytes that aren't UTF-8.
fn valid_head(statement: &[u8]) -> &str {
    let head = &statement[..statement.len().min(MAX_HEAD_BYTES)];
    match std::str::from_utf8(head) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&head[..error.valid_up_to()]).unwrap_or_default(),
    }
}

/// Beginning of an INSERT or REPLACE with literal rows.
#[derive(Debug, PartialEq, Eq)]
pub struct InsertHead {
    pub table: TableName,
    /// Empty if the statement lists no columns.
    pub columns: Vec<String>,
    /// Offset behind `VALUES`.
    pub rows: usize,
}

impl InsertHead {
    /// `None` for rows of a SELECT or by SET, and for rows that may change others (ON DUPLICATE
    /// KEY).
    pub fn read(statement: &[u8]) -> Option<Self> {
        let head = valid_head(statement);
        let mut before: Vec<Token<'_>> = Vec::new();
        let mut depth = 0_usize;
        let mut rows = None;
        for token in tokenize(head, SqlMode::default()).filter(Token::is_content) {
            if token.is_symbol('(') {
                depth += 1;
            } else if token.is_symbol(')') {
                depth = depth.saturating_sub(1);
            } else if depth == 0 && token.is_any_keyword(&["VALUES", "VALUE"]) {
                rows = Some(token.end());
                break;
            } else if depth == 0 && token.is_any_keyword(&["SELECT", "SET", "WITH", "TABLE"]) {
                break;
            }
            before.push(token);
        }
        let rows = rows.filter(|_| !changes_duplicates(statement))?;
        let words = ["INSERT", "REPLACE", "LOW_PRIORITY", "DELAYED", "HIGH_PRIORITY", "IGNORE", "INTO"];
        let begin = before.iter().position(|token| !token.is_any_keyword(&words))?;
        let (table, length) = read_table_name(&before[begin..])?;
        let rest = &before[begin + length..];
        let list = match rest.iter().position(|token| token.is_symbol(')')) {
            Some(end) if rest[0].is_keyword("PARTITION") => &rest[end + 1..],
            _ => rest,
        };
        // `t.a` is the column a.
        let is_schema = |at: usize| list.get(at + 1).is_some_and(|next| next.is_symbol('.'));
        let names = list.iter().enumerate().filter(|(at, _)| !is_schema(*at)).filter_map(|(_, token)| token.name());
        Some(Self { table, columns: names.collect(), rows })
    }
}

/// True for an INSERT … ON DUPLICATE KEY UPDATE.
fn changes_duplicates(statement: &[u8]) -> bool {
    const WORDS: &[u8] = b"DUPLICATE";
    let tail = &statement[statement.len().saturating_sub(MAX_TAIL_BYTES)..];
    if !tail.windows(WORDS.len()).any(|words| words.eq_ignore_ascii_case(WORDS)) {
        return false;
    }
    let text = String::from_utf8_lossy(statement);
    let mut tokens = tokenize(&text, SqlMode::default());
    tokens.any(|token| token.is_keyword("DUPLICATE"))
}

/// Returns kind and name of the program or view that a statement creates, such as `` TRIGGER `t`
/// ``. Dumps write the parts of the statement in conditional comments.
fn find_program(statement: &[u8]) -> Option<String> {
    const MAX_HEAD_BYTES: usize = 1_000;
    let head = statement.trim_ascii_start();
    let head = String::from_utf8_lossy(&head[..head.len().min(MAX_HEAD_BYTES)]).replace("*/", " ");
    let mut words = head.split_whitespace().map(|word| match word.strip_prefix("/*!") {
        Some(word) => word.trim_start_matches(|character: char| character.is_ascii_digit()),
        None => word,
    });
    if !words.by_ref().find(|word| !word.is_empty())?.eq_ignore_ascii_case("create") {
        return None;
    }
    let kinds = ["PROCEDURE", "FUNCTION", "TRIGGER", "EVENT", "VIEW"];
    let kind = words
        .by_ref()
        .take_while(|word| !word.eq_ignore_ascii_case("table") && !word.eq_ignore_ascii_case("as"))
        .find(|word| kinds.iter().any(|kind| word.eq_ignore_ascii_case(kind)))?;
    let name = words.next()?.split(['(', ' ']).next()?;
    Some(format!("{} {name}", kind.to_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(schema: Option<&str>, name: &str) -> TableName {
        TableName { schema: schema.map(str::to_owned), name: name.to_owned() }
    }

    #[test]
    fn rows_are_found_in_every_form_of_insert() {
        for (statement, schema, name, columns) in [
            ("INSERT INTO `t` VALUES (1,'values (')", None, "t", vec![]),
            ("INSERT INTO t VALUES(1)", None, "t", vec![]),
            ("REPLACE INTO `s`.`t` (`a`, b) VALUES\n(1,2)", Some("s"), "t", vec!["a", "b"]),
            ("insert ignore into s.t(`values`) value (1)", Some("s"), "t", vec!["values"]),
            ("INSERT INTO t PARTITION (p0) (t.a) VALUES ('ON DUPLICATE KEY UPDATE')", None, "t", vec!["a"]),
        ] {
            let head = InsertHead::read(statement.as_bytes()).unwrap();
            assert_eq!(
                (head.table, head.columns),
                (table(schema, name), columns.into_iter().map(str::to_owned).collect())
            );
            assert!(statement[head.rows..].trim_start().starts_with('('), "{statement}");
        }
        for other in [
            "INSERT INTO t SELECT * FROM u",
            "INSERT INTO t SET a = 1",
            "INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE a = VALUES(a)",
        ] {
            assert_eq!(Statement::read(other.as_bytes()), Statement::Other(table(None, "t")), "{other}");
        }
    }

    #[test]
    fn statements_are_sorted_by_what_they_change() {
        let read = |statement: &str| Statement::read(statement.as_bytes());
        assert_eq!(
            read("ALTER TABLE `wp`\n  ADD PRIMARY KEY (`a`,`b`),\n  ADD KEY `k` (`c`)"),
            Statement::Alter(table(None, "wp"), vec!["ADD PRIMARY KEY (`a`,`b`)".into(), "ADD KEY `k` (`c`)".into()])
        );
        assert_eq!(
            read("/*!40000 ALTER TABLE `t` DISABLE KEYS */"),
            Statement::Alter(table(None, "t"), vec!["DISABLE KEYS".into()])
        );
        for (text, existing) in [
            ("CREATE TABLE IF NOT EXISTS s.`t` (`a` int)", Existing::Kept),
            ("CREATE OR REPLACE TABLE s.`t` (`a` int)", Existing::Replaced),
            ("CREATE TABLE s.`t` (`a` int)", Existing::Refused),
        ] {
            assert_eq!(read(text), Statement::CreateTable(table(Some("s"), "t"), existing));
        }
        assert_eq!(
            read("DROP TABLE IF EXISTS `t`, s.u"),
            Statement::Drop(vec![table(None, "t"), table(Some("s"), "u")])
        );
        assert_eq!(read("DROP DATABASE IF EXISTS `s`"), Statement::DropSchema("s".into()));
        let schema = |name: Option<&str>, charset: Option<&str>, collation: Option<&str>| {
            let [name, charset, collation] = [name, charset, collation].map(|text| text.map(str::to_owned));
            Statement::Schema(SchemaDefault { name, charset, collation })
        };
        for (text, expected) in [
            (
                "CREATE DATABASE /*!32312 IF NOT EXISTS*/ `s` /*!40100 DEFAULT CHARACTER SET latin1 */",
                schema(Some("s"), Some("latin1"), None),
            ),
            ("ALTER DATABASE CHARSET = utf8 COLLATE utf8_bin", schema(None, Some("utf8"), Some("utf8_bin"))),
            ("CREATE SCHEMA s", schema(Some("s"), None, None)),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
        assert_eq!(read("CREATE UNIQUE INDEX event ON s.t (a)"), Statement::CreateIndex(table(Some("s"), "t")));
        assert_eq!(
            read("CREATE DEFINER=`a`@`b` EVENT `e` ON SCHEDULE EVERY 1 DAY DO DELETE FROM t"),
            Statement::Program("EVENT `e`".into())
        );
        for other in [
            "UPDATE `t` SET a = 1",
            "DELETE FROM t",
            "TRUNCATE TABLE t",
            "TRUNCATE t",
            "RENAME TABLE t TO u",
            "LOAD DATA INFILE 'x' INTO TABLE t",
            "DROP INDEX k ON t",
        ] {
            assert_eq!(read(other), Statement::Other(table(None, "t")), "{other}");
        }
        for unrelated in [
            "LOCK TABLES `t` WRITE",
            "UNLOCK TABLES",
            "/*!40101 SET NAMES utf8mb4 */",
            "/*!50001 CREATE TABLE `v` (\n  `a` tinyint NOT NULL\n) ENGINE=MyISAM */",
            "USE `s`",
            "COMMIT",
            "DROP VIEW `v`",
            "RENAME USER a TO b",
        ] {
            assert_eq!(read(unrelated), Statement::Unrelated, "{unrelated}");
        }
    }
}
