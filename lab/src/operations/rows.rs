//! Strings in tables of a server, and the same strings here.

use anyhow::Result;
use mysql_collation::{Charset, Flavour};

use crate::verify::{Random, Session, TextPair, Texts};

/// The rows of the tables `pairs`, `likes`, `prefixes` and `needles`, each with columns `a` and
/// `b`.
pub struct Rows {
    /// Similar strings.
    pub pairs: Vec<TextPair>,
    /// Strings and `LIKE` patterns.
    pub likes: Vec<TextPair>,
    /// Strings and prefixes. In the table, `b` is the pattern of the prefix.
    pub prefixes: Vec<TextPair>,
    /// Strings and parts of similar strings.
    pub needles: Vec<TextPair>,
}

/// Maximum of characters of a string. MySQL limits the length of weight strings and of sort keys.
const MAX_CHARACTERS: usize = 40;

impl Rows {
    pub fn load(session: &mut Session<'_>, texts: &mut Texts, charset: Charset, count: usize) -> Result<Self> {
        let mut random = Random::new(count as u64);
        let cut = |text: Vec<u8>| first_characters(charset, &text, MAX_CHARACTERS);
        let pairs: Vec<TextPair> = (0..count).map(|_| texts.pair()).map(|(a, b)| (cut(a), cut(b))).collect();
        let likes: Vec<TextPair> = (0..count).map(|_| texts.like()).map(|(a, b)| (cut(a), cut(b))).collect();
        let mut part_of = |text: &[u8], from_start: bool| {
            let characters: Vec<_> = charset.characters(Flavour::MySql, text).collect();
            let start = if from_start { 0 } else { random.below(characters.len() + 1) };
            let part = &characters[start..][..random.below(characters.len() - start + 1)];
            part.iter().flat_map(|character| text[character.bytes.clone()].to_vec()).collect::<Vec<u8>>()
        };
        let prefixes: Vec<TextPair> = pairs.iter().map(|(a, b)| (a.clone(), part_of(b, true))).collect();
        let needles: Vec<TextPair> = pairs.iter().map(|(a, b)| (a.clone(), part_of(b, false))).collect();
        let patterns: Vec<TextPair> =
            prefixes.iter().map(|(text, prefix)| (text.clone(), pattern(charset, prefix))).collect();
        for (table, rows) in [("pairs", &pairs), ("likes", &likes), ("prefixes", &patterns), ("needles", &needles)] {
            session.load(table, charset, rows)?;
        }
        Ok(Self { pairs, likes, prefixes, needles })
    }
}

fn first_characters(charset: Charset, text: &[u8], count: usize) -> Vec<u8> {
    let end = charset.characters(Flavour::MySql, text).take(count).last().map_or(0, |character| character.bytes.end);
    text[..end].to_vec()
}

/// Returns the `LIKE` pattern of strings that begin with `prefix`: each character after a
/// backslash, then `%`.
pub fn pattern(charset: Charset, prefix: &[u8]) -> Vec<u8> {
    let encode = |character: char| {
        let mut buffer = [0; 4];
        let length = charset.encode(character, &mut buffer).unwrap_or_default();
        // In one-byte characters, the servers take the escape as the byte 5C.
        if charset.min_bytes() == 1 { vec![character as u8] } else { buffer[..length].to_vec() }
    };
    let mut pattern = Vec::new();
    for character in charset.characters(Flavour::MySql, prefix) {
        pattern.extend(encode('\\'));
        pattern.extend(&prefix[character.bytes]);
    }
    pattern.extend(encode('%'));
    pattern
}
