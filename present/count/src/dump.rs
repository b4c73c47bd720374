//! Files that callgrind writes: the instructions of one thread, by address.
//!
//! The format is described in "Callgrind Format Specification" of Valgrind's manual. Lines of costs
//! are `ADDRESS LINE COST`, where a number may be relative (`+4`, `-8`) or repeated (`*`). The line
//! after `calls=` has the cost of the called function and is not part of the caller's own.

use std::collections::HashMap;
use std::sync::Arc;

/// Functions of the C library that allocate memory. C++'s `new` calls `malloc`.
const ALLOCATORS: [&str; 6] = ["malloc", "calloc", "realloc", "memalign", "posix_memalign", "aligned_alloc"];

/// Instructions of one thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ThreadInstructions {
    /// Valgrind's number of the thread.
    pub thread: u32,
    pub instructions: u64,
    /// Calls of functions that allocate memory.
    pub allocations: u64,
    /// Places with their instructions, in the order of the file. A place may be there repeatedly.
    pub places: Vec<(Place, u64)>,
}

/// Address of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Program file or library. `???` if valgrind knows none.
    pub file: Arc<str>,
    /// Name of the function in valgrind.
    pub function: Arc<str>,
    /// Virtual address, as in the file's symbol table.
    pub address: u64,
}

/// A line that is not in callgrind's format, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed(pub usize);

/// Parses a file of callgrind that was written with `--dump-instr=yes`.
pub(crate) fn parse(text: &str) -> Result<ThreadInstructions, Malformed> {
    let mut parser = Parser::default();
    for (index, line) in text.lines().enumerate() {
        parser.line(line).ok_or(Malformed(index + 1))?;
    }
    Ok(parser.count)
}

#[derive(Default)]
struct Parser {
    count: ThreadInstructions,
    files: Names,
    functions: Names,
    file: Arc<str>,
    function: Arc<str>,
    address: u64,
    /// Whether the function of the next call allocates memory.
    calls_allocator: bool,
    /// True if the next line has the cost of a call.
    after_calls: bool,
}

impl Parser {
    /// Reads one line. `None` if it is malformed.
    fn line(&mut self, line: &str) -> Option<()> {
        if let Some((key, value)) = line.split_once(['=', ':']) {
            match key {
                "ob" => self.file = self.files.resolve(value)?,
                "fn" => self.function = self.functions.resolve(value)?,
                // Names may be defined where they are first used, in a call.
                "cob" => drop(self.files.resolve(value)?),
                "cfn" => self.calls_allocator = is_allocator(&self.functions.resolve(value)?),
                "calls" => {
                    self.after_calls = true;
                    if self.calls_allocator {
                        self.count.allocations += value.split(' ').next()?.parse::<u64>().ok()?;
                    }
                }
                "thread" => self.count.thread = value.trim().parse().ok()?,
                _ => {}
            }
            return Some(());
        }
        if !line.starts_with(|first: char| first.is_ascii_digit() || "+-*".contains(first)) {
            return Some(());
        }
        self.cost(line)
    }

    fn cost(&mut self, line: &str) -> Option<()> {
        let mut words = line.split(' ');
        self.address = position(words.next()?, self.address)?;
        let cost: u64 = words.nth(1)?.parse().ok()?;
        if std::mem::take(&mut self.after_calls) {
            return Some(());
        }
        self.count.instructions += cost;
        let place = Place { file: Arc::clone(&self.file), function: Arc::clone(&self.function), address: self.address };
        self.count.places.push((place, cost));
        Some(())
    }
}

/// Whether a function allocates memory. Callgrind appends the version of a symbol:
/// `malloc@@GLIBC_2.2.5`.
fn is_allocator(function: &str) -> bool {
    ALLOCATORS.contains(&function.split('@').next().unwrap_or_default())
}

/// Names that callgrind abbreviates: `(7) name` defines 7, `(7)` refers to it.
#[derive(Default)]
struct Names(HashMap<u32, Arc<str>>);

impl Names {
    fn resolve(&mut self, value: &str) -> Option<Arc<str>> {
        let Some(rest) = value.strip_prefix('(') else { return Some(value.into()) };
        let (number, name) = rest.split_once(')')?;
        let number = number.parse().ok()?;
        let name = name.trim_start();
        if !name.is_empty() {
            self.0.insert(number, name.into());
        }
        self.0.get(&number).cloned()
    }
}

/// Returns an absolute position: hexadecimal, decimal, relative to the last one, or repeated.
fn position(word: &str, last: u64) -> Option<u64> {
    let number = |word: &str| match word.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => word.parse().ok(),
    };
    match word.as_bytes().first()? {
        b'*' => Some(last),
        b'+' => last.checked_add(number(&word[1..])?),
        b'-' => last.checked_sub(number(&word[1..])?),
        _ => number(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "\
# callgrind format
version: 1
part: 5
thread: 12

positions: instr line
events: Ir
summary: 0

ob=(2) /usr/lib/libc.so.6
fl=(21) malloc.c
fn=(222) free
0x96120 4417 540
+2 * 60
cfn=(7) unlock
calls=3 0x1000
* * 900
cfn=(8) malloc@@GLIBC_2.2.5
calls=2 0x2000
* * 80
ob=(1) /usr/sbin/mysqld
fn=(7)
-16 0 5
+0 * 5
fn=(222)
16 * 1
totals: 611
";

    #[test]
    fn adds_own_costs_by_address() {
        let count = parse(FILE).unwrap();
        assert_eq!((count.thread, count.instructions, count.allocations), (12, 611, 2));
        let places: Vec<(&str, &str, u64, u64)> =
            count.places.iter().map(|(place, cost)| (&*place.file, &*place.function, place.address, *cost)).collect();
        assert_eq!(
            places,
            [
                ("/usr/lib/libc.so.6", "free", 0x96120, 540),
                ("/usr/lib/libc.so.6", "free", 0x96122, 60),
                ("/usr/sbin/mysqld", "unlock", 0x96112, 5),
                ("/usr/sbin/mysqld", "unlock", 0x96112, 5),
                ("/usr/sbin/mysqld", "free", 16, 1),
            ]
        );
    }

    #[test]
    fn names_malformed_lines() {
        assert_eq!(parse("thread: 1\nfn=(9)\n"), Err(Malformed(2)));
        assert_eq!(parse("0x10 1 many\n"), Err(Malformed(1)));
        assert_eq!(parse("+5\n"), Err(Malformed(1)));
    }
}
