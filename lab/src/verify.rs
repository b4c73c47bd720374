//! `cargo xtask verify`: compares the library with running servers.

mod checks;
mod equal_weights;
mod faults;
mod ill_formed;
mod random;
mod session;
mod texts;
pub mod vectors;

use std::collections::BTreeMap;
use std::io::Write;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};
use indicatif::ProgressBar;
use mysql_collation::oracle::instruction_sets;
use mysql_collation::{Charset, Collation, Flavour, Pad};

use crate::servers::Source;
pub use checks::{Outcome, query_like, quote_collation};
pub use faults::is_unfollowed;
pub use random::Random;
pub use session::{Session, TextPair, hex};
pub use texts::Texts;

#[derive(clap::Args)]
pub struct Arguments {
    /// Server, named as for `weigh`; may be repeated [default: mariadb@trixie and mysql@sid, with
    /// --full mariadb@bookworm and mysql@5.6 too].
    #[arg(long)]
    server: Vec<String>,
    /// Compare all code points and, per collation and server, a million pairs and a hundred
    /// thousand patterns (a fifth of the pairs and patterns if the charset isn't UTF-8).
    #[arg(long)]
    full: bool,
    /// Verify only these collations.
    #[arg(long, value_parser = parse_collation)]
    collation: Vec<&'static str>,
    /// Verify only the collations of these charsets.
    #[arg(long, value_parser = parse_charset)]
    charset: Vec<Charset>,
    /// Pairs per collation and server.
    #[arg(long)]
    pairs: Option<usize>,
    /// Seed of the texts [default: the time].
    #[arg(long)]
    seed: Option<u64>,
    /// Instruction sets of the machine to verify: `avx512`, `avx2`, `sse2`, `neon`, `scalar`; may
    /// be repeated [default: all]. The server is queried once; each instruction set is compared
    /// with its results.
    #[arg(long)]
    instruction_set: Vec<String>,
}

fn parse_charset(name: &str) -> Result<Charset> {
    Charset::by_name(name).with_context(|| format!("there is no character set {name}"))
}

fn parse_collation(name: &str) -> Result<&'static str> {
    let found = Flavour::ALL.into_iter().find_map(|flavour| Collation::by_name(flavour, name).ok());
    found.map(|collation| collation.name()).with_context(|| format!("there is no collation {name}"))
}

#[derive(Clone, Copy)]
struct Amount {
    /// Step between code points.
    step: u32,
    pairs: usize,
    likes: usize,
    texts: usize,
    ill_formed: usize,
    /// Whether to check `LIKE` among characters of equal weights.
    equal_weights: bool,
}

impl Amount {
    /// For a collation whose weights are also checked under another one, so that only padding,
    /// levels and encoding remain; and for the collations of ucs2 and of the charsets with three or
    /// more bytes per character, except utf8mb4.
    const LEAST: Self = Self { step: 4001, pairs: 200, likes: 100, texts: 100, ill_formed: 20, equal_weights: false };

    fn brief(collation: Collation) -> Self {
        let info = collation.info();
        let is_sibling = info.pad == Pad::NoPad && info.flavour == Flavour::MariaDb
            || info.name.contains("uca1400") && !info.name.ends_with("as_cs")
            || info.name.contains("0900") && (!info.name.ends_with("as_cs") || info.flavour == Flavour::MariaDb);
        let is_first = matches!(collation.charset(), Charset::Utf8mb4) || collation.charset().max_bytes() <= 2;
        if is_first && !is_sibling && collation.charset() != Charset::Ucs2 {
            Self { step: 211, pairs: 2000, likes: 1000, texts: 500, ill_formed: 200, equal_weights: false }
        } else {
            Self::LEAST
        }
    }
}

const DEFAULT: Amount =
    Amount { step: 61, pairs: 4000, likes: 2000, texts: 2000, ill_formed: 1000, equal_weights: true };
