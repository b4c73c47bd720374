//! What a study claimed and published, as lines and as a table.

use measure::PublishedFigure;
use recipe::{Claim, Verdict};

use crate::Report;
use crate::number::plain;
use crate::table::{Column, Kind, Mood, Row, Table};

/// What stands above the claims; nothing where there are none.
pub(crate) fn title(report: &Report) -> Option<String> {
    let recipe = report.run.recipe.as_ref().filter(|_| !report.claims.is_empty())?;
    let study = recipe.study.as_deref().unwrap_or(&recipe.name);
    Some(format!("What {study} found, and whether it holds here"))
}

/// The claims, a line each.
pub(crate) fn lines(report: &Report) -> Vec<String> {
    report.claims.iter().map(|claim| line(report, claim)).collect()
}

fn line(report: &Report, claim: &Claim) -> String {
    let study = report.run.recipe.as_ref().and_then(|recipe| recipe.study.as_ref());
    let source = if study == Some(&claim.source) { String::new() } else { format!(" ({})", claim.source) };
    format!("{}: {}{source}: {}", verdict(claim.verdict), claim.text, claim.evidence)
}

/// A verdict in words.
pub(crate) fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Confirmed => "confirmed",
        Verdict::Refuted => "refuted",
        Verdict::NotDistinguishable => "not distinguishable",
        Verdict::NotMeasured => "not measured",
    }
}

/// The figures that the study published; nothing where there are none.
pub(crate) fn published(report: &Report) -> Option<Table> {
    let first = report.published.first()?;
    let heads = ["server", "workload", "charset or collation", "threads", "figure", "unit"];
    let kinds = [Kind::Left, Kind::Left, Kind::Left, Kind::Right, Kind::Right, Kind::Left];
    let columns =
        heads.iter().zip(kinds).map(|(head, kind)| Column { head: [String::new(), (*head).into()], kind }).collect();
    let rows = report.published.iter().map(|figure| Row { fields: fields(figure), mood: Mood::Plain }).collect();
    Some(Table { title: format!("Figures published by {}", first.source), columns, rows, foot: Vec::new() })
}

fn fields(figure: &PublishedFigure) -> Vec<String> {
    let under = [&figure.collation, &figure.charset, &figure.condition].into_iter().flatten().next();
    vec![
        figure.server.clone(),
        figure.workload.clone(),
        under.cloned().unwrap_or_default(),
        figure.threads.to_string(),
        plain(figure.value),
        figure.unit.clone(),
    ]
}
