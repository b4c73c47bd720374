//! `weigh completions`, `weigh man` and `weigh help`, from the definition of the command line.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, anyhow, bail};
use clap::{Command, ValueEnum};
use files::{Access, HeldFolder};

use crate::help::{self, Extent};
use crate::{complete, manual, output};

/// Print completions for bash, zsh or fish
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  weigh completions bash > ~/.local/share/bash-completion/completions/weigh
  weigh completions zsh > ~/.zfunc/_weigh                      # with ~/.zfunc in $fpath
  weigh completions fish > ~/.config/fish/completions/weigh.fish")]
pub struct CompletionsArgs {
    /// Shell to complete for
    shell: Shell,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
}

/// Print manual pages
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  weigh man | man -l -
  weigh man --out ~/.local/share/man/man1")]
pub struct ManArgs {
    /// Write every page, weigh.1 and weigh-COMMAND.1, into this folder [default: weigh.1 to
    /// standard output]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Show a command's help, or how to log in: `weigh help connection`
#[derive(Debug, clap::Args)]
pub struct HelpArgs {
    /// Command, or `connection`
    #[arg(value_name = "COMMAND")]
    words: Vec<String>,
}

pub fn help(args: &HelpArgs, command: Command) -> Result<ExitCode> {
    if args.words == ["connection"] {
        output::print(&help::connection(&command))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut command = help::arrange(command, Extent::Full);
    command.build();
    let mut found = &mut command;
    for word in &args.words {
        found = match found.find_subcommand_mut(word) {
            Some(inner) => inner,
            None => bail!("there is no command `{}`; `weigh help` lists the commands", args.words.join(" ")),
        };
    }
    output::print(&found.render_help().to_string())?;
    Ok(ExitCode::SUCCESS)
}

pub fn completions(args: &CompletionsArgs) -> Result<ExitCode> {
    let shell = match args.shell {
        Shell::Bash => "bash",
        Shell::Zsh => "zsh",
        Shell::Fish => "fish",
    };
    output::print(&complete::script(shell)?)?;
    Ok(ExitCode::SUCCESS)
}

pub fn man(args: &ManArgs, command: Command) -> Result<ExitCode> {
    let Some(folder) = &args.out else {
        output::print(&String::from_utf8(manual::render_top(command)?)?)?;
        return Ok(ExitCode::SUCCESS);
    };
    HeldFolder::create(folder, Access::Umask)
        .and_then(|held| manual::write_all(command, &held))
        .map_err(|error| anyhow!("cannot write manual pages into {}: {error}", folder.display()))?;
    Ok(ExitCode::SUCCESS)
}
