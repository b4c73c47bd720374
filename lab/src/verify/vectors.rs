//! `cargo xtask vectors`: writes what servers return for a few hundred strings in every collation,
//! string by string. docs/reference/vectors.md describes the files.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context, Result, bail};
use flate2::Compression;
use flate2::write::GzEncoder;
use mysql_collation::{Charset, Collation, Flavour};

use super::checks::quote_collation;
use super::faults::is_padded_in_wrong_place;
use super::ill_formed;
use super::session::{Session, TextPair, hex};
use super::texts::Texts;
use crate::data_file::root;
use crate::servers::Source;

#[derive(clap::Args)]
pub struct Arguments {
    /// Servers to query.
    #[arg(long, default_values = ["mysql@sid", "mariadb@trixie"])]
    server: Vec<String>,
}

/// Folder of the files, below which is one folder per flavour.
pub const FOLDER: &str = "engine/ports/vectors";
const SEED: u64 = 20_261_128;
/// Strings per character set.
const STRINGS: usize = 600;
/// Long strings among them, and the fewest bytes of each.
const LONG_STRINGS: usize = 10;
const MIN_LONG_BYTES: usize = 160;
const ILL_FORMED_PAIRS: usize = 30;
/// A result that isn't part of the vectors: the library doesn't follow the server there.
const NOT_FOLLOWED: char = '.';

pub fn run(arguments: &Arguments) -> Result<()> {
    for spec in &arguments.server {
        let mut source = Source::open(spec)?;
        let folder = root().join(FOLDER).join(source.server.flavour().to_string().to_lowercase());
        fs::create_dir_all(&folder).with_context(|| format!("creating {}", folder.display()))?;
        let title = source.title();
        let mut session = Session::new(&mut source, &[])?;
        let mut by_charset: BTreeMap<&str, Vec<Collation>> = BTreeMap::new();
        for collation in session.collations()? {
            by_charset.entry(collation.charset().name()).or_default().push(collation);
        }
        for (name, collations) in by_charset {
            let vectors = Vectors::query(&mut session, &collations)?;
            let text = format!("# {name} of {title}. docs/reference/vectors.md\n{}", vectors.format());
            write_compressed(&folder.join(format!("{name}.txt.gz")), &text)?;
            println!("{title}, {name}: {} collations", collations.len());
        }
    }
    Ok(())
}

fn write_compressed(path: &Path, text: &str) -> Result<()> {
    let file = File::create(path).with_context(|| format!("writing {}", path.display()))?;
    let mut encoder = GzEncoder::new(file, Compression::best());
    encoder.write_all(text.as_bytes())?;
    encoder.finish()?;
    Ok(())
}

/// Results of a server for the collations of one character set.
struct Vectors {
    names: Vec<&'static str>,
    strings: Vec<Vec<u8>>,
    /// Weight strings by collation and string; `None` if the server's is cut.
    weights: Vec<Vec<Option<Vec<u8>>>>,
    /// Order of each string and the next one, of the last and the first, by collation and string.
    orders: Vec<Vec<char>>,
    ill_formed: Vec<TextPair>,
    /// Order of each ill-formed pair, by collation and pair.
    ill_formed_orders: Vec<Vec<char>>,
}

impl Vectors {
    fn query(session: &mut Session<'_>, collations: &[Collation]) -> Result<Self> {
        let charset = collations.first().context("no collation")?.charset();
        let mut texts = Texts::new(SEED, charset);
        let strings = strings(&mut texts, charset);
        let rows: Vec<TextPair> = strings.iter().cloned().zip(strings.iter().cycle().skip(1).cloned()).collect();
        session.load("vectors", charset, &rows)?;
        let mut vectors = Self {
            names: collations.iter().map(Collation::name).collect(),
            strings,
            weights: Vec::new(),
            orders: Vec::new(),
            ill_formed: ill_formed_pairs(&mut texts, charset),
            ill_formed_orders: Vec::new(),
        };
        for &collation in collations {
            vectors.weights.push(query_weights(session, collation, &vectors.strings)?);
            vectors.orders.push(query_orders(session, collation, &rows)?);
            let pairs = vectors.ill_formed.iter();
            let orders = pairs.map(|(a, b)| query_ill_formed(session, collation, a, b)).collect::<Result<_>>()?;
            vectors.ill_formed_orders.push(orders);
        }
        Ok(vectors)
    }

    fn format(&self) -> String {
        let mut text = String::new();
        for name in &self.names {
            text.push_str(&format!("collation {name}\n"));
        }
        let signs = |orders: &[Vec<char>], index: usize| orders.iter().map(|all| all[index]).collect::<String>();
        for (index, string) in self.strings.iter().enumerate() {
            text.push_str(&format!("string {}\n", hex(string)));
            let mut groups: BTreeMap<&[u8], Vec<usize>> = BTreeMap::new();
            for (number, weights) in self.weights.iter().enumerate() {
                if let Some(weights) = &weights[index] {
                    groups.entry(weights).or_default().push(number);
                }
            }
            for (weights, numbers) in groups {
                text.push_str(&format!("weight {} {}\n", format_ranges(&numbers), hex(weights)));
            }
            text.push_str(&format!("order {}\n", signs(&self.orders, index)));
        }
        for (index, (a, b)) in self.ill_formed.iter().enumerate() {
            text.push_str(&format!("ill-formed {} {} {}\n", hex(a), hex(b), signs(&self.ill_formed_orders, index)));
        }
        text
    }
}

