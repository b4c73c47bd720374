//! Statements of stored programs and views that a server refuses for another reason than
//! collations, such as a missing function. The server explains each statement, and runs only
//! settings of the session and literal regular expressions.

use sql::{SqlMode, Token, TokenKind, quote_identifier, tokenize};

use crate::Error;
use crate::copy::{Call, Copy, Place, Refusal, Session, StoredProgram};
use crate::ddl::create_query;
use crate::judge::is_conflict;
use crate::model::PlanFigures;
use crate::remedy::splice;
use crate::spot::Source;
use crate::trial::{is_explainable, is_time_limit, piece_source, without_into};

/// A statement or an expression that a server refuses.
#[derive(Clone, Debug)]
pub struct Refused {
    pub text: String,
    pub refusal: Refusal,
    asked: Asked,
}

impl Refused {
    /// True if both are one question to the server.
    pub fn is_same(&self, other: &Self) -> bool {
        self.asked.question == other.asked.question
    }
}

/// A question to the server, and how it is made from a text.
#[derive(Clone, Debug)]
struct Asked {
    place: Place,
    form: Form,
    question: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Statement,
    Expression,
    /// `SET SESSION …`, which is run.
    Setting,
    /// A regular expression as a literal. Servers read it when it is first compared with a text.
    Pattern,
}

/// Asks for the statements of a stored program, one by one if the server does not take all of them.
/// `keyword` is `PROCEDURE`, `FUNCTION`, `TRIGGER` or `EVENT`.
pub fn refused_in_program(
    copy: &mut Copy<'_>,
    keyword: &'static str,
    schema: &str,
    name: &str,
) -> Result<Vec<Refused>, Error> {
    let Some(program) = copy.program(keyword, schema, name)? else { return Ok(Vec::new()) };
    let all = questions(&program);
    let Some((_, last)) = all.last() else { return Ok(Vec::new()) };
    let together: Vec<String> = all.iter().map(|(_, asked)| asked.question.clone()).collect();
    if copy.ask(&last.place, &together)?.is_ok() {
        return Ok(Vec::new());
    }
    ask_each(copy, all)
}

/// A query of a stored program, explained with the program's parameters and variables.
pub struct ProgramQuery {
    pub text: String,
    place: Place,
}

impl ProgramQuery {
    /// Returns the plan of the query, or of another in its place. The inner error is the server's
    /// refusal.
    pub fn explain(&self, copy: &mut Copy<'_>, text: &str) -> Result<Result<PlanFigures, Refusal>, Error> {
        Ok(copy.explain(&self.place, &without_into(text))?.map(|plan| plan.figures))
    }
}

/// Returns the queries of a stored program. `keyword` is `PROCEDURE`, `FUNCTION`, `TRIGGER` or
/// `EVENT`.
pub fn program_queries(
    copy: &Copy<'_>,
    keyword: &'static str,
    schema: &str,
    name: &str,
) -> Result<Vec<ProgramQuery>, Error> {
    let Some(program) = copy.program(keyword, schema, name)? else { return Ok(Vec::new()) };
    let sources = (0..program.parsed.pieces.len()).filter_map(|at| piece_source(&program, &Call::default(), at));
    let queries = sources.filter(|source| !source.is_expression && sql::is_query(&source.text, SqlMode::default()));
    Ok(queries.map(|source| ProgramQuery { text: source.text, place: source.place }).collect())
}

/// Asks for a view and its regular expressions.
pub fn refused_in_view(copy: &mut Copy<'_>, schema: &str, name: &str) -> Result<Vec<Refused>, Error> {
    let session = Session { schema: Some(schema.to_owned()), prelude: Vec::new() };
    let text = format!("SELECT * FROM {}", quote_identifier(name));
    let mut all = vec![question(&Place::Session(session), Form::Statement, &text)];
    if let Some((create, session)) = copy.view(schema, name)? {
        all.extend(pattern_questions(&Place::Session(session), &create));
    }
    ask_each(copy, all)
}

/// Asks for the regular expressions of a statement.
pub fn refused_patterns(copy: &mut Copy<'_>, session: &Session, text: &str) -> Result<Vec<Refused>, Error> {
    ask_each(copy, pattern_questions(&Place::Session(session.clone()), text))
}

