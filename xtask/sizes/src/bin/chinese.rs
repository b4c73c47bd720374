//! A program with the one collation that has the largest tables: for `cargo xtask sizes`.

fn main() {
    sizes::run(mysql_collation::mysql::UTF8MB4_ZH_0900_AS_CS);
}
