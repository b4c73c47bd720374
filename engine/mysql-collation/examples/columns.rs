//! Reads standard input's lines as a column and prints, for each row, its sort key in hex, the row
//! at this position of the order, and its group: `columns mysql utf8mb4_0900_ai_ci < words`

use std::error::Error;
use std::io::{self, Read, Write};

use mysql_collation::{Collation, Column};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [flavour, name] = arguments.as_slice() else { return Err("usage: columns FLAVOUR COLLATION < LINES".into()) };
    let collation = Collation::by_name(flavour.parse()?, name)?;

    let mut text = Vec::new();
    io::stdin().read_to_end(&mut text)?;
    let (mut values, mut offsets) = (Vec::new(), vec![0_i64]);
    // The last line may lack its line feed.
    let lines = text.strip_suffix(b"\n").unwrap_or(&text);
    for line in lines.split(|&byte| byte == b'\n').filter(|_| !text.is_empty()) {
        values.extend_from_slice(line);
        offsets.push(values.len().try_into()?);
    }

    let column = Column::new(&offsets, &values, None)?;
    let keys = collation.column_keys(column);
    let order = collation.column_argsort(column);
    let (groups, _) = collation.column_groups(column);
    let mut out = io::BufWriter::new(io::stdout().lock());
    for (index, bounds) in keys.offsets.windows(2).enumerate() {
        keys.values[bounds[0]..bounds[1]].iter().try_for_each(|byte| write!(out, "{byte:02x}"))?;
        writeln!(out, "\t{}\t{}", order[index], groups[index])?;
    }
    Ok(out.flush()?)
}
