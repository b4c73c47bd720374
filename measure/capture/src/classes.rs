//! Statement classes of a log, collected in bounded memory. Deterministic for a log and a seed.

use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, HashSet};

use querylog::{Entry, Event};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use sql::{Parameter, Value};
use workload_folder::{CellType, Effect};

use crate::captured_schema::{CapturedSchema, NotReplayed, ReplayableStatement};
use crate::reason::Reason;

/// Maximum numbers of statement classes and of samples per class.
#[derive(Clone, Copy, Debug)]
pub struct ClassLimits {
    /// Maximum number of classes that are kept: those with the longest total time, or without times
    /// those with most calls. Rare classes can already be dropped while reading, see
    /// [`CLASS_FACTOR`].
    pub classes: usize,
    pub samples: usize,
    /// Seed of the samples.
    pub seed: u64,
}

/// Classes held in memory while reading, as a multiple of [`ClassLimits::classes`]. With a factor
/// of 1, a class that first occurs late could hardly be among the classes with the longest time.
const CLASS_FACTOR: usize = 20;
/// Maximum total length of a sample's values in bytes. Longer samples would fill the memory.
const MAX_SAMPLE_BYTES: usize = 64 << 10;
/// Maximum number of different reasons with their subject, such as (`UnknownTable`, `logs`). Beyond
/// it, statements with a new subject are counted by reason only. Also the maximum number of classes
/// that are remembered as out of scope: others are checked again with each statement.
const MAX_SUBJECTS: usize = 1000;

#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// Template with `:name` for each parameter.
    pub text: String,
    pub effect: Effect,
    /// First table in the text.
    pub table: Option<String>,
    pub parameters: Vec<String>,
    /// Samples: one value per parameter.
    pub samples: Vec<Vec<Value>>,
    pub seen: u64,
    /// Total duration in seconds, of calls whose log has durations.
    pub seconds: f64,
}

/// A class with the generator that draws its samples.
struct SampledClass {
    class: Class,
    random: Xoshiro256PlusPlus,
}

pub struct Classes {
    limits: ClassLimits,
    schema: CapturedSchema,
    sampled: HashMap<String, SampledClass>,
    /// Keys of classes that reach outside of the schema, at most [`MAX_SUBJECTS`].
    out_of_scope: HashSet<String>,
    /// Number of statements and commands added.
    pub seen: u64,
    not_replayed: BTreeMap<NotReplayed, u64>,
}

/// Statement classes of all logs.
#[derive(Clone, Debug, Default)]
pub struct ClassifiedStatements {
    /// Classes that are kept, by total time, longest first.
    pub classes: Vec<Class>,
    /// Number of statements and commands read.
    pub seen: u64,
    /// Number of statements that are not replayed, by reason.
    pub not_replayed: BTreeMap<NotReplayed, u64>,
}

impl Classes {
    pub fn new(limits: ClassLimits, schema: CapturedSchema) -> Self {
        Self {
            limits,
            schema,
            sampled: HashMap::new(),
            out_of_scope: HashSet::new(),
            seen: 0,
            not_replayed: BTreeMap::new(),
        }
    }

    pub fn add(&mut self, entry: &Entry) {
        let Entry { event, schema, seconds, calls, .. } = entry;
        self.seen = self.seen.saturating_add(*calls);
        let text = match event {
            Event::Statement(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => text,
                Err(_) => return self.add_not_replayed(NotReplayed::new(Reason::NotUtf8, ""), *calls),
            },
            Event::Truncated => return self.add_not_replayed(NotReplayed::new(Reason::Cut, ""), *calls),
            Event::Command(command) => {
                return self.add_not_replayed(NotReplayed::new(Reason::Command, command), *calls);
            }
        };
        match self.schema.classify(text, schema.as_deref()) {
            Ok(replayable) if self.is_in_scope(&replayable) => {
                self.add_call(replayable, *calls, seconds.unwrap_or(0.0));
            }
            Ok(_) => self.add_not_replayed(NotReplayed::new(Reason::Scope, ""), *calls),
            Err(not_replayed) => self.add_not_replayed(not_replayed, *calls),
        }
    }

    /// True if a statement's class reads and writes nothing but tables of the schema. Of an
    /// accepted class, only the first statement is checked: its text is the class's.
    fn is_in_scope(&mut self, ReplayableStatement { template, .. }: &ReplayableStatement) -> bool {
        if self.sampled.contains_key(&template.key) {
            return true;
        }
        let in_scope = !self.out_of_scope.contains(&template.key) && self.schema.is_in_scope(template);
        if !in_scope && self.out_of_scope.len() < MAX_SUBJECTS {
            self.out_of_scope.insert(template.key.clone());
        }
        in_scope
    }

