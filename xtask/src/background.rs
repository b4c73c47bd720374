//! Commands that run in the background, such as tests at the same time as other tests.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};

/// A command that runs in the background, with its output in a file.
pub struct Background {
    child: Child,
    /// Name of the work for messages, such as "the tests of the bindings".
    subject: &'static str,
    output: PathBuf,
}

impl Background {
    pub fn start(mut command: Command, subject: &'static str, output: PathBuf) -> Result<Self> {
        let folder = output.parent().context("an output file without a folder")?;
        fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let file = File::create(&output).with_context(|| format!("cannot create {}", output.display()))?;
        let copy = file.try_clone().context("cannot open a file twice")?;
        command.stdin(Stdio::null()).stdout(file).stderr(copy);
        eprintln!("running meanwhile: {subject}: {}", output.display());
        let child = lifecycle::spawn_with_environment(command).with_context(|| format!("cannot run {subject}"))?;
        Ok(Self { child, subject, output })
    }

    /// Waits for the end, and prints the output. Returns whether the command succeeded, and its
    /// output.
    pub fn finish(self) -> Result<(bool, String)> {
        lifecycle::interrupt::install()?;
        let status = lifecycle::wait_supervised(self.child)?;
        let printed = fs::read(&self.output).with_context(|| format!("cannot read {}", self.output.display()))?;
        io::stderr().write_all(&printed).with_context(|| format!("cannot print {}", self.subject))?;
        Ok((status.success(), String::from_utf8_lossy(&printed).into_owned()))
    }
}
