//! What `perf script` writes: samples with their stacks, and, where asked for, where each process has mapped its files.
//!
//! The form is read as perf's manual describes it and as perf 4 to 6 write it: a head (command, process and thread, time), a line
//! a frame, an empty line. Fields that are not used here may stand in the head.

use std::collections::HashMap;
use std::io::{self, BufRead};
use std::sync::Arc;

/// Samples and mappings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script {
    /// In the order of the file, which is that of time.
    pub samples: Vec<Sample>,
    /// Executable mappings of files.
    pub mappings: Vec<Mapping>,
}

/// Where a thread was when the clock ticked.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The thread's name.
    pub command: String,
    /// Its process; 0 where the file does not tell.
    pub pid: u32,
    /// The thread.
    pub tid: u32,
    /// Time on the clock that was recorded, in nanoseconds.
    pub time_ns: u64,
    /// The innermost frame first.
    pub frames: Vec<Frame>,
}

/// A frame as perf tells it.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// An address in the process, or since perf 5.18 an offset in the file, or in the kernel.
    pub address: u64,
    /// The function, where perf knows it.
    pub symbol: Option<Arc<str>>,
    /// The file, or a name in brackets.
    pub module: Option<Arc<str>>,
}

/// A stretch of a file in a process's memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    /// The process.
    pub pid: u32,
    /// First address.
    pub start: u64,
    /// Bytes.
    pub length: u64,
    /// Offset in the file of the first byte.
    pub offset: u64,
    /// The file, or a name in brackets.
    pub module: Arc<str>,
}

/// A line that is not what it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// Line, from 1.
    pub line: usize,
    /// What is wrong.
    pub reason: String,
}

/// Reads a script.
///
/// # Errors
/// The outer error is the reader's; the inner one says which line is not perf's.
pub fn read(reader: impl BufRead) -> io::Result<Result<Script, Malformed>> {
    let mut parser = Parser::default();
    let mut reader = reader;
    let mut bytes = Vec::new();
    for number in 1.. {
        bytes.clear();
        if reader.read_until(b'\n', &mut bytes)? == 0 {
            break;
        }
        let line = String::from_utf8_lossy(&bytes);
        if let Err(reason) = parser.line(line.trim_end()) {
            return Ok(Err(Malformed { line: number, reason }));
        }
    }
    parser.end();
    Ok(Ok(parser.script))
}

#[derive(Default)]
struct Parser {
    script: Script,
    open: Option<Sample>,
    /// The same few names stand in every sample.
    names: HashMap<String, Arc<str>>,
}

impl Parser {
    fn line(&mut self, line: &str) -> Result<(), String> {
        if line.is_empty() {
            self.end();
        } else if line.starts_with('#') {
        } else if line.contains(": PERF_RECORD_MMAP") {
            self.end();
            self.mapping(line);
        } else if line.contains(": PERF_RECORD_") {
            self.end();
        } else if line.starts_with([' ', '\t']) && self.open.is_some() {
            let frame = self.frame(line.trim_start()).ok_or("no frame of a stack")?;
            self.open.iter_mut().for_each(|sample| sample.frames.push(frame.clone()));
        } else {
            self.end();
            self.open = Some(head(line).ok_or("neither a sample's head nor a frame of its stack")?);
        }
        Ok(())
    }

    fn end(&mut self) {
        self.script.samples.extend(self.open.take());
    }

    fn name(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.names.get(text) {
            return Arc::clone(known);
        }
        let name: Arc<str> = text.into();
        self.names.insert(text.into(), Arc::clone(&name));
        name
    }

    /// `7958a7 QUICK_RANGE_SELECT::get_next+0x27 (/usr/sbin/mariadbd)`; either name may be `[unknown]`.
    fn frame(&mut self, text: &str) -> Option<Frame> {
        let (address, rest) = text.split_once(' ').unwrap_or((text, ""));
        let address = u64::from_str_radix(address.trim_start_matches("0x"), 16).ok()?;
        let rest = rest.trim();
        // A function's own name may hold brackets; the file's stand last.
        let (symbol, module) = match rest.rsplit_once(" (") {
            Some((symbol, module)) if module.ends_with(')') => (symbol, &module[..module.len() - 1]),
            _ => match rest.strip_prefix('(').and_then(|module| module.strip_suffix(')')) {
                Some(module) => ("", module),
                None => (rest, ""),
            },
        };
        let module = module.trim_end_matches(" (deleted)");
        let told = |name: &str| !name.is_empty() && name != "[unknown]";
        let symbol = told(symbol).then(|| without_offset(symbol.trim()));
        Some(Frame {
            address,
            symbol: symbol.map(|symbol| self.name(symbol)),
            module: told(module).then(|| self.name(module)),
        })
    }

    /// `…: PERF_RECORD_MMAP2 17487/17487: [0x7f92ad634000(0x163000) @ 0x28000 fe:00 10275219 0]: r-xp /usr/lib/libssl.so.3`
    fn mapping(&mut self, line: &str) -> Option<()> {
        let (_, rest) = line.split_once(": PERF_RECORD_MMAP")?;
        let rest = rest.strip_prefix('2').unwrap_or(rest).trim_start();
        let (process, rest) = rest.split_once(": [")?;
        let (span, file) = rest.split_once("]: ")?;
        let (start, span) = span.split_once('(')?;
        let (length, span) = span.split_once(") @ ")?;
        let (access, module) = file.split_once(' ')?;
        let is_executable = access.contains('x');
        let mapping = Mapping {
            // The kernel's own is written as -1.
            pid: process.split('/').next()?.parse().ok()?,
            start: hexadecimal(start)?,
            length: hexadecimal(length)?,
            offset: hexadecimal(span.split(' ').next()?)?,
            module: self.name(module.trim().trim_end_matches(" (deleted)")),
        };
        if is_executable {
            self.script.mappings.push(mapping);
        }
        Some(())
    }
}

