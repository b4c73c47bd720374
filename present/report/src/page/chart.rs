//! Charts, drawn by `assets/page.js`.

use askama::Template;
use measure::{Comparison, Estimate, Run, Verdict};
use serde::Serialize;
use serde_json::Value;

use crate::run::name::{on_server, variant_name};
use crate::run::verdict::cell::Figure;

#[derive(Template)]
#[template(path = "chart.html")]
pub(crate) struct Chart {
    kind: &'static str,
    caption: String,
    /// Description for screen readers: what the chart shows, and where the figures are.
    description: String,
    data: Value,
}

impl Chart {
    /// Creates a chart. `kind` is one of the kinds in `page.js`.
    pub fn new(kind: &'static str, caption: String, description: String, data: &impl Serialize) -> Self {
        let data = serde_json::to_value(data).expect("figures are plain data");
        Self { kind, caption, description, data }
    }
}

/// A ratio with its interval, drawn as a point of a chart or a tile of the heat map.
#[derive(Clone, Serialize)]
pub(crate) struct Mark {
    pub name: String,
    pub value: f64,
    pub low: f64,
    pub high: f64,
    pub verdict: &'static str,
}

impl Mark {
    /// Returns the mark of a figure. The verdict on a cost is reversed: more cost is worse. `None`
    /// if the figure was not measured.
    pub fn of_figure(name: String, figure: Figure, comparison: &Comparison) -> Option<Self> {
        let ratio = figure.ratio(comparison)?;
        let verdict = match (figure.verdict(comparison), figure.is_cost()) {
            (Verdict::More, true) => Verdict::Less,
            (Verdict::Less, true) => Verdict::More,
            (verdict, _) => verdict,
        };
        Some(Self::new(name, ratio, verdict))
    }

    pub fn new(name: String, ratio: Estimate, verdict: Verdict) -> Self {
        let verdict = match verdict {
            Verdict::Less => "slower",
            Verdict::More => "faster",
            Verdict::NoDifference { .. } | Verdict::NotMeasured => "no difference",
        };
        Self { name, value: ratio.value, low: ratio.low, high: ratio.high, verdict }
    }
}

/// Returns a variant's name on an axis, with the server if the run has several.
pub(super) fn label(run: &Run, index: usize) -> String {
    variant_name(run, index) + &on_server(run, index)
}

/// Returns a variant's name, with its kind of text if the run has several.
pub(super) fn label_with_text(run: &Run, index: usize) -> String {
    let text = &run.variants[index].text;
    let one = run.variants.iter().all(|variant| variant.text == *text);
    if one { label(run, index) } else { format!("{}, {text}", label(run, index)) }
}
