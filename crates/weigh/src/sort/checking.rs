//! `--check`: the first line that is out of order.

use std::io::BufRead;
use std::path::Path;

use anyhow::Result;

use super::order::Order;
use crate::offline;

/// A line that must not stand where it stands.
pub struct OutOfOrder {
    /// Its number, from one on.
    pub number: u64,
    /// Its bytes, without their end.
    pub line: Vec<u8>,
}

/// The first line that must not stand behind the one before it. Only these two are held.
pub fn first_out_of_order(order: &Order, path: &Path, end: u8) -> Result<Option<OutOfOrder>> {
    let mut input = offline::open(path)?;
    let (mut line, mut before) = (Vec::new(), Vec::new());
    for number in 1.. {
        line.clear();
        if input.read_until(end, &mut line).map_err(|error| offline::unreadable(path, &error))? == 0 {
            break;
        }
        line.pop_if(|last| *last == end);
        if number > 1 && order.is_wrong(&before, &line) {
            return Ok(Some(OutOfOrder { number, line }));
        }
        std::mem::swap(&mut line, &mut before);
    }
    Ok(None)
}
