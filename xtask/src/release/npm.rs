//! The npm package: the library as WebAssembly, for Node and browsers.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::payload::File;
use super::{Release, archive, standalone, tools};
use crate::bindings::{root, web};

const MAX_SIZE: usize = 1_200_000;

pub fn write(release: &Release) -> Result<()> {
    let source = standalone::copy(Path::new("engine/bindings/web"))?;
    let library = web::split(&web::build_library(&source, &tools::rust_flags()?)?);
    let mut files = vec![File::new("mysql_collation.wasm.split", library)];
    for name in ["package.json", "README.md", "index.d.ts", "library.js", "node.js", "browser.js"] {
        files.push(File::new(name, fs::read(source.join("npm").join(name)).context(name)?));
    }
    for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
        files.push(File::new(name, fs::read(root().join(name)).context(name)?));
    }
    let manifest = String::from_utf8_lossy(&files[1].bytes).into_owned();
    ensure!(manifest.contains(&format!("\"version\": \"{}\"", release.version)), "package.json has another version");
    let archive = archive::pack("package", &files, release.time)?;
    ensure!(archive.len() <= MAX_SIZE, "the npm package has {} bytes, more than {MAX_SIZE}", archive.len());
    release.write(&format!("mysql-collation-{}.tgz", release.version), &archive)
}
