//! Where the plan's ALTERs are tried.

use std::collections::BTreeMap;

use anyhow::{Result, bail};
use facts::Facts;
use preflight::Plan;
use preflight::trial::{SampleOptions, from_documentation, in_scratch_schema, on_private_server};
use server::{Flavour, Options, Progress, Server, Spec};

use super::PreflightArgs;

/// Bytes: room for a sample of rows before and after its ALTER.
const BUFFER_POOL: u64 = 256 << 20;

/// Writes down how each ALTER of the plan is run: tried where that can be, else from documentation.
#[expect(clippy::too_many_arguments, reason = "all that is known of a run")]
pub fn algorithms(
    args: &PreflightArgs,
    spec: &Spec,
    options: &Options,
    server: &Server,
    facts: &Facts,
    creates: &BTreeMap<(String, String), String>,
    plan: &mut Plan,
    progress: &dyn Progress,
) -> Result<()> {
    if let Some(scratch) = &args.scratch {
        return Ok(in_scratch_schema(server, scratch, facts, creates, plan)?);
    }
    let trial: Option<Spec> = match args.trial.as_deref() {
        Some("none") => None,
        Some(text) => Some(text.parse()?),
        None if !spec.is_running() => Some(spec.clone()),
        None => same_version(server)?,
    };
    let Some(trial) = trial else {
        from_documentation(facts, plan);
        return Ok(());
    };
    if trial.is_running() {
        bail!("--trial takes a server that weigh starts; --scratch tries it on a running one");
    }
    progress.step("trying the plan on a private server");
    let settings = carried_over(facts);
    let private = Options { settings, buffer_pool: Some(BUFFER_POOL), ..options.clone() };
    let private = server::open(&trial, &private, progress)?;
    let sample = SampleOptions { rows: args.sample, ..SampleOptions::default() };
    on_private_server(&private, facts, creates, plan, (args.sample > 0).then_some((server, sample)))?;
    Ok(private.stop()?)
}

/// Settings that decide how an ALTER is run, as the server has them.
fn carried_over(facts: &Facts) -> Vec<(String, String)> {
    let names = ["innodb_large_prefix", "innodb_file_format", "innodb_default_row_format", "innodb_page_size"];
    names.iter().filter_map(|name| Some(((*name).to_owned(), facts.server.variable(name)?.to_owned()))).collect()
}

/// A server of the catalogue that is installed here and has this server's version.
fn same_version(server: &Server) -> Result<Option<Spec>> {
    let version = server.version().split('-').next().unwrap_or_default();
    let prefix = match server.flavour() {
        Flavour::MySql => "mysql",
        Flavour::MariaDb => "mariadb",
    };
    for listing in server::listing()? {
        let installed = listing.installed.iter().any(|manifest| manifest.version.contains(version));
        let on_path = listing.on_path.iter().any(|label| label.contains(version));
        if listing.name.starts_with(prefix) && (installed || on_path) {
            return Ok(Some(listing.name.parse()?));
        }
    }
    Ok(None)
}
