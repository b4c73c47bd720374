//! statements/: classes of statements, with samples of their values.

use std::fmt::Write as _;

use sql::{Kind, Mode, Token, Value};

use crate::cell::{Cell, Column};
use crate::fault::{Fault, nearest};
use crate::head::Head;
use crate::schema::{SchemaSql, shortened};

/// What a statement does to rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It returns some.
    Reads,
    /// It changes some.
    Writes,
}

/// A class of statements.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The file's name without its ending.
    pub name: String,
    /// What stands in front of it.
    pub head: Head,
    /// Its text, with `:name` for parameters.
    pub text: String,
    /// What it does.
    pub effect: Effect,
    /// Whether the order of its rows is told by an `ORDER BY`.
    pub is_ordered: bool,
    /// Its parameters, in the order of the samples' columns.
    pub parameters: Vec<Column>,
    /// Values of the parameters that belong together; at least one, without values where there is no parameter.
    pub samples: Vec<Vec<Cell>>,
    pieces: Vec<Piece>,
    mode: Mode,
}

/// A part of a statement's text.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    /// The place of a column.
    Parameter(usize),
}

impl Statement {
    /// The statement as text, with the values of a sample. Counts around: any number is a sample.
    pub fn with_values(&self, sample: usize) -> String {
        let mut text = String::new();
        self.build(sample, |piece, out: &mut String| literal(piece, self.mode, out), &mut text);
        text
    }

    /// The statement with a `?` for each value of a sample, and the values.
    pub fn prepared(&self, sample: usize) -> (String, Vec<Cell>) {
        let (mut text, mut values) = (String::new(), Vec::new());
        let mut each = |cell: &Cell, out: &mut String| {
            let members: Vec<Cell> = match cell {
                Some(Value::List(members)) => members.iter().cloned().map(Some).collect(),
                single => vec![single.clone()],
            };
            *out += &vec!["?"; members.len()].join(", ");
            values.extend(members);
        };
        self.build(sample, &mut each, &mut text);
        (text, values)
    }

    fn build(&self, sample: usize, mut each: impl FnMut(&Cell, &mut String), out: &mut String) {
        let values = &self.samples[sample % self.samples.len()];
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Parameter(place) => each(&values[*place], out),
            }
        }
    }

    /// Reads a statement's file and its samples.
    pub(crate) fn read(source: &Source<'_>, schema: &SchemaSql, mode: Mode, faults: &mut Vec<Fault>) -> Option<Self> {
        let before = errors(faults);
        let fault = |at: usize, message: String| Fault::error(&source.file, message).at(source.text, at);
        let head = Head::read(source.text).unwrap_or_else(|(place, message)| {
            faults.push(fault(place.start, message));
            Head::default()
        });
        let mode = head.sql_mode.as_deref().map_or(mode, Mode::of);
        let statements = sql::split(source.text, mode);
        let Some(&(start, text)) = statements.first() else {
            faults.push(Fault::error(&source.file, "no statement is in it"));
            return None;
        };
        if let Some((second, _)) = statements.get(1) {
            faults.push(fault(*second, "a second statement; a file holds one".to_owned()));
        }
        let tokens: Vec<Token<'_>> = sql::tokens(text, mode).filter(|token| token.kind != Kind::Comment).collect();
        if let Some(open) = tokens.iter().find(|token| !token.closed) {
            faults.push(fault(start + open.start, format!("{} has no end", shortened(open.text))));
            return None;
        }
        let effect = effect(&tokens).unwrap_or_else(|(token, message)| {
            faults.push(fault(start + token, message));
            Effect::Reads
        });
        for (at, message) in strangers(&tokens, schema) {
            faults.push(fault(start + at, message));
        }
        let named = |token: &&Token<'_>| token.kind == Kind::Parameter;
        for token in tokens.iter().filter(named).filter(|token| token.text == "?") {
            faults.push(fault(
                start + token.start,
                "a parameter has a name, such as :id, by which samples are told".to_owned(),
            ));
        }
        let used: Vec<(&str, usize)> = tokens
            .iter()
            .filter(named)
            .filter(|token| token.text != "?")
            .map(|token| (&token.text[1..], token.start))
            .collect();
        for (name, at) in &used {
            if !source.columns.iter().any(|column| column.name == *name) {
                faults.push(fault(start + at, missing(name, source)));
            }
        }
        for column in &source.columns {
            if !used.iter().any(|(name, _)| *name == column.name) {
                let message = format!("the statement has no parameter :{}", column.name);
                faults.push(Fault::error(&source.samples_file(), message).line(1).warning());
            }
        }
        if errors(faults) > before {
            return None;
        }
        let pieces = pieces(text, &tokens, &source.columns);
        let samples =
            if source.samples.is_empty() { vec![vec![None; source.columns.len()]] } else { source.samples.clone() };
        Some(Self {
            name: source.name.to_owned(),
            head,
            text: text.to_owned(),
            effect,
            is_ordered: is_ordered(&tokens),
            parameters: source.columns.clone(),
            samples,
            pieces,
            mode,
        })
    }
}

