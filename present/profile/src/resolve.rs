//! Resolves addresses to functions, and stacks to categories.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::category::{self, Category, Role};
use crate::image::{Function, Image, Naming};
use crate::names;
use crate::script::{Frame, Mapping, Sample, Script};

/// Index of a function in [`Resolved::functions`].
pub type FunctionId = usize;

/// A function on a sampled stack.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ResolvedFunction {
    /// Symbol, or where the function was found. The rules of categories are about this name.
    pub name: String,
    /// File name without folders. A name in brackets for the kernel and other code without a file.
    /// Empty if perf does not know the file.
    pub file: String,
    pub naming: Naming,
}

impl ResolvedFunction {
    /// Returns the name that tables and graphs show.
    pub fn readable_name(&self) -> String {
        names::describe_function(&self.name, self.naming)
    }
}

/// A sample with resolved functions.
#[derive(Clone, Debug)]
pub struct Stack {
    /// Time in nanoseconds, on the clock of the samples.
    pub time_ns: u64,
    pub pid: u32,
    pub tid: u32,
    /// Functions, innermost first. Has at least one element.
    pub functions: Vec<FunctionId>,
    pub category: Category,
}

/// Samples of a script with resolved functions.
#[derive(Clone, Debug, Default)]
pub struct Resolved {
    /// Functions by [`FunctionId`].
    pub functions: Vec<ResolvedFunction>,
    /// Samples in the order of the script.
    pub stacks: Vec<Stack>,
}

/// Resolves all samples of a script. A function that several collations share is named after one of
/// `preferred_collations` if possible.
pub fn resolve(script: &Script, preferred_collations: &[String]) -> Resolved {
    let mut resolver = Resolver::new(script, preferred_collations);
    let mut resolved = Resolved::default();
    for sample in &script.samples {
        resolved.stacks.push(resolver.resolve_stack(sample));
    }
    resolved.functions = resolver.functions;
    resolved
}

struct Resolver<'s> {
    preferred_collations: &'s [String],
    mappings: HashMap<u32, Vec<&'s Mapping>>,
    /// True if addresses in files are file offsets, as perf 6.1 writes. Otherwise they are virtual
    /// addresses of the process.
    has_file_offsets: bool,
    images: HashMap<Arc<str>, Option<Image>>,
    /// Function by process, file and address. With file offsets the process is 0.
    ids_by_frame: HashMap<(u32, Option<Arc<str>>, u64), FunctionId>,
    ids: HashMap<ResolvedFunction, FunctionId>,
    functions: Vec<ResolvedFunction>,
    roles: Vec<Role>,
}

impl<'s> Resolver<'s> {
    fn new(script: &'s Script, preferred_collations: &'s [String]) -> Self {
        let mut mappings: HashMap<u32, Vec<&Mapping>> = HashMap::new();
        for mapping in &script.mappings {
            mappings.entry(mapping.pid).or_default().push(mapping);
        }
        let has_file_offsets = has_file_offsets(script, &mappings);
        Self {
            preferred_collations,
            mappings,
            has_file_offsets,
            images: HashMap::new(),
            ids_by_frame: HashMap::new(),
            ids: HashMap::new(),
            functions: Vec::new(),
            roles: Vec::new(),
        }
    }

    fn resolve_stack(&mut self, sample: &Sample) -> Stack {
        let unknown = Frame { address: 0, symbol: None, module: None };
        let frames = if sample.frames.is_empty() { std::slice::from_ref(&unknown) } else { &sample.frames[..] };
        let mut functions: Vec<FunctionId> = frames.iter().map(|frame| self.resolve_frame(sample.pid, frame)).collect();
        // An unresolved outermost frame is an artefact of a stack that could not be walked to its
        // end.
        while functions.len() > 1
            && functions.last().is_some_and(|&last| self.functions[last].naming == Naming::Unknown)
        {
            functions.pop();
        }
        let kernel = frames.iter().take_while(|frame| is_kernel(frame)).count();
        let category = self.stack_category(&functions, kernel);
        Stack { time_ns: sample.time_ns, pid: sample.pid, tid: sample.tid, functions, category }
    }

