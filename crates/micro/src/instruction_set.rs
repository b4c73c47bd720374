//! The engine's instruction sets: which ones this machine has, and taking one of them.

use std::str::FromStr;

use mysql_collation::oracle::{instruction_sets, use_instruction_set};

/// An instruction set that this machine has and that the engine has code for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstructionSet(&'static str);

/// This machine has no instruction set of this name, or the engine has no code for it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the engine has no instruction set `{given}` on this machine; it has: {}",
    InstructionSet::all().map(InstructionSet::name).collect::<Vec<_>>().join(", ")
)]
pub struct UnknownInstructionSet {
    given: String,
}

impl InstructionSet {
    /// All of this machine: the best one, which the engine takes by itself, comes first, and `scalar`, which has no vectors, last.
    pub fn all() -> impl Iterator<Item = Self> {
        instruction_sets().map(Self)
    }

    /// The name, as the engine's benchmarks print it.
    pub fn name(self) -> &'static str {
        self.0
    }

    /// Makes the whole process take it from now on.
    pub(crate) fn choose(self) {
        use_instruction_set(self.0);
    }
}

impl FromStr for InstructionSet {
    type Err = UnknownInstructionSet;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        let wanted = given.to_ascii_lowercase();
        let found = Self::all().find(|instruction_set| instruction_set.name() == wanted);
        found.ok_or_else(|| UnknownInstructionSet { given: given.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for instruction_set in InstructionSet::all() {
            assert_eq!(instruction_set.name().parse(), Ok(instruction_set));
        }
        assert_eq!("Scalar".parse().map(InstructionSet::name), Ok("scalar"));
    }

    #[test]
    fn an_unknown_name_is_answered_with_those_of_the_machine() {
        let error = "altivec".parse::<InstructionSet>().unwrap_err().to_string();
        assert!(error.contains("`altivec`") && error.ends_with("scalar"), "{error}");
    }
}
