//! Walks over the tokens of a statement and finds what reaches out of its schema.
//!
//! The state says whether a table's name can stand at a token:
//!
//! ```text
//! Expression ─FROM, JOIN, UPDATE, INSERT─▶ Table ──name──▶ AfterTable ──ON──▶ Condition
//!     ▲                                      ▲                │                  │
//!     │                                      └──── , or JOIN ─┴──────────────────┤
//!     └────────────────────────── WHERE, SELECT, SET, GROUP, … ──────────────────┘
//! ```
//!
//! Each parenthesis has a state of its own. Only words that are reserved on every server lead back
//! to `Expression`; after any other word a comma still begins a table. A word next to a dot is a
//! name on every server, also a reserved one: `where.id`.

use std::collections::HashSet;

use sql::{Token, TokenKind};

use super::{CheckResult, OutOfScope};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Expression,
    Table,
    AfterTable,
    Condition,
    /// Names of common table expressions, after `WITH`.
    Definitions,
    /// Tables between `DELETE` and `FROM`.
    DeletedTables,
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    state: State,
    /// True within the parentheses of `EXTRACT`, `TRIM`, `SUBSTRING` and their synonyms, whose FROM
    /// names no table. False from a `SELECT` on: the FROM after it is the query's.
    has_own_from: bool,
}

/// Names that a statement may use.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    /// Routines of schema.sql, in lower case.
    pub routines: HashSet<String>,
    /// True for the body of a routine or trigger.
    pub is_program: bool,
    /// Parameters and variables of a routine or trigger, in lower case.
    pub variables: HashSet<String>,
}

impl Names {
    /// Checks a name before a parenthesis.
    pub fn check_call(&self, token: &Token<'_>) -> CheckResult {
        let name = token.name().unwrap_or_default();
        let is_word = token.kind == TokenKind::Word && sql::may_precede_parenthesis(token.text);
        if is_word || self.routines.contains(&name.to_lowercase()) || sql::is_computing_function(&name) {
            return Ok(());
        }
        Err(OutOfScope { offset: token.start, reason: format!("{name}() is no function that a workload may call") })
    }
}

pub(super) struct Walker<'t, 'a> {
    tokens: &'t [Token<'a>],
    names: &'t Names,
    frames: Vec<Frame>,
    /// Tables, aliases and common table expressions, in lower case.
    aliases: HashSet<String>,
    /// Names before a dot that must be aliases, with their offsets.
    qualifiers: Vec<(String, usize)>,
}

/// Words that end the list of tables. They are reserved on all servers.
const WORDS_AFTER_TABLES: [&str; 10] =
    ["where", "group", "having", "order", "limit", "union", "set", "values", "select", "lock"];

/// Words that change the state. MySQL and MariaDB read them as names before a dot.
const KEYWORDS_OF_CLAUSES: [&str; 15] = [
    "from",
    "join",
    "straight_join",
    "into",
    "insert",
    "replace",
    "update",
    "delete",
    "table",
    "using",
    "on",
    "returning",
    "for",
    "with",
    "procedure",
];

const FUNCTIONS_WITH_FROM: [&str; 6] = ["extract", "trim", "substring", "substr", "mid", "trim_oracle"];

