//! From addresses to functions, and from stacks to what their work belongs to.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::category::{self, Category, Role};
use crate::image::{Function, Image, Naming};
use crate::names;
use crate::script::{Frame, Mapping, Sample, Script};

/// Index of a function in [`Resolved::functions`].
pub type FunctionId = usize;

/// A function that was seen on a stack.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Seen {
    /// Its name.
    pub name: String,
    /// Its file, without folders; a name in brackets for the kernel and what is no file.
    pub file: String,
    /// How it came by its name.
    pub naming: Naming,
}

/// A sample with its functions.
#[derive(Clone, Debug)]
pub struct Stack {
    /// Time, in nanoseconds.
    pub time_ns: u64,
    /// The process.
    pub pid: u32,
    /// The thread.
    pub tid: u32,
    /// The innermost function first. At least one.
    pub functions: Vec<FunctionId>,
    /// What its work belongs to.
    pub category: Category,
}

/// All samples, resolved.
#[derive(Clone, Debug, Default)]
pub struct Resolved {
    /// The functions that were seen.
    pub functions: Vec<Seen>,
    /// The samples, in the order of time.
    pub stacks: Vec<Stack>,
}

/// Resolves all samples of a script. `wanted` are the collations that functions in tables are named after first.
pub fn resolve(script: &Script, wanted: &[String]) -> Resolved {
    let mut resolver = Resolver::new(script, wanted);
    let mut resolved = Resolved::default();
    for sample in &script.samples {
        resolved.stacks.push(resolver.stack(sample));
    }
    resolved.functions = resolver.functions;
    resolved
}

struct Resolver<'s> {
    wanted: &'s [String],
    mappings: HashMap<u32, Vec<&'s Mapping>>,
    /// Whether addresses are offsets in files, as perf writes them since 5.18, or as the process saw them.
    are_offsets: bool,
    images: HashMap<Arc<str>, Option<Image>>,
    /// What is known of a frame, by process (0 where offsets do without), file and address.
    known: HashMap<(u32, Option<Arc<str>>, u64), FunctionId>,
    ids: HashMap<Seen, FunctionId>,
    functions: Vec<Seen>,
    roles: Vec<Role>,
}

impl<'s> Resolver<'s> {
    fn new(script: &'s Script, wanted: &'s [String]) -> Self {
        let mut mappings: HashMap<u32, Vec<&Mapping>> = HashMap::new();
        for mapping in &script.mappings {
            mappings.entry(mapping.pid).or_default().push(mapping);
        }
        let are_offsets = are_offsets(script, &mappings);
        Self {
            wanted,
            mappings,
            are_offsets,
            images: HashMap::new(),
            known: HashMap::new(),
            ids: HashMap::new(),
            functions: Vec::new(),
            roles: Vec::new(),
        }
    }

    fn stack(&mut self, sample: &Sample) -> Stack {
        let unknown = Frame { address: 0, symbol: None, module: None };
        let frames = if sample.frames.is_empty() { std::slice::from_ref(&unknown) } else { &sample.frames[..] };
        let mut functions: Vec<FunctionId> = frames.iter().map(|frame| self.frame(sample.pid, frame)).collect();
        // Where a stack could not be walked to its end, what follows the last function is no frame.
        while functions.len() > 1
            && functions.last().is_some_and(|&last| self.functions[last].naming == Naming::Unknown)
        {
            functions.pop();
        }
        let kernel = frames.iter().take_while(|frame| is_kernel(frame)).count();
        let category = self.category(&functions, kernel);
        Stack { time_ns: sample.time_ns, pid: sample.pid, tid: sample.tid, functions, category }
    }

    /// What a stack's work belongs to: the kernel's by its functions, else its innermost function's, where that works for its caller
    /// that one's, and so on.
    fn category(&self, functions: &[FunctionId], kernel: usize) -> Category {
        if kernel > 0 {
            let of_network = |&id: &FunctionId| category::is_kernel_network(&self.functions[id].name);
            return if functions.iter().take(kernel).any(of_network) { Category::Network } else { Category::Kernel };
        }
        let mut fallback = Category::Unknown;
        for &id in functions {
            match (self.functions[id].naming, self.roles[id]) {
                (Naming::Unknown, _) => return fallback,
                (Naming::Bounds, Role::Does(Category::Other)) => {}
                (_, Role::Helps) => fallback = Category::Other,
                (_, Role::Does(category)) => return category,
            }
        }
        fallback
    }

