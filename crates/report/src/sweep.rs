//! Throughput by the number of connections, in the shape in which studies print it: threads | A | B | ratio.

use measure::{ConditionResult, PairKind};

use crate::content::Report;
use crate::name::{is_class, on_server, server, variant, workload};
use crate::number::{DASH, grouped, interval};
use crate::table::{Column, Kind, Row, Table, column};

/// One workload on one text, under several numbers of connections.
pub(crate) struct Sweep<'a> {
    /// The workload, with the text where a reader might take it for another.
    pub(crate) workload: String,
    /// Its conditions by their threads, in rising order.
    conditions: Vec<(u32, &'a ConditionResult)>,
}

/// The sweeps of a run: one for each workload and text that was measured under more than one number of connections.
pub(crate) fn sweeps(report: &Report) -> Vec<Sweep<'_>> {
    let run = &report.run;
    let mut sweeps: Vec<Sweep<'_>> = Vec::new();
    for result in report.analysis.conditions.iter().filter(|condition| !condition.variants.is_empty()) {
        if is_class(run, result.condition) {
            continue;
        }
        let name = workload(run, result.condition);
        let condition = (run.conditions[result.condition].threads, result);
        match sweeps.iter_mut().find(|sweep| sweep.workload == name) {
            Some(sweep) => sweep.conditions.push(condition),
            None => sweeps.push(Sweep { workload: name, conditions: vec![condition] }),
        }
    }
    sweeps.retain(|sweep| sweep.conditions.len() > 1);
    sweeps.iter_mut().for_each(|sweep| sweep.conditions.sort_by_key(|(threads, _)| *threads));
    sweeps
}

impl Sweep<'_> {
    /// Variant, threads and queries a second of all that was measured; copies are left out.
    pub(crate) fn points(&self, report: &Report) -> Vec<(usize, u32, f64)> {
        let of_condition = |(threads, condition): &(u32, &ConditionResult)| -> Vec<(usize, u32, f64)> {
            condition.variants.iter().map(|result| (result.variant, *threads, result.queries_per_s)).collect()
        };
        let all = self.conditions.iter().flat_map(of_condition);
        all.filter(|(index, _, _)| !report.run.variants[*index].copy).collect()
    }

    /// `threads | A | B | ratio`; with more than one pair, the ratios have a table of their own.
    pub(crate) fn tables(&self, report: &Report) -> Vec<Table> {
        let (throughput, ratios) = (self.throughput(report), self.ratios(report));
        let Some(ratios) = ratios else { return vec![throughput] };
        if ratios.columns.len() == 2 { vec![beside(throughput, ratios)] } else { vec![throughput, ratios] }
    }

    /// Queries a second, a row a number of connections.
    pub(crate) fn throughput(&self, report: &Report) -> Table {
        let points = self.points(report);
        let mut variants: Vec<usize> = points.iter().map(|(index, _, _)| *index).collect();
        variants.sort_unstable();
        variants.dedup();
        let run = &report.run;
        let name = |&index: &usize| column("", &(variant(run, index) + &on_server(run, index)), Kind::Right);
        let row = |&(threads, _): &(u32, &ConditionResult)| {
            let figure = |&index: &usize| {
                let point = points.iter().find(|point| (point.0, point.1) == (index, threads));
                point.map_or_else(|| DASH.into(), |(_, _, value)| grouped(*value))
            };
            row(threads, variants.iter().map(figure))
        };
        let title = format!("{}, queries/s by connections", self.workload);
        Table::new(title, with_threads(variants.iter().map(name)), self.conditions.iter().map(row))
    }

    /// The ratios of all pairs, where there are any.
    fn ratios(&self, report: &Report) -> Option<Table> {
        let run = &report.run;
        let all =
            self.conditions.iter().flat_map(|(_, condition)| &condition.comparisons).filter(|c| c.kind != PairKind::AA);
        let mut pairs: Vec<(usize, usize, PairKind)> = Vec::new();
        for comparison in all.filter(|comparison| comparison.throughput.is_some()) {
            let pair = (comparison.variant, comparison.baseline, comparison.kind);
            if !pairs.contains(&pair) {
                pairs.push(pair);
            }
        }
        let name = |&(own, baseline, kind): &(usize, usize, PairKind)| {
            let against = if kind == PairKind::Server { server(run, baseline).into() } else { variant(run, baseline) };
            column(&(variant(run, own) + &on_server(run, own)), &format!("× {against}"), Kind::Left)
        };
        let row = |&(threads, condition): &(u32, &ConditionResult)| {
            let figure = |&(own, baseline, _): &(usize, usize, PairKind)| {
                let comparison = condition.comparisons.iter().find(|c| (c.variant, c.baseline) == (own, baseline));
                comparison.and_then(|comparison| comparison.throughput).map_or_else(|| DASH.into(), interval)
            };
            row(threads, pairs.iter().map(figure))
        };
        (!pairs.is_empty()).then(|| Table {
            title: format!("{}, ratios by connections", self.workload),
            columns: with_threads(pairs.iter().map(name)),
            rows: self.conditions.iter().map(row).collect(),
            foot: vec!["A ratio is taken block by block; it is not the quotient of two columns.".into()],
        })
    }
}

fn with_threads(others: impl Iterator<Item = Column>) -> Vec<Column> {
    std::iter::once(column("", "threads", Kind::Right)).chain(others).collect()
}

fn row(threads: u32, figures: impl Iterator<Item = String>) -> Row {
    Row::plain(std::iter::once(threads.to_string()).chain(figures).collect())
}

/// Two tables of the same rows as one.
fn beside(mut left: Table, right: Table) -> Table {
    left.columns.extend(right.columns.into_iter().skip(1));
    for (row, other) in left.rows.iter_mut().zip(right.rows) {
        row.fields.extend(other.fields.into_iter().skip(1));
    }
    left.foot.extend(right.foot);
    left
}
