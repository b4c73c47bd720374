//! Tokens without comments, and a position among them.

use sql::{SqlMode, Token, tokenize};

pub(super) struct Cursor<'s> {
    pub text: &'s str,
    pub tokens: Vec<Token<'s>>,
    pub at: usize,
    /// Number of nested expressions, queries and parentheses of tables.
    pub depth: usize,
    /// Number of operators, in all long chains of them, that made an expression deeper.
    pub chained: usize,
}

/// Maximum nesting. Deeper parts are skipped, so that no statement exhausts the stack.
pub(super) const MAX_DEPTH: usize = 100;

impl<'s> Cursor<'s> {
    pub fn new(text: &'s str) -> Self {
        let tokens = tokenize(text, SqlMode::default()).filter(Token::is_content).collect();
        Self { text, tokens, at: 0, depth: 0, chained: 0 }
    }

    pub fn peek(&self) -> Option<Token<'s>> {
        self.tokens.get(self.at).copied()
    }

    pub fn peek_after(&self, count: usize) -> Option<Token<'s>> {
        self.tokens.get(self.at + count).copied()
    }

    pub fn is_keyword(&self, word: &str) -> bool {
        self.peek().is_some_and(|token| token.is_keyword(word))
    }

    pub fn is_any(&self, words: &[&str]) -> bool {
        self.peek().is_some_and(|token| token.is_any_keyword(words))
    }

    pub fn is_symbol(&self, symbol: char) -> bool {
        self.peek().is_some_and(|token| token.is_symbol(symbol))
    }

    pub fn take_keyword(&mut self, word: &str) -> bool {
        let found = self.is_keyword(word);
        self.at += usize::from(found);
        found
    }

    pub fn take_any(&mut self, words: &[&str]) -> bool {
        let found = self.is_any(words);
        self.at += usize::from(found);
        found
    }

    pub fn take_symbol(&mut self, symbol: char) -> bool {
        let found = self.is_symbol(symbol);
        self.at += usize::from(found);
        found
    }

    /// Returns true if the next tokens are these characters without a gap, such as `<=>`.
    pub fn is_operator(&self, operator: &str) -> bool {
        let Some(first) = self.peek() else { return false };
        operator.chars().enumerate().all(|(index, symbol)| {
            self.peek_after(index).is_some_and(|token| token.is_symbol(symbol) && token.start == first.start + index)
        })
    }

    pub fn start(&self) -> usize {
        self.peek().map_or(self.text.len(), |token| token.start)
    }

    /// Byte offset after the previous token.
    pub fn end(&self) -> usize {
        self.at.checked_sub(1).and_then(|before| self.tokens.get(before)).map_or(0, Token::end)
    }

    pub fn name(&mut self) -> Option<String> {
        let name = self.peek()?.name()?;
        self.at += 1;
        Some(name)
    }

    /// Skips the rest of the innermost parenthesis, with its closing mark.
    pub fn skip_parenthesis(&mut self) {
        let inside = self.tokens.get(self.at..).unwrap_or_default();
        self.at += sql::closing_parenthesis(inside).map_or(inside.len(), |closing| closing + 1);
    }

    /// Skips a token, or a parenthesis with its content.
    pub fn skip_one(&mut self) {
        let opens = self.is_symbol('(');
        self.at += 1;
        if opens {
            self.skip_parenthesis();
        }
    }
}
