//! A program with the collation of the largest tables: for `cargo xtask sizes`.

fn main() {
    sizes::run(mysql_collation::mysql::UTF8MB4_ZH_0900_AS_CS);
}
