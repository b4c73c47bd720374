//! `--costs`: run-time costs of conversions, from results of `weigh bench`.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::{Result, anyhow};
use escape::Command;
use measure::{Analysis, Run};
use preflight::{Cost, Report};

pub struct BenchResults {
    folder: PathBuf,
    run: Run,
    analysis: Analysis,
}

pub fn read(folders: &[PathBuf]) -> Result<Vec<BenchResults>> {
    let read_folder = |folder: &PathBuf| {
        let (run, blocks) = measure::read_run(folder)
            .map_err(|error| anyhow!("--costs {}: no results of weigh bench: {error}", folder.display()))?;
        let analysis = measure::analyse(&run, &blocks);
        Ok(BenchResults { folder: folder.clone(), run, analysis })
    };
    folders.iter().map(read_folder).collect()
}

/// Adds the measured ratio of each conversion to the report, and a note for each conversion without
/// one.
pub fn add(measured: &[BenchResults], report: &mut Report) {
    if measured.is_empty() {
        return;
    }
    let conversions: BTreeSet<(String, String)> = report
        .tables
        .iter()
        .flat_map(|table| &table.converted)
        .map(|change| (change.from.clone(), change.to.clone()))
        .collect();
    for (from, to) in &conversions {
        let costs: Vec<Cost> = measured.iter().flat_map(|results| results.costs(from, to)).collect();
        if costs.is_empty() {
            let both = format!("{from},{to}");
            let command = Command::new("weigh bench").option("collation", &both).option("baseline", from);
            report.notes.push(format!("--costs: no results measured {to} against {from} ({command})"));
        }
        report.costs.extend(costs);
    }
}

impl BenchResults {
    /// Returns the ratio of `to` to `from` for each condition, server and text. Variants whose
    /// connection charset differs from the collation's are left out.
    fn costs<'r>(&'r self, from: &'r str, to: &'r str) -> impl Iterator<Item = Cost> + 'r {
        let run = &self.run;
        let variants = |name: &'r str| {
            let named = move |(_, variant): &(usize, &measure::Variant)| {
                server::is_same_collation(&variant.collation, name)
                    && variant.connection_charset == variant.charset
                    && !variant.copy
            };
            run.variants.iter().enumerate().filter(named).map(|(at, _)| at)
        };
        self.analysis.conditions.iter().flat_map(move |condition| {
            let pairs = variants(to).flat_map(move |variant| variants(from).map(move |against| (variant, against)));
            let is_same_server = |&(variant, against): &(usize, usize)| {
                let (variant, against) = (&run.variants[variant], &run.variants[against]);
                (variant.server, &variant.text) == (against.server, &against.text)
            };
            pairs.filter(is_same_server).filter_map(|(variant, against)| {
                let ratio = recipe::ratio_between(condition, variant, against)?;
                Some(Cost {
                    from: from.to_owned(),
                    to: to.to_owned(),
                    workload: run.conditions[condition.condition].to_string(),
                    server: run.servers[run.variants[variant].server].label.clone(),
                    throughput: ratio.estimate.value,
                    low: ratio.estimate.low,
                    high: ratio.estimate.high,
                    aa_bound: ratio.aa_bound,
                    results: self.folder.display().to_string(),
                })
            })
        })
    }
}
