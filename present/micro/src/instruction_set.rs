//! The engine's instruction sets on this machine, and how to select one.

use std::str::FromStr;

use mysql_collation::oracle::{instruction_sets, use_instruction_set};

/// An instruction set that this machine has and that the engine has code for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstructionSet(&'static str);

/// An instruction set of this name does not exist, or this machine or the engine lacks it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the engine has no instruction set `{given}` on this machine; it has: {}",
    InstructionSet::all().map(InstructionSet::name).collect::<Vec<_>>().join(", ")
)]
pub struct UnknownInstructionSet {
    given: String,
}

impl InstructionSet {
    /// Returns the instruction sets of this machine, best first. The engine uses the first by
    /// default. The last is `scalar`, without vector instructions.
    pub fn all() -> impl Iterator<Item = Self> {
        instruction_sets().map(Self)
    }

    /// Returns the name, such as `scalar`. The engine's benchmarks print the same name.
    pub fn name(self) -> &'static str {
        self.0
    }

    /// Makes all threads of the process use the instruction set from now on.
    pub(crate) fn select(self) {
        use_instruction_set(self.0);
    }
}

impl FromStr for InstructionSet {
    type Err = UnknownInstructionSet;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        let wanted = given.to_ascii_lowercase();
        let matching = Self::all().find(|instruction_set| instruction_set.name() == wanted);
        matching.ok_or_else(|| UnknownInstructionSet { given: given.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_each_name() {
        for instruction_set in InstructionSet::all() {
            assert_eq!(instruction_set.name().parse(), Ok(instruction_set));
        }
        assert_eq!("Scalar".parse().map(InstructionSet::name), Ok("scalar"));
    }

    #[test]
    fn unknown_name_lists_the_machines_instruction_sets() {
        let error = "altivec".parse::<InstructionSet>().unwrap_err().to_string();
        assert!(error.contains("`altivec`") && error.ends_with("scalar"), "{error}");
    }
}
