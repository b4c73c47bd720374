//! Generation of the calls of one connection, without allocations for built-in workloads.

use std::ops::RangeInclusive;
use std::time::Duration;

use crate::classes::ClassGenerator;
use crate::names::Names;
use crate::options::Options;
use crate::random::{Purpose, Random};
use crate::script::{
    BuiltInScript, EventSource, LITERAL_COUNT, RANDOM_RANGE_DELTA, RANDOM_RANGES, Script, Step, StepParameters,
};
use crate::table::{C_CHARACTERS, PAD_CHARACTERS, push_c};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    Int(i64),
    /// Text in UTF-8. Text of built-in workloads needs no escaping between quotes. Text of workload
    /// folders is only for prepared statements.
    Text(&'a str),
    Null,
    Double(f64),
    /// An exact number, as written.
    Decimal(&'a str),
    /// Bytes, only for prepared statements.
    Bytes(&'a [u8]),
    /// SQL text to insert, only for statements sent as text.
    Sql(&'a str),
}

/// Length of the longest generated text in bytes: 119 characters of 4 bytes.
const MAX_TEXT_BYTES: usize = 4 * C_CHARACTERS;

/// Infinite sequence of the events of one connection. An event is a transaction (with `--skip-trx`
/// its statements alone), or a single call.
#[derive(Clone, Debug)]
pub struct Generator(GeneratorKind);

#[derive(Clone, Debug)]
enum GeneratorKind {
    BuiltIn(BuiltInGenerator),
    Classes(ClassGenerator),
}

/// Generator of a built-in workload, which draws parameters.
#[derive(Clone, Debug)]
struct BuiltInGenerator {
    steps: Box<[Step]>,
    options: Options,
    random: Random,
    /// Texts of the current call.
    buffers: Box<[String]>,
    /// Values of `k` at which ranges begin: the connection's part of the table, or all.
    segment: RangeInclusive<u32>,
}

impl Script {
    /// Returns the generator of one connection. The same script and `thread` give the same events.
    pub fn generator(&self, thread: u32) -> Generator {
        Generator(match &self.source {
            EventSource::BuiltIn(script) => GeneratorKind::BuiltIn(BuiltInGenerator::new(script, thread)),
            EventSource::Classes(classes) => GeneratorKind::Classes(ClassGenerator::new(classes, thread)),
        })
    }
}

impl Generator {
    /// Limits the ranges of select_random_ranges to the connection's part of the table, as sysbench
    /// does. `index` counts from 0. Other workloads are unchanged.
    pub fn with_segment(self, index: u32, connections: u32) -> Self {
        match self.0 {
            GeneratorKind::BuiltIn(built_in) => Self(GeneratorKind::BuiltIn(built_in.with_segment(index, connections))),
            GeneratorKind::Classes(_) => self,
        }
    }

    /// Calls `run` for every statement of the next event, with the statement's index in
    /// [`Script::statements`] and its parameters. Stops at the first error and returns it; the next
    /// call begins a new event.
    #[inline]
    pub fn next_event<E>(&mut self, run: impl FnMut(usize, &[Value<'_>]) -> Result<(), E>) -> Result<(), E> {
        match &mut self.0 {
            GeneratorKind::BuiltIn(built_in) => built_in.next_event(run),
            GeneratorKind::Classes(calls) => calls.next_event(run),
        }
    }

    /// Returns the pause after the last event (think time). Built-in workloads have none.
    #[inline]
    pub fn pause(&self) -> Duration {
        match &self.0 {
            GeneratorKind::BuiltIn(_) => Duration::ZERO,
            GeneratorKind::Classes(calls) => calls.pause(),
        }
    }

    /// Returns the relative cost of the last event ([`Class::effort`](crate::Class)); 0 if unknown.
    #[inline]
    pub fn effort(&self) -> f64 {
        match &self.0 {
            GeneratorKind::BuiltIn(_) => 0.0,
            GeneratorKind::Classes(calls) => calls.effort(),
        }
    }

    /// Draws the rest of the pause that a connection is in at a random moment. A load that begins
    /// with it is in a steady state at once. Otherwise all connections would send their first
    /// events at the same time.
    pub fn draw_remaining_pause(&mut self) -> Duration {
        match &mut self.0 {
            GeneratorKind::BuiltIn(_) => Duration::ZERO,
            GeneratorKind::Classes(calls) => calls.draw_remaining_pause(),
        }
    }
}

impl BuiltInGenerator {
    fn new(script: &BuiltInScript, thread: u32) -> Self {
        let BuiltInScript { steps, options, kind } = script;
        let buffers = steps.iter().map(|step| step.parameters.text_count()).max().unwrap_or(0);
        Self {
            steps: steps.as_slice().into(),
            options: *options,
            random: Random::new(options.seed, Purpose::Thread, u64::from(thread), *kind as u64),
            buffers: (0..buffers).map(|_| String::with_capacity(MAX_TEXT_BYTES)).collect(),
            segment: 1..=options.table_size,
        }
    }

    fn with_segment(mut self, index: u32, connections: u32) -> Self {
        let (rows, connections) = (u64::from(self.options.table_size), u64::from(connections.max(1)));
        let edge = |index: u64| (rows * index / connections) as u32;
        let index = u64::from(index) % connections;
        self.segment = edge(index) + 1..=edge(index + 1).max(edge(index) + 1);
        self
    }

    fn next_event<E>(&mut self, mut run: impl FnMut(usize, &[Value<'_>]) -> Result<(), E>) -> Result<(), E> {
        (0..self.steps.len()).try_for_each(|step| self.run_step(self.steps[step], &mut run))
    }

    fn run_step<E>(&mut self, step: Step, run: &mut impl FnMut(usize, &[Value<'_>]) -> Result<(), E>) -> Result<(), E> {
        let first = step.first;
        match step.parameters {
            StepParameters::Control => run(first, &[]),
            StepParameters::Ids(count) => {
                let statement = first + self.draw_table();
                (0..count).try_for_each(|_| run(statement, &[self.id_value()]))
            }
            StepParameters::IdRange(rows) => {
                let statement = first + self.draw_table();
                let start = self.draw_id();
                run(statement, &[Value::from(start), Value::Int(i64::from(start) + i64::from(rows) - 1)])
            }
            StepParameters::NewText => {
                let (statement, id) = (first + self.draw_table(), self.id_value());
                let c = self.fill_buffer(0, C_CHARACTERS);
                run(statement, &[Value::Text(c), id])
            }
            StepParameters::Replace => {
                let (delete, id, k) = (first + self.draw_table(), self.id_value(), self.id_value());
                self.fill_buffer(0, C_CHARACTERS);
                self.fill_buffer(1, PAD_CHARACTERS);
                run(delete, &[id])?;
                let insert = delete + self.options.tables as usize;
                run(insert, &[id, k, Value::Text(&self.buffers[0]), Value::Text(&self.buffers[1])])
            }
            StepParameters::KRanges => {
                let mut bounds = [Value::Int(0); 2 * RANDOM_RANGES];
                for range in bounds.chunks_exact_mut(2) {
                    let low = i64::from(self.draw_id_in_segment());
                    range.copy_from_slice(&[Value::Int(low), Value::Int(low + RANDOM_RANGE_DELTA)]);
                }
                run(first, &bounds)
            }
            StepParameters::Name => self.run_with_name(first, run, Names::push_name),
            StepParameters::Prefix => self.run_with_name(first, run, |names, id, out| {
                names.push_prefix(id, out);
                out.push('%');
            }),
            StepParameters::Literals => self.run_with_literals(first, run),
        }
    }

    fn run_with_name<E>(
        &mut self,
        first: usize,
        run: &mut impl FnMut(usize, &[Value<'_>]) -> Result<(), E>,
        push: impl FnOnce(&Names, u32, &mut String),
    ) -> Result<(), E> {
        let (table, id) = (self.draw_table(), self.draw_id());
        let out = &mut self.buffers[0];
        out.clear();
        push(&Names::for_table(&self.options, table as u32 + 1), id, out);
        run(first + table, &[Value::Text(out)])
    }

    fn run_with_literals<E>(
        &mut self,
        first: usize,
        run: &mut impl FnMut(usize, &[Value<'_>]) -> Result<(), E>,
    ) -> Result<(), E> {
        let (table, id) = (self.draw_table(), self.draw_id());
        for place in 0..LITERAL_COUNT - 1 {
            self.fill_buffer(place, C_CHARACTERS);
        }
        let own = &mut self.buffers[LITERAL_COUNT - 1];
        own.clear();
        push_c(&self.options, table as u32 + 1, id, own);
        let mut values = [Value::from(id); LITERAL_COUNT + 1];
        for (value, text) in values.iter_mut().zip(&self.buffers) {
            *value = Value::Text(text);
        }
        run(first + table, &values)
    }

    /// Draws a table, each with the same probability, as sysbench does.
    fn draw_table(&mut self) -> usize {
        self.random.below(u64::from(self.options.tables)) as usize
    }

    fn draw_id(&mut self) -> u32 {
        self.options.distribution.id(&mut self.random, self.options.table_size)
    }

    fn draw_id_in_segment(&mut self) -> u32 {
        let rows = self.segment.end() - self.segment.start() + 1;
        self.segment.start() - 1 + self.options.distribution.id(&mut self.random, rows)
    }

    fn id_value(&mut self) -> Value<'static> {
        Value::from(self.draw_id())
    }

    fn fill_buffer(&mut self, buffer: usize, characters: usize) -> &str {
        let out = &mut self.buffers[buffer];
        out.clear();
        self.options.text.fill(&mut self.random, characters, out);
        out
    }
}

impl From<u32> for Value<'_> {
    fn from(number: u32) -> Self {
        Value::Int(i64::from(number))
    }
}

impl StepParameters {
    /// Returns the number of texts that a call holds at once.
    fn text_count(self) -> usize {
        match self {
            StepParameters::Control | StepParameters::Ids(_) | StepParameters::IdRange(_) | StepParameters::KRanges => {
                0
            }
            StepParameters::NewText | StepParameters::Name | StepParameters::Prefix => 1,
            StepParameters::Replace => 2,
            StepParameters::Literals => LITERAL_COUNT,
        }
    }
}
