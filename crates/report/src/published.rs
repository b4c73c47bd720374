//! What a study published beside what was measured. Machines and versions differ, so it is the ratios to the baseline that can be compared.

use measure::{ConditionResult, PairKind, PublishedFigure, Run};

use crate::content::Report;
use crate::number::{DASH, decimals, interval, plain};
use crate::table::{Column, Kind, Row, Table, column};

/// The figures that the study published; nothing where there are none.
pub(crate) fn published(report: &Report) -> Option<Table> {
    let first = report.published.first()?;
    let run = &report.run;
    let baseline = baseline(run);
    let rows = report.published.iter().map(|figure| row(report, figure, baseline));
    let mut table = Table::new(format!("Figures published by {}", first.source), columns(run), rows);
    leave_out_empty(&mut table);
    if let Some(baseline) = baseline.filter(|_| table.columns.iter().any(|column| column.head[1] == RATIO)) {
        table.foot.push(format!("{RATIO}: throughput for each unit of that of {baseline}."));
    }
    if table.columns.iter().any(|column| column.head[0] == MEASURED) {
        table.foot.push("Measured ratios are of the number of connections nearest to the study's.".into());
    }
    Some(table)
}

const MEASURED: &str = "measured";
const RATIO: &str = "ratio";

/// The collation that the run's ratios are taken against.
fn baseline(run: &Run) -> Option<&str> {
    let pair = run.pairs.iter().find(|pair| pair.kind == PairKind::Collation)?;
    Some(&run.variants[pair.baseline].collation)
}

fn columns(run: &Run) -> Vec<Column> {
    let mut columns = vec![
        column("", "server", Kind::Left),
        column("", "workload", Kind::Left),
        column("", "charset or collation", Kind::Left),
        column("", "threads", Kind::Right),
        column("", "figure", Kind::Right),
        column("", "unit", Kind::Left),
        column("published", RATIO, Kind::Right),
    ];
    columns.extend(run.servers.iter().map(|server| column(MEASURED, &format!("on {}", server.label), Kind::Left)));
    columns
}

fn row(report: &Report, figure: &PublishedFigure, baseline: Option<&str>) -> Row {
    let under = [&figure.collation, &figure.charset, &figure.condition].into_iter().flatten().next();
    let mut fields = vec![
        figure.server.clone(),
        figure.workload.clone(),
        under.cloned().unwrap_or_default(),
        figure.threads.to_string(),
        plain(figure.value),
        figure.unit.clone(),
        decimals(published_ratio(report, figure, baseline), 3),
    ];
    fields.extend((0..report.run.servers.len()).map(|server| measured_ratio(report, figure, server)));
    Row::plain(fields)
}

/// The figure for each unit of the one that the study published for the baseline, all else being equal.
fn published_ratio(report: &Report, figure: &PublishedFigure, baseline: Option<&str>) -> Option<f64> {
    let under = |other: &PublishedFigure| {
        (other.source.clone(), other.server.clone(), other.workload.clone(), other.threads, other.unit.clone())
    };
    let is_baseline =
        |other: &&PublishedFigure| other.collation.as_deref() == baseline && under(other) == under(figure);
    let base = report.published.iter().filter(|_| figure.collation.is_some()).find(is_baseline)?;
    (base.value > 0.0).then(|| figure.value / base.value)
}

/// What was measured of the same collation and workload on one of the run's servers.
fn measured_ratio(report: &Report, figure: &PublishedFigure, server: usize) -> String {
    let run = &report.run;
    let conditions = report
        .analysis
        .conditions
        .iter()
        .filter(|condition| run.conditions[condition.condition].workload == figure.workload);
    let ratios = conditions.filter_map(|condition| {
        Some((run.conditions[condition.condition].threads, ratio_in(run, condition, figure, server)?))
    });
    let nearest = ratios.min_by_key(|(threads, _)| threads.abs_diff(figure.threads));
    nearest.map_or_else(|| DASH.into(), |(_, ratio)| ratio)
}

fn ratio_in(run: &Run, condition: &ConditionResult, figure: &PublishedFigure, server: usize) -> Option<String> {
    let is_meant = |index: usize| {
        let variant = &run.variants[index];
        variant.server == server && figure.collation.as_ref() == Some(&variant.collation) && !variant.copy
    };
    let collations = || condition.comparisons.iter().filter(|comparison| comparison.kind == PairKind::Collation);
    if collations().any(|comparison| is_meant(comparison.baseline)) {
        return Some("1".into());
    }
    collations().find(|comparison| is_meant(comparison.variant))?.throughput.map(interval)
}

/// Takes out the columns of ratios in which nothing stands.
fn leave_out_empty(table: &mut Table) {
    for index in (0..table.columns.len()).rev() {
        if table.rows.iter().all(|row| row.fields[index] == DASH) {
            table.columns.remove(index);
            table.rows.iter_mut().for_each(|row| drop(row.fields.remove(index)));
        }
    }
}
