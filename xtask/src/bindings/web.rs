//! Builds and tests the web page that explains how collations compare two strings: the library as
//! WebAssembly in one HTML file.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::GzEncoder;
use progress::Bar;
use sha2::{Digest, Sha256};

use crate::bindings::{cargo, root, succeed, target};

const TARGET: &str = "wasm32-unknown-unknown";

/// Maximum size of the page, in bytes.
const MAX_PAGE_SIZE: usize = 1_500_000;

/// A Rust compiler with the WebAssembly target.
pub enum Compiler {
    /// The compiler on PATH.
    OnPath,
    /// Debian's compiler, and a linker, which its package lacks.
    Installed { rustc: PathBuf, linker: PathBuf },
}

pub fn prepare() -> Result<Compiler> {
    let library = rustc_output(&["--print", "target-libdir", "--target", TARGET])?;
    if Path::new(&library).is_dir() {
        return Ok(Compiler::OnPath);
    }
    let rustc = fetch::find_or_install_wasm_rustc(&Bar::with_steps_printed())?;
    Ok(Compiler::Installed { rustc, linker: find_linker()? })
}

/// Finds LLVM's linker: the one of this machine's Rust, else `wasm-ld` on PATH.
fn find_linker() -> Result<PathBuf> {
    let version = rustc_output(&["-vV"])?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
    let of_rust =
        Path::new(&rustc_output(&["--print", "sysroot"])?).join("lib/rustlib").join(host).join("bin/rust-lld");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = std::env::split_paths(&path).map(|folder| folder.join("wasm-ld"));
    let found = [of_rust].into_iter().chain(on_path).find(|file| file.is_file());
    found.context("no linker for WebAssembly: neither rust-lld beside rustc nor wasm-ld on the PATH (on Debian: lld)")
}

/// Returns what rustc prints, without surrounding white space.
fn rustc_output(arguments: &[&str]) -> Result<String> {
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
    let output = rustc.args(arguments).output().context("cannot run rustc")?;
    ensure!(output.status.success(), "rustc {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

/// Builds the page and tests it in a browser.
pub fn test(source: &Path) -> Result<()> {
    let page = build(source)?;
    let mut tests = Command::new(crate::cargo());
    // `--workspace` unifies features as `cargo test --workspace` does, so that nothing is built
    // twice.
    tests.args(["test", "--quiet", "--locked", "--workspace", "--test", "collations_page", "--", "--ignored"]);
    succeed(tests.current_dir(root()).env("CARGO_TARGET_DIR", root().join("target")).env("COLLATIONS_PAGE", page))
}

/// Builds the library with additional flags of the compiler, and returns its bytes.
pub fn build_library(source: &Path, rust_flags: &str) -> Result<Vec<u8>> {
    let mut build = cargo(source);
    if !rust_flags.is_empty() {
        build.env("RUSTFLAGS", rust_flags);
    }
    build.args(["build", "--quiet", "--locked", "--release", "--target", TARGET]);
    if let Compiler::Installed { rustc, linker } = prepare()? {
        build.env("RUSTC", rustc).env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
    }
    succeed(&mut build)?;
    let library = target().join(TARGET).join("release/mysql_collation_web.wasm");
    fs::read(&library).with_context(|| format!("cannot read {}", library.display()))
}

/// Returns the bytes at even places, then those at odd places. Tables of words compress by a
/// quarter better so. `join` in library.js and page.js is the inverse.
pub fn split(library: &[u8]) -> Vec<u8> {
    let from = |start: usize| library.iter().skip(start).step_by(2).copied();
    from(0).chain(from(1)).collect()
}

fn build(source: &Path) -> Result<PathBuf> {
    let library = build_library(source, "")?;
    let page = render_page(&source.join("page"), &library)?;
    ensure!(page.len() < MAX_PAGE_SIZE, "the page has {} bytes, more than {MAX_PAGE_SIZE}", page.len());
    let file = target().join("collations.html");
    fs::write(&file, &page).with_context(|| format!("cannot write {}", file.display()))?;
    eprintln!("wrote {} ({} bytes)", file.display(), page.len());
    Ok(file)
}

/// Fills the template with style, script and the compressed library. The page's security policy
/// allows this style and this script alone, and no connection.
fn render_page(folder: &Path, library: &[u8]) -> Result<String> {
    let read = |name: &str| fs::read_to_string(folder.join(name)).with_context(|| format!("cannot read {name}"));
    let (style, script) = (read("page.css")?, read("page.js")?);
    let hash = |text: &str| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(text.as_bytes())));
    let policy = format!(
        "default-src 'none'; script-src {} 'wasm-unsafe-eval'; style-src {}; base-uri 'none'; form-action 'none'",
        hash(&script),
        hash(&style)
    );
    let mut compressed = GzEncoder::new(Vec::new(), Compression::best());
    compressed.write_all(&split(library))?;
    let library = STANDARD.encode(compressed.finish()?);
    let mut page = read("page.html")?;
    for (name, text) in [("policy", &policy), ("style", &style), ("script", &script), ("library", &library)] {
        let placeholder = format!("{{{{{name}}}}}");
        if page.matches(&placeholder).count() != 1 {
            bail!("the template must contain {placeholder} exactly once");
        }
        page = page.replace(&placeholder, text);
    }
    Ok(page)
}
