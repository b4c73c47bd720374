//! The tables of `data/`, included unchanged. data/README.md names their sources.

use super::{LazySingleWeightTable, UcaTable};
use crate::const_bytes::equal;
use crate::tables::{ByteExpansions, FoldingTable, SimpleTable};

macro_rules! file {
    ($name:literal) => {
        include_bytes!(concat!("../../data/", $name, ".bin"))
    };
}

/// Table of `unicode_ci`: UCA 4.0.0, primary weights.
pub(crate) static UCA400: UcaTable = UcaTable::new(None, file!("uca400"));
/// Table of `unicode_520_ci`: UCA 5.2.0, primary weights.
pub(crate) static UCA520: UcaTable = UcaTable::new(None, file!("uca520"));
/// Table of MySQL's `0900` collations: UCA 9.0.0 without contractions.
pub(crate) static UCA900: UcaTable = UcaTable::new(None, file!("uca900"));
/// Table of MariaDB's `uca1400` collations: UCA 14.0.0 with the contractions of Unicode's table.
pub(crate) static UCA1400: UcaTable = UcaTable::new(None, file!("uca1400"));

/// Defines the tables of languages, which hold the differences from their parents.
macro_rules! tailorings {
    ($($table:ident = $parent:ident, $file:literal;)*) => {
        $(pub(crate) static $table: UcaTable = UcaTable::new(Some(&$parent), file!($file));)*

        /// Returns the table of a language that tailors `root`; `None` if there is no such table.
        pub(crate) const fn tailoring(root: &[u8], language: &[u8]) -> Option<&'static UcaTable> {
            $(if is_named($file, root, language) { return Some(&$table); })*
            None
        }

        #[cfg(any(test, feature = "oracle"))]
        pub(crate) fn tables() -> impl Iterator<Item = (&'static str, &'static UcaTable)> {
            let roots = [("uca400", &UCA400), ("uca520", &UCA520), ("uca900", &UCA900), ("uca1400", &UCA1400)];
            roots.into_iter().chain([$(($file, &$table)),*])
        }
    };
}

