//! Preview of a run: queries the servers and creates nothing on them.

use std::time::Duration;

use server::Server;
use workload::{Table, Text};

use super::buffer_pool::{self, BufferPoolSizing};
use super::form_pairs_of_source;
use super::schemas::{schema_keys, workload_tables};
use super::variants::{form_folder_variants, form_variants};
use super::{PlanError, ServerCollations};
use crate::model::{Condition, Mode, Variant};
use crate::request::Request;

/// Number of rows per table sampled to check whether a charset has all characters of the text.
const SAMPLED_ROWS: u32 = 200;

/// The variants and resources of a run, as known before loading.
#[derive(Clone, Debug)]
pub struct Preview {
    /// Variants of every text, including the copies for A/A pairs.
    pub variants: Vec<Variant>,
    /// Notes on excluded variants.
    pub notes: Vec<String>,
    /// Sizing of the buffer pools, if each variant has its own.
    pub sizing: Option<BufferPoolSizing>,
    /// Least time of load in which every pair gets an interval.
    pub least_time: Duration,
    separate: bool,
}

impl Preview {
    /// Maximum number of schemas on a server at a time: one per `SchemaKey` of a text, which
    /// includes the copy of the baseline, and one for staging while loading.
    pub fn max_schemas(&self, server: usize) -> usize {
        let count_schemas_of_text = |text: &str| {
            let own = self.variants.iter().filter(|variant| variant.server == server && variant.text == text);
            schema_keys(own, self.separate).len() + 1
        };
        self.variants.iter().map(|variant| count_schemas_of_text(&variant.text)).max().unwrap_or(0)
    }
}

/// Plans a run without creating anything. An error if it cannot be measured.
pub fn preview(request: &Request, servers: &[Server]) -> Result<Preview, PlanError> {
    let attached = servers.iter().find(|server| !server.is_private()).map(Server::label);
    preview_collations(request, &read_server_collations(servers)?, attached)
}

/// As [`preview`], for servers whose collations are known without a connection. `attached` is the
/// label of an attached server among them.
pub fn preview_collations(
    request: &Request,
    facts: &[ServerCollations],
    attached: Option<&str>,
) -> Result<Preview, PlanError> {
    let mut notes = Vec::new();
    let plans = plan_variants(request, facts, &mut notes)?;
    let sizing = buffer_pool::size_pools_for(request, &plans, facts.len(), attached)?;
    let least_time = least_time(request, &plans);
    let variants = plans.into_iter().flat_map(|(_, variants)| variants).collect();
    Ok(Preview { variants, notes, sizing, least_time, separate: request.separates_variants() })
}

/// Returns the time of load that a replicate needs for one block of each pair, or of each variant
/// in solo mode.
pub(crate) fn min_replicate_time(request: &Request, plans: &[(Text, Vec<Variant>)]) -> Duration {
    let workload_sources = request.workload_sources();
    let blocks = plans.iter().flat_map(|plan| workload_sources.iter().map(move |source| (plan, source)));
    let blocks = blocks.map(|((text, variants), source)| match request.mode {
        Mode::Solo => variants.len(),
        Mode::Duet => {
            let condition = Condition { workload: String::new(), text: request.text_name(*text), threads: 1 };
            form_pairs_of_source(source, 0, &condition, variants, &request.axes).len()
        }
    });
    let blocks = blocks.sum::<usize>() * request.threads.len();
    (request.warmup + request.block) * blocks as u32
}

/// Returns the least time of load in which every pair gets an interval: two replicates, or two
/// blocks in one.
fn least_time(request: &Request, plans: &[(Text, Vec<Variant>)]) -> Duration {
    if !request.ratios {
        return Duration::ZERO;
    }
    let one = min_replicate_time(request, plans);
    match request.replicates {
        Some(1) => {
            let blocks = one.as_secs_f64() / (request.warmup + request.block).as_secs_f64().max(1e-9);
            one + request.block.mul_f64(blocks)
        }
        _ => one * 2,
    }
}

/// Returns the planned variants of every text.
pub(crate) fn plan_variants(
    request: &Request,
    facts: &[ServerCollations],
    notes: &mut Vec<String>,
) -> Result<Vec<(Text, Vec<Variant>)>, PlanError> {
    request.axes.texts.iter().map(|&text| Ok((text, variants_with_copies(request, text, facts, notes)?))).collect()
}

pub fn read_server_collations(servers: &[Server]) -> Result<Vec<ServerCollations>, server::Error> {
    let facts = |server: &Server| {
        let (label, flavour) = (server.label().into(), server.flavour());
        Ok(ServerCollations { label, flavour, collations: server.read_collations()? })
    };
    servers.iter().map(facts).collect()
}

/// Returns the variants of one text. If ratios are measured, the copies of each server's baseline
/// follow; the baseline is the server's first variant.
fn variants_with_copies(
    request: &Request,
    text: Text,
    facts: &[ServerCollations],
    notes: &mut Vec<String>,
) -> Result<Vec<Variant>, PlanError> {
    let mut variants = match &request.workload_folder {
        Some(folder) => {
            form_folder_variants(&request.axes, folder.charset(), facts, &|charset| folder.fits(charset), notes)?
        }
        None => {
            let sample = sample_text(&workload_tables(request, text));
            form_variants(&request.axes, text, facts, &|charset| load::charset_can_encode(charset, &sample), notes)?
        }
    };
    // Rows of a workload folder or a script have the text `own`.
    variants.iter_mut().for_each(|variant| variant.text = request.text_name(text));
    for (server, facts) in facts.iter().enumerate() {
        let baseline = variants.iter().find(|variant| variant.server == server).cloned();
        let Some(baseline) = baseline else {
            return Err(PlanError::NothingToMeasure { server: facts.label.clone(), text: request.text_name(text) });
        };
        if !request.ratios {
            continue;
        }
        let injected = request.axes.extra_work.iter().map(|&share| Some(share));
        for extra_work in [None].into_iter().chain(injected) {
            variants.push(Variant { copy: true, extra_work, ..baseline.clone() });
        }
    }
    Ok(variants)
}

/// Returns the text of the first rows, to check which charsets can hold it.
fn sample_text(tables: &[Table]) -> String {
    let mut sample = String::new();
    for table in tables {
        for id in 1..=table.rows.min(SAMPLED_ROWS) {
            table.insert_row(id, &mut sample);
        }
    }
    sample
}