    fn add_not_replayed(&mut self, mut entry: NotReplayed, count: u64) {
        if self.not_replayed.len() >= MAX_SUBJECTS && !self.not_replayed.contains_key(&entry) {
            entry.subject.clear();
        }
        let sum = self.not_replayed.entry(entry).or_default();
        *sum = sum.saturating_add(count);
    }

    fn add_call(&mut self, replayable: ReplayableStatement, calls: u64, seconds: f64) {
        let ReplayableStatement { template, effect, table } = replayable;
        if !self.sampled.contains_key(&template.key)
            && self.sampled.len() >= self.limits.classes.saturating_mul(CLASS_FACTOR)
        {
            self.drop_rare();
        }
        let sampled = self.sampled.entry(template.key).or_insert_with_key(|key| SampledClass {
            class: Class {
                text: template.text,
                effect,
                table,
                parameters: template.parameters.iter().map(|one| one.name.clone()).collect(),
                samples: Vec::new(),
                seen: 0,
                seconds: 0.0,
            },
            random: Xoshiro256PlusPlus::seed_from_u64(self.limits.seed ^ hash(key)),
        });
        sampled.class.seen = sampled.class.seen.saturating_add(calls);
        // An entry can represent several calls: a digest, or an entry of a slow log that has only
        // one in `log_slow_rate_limit` calls. Each call counts with the entry's duration.
        sampled.class.seconds += seconds * calls as f64;
        sampled.sample(template.parameters, calls, self.limits.samples);
    }

    /// Drops the half of the held classes with the shortest total time, or without times with the
    /// fewest calls.
    fn drop_rare(&mut self) {
        let mut order: Vec<(&String, &Class)> = self.sampled.iter().map(|(key, one)| (key, &one.class)).collect();
        order.sort_by(|(key, one), (other_key, other)| one.compare_cost(other).then_with(|| key.cmp(other_key)));
        let dropped: Vec<String> = order[..order.len() / 2].iter().map(|(key, _)| (*key).clone()).collect();
        for key in dropped {
            let seen = self.sampled.remove(&key).map_or(0, |one| one.class.seen);
            self.add_not_replayed(NotReplayed::new(Reason::Rare, ""), seen);
        }
    }

    /// Returns the classes that are kept, and the numbers of statements that are not replayed.
    pub fn finish(mut self) -> ClassifiedStatements {
        let mut classes: Vec<Class> = self.sampled.drain().map(|(_, sampled)| sampled.class).collect();
        // Classes with parameters but without samples can't be called.
        for class in classes.extract_if(.., |class| !class.parameters.is_empty() && class.samples.is_empty()) {
            self.add_not_replayed(NotReplayed::new(Reason::Large, ""), class.seen);
        }
        classes.sort_by(|one, other| other.compare_cost(one).then_with(|| one.text.cmp(&other.text)));
        let rare = classes.split_off(classes.len().min(self.limits.classes));
        if !rare.is_empty() {
            let calls = rare.iter().map(|class| class.seen).fold(0, u64::saturating_add);
            self.add_not_replayed(NotReplayed::new(Reason::Rare, ""), calls);
        }
        ClassifiedStatements { classes, seen: self.seen, not_replayed: self.not_replayed }
    }
}

impl SampledClass {
    /// Keeps or drops an entry's values by reservoir sampling (algorithm R). An entry that
    /// represents `calls` calls is kept with about the probability that one of `calls` single
    /// entries is. Values longer than [`MAX_SAMPLE_BYTES`] in total are never kept.
    fn sample(&mut self, parameters: Vec<Parameter>, calls: u64, max_samples: usize) {
        if parameters.is_empty()
            || parameters.iter().map(|one| value_bytes(&one.value)).sum::<usize>() > MAX_SAMPLE_BYTES
        {
            return;
        }
        let values = || parameters.into_iter().map(|one| one.value).collect();
        if self.class.samples.len() < max_samples {
            self.class.samples.push(values());
        } else {
            let slot = self.random.next_u64() % self.class.seen.max(1) / calls.max(1);
            if let Some(sample) = self.class.samples.get_mut(slot as usize) {
                *sample = values();
            }
        }
    }
}

impl Class {
    /// Compares total times, and numbers of calls if the times are equal.
    fn compare_cost(&self, other: &Self) -> Ordering {
        self.seconds.total_cmp(&other.seconds).then(self.seen.cmp(&other.seen))
    }

    /// Returns each parameter's type in the first sample, and whether it is a list. A list has the
    /// type of its first member. Empty without samples.
    pub fn types(&self) -> Vec<(CellType, bool)> {
        let of = |value: &Value| (CellType::from_value(value), matches!(value, Value::List(_)));
        self.samples.first().map(|sample| sample.iter().map(of).collect()).unwrap_or_default()
    }
}

fn value_bytes(value: &Value) -> usize {
    match value {
        Value::Int(_) => 8,
        Value::Decimal(text) | Value::Float(text) | Value::Text(text) => text.len(),
        Value::Bytes(bytes) => bytes.len(),
        Value::List(members) => members.iter().map(value_bytes).sum(),
    }
}

