//! `--check`: finds the first line that is out of order.

use std::path::Path;

use anyhow::Result;

use super::ill_formed::IllFormedLines;
use super::order::Order;
use crate::input;

pub struct OutOfOrder {
    /// Line number, counted from 1.
    pub number: u64,
    /// Bytes without the line end.
    pub line: Vec<u8>,
}

/// Finds the first line that sorts before its predecessor, or equals it if lines must be unique.
/// Holds two lines at a time. Adds the ill-formed lines until then to `ill_formed`.
pub fn find_out_of_order(
    order: &Order,
    path: &Path,
    end: u8,
    ill_formed: &mut IllFormedLines,
) -> Result<Option<OutOfOrder>> {
    let mut input = input::open(path)?;
    let (mut line, mut before) = (Vec::new(), Vec::new());
    for number in 1.. {
        line.clear();
        if input::read_line(&mut *input, end, &mut line).map_err(|error| input::read_error(path, &error))? == 0 {
            break;
        }
        line.pop_if(|last| *last == end);
        ill_formed.add_line(path, number, &line);
        if number > 1 && order.is_out_of_order(&before, &line) {
            return Ok(Some(OutOfOrder { number, line }));
        }
        std::mem::swap(&mut line, &mut before);
    }
    Ok(None)
}
