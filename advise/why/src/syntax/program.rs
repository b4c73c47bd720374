//! Stored programs: parameters, variables, and the statements and conditions of the body.

use std::ops::Range;

use super::cursor::Cursor;
use super::query::MAX_PARSED_BYTES;

/// A procedure, function, trigger or event as its `CREATE` statement writes it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    pub parameters: Vec<Declaration>,
    /// Type of `RETURNS`.
    pub returns: Option<Declaration>,
    pub variables: Vec<Declaration>,
    /// Place of the declarations of variables, in order.
    pub declares: Vec<Range<usize>>,
    pub pieces: Vec<Piece>,
    /// Place of each `SET` statement.
    pub settings: Vec<Range<usize>>,
    /// Place of the body.
    pub body: Range<usize>,
}

/// A parameter, a variable or the result of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    pub name: String,
    /// Place of the type with its length, without character set and collation.
    pub type_span: Range<usize>,
    /// Place of character set and collation behind the type; empty without them.
    pub attributes: Range<usize>,
    pub is_text: bool,
}

/// A part of a body that a server can be asked about.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    Statement(Range<usize>),
    /// The condition of `IF`, `WHILE`, `UNTIL` and `WHEN`, the value of `CASE`, `RETURN` and `SET`.
    Expression(Range<usize>),
}

impl Piece {
    pub fn span(&self) -> &Range<usize> {
        let (Self::Statement(span) | Self::Expression(span)) = self;
        span
    }
}

const TEXT_TYPES: [&str; 9] =
    ["char", "varchar", "tinytext", "text", "mediumtext", "longtext", "enum", "set", "character"];

/// Reads a `CREATE PROCEDURE`, `CREATE FUNCTION`, `CREATE TRIGGER` or `CREATE EVENT`. `None` for
/// other statements, and for those longer than [`MAX_PARSED_BYTES`].
pub fn parse_program(text: &str) -> Option<Program> {
    if text.len() > MAX_PARSED_BYTES {
        return None;
    }
    let mut cursor = Cursor::new(text);
    let mut program = Program::default();
    if !cursor.take_keyword("create") {
        return None;
    }
    let kinds = ["procedure", "function", "trigger", "event"];
    let at = cursor.tokens.iter().position(|token| token.is_any_keyword(&kinds))?;
    // The query of a view or table can contain such a word.
    if cursor.tokens[..at].iter().any(|token| token.is_any_keyword(&["view", "table", "select"])) {
        return None;
    }
    let is_trigger = cursor.tokens[at].is_keyword("trigger");
    let is_event = cursor.tokens[at].is_keyword("event");
    cursor.at = at + 1;
    while cursor.peek().is_some() && !is_trigger && !is_event && !cursor.is_symbol('(') {
        cursor.at += 1;
    }
    if is_event {
        while cursor.peek().is_some() && !cursor.take_keyword("do") {
            cursor.at += 1;
        }
    } else if is_trigger {
        while cursor.peek().is_some() && !cursor.take_keyword("each") {
            cursor.at += 1;
        }
        cursor.take_keyword("row");
        if cursor.take_any(&["follows", "precedes"]) {
            cursor.at += 1;
        }
    } else {
        cursor.at += 1;
        program.parameters = parameters(&mut cursor);
        if cursor.take_keyword("returns") {
            program.returns = declaration(&mut cursor, "");
        }
        characteristics(&mut cursor);
    }
    program.body = cursor.start()..text.len();
    body(&mut cursor, &mut program);
    Some(program)
}

fn parameters(cursor: &mut Cursor<'_>) -> Vec<Declaration> {
    let mut found = Vec::new();
    while cursor.peek().is_some() && !cursor.take_symbol(')') {
        let before = cursor.at;
        cursor.take_any(&["in", "out", "inout"]);
        if let Some(name) = cursor.name() {
            found.extend(declaration(cursor, &name));
        }
        cursor.take_symbol(',');
        if cursor.at == before {
            cursor.at += 1;
        }
    }
    found
}

