//! Reads the output of `perf script`: samples with stacks, and the mappings of files into
//! processes.
//!
//! The format is described in perf's manual and is written by perf 4 to 6. A sample is a head
//! (command, process and thread, time), one line per frame, and an empty line. The head may contain
//! further fields, which are ignored.

use std::collections::HashMap;
use std::io::{self, BufRead};
use std::sync::Arc;

/// Samples and mappings of one recording.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script {
    /// Samples in the order of the file, which is the order of time.
    pub samples: Vec<Sample>,
    /// Executable mappings of files.
    pub mappings: Vec<Mapping>,
}

/// State of a thread at one tick of the sampling clock.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Name of the thread.
    pub command: String,
    /// Process id. 0 if the file does not contain it.
    pub pid: u32,
    pub tid: u32,
    /// Time on the recorded clock, in nanoseconds.
    pub time_ns: u64,
    /// Frames, innermost first.
    pub frames: Vec<Frame>,
}

/// A frame of a printed stack.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Virtual address of the process or the kernel. For code in a file, some versions of perf,
    /// such as 6.1, print the offset in the file.
    pub address: u64,
    /// Function, if perf knows it.
    pub symbol: Option<Arc<str>>,
    /// File, or a name in brackets, such as `[kernel.kallsyms]`.
    pub module: Option<Arc<str>>,
}

/// Part of a file that is mapped into a process's memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mapping {
    pub pid: u32,
    /// First virtual address.
    pub start: u64,
    /// Length in bytes.
    pub length: u64,
    /// Offset of the first byte in the file.
    pub offset: u64,
    /// File, or a name in brackets.
    pub module: Arc<str>,
}

/// A line that is not in the format of `perf script`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// Line, from 1.
    pub line: usize,
    pub reason: String,
}

/// Reads a script.
///
/// # Errors
/// The outer error is an error of the reader. The inner error names a malformed line.
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
        if let Err(reason) = parser.parse_line(line.trim_end()) {
            return Ok(Err(Malformed { line: number, reason }));
        }
    }
    parser.finish_sample();
    Ok(Ok(parser.script))
}

#[derive(Default)]
struct Parser {
    script: Script,
    current_sample: Option<Sample>,
    /// Interned names of functions and files. A few names occur in most samples.
    names: HashMap<String, Arc<str>>,
}

impl Parser {
    fn parse_line(&mut self, line: &str) -> Result<(), String> {
        if line.is_empty() {
            self.finish_sample();
        } else if line.starts_with('#') {
        } else if line.contains(": PERF_RECORD_MMAP") {
            self.finish_sample();
            self.parse_mapping(line);
        } else if line.contains(": PERF_RECORD_") {
            self.finish_sample();
        } else if line.starts_with([' ', '\t']) && self.current_sample.is_some() {
            let frame = self.parse_frame(line.trim_start()).ok_or("expected a frame of a stack")?;
            self.current_sample.iter_mut().for_each(|sample| sample.frames.push(frame.clone()));
        } else {
            self.finish_sample();
            self.current_sample = Some(parse_head(line).ok_or("expected a sample's head or a frame of its stack")?);
        }
        Ok(())
    }

    fn finish_sample(&mut self) {
        self.script.samples.extend(self.current_sample.take());
    }

    fn intern(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.names.get(text) {
            return Arc::clone(known);
        }
        let name: Arc<str> = text.into();
        self.names.insert(text.into(), Arc::clone(&name));
        name
    }

    /// Parses `7958a7 QUICK_RANGE_SELECT::get_next+0x27 (/usr/sbin/mariadbd)`. Both names may be
    /// `[unknown]`.
    fn parse_frame(&mut self, text: &str) -> Option<Frame> {
        let (address, rest) = text.split_once(' ').unwrap_or((text, ""));
        let address = u64::from_str_radix(address.trim_start_matches("0x"), 16).ok()?;
        let rest = rest.trim();
        // A function's name may contain parentheses, too. The last parentheses hold the file, whose
        // name ends in ` (deleted)` if the server runs a file that was replaced since.
        let named = rest.strip_suffix(" (deleted))").unwrap_or(rest);
        let (symbol, module) = match named.rfind(" (") {
            Some(at) if rest.ends_with(')') => (&rest[..at], &rest[at + 2..rest.len() - 1]),
            _ => match rest.strip_prefix('(').and_then(|module| module.strip_suffix(')')) {
                Some(module) => ("", module),
                None => (rest, ""),
            },
        };
        let is_known = |name: &str| !name.is_empty() && name != "[unknown]";
        let symbol = is_known(symbol).then(|| strip_offset(symbol.trim()));
        Some(Frame {
            address,
            symbol: symbol.map(|symbol| self.intern(symbol)),
            module: is_known(module).then(|| self.intern(module)),
        })
    }

