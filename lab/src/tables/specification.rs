//! Weight tables that are read from servers: for each, the server and the collation to read it
//! from.

use std::ops::RangeInclusive;

use super::levels::LevelFormat;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    MySql,
    MariaDb,
}

pub struct RootTable {
    /// File name without extension.
    pub file: &'static str,
    pub from: Origin,
    /// Collation with the most levels.
    pub collation: &'static str,
    pub shape: LevelFormat,
}

/// Root tables: Unicode's DUCET in four versions.
pub const ROOTS: &[RootTable] = &[
    RootTable { file: "uca400", from: Origin::MySql, collation: "utf8mb4_unicode_ci", shape: LevelFormat::Primary },
    RootTable { file: "uca520", from: Origin::MySql, collation: "utf8mb4_unicode_520_ci", shape: LevelFormat::Primary },
    RootTable {
        file: "uca900",
        from: Origin::MySql,
        collation: "utf8mb4_0900_as_cs",
        shape: LevelFormat::Separated(3),
    },
    RootTable {
        file: "uca1400",
        from: Origin::MariaDb,
        collation: "utf8mb4_uca1400_as_cs",
        shape: LevelFormat::Each(3),
    },
];

/// A table of a language, stored as its differences from a parent table.
pub struct Tailoring {
    /// File name without extension.
    pub file: String,
    pub parent: String,
    pub from: Origin,
    pub collation: String,
    pub shape: LevelFormat,
    /// Blocks that the contraction search adds for this language.
    pub blocks: Vec<RangeInclusive<u32>>,
    /// Whether the table stores which ranges of the parent's primary weights move.
    pub reorders: bool,
    /// Prefix of every queried text; see
    /// [`SearchedCollation::prefix`](super::contractions::SearchedCollation::prefix).
    pub prefix: &'static str,
}

/// Languages of `utf8mb4_…_ci` in MySQL and MariaDB, and of MariaDB's `utf8mb4_uca1400_…_as_cs`.
const LANGUAGE_NAMES: [&str; 22] = [
    "croatian",
    "czech",
    "danish",
    "esperanto",
    "estonian",
    "german2",
    "hungarian",
    "icelandic",
    "latvian",
    "lithuanian",
    "persian",
    "polish",
    "roman",
    "romanian",
    "sinhala",
    "slovak",
    "slovenian",
    "spanish",
    "spanish2",
    "swedish",
    "turkish",
    "vietnamese",
];

/// Languages of MySQL's `utf8mb4_…_0900_as_cs`.
const LANGUAGE_CODES: [&str; 30] = [
    "bg", "bs", "cs", "da", "de_pb", "eo", "es", "es_trad", "et", "gl", "hr", "hu", "is", "ja", "la", "lt", "lv",
    "mn_cyrl", "nb", "nn", "pl", "ro", "ru", "sk", "sl", "sr_latn", "sv", "tr", "vi", "zh",
];

pub fn tailorings(root: &str) -> impl Iterator<Item = Tailoring> {
    let mut all = Vec::new();
    let mut add = |file: String, parent: &str, from, collation: String, shape, language: &str| {
        let (blocks, reorders) = (extra_blocks(language), matches!(language, "ja" | "zh"));
        let prefix = if language == "ja" { "ｰ" } else { "" };
        all.push(Tailoring { file, parent: parent.to_owned(), from, collation, shape, blocks, reorders, prefix });
    };
    match root {
        "uca400" => {
            for language in LANGUAGE_NAMES {
                let collation = format!("utf8mb4_{language}_ci");
                add(format!("uca400_{language}"), root, Origin::MySql, collation, LevelFormat::Primary, language);
            }
            // MySQL's collation of this name has different weights.
            let croatian = "utf8mb4_croatian_ci".to_owned();
            add("uca400_croatian_mariadb".into(), root, Origin::MariaDb, croatian, LevelFormat::Primary, "croatian");
        }
        "uca520" => {
            let myanmar = "utf8mb4_myanmar_ci".to_owned();
            add("uca520_myanmar".into(), root, Origin::MariaDb, myanmar, LevelFormat::Primary, "myanmar");
            let thai = "utf8mb4_thai_520_w2".to_owned();
            add("uca520_thai".into(), root, Origin::MariaDb, thai, LevelFormat::Each(2), "thai");
        }
        "uca900" => {
            for language in LANGUAGE_CODES {
                // Japanese has a fourth level, for kana.
                let (levels, ending) = if language == "ja" { (4, "as_cs_ks") } else { (3, "as_cs") };
                let collation = format!("utf8mb4_{language}_0900_{ending}");
                add(
                    format!("uca900_{language}"),
                    root,
                    Origin::MySql,
                    collation,
                    LevelFormat::Separated(levels),
                    language,
                );
            }
        }
        _ => {
            for language in LANGUAGE_NAMES {
                let collation = format!("utf8mb4_uca1400_{language}_as_cs");
                add(format!("uca1400_{language}"), root, Origin::MariaDb, collation, LevelFormat::Each(3), language);
            }
        }
    }
    all.into_iter()
}

fn extra_blocks(language: &str) -> Vec<RangeInclusive<u32>> {
    match language {
        "persian" => vec![0x600..=0x6ff],
        "ja" => vec![0x3000..=0x303f, 0x3041..=0x30ff, 0x3100..=0x33ff, 0xff00..=0xffef],
        "sinhala" => vec![0xd80..=0xdff],
        "myanmar" => vec![0x1000..=0x109f],
        "thai" => vec![0xe00..=0xe5b],
        _ => Vec::new(),
    }
}