    fn frame(&mut self, pid: u32, frame: &Frame) -> FunctionId {
        let key = (if self.are_offsets { 0 } else { pid }, frame.module.clone(), frame.address);
        if let Some(&id) = self.known.get(&key) {
            return id;
        }
        let seen = self.look_up(pid, frame);
        let id = self.intern(seen);
        self.known.insert(key, id);
        id
    }

    fn intern(&mut self, seen: Seen) -> FunctionId {
        if let Some(&id) = self.ids.get(&seen) {
            return id;
        }
        let id = self.functions.len();
        self.roles.push(category::role(&seen.name, &seen.file));
        self.ids.insert(seen.clone(), id);
        self.functions.push(seen);
        id
    }

    fn look_up(&mut self, pid: u32, frame: &Frame) -> Seen {
        let module = frame.module.clone();
        let file = module.as_deref().map_or("", |module| module.rsplit('/').next().unwrap_or(module)).to_owned();
        let kernel = is_kernel(frame);
        let own = module.filter(|_| !kernel).and_then(|module| self.function(pid, frame.address, &module));
        if let Some(Function { name, naming, .. }) = own {
            return Seen { name, file, naming };
        }
        match &frame.symbol {
            Some(symbol) => Seen { name: names::shorten(symbol), file, naming: Naming::Symbol },
            None if kernel => Seen { name: "[kernel]".into(), file, naming: Naming::Unknown },
            None if file.is_empty() => Seen { name: "[unknown]".into(), file, naming: Naming::Unknown },
            None => Seen { name: format!("[{}]", file.trim_matches(['[', ']'])), file, naming: Naming::Unknown },
        }
    }

    fn function(&mut self, pid: u32, address: u64, module: &Arc<str>) -> Option<Function> {
        let offset = if self.are_offsets { address } else { self.offset(pid, address)? };
        if !self.images.contains_key(module) {
            let mapping = self.mappings.get(&pid).and_then(|own| own.iter().find(|mapping| mapping.module == *module));
            let read = || Image::read(&visible(pid, module), self.wanted, mapping.copied()).ok();
            let image = module.starts_with('/').then(read).flatten();
            self.images.insert(Arc::clone(module), image);
        }
        let image = self.images.get(module)?.as_ref()?;
        image.function(image.address_of(offset)?)
    }

    /// Where in its file the byte at an address of a process is. What was mapped last counts.
    fn offset(&self, pid: u32, address: u64) -> Option<u64> {
        let own = self.mappings.get(&pid)?.iter().rev();
        own.copied().find_map(|mapping| offset_in(mapping, address))
    }
}

fn offset_in(mapping: &Mapping, address: u64) -> Option<u64> {
    let within = address.checked_sub(mapping.start).filter(|&within| within < mapping.length)?;
    Some(mapping.offset + within)
}

/// Addresses as a process saw them lie in a mapping of their file, all of them; offsets lie elsewhere.
fn are_offsets(script: &Script, mappings: &HashMap<u32, Vec<&Mapping>>) -> bool {
    let frames = script.samples.iter().flat_map(|sample| sample.frames.iter().map(move |frame| (sample.pid, frame)));
    let in_files = frames.filter(|(_, frame)| frame.module.as_deref().is_some_and(|module| module.starts_with('/')));
    let mut in_files = in_files.peekable();
    if script.mappings.is_empty() {
        // Without mappings only offsets can be looked up; they are far below where files are mapped.
        const LARGEST_FILE: u64 = 1 << 36;
        return in_files.all(|(_, frame)| frame.address < LARGEST_FILE);
    }
    in_files.any(|(pid, frame)| {
        let own = mappings.get(&pid).map_or(&[][..], Vec::as_slice);
        !own.iter().any(|mapping| {
            Some(&mapping.module) == frame.module.as_ref() && offset_in(mapping, frame.address).is_some()
        })
    })
}