impl<'t, 'a> Walker<'t, 'a> {
    /// Creates a walker. Takes tokens without comments.
    pub fn new(tokens: &'t [Token<'a>], names: &'t Names) -> Self {
        let frames = vec![Frame { state: State::Expression, has_own_from: false }];
        Self { tokens, names, frames, aliases: HashSet::new(), qualifiers: Vec::new() }
    }

    /// Checks all tokens.
    pub fn check(mut self) -> CheckResult {
        for at in 0..self.tokens.len() {
            self.check_token(at)?;
        }
        if self.frames.len() > 1 {
            return self.fault(self.tokens.len() - 1, "a parenthesis is not closed");
        }
        let is_alias = |name: &String| {
            let lower = name.to_lowercase();
            self.aliases.contains(&lower)
                || self.names.variables.contains(&lower)
                || (self.names.is_program && matches!(lower.as_str(), "new" | "old"))
        };
        match self.qualifiers.iter().find(|(name, _)| !is_alias(name)) {
            Some((name, offset)) => Err(OutOfScope {
                offset: *offset,
                reason: format!("{name} before a dot is no table or alias of the statement"),
            }),
            None => Ok(()),
        }
    }

    fn fault<T>(&self, at: usize, reason: impl Into<String>) -> Result<T, OutOfScope> {
        Err(OutOfScope { offset: self.tokens[at].start, reason: reason.into() })
    }

    fn state(&self) -> State {
        self.frames.last().map_or(State::Expression, |frame| frame.state)
    }

    fn set_state(&mut self, state: State) {
        if let Some(frame) = self.frames.last_mut() {
            frame.state = state;
        }
    }

    fn token_before(&self, at: usize, steps: usize) -> Option<&'t Token<'a>> {
        at.checked_sub(steps).map(|at| &self.tokens[at])
    }

    fn next_is(&self, at: usize, words: &[&str]) -> bool {
        self.tokens.get(at + 1).is_some_and(|token| token.is_any_keyword(words))
    }

    fn next_is_symbol(&self, at: usize, symbol: char) -> bool {
        self.tokens.get(at + 1).is_some_and(|token| token.is_symbol(symbol))
    }

    /// Returns true after one of the keywords. A word after a dot is a column.
    fn previous_is(&self, at: usize, words: &[&str]) -> bool {
        self.token_before(at, 1).is_some_and(|token| token.is_any_keyword(words))
            && !self.token_before(at, 2).is_some_and(|token| token.is_symbol('.'))
    }

    fn follows_dot(&self, at: usize) -> bool {
        self.token_before(at, 1).is_some_and(|token| token.is_symbol('.'))
    }

    fn check_token(&mut self, at: usize) -> CheckResult {
        let token = &self.tokens[at];
        match token.kind {
            TokenKind::Word | TokenKind::QuotedName => self.check_name_or_keyword(at),
            TokenKind::Symbol => self.check_symbol(at),
            TokenKind::ConditionalComment => self.fault(at, "a conditional comment"),
            TokenKind::StringLiteral if token.text.starts_with('\\') => self.fault(at, "a backslash before a quote"),
            _ if matches!(self.state(), State::Table | State::DeletedTables) => {
                self.fault(at, format!("{} where a table's name is expected", token.text))
            }
            // In `FROM a.1b`, the tokenizer reads `.1` as a number, but servers read the table 1b
            // of the schema a.
            TokenKind::Number if self.state() == State::AfterTable && token.text.starts_with('.') => {
                self.fault(at, "a table's name with a schema")
            }
            _ => Ok(()),
        }
    }

    fn check_symbol(&mut self, at: usize) -> CheckResult {
        let token = &self.tokens[at];
        match token.text {
            "(" => {
                let state = if self.state() == State::Table { State::Table } else { State::Expression };
                let is_value = matches!(self.state(), State::Expression | State::Condition);
                let has_own_from = is_value && self.previous_is(at, &FUNCTIONS_WITH_FROM);
                self.frames.push(Frame { state, has_own_from });
            }
            ")" => {
                if self.frames.len() == 1 {
                    return self.fault(at, "a parenthesis that nothing opened");
                }
                self.frames.pop();
                if self.state() == State::Table {
                    self.set_state(State::AfterTable);
                }
            }
            "," if matches!(self.state(), State::AfterTable | State::Condition) => self.set_state(State::Table),
            "." if self.state() == State::AfterTable => return self.fault(at, "a table's name with a schema"),
            "." if self.token_before(at, 1).is_none_or(|token| token.name().is_none()) => {
                return self.fault(at, "a dot without a name before it");
            }
            ";" => return self.fault(at, "a second statement"),
            "\\" => return self.fault(at, "a backslash outside of a string"),
            _ => {}
        }
        Ok(())
    }

    fn check_name_or_keyword(&mut self, at: usize) -> CheckResult {
        if self.follows_dot(at) {
            return self.check_qualified_name(at);
        }
        let token = &self.tokens[at];
        let is_keyword = token.is_any_keyword(&WORDS_AFTER_TABLES) || token.is_any_keyword(&KEYWORDS_OF_CLAUSES);
        if is_keyword && self.next_is_symbol(at, '.') {
            return self.fault(at, format!("{} before a dot; quote it if it is a name", token.text));
        }
        if token.kind == TokenKind::Word && self.handle_keyword(at)? {
            return Ok(());
        }
        let Some(name) = token.name() else { return Ok(()) };
        match self.state() {
            State::Table => self.check_table_name(at, &name),
            State::AfterTable | State::Definitions => {
                if self.next_is_symbol(at, '(') && !self.begins_column_list(at) {
                    self.names.check_call(token)?;
                }
                self.aliases.insert(name.to_lowercase());
                Ok(())
            }
            State::DeletedTables => {
                let is_all = self.next_is_symbol(at, '.') && self.tokens.get(at + 2).is_some_and(|t| t.is_symbol('*'));
                if self.next_is_symbol(at, '.') && !is_all {
                    return self.fault(at, format!("{name} before a dot: a table's name with a schema"));
                }
                Ok(())
            }
            State::Expression | State::Condition => self.check_value(at, name),
        }
    }

    /// Returns true for `d` in `(SELECT …) AS d (x, y)` and `WITH d (x) AS (…)`.
    fn begins_column_list(&self, at: usize) -> bool {
        match self.state() {
            State::Definitions => {
                self.previous_is(at, &["with", "recursive"])
                    || self.token_before(at, 1).is_some_and(|token| token.is_symbol(','))
            }
            _ => self.previous_is(at, &["as"]) || self.token_before(at, 1).is_some_and(|token| token.is_symbol(')')),
        }
    }

    /// Checks a name in the place of a table.
    fn check_table_name(&mut self, at: usize, name: &str) -> CheckResult {
        if self.next_is_symbol(at, '.') {
            return self.fault(at, format!("{name} before a dot: a table's name with a schema"));
        }
        let takes_columns =
            self.previous_is(at, &["into", "insert", "replace", "ignore", "delayed", "low_priority", "high_priority"]);
        if self.next_is_symbol(at, '(') && !takes_columns && !name.eq_ignore_ascii_case("json_table") {
            return self.fault(at, format!("{name}() in the place of a table"));
        }
        self.aliases.insert(name.to_lowercase());
        self.set_state(State::AfterTable);
        Ok(())
    }

    /// Checks a name in an expression: a function, a column, or a table or alias before a dot.
    fn check_value(&mut self, at: usize, name: String) -> CheckResult {
        let token = &self.tokens[at];
        // `t AS a (x, y)` and `CAST(x AS CHAR(9))` call no function.
        let is_after_as = self.previous_is(at, &["as"]);
        if self.next_is_symbol(at, '(') && !is_after_as {
            self.names.check_call(token)?;
        } else if self.next_is_symbol(at, '.') {
            self.qualifiers.push((name, token.start));
        } else if is_after_as && (self.state() == State::Condition || self.tokens[0].is_keyword("insert")) {
            // `FROM t FOR SYSTEM_TIME AS OF NOW() AS x`, and `INSERT … VALUES (…) AS new`.
            // Elsewhere in an expression, AS names a column.
            self.aliases.insert(name.to_lowercase());
        }
        Ok(())
    }

    /// Checks a name after a dot. `t.c` is a column; `s.t.c` and `s.f()` name a schema.
    fn check_qualified_name(&mut self, at: usize) -> CheckResult {
        if self.next_is_symbol(at, '.') || self.next_is_symbol(at, '(') {
            return self.fault(at, format!("{} is named with a schema", self.tokens[at].text));
        }
        Ok(())
    }

    /// Handles a keyword. Returns false if the word is a name here.
    fn handle_keyword(&mut self, at: usize) -> Result<bool, OutOfScope> {
        let token = &self.tokens[at];
        let state = self.state();
        let is = |word: &str| token.is_keyword(word);
        if is("from") {
            if !self.frames.last().is_some_and(|frame| frame.has_own_from) {
                self.set_state(State::Table);
            }
        } else if is("join") {
            // `FORCE INDEX FOR JOIN (k)`.
            if state != State::AfterTable || !self.previous_is(at, &["for"]) {
                self.set_state(State::Table);
            }
        } else if is("straight_join") {
            let is_modifier = state == State::Expression
                && (self.previous_is(at, &["select"]) || self.previous_is(at, &sql::SELECT_MODIFIERS));
            if !is_modifier {
                self.set_state(State::Table);
            }
        } else if is("into") {
            self.check_into(at)?;
        } else if token.is_any_keyword(&["insert", "replace"]) {
            if !self.next_is_symbol(at, '(') {
                self.set_state(State::Table);
            }
        } else if is("update") {
            if self.previous_is(at, &["key"]) && self.token_before(at, 2).is_some_and(|t| t.is_keyword("duplicate")) {
                self.set_state(State::Expression);
            } else if !self.previous_is(at, &["for"]) {
                self.set_state(State::Table);
            }
        } else if is("delete") {
            self.set_state(State::DeletedTables);
        } else if is("table") {
            self.set_state(State::Table);
        } else if is("using") && matches!(state, State::AfterTable | State::DeletedTables) {
            if !self.next_is_symbol(at, '(') {
                self.set_state(State::Table);
            }
        } else if token.is_any_keyword(&["on", "returning"]) && state == State::AfterTable {
            self.set_state(State::Condition);
        } else if is("for") && state == State::AfterTable {
            if self.next_is(at, &["update", "share"]) {
                self.set_state(State::Expression);
            } else if self.next_is(at, &["system_time", "portion"]) {
                self.set_state(State::Condition);
            }
        } else if is("with") && state != State::AfterTable {
            let is_clause = ["rollup", "cube", "query", "check", "cascaded", "local", "consistent", "ties", "parser"];
            if !self.next_is(at, &is_clause) {
                self.set_state(State::Definitions);
            }
        } else if is("values") && state == State::Condition {
            // `ON VALUES(a) IS NULL`: the function of MySQL.
        } else if token.is_any_keyword(&WORDS_AFTER_TABLES) {
            if is("select")
                && let Some(frame) = self.frames.last_mut()
            {
                frame.has_own_from = false;
            }
            if !self.previous_is(at, &["for"]) && !self.is_set_type(at) {
                self.set_state(State::Expression);
            }
        } else if is("procedure") {
            return self.fault(at, "PROCEDURE in a statement");
        } else if is("for")
            && self.previous_is(at, &["value"])
            && self.tokens.get(at + 2).is_some_and(|t| t.is_symbol('.'))
        {
            return self.fault(at + 1, "a sequence that is named with a schema");
        } else {
            return Ok(self.is_filler(at));
        }
        Ok(true)
    }

    /// Returns true for words that stand before a table's name or an alias.
    fn is_filler(&self, at: usize) -> bool {
        let token = &self.tokens[at];
        match self.state() {
            State::Table => {
                token.is_any_keyword(&["lateral", "low_priority", "ignore", "quick", "delayed", "high_priority"])
            }
            State::AfterTable => token.is_any_keyword(&[
                "as",
                "left",
                "right",
                "inner",
                "cross",
                "outer",
                "natural",
                "partition",
                "use",
                "force",
            ]),
            State::Definitions => token.is_any_keyword(&["as", "recursive"]),
            State::DeletedTables => token.is_any_keyword(&["low_priority", "ignore", "quick", "history"]),
            State::Expression | State::Condition => false,
        }
    }

    /// `SET('a','b')`, a type.
    fn is_set_type(&self, at: usize) -> bool {
        self.tokens[at].is_keyword("set") && self.next_is_symbol(at, '(')
    }

    fn check_into(&mut self, at: usize) -> CheckResult {
        // `INSERT INTO`.
        if self.state() == State::Table {
            return Ok(());
        }
        if !self.names.is_program || self.next_is(at, &["outfile", "dumpfile"]) {
            return self.fault(at, "SELECT … INTO writes outside of the tables");
        }
        // INTO names variables of the program.
        self.set_state(State::Expression);
        Ok(())
    }
}
