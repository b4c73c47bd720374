//! Position of a token within its statement: parentheses, clauses, columns of an `INSERT`.

use crate::token::{Token, TokenKind};

/// Keywords before a literal that can be a value. All are reserved: none is a column's name.
const EXPRESSION_KEYWORDS: [&str; 32] = [
    "select", "distinct", "all", "where", "having", "on", "and", "or", "xor", "not", "like", "rlike", "regexp",
    "between", "in", "div", "mod", "case", "when", "then", "else", "limit", "interval", "binary", "both", "leading",
    "trailing", "from", "set", "return", "call", "union",
];

/// Types whose parentheses hold a length or a number of digits. After a comma, functions of these
/// names count too.
const LENGTH_TYPES: [&str; 14] = [
    "char",
    "nchar",
    "varchar",
    "binary",
    "varbinary",
    "decimal",
    "dec",
    "numeric",
    "datetime",
    "time",
    "timestamp",
    "float",
    "double",
    "character",
];

/// Parentheses and clauses that are open at a token.
pub(super) struct Context<'t, 'a> {
    tokens: &'t [Token<'a>],
    /// Scopes of the open parentheses, the innermost last.
    open: Vec<Scope>,
    /// Scope outside of all parentheses.
    outside: Scope,
    /// Columns that an `INSERT` lists before its values. Empty after its values.
    columns: Vec<String>,
    /// True after `VALUES` or `VALUE` outside of parentheses.
    in_values: bool,
}

/// The part of a statement within one pair of parentheses, or outside of all.
#[derive(Clone, Copy, Default)]
struct Scope {
    /// True if no parameter may replace a literal: lengths of a type, paths of `JSON_TABLE`.
    is_literal_only: bool,
    /// True within `ORDER BY`, `GROUP BY` or `PARTITION BY`.
    in_by_clause: bool,
    /// Number of commas before the token.
    commas: usize,
}

