//! `cargo xtask versions`: which collations weigh characters differently in which server versions.
//!
//! For each collation of a multi-byte charset that two servers have, each returns a checksum of the
//! weights of every 256 code points. The weights themselves are read only where the checksums of
//! two servers differ. In 8-bit charsets, the weights of all bytes are read.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::thread;

use anyhow::{Context, Result, bail};
use mysql::prelude::Queryable;
use mysql_collation::Charset;
use server::current_collation_name;

use crate::query::{self, WeighedCodePoint};
use crate::servers::Source;

/// Servers of both flavours, the newest first.
const SERVERS: [(&str, &[&str]); 2] = [
    ("mysql@9", &["mysql@8.0", "mysql@5.7", "mysql@5.6"]),
    ("mariadb@11.8", &["mariadb@11.4", "mariadb@10.11", "mariadb@10.5", "mariadb@10.2", "mariadb@10.1"]),
];

/// Code points per checksum.
const BLOCK: u32 = 256;

/// Maximum number of ranges of code points that a line of output lists.
const MAX_RANGES: usize = 6;

/// Collations with several weights per byte, left out: MySQL before 9 cuts their `WEIGHT_STRING` in
/// a UNION.
const LEFT_OUT: [&str; 2] = ["latin2_czech_cs", "cp1250_czech_cs"];

#[derive(clap::Args)]
pub struct Arguments {
    /// Older server to compare with the newest of its flavour: mysql@8.0, mysql@5.7, mysql@5.6,
    /// mariadb@11.4, mariadb@10.11, mariadb@10.5, mariadb@10.2 or mariadb@10.1; may be repeated
    /// [default: all].
    #[arg(long)]
    server: Vec<String>,
    /// Compare the collations of utf8mb3, ucs2, utf16, utf16le and utf32, too. Their weights are
    /// those of utf8mb4.
    #[arg(long)]
    all_charsets: bool,
    /// Planes of Unicode to compare.
    #[arg(long, default_value_t = query::PLANES)]
    planes: u32,
    /// File to write the differences to, as CSV.
    #[arg(long)]
    write: Option<PathBuf>,
}

