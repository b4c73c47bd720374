//! Statement classes of a workload folder: each with a weight and calls whose values are given.
//!
//! ```text
//! deck of 256 calls   class 0 │ class 1 │ class 0 │ class 2 │ …
//! call                session setting, START TRANSACTION, statement, ROLLBACK, reset
//! ```
//!
//! The number of a class's calls in the deck is 256 times its share of the weights, rounded up or
//! down. The calls of a class are spread evenly. Transactions are only for classes that change
//! rows.

use std::sync::Arc;
use std::time::Duration;

use crate::generator::Value;
use crate::random::{Purpose, Random};
use crate::script::{EventSource, Example, Script, Statement, StatementKind};

/// Calls per deck. If calls were drawn independently, the number of calls per second of a class
/// with 1 % of 1,000 calls per second would vary by a third.
const DECK_CALLS: usize = 256;

/// Number of values that a call passes without allocating. Calls with more are rare.
const MAX_INLINE_VALUES: usize = 32;

/// Minor number of the random streams of classes, above those of built-in workloads.
const CLASS_STREAM: u64 = 1 << 32;

/// An owned value of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Parameter {
    Null,
    Int(i64),
    Double(f64),
    /// An exact number, as written.
    Decimal(String),
    /// Text as the column has it, without quotes and escapes.
    Text(String),
    Bytes(Vec<u8>),
    /// SQL text to insert.
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

#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Statement with `?` for parameters. A complete statement is `?` with [`Parameter::Sql`].
    pub sql: String,
    pub values: Vec<Parameter>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Class {
    /// Template, for reports of plans.
    pub text: String,
    /// A call with its values, for EXPLAIN.
    pub example: String,
    /// Relative frequency of calls, above 0: 3 is called three times as often as 1.
    pub weight: f64,
    /// True if the statements change rows. Each call is then a transaction that is rolled back.
    pub writes: bool,
    /// Session setting for each call, such as another `sql_mode`.
    pub session_setting: Option<SessionSetting>,
    /// Pause of the connection after each call (think time).
    pub pause: Duration,
    /// Relative cost of a call, in any unit; 0 if unknown. Used to compare blocks that have
    /// different mixes of calls.
    pub effort: f64,
    /// Calls. A class without calls is omitted.
    pub calls: Vec<Call>,
}

/// Session setting of a class, such as another `sql_mode`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionSetting {
    /// Statement sent before a call.
    pub set: String,
    /// Statement sent after the call, which restores the setting.
    pub reset: String,
}

/// Classes with indexes into the script's statements.
#[derive(Clone, Debug)]
pub(crate) struct ScriptClasses {
    all: Vec<ScriptClass>,
    seed: u64,
}

#[derive(Clone, Debug)]
struct ScriptClass {
    example: Example,
    weight: f64,
    pause: Duration,
    effort: f64,
    before: Vec<usize>,
    after: Vec<usize>,
    calls: Vec<(usize, Vec<Parameter>)>,
}

impl Script {
    /// Creates the script of statement classes. Classes without calls are omitted.
    pub fn from_classes(classes: &[Class], seed: u64) -> Self {
        let mut statements: Vec<Statement> = Vec::new();
        let mut add = |sql: &str, kind, setting: Option<&SessionSetting>| {
            let statement = Statement { session_setting: setting.cloned(), ..Statement::new(sql, kind) };
            let known = statements.iter().position(|one| *one == statement);
            known.unwrap_or_else(|| {
                statements.push(statement);
                statements.len() - 1
            })
        };
        let mut placed = Vec::new();
        for class in classes.iter().filter(|class| !class.calls.is_empty()) {
            let setting = class.session_setting.as_ref();
            let begin = class.writes.then_some("START TRANSACTION");
            let end = class.writes.then_some("ROLLBACK");
            let before = setting.map(|setting| setting.set.as_str()).into_iter().chain(begin);
            let before = before.map(|sql| add(sql, StatementKind::Control, None)).collect();
            let after = end.into_iter().chain(setting.map(|setting| setting.reset.as_str()));
            let after = after.map(|sql| add(sql, StatementKind::Control, None)).collect();
            let kind = if class.writes { StatementKind::Write } else { StatementKind::Read };
            let calls = class.calls.iter().map(|call| (add(&call.sql, kind, setting), call.values.clone())).collect();
            let (statement, sql) = (class.text.clone(), class.example.clone());
            let example = Example { statement, sql, session_setting: setting.cloned() };
            let Class { weight, pause, effort, .. } = *class;
            placed.push(ScriptClass { example, weight, pause, effort, before, after, calls });
        }
        Self { statements, source: EventSource::Classes(Arc::new(ScriptClasses { all: placed, seed })) }
    }
}

impl ScriptClasses {
    pub fn examples(&self) -> Vec<Example> {
        self.all.iter().map(|class| class.example.clone()).collect()
    }
}

