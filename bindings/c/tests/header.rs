//! The committed header is what cbindgen makes of the source. `BLESS=1 cargo test --test header` writes it.

use std::path::Path;

/// Programs ask the dynamic linker for the version of the interface that they were compiled with.
#[test]
fn the_shared_librarys_name_carries_the_version() {
    let lib = include_str!("../src/lib.rs");
    let version = lib.split_once("MCOLL_ABI_VERSION: u32 = ").unwrap().1.split(';').next().unwrap();
    assert!(include_str!("../build.rs").contains(&format!("libmysql_collation.so.{version}\"")));
}

#[test]
fn the_header_is_that_of_the_source() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).unwrap();
    // Modules are followed from here.
    let builder = cbindgen::Builder::new().with_config(config).with_src(root.join("src/lib.rs"));
    let mut made = Vec::new();
    builder.generate().unwrap().write(&mut made);
    // Rust's heading for what an unsafe function asks of its caller.
    let made = String::from_utf8(made).unwrap().replace("\n # Safety\n", "\n The caller sees to it:\n");
    let header = root.join("include/mysql_collation.h");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&header, &made).unwrap();
    }
    let declarations = |name: &str| made.matches(&format!(" {name}(")).count();
    assert_eq!((declarations("mcoll_by_name"), declarations("mcoll_column_hashes")), (1, 1), "each is declared once");
    let committed = std::fs::read_to_string(&header).unwrap_or_default();
    assert!(committed == made, "include/mysql_collation.h is not that of src/: BLESS=1 cargo test --test header");
}
