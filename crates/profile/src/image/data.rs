//! The constant data of a program file as it is once loaded: pointers are in the relocations, or in place where there are none.

use std::collections::HashMap;

use object::read::elf::ElfFile64;
use object::{Object, ObjectSection, ObjectSymbol, RelocationTarget, SectionKind};

/// R_X86_64_64, R_X86_64_GLOB_DAT and R_X86_64_RELATIVE, and their AArch64 counterparts: a pointer, whole.
const POINTERS: [object::elf::RelocationType; 6] = [
    object::elf::R_X86_64_64,
    object::elf::R_X86_64_GLOB_DAT,
    object::elf::R_X86_64_RELATIVE,
    object::elf::R_AARCH64_ABS64,
    object::elf::R_AARCH64_GLOB_DAT,
    object::elf::R_AARCH64_RELATIVE,
];

/// A section's bytes at its address.
struct Part<'d> {
    address: u64,
    bytes: &'d [u8],
    is_text: bool,
    is_writable: bool,
}

/// A data object with an exported name.
#[derive(Clone, Debug)]
pub(crate) struct Named<'d> {
    pub address: u64,
    pub size: u64,
    pub name: &'d str,
}

/// The data of a file.
pub(crate) struct Data<'d> {
    parts: Vec<Part<'d>>,
    relocated: HashMap<u64, u64>,
    objects: Vec<Named<'d>>,
}

impl<'d> Data<'d> {
    pub(super) fn of(file: &ElfFile64<'d>) -> Self {
        let sections = file.sections().filter(|section| section.address() != 0);
        let parts = sections
            .filter_map(|section| {
                let kind = section.kind();
                let bytes = section.data().ok().filter(|bytes| !bytes.is_empty())?;
                let is_writable = matches!(kind, SectionKind::Data | SectionKind::ReadOnlyDataWithRel)
                    || section.name().is_ok_and(|name| name.starts_with(".data"));
                Some(Part { address: section.address(), bytes, is_text: kind == SectionKind::Text, is_writable })
            })
            .collect();
        let objects = file
            .symbols()
            .chain(file.dynamic_symbols())
            .filter(|symbol| symbol.is_definition() && symbol.kind() == object::SymbolKind::Data)
            .filter_map(|symbol| {
                Some(Named { address: symbol.address(), size: symbol.size(), name: symbol.name().ok()? })
            })
            .collect();
        Self { parts, relocated: relocated(file), objects }
    }

    /// Where the pointer at an address leads; `None` for none and for null.
    pub(crate) fn pointer(&self, at: u64) -> Option<u64> {
        let relocated = self.relocated.get(&at).copied();
        let in_place = || {
            let bytes: [u8; 8] = self.bytes(at)?.get(..8)?.try_into().ok()?;
            Some(u64::from_le_bytes(bytes))
        };
        relocated.or_else(in_place).filter(|&target| target != 0)
    }

    /// The text that an address points at, up to 64 bytes of ASCII that end in a zero.
    pub(crate) fn text(&self, at: u64) -> Option<&'d str> {
        let part = self.part(at).filter(|part| !part.is_text)?;
        let bytes = &part.bytes[(at - part.address) as usize..];
        let end = bytes.iter().take(64).position(|&byte| byte == 0)?;
        std::str::from_utf8(&bytes[..end]).ok().filter(|text| text.is_ascii())
    }

    pub(crate) fn is_code(&self, at: u64) -> bool {
        self.part(at).is_some_and(|part| part.is_text)
    }

    /// Where the calls and jumps in a stretch of code lead, and whatever else looks like one: x86's two instructions with a distance
    /// of 32 bits. Who asks must know where functions begin.
    pub(crate) fn calls(&self, from: u64, length: u64) -> Vec<u64> {
        let (code, near) = (self.bytes(from).unwrap_or_default(), usize::try_from(length).unwrap_or(0));
        let code = &code[..near.min(code.len())];
        let is_call = |at: &usize| matches!(code[*at], 0xE8 | 0xE9);
        let target = |at: usize| {
            let distance = i32::from_le_bytes(code.get(at + 1..at + 5)?.try_into().ok()?);
            Some((from + at as u64 + 5).wrapping_add_signed(distance.into()))
        };
        (0..code.len()).filter(is_call).filter_map(target).collect()
    }

    /// Addresses of all words in the file's data that may hold a pointer to constant data.
    pub(crate) fn words(&self) -> impl Iterator<Item = u64> + '_ {
        let data = self.parts.iter().filter(|part| part.is_writable);
        data.flat_map(|part| {
            let first = part.address.next_multiple_of(8);
            (first..part.address + part.bytes.len() as u64).step_by(8)
        })
    }

    pub(crate) fn objects(&self) -> &[Named<'d>] {
        &self.objects
    }

    fn part(&self, at: u64) -> Option<&Part<'d>> {
        self.parts.iter().find(|part| (part.address..part.address + part.bytes.len() as u64).contains(&at))
    }

    fn bytes(&self, at: u64) -> Option<&'d [u8]> {
        let part = self.part(at)?;
        Some(&part.bytes[(at - part.address) as usize..])
    }
}

fn relocated(file: &ElfFile64<'_>) -> HashMap<u64, u64> {
    let addresses: HashMap<usize, u64> =
        file.dynamic_symbols().map(|symbol| (symbol.index().0, symbol.address())).collect();
    let relocations = file.dynamic_relocations().into_iter().flatten();
    relocations
        .filter_map(|(at, relocation)| {
            let object::RelocationFlags::Elf { r_type } = relocation.flags() else { return None };
            let base = match relocation.target() {
                RelocationTarget::Symbol(index) => *addresses.get(&index.0)?,
                _ => 0,
            };
            POINTERS.contains(&r_type).then(|| (at, base.wrapping_add_signed(relocation.addend())))
        })
        .collect()
}
