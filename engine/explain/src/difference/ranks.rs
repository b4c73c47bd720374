//! Ranks characters and sequences under two collations.

use std::thread;

use mysql_collation::{Charset, Collation};

/// Character appended to each item, so that PAD SPACE doesn't make ignorable characters equal to
/// spaces.
///
/// It belongs to no contraction, and is no trailing byte in sjis, gbk or gb18030.
const TERMINATOR: char = '!';

/// Characters that both character sets have, ascending, and then the contractions of either
/// collation that consist of such characters.
pub(super) struct Items {
    characters: Vec<char>,
    sequences: Vec<Vec<char>>,
}

impl Items {
    pub fn collect(a: Collation, b: Collation) -> Self {
        let charsets = [a.charset(), b.charset()];
        let is_supported = |character: &char| charsets.iter().all(|&charset| is_supported(charset, *character));
        let characters = ('\0'..=char::MAX).filter(is_supported).collect();
        let contractions = [a, b].into_iter().flat_map(|collation| collation.contractions());
        let mut sequences: Vec<Vec<char>> = contractions.map(|text| text.chars().collect()).collect();
        sequences.sort();
        sequences.dedup();
        sequences.retain(|sequence| sequence.iter().all(is_supported));
        Self { characters, sequences }
    }

    /// Number of single characters, which precede the sequences.
    pub fn characters(&self) -> usize {
        self.characters.len()
    }

    pub fn len(&self) -> usize {
        self.characters.len() + self.sequences.len()
    }

    pub fn text(&self, index: usize) -> &[char] {
        match index.checked_sub(self.characters.len()) {
            None => &self.characters[index..=index],
            Some(sequence) => &self.sequences[sequence],
        }
    }

    pub fn first(&self, index: usize) -> char {
        self.text(index)[0]
    }

    fn encoded(&self, charset: Charset) -> Encoded {
        let mut encoded = Encoded { bytes: Vec::with_capacity(6 * self.len()), ends: Vec::with_capacity(self.len()) };
        for index in 0..self.len() {
            for &character in self.text(index).iter().chain(&[TERMINATOR]) {
                append(charset, character, &mut encoded.bytes);
            }
            encoded.ends.push(encoded.bytes.len());
        }
        encoded
    }
}

fn is_supported(charset: Charset, character: char) -> bool {
    charset.encode(character, &mut [0; 4]).is_some()
}

fn append(charset: Charset, character: char, bytes: &mut Vec<u8>) {
    let mut buffer = [0; 4];
    let length = charset.encode(character, &mut buffer).unwrap_or_default();
    bytes.extend_from_slice(&buffer[..length]);
}

/// Items encoded in a character set.
struct Encoded {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Encoded {
    fn get(&self, index: usize) -> &[u8] {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[start..self.ends[index]]
    }
}

/// Rank of each item under each collation. Equal items have the same rank.
pub(super) struct Ranks {
    pub a: Vec<u32>,
    pub b: Vec<u32>,
}

pub(super) fn compute_ranks(a: Collation, b: Collation, items: &Items) -> Ranks {
    thread::scope(|scope| {
        let thread_b = scope.spawn(|| rank_items(b, items));
        let a = rank_items(a, items);
        let b = thread_b.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        Ranks { a, b }
    })
}

fn rank_items(collation: Collation, items: &Items) -> Vec<u32> {
    let texts = items.encoded(collation.charset());
    let mut order: Vec<(&[u8], usize)> = (0..items.len()).map(|index| (texts.get(index), index)).collect();
    collation.sort_by_key(&mut order, |(text, _)| text);
    let mut ranks = vec![0; order.len()];
    let mut rank = 0;
    for pair in order.windows(2) {
        let [(before, _), (after, index)] = [pair[0], pair[1]];
        rank += u32::from(!collation.equals(before, after));
        ranks[index] = rank;
    }
    ranks
}

/// True if the weights of a sequence differ from the weights of its single characters.
pub(super) fn is_contraction(collation: Collation, text: &[char]) -> bool {
    let weights = |text: &[char]| {
        let mut bytes = Vec::new();
        text.iter().for_each(|&character| append(collation.charset(), character, &mut bytes));
        let mut levels = [const { Vec::new() }; 4];
        for element in collation.weights(&bytes) {
            levels.iter_mut().zip(element.weights).for_each(|(level, weights)| level.extend(weights));
        }
        levels
    };
    let mut separate = [const { Vec::new() }; 4];
    for character in text {
        let single = weights(std::slice::from_ref(character));
        separate.iter_mut().zip(single).for_each(|(level, weights)| level.extend(weights));
    }
    weights(text) != separate
}
