//! The folder statements/: statement classes with samples of their values.

use std::collections::{HashMap, HashSet};

use sql::{SqlMode, Token, TokenKind, Value};

use crate::cell::{Cell, Column};
use crate::encoding::{self, check_encoding};
use crate::fault::{Fault, did_you_mean};
use crate::guard::{self, OutOfScope};
use crate::header::{HeaderFault, StatementHeader};
use crate::schema::{SchemaSql, shorten};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    Reads,
    Writes,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// File name without ending.
    pub name: String,
    pub header: StatementHeader,
    /// Text with `:name` for each parameter.
    pub text: String,
    pub effect: Effect,
    /// True if an `ORDER BY` outside of parentheses orders the rows.
    pub is_ordered: bool,
    /// Parameters, in the order of the samples' columns.
    pub parameters: Vec<Column>,
    /// Samples: one value per parameter. At least one sample; it is empty without parameters.
    pub samples: Vec<Vec<Cell>>,
    parts: Vec<TextPart>,
    mode: SqlMode,
    /// Character set of the session.
    charset: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum TextPart {
    Text(String),
    /// Index into [`Statement::parameters`].
    Parameter(usize),
}

impl Statement {
    /// Returns the statement with the values of a sample. Sample numbers wrap around.
    pub fn with_values(&self, sample: usize) -> String {
        let mut text = String::new();
        let write = |cell: &Cell, out: &mut String| match cell {
            None => out.push_str("NULL"),
            Some(value) => encoding::write_literal(value, self.mode, &self.charset, out),
        };
        self.assemble(sample, write, &mut text);
        text
    }

    /// SQL mode in which the text is read.
    pub fn mode(&self) -> SqlMode {
        self.mode
    }

    /// Returns the statement with a `?` for each value of a sample, and the values. Sample numbers
    /// wrap around.
    pub fn to_prepared(&self, sample: usize) -> (String, Vec<Cell>) {
        let (mut text, mut values) = (String::new(), Vec::new());
        let mut each = |cell: &Cell, out: &mut String| {
            let members: Vec<Cell> = match cell {
                Some(Value::List(members)) => members.iter().cloned().map(Some).collect(),
                single => vec![single.clone()],
            };
            *out += &vec!["?"; members.len()].join(", ");
            values.extend(members);
        };
        self.assemble(sample, &mut each, &mut text);
        (text, values)
    }

    fn assemble(&self, sample: usize, mut each: impl FnMut(&Cell, &mut String), out: &mut String) {
        let values = &self.samples[sample % self.samples.len()];
        for part in &self.parts {
            let start = out.len();
            match part {
                TextPart::Text(text) => out.push_str(text),
                TextPart::Parameter(place) => each(&values[*place], out),
            }
            if are_joined(&out[..start], &out[start..]) {
                out.insert(start, ' ');
            }
        }
    }

    /// Checks a statement's file and its samples. `None` if they have errors.
    pub(crate) fn read(
        source: &StatementSource<'_>,
        schema: &SchemaSql,
        mode: SqlMode,
        faults: &mut Vec<Fault>,
    ) -> Option<Self> {
        let before = count_errors(faults);
        let fault = |at: usize, message: String| Fault::error(&source.file, message).at(source.text, at);
        let header = StatementHeader::read(source.text).unwrap_or_else(|HeaderFault { span, message }| {
            faults.push(fault(span.start, message));
            StatementHeader::default()
        });
        let has_own_mode = header.sql_mode.is_some() || source.has_mode;
        let mode = header.sql_mode.as_deref().map_or(mode, SqlMode::parse);
        let mut statements = sql::split_statements(source.text, mode);
        let Some((start, text)) = statements.next() else {
            faults.push(Fault::error(&source.file, "there is no statement"));
            return None;
        };
        if let Some((second, _)) = statements.next() {
            faults.push(fault(second, "a second statement; a file holds one".to_owned()));
        }
        let tokens = sql::tokenize_uncommented(text, mode);
        if let Some(open) = tokens.iter().find(|token| !token.is_closed) {
            faults.push(fault(start + open.start, format!("{} is not closed", shorten(open.text))));
            return None;
        }
        let effect = statement_effect(&tokens).unwrap_or_else(|NotReplayable { offset, reason, .. }| {
            faults.push(fault(start + offset, reason));
            Effect::Reads
        });
        let before_names = count_errors(faults);
        for (at, message) in check_names(&tokens, schema) {
            faults.push(fault(start + at, message));
        }
        if count_errors(faults) == before_names
            && let Some(OutOfScope { offset, reason }) = check_modes(text, mode, has_own_mode, source.charset, schema)
        {
            let message = format!("{reason}; a workload stays in the schema that weigh makes");
            faults.push(fault(start + offset, message));
        }
        check_parameters(source, &tokens, start, faults);
        check_values(source, faults);
        if count_errors(faults) > before {
            return None;
        }
        let parts = split_parts(text, &tokens, &source.columns);
        let samples =
            if source.samples.is_empty() { vec![vec![None; source.columns.len()]] } else { source.samples.clone() };
        Some(Self {
            name: source.name.to_owned(),
            header,
            text: text.to_owned(),
            effect,
            is_ordered: is_ordered(&tokens),
            parameters: source.columns.clone(),
            samples,
            parts,
            mode,
            charset: source.charset.to_owned(),
        })
    }
}

