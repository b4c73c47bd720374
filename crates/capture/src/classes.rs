//! Classes of statements, from all that a log has of them, in bounded memory. Pure: the same for the same log and seed.

use std::collections::{BTreeMap, HashMap};

use querylog::{Entry, Event};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use replay::{Effect, Type};
use sql::{Parameter, Value};

use crate::known::{Known, Playable};
use crate::reason::Reason;

/// How many classes, and how much of each.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Classes that are kept in the end, those that took most time first.
    pub classes: usize,
    /// Samples of values that each keeps.
    pub samples: usize,
    /// What samples are drawn by.
    pub seed: u64,
}

/// Classes that are held while reading, as a multiple of those that are kept: a class that begins late may still be among the first.
const HELD: usize = 20;
/// Bytes of a sample's values; longer ones would fill the memory.
const LONGEST_SAMPLE: usize = 64 << 10;
/// Words of a reason that are counted by themselves.
const MOST_WORDS: usize = 1000;

/// A class of statements.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// Its text, with `:name` for parameters.
    pub text: String,
    /// What it does.
    pub effect: Effect,
    /// The table that it names first.
    pub table: Option<String>,
    /// Names of parameters.
    pub parameters: Vec<String>,
    /// Samples of values.
    pub samples: Vec<Vec<Value>>,
    /// Calls.
    pub seen: u64,
    /// Seconds that those took together, of those whose time was told.
    pub seconds: f64,
}

/// A class while it is read.
struct Reading {
    class: Class,
    random: Xoshiro256PlusPlus,
}

/// All classes of what is read.
pub struct Classes {
    bounds: Bounds,
    known: Known,
    reading: HashMap<String, Reading>,
    /// Statements and commands so far.
    pub seen: u64,
    left: BTreeMap<(Reason, String), u64>,
}

/// What became of it.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The classes that are kept, those that cost most first.
    pub classes: Vec<Class>,
    /// Statements and commands that were read.
    pub seen: u64,
    /// Those that are not replayed, by reason and by the word that it is about.
    pub left: BTreeMap<(Reason, String), u64>,
}

impl Classes {
    /// Nothing so far.
    pub fn new(bounds: Bounds, known: Known) -> Self {
        Self { bounds, known, reading: HashMap::new(), seen: 0, left: BTreeMap::new() }
    }

    /// Takes note of what a log tells.
    pub fn add(&mut self, entry: &Entry) {
        let Entry { event, schema, seconds, stands_for, .. } = entry;
        self.seen = self.seen.saturating_add(*stands_for);
        let text = match event {
            Event::Statement(bytes) => match std::str::from_utf8(bytes) {
                Ok(text) => text,
                Err(_) => return self.leave(Reason::NotUtf8, String::new(), *stands_for),
            },
            Event::Cut => return self.leave(Reason::Cut, String::new(), *stands_for),
            Event::Command(command) => return self.leave(Reason::Command, command.clone(), *stands_for),
        };
        match self.known.judge(text, schema.as_deref()) {
            Ok(playable) => self.play(playable, *stands_for, seconds.unwrap_or(0.0)),
            Err((reason, word)) => self.leave(reason, word, *stands_for),
        }
    }

    fn leave(&mut self, reason: Reason, word: String, count: u64) {
        let known = self.left.len() < MOST_WORDS || self.left.contains_key(&(reason, word.clone()));
        *self.left.entry((reason, if known { word } else { String::new() })).or_default() += count;
    }

    fn play(&mut self, playable: Playable, calls: u64, seconds: f64) {
        let Playable { template, effect, table } = playable;
        if !self.reading.contains_key(&template.key) && self.reading.len() >= self.bounds.classes.saturating_mul(HELD) {
            self.forget_rare();
        }
        let reading = self.reading.entry(template.key).or_insert_with_key(|key| Reading {
            class: Class {
                text: template.text,
                effect,
                table,
                parameters: template.parameters.iter().map(|one| one.name.clone()).collect(),
                samples: Vec::new(),
                seen: 0,
                seconds: 0.0,
            },
            random: Xoshiro256PlusPlus::seed_from_u64(self.bounds.seed ^ hash(key)),
        });
        reading.class.seen += calls;
        // What is logged stands for others as long.
        reading.class.seconds += seconds * calls as f64;
        reading.sample(template.parameters, self.bounds.samples);
    }

    /// Drops the rarer half of the classes that are held.
    fn forget_rare(&mut self) {
        let mut order: Vec<(u64, String)> =
            self.reading.iter().map(|(key, one)| (one.class.seen, key.clone())).collect();
        order.sort();
        for (seen, key) in order.into_iter().take(self.reading.len() / 2) {
            self.reading.remove(&key);
            self.leave(Reason::Rare, String::new(), seen);
        }
    }

