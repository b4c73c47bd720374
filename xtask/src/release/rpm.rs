//! The RPM package.

use anyhow::Result;
use rpm::{BuildConfig, Dependency, FileOptions, PackageBuilder};

use super::Release;
use super::payload::File;
use super::program::{C_LIBRARY, Target};

/// Returns the bytes of a package.
pub fn pack(release: &Release, target: Target, files: &[File]) -> Result<Vec<u8>> {
    let summary = "Measures the cost of character sets and collations";
    let mut builder =
        PackageBuilder::new("weighbridge", release.version, "MIT OR Apache-2.0", target.architecture(), summary);
    builder
        .using_config(BuildConfig::v4().source_date(u32::try_from(release.time)?))
        .release("1")
        .build_host("localhost")
        .description(
            "Measures what character sets and collations cost MySQL and MariaDB servers, checks servers and dumps\n\
             before a conversion or an upgrade, and compares, sorts and explains strings as the servers do.",
        )
        .requires(Dependency::any(format!("libc.so.6(GLIBC_{C_LIBRARY})(64bit)")))
        .recommends(Dependency::any("perf"));
    for file in files {
        let options = FileOptions::new(format!("/{}", file.path)).permissions(u16::try_from(file.mode)?);
        let options = match file.path.rsplit_once('/') {
            Some((_, "copyright")) => options.license(),
            Some((folder, _)) if folder.starts_with("usr/share/doc") || folder.starts_with("usr/share/man") => {
                options.doc()
            }
            _ => options,
        };
        builder.with_file_contents(file.bytes.clone(), options)?;
    }
    let mut bytes = Vec::new();
    builder.build()?.write(&mut bytes)?;
    Ok(bytes)
}
