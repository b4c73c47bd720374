//! `cargo xtask order-by`: times sorting and grouping a million values by a server's ORDER BY and
//! GROUP BY, by the engine, and by `weigh sort`.

pub mod figures;
pub mod rows;
pub mod values;
pub mod weigh;

use std::hint::black_box;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, ensure};
use indicatif::ProgressBar;
use load::thread_cpu_time;
use mysql_collation::{Collation, Flavour, LookupError};

use crate::servers::Source;
use figures::{Condition, Round};
use rows::Rows;
use values::Values;
use weigh::WeighSort;

#[derive(clap::Args)]
pub struct Arguments {
    /// Server that can be started here, named as for `weigh`; may be repeated [default: mysql@sid
    /// and mariadb@trixie].
    #[arg(long)]
    server: Vec<String>,
    /// Collation of utf8mb4; may be repeated [default: utf8mb4_general_ci and the flavour's own:
    /// utf8mb4_0900_ai_ci, utf8mb4_uca1400_ai_ci].
    #[arg(long)]
    collation: Vec<String>,
    /// Values to sort; may be repeated [default: c].
    #[arg(long, value_enum)]
    values: Vec<Values>,
    /// Rows of the table.
    #[arg(long, default_value_t = 1_000_000, value_parser = clap::value_parser!(u32).range(1000..))]
    rows: u32,
    /// Rounds; each times everything once.
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(6..))]
    rounds: u32,
    /// Program `weigh` [default: from the folder of this program].
    #[arg(long)]
    weigh: Option<PathBuf>,
}

/// Prints the figures of each server, collation and kind of values as soon as they are complete.
pub fn run(arguments: &Arguments) -> Result<()> {
    let weigh = match &arguments.weigh {
        Some(path) => Some(path.clone()),
        None => weigh::find_program(),
    };
    figures::print_heading(&mut stdout(), arguments.rounds)?;
    if weigh.is_none() {
        println!("`weigh sort` is not timed: build it with `cargo build --release -p weigh`, or name it by --weigh");
    }
    let specs = match &arguments.server[..] {
        [] => vec!["mysql@sid".to_owned(), "mariadb@trixie".to_owned()],
        specs => specs.to_vec(),
    };
    for spec in specs {
        let mut source = Source::open(&spec)?;
        for collation in resolve_collations(&source, &arguments.collation)? {
            for values in values::with_default(&arguments.values) {
                let what = SortedValues { collation, values, rows: arguments.rows };
                let condition = measure(&mut source, what, arguments.rounds, weigh.as_deref())?;
                figures::print_condition(&mut stdout(), &condition)?;
            }
        }
    }
    Ok(())
}

/// Returns the collations to measure on a server: the requested ones that its flavour has. Without
/// a request, the flavour's newest and `utf8mb4_general_ci`.
pub fn resolve_collations(source: &Source, requested: &[String]) -> Result<Vec<Collation>> {
    let flavour = source.flavour();
    if requested.is_empty() {
        let own = match flavour {
            Flavour::MySql => "utf8mb4_0900_ai_ci",
            Flavour::MariaDb => "utf8mb4_uca1400_ai_ci",
        };
        return Ok(vec![Collation::by_name(flavour, own)?, Collation::by_name(flavour, "utf8mb4_general_ci")?]);
    }
    let mut collations = Vec::new();
    for name in requested {
        match Collation::by_name(flavour, name) {
            Ok(collation) => collations.push(collation),
            Err(error @ LookupError::Unknown { .. }) => println!("\n{}: {error}", source.title()),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(collations)
}

#[derive(Clone, Copy)]
pub struct SortedValues {
    pub collation: Collation,
    pub values: Values,
    pub rows: u32,
}

/// Loads the rows, checks that server, engine and `weigh sort` agree on the order, and server and
/// engine on the number of groups, and times them in rounds.
pub fn measure(source: &mut Source, what: SortedValues, rounds: u32, weigh: Option<&Path>) -> Result<Condition> {
    let SortedValues { collation, values, rows } = what;
    ensure!(collation.charset().name() == "utf8mb4", "{} is no collation of utf8mb4", collation.info().name);
    let progress = ProgressBar::new_spinner();
    progress.enable_steady_tick(Duration::from_millis(200));
    progress.set_message(format!("{}: loading {rows} rows", collation.info().name));
    let title = format!("{}, {}: {rows} {}", source.title(), collation.info().name, values.title());
    let mut table = Rows::load(source, collation.info().name, values, rows)?;
    let filesort = table.explain_filesort()?;
    let values = table.values()?;
    // Equal values in the order of their bytes, as `weigh sort` prints them.
    let mut sorted = values.clone();
    sorted.sort_unstable();
    collation.sort(&mut sorted);
    progress.set_message("comparing the orders");
    table.check_order(collation, &sorted)?;
    table.check_groups(number_groups(collation, &values).1)?;
    let weigh = weigh.map(|program| WeighSort::new(program, collation, &values, &sorted)).transpose()?;
    let mut timed = Vec::new();
    for number in 1..=rounds {
        lifecycle::interrupt::check()?;
        progress.set_message(format!("{}: round {number} of {rounds}", collation.info().name));
        timed.push(time_round(number, &mut table, collation, &values, weigh.as_ref())?);
    }
    progress.finish_and_clear();
    stdout().flush()?;
    Ok(Condition { title, filesort, rounds: timed })
}

/// Times everything once. Rounds with an even number reverse the order of the server's statements.
fn time_round(
    number: u32,
    table: &mut Rows<'_>,
    collation: Collation,
    values: &[Vec<u8>],
    weigh: Option<&WeighSort>,
) -> Result<Round> {
    let (scan, order_by, group_by);
    if number.is_multiple_of(2) {
        group_by = table.time_group_by()?;
        order_by = table.time_order_by()?;
        scan = table.time_scan()?;
    } else {
        scan = table.time_scan()?;
        order_by = table.time_order_by()?;
        group_by = table.time_group_by()?;
    }
    let engine = time_sort(collation, values);
    let argsort = cpu_time(|| collation.column_argsort(column(values)));
    let groups = cpu_time(|| number_groups(collation, values));
    let weigh = weigh.map(WeighSort::time_sort).transpose()?;
    Ok(Round { scan, order_by, group_by, engine, argsort, groups, weigh })
}

fn column(values: &[Vec<u8>]) -> impl Iterator<Item = Option<&[u8]>> {
    values.iter().map(|value| Some(&value[..]))
}

/// Returns the group number of each value, and the number of groups.
fn number_groups(collation: Collation, values: &[Vec<u8>]) -> (Vec<usize>, usize) {
    collation.column_groups(column(values))
}

fn cpu_time<T>(work: impl FnOnce() -> T) -> Duration {
    let begin = thread_cpu_time();
    let done = black_box(work());
    let end = thread_cpu_time();
    drop(done);
    end - begin
}

/// Returns the CPU time of the engine's sort of a copy.
fn time_sort(collation: Collation, values: &[Vec<u8>]) -> Duration {
    let mut copy = values.to_vec();
    cpu_time(|| {
        collation.sort(black_box(&mut copy));
        copy
    })
}
