//! Functions of a program file or library, from its symbols and its debug file. Functions without a
//! symbol have bounds in `.eh_frame`, which `strip` does not remove.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use object::read::elf::{ElfFile64, FileHeader, ProgramHeader};
use object::{Object, ObjectSymbol, SymbolKind};

use crate::handlers::{self, FunctionNames};
use crate::memory::ProcessMemory;
use crate::names;
use crate::script::Mapping;
use data::Data;

pub(crate) mod data;
mod debug;
mod frames;

/// Source of a function's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Naming {
    /// A symbol of the file or its debug file, or perf's name.
    Symbol,
    /// Slot of a handler table that leads to the function, and the table's collation or charset.
    Handler,
    /// File and address of the function. Different builds give a function different addresses.
    Bounds,
    /// At most the file is known.
    Unknown,
}

/// A function of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Demangled and shortened name.
    pub name: String,
    pub naming: Naming,
    /// Virtual address of the start, as in the file's symbol table.
    pub start: u64,
}

/// Symbols and function bounds of a file.
#[derive(Debug, Default)]
pub struct Image {
    /// File name without folders.
    file_name: String,
    /// Segments that are loaded into memory.
    segments: Vec<Segment>,
    /// Symbols by start address.
    symbols: BTreeMap<u64, SymbolEntry>,
    /// Lengths of functions by start address.
    bounds: BTreeMap<u64, u64>,
    handlers: FunctionNames,
}

/// Number of bytes of a program or debug file that are read at most: samples of a stranger can name
/// any path.
const MAX_FILE_BYTES: u64 = 1 << 30;

impl Image {
    /// Reads a file, and its debug file if installed. A function that several collations share is
    /// named after one of `preferred_collations` if possible. `mapping` is the file's mapping in a
    /// running process, whose memory has further handler tables. A file in another format than
    /// 64-bit ELF has no functions.
    pub fn read(path: &Path, preferred_collations: &[String], mapping: Option<&Mapping>) -> std::io::Result<Self> {
        let bytes = files::read_small(path, MAX_FILE_BYTES)?;
        let file_name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Ok(file) = ElfFile64::<object::Endianness>::parse(&*bytes) else {
            return Ok(Self { file_name, ..Self::default() });
        };
        let mut symbols = BTreeMap::new();
        add_symbols(&mut symbols, &file);
        for bytes in debug::read_files(path, &file) {
            if let Ok(debug) = ElfFile64::<object::Endianness>::parse(&*bytes) {
                add_symbols(&mut symbols, &debug);
            }
        }
        let named = symbols.iter().map(|(&start, entry)| (start, entry.name.as_str())).collect::<HashMap<_, _>>();
        let segments = load_segments(&file);
        let memory =
            mapping.and_then(|mapping| ProcessMemory::open(mapping, address_of_offset(&segments, mapping.offset)?));
        let bounds = frames::read_bounds(&file);
        let handlers = handlers::name_handler_functions(
            &Data::from_file(&file),
            &named,
            &bounds,
            preferred_collations,
            memory.as_ref(),
        );
        Ok(Self { file_name, segments, bounds, symbols, handlers })
    }

    /// Returns the address of the byte at a file offset. `None` if the offset is in no loaded
    /// segment.
    pub fn address_of(&self, offset: u64) -> Option<u64> {
        address_of_offset(&self.segments, offset)
    }

    /// Returns the function that contains an address. `None` if neither a symbol nor `.eh_frame`
    /// covers it.
    pub fn function(&self, address: u64) -> Option<Function> {
        let bound = entry_containing(&self.bounds, address, |&length| length);
        if let Some((start, entry)) = entry_containing(&self.symbols, address, |entry| entry.length) {
            return Some(self.named_function(start, &entry.name));
        }
        let (start, _) = bound?;
        if let Some(entry) = self.symbols.get(&start) {
            return Some(self.named_function(start, &entry.name));
        }
        if let Some(name) = self.handlers.name(start) {
            return Some(Function { name: name.to_owned(), naming: Naming::Handler, start });
        }
        let name = format!("{}+{start:#x}", self.file_name);
        Some(Function { name, naming: Naming::Bounds, start })
    }

    /// Returns the names of all collations whose tables were found.
    pub fn collations(&self) -> impl Iterator<Item = &str> {
        self.handlers.collations()
    }

    fn named_function(&self, start: u64, name: &str) -> Function {
        Function { name: names::shorten(name), naming: Naming::Symbol, start }
    }
}

/// A part of the file that is loaded into memory.
#[derive(Debug)]
struct Segment {
    file_offset: u64,
    length: u64,
    address: u64,
}

#[derive(Debug)]
struct SymbolEntry {
    length: u64,
    /// Mangled name.
    name: String,
}

fn address_of_offset(segments: &[Segment], offset: u64) -> Option<u64> {
    let holds_offset =
        |segment: &&Segment| (segment.file_offset..segment.file_offset + segment.length).contains(&offset);
    segments.iter().find(holds_offset).map(|segment| segment.address + (offset - segment.file_offset))
}

/// Returns the entry whose range contains an address.
fn entry_containing<T>(map: &BTreeMap<u64, T>, address: u64, length: impl Fn(&T) -> u64) -> Option<(u64, &T)> {
    let (&start, value) = map.range(..=address).next_back()?;
    (address - start < length(value)).then_some((start, value))
}

/// Adds the functions of a symbol table. Addresses that have a name keep it. Of several names of an
/// address, the first global one in alphabetical order is used, or else the first local one.
fn add_symbols(symbols: &mut BTreeMap<u64, SymbolEntry>, file: &ElfFile64<'_>) {
    let functions = file.symbols().chain(file.dynamic_symbols()).filter(|symbol| {
        symbol.is_definition() && symbol.kind() == SymbolKind::Text && symbol.address() != 0 && symbol.size() != 0
    });
    let mut found: Vec<(u64, bool, &str, u64)> = functions
        .filter_map(|symbol| Some((symbol.address(), symbol.is_local(), symbol.name().ok()?, symbol.size())))
        .filter(|(_, _, name, _)| !name.is_empty())
        .collect();
    found.sort_unstable();
    for (start, _, name, length) in found {
        symbols.entry(start).or_insert_with(|| SymbolEntry { length, name: name.to_owned() });
    }
}

fn load_segments(file: &ElfFile64<'_>) -> Vec<Segment> {
    let (endian, data) = (file.endian(), file.data());
    let headers = file.elf_header().program_headers(endian, data).unwrap_or_default();
    let loaded = headers.iter().filter(|header| header.p_type(endian) == object::elf::PT_LOAD);
    loaded
        .map(|header| Segment {
            file_offset: header.p_offset(endian),
            length: header.p_filesz(endian),
            address: header.p_vaddr(endian),
        })
        .collect()
}