fn hexadecimal(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

fn without_offset(symbol: &str) -> &str {
    match symbol.rsplit_once("+0x") {
        Some((name, offset)) if offset.bytes().all(|byte| byte.is_ascii_hexdigit()) => name,
        _ => symbol,
    }
}

/// `one_connection 17487/17622 12119.162571:`, perhaps with `[001]` before the time and an event behind it. A command may hold
/// spaces and anything else, so the first word that ends in `:` and is a time is looked for, and the numbers before it.
fn head(line: &str) -> Option<Sample> {
    let mut before: Vec<&str> = Vec::new();
    for word in line.split_ascii_whitespace() {
        if let (Some(time_ns), false) = (word.strip_suffix(':').and_then(nanoseconds), before.is_empty()) {
            if before.last().is_some_and(|word| word.starts_with('[')) {
                before.pop();
            }
            let ids = before.pop()?;
            let (pid, tid) = ids.split_once('/').unwrap_or(("0", ids));
            return Some(Sample {
                command: before.join(" "),
                pid: pid.parse().ok()?,
                tid: tid.parse().ok()?,
                time_ns,
                frames: Vec::new(),
            });
        }
        before.push(word);
    }
    None
}

/// `12119.162571`, with six or nine digits behind the point.
fn nanoseconds(text: &str) -> Option<u64> {
    let (seconds, fraction) = text.split_once('.')?;
    let digits = fraction.len();
    if digits == 0 || digits > 9 {
        return None;
    }
    let scale = 10u64.pow(9 - digits as u32);
    seconds.parse::<u64>().ok()?.checked_mul(1_000_000_000)?.checked_add(fraction.parse::<u64>().ok()? * scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Script, Malformed> {
        read(text.as_bytes()).unwrap()
    }

    fn frame(address: u64, symbol: Option<&str>, module: Option<&str>) -> Frame {
        Frame { address, symbol: symbol.map(Into::into), module: module.map(Into::into) }
    }

    #[test]
    fn samples_and_mappings_are_read() {
        let text = "\
swapper     0/0         0.000000: PERF_RECORD_MMAP -1/0: [0xffffffff81000000(0x1209988) @ 0xffffffff81000000]: x [kernel.kallsyms]_text
ld-linux-x86-64     0/0         0.000000: PERF_RECORD_MMAP2 174/174: [0x7f92aecc9000(0xaee000) @ 0x6c9000 fe:00 10275424 0]: r-xp /usr/sbin/mariadbd
ld-linux-x86-64     0/0         0.000000: PERF_RECORD_COMM: mariadbd:174/174
one_connection 174/176 12119.162571: 
\t          a309a6 DsMrr_impl::dsmrr_next+0x16 (/usr/sbin/mariadbd)
\t          7c9d0d [unknown] (/usr/sbin/mariadbd)
\tffffffff81a0 do_syscall_64+0x5 ([kernel.kallsyms])
\t               0 [unknown] ([unknown])

my sqld 177 [001] 12119.163216123:    2004008 cpu-clock:u: 
\t7f00 operator()(int) (inlined) (/usr/sbin/a b)
";
        let script = parse(text).unwrap();
        let file = "/usr/sbin/mariadbd";
        let mariadbd = Some(file);
        assert_eq!(
            script.mappings,
            [Mapping { pid: 174, start: 0x7f92aecc9000, length: 0xaee000, offset: 0x6c9000, module: file.into() }]
        );
        let [first, second] = &script.samples[..] else { panic!("{:?}", script.samples) };
        assert_eq!(
            (first.command.as_str(), first.pid, first.tid, first.time_ns),
            ("one_connection", 174, 176, 12_119_162_571_000)
        );
        assert_eq!(
            first.frames,
            [
                frame(0xa309a6, Some("DsMrr_impl::dsmrr_next"), mariadbd),
                frame(0x7c9d0d, None, mariadbd),
                frame(0xffffffff81a0, Some("do_syscall_64"), Some("[kernel.kallsyms]")),
                frame(0, None, None),
            ]
        );
        assert_eq!((second.command.as_str(), second.pid, second.tid), ("my sqld", 0, 177));
        assert_eq!(second.time_ns, 12_119_163_216_123);
        assert_eq!(second.frames, [frame(0x7f00, Some("operator()(int) (inlined)"), Some("/usr/sbin/a b"))]);
    }

    #[test]
    fn a_sample_without_a_stack_and_comments_are_fine() {
        let script = parse("# captured on: today\n\nmysqld 1/2 3.000001: \n\nmysqld 1/3 4.5:").unwrap();
        assert_eq!(script.samples.iter().map(|sample| sample.tid).collect::<Vec<_>>(), [2, 3]);
    }

    #[test]
    fn what_perf_did_not_write_is_told_by_its_line() {
        assert_eq!(parse("hello world").unwrap_err().line, 1);
        assert_eq!(parse("mysqld 1/2 3.0:\n\txyz foo (bar)\n").unwrap_err().line, 2);
        assert!(parse("").unwrap().samples.is_empty());
        assert!(parse("\u{0}\u{1}PNG").is_err());
    }
}
