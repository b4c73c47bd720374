//! Folded stacks, and flame graphs drawn by inferno.

use std::collections::BTreeMap;

use inferno::differential;
use inferno::flamegraph::{self, Options};

use crate::error::Error;
use crate::resolve::{Resolved, Stack};

/// Returns folded stacks: one line per stack, with functions separated by `;`, outermost first, and
/// the number of samples. The format of Brendan Gregg's flamegraph.pl, also read by inferno and
/// speedscope.
pub fn fold<'s>(resolved: &Resolved, stacks: impl Iterator<Item = &'s Stack>) -> String {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for stack in stacks {
        *counts.entry(fold_stack(resolved, stack)).or_default() += 1;
    }
    counts.iter().map(|(stack, count)| format!("{stack} {count}\n")).collect()
}

fn fold_stack(resolved: &Resolved, stack: &Stack) -> String {
    let outermost_first = stack.functions.iter().rev();
    // A name must not contain the separators. The name comes from a program that may be a
    // stranger's.
    let names = outermost_first
        .map(|&id| escape::line(&resolved.functions[id].readable_name().replace([';', '\n'], ":")).into_owned());
    names.collect::<Vec<_>>().join(";")
}

/// Draws an interactive flame graph (SVG).
pub fn draw_graph(title: &str, folded: &str) -> Result<Vec<u8>, Error> {
    let mut options = options(title);
    draw(&mut options, folded.as_bytes())
}

/// Draws a flame graph of `after`, coloured by the difference from `before`: functions in red take
/// a larger share, functions in blue a smaller share.
pub fn draw_difference(title: &str, before: &str, after: &str) -> Result<Vec<u8>, Error> {
    let mut folded = Vec::new();
    let normalised = differential::Options { normalize: true, strip_hex: false };
    differential::from_readers(normalised, before.as_bytes(), after.as_bytes(), &mut folded)
        .map_err(|error| Error::FlameGraph(error.to_string()))?;
    draw(&mut options(title), &folded)
}

fn options(title: &str) -> Options<'static> {
    let mut options = Options::default();
    options.title = escape::line(title).into_owned();
    options.count_name = "samples".into();
    options.min_width = 0.05;
    options
}

fn draw(options: &mut Options<'_>, folded: &[u8]) -> Result<Vec<u8>, Error> {
    let mut svg = Vec::new();
    flamegraph::from_reader(options, folded, &mut svg).map_err(|error| Error::FlameGraph(error.to_string()))?;
    Ok(svg)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::category::Category;
    use crate::image::Naming;
    use crate::resolve::ResolvedFunction;

    #[test]
    fn names_of_functions_act_on_no_terminal() {
        let function = |name: &str| ResolvedFunction { name: name.into(), file: String::new(), naming: Naming::Symbol };
        let functions = vec![function("a\u{1b}[2J;b"), function("main\u{202e}")];
        let stack = Stack { time_ns: 0, pid: 1, tid: 1, functions: vec![0, 1], category: Category::Charset };
        let folded = fold(&Resolved { functions, stacks: Vec::new() }, std::iter::once(&stack));
        assert_eq!(folded, "main\\u{202e};a\\u{1b}[2J:b 1\n");
        let svg = String::from_utf8(draw_graph("mysql\u{1b}[2J\u{202e}", &folded).unwrap()).unwrap();
        assert!(!svg.contains(|c| escape::is_control(c) && !matches!(c, '\n' | '\t')));
    }
}
