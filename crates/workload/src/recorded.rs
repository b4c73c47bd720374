//! The statements of a recorded workload: classes with weights, each with calls whose values are given.
//!
//! ```text
//! deck of 256 calls   class 0 │ class 1 │ class 0 │ class 2 │ …   as often as the weights say, to one call; each class spread over the deck
//! call                the class's next sample: BEGIN, the statement, ROLLBACK where it writes
//! ```

use std::sync::Arc;
use std::time::Duration;

use crate::generator::Value;
use crate::random::{Purpose, Random};
use crate::script::{Example, Script, Source, Statement, StatementKind};

/// Calls of a deck. Drawn one by one, a class that is a hundredth of the calls would differ by a third from one second to the next.
const DECK: usize = 256;

/// Values that a call hands on without allocating; one with more is rare.
const FEW: usize = 32;

/// What names the stream of random numbers of recorded workloads, behind those of the built-in ones.
const STREAM: u64 = 1 << 32;

/// A parameter that is kept.
#[derive(Clone, Debug, PartialEq)]
pub enum Parameter {
    /// NULL.
    Null,
    /// A whole number.
    Int(i64),
    /// An approximate number.
    Double(f64),
    /// An exact number, as it is written.
    Decimal(String),
    /// Text, without quotes or escapes.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// SQL as it stands.
    Sql(String),
}

impl Parameter {
    fn value(&self) -> Value<'_> {
        match self {
            Parameter::Null => Value::Null,
            Parameter::Int(number) => Value::Int(*number),
            Parameter::Double(number) => Value::Double(*number),
            Parameter::Decimal(number) => Value::Decimal(number),
            Parameter::Text(text) => Value::Text(text),
            Parameter::Bytes(bytes) => Value::Bytes(bytes),
            Parameter::Sql(sql) => Value::Sql(sql),
        }
    }
}

/// A call of a statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The statement with its `?`; one that is complete as it stands is sent as [`Parameter::Sql`].
    pub sql: String,
    /// Its parameters.
    pub values: Vec<Parameter>,
}

/// A class of statements.
#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// What is told of it where its plan is: its text with named parameters.
    pub text: String,
    /// A call with its values in it, for EXPLAIN.
    pub example: String,
    /// How often it is called beside the others.
    pub weight: f64,
    /// Whether it changes rows: then each call is a transaction that is rolled back.
    pub writes: bool,
    /// What is sent before each call, and after it to undo that, such as another `sql_mode`.
    pub around: Option<[String; 2]>,
    /// How long a connection pauses after each call: think time.
    pub pause: Duration,
    /// What a call takes beside one of another class, in any unit; 0 where that is not known. Blocks that happened to have other calls are compared by
    /// it.
    pub effort: f64,
    /// Its calls; at least one.
    pub calls: Vec<Call>,
}

/// The classes by the places of their statements.
#[derive(Clone, Debug)]
pub(crate) struct Recorded {
    classes: Vec<Placed>,
    seed: u64,
}

#[derive(Clone, Debug)]
struct Placed {
    example: Example,
    weight: f64,
    pause: Duration,
    effort: f64,
    before: Vec<usize>,
    after: Vec<usize>,
    calls: Vec<(usize, Vec<Parameter>)>,
}