#[derive(Clone, Debug)]
pub(crate) struct ClassGenerator {
    classes: Arc<ScriptClasses>,
    random: Random,
    /// Classes of the deck's remaining calls with their sort keys, the next call last.
    deck: Vec<(f64, u32)>,
    /// Index of the next call of each class.
    next: Box<[usize]>,
    pause: Duration,
    effort: f64,
}

impl ClassGenerator {
    pub fn new(classes: &Arc<ScriptClasses>, thread: u32) -> Self {
        let mut random = Random::new(classes.seed, Purpose::Thread, u64::from(thread), CLASS_STREAM);
        // In each class, a connection begins at a random call and uses all calls in turn.
        let next = classes.all.iter().map(|class| random.below(class.calls.len() as u64) as usize).collect();
        let (deck, pause, effort) = (Vec::with_capacity(DECK_CALLS), Duration::ZERO, 0.0);
        Self { classes: Arc::clone(classes), random, deck, next, pause, effort }
    }

    /// Returns the pause after the last call.
    pub fn pause(&self) -> Duration {
        self.pause
    }

    /// Returns the relative cost of the last call ([`Class::effort`]).
    pub fn effort(&self) -> f64 {
        self.effort
    }

    /// Draws the rest of the pause that a connection is in at a random moment, if calls took no
    /// time. The probability of a class is proportional to its weight times its pause.
    pub fn draw_remaining_pause(&mut self) -> Duration {
        let seconds = |class: &ScriptClass| class.weight * class.pause.as_secs_f64();
        let total: f64 = self.classes.all.iter().map(seconds).sum();
        if total == 0.0 {
            return Duration::ZERO;
        }
        let mut point = self.random.unit() * total;
        for class in &self.classes.all {
            if point < seconds(class) {
                return Duration::from_secs_f64(point / class.weight);
            }
            point -= seconds(class);
        }
        Duration::ZERO
    }

