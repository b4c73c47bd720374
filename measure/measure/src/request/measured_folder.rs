//! A workload folder in place of built-in workloads. Its statement classes are measured together
//! (the mix), and some of them alone.
//!
//! ```text
//! folder ─▶ result diff ─▶ samples that no side rejects ─▶ the mix       ─▶ A/A and collation pairs
//!           of the sides                               └─▶ single classes ─▶ collation pairs
//! ```
//!
//! Calls that fail on one side are excluded on all sides: a call that fails early is less work.

use std::sync::Arc;
use std::time::Duration;

use result_diff::{ClassCalls, CollidingRow, ResultDiff};
use sql::Value;
use workload::{Call, Class, Parameter, SessionSetting};
use workload_folder::{Effect, Statement};

use crate::model::{ClassRecord, ExcludedCalls, WorkloadFolderRecord};

/// A workload folder as a run measures it.
#[derive(Clone, Debug)]
pub struct MeasuredFolder {
    pub folder: Arc<workload_folder::Workload>,
    /// Whether columns with an explicit collation, ascii and `_bin` ones are converted as well.
    pub convert_all: bool,
    /// The mix, then the classes measured alone.
    pub loads: Vec<ClassMix>,
    /// Description for `run.json`.
    pub record: WorkloadFolderRecord,
}

/// Statement classes that are measured together: the mix, or one class.
#[derive(Clone, Debug)]
pub struct ClassMix {
    /// Workload name of the condition: `shop`, `shop:by_mail`.
    pub name: String,
    pub classes: Arc<Vec<Class>>,
    /// Whether this is one of several classes, measured alone.
    pub is_single_class: bool,
}

/// Options for measuring a workload folder.
#[derive(Clone, Debug)]
pub struct FolderOptions {
    /// Folder as given by the user.
    pub folder: String,
    /// SHA-256 of the folder's files.
    pub digest: String,
    /// Names of the classes to measure. Empty: all.
    pub classes: Vec<String>,
    /// Maximum number of samples per class that are compared and sent.
    pub samples: usize,
    /// Maximum number of classes measured alone.
    pub single_classes: usize,
    /// Whether columns with an explicit collation, ascii and `_bin` ones are converted as well.
    pub convert_all: bool,
    pub protocol: load::Protocol,
}

/// A class with its time per call from the result diff.
struct ClassCandidate<'a> {
    statement: &'a Statement,
    class: Class,
    seconds: Option<f64>,
}

impl ClassCandidate<'_> {
    /// Time of the class in the mix, relative to other classes: weight × seconds per call. Without
    /// a timing, the weight.
    fn cost(&self) -> f64 {
        self.class.weight * self.seconds.unwrap_or(1.0)
    }
}

