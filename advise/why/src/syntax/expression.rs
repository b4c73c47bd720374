//! Expressions, by precedence climbing.

use std::mem::take;
use std::ops::Range;

use sql::TokenKind;

use super::cursor::MAX_DEPTH;
use super::query::Parser;

/// An expression and its place in the source.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expr {
    pub span: Range<usize>,
    pub kind: ExprKind,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub enum ExprKind {
    /// `a`, `t.a`, `shop.t.a`: one to three names.
    Name(Vec<String>),
    /// A string, or a hexadecimal or bit literal after an introducer.
    Text {
        /// True after an introducer such as `_utf8mb4`, or `N`.
        introduced: bool,
    },
    /// `@name`, without the mark; `@@name` keeps one.
    Variable(String),
    /// `?` or `:name`.
    Parameter,
    /// Another literal, such as a number, NULL or `DATE '…'`, or DEFAULT.
    #[default]
    Constant,
    /// `= <> < LIKE REGEXP …` with the operator.
    Compare {
        operator: String,
        operands: Vec<Expr>,
    },
    /// `x IN (a, b)`, `x BETWEEN a AND b`: the first operand is compared with the others.
    Among {
        operator: &'static str,
        operands: Vec<Expr>,
    },
    /// `x IN (SELECT …)`, `x = ANY (SELECT …)`, with the blocks of the subquery.
    AmongRows {
        needle: Box<Expr>,
        blocks: Vec<usize>,
    },
    Call {
        /// Schema of a stored function, if it is named.
        schema: Option<String>,
        name: String,
        arguments: Vec<Expr>,
    },
    Case {
        operand: Option<Box<Expr>>,
        whens: Vec<Expr>,
        results: Vec<Expr>,
    },
    Collate {
        inner: Box<Expr>,
        collation: Range<usize>,
    },
    /// `BINARY x`, `CAST(x AS …)`, `CONVERT(x USING …)`.
    Convert(Box<Expr>),
    /// `(a, b)`.
    Row(Vec<Expr>),
    /// A subquery by itself or after EXISTS, with its blocks.
    Subquery(Vec<usize>),
    /// AND, OR, NOT, IS, arithmetic and the like.
    Other(Vec<Expr>),
}

impl Expr {
    /// Calls `visit` for this expression and those inside it, but not those of subqueries, the
    /// inner ones first.
    pub fn walk<'e>(&'e self, visit: &mut dyn FnMut(&'e Expr)) {
        self.children().into_iter().for_each(|child| child.walk(visit));
        visit(self);
    }

    pub fn children(&self) -> Vec<&Expr> {
        match &self.kind {
            ExprKind::Compare { operands, .. } | ExprKind::Among { operands, .. } => operands.iter().collect(),
            ExprKind::AmongRows { needle, .. } => vec![needle],
            ExprKind::Call { arguments, .. } => arguments.iter().collect(),
            ExprKind::Case { operand, whens, results } => {
                operand.iter().map(AsRef::as_ref).chain(whens).chain(results).collect()
            }
            ExprKind::Collate { inner, .. } | ExprKind::Convert(inner) => vec![inner],
            ExprKind::Row(parts) | ExprKind::Other(parts) => parts.iter().collect(),
            _ => Vec::new(),
        }
    }
}

const OR: u8 = 1;
const AND: u8 = 3;
const NOT: u8 = 4;
const COMPARISON: u8 = 6;
const SUM: u8 = 10;
const PRODUCT: u8 = 11;
const UNARY: u8 = 13;
const COLLATE: u8 = 15;
const OPERAND: u8 = 16;

/// Number of operators by which one expression may get deeper before each further operator counts
/// as `Cursor::chained`. More than there are levels of precedence.
const UNCOUNTED_OPERATORS: usize = 16;

/// Operators that one expression has so far.
#[derive(Clone, Copy, Debug, Default)]
struct Chain {
    /// Precedence of the last operator, if another of the same precedence can be joined to it.
    precedence: Option<u8>,
    /// Number of operators that made the expression deeper.
    length: usize,
}

impl Chain {
    fn extend(&mut self, precedence: Option<u8>) {
        self.precedence = precedence;
        self.length += 1;
    }
}

/// Keywords that begin no operand, unless `(` or `.` follows.
const NOT_OPERANDS: &str = "from where group having order limit union intersect except window into for lock on using join inner left \
    right cross natural straight_join as then when else end do asc desc separator with values set until over \
    procedure returning partition offset against escape";

