//! The table of docs/results/applications.md.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::Results;
use super::convert::{Charset, Outcome};
use super::list::Package;
use super::source::Script;
use super::upgrade::Rehearsed;

const HEAD: &str = "# Schemas of applications\n\n\
    Written by `cargo xtask apps`: schemas from Debian, and from Maven's central repository (M), as \
    their installers load them, with about 40 made-up rows a table.\n\n\
    **Converted**: `weigh preflight` to the newest collation of the server, its plan run by the client. \
    \"yes\" means that every column has the collation that was meant, definitions and rows are what they \
    were but for what preflight had said, and preflight finds no error and no warning afterwards. The schemas are loaded \
    as they are, or without their own character sets into schemas in latin1 or utf8mb3. \
    \"–\" means that the server refuses the application's own files.\n\n\
    **Upgraded**, FROM → TO: findings of `weigh upgrade`. Servers and upgrades without a column were not tried.\n\n";

/// Returns the page.
pub fn to_markdown(scripts: &[Script], results: &Results) -> String {
    let Results { conversions, upgrades } = results;
    let servers = unique(conversions.iter().map(|outcome| outcome.server.as_str()));
    let pairs = unique(upgrades.iter().map(|upgrade| upgrade.pair.as_str()));
    let mut text = HEAD.to_owned();
    let _ = writeln!(text, "In each cell: {}. Versions: {}.\n", charsets(conversions), versions(conversions));
    text += "| application | version | tables | text columns | rows |";
    for column in servers.iter().chain(&pairs) {
        let _ = write!(text, " {} |", column.replace(':', " → "));
    }
    let _ = write!(text, "\n| --- | --- | ---: | ---: | ---: |{}\n", " --- |".repeat(servers.len() + pairs.len()));
    for script in scripts {
        let app = script.app.name;
        let own = |outcome: &&Outcome| outcome.app == app;
        let size = |count: fn(&Outcome) -> usize| conversions.iter().filter(own).map(count).max().unwrap_or(0);
        let mark = if matches!(script.app.package, Package::Maven { .. }) { " (M)" } else { "" };
        let _ = write!(
            text,
            "| {app}{mark} | {} | {} | {} | {} |",
            script.version,
            size(|outcome| outcome.tables),
            size(|outcome| outcome.columns),
            size(|outcome| outcome.rows)
        );
        for server in &servers {
            let cells: Vec<String> =
                conversions.iter().filter(own).filter(|outcome| outcome.server == *server).map(conversion).collect();
            let _ = write!(text, " {} |", cells.join(", "));
        }
        for pair in &pairs {
            let upgrade = upgrades.iter().find(|upgrade| upgrade.app == app && upgrade.pair == *pair);
            let _ = write!(text, " {} |", upgrade.map_or(String::new(), findings));
        }
        text.push('\n');
    }
    text + &reasons(conversions)
}

fn unique<'t>(names: impl Iterator<Item = &'t str>) -> Vec<&'t str> {
    let mut seen = Vec::new();
    for name in names {
        if !seen.contains(&name) {
            seen.push(name);
        }
    }
    seen
}

fn charsets(conversions: &[Outcome]) -> String {
    unique(conversions.iter().map(|outcome| charset_name(outcome.charset))).join(", ")
}

fn charset_name(charset: Charset) -> &'static str {
    match charset {
        Charset::Own => "as it is",
        Charset::Latin1 => "from latin1",
        Charset::Utf8mb3 => "from utf8mb3",
    }
}

fn versions(conversions: &[Outcome]) -> String {
    unique(conversions.iter().map(|outcome| outcome.version.as_str())).join(", ")
}

fn conversion(outcome: &Outcome) -> String {
    match outcome {
        Outcome { unloaded: Some(_), .. } => "–".into(),
        outcome if !outcome.failures().is_empty() => "**no**".into(),
        outcome if !outcome.refused.is_empty() => format!("{} refused", outcome.refused.len()),
        Outcome { converted: 0, .. } => "nothing to convert".into(),
        _ => "yes".into(),
    }
}

fn findings(upgrade: &Rehearsed) -> String {
    let kinds = ["breaks", "slower", "differs", "next_migration", "fails_already"];
    let count = |kind: &&str| match upgrade.findings.iter().filter(|(own, _)| own == kind).count() {
        0 => None,
        count => Some(format!("{count} {}", kind.replace('_', " "))),
    };
    match kinds.iter().filter_map(count).collect::<Vec<_>>().join(", ") {
        text if text.is_empty() => "0".into(),
        text => text,
    }
}

/// Lists what failed, what was refused, and why a schema wasn't loaded.
fn reasons(conversions: &[Outcome]) -> String {
    let mut lines = BTreeSet::new();
    for outcome in conversions {
        let charset = charset_name(outcome.charset);
        let place = format!("{}, {} {charset}", outcome.app, outcome.server);
        if let Some(error) = &outcome.unloaded {
            let error = error.lines().find(|line| line.starts_with("ERROR")).unwrap_or(error);
            lines.insert(format!("- {place}: not loaded: {error}\n"));
        }
        lines.extend(outcome.refused.iter().map(|refused| format!("- {place}: {refused}\n")));
        lines.extend(outcome.failures().into_iter().map(|failure| format!("- **{failure}**\n")));
    }
    match lines.is_empty() {
        true => String::new(),
        false => format!("\n## Refused, and why\n{}", lines.into_iter().collect::<String>()),
    }
}