impl MeasuredFolder {
    /// Prepares the loads of a folder, given a result diff per measured server. Without result
    /// diffs, no call is excluded.
    pub fn new(
        folder: &Arc<workload_folder::Workload>,
        requested: &FolderOptions,
        result_diffs: Vec<ResultDiff>,
    ) -> Self {
        let name = folder.name();
        let is_asked = |one: &&Statement| requested.classes.is_empty() || requested.classes.contains(&one.name);
        let (mut candidates, mut excluded) = (Vec::new(), Vec::new());
        for statement in folder.statements.iter().filter(is_asked) {
            let called: Vec<&ClassCalls> = result_diffs
                .iter()
                .flat_map(|one| &one.class_calls)
                .filter(|called| called.class == statement.name)
                .collect();
            let compared = statement.samples.len().min(requested.samples);
            let fails = |sample: &usize| called.iter().any(|one| one.failed.contains(&(*sample as u64)));
            let good: Vec<usize> = (0..compared).filter(|sample| !fails(sample)).collect();
            excluded.extend(excluded_calls(statement, compared, good.len(), &called));
            if !good.is_empty() {
                let seconds = called.iter().map(|one| one.seconds).reduce(f64::max);
                candidates.push(ClassCandidate {
                    statement,
                    class: build_class(folder, statement, &good, requested.protocol),
                    seconds,
                });
            }
        }
        candidates.sort_by(|one, other| other.cost().total_cmp(&one.cost()));
        // Correcting ratios by the expected time of calls (`effort`) needs the times of all
        // classes.
        if candidates.iter().all(|one| one.seconds.is_some()) {
            candidates.iter_mut().for_each(|one| one.class.effort = one.seconds.unwrap_or(0.0));
        }
        // If there is only one class, the class alone is the same as the mix.
        let most = if candidates.len() > 1 { requested.single_classes } else { 0 };
        let total: f64 = candidates.iter().map(|one| one.class.weight).sum();
        let record = |(place, one): (usize, &ClassCandidate<'_>)| ClassRecord {
            name: one.statement.name.clone(),
            text: one.statement.text.clone(),
            share: one.class.weight / total,
            writes: one.class.writes,
            samples: one.class.calls.len() as u64,
            think_seconds: one.statement.header.think_seconds,
            seconds: one.seconds,
            by_itself: place < most,
        };
        let record = WorkloadFolderRecord {
            name: name.clone(),
            folder: requested.folder.clone(),
            digest: requested.digest.clone(),
            convert_all: requested.convert_all,
            classes: candidates.iter().enumerate().map(record).collect(),
            excluded,
            result_diffs,
        };
        let all = candidates.iter().map(|one| one.class.clone()).collect();
        let mix = ClassMix { name: name.clone(), classes: Arc::new(all), is_single_class: false };
        let part = |one: &ClassCandidate<'_>| ClassMix {
            name: format!("{name}:{}", one.statement.name),
            classes: Arc::new(vec![one.class.clone()]),
            is_single_class: true,
        };
        let loads = std::iter::once(mix).chain(candidates.iter().take(most).map(part)).collect();
        Self { folder: Arc::clone(folder), convert_all: requested.convert_all, loads, record }
    }

    /// Whether the result diff has been run.
    pub fn is_compared(&self) -> bool {
        !self.record.result_diffs.is_empty()
    }

    /// Rows that are on no side of any server, because they collide on one.
    pub fn left_out(&self) -> Vec<CollidingRow> {
        self.record.result_diffs.iter().flat_map(|diff| diff.left_out.iter().cloned()).collect()
    }

    /// Charset of the connections of all sides: the folder's, otherwise utf8mb4. An application
    /// keeps its connection charset when its tables are converted.
    pub fn charset(&self) -> &str {
        self.folder.manifest.session.charset.as_deref().unwrap_or("utf8mb4")
    }

    /// Returns the SET statements that each connection runs.
    pub fn session_statements(&self) -> Vec<String> {
        let session = &self.folder.manifest.session;
        let set = |name: &str, value: &Option<String>| {
            value.as_ref().map(|value| format!("SET SESSION {name} = {}", sql::quote_string(value)))
        };
        set("sql_mode", &session.sql_mode).into_iter().chain(set("time_zone", &session.time_zone)).collect()
    }

    /// Whether all that is sent can be sent in a connection charset. `None` if this client does not
    /// support the charset.
    pub(crate) fn fits(&self, charset: &str) -> Option<bool> {
        load::charset_can_encode(charset, "")?;
        let can_encode = |text: &str| load::charset_can_encode(charset, text) == Some(true);
        let classes = self.loads.first().into_iter().flat_map(|mix| mix.classes.iter());
        let all_fit = self.record.classes.iter().zip(classes).all(|(record, class)| {
            let mode = self.folder.statements.iter().find(|one| one.name == record.name).map(Statement::mode);
            let is_clear = |sql: &str| {
                let checked = workload_folder::check_encoding(sql, mode.unwrap_or_default(), charset);
                checked.is_ok() && can_encode(sql)
            };
            let value_fits = |value: &Parameter| match value {
                Parameter::Sql(sql) => is_clear(sql),
                Parameter::Text(text) => can_encode(text),
                _ => true,
            };
            class.calls.iter().all(|call| is_clear(&call.sql) && call.values.iter().all(value_fits))
        });
        Some(all_fit)
    }

    pub(crate) fn writes(&self) -> bool {
        self.record.classes.iter().any(|class| class.writes)
    }

    /// Returns notes on the load for the reader. In an open loop, pauses are not kept.
    pub(crate) fn notes(&self, is_open: bool) -> Vec<String> {
        let mut notes = Vec::new();
        if self.writes() {
            notes.push("statements that change rows are sent in transactions that are rolled back: what a commit costs is not in the figures".into());
        }
        let pausing = self.record.classes.iter().filter(|class| class.think_seconds > 0.0).count();
        let pauses =
            format!("pauses after calls (think_seconds, in {pausing} of {} classes)", self.record.classes.len());
        match (pausing, is_open) {
            (0, _) => {}
            (_, true) => notes.push(format!("{pauses} are not kept: --rate says when calls begin")),
            (_, false) => notes.push(format!(
                "{pauses} lower the throughput and hide the cost of calls: compare CPU and latency instead"
            )),
        }
        let measured = self.record.classes.iter().filter(|class| class.by_itself).count();
        if measured > 0 && measured < self.record.classes.len() {
            notes.push(format!(
                "{measured} of {} classes are measured by themselves, those that take the most of the mix; --classes says how many, and {}:CLASS which",
                self.record.classes.len(),
                self.record.folder
            ));
        }
        notes
    }
}