/// Contents of a statement's files.
pub(crate) struct StatementSource<'a> {
    /// File name without ending.
    pub name: &'a str,
    /// File name relative to the workload folder.
    pub file: String,
    pub text: &'a str,
    /// True if workload.toml sets the SQL mode.
    pub has_mode: bool,
    /// Character set of the session.
    pub charset: &'a str,
    /// Columns of the samples; empty without a file of samples.
    pub columns: Vec<Column>,
    pub samples: Vec<Vec<Cell>>,
}

impl StatementSource<'_> {
    pub fn samples_file(&self) -> String {
        self.file.replace(".sql", ".csv")
    }
}

/// Adds faults of parameters: those without a name, and those that don't match the samples.
/// `start` is the byte offset of the statement in the file.
fn check_parameters(source: &StatementSource<'_>, tokens: &[Token<'_>], start: usize, faults: &mut Vec<Fault>) {
    let fault = |at: usize, message: String| Fault::error(&source.file, message).at(source.text, start + at);
    let (unnamed, named): (Vec<&Token<'_>>, Vec<&Token<'_>>) =
        tokens.iter().filter(|token| token.kind == TokenKind::Parameter).partition(|token| token.text == "?");
    for token in unnamed.into_iter().take(MAX_NAME_FAULTS) {
        let message = "a parameter needs a name, such as :id, to match a column of the samples";
        faults.push(fault(token.start, message.to_owned()));
    }
    let columns: HashSet<&str> = source.columns.iter().map(|column| column.name.as_str()).collect();
    let is_missing = |token: &&&Token<'_>| !columns.contains(&token.text[1..]);
    for token in named.iter().filter(is_missing).take(MAX_NAME_FAULTS) {
        faults.push(fault(token.start, missing_parameter(&token.text[1..], source)));
    }
    let names: HashSet<&str> = named.iter().map(|token| &token.text[1..]).collect();
    for column in &source.columns {
        if !names.contains(column.name.as_str()) {
            let message = format!("the statement has no parameter :{}", column.name);
            faults.push(Fault::error(&source.samples_file(), message).line(1).warning());
        }
    }
}

/// Adds a fault for the first value that the session's character set lacks.
fn check_values(source: &StatementSource<'_>, faults: &mut Vec<Fault>) {
    let values = source.samples.iter().flatten().flatten();
    if let Some(reason) = values.filter_map(|value| encoding::check_value(value, source.charset).err()).next() {
        faults.push(Fault::error(&source.samples_file(), reason));
    }
}

fn count_errors(faults: &[Fault]) -> usize {
    faults.iter().filter(|fault| fault.severity == crate::fault::Severity::Error).count()
}

fn missing_parameter(name: &str, source: &StatementSource<'_>) -> String {
    let file = source.samples_file();
    if source.columns.is_empty() {
        return format!("the parameter :{name} has no values; write them to {file}, in a column of this name");
    }
    let near = did_you_mean(name, source.columns.iter().map(|column| column.name.as_str()));
    format!("{file} has no column {name}{near}")
}

/// Returns true if a value and the adjacent text would be read as one token: `FROM t:v` with the
/// value `.5` as the table `5` of the schema `t`. `DATE:v` and `_utf8mb4:v` with a string keep
/// their meaning.
fn are_joined(before: &str, after: &str) -> bool {
    let is_word = |one: char| one.is_alphanumeric() || matches!(one, '_' | '$' | '.' | '@') || !one.is_ascii();
    let is_quote = |one: char| matches!(one, '\'' | '"' | '`');
    match (before.chars().next_back(), after.chars().next()) {
        (Some(last), Some(first)) => {
            let joins = |one: char| is_word(one) || is_quote(one);
            joins(last) && joins(first) && !(last.is_alphanumeric() && is_quote(first)) || last == '-' && first == '-'
        }
        _ => false,
    }
}