    /// Parses `…: PERF_RECORD_MMAP2 17487/17487: [0x7f92ad634000(0x163000) @ 0x28000 fe:00 10275219
    /// 0]: r-xp /usr/lib/libssl.so.3`
    fn parse_mapping(&mut self, line: &str) -> Option<()> {
        let (_, rest) = line.split_once(": PERF_RECORD_MMAP")?;
        let rest = rest.strip_prefix('2').unwrap_or(rest).trim_start();
        let (process, rest) = rest.split_once(": [")?;
        let (span, file) = rest.split_once("]: ")?;
        let (start, span) = span.split_once('(')?;
        let (length, span) = span.split_once(") @ ")?;
        let (access, module) = file.split_once(' ')?;
        let is_executable = access.contains('x');
        let mapping = Mapping {
            // The kernel's own mapping has pid -1, which is not parsed.
            pid: process.split('/').next()?.parse().ok()?,
            start: parse_number(start)?,
            length: parse_number(length)?,
            offset: parse_number(span.split(' ').next()?)?,
            module: self.intern(module.trim()),
        };
        if is_executable {
            self.script.mappings.push(mapping);
        }
        Some(())
    }
}

fn parse_number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

fn strip_offset(symbol: &str) -> &str {
    match symbol.rsplit_once("+0x") {
        Some((name, offset)) if offset.bytes().all(|byte| byte.is_ascii_hexdigit()) => name,
        _ => symbol,
    }
}

/// Parses `one_connection 17487/17622 12119.162571:`. `[001]` may precede the time, and an event
/// may follow. The command may contain spaces and other characters. The parser searches the first
/// word that is a time and ends in `:`. The ids precede that word.
fn parse_head(line: &str) -> Option<Sample> {
    let mut before: Vec<&str> = Vec::new();
    for word in line.split_ascii_whitespace() {
        if let (Some(time_ns), false) = (word.strip_suffix(':').and_then(parse_time), before.is_empty()) {
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

/// Parses a time in seconds with up to nine digits after the point: `12119.162571`.
fn parse_time(text: &str) -> Option<u64> {
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
    fn reads_files_that_were_replaced() {
        let text = "\
ld 0/0 0.000000: PERF_RECORD_MMAP2 174/174: [0x7f92aecc9000(0xaee000) @ 0x6c9000 fe:00 10275424 0]: r-xp /usr/sbin/mysqld (deleted)

mysqld 174/176 12119.162571:
\t          a309a6 operator()(int)+0x16 (/usr/sbin/mysqld (deleted))
\t          7c9d0d (/usr/sbin/mysqld (deleted))
";
        let script = parse(text).unwrap();
        let file = "/usr/sbin/mysqld (deleted)";
        assert_eq!(script.mappings[0].module.as_ref(), file);
        let frames = [frame(0xa309a6, Some("operator()(int)"), Some(file)), frame(0x7c9d0d, None, Some(file))];
        assert_eq!(script.samples[0].frames, frames);
    }

    #[test]
    fn reads_samples_and_mappings() {
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
    fn reads_comments_and_samples_without_stack() {
        let script = parse("# captured on: today\n\nmysqld 1/2 3.000001: \n\nmysqld 1/3 4.5:").unwrap();
        assert_eq!(script.samples.iter().map(|sample| sample.tid).collect::<Vec<_>>(), [2, 3]);
    }

    #[test]
    fn reports_malformed_lines_by_number() {
        assert_eq!(parse("hello world").unwrap_err().line, 1);
        assert_eq!(parse("mysqld 1/2 3.0:\n\txyz foo (bar)\n").unwrap_err().line, 2);
        assert!(parse("").unwrap().samples.is_empty());
        assert!(parse("\u{0}\u{1}PNG").is_err());
    }
}
