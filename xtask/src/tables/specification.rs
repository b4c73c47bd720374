//! Which tables there are, and which server and collation each comes from.

use std::ops::RangeInclusive;

use super::levels::Shape;

/// Whose server.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum From {
    MySql,
    MariaDb,
}

/// A table that stands by itself.
pub struct Root {
    /// Its file, without ending.
    pub file: &'static str,
    pub from: From,
    /// The collation that is asked: the one with the most levels.
    pub collation: &'static str,
    pub shape: Shape,
}

/// The versions of Unicode's table.
pub const ROOTS: &[Root] = &[
    Root { file: "uca400", from: From::MySql, collation: "utf8mb4_unicode_ci", shape: Shape::Primary },
    Root { file: "uca520", from: From::MySql, collation: "utf8mb4_unicode_520_ci", shape: Shape::Primary },
    Root { file: "uca900", from: From::MySql, collation: "utf8mb4_0900_as_cs", shape: Shape::Separated(3) },
    Root { file: "uca1400", from: From::MariaDb, collation: "utf8mb4_uca1400_as_cs", shape: Shape::Each(3) },
];

/// A table for a language.
pub struct Specification {
    /// Its file, without ending.
    pub file: String,
    /// The file of the table that it is told from.
    pub parent: String,
    pub from: From,
    pub collation: String,
    pub shape: Shape,
    /// The blocks of characters that the language is about, beyond those that all are asked about.
    pub blocks: Vec<RangeInclusive<u32>>,
    /// Whether it puts whole scripts elsewhere.
    pub reorders: bool,
    /// What is put in front of texts that contractions are searched for in.
    pub in_front: &'static str,
}

/// The languages of `utf8mb4_…_ci`, in MySQL and MariaDB.
const OF_UCA400: [&str; 22] = [
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

/// Those of `utf8mb4_…_0900_as_cs` in MySQL, and the one that each is told from.
const OF_UCA900: [(&str, &str); 30] = [
    ("bg", ""),
    ("bs", ""),
    ("cs", ""),
    ("da", ""),
    ("de_pb", ""),
    ("eo", ""),
    ("es", ""),
    ("es_trad", ""),
    ("et", ""),
    ("gl", ""),
    ("hr", ""),
    ("hu", ""),
    ("is", ""),
    ("ja", ""),
    ("la", ""),
    ("lt", ""),
    ("lv", ""),
    ("mn_cyrl", ""),
    ("nb", ""),
    ("nn", ""),
    ("pl", ""),
    ("ro", ""),
    ("ru", ""),
    ("sk", ""),
    ("sl", ""),
    ("sr_latn", ""),
    ("sv", ""),
    ("tr", ""),
    ("vi", ""),
    ("zh", ""),
];

/// All tailorings of a root.
pub fn tailorings(root: &str) -> impl Iterator<Item = Specification> {
    let mut all = Vec::new();
    let mut add = |file: String, parent: &str, from, collation: String, shape, language: &str| {
        let (blocks, reorders) = (blocks(language), matches!(language, "ja" | "zh"));
        let in_front = if language == "ja" { "ｰ" } else { "" };
        all.push(Specification { file, parent: parent.to_owned(), from, collation, shape, blocks, reorders, in_front });
    };
    match root {
        "uca400" => {
            for language in OF_UCA400 {
                let collation = format!("utf8mb4_{language}_ci");
                add(format!("uca400_{language}"), root, From::MySql, collation, Shape::Primary, language);
            }
            // Of the same name in MySQL, other weights.
            let croatian = "utf8mb4_croatian_ci".to_owned();
            add("uca400_croatian_mariadb".into(), root, From::MariaDb, croatian, Shape::Primary, "croatian");
        }
        "uca520" => {
            let myanmar = "utf8mb4_myanmar_ci".to_owned();
            add("uca520_myanmar".into(), root, From::MariaDb, myanmar, Shape::Primary, "myanmar");
            let thai = "utf8mb4_thai_520_w2".to_owned();
            add("uca520_thai".into(), root, From::MariaDb, thai, Shape::Each(2), "thai");
        }
        "uca900" => {
            for (language, parent) in OF_UCA900 {
                let parent = if parent.is_empty() { root.to_owned() } else { format!("uca900_{parent}") };
                // Japanese has a level more, for kana.
                let (levels, ending) = if language == "ja" { (4, "as_cs_ks") } else { (3, "as_cs") };
                let collation = format!("utf8mb4_{language}_0900_{ending}");
                add(format!("uca900_{language}"), &parent, From::MySql, collation, Shape::Separated(levels), language);
            }
        }
        _ => {
            for language in OF_UCA400 {
                let collation = format!("utf8mb4_uca1400_{language}_as_cs");
                add(format!("uca1400_{language}"), root, From::MariaDb, collation, Shape::Each(3), language);
            }
        }
    }
    all.into_iter()
}

fn blocks(language: &str) -> Vec<RangeInclusive<u32>> {
    match language {
        "persian" => vec![0x600..=0x6ff],
        "ja" => vec![0x3000..=0x303f, 0x3041..=0x30ff, 0x3100..=0x33ff, 0xff00..=0xffef],
        "sinhala" => vec![0xd80..=0xdff],
        "myanmar" => vec![0x1000..=0x109f],
        "thai" => vec![0xe00..=0xe5b],
        _ => Vec::new(),
    }
}
