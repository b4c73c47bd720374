//! The C library: header, static and shared library, and the files for pkg-config and CMake, in a
//! Debian package and in an archive that is unpacked anywhere.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::payload::{File, LINK_MODE};
use super::program::{C_LIBRARY, Target};
use super::{Release, archive, debian, standalone, tools};
use crate::bindings::{root, succeed, target as build_folder};

const LICENCES: [&str; 2] = ["LICENSE-MIT", "LICENSE-APACHE"];

pub fn write(release: &Release, target: Target) -> Result<()> {
    tools::add_standard_library(target.triple)?;
    let source = standalone::copy(Path::new("engine/bindings/c"))?;
    let mut build = release.tools.command("cargo-zigbuild")?;
    build.args(["zigbuild", "--quiet", "--locked", "--release", "--target"]);
    build.arg(format!("{}.{C_LIBRARY}", target.triple)).arg("--target-dir").arg(build_folder());
    succeed(build.current_dir(&source))?;

    let built = build_folder().join(target.triple).join("release");
    let read = |path: &Path| fs::read(path).with_context(|| format!("cannot read {}", path.display()));
    let text = |name: &str| Ok::<_, anyhow::Error>(String::from_utf8(read(&source.join(name))?)?);
    let header = text("include/mysql_collation.h")?;
    let abi = header.lines().find_map(|line| line.strip_prefix("#define MCOLL_ABI_VERSION "));
    let abi = abi.context("the header has no MCOLL_ABI_VERSION")?;
    let fill = |template: String| {
        template.replace("@prefix@", "${pcfiledir}/../..").replace("@version@", release.version).into_bytes()
    };
    let cmake = "lib/cmake/mysql_collation/mysql_collation-config";

    let mut files = vec![
        File::new("lib/libmysql_collation.a", read(&built.join("libmysql_collation.a"))?),
        File::new(format!("lib/libmysql_collation.so.{abi}"), read(&built.join("libmysql_collation.so"))?),
        File {
            mode: LINK_MODE,
            ..File::new("lib/libmysql_collation.so", format!("libmysql_collation.so.{abi}").into())
        },
        File::new("lib/pkgconfig/mysql_collation.pc", fill(text("mysql_collation.pc.in")?)),
        File::new(format!("{cmake}.cmake"), text("cmake/mysql_collation-config.cmake")?.into()),
        File::new(format!("{cmake}-version.cmake"), fill(text("cmake/mysql_collation-config-version.cmake.in")?)),
        File::new("include/mysql_collation.h", header.clone().into()),
    ];
    let depends = format!("libc6 (>= {C_LIBRARY})");
    release.write_deb(&debian::C_LIBRARY, target, &depends, &system_files(&files)?)?;

    for name in ["README.md", "examples/words.c"] {
        files.push(File::new(name, text(name)?.into()));
    }
    for name in LICENCES {
        files.push(File::new(name, read(&root().join(name))?));
    }
    let name = format!("mysql-collation-c-{}-{}", release.version, target.triple);
    release.write(&format!("{name}.tar.gz"), &archive::pack(&name, &files, release.time)?)
}

/// Returns the library's files below `/usr`, with licences where Debian has them.
fn system_files(files: &[File]) -> Result<Vec<File>> {
    let below_usr = |file: &File| File { path: format!("usr/{}", file.path), bytes: file.bytes.clone(), ..*file };
    let mut installed: Vec<File> = files.iter().map(below_usr).collect();
    let licences = LICENCES.map(|name| fs::read(root().join(name)).with_context(|| format!("cannot read {name}")));
    let licences = licences.into_iter().collect::<Result<Vec<_>>>()?.join(&b"\n---\n\n"[..]);
    installed.push(File::new(format!("usr/share/doc/{}/copyright", debian::C_LIBRARY.name), licences));
    Ok(installed)
}
