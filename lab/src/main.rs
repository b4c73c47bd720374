//! `cargo xtask TASK` runs this program.

use std::process::ExitCode;

fn main() -> ExitCode {
    lab::main()
}