/// Counts the failed samples of a class. `None` if every sample succeeds.
fn excluded_calls(
    statement: &Statement,
    compared: usize,
    good: usize,
    called: &[&ClassCalls],
) -> Option<ExcludedCalls> {
    let first = called.iter().find_map(|one| one.error.as_ref());
    let reason = first.map(|own| format!("error {} under {}: {}", own.error.code, own.side, own.error.message));
    (good < compared).then(|| ExcludedCalls {
        class: statement.name.clone(),
        samples: (compared - good) as u64,
        all: good == 0,
        reason: reason.unwrap_or_default(),
    })
}

fn build_class(
    folder: &workload_folder::Workload,
    statement: &Statement,
    samples: &[usize],
    protocol: load::Protocol,
) -> Class {
    let call = |&sample: &usize| match protocol {
        load::Protocol::Text => {
            Call { sql: "?".to_owned(), values: vec![Parameter::Sql(statement.with_values(sample))] }
        }
        load::Protocol::Prepared => {
            let (sql, values) = statement.to_prepared(sample);
            Call { sql, values: values.iter().map(|value| to_parameter(value.as_ref())).collect() }
        }
    };
    let session = folder.manifest.session.sql_mode.as_ref();
    let own = statement.header.sql_mode.as_ref().filter(|own| session != Some(*own));
    let set = |mode: String| format!("SET SESSION sql_mode = {mode}");
    let back = || session.map_or_else(|| "DEFAULT".to_owned(), |mode| sql::quote_string(mode));
    Class {
        text: statement.text.split_whitespace().collect::<Vec<_>>().join(" "),
        example: statement.with_values(samples.first().copied().unwrap_or(0)),
        weight: statement.header.weight,
        writes: statement.effect == Effect::Writes,
        session_setting: own.map(|own| SessionSetting { set: set(sql::quote_string(own)), reset: set(back()) }),
        pause: Duration::from_secs_f64(statement.header.think_seconds),
        effort: 0.0,
        calls: samples.iter().map(call).collect(),
    }
}

fn to_parameter(value: Option<&Value>) -> Parameter {
    match value {
        None => Parameter::Null,
        Some(Value::Int(number)) => Parameter::Int(*number),
        Some(Value::Decimal(number)) => Parameter::Decimal(number.clone()),
        // Checked when the folder is read: Rust can parse the number.
        Some(Value::Float(number)) => number.parse().map_or(Parameter::Null, Parameter::Double),
        Some(Value::Text(text)) => Parameter::Text(text.clone()),
        Some(Value::Bytes(bytes)) => Parameter::Bytes(bytes.clone()),
        // Lists have been expanded into single parameters before.
        Some(Value::List(_)) => Parameter::Null,
    }
}
