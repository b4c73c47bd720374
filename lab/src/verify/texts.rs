//! Random texts: words of many scripts, marks, ignorables and contractions, in similar pairs.

use mysql_collation::Charset;

use super::random::Random;

/// Words whose letters have expansions, contractions, cases and accents.
const WORDS: [&str; 40] = [
    "Straße",
    "STRASSE",
    "Äpfel",
    "œuvre",
    "ŒUVRE",
    "naïve",
    "llama",
    "L·L",
    "col·legi",
    "Ægir",
    "ångström",
    "İstanbul",
    "ısı",
    "ﬁle",
    "ﬀ",
    "Dž",
    "привет",
    "ЁЖИК",
    "й",
    "ΑΣΣΟΣ",
    "άσσος",
    "ς",
    "한국어",
    "漢字",
    "日本語",
    "カタカナ",
    "ひらがな",
    "ｶﾀｶﾅ",
    "שלום",
    "مرحبا",
    "ﷺ",
    "नमस्ते",
    "ภาษาไทย",
    "เกาะ",
    "แม่",
    "ພາສາລາວ",
    "ເກົາ",
    "བོད",
    "ꪵꪀ",
    "😀👍🏽",
];

/// Sequences that contract, or almost do, in some language: many in upper, lower and mixed case,
/// some with similar letters or with more around them.
const CONTRACTIONS: &[&str] = &[
    "ch",
    "Ch",
    "CH",
    "cH",
    "cch",
    "chh",
    "c\u{30c}h",
    "ll",
    "Ll",
    "LL",
    "lL",
    "lll",
    "aa",
    "Aa",
    "AA",
    "aA",
    "aaa",
    "aaaa",
    "ae",
    "AE",
    "oe",
    "ue",
    "ss",
    "lj",
    "Lj",
    "LJ",
    "lJ",
    "nj",
    "NJ",
    "dž",
    "Dž",
    "DŽ",
    "dŽ",
    "dz\u{30c}",
    "D\u{17d}",
    "đ",
    "dd",
    "cs",
    "Cs",
    "CS",
    "cS",
    "ccs",
    "Ccs",
    "CCS",
    "ccS",
    "csc",
    "dz",
    "Dz",
    "dzs",
    "DZS",
    "ddz",
    "ddzs",
    "Ddzs",
    "DDZS",
    "ddZs",
    "gy",
    "ggy",
    "GGY",
    "ly",
    "lly",
    "ny",
    "nny",
    "sz",
    "ssz",
    "SSZ",
    "ty",
    "tty",
    "zs",
    "zzs",
    "ZZS",
    "ij",
    "ng",
    "rr",
    "a\u{30a}",
    "A\u{30a}",
    "o\u{308}",
    "o\u{30b}",
    "u\u{31b}\u{301}",
    "ơ\u{301}",
    "o\u{301}\u{31b}",
    "a\u{302}\u{301}",
    "e\u{302}\u{300}",
    "n\u{303}",
    "s\u{327}",
    "s\u{326}",
    "i\u{307}",
    "I\u{307}",
    "g\u{306}",
    "カー",
    "キー",
    "キャー",
    "カー゛",
    "カーー",
    "カヽ",
    "カヾ",
    "かゝ",
    "かゞ",
    "がゝ",
    "カ\u{3099}ー",
    "ｶｰ",
    "ﾊﾟｰ",
    "ンー",
    "アー",
    "aー",
    "ーー",
    "ゝゝ",
    "и\u{306}",
    "И\u{306}",
    "က္က",
    "ကျ",
    "မြန်မာ",
    "ခြင်း",
    "က်",
    "င်္က",
    "ည်း",
    "ඖ",
    "ක්‍ෂ",
    "අං",
    "අඃ",
    "ۀ",
    "ه\u{654}",
    "ك",
    "ی",
    "آ",
    "เกม",
    "แก้",
    "ກໍ",
    "l·l",
];