fn split_parts(text: &str, tokens: &[Token<'_>], columns: &[Column]) -> Vec<TextPart> {
    let (mut parts, mut end) = (Vec::new(), 0);
    // The first of two columns of one name is used.
    let places: HashMap<&str, usize> =
        columns.iter().enumerate().rev().map(|(place, column)| (column.name.as_str(), place)).collect();
    for token in tokens.iter().filter(|token| token.kind == TokenKind::Parameter) {
        let Some(&place) = places.get(&token.text[1..]) else { continue };
        parts.push(TextPart::Text(text[end..token.start].to_owned()));
        parts.push(TextPart::Parameter(place));
        end = token.end();
    }
    parts.push(TextPart::Text(text[end..].to_owned()));
    parts
}

/// A statement with this many faulty names gets no more faults of table names, and of parameters.
const MAX_NAME_FAULTS: usize = 20;

/// Functions that depend on the session, and change nothing else.
const SESSION_FUNCTIONS: [&str; 4] = ["last_insert_id", "found_rows", "row_count", "connection_id"];

/// Functions that can block a session.
const BLOCKING_FUNCTIONS: [&str; 4] = ["get_lock", "release_lock", "release_all_locks", "sleep"];

/// Kind of what keeps a statement from being replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// The statement is empty, or of another kind: `CALL`, `LOAD DATA`, `SET`.
    Kind,
    /// Depends on earlier statements of the session.
    Session,
    /// Writes a file, or can block a session.
    Outside,
}

/// Position and reason of the part that keeps a statement from being replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotReplayable {
    pub obstacle: Obstacle,
    /// Byte offset in the statement.
    pub offset: usize,
    pub reason: String,
}

