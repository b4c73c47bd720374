//! The committed tables. `cargo xtask charsets` writes them.

use super::gb18030::FourBytes;
use super::pages::Pages;
use super::single::SingleByte;

/// A character set of tables: code points by the last two bytes, bytes by code point.
#[derive(Clone, Copy)]
pub(crate) struct DoubleByte {
    /// Of characters of one byte (their first byte counts as 0) and two.
    pub decode: Pages,
    /// The bytes of code points: one below 0x100, else two.
    pub encode: Pages,
}

/// EUC for Japanese: its characters of three bytes begin with 8F and have a plane of their own.
#[derive(Clone, Copy)]
pub(crate) struct EucJp {
    pub double: DoubleByte,
    /// By the last two bytes of three.
    pub third: Pages,
}

macro_rules! file {
    ($name:literal) => {
        include_bytes!(concat!("../../data/charsets/", $name, ".bin"))
    };
}

const fn double(file: &'static [u8]) -> DoubleByte {
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

pub(super) static BIG5: DoubleByte = double(file!("big5"));
pub(super) static CP932: DoubleByte = double(file!("cp932"));
pub(super) static EUCKR: DoubleByte = double(file!("euckr"));
pub(super) static GB2312: DoubleByte = double(file!("gb2312"));
pub(super) static GBK: DoubleByte = double(file!("gbk"));
pub(super) static GB18030: DoubleByte = double(file!("gb18030"));
pub(super) static GB18030_FOUR_BYTES: FourBytes = FourBytes::new(file!("gb18030_four_bytes"));
pub(super) static SJIS: DoubleByte = double(file!("sjis"));
pub(super) static UJIS: EucJp = euc_jp(file!("ujis"));
pub(super) static EUCJPMS: EucJp = euc_jp(file!("eucjpms"));
