//! `cargo xtask case`: derives the tables of `UPPER` and `LOWER` from running servers.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use mysql::prelude::Queryable;
use mysql_collation::Charset;

use crate::query::{PLANES, plane_table};
use crate::servers::Source;

#[derive(clap::Args)]
pub struct Arguments {
    /// MySQL to query, named as for `weigh`
    #[arg(long, default_value = "mysql@sid")]
    mysql: String,
    /// MariaDB to query, named as for `weigh`
    #[arg(long, default_value = "mariadb@trixie")]
    mariadb: String,
}

/// Collations whose `UPPER` and `LOWER` differ, by the names of the library's sets, in the order of
/// their bits. `true`: on MariaDB.
///
/// The results were the same on MySQL 5.6.24, 5.7.22, 8.0.12 and 9.7.4, and on MariaDB 10.11.18 and
/// 11.8.9.
const SETS: [(&str, &str, bool); 13] = [
    ("LEGACY", "utf8mb4_general_ci", false),
    ("UCA520", "utf8mb4_unicode_520_ci", true),
    ("UCA900", "utf8mb4_0900_ai_ci", false),
    ("UCA1400", "utf8mb4_uca1400_ai_ci", true),
    ("GB18030", "gb18030_chinese_ci", false),
    ("BIG5", "big5_chinese_ci", false),
    ("UJIS", "ujis_japanese_ci", false),
    ("EUCJPMS", "eucjpms_japanese_ci", false),
    ("SJIS", "sjis_japanese_ci", false),
    ("CP932", "cp932_japanese_ci", false),
    ("EUCKR", "euckr_korean_ci", false),
    ("GB2312", "gb2312_chinese_ci", false),
    ("GBK", "gbk_chinese_ci", false),
];

/// 8-bit collations whose `UPPER` and `LOWER` differ from those of their character sets.
const OWN_CASES: [&str; 2] = ["latin2_czech_cs", "cp1250_czech_cs"];

const FUNCTIONS: [&str; 2] = ["UPPER", "LOWER"];

/// For each pair of a code point and its other case, the sets with this pair, as bits.
type Mappings = BTreeMap<(u32, u32), u16>;

/// Code points `first`, `first + step`, … `last`. The other case of each is as far from `to` as the
/// code point is from `first`.
#[derive(Clone, Copy)]
struct Run {
    first: u32,
    last: u32,
    step: u32,
    to: u32,
    sets: u16,
}

pub fn run(arguments: &Arguments) -> Result<()> {
    let mut mysql = Source::open(&arguments.mysql)?;
    let mut mariadb = Source::open(&arguments.mariadb)?;
    let mut file = format!("// Written by `cargo xtask case` from {} and {}.\n", mysql.title(), mariadb.title());
    for (bit, (name, collation, _)) in SETS.iter().enumerate() {
        let value = 1 << bit;
        writeln!(file, "\n/// As in `{collation}`.\npub(super) const {name}: u16 = {value:#06X};")?;
    }
    for function in FUNCTIONS {
        let mut mappings = Mappings::new();
        for (bit, (_, collation, is_mariadb)) in SETS.iter().enumerate() {
            let source = if *is_mariadb { &mut mariadb } else { &mut mysql };
            for pair in query_mappings(source, function, collation)? {
                *mappings.entry(pair).or_default() |= 1 << bit;
            }
        }
        let runs = runs(&mappings);
        println!("{function}: {} code points in {} runs", mappings.len(), runs.len());
        writeln!(
            file,
            "\n/// Code points that `{function}` changes.\npub(super) static {function}: [Run; {}] = [",
            runs.len()
        )?;
        for Run { first, last, step, to, sets } in runs {
            writeln!(file, "    run({first:#X}, {last:#X}, {step}, {to:#X}, {sets:#X}),")?;
        }
        file.push_str("];\n");
    }
    write_bytes(&mut mysql, &mut file)?;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine/mysql-collation/src/charset/generated/case.rs");
    fs::write(&path, file).with_context(|| format!("writing {}", path.display()))
}

/// Returns the code points that a function changes, each with its result.
fn query_mappings(source: &mut Source, function: &str, collation: &str) -> Result<Vec<(u32, u32)>> {
    let charset = collation.split('_').next().unwrap_or_default();
    let planes = if charset.starts_with("utf") || charset == "gb18030" { PLANES } else { 1 };
    let mut pairs = Vec::new();
    for plane in 0..planes {
        let character = format!("CONVERT(CAST(CHAR(n USING utf32) AS CHAR CHARACTER SET utf32) USING {charset})");
        // MySQL cuts a result that is longer than the text. Spaces make room for it.
        let other = format!("LEFT({function}(CONCAT({character}, '    ') COLLATE {collation}), 1)");
        let query = format!(
            "SELECT n, CONV(HEX(CONVERT({other} USING utf32)), 16, 10) u FROM {} HAVING u <> n AND u <> 63",
            plane_table(plane, 1)
        );
        let rows: Vec<(u32, u32)> = source
            .conn
            .query(query)
            .with_context(|| format!("asking {} for {function} of {collation}", source.title()))?;
        pairs.extend(rows);
    }
    Ok(pairs)
}

/// Joins neighbours with equal sets and distances. No code point of another run is inside of a run.
fn runs(mappings: &Mappings) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut previous = None;
    for (&(from, to), &sets) in mappings {
        let step = previous.map_or(0, |previous| from - previous);
        previous = Some(from);
        if let Some(run) = runs.last_mut()
            && run.sets == sets
            && from.wrapping_sub(run.first) == to.wrapping_sub(run.to)
            && matches!(step, 1 | 2)
            && (run.first == run.last || run.step == step)
        {
            run.last = from;
            run.step = step;
            continue;
        }
        runs.push(Run { first: from, last: from, step: 1, to, sets });
    }
    runs
}

/// Writes the bytes that the functions change in 8-bit character sets.
fn write_bytes(source: &mut Source, file: &mut String) -> Result<()> {
    let is_8_bit = |charset: &Charset| charset.max_bytes() == 1 && *charset != Charset::Binary;
    let charsets: Vec<Charset> = Charset::ALL.into_iter().filter(is_8_bit).collect();
    let names: Vec<(String, String)> = charsets
        .iter()
        .map(|charset| (charset.name().to_owned(), format!("{charset}_bin")))
        .chain(OWN_CASES.map(|name| (name.to_owned(), name.to_owned())))
        .collect();
    file.push_str(
        "\n/// Bytes that `UPPER` and `LOWER` change, each before its result, by character set or collation.\n",
    );
    writeln!(file, "pub(super) static BYTES: [(&str, [&[u8]; 2]); {}] = [", names.len())?;
    for (name, collation) in names {
        let charset = collation.split('_').next().unwrap_or_default();
        let mut fields = Vec::new();
        for function in FUNCTIONS {
            let calls = (0..256)
                .map(|byte| format!("SELECT {byte} n, HEX({function}(_{charset} x'{byte:02x}' COLLATE {collation}))"));
            let rows: Vec<(u8, String)> =
                source.conn.query(calls.collect::<Vec<_>>().join(" UNION ALL ") + " ORDER BY n")?;
            let mut field = String::from("b\"");
            for (byte, other) in rows {
                if u8::from_str_radix(&other, 16)? != byte {
                    write!(field, "\\x{byte:02X}\\x{other}")?;
                }
            }
            fields.push(field + "\"");
        }
        writeln!(file, "    (\"{name}\", [{}]),", fields.join(", "))?;
    }
    file.push_str("];\n");
    Ok(())
}
