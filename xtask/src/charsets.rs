//! `cargo xtask charsets`: the tables of character sets in `crates/collation/data/charsets`, derived from what a running server
//! answers, and held against others.

pub mod ask;
mod derive;
pub mod encode;
mod verify;

use anyhow::Result;

use crate::servers::Source;

/// What to derive, or to verify.
#[derive(clap::Args)]
pub struct Arguments {
    /// The server that the tables come from; it has to have all character sets.
    #[arg(long, default_value = "mysql@sid")]
    mysql: String,
    /// Derive nothing: compare the library with servers.
    #[arg(long)]
    verify: bool,
    /// With --verify: a server, as `weigh` names them; can be given several times [default: mariadb@trixie and mysql@sid, with
    /// --full mariadb@bookworm and mysql@5.6 too].
    #[arg(long, requires = "verify")]
    server: Vec<String>,
    /// With --verify: every code point, every pair of bytes, every character of every character set into every other one.
    #[arg(long, requires = "verify")]
    full: bool,
    /// With --verify: what random bytes are chosen by.
    #[arg(long, requires = "verify", default_value_t = 1)]
    seed: u64,
}

/// Derives all tables and writes them, or verifies the library; returns whether nothing differed.
pub fn run(arguments: &Arguments) -> Result<bool> {
    if !arguments.verify {
        return derive::run(&mut Source::open(&arguments.mysql)?).map(|()| true);
    }
    let defaults = ["mariadb@trixie", "mysql@sid", "mariadb@bookworm", "mysql@5.6"];
    let specs = match &arguments.server[..] {
        [] => defaults[..if arguments.full { 4 } else { 2 }].iter().map(|&spec| spec.to_owned()).collect(),
        specs => specs.to_vec(),
    };
    let mut wrong = 0;
    for spec in specs {
        wrong += verify::server(&spec, arguments.full, arguments.seed, &mut std::io::stdout())?;
    }
    println!("{wrong} differences");
    Ok(wrong == 0)
}
