//! `cargo xtask package`: builds a Debian package of the command, its manual pages and completions.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// Target of programs without dynamic libraries.
const STATIC_TARGET: &str = "x86_64-unknown-linux-musl";

#[derive(clap::Args)]
pub struct Arguments {
    /// Folder of the package.
    #[arg(long, value_name = "DIR", default_value = "target/package")]
    out: PathBuf,

    /// Profile to build with.
    #[arg(long, default_value = "release")]
    profile: String,

    /// Target to build for [default: x86_64-unknown-linux-musl if installed, else this machine's
    /// own].
    #[arg(long, value_name = "TRIPLE")]
    target: Option<String>,
}

/// Builds the package and prints its path.
pub fn run(arguments: &Arguments) -> Result<()> {
    let target = match &arguments.target {
        Some(target) => Some(target.clone()),
        None if is_installed(STATIC_TARGET)? => Some(STATIC_TARGET.to_owned()),
        None => {
            eprintln!(
                "the target {STATIC_TARGET} is not installed (`rustup target add {STATIC_TARGET}`): the package will need this machine's C library"
            );
            None
        }
    };
    let program = build(&arguments.profile, target.as_deref())?;
    let tree = tempfile::tempdir().context("cannot create a temporary folder")?;
    install_files(tree.path(), &program)?;
    write_control_file(tree.path(), target.as_deref())?;
    fs::create_dir_all(&arguments.out).with_context(|| format!("cannot create {}", arguments.out.display()))?;
    let package = arguments.out.join(format!("weighbridge_{}_{}.deb", env!("CARGO_PKG_VERSION"), architecture()?));
    let mut dpkg = Command::new("dpkg-deb");
    succeed(dpkg.args(["--root-owner-group", "--build"]).arg(tree.path()).arg(&package))?;
    println!("{}", package.display());
    Ok(())
}

/// Returns `true` if the toolchain has the standard library of a target.
fn is_installed(target: &str) -> Result<bool> {
    let folder = output(Command::new("rustc").args(["--print", "target-libdir", "--target", target]))?;
    Ok(Path::new(folder.trim()).is_dir())
}

fn build(profile: &str, target: Option<&str>) -> Result<PathBuf> {
    let mut command = Command::new(crate::cargo());
    command.args(["build", "--locked", "--package", "weigh", "--bin", "weigh", "--profile", profile]);
    command.arg("--message-format=json-render-diagnostics");
    if let Some(target) = target {
        command.args(["--target", target]);
        if target == STATIC_TARGET && std::env::var_os("CC_x86_64_unknown_linux_musl").is_none() {
            // The C and assembly of the cryptography crate call no C library, so the host's
            // compiler will do.
            command.env("CC_x86_64_unknown_linux_musl", "cc");
        }
    }
    command.stderr(std::process::Stdio::inherit());
    let messages = output(&mut command)?;
    let program = messages.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let program = program.filter_map(|message| Some(PathBuf::from(message.get("executable")?.as_str()?))).next_back();
    program.context("cargo built no program")
}

/// Installs the files into a Debian tree.
fn install_files(root: &Path, built: &Path) -> Result<()> {
    let program = root.join("usr/bin/weigh");
    write_file(&program, &fs::read(built).with_context(|| format!("cannot read {}", built.display()))?)?;
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755))?;
    // Profiles other than release leave debug information, nine tenths of the size. Stack traces
    // of a stripped program have addresses only.
    succeed(Command::new("strip").arg(&program))?;
    for (shell, file) in [
        ("bash", "usr/share/bash-completion/completions/weigh"),
        ("zsh", "usr/share/zsh/vendor-completions/_weigh"),
        ("fish", "usr/share/fish/vendor_completions.d/weigh.fish"),
    ] {
        write_file(&root.join(file), output(Command::new(&program).args(["completions", shell]))?.as_bytes())?;
    }
    let pages = root.join("usr/share/man/man1");
    succeed(Command::new(&program).args(["man", "--out"]).arg(&pages))?;
    for page in fs::read_dir(&pages)? {
        succeed(Command::new("gzip").args(["-9n"]).arg(page?.path()))?;
    }
    let docs = root.join("usr/share/doc/weighbridge");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |name: &str| fs::read(source.join(name)).with_context(|| format!("cannot read {name}"));
    write_file(&docs.join("README.md"), &read("README.md")?)?;
    write_file(&docs.join("changelog"), &read("CHANGELOG.md")?)?;
    succeed(Command::new("gzip").args(["-9n"]).arg(docs.join("changelog")))?;
    write_file(
        &docs.join("copyright"),
        &[read("LICENSE-MIT")?, b"\n---\n\n".to_vec(), read("LICENSE-APACHE")?].concat(),
    )
}

fn write_control_file(root: &Path, target: Option<&str>) -> Result<()> {
    let depends = if target == Some(STATIC_TARGET) { "" } else { "Depends: libc6, libgcc-s1\n" };
    let text = format!(
        "Package: weighbridge\nVersion: {}\nArchitecture: {}\nMaintainer: The Weighbridge developers <weighbridge@localhost>\n\
         Section: database\nPriority: optional\n{depends}Recommends: linux-perf\nSuggests: sysbench\n\
         Description: weighs what character sets and collations cost a MySQL or MariaDB server\n \
         Measures collations against each other on real servers, in turns of milliseconds on the same\n \
         cores, with 95 % intervals; profiles them; and compares, sorts and explains strings as the\n \
         servers do, without one.\n",
        env!("CARGO_PKG_VERSION"),
        architecture()?
    );
    write_file(&root.join("DEBIAN/control"), text.as_bytes())
}

fn architecture() -> Result<&'static str> {
    match std::env::consts::ARCH {
        "x86_64" => Ok("amd64"),
        "aarch64" => Ok("arm64"),
        other => bail!("no Debian architecture is known for {other}"),
    }
}

fn write_file(path: &Path, bytes: &[u8]) -> Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    fs::write(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

fn succeed(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot run {:?}", command.get_program()))?;
    if !status.success() {
        bail!("{command:?} failed ({status})");
    }
    Ok(())
}

fn output(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("cannot run {:?}", command.get_program()))?;
    if !output.status.success() {
        bail!("{command:?} failed ({}): {}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8(output.stdout)?)
}
