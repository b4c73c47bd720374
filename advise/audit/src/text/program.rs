//! Parameters and variables that a stored program declares, and tables that it creates.

use facts::Program;
use sql::{PreparedTexts, Token};

/// A text column or variable, with the clauses of its declaration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declaration {
    pub name: String,
    pub charset: Option<String>,
    pub collation: Option<String>,
}

/// A table that a stored program creates, with the clauses of its charset and collation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreatedTable {
    pub name: String,
    pub charset: Option<String>,
    pub collation: Option<String>,
    /// Text columns.
    pub columns: Vec<Declaration>,
}

/// Types with a character set, without rare names such as `NCHAR` and `CHARACTER`.
const TEXT_TYPES: [&str; 8] = ["char", "varchar", "tinytext", "text", "mediumtext", "longtext", "enum", "set"];

/// Reads the statements that a program prepares.
pub fn prepared_texts(program: &Program) -> PreparedTexts {
    PreparedTexts::of_body(program.body.as_deref().unwrap_or_default(), program.lexer_mode())
}

/// Returns the text variables of `DECLARE a, b VARCHAR(20) CHARACTER SET latin1`.
pub fn declared_variables(part: &[Token<'_>]) -> Vec<Declaration> {
    let Some(start) = part.iter().position(|token| token.is_keyword("declare")) else { return Vec::new() };
    let mut names = Vec::new();
    let mut at = start + 1;
    while let Some(name) = part.get(at).and_then(Token::name) {
        names.push(name);
        at += 1;
        match part.get(at) {
            Some(token) if token.is_symbol(',') => at += 1,
            _ => break,
        }
    }
    let definition = &part[at.min(part.len())..];
    let end = definition.iter().position(|token| token.is_keyword("default")).unwrap_or(definition.len());
    let Some(template) = declaration("", &definition[..end]) else { return Vec::new() };
    names.into_iter().map(|name| Declaration { name, ..template.clone() }).collect()
}

/// Returns the text parameters of a routine, whose list begins at `open`: `(IN a VARCHAR(20)
/// CHARACTER SET latin1, b INT)`. Returns the position of the closing parenthesis, too.
pub fn declared_parameters(tokens: &[Token<'_>], open: usize) -> (Vec<Declaration>, usize) {
    let (definitions, close) = split_parentheses(tokens, open);
    let parameter = |definition: &&[Token<'_>]| {
        let has_mode = definition.first()?.is_any_keyword(&["in", "out", "inout"]);
        let (name, definition) = definition.get(usize::from(has_mode)..)?.split_first()?;
        declaration(&name.name()?, definition)
    };
    (definitions.iter().filter_map(parameter).collect(), close)
}

/// Returns the table of `CREATE [TEMPORARY] TABLE t (a VARCHAR(10), …)`. `None` for other
/// statements, and for tables without text columns.
pub fn created_table(part: &[Token<'_>]) -> Option<CreatedTable> {
    let create = part.iter().position(|token| token.is_keyword("create"))?;
    let table = create + part[create..].iter().take(4).position(|token| token.is_keyword("table"))?;
    let open = table + part[table..].iter().position(|token| token.is_symbol('('))?;
    let name = part[open - 1].name()?;
    let (definitions, close) = split_parentheses(part, open);
    let columns = definitions.iter().filter_map(|definition| {
        let (name, definition) = definition.split_first()?;
        declaration(&name.name()?, definition)
    });
    let columns: Vec<Declaration> = columns.collect();
    let options = part.get(close + 1..).unwrap_or_default();
    let (charset, collation) = clauses(options);
    (!columns.is_empty()).then_some(CreatedTable { name, charset, collation, columns })
}

/// Splits the tokens between parentheses at their commas. Returns the position of the closing
/// parenthesis, too.
fn split_parentheses<'t, 's>(tokens: &'t [Token<'s>], open: usize) -> (Vec<&'t [Token<'s>]>, usize) {
    let (mut depth, mut begin, mut found) = (0_usize, open + 1, Vec::new());
    for (at, token) in tokens.iter().enumerate().skip(open) {
        if token.is_symbol('(') {
            depth += 1;
        } else if token.is_symbol(')') {
            depth -= 1;
        }
        let ends = depth == 0 || depth == 1 && token.is_symbol(',');
        if ends {
            found.push(&tokens[begin..at]);
            begin = at + 1;
        }
        if depth == 0 {
            return (found, at);
        }
    }
    (found, tokens.len())
}

fn declaration(name: &str, definition: &[Token<'_>]) -> Option<Declaration> {
    let first = definition.first()?;
    if !first.is_any_keyword(&TEXT_TYPES) {
        return None;
    }
    let (charset, collation) = clauses(definition);
    // `CHAR BYTE` and `CHARACTER SET binary` are binary types.
    let is_binary = charset.as_deref() == Some("binary") || definition.iter().any(|token| token.is_keyword("byte"));
    (!is_binary).then(|| Declaration { name: name.to_owned(), charset, collation })
}

/// Returns the names after `CHARACTER SET` or `CHARSET`, and after `COLLATE`.
fn clauses(tokens: &[Token<'_>]) -> (Option<String>, Option<String>) {
    let (mut charset, mut collation) = (None, None);
    for (at, token) in tokens.iter().enumerate() {
        let is_set = token.is_keyword("set") && at > 0 && tokens[at - 1].is_any_keyword(&["character", "char"]);
        let mut after = tokens[at + 1..].iter().skip_while(|token| token.is_symbol('='));
        let name = after.next().map(|token| token.text.trim_matches(['\'', '"', '`']).to_lowercase());
        if token.is_keyword("collate") {
            collation = name;
        } else if is_set || token.is_keyword("charset") {
            charset = name;
        }
    }
    (charset, collation)
}

#[cfg(test)]
mod tests {
    use super::super::tokens;
    use super::*;

    #[test]
    fn reads_declarations() {
        let names = |text: &str| {
            let declared = declared_variables(&tokens(text));
            declared.into_iter().map(|one| (one.name, one.charset, one.collation)).collect::<Vec<_>>()
        };
        let latin1 = Some("latin1".to_owned());
        assert_eq!(
            names("BEGIN DECLARE a, `b` VARCHAR(20) CHARACTER SET latin1 DEFAULT 'x' COLLATE y"),
            [("a".into(), latin1.clone(), None), ("b".into(), latin1, None)]
        );
        assert_eq!(names("DECLARE i INT"), []);
        assert_eq!(names("DECLARE c CURSOR FOR SELECT a FROM t"), []);
    }

    #[test]
    fn reads_parameters() {
        let text = "CREATE PROCEDURE p (INOUT a VARCHAR(10) CHARSET utf8mb4, b DECIMAL(5,2), `in` TEXT) SELECT 1";
        let (declared, close) = declared_parameters(&tokens(text), 3);
        let names: Vec<_> = declared.iter().map(|one| (one.name.as_str(), one.charset.as_deref())).collect();
        assert_eq!((names, close), (vec![("a", Some("utf8mb4")), ("in", None)], 23));
    }

    #[test]
    fn reads_created_tables() {
        let text = "CREATE TEMPORARY TABLE IF NOT EXISTS tt (id INT, a VARCHAR(10), b ENUM('x','y') COLLATE utf8mb4_bin, KEY (a)) CHARSET=latin1";
        let table = created_table(&tokens(text)).unwrap();
        assert_eq!((table.name.as_str(), table.charset.as_deref()), ("tt", Some("latin1")));
        let columns: Vec<_> = table.columns.iter().map(|one| (one.name.as_str(), one.collation.as_deref())).collect();
        assert_eq!(columns, [("a", None), ("b", Some("utf8mb4_bin"))]);
        assert_eq!(created_table(&tokens("CREATE TABLE t AS SELECT a FROM (SELECT 1) x")), None);
    }
}
