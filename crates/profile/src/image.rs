//! The functions of a program file or library: from its symbols, from its debug file, and where both are silent from the bounds
//! that every function has in `.eh_frame`, which no `strip` takes away.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;

use object::read::elf::{ElfFile64, FileHeader, ProgramHeader};
use object::{Object, ObjectSymbol, SymbolKind};

use crate::handlers::{self, Handlers};
use crate::memory::Memory;
use crate::names;
use crate::script::Mapping;
use data::Data;

pub(crate) mod data;
mod debug;
mod frames;

/// How a function came by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Naming {
    /// A symbol of the file, its debug file, or the kernel.
    Symbol,
    /// The collation and slot of a handler table that points to it.
    Handler,
    /// None: its file and where it begins there. That is the same in every run of one build, and another in the next build.
    Bounds,
    /// Nothing is known but the file, or not even that.
    Unknown,
}

/// A function of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name, demangled and shortened.
    pub name: String,
    /// How it came by it.
    pub naming: Naming,
    /// Where it begins, as the file counts addresses.
    pub start: u64,
}

/// What a file tells of its functions.
#[derive(Debug, Default)]
pub struct Image {
    /// The file's own name, without folders.
    short: String,
    /// File offset, length, address.
    segments: Vec<(u64, u64, u64)>,
    /// By start: length and mangled name.
    symbols: BTreeMap<u64, (u64, String)>,
    /// By start: length.
    bounds: BTreeMap<u64, u64>,
    handlers: Handlers,
}

impl Image {
    /// Reads a file, and its debug file where one is installed. `wanted` are the collations that names are taken from first;
    /// `mapping` is where a process has it, for what the process's memory tells. A file that is no ELF file of this kind has no
    /// functions.
    pub fn read(path: &Path, wanted: &[String], mapping: Option<&Mapping>) -> std::io::Result<Self> {
        let bytes = fs::read(path)?;
        let short = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Ok(file) = ElfFile64::<object::Endianness>::parse(&*bytes) else {
            return Ok(Self { short, ..Self::default() });
        };
        let mut symbols = BTreeMap::new();
        add_symbols(&mut symbols, &file);
        for bytes in debug::files(path, &file) {
            if let Ok(debug) = ElfFile64::<object::Endianness>::parse(&*bytes) {
                add_symbols(&mut symbols, &debug);
            }
        }
        let named = symbols.iter().map(|(&start, (_, name))| (start, name.as_str())).collect::<HashMap<_, _>>();
        let segments = segments(&file);
        let memory = mapping.and_then(|mapping| Memory::of(mapping, address_in(&segments, mapping.offset)?));
        let bounds = frames::bounds(&file);
        let handlers = handlers::find(&Data::of(&file), &named, &bounds, wanted, memory.as_ref());
        Ok(Self { short, segments, bounds, symbols, handlers })
    }

    /// The address that the file gives the byte at this offset of it.
    pub fn address_of(&self, offset: u64) -> Option<u64> {
        address_in(&self.segments, offset)
    }

    /// The function that an address lies in.
    pub fn function(&self, address: u64) -> Option<Function> {
        let bound = within(&self.bounds, address, |&length| length);
        if let Some((start, (_, name))) = within(&self.symbols, address, |(length, _)| *length) {
            return Some(self.symbol(start, name));
        }
        let (start, _) = bound?;
        if let Some((_, name)) = self.symbols.get(&start) {
            return Some(self.symbol(start, name));
        }
        if let Some(name) = self.handlers.name(start) {
            return Some(Function { name: name.to_owned(), naming: Naming::Handler, start });
        }
        let name = format!("{}+{start:#x}", self.short);
        Some(Function { name, naming: Naming::Bounds, start })
    }

    /// The collations whose functions were found, by name.
    pub fn collations(&self) -> impl Iterator<Item = &str> {
        self.handlers.collations()
    }

    fn symbol(&self, start: u64, name: &str) -> Function {
        Function { name: names::shorten(name), naming: Naming::Symbol, start }
    }
}

fn address_in(segments: &[(u64, u64, u64)], offset: u64) -> Option<u64> {
    let held = |&&(from, length, _): &&(u64, u64, u64)| (from..from + length).contains(&offset);
    segments.iter().find(held).map(|&(from, _, address)| address + (offset - from))
}

/// The entry that holds an address.
fn within<T>(map: &BTreeMap<u64, T>, address: u64, length: impl Fn(&T) -> u64) -> Option<(u64, &T)> {
    let (&start, value) = map.range(..=address).next_back()?;
    (address - start < length(value)).then_some((start, value))
}

/// Of several names of one function the global ones count first, then the one that sorts first, so that a name is the same every time.
fn add_symbols(symbols: &mut BTreeMap<u64, (u64, String)>, file: &ElfFile64<'_>) {
    let functions = file.symbols().chain(file.dynamic_symbols()).filter(|symbol| {
        symbol.is_definition() && symbol.kind() == SymbolKind::Text && symbol.address() != 0 && symbol.size() != 0
    });
    let mut found: Vec<(u64, bool, &str, u64)> = functions
        .filter_map(|symbol| Some((symbol.address(), symbol.is_local(), symbol.name().ok()?, symbol.size())))
        .filter(|(_, _, name, _)| !name.is_empty())
        .collect();
    found.sort_unstable();
    for (start, _, name, length) in found {
        symbols.entry(start).or_insert_with(|| (length, name.to_owned()));
    }
}

fn segments(file: &ElfFile64<'_>) -> Vec<(u64, u64, u64)> {
    let (endian, data) = (file.endian(), file.data());
    let headers = file.elf_header().program_headers(endian, data).unwrap_or_default();
    let loaded = headers.iter().filter(|header| header.p_type(endian) == object::elf::PT_LOAD);
    loaded.map(|header| (header.p_offset(endian), header.p_filesz(endian), header.p_vaddr(endian))).collect()
}
