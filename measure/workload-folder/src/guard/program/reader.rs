//! Position among the tokens of a routine or trigger.

use sql::{Token, TokenKind};

use crate::guard::{CheckResult, OutOfScope};

#[derive(Clone, Debug)]
pub(super) struct Reader<'t, 'a> {
    tokens: &'t [Token<'a>],
    at: usize,
}

impl<'t, 'a> Reader<'t, 'a> {
    pub fn new(tokens: &'t [Token<'a>]) -> Self {
        Self { tokens, at: 0 }
    }

    pub fn peek(&self) -> Option<&'t Token<'a>> {
        self.peek_after(0)
    }

    pub fn peek_after(&self, count: usize) -> Option<&'t Token<'a>> {
        self.tokens.get(self.at + count)
    }

    pub fn skip(&mut self) {
        self.at += 1;
    }

    pub fn read_so_far(&self) -> &'t [Token<'a>] {
        &self.tokens[..self.at.min(self.tokens.len())]
    }

    /// Index of the next token, for [`Self::since`].
    pub fn mark(&self) -> usize {
        self.at
    }

    pub fn since(&self, mark: usize) -> &'t [Token<'a>] {
        &self.tokens[mark..self.at.min(self.tokens.len())]
    }

    pub fn fault<T>(&self, reason: impl Into<String>) -> Result<T, OutOfScope> {
        let offset = self.peek().or(self.tokens.last()).map_or(0, |token| token.start);
        Err(OutOfScope { offset, reason: reason.into() })
    }

    /// Refuses the next token: `SHOW in a routine or trigger`.
    pub fn refuse<T>(&self) -> Result<T, OutOfScope> {
        match self.peek() {
            Some(token) => self.fault(format!("{} in a routine or trigger", token.text.to_uppercase())),
            None => self.fault("a routine or trigger that ends too early"),
        }
    }

    pub fn is_keyword(&self, word: &str) -> bool {
        self.peek().is_some_and(|token| token.is_keyword(word))
    }

    pub fn is_symbol(&self, symbol: char) -> bool {
        self.peek().is_some_and(|token| token.is_symbol(symbol))
    }

    /// Returns true for a word before or after a dot: a keyword there is a name.
    pub fn is_beside_dot(&self) -> bool {
        sql::is_beside_dot(self.tokens, self.at)
    }

    pub fn take_any(&mut self, words: &[&str]) -> bool {
        let found = self.peek().is_some_and(|token| token.is_any_keyword(words));
        self.at += usize::from(found);
        found
    }

    pub fn take(&mut self, word: &str) -> bool {
        self.take_any(&[word])
    }

    /// Takes the words if all of them follow.
    pub fn take_all(&mut self, words: &[&str]) -> bool {
        let found = words
            .iter()
            .enumerate()
            .all(|(count, word)| self.peek_after(count).is_some_and(|token| token.is_keyword(word)));
        self.at += if found { words.len() } else { 0 };
        found
    }

    pub fn take_symbol(&mut self, symbol: char) -> bool {
        let found = self.is_symbol(symbol);
        self.at += usize::from(found);
        found
    }

    pub fn take_kind(&mut self, kind: TokenKind) -> bool {
        let found = self.peek().is_some_and(|token| token.kind == kind);
        self.at += usize::from(found);
        found
    }

    pub fn take_name(&mut self) -> Option<String> {
        let name = self.peek()?.name()?;
        self.at += 1;
        Some(name)
    }

    pub fn expect(&mut self, words: &[&str]) -> CheckResult {
        if self.take_all(words) {
            return Ok(());
        }
        self.fault(format!("a routine or trigger without {} here", words.join(" ").to_uppercase()))
    }

    /// Skips a parenthesis with its content, if one begins here.
    pub fn skip_parenthesis(&mut self) -> CheckResult {
        if !self.is_symbol('(') {
            return Ok(());
        }
        let begin = self.at + 1;
        let Some(closing) = sql::closing_parenthesis(&self.tokens[begin..]) else {
            self.at = self.tokens.len();
            return self.fault("a parenthesis is not closed");
        };
        self.at = begin + closing + 1;
        Ok(())
    }
}

/// The tokenizer reads `:LOOP` of `read_loop:LOOP` as a named placeholder. Splits it into a colon
/// and a word, as servers do. `?` is refused.
pub(super) fn split_labels<'a>(tokens: &[Token<'a>]) -> Result<Vec<Token<'a>>, OutOfScope> {
    let mut found = Vec::with_capacity(tokens.len());
    for token in tokens {
        if token.kind != TokenKind::Parameter {
            found.push(*token);
            continue;
        }
        let (colon, word) = token.text.split_at(1);
        if colon != ":" {
            return Err(OutOfScope { offset: token.start, reason: "a placeholder in a routine or trigger".to_owned() });
        }
        found.push(Token { kind: TokenKind::Symbol, text: colon, ..*token });
        found.push(Token { kind: TokenKind::Word, text: word, start: token.start + 1, ..*token });
    }
    Ok(found)
}
