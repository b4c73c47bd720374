//! Times sort keys, order and groups of the lines of standard input, in ms: `column_speed COLLATION
//! ROUNDS < LINES`. The Python module's benchmark compares its times with these.

use std::error::Error;
use std::hint::black_box;
use std::io::{self, Read};
use std::time::Instant;

use mysql_collation::{Collation, Column, Flavour};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, rounds] = arguments.as_slice() else {
        return Err("usage: column_speed COLLATION ROUNDS < LINES".into());
    };
    let (collation, rounds) = (Collation::by_name(Flavour::MySql, name)?, rounds.parse::<u32>()?);
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    let (mut values, mut offsets) = (Vec::new(), vec![0_i32]);
    for line in text.lines() {
        values.extend_from_slice(line.as_bytes());
        offsets.push(values.len().try_into()?);
    }
    let column = Column::new(&offsets, &values, None)?;
    println!("{}", best(rounds, || collation.column_keys(column)));
    println!("{}", best(rounds, || collation.column_argsort(column)));
    println!("{}", best(rounds, || collation.column_groups(column)));
    Ok(())
}

/// Returns the least time of several rounds, in ms.
fn best<T>(rounds: u32, mut work: impl FnMut() -> T) -> f64 {
    let times = (0..rounds).map(|_| {
        let begin = Instant::now();
        black_box(work());
        begin.elapsed().as_secs_f64() * 1000.0
    });
    times.fold(f64::INFINITY, f64::min)
}
