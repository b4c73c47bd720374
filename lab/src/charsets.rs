//! `cargo xtask charsets`: derives the tables in `engine/mysql-collation/data/charsets` from a
//! running server, and verifies the library against others.

mod derive;
pub mod encode;
pub mod query;
pub mod verify;

use anyhow::Result;

use crate::servers::Source;

#[derive(clap::Args)]
pub struct Arguments {
    /// Server that the tables come from; must have all charsets.
    #[arg(long, default_value = "mysql@sid")]
    mysql: String,
    /// Derive nothing; verify the library against servers.
    #[arg(long)]
    verify: bool,
    /// With --verify: server, named as for `weigh`; may be repeated [default: mariadb@trixie and
    /// mysql@sid, with --full mariadb@bookworm and mysql@5.6 too].
    #[arg(long, requires = "verify")]
    server: Vec<String>,
    /// With --verify: every code point, every pair of bytes, and every character of every charset
    /// (of Unicode charsets and gb18030: of the Basic Multilingual Plane) into every other charset.
    #[arg(long, requires = "verify")]
    full: bool,
    /// With --verify: seed of random bytes.
    #[arg(long, requires = "verify", default_value_t = 1)]
    seed: u64,
}

/// Derives and writes all tables, or verifies the library. Returns `false` if anything differed.
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
        wrong += verify::verify_server(&spec, arguments.full, arguments.seed, &mut std::io::stdout())?;
    }
    println!("{wrong} differences");
    Ok(wrong == 0)
}
