//! A program with one collation by its constant, which links only its tables: for `cargo xtask
//! sizes`.

fn main() {
    sizes::run(mysql_collation::mysql::UTF8MB4_0900_AI_CI);
}
