//! What the page asks, and what it is answered.

use explain::{Explanation, FORMAT, Feature, NotHeld, Step, Text, View, code, explain, pairs, reason, visible};
use serde::{Deserialize, Serialize};

use crate::collations::{Choice, all, named};

#[derive(Deserialize)]
#[serde(tag = "ask", rename_all = "lowercase")]
enum Question {
    /// The names to choose from.
    Collations,
    /// Two strings under collations.
    Explain { a: String, b: String, collations: Vec<String> },
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Answer {
    Collations(Vec<Choice>),
    Explanation(Explained),
    Error(String),
}

/// What `weigh explain --format json` prints, and what it prints of that for people.
#[derive(Serialize)]
struct Explained {
    #[serde(flatten)]
    explanation: Explanation,
    /// One for each view.
    told: Vec<Told>,
}

/// A view in words.
#[derive(Serialize)]
struct Told {
    because: String,
    rows: Vec<Row>,
}

/// Steps of the two strings that stand beside each other.
#[derive(Serialize)]
struct Row {
    a: Option<Cell>,
    b: Option<Cell>,
    parts: bool,
}

#[derive(Serialize)]
struct Cell {
    /// The characters, where they can be shown by themselves.
    shown: String,
    code: String,
    /// For each level.
    weights: Vec<String>,
    features: Vec<&'static str>,
}

/// The answer to a question, both in JSON.
pub fn answer(question: &[u8]) -> Vec<u8> {
    let answer = match serde_json::from_slice(question) {
        Ok(Question::Collations) => Answer::Collations(all()),
        Ok(Question::Explain { a, b, collations }) => Answer::Explanation(explained(a, b, &collations)),
        Err(error) => Answer::Error(error.to_string()),
    };
    serde_json::to_vec(&answer).unwrap_or_default()
}

fn explained(a: String, b: String, names: &[String]) -> Explained {
    let (a, b) = (Text::Typed(a.into_bytes()), Text::Typed(b.into_bytes()));
    let (mut views, mut notes) = (Vec::new(), Vec::new());
    for name in names {
        let meanings = named(name);
        if meanings.is_empty() {
            notes.push(format!("neither MySQL nor MariaDB has a collation {name}"));
        }
        for one in meanings {
            match explain(one.collation, &one.servers, &a, &b) {
                Ok(view) => views.push(view),
                Err(NotHeld(character)) => {
                    let charset = one.collation.charset().name();
                    notes.push(format!("{name}: {charset} has no {}", character.escape_debug()));
                }
            }
        }
    }
    let told = views.iter().map(told).collect();
    Explained { explanation: Explanation { format: FORMAT.into(), a: a.shown(), b: b.shown(), views, notes }, told }
}

fn told(view: &View) -> Told {
    let cell = |steps: &[Step], at: Option<usize>| at.and_then(|at| steps.get(at)).map(cell);
    let row = |pair: explain::Pair| Row { a: cell(&view.a, pair.a), b: cell(&view.b, pair.b), parts: pair.parts };
    Told { because: reason(view), rows: pairs(view).into_iter().map(row).collect() }
}

fn cell(step: &Step) -> Cell {
    Cell {
        shown: visible(&step.text).to_owned(),
        code: code(step),
        weights: step.weights.iter().map(|weights| weights.join(" ")).collect(),
        features: step.features.iter().map(|feature: &Feature| feature.name()).collect(),
    }
}
