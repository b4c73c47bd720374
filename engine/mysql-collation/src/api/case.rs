//! Upper and lower case.

use alloc::vec::Vec;

use super::Collation;
use crate::charset::{Case, convert_case};

impl Collation {
    /// Returns the text in upper case, byte for byte as `UPPER` (`UCASE`) returns it. Each
    /// character becomes one character: `ß` stays `ß`.
    ///
    /// The letters that have two cases depend on the collation. In Unicode character sets,
    /// `general_ci`, `bin` and the collations of UCA 4.0 know those of Unicode 4.0 up to U+FFFF,
    /// the collations of a later UCA, and `general1400_as_ci`, those of its version.
    /// `utf8mb4_0900_bin` is as `0900_ai_ci` in MySQL, and as `bin` in MariaDB. The results are
    /// those of MySQL 5.6 to 9.7 and of MariaDB 10.11 to 11.8. `binary` changes nothing.
    ///
    /// In `utf8mb3` and `utf8mb4`, except under `turkish_ci`, MySQL writes the result over the
    /// text. A result longer than the text read so far overwrites the next character, and ends
    /// there: `UPPER('aȿbc')` is `AⱾ`. It must fit into the text: `UPPER('ȿ')` is empty, as `Ȿ` has
    /// three bytes. This function does the same under MySQL's collations. It doesn't follow MySQL's
    /// `gb18030_unicode_520_ci`, where characters above U+FFFF become others.
    ///
    /// ```
    /// use mysql_collation::mysql::{UTF8MB4_0900_AI_CI, UTF8MB4_GENERAL_CI, UTF8MB4_TURKISH_CI};
    ///
    /// let upper = |collation: mysql_collation::Collation, text: &str| collation.to_upper(text.as_bytes());
    /// assert_eq!(upper(UTF8MB4_0900_AI_CI, "straße"), "STRAßE".as_bytes());
    /// assert_eq!(upper(UTF8MB4_TURKISH_CI, "istanbul"), "İSTANBUL".as_bytes());
    /// // This letter came with Unicode 5.1.
    /// assert_eq!(upper(UTF8MB4_0900_AI_CI, "ꙑ"), "Ꙑ".as_bytes());
    /// assert_eq!(upper(UTF8MB4_GENERAL_CI, "ꙑ"), "ꙑ".as_bytes());
    /// ```
    pub fn to_upper(&self, text: &[u8]) -> Vec<u8> {
        self.convert_case(text, Case::Upper)
    }

    /// Returns the text in lower case, byte for byte as `LOWER` (`LCASE`) returns it. Otherwise
    /// like [`Collation::to_upper`].
    ///
    /// ```
    /// use mysql_collation::{Collation, Flavour, mysql::UTF8MB4_0900_AI_CI};
    ///
    /// assert_eq!(UTF8MB4_0900_AI_CI.to_lower("ÄRGER".as_bytes()), "ärger".as_bytes());
    /// let latin1 = Collation::by_name(Flavour::MySql, "latin1_swedish_ci")?;
    /// assert_eq!(latin1.to_lower(b"\xC4RGER"), b"\xE4rger");
    /// # Ok::<(), mysql_collation::LookupError>(())
    /// ```
    pub fn to_lower(&self, text: &[u8]) -> Vec<u8> {
        self.convert_case(text, Case::Lower)
    }

    fn convert_case(self, text: &[u8], case: Case) -> Vec<u8> {
        let info = self.info();
        convert_case(info.flavour, self.charset(), info.name, text, case)
    }
}

#[cfg(test)]
mod tests {
    use std::string::String;

    use super::*;
    use crate::catalogue::Flavour;

    /// As MySQL 9.7.4 and MariaDB 11.8.9 returned them.
    #[test]
    fn cases_follow_the_collation() {
        for (flavour, name, text, upper, lower) in [
            (Flavour::MySql, "utf8mb4_general_ci", "aÄßıİſ", "AÄßIİS", "aäßıiſ"),
            (Flavour::MySql, "utf8mb4_turkish_ci", "Iiıİ", "IİIİ", "ıiıi"),
            (Flavour::MySql, "utf8mb4_tr_0900_ai_ci", "Iiıİ", "IIIİ", "iiıi"),
            (Flavour::MariaDb, "utf8mb4_tr_0900_ai_ci", "Iiıİ", "IİIİ", "ıiıi"),
            (Flavour::MySql, "utf8mb4_unicode_520_ci", "ȿ", "", "ȿ"),
            (Flavour::MySql, "utf8mb4_0900_ai_ci", "ȿa", "Ȿ", "ȿa"),
            (Flavour::MySql, "utf8mb4_0900_ai_ci", "aȿbc", "AⱾ", "aȿbc"),
            (Flavour::MySql, "utf8mb4_0900_ai_ci", "ゝゝɐɾʋɕ", "ゝゝⱯ", "ゝゝɐɾʋɕ"),
            (Flavour::MySql, "cp932_japanese_ci", "ⅰⅣ", "ⅠⅣ", "ⅰⅳ"),
            (Flavour::MySql, "utf16_unicode_520_ci", "ȿ", "Ȿ", "ȿ"),
            (Flavour::MariaDb, "utf8mb4_unicode_520_ci", "ȿ", "Ȿ", "ȿ"),
            (Flavour::MariaDb, "utf8mb4_0900_bin", "ȿ", "ȿ", "ȿ"),
            (Flavour::MySql, "gbk_chinese_ci", "aЖж", "AЖЖ", "aжж"),
            (Flavour::MySql, "utf8mb4_0900_bin", "𐐨", "𐐀", "𐐨"),
            (Flavour::MySql, "utf8mb4_bin", "𐐨", "𐐨", "𐐨"),
        ] {
            let collation = Collation::by_name(flavour, name).unwrap();
            let encode =
                |text: &str| crate::Charset::Utf8mb4.convert(text.as_bytes(), collation.charset(), flavour).bytes;
            let decode = |bytes: &[u8]| {
                String::from_utf8(collation.charset().convert(bytes, crate::Charset::Utf8mb4, flavour).bytes).unwrap()
            };
            assert_eq!(decode(&collation.to_upper(&encode(text))), upper, "{flavour} {name}");
            assert_eq!(decode(&collation.to_lower(&encode(text))), lower, "{flavour} {name}");
        }
    }

    #[test]
    fn binary_and_ill_formed_bytes_stay() {
        let collation = |name| Collation::by_name(Flavour::MySql, name).unwrap();
        assert_eq!(collation("binary").to_upper(b"ab"), b"ab");
        assert_eq!(collation("utf8mb4_0900_ai_ci").to_upper(b"a\xFFb"), b"A\xFFB");
        assert_eq!(collation("latin1_bin").to_upper(b"a\xE4"), b"A\xC4");
    }
}
