//! The experiment itself: tables loaded, variants put under load in turn, every block written down.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use drive::{ConnectionCharset, Load, Settings, Target};
use server::{CollationInfo, Layers, Server, interrupt};
use workload::{Script, Workload};

use crate::error::Error;
use crate::folder::Folder;
use crate::latency;
use crate::model::{Block, Cell, Pair, Run, Side, Variant};
use crate::plan::{self, Axes, Facts};
use crate::schedule::{self, Executor, Limits, Standing, Task};

/// Load that is put on at the start of every block before it counts, so that both sides are up to speed.
const LEAD_IN: Duration = Duration::from_millis(50);

/// What to measure.
#[derive(Clone, Debug)]
pub struct Request {
    /// The axes that make variants.
    pub axes: Axes,
    /// The workloads.
    pub workloads: Vec<Workload>,
    /// Connections to each variant, one cell each.
    pub threads: Vec<u32>,
    /// Rows and statements; its text is replaced by each of the axes' texts.
    pub rows: workload::Options,
    /// How statements travel.
    pub protocol: drive::Protocol,
}

/// Watches a run.
pub trait Observer {
    /// Something that takes a while has begun.
    fn stage(&self, what: &str);
    /// How much of it is done, from 0 to 1.
    fn fraction(&self, done: f64);
    /// A block was measured.
    fn block(&self, run: &Run, block: &Block, standings: &[Standing]);
}
