//! Throughput by the number of connections, in the form of published studies: threads | A | B |
//! ratio.

use measure::{ConditionResult, PairKind};

use crate::format::number::{DASH, format_interval, group_thousands};
use crate::format::table::{Column, ColumnKind, Row, Table, column};
use crate::run::name::{is_statement_class, on_server, server_label, variant_name, workload_name};
use crate::run::report::Report;

/// One workload on one kind of text, with several numbers of connections.
pub(crate) struct Sweep<'a> {
    /// Name of the workload, with the kind of text if needed.
    pub(crate) workload: String,
    /// Conditions with their number of threads, in ascending order.
    conditions: Vec<(u32, &'a ConditionResult)>,
}

/// Returns a sweep per workload and text that was measured with more than one number of
/// connections.
pub(crate) fn sweeps(report: &Report) -> Vec<Sweep<'_>> {
    let run = &report.run;
    let mut sweeps: Vec<Sweep<'_>> = Vec::new();
    for result in report.analysis.conditions.iter().filter(|condition| !condition.variants.is_empty()) {
        if is_statement_class(run, result.condition) {
            continue;
        }
        let name = workload_name(run, result.condition);
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
    /// Returns variant, threads and queries per second of all measured variants except copies.
    pub(crate) fn points(&self, report: &Report) -> Vec<(usize, u32, f64)> {
        let of_condition = |(threads, condition): &(u32, &ConditionResult)| -> Vec<(usize, u32, f64)> {
            condition.variants.iter().map(|result| (result.variant, *threads, result.queries_per_s)).collect()
        };
        let all = self.conditions.iter().flat_map(of_condition);
        all.filter(|(index, _, _)| !report.run.variants[*index].copy).collect()
    }

    /// Builds the table `threads | A | B | ratio`. With more than one pair, ratios have a separate
    /// table.
    pub(crate) fn tables(&self, report: &Report) -> Vec<Table> {
        let (throughput, ratios) = (self.throughput_table(report), self.ratio_table(report));
        let Some(ratios) = ratios else { return vec![throughput] };
        if ratios.columns.len() == 2 { vec![join_tables(throughput, ratios)] } else { vec![throughput, ratios] }
    }

    /// Builds the table of queries per second: a row per number of connections.
    pub(crate) fn throughput_table(&self, report: &Report) -> Table {
        let points = self.points(report);
        let mut variants: Vec<usize> = points.iter().map(|(index, _, _)| *index).collect();
        variants.sort_unstable();
        variants.dedup();
        let run = &report.run;
        let name = |&index: &usize| column("", &(variant_name(run, index) + &on_server(run, index)), ColumnKind::Right);
        let row = |&(threads, _): &(u32, &ConditionResult)| {
            let figure = |&index: &usize| {
                let point = points.iter().find(|point| (point.0, point.1) == (index, threads));
                point.map_or_else(|| DASH.into(), |(_, _, value)| group_thousands(*value))
            };
            row(threads, variants.iter().map(figure))
        };
        let title = format!("{}, queries/s by connections", self.workload);
        Table::new(title, prepend_threads_column(variants.iter().map(name)), self.conditions.iter().map(row))
    }

    /// Builds the table of ratios. `None` without a ratio.
    fn ratio_table(&self, report: &Report) -> Option<Table> {
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
            let against =
                if kind == PairKind::Server { server_label(run, baseline).into() } else { variant_name(run, baseline) };
            column(&(variant_name(run, own) + &on_server(run, own)), &format!("× {against}"), ColumnKind::Left)
        };
        let row = |&(threads, condition): &(u32, &ConditionResult)| {
            let figure = |&(own, baseline, _): &(usize, usize, PairKind)| {
                let comparison = condition.comparisons.iter().find(|c| (c.variant, c.baseline) == (own, baseline));
                comparison.and_then(|comparison| comparison.throughput).map_or_else(|| DASH.into(), format_interval)
            };
            row(threads, pairs.iter().map(figure))
        };
        (!pairs.is_empty()).then(|| Table {
            title: format!("{}, ratios by connections", self.workload),
            columns: prepend_threads_column(pairs.iter().map(name)),
            rows: self.conditions.iter().map(row).collect(),
            footer: vec!["A ratio is taken block by block; it is not the quotient of two columns.".into()],
        })
    }
}

fn prepend_threads_column(others: impl Iterator<Item = Column>) -> Vec<Column> {
    std::iter::once(column("", "threads", ColumnKind::Right)).chain(others).collect()
}

fn row(threads: u32, figures: impl Iterator<Item = String>) -> Row {
    Row::new(std::iter::once(threads.to_string()).chain(figures).collect())
}

/// Joins two tables with the same rows.
fn join_tables(mut left: Table, right: Table) -> Table {
    left.columns.extend(right.columns.into_iter().skip(1));
    for (row, other) in left.rows.iter_mut().zip(right.rows) {
        row.fields.extend(other.fields.into_iter().skip(1));
    }
    left.footer.extend(right.footer);
    left
}
