//! A workload's folder in place of the built-in workloads: the mix of its classes, and classes by themselves.
//!
//! ```text
//! folder ─▶ comparison: what differs, what fails ─▶ samples that every side answers ─▶ the mix ─▶ A/A and collation pairs
//!                                                                                  └─▶ a class ─▶ collation pairs
//! ```
//!
//! What fails on a side is left out on all: a load that ends early on one side would be another load.

use std::sync::Arc;
use std::time::Duration;

use parity::{Called, Parity};
use replay::{Effect, Statement};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sql::Value;
use workload::{Call, Class, Parameter};

use crate::model::is_zero;

/// A workload's folder as a run measures it.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The folder.
    pub folder: Arc<replay::Workload>,
    /// Whether columns with a collation of their own are converted as well.
    pub convert_all: bool,
    /// The mix, then the classes that are measured by themselves.
    pub loads: Vec<RecordedLoad>,
    /// What the run writes down of it.
    pub record: RecordingRecord,
}

/// Some classes under load.
#[derive(Clone, Debug)]
pub struct RecordedLoad {
    /// The condition's workload: `shop`, `shop:by_mail`.
    pub name: String,
    /// The classes.
    pub classes: Arc<Vec<Class>>,
    /// Whether it is one class of several by itself.
    pub is_part: bool,
}

/// What a run records of the workload's folder that it measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecordingRecord {
    /// The workload's name, which is that of the mix's conditions; a class by itself is `NAME:CLASS`.
    pub name: String,
    /// The folder, as it was named.
    pub folder: String,
    /// SHA-256 of its files, by which a run that is resumed knows that they are the same.
    #[serde(default)]
    pub digest: String,
    /// Whether columns with a collation of their own were converted as well.
    pub convert_all: bool,
    /// Classes under load; where calls were timed, those first that take the most of the mix.
    pub classes: Vec<ClassRecord>,
    /// What was left out of the load, on all sides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// What differs between the sides, by server, found out before the load.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parity: Vec<Parity>,
}

/// A class under load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClassRecord {
    /// Its name.
    pub name: String,
    /// Its text.
    pub text: String,
    /// Its share of the mix's calls, as a fraction.
    pub share: f64,
    /// Whether it changes rows.
    pub writes: bool,
    /// Samples of values that are sent.
    pub samples: u64,
    /// How long a connection pauses after a call of it, in seconds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub think_seconds: f64,
    /// What a call took in the comparison before the load, in seconds, on the control.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Whether it is measured by itself, too.
    pub by_itself: bool,
}

/// Calls that are not under load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    /// The class.
    pub class: String,
    /// How many of its samples.
    pub samples: u64,
    /// Whether that is all of them.
    pub all: bool,
    /// Why: the side, and the server's error.
    pub reason: String,
}

/// What is asked of a folder.
#[derive(Clone, Debug)]
pub struct Selection {
    /// The folder, as it was named.
    pub named: String,
    /// SHA-256 of its files.
    pub digest: String,
    /// Names of classes; all where empty.
    pub classes: Vec<String>,
    /// The most samples of a class that are compared and sent.
    pub samples: usize,
    /// The most classes that are measured by themselves.
    pub by_themselves: usize,
    /// Whether columns with a collation of their own are converted as well.
    pub convert_all: bool,
    /// How statements travel.
    pub protocol: drive::Protocol,
}

/// A class with what the comparison told of it.
struct Candidate<'a> {
    statement: &'a Statement,
    class: Class,
    seconds: Option<f64>,
}

impl Candidate<'_> {
    /// Its part of the time that all calls take, where that is known; else of the calls.
    fn cost(&self) -> f64 {
        self.class.weight * self.seconds.unwrap_or(1.0)
    }
}

