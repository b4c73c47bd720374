//! `cargo xtask studies`: repeats the published studies on the servers that they measured, and
//! compares the ratios with the published ones.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use measure::{Analysis, Estimate, PairKind, PublishedFigure, Run};
use recipe::ClaimVerdict;

/// Studies to repeat. Only the first one published figures by collation whose ratios can be
/// compared; they must be within [`MAX_DEVIATION`].
const STUDIES: [&str; 3] = ["percona-2019", "cnblogs-2020", "order-by-2021"];

/// Largest accepted distance of a measured ratio from the published range.
const MAX_DEVIATION: f64 = 0.10;

/// Published ratios with fewer threads don't count: the repetition keeps all cores busy, as only
/// many threads did in the studies.
const MIN_THREADS: u32 = 24;

#[derive(clap::Args)]
pub struct Arguments {
    /// Studies to repeat.
    #[arg(value_name = "RECIPE", default_values = STUDIES)]
    studies: Vec<String>,
    /// Time for load per study, as `weigh run --max-time` [default: the recipe's].
    #[arg(long, value_name = "TIME")]
    max_time: Option<String>,
    /// File to write the tables to.
    #[arg(long, value_name = "FILE", default_value = "docs/results/studies.md")]
    write: PathBuf,
    /// Folder of the runs. A study with a run there is not measured again.
    #[arg(long, value_name = "DIR", default_value = "target/studies")]
    out: PathBuf,
}

/// Returns `false` if a measured ratio is too far from the published one.
pub fn run(arguments: &Arguments) -> Result<bool> {
    let mut text = HEAD.to_owned();
    let mut are_close = true;
    for study in &arguments.studies {
        let folder = arguments.out.join(study);
        if !folder.exists() {
            measure_study(study, &folder, arguments.max_time.as_deref())?;
        }
        let (run, blocks) = measure::read_run(&folder).with_context(|| format!("reading {}", folder.display()))?;
        let analysis = measure::analyse(&run, &blocks);
        let rows = compare_with_published(&run, &analysis);
        for row in rows.iter().filter(|row| row.deviation() > MAX_DEVIATION) {
            are_close = false;
            println!(
                "{study}: {} {} differs by {:.3} from the published ratio",
                row.server,
                row.collation,
                row.deviation()
            );
        }
        text += &describe_study(study, &run, &analysis, &rows)?;
    }
    fs::write(&arguments.write, text).with_context(|| format!("cannot write {}", arguments.write.display()))?;
    Ok(are_close)
}

const HEAD: &str = "# The studies on their own versions\n\n\
    Written by `cargo xtask studies`. Machines differ, so only ratios of throughput are compared.\n\
    A claim is not distinguishable if its interval, widened by the difference of identical copies,\n\
    crosses an end of its range, or is outside by no more than chance. Printed intervals are not widened.\n";

fn measure_study(study: &str, folder: &Path, max_time: Option<&str>) -> Result<()> {
    let mut command = Command::new(crate::build_weigh()?);
    command.args(["run", study, "--out"]).arg(folder);
    command.args(max_time.iter().flat_map(|time| ["--max-time", time]));
    ensure!(command.status()?.success(), "weigh run {study} failed");
    Ok(())
}

/// A measured ratio to the baseline's throughput, with the ratios that the study published for it.
#[derive(Debug, PartialEq)]
struct Row {
    server: String,
    collation: String,
    /// Lowest and highest published ratio.
    published: (f64, f64),
    measured: Estimate,
}

impl Row {
    /// Returns the distance to the published range: 0 inside it.
    fn deviation(&self) -> f64 {
        let (low, high) = self.published;
        (low - self.measured.value).max(self.measured.value - high).max(0.0)
    }
}

fn compare_with_published(run: &Run, analysis: &Analysis) -> Vec<Row> {
    let figures = run.recipe.as_ref().map(|recipe| recipe.published.as_slice()).unwrap_or_default();
    let mut rows = Vec::new();
    for condition in &analysis.conditions {
        let workload = &run.conditions[condition.condition].workload;
        for comparison in condition.comparisons.iter().filter(|one| one.kind == PairKind::Collation) {
            let (variant, baseline) = (&run.variants[comparison.variant], &run.variants[comparison.baseline]);
            let server = &run.servers[variant.server];
            let is_of_server = |figure: &PublishedFigure| is_of_series(&figure.server, &server.version);
            let of_workload: Vec<&PublishedFigure> =
                figures.iter().filter(|figure| figure.workload == *workload && is_of_server(figure)).collect();
            let published = published_range(&of_workload, &variant.collation, &baseline.collation);
            if let (Some(published), Some(measured)) = (published, comparison.throughput) {
                let (server, collation) = (format!("{} {}", server.flavour, server.version), variant.collation.clone());
                rows.push(Row { server, collation, published, measured });
            }
        }
    }
    rows
}

