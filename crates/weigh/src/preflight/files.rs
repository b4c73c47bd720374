//! Files instead of a server.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Result, bail};
use facts::Facts;
use mysql_collation::Flavour;
use preflight::{
    Checkpoint, CsvRows, DumpRows, OpenSource, Options, ParquetRows, Report, RowSource, Source, TableFile, dumps,
};

use super::{PreflightArgs, known, watch};
use crate::offline;

/// Runs preflight on `--csv`, `--parquet` or `--dump`.
pub fn report(args: &PreflightArgs, options: &Options) -> Result<Report> {
    if args.resume.is_some() {
        bail!("--resume is for servers: files are read anew");
    }
    // Refuses a name that means two collations.
    let flavour = offline::collation(&options.request.targets[0], args.flavour)?.info().flavour;
    match (&args.csv, &args.parquet, &args.dump) {
        (Some(path), ..) => {
            let rows = CsvRows(table_file(args, path, flavour)?);
            let open = || -> Result<Box<dyn RowSource + '_>, preflight::Error> { Ok(Box::new(rows.clone())) };
            run(options, path, &rows.facts(flavour)?, &BTreeMap::new(), &open)
        }
        (None, Some(path), _) => {
            let rows = ParquetRows(table_file(args, path, flavour)?);
            let open = || -> Result<Box<dyn RowSource + '_>, preflight::Error> { Ok(Box::new(rows.clone())) };
            run(options, path, &rows.facts(flavour)?, &BTreeMap::new(), &open)
        }
        (None, None, Some(path)) => {
            let (facts, creates) = dumps(path, flavour)?;
            let open = || -> Result<Box<dyn RowSource + '_>, preflight::Error> { Ok(Box::new(DumpRows::new(path))) };
            run(options, path, &facts, &creates, &open)
        }
        (None, None, None) => bail!("name a file"),
    }
}

/// What `--from` and `--key` say of a file that is one table.
fn table_file(args: &PreflightArgs, path: &Path, flavour: Flavour) -> Result<TableFile> {
    let from = args.from.clone().unwrap_or_default().to_lowercase();
    offline::collation(&from, Some(flavour_arg(flavour)))?;
    let keys = args.keys.iter().map(|key| key.split('+').map(str::to_owned).collect()).collect();
    Ok(TableFile { path: path.to_owned(), from, keys })
}

fn run<'s>(
    options: &Options,
    path: &Path,
    facts: &'s Facts,
    creates: &'s BTreeMap<(String, String), String>,
    open: &'s OpenSource<'s>,
) -> Result<Report> {
    known(facts, options)?;
    let source = Source { label: path.display().to_string(), facts, creates, programs: &[], open, is_server: false };
    let watcher = watch::Watch::new();
    Ok(preflight::preflight(&source, options, &Checkpoint::none(), &watcher)?)
}

fn flavour_arg(flavour: Flavour) -> offline::FlavourArg {
    match flavour {
        Flavour::MySql => offline::FlavourArg::Mysql,
        Flavour::MariaDb => offline::FlavourArg::Mariadb,
    }
}