/// True if the server takes another text in place of a refused one.
pub fn is_taken(copy: &mut Copy<'_>, refused: &Refused, text: &str) -> Result<bool, Error> {
    let (place, form) = (&refused.asked.place, refused.asked.form);
    let all = match form {
        Form::Pattern => pattern_questions(place, text),
        _ => vec![question(place, form, text)],
    };
    Ok(ask_each(copy, all)?.is_empty())
}

fn ask_each(copy: &mut Copy<'_>, all: Vec<(String, Asked)>) -> Result<Vec<Refused>, Error> {
    let mut found: Vec<Refused> = Vec::new();
    for (text, asked) in all {
        lifecycle::interrupt::check()?;
        let answer = copy.ask(&asked.place, std::slice::from_ref(&asked.question))?;
        if let Err(refusal) = answer
            && !is_conflict(refusal.code)
            && !is_time_limit(refusal.code)
        {
            found.push(Refused { text, refusal, asked });
        }
    }
    Ok(found)
}

/// Questions about a program, each with the text that it is about.
fn questions(program: &StoredProgram) -> Vec<(String, Asked)> {
    let mut all = Vec::new();
    let has_patterns = has_patterns(&program.create);
    for index in 0..program.parsed.pieces.len() {
        let Some(source) = piece_source(program, &Call::default(), index) else { continue };
        let form = if source.is_expression { Form::Expression } else { Form::Statement };
        if let Some(text) = askable(&source) {
            all.push((source.text.clone(), question(&source.place, form, &replace_rows(program, text)).1));
        }
        for argument in call_arguments(&source.text) {
            all.push((
                argument.clone(),
                question(&source.place, Form::Expression, &replace_rows(program, &argument)).1,
            ));
        }
        all.extend(pattern_questions(&source.place, &source.text));
        if has_patterns && !self::has_patterns(&source.text) {
            all.extend(boundary_question(&source.place, &source.text));
        }
    }
    let place = Place::Program { program: Box::new(program.clone()), call: Call::default() };
    let settings = program.parsed.settings.iter().map(|span| &program.create[span.clone()]);
    all.extend(settings.filter(|text| sets_session(program, text)).map(|text| question(&place, Form::Setting, text)));
    all
}

/// Text of a piece that EXPLAIN takes. `None` for `CALL`, `OPEN` and the like.
fn askable(source: &Source) -> Option<&str> {
    if source.is_expression || is_explainable(&source.text) {
        return Some(&source.text);
    }
    create_query(&source.text)
}

/// Arguments of `CALL p(a, f(b))` that are expressions, not just a name or a literal.
fn call_arguments(text: &str) -> Vec<String> {
    let tokens = sql::tokenize_uncommented(text, SqlMode::default());
    let open = tokens.iter().position(|token| token.is_symbol('('));
    let Some(open) = open.filter(|_| tokens.first().is_some_and(|token| token.is_keyword("call"))) else {
        return Vec::new();
    };
    let inside = sql::closing_parenthesis(&tokens[open + 1..]);
    let Some(close) = inside.map(|at| open + 1 + at) else { return Vec::new() };
    let items = sql::list_items(&tokens[..=close], open);
    let ends = items.iter().skip(1).map(|next| next - 1).chain([close]);
    let argument = |(begin, end): (&usize, usize)| {
        let is_expression = end > begin + 1;
        is_expression.then(|| text[tokens[*begin].start..tokens[end - 1].end()].to_owned())
    };
    items.iter().zip(ends).filter_map(argument).collect()
}

fn question(place: &Place, form: Form, text: &str) -> (String, Asked) {
    let question = match form {
        Form::Statement => format!("EXPLAIN {}", without_into(text)),
        Form::Expression => format!("EXPLAIN SELECT ({text})"),
        Form::Pattern => format!("DO 'a' REGEXP {text}"),
        Form::Setting => text.to_owned(),
    };
    (text.to_owned(), Asked { place: place.clone(), form, question })
}

