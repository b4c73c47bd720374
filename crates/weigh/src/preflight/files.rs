//! Files instead of a server.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use facts::Facts;
use mysql_collation::Flavour;
use preflight::{Checkpoint, CsvFile, CsvRows, DumpRows, OpenSource, Options, Report, RowSource, Source, dumps};

use super::{PreflightArgs, known, watch};
use crate::offline;

/// Runs preflight on `--csv` or `--dump`.
pub fn report(args: &PreflightArgs, options: &Options) -> Result<Report> {
    if args.resume.is_some() {
        bail!("--resume is for servers: files are read anew");
    }
    // Refuses a name that means two collations.
    let flavour = offline::collation(&options.request.targets[0], args.flavour)?.info().flavour;
    match (&args.csv, &args.dump) {
        (Some(path), _) => {
            let from = args.from.clone().unwrap_or_default().to_lowercase();
            offline::collation(&from, Some(flavour_arg(flavour)))?;
            let keys = args.keys.iter().map(|key| key.split('+').map(str::to_owned).collect()).collect();
            let file = CsvFile { path: path.clone(), from, keys };
            let facts = file.facts(flavour)?;
            let open = || -> Result<Box<dyn RowSource + '_>, preflight::Error> { Ok(Box::new(CsvRows(file.clone()))) };
            run(options, &path.display().to_string(), &facts, &BTreeMap::new(), &open)
        }
        (None, Some(path)) => {
            let (facts, creates) = dumps(path, flavour)?;
            let open = || -> Result<Box<dyn RowSource + '_>, preflight::Error> { Ok(Box::new(DumpRows::new(path))) };
            run(options, &path.display().to_string(), &facts, &creates, &open)
        }
        (None, None) => bail!("name a file"),
    }
}

fn run<'s>(
    options: &Options,
    label: &str,
    facts: &'s Facts,
    creates: &'s BTreeMap<(String, String), String>,
    open: &'s OpenSource<'s>,
) -> Result<Report> {
    known(facts, options)?;
    let source = Source { label: label.to_owned(), facts, creates, programs: &[], open, is_server: false };
    let watcher = watch::Watch::new();
    Ok(preflight::preflight(&source, options, &Checkpoint::none(), &watcher)?)
}

fn flavour_arg(flavour: Flavour) -> offline::FlavourArg {
    match flavour {
        Flavour::MySql => offline::FlavourArg::Mysql,
        Flavour::MariaDb => offline::FlavourArg::Mariadb,
    }
}
