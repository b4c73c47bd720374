//! Counts the words of standard input in a map ordered by MariaDB's Czech collation: `ch` comes
//! after `h`.

use std::collections::BTreeMap;
use std::io::Read;

use mysql_collation::CollatedBuf;
use mysql_collation::mariadb::UTF8MB4_UCA1400_CZECH_AI_CI;

fn main() -> std::io::Result<()> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let mut counts: BTreeMap<CollatedBuf, usize> = BTreeMap::new();
    for word in text.split_whitespace() {
        *counts.entry(CollatedBuf::new(UTF8MB4_UCA1400_CZECH_AI_CI, word.into())).or_default() += 1;
    }
    for (word, count) in counts {
        println!("{count:8} {}", String::from_utf8_lossy(&word.into_text()));
    }
    Ok(())
}
