//! The C library: header, static and shared library, and the files for pkg-config and CMake, in an
//! archive that is unpacked anywhere.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::archive::Tar;
use super::payload::compress;
use super::program::{C_LIBRARY, Target};
use super::{Release, tools};
use crate::bindings::{root, succeed, target as build_folder};

pub fn write(release: &Release, target: Target) -> Result<()> {
    tools::add_standard_library(target.triple)?;
    let source = root().join("engine/bindings/c");
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

    let name = format!("mysql-collation-c-{}-{}", release.version, target.triple);
    let mut archive = Tar::new(release.time);
    let mut add = |path: &str, bytes: Vec<u8>, mode| archive.add_file(&format!("{name}/{path}"), &bytes, mode);
    add("lib/libmysql_collation.a", read(&built.join("libmysql_collation.a"))?, 0o644)?;
    add(&format!("lib/libmysql_collation.so.{abi}"), read(&built.join("libmysql_collation.so"))?, 0o755)?;
    add("lib/pkgconfig/mysql_collation.pc", fill(text("mysql_collation.pc.in")?), 0o644)?;
    add(&format!("{cmake}.cmake"), fill(text("cmake/mysql_collation-config.cmake")?), 0o644)?;
    add(&format!("{cmake}-version.cmake"), fill(text("cmake/mysql_collation-config-version.cmake.in")?), 0o644)?;
    add("include/mysql_collation.h", header.clone().into_bytes(), 0o644)?;
    for file in ["README.md", "examples/words.c"] {
        add(file, text(file)?.into_bytes(), 0o644)?;
    }
    for file in ["LICENSE-MIT", "LICENSE-APACHE"] {
        add(file, read(&root().join(file))?, 0o644)?;
    }
    archive
        .add_link(&format!("{name}/lib/libmysql_collation.so"), Path::new(&format!("libmysql_collation.so.{abi}")))?;
    release.write(&format!("{name}.tar.gz"), &compress(&archive.finish()?)?)
}
