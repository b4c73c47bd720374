//! The body of a routine or trigger: its blocks and conditions, and where each statement begins.

use super::head::skip_type;
use super::reader::Reader;
use super::statement;
use crate::guard::clauses::Names;
use crate::guard::{CheckResult, OutOfScope};

/// Kind of a block. The word of the kind follows `END`, except for `BEGIN`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BlockKind {
    Begin,
    If,
    Case,
    While,
    Loop,
    Repeat,
    For,
}

impl BlockKind {
    fn word_after_end(self) -> Option<&'static str> {
        match self {
            Self::Begin => None,
            Self::If => Some("if"),
            Self::Case => Some("case"),
            Self::While => Some("while"),
            Self::Loop => Some("loop"),
            Self::Repeat => Some("repeat"),
            Self::For => Some("for"),
        }
    }
}

struct OpenBlock {
    kind: BlockKind,
    /// Number of variables in `Body::declared` that were declared before the block.
    declared_before: usize,
}

/// Result of reading a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Words before a statement, `WHEN` or `END`: `IF … THEN`, `CASE x`, `ELSE`, a label, a handler's
    /// conditions.
    Opened,
    /// A statement up to its `;`.
    Ended,
}

pub(super) struct Body<'t, 'a> {
    reader: Reader<'t, 'a>,
    names: Names,
    blocks: Vec<OpenBlock>,
    /// Variables of the open blocks, without those that hide one of the same name.
    declared: Vec<String>,
}

impl<'t, 'a> Body<'t, 'a> {
    pub fn new(reader: Reader<'t, 'a>, names: Names) -> Self {
        Self { reader, names, blocks: Vec::new(), declared: Vec::new() }
    }

    /// Checks the one statement of the body, up to the end.
    pub fn check(mut self) -> CheckResult {
        loop {
            if self.step()? == Step::Opened {
                continue;
            }
            let has_semicolon = self.reader.take_symbol(';');
            if self.blocks.is_empty() {
                return match self.reader.peek() {
                    None => Ok(()),
                    Some(_) => self.reader.fault("text after the end of a routine or trigger"),
                };
            }
            if !has_semicolon {
                return self.reader.fault("a statement of a routine or trigger without a semicolon");
            }
        }
    }

    fn open(&mut self, kind: BlockKind) -> Step {
        self.blocks.push(OpenBlock { kind, declared_before: self.declared.len() });
        Step::Opened
    }

    fn declare_variable(&mut self, name: &str) {
        let name = name.to_lowercase();
        if self.names.variables.insert(name.clone()) {
            self.declared.push(name);
        }
    }

    fn is_innermost(&self, kinds: &[BlockKind]) -> bool {
        self.blocks.last().is_some_and(|open| kinds.contains(&open.kind))
    }

    fn step(&mut self) -> Result<Step, OutOfScope> {
        if self.take_label()? {
            return Ok(Step::Opened);
        }
        let Some(token) = self.reader.peek() else { return self.reader.refuse() };
        if self.reader.peek_after(1).is_some_and(|next| next.is_symbol('.')) {
            return self.reader.refuse();
        }
        let word = if token.kind == sql::TokenKind::Word { token.text.to_ascii_lowercase() } else { String::new() };
        let is_branch = matches!(word.as_str(), "else" | "elseif" | "when" | "until" | "end");
        if is_branch {
            self.reader.skip();
            return self.read_branch_word(&word);
        }
        match word.as_str() {
            "begin" => {
                self.reader.skip();
                self.reader.take_all(&["not", "atomic"]);
                Ok(self.open(BlockKind::Begin))
            }
            "loop" => {
                self.reader.skip();
                Ok(self.open(BlockKind::Loop))
            }
            "repeat" => {
                self.reader.skip();
                Ok(self.open(BlockKind::Repeat))
            }
            "if" => self.skip_word_and_open(BlockKind::If, "then"),
            "while" => self.skip_word_and_open(BlockKind::While, "do"),
            "case" => self.open_case(),
            "for" => self.open_for(),
            "declare" => self.declare(),
            _ => self.statement(),
        }
    }

