//! The collations of a server, with their attributes, as the source of a Rust array.

use std::fmt::Write;

use anyhow::{Context, Result};
use mysql::prelude::Queryable;
use server::CollationInfo;

use crate::servers::Source;

/// The catalogue of a server.
pub fn read(source: &mut Source) -> Result<String> {
    let mut text = format!("// Written by `cargo xtask tables` from {}.\n[\n", source.title());
    for collation in source.server.collations()? {
        let flavour = match source.server.flavour() {
            server::Flavour::MySql => "MySql",
            server::Flavour::MariaDb => "MariaDb",
        };
        let pad = if pads(source, &collation)? { "PadSpace" } else { "NoPad" };
        let CollationInfo { name, charset, id, is_default } = &collation;
        let is_default = *is_default || *name == "utf8mb4_uca1400_ai_ci" && flavour == "MariaDb";
        writeln!(
            text,
            "    info({flavour}, {id}, {name:?}, {charset:?}, {pad}, {}, {is_default}, {}),",
            levels(name),
            is_binary(name)
        )?;
    }
    text.push_str("]\n");
    Ok(text)
}

/// Whether trailing spaces don't count: asked, as only MySQL lists it.
fn pads(source: &mut Source, collation: &CollationInfo) -> Result<bool> {
    let CollationInfo { name, charset, .. } = collation;
    let converted = |text| format!("CONVERT(_latin1 '{text}' USING `{charset}`)");
    let query = format!("SELECT {} = {} COLLATE `{name}`", converted("a"), converted("a "));
    let equal: Option<u8> =
        source.conn.query_first(&query).with_context(|| format!("asking {name} whether it pads"))?;
    Ok(equal == Some(1))
}

fn is_binary(name: &str) -> bool {
    name == "binary" || name.ends_with("_bin")
}

/// The levels, by the name: only collations of UCA 9 and 14 and MariaDB's `thai_520_w2` have more than the primary.
fn levels(name: &str) -> &'static str {
    if name.ends_with("_w2") {
        return "Levels::ACCENTS";
    }
    let several = name.contains("_0900_") || name.contains("uca1400_");
    match name.rsplit_once("_a") {
        _ if !several => "Levels::PRIMARY",
        Some((_, "s_cs_ks")) => "Levels::KANA",
        Some((_, "s_cs")) => "Levels::ACCENTS_CASE",
        Some((_, "s_ci")) => "Levels::ACCENTS",
        Some((_, "i_cs")) => "Levels::CASE",
        _ => "Levels::PRIMARY",
    }
}
