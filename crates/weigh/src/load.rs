//! The options that say what is put under load, and how: the same in `weigh bench` and `weigh profile`, whose defaults differ.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::{Arg, Args, ValueEnum};
use workload::{Distribution, Kind, Text, Workload};

use crate::given::{first_given, without_repeats};

/// The options as they are typed.
#[derive(Debug, Args)]
pub struct LoadArgs {
    /// Workloads; a range size may follow, as in distinct_ranges:10 (see weigh bench --list-workloads). Or a folder with tables, rows and
    /// statements of one's own, as in shop, or some of its classes, as in shop:by_mail,by_name (docs/workload.md)
    #[arg(
        long = "workload",
        short = 'w',
        value_name = "NAME,…|DIR",
        value_delimiter = ',',
        help_heading = "What to measure"
    )]
    workloads: Vec<String>,

    /// Collations
    #[arg(
        long = "collation",
        short = 'c',
        value_name = "NAME,…",
        value_delimiter = ',',
        help_heading = "What to measure"
    )]
    pub collations: Vec<String>,

    /// Charsets of the connections; `match` is the collation's own
    #[arg(
        long,
        value_name = "NAME,…",
        value_delimiter = ',',
        default_value = "match",
        help_heading = "What to measure"
    )]
    connection_charset: Vec<String>,

    /// Text of the rows: digits (sysbench's), ascii, latin, cyrillic, cjk, emoji, mixed
    #[arg(
        long,
        value_name = "KIND,…",
        value_delimiter = ',',
        default_value = "digits",
        help_heading = "What to measure"
    )]
    text: Vec<Text>,

    /// Connections to each variant [default: the number of cores, 16 at most; on servers that run already one for two cores, so that no two
    /// threads that the operating system places have to share one]
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=4096), help_heading = "What to measure")]
    threads: Vec<u32>,

    /// Tables of each kind
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000), help_heading = "Rows and statements")]
    tables: u32,

    /// Rows of a table
    #[arg(long, value_name = "ROWS", value_parser = clap::value_parser!(u32).range(100..=1_000_000_000), help_heading = "Rows and statements")]
    table_size: Option<u32>,

    /// Rows that a range statement spans
    #[arg(long, value_name = "ROWS", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Rows and statements")]
    range_size: u32,

    /// Leave out BEGIN and COMMIT
    #[arg(long, help_heading = "Rows and statements")]
    skip_trx: bool,

    /// How row numbers are drawn, as sysbench's --rand-type
    #[arg(long, value_name = "special|uniform", default_value = "special", help_heading = "Rows and statements")]
    rand_type: Distribution,

    /// Seed of rows and statements, as sysbench's --rand-seed
    #[arg(long, alias = "rand-seed", value_name = "N", default_value_t = 1, help_heading = "Rows and statements")]
    seed: u64,

    /// Send statements prepared, or as text that is parsed each time [default: prepared; what workload.toml says of a folder]
    #[arg(
        long,
        value_enum,
        value_name = "prepared|text",
        hide_possible_values = true,
        help_heading = "Rows and statements"
    )]
    protocol: Option<ProtocolArg>,
}

/// `--protocol`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ProtocolArg {
    /// Prepared once, executed with binary parameters
    Prepared,
    /// Parsed each time
    Text,
}

/// An option whose default is filled in when it is resolved, and is told in its help.
pub fn tell_default(arg: Arg, default: &str) -> Arg {
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    arg.help(format!("{help} [default: {default}]"))
}

impl LoadArgs {
    /// The built-in workloads, each once; these where none was named.
    pub fn workloads_or(&self, others: &[Kind]) -> Result<Vec<Workload>> {
        if self.workloads.is_empty() {
            return Ok(others.iter().map(|&kind| kind.into()).collect());
        }
        let workload = |word: &String| match word.parse() {
            Err(_) if Path::new(word).is_dir() => {
                bail!("{word} is a folder, which is measured by itself; leave out the other workloads")
            }
            parsed => Ok(parsed?),
        };
        Ok(without_repeats(self.workloads.iter().map(workload).collect::<Result<Vec<_>>>()?.into_iter()))
    }

    /// The folder that takes the place of the built-in workloads, and its classes that were named: the first word names a folder, those behind it
    /// are classes.
    pub fn folder(&self) -> Option<(PathBuf, Vec<String>)> {
        let (first, others) = self.workloads.split_first()?;
        if first.parse::<Workload>().is_ok() {
            return None;
        }
        let is_folder = |name: &str| Path::new(name).is_dir() || name.contains('/');
        let (folder, class) = match first.rsplit_once(':') {
            Some((folder, class)) if !Path::new(first).is_dir() => (folder, Some(class.to_owned())),
            _ => (first.as_str(), None),
        };
        is_folder(folder).then(|| (folder.into(), without_repeats(class.into_iter().chain(others.iter().cloned()))))
    }

    /// Options that say what is generated, which a folder's rows and statements are not: the first that was given.
    pub fn of_generated_rows(&self) -> Option<&'static str> {
        let defaults = workload::Options::default();
        let given = [
            (self.text.iter().any(|&text| text != Text::default()), "--text"),
            (self.tables != defaults.tables, "--tables"),
            (self.table_size.is_some(), "--table-size"),
            (self.range_size != defaults.range_size, "--range-size"),
            (self.skip_trx, "--skip-trx"),
            (self.rand_type != Distribution::default(), "--rand-type"),
        ];
        first_given(given)
    }

    /// The collations; `None` where none was named.
    pub fn collations(&self) -> Option<Vec<String>> {
        (!self.collations.is_empty()).then(|| self.collations.clone())
    }

    /// The charsets of the connections, each once; `None` is the collation's own.
    pub fn connections(&self) -> Vec<Option<String>> {
        without_repeats(self.connection_charset.iter().map(|name| (name != "match").then(|| name.clone())))
    }

    /// The kinds of text, each once.
    pub fn texts(&self) -> Vec<Text> {
        without_repeats(self.text.iter().copied())
    }

    /// The numbers of connections, each once; the default where none was given, which is another one on servers that run already.
    pub fn threads(&self, run_already: bool) -> Vec<u32> {
        if self.threads.is_empty() {
            return vec![measure::default_connections(run_already)];
        }
        without_repeats(self.threads.iter().copied())
    }

    /// Rows and statements; `table_size` where none was given.
    pub fn rows(&self, table_size: u32) -> workload::Options {
        workload::Options {
            tables: self.tables,
            table_size: self.table_size.unwrap_or(table_size),
            range_size: self.range_size,
            text: Text::default(),
            skip_trx: self.skip_trx,
            distribution: self.rand_type,
            seed: self.seed,
        }
    }

    /// How statements travel; this way unless it was said.
    pub fn protocol_or(&self, other: drive::Protocol) -> drive::Protocol {
        match self.protocol {
            None => other,
            Some(ProtocolArg::Prepared) => drive::Protocol::Prepared,
            Some(ProtocolArg::Text) => drive::Protocol::Text,
        }
    }
}