    /// Takes `label:` before a block or loop.
    fn take_label(&mut self) -> Result<bool, OutOfScope> {
        let is_colon = |count| self.reader.peek_after(count).is_some_and(|token| token.is_symbol(':'));
        let is_assigned = self.reader.peek_after(2).is_some_and(|token| token.is_symbol('='));
        if !is_colon(1) || is_assigned || self.reader.peek().is_none_or(|token| token.name().is_none()) {
            return Ok(false);
        }
        self.reader.skip();
        self.reader.skip();
        let blocks = ["begin", "loop", "repeat", "while", "for"];
        match self.reader.peek().is_some_and(|token| token.is_any_keyword(&blocks)) {
            true => Ok(true),
            false => self.reader.fault("a label before something else than a block or loop"),
        }
    }

    fn skip_word_and_open(&mut self, kind: BlockKind, end: &str) -> Result<Step, OutOfScope> {
        self.reader.skip();
        self.open_after_expression(kind, end)
    }

    fn open_after_expression(&mut self, kind: BlockKind, end: &str) -> Result<Step, OutOfScope> {
        self.expression(end)?;
        self.reader.skip();
        // In `WHILE 1 + do DO …`, the first `do` is a column, as DO is not reserved: such a
        // condition is refused.
        match end == "do" && self.reader.is_keyword("do") {
            true => self.reader.refuse(),
            false => Ok(self.open(kind)),
        }
    }

    /// `CASE x WHEN` and `CASE WHEN`: the position stays before `WHEN`.
    fn open_case(&mut self) -> Result<Step, OutOfScope> {
        self.reader.skip();
        if !self.reader.is_keyword("when") {
            self.expression("when")?;
        }
        Ok(self.open(BlockKind::Case))
    }

    /// `FOR i IN 1..10 DO` and `FOR row IN (SELECT …) DO` (MariaDB).
    fn open_for(&mut self) -> Result<Step, OutOfScope> {
        self.reader.skip();
        let Some(name) = self.reader.take_name() else { return self.reader.refuse() };
        self.reader.expect(&["in"])?;
        self.reader.take("reverse");
        let opened = self.open_after_expression(BlockKind::For, "do")?;
        self.declare_variable(&name);
        Ok(opened)
    }

    /// The words that continue or end a block.
    fn read_branch_word(&mut self, word: &str) -> Result<Step, OutOfScope> {
        match word {
            "else" if self.is_innermost(&[BlockKind::If, BlockKind::Case]) => Ok(Step::Opened),
            "elseif" if self.is_innermost(&[BlockKind::If]) => {
                self.expression("then")?;
                self.reader.skip();
                Ok(Step::Opened)
            }
            "when" if self.is_innermost(&[BlockKind::Case]) => {
                self.expression("then")?;
                self.reader.skip();
                Ok(Step::Opened)
            }
            "until" if self.is_innermost(&[BlockKind::Repeat]) => {
                self.expression("end")?;
                self.reader.skip();
                self.close()
            }
            "end" if !self.is_innermost(&[BlockKind::Repeat]) => self.close(),
            "end" => self.reader.fault("REPEAT without UNTIL"),
            _ => self.reader.fault(format!("{} outside of its block", word.to_uppercase())),
        }
    }

    /// Reads the rest of `END IF` or `END label`.
    fn close(&mut self) -> Result<Step, OutOfScope> {
        let Some(open) = self.blocks.pop() else { return self.reader.fault("END without a block") };
        for name in self.declared.drain(open.declared_before..) {
            self.names.variables.remove(&name);
        }
        if let Some(word) = open.kind.word_after_end() {
            self.reader.expect(&[word])?;
        }
        if !self.reader.is_symbol(';') {
            self.reader.take_name();
        }
        Ok(Step::Ended)
    }

