//! Initialisation of a data folder: system tables, and an account `root@localhost` without
//! password.

use std::fs::File;
use std::io::{Seek, Write};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use fetch::command::{self, CommandError, Limits};
use fetch::{Flavour, Program, Version};
use lifecycle::{Account, Confinement};

use super::{account, error_log};
use crate::{Error, Options};

/// A server initialises a data folder in seconds; a busy machine with a slow disk needs longer.
const MAX_TIME: Duration = Duration::from_secs(600);

/// Maximum size of a program's script. The scripts have up to 200 kB.
const MAX_SCRIPT_BYTES: u64 = 16 << 20;

/// Initialises the data folder of the instance in `folder`. `arguments` is the command line of the
/// instance. No process of the account runs afterwards.
pub(super) fn initialise(
    program: &Program,
    folder: &Path,
    arguments: &[String],
    options: &Options,
    account: Option<&Account>,
) -> Result<(), Error> {
    let confinement = account::confinement(program, account, folder, options);
    let mut command = program.command();
    command.args(arguments).current_dir(folder.join("data")).env("TMPDIR", folder.join("tmp"));
    let initialised = if program.flavour == Flavour::MySql && program.version >= Version::new(5, 7, 6) {
        command.arg("--initialize-insecure");
        run(program, command, None, &confinement)
    } else {
        command.arg("--bootstrap");
        let script = folder.join("bootstrap.sql");
        let sql = bootstrap_sql(program)?;
        let write =
            |mut created: File| created.write_all(sql.as_bytes()).and_then(|()| created.rewind()).map(|()| created);
        let input = files::create_new(&script).and_then(write).map_err(Error::io("write", &script))?;
        run(program, command, Some(input), &confinement)
    };
    if let Some(account) = account {
        account.end_processes();
    }
    initialised
}

fn run(program: &Program, command: Command, input: Option<File>, confinement: &Confinement) -> Result<(), Error> {
    let limits = Limits { confinement: confinement.clone(), time: MAX_TIME };
    match command::run_confined(command, input, "initialise the data folder", &limits) {
        Err(fetch::Error::Command { source: CommandError::Failed { stderr, status, .. }, .. }) => {
            Err(Error::Start { label: program.label.clone(), reason: error_log::explain_failed_start(&stderr, status) })
        }
        result => Ok(result.map(drop)?),
    }
}

/// Returns the SQL of the program's own scripts. The variables that precede the scripts make them
/// create an account root with an empty password. No anonymous account remains.
fn bootstrap_sql(program: &Program) -> Result<String, Error> {
    let mut sql = String::from(
        "CREATE DATABASE IF NOT EXISTS mysql;\nUSE mysql;\n\
         SET @auth_root_socket = NULL, @skip_auth_anonymous = 1, @current_hostname = 'localhost';\n",
    );
    for name in ["system_tables.sql", "performance_tables.sql", "system_tables_data.sql"] {
        let Some(script) = program.read_script(name, MAX_SCRIPT_BYTES) else {
            // Only MariaDB has a script for the performance schema.
            if name.starts_with("performance") {
                continue;
            }
            let reason = format!(
                "it has neither mysql_{name} nor mariadb_{name}: one of them is needed to initialise a data folder"
            );
            return Err(Error::Start { label: program.label.clone(), reason });
        };
        sql.push_str(&String::from_utf8_lossy(&script?));
        sql.push('\n');
    }
    if program.flavour == Flavour::MySql {
        sql.push_str("DELETE FROM mysql.user WHERE user = '';\n");
    }
    Ok(sql)
}
