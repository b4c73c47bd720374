//! Bounds of functions by `.eh_frame`, the unwind table of exceptions. It covers all functions of a
//! C++ program.

use std::collections::BTreeMap;

use gimli::{BaseAddresses, CieOrFde, EhFrame, LittleEndian, UnwindSection};
use object::read::elf::ElfFile64;
use object::{Object, ObjectSection};

/// Returns the length of each function by its start address, without what cannot be read.
pub(super) fn read_bounds(file: &ElfFile64<'_>) -> BTreeMap<u64, u64> {
    let mut bounds = BTreeMap::new();
    let Some(section) = file.section_by_name(".eh_frame") else { return bounds };
    let Ok(bytes) = section.data() else { return bounds };
    let text = file.section_by_name(".text").map_or(0, |text| text.address());
    let bases = BaseAddresses::default().set_eh_frame(section.address()).set_text(text);
    let mut frames = EhFrame::new(bytes, LittleEndian);
    frames.set_address_size(8);
    let mut entries = frames.entries(&bases);
    while let Ok(Some(entry)) = entries.next() {
        if let CieOrFde::Fde(partial) = entry
            && let Ok(entry) = partial.parse(EhFrame::cie_from_offset)
            && entry.len() > 0
        {
            bounds.insert(entry.initial_address(), entry.len());
        }
    }
    bounds
}
