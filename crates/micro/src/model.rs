//! What was measured, as it is printed and as it is written.

use explain::Verdict;
use measure::{Estimate, Machine, ServerInfo};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::pair::Difference;

/// The format that this version writes.
pub const FORMAT: &str = "weighbridge-micro/1";

/// All that was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Results {
    /// The format's name and version.
    pub format: String,
    /// Version of `weigh` that measured.
    pub weigh: String,
    /// The machine of the engine, and of the servers where they are private.
    pub machine: Machine,
    /// The servers, in the order asked for.
    pub servers: Vec<ServerInfo>,
    /// What each of them is timed by.
    pub clocks: Vec<Clock>,
    /// The options in force.
    pub options: Options,
    /// What one comparison costs: one for each server, text, difference, collation, and instruction set where some were named.
    pub cells: Vec<Cell>,
    /// What being called costs each server: one for each server and collation.
    pub calls: Vec<Call>,
    /// What was left out and why, and what else a reader must know.
    pub notes: Vec<String>,
}

/// The options of a measurement, after defaults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Options {
    /// Characters of each string.
    pub characters: usize,
    /// How long one timing inside a server takes, in seconds; one in the engine takes a tenth.
    pub time_s: f64,
    /// Rounds: in each, private servers are started anew, the engine has a new process, and every cell is timed once in the server and
    /// once in the engine, one after the other. Cells that differ only in the instruction set have the server's time in common.
    pub rounds: u32,
}

/// What a server is timed by. The engine is always timed by CPU time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Clock {
    /// CPU time of the server's thread: other work on the machine costs it a cache line here and there, and no time.
    Cpu,
    /// Time on the wall, where the server is on another machine or its thread can't be told.
    Wall,
}

/// What one comparison costs. Times are medians over the rounds with their 95 % intervals, in ns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cell {
    /// Index in [`Results::servers`].
    pub server: usize,
    /// The kind of text.
    pub text: String,
    /// How the second string differs from the first.
    pub difference: Difference,
    /// The collation.
    pub collation: String,
    /// The engine's instruction set; absent where none was named: the best of the machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instruction_set: Option<String>,
    /// Bytes of the first string.
    pub bytes: usize,
    /// What the server says of the strings.
    pub verdict: Verdict,
    /// What the engine says; absent where it has no such collation yet.
    pub engine_verdict: Option<Verdict>,
    /// Inside the server.
    pub server_ns: Estimate,
    /// In the engine.
    pub engine_ns: Option<Estimate>,
    /// `memcmp` of the first string's bytes with a copy.
    pub memcmp_ns: Estimate,
    /// Server by engine, taken round by round; absent also where the difference to the baseline was lost in noise.
    pub ratio: Option<Estimate>,
    /// Every round.
    pub rounds: Vec<Round>,
}

/// One round of a cell, in ns.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Round {
    /// Inside the server: the comparison's time less the baseline's, which noise can make negative.
    pub server: f64,
    /// In the engine.
    pub engine: Option<f64>,
    /// `memcmp`.
    pub memcmp: f64,
}

/// What comparing one character with another costs a server: hardly more than being called.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Call {
    /// Index in [`Results::servers`].
    pub server: usize,
    /// The collation.
    pub collation: String,
    /// The median over the rounds with its 95 % interval, in ns.
    pub ns: Estimate,
}
