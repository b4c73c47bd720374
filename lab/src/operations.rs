//! `cargo xtask operations`: compares with running servers what `cargo xtask verify` leaves out:
//! ranges, searches, case, groups, prefix indexes, strings between strings, and the collations of
//! each version.

mod catalogue;
mod checks;
mod ranges;
mod rows;

use std::collections::BTreeMap;
use std::io::Write;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};
use mysql_collation::{Charset, Collation, ServerVersion};

use crate::servers::Source;
use crate::verify::{Outcome, Random, ServerOutcome, Session, Texts};
use rows::Rows;

#[derive(clap::Args)]
pub struct Arguments {
    /// Server, named as for `weigh`; may be repeated [default: mysql@5.6, mysql@5.7, mysql@8.0,
    /// mysql@sid, mariadb@bookworm and mariadb@trixie].
    #[arg(long)]
    server: Vec<String>,
    /// Collations per server, chosen by the seed.
    #[arg(long, default_value_t = 60)]
    collations: usize,
    /// Strings per operation and collation.
    #[arg(long, default_value_t = 1000)]
    strings: usize,
    /// Seed of the choice and of the strings [default: the time].
    #[arg(long)]
    seed: Option<u64>,
}

/// Verifies, prints the differences, and returns `false` if any was found.
pub fn run(arguments: &Arguments) -> Result<bool> {
    let defaults = ["mysql@5.6", "mysql@5.7", "mysql@8.0", "mysql@sid", "mariadb@bookworm", "mariadb@trixie"];
    let specs = match &arguments.server[..] {
        [] => defaults.map(str::to_owned).to_vec(),
        specs => specs.to_vec(),
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs());
    let seed = arguments.seed.unwrap_or(now);
    println!("--seed {seed}");
    let mut differences = 0;
    for spec in specs {
        let amount = Amount { collations: arguments.collations, strings: arguments.strings };
        differences += verify_operations(&spec, amount, seed, &mut std::io::stdout())?.differences;
    }
    println!("{differences} differences");
    Ok(differences == 0)
}

#[derive(Clone, Copy)]
pub struct Amount {
    pub collations: usize,
    pub strings: usize,
}

/// A check of one operation of one collation.
type Check = fn(&mut Session<'_>, Collation, ServerVersion, &Rows) -> Result<Outcome>;

const CHECKS: [(&str, Check); 11] = [
    ("bytewise", checks::compare_bytewise),
    ("LIKE ranges", ranges::compare_like_ranges),
    ("starts_with", ranges::compare_prefixes),
    ("between", ranges::check_split_order),
    ("LOCATE", checks::compare_locate),
    ("REPLACE", checks::compare_replace),
    ("UPPER, LOWER", checks::compare_case),
    ("AS CHAR(n)", checks::compare_padded_weights),
    ("groups", checks::compare_groups),
    ("prefix index", checks::compare_prefix_index),
    ("row keys", checks::compare_row_keys),
];

/// Compares the operations in random collations of a server.
pub fn verify_operations(spec: &str, amount: Amount, seed: u64, out: &mut dyn Write) -> Result<ServerOutcome> {
    let mut source = Source::open(spec)?;
    let title = source.title();
    let version: ServerVersion = format!("{}-{}", source.server.version(), source.flavour())
        .parse()
        .with_context(|| format!("reading the version of {title}"))?;
    writeln!(out, "{title}")?;
    let mut session = Session::new(&mut source, &[])?;
    let mut verified = ServerOutcome::default();
    let of_catalogue = catalogue::compare(&mut session, version)?;
    verified.differences += write_outcome(out, "catalogue", "versions", &of_catalogue)?;
    let all = session.collations()?;
    ensure!(!all.is_empty(), "{title} has no collation of the library");
    let mut by_charset: BTreeMap<Charset, Vec<Collation>> = BTreeMap::new();
    for collation in choose(all, amount.collations, seed) {
        by_charset.entry(collation.charset()).or_default().push(collation);
    }
    let mut compared = of_catalogue.compared;
    for (charset, collations) in by_charset {
        let rows = Rows::load(&mut session, &mut Texts::new(seed, charset), charset, amount.strings)?;
        for collation in collations {
            verified.collations += 1;
            for (name, check) in CHECKS {
                let outcome = check(&mut session, collation, version, &rows)
                    .with_context(|| format!("{name} of {collation} on {title}"))?;
                compared += outcome.compared;
                verified.differences += write_outcome(out, collation.name(), name, &outcome)?;
            }
        }
    }
    writeln!(out, "    {} collations, {compared} results, {} differences", verified.collations, verified.differences)?;
    Ok(verified)
}

/// Chooses `count` collations at random, or all.
fn choose(mut all: Vec<Collation>, count: usize, seed: u64) -> Vec<Collation> {
    let mut random = Random::new(seed);
    while all.len() > count {
        all.swap_remove(random.below(all.len()));
    }
    all
}

/// Writes the differences of a check, and returns their number.
fn write_outcome(out: &mut dyn Write, collation: &str, name: &str, outcome: &Outcome) -> Result<usize> {
    if outcome.wrong > 0 {
        writeln!(out, "    {collation}: {} of {} {name} differ", outcome.wrong, outcome.compared)?;
        for example in &outcome.examples {
            writeln!(out, "        {example}")?;
        }
        out.flush()?;
    }
    Ok(outcome.wrong)
}
