//! Options of the load. `weigh bench` and `weigh profile` share them, with different defaults.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::{Arg, Args, ValueEnum};
use workload::{Distribution, Text, Workload, WorkloadKind};

use crate::options::values::{find_given, without_repeats};
use crate::output;

#[derive(Debug, Args)]
pub struct LoadArgs {
    /// Built-in workloads (weigh bench --list-workloads; distinct_ranges:10 has ranges of 10 rows),
    /// or a folder with your own statements (docs/reference/workload-folder.md;
    /// shop:by_mail,by_name takes two of its classes)
    #[arg(
        long = "workload",
        short = 'w',
        value_name = "NAME,…|DIR",
        value_delimiter = ',',
        help_heading = "What to measure"
    )]
    workloads: Vec<String>,

    /// Collations to measure
    #[arg(
        long = "collation",
        short = 'c',
        value_name = "NAME,…",
        value_delimiter = ',',
        help_heading = "What to measure"
    )]
    pub collations: Vec<String>,

    /// Character sets of the connections; `match`: the collation's own
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

    /// Connections under each collation [default: one per core, 16 at most; one per two cores for a
    /// server that runs already]
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=4096), help_heading = "What to measure")]
    threads: Vec<u32>,

    /// Tables of each kind
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000), help_heading = "Rows and statements")]
    tables: u32,

    /// Rows per table
    #[arg(long, value_name = "ROWS", value_parser = clap::value_parser!(u32).range(100..=1_000_000_000), help_heading = "Rows and statements")]
    table_size: Option<u32>,

    /// Rows that a range statement spans
    #[arg(long, value_name = "ROWS", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Rows and statements")]
    range_size: u32,

    /// Leave out BEGIN and COMMIT
    #[arg(long, help_heading = "Rows and statements")]
    skip_trx: bool,

    /// Distribution of the row numbers, as sysbench's --rand-type
    #[arg(long, value_name = "special|uniform", default_value = "special", help_heading = "Rows and statements")]
    rand_type: Distribution,

    /// Seed of rows and statements, as sysbench's --rand-seed
    #[arg(long, alias = "rand-seed", value_name = "N", default_value_t = 1, help_heading = "Rows and statements")]
    seed: u64,

    /// How statements are sent: prepared, or as text that is parsed each time [default: prepared;
    /// for a folder, as its workload.toml says]
    #[arg(
        long,
        value_enum,
        value_name = "prepared|text",
        hide_possible_values = true,
        help_heading = "Rows and statements"
    )]
    protocol: Option<ProtocolArg>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ProtocolArg {
    /// Prepared once, executed with binary parameters
    Prepared,
    /// Parsed each time
    Text,
}

/// Appends a default to the help of an option whose default depends on the command.
pub fn append_default(arg: Arg, default: &str) -> Arg {
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    arg.help(format!("{help} [default: {default}]"))
}

impl LoadArgs {
    /// Returns the built-in workloads without repeats, or `default` if none is named.
    pub fn workloads_or(&self, default: &[WorkloadKind]) -> Result<Vec<Workload>> {
        if self.workloads.is_empty() {
            return Ok(default.iter().map(|&kind| kind.into()).collect());
        }
        let workload = |word: &String| match word.parse() {
            Err(_) if Path::new(word).is_dir() => {
                bail!("{word} is a folder, which is measured by itself; leave out the other workloads")
            }
            parsed => Ok(parsed?),
        };
        Ok(without_repeats(self.workloads.iter().map(workload).collect::<Result<Vec<_>>>()?.into_iter()))
    }

    /// Returns the workload folder and its named classes. `None` if no folder is named.
    /// `shop:by_mail,by_name` arrives as two words: the first has the folder and a class, each
    /// other word is a class.
    pub fn workload_folder(&self) -> Option<(PathBuf, Vec<String>)> {
        let (first, rest) = self.workloads.split_first()?;
        if first.parse::<Workload>().is_ok() {
            return None;
        }
        let is_folder = |name: &str| Path::new(name).is_dir() || name.contains('/');
        let (folder, class) = match first.rsplit_once(':') {
            Some((folder, class)) if !Path::new(first).is_dir() => (folder, Some(class.to_owned())),
            _ => (first.as_str(), None),
        };
        is_folder(folder).then(|| (folder.into(), without_repeats(class.into_iter().chain(rest.iter().cloned()))))
    }

    /// Returns the first option on generated rows or statements whose value isn't the default. A
    /// workload folder has its own rows and statements.
    pub fn find_generator_option(&self) -> Option<&'static str> {
        let defaults = workload::Options::default();
        let given = [
            (self.text.iter().any(|&text| text != Text::default()), "--text"),
            (self.tables != defaults.tables, "--tables"),
            (self.table_size.is_some(), "--table-size"),
            (self.range_size != defaults.range_size, "--range-size"),
            (self.skip_trx, "--skip-trx"),
            (self.rand_type != Distribution::default(), "--rand-type"),
        ];
        find_given(given)
    }

    /// Returns the collations. `None` if none is named.
    pub fn collations(&self) -> Option<Vec<String>> {
        (!self.collations.is_empty()).then(|| self.collations.clone())
    }

    /// Returns the connection charsets without repeats. `None` is the collation's own charset.
    pub fn connections(&self) -> Vec<Option<String>> {
        without_repeats(self.connection_charset.iter().map(|name| (name != "match").then(|| name.clone())))
    }

    pub fn texts(&self) -> Vec<Text> {
        without_repeats(self.text.iter().copied())
    }

    /// Returns the numbers of connections without repeats. Their default depends on whether a
    /// server is running already.
    pub fn threads(&self, run_already: bool) -> Vec<u32> {
        if self.threads.is_empty() {
            return vec![measure::default_connections(run_already)];
        }
        without_repeats(self.threads.iter().copied())
    }

    /// Returns the options of generated rows and statements. `table_size` is the default number of
    /// rows.
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

    /// Returns the protocol of built-in workloads: text by default if all of them need it. Notes
    /// the first workload that needs it and doesn't get it.
    pub fn protocol(&self, workloads: &[Workload]) -> load::Protocol {
        let needs_text = |workload: &&Workload| workload.needs_text_protocol();
        let Some(workload) = workloads.iter().find(needs_text) else {
            return self.protocol_or(load::Protocol::Prepared);
        };
        let is_alone = workloads.iter().all(|workload| workload.needs_text_protocol());
        let default = if is_alone { load::Protocol::Text } else { load::Protocol::Prepared };
        let protocol = self.protocol_or(default);
        if protocol == load::Protocol::Prepared {
            output::print_note(&format!(
                "{workload}: prepared statements send its text as parameters; --protocol text has the server parse it"
            ));
        }
        protocol
    }

    pub fn protocol_or(&self, default: load::Protocol) -> load::Protocol {
        match self.protocol {
            None => default,
            Some(ProtocolArg::Prepared) => load::Protocol::Prepared,
            Some(ProtocolArg::Text) => load::Protocol::Text,
        }
    }
}