/// The kernel has the upper half of the addresses; where those are hidden, its name tells.
fn is_kernel(frame: &Frame) -> bool {
    frame.address >> 63 == 1
        || frame
            .module
            .as_deref()
            .is_some_and(|module| module.starts_with("[kernel") || module.starts_with("[guest.kernel"))
}

/// A process in a container has other files under the same names.
fn visible(pid: u32, module: &str) -> PathBuf {
    let own = Path::new("/proc").join(pid.to_string()).join("root").join(module.trim_start_matches('/'));
    if pid != 0 && own.is_file() { own } else { module.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(frames: &[(u64, Option<&str>, &str)]) -> Sample {
        let frames = frames.iter().map(|&(address, symbol, module)| Frame {
            address,
            symbol: symbol.map(Into::into),
            module: Some(module.into()),
        });
        Sample { command: "mysqld".into(), pid: 1, tid: 2, time_ns: 3, frames: frames.collect() }
    }

    fn category(frames: &[(u64, Option<&str>, &str)]) -> Category {
        let script = Script { samples: vec![sample(frames)], mappings: Vec::new() };
        resolve(&script, &[]).stacks[0].category
    }

    const SERVER: &str = "/nowhere/mysqld";
    const KERNEL: u64 = 0xffff_ffff_8100_0000;

    #[test]
    fn a_helper_works_for_its_caller_and_an_address_for_nobody() {
        let hash = (2, Some("my_hash_sort_simple"), SERVER);
        assert_eq!(category(&[hash]), Category::Hash);
        assert_eq!(category(&[(1, Some("memcpy"), "/nowhere/libc.so.6"), hash]), Category::Hash);
        assert_eq!(category(&[(1, Some("memcpy"), "/nowhere/libc.so.6")]), Category::Other);
        assert_eq!(category(&[(1, None, SERVER), hash]), Category::Unknown);
        assert_eq!(category(&[(1, Some("frobnicate"), SERVER), hash]), Category::Other);
        assert_eq!(category(&[]), Category::Unknown);
    }

    #[test]
    fn the_kernels_work_for_the_network_is_told_apart() {
        let send = (KERNEL + 9, Some("unix_stream_sendmsg"), "[kernel.kallsyms]");
        let fault = (KERNEL, Some("clear_page_erms"), "[kernel.kallsyms]");
        let user = (5, Some("my_hash_sort_simple"), SERVER);
        assert_eq!(category(&[fault, user]), Category::Kernel);
        assert_eq!(category(&[fault, send, user]), Category::Network);
        assert_eq!(category(&[(KERNEL, None, "[kernel.kallsyms]")]), Category::Kernel);
    }

    #[test]
    fn whether_addresses_are_offsets_is_seen() {
        let mapping = Mapping { pid: 1, start: 0x5000_0000, length: 0x1000, offset: 0x3000, module: SERVER.into() };
        let script =
            |address| Script { samples: vec![sample(&[(address, None, SERVER)])], mappings: vec![mapping.clone()] };
        for (address, expected) in [(0x5000_0123, false), (0x3123, true)] {
            let script = script(address);
            let resolver = Resolver::new(&script, &[]);
            assert_eq!(resolver.are_offsets, expected);
            if !expected {
                assert_eq!(resolver.offset(1, address), Some(0x3123));
            }
        }
    }

    #[test]
    fn this_very_program_is_resolved_by_its_own_symbols() {
        let path = std::env::current_exe().unwrap();
        let image = Image::read(&path, &[], None).unwrap();
        let function = shown as fn() as usize as u64;
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let line = maps.lines().find(|line| {
            let (from, to) = line.split_once(' ').unwrap().0.split_once('-').unwrap();
            (u64::from_str_radix(from, 16).unwrap()..u64::from_str_radix(to, 16).unwrap()).contains(&function)
        });
        let fields: Vec<&str> = line.unwrap().split_ascii_whitespace().collect();
        let start = u64::from_str_radix(fields[0].split('-').next().unwrap(), 16).unwrap();
        let offset = u64::from_str_radix(fields[2], 16).unwrap();
        let found = image.function(image.address_of(function - start + offset).unwrap()).unwrap();
        assert_eq!(found.naming, Naming::Symbol);
        assert!(found.name.contains("shown"), "{found:?}");
    }

    fn shown() {
        std::hint::black_box(7);
    }
}
