//! Sets the soname of the shared library on Linux. It contains the version of the interface,
//! `MCOLL_ABI_VERSION`.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libmysql_collation.so.1");
    }
}