/// Ranges of code points with equal probability: scripts, marks, ignorables, implicit weights,
/// unassigned code points.
const RANGES: [(u32, u32); 52] = [
    (0x20, 0x7e),
    (0x41, 0x7a),
    (0x00, 0x1f),
    (0x20, 0x20),
    (0x7f, 0xa0),
    (0xa1, 0xff),
    (0x100, 0x24f),
    (0x250, 0x2ff),
    (0x300, 0x36f),
    (0x300, 0x345),
    (0x370, 0x3ff),
    (0x400, 0x52f),
    (0x530, 0x5ff),
    (0x600, 0x6ff),
    (0x700, 0x8ff),
    (0x900, 0xb7f),
    (0xb80, 0xdff),
    (0xe00, 0xe5b),
    (0xe80, 0xedf),
    (0xf00, 0xfff),
    (0xf71, 0xf84),
    (0x1000, 0x10ff),
    (0x1100, 0x11ff),
    (0x1200, 0x17ff),
    (0x1800, 0x19df),
    (0x1a00, 0x1cff),
    (0x1d00, 0x1eff),
    (0x1f00, 0x1fff),
    (0x2000, 0x206f),
    (0x2070, 0x2bff),
    (0x2c00, 0x2fff),
    (0x3000, 0x30ff),
    (0x3100, 0x33ff),
    (0x3400, 0x4dbf),
    (0x4e00, 0x9fff),
    (0xa000, 0xabff),
    (0xaa80, 0xaadf),
    (0xac00, 0xd7a3),
    (0xd7b0, 0xd7ff),
    (0xe000, 0xf8ff),
    (0xf900, 0xfaff),
    (0xfb00, 0xfdff),
    (0xfe00, 0xffff),
    (0x1_0000, 0x1_1fff),
    (0x1_2000, 0x1_6fff),
    (0x1_7000, 0x1_8cff),
    (0x1_b000, 0x1_b2ff),
    (0x1_d000, 0x1_d7ff),
    (0x1_e000, 0x1_faff),
    (0x2_0000, 0x3_134f),
    (0xe_0000, 0xe_01ef),
    (0x0, 0x10_ffff),
];

/// Insertions that change a string little or not at all.
const MINOR_INSERTIONS: [&str; 12] =
    [" ", "  ", "\t", "\0", "\u{1f}", "!", "\u{ad}", "\u{200d}", "\u{301}", "\u{308}", "\u{fe0f}", "\u{a0}"];

pub struct Texts {
    random: Random,
    charset: Charset,
    /// Characters of the charset, which replace the characters that it lacks. Empty for UTF-8,
    /// UTF-16, UTF-32, binary, ascii and latin1: there a rule replaces characters.
    repertoire: Vec<char>,
    /// Range from which the current text's single characters are chosen.
    range: (u32, u32),
}

impl Texts {
    pub fn new(seed: u64, charset: Charset) -> Self {
        let has_all =
            matches!(charset, Charset::Binary | Charset::Ascii | Charset::Latin1) || charset.name().starts_with("utf");
        let held = |character: &char| charset.encode(*character, &mut [0; 4]).is_some();
        let repertoire = if has_all { Vec::new() } else { ('\0'..=char::MAX).filter(held).collect() };
        Self { random: Random::new(seed), charset, repertoire, range: RANGES[0] }
    }

    /// Returns two encoded strings, similar in nine cases of ten.
    pub fn pair(&mut self) -> (Vec<u8>, Vec<u8>) {
        let a = self.text();
        let b = if self.random.chance(10) { self.text() } else { self.mutate_copy(&a) };
        (self.encode(&a), self.encode(&b))
    }

    /// Returns a string and a pattern that may match it, encoded.
    pub fn like(&mut self) -> (Vec<u8>, Vec<u8>) {
        let text = self.text();
        let b = if self.random.chance(40) { text.clone() } else { self.mutate_copy(&text) };
        let pattern = self.pattern(&b);
        (self.encode(&text), self.encode(&pattern))
    }

    /// Returns two strings, most of them similar, with some bytes inserted, removed or changed, so
    /// that they can be ill-formed.
    pub fn ill_formed(&mut self) -> (Vec<u8>, Vec<u8>) {
        let (mut a, mut b) = self.pair();
        for bytes in [&mut a, &mut b] {
            for _ in 0..self.random.below(3) {
                let at = self.random.below(bytes.len() + 1);
                match self.random.below(3) {
                    0 => bytes.insert(at, self.random.below(256) as u8),
                    1 if at < bytes.len() => {
                        bytes.remove(at);
                    }
                    _ if at < bytes.len() => bytes[at] = self.random.below(256) as u8,
                    _ => bytes.push(*self.random.pick(&[0xff, 0xc3, 0xe3, 0xed, 0xf0, 0x80, 0xbf])),
                }
            }
        }
        if self.random.chance(30) {
            b = a.clone();
            b.extend(self.random.pick(&[&b" "[..], b"\xff", b"\t", b"a", b"\xff "]).iter());
        }
        (a, b)
    }