/// Writes a trigger's `NEW.a` and `OLD.a` as values of the type of the column, which EXPLAIN takes.
fn replace_rows(program: &StoredProgram, text: &str) -> String {
    let Some(table) = &program.table else { return text.to_owned() };
    let table = sql::quote_table(&program.schema, table);
    let tokens: Vec<Token<'_>> = tokenize(text, SqlMode::default()).collect();
    let is_row = |token: &Token<'_>| {
        token.name().is_some_and(|name| name.eq_ignore_ascii_case("new") || name.eq_ignore_ascii_case("old"))
    };
    let edit = |three: &[Token<'_>]| {
        let column = three[2].name().filter(|_| is_row(&three[0]) && three[1].is_symbol('.'))?;
        let value = format!("(SELECT {} FROM {table} LIMIT 0)", quote_identifier(&column));
        Some((three[0].start..three[2].end(), value))
    };
    splice(text, &tokens.windows(3).filter_map(edit).collect::<Vec<_>>())
}

/// True if `SET …` assigns variables of the session only, which end with the connection, and calls
/// no function that could do more than compute a text.
fn sets_session(program: &StoredProgram, text: &str) -> bool {
    let tokens: Vec<Token<'_>> = tokenize(text, SqlMode::default()).collect();
    let declared = program.parsed.parameters.iter().chain(&program.parsed.variables);
    let names: Vec<&str> = declared.map(|one| one.name.as_str()).collect();
    let name = |token: &Token<'_>| token.text.trim_start_matches("@@").trim_matches('`').to_lowercase();
    let is_own = |target: &Token<'_>| {
        let is_user_variable = target.text.starts_with('@') && !target.text.starts_with("@@");
        !is_user_variable && !names.iter().any(|one| one.eq_ignore_ascii_case(&name(target)))
    };
    let target = |at: usize| {
        let before = &tokens[at - 1];
        if before.is_symbol(':') { &tokens[at.saturating_sub(2)] } else { before }
    };
    let mut targets = (1..tokens.len()).filter(|at| tokens[*at].is_symbol('=')).map(target);
    let reaches_out = |token: &Token<'_>| {
        let words = ["global", "persist", "persist_only", "new", "password", "role", "statement"];
        words.contains(&name(token).split('.').next().unwrap_or_default())
    };
    let calls = |pair: &[Token<'_>]| {
        let is_harmless = pair[0].is_any_keyword(&["concat", "concat_ws", "replace", "select"]);
        pair[1].is_symbol('(') && pair[0].name().is_some() && !is_harmless
    };
    !tokens.iter().any(reaches_out) && !tokens.windows(2).any(calls) && targets.all(is_own)
}

/// Functions whose second argument is a regular expression.
const PATTERN_FUNCTIONS: [&str; 4] = ["regexp_like", "regexp_replace", "regexp_instr", "regexp_substr"];

/// Operators whose right side is a regular expression.
const PATTERN_OPERATORS: [&str; 2] = ["regexp", "rlike"];

fn has_patterns(text: &str) -> bool {
    tokenize(text, SqlMode::default())
        .any(|token| token.is_any_keyword(&PATTERN_OPERATORS) || token.is_any_keyword(&PATTERN_FUNCTIONS))
}

/// Word boundaries of Henry Spencer's library for regular expressions, which MySQL used before 8.0.
const BOUNDARIES: [&str; 2] = ["[[:<:]]", "[[:>:]]"];

/// Question about a word boundary in a part of a regular expression: `CONCAT('[[:<:]]', a)`. `None`
/// if no literal has one.
fn boundary_question(place: &Place, text: &str) -> Option<(String, Asked)> {
    let mut literals = tokenize(text, SqlMode::default()).filter(|token| token.kind == TokenKind::StringLiteral);
    let boundary = literals.find_map(|token| BOUNDARIES.iter().find(|one| token.text.contains(**one)))?;
    let asked = question(place, Form::Pattern, &format!("'{boundary}'")).1;
    Some((text.to_owned(), asked))
}

/// Questions about the literal patterns of a text, behind `REGEXP` and `RLIKE` and as the second
/// argument of functions, and about a word boundary in another literal.
fn pattern_questions(place: &Place, text: &str) -> Vec<(String, Asked)> {
    let tokens: Vec<Token<'_>> = tokenize(text, SqlMode::default()).collect();
    let literal = |at: usize| {
        let has_charset = tokens.get(at).is_some_and(|token| token.text.starts_with('_'));
        let token = tokens.get(at + usize::from(has_charset))?;
        (token.kind == TokenKind::StringLiteral).then_some(token.text)
    };
    let mut found: Vec<(String, Asked)> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let pattern = if token.is_any_keyword(&PATTERN_OPERATORS) {
            literal(at + 1)
        } else if token.is_any_keyword(&PATTERN_FUNCTIONS) {
            second_argument(&tokens, at + 1).and_then(literal)
        } else {
            None
        };
        let Some(pattern) = pattern else { continue };
        let asked = Asked {
            place: place.clone(),
            form: Form::Pattern,
            question: question(place, Form::Pattern, pattern).1.question,
        };
        if !found.iter().any(|(_, other)| other.question == asked.question) {
            found.push((text.to_owned(), asked));
        }
    }
    let in_literal = |(_, asked): &(String, Asked)| BOUNDARIES.iter().any(|one| asked.question.contains(one));
    if has_patterns(text) && !found.iter().any(in_literal) {
        found.extend(boundary_question(place, text));
    }
    found
}

/// Place of the second argument of a call whose parenthesis is at `open`.
fn second_argument(tokens: &[Token<'_>], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        if token.is_symbol('(') {
            depth += 1;
        } else if token.is_symbol(')') {
            depth = depth.checked_sub(1).filter(|depth| *depth > 0)?;
        } else if depth == 1 && token.is_symbol(',') {
            return Some(at + 1);
        } else if depth == 0 {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_settings_of_the_session_are_made() {
        let program = StoredProgram {
            keyword: "PROCEDURE",
            schema: "app".into(),
            name: "p".into(),
            create: String::new(),
            sql_mode: String::new(),
            client: String::new(),
            connection: String::new(),
            database: String::new(),
            table: None,
            parsed: crate::syntax::parse_program("CREATE PROCEDURE p(a INT) BEGIN DECLARE v INT; END").unwrap(),
        };
        for text in [
            "SET sql_mode = ''",
            "SET @@session.sql_mode = 'ANSI', SESSION autocommit = 0",
            "SET sql_mode = CONCAT(@@sql_mode, ',ANSI')",
            "SET NAMES utf8mb4",
        ] {
            assert!(sets_session(&program, text), "{text}");
        }
        for text in [
            "SET GLOBAL sql_mode = ''",
            "SET @@global.sql_mode = ''",
            "SET PERSIST sql_mode = ''",
            "SET v = 1",
            "SET a := 1",
            "SET @x = 1",
            "SET NEW.b = 1",
            "SET PASSWORD = 'x'",
            "SET sql_mode = f()",
            "SET STATEMENT max_statement_time = 1 FOR DELETE FROM t",
        ] {
            assert!(!sets_session(&program, text), "{text}");
        }
    }

    #[test]
    fn arguments_of_calls_are_asked() {
        assert_eq!(call_arguments("CALL app.p(a, f(b, 1), 'x', @o, a + 1)"), ["f(b, 1)", "a + 1"]);
        assert_eq!(call_arguments("CALL p(PASSWORD('x'))"), ["PASSWORD('x')"]);
        for text in ["CALL p", "CALL p()", "SELECT f(a + 1)"] {
            assert_eq!(call_arguments(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn patterns_are_literals() {
        let asked = |text: &str| -> Vec<String> {
            let all = pattern_questions(&Place::Session(Session::default()), text);
            all.into_iter().map(|(_, asked)| asked.question).collect()
        };
        assert_eq!(
            asked("SELECT a REGEXP '[[:<:]]x' OR b NOT RLIKE _utf8mb4'y'"),
            ["DO 'a' REGEXP '[[:<:]]x'", "DO 'a' REGEXP 'y'"]
        );
        assert_eq!(asked("SELECT regexp_like(concat(a, b), 'x') AND regexp_instr(a, b)"), ["DO 'a' REGEXP 'x'"]);
        assert!(asked("SELECT a REGEXP b, regexp").is_empty());
        assert_eq!(asked("SELECT a REGEXP CONCAT('[[:<:]]', b, '[[:>:]]')"), ["DO 'a' REGEXP '[[:<:]]'"]);
        assert!(asked("SELECT CONCAT('[[:<:]]', b)").is_empty());
    }
}
