//! Constant data of a program file as loaded: pointers come from the relocations, or from the file
//! where it has no relocation.

use std::collections::HashMap;

use object::read::elf::ElfFile64;
use object::{Object, ObjectSection, ObjectSymbol, RelocationTarget, SectionKind};

/// Relocations that hold a whole pointer, on x86-64 and AArch64.
const POINTER_RELOCATIONS: [object::elf::RelocationType; 6] = [
    object::elf::R_X86_64_64,
    object::elf::R_X86_64_GLOB_DAT,
    object::elf::R_X86_64_RELATIVE,
    object::elf::R_AARCH64_ABS64,
    object::elf::R_AARCH64_GLOB_DAT,
    object::elf::R_AARCH64_RELATIVE,
];

/// A section's bytes.
struct SectionBytes<'d> {
    address: u64,
    bytes: &'d [u8],
    is_text: bool,
    is_writable: bool,
}

/// A data object with a symbol.
#[derive(Clone, Debug)]
pub(crate) struct DataObject<'d> {
    pub address: u64,
    pub size: u64,
    pub name: &'d str,
}

/// Loaded sections, relocations and data objects of a file.
pub(crate) struct Data<'d> {
    sections: Vec<SectionBytes<'d>>,
    relocated: HashMap<u64, u64>,
    objects: Vec<DataObject<'d>>,
}

impl<'d> Data<'d> {
    pub(super) fn from_file(file: &ElfFile64<'d>) -> Self {
        let loaded = file.sections().filter(|section| section.address() != 0);
        let sections = loaded
            .filter_map(|section| {
                let kind = section.kind();
                let bytes = section.data().ok().filter(|bytes| !bytes.is_empty())?;
                let is_writable = matches!(kind, SectionKind::Data | SectionKind::ReadOnlyDataWithRel)
                    || section.name().is_ok_and(|name| name.starts_with(".data"));
                Some(SectionBytes {
                    address: section.address(),
                    bytes,
                    is_text: kind == SectionKind::Text,
                    is_writable,
                })
            })
            .collect();
        let objects = file
            .symbols()
            .chain(file.dynamic_symbols())
            .filter(|symbol| symbol.is_definition() && symbol.kind() == object::SymbolKind::Data)
            .filter_map(|symbol| {
                Some(DataObject { address: symbol.address(), size: symbol.size(), name: symbol.name().ok()? })
            })
            .collect();
        Self { sections, relocated: read_relocations(file), objects }
    }

    /// Returns the target of the pointer at an address. `None` for a null pointer, and outside the
    /// data.
    pub(crate) fn pointer(&self, at: u64) -> Option<u64> {
        let relocated = self.relocated.get(&at).copied();
        let in_place = || {
            let bytes: [u8; 8] = self.bytes(at)?.get(..8)?.try_into().ok()?;
            Some(u64::from_le_bytes(bytes))
        };
        relocated.or_else(in_place).filter(|&target| target != 0)
    }

    /// Returns the zero-terminated ASCII text at an address, up to 63 bytes.
    pub(crate) fn text(&self, at: u64) -> Option<&'d str> {
        let section = self.section_at(at).filter(|section| !section.is_text)?;
        let bytes = &section.bytes[(at - section.address) as usize..];
        let end = bytes.iter().take(64).position(|&byte| byte == 0)?;
        std::str::from_utf8(&bytes[..end]).ok().filter(|text| text.is_ascii())
    }

    pub(crate) fn is_code(&self, at: u64) -> bool {
        self.section_at(at).is_some_and(|section| section.is_text)
    }

    /// Returns the targets of all calls and jumps with a 32-bit distance (x86 E8 and E9) in a block
    /// of code. The bytes are not disassembled, so some targets are wrong. The caller must check
    /// that a function begins there.
    pub(crate) fn call_targets(&self, from: u64, length: u64) -> Vec<u64> {
        let (code, block_length) = (self.bytes(from).unwrap_or_default(), usize::try_from(length).unwrap_or(0));
        let code = &code[..block_length.min(code.len())];
        let is_call = |at: &usize| matches!(code[*at], 0xE8 | 0xE9);
        let target = |at: usize| {
            let distance = i32::from_le_bytes(code.get(at + 1..at + 5)?.try_into().ok()?);
            Some((from + at as u64 + 5).wrapping_add_signed(distance.into()))
        };
        (0..code.len()).filter(is_call).filter_map(target).collect()
    }

    /// Returns the addresses of all aligned words in sections that are writable, at least during
    /// relocation. These words may hold pointers to constant data.
    pub(crate) fn word_addresses(&self) -> impl Iterator<Item = u64> + '_ {
        let data = self.sections.iter().filter(|section| section.is_writable);
        data.flat_map(|section| {
            let first = section.address.next_multiple_of(8);
            (first..section.address + section.bytes.len() as u64).step_by(8)
        })
    }

    pub(crate) fn objects(&self) -> &[DataObject<'d>] {
        &self.objects
    }

    fn section_at(&self, at: u64) -> Option<&SectionBytes<'d>> {
        self.sections
            .iter()
            .find(|section| (section.address..section.address + section.bytes.len() as u64).contains(&at))
    }

    fn bytes(&self, at: u64) -> Option<&'d [u8]> {
        let section = self.section_at(at)?;
        Some(&section.bytes[(at - section.address) as usize..])
    }
}

fn read_relocations(file: &ElfFile64<'_>) -> HashMap<u64, u64> {
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
            POINTER_RELOCATIONS.contains(&r_type).then(|| (at, base.wrapping_add_signed(relocation.addend())))
        })
        .collect()
}