/// Units of INTERVAL, and the parts of units such as `DAY_HOUR`.
const INTERVAL_UNITS: [&str; 9] =
    ["microsecond", "second", "minute", "hour", "day", "week", "month", "quarter", "year"];

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Option<Expr> {
        self.climb(0)
    }

    /// Reads an expression of operators that bind at least as tightly as `least`.
    pub(super) fn climb(&mut self, least: u8) -> Option<Expr> {
        if self.cursor.depth > MAX_DEPTH {
            return None;
        }
        self.cursor.depth += 1;
        let result = self.climb_inner(least);
        self.cursor.depth -= 1;
        result
    }

    fn climb_inner(&mut self, least: u8) -> Option<Expr> {
        let mut left = self.prefix()?;
        let mut chain = Chain::default();
        while let Some(next) = self.infix(&mut left, least, &mut chain) {
            left = next;
            if chain.length > UNCOUNTED_OPERATORS {
                // Each operator may make the expression deeper, as in `x COLLATE a COLLATE b`.
                self.cursor.chained += 1;
            }
            if self.cursor.chained > MAX_DEPTH {
                break;
            }
        }
        Some(left)
    }

    fn prefix(&mut self) -> Option<Expr> {
        let begin = self.cursor.start();
        let token = self.cursor.peek()?;
        if token.is_keyword("not") || token.is_symbol('!') {
            self.cursor.at += 1;
            // `!a = b` is `(!a) = b`.
            let inner = self.climb(if token.is_symbol('!') { UNARY } else { NOT })?;
            return Some(self.other(begin, vec![inner]));
        }
        if token.is_symbol('-') || token.is_symbol('+') || token.is_symbol('~') {
            self.cursor.at += 1;
            let inner = self.climb(UNARY)?;
            return Some(self.other(begin, vec![inner]));
        }
        if token.is_keyword("binary") && !self.cursor.peek_after(1).is_some_and(|next| next.is_symbol('(')) {
            self.cursor.at += 1;
            let inner = self.climb(UNARY)?;
            return Some(Expr { span: begin..self.cursor.end(), kind: ExprKind::Convert(Box::new(inner)) });
        }
        self.primary()
    }

    fn other(&self, begin: usize, parts: Vec<Expr>) -> Expr {
        Expr { span: begin..self.cursor.end(), kind: ExprKind::Other(parts) }
    }

    /// Joins both sides of an operator. `a AND b AND c` is one expression of three parts.
    fn join(&self, left: &mut Expr, right: Expr, precedence: u8, chain: &mut Chain) -> Expr {
        let mut left = take(left);
        if chain.precedence == Some(precedence)
            && let ExprKind::Other(parts) = &mut left.kind
        {
            parts.push(right);
            left.span.end = self.cursor.end();
            return left;
        }
        chain.extend(Some(precedence));
        self.other(left.span.start, vec![left, right])
    }

    fn infix(&mut self, left: &mut Expr, least: u8, chain: &mut Chain) -> Option<Expr> {
        let begin = left.span.start;
        if COLLATE >= least && self.cursor.is_keyword("collate") {
            self.cursor.at += 1;
            let collation = self.cursor.peek()?;
            self.cursor.at += 1;
            chain.extend(None);
            let kind = ExprKind::Collate { inner: Box::new(take(left)), collation: collation.start..collation.end() };
            return Some(Expr { span: begin..self.cursor.end(), kind });
        }
        if COLLATE >= least && (self.cursor.is_operator("->>") || self.cursor.is_operator("->")) {
            self.cursor.at += if self.cursor.is_operator("->>") { 3 } else { 2 };
            let path = self.climb(OPERAND)?;
            chain.extend(None);
            let kind = ExprKind::Call { schema: None, name: "->".into(), arguments: vec![take(left), path] };
            return Some(Expr { span: begin..self.cursor.end(), kind });
        }
        for (operator, precedence) in [("||", OR), ("&&", AND), ("<<", 9), (">>", 9)] {
            if !self.cursor.is_operator(operator) {
                continue;
            }
            if precedence < least {
                return None;
            }
            self.cursor.at += operator.len();
            let right = self.climb(precedence + 1)?;
            return Some(self.join(left, right, precedence, chain));
        }
        if COMPARISON >= least
            && let Some(compared) = self.comparison(left)
        {
            chain.extend(None);
            return Some(compared);
        }
        let token = self.cursor.peek()?;
        let precedence = match token.text {
            _ if token.is_any_keyword(&["or", "xor"]) => OR,
            _ if token.is_keyword("and") => AND,
            _ if token.is_any_keyword(&["div", "mod"]) => PRODUCT,
            "+" | "-" => SUM,
            "*" | "/" | "%" => PRODUCT,
            "|" => 7,
            "&" => 8,
            "^" => 12,
            _ => return None,
        };
        if precedence < least {
            return None;
        }
        self.cursor.at += 1;
        let right = self.climb(precedence + 1)?;
        Some(self.join(left, right, precedence, chain))
    }

    /// Reads the rest of a comparison. Without one, the position doesn't move.
    fn comparison(&mut self, left: &mut Expr) -> Option<Expr> {
        let place = self.cursor.at;
        let found = self.comparison_inner(left);
        if found.is_none() {
            self.cursor.at = place;
        }
        found
    }

    fn comparison_inner(&mut self, left: &mut Expr) -> Option<Expr> {
        let begin = left.span.start;
        for operator in ["<=>", "<=", ">=", "<>", "!=", ":=", "=", "<", ">"] {
            if self.cursor.is_operator(operator) {
                self.cursor.at += operator.len();
                return self.compared(left, operator);
            }
        }
        if self.cursor.take_keyword("is") {
            while self.cursor.take_any(&["not", "null", "true", "false", "unknown"]) {}
            return Some(self.other(begin, vec![take(left)]));
        }
        self.cursor.take_keyword("not");
        if self.cursor.take_keyword("sounds") {
            self.cursor.take_keyword("like");
            return self.compared(left, "SOUNDS LIKE");
        }
        if self.cursor.take_keyword("member") {
            self.cursor.take_keyword("of");
            let right = self.climb(COMPARISON + 1)?;
            return Some(self.other(begin, vec![take(left), right]));
        }
        for operator in ["LIKE", "RLIKE", "REGEXP"] {
            if self.cursor.take_keyword(operator) {
                let compared = self.compared(left, operator)?;
                if self.cursor.take_keyword("escape") {
                    self.climb(COMPARISON + 1);
                }
                return Some(compared);
            }
        }
        if self.cursor.take_keyword("between") {
            let low = self.climb(COMPARISON + 1)?;
            self.cursor.take_keyword("and");
            let high = self.climb(COMPARISON + 1)?;
            let kind = ExprKind::Among { operator: "BETWEEN", operands: vec![take(left), low, high] };
            return Some(Expr { span: begin..self.cursor.end(), kind });
        }
        if self.cursor.take_keyword("in") && self.cursor.take_symbol('(') {
            return self.among(left);
        }
        None
    }

    fn compared(&mut self, left: &mut Expr, operator: &str) -> Option<Expr> {
        let begin = left.span.start;
        if self.cursor.take_any(&["any", "some", "all"]) && self.cursor.take_symbol('(') {
            return self.among(left);
        }
        let right = self.climb(COMPARISON + 1)?;
        let span = begin..self.cursor.end();
        if operator == ":=" {
            return Some(Expr { span, kind: ExprKind::Other(vec![right]) });
        }
        let operands = vec![take(left), right];
        Some(Expr { span, kind: ExprKind::Compare { operator: operator.to_owned(), operands } })
    }

    /// Reads a list or a subquery behind the opening parenthesis.
    fn among(&mut self, left: &mut Expr) -> Option<Expr> {
        let begin = left.span.start;
        if self.begins_query() {
            let blocks = self.query();
            self.cursor.take_symbol(')');
            let kind = ExprKind::AmongRows { needle: Box::new(take(left)), blocks };
            return Some(Expr { span: begin..self.cursor.end(), kind });
        }
        let mut operands = vec![take(left)];
        operands.extend(self.arguments());
        Some(Expr { span: begin..self.cursor.end(), kind: ExprKind::Among { operator: "IN", operands } })
    }

    /// Reads arguments up to the closing parenthesis. Keywords between them (`DISTINCT`, `FROM`,
    /// `SEPARATOR`) separate as commas do. From `AS` on, the rest is skipped.
    fn arguments(&mut self) -> Vec<Expr> {
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

    fn primary(&mut self) -> Option<Expr> {
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
