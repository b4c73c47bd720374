//! Wheels: of the command, whose script is the program itself, and of the library's Python module.

use std::fs;
use std::io::{Cursor, Write};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use zip::write::SimpleFileOptions;
use zip::{DateTime, ZipWriter};

use super::dependencies::Dependencies;
use super::payload::Payload;
use super::program::Target;
use super::{Release, sbom, standalone, tools};
use crate::bindings::{root, succeed};

/// Folder of the Python module.
const MODULE: &str = "engine/bindings/python";

/// Platform of wheels whose programs run with glibc 2.17 or later.
fn platform(target: Target) -> String {
    format!("manylinux_2_17_{0}.manylinux2014_{0}", target.architecture())
}

/// Writes the wheel `weighbridge`: `pipx install weighbridge` puts `weigh` on the PATH.
pub fn write_command(release: &Release, target: Target, payload: &Payload) -> Result<()> {
    let version = release.version;
    let tag = format!("py3-none-{}", platform(target));
    let info = format!("weighbridge-{version}.dist-info");
    let tags: String = tag.rsplit_once('-').map_or_else(String::new, |(start, platforms)| {
        platforms.split('.').map(|platform| format!("Tag: {start}-{platform}\n")).collect()
    });
    let readme = fs::read_to_string(root().join("README.md")).context("cannot read README.md")?;
    let mut files = vec![
        (format!("weighbridge-{version}.data/scripts/weigh"), payload.program.clone(), 0o755),
        (format!("{info}/METADATA"), metadata(version, &readme).into_bytes(), 0o644),
        (
            format!("{info}/WHEEL"),
            format!("Wheel-Version: 1.0\nGenerator: weighbridge\nRoot-Is-Purelib: false\n{tags}").into_bytes(),
            0o644,
        ),
    ];
    for file in payload.licence_files()? {
        files.push((format!("{info}/licenses/{}", file.path), file.bytes, 0o644));
    }
    let record: String = files.iter().map(|(path, bytes, _)| record_line(path, bytes)).collect();
    files.push((format!("{info}/RECORD"), format!("{record}{info}/RECORD,,\n").into_bytes(), 0o644));

    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, bytes, mode) in &files {
        let options = SimpleFileOptions::default().last_modified_time(DateTime::default()).unix_permissions(*mode);
        zip.start_file(path, options)?;
        zip.write_all(bytes)?;
    }
    release.write(&format!("weighbridge-{version}-{tag}.whl"), &zip.finish()?.into_inner())
}

fn metadata(version: &str, readme: &str) -> String {
    format!(
        "Metadata-Version: 2.4\nName: weighbridge\nVersion: {version}\n\
         Summary: Measures what character sets and collations cost MySQL and MariaDB\n\
         License-Expression: MIT OR Apache-2.0\nLicense-File: LICENSE-MIT\nLicense-File: LICENSE-APACHE\n\
         License-File: THIRD-PARTY-LICENSES.txt\nKeywords: mysql,mariadb,collation,charset,benchmark\n\
         Classifier: Environment :: Console\nClassifier: Operating System :: POSIX :: Linux\n\
         Classifier: Programming Language :: Rust\nClassifier: Topic :: Database\n\
         Requires-Python: >=3.8\nDescription-Content-Type: text/markdown\n\n{readme}"
    )
}

fn record_line(path: &str, bytes: &[u8]) -> String {
    format!("{path},sha256={},{}\n", URL_SAFE_NO_PAD.encode(Sha256::digest(bytes)), bytes.len())
}

/// Builds the wheel and the source archive of `mysql-collation` with maturin.
pub fn build_module(release: &Release, targets: &[Target]) -> Result<()> {
    let folder = tempfile::tempdir().context("cannot create a temporary folder")?;
    let source = root().join(MODULE);
    let maturin = |action: &str, source: &Path| {
        let mut command = release.tools.command("maturin")?;
        command.arg(action).arg("--out").arg(folder.path()).current_dir(source);
        command.env("SOURCE_DATE_EPOCH", release.time.to_string());
        anyhow::Ok(command)
    };
    let copy = standalone::copy(Path::new(MODULE))?;
    leave_out_maturins_sbom(&copy.join("pyproject.toml"))?;
    for target in targets {
        tools::add_standard_library(target.triple)?;
        let sboms = tempfile::tempdir().context("cannot create a temporary folder")?;
        let sbom = sboms.path().join("mysql-collation.cyclonedx.json");
        let dependencies = Dependencies::read(&copy, sbom::MODULE.package, target.triple)?;
        fs::write(&sbom, sbom::render(release, &sbom::MODULE, target.triple, &copy, &dependencies)?)?;
        let mut build = maturin("build", &copy)?;
        build.args([
            "--quiet",
            "--release",
            "--locked",
            "--zig",
            "--compatibility",
            "manylinux2014",
            "--target",
            target.triple,
            "--sbom-include",
        ]);
        build.arg(&sbom).env("CARGO_TARGET_DIR", root().join("target/bindings"));
        succeed(&mut build)?;
    }
    succeed(&mut maturin("sdist", &source)?)?;
    let mut count = 0;
    for built in fs::read_dir(folder.path())? {
        let built = built?;
        release.write(&built.file_name().to_string_lossy(), &fs::read(built.path())?)?;
        count += 1;
    }
    ensure!(count == targets.len() + 1, "maturin built {count} files");
    Ok(())
}

/// Switches off the SBOM of maturin, which contains paths of this machine.
fn leave_out_maturins_sbom(path: &Path) -> Result<()> {
    let mut text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    text.push_str("\n[tool.maturin.sbom]\nrust = false\n");
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
