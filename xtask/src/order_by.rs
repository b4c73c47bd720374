//! `cargo xtask order-by`: what sorting and grouping a million values cost a server's ORDER BY and GROUP BY, the engine, and `weigh sort`.

mod figures;
mod rows;
mod values;
mod weigh;

use std::hint::black_box;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, ensure};
use drive::own_cpu;
use indicatif::ProgressBar;
use mysql_collation::{Collation, Flavour, LookupError};

use crate::servers::Source;
use figures::{Cell, Round};
use rows::Rows;
use values::Values;
use weigh::Weigh;

/// What is sorted, where, and how often.
#[derive(clap::Args)]
pub struct Arguments {
    /// A server that can be started here, as `weigh` names them; can be given several times [default: mysql@sid and mariadb@trixie].
    #[arg(long)]
    server: Vec<String>,
    /// A collation of utf8mb4; can be given several times [default: utf8mb4_general_ci and the flavour's own: utf8mb4_0900_ai_ci,
    /// utf8mb4_uca1400_ai_ci].
    #[arg(long)]
    collation: Vec<String>,
    /// What is sorted; can be given several times [default: c].
    #[arg(long, value_enum)]
    values: Vec<Values>,
    /// Rows of the table.
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(1000..))]
    rows: u32,
    /// Rounds, in each of which everything is timed once.
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(6..))]
    rounds: u32,
    /// The command `weigh` [default: the one that was built beside this].
    #[arg(long)]
    weigh: Option<PathBuf>,
}

/// Measures, and prints a block for each server and collation as soon as it has been measured.
pub fn run(arguments: &Arguments) -> Result<()> {
    let weigh = match &arguments.weigh {
        Some(path) => Some(path.clone()),
        None => weigh::beside_this(),
    };
    figures::head(&mut stdout(), arguments.rounds)?;
    if weigh.is_none() {
        println!("`weigh sort` is not timed: build it with `cargo build --release -p weigh`, or name it by --weigh");
    }
    let specs = match &arguments.server[..] {
        [] => vec!["mysql@sid".to_owned(), "mariadb@trixie".to_owned()],
        specs => specs.to_vec(),
    };
    for spec in specs {
        let mut source = Source::open(&spec)?;
        for collation in collations(&source, &arguments.collation)? {
            for values in values::or_default(&arguments.values) {
                let what = What { collation, values, rows: arguments.rows };
                let cell = measure(&mut source, what, arguments.rounds, weigh.as_deref())?;
                figures::print(&mut stdout(), &cell)?;
            }
        }
    }
    Ok(())
}

/// The collations to measure on a server; of those that were asked for, the ones that its flavour has.
fn collations(source: &Source, asked: &[String]) -> Result<Vec<Collation>> {
    let flavour = source.flavour();
    if asked.is_empty() {
        let own = match flavour {
            Flavour::MySql => "utf8mb4_0900_ai_ci",
            Flavour::MariaDb => "utf8mb4_uca1400_ai_ci",
        };
        return Ok(vec![Collation::by_name(flavour, own)?, Collation::by_name(flavour, "utf8mb4_general_ci")?]);
    }
    let mut found = Vec::new();
    for name in asked {
        match Collation::by_name(flavour, name) {
            Ok(collation) => found.push(collation),
            Err(error @ LookupError::Unknown { .. }) => println!("\n{}: {error}", source.title()),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(found)
}

/// What is sorted and grouped.
#[derive(Clone, Copy)]
struct What {
    collation: Collation,
    values: Values,
    rows: u32,
}

/// Loads the rows under a collation, makes sure that server, engine and `weigh sort` give one order and as many groups, and times them in
/// rounds.
fn measure(source: &mut Source, what: What, rounds: u32, weigh: Option<&Path>) -> Result<Cell> {
    let What { collation, values, rows } = what;
    ensure!(collation.charset().name() == "utf8mb4", "{} is no collation of utf8mb4", collation.info().name);
    let progress = ProgressBar::new_spinner();
    progress.enable_steady_tick(Duration::from_millis(200));
    progress.set_message(format!("{}: loading {rows} rows", collation.info().name));
    let title = format!("{}, {}: {rows} {}", source.title(), collation.info().name, values.title());
    let mut table = Rows::load(source, collation.info().name, values, rows)?;
    let filesort = table.filesort()?;
    let values = table.values()?;
    // Equal ones by their bytes, as `weigh sort` has them.
    let mut sorted = values.clone();
    sorted.sort_unstable();
    collation.sort(&mut sorted);
    progress.set_message("holding the orders against one another");
    table.check_order(collation, &sorted)?;
    table.check_groups(groups(collation, &values).1)?;
    let weigh = weigh.map(|program| Weigh::new(program, collation, &values, &sorted)).transpose()?;
    let mut timed = Vec::new();
    for number in 1..=rounds {
        server::interrupt::check()?;
        progress.set_message(format!("{}: round {number} of {rounds}", collation.info().name));
        timed.push(round(number, &mut table, collation, &values, weigh.as_ref())?);
    }
    progress.finish_and_clear();
    stdout().flush()?;
    Ok(Cell { title, filesort, rounds: timed })
}

/// Everything once; the server's statements take turns in coming first.
fn round(
    number: u32,
    table: &mut Rows<'_>,
    collation: Collation,
    values: &[Vec<u8>],
    weigh: Option<&Weigh>,
) -> Result<Round> {
    let (scan, order_by, group_by);
    if number.is_multiple_of(2) {
        group_by = table.group_by()?;
        order_by = table.order_by()?;
        scan = table.scan()?;
    } else {
        scan = table.scan()?;
        order_by = table.order_by()?;
        group_by = table.group_by()?;
    }
    let engine = sort(collation, values);
    let argsort = timed(|| collation.column_argsort(column(values)));
    let groups = timed(|| groups(collation, values));
    let weigh = weigh.map(Weigh::sort).transpose()?;
    Ok(Round { scan, order_by, group_by, engine, argsort, groups, weigh })
}

fn column(values: &[Vec<u8>]) -> impl Iterator<Item = Option<&[u8]>> {
    values.iter().map(|value| Some(&value[..]))
}

/// The number of each value's group, and how many there are.
fn groups(collation: Collation, values: &[Vec<u8>]) -> (Vec<usize>, usize) {
    collation.column_groups(column(values))
}

/// CPU time of some work.
fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let begin = own_cpu();
    let done = black_box(work());
    let end = own_cpu();
    drop(done);
    end - begin
}

/// CPU time of the engine's sort of a copy.
fn sort(collation: Collation, values: &[Vec<u8>]) -> Duration {
    let mut copy = values.to_vec();
    timed(|| {
        collation.sort(black_box(&mut copy));
        copy
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All that is checked on the way is: the order, the groups, the kind of filesort, and that nothing was spilled.
    #[test]
    fn a_servers_order_by_is_measured_beside_the_engine() {
        let mut source = Source::open("mariadb@trixie").unwrap();
        let weigh = weigh::beside_this();
        for (collation, values) in collations(&source, &[]).unwrap().into_iter().zip([Values::C, Values::Scripts]) {
            let what = What { collation, values, rows: 20_000 };
            let cell = measure(&mut source, what, 6, weigh.as_deref()).unwrap();
            assert_eq!(cell.rounds.len(), 6);
            let mut text = Vec::new();
            figures::print(&mut text, &cell).unwrap();
            let text = String::from_utf8(text).unwrap();
            assert!(text.contains(collation.info().name) && text.contains("Collation::column_groups"), "{text}");
        }
    }
}