    /// Reads and checks an expression up to a keyword outside of parentheses and of `CASE … END`.
    fn expression(&mut self, end: &str) -> CheckResult {
        let begin = self.reader.mark();
        // Open `CASE`s, per open parenthesis.
        let mut cases = vec![0_usize];
        while let Some(token) = self.reader.peek() {
            let depth = cases.len();
            let Some(open) = cases.last_mut() else { break };
            if self.reader.is_beside_dot() {
                self.reader.skip();
                continue;
            }
            if depth == 1 && *open == 0 && token.is_keyword(end) {
                return match self.reader.since(begin) {
                    [] => self.reader.fault(format!("nothing before {}", end.to_uppercase())),
                    expression => statement::check_expression(expression, &self.names),
                };
            }
            match token.text {
                "(" => cases.push(0),
                ")" if depth > 1 && *open == 0 => drop(cases.pop()),
                ";" if depth > 1 => return self.reader.fault("a parenthesis is not closed"),
                ";" => return self.reader.fault(format!("{} is missing before ;", end.to_uppercase())),
                ")" => return self.reader.refuse(),
                _ if token.is_keyword("case") => *open += 1,
                _ if token.is_keyword("end") && *open > 0 => *open -= 1,
                _ if *open == 0 && token.is_any_keyword(&statement::BRANCHES) => return self.reader.refuse(),
                _ => {}
            }
            self.reader.skip();
        }
        self.reader.fault(format!("{} is missing", end.to_uppercase()))
    }

    fn declare(&mut self) -> Result<Step, OutOfScope> {
        let is_handler = self.reader.peek_after(1).is_some_and(|t| t.is_any_keyword(&["continue", "exit", "undo"]));
        if !is_handler {
            return self.declare_names();
        }
        self.reader.skip();
        self.reader.skip();
        self.reader.expect(&["handler", "for"])?;
        loop {
            self.take_condition()?;
            if !self.reader.take_symbol(',') {
                return Ok(Step::Opened);
            }
        }
    }

    /// Takes a condition of a handler or of `DECLARE … CONDITION FOR`: `1051`, `SQLSTATE '45000'`,
    /// `NOT FOUND` or a name such as `SQLEXCEPTION`.
    fn take_condition(&mut self) -> CheckResult {
        use sql::TokenKind::{Number, StringLiteral};
        if self.reader.take("sqlstate") {
            self.reader.take("value");
            return match self.reader.take_kind(StringLiteral) {
                true => Ok(()),
                false => self.reader.fault("SQLSTATE without a string"),
            };
        }
        if self.reader.take_all(&["not", "found"]) || self.reader.take_kind(Number) || self.reader.take_name().is_some()
        {
            return Ok(());
        }
        self.reader.fault("an error code, SQLSTATE or a condition's name is missing")
    }

    /// Reads the declaration of variables, a condition or a cursor. Of their names, only those of
    /// variables are remembered, for `SET` in the body.
    fn declare_names(&mut self) -> Result<Step, OutOfScope> {
        self.reader.skip();
        let mut names = Vec::new();
        loop {
            let Some(name) = self.reader.take_name() else { return self.reader.refuse() };
            names.push(name);
            if !self.reader.take_symbol(',') {
                break;
            }
        }
        if self.reader.take_all(&["condition", "for"]) {
            self.take_condition()?;
            return Ok(Step::Ended);
        }
        if self.reader.take("cursor") {
            self.reader.skip_parenthesis()?;
            self.reader.expect(&["for"])?;
            let begins = self.reader.is_symbol('(')
                || self.reader.peek().is_some_and(|token| token.is_any_keyword(&["select", "with", "values", "table"]));
            return if begins { self.statement() } else { self.reader.refuse() };
        }
        names.iter().for_each(|name| self.declare_variable(name));
        let begin = self.reader.mark();
        skip_type(&mut self.reader)?;
        if self.reader.take("default") {
            self.skip_to_semicolon();
        }
        statement::check_expression(self.reader.since(begin), &self.names)?;
        Ok(Step::Ended)
    }

    fn skip_to_semicolon(&mut self) {
        while self.reader.peek().is_some_and(|token| !token.is_symbol(';')) {
            self.reader.skip();
        }
    }

    fn statement(&mut self) -> Result<Step, OutOfScope> {
        let begin = self.reader.mark();
        self.skip_to_semicolon();
        match self.reader.since(begin) {
            [] => self.reader.refuse(),
            tokens => statement::check(tokens, &self.names).map(|()| Step::Ended),
        }
    }
}
