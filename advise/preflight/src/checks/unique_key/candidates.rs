//! Collations that a finding suggests.

use mysql_collation::{Collation, catalogue};

use super::KeyPart;
use crate::checks::TableScan;
use crate::job::flavour;

/// Returns the collations of the target's character set that both the server and `mysql-collation`
/// have.
pub fn candidate_collations(scan: &TableScan<'_>, parts: &[KeyPart]) -> Vec<Collation> {
    let converted = parts.iter().find(|part| part.is_converted);
    let Some(charset) = converted.and_then(|part| part.collation).map(|collation| collation.charset()) else {
        return Vec::new();
    };
    let facts = scan.job.facts;
    let is_available =
        |info: &&mysql_collation::Info| info.charset == charset.name() && facts.server.collation(info.name).is_some();
    let available = catalogue(flavour(facts)).iter().filter(is_available);
    available.filter_map(|info| Collation::lookup(flavour(facts), info.name).ok()).collect()
}

/// True for collations of one language, such as `utf8mb4_cs_0900_as_cs` and `utf8mb4_czech_ci`.
pub fn is_language_specific(collation: &str) -> bool {
    const GENERAL_WORDS: [&str; 14] = [
        "0900",
        "520",
        "ai",
        "as",
        "bin",
        "ci",
        "cs",
        "general",
        "general1400",
        "mysql500",
        "nopad",
        "tolower",
        "uca1400",
        "unicode",
    ];
    let suffix = collation.split_once('_').map_or("", |(_, rest)| rest);
    // `cs` after the character set means Czech, at the end case-sensitive.
    suffix.starts_with("cs_") || suffix.split('_').any(|word| !GENERAL_WORDS.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::is_language_specific;

    #[test]
    fn recognises_language_specific_collations() {
        for (collation, expected) in [
            ("utf8mb4_0900_as_cs", false),
            ("utf8mb4_uca1400_nopad_as_ci", false),
            ("utf8mb4_unicode_520_ci", false),
            ("utf8mb4_bin", false),
            ("utf8mb4_bg_0900_as_cs", true),
            ("utf8mb4_cs_0900_as_cs", true),
            ("utf8mb4_uca1400_czech_as_cs", true),
            ("latin1_swedish_ci", true),
        ] {
            assert_eq!(is_language_specific(collation), expected, "{collation}");
        }
    }
}
