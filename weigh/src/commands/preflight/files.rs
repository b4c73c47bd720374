//! Preflight on files instead of a server.

use std::path::Path;

use anyhow::{Result, bail};
use facts::Facts;
use mysql_collation::Flavour;
use preflight::{
    Checkpoint, CsvRows, Definitions, OpenRows, Options, ParquetRows, Report, RowSource, Source, TableFile, read_dump,
};

use super::{PreflightArgs, use_server_names, watch};
use crate::options::collation::{FlavourArg, find_collation};

/// Runs preflight on `--csv`, `--parquet` or `--dump`.
pub fn check_files(args: &PreflightArgs, options: &Options) -> Result<Report> {
    let file = [(&args.csv, "--csv"), (&args.parquet, "--parquet"), (&args.dump, "--dump")];
    if let Some((_, option)) = file.iter().find(|(path, _)| path.is_some()) {
        args.connect.refuse_servers(option)?;
    }
    if args.resume.is_some() {
        bail!("--resume is for servers: files are read anew");
    }
    // Without --flavour, fails for a name that means different weights in MySQL and MariaDB.
    let flavour = find_collation(&options.request.targets[0], args.flavour)?.info().flavour;
    match (&args.csv, &args.parquet, &args.dump) {
        (Some(path), ..) => {
            let rows = CsvRows(resolve_table_file(args, path, flavour)?);
            let open = || -> Result<Box<dyn RowSource + '_>, preflight::Error> { Ok(Box::new(rows.clone())) };
            check_rows(options, path, &rows.facts(flavour)?, &Definitions::default(), &open)
        }
        (None, Some(path), _) => {
            let rows = ParquetRows(resolve_table_file(args, path, flavour)?);
            let open = || -> Result<Box<dyn RowSource + '_>, preflight::Error> { Ok(Box::new(rows.clone())) };
            check_rows(options, path, &rows.facts(flavour)?, &Definitions::default(), &open)
        }
        (None, None, Some(path)) => {
            let (facts, definitions, rows) = read_dump(path, flavour)?;
            if facts.schemas.is_empty() {
                let first = definitions.unread.first().map(|one| format!(" ({}: {})", one.name, one.message));
                bail!(
                    "{} has no CREATE TABLE in the form that mysqldump writes{}; load it into a server, and name that \
                     server or its dump",
                    path.display(),
                    first.unwrap_or_default()
                );
            }
            let open = || -> Result<Box<dyn RowSource + '_>, preflight::Error> { Ok(Box::new(rows.clone())) };
            check_rows(options, path, &facts, &definitions, &open)
        }
        (None, None, None) => bail!("name a file"),
    }
}

/// Resolves a file that holds one table: its collation by `--from`, its unique keys by `--key`.
fn resolve_table_file(args: &PreflightArgs, path: &Path, flavour: Flavour) -> Result<TableFile> {
    let from = args.from.clone().unwrap_or_default().to_lowercase();
    find_collation(&from, Some(flavour_arg(flavour)))?;
    let keys = args.keys.iter().map(|key| key.split('+').map(str::to_owned).collect()).collect();
    Ok(TableFile { path: path.to_owned(), from, keys })
}

fn check_rows<'s>(
    options: &Options,
    path: &Path,
    facts: &'s Facts,
    definitions: &'s Definitions,
    open: &'s OpenRows<'s>,
) -> Result<Report> {
    let options = &use_server_names(facts, options)?;
    let source = Source { label: path.display().to_string(), facts, definitions, open, is_server: false };
    let watcher = watch::Watch::new();
    Ok(preflight::run(&source, options, &Checkpoint::disabled(), &watcher)?)
}

fn flavour_arg(flavour: Flavour) -> FlavourArg {
    match flavour {
        Flavour::MySql => FlavourArg::Mysql,
        Flavour::MariaDb => FlavourArg::Mariadb,
    }
}
