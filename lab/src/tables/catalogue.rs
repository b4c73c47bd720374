//! Writes a server's collations and their attributes as Rust source: an array, and constants.

use std::fmt::Write;

use anyhow::{Context, Result};
use mysql::prelude::Queryable;
use server::CollationInfo;

use super::legacy::WHOLE_TEXTS;
use crate::servers::Source;

/// Returns the catalogue of a server, one row of source per collation.
pub fn write_catalogue(source: &mut Source) -> Result<String> {
    let mut text = format!("// Written by `cargo xtask tables` from {}.\n[\n", source.title());
    let flavour = flavour_name(source);
    for collation in source.server.read_collations()? {
        let pad = if query_pads(source, &collation)? { "PadSpace" } else { "NoPad" };
        let levels = query_levels(source, &collation)?;
        let CollationInfo { name, charset, id, is_default } = &collation;
        let is_default = *is_default || *name == "utf8mb4_uca1400_ai_ci" && flavour == "MariaDb";
        writeln!(
            text,
            "    info({flavour}, {id}, {name:?}, {charset:?}, {pad}, Levels::{levels}, {is_default}, {}),",
            is_binary(name)
        )?;
    }
    text.push_str("]\n");
    Ok(text)
}

/// Returns a module with a constant for each UTF-8 collation of a server.
pub fn write_constants(source: &mut Source) -> Result<String> {
    let (flavour, title) = (flavour_name(source), source.server.flavour());
    let mut text = format!(
        "//! The collations of {title} for UTF-8, as constants: a program that takes one from here links its table and no other.\n\
         //!\n\
         //! Written by `cargo xtask tables`.\n\n\
         use crate::api::handles::handles;\n\n\
         handles! {{\n    {flavour}, \"{title}\";\n"
    );
    let all = source.server.read_collations()?;
    for CollationInfo { name, id, .. } in all.iter().filter(|collation| collation.charset.starts_with("utf8")) {
        writeln!(text, "    {} = {id};", name.to_uppercase())?;
    }
    text.push_str("}\n");
    Ok(text)
}

/// Returns the library's name of the server's flavour.
fn flavour_name(source: &Source) -> &'static str {
    match source.server.flavour() {
        server::Flavour::MySql => "MySql",
        server::Flavour::MariaDb => "MariaDb",
    }
}

/// Returns `true` if trailing spaces are ignored. Compares strings, because only MySQL lists the
/// pad attribute.
fn query_pads(source: &mut Source, collation: &CollationInfo) -> Result<bool> {
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

/// For each level from the second on: two texts that differ at that level only, and two letters
/// that differ at an earlier level.
const DIFFERENCES: [([&str; 2], [&str; 2]); 3] =
    [(["x", "x\u{331}"], ["a", "b"]), (["x", "X"], ["a", "b"]), (["あ", "ア"], ["a", "A"])];

/// Determines the levels of a collation. It has a level if a difference there is overridden by a
/// later difference at an earlier level: under `0900_as_cs`, `xb` sorts after `Xa`, and `xa` before
/// `Xb`, whether `x` or `X` comes first.
fn query_levels(source: &mut Source, collation: &CollationInfo) -> Result<&'static str> {
    let CollationInfo { name, charset, .. } = collation;
    // The library compares texts under these collations by keys, which count as one level.
    if WHOLE_TEXTS.iter().any(|whole| name.replace("nopad_", "") == **whole) {
        return Ok("PRIMARY");
    }
    let order = |a: &str, b: &str| {
        format!(
            "STRCMP(CONVERT(_utf8mb4 '{a}' USING `{charset}`) COLLATE `{name}`, CONVERT(_utf8mb4 '{b}' USING `{charset}`))"
        )
    };
    let settled = DIFFERENCES.map(|([x, y], [a, b])| {
        format!(
            "{} AND {} = 1 AND {} = -1",
            order(x, y),
            order(&format!("{x}{b}"), &format!("{y}{a}")),
            order(&format!("{x}{a}"), &format!("{y}{b}"))
        )
    });
    let query = format!("SELECT {}", settled.join(", "));
    let has: Option<(bool, bool, bool)> =
        source.conn.query_first(&query).with_context(|| format!("asking {name} for its levels"))?;
    Ok(match has.with_context(|| format!("{name} has no levels"))? {
        (false, false, _) => "PRIMARY",
        (true, false, _) => "ACCENTS",
        (false, true, _) => "CASE",
        (true, true, false) => "ACCENTS_CASE",
        (true, true, true) => "KANA",
    })
}