impl Recording {
    /// The load of a folder after it was compared on these servers. Without a comparison, nothing is known to fail.
    pub fn new(folder: &Arc<replay::Workload>, asked: &Selection, parity: Vec<Parity>) -> Self {
        let name = folder.name();
        let is_asked = |one: &&Statement| asked.classes.is_empty() || asked.classes.contains(&one.name);
        let (mut candidates, mut left_out) = (Vec::new(), Vec::new());
        for statement in folder.statements.iter().filter(is_asked) {
            let called: Vec<&Called> =
                parity.iter().flat_map(|one| &one.called).filter(|called| called.class == statement.name).collect();
            let compared = statement.samples.len().min(asked.samples);
            let fails = |sample: &usize| called.iter().any(|one| one.failed.contains(&(*sample as u64)));
            let good: Vec<usize> = (0..compared).filter(|sample| !fails(sample)).collect();
            left_out.extend(not_sent(statement, compared, good.len(), &called));
            if !good.is_empty() {
                let seconds = called.iter().map(|one| one.seconds).reduce(f64::max);
                candidates.push(Candidate {
                    statement,
                    class: class(folder, statement, &good, asked.protocol),
                    seconds,
                });
            }
        }
        candidates.sort_by(|one, other| other.cost().total_cmp(&one.cost()));
        // Of no use where one is not known.
        if candidates.iter().all(|one| one.seconds.is_some()) {
            candidates.iter_mut().for_each(|one| one.class.effort = one.seconds.unwrap_or(0.0));
        }
        // One alone is the mix.
        let most = if candidates.len() > 1 { asked.by_themselves } else { 0 };
        let total: f64 = candidates.iter().map(|one| one.class.weight).sum();
        let record = |(place, one): (usize, &Candidate<'_>)| ClassRecord {
            name: one.statement.name.clone(),
            text: one.statement.text.clone(),
            share: one.class.weight / total,
            writes: one.class.writes,
            samples: one.class.calls.len() as u64,
            think_seconds: one.statement.head.think_seconds,
            seconds: one.seconds,
            by_itself: place < most,
        };
        let record = RecordingRecord {
            name: name.clone(),
            folder: asked.named.clone(),
            digest: asked.digest.clone(),
            convert_all: asked.convert_all,
            classes: candidates.iter().enumerate().map(record).collect(),
            left_out,
            parity,
        };
        let all = candidates.iter().map(|one| one.class.clone()).collect();
        let mix = RecordedLoad { name: name.clone(), classes: Arc::new(all), is_part: false };
        let part = |one: &Candidate<'_>| RecordedLoad {
            name: format!("{name}:{}", one.statement.name),
            classes: Arc::new(vec![one.class.clone()]),
            is_part: true,
        };
        let loads = std::iter::once(mix).chain(candidates.iter().take(most).map(part)).collect();
        Self { folder: Arc::clone(folder), convert_all: asked.convert_all, loads, record }
    }

    /// Whether it is known how the servers answer.
    pub fn is_compared(&self) -> bool {
        !self.record.parity.is_empty()
    }

    /// Character set of the connections: the folder's, else utf8mb4, whatever collation a side has, as an application's connections stay what
    /// they are when its tables are converted.
    pub(crate) fn charset(&self) -> &str {
        self.folder.manifest.session.charset.as_deref().unwrap_or("utf8mb4")
    }

    /// What each connection sets, as statements.
    pub(crate) fn session(&self) -> Vec<String> {
        let session = &self.folder.manifest.session;
        let set = |name: &str, value: &Option<String>| {
            value.as_ref().map(|value| format!("SET SESSION {name} = {}", sql::string(value)))
        };
        set("sql_mode", &session.sql_mode).into_iter().chain(set("time_zone", &session.time_zone)).collect()
    }

    /// All text that is sent, to see what a connection's charset must hold.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for class in self.loads.first().into_iter().flat_map(|mix| mix.classes.iter()) {
            for call in &class.calls {
                text += &call.sql;
                for value in &call.values {
                    if let Parameter::Text(own) | Parameter::Sql(own) = value {
                        text += own;
                    }
                }
            }
        }
        text
    }

    /// Whether a class changes rows.
    pub(crate) fn writes(&self) -> bool {
        self.record.classes.iter().any(|class| class.writes)
    }

    /// What a reader must know of the load; in an open loop, calls begin when they are due.
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
            (_, false) => notes
                .push(format!("{pauses} are in the throughput, which hides what calls cost: CPU and latency tell it")),
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

impl RecordingRecord {
    /// The class that a condition measures by itself; `None` of the mix.
    pub fn class_of(&self, workload: &str) -> Option<&ClassRecord> {
        let class = workload.strip_prefix(&self.name)?.strip_prefix(':')?;
        self.classes.iter().find(|one| one.name == class)
    }
}

/// What of a class is not sent as it fails.
fn not_sent(statement: &Statement, compared: usize, good: usize, called: &[&Called]) -> Option<LeftOut> {
    let first = called.iter().find_map(|one| one.error.as_ref());
    let reason = first.map(|own| format!("error {} under {}: {}", own.error.code, own.side, own.error.message));
    (good < compared).then(|| LeftOut {
        class: statement.name.clone(),
        samples: (compared - good) as u64,
        all: good == 0,
        reason: reason.unwrap_or_default(),
    })
}

fn class(folder: &replay::Workload, statement: &Statement, samples: &[usize], protocol: drive::Protocol) -> Class {
    let call = |&sample: &usize| match protocol {
        drive::Protocol::Text => {
            Call { sql: "?".to_owned(), values: vec![Parameter::Sql(statement.with_values(sample))] }
        }
        drive::Protocol::Prepared => {
            let (sql, values) = statement.prepared(sample);
            Call { sql, values: values.iter().map(|value| parameter(value.as_ref())).collect() }
        }
    };
    let session = folder.manifest.session.sql_mode.as_ref();
    let own = statement.head.sql_mode.as_ref().filter(|own| session != Some(*own));
    let set = |mode: String| format!("SET SESSION sql_mode = {mode}");
    let back = || session.map_or_else(|| "DEFAULT".to_owned(), |mode| sql::string(mode));
    Class {
        text: statement.text.split_whitespace().collect::<Vec<_>>().join(" "),
        example: statement.with_values(samples.first().copied().unwrap_or(0)),
        weight: statement.head.weight,
        writes: statement.effect == Effect::Writes,
        around: own.map(|own| [set(sql::string(own)), set(back())]),
        pause: Duration::from_secs_f64(statement.head.think_seconds),
        effort: 0.0,
        calls: samples.iter().map(call).collect(),
    }
}

fn parameter(value: Option<&Value>) -> Parameter {
    match value {
        None => Parameter::Null,
        Some(Value::Int(number)) => Parameter::Int(*number),
        Some(Value::Decimal(number)) => Parameter::Decimal(number.clone()),
        // A number that is written so is one that Rust reads; the folder's check says so.
        Some(Value::Float(number)) => number.parse().map_or(Parameter::Null, Parameter::Double),
        Some(Value::Text(text)) => Parameter::Text(text.clone()),
        Some(Value::Bytes(bytes)) => Parameter::Bytes(bytes.clone()),
        // Lists are taken apart before.
        Some(Value::List(_)) => Parameter::Null,
    }
}