impl Script {
    /// The script of a recorded workload. Classes without a call are left out.
    pub fn recorded(classes: &[Class], seed: u64) -> Self {
        let mut statements: Vec<Statement> = Vec::new();
        let mut add = |sql: &str, kind, around: Option<&[String; 2]>| {
            let statement = Statement { around: around.cloned(), ..Statement::new(sql, kind) };
            let known = statements.iter().position(|one| *one == statement);
            known.unwrap_or_else(|| {
                statements.push(statement);
                statements.len() - 1
            })
        };
        let mut placed = Vec::new();
        for class in classes.iter().filter(|class| !class.calls.is_empty()) {
            let around = class.around.as_ref();
            let begin = class.writes.then_some("START TRANSACTION");
            let end = class.writes.then_some("ROLLBACK");
            let before = around.map(|[before, _]| before.as_str()).into_iter().chain(begin);
            let before = before.map(|sql| add(sql, StatementKind::Control, None)).collect();
            let after = end.into_iter().chain(around.map(|[_, after]| after.as_str()));
            let after = after.map(|sql| add(sql, StatementKind::Control, None)).collect();
            let kind = if class.writes { StatementKind::Write } else { StatementKind::Read };
            let calls = class.calls.iter().map(|call| (add(&call.sql, kind, around), call.values.clone())).collect();
            let (statement, sql) = (class.text.clone(), class.example.clone());
            let example = Example { statement, sql, around: around.cloned() };
            let Class { weight, pause, effort, .. } = *class;
            placed.push(Placed { example, weight, pause, effort, before, after, calls });
        }
        Self { statements, source: Source::Recorded(Arc::new(Recorded { classes: placed, seed })) }
    }
}

impl Recorded {
    /// Each class's text, and a call of it.
    pub fn examples(&self) -> Vec<Example> {
        self.classes.iter().map(|class| class.example.clone()).collect()
    }
}

/// What one connection calls.
#[derive(Clone, Debug)]
pub(crate) struct Calls {
    recorded: Arc<Recorded>,
    random: Random,
    /// The classes of the deck's calls that are still to come, the next one last.
    deck: Vec<(f64, u32)>,
    /// The next call of each class.
    next: Box<[usize]>,
    /// The pause behind the call that was made last.
    pause: Duration,
    /// What that call takes.
    effort: f64,
}

impl Calls {
    pub fn new(recorded: &Arc<Recorded>, thread: u32) -> Self {
        let mut random = Random::new(recorded.seed, Purpose::Thread, u64::from(thread), STREAM);
        // Each connection begins elsewhere in a class's calls, and goes through all of them.
        let next = recorded.classes.iter().map(|class| random.below(class.calls.len() as u64) as usize).collect();
        let (deck, pause, effort) = (Vec::with_capacity(DECK), Duration::ZERO, 0.0);
        Self { recorded: Arc::clone(recorded), random, deck, next, pause, effort }
    }

    /// The pause behind the call that was made last.
    pub fn pause(&self) -> Duration {
        self.pause
    }

    /// What the call that was made last takes ([`Class::effort`]).
    pub fn effort(&self) -> f64 {
        self.effort
    }

    /// What is left of the pause that a connection is in at a moment taken at random, were it never at work: in a class's pauses as much of its
    /// time as their number times their length.
    pub fn rest_of_pause(&mut self) -> Duration {
        let seconds = |class: &Placed| class.weight * class.pause.as_secs_f64();
        let total: f64 = self.recorded.classes.iter().map(seconds).sum();
        if total == 0.0 {
            return Duration::ZERO;
        }
        let mut point = self.random.unit() * total;
        for class in &self.recorded.classes {
            if point < seconds(class) {
                return Duration::from_secs_f64(point / class.weight);
            }
            point -= seconds(class);
        }
        Duration::ZERO
    }

