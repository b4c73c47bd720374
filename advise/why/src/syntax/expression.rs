//! Expressions, by precedence climbing.

mod operand;

use std::mem::take;
use std::ops::Range;

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
}
