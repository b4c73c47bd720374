//! The command that shows where the CPU of a run's costliest collation goes.

use measure::{Comparison, Condition, Driver, PairKind, Variant, Verdict};
use report::Report;
use server::Spec;
use workload::Text;

use super::{Bench, Opening};
use crate::argv::quote_for_shell;
use crate::commands::profile::DEFAULT_TABLE_SIZE;

/// Returns `weigh profile` with the arguments of the pair that costs most. `None` if no collation
/// takes more CPU, for a server that only connection options name, and with sysbench or
/// `--buffer-pool`, which `weigh profile` lacks.
pub fn profile_command(bench: &Bench, openings: &[Opening], report: &Report) -> Option<String> {
    let request = &bench.request;
    if request.driver != Driver::Native || request.buffer_pool.is_some() {
        return None;
    }
    let run = &report.run;
    let (condition, costliest) = find_costliest(report)?;
    let variant = run.variants.get(costliest.variant)?;
    let opening = openings.get(variant.server)?;
    let mut words = vec!["weigh".to_owned(), "profile".to_owned()];
    words.extend(server_words(opening)?);
    words.extend(workload_words(bench, condition));
    words.extend(["--collation".to_owned(), variant.collation.clone()]);
    words.extend(["--against".to_owned(), run.variants.get(costliest.baseline)?.collation.clone()]);
    words.extend(load_words(bench, condition, variant));
    Some(words.iter().map(|word| quote_for_shell(word)).collect::<Vec<_>>().join(" "))
}

fn find_costliest(report: &Report) -> Option<(&Condition, &Comparison)> {
    let conditions = report.run.conditions.iter().zip(&report.analysis.conditions);
    let all = conditions.flat_map(|(condition, result)| result.comparisons.iter().map(move |one| (condition, one)));
    let ratio = |one: &Comparison| one.server_cpu.map_or(0.0, |cpu| cpu.value);
    all.filter(|(_, one)| one.kind == PairKind::Collation && one.cpu_verdict == Verdict::More)
        .max_by(|(_, one), (_, other)| ratio(one).total_cmp(&ratio(other)))
}

/// Returns `--server SPEC`, which the machine's own server program doesn't need, and the settings.
/// `None` for a server that only connection options name.
fn server_words(opening: &Opening) -> Option<Vec<String>> {
    if matches!(&opening.spec, Spec::Attach(options) if **options == server::ClientOptions::default()) {
        return None;
    }
    let settings = opening.options.settings.iter();
    let settings = settings.flat_map(|setting| ["--set".to_owned(), setting.to_string()]);
    let named = (opening.spec != Spec::default()).then(|| ["--server".to_owned(), opening.spec.to_string()]);
    Some(named.into_iter().flatten().chain(settings).collect())
}

fn workload_words(bench: &Bench, condition: &Condition) -> [String; 2] {
    let workload = match &bench.folder {
        Some(folder) => match condition.workload.split_once(':') {
            Some((_, class)) => format!("{}:{class}", folder.path()),
            None => folder.path().to_owned(),
        },
        None => condition.workload.clone(),
    };
    ["--workload".to_owned(), workload]
}

/// Returns the options of the load that differ from the defaults of `weigh profile`, but not the
/// number of tables, the distribution of rows and the seed.
fn load_words(bench: &Bench, condition: &Condition, variant: &Variant) -> Vec<String> {
    let (request, default) = (&bench.request, workload::Options::default());
    let mut words = Vec::new();
    let mut add = |is_other: bool, option: &str, value: String| {
        if is_other {
            words.extend([option.to_owned(), value]);
        }
    };
    let is_generated = bench.folder.is_none();
    add(condition.threads != measure::default_connections(false), "--threads", condition.threads.to_string());
    add(is_generated && condition.text != Text::default().name(), "--text", condition.text.clone());
    let rows = &request.rows;
    add(is_generated && rows.table_size != DEFAULT_TABLE_SIZE, "--table-size", rows.table_size.to_string());
    add(is_generated && rows.range_size != default.range_size, "--range-size", rows.range_size.to_string());
    add(
        variant.connection_charset != variant.charset && is_generated,
        "--connection-charset",
        variant.connection_charset.clone(),
    );
    add(is_generated && request.protocol == load::Protocol::Text, "--protocol", "text".to_owned());
    if is_generated && rows.skip_trx {
        words.push("--skip-trx".to_owned());
    }
    words.extend(bench.folder.iter().flat_map(|folder| folder.words()));
    words
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::resolve::tests::bench as resolve;
    use super::*;

    fn bench(words: &[&str]) -> Bench {
        resolve(words).unwrap()
    }

    fn report() -> Report {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../present/report/tests/fixtures/one_server");
        let (run, blocks) = measure::read_run(&folder).unwrap();
        let analysis = measure::analyse(&run, &blocks);
        Report::new(run, analysis)
    }

    fn opening(spec: &str) -> Opening {
        Opening { spec: spec.parse().unwrap(), options: server::Options::default(), label_suffix: None }
    }

    #[test]
    fn command_has_the_arguments_of_the_costliest_pair() {
        let report = report();
        let (condition, costliest) = find_costliest(&report).unwrap();
        let collation = &report.run.variants[costliest.variant].collation;
        let command = profile_command(&bench(&["--quick"]), &[opening("mysql@5.6")], &report).unwrap();
        let words = format!("--workload {} --collation {collation} --against latin1_swedish_ci", condition.workload);
        assert!(command.starts_with(&format!("weigh profile --server mysql@5.6 {words}")), "{command}");
        let sized = profile_command(&bench(&["--skip-trx"]), &[opening("mysql@5.6")], &report).unwrap();
        assert!(sized.contains(" --table-size 100000") && sized.ends_with(" --skip-trx"), "{sized}");
        let attached = opening("mysql://me:secret@db.example");
        let attached = profile_command(&bench(&["--quick"]), &[attached], &report).unwrap();
        assert!(attached.contains(" mysql://me@db.example ") && !attached.contains("secret"), "{attached}");
        let host = Opening { spec: Spec::default(), ..opening("mysql") };
        let host = profile_command(&bench(&["--quick"]), &[host], &report).unwrap();
        assert!(host.starts_with("weigh profile --workload "), "{host}");
        let options_only = Opening { spec: Spec::Attach(Box::default()), ..opening("mysql") };
        assert_eq!(profile_command(&bench(&[]), &[options_only], &report), None);
    }
}
