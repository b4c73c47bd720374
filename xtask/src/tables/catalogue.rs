//! The collations of a server, with their attributes, as the source of a Rust array and of constants.

use std::fmt::Write;

use anyhow::{Context, Result};
use mysql::prelude::Queryable;
use server::CollationInfo;

use super::legacy::WHOLE_TEXTS;
use crate::servers::Source;

/// The catalogue of a server: a row of source for each collation.
pub fn read(source: &mut Source) -> Result<String> {
    let mut text = format!("// Written by `cargo xtask tables` from {}.\n[\n", source.title());
    let flavour = variant(source);
    for collation in source.server.collations()? {
        let pad = if pads(source, &collation)? { "PadSpace" } else { "NoPad" };
        let levels = levels(source, &collation)?;
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

/// A module with a constant for each collation of a server that is for UTF-8.
pub fn constants(source: &mut Source) -> Result<String> {
    let (flavour, title) = (variant(source), source.server.flavour());
    let mut text = format!(
        "//! The collations of {title} for UTF-8, as constants: a program that takes one from here links its table and no other.\n\
         //!\n\
         //! Written by `cargo xtask tables`.\n\n\
         use crate::descriptor::handles;\n\n\
         handles! {{\n    {flavour}, \"{title}\";\n"
    );
    let all = source.server.collations()?;
    for CollationInfo { name, id, .. } in all.iter().filter(|collation| collation.charset.starts_with("utf8")) {
        writeln!(text, "    {} = {id};", name.to_uppercase())?;
    }
    text.push_str("}\n");
    Ok(text)
}

/// How the library calls the server's flavour.
fn variant(source: &Source) -> &'static str {
    match source.server.flavour() {
        server::Flavour::MySql => "MySql",
        server::Flavour::MariaDb => "MariaDb",
    }
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

/// Two texts that differ at one level, if a collation has it, and two letters that differ before that level.
const DIFFERENCES: [([&str; 2], [&str; 2]); 3] =
    [(["x", "x\u{331}"], ["a", "b"]), (["x", "X"], ["a", "b"]), (["あ", "ア"], ["a", "A"])];

/// The levels at which a collation compares, as the library calls them. It has a level if what differs there is settled by a later
/// difference at a level before: under `0900_as_cs`, `xb` comes after `Xa`, and `xa` before `Xb`, whichever of `x` and `X` comes first.
fn levels(source: &mut Source, collation: &CollationInfo) -> Result<&'static str> {
    let CollationInfo { name, charset, .. } = collation;
    // The library compares keys of these, which have one level.
    if WHOLE_TEXTS.iter().any(|whole| name.replace("nopad_", "") == **whole) {
        return Ok("PRIMARY");
    }
    let order = |one: &str, other: &str| {
        format!(
            "STRCMP(CONVERT(_utf8mb4 '{one}' USING `{charset}`) COLLATE `{name}`, CONVERT(_utf8mb4 '{other}' USING `{charset}`))"
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