/// Prints the differences between the newest server of each flavour and the older ones.
pub fn run(arguments: &Arguments) -> Result<()> {
    let known = || SERVERS.iter().flat_map(|(_, older)| older.iter());
    if let Some(unknown) = arguments.server.iter().find(|name| !known().any(|spec| spec == name)) {
        bail!(
            "{unknown} is no older server of the comparison: give {}",
            known().copied().collect::<Vec<_>>().join(", ")
        );
    }
    let mut csv = String::from("older,newer,collation,count,code_points\n");
    for (newest, older) in SERVERS {
        let is_wanted =
            |spec: &&&str| arguments.server.is_empty() || arguments.server.iter().any(|name| name == **spec);
        let wanted: Vec<&&str> = older.iter().filter(is_wanted).collect();
        if wanted.is_empty() {
            continue;
        }
        let mut newer = Weights::open(newest)?;
        for spec in wanted {
            let mut older = Weights::open(spec)?;
            compare(&mut older, &mut newer, arguments, &mut csv)?;
        }
    }
    if let Some(path) = &arguments.write {
        std::fs::write(path, csv).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

fn compare(older: &mut Weights, newer: &mut Weights, arguments: &Arguments, csv: &mut String) -> Result<()> {
    let (title, other) = (older.source.title(), newer.source.title());
    println!("{title} and {other}");
    let is_common = |name: &&String| newer.collations.contains_key(*name) && !LEFT_OUT.contains(&name.as_str());
    let is_wanted = |name: &&String| arguments.all_charsets || !has_twin_in_utf8mb4(name, &older.collations);
    let names: Vec<String> = older.collations.keys().filter(is_common).filter(is_wanted).cloned().collect();
    let mut count = 0;
    for name in &names {
        let code_points = differing_code_points(older, newer, name, arguments.planes)?;
        if !code_points.is_empty() {
            count += 1;
            println!("  {name:34} {:>7}  {}", code_points.len(), format_ranges(&code_points, MAX_RANGES));
            let all = format_ranges(&code_points, usize::MAX);
            csv.push_str(&format!("{title},{other},{name},{},{all}\n", code_points.len()));
        }
    }
    println!("  {count} of {} collations of both servers differ", names.len());
    Ok(())
}

/// True for a collation of another Unicode character set that utf8mb4 has, too, such as
/// `ucs2_general_ci`.
fn has_twin_in_utf8mb4(name: &str, collations: &BTreeMap<String, String>) -> bool {
    let charset = server::collation_charset(name);
    let is_unicode = ["utf8mb3", "ucs2", "utf16", "utf16le", "utf32"].contains(&charset);
    is_unicode && collations.contains_key(&name.replacen(charset, "utf8mb4", 1))
}

/// Returns the code points, or bytes of an 8-bit character set, that two servers weigh differently.
fn differing_code_points(older: &mut Weights, newer: &mut Weights, name: &str, planes: u32) -> Result<Vec<u32>> {
    let charset = Charset::by_name(server::collation_charset(name));
    if charset.is_some_and(|charset| charset.max_bytes() == 1) {
        let (one, other) = (older.bytes(name)?, newer.bytes(name)?);
        return Ok((0..)
            .zip(one.iter().zip(&other))
            .filter(|(_, (one, other))| one != other)
            .map(|(at, _)| at)
            .collect());
    }
    let planes = match charset {
        Some(Charset::Utf8mb4 | Charset::Utf16 | Charset::Utf16le | Charset::Utf32 | Charset::Gb18030) => planes,
        _ => 1,
    };
    let mut found = Vec::new();
    for plane in 0..planes {
        let (one, other) = thread::scope(|scope| {
            let one = scope.spawn(|| older.checksums(name, plane));
            let other = newer.checksums(name, plane);
            (one.join().expect("a query does not panic"), other)
        });
        let (one, other) = (one?, other?);
        for (block, _) in one.iter().filter(|(block, checksum)| other.get(block) != Some(checksum)) {
            let (one, other) = (older.weights(name, *block)?, newer.weights(name, *block)?);
            found.extend(one.iter().zip(&other).filter(|(one, other)| one != other).map(|(one, _)| one.0));
        }
    }
    Ok(found)
}

/// A server with its collations.
struct Weights {
    source: Source,
    /// Name on this server by the name that newer servers use.
    collations: BTreeMap<String, String>,
}

impl Weights {
    fn open(spec: &str) -> Result<Self> {
        let source = Source::open(spec)?;
        let collations = source.server.read_collations()?.into_iter();
        let collations = collations.map(|one| (current_collation_name(&one.name).into_owned(), one.name)).collect();
        Ok(Self { source, collations })
    }

    fn bytes(&mut self, name: &str) -> Result<Vec<Vec<u8>>> {
        query::query_byte_weights(&mut self.source, &self.collations[name])
    }

    /// Returns a checksum of the weights of each block of a plane.
    fn checksums(&mut self, name: &str, plane: u32) -> Result<BTreeMap<u32, u64>> {
        let (weights, code_points) = (self.weight_string(name), query::plane_table(plane, 1));
        let query = format!(
            "SELECT n DIV {BLOCK}, BIT_XOR(CRC32(CONCAT(n, ' ', COALESCE(HEX({weights}), '')))) FROM {code_points} GROUP BY 1"
        );
        let rows: Vec<(u32, u64)> = self.query(&query, name)?;
        Ok(rows.into_iter().collect())
    }

    fn weights(&mut self, name: &str, block: u32) -> Result<Vec<WeighedCodePoint>> {
        let (weights, code_points) = (self.weight_string(name), query::plane_table((block * BLOCK) >> 16, 1));
        let first = block * BLOCK;
        let query = format!(
            "SELECT n, {weights} FROM {code_points} WHERE n BETWEEN {first} AND {} ORDER BY n",
            first + BLOCK - 1
        );
        self.query(&query, name)
    }

    fn weight_string(&self, name: &str) -> String {
        let local = &self.collations[name];
        let charset = server::collation_charset(local);
        format!(
            "WEIGHT_STRING(CONVERT(CAST(CHAR(n USING utf32) AS CHAR CHARACTER SET utf32) USING {charset}) COLLATE `{local}`)"
        )
    }

    fn query<T: mysql::prelude::FromRow>(&mut self, query: &str, name: &str) -> Result<Vec<T>> {
        let title = self.source.title();
        self.source.conn.query(query).with_context(|| format!("asking {title} for the weights of {name}"))
    }
}

/// Formats code points as ranges: `U+0041-0043 U+1F600`.
fn format_ranges(code_points: &[u32], limit: usize) -> String {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &code_point in code_points {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == code_point => *last = code_point,
            _ => ranges.push((code_point, code_point)),
        }
    }
    let format = |&(first, last): &(u32, u32)| match first == last {
        true => format!("U+{first:04X}"),
        false => format!("U+{first:04X}-{last:04X}"),
    };
    let listed: Vec<String> = ranges.iter().take(limit).map(format).collect();
    let more = if ranges.len() > limit { " …" } else { "" };
    listed.join(" ") + more
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adjacent_code_points_are_a_range() {
        assert_eq!(format_ranges(&[0x41, 0x42, 0x43, 0x1F600], 6), "U+0041-0043 U+1F600");
        assert_eq!(format_ranges(&[0x41, 0x43], 1), "U+0041 …");
    }
}
