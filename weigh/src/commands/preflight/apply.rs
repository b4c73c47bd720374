//! `--apply-to`: runs the plan on a copy of the schemas on another running server.

use anyhow::{Result, bail};
use facts::Facts;
use preflight::{Report, apply_plan, check_is_other};
use server::{ClientOptions, Login, Options, Progress, Server, Spec};

use super::PreflightArgs;

/// Opens the server of `--apply-to`. Refuses servers that `weigh` would start, specs that leave the
/// host to option files, and the server that is read.
pub fn open_scratch(
    args: &PreflightArgs,
    options: &Options,
    source: &Server,
    progress: &dyn Progress,
) -> Result<Option<Server>> {
    let Some(text) = &args.apply_to else { return Ok(None) };
    let spec = text.spec()?;
    match &spec {
        Spec::Private(_) => bail!("--apply-to takes a running server; on a private one, the plan is rehearsed anyway"),
        Spec::Attach(named) if named.host.is_none() && named.socket.is_none() => {
            bail!("--apply-to changes the server: name its host or socket, such as mysql://me@scratch.example")
        }
        Spec::Attach(_) | Spec::Detached(_) => {}
    }
    // Host, account and password of the other server are not for this one, which is typed.
    let login = Login { options: ClientOptions::default(), withholds_password: false, ..options.login.clone() };
    let scratch = Options {
        login,
        timeout: options.timeout,
        get_server_public_key: options.get_server_public_key,
        ..Options::default()
    };
    let scratch = server::open(&spec, &scratch, progress)?;
    check_is_other(&scratch, source)?;
    Ok(Some(scratch))
}

/// Runs the plan. Without a plan, adds a note.
pub fn apply(scratch: &Server, facts: &Facts, report: &mut Report, progress: &dyn Progress) -> Result<()> {
    if report.plan.is_none() {
        report.notes.push(format!("nothing was applied to {}: there is no plan", scratch.label()));
        return Ok(());
    }
    progress.step(&format!("applying the plan to {}", scratch.label()));
    let schemas: Vec<String> = facts.schemas.iter().map(|schema| schema.name.clone()).collect();
    Ok(apply_plan(scratch, &schemas, report)?)
}