    /// Returns the category of a stack. `kernel` is the number of innermost frames in the kernel.
    /// If there are any, the category is network if one of them is network code, otherwise kernel.
    /// In user space, the innermost function decides. A helper function, or an unnamed function
    /// without a rule, leaves the decision to its caller. If an unresolved frame or the end of the
    /// stack comes first, the category is other after a helper function, otherwise unknown.
    fn stack_category(&self, functions: &[FunctionId], kernel: usize) -> Category {
        if kernel > 0 {
            let is_network = |&id: &FunctionId| category::is_kernel_network(&self.functions[id].name);
            return if functions.iter().take(kernel).any(is_network) { Category::Network } else { Category::Kernel };
        }
        let mut fallback = Category::Unknown;
        for &id in functions {
            match (self.functions[id].naming, self.roles[id]) {
                (Naming::Unknown, _) => return fallback,
                (Naming::Bounds, Role::Category(Category::Other)) => {}
                (_, Role::Helper) => fallback = Category::Other,
                (_, Role::Category(category)) => return category,
            }
        }
        fallback
    }

    fn resolve_frame(&mut self, pid: u32, frame: &Frame) -> FunctionId {
        let key = (if self.has_file_offsets { 0 } else { pid }, frame.module.clone(), frame.address);
        if let Some(&id) = self.ids_by_frame.get(&key) {
            return id;
        }
        let function = self.resolve_function(pid, frame);
        let id = self.intern(function);
        self.ids_by_frame.insert(key, id);
        id
    }

    fn intern(&mut self, function: ResolvedFunction) -> FunctionId {
        if let Some(&id) = self.ids.get(&function) {
            return id;
        }
        let id = self.functions.len();
        self.roles.push(category::role_of_function(&function.name, &function.file));
        self.ids.insert(function.clone(), id);
        self.functions.push(function);
        id
    }

    fn resolve_function(&mut self, pid: u32, frame: &Frame) -> ResolvedFunction {
        let module = frame.module.clone();
        let file = module.as_deref().map_or("", |module| module.rsplit('/').next().unwrap_or(module)).to_owned();
        let kernel = is_kernel(frame);
        let own = module.filter(|_| !kernel).and_then(|module| self.find_function(pid, frame.address, &module));
        if let Some(Function { name, naming, .. }) = own {
            return ResolvedFunction { name, file, naming };
        }
        match &frame.symbol {
            Some(symbol) => ResolvedFunction { name: names::shorten(symbol), file, naming: Naming::Symbol },
            None if kernel => ResolvedFunction { name: "[kernel]".into(), file, naming: Naming::Unknown },
            None if file.is_empty() => ResolvedFunction { name: "[unknown]".into(), file, naming: Naming::Unknown },
            None => {
                ResolvedFunction { name: format!("[{}]", file.trim_matches(['[', ']'])), file, naming: Naming::Unknown }
            }
        }
    }

    fn find_function(&mut self, pid: u32, address: u64, module: &Arc<str>) -> Option<Function> {
        let offset = if self.has_file_offsets { address } else { self.file_offset(pid, address)? };
        if !self.images.contains_key(module) {
            let mapping = self.mappings.get(&pid).and_then(|own| own.iter().find(|mapping| mapping.module == *module));
            let read = || Image::read(&path_from_here(pid, module), self.preferred_collations, mapping.copied()).ok();
            let image = module.starts_with('/').then(read).flatten();
            self.images.insert(Arc::clone(module), image);
        }
        let image = self.images.get(module)?.as_ref()?;
        image.function(image.address_of(offset)?)
    }

    /// Returns the file offset of an address of a process. The latest mapping wins.
    fn file_offset(&self, pid: u32, address: u64) -> Option<u64> {
        let own = self.mappings.get(&pid)?.iter().rev();
        own.copied().find_map(|mapping| offset_in_mapping(mapping, address))
    }
}

fn offset_in_mapping(mapping: &Mapping, address: u64) -> Option<u64> {
    let within = address.checked_sub(mapping.start).filter(|&within| within < mapping.length)?;
    Some(mapping.offset + within)
}