tailorings! {
    UCA1400_CROATIAN = UCA1400, "uca1400_croatian";
    UCA1400_CZECH = UCA1400, "uca1400_czech";
    UCA1400_DANISH = UCA1400, "uca1400_danish";
    UCA1400_ESPERANTO = UCA1400, "uca1400_esperanto";
    UCA1400_ESTONIAN = UCA1400, "uca1400_estonian";
    UCA1400_GERMAN2 = UCA1400, "uca1400_german2";
    UCA1400_HUNGARIAN = UCA1400, "uca1400_hungarian";
    UCA1400_ICELANDIC = UCA1400, "uca1400_icelandic";
    UCA1400_LATVIAN = UCA1400, "uca1400_latvian";
    UCA1400_LITHUANIAN = UCA1400, "uca1400_lithuanian";
    UCA1400_PERSIAN = UCA1400, "uca1400_persian";
    UCA1400_POLISH = UCA1400, "uca1400_polish";
    UCA1400_ROMAN = UCA1400, "uca1400_roman";
    UCA1400_ROMANIAN = UCA1400, "uca1400_romanian";
    UCA1400_SINHALA = UCA1400, "uca1400_sinhala";
    UCA1400_SLOVAK = UCA1400, "uca1400_slovak";
    UCA1400_SLOVENIAN = UCA1400, "uca1400_slovenian";
    UCA1400_SPANISH = UCA1400, "uca1400_spanish";
    UCA1400_SPANISH2 = UCA1400, "uca1400_spanish2";
    UCA1400_SWEDISH = UCA1400, "uca1400_swedish";
    UCA1400_TURKISH = UCA1400, "uca1400_turkish";
    UCA1400_VIETNAMESE = UCA1400, "uca1400_vietnamese";
    UCA400_CROATIAN = UCA400, "uca400_croatian";
    UCA400_CROATIAN_MARIADB = UCA400, "uca400_croatian_mariadb";
    UCA400_CZECH = UCA400, "uca400_czech";
    UCA400_DANISH = UCA400, "uca400_danish";
    UCA400_ESPERANTO = UCA400, "uca400_esperanto";
    UCA400_ESTONIAN = UCA400, "uca400_estonian";
    UCA400_GERMAN2 = UCA400, "uca400_german2";
    UCA400_HUNGARIAN = UCA400, "uca400_hungarian";
    UCA400_ICELANDIC = UCA400, "uca400_icelandic";
    UCA400_LATVIAN = UCA400, "uca400_latvian";
    UCA400_LITHUANIAN = UCA400, "uca400_lithuanian";
    UCA400_PERSIAN = UCA400, "uca400_persian";
    UCA400_POLISH = UCA400, "uca400_polish";
    UCA400_ROMAN = UCA400, "uca400_roman";
    UCA400_ROMANIAN = UCA400, "uca400_romanian";
    UCA400_SINHALA = UCA400, "uca400_sinhala";
    UCA400_SLOVAK = UCA400, "uca400_slovak";
    UCA400_SLOVENIAN = UCA400, "uca400_slovenian";
    UCA400_SPANISH = UCA400, "uca400_spanish";
    UCA400_SPANISH2 = UCA400, "uca400_spanish2";
    UCA400_SWEDISH = UCA400, "uca400_swedish";
    UCA400_TURKISH = UCA400, "uca400_turkish";
    UCA400_VIETNAMESE = UCA400, "uca400_vietnamese";
    UCA520_MYANMAR = UCA520, "uca520_myanmar";
    UCA520_THAI = UCA520, "uca520_thai";
    UCA900_BG = UCA900, "uca900_bg";
    UCA900_BS = UCA900, "uca900_bs";
    UCA900_CS = UCA900, "uca900_cs";
    UCA900_DA = UCA900, "uca900_da";
    UCA900_DE_PB = UCA900, "uca900_de_pb";
    UCA900_EO = UCA900, "uca900_eo";
    UCA900_ES = UCA900, "uca900_es";
    UCA900_ES_TRAD = UCA900, "uca900_es_trad";
    UCA900_ET = UCA900, "uca900_et";
    UCA900_GL = UCA900, "uca900_gl";
    UCA900_HR = UCA900, "uca900_hr";
    UCA900_HU = UCA900, "uca900_hu";
    UCA900_IS = UCA900, "uca900_is";
    UCA900_JA = UCA900, "uca900_ja";
    UCA900_LA = UCA900, "uca900_la";
    UCA900_LT = UCA900, "uca900_lt";
    UCA900_LV = UCA900, "uca900_lv";
    UCA900_MN_CYRL = UCA900, "uca900_mn_cyrl";
    UCA900_NB = UCA900, "uca900_nb";
    UCA900_NN = UCA900, "uca900_nn";
    UCA900_PL = UCA900, "uca900_pl";
    UCA900_RO = UCA900, "uca900_ro";
    UCA900_RU = UCA900, "uca900_ru";
    UCA900_SK = UCA900, "uca900_sk";
    UCA900_SL = UCA900, "uca900_sl";
    UCA900_SR_LATN = UCA900, "uca900_sr_latn";
    UCA900_SV = UCA900, "uca900_sv";
    UCA900_TR = UCA900, "uca900_tr";
    UCA900_VI = UCA900, "uca900_vi";
    UCA900_ZH = UCA900, "uca900_zh";
}

/// Returns `true` if `file` is `root`, an underscore and `language`.
const fn is_named(file: &str, root: &[u8], language: &[u8]) -> bool {
    if file.len() != root.len() + 1 + language.len() {
        return false;
    }
    let (start, end) = file.as_bytes().split_at(root.len() + 1);
    equal(end, language) && equal(start.split_at(root.len()).0, root)
}

/// Table of `general_ci`.
pub(crate) static GENERAL: LazySingleWeightTable<SimpleTable> = LazySingleWeightTable::new(file!("general"));
/// Table of `general_mysql500_ci`: the weights of `general_ci` in MySQL 5.0.
pub(crate) static GENERAL_MYSQL500: LazySingleWeightTable<SimpleTable> =
    LazySingleWeightTable::new(file!("general_mysql500"));
/// Table of `tolower_ci`: `A` = `a`, but `ä` ≠ `a`.
pub(crate) static TOLOWER: LazySingleWeightTable<SimpleTable> = LazySingleWeightTable::new(file!("tolower"));

/// Table of `general1400_as_ci`: the case folding of Unicode 14.
pub(crate) static GENERAL1400: LazySingleWeightTable<FoldingTable> = LazySingleWeightTable::new(file!("general1400"));

/// The weights of each byte in `latin1_german2_ci`: `ä` = `ae`, `ß` = `ss`.
pub(crate) static LATIN1_GERMAN2: ByteExpansions = {
    let bytes: &[u8; 512] = file!("latin1_german2_ci");
    let mut weights = [[0; 2]; 256];
    let mut i = 0;
    while i < 256 {
        weights[i] = [bytes[2 * i], bytes[2 * i + 1]];
        i += 1;
    }
    weights
};
