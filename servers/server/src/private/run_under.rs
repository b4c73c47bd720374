//! Running a private server under another program, such as valgrind.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A program that runs a private server within the program's own process, such as valgrind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunUnder {
    /// Program and arguments, which the server's command line follows. `{folder}` in an argument is
    /// the instance's folder for temporary files, which the server may write to.
    pub command: Vec<String>,
    /// Files and folders that the program reads, besides those of the system.
    pub readable: Vec<PathBuf>,
    /// Environment variables of the program.
    pub environment: Vec<(String, String)>,
}

impl RunUnder {
    /// Returns a command that runs `server` under the program, without the server's arguments.
    pub(super) fn wrap(&self, server: &Command, folder: &Path) -> Command {
        let folder = folder.to_string_lossy();
        let mut words = self.command.iter().map(|word| word.replace("{folder}", &folder));
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words).arg(server.get_program()).args(server.get_args());
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn server_follows_the_program() {
        let run_under = RunUnder {
            command: vec!["valgrind".into(), "--log-file={folder}/log".into()],
            readable: Vec::new(),
            environment: vec![("LOGNAME".into(), "weigh".into())],
        };
        let mut server = Command::new("/usr/sbin/mysqld");
        server.arg("--first");
        let command = run_under.wrap(&server, Path::new("/run/tmp"));
        assert_eq!(command.get_program(), "valgrind");
        let arguments: Vec<_> = command.get_args().collect();
        assert_eq!(arguments, ["--log-file=/run/tmp/log", "/usr/sbin/mysqld", "--first"]);
        assert_eq!(command.get_envs().count(), 1);
    }
}
