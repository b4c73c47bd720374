//! Values to sort and group.

use rand_xoshiro::Xoshiro256StarStar;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Lists of syllables: one for each of seven scripts, and one of Han, kana and Hangul.
const SCRIPTS: [&[&str]; 8] = [
    &["stra", "ss", "ß", "æ", "ae", "fi", "no", "ij", "lo", "mar", "tz", "ei"],
    &["αθ", "η", "σ", "ου", "κα", "λο", "μι", "φ", "θ", "νε"],
    &["пра", "во", "дь", "ста", "ний", "щу", "рус", "мо", "ел"],
    &["ש", "לו", "ם", "מ", "ב", "ה", "ר", "ףא"],
    &["سل", "ام", "لا", "كت", "ک", "ي", "ی", "ب"],
    &["न", "म", "स्", "ते", "हि", "न्दी", "क"],
    &["กา", "เก", "สวั", "ดี", "ไท", "ย", "นั"],
    &["日", "本", "カ", "か", "ガ", "한", "글", "東", "京"],
];

/// Values of a table.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub enum Values {
    /// sysbench's `c`: 119 digits and hyphens, all different
    C,
    /// Words in eight scripts, some of which are equal
    Scripts,
}

impl Values {
    /// Description that follows the number of rows.
    pub const fn title(self) -> &'static str {
        match self {
            Self::C => "sysbench c values",
            Self::Scripts => "words in eight scripts",
        }
    }
}

pub fn with_default(requested: &[Values]) -> Vec<Values> {
    if requested.is_empty() { vec![Values::C] } else { requested.to_vec() }
}

pub fn word(row: u32) -> String {
    let mut random = Xoshiro256StarStar::seed_from_u64(row.into());
    let script = SCRIPTS[random.next_u32() as usize % SCRIPTS.len()];
    let length = 4 + random.next_u32() as usize % 5;
    (0..length).map(|_| script[random.next_u32() as usize % script.len()]).collect()
}