/// FNV-1a. Unlike the standard library's hash it is the same in every build.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes(limits: ClassLimits) -> Classes {
        let names = ["t", "u"].map(str::to_owned).into();
        Classes::new(limits, CapturedSchema { schema: "shop".to_owned(), names, ..CapturedSchema::default() })
    }

    const LIMITS: ClassLimits = ClassLimits { classes: 10, samples: 3, seed: 1 };

    fn entry(text: &str, seconds: f64) -> Entry {
        let event = Event::Statement(text.as_bytes().to_vec());
        Entry { line: 1, event, schema: Some("shop".to_owned()), seconds: Some(seconds), calls: 1 }
    }

    #[test]
    fn counts_of_calls_do_not_wrap() {
        let mut all = classes(ClassLimits { classes: 1, ..LIMITS });
        for text in ["SELECT a FROM t", "SELECT a FROM t", "SELECT a FROM u", "SELECT b FROM u", "COMMIT", "COMMIT"] {
            all.add(&Entry { calls: u64::MAX, ..entry(text, 1.0) });
        }
        let found = all.finish();
        assert_eq!((found.seen, found.classes[0].seen), (u64::MAX, u64::MAX));
        assert!(found.not_replayed.values().all(|count| *count == u64::MAX), "{:?}", found.not_replayed);
    }

    #[test]
    fn groups_calls_and_orders_classes_by_time() {
        let mut all = classes(LIMITS);
        for id in 0..100 {
            all.add(&entry(&format!("SELECT a FROM t WHERE id = {id}"), 0.001));
        }
        all.add(&entry("SELECT a FROM u", 5.0));
        all.add(&Entry { calls: 10, ..entry("SET x = 1", 0.0) });
        let outcome = all.finish();
        assert_eq!(outcome.seen, 111);
        let found: Vec<_> =
            outcome.classes.iter().map(|class| (class.text.as_str(), class.seen, class.samples.len())).collect();
        assert_eq!(found, [("SELECT a FROM u", 1, 0), ("SELECT a FROM t WHERE id = :id", 100, 3)]);
        assert_eq!(outcome.not_replayed, BTreeMap::from([(NotReplayed::new(Reason::NotRows, "SET"), 10)]));
        assert_eq!(outcome.classes[1].types(), [(CellType::Int, false)]);
    }

    #[test]
    fn samples_all_calls_reproducibly() {
        let sampled = |seed| {
            let mut all = classes(ClassLimits { seed, ..LIMITS });
            for id in 0..1000 {
                all.add(&entry(&format!("SELECT a FROM t WHERE id = {id}"), 0.0));
            }
            all.finish().classes[0].samples.clone()
        };
        assert_eq!(sampled(1), sampled(1));
        assert_ne!(sampled(1), sampled(2));
        let late = |sample: &Vec<Value>| matches!(sample[0], Value::Int(id) if id >= 3);
        assert!((0..10).any(|seed| sampled(seed).iter().all(late)));
    }

    #[test]
    fn leaves_out_classes_without_a_sample() {
        let mut all = classes(LIMITS);
        all.add(&entry(&format!("SELECT a FROM t WHERE b = '{}'", "x".repeat(MAX_SAMPLE_BYTES + 1)), 0.0));
        let outcome = all.finish();
        assert!(outcome.classes.is_empty());
        assert_eq!(outcome.not_replayed, BTreeMap::from([(NotReplayed::new(Reason::Large, ""), 1)]));
    }

    #[test]
    fn bounds_memory_and_counts_dropped_calls() {
        let mut all = classes(ClassLimits { classes: 2, ..LIMITS });
        for number in 0..1000 {
            all.add(&entry(&format!("SELECT a{number} FROM t"), 0.0));
            all.add(&entry("SELECT b FROM t", 0.001));
            assert!(all.sampled.len() <= 2 * CLASS_FACTOR);
        }
        let outcome = all.finish();
        assert_eq!(outcome.classes.len(), 2);
        let kept: u64 = outcome.classes.iter().map(|class| class.seen).sum();
        assert_eq!(kept + outcome.not_replayed.values().sum::<u64>(), outcome.seen);
        assert_eq!(outcome.classes[0].seen, 1000);
    }

    #[test]
    fn keeps_the_longest_class_among_more_frequent_ones() {
        let mut all = classes(ClassLimits { classes: 2, ..LIMITS });
        all.add(&entry("SELECT b FROM t", 10.0));
        for number in 0..1000 {
            all.add(&entry(&format!("SELECT a{number} FROM t"), 0.001));
            all.add(&entry(&format!("SELECT a{number} FROM t"), 0.001));
        }
        assert_eq!(all.finish().classes[0].text, "SELECT b FROM t");
    }
}
