//! `cargo xtask package`: the command, its manual pages and completions as a Debian package.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// The target whose programs need no library of the system.
const STATIC: &str = "x86_64-unknown-linux-musl";

#[derive(clap::Args)]
pub struct Arguments {
    /// Where the package goes.
    #[arg(long, value_name = "DIR", default_value = "target/package")]
    out: PathBuf,

    /// The profile to build with.
    #[arg(long, default_value = "release")]
    profile: String,

    /// The target to build for [default: x86_64-unknown-linux-musl where it is installed, else this machine's own].
    #[arg(long, value_name = "TRIPLE")]
    target: Option<String>,
}

/// Builds the package and prints its path.
pub fn run(arguments: &Arguments) -> Result<()> {
    let target = match &arguments.target {
        Some(target) => Some(target.clone()),
        None if is_installed(STATIC)? => Some(STATIC.to_owned()),
        None => {
            eprintln!(
                "the target {STATIC} is not installed (`rustup target add {STATIC}`): the package will need this machine's C library"
            );
            None
        }
    };
    let program = build(&arguments.profile, target.as_deref())?;
    let stage = tempfile::tempdir().context("cannot create a temporary folder")?;
    fill(stage.path(), &program)?;
    control(stage.path(), target.as_deref())?;
    fs::create_dir_all(&arguments.out).with_context(|| format!("cannot create {}", arguments.out.display()))?;
    let package = arguments.out.join(format!("weighbridge_{}_{}.deb", env!("CARGO_PKG_VERSION"), architecture()?));
    let mut dpkg = Command::new("dpkg-deb");
    succeed(dpkg.args(["--root-owner-group", "--build"]).arg(stage.path()).arg(&package))?;
    println!("{}", package.display());
    Ok(())
}

/// Whether the toolchain has the standard library for a target.
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
        if target == STATIC && std::env::var_os("CC_x86_64_unknown_linux_musl").is_none() {
            // The cryptography's C and assembly call no C library, so the compiler that is there will do.
            command.env("CC_x86_64_unknown_linux_musl", "cc");
        }
    }
    command.stderr(std::process::Stdio::inherit());
    let messages = output(&mut command)?;
    let program = messages.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let program = program.filter_map(|message| Some(PathBuf::from(message.get("executable")?.as_str()?))).next_back();
    program.context("cargo built no program")
}

/// Puts the files where a Debian system looks for them.
fn fill(root: &Path, built: &Path) -> Result<()> {
    let program = root.join("usr/bin/weigh");
    put(&program, &fs::read(built).with_context(|| format!("cannot read {}", built.display()))?)?;
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755))?;
    // A tenth of the size; stacks of a crash then have addresses only, as with every program of a distribution.
    succeed(Command::new("strip").arg(&program))?;
    for (shell, file) in [
        ("bash", "usr/share/bash-completion/completions/weigh"),
        ("zsh", "usr/share/zsh/vendor-completions/_weigh"),
        ("fish", "usr/share/fish/vendor_completions.d/weigh.fish"),
    ] {
        put(&root.join(file), output(Command::new(&program).args(["completions", shell]))?.as_bytes())?;
    }
    let pages = root.join("usr/share/man/man1");
    succeed(Command::new(&program).args(["man", "--out"]).arg(&pages))?;
    for page in fs::read_dir(&pages)? {
        succeed(Command::new("gzip").args(["-9n"]).arg(page?.path()))?;
    }
    let docs = root.join("usr/share/doc/weighbridge");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |name: &str| fs::read(source.join(name)).with_context(|| format!("cannot read {name}"));
    put(&docs.join("README.md"), &read("README.md")?)?;
    put(&docs.join("changelog"), &read("CHANGELOG.md")?)?;
    succeed(Command::new("gzip").args(["-9n"]).arg(docs.join("changelog")))?;
    put(&docs.join("copyright"), &[read("LICENSE-MIT")?, b"\n---\n\n".to_vec(), read("LICENSE-APACHE")?].concat())
}

fn control(root: &Path, target: Option<&str>) -> Result<()> {
    let depends = if target == Some(STATIC) { "" } else { "Depends: libc6, libgcc-s1\n" };
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
    put(&root.join("DEBIAN/control"), text.as_bytes())
}

fn architecture() -> Result<&'static str> {
    match std::env::consts::ARCH {
        "x86_64" => Ok("amd64"),
        "aarch64" => Ok("arm64"),
        other => bail!("no Debian architecture is known for {other}"),
    }
}

fn put(path: &Path, bytes: &[u8]) -> Result<()> {
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