    fn text(&mut self) -> Vec<char> {
        self.range = *self.random.pick(&RANGES);
        let mut text = Vec::new();
        for _ in 0..self.random.below(7) {
            match self.random.below(10) {
                0..3 => text.extend(self.random.pick(&WORDS).chars()),
                3 if self.random.chance(60) => text.extend(self.random.pick(CONTRACTIONS).chars()),
                3 => text.extend(self.random.pick(&MINOR_INSERTIONS).chars()),
                4 => {
                    self.range = *self.random.pick(&RANGES);
                    text.push(self.character());
                }
                _ => {
                    for _ in 0..=self.random.below(4) {
                        text.push(self.character());
                    }
                }
            }
        }
        text
    }

    fn character(&mut self) -> char {
        let (first, last) = self.range;
        let code_point = first + self.random.below((last - first + 1) as usize) as u32;
        char::from_u32(code_point).unwrap_or('\u{e000}')
    }

    fn mutate_copy(&mut self, text: &[char]) -> Vec<char> {
        let mut text = text.to_vec();
        for _ in 0..=self.random.below(3) {
            self.mutate(&mut text);
        }
        text
    }

    fn mutate(&mut self, text: &mut Vec<char>) {
        let at = self.random.below(text.len() + 1);
        match self.random.below(13) {
            0 => text.truncate(at),
            11 if at < text.len() => {
                let changed = if text[at].is_lowercase() {
                    text[at].to_uppercase().next()
                } else {
                    text[at].to_lowercase().next()
                };
                text[at] = changed.unwrap_or(text[at]);
            }
            12 => {
                let contraction: Vec<char> = self.random.pick(CONTRACTIONS).chars().collect();
                text.splice(at..at, contraction);
            }
            1 => text.extend(self.random.pick(&MINOR_INSERTIONS).chars()),
            2 => {
                let trifle: Vec<char> = self.random.pick(&MINOR_INSERTIONS).chars().collect();
                text.splice(at..at, trifle);
            }
            3 => text.insert(at, self.character()),
            4 if at + 1 < text.len() => text.swap(at, at + 1),
            5 => *text = text.iter().flat_map(|character| character.to_uppercase()).collect(),
            6 => *text = text.iter().flat_map(|character| character.to_lowercase()).collect(),
            7 if at < text.len() => text[at] = self.character(),
            8 if at < text.len() => {
                // A neighbouring code point often has a neighbouring weight, or is the other case.
                let neighbour = (u32::from(text[at])).wrapping_add(self.random.below(5) as u32).wrapping_sub(2);
                text[at] = char::from_u32(neighbour).unwrap_or(' ');
            }
            9 if at < text.len() => {
                text.remove(at);
            }
            _ => text.extend(std::iter::repeat_n(' ', self.random.below(4))),
        }
    }

    fn pattern(&mut self, text: &[char]) -> Vec<char> {
        let mut pattern = Vec::new();
        let mut at = 0;
        while at < text.len() {
            match self.random.below(12) {
                0 => pattern.push('_'),
                1 => {
                    pattern.push('%');
                    at += self.random.below(4);
                    continue;
                }
                2 => pattern.extend(['%', text[at]]),
                3 => pattern.extend(['\\', text[at]]),
                4 => pattern.extend(text[at].to_uppercase()),
                _ => pattern.push(text[at]),
            }
            at += 1;
        }
        if self.random.chance(20) {
            pattern.push(*self.random.pick(&['%', '_', '\\', ' ']));
        }
        pattern
    }

    /// Encodes a text in the charset. Characters outside the charset are replaced.
    fn encode(&self, text: &[char]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut buffer = [0; 4];
        for &character in text {
            let fallback = match self.charset {
                _ if !self.repertoire.is_empty() => {
                    self.repertoire[(u32::from(character) as usize).wrapping_mul(7919) % self.repertoire.len()]
                }
                Charset::Ascii => char::from(u32::from(character) as u8 & 0x7f),
                Charset::Utf8mb3 => char::from_u32(u32::from(character) & 0x3fff).unwrap_or_default(),
                _ => char::from(u32::from(character) as u8),
            };
            let encoded = self.charset.encode(character, &mut buffer);
            let length = encoded.or_else(|| self.charset.encode(fallback, &mut buffer)).unwrap_or_default();
            bytes.extend(&buffer[..length]);
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_well_formed_and_reproducible() {
        for charset in [Charset::Binary, Charset::Ascii, Charset::Latin1, Charset::Utf8mb3, Charset::Utf8mb4] {
            let (mut texts, mut same) = (Texts::new(7, charset), Texts::new(7, charset));
            for _ in 0..1000 {
                let (a, b) = texts.pair();
                assert_eq!(same.pair(), (a.clone(), b.clone()));
                assert_eq!((charset.validate(&a), charset.validate(&b)), (Ok(()), Ok(())));
            }
        }
    }
}
