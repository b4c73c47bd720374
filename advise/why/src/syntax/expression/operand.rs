//! Operands of expressions: literals, names, calls, parentheses and CASE.

use sql::TokenKind;

use super::{COMPARISON, Expr, ExprKind, SUM};
use crate::syntax::query::Parser;

/// Keywords that begin no operand, unless `(` or `.` follows.
const NOT_OPERANDS: &str = "from where group having order limit union intersect except window into for lock on using join inner left \
    right cross natural straight_join as then when else end do asc desc separator with values set until over \
    procedure returning partition offset against escape";

/// Units of INTERVAL, and the parts of units such as `DAY_HOUR`.
const INTERVAL_UNITS: [&str; 9] =
    ["microsecond", "second", "minute", "hour", "day", "week", "month", "quarter", "year"];

impl Parser<'_> {
    /// Reads arguments up to the closing parenthesis. Keywords between them (`DISTINCT`, `FROM`,
    /// `SEPARATOR`) separate as commas do. From `AS` on, the rest is skipped.
    pub(super) fn arguments(&mut self) -> Vec<Expr> {
        let mut found = Vec::new();
        while let Some(token) = self.cursor.peek() {
            if token.is_symbol(')') {
                self.cursor.at += 1;
                return found;
            }
            if token.is_any_keyword(&["as"]) {
                self.cursor.skip_parenthesis();
                return found;
            }
            let before = self.cursor.at;
            let is_word = token.is_any_keyword(&[
                "distinct",
                "from",
                "for",
                "using",
                "separator",
                "order",
                "by",
                "asc",
                "desc",
                "leading",
                "trailing",
                "both",
                "all",
                "limit",
            ]);
            if token.is_symbol(',') || is_word && !self.cursor.peek_after(1).is_some_and(|next| next.is_symbol('.')) {
                self.cursor.at += 1;
            } else if let Some(argument) = self.expression() {
                found.push(argument);
            }
            if self.cursor.at == before {
                self.cursor.skip_one();
            }
        }
        found
    }

    pub(super) fn primary(&mut self) -> Option<Expr> {
        let token = self.cursor.peek()?;
        let begin = token.start;
        if token.is_symbol('(') {
            return self.parenthesis(begin);
        }
        match token.kind {
            TokenKind::StringLiteral => return Some(self.text(begin, false)),
            TokenKind::Number | TokenKind::HexOrBit => return Some(self.leaf(begin, ExprKind::Constant)),
            TokenKind::Parameter => return Some(self.leaf(begin, ExprKind::Parameter)),
            TokenKind::Variable => {
                let name = token.text[1..].trim_matches(['`', '\'', '"']).to_owned();
                return Some(self.leaf(begin, ExprKind::Variable(name)));
            }
            TokenKind::Word | TokenKind::QuotedName => {}
            _ => return None,
        }
        let next = self.cursor.peek_after(1);
        if token.kind == TokenKind::Word {
            let is_quoted = next.is_some_and(|next| next.kind == TokenKind::StringLiteral);
            // `N 'x'` is a column with an alias.
            let is_national = token.is_keyword("n") && next.is_some_and(|next| next.start == token.end());
            if is_quoted && (token.text.starts_with('_') || is_national) {
                self.cursor.at += 1;
                return Some(self.text(begin, true));
            }
            if token.text.starts_with('_') && next.is_some_and(|next| next.kind == TokenKind::HexOrBit) {
                self.cursor.at += 1;
                return Some(self.leaf(begin, ExprKind::Text { introduced: true }));
            }
            if is_quoted && token.is_any_keyword(&["date", "time", "timestamp"]) {
                self.cursor.at += 1;
                return Some(self.leaf(begin, ExprKind::Constant));
            }
            let opens = next.is_some_and(|next| next.is_symbol('('));
            if token.is_any_keyword(&["null", "true", "false"]) || token.is_keyword("default") && !opens {
                return Some(self.leaf(begin, ExprKind::Constant));
            }
            if token.is_keyword("case") {
                return self.case(begin);
            }
            if token.is_keyword("interval") && (!opens || self.has_unit_after_parenthesis()) {
                self.cursor.at += 1;
                let amount = self.climb(SUM + 1)?;
                self.cursor.at += 1;
                return Some(self.other(begin, vec![amount]));
            }
            if token.is_keyword("exists") && opens {
                self.cursor.at += 1;
                return self.primary();
            }
            let is_no_operand = NOT_OPERANDS.split_whitespace().any(|word| token.is_keyword(word));
            if is_no_operand && !opens && !next.is_some_and(|next| next.is_symbol('.')) {
                return None;
            }
        }
        self.named(begin)
    }

    /// Returns true before `INTERVAL (1) DAY`, false before a call of the function `INTERVAL(1,
    /// 2)`.
    fn has_unit_after_parenthesis(&mut self) -> bool {
        let place = self.cursor.at;
        self.cursor.at += 1;
        self.cursor.skip_one();
        let has_unit = self.cursor.peek().is_some_and(|token| {
            token.kind == TokenKind::Word
                && token.text.to_lowercase().split('_').all(|unit| INTERVAL_UNITS.contains(&unit))
        });
        self.cursor.at = place;
        has_unit
    }

    fn leaf(&mut self, begin: usize, kind: ExprKind) -> Expr {
        self.cursor.at += 1;
        Expr { span: begin..self.cursor.end(), kind }
    }

    /// Reads a string. Adjacent literals are one string.
    fn text(&mut self, begin: usize, introduced: bool) -> Expr {
        while self.cursor.peek().is_some_and(|token| token.kind == TokenKind::StringLiteral) {
            self.cursor.at += 1;
        }
        Expr { span: begin..self.cursor.end(), kind: ExprKind::Text { introduced } }
    }

    fn parenthesis(&mut self, begin: usize) -> Option<Expr> {
        self.cursor.at += 1;
        if self.begins_query() {
            let blocks = self.query();
            self.cursor.take_symbol(')');
            return Some(Expr { span: begin..self.cursor.end(), kind: ExprKind::Subquery(blocks) });
        }
        let mut parts = self.arguments();
        let span = begin..self.cursor.end();
        if parts.len() == 1 {
            // The place of the inner expression without its parentheses is not needed.
            let inner = parts.remove(0);
            return Some(Expr { span, kind: inner.kind });
        }
        Some(Expr { span, kind: ExprKind::Row(parts) })
    }

    fn case(&mut self, begin: usize) -> Option<Expr> {
        self.cursor.at += 1;
        let operand = if self.cursor.is_keyword("when") { None } else { self.expression().map(Box::new) };
        let (mut whens, mut results) = (Vec::new(), Vec::new());
        while let Some(token) = self.cursor.peek() {
            let before = self.cursor.at;
            if token.is_keyword("end") {
                self.cursor.at += 1;
                break;
            }
            let target = if token.is_keyword("when") { &mut whens } else { &mut results };
            if token.is_any_keyword(&["when", "then", "else"]) {
                self.cursor.at += 1;
                let value = self.expression();
                target.extend(value);
            }
            if self.cursor.at == before {
                self.cursor.skip_one();
            }
        }
        Some(Expr { span: begin..self.cursor.end(), kind: ExprKind::Case { operand, whens, results } })
    }

    /// Reads a name, or a call of a function.
    fn named(&mut self, begin: usize) -> Option<Expr> {
        let mut names = vec![self.cursor.name()?];
        while self.cursor.is_symbol('.') {
            self.cursor.at += 1;
            if self.cursor.take_symbol('*') {
                return Some(self.other(begin, Vec::new()));
            }
            names.push(self.cursor.name()?);
        }
        if !self.cursor.is_symbol('(') {
            return Some(Expr { span: begin..self.cursor.end(), kind: ExprKind::Name(names) });
        }
        self.cursor.at += 1;
        let name = names.pop()?;
        let lower = name.to_lowercase();
        let arguments = if lower == "position" {
            let needle = self.climb(COMPARISON + 1);
            self.cursor.take_keyword("in");
            needle.into_iter().chain(self.arguments()).collect()
        } else if lower == "convert" {
            let inner = self.expression();
            self.cursor.skip_parenthesis();
            inner.into_iter().collect()
        } else {
            self.arguments()
        };
        if lower == "match" && self.cursor.take_keyword("against") {
            self.cursor.skip_one();
        }
        if self.cursor.take_keyword("over") {
            self.cursor.skip_one();
        }
        let span = begin..self.cursor.end();
        let kind = match (lower.as_str(), arguments.len()) {
            ("convert" | "cast" | "binary", 1) => ExprKind::Convert(Box::new(arguments.into_iter().next()?)),
            _ => ExprKind::Call { schema: names.pop(), name, arguments },
        };
        Some(Expr { span, kind })
    }
}
