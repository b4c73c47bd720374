//! `weigh sort` of the same values, as lines of a file.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use mysql_collation::{Collation, Flavour};
use tempfile::TempDir;
use wait4::Wait4;

/// Finds `weigh` in the folder of this program. Test programs are one folder deeper.
pub fn find_program() -> Option<PathBuf> {
    let this = std::env::current_exe().ok()?;
    this.ancestors().skip(1).take(2).map(|folder| folder.join("weigh")).find(|path| path.is_file())
}

/// A file of lines to sort into another file.
pub struct WeighSort {
    program: PathBuf,
    collation: Collation,
    folder: TempDir,
}

impl WeighSort {
    /// Writes the file, and checks that it is sorted correctly.
    pub fn new(program: &Path, collation: Collation, values: &[Vec<u8>], sorted: &[Vec<u8>]) -> Result<Self> {
        let weigh = Self { program: program.to_owned(), collation, folder: tempfile::tempdir()? };
        fs::write(weigh.input(), join_lines(values))?;
        weigh.time_sort()?;
        ensure!(fs::read(weigh.output())? == join_lines(sorted), "`weigh sort` and the engine sort in different ways");
        Ok(weigh)
    }

    fn input(&self) -> PathBuf {
        self.folder.path().join("values")
    }

    fn output(&self) -> PathBuf {
        self.folder.path().join("sorted")
    }

    /// Returns the CPU time of the whole command, user and system: starting, reading, sorting,
    /// writing.
    pub fn time_sort(&self) -> Result<Duration> {
        let flavour = match self.collation.info().flavour {
            Flavour::MySql => "mysql",
            Flavour::MariaDb => "mariadb",
        };
        let mut command = Command::new(&self.program);
        command.args(["sort", "-c", self.collation.info().name, "--flavour", flavour, "-o"]);
        command.arg(self.output()).arg(self.input()).stdin(Stdio::null());
        let mut child = command.spawn().with_context(|| format!("running {}", self.program.display()))?;
        let used = child.wait4().context("waiting for `weigh sort`")?;
        ensure!(used.status.success(), "`weigh sort` failed: {}", used.status);
        Ok(used.rusage.utime + used.rusage.stime)
    }
}

fn join_lines(values: &[Vec<u8>]) -> Vec<u8> {
    let mut lines = Vec::new();
    for value in values {
        lines.extend_from_slice(value);
        lines.push(b'\n');
    }
    lines
}