/// Formats ascending numbers as ranges: `0-3,7`.
fn format_ranges(numbers: &[usize]) -> String {
    let mut text = String::new();
    let mut rest = numbers;
    while let Some(&first) = rest.first() {
        let count = rest.iter().enumerate().take_while(|&(index, &number)| number == first + index).count();
        let separator = if text.is_empty() { "" } else { "," };
        let _ = match count {
            1 => write!(text, "{separator}{first}"),
            _ => write!(text, "{separator}{first}-{}", first + count - 1),
        };
        rest = &rest[count..];
    }
    text
}

/// Returns fixed short strings, similar pairs and long strings.
fn strings(texts: &mut Texts, charset: Charset) -> Vec<Vec<u8>> {
    let fixed = ["", " ", "  ", "a", "A", "a ", "a  b", "a\tb", "a b", "ab", "aB", "0", "-", "~", "\0", "a\0"];
    let encode = |text: &&str| Charset::Utf8mb4.convert(text.as_bytes(), charset, Flavour::MySql).bytes;
    let mut all: Vec<Vec<u8>> = fixed.iter().map(encode).collect();
    while all.len() < STRINGS - LONG_STRINGS {
        let (a, b) = texts.pair();
        all.extend([a, b]);
    }
    while all.len() < STRINGS {
        let mut long = Vec::new();
        while long.len() < MIN_LONG_BYTES {
            long.extend(texts.pair().0);
        }
        all.push(long);
    }
    all
}

/// Returns pairs of UTF-8 with ill-formed bytes; none for other character sets, whose strings are
/// not compared with servers' if ill-formed.
fn ill_formed_pairs(texts: &mut Texts, charset: Charset) -> Vec<TextPair> {
    if !matches!(charset, Charset::Utf8mb3 | Charset::Utf8mb4) {
        return Vec::new();
    }
    let is_ill_formed = |(a, b): &TextPair| charset.validate(a).is_err() || charset.validate(b).is_err();
    std::iter::repeat_with(|| texts.ill_formed()).filter(is_ill_formed).take(ILL_FORMED_PAIRS).collect()
}

fn query_weights(session: &mut Session<'_>, collation: Collation, strings: &[Vec<u8>]) -> Result<Vec<Option<Vec<u8>>>> {
    let expression = format!("WEIGHT_STRING(a COLLATE {})", quote_collation(session, collation));
    let weights: Vec<Option<Vec<u8>>> = session.query(&expression, "vectors", strings.len())?;
    let keep = |(weights, text): (Option<Vec<u8>>, &Vec<u8>)| {
        let weights = weights.with_context(|| format!("{collation} has no weights for x'{}'", hex(text)))?;
        // MariaDB cuts weights that exceed its estimate per character; such a result is left out.
        let ours = collation.weight_string(text);
        let is_cut = collation.name().ends_with("_w2") && weights.len() < ours.len() && ours.starts_with(&weights);
        Ok((!is_cut).then_some(weights))
    };
    weights.into_iter().zip(strings).map(keep).collect()
}

fn query_orders(session: &mut Session<'_>, collation: Collation, rows: &[TextPair]) -> Result<Vec<char>> {
    let name = quote_collation(session, collation);
    let expression = format!("2 * STRCMP(a COLLATE {name}, b COLLATE {name}) + (a = b COLLATE {name})");
    let answers: Vec<i32> = session.query(&expression, "vectors", rows.len())?;
    let sign = |(answer, (a, b)): (i32, &TextPair)| match answer {
        _ if is_padded_in_wrong_place(collation, a, b) => Ok(NOT_FOLLOWED),
        -2 => Ok('<'),
        1 => Ok('='),
        2 => Ok('>'),
        _ => bail!("{collation}: STRCMP and = contradict each other for x'{}' and x'{}'", hex(a), hex(b)),
    };
    answers.into_iter().zip(rows).map(sign).collect()
}

fn query_ill_formed(session: &mut Session<'_>, collation: Collation, a: &[u8], b: &[u8]) -> Result<char> {
    if !ill_formed::is_followed(collation) {
        return Ok(NOT_FOLLOWED);
    }
    let order = ill_formed::query_order(session, collation, a, b)?;
    if order != Some(collation.compare(a, b) as i32) && ill_formed::depends_on_the_rest(session, collation, a, b)? {
        return Ok(NOT_FOLLOWED);
    }
    match order {
        Some(-1) => Ok('<'),
        Some(0) => Ok('='),
        Some(1) => Ok('>'),
        _ => bail!("{collation} has no order for x'{}' and x'{}'", hex(a), hex(b)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_join_consecutive_numbers() {
        assert_eq!(format_ranges(&[0, 1, 2, 5, 7, 8]), "0-2,5,7-8");
        assert_eq!(format_ranges(&[3]), "3");
    }
}