/// A statement's files.
pub(crate) struct Source<'a> {
    /// Name without an ending.
    pub name: &'a str,
    /// The file from the workload's folder on.
    pub file: String,
    pub text: &'a str,
    /// The head of its samples; empty where there are none.
    pub columns: Vec<Column>,
    pub samples: Vec<Vec<Cell>>,
}

impl Source<'_> {
    pub fn samples_file(&self) -> String {
        self.file.replace(".sql", ".csv")
    }
}

fn errors(faults: &[Fault]) -> usize {
    faults.iter().filter(|fault| fault.severity == crate::fault::Severity::Error).count()
}

fn missing(name: &str, source: &Source<'_>) -> String {
    let file = source.samples_file();
    if source.columns.is_empty() {
        return format!("the parameter :{name} has no values; write them to {file}, under a head that names it");
    }
    let near = nearest(name, source.columns.iter().map(|column| column.name.as_str()));
    format!("{file} has no column {name}{near}")
}

fn pieces(text: &str, tokens: &[Token<'_>], columns: &[Column]) -> Vec<Piece> {
    let (mut pieces, mut end) = (Vec::new(), 0);
    for token in tokens.iter().filter(|token| token.kind == Kind::Parameter) {
        let Some(place) = columns.iter().position(|column| column.name == token.text[1..]) else { continue };
        pieces.push(Piece::Text(text[end..token.start].to_owned()));
        pieces.push(Piece::Parameter(place));
        end = token.end();
    }
    pieces.push(Piece::Text(text[end..].to_owned()));
    pieces
}

fn literal(cell: &Cell, mode: Mode, out: &mut String) {
    match cell {
        None => out.push_str("NULL"),
        Some(Value::Int(number)) => drop(write!(out, "{number}")),
        Some(Value::Decimal(number) | Value::Float(number)) => out.push_str(number),
        Some(Value::Text(text)) if mode.no_backslash_escapes => drop(write!(out, "'{}'", text.replace('\'', "''"))),
        Some(Value::Text(text)) => out.push_str(&sql::string(text)),
        Some(Value::Bytes(bytes)) => out.push_str(&sql::bytes(bytes)),
        Some(Value::List(members)) => {
            for (at, member) in members.iter().enumerate() {
                if at > 0 {
                    out.push_str(", ");
                }
                literal(&Some(member.clone()), mode, out);
            }
        }
    }
}

/// Functions whose answer depends on what the session did before.
const OF_THE_SESSION: [&str; 8] = [
    "last_insert_id",
    "found_rows",
    "row_count",
    "get_lock",
    "release_lock",
    "release_all_locks",
    "connection_id",
    "sleep",
];

/// What a statement does; or why it isn't replayed, and at which byte that stands. Takes tokens without comments.
pub fn effect(tokens: &[Token<'_>]) -> Result<Effect, (usize, String)> {
    let is_content = |token: &&Token<'_>| token.kind != Kind::Conditional && !token.is_symbol('(');
    let Some(first) = tokens.iter().find(is_content) else { return Err((0, "it is empty".to_owned())) };
    let has = |words: &[&str]| tokens.iter().find(|token| token.is_any(words));
    let effect = match first.text.to_ascii_lowercase().as_str() {
        "select" | "values" | "table" => Effect::Reads,
        "with" if has(&["update", "delete"]).is_none() => Effect::Reads,
        "with" | "insert" | "update" | "delete" | "replace" => Effect::Writes,
        _ => return Err((first.start, format!("{} is no statement that reads or changes rows", first.text))),
    };
    let of_session = |pair: &&[Token<'_>]| pair[0].is_any(&OF_THE_SESSION) && pair[1].is_symbol('(');
    if let Some(pair) = tokens.windows(2).find(of_session) {
        return Err((pair[0].start, format!("{}() depends on the session", pair[0].text.to_uppercase())));
    }
    let of_user = |token: &&Token<'_>| token.kind == Kind::Variable && !token.text.starts_with("@@");
    if let Some(variable) = tokens.iter().find(of_user) {
        return Err((variable.start, "a variable of the session".to_owned()));
    }
    let into = tokens.windows(2).find(|pair| pair[0].is("into") && pair[1].is_any(&["outfile", "dumpfile"]));
    if let Some(pair) = into {
        return Err((pair[0].start, "SELECT … INTO a file".to_owned()));
    }
    Ok(effect)
}

/// Tables that schema.sql lacks, and names of tables and functions with a schema in front, with the byte at which they stand.
fn strangers(tokens: &[Token<'_>], schema: &SchemaSql) -> Vec<(usize, String)> {
    let call = |four: &[Token<'_>]| {
        let (schema, name) = (four[0].name()?, four[2].name()?);
        let message =
            format!("{schema}.{name}(): a function is named without its schema, as the schemas are weigh's own");
        (four[1].is_symbol('.') && four[3].is_symbol('(')).then_some((four[0].start, message))
    };
    let mut found: Vec<(usize, String)> = tokens.windows(4).filter_map(call).collect();
    for table in sql::tables(tokens) {
        let at = || {
            tokens
                .iter()
                .find(|token| token.name().as_deref() == Some(table.name.as_str()))
                .map_or(0, |token| token.start)
        };
        if let Some(schema) = &table.schema {
            found.push((
                at(),
                format!("{schema}.{}: a table is named without its schema, as the schemas are weigh's own", table.name),
            ));
        } else if !schema.names().any(|name| name.eq_ignore_ascii_case(&table.name)) {
            let near = nearest(&table.name, schema.names());
            found.push((at(), format!("schema.sql has no table {}{near}", table.name)));
        }
    }
    found
}

/// Whether an `ORDER BY` stands outside of all parentheses.
fn is_ordered(tokens: &[Token<'_>]) -> bool {
    let mut depth = 0_i32;
    tokens.windows(2).any(|pair| {
        match pair[0].text {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        depth == 0 && pair[0].is("order") && pair[1].is("by")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell::Type;

    fn schema() -> SchemaSql {
        SchemaSql::read("CREATE TABLE customers (id int, mail text)", &mut Vec::new())
    }

    fn read(text: &str, columns: &[&str], samples: Vec<Vec<Cell>>) -> Result<Statement, Vec<String>> {
        let columns = columns.iter().map(|head| Column::read(head).unwrap()).collect();
        let source = Source { name: "a", file: "statements/a.sql".to_owned(), text, columns, samples };
        let mut faults = Vec::new();
        let statement = Statement::read(&source, &schema(), Mode::default(), &mut faults);
        statement.ok_or_else(|| faults.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn values_are_put_in_as_text_and_as_parameters() {
        let list = Some(Value::List(vec![Value::Int(1), Value::Int(2)]));
        let statement = read(
            "-- @weight = 3\nSELECT id FROM customers\nWHERE mail = :mail AND id IN (:ids) AND mail <> :mail ORDER BY id;\n",
            &["ids:int[]", "mail"],
            vec![vec![list, Some(Value::Text("it's".to_owned()))], vec![Some(Value::List(vec![Value::Int(3)])), None]],
        )
        .unwrap();
        assert_eq!((statement.head.weight, statement.effect, statement.is_ordered), (3.0, Effect::Reads, true));
        assert_eq!(
            statement.with_values(0),
            "SELECT id FROM customers\nWHERE mail = 'it''s' AND id IN (1, 2) AND mail <> 'it''s' ORDER BY id"
        );
        let (text, values) = statement.prepared(3);
        assert_eq!(text, "SELECT id FROM customers\nWHERE mail = ? AND id IN (?) AND mail <> ? ORDER BY id");
        assert_eq!(values, [None, Some(Value::Int(3)), None]);
        assert_eq!(statement.parameters[0], Column { is_list: true, ..Column::new("ids", Type::Int) });
    }

    #[test]
    fn faults_name_line_and_column() {
        let fault = |text: &str, columns: &[&str]| read(text, columns, Vec::new()).unwrap_err().join("\n");
        assert_eq!(
            fault("SELECT id\nFROM custmers", &[]),
            "statements/a.sql:2:6: error: schema.sql has no table custmers; did you mean customers?"
        );
        assert!(
            fault("SELECT 1 FROM shop.customers", &[]).contains("a.sql:1:20: error: shop.customers: a table is named")
        );
        assert!(fault("SELECT shop.f(id) FROM customers", &[]).contains("a.sql:1:8: error: shop.f(): a function is"));
        assert!(fault("INSERT shop.customers VALUES (1)", &[]).contains("shop.customers: a table is named"));
        assert!(
            fault("SELECT 1 FROM customers WHERE id = :id", &[])
                .contains("a.sql:1:36: error: the parameter :id has no values")
        );
        assert!(fault("SELECT 1 FROM customers WHERE id = :id", &["ic:int"]).contains("did you mean ic?"));
        assert!(fault("SELECT 1 FROM customers WHERE id = ?", &[]).contains("has a name"));
        assert!(fault("SELECT 1; SELECT 2", &[]).contains("a.sql:1:11: error: a second statement"));
        assert!(fault("-- @wieght = 1\nSELECT 1", &[]).starts_with("statements/a.sql:1:5: error: unknown field"));
        assert!(fault("SELECT 'a", &[]).contains("'a has no end"));
        assert!(fault("-- nothing", &[]).contains("no statement"));
    }

    #[test]
    fn what_cannot_be_replayed_is_refused() {
        let of = |text: &str| {
            let tokens: Vec<_> =
                sql::tokens(text, Mode::default()).filter(|token| token.kind != Kind::Comment).collect();
            effect(&tokens).map_err(|(_, message)| message)
        };
        assert_eq!(of("(SELECT 1) UNION (SELECT 2)"), Ok(Effect::Reads));
        assert_eq!(of("WITH a AS (SELECT 1) SELECT * FROM a"), Ok(Effect::Reads));
        assert_eq!(of("WITH a AS (SELECT 1) UPDATE t SET x = 1"), Ok(Effect::Writes));
        assert_eq!(of("replace into t values (1)"), Ok(Effect::Writes));
        assert_eq!(of("SELECT @@version"), Ok(Effect::Reads));
        for (text, why) in [
            ("CALL p()", "CALL is no statement"),
            ("SELECT last_insert_id()", "LAST_INSERT_ID() depends"),
            ("SELECT @x := 1", "variable"),
            ("SELECT 1 INTO OUTFILE 'x'", "file"),
            ("", "empty"),
        ] {
            assert!(of(text).unwrap_err().contains(why), "{text}");
        }
    }
}