/// True if addresses are file offsets. Then some address lies in no mapping of its file. A virtual
/// address always lies in one.
fn has_file_offsets(script: &Script, mappings: &HashMap<u32, Vec<&Mapping>>) -> bool {
    let frames = script.samples.iter().flat_map(|sample| sample.frames.iter().map(move |frame| (sample.pid, frame)));
    let in_files = frames.filter(|(_, frame)| frame.module.as_deref().is_some_and(|module| module.starts_with('/')));
    let mut in_files = in_files.peekable();
    if script.mappings.is_empty() {
        // Without mappings only file offsets can be resolved. They are far below the addresses of
        // shared libraries.
        const MAX_FILE_SIZE: u64 = 1 << 36;
        return in_files.all(|(_, frame)| frame.address < MAX_FILE_SIZE);
    }
    in_files.any(|(pid, frame)| {
        let own = mappings.get(&pid).map_or(&[][..], Vec::as_slice);
        !own.iter().any(|mapping| {
            Some(&mapping.module) == frame.module.as_ref() && offset_in_mapping(mapping, frame.address).is_some()
        })
    })
}

/// True for an address in the kernel's half of the address space, and for a module that perf names
/// as the kernel: the kernel may hide its addresses from perf.
fn is_kernel(frame: &Frame) -> bool {
    frame.address >> 63 == 1
        || frame
            .module
            .as_deref()
            .is_some_and(|module| module.starts_with("[kernel") || module.starts_with("[guest.kernel"))
}

/// Returns the path at which this process can open a module. A process in a container has a
/// different root. A server that was upgraded without a restart runs a file without a name: the
/// new file of that name has its functions elsewhere.
fn path_from_here(pid: u32, module: &str) -> PathBuf {
    let process = Path::new("/proc").join(pid.to_string());
    let program = process.join("exe");
    if module.ends_with(" (deleted)") && program.read_link().is_ok_and(|target| target == Path::new(module)) {
        return program;
    }
    let own = process.join("root").join(module.trim_start_matches('/'));
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
    fn helper_functions_have_the_category_of_their_caller() {
        let hash = (2, Some("my_hash_sort_simple"), SERVER);
        assert_eq!(category(&[hash]), Category::Hash);
        assert_eq!(category(&[(1, Some("memcpy"), "/nowhere/libc.so.6"), hash]), Category::Hash);
        assert_eq!(category(&[(1, Some("memcpy"), "/nowhere/libc.so.6")]), Category::Other);
        assert_eq!(category(&[(1, None, SERVER), hash]), Category::Unknown);
        assert_eq!(category(&[(1, Some("frobnicate"), SERVER), hash]), Category::Other);
        assert_eq!(category(&[]), Category::Unknown);
    }

    #[test]
    fn distinguishes_network_work_in_the_kernel() {
        let send = (KERNEL + 9, Some("unix_stream_sendmsg"), "[kernel.kallsyms]");
        let fault = (KERNEL, Some("clear_page_erms"), "[kernel.kallsyms]");
        let user = (5, Some("my_hash_sort_simple"), SERVER);
        assert_eq!(category(&[fault, user]), Category::Kernel);
        assert_eq!(category(&[fault, send, user]), Category::Network);
        assert_eq!(category(&[(KERNEL, None, "[kernel.kallsyms]")]), Category::Kernel);
    }

    #[test]
    fn recognises_file_offsets() {
        let mapping = Mapping { pid: 1, start: 0x5000_0000, length: 0x1000, offset: 0x3000, module: SERVER.into() };
        let script =
            |address| Script { samples: vec![sample(&[(address, None, SERVER)])], mappings: vec![mapping.clone()] };
        for (address, expected) in [(0x5000_0123, false), (0x3123, true)] {
            let script = script(address);
            let resolver = Resolver::new(&script, &[]);
            assert_eq!(resolver.has_file_offsets, expected);
            if !expected {
                assert_eq!(resolver.file_offset(1, address), Some(0x3123));
            }
        }
    }

    #[test]
    fn resolves_a_function_of_this_program() {
        let path = std::env::current_exe().unwrap();
        let image = Image::read(&path, &[], None).unwrap();
        let function = named_function as fn() as usize as u64;
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
        assert!(found.name.contains("named_function"), "{found:?}");
    }

    fn named_function() {
        std::hint::black_box(7);
    }
}
