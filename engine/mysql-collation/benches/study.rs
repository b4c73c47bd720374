//! Measures where servers lose time in collations, as the ORDER BY study of 2021 found.
//!
//! The weights of `utf8mb4_general_ci` are compared in three ways: (a) by function pointers, one
//! call to decode a character and one to weigh it, as in old MySQL; (b) by a loop compiled for the
//! character set and the weights, as in MariaDB; (c) by the engine. Then text is validated by a
//! function pointer called per character (`my_ismbchar`), by a loop, and by vectors.

mod harness;

use std::cmp::Ordering;
use std::hint::black_box;

use harness::{Subject, compare};
use mysql_collation::{Charset, Collation, Flavour};

/// One weight for each code point up to U+FFFF, from the library.
fn weights(collation: Collation) -> Vec<u16> {
    let weight = |code_point: u32| {
        let text = char::from_u32(code_point).unwrap_or_default().to_string();
        let element = collation.weights(text.as_bytes()).next();
        element.and_then(|element| element.weights[0].first().copied()).map_or(0, |weight| weight as u16)
    };
    (0..0x1_0000).map(weight).collect()
}

/// First code point, if it is below U+10000, and its length in bytes.
fn decode(text: &[u8]) -> Option<(u32, usize)> {
    match *text {
        [a, ..] if a < 0x80 => Some((a.into(), 1)),
        [a @ 0xC2..=0xDF, b @ 0x80..=0xBF, ..] => Some(((u32::from(a) & 0x1F) << 6 | u32::from(b) & 0x3F, 2)),
        [a @ 0xE0..=0xEF, b @ 0x80..=0xBF, c @ 0x80..=0xBF, ..] if a > 0xE0 || b >= 0xA0 => {
            Some(((u32::from(a) & 0xF) << 12 | (u32::from(b) & 0x3F) << 6 | u32::from(c) & 0x3F, 3))
        }
        _ => None,
    }
}

/// Function pointers of a character set and a collation.
struct Handler {
    decode: fn(&[u8]) -> Option<(u32, usize)>,
    weigh: fn(&[u16], u32) -> u16,
    length: fn(&[u8]) -> usize,
}

fn weigh(table: &[u16], code_point: u32) -> u16 {
    table[code_point as usize]
}

fn length(text: &[u8]) -> usize {
    decode(text).map_or(0, |(_, length)| length)
}

/// The loop of (a) and (b), which decode and weigh characters differently.
#[inline(always)]
fn compare_by(
    table: &[u16],
    decode: impl Fn(&[u8]) -> Option<(u32, usize)>,
    weigh: impl Fn(&[u16], u32) -> u16,
    mut a: &[u8],
    mut b: &[u8],
) -> Ordering {
    loop {
        let (Some((x, i)), Some((y, j))) = (decode(a), decode(b)) else { return a.len().cmp(&b.len()) };
        let (p, q) = (weigh(table, x), weigh(table, y));
        if p != q {
            return p.cmp(&q);
        }
        a = &a[i..];
        b = &b[j..];
    }
}

/// Validates text character by character.
#[inline(always)]
fn check_by(length: impl Fn(&[u8]) -> usize, text: &[u8]) -> bool {
    let mut at = 0;
    while at < text.len() {
        match length(&text[at..]) {
            0 => return false,
            length => at += length,
        }
    }
    true
}

fn main() {
    harness::run(all);
}

fn all() {
    let collation = Collation::by_name(Flavour::MySql, "utf8mb4_general_ci").expect("the library has the collation");
    let table = weights(collation);
    let handler = black_box(Handler { decode, weigh, length });
    println!("instruction set: {}\n", mysql_collation::instruction_set());

    let digits = "68487932199-96439406143-93774651418-41631865787-96406072701-20604855487-25459966574-28203206787-41238978918-19503783441";
    let english = "It was a bright cold day in April and the clocks were striking thirteen, Winston Smith hurried through the glass doors.";
    let russian =
        "Съешь же ещё этих мягких французских булок да выпей чаю, а потом иди гулять по улице где растут липы";
    let chinese = "天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏闰余成岁律吕调阳云腾致雨露结为霜金生丽水玉出昆冈剑号巨阙珠称夜光果珍李柰菜重芥姜海咸河淡鳞潜羽翔龙师火帝鸟官人皇始制文字乃服衣裳推位让国有虞陶唐吊民";
    let last = |text: &str| format!("{}~", &text[..text.len() - text.chars().last().map_or(0, char::len_utf8)]);
    let pairs = [
        ("119 digits, equal", digits.to_owned(), digits.to_owned()),
        ("119 ASCII characters, case differs everywhere", english.to_lowercase(), english.to_uppercase()),
        ("100 Russian characters, case differs everywhere", russian.to_lowercase(), russian.to_uppercase()),
        ("100 Russian characters, the last one differs", russian.to_owned(), last(russian)),
        ("100 Chinese characters, the last one differs", chinese.to_owned(), last(chinese)),
    ];
    for (title, a, b) in &pairs {
        let both = || black_box((a.as_bytes(), b.as_bytes()));
        compare(
            title,
            vec![
                Subject::new("(c) the engine", || {
                    let (a, b) = both();
                    collation.compare(a, b)
                }),
                Subject::new("(a) calls for each character", || {
                    let (a, b) = both();
                    compare_by(&table, handler.decode, handler.weigh, a, b)
                }),
                Subject::new("(b) a loop compiled for them", || {
                    let (a, b) = both();
                    compare_by(&table, decode, weigh, a, b)
                }),
            ],
        );
    }
    for (title, text) in [
        ("119 digits, checked", digits),
        ("100 Russian characters, checked", russian),
        ("100 Chinese characters, checked", chinese),
    ] {
        let text = || black_box(text.as_bytes());
        compare(
            title,
            vec![
                Subject::new("vectors", || Charset::Utf8mb4.validate(text()).is_ok()),
                Subject::new("a call for each character", || check_by(handler.length, text())),
                Subject::new("a loop", || check_by(length, text())),
            ],
        );
    }
}
