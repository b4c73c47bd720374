//! Chores of the project, run as `cargo xtask`.

mod ask;
mod servers;
mod tables;
mod verify;

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
    /// Compare the library with running servers: weights, comparisons, LIKE.
    Verify(verify::Arguments),
}

fn main() -> Result<()> {
    server::interrupt::install()?;
    match Arguments::parse().chore {
        Chore::Tables(arguments) => tables::run(&arguments),
        Chore::Verify(arguments) => verify::run(&arguments),
    }
}