/// Reads a type with its character set and collation.
fn declaration(cursor: &mut Cursor<'_>, name: &str) -> Option<Declaration> {
    let first = cursor.peek()?;
    let begin = first.start;
    cursor.at += 1;
    while let Some(token) = cursor.peek() {
        let is_type = token.is_symbol('(')
            || token.kind == sql::TokenKind::Word
                && token.is_any_keyword(&["unsigned", "zerofill", "varying", "precision", "signed", "binary"]);
        if !is_type {
            break;
        }
        cursor.skip_one();
    }
    let type_span = begin..cursor.end();
    let mut attributes = type_span.end..type_span.end;
    loop {
        if cursor.is_keyword("character") && cursor.peek_after(1).is_some_and(|next| next.is_keyword("set")) {
            cursor.at += 2;
        } else if !cursor.take_any(&["charset", "collate"]) {
            break;
        }
        cursor.take_symbol('=');
        cursor.at += 1;
        attributes.end = cursor.end();
    }
    Some(Declaration { name: name.to_owned(), type_span, attributes, is_text: first.is_any_keyword(&TEXT_TYPES) })
}

/// Skips `DETERMINISTIC`, `READS SQL DATA`, `COMMENT '…'` and the like.
fn characteristics(cursor: &mut Cursor<'_>) {
    loop {
        if cursor.take_keyword("comment") {
            cursor.at += 1;
        } else if cursor.take_keyword("sql") {
            cursor.take_keyword("security");
            cursor.at += 1;
        } else if !cursor.take_any(&["language", "not", "deterministic", "contains", "no", "reads", "modifies", "data"])
        {
            return;
        }
    }
}

fn body(cursor: &mut Cursor<'_>, program: &mut Program) {
    while let Some(token) = cursor.peek() {
        let before = cursor.at;
        if token.is_symbol(';') || token.is_any_keyword(&["begin", "else", "repeat", "loop", "then", "do"]) {
            cursor.at += 1;
        } else if token.is_keyword("end") {
            cursor.at += 1;
            skip_to_semicolon(cursor);
        } else if cursor.peek_after(1).is_some_and(|next| next.is_symbol(':'))
            && !cursor.peek_after(2).is_some_and(|next| next.is_symbol('='))
        {
            // A label.
            cursor.at += 2;
        } else if token.is_any_keyword(&["if", "elseif", "while", "until", "when"]) {
            cursor.at += 1;
            expression_until(cursor, program, &["then", "do", "end"]);
        } else if token.is_keyword("case") {
            cursor.at += 1;
            expression_until(cursor, program, &["when"]);
        } else if token.is_keyword("return") {
            cursor.at += 1;
            expression_until(cursor, program, &[]);
        } else if token.is_keyword("declare") {
            declare(cursor, program);
        } else if token.is_keyword("set") {
            let begin = cursor.start();
            cursor.at += 1;
            assignments(cursor, program);
            program.settings.push(begin..cursor.end());
        } else {
            statement(cursor, program);
        }
        if cursor.at == before {
            cursor.at += 1;
        }
    }
}

fn skip_to_semicolon(cursor: &mut Cursor<'_>) {
    while cursor.peek().is_some() && !cursor.take_symbol(';') {
        cursor.at += 1;
    }
}

/// Records the text up to a keyword or a semicolon outside of parentheses and `CASE … END`.
fn expression_until(cursor: &mut Cursor<'_>, program: &mut Program, words: &[&str]) {
    let begin = cursor.start();
    let mut cases = 0_usize;
    while let Some(token) = cursor.peek() {
        if token.is_symbol(';') || cases == 0 && token.is_any_keyword(words) {
            break;
        }
        if token.is_keyword("case") {
            cases += 1;
        } else if token.is_keyword("end") {
            cases = cases.saturating_sub(1);
        }
        cursor.skip_one();
    }
    if cursor.end() > begin {
        program.pieces.push(Piece::Expression(begin..cursor.end()));
    }
}

/// Records the values of `SET a = x, b = y`.
fn assignments(cursor: &mut Cursor<'_>, program: &mut Program) {
    while let Some(token) = cursor.peek() {
        if token.is_symbol(';') {
            return;
        }
        let is_sign = token.is_symbol('=');
        cursor.at += 1;
        if is_sign {
            let begin = cursor.start();
            while cursor.peek().is_some_and(|token| !token.is_symbol(';') && !token.is_symbol(',')) {
                cursor.skip_one();
            }
            program.pieces.push(Piece::Expression(begin..cursor.end()));
        }
    }
}

