//! The committed tables of character sets, written by `cargo xtask charsets`.

use super::gb18030::FourBytes;
use super::pages::Pages;
use super::single_byte::SingleByte;

/// The tables of a double-byte character set.
#[derive(Clone, Copy)]
pub(crate) struct DoubleByte {
    /// Code points by first and second byte. The first byte of a character of one byte counts as 0.
    pub decode: Pages,
    /// Codes by the high and low byte of the code point. A code below 0x100 is one byte, any other
    /// two bytes.
    pub encode: Pages,
}

/// The tables of EUC for Japanese. Characters of three bytes begin with 8F and have a separate
/// table.
#[derive(Clone, Copy)]
pub(crate) struct EucJp {
    pub double: DoubleByte,
    /// Code points of characters of three bytes, by the last two bytes.
    pub third: Pages,
}

macro_rules! file {
    ($name:literal) => {
        include_bytes!(concat!("../../data/charsets/", $name, ".bin"))
    };
}

const fn read_double_byte(file: &'static [u8]) -> DoubleByte {
    let (decode, rest) = Pages::split(file);
    let (encode, rest) = Pages::split(rest);
    assert!(rest.is_empty());
    DoubleByte { decode, encode }
}

const fn euc_jp(file: &'static [u8]) -> EucJp {
    let (decode, rest) = Pages::split(file);
    let (third, rest) = Pages::split(rest);
    let (encode, rest) = Pages::split(rest);
    assert!(rest.is_empty());
    EucJp { double: DoubleByte { decode, encode }, third }
}

macro_rules! single {
    ($($table:ident $name:literal)*) => {
        $(pub(super) static $table: SingleByte = SingleByte::new(file!($name));)*
    };
}

single! {
    ARMSCII8 "armscii8" CP1250 "cp1250" CP1251 "cp1251" CP1256 "cp1256" CP1257 "cp1257" CP850 "cp850" CP852 "cp852" CP866 "cp866"
    DEC8 "dec8" GEOSTD8 "geostd8" GREEK "greek" HEBREW "hebrew" HP8 "hp8" KEYBCS2 "keybcs2" KOI8R "koi8r" KOI8U "koi8u"
    LATIN1 "latin1" LATIN2 "latin2" LATIN5 "latin5" LATIN7 "latin7" MACCE "macce" MACROMAN "macroman" SWE7 "swe7" TIS620 "tis620"
}

pub(super) static BIG5: DoubleByte = read_double_byte(file!("big5"));
pub(super) static CP932: DoubleByte = read_double_byte(file!("cp932"));
pub(super) static EUCKR: DoubleByte = read_double_byte(file!("euckr"));
pub(super) static GB2312: DoubleByte = read_double_byte(file!("gb2312"));
pub(super) static GBK: DoubleByte = read_double_byte(file!("gbk"));
pub(super) static GB18030: DoubleByte = read_double_byte(file!("gb18030"));
pub(super) static GB18030_FOUR_BYTES: FourBytes = FourBytes::new(file!("gb18030_four_bytes"));
pub(super) static SJIS: DoubleByte = read_double_byte(file!("sjis"));
pub(super) static UJIS: EucJp = euc_jp(file!("ujis"));
pub(super) static EUCJPMS: EucJp = euc_jp(file!("eucjpms"));
