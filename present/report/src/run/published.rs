//! Figures of a study and the measured ratios. Machines and versions differ, so only ratios to the
//! baseline are comparable.

use measure::{ConditionResult, Estimate, PairKind, PublishedFigure, Run};

use crate::format::number::{DASH, format_decimals, format_exact, format_interval};
use crate::format::table::{Column, ColumnKind, Row, Table, column};
use crate::run::report::Report;

/// Builds the table of published figures. `None` if the recipe has none.
pub(crate) fn published(report: &Report) -> Option<Table> {
    let first = report.published.first()?;
    let run = &report.run;
    let baseline = baseline(run);
    let rows = report.published.iter().map(|figure| row(report, figure, baseline));
    let mut table = Table::new(format!("Figures published by {}", first.source), columns(run), rows);
    remove_empty_columns(&mut table);
    if let Some(baseline) = baseline.filter(|_| table.columns.iter().any(|column| column.head[1] == RATIO)) {
        table.footer.push(format!("{RATIO}: throughput for each unit of that of {baseline}."));
    }
    if table.columns.iter().any(|column| column.head[0] == MEASURED) {
        table.footer.push("Measured ratios are of the number of connections nearest to the study's.".into());
    }
    Some(table)
}

const MEASURED: &str = "measured";
const RATIO: &str = "ratio";

/// Returns the collation that the run's ratios are taken against.
fn baseline(run: &Run) -> Option<&str> {
    let pair = run.pairs.iter().find(|pair| pair.kind == PairKind::Collation)?;
    Some(&run.variants[pair.baseline].collation)
}

fn columns(run: &Run) -> Vec<Column> {
    let mut columns = vec![
        column("", "server", ColumnKind::Left),
        column("", "workload", ColumnKind::Left),
        column("", "charset or collation", ColumnKind::Left),
        column("", "threads", ColumnKind::Right),
        column("", "figure", ColumnKind::Right),
        column("", "unit", ColumnKind::Left),
        column("published", RATIO, ColumnKind::Right),
    ];
    columns
        .extend(run.servers.iter().map(|server| column(MEASURED, &format!("on {}", server.label), ColumnKind::Left)));
    columns
}

fn row(report: &Report, figure: &PublishedFigure, baseline: Option<&str>) -> Row {
    let under = [&figure.collation, &figure.charset, &figure.condition].into_iter().flatten().next();
    let mut fields = vec![
        figure.server.clone(),
        figure.workload.clone(),
        under.cloned().unwrap_or_default(),
        figure.threads.to_string(),
        format_exact(figure.value),
        figure.unit.clone(),
        format_decimals(published_ratio(report, figure, baseline), 3),
    ];
    fields.extend((0..report.run.servers.len()).map(|server| measured_ratio(report, figure, server)));
    Row::new(fields)
}

/// Returns the figure divided by the study's figure for the baseline under the same server,
/// workload, threads and unit.
fn published_ratio(report: &Report, figure: &PublishedFigure, baseline: Option<&str>) -> Option<f64> {
    let under = |other: &PublishedFigure| {
        (other.source.clone(), other.server.clone(), other.workload.clone(), other.threads, other.unit.clone())
    };
    let is_baseline =
        |other: &&PublishedFigure| other.collation.as_deref() == baseline && under(other) == under(figure);
    let base = report.published.iter().filter(|_| figure.collation.is_some()).find(is_baseline)?;
    (base.value > 0.0).then(|| figure.value / base.value)
}

/// Returns the measured ratio of the same collation and workload on a server, at the nearest number
/// of threads: `1` for the baseline.
fn measured_ratio(report: &Report, figure: &PublishedFigure, server: usize) -> String {
    match nearest_ratio(report, figure, server) {
        Some((_, Ratio::OfBaseline)) => "1".into(),
        Some((_, Ratio::Measured(ratio))) => format_interval(ratio),
        None => DASH.into(),
    }
}

enum Ratio {
    /// The collation is the baseline.
    OfBaseline,
    Measured(Estimate),
}

/// Returns the number of threads that is nearest to the study's, and the ratio under it.
fn nearest_ratio(report: &Report, figure: &PublishedFigure, server: usize) -> Option<(u32, Ratio)> {
    let run = &report.run;
    let conditions = report
        .analysis
        .conditions
        .iter()
        .filter(|condition| run.conditions[condition.condition].workload == figure.workload);
    let ratios = conditions.filter_map(|condition| {
        Some((run.conditions[condition.condition].threads, ratio_in_condition(run, condition, figure, server)?))
    });
    ratios.min_by_key(|(threads, _)| threads.abs_diff(figure.threads))
}

fn ratio_in_condition(
    run: &Run,
    condition: &ConditionResult,
    figure: &PublishedFigure,
    server: usize,
) -> Option<Ratio> {
    let is_figures_variant = |index: usize| {
        let variant = &run.variants[index];
        variant.server == server && figure.collation.as_ref() == Some(&variant.collation) && !variant.copy
    };
    let collations = || condition.comparisons.iter().filter(|comparison| comparison.kind == PairKind::Collation);
    if collations().any(|comparison| is_figures_variant(comparison.baseline)) {
        return Some(Ratio::OfBaseline);
    }
    collations().find(|comparison| is_figures_variant(comparison.variant))?.throughput.map(Ratio::Measured)
}

/// A published ratio, and the ratio measured here on a server of the same series.
pub(crate) struct Pair {
    pub name: String,
    pub published: f64,
    pub measured: Estimate,
}

/// Returns the published ratios that were measured too, each at the number of connections nearest
/// to the measured one.
pub(crate) fn pairs(report: &Report) -> Vec<Pair> {
    let baseline = baseline(&report.run);
    let mut pairs: Vec<(u32, Pair)> = Vec::new();
    for figure in &report.published {
        let Some(published) = published_ratio(report, figure, baseline) else { continue };
        let Some(server) = server_of_series(&report.run, &figure.server) else { continue };
        let Some((threads, Ratio::Measured(measured))) = nearest_ratio(report, figure, server) else { continue };
        let under = figure.collation.as_deref().unwrap_or_default();
        let name = format!("{under}, {} {}", figure.server, figure.workload);
        let distance = threads.abs_diff(figure.threads);
        match pairs.iter_mut().find(|(_, pair)| pair.name == name) {
            Some(known) if known.0 > distance => *known = (distance, Pair { name, published, measured }),
            Some(_) => {}
            None => pairs.push((distance, Pair { name, published, measured })),
        }
    }
    pairs.into_iter().map(|(_, pair)| pair).collect()
}

/// Returns the measured server of the series of a study's server: MySQL 5.7.22 for `mysql-5.7.25`.
fn server_of_series(run: &Run, studied: &str) -> Option<usize> {
    let (name, version) = studied.split_once('-')?;
    let series = |version: &str| version.split('.').take(2).map(str::to_owned).collect::<Vec<_>>();
    let is_of_series = |server: &measure::ServerInfo| {
        server.flavour.to_string().eq_ignore_ascii_case(name) && series(&server.version) == series(version)
    };
    run.servers.iter().position(is_of_series)
}

/// Removes columns that have a dash in all rows.
fn remove_empty_columns(table: &mut Table) {
    for index in (0..table.columns.len()).rev() {
        if table.rows.iter().all(|row| row.fields[index] == DASH) {
            table.columns.remove(index);
            table.rows.iter_mut().for_each(|row| drop(row.fields.remove(index)));
        }
    }
}
