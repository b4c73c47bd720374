//! Functions of counted instructions, named as `weigh profile` names them.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use profile::{Image, Mapping, Naming, describe_function, name_category, parse_mapping, shorten_symbol};

use crate::dump::{Place, ThreadInstructions};
use crate::model::FunctionCount;

/// Names functions of a server's program and libraries.
pub(crate) struct FunctionCounter {
    mappings: Vec<Mapping>,
    preferred_collations: Vec<String>,
    images: HashMap<Arc<str>, Option<Image>>,
}

impl FunctionCounter {
    /// A function that several collations share is named after one of `preferred_collations` if
    /// possible.
    pub fn new(pid: Option<u32>, preferred_collations: Vec<String>) -> Self {
        Self { mappings: pid.map(mappings).unwrap_or_default(), preferred_collations, images: HashMap::new() }
    }

    /// Returns the `most` functions with the most instructions per statement.
    pub fn count(&mut self, count: &ThreadInstructions, statements: u64, most: usize) -> Vec<FunctionCount> {
        if most == 0 {
            return Vec::new();
        }
        let mut by_name: HashMap<(String, Naming, String), u64> = HashMap::new();
        for (place, instructions) in &count.places {
            *by_name.entry(self.name(place)).or_default() += instructions;
        }
        let mut functions: Vec<FunctionCount> = by_name
            .into_iter()
            .map(|((raw_name, naming, file), instructions)| FunctionCount {
                name: describe_function(&raw_name, naming),
                category: name_category(&raw_name, &file),
                instructions: instructions as f64 / statements as f64,
                by_start: Vec::new(),
                raw_name,
                file,
            })
            .collect();
        functions.sort_by(|a, b| b.instructions.total_cmp(&a.instructions).then_with(|| a.name.cmp(&b.name)));
        functions.truncate(most);
        functions
    }

    /// Returns the function's raw name with its source, and its file's name without folders.
    fn name(&mut self, place: &Place) -> (String, Naming, String) {
        let file = Path::new(&*place.file).file_name().unwrap_or_default().to_string_lossy().into_owned();
        let function = self.image(&place.file).and_then(|image| image.function(place.address));
        let (name, naming) =
            function.map_or_else(|| name_by_valgrind(&place.function, &file), |known| (known.name, known.naming));
        (name, naming, file)
    }

    fn image(&mut self, file: &Arc<str>) -> Option<&Image> {
        if !self.images.contains_key(file) {
            let mapping = self.mappings.iter().find(|mapping| mapping.module == *file);
            let image = Image::read(Path::new(&**file), &self.preferred_collations, mapping).ok();
            self.images.insert(Arc::clone(file), image);
        }
        self.images.get(file)?.as_ref()
    }
}

/// Returns the name of a function that its file doesn't name. Valgrind names it by a symbol, or by
/// an address such as `0x00000000009a0`.
fn name_by_valgrind(function: &str, file: &str) -> (String, Naming) {
    match function.strip_prefix("0x").and_then(|address| u64::from_str_radix(address, 16).ok()) {
        Some(address) => (format!("{file}+{address:#x}"), Naming::Bounds),
        None => (shorten_symbol(function), Naming::Symbol),
    }
}

/// Reads the files that a process has mapped.
fn mappings(pid: u32) -> Vec<Mapping> {
    let text = fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
    text.lines().filter_map(|line| parse_mapping(pid, line)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_that_only_valgrind_names_have_readable_names() {
        let describe = |function: &str| {
            let (name, naming) = name_by_valgrind(function, "libc.so.6");
            describe_function(&name, naming)
        };
        assert_eq!(describe("0x00000000009a0"), "unnamed code in libc.so.6 (0x9a0)");
        assert_eq!(describe("JOIN::exec(unsigned int)"), "JOIN::exec");
        assert_eq!(describe("_ZN4JOIN4execEv"), "JOIN::exec");
    }
}