    pub fn event<E>(&mut self, mut run: impl FnMut(usize, &[Value<'_>]) -> Result<(), E>) -> Result<(), E> {
        if self.deck.is_empty() {
            self.deal();
        }
        let Some((_, place)) = self.deck.pop() else { return Ok(()) };
        let class = &self.recorded.classes[place as usize];
        let next = &mut self.next[place as usize];
        let (statement, parameters) = &class.calls[*next];
        *next = (*next + 1) % class.calls.len();
        (self.pause, self.effort) = (class.pause, class.effort);
        class.before.iter().try_for_each(|control| run(*control, &[]))?;
        if parameters.len() <= FEW {
            let mut values = [Value::Null; FEW];
            for (value, parameter) in values.iter_mut().zip(parameters) {
                *value = parameter.value();
            }
            run(*statement, &values[..parameters.len()])?;
        } else {
            run(*statement, &parameters.iter().map(Parameter::value).collect::<Vec<_>>())?;
        }
        class.after.iter().try_for_each(|control| run(*control, &[]))
    }

    /// A deck by systematic sampling: each class as often as its weight says, rounded up or down by chance. Of a class's n calls there is one in
    /// each n-th of the deck, so that those that take long don't come in a row.
    fn deal(&mut self) {
        let classes = &self.recorded.classes;
        let total: f64 = classes.iter().map(|class| class.weight).sum();
        let offset = self.random.unit();
        let (mut reached, mut dealt) = (0.0, 0);
        for (place, class) in classes.iter().enumerate() {
            reached += class.weight;
            // How many of the evenly spaced points lie below this share's end; all of them below the last one's.
            let points = (reached / total * DECK as f64 - offset).ceil().max(0.0) as usize;
            let end = if place + 1 == classes.len() { DECK } else { points.min(DECK) };
            let own = end.saturating_sub(dealt);
            for number in 0..own {
                self.deck.push(((number as f64 + self.random.unit()) / own as f64, place as u32));
            }
            dealt = end.max(dealt);
        }
        self.deck.sort_unstable_by(|one, other| other.0.total_cmp(&one.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(name: &str, weight: f64, calls: usize) -> Class {
        let call = |number: usize| Call { sql: format!("{name} ?"), values: vec![Parameter::Int(number as i64)] };
        Class {
            text: format!("{name} :n"),
            example: format!("{name} 0"),
            weight,
            writes: false,
            around: None,
            pause: Duration::ZERO,
            effort: 0.0,
            calls: (0..calls).map(call).collect(),
        }
    }

    /// What a connection sends in so many events.
    fn sent(script: &Script, thread: u32, events: usize) -> Vec<(String, Vec<i64>)> {
        let (mut generator, mut all) = (script.generator(thread), Vec::new());
        for _ in 0..events {
            let Ok(()) = generator.event(|statement, values| {
                let number = |value: &Value<'_>| if let Value::Int(number) = value { *number } else { -1 };
                all.push((script.statements[statement].sql.clone(), values.iter().map(number).collect()));
                Ok::<(), std::convert::Infallible>(())
            });
        }
        all
    }

    #[test]
    fn the_effort_is_that_of_the_call_that_was_made() {
        let with = |name, effort| Class { effort, ..class(name, 1.0, 1) };
        let mut generator = Script::recorded(&[with("SELECT 1", 0.5), with("SELECT 2", 4.0)], 1).generator(0);
        assert_eq!(generator.effort(), 0.0, "nothing was called");
        for _ in 0..20 {
            let mut called = 0;
            let Ok(()) = generator.event(|statement, _| {
                called = statement;
                Ok::<(), std::convert::Infallible>(())
            });
            assert_eq!(generator.effort(), [0.5, 4.0][called]);
        }
    }

    #[test]
    fn classes_are_called_as_often_as_their_weights_say_in_every_deck() {
        let script = Script::recorded(&[class("a", 6.0, 1), class("b", 1.0, 1), class("c", 1.0, 1)], 7);
        for (number, deck) in sent(&script, 0, 20 * DECK).chunks(DECK).enumerate() {
            let count = |name: &str| deck.iter().filter(|(sql, _)| sql.starts_with(name)).count();
            assert_eq!([count("a"), count("b"), count("c")], [192, 32, 32], "deck {number}");
        }
        let rare = Script::recorded(&[class("a", 9999.0, 1), class("b", 1.0, 1)], 7);
        let count = sent(&rare, 0, 4000 * DECK).iter().filter(|(sql, _)| sql.starts_with('b')).count();
        assert!((70..140).contains(&count), "{count} of 1,024,000 where 102 are to be expected");
    }

    #[test]
    fn calls_of_a_class_are_spread_over_the_deck() {
        let script = Script::recorded(&[class("a", 31.0, 1), class("b", 1.0, 1)], 7);
        for deck in sent(&script, 0, 20 * DECK).chunks(DECK) {
            let places: Vec<usize> = (0..DECK).filter(|at| deck[*at].0 == "b ?").collect();
            assert_eq!(places.len(), 8);
            assert!(places.iter().enumerate().all(|(number, at)| at.abs_diff(32 * number + 16) <= 18), "{places:?}");
        }
    }

    #[test]
    fn connections_go_through_all_calls_and_each_in_a_way_of_its_own_that_comes_back() {
        let script = Script::recorded(&[class("a", 1.0, 100), class("b", 1.0, 3)], 7);
        let (one, other) = (sent(&script, 0, 600), sent(&script, 1, 600));
        assert_eq!(one, sent(&script, 0, 600));
        assert_ne!(one, other);
        let mut numbers: Vec<i64> = one.iter().filter(|(sql, _)| sql == "a ?").map(|(_, values)| values[0]).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), 100);
        assert_eq!(script.statements.len(), 2, "a statement stands there once, however many calls it has");
    }

    #[test]
    fn what_writes_is_rolled_back_between_what_is_set_and_set_back() {
        let around = ["SET sql_mode = 'ANSI'".to_owned(), "SET sql_mode = DEFAULT".to_owned()];
        let script = Script::recorded(&[Class { writes: true, around: Some(around.clone()), ..class("a", 1.0, 1) }], 7);
        let sql: Vec<String> = sent(&script, 0, 1).into_iter().map(|(sql, _)| sql).collect();
        assert_eq!(sql, [&around[0], "START TRANSACTION", "a ?", "ROLLBACK", &around[1]]);
        let own = script.statements.iter().find(|statement| statement.sql == "a ?").unwrap();
        assert_eq!(own.around, Some(around), "it is prepared under its own mode, too");
        let kinds: Vec<StatementKind> = script.statements.iter().map(|statement| statement.kind).collect();
        assert_eq!(kinds.iter().filter(|kind| **kind == StatementKind::Write).count(), 1);
    }

    #[test]
    fn a_connection_pauses_as_the_class_says_and_begins_anywhere_in_a_pause() {
        let pausing = |name, weight, ms| Class { pause: Duration::from_millis(ms), ..class(name, weight, 1) };
        let script = Script::recorded(&[pausing("a", 3.0, 10), pausing("b", 1.0, 90), class("c", 4.0, 1)], 7);
        let mut generator = script.generator(0);
        for _ in 0..DECK {
            let mut sent = String::new();
            let Ok(()) = generator.event(|statement, _| {
                sent = script.statements[statement].sql.clone();
                Ok::<(), std::convert::Infallible>(())
            });
            let pause = [("a ?", 10), ("b ?", 90), ("c ?", 0)].into_iter().find(|(sql, _)| *sql == sent).unwrap().1;
            assert_eq!(generator.pause(), Duration::from_millis(pause));
        }
        let begun: Vec<f64> = (0..10_000).map(|_| generator.rest_of_pause().as_secs_f64() * 1e3).collect();
        assert!(begun.iter().all(|rest| (0.0..90.0).contains(rest)));
        // A quarter of the time that is paused is a's: its mean is 5 ms, that of b's 45.
        let mean = begun.iter().sum::<f64>() / begun.len() as f64;
        assert!((mean - 35.0).abs() < 1.5, "{mean}");
        let mut without = Script::recorded(&[class("a", 1.0, 1)], 7).generator(0);
        assert_eq!((without.pause(), without.rest_of_pause()), (Duration::ZERO, Duration::ZERO));
    }

    #[test]
    fn calls_with_many_values_have_them_all() {
        let values: Vec<Parameter> = (0..100).map(Parameter::Int).collect();
        let many = Class { calls: vec![Call { sql: "a".to_owned(), values }], ..class("a", 1.0, 1) };
        let script = Script::recorded(&[many, Class { calls: Vec::new(), ..class("b", 1.0, 1) }], 7);
        assert_eq!(sent(&script, 0, 1)[0].1, (0..100).collect::<Vec<i64>>());
        let example = Example { statement: "a :n".to_owned(), sql: "a 0".to_owned(), around: None };
        assert_eq!(script.examples(), [example]);
        assert!(sent(&Script::recorded(&[], 7), 0, 3).is_empty());
    }
}
