//! Results as `weigh micro` prints and writes them (`schemas/micro.schema.json`).

use explain::Verdict;
use measure::{Estimate, Machine, ServerInfo};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::pair::Difference;

/// Name and version of the JSON format that this version of `weigh` writes.
pub const FORMAT: &str = "weighbridge-micro/1";

/// Results of one measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Results {
    /// Name and version of the format.
    pub format: String,
    /// Version of `weigh` that measured.
    pub weigh: String,
    /// The machine of the engine. Private servers run on it, too.
    pub machine: Machine,
    /// The servers, in the order of the command line.
    pub servers: Vec<ServerInfo>,
    /// Clock of each server.
    pub clocks: Vec<Clock>,
    pub options: Options,
    /// Costs of comparisons, one per server, text, difference, collation, and instruction set if
    /// some were named.
    #[serde(rename = "cells")]
    pub comparisons: Vec<ComparisonCost>,
    /// Costs of calling a comparison, one per server and collation.
    pub calls: Vec<CallCost>,
    /// Omitted conditions with the reason, and other remarks.
    pub notes: Vec<String>,
}

/// Options in force, after defaults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Options {
    /// Length of each string, in characters.
    pub characters: usize,
    /// Duration of one timing inside a server, in seconds. A timing in the engine takes a tenth.
    pub time_s: f64,
    /// Number of rounds. Before each round except the first, private servers are replaced by new
    /// instances. Each round has a new process of the engine. Each comparison is timed once in the
    /// server and directly after that in the engine. Comparisons that differ only in the
    /// instruction set share the server's time.
    pub rounds: u32,
}

/// Clock that a server is timed by. The engine is always timed by CPU time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Clock {
    /// CPU time of the server's thread. Other work on the machine changes this time little, for
    /// example by evicting cache lines.
    Cpu,
    /// Wall-clock time, for a server on another machine or with an unknown thread, as in a thread
    /// pool.
    Wall,
}

/// Cost of one comparison. Times are medians over the rounds with 95 % intervals, in ns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComparisonCost {
    /// Index in [`Results::servers`].
    pub server: usize,
    /// Kind of text.
    pub text: String,
    /// Difference of the second string from the first.
    pub difference: Difference,
    pub collation: String,
    /// The engine's instruction set. Absent if none was named: the machine's best.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instruction_set: Option<String>,
    /// Bytes of the first string.
    pub bytes: usize,
    /// The server's verdict on the strings.
    pub verdict: Verdict,
    /// The engine's verdict. `null` if the engine lacks the collation.
    pub engine_verdict: Option<Verdict>,
    /// Time inside the server.
    pub server_ns: Estimate,
    /// Time in the engine. `null` if the engine lacks the collation.
    pub engine_ns: Option<Estimate>,
    /// Time of `memcmp` of the first string's bytes with a copy.
    pub memcmp_ns: Estimate,
    /// The server's time divided by the engine's: the median of the rounds' ratios. `null` if the
    /// engine lacks the collation, or if noise makes the server's time 0 or negative in a round.
    pub ratio: Option<Estimate>,
    pub rounds: Vec<Round>,
}

/// Times of one round, in ns.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Round {
    /// Time inside the server: `@a = @b` less `@a`, both in `BENCHMARK()`. Noise can make it
    /// negative.
    pub server: f64,
    /// Time in the engine. `null` if the engine lacks the collation.
    pub engine: Option<f64>,
    /// Time of `memcmp`.
    pub memcmp: f64,
}

/// Cost of comparing the letters `a` and `b` in a server: little more than the cost of the call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CallCost {
    /// Index in [`Results::servers`].
    pub server: usize,
    pub collation: String,
    /// Median over the rounds with its 95 % interval, in ns.
    pub ns: Estimate,
}
