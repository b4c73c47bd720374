//! Prints the lines of standard input that match a `LIKE` pattern: `like 'm_ller%' < names.txt`.

use std::io::BufRead;

use mysql_collation::mysql::UTF8MB4_0900_AI_CI;

fn main() -> std::io::Result<()> {
    let pattern = std::env::args().nth(1).unwrap_or_else(|| "%".to_owned());
    let pattern = UTF8MB4_0900_AI_CI.like_pattern(pattern.as_bytes(), Some('\\'));
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        if pattern.matches(line.as_bytes()) {
            println!("{line}");
        }
    }
    Ok(())
}
