//! Folded stacks, and the flame graphs that inferno draws of them.

use std::collections::BTreeMap;

use inferno::differential;
use inferno::flamegraph::{self, Options};

use crate::error::Error;
use crate::resolve::{Resolved, Stack};

/// The folded form: a line a stack, outermost function first, separated by `;`, and how often it was seen. Brendan Gregg's
/// flamegraph.pl, inferno, speedscope and others read it.
pub fn fold<'s>(resolved: &Resolved, stacks: impl Iterator<Item = &'s Stack>) -> String {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for stack in stacks {
        *counts.entry(line(resolved, stack)).or_default() += 1;
    }
    counts.iter().map(|(stack, count)| format!("{stack} {count}\n")).collect()
}

fn line(resolved: &Resolved, stack: &Stack) -> String {
    let outermost_first = stack.functions.iter().rev();
    // What separates frames is in no name.
    let names = outermost_first.map(|&id| resolved.functions[id].name.replace([';', '\n'], ":"));
    names.collect::<Vec<_>>().join(";")
}

/// An interactive flame graph (SVG).
pub fn graph(title: &str, folded: &str) -> Result<Vec<u8>, Error> {
    let mut options = options(title);
    draw(&mut options, folded.as_bytes())
}

/// A flame graph of `after` whose colours show what grew (red) and what shrank (blue) against `before`, the totals made equal.
pub fn difference(title: &str, before: &str, after: &str) -> Result<Vec<u8>, Error> {
    let mut folded = Vec::new();
    let normalised = differential::Options { normalize: true, strip_hex: false };
    differential::from_readers(normalised, before.as_bytes(), after.as_bytes(), &mut folded)
        .map_err(|error| Error::FlameGraph(error.to_string()))?;
    draw(&mut options(title), &folded)
}

fn options(title: &str) -> Options<'static> {
    let mut options = Options::default();
    options.title = title.to_owned();
    options.count_name = "samples".into();
    options.min_width = 0.05;
    options
}

fn draw(options: &mut Options<'_>, folded: &[u8]) -> Result<Vec<u8>, Error> {
    let mut svg = Vec::new();
    flamegraph::from_reader(options, folded, &mut svg).map_err(|error| Error::FlameGraph(error.to_string()))?;
    Ok(svg)
}
