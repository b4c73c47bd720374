//! Charts: what `assets/page.js` draws, and what it is told.

use askama::Template;
use measure::{Estimate, Run, Verdict};
use serde::Serialize;
use serde_json::Value;

use crate::name::{on_server, variant};

/// A chart with the figures that it is drawn from.
#[derive(Template)]
#[template(path = "chart.html")]
pub(super) struct Chart {
    kind: &'static str,
    caption: String,
    /// For who does not see it: what it shows, and where the figures are.
    description: String,
    data: Value,
}

impl Chart {
    /// A chart of a kind that `page.js` knows.
    pub fn new(kind: &'static str, caption: String, description: String, data: &impl Serialize) -> Self {
        let data = serde_json::to_value(data).expect("figures are plain data");
        Self { kind, caption, description, data }
    }
}

/// A ratio with its interval, as a mark.
#[derive(Clone, Serialize)]
pub(super) struct Mark {
    pub name: String,
    pub value: f64,
    pub low: f64,
    pub high: f64,
    pub verdict: &'static str,
}

impl Mark {
    pub fn new(name: String, ratio: Estimate, verdict: Verdict) -> Self {
        let verdict = match verdict {
            Verdict::Less => "slower",
            Verdict::More => "faster",
            Verdict::NoDifference { .. } | Verdict::NotMeasured => "no difference",
        };
        Self { name, value: ratio.value, low: ratio.low, high: ratio.high, verdict }
    }
}

/// A variant's name on an axis: its collation and what tells it from the run's others.
pub(super) fn label(run: &Run, index: usize) -> String {
    variant(run, index) + &on_server(run, index)
}

/// The same where variants of several texts stand beside each other.
pub(super) fn of_text(run: &Run, index: usize) -> String {
    let text = &run.variants[index].text;
    let one = run.variants.iter().all(|variant| variant.text == *text);
    if one { label(run, index) } else { format!("{}, {text}", label(run, index)) }
}