const FULL: Amount =
    Amount { step: 1, pairs: 1_000_000, likes: 100_000, texts: 100_000, ill_formed: 20_000, equal_weights: true };
const FULL_NOT_UTF8: Amount = Amount { pairs: 200_000, likes: 20_000, texts: 20_000, ..FULL };

/// Verifies, prints the differences, and returns `false` if any was found.
pub fn run(arguments: &Arguments) -> Result<bool> {
    let instruction_sets = resolve_instruction_sets(&arguments.instruction_set)?;
    let amount_of = |collation: Collation| {
        let amount = match collation.charset() {
            _ if !arguments.full => DEFAULT,
            Charset::Utf8mb3 | Charset::Utf8mb4 => FULL,
            _ => FULL_NOT_UTF8,
        };
        Amount { pairs: arguments.pairs.unwrap_or(amount.pairs), ..amount }
    };
    let is_wanted = |collation: Collation| {
        let (names, charsets) = (&arguments.collation, &arguments.charset);
        (names.is_empty() || names.contains(&collation.name()))
            && (charsets.is_empty() || charsets.contains(&collation.charset()))
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs());
    let seed = arguments.seed.unwrap_or(now);
    let defaults = ["mariadb@trixie", "mysql@sid", "mariadb@bookworm", "mysql@5.6"];
    let specs = match &arguments.server[..] {
        [] => defaults[..if arguments.full { 4 } else { 2 }].iter().map(|&spec| spec.to_owned()).collect(),
        specs => specs.to_vec(),
    };
    println!("--seed {seed}, {}", instruction_sets.join(", "));
    let mut all = ServerOutcome::default();
    for spec in specs {
        let of_server = verify_server(&spec, is_wanted, amount_of, seed, &instruction_sets, &mut std::io::stdout())?;
        all.collations += of_server.collations;
        all.differences += of_server.differences;
    }
    ensure!(all.collations > 0, "no server has a collation of these names and character sets");
    println!("{} collations, {} differences", all.collations, all.differences);
    Ok(all.differences == 0)
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ServerOutcome {
    pub collations: usize,
    pub differences: usize,
}

fn resolve_instruction_sets(names: &[String]) -> Result<Vec<&'static str>> {
    if names.is_empty() {
        return Ok(instruction_sets().collect());
    }
    let known = |name: &String| {
        let found = instruction_sets().find(|known| known == name);
        found.with_context(|| format!("this machine has no instruction set {name}"))
    };
    names.iter().map(known).collect()
}

/// Verifies every collation of a server with fewer texts than [`run`], the same each time, and only
/// with the machine's best instruction set. The library's own tests cover the other instruction
/// sets.
pub fn verify_briefly(spec: &str, out: &mut dyn Write) -> Result<ServerOutcome> {
    const SEED: u64 = 20_261_121;
    let best: Vec<&str> = instruction_sets().take(1).collect();
    verify_server(spec, |_| true, Amount::brief, SEED, &best, out)
}