impl<'t, 'a> Context<'t, 'a> {
    pub(super) fn new(tokens: &'t [Token<'a>]) -> Self {
        let columns = insert_columns(tokens);
        // `SHOW` takes parameters in its `WHERE` only.
        let is_show = tokens.first().is_some_and(|token| token.is_keyword("show"));
        let outside = Scope { is_literal_only: is_show, ..Scope::default() };
        Self { tokens, open: Vec::new(), outside, columns, in_values: false }
    }

    /// Returns the token `back` tokens before the one at `at`.
    fn token_before(&self, at: usize, back: usize) -> Option<&'t Token<'a>> {
        at.checked_sub(back).map(|place| &self.tokens[place])
    }

    fn scope_mut(&mut self) -> &mut Scope {
        self.open.last_mut().unwrap_or(&mut self.outside)
    }

    fn scope(&self) -> Scope {
        self.open.last().copied().unwrap_or(self.outside)
    }

    /// Updates the state for the token at `at`. Must be called for the tokens in order, before the
    /// other methods. Of a parameter of several tokens, only the first is entered.
    pub(super) fn enter(&mut self, at: usize) {
        let token = &self.tokens[at];
        if token.is_symbol('(') {
            let is_type = self.token_before(at, 1).is_some_and(|token| token.is_any_keyword(&LENGTH_TYPES))
                && self.token_before(at, 2).is_some_and(|token| token.is_keyword("as") || token.is_symbol(','));
            let is_json = self.token_before(at, 1).is_some_and(|token| token.is_keyword("json_table"));
            let is_literal_only = is_type || is_json || self.scope().is_literal_only;
            self.open.push(Scope { is_literal_only, ..Scope::default() });
        } else if token.is_symbol(')') {
            self.open.pop();
        } else if token.is_symbol(',') {
            self.scope_mut().commas += 1;
        } else if token.is_keyword("by") {
            self.scope_mut().in_by_clause = true;
        } else if token.is_any_keyword(&[
            "limit",
            "having",
            "window",
            "for",
            "union",
            "select",
            "separator",
            "rows",
            "range",
        ]) {
            self.scope_mut().in_by_clause = false;
        } else if self.open.is_empty() {
            self.enter_clause(token);
        }
    }

    /// Updates the state for a keyword outside of all parentheses.
    fn enter_clause(&mut self, token: &Token<'_>) {
        if token.is_any_keyword(&["values", "value"]) {
            self.in_values = true;
        } else if token.is_keyword("on") {
            // `ON DUPLICATE KEY UPDATE` ends the rows.
            self.columns.clear();
        } else if token.is_keyword("where") {
            self.outside.is_literal_only = false;
        }
    }

    /// Returns true if a parameter may replace a literal at this token.
    pub(super) fn may_be_parameter(&self, at: usize) -> bool {
        let scope = self.scope();
        let Some(before) = self.token_before(at, 1) else { return false };
        if scope.is_literal_only {
            return false;
        }
        match before.kind {
            // A column may have this name: `offset - 5`.
            TokenKind::Word if before.is_keyword("offset") => self.tokens[at].kind == TokenKind::Number,
            TokenKind::Word => before.is_any_keyword(&EXPRESSION_KEYWORDS) && !self.is_character_set(at),
            TokenKind::Symbol if before.is_symbol(')') => false,
            // An ordinal: `ORDER BY 1, 2`.
            TokenKind::Symbol if scope.in_by_clause && before.is_symbol(',') => false,
            // A JSON path: `a->'$.x'`, `a->>'$.x'`.
            TokenKind::Symbol if before.is_symbol('>') => {
                let mut back = 2;
                while self.token_before(at, back).is_some_and(|token| token.is_symbol('>')) {
                    back += 1;
                }
                !self.token_before(at, back).is_some_and(|token| token.is_symbol('-'))
            }
            // A name follows a dot.
            TokenKind::Symbol => !before.is_symbol('.'),
            TokenKind::Hint | TokenKind::ConditionalComment => true,
            _ => false,
        }
    }

    /// Returns true if the token is the character set of `CHARACTER SET 'utf8mb4'`.
    fn is_character_set(&self, at: usize) -> bool {
        self.token_before(at, 1).is_some_and(|token| token.is_keyword("set"))
            && self.token_before(at, 2).is_some_and(|token| token.is_any_keyword(&["character", "char"]))
    }

    /// Returns true if a minus at this token is a sign, false after a hint or a conditional
    /// comment. Assumes that [`Context::may_be_parameter`] holds.
    pub(super) fn is_sign(&self, at: usize) -> bool {
        self.token_before(at, 1)
            .is_some_and(|before| before.kind == TokenKind::Symbol || before.kind == TokenKind::Word)
    }

    /// Returns the number of tokens of the low bound if the token follows `BETWEEN 1 AND`: 1, or 2
    /// with a sign.
    fn low_bound_length(&self, at: usize) -> Option<usize> {
        if !self.token_before(at, 1).is_some_and(|token| token.is_keyword("and")) {
            return None;
        }
        let signed = self.token_before(at, 3).is_some_and(|token| token.is_symbol('-'));
        let literal = 1 + usize::from(signed);
        self.token_before(at, 2 + literal).is_some_and(|token| token.is_keyword("between")).then_some(literal)
    }

    /// Returns a name for a parameter: the column before it that it is compared with, assigned to
    /// or inserted into, the function whose first argument it is, or the clause (`limit`). Empty
    /// without these.
    pub(super) fn parameter_name(&self, at: usize) -> String {
        if self.in_values
            && self.open.len() == 1
            && let Some(column) = self.columns.get(self.scope().commas)
        {
            return column.clone();
        }
        let mut place = at;
        while let Some(before) = place.checked_sub(1).map(|place| self.tokens[place]) {
            let is_operator = before.kind == TokenKind::Symbol && "=<>!(".contains(before.text);
            if before.is_any_keyword(&["limit", "offset"]) {
                return before.text.to_lowercase();
            }
            let is_word = before.is_any_keyword(&["like", "in", "between", "not", "binary", "regexp", "rlike"]);
            if let Some(literal) = self.low_bound_length(place) {
                place -= 1 + literal;
            } else if is_operator || is_word {
                place -= 1;
            } else {
                let has_operator = place < at;
                let is_values = self.tokens[place].is_symbol('(') && before.is_any_keyword(&["values", "value"]);
                let is_name = !is_values
                    && !before.is_any_keyword(&EXPRESSION_KEYWORDS)
                    && !before.is_any_keyword(&["by", "as", "against"]);
                return before.name().filter(|_| has_operator && is_name).unwrap_or_default();
            }
        }
        String::new()
    }
}

/// Returns the columns that an `INSERT` or `REPLACE` lists before its values, without their tables.
/// Empty with `PARTITION`.
fn insert_columns(tokens: &[Token<'_>]) -> Vec<String> {
    if !tokens.first().is_some_and(|token| token.is_any_keyword(&["insert", "replace"])) {
        return Vec::new();
    }
    let Some(open) = tokens.iter().position(|token| token.is_symbol('(')) else { return Vec::new() };
    let inside = tokens[open + 1..].iter().take_while(|token| !token.is_symbol(')'));
    let close = open + 1 + inside.clone().count();
    if !tokens.get(close + 1).is_some_and(|token| token.is_any_keyword(&["values", "value"])) {
        return Vec::new();
    }
    let items = tokens[open + 1..close].split(|token| token.is_symbol(','));
    items.filter_map(|item| item.last()?.name()).collect()
}