    /// The classes that are kept, and what is not replayed.
    pub fn finish(mut self) -> Outcome {
        let mut classes: Vec<Class> = self.reading.drain().map(|(_, reading)| reading.class).collect();
        // Nothing is known to call them with.
        for class in classes.extract_if(.., |class| !class.parameters.is_empty() && class.samples.is_empty()) {
            self.leave(Reason::Large, String::new(), class.seen);
        }
        classes.sort_by(|one, other| {
            let cost = |class: &Class| (class.seconds, class.seen as f64);
            let ((a, b), (c, d)) = (cost(one), cost(other));
            c.total_cmp(&a).then(d.total_cmp(&b)).then_with(|| one.text.cmp(&other.text))
        });
        let rare = classes.split_off(classes.len().min(self.bounds.classes));
        if !rare.is_empty() {
            self.leave(Reason::Rare, String::new(), rare.iter().map(|class| class.seen).sum());
        }
        Outcome { classes, seen: self.seen, left: self.left }
    }
}

impl Reading {
    /// Algorithm R: each call is as likely to be among the samples as any other.
    fn sample(&mut self, parameters: Vec<Parameter>, most: usize) {
        if parameters.is_empty() || parameters.iter().map(|one| bytes(&one.value)).sum::<usize>() > LONGEST_SAMPLE {
            return;
        }
        let values = || parameters.into_iter().map(|one| one.value).collect();
        if self.class.samples.len() < most {
            self.class.samples.push(values());
        } else {
            let place = self.random.next_u64() % self.class.seen.max(1);
            if let Some(sample) = self.class.samples.get_mut(place as usize) {
                *sample = values();
            }
        }
    }
}

impl Class {
    /// The types of its parameters; a list's is that of its members.
    pub fn types(&self) -> Vec<(Type, bool)> {
        let of = |value: &Value| (Type::of(value), matches!(value, Value::List(_)));
        self.samples.first().map(|sample| sample.iter().map(of).collect()).unwrap_or_default()
    }
}

fn bytes(value: &Value) -> usize {
    match value {
        Value::Int(_) => 8,
        Value::Decimal(text) | Value::Float(text) | Value::Text(text) => text.len(),
        Value::Bytes(bytes) => bytes.len(),
        Value::List(members) => members.iter().map(bytes).sum(),
    }
}

/// FNV-1a, the same in every build.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xCBF2_9CE4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classes(bounds: Bounds) -> Classes {
        let names = ["t", "u"].map(str::to_owned).into();
        Classes::new(bounds, Known { schema: "shop".to_owned(), names, ..Known::default() })
    }

    const BOUNDS: Bounds = Bounds { classes: 10, samples: 3, seed: 1 };

    fn entry(text: &str, seconds: f64) -> Entry {
        let event = Event::Statement(text.as_bytes().to_vec());
        Entry { line: 1, event, schema: Some("shop".to_owned()), seconds: Some(seconds), stands_for: 1 }
    }

    #[test]
    fn calls_come_together_and_the_dearest_class_is_first() {
        let mut all = classes(BOUNDS);
        for id in 0..100 {
            all.add(&entry(&format!("SELECT a FROM t WHERE id = {id}"), 0.001));
        }
        all.add(&entry("SELECT a FROM u", 5.0));
        all.add(&Entry { stands_for: 10, ..entry("SET x = 1", 0.0) });
        let outcome = all.finish();
        assert_eq!(outcome.seen, 111);
        let found: Vec<_> =
            outcome.classes.iter().map(|class| (class.text.as_str(), class.seen, class.samples.len())).collect();
        assert_eq!(found, [("SELECT a FROM u", 1, 0), ("SELECT a FROM t WHERE id = :id", 100, 3)]);
        assert_eq!(outcome.left, BTreeMap::from([((Reason::NotRows, "SET".to_owned()), 10)]));
        assert_eq!(outcome.classes[1].types(), [(Type::Int, false)]);
    }

    #[test]
    fn samples_are_of_all_calls_and_the_same_for_the_same_seed() {
        let sampled = |seed| {
            let mut all = classes(Bounds { seed, ..BOUNDS });
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
    fn a_class_without_a_sample_is_left_out() {
        let mut all = classes(BOUNDS);
        all.add(&entry(&format!("SELECT a FROM t WHERE b = '{}'", "x".repeat(LONGEST_SAMPLE + 1)), 0.0));
        let outcome = all.finish();
        assert!(outcome.classes.is_empty());
        assert_eq!(outcome.left, BTreeMap::from([((Reason::Large, String::new()), 1)]));
    }

    #[test]
    fn memory_is_bounded_and_what_is_dropped_counted() {
        let mut all = classes(Bounds { classes: 2, ..BOUNDS });
        for number in 0..1000 {
            all.add(&entry(&format!("SELECT a{number} FROM t"), 0.0));
            all.add(&entry("SELECT b FROM t", 0.001));
            assert!(all.reading.len() <= 2 * HELD);
        }
        let outcome = all.finish();
        assert_eq!(outcome.classes.len(), 2);
        let kept: u64 = outcome.classes.iter().map(|class| class.seen).sum();
        assert_eq!(kept + outcome.left.values().sum::<u64>(), outcome.seen);
        assert_eq!(outcome.classes[0].seen, 1000);
    }
}