fn verify_server(
    spec: &str,
    is_wanted: impl Fn(Collation) -> bool,
    amount_of: impl Fn(Collation) -> Amount,
    seed: u64,
    instruction_sets: &[&'static str],
    out: &mut dyn Write,
) -> Result<ServerOutcome> {
    let mut source = Source::open(spec)?;
    writeln!(out, "{}", source.title())?;
    writeln!(
        out,
        "{:34} {:>11} {:>8} {:>9} {:>8} {:>8} {:>10} {:>11}",
        "collation", "code points", "strings", "pairs", "keys", "LIKE", "ill-formed", "differences"
    )?;
    let mut session = Session::new(&mut source, instruction_sets)?;
    let mut by_charset: BTreeMap<&str, (Charset, Vec<Collation>)> = BTreeMap::new();
    for collation in session.collations()? {
        if is_wanted(collation) {
            let charset = collation.charset();
            by_charset.entry(charset.name()).or_insert((charset, Vec::new())).1.push(collation);
        }
    }
    let mut verified = ServerOutcome::default();
    let progress = ProgressBar::new_spinner();
    progress.enable_steady_tick(Duration::from_millis(200));
    for (charset, collations) in by_charset.into_values() {
        progress.set_message(format!("loading strings in {}", charset.name()));
        let mut texts = Texts::new(seed, charset);
        let amounts = collations.iter().map(|&collation| amount_of(collation));
        let Some(amount) = amounts.max_by_key(|amount| amount.pairs) else { continue };
        let pairs: Vec<TextPair> = (0..amount.pairs).map(|_| texts.pair()).collect();
        let likes: Vec<TextPair> = (0..amount.likes).map(|_| texts.like()).collect();
        session.load("pairs", charset, &pairs)?;
        session.load("likes", charset, &likes)?;
        let ill_formed_pairs: Vec<TextPair> = (0..amount.ill_formed).map(|_| texts.ill_formed()).collect();
        for collation in collations {
            progress.set_message(collation.info().name);
            let amount = amount_of(collation);
            let pairs = &pairs[..amount.pairs.min(pairs.len())];
            let likes = &likes[..amount.likes.min(likes.len())];
            let of_code_points = checks::compare_code_points(&mut session, collation, amount.step)?;
            let texts = &pairs[..amount.texts.min(pairs.len())];
            let of_texts = checks::compare_texts(&mut session, collation, "pairs", texts)?;
            let of_pairs = checks::compare_pairs(&mut session, collation, "pairs", pairs)?;
            let of_keys = checks::check_keys(&session, collation, texts);
            let mut of_likes = checks::compare_likes(&mut session, collation, "likes", likes)?;
            if amount.equal_weights {
                of_likes.add(equal_weights::check(&mut session, collation, amount.step)?);
            }
            let of_ill_formed = ill_formed::check(
                &mut session,
                collation,
                &ill_formed_pairs[..amount.ill_formed.min(ill_formed_pairs.len())],
            )?;
            let all = [of_code_points, of_texts, of_pairs, of_keys, of_likes, of_ill_formed];
            verified.collations += 1;
            verified.differences += progress.suspend(|| write_line(out, collation, &all))?;
        }
    }
    progress.finish_and_clear();
    Ok(verified)
}

/// Writes a collation's line and its differences; returns the number of differences.
fn write_line(out: &mut dyn Write, collation: Collation, all: &[Outcome; 6]) -> Result<usize> {
    let wrong = all.iter().map(|outcome| outcome.wrong).sum();
    write!(out, "{:34}", collation.info().name)?;
    for (outcome, width) in all.iter().zip([11, 8, 9, 8, 8, 10]) {
        write!(out, " {:>width$}", outcome.compared)?;
    }
    writeln!(out, " {wrong:>11}")?;
    for (outcome, what) in all.iter().zip(["code points", "strings", "pairs", "keys", "LIKE", "ill-formed"]) {
        if outcome.wrong > 0 {
            writeln!(out, "    {} of {} {what} differ", outcome.wrong, outcome.compared)?;
        }
        for example in &outcome.examples {
            writeln!(out, "        {example}")?;
        }
    }
    out.flush()?;
    Ok(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_only_instruction_sets_of_the_machine() {
        assert_eq!(resolve_instruction_sets(&["scalar".to_owned()]).unwrap(), ["scalar"]);
        assert!(resolve_instruction_sets(&[]).unwrap().contains(&"scalar"));
        assert!(resolve_instruction_sets(&["altivec".to_owned()]).unwrap_err().to_string().contains("altivec"));
    }

    #[test]
    fn accepts_only_names_of_the_library() {
        assert_eq!(parse_charset("utf8").unwrap(), Charset::Utf8mb3);
        assert_eq!(parse_collation("UCA1400_ai_ci").unwrap(), "utf8mb4_uca1400_ai_ci");
        assert!(parse_charset("utf8mb5").is_err() && parse_collation("utf8mb4_genral_ci").is_err());
    }
}