fn declare(cursor: &mut Cursor<'_>, program: &mut Program) {
    let begin = cursor.start();
    cursor.at += 1;
    if cursor.is_any(&["continue", "exit", "undo"]) {
        // The statement of a handler follows the conditions.
        while cursor.peek().is_some_and(|token| {
            !token.is_any_keyword(&["begin", "set", "select", "insert", "update", "delete", "rollback"])
        }) {
            if cursor.is_symbol(';') {
                return;
            }
            cursor.at += 1;
        }
        return;
    }
    let mut names = Vec::new();
    while let Some(name) = cursor.name() {
        names.push(name);
        if !cursor.take_symbol(',') {
            break;
        }
    }
    if cursor.take_keyword("cursor") {
        cursor.take_keyword("for");
        statement(cursor, program);
        return;
    }
    if cursor.is_keyword("condition") {
        return skip_to_semicolon(cursor);
    }
    if let Some(declared) = declaration(cursor, "") {
        program.variables.extend(names.into_iter().map(|name| Declaration { name, ..declared.clone() }));
    }
    while cursor.peek().is_some_and(|token| !token.is_symbol(';')) {
        cursor.at += 1;
    }
    program.declares.push(begin..cursor.end());
}

fn statement(cursor: &mut Cursor<'_>, program: &mut Program) {
    let begin = cursor.start();
    while cursor.peek().is_some_and(|token| !token.is_symbol(';')) {
        cursor.skip_one();
    }
    if cursor.end() > begin {
        program.pieces.push(Piece::Statement(begin..cursor.end()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_parameters_variables_and_pieces() {
        let text = "CREATE DEFINER=`root`@`localhost` PROCEDURE `p`(IN a VARCHAR(20) CHARACTER SET utf8, b INT) READS SQL DATA\nBEGIN\n DECLARE v, w CHAR(3) COLLATE utf8_bin DEFAULT 'x';\n \
            IF a = 'y' THEN SELECT 1 FROM t WHERE c = v; ELSEIF b THEN SET v = CONCAT(a, ';'); END IF;\n WHILE v < 'z' DO DELETE FROM t; END WHILE;\nEND";
        let program = parse_program(text).unwrap();
        let names = |all: &[Declaration]| all.iter().map(|one| (one.name.clone(), one.is_text)).collect::<Vec<_>>();
        assert_eq!(names(&program.parameters), [("a".into(), true), ("b".into(), false)]);
        assert_eq!(names(&program.variables), [("v".into(), true), ("w".into(), true)]);
        assert_eq!(&text[program.parameters[0].attributes.clone()], " CHARACTER SET utf8");
        let pieces: Vec<&str> = program.pieces.iter().map(|piece| &text[piece.span().clone()]).collect();
        assert_eq!(
            pieces,
            ["a = 'y'", "SELECT 1 FROM t WHERE c = v", "b", "CONCAT(a, ';')", "v < 'z'", "DELETE FROM t"]
        );
    }

    #[test]
    fn reads_functions_and_triggers() {
        let text =
            "CREATE FUNCTION f(s VARCHAR(9)) RETURNS VARCHAR(9) CHARSET utf8mb4 DETERMINISTIC RETURN CONCAT(s, 'x')";
        let program = parse_program(text).unwrap();
        assert_eq!(&text[program.returns.clone().unwrap().attributes], " CHARSET utf8mb4");
        assert_eq!(program.pieces.len(), 1);
        let trigger =
            parse_program("CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW SET NEW.a = UPPER(NEW.b)").unwrap();
        assert_eq!(trigger.pieces.len(), 1);
        let event = "CREATE EVENT e ON SCHEDULE EVERY 1 DAY COMMENT 'do x' DO DELETE FROM t WHERE a = LOWER('x')";
        let pieces = parse_program(event).unwrap().pieces;
        assert_eq!(
            pieces.iter().map(|piece| &event[piece.span().clone()]).collect::<Vec<_>>(),
            ["DELETE FROM t WHERE a = LOWER('x')"]
        );
        assert!(parse_program("CREATE VIEW v AS SELECT 1").is_none());
    }
}
