//! Filling an empty data folder: system tables, and an account root@localhost without password.

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

use crate::account::Account;
use crate::command::CommandError;
use crate::error::Error;
use crate::flavour::{Flavour, Version};
use crate::program::Program;
use crate::{command, errorlog};

/// Initialises the data folder that `arguments` name; `folder` is the instance's.
pub(crate) fn initialise(
    program: &Program,
    folder: &Path,
    arguments: &[String],
    account: Option<Account>,
) -> Result<(), Error> {
    let mut command = program.command();
    if let Some(account) = account {
        account.take_over(folder)?;
        account.run(&mut command);
    }
    command.args(arguments).current_dir(folder);
    if program.flavour == Flavour::MySql && program.version >= Version::new(5, 7, 6) {
        command.arg("--initialize-insecure");
        return run(program, folder, command, None);
    }
    command.arg("--bootstrap");
    let script = folder.join("bootstrap.sql");
    fs::write(&script, bootstrap_sql(program)?).map_err(Error::io("write", &script))?;
    let input = File::open(&script).map_err(Error::io("read", &script))?;
    run(program, folder, command, Some(input))
}

fn run(program: &Program, folder: &Path, command: Command, input: Option<File>) -> Result<(), Error> {
    match command::run_with_input(command, input, "initialise the data folder", |_| {}) {
        // The server's own words say more than its exit status.
        Err(Error::Helper { source: CommandError::Failed { stderr, status, .. }, .. }) => {
            let log = errorlog::read(folder) + &stderr;
            Err(Error::Start { label: program.label.clone(), reason: errorlog::explain(&log, status) })
        }
        result => result,
    }
}

/// The vendor's own scripts. The variables that they look at ask for a root that logs in by password, here an empty
/// one; what they create beyond that is taken away.
fn bootstrap_sql(program: &Program) -> Result<String, Error> {
    let mut sql = String::from(
        "CREATE DATABASE IF NOT EXISTS mysql;\nUSE mysql;\n\
         SET @auth_root_socket = NULL, @skip_auth_anonymous = 1, @current_hostname = 'localhost';\n",
    );
    for name in ["system_tables.sql", "performance_tables.sql", "system_tables_data.sql"] {
        let Some(path) = program.script(name) else {
            // The performance schema's script is MariaDB's only.
            if name.starts_with("performance") {
                continue;
            }
            let reason = format!("it has no {name} in its share folder, so no data folder can be made");
            return Err(Error::Start { label: program.label.clone(), reason });
        };
        sql.push_str(&fs::read_to_string(&path).map_err(Error::io("read", &path))?);
        sql.push('\n');
    }
    if program.flavour == Flavour::MySql {
        sql.push_str("DELETE FROM mysql.user WHERE user = '';\n");
    }
    Ok(sql)
}