    pub fn next_event<E>(&mut self, mut run: impl FnMut(usize, &[Value<'_>]) -> Result<(), E>) -> Result<(), E> {
        if self.deck.is_empty() {
            self.deal_deck();
        }
        let Some((_, place)) = self.deck.pop() else { return Ok(()) };
        let class = &self.classes.all[place as usize];
        let next = &mut self.next[place as usize];
        let (statement, parameters) = &class.calls[*next];
        *next = (*next + 1) % class.calls.len();
        (self.pause, self.effort) = (class.pause, class.effort);
        class.before.iter().try_for_each(|control| run(*control, &[]))?;
        if parameters.len() <= MAX_INLINE_VALUES {
            let mut values = [Value::Null; MAX_INLINE_VALUES];
            for (value, parameter) in values.iter_mut().zip(parameters) {
                *value = parameter.value();
            }
            run(*statement, &values[..parameters.len()])?;
        } else {
            run(*statement, &parameters.iter().map(Parameter::value).collect::<Vec<_>>())?;
        }
        class.after.iter().try_for_each(|control| run(*control, &[]))
    }

    /// Deals a deck by systematic sampling: each class occurs in proportion to its weight, rounded
    /// up or down at random. The n calls of a class are spread evenly, one in each n-th of the
    /// deck, so that slow calls don't come in a row.
    fn deal_deck(&mut self) {
        let classes = &self.classes.all;
        let total: f64 = classes.iter().map(|class| class.weight).sum();
        let offset = self.random.unit();
        let (mut reached, mut dealt) = (0.0, 0);
        for (place, class) in classes.iter().enumerate() {
            reached += class.weight;
            // The deck has 256 evenly spaced points from `offset` on, one per call. `points` counts
            // those below the end of this class's share of the weights. The last class gets all
            // remaining points.
            let points = (reached / total * DECK_CALLS as f64 - offset).ceil().max(0.0) as usize;
            let end = if place + 1 == classes.len() { DECK_CALLS } else { points.min(DECK_CALLS) };
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
            session_setting: None,
            pause: Duration::ZERO,
            effort: 0.0,
            calls: (0..calls).map(call).collect(),
        }
    }

    /// Returns the statements and values of some events.
    fn sent(script: &Script, thread: u32, events: usize) -> Vec<(String, Vec<i64>)> {
        let (mut generator, mut all) = (script.generator(thread), Vec::new());
        for _ in 0..events {
            let Ok(()) = generator.next_event(|statement, values| {
                let number = |value: &Value<'_>| if let Value::Int(number) = value { *number } else { -1 };
                all.push((script.statements[statement].sql.clone(), values.iter().map(number).collect()));
                Ok::<(), std::convert::Infallible>(())
            });
        }
        all
    }

    #[test]
    fn effort_is_that_of_the_call() {
        let with = |name, effort| Class { effort, ..class(name, 1.0, 1) };
        let mut generator = Script::from_classes(&[with("SELECT 1", 0.5), with("SELECT 2", 4.0)], 1).generator(0);
        assert_eq!(generator.effort(), 0.0, "nothing was called");
        for _ in 0..20 {
            let mut called = 0;
            let Ok(()) = generator.next_event(|statement, _| {
                called = statement;
                Ok::<(), std::convert::Infallible>(())
            });
            assert_eq!(generator.effort(), [0.5, 4.0][called]);
        }
    }

    #[test]
    fn each_deck_has_classes_in_proportion_to_their_weights() {
        let script = Script::from_classes(&[class("a", 6.0, 1), class("b", 1.0, 1), class("c", 1.0, 1)], 7);
        for (number, deck) in sent(&script, 0, 20 * DECK_CALLS).chunks(DECK_CALLS).enumerate() {
            let count = |name: &str| deck.iter().filter(|(sql, _)| sql.starts_with(name)).count();
            assert_eq!([count("a"), count("b"), count("c")], [192, 32, 32], "deck {number}");
        }
        let rare = Script::from_classes(&[class("a", 9999.0, 1), class("b", 1.0, 1)], 7);
        let count = sent(&rare, 0, 4000 * DECK_CALLS).iter().filter(|(sql, _)| sql.starts_with('b')).count();
        assert!((70..140).contains(&count), "{count} of 1,024,000 where 102 are to be expected");
    }

    #[test]
    fn calls_of_a_class_are_spread_over_the_deck() {
        let script = Script::from_classes(&[class("a", 31.0, 1), class("b", 1.0, 1)], 7);
        for deck in sent(&script, 0, 20 * DECK_CALLS).chunks(DECK_CALLS) {
            let places: Vec<usize> = (0..DECK_CALLS).filter(|at| deck[*at].0 == "b ?").collect();
            assert_eq!(places.len(), 8);
            assert!(places.iter().enumerate().all(|(number, at)| at.abs_diff(32 * number + 16) <= 18), "{places:?}");
        }
    }

    #[test]
    fn connections_visit_all_calls_in_reproducible_orders() {
        let script = Script::from_classes(&[class("a", 1.0, 100), class("b", 1.0, 3)], 7);
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
    fn writes_are_rolled_back() {
        let setting =
            SessionSetting { set: "SET sql_mode = 'ANSI'".to_owned(), reset: "SET sql_mode = DEFAULT".to_owned() };
        let script = Script::from_classes(
            &[Class { writes: true, session_setting: Some(setting.clone()), ..class("a", 1.0, 1) }],
            7,
        );
        let sql: Vec<String> = sent(&script, 0, 1).into_iter().map(|(sql, _)| sql).collect();
        assert_eq!(sql, [&setting.set, "START TRANSACTION", "a ?", "ROLLBACK", &setting.reset]);
        let own = script.statements.iter().find(|statement| statement.sql == "a ?").unwrap();
        assert_eq!(own.session_setting, Some(setting), "it is prepared under its own mode, too");
        let kinds: Vec<StatementKind> = script.statements.iter().map(|statement| statement.kind).collect();
        assert_eq!(kinds.iter().filter(|kind| **kind == StatementKind::Write).count(), 1);
    }

    #[test]
    fn connections_start_within_a_pause() {
        let pausing = |name, weight, ms| Class { pause: Duration::from_millis(ms), ..class(name, weight, 1) };
        let script = Script::from_classes(&[pausing("a", 3.0, 10), pausing("b", 1.0, 90), class("c", 4.0, 1)], 7);
        let mut generator = script.generator(0);
        for _ in 0..DECK_CALLS {
            let mut sent = String::new();
            let Ok(()) = generator.next_event(|statement, _| {
                sent = script.statements[statement].sql.clone();
                Ok::<(), std::convert::Infallible>(())
            });
            let pause = [("a ?", 10), ("b ?", 90), ("c ?", 0)].into_iter().find(|(sql, _)| *sql == sent).unwrap().1;
            assert_eq!(generator.pause(), Duration::from_millis(pause));
        }
        let begun: Vec<f64> = (0..10_000).map(|_| generator.draw_remaining_pause().as_secs_f64() * 1e3).collect();
        assert!(begun.iter().all(|rest| (0.0..90.0).contains(rest)));
        // Class a has a quarter of the paused time with a mean rest of 5 ms, class b three quarters
        // with 45 ms.
        let mean = begun.iter().sum::<f64>() / begun.len() as f64;
        assert!((mean - 35.0).abs() < 1.5, "{mean}");
        let mut without = Script::from_classes(&[class("a", 1.0, 1)], 7).generator(0);
        assert_eq!((without.pause(), without.draw_remaining_pause()), (Duration::ZERO, Duration::ZERO));
    }

    #[test]
    fn calls_have_all_values() {
        let values: Vec<Parameter> = (0..100).map(Parameter::Int).collect();
        let many = Class { calls: vec![Call { sql: "a".to_owned(), values }], ..class("a", 1.0, 1) };
        let script = Script::from_classes(&[many, Class { calls: Vec::new(), ..class("b", 1.0, 1) }], 7);
        assert_eq!(sent(&script, 0, 1)[0].1, (0..100).collect::<Vec<i64>>());
        let example = Example { statement: "a :n".to_owned(), sql: "a 0".to_owned(), session_setting: None };
        assert_eq!(script.examples(), [example]);
        assert!(sent(&Script::from_classes(&[], 7), 0, 3).is_empty());
    }
}
