//! Requests in JSON, and replies.

use explain::{
    Explanation, FORMAT, Feature, Step, Text, UnsupportedCharacter, View, display_code_points, explain,
    explain_verdict, pair_steps, visible_text,
};
use serde::{Deserialize, Serialize};

use crate::collations::{Choice, list_choices, meanings_of};

#[derive(Deserialize)]
#[serde(tag = "ask", rename_all = "lowercase")]
enum Request {
    /// Lists all names of collations.
    Collations,
    /// Explains two strings under collations.
    Explain { a: String, b: String, collations: Vec<String> },
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Reply {
    Collations(Vec<Choice>),
    Explanation(ExplanationReply),
    Error(String),
}

/// The JSON of `weigh explain --format json`, and the texts of its terminal output.
#[derive(Serialize)]
struct ExplanationReply {
    #[serde(flatten)]
    explanation: Explanation,
    /// Texts per view.
    #[serde(rename = "told")]
    texts: Vec<ViewTexts>,
}

/// Texts of a view.
#[derive(Serialize)]
struct ViewTexts {
    because: String,
    rows: Vec<Row>,
}

/// Steps of both strings at the same position.
#[derive(Serialize)]
struct Row {
    a: Option<StepTexts>,
    b: Option<StepTexts>,
    parts: bool,
}

#[derive(Serialize)]
struct StepTexts {
    /// The characters, if they are visible on their own.
    shown: String,
    code: String,
    /// Weights per level.
    weights: Vec<String>,
    features: Vec<&'static str>,
}

/// Processes a request in JSON and returns the reply in JSON.
pub fn process(request: &[u8]) -> Vec<u8> {
    let reply = match serde_json::from_slice(request) {
        Ok(Request::Collations) => Reply::Collations(list_choices()),
        Ok(Request::Explain { a, b, collations }) => Reply::Explanation(explain_strings(a, b, &collations)),
        Err(error) => Reply::Error(error.to_string()),
    };
    serde_json::to_vec(&reply).unwrap_or_default()
}

fn explain_strings(a: String, b: String, names: &[String]) -> ExplanationReply {
    let (a, b) = (Text::Typed(a.into_bytes()), Text::Typed(b.into_bytes()));
    let (mut views, mut notes) = (Vec::new(), Vec::new());
    for name in names {
        let meanings = meanings_of(name);
        if meanings.is_empty() {
            notes.push(format!("neither MySQL nor MariaDB has a collation {name}"));
        }
        for meaning in meanings {
            match explain(meaning.collation, &meaning.servers, &a, &b) {
                Ok(view) => views.push(view),
                Err(UnsupportedCharacter(character)) => {
                    let charset = meaning.collation.charset().name();
                    notes.push(format!("{name}: {charset} has no {}", character.escape_debug()));
                }
            }
        }
    }
    let texts = views.iter().map(view_texts).collect();
    ExplanationReply {
        explanation: Explanation { format: FORMAT.into(), a: a.display(), b: b.display(), views, notes },
        texts,
    }
}

fn view_texts(view: &View) -> ViewTexts {
    let texts_at = |steps: &[Step], at: Option<usize>| at.and_then(|at| steps.get(at)).map(step_texts);
    let row = |pair: explain::StepPair| Row {
        a: texts_at(&view.a, pair.a),
        b: texts_at(&view.b, pair.b),
        parts: pair.has_mismatch,
    };
    ViewTexts { because: explain_verdict(view), rows: pair_steps(view).into_iter().map(row).collect() }
}

fn step_texts(step: &Step) -> StepTexts {
    StepTexts {
        shown: visible_text(&step.text).to_owned(),
        code: display_code_points(step),
        weights: step.weights.iter().map(|weights| weights.join(" ")).collect(),
        features: step.features.iter().map(|feature: &Feature| feature.name()).collect(),
    }
}
