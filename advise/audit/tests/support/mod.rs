//! Servers of the tests.

use server::{NoProgress, Options, Server, open};

pub fn start_private(name: &str, settings: &[(&str, &str)]) -> Server {
    let settings = settings.iter().map(|(name, value)| format!("{name}={value}").parse().unwrap()).collect();
    let options = Options { buffer_pool: Some(64 << 20), threads: 4, settings, ..Options::default() };
    open(&name.parse().unwrap(), &options, &NoProgress).unwrap_or_else(|error| panic!("{name}: {error}"))
}