/// True for versions of one series: `mysql-5.7.25` and `5.7.22`.
fn is_of_series(published: &str, version: &str) -> bool {
    let series = |text: &str| text.split('.').take(2).map(str::to_owned).collect::<Vec<_>>();
    published.split_once('-').is_some_and(|(_, published)| series(published) == series(version))
}

/// Returns the lowest and the highest ratio that the study published for a collation, with
/// [`MIN_THREADS`] or more threads; `None` if it published no ratio.
fn published_range(figures: &[&PublishedFigure], collation: &str, baseline: &str) -> Option<(f64, f64)> {
    let is_named = |figure: &PublishedFigure, name: &str| {
        figure.collation.as_ref().is_some_and(|own| server::is_same_collation(own, name))
    };
    let ratio = |figure: &&PublishedFigure| {
        let base = figures.iter().find(|base| is_named(base, baseline) && base.threads == figure.threads)?;
        (base.value > 0.0).then(|| figure.value / base.value)
    };
    let own = figures.iter().filter(|figure| is_named(figure, collation) && figure.threads >= MIN_THREADS);
    let ratios: Vec<f64> = own.filter_map(ratio).collect();
    let extremes =
        ratios.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), &ratio| (low.min(ratio), high.max(ratio)));
    (!ratios.is_empty()).then_some(extremes)
}

fn describe_study(name: &str, run: &Run, analysis: &Analysis, rows: &[Row]) -> Result<String> {
    let servers: Vec<String> =
        run.servers.iter().map(|server| format!("{} {}", server.flavour, server.version)).collect();
    let mut text = format!("\n## {name}\n    weigh run {name}\n\n");
    let machine = &run.machine;
    writeln!(
        text,
        "{}; {}, {} cores, {}. Identical copies differ by at most {:.1} %.\n",
        servers.join(", "),
        machine.processor,
        machine.cores,
        &run.started.to_string()[..10],
        100.0 * analysis.conditions.iter().filter_map(|condition| condition.aa_bound).fold(0.0, f64::max)
    )?;
    if !rows.is_empty() {
        text += "| server | collation | published | measured |\n| --- | --- | --- | --- |\n";
        for Row { server, collation, published: (low, high), measured: Estimate { value, low: from, high: to } } in rows
        {
            writeln!(text, "| {server} | {collation} | {low:.3} … {high:.3} | {value:.3} ({from:.3} … {to:.3}) |")?;
        }
        text += "\n";
    }
    text += "| claim | verdict | evidence |\n| --- | --- | --- |\n";
    for claim in recipe::judge(run, analysis) {
        let verdict = match claim.verdict {
            ClaimVerdict::Confirmed => "confirmed",
            ClaimVerdict::Refuted => "refuted",
            ClaimVerdict::NotDistinguishable => "not distinguishable",
            ClaimVerdict::NotMeasured => "not measured",
        };
        let evidence = claim.evidence.split("; ").next().unwrap_or_default();
        writeln!(text, "| {} | {verdict} | {evidence} |", claim.text)?;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(collation: &str, threads: u32, value: f64) -> PublishedFigure {
        PublishedFigure {
            source: "Somebody".into(),
            server: "mysql-5.7.25".into(),
            workload: "oltp_read_only".into(),
            charset: None,
            collation: Some(collation.into()),
            condition: None,
            threads,
            value,
            unit: "transactions/s".into(),
        }
    }

    #[test]
    fn published_ratios_are_of_equal_threads() {
        let all = [("latin1_swedish_ci", 4, 10.0), ("latin1_swedish_ci", 24, 100.0), ("latin1_swedish_ci", 64, 200.0)];
        let all =
            all.into_iter().chain([("utf8mb4_bin", 4, 1.0), ("utf8mb4_bin", 24, 80.0), ("utf8mb4_bin", 64, 150.0)]);
        let all: Vec<PublishedFigure> = all.map(|(name, threads, value)| figure(name, threads, value)).collect();
        let figures: Vec<&PublishedFigure> = all.iter().collect();
        assert_eq!(published_range(&figures, "utf8mb4_bin", "latin1_swedish_ci"), Some((0.75, 0.8)));
        assert_eq!(published_range(&figures, "utf8mb4_unicode_ci", "latin1_swedish_ci"), None);
    }

    #[test]
    fn releases_of_a_series_are_compared() {
        assert!(is_of_series("mysql-5.7.25", "5.7.22") && !is_of_series("mysql-5.7.25", "8.0.12"));
        let row = |value| Row {
            server: String::new(),
            collation: String::new(),
            published: (0.6, 0.65),
            measured: Estimate { value, low: value, high: value },
        };
        assert!(row(0.62).deviation() == 0.0 && (row(0.7).deviation() - 0.05).abs() < 1e-9);
        assert!((row(0.5).deviation() - 0.1).abs() < 1e-9);
    }
}
