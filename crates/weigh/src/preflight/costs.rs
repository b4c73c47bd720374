//! What the conversions cost at run time, from results of `weigh bench`.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::{Context, Result};
use measure::{Analysis, Run};
use preflight::{Cost, Report};

/// Results of a `weigh bench`.
pub struct Measured {
    folder: PathBuf,
    run: Run,
    analysis: Analysis,
}

/// Reads results, before anything else is done.
pub fn read(folders: &[PathBuf]) -> Result<Vec<Measured>> {
    let of = |folder: &PathBuf| {
        let (run, blocks) = measure::read(folder)
            .with_context(|| format!("--costs {}: no results of weigh bench", folder.display()))?;
        let analysis = measure::analyse(&run, &blocks);
        Ok(Measured { folder: folder.clone(), run, analysis })
    };
    folders.iter().map(of).collect()
}

/// Adds to a report what results say of its conversions, and a note on those that none of them measured.
pub fn add(measured: &[Measured], report: &mut Report) {
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
        let found: Vec<Cost> = measured.iter().flat_map(|results| results.costs(from, to)).collect();
        if found.is_empty() {
            report.notes.push(format!(
                "--costs: none of these results has measured {to} against {from} (weigh bench --collation {from},{to} --baseline {from})"
            ));
        }
        report.costs.extend(found);
    }
}

impl Measured {
    /// The ratio of two collations in each condition, on each server.
    fn costs<'r>(&'r self, from: &'r str, to: &'r str) -> impl Iterator<Item = Cost> + 'r {
        let run = &self.run;
        let of = |name: &'r str| {
            let named = move |(_, variant): &(usize, &measure::Variant)| {
                variant.collation == name && variant.connection_charset == variant.charset && !variant.copy
            };
            run.variants.iter().enumerate().filter(named).map(|(at, _)| at)
        };
        self.analysis.conditions.iter().flat_map(move |condition| {
            let pairs = of(to).flat_map(move |variant| of(from).map(move |against| (variant, against)));
            let is_of_one_server = |&(variant, against): &(usize, usize)| {
                let (variant, against) = (&run.variants[variant], &run.variants[against]);
                (variant.server, &variant.text) == (against.server, &against.text)
            };
            pairs.filter(is_of_one_server).filter_map(|(variant, against)| {
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
