//! The committed header must be the output of cbindgen. `BLESS=1 cargo test --test header` rewrites
//! it.

use std::path::Path;

/// The dynamic linker must find the interface version that a program was compiled with.
#[test]
fn soname_contains_the_abi_version() {
    let lib = include_str!("../src/lib.rs");
    let version = lib.split_once("MCOLL_ABI_VERSION: u32 = ").unwrap().1.split(';').next().unwrap();
    assert!(include_str!("../build.rs").contains(&format!("libmysql_collation.so.{version}\"")));
}

#[test]
fn header_matches_the_source() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).unwrap();
    // cbindgen follows the modules from this file.
    let builder = cbindgen::Builder::new().with_config(config).with_src(root.join("src/lib.rs"));
    let mut generated = Vec::new();
    builder.generate().unwrap().write(&mut generated);
    // Translates rustdoc's heading for the requirements of an unsafe function.
    let generated = String::from_utf8(generated).unwrap().replace("\n # Safety\n", "\n The caller must guarantee:\n");
    let header = root.join("include/mysql_collation.h");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&header, &generated).unwrap();
    }
    let declarations = |name: &str| generated.matches(&format!(" {name}(")).count();
    assert_eq!((declarations("mcoll_by_name"), declarations("mcoll_column_hashes")), (1, 1), "each is declared once");
    let committed = std::fs::read_to_string(&header).unwrap_or_default();
    assert!(committed == generated, "include/mysql_collation.h is not that of src/: BLESS=1 cargo test --test header");
}
