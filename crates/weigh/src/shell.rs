//! `weigh completions` and `weigh man`: what shells and manual readers want of the command, written from its own definition.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, anyhow};
use clap::{Command, ValueEnum};

use crate::output;

/// Write a shell's completions to standard output
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  weigh completions bash > ~/.local/share/bash-completion/completions/weigh
  weigh completions zsh > ~/.zfunc/_weigh                      # with ~/.zfunc in $fpath
  weigh completions fish > ~/.config/fish/completions/weigh.fish")]
pub struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
}

/// Write the manual pages
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  weigh man | man -l -
  weigh man --out ~/.local/share/man/man1")]
pub struct ManArgs {
    /// Write every page, weigh.1 and weigh-COMMAND.1, into this folder [default: weigh.1 to standard output]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Runs `weigh completions`.
pub fn completions(args: &CompletionsArgs, mut command: Command) -> Result<ExitCode> {
    let shell = match args.shell {
        Shell::Bash => clap_complete::Shell::Bash,
        Shell::Zsh => clap_complete::Shell::Zsh,
        Shell::Fish => clap_complete::Shell::Fish,
    };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "weigh", &mut script);
    output::print(&String::from_utf8(script)?)?;
    Ok(ExitCode::SUCCESS)
}

/// Runs `weigh man`.
pub fn man(args: &ManArgs, command: Command) -> Result<ExitCode> {
    let Some(folder) = &args.out else {
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page)?;
        output::print(&String::from_utf8(page)?)?;
        return Ok(ExitCode::SUCCESS);
    };
    std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(command, folder))
        .map_err(|error| anyhow!("cannot write manual pages into {}: {error}", folder.display()))?;
    Ok(ExitCode::SUCCESS)
}
