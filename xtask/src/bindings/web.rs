//! The page that shows how collations see two strings: the library as WebAssembly, packed into one HTML file.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

use crate::bar::Bar;
use crate::bindings::{cargo, root, succeed, target};

const TARGET: &str = "wasm32-unknown-unknown";

/// The most bytes that the page may have.
const LIMIT: usize = 3_000_000;

/// Who compiles to WebAssembly.
pub enum Compiler {
    /// This machine's own, which has the target.
    Own,
    /// Debian's, and a linker, which does not come with it.
    Installed { rustc: PathBuf, linker: PathBuf },
}

/// Finds or installs the compiler.
pub fn prepare() -> Result<Compiler> {
    let library = printed(&["--print", "target-libdir", "--target", TARGET])?;
    if Path::new(&library).is_dir() {
        return Ok(Compiler::Own);
    }
    let rustc = server::rustc_for_wasm(&Bar::new())?;
    Ok(Compiler::Installed { rustc, linker: linker()? })
}

/// LLVM's linker: that of this machine's Rust, else of its packages.
fn linker() -> Result<PathBuf> {
    let version = printed(&["-vV"])?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
    let of_rust = Path::new(&printed(&["--print", "sysroot"])?).join("lib/rustlib").join(host).join("bin/rust-lld");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).map(|folder| folder.join("wasm-ld"));
    let found = [of_rust].into_iter().chain(on_path).find(|file| file.is_file());
    found.context("no linker for WebAssembly: neither rust-lld beside rustc nor wasm-ld on the PATH (on Debian: lld)")
}

/// What this machine's rustc prints.
fn printed(arguments: &[&str]) -> Result<String> {
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    let output = rustc.args(arguments).output().context("cannot run rustc")?;
    ensure!(output.status.success(), "rustc {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

/// Builds the page and tests it in a browser.
pub fn test(source: &Path) -> Result<()> {
    let page = build(source)?;
    let mut tests = Command::new(crate::cargo());
    // Of the whole workspace, whose features are those that `cargo test --workspace` has built with.
    tests.args(["test", "--quiet", "--locked", "--workspace", "--test", "collations_page"]);
    succeed(tests.current_dir(root()).env("CARGO_TARGET_DIR", root().join("target")).env("COLLATIONS_PAGE", page))
}

/// Builds the page; where it is.
fn build(source: &Path) -> Result<PathBuf> {
    let mut build = cargo(source);
    build.args(["build", "--quiet", "--locked", "--release", "--target", TARGET]);
    if let Compiler::Installed { rustc, linker } = prepare()? {
        build.env("RUSTC", rustc).env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
    }
    succeed(&mut build)?;
    let library = target().join(TARGET).join("release/mysql_collation_web.wasm");
    let library = fs::read(&library).with_context(|| format!("cannot read {}", library.display()))?;

    let page = page(&source.join("page"), &library)?;
    ensure!(page.len() < LIMIT, "the page has {} bytes, more than {LIMIT}", page.len());
    let file = target().join("collations.html");
    fs::write(&file, &page).with_context(|| format!("cannot write {}", file.display()))?;
    eprintln!("wrote {} ({} bytes)", file.display(), page.len());
    Ok(file)
}

/// One file of the template, its style and script, and the library. Its policy allows that script and no connection at all.
fn page(folder: &Path, library: &[u8]) -> Result<String> {
    let read = |name: &str| fs::read_to_string(folder.join(name)).with_context(|| format!("cannot read {name}"));
    let (style, script) = (read("page.css")?, read("page.js")?);
    let hash = |text: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text.as_bytes())));
    let policy = format!(
        "default-src 'none'; script-src {} 'wasm-unsafe-eval'; style-src {}; base-uri 'none'; form-action 'none'",
        hash(&script),
        hash(&style)
    );
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(library)?;
    let library = STANDARD.encode(packed.finish()?);
    let mut page = read("page.html")?;
    for (name, text) in [("policy", &policy), ("style", &style), ("script", &script), ("library", &library)] {
        let place = format!("{{{{{name}}}}}");
        if page.matches(&place).count() != 1 {
            bail!("the template has {place} not once");
        }
        page = page.replace(&place, text);
    }
    Ok(page)
}
