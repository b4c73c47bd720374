//! What a run will measure, found out by asking the servers and creating nothing on them.

use server::Server;
use workload::{Table, Text};

use crate::buffer_pool::{self, Sizing};
use crate::error::Error;
use crate::model::Variant;
use crate::plan::{self, Facts};
use crate::request::Request;

/// How many rows are looked at to see whether a charset can hold the text.
const SAMPLED_ROWS: u32 = 200;

/// What a run will measure, as far as it can be told before the rows are loaded.
#[derive(Clone, Debug)]
pub struct Preview {
    /// The variants of every text, the copies for A/A duets among them.
    pub variants: Vec<Variant>,
    /// What is left out and why.
    pub notes: Vec<String>,
    /// Where each variant is to have a buffer pool of its own: what that takes.
    pub sizing: Option<Sizing>,
    apart: bool,
}

impl Preview {
    /// The most schemas that stand on a server at a time: one for each of its variants' collations, one for the copy of its baseline,
    /// and while rows are loaded the one that all others are copied from.
    pub fn schemas(&self, server: usize) -> usize {
        let of_text = |text: &str| {
            let own = self.variants.iter().filter(|variant| variant.server == server && variant.text == text);
            schema_keys(own, self.apart).len() + 1
        };
        self.variants.iter().map(|variant| of_text(&variant.text)).max().unwrap_or(0)
    }
}

/// Tells what a run will measure, or why it can't.
pub fn preview(request: &Request, servers: &[Server]) -> Result<Preview, Error> {
    let facts = facts(servers)?;
    let mut notes = Vec::new();
    let plans = plans(request, &facts, &mut notes)?;
    let sizing = buffer_pool::sizing(request, &plans, servers)?;
    let variants = plans.into_iter().flat_map(|(_, variants)| variants).collect();
    Ok(Preview { variants, notes, sizing, apart: request.keeps_apart() })
}

/// The variants of every text.
pub(crate) fn plans(
    request: &Request,
    facts: &[Facts],
    notes: &mut Vec<String>,
) -> Result<Vec<(Text, Vec<Variant>)>, Error> {
    request.axes.texts.iter().map(|&text| Ok((text, variants(request, text, facts, notes)?))).collect()
}

/// What a plan needs to know of the servers.
pub fn facts(servers: &[Server]) -> Result<Vec<Facts>, server::Error> {
    let facts = |server: &Server| {
        let (label, flavour) = (server.label().into(), server.flavour());
        Ok(Facts { label, flavour, collations: server.collations()? })
    };
    servers.iter().map(facts).collect()
}

/// The tables of one text.
pub(crate) fn tables(request: &Request, text: Text) -> Vec<Table> {
    workload::tables(&request.workloads, &workload::Options { text, ..request.rows })
}

/// The variants of one text, and behind them, for each server and where ratios are measured, the copies of its baseline, which is its
/// first variant.
fn variants(request: &Request, text: Text, facts: &[Facts], notes: &mut Vec<String>) -> Result<Vec<Variant>, Error> {
    let sample = match &request.recording {
        Some(recording) => recording.text(),
        None => sample(&tables(request, text)),
    };
    let holds = |charset: &str| drive::connection_holds(charset, &sample);
    let mut variants = match &request.recording {
        Some(recording) => plan::sides(&request.axes, recording.charset(), facts, &holds, notes)?,
        None => plan::variants(&request.axes, text, facts, &holds, notes)?,
    };
    // Rows that are not generated are of no kind of text.
    variants.iter_mut().for_each(|variant| variant.text = request.text_name(text));
    for (server, facts) in facts.iter().enumerate() {
        let baseline = variants.iter().find(|variant| variant.server == server).cloned();
        let Some(baseline) = baseline else {
            return Err(Error::NothingToMeasure { server: facts.label.clone(), text: request.text_name(text) });
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

/// What tells the schemas of a server apart.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SchemaKey<'a> {
    pub(crate) collation: &'a str,
    copy: bool,
    /// Of those that are kept apart: the connection's charset and the extra work.
    own: Option<(&'a str, Option<f64>)>,
}

/// A copy has a schema of its own. Variants that differ only in their connections share one unless they are kept apart.
pub(crate) fn schema_key(variant: &Variant, apart: bool) -> SchemaKey<'_> {
    let own = apart.then_some((variant.connection_charset.as_str(), variant.extra_work));
    SchemaKey { collation: &variant.collation, copy: variant.copy, own }
}

/// The schemas that variants need, each once.
pub(crate) fn schema_keys<'a>(variants: impl Iterator<Item = &'a Variant>, apart: bool) -> Vec<SchemaKey<'a>> {
    let mut keys: Vec<SchemaKey<'_>> = Vec::new();
    for key in variants.map(|variant| schema_key(variant, apart)) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}

/// Text of the first rows, to see what a charset must hold.
fn sample(tables: &[Table]) -> String {
    let mut sample = String::new();
    for table in tables {
        for id in 1..=table.rows.min(SAMPLED_ROWS) {
            table.insert_row(id, &mut sample);
        }
    }
    sample
}