/// Returns the effect of a statement that can be replayed. Ignores comments, and hints, which
/// servers read as comments where no hint can stand: `INTO /*+ x */ OUTFILE` writes a file.
pub fn statement_effect(tokens: &[Token<'_>]) -> Result<Effect, NotReplayable> {
    let is_code = |token: &&Token<'_>| !matches!(token.kind, TokenKind::Comment | TokenKind::Hint);
    let tokens: Vec<Token<'_>> = tokens.iter().filter(is_code).copied().collect();
    let is_content = |token: &&Token<'_>| token.kind != TokenKind::ConditionalComment && !token.is_symbol('(');
    let Some(first) = tokens.iter().find(is_content) else {
        let reason = "the statement is empty".to_owned();
        return Err(NotReplayable { obstacle: Obstacle::Kind, offset: 0, reason });
    };
    let content: Vec<Token<'_>> = tokens.iter().filter(|token| token.is_content()).copied().collect();
    let effect = match first.text.to_ascii_lowercase().as_str() {
        "select" | "values" | "table" => Effect::Reads,
        "with" if sql::is_query_of(&content) => Effect::Reads,
        "with" | "insert" | "update" | "delete" | "replace" => Effect::Writes,
        _ => {
            return Err(NotReplayable {
                obstacle: Obstacle::Kind,
                offset: first.start,
                reason: format!(
                    "{} is not replayed; SELECT, INSERT, UPDATE, DELETE, REPLACE, VALUES and TABLE are",
                    first.text
                ),
            });
        }
    };
    let calls = [
        (&SESSION_FUNCTIONS[..], Obstacle::Session, "depends on the session"),
        (&BLOCKING_FUNCTIONS[..], Obstacle::Outside, "blocks sessions"),
    ];
    for (functions, obstacle, what) in calls {
        let is_call = |pair: &&[Token<'_>]| pair[0].is_any_keyword(functions) && pair[1].is_symbol('(');
        if let Some(pair) = tokens.windows(2).find(is_call) {
            let reason = format!("{}() {what}", pair[0].text.to_uppercase());
            return Err(NotReplayable { obstacle, offset: pair[0].start, reason });
        }
    }
    let is_user_variable = |token: &&Token<'_>| token.kind == TokenKind::Variable && !token.text.starts_with("@@");
    if let Some(variable) = tokens.iter().find(is_user_variable) {
        return Err(NotReplayable {
            obstacle: Obstacle::Session,
            offset: variable.start,
            reason: "user variables depend on the session".to_owned(),
        });
    }
    let into =
        tokens.windows(2).find(|pair| pair[0].is_keyword("into") && pair[1].is_any_keyword(&["outfile", "dumpfile"]));
    if let Some(pair) = into {
        return Err(NotReplayable {
            obstacle: Obstacle::Outside,
            offset: pair[0].start,
            reason: "SELECT … INTO OUTFILE and DUMPFILE write a file on the server".to_owned(),
        });
    }
    Ok(effect)
}

/// Checks a statement in its SQL mode. If none is set, the server's applies, so the statement is
/// also read in every other mode in which its quotes are closed.
fn check_modes(text: &str, mode: SqlMode, is_set: bool, charset: &str, schema: &SchemaSql) -> Option<OutOfScope> {
    let all = [(false, false), (false, true), (true, false), (true, true)];
    let others = all.map(|(ansi_quotes, no_backslash_escapes)| SqlMode { ansi_quotes, no_backslash_escapes });
    let has_quotes = text.contains(['"', '\\']);
    let is_read = |other: &SqlMode| {
        !is_set && has_quotes && *other != mode && sql::tokenize(text, *other).all(|token| token.is_closed)
    };
    let modes = std::iter::once(mode).chain(others.into_iter().filter(is_read));
    modes.into_iter().find_map(|mode| {
        let checked = guard::check_scope(text, mode, &schema.routines);
        checked.and_then(|()| check_encoding(text, mode, charset)).err()
    })
}

/// Returns faults with their byte offsets: tables that schema.sql lacks, and tables and functions
/// that are named with a schema.
fn check_names(tokens: &[Token<'_>], schema: &SchemaSql) -> Vec<(usize, String)> {
    let call = |four: &[Token<'_>]| {
        let (schema, name) = (four[0].name()?, four[2].name()?);
        let message =
            format!("{schema}.{name}() is named with a schema; leave the schema out, as weigh creates its own");
        (four[1].is_symbol('.') && four[3].is_symbol('(')).then_some((four[0].start, message))
    };
    let mut found: Vec<(usize, String)> = tokens.windows(4).filter_map(call).collect();
    let known: HashSet<String> = schema.names().map(str::to_lowercase).collect();
    for (table, at) in sql::find_tables_with_offsets(tokens) {
        if found.len() >= MAX_NAME_FAULTS {
            break;
        }
        if let Some(schema) = &table.schema {
            found.push((
                at,
                format!(
                    "{schema}.{} is named with a schema; leave the schema out, as weigh creates its own",
                    table.name
                ),
            ));
        } else if !known.contains(&table.name.to_lowercase()) {
            let near = did_you_mean(&table.name, schema.names());
            found.push((at, format!("schema.sql has no table {}{near}", table.name)));
        }
    }
    found
}

/// Returns true if the statement has an `ORDER BY` outside of all parentheses.
fn is_ordered(tokens: &[Token<'_>]) -> bool {
    let mut depth = 0_i32;
    tokens.windows(2).any(|pair| {
        match pair[0].text {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        depth == 0 && pair[0].is_keyword("order") && pair[1].is_keyword("by")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::CellType;

    fn schema() -> SchemaSql {
        SchemaSql::read("CREATE TABLE customers (id int, mail text)", &mut Vec::new())
    }

    fn read(text: &str, columns: &[&str], samples: Vec<Vec<Cell>>) -> Result<Statement, Vec<String>> {
        let columns = columns.iter().map(|head| Column::parse_head(head).unwrap()).collect();
        let file = "statements/a.sql".to_owned();
        let source = StatementSource { name: "a", file, text, has_mode: false, charset: "utf8mb4", columns, samples };
        let mut faults = Vec::new();
        let statement = Statement::read(&source, &schema(), SqlMode::default(), &mut faults);
        statement.ok_or_else(|| faults.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn faults_of_parameters_are_limited() {
        for parameter in [":a", "?"] {
            let text = format!("SELECT id FROM customers WHERE 1 {}", format!("AND id = {parameter} ").repeat(1000));
            assert_eq!(read(&text, &[], Vec::new()).unwrap_err().len(), MAX_NAME_FAULTS);
        }
    }

    #[test]
    fn values_join_no_name_or_number() {
        use Value::{Decimal, Int, Text};
        let cases = [
            ("SELECT id FROM customers:a", Decimal(".5".into()), "SELECT id FROM customers .5"),
            ("SELECT other:a()", Decimal(".1".into()), "SELECT other .1()"),
            ("SELECT f:a(1)", Int(1), "SELECT f 1(1)"),
            ("SELECT 1.:a", Int(5), "SELECT 1. 5"),
            ("SELECT -:a", Int(-5), "SELECT - -5"),
            ("SELECT 'a':a", Text("b".into()), "SELECT 'a' 'b'"),
            ("SELECT DATE:a", Text("2020-01-01".into()), "SELECT DATE'2020-01-01'"),
            ("SELECT id=:a", Int(5), "SELECT id=5"),
        ];
        for (text, value, expected) in cases {
            let tokens: Vec<_> = sql::tokenize(text, SqlMode::default()).collect();
            let columns = [Column::parse_head("a").unwrap()];
            let parts = split_parts(text, &tokens, &columns);
            let statement = read("SELECT id FROM customers", &[], Vec::new()).unwrap();
            let statement = Statement { parts, samples: vec![vec![Some(value)]], ..statement };
            assert_eq!(statement.with_values(0), expected);
        }
    }

    #[test]
    fn inserts_values_as_text_and_as_parameters() {
        let list = Some(Value::List(vec![Value::Int(1), Value::Int(2)]));
        let statement = read(
            "-- @weight = 3\nSELECT id FROM customers\nWHERE mail = :mail AND id IN (:ids) AND mail <> :mail ORDER BY id;\n",
            &["ids:int[]", "mail"],
            vec![vec![list, Some(Value::Text("it's".to_owned()))], vec![Some(Value::List(vec![Value::Int(3)])), None]],
        )
        .unwrap();
        assert_eq!((statement.header.weight, statement.effect, statement.is_ordered), (3.0, Effect::Reads, true));
        assert_eq!(
            statement.with_values(0),
            "SELECT id FROM customers\nWHERE mail = 'it''s' AND id IN (1, 2) AND mail <> 'it''s' ORDER BY id"
        );
        let (text, values) = statement.to_prepared(3);
        assert_eq!(text, "SELECT id FROM customers\nWHERE mail = ? AND id IN (?) AND mail <> ? ORDER BY id");
        assert_eq!(values, [None, Some(Value::Int(3)), None]);
        assert_eq!(statement.parameters[0], Column { is_list: true, ..Column::new("ids", CellType::Int) });
    }

    #[test]
    fn faults_name_line_and_column() {
        let fault = |text: &str, columns: &[&str]| read(text, columns, Vec::new()).unwrap_err().join("\n");
        assert_eq!(
            fault("SELECT id\nFROM custmers", &[]),
            "statements/a.sql:2:6: error: schema.sql has no table custmers; did you mean customers?"
        );
        assert!(
            fault("SELECT 1 FROM shop.customers", &[])
                .contains("a.sql:1:15: error: shop.customers is named with a schema")
        );
        assert!(
            fault("SELECT shop.f(id) FROM customers", &[])
                .contains("a.sql:1:8: error: shop.f() is named with a schema")
        );
        assert!(fault("INSERT shop.customers VALUES (1)", &[]).contains("shop.customers is named with a schema"));
        assert!(
            fault("SELECT 1 FROM customers WHERE id = :id", &[])
                .contains("a.sql:1:36: error: the parameter :id has no values")
        );
        assert!(fault("SELECT 1 FROM customers WHERE id = :id", &["ic:int"]).contains("did you mean ic?"));
        assert!(fault("SELECT 1 FROM customers WHERE id = ?", &[]).contains("needs a name"));
        assert!(fault("SELECT 1; SELECT 2", &[]).contains("a.sql:1:11: error: a second statement"));
        assert!(fault("-- @wieght = 1\nSELECT 1", &[]).starts_with("statements/a.sql:1:5: error: unknown field"));
        assert!(fault("SELECT 'a", &[]).contains("'a is not closed"));
        assert!(fault("-- nothing", &[]).contains("no statement"));
    }

    #[test]
    fn rejects_statements_that_cannot_run() {
        let of = |text: &str| {
            let tokens = sql::tokenize_uncommented(text, SqlMode::default());
            statement_effect(&tokens).map_err(|error| error.reason)
        };
        assert_eq!(of("(SELECT 1) UNION (SELECT 2)"), Ok(Effect::Reads));
        assert_eq!(of("WITH a AS (SELECT 1) SELECT * FROM a"), Ok(Effect::Reads));
        assert_eq!(of("WITH a AS (SELECT 1) UPDATE t SET x = 1"), Ok(Effect::Writes));
        assert_eq!(of("WITH a AS (SELECT 1) SELECT `x`, t.update FROM t"), Ok(Effect::Reads));
        assert_eq!(of("replace into t values (1)"), Ok(Effect::Writes));
        assert_eq!(of("SELECT @@version"), Ok(Effect::Reads));
        for (text, why) in [
            ("CALL p()", "CALL is not replayed"),
            ("SELECT last_insert_id()", "LAST_INSERT_ID() depends"),
            ("SELECT @x := 1", "variable"),
            ("SELECT 1 INTO OUTFILE 'x'", "file"),
            ("SELECT 1 INTO /*+ x */ OUTFILE 'x'", "file"),
            ("", "empty"),
        ] {
            assert!(of(text).unwrap_err().contains(why), "{text}");
        }
    }
}
