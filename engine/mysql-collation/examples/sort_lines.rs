//! Sorts the lines of standard input, without empty ones: `sort_lines mysql utf8mb4_cs_0900_ai_ci <
//! words.txt`.

use std::error::Error;
use std::io::{Read, Write};

use mysql_collation::Collation;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [flavour, name] = &arguments[..] else { return Err("usage: sort_lines mysql|mariadb COLLATION".into()) };
    let collation = Collation::by_name(flavour.parse()?, name)?;
    let mut text = Vec::new();
    std::io::stdin().read_to_end(&mut text)?;
    let mut lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).collect();
    collation.sort(&mut lines);
    let mut out = std::io::stdout().lock();
    for line in lines {
        out.write_all(line)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}
