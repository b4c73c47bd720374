//! Chores of the project, run as `cargo xtask`.

// Comments on arguments are their help, which is plain text: `[default: …]` is no link there.
#![allow(rustdoc::broken_intra_doc_links, rustdoc::invalid_html_tags)]

mod ask;
mod charsets;
mod order_by;
mod peers;
mod servers;
mod tables;
mod verify;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Derive the weight tables of crates/collation from running servers.
    Tables(tables::Arguments),
    /// Derive the tables of character sets from a running server, or verify them against several.
    Charsets(charsets::Arguments),
    /// Compare the library with running servers: weights, comparisons, LIKE.
    Verify(verify::Arguments),
    /// Time the engine beside Vitess' collations, which Go has to be installed for.
    Peers(peers::Arguments),
    /// Time a server's ORDER BY over rows in memory beside the engine's sort of the same values.
    OrderBy(order_by::Arguments),
}

/// 0: done; 1: the library and a server differ; 2: it could not be done.
fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Whether there is nothing to complain about.
fn run() -> Result<bool> {
    server::interrupt::install()?;
    match Arguments::parse().chore {
        Chore::Tables(arguments) => tables::run(&arguments).map(|()| true),
        Chore::Charsets(arguments) => charsets::run(&arguments),
        Chore::Verify(arguments) => verify::run(&arguments),
        Chore::Peers(arguments) => peers::run(&arguments).map(|()| true),
        Chore::OrderBy(arguments) => order_by::run(&arguments).map(|()| true),
    }
}
