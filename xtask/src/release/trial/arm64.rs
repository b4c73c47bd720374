//! The program for arm64, run by an emulator with the libraries of its image: on files, and against
//! a server of this machine.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use fetch::Tool;
use mysql::prelude::Queryable;
use progress::Bar;
use server::{Address, Options, Server};

use super::{Files, image};
use crate::bindings::create_empty_folder;
use crate::release::program::ARM64;

const SCHEMA: [&str; 3] = [
    "CREATE DATABASE shop CHARACTER SET latin1",
    "CREATE TABLE shop.words (word VARCHAR(20) COLLATE latin1_general_cs PRIMARY KEY)",
    "INSERT INTO shop.words VALUES ('a'), ('A'), ('b')",
];

pub fn try_program(files: &Files) -> Result<()> {
    let emulator = Emulator::prepare(files)?;
    let version = emulator.output(&["--version"], 0)?;
    ensure!(version.contains(ARM64.triple), "{version}");

    let words = emulator.root.join("trial-words");
    create_empty_folder(&words)?;
    fs::write(words.join("words"), "Zug\nSTRASSE\nÄhre\nStraße\n")?;
    let file = words.join("words").display().to_string();
    let sort = ["sort", "-c", "utf8mb4_0900_ai_ci", "--flavour", "mysql", &file];
    let sorted = emulator.output(&sort, 0)?;
    ensure!(sorted.lines().eq(["Ähre", "STRASSE", "Straße", "Zug"]), "{sorted}");
    let weights = emulator.output(&["weights", "-c", "utf8mb4_0900_ai_ci", "--flavour", "mysql", &file], 0)?;
    ensure!(weights.contains("1C47"), "{weights}");

    let server = open_server()?;
    let Address::Socket(socket) = &server.endpoint().address else { bail!("a private server has a socket") };
    let login = ["--no-defaults", "--user=root", "--socket", socket.to_str().context("the socket's path")?];
    let audit = emulator.output(&[&["audit"][..], &login, &["--schema=shop"]].concat(), 1)?;
    ensure!(audit.contains("latin1"), "{audit}");
    let preflight = ["preflight", "--to=utf8mb4_general_ci", "--schema=shop", "--trial=none"];
    let preflight = emulator.output(&[&preflight[..], &login].concat(), 1)?;
    ensure!(preflight.contains("shop.words: PRIMARY"), "{preflight}");
    eprintln!("arm64: {}", version.trim());
    Ok(server.stop()?)
}

fn open_server() -> Result<Server> {
    let server = server::open(&"mariadb".parse()?, &Options::default(), &Bar::with_steps_printed())?;
    let mut connection = server.connect()?;
    for statement in SCHEMA {
        connection.query_drop(statement).context(statement)?;
    }
    Ok(server)
}

struct Emulator {
    program: PathBuf,
    /// Folder of the unpacked image.
    root: PathBuf,
}

impl Emulator {
    fn prepare(files: &Files) -> Result<Self> {
        let program = Tool::Qemu.find_or_install(&Bar::with_steps_printed())?;
        Ok(Self { program, root: image::unpack_layers(files, ARM64)? })
    }

    /// Runs `weigh` and returns what it prints. The exit status must be `code`.
    fn output(&self, words: &[&str], code: i32) -> Result<String> {
        let mut command = Command::new(&self.program);
        command.arg("-L").arg(&self.root).arg(self.root.join("usr/bin/weigh")).args(words);
        let output = command.output().with_context(|| format!("cannot run {command:?}"))?;
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr);
        ensure!(
            output.status.code() == Some(code),
            "weigh {} ended with {}:\n{printed}{errors}",
            words.join(" "),
            output.status
        );
        Ok(printed)
    }
}
