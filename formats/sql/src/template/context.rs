//! Position of a token within its statement: parentheses, clauses, columns of an `INSERT`.

use crate::token::{Token, TokenKind};

/// Keywords that an expression can follow. A literal after one is a value, not an alias, type or
/// path.
const EXPRESSION_KEYWORDS: [&str; 35] = [
    "select", "distinct", "all", "where", "having", "on", "and", "or", "xor", "not", "like", "rlike", "regexp",
    "between", "in", "div", "mod", "case", "when", "then", "else", "limit", "offset", "interval", "binary", "both",
    "leading", "trailing", "from", "values", "value", "set", "return", "call", "union",
];

/// Types whose parentheses hold lengths.
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
    /// Columns that an `INSERT` lists before its values.
    columns: Vec<String>,
    /// True after `VALUES` outside of parentheses.
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
        Self { tokens, open: Vec::new(), outside: Scope::default(), columns, in_values: false }
    }

    fn before(&self, at: usize, back: usize) -> Option<&'t Token<'a>> {
        at.checked_sub(back).map(|place| &self.tokens[place])
    }

    fn scope_mut(&mut self) -> &mut Scope {
        self.open.last_mut().unwrap_or(&mut self.outside)
    }

    fn scope(&self) -> Scope {
        self.open.last().copied().unwrap_or(self.outside)
    }

    /// Updates the state for the token at `at`. Must be called for the tokens in order, before the
    /// other methods; tokens within a parameter are left out.
    pub(super) fn enter(&mut self, at: usize) {
        let token = &self.tokens[at];
        if token.is_symbol('(') {
            let is_type = self.before(at, 1).is_some_and(|token| token.is_any_keyword(&LENGTH_TYPES))
                && self.before(at, 2).is_some_and(|token| token.is_keyword("as") || token.is_symbol(','));
            let is_json = self.before(at, 1).is_some_and(|token| token.is_keyword("json_table"));
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
        } else if token.is_any_keyword(&["values", "value"]) && self.open.is_empty() {
            self.in_values = true;
        }
    }

    /// Returns true if a parameter may replace a literal at this token.
    pub(super) fn may_be_parameter(&self, at: usize) -> bool {
        let scope = self.scope();
        let Some(before) = self.before(at, 1) else { return false };
        if scope.is_literal_only {
            return false;
        }
        match before.kind {
            TokenKind::Word => before.is_any_keyword(&EXPRESSION_KEYWORDS),
            TokenKind::Symbol if before.is_symbol(')') => false,
            // An ordinal: `ORDER BY 1, 2`.
            TokenKind::Symbol if scope.in_by_clause && before.is_symbol(',') => false,
            // A JSON path: `a->'$.x'`, `a->>'$.x'`.
            TokenKind::Symbol if before.is_symbol('>') => {
                let mut back = 2;
                while self.before(at, back).is_some_and(|token| token.is_symbol('>')) {
                    back += 1;
                }
                !self.before(at, back).is_some_and(|token| token.is_symbol('-'))
            }
            // A name follows a dot.
            TokenKind::Symbol => !before.is_symbol('.'),
            TokenKind::Hint | TokenKind::ConditionalComment => true,
            _ => false,
        }
    }

    /// Returns true if a minus at this token is a sign. Assumes that [`Context::may_be_parameter`]
    /// holds.
    pub(super) fn is_sign(&self, at: usize) -> bool {
        self.before(at, 1).is_some_and(|before| before.kind == TokenKind::Symbol || before.kind == TokenKind::Word)
    }

    /// Returns the number of tokens of the low bound if the token follows `BETWEEN 1 AND`: 1, or 2
    /// with a sign.
    fn between_low_tokens(&self, at: usize) -> Option<usize> {
        if !self.before(at, 1).is_some_and(|token| token.is_keyword("and")) {
            return None;
        }
        let signed = self.before(at, 3).is_some_and(|token| token.is_symbol('-'));
        let literal = 1 + usize::from(signed);
        self.before(at, 2 + literal).is_some_and(|token| token.is_keyword("between")).then_some(literal)
    }

    /// Returns a name for a parameter: the column that it is compared with, assigned to or inserted
    /// into, the function whose first argument it is, or the clause (`limit`). Empty without these.
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
            if let Some(literal) = self.between_low_tokens(place) {
                place -= 1 + literal;
            } else if is_operator || is_word {
                place -= 1;
            } else {
                let has_operator = place < at;
                let is_name = !before.is_any_keyword(&EXPRESSION_KEYWORDS)
                    && !before.is_any_keyword(&["by", "as", "interval", "against"]);
                return before.name().filter(|_| has_operator && is_name).unwrap_or_default();
            }
        }
        String::new()
    }
}

/// Returns the columns that an `INSERT` or `REPLACE` lists before its values.
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
    inside.filter_map(Token::name).collect()
}
