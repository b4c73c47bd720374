//! What one connection sends, call by call, without allocating.

use std::ops::RangeInclusive;
use std::time::Duration;

use crate::names::Names;
use crate::options::Options;
use crate::random::{Purpose, Random};
use crate::recorded::Calls;
use crate::script::{Call, Generated, LITERALS, RANDOM_RANGE_DELTA, RANDOM_RANGES, Script, Source, Step};
use crate::table::{C_CHARACTERS, PAD_CHARACTERS, push_c};

/// A parameter of a statement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// A whole number.
    Int(i64),
    /// Text in UTF-8. Generated text is valid between quotes as it is; recorded text is only for statements that are prepared.
    Text(&'a str),
    /// NULL.
    Null,
    /// An approximate number.
    Double(f64),
    /// An exact number, as it is written.
    Decimal(&'a str),
    /// Bytes, likewise only for statements that are prepared.
    Bytes(&'a [u8]),
    /// SQL as it stands, only for statements that are sent as text.
    Sql(&'a str),
}

/// Bytes of the longest text a generator makes: 119 characters of four bytes.
const LONGEST_TEXT: usize = 4 * C_CHARACTERS;

/// The endless sequence of events of one connection.
#[derive(Clone, Debug)]
pub struct Generator(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Drawn(Drawn),
    Calls(Calls),
}

/// Events whose parameters are drawn.
#[derive(Clone, Debug)]
struct Drawn {
    steps: Box<[Step]>,
    options: Options,
    random: Random,
    /// Text of the call in hand, written over by the next.
    buffers: Box<[String]>,
    /// Rows that its ranges of `k` begin in: one connection's part of the table.
    segment: RangeInclusive<u32>,
}

impl Script {
    /// What one connection sends: an endless sequence of events, the same for the same workload, seed and thread.
    pub fn generator(&self, thread: u32) -> Generator {
        Generator(match &self.source {
            Source::Generated(generated) => Kind::Drawn(Drawn::new(generated, thread)),
            Source::Recorded(recorded) => Kind::Calls(Calls::new(recorded, thread)),
        })
    }
}

impl Generator {
    /// As the `index`-th of so many connections that share the table in select_random_ranges: each has a part of its own, as in sysbench.
    pub fn in_segment(self, index: u32, connections: u32) -> Self {
        match self.0 {
            Kind::Drawn(drawn) => Self(Kind::Drawn(drawn.in_segment(index, connections))),
            Kind::Calls(_) => self,
        }
    }

    /// Calls `run` for every statement of the next event (a transaction, where the workload has any), in order, with the statement's
    /// place in [`Script::statements`] and its parameters. Stops at the first error and returns it; the next call begins a new event.
    #[inline]
    pub fn event<E>(&mut self, run: impl FnMut(usize, &[Value<'_>]) -> Result<(), E>) -> Result<(), E> {
        match &mut self.0 {
            Kind::Drawn(drawn) => drawn.event(run),
            Kind::Calls(calls) => calls.event(run),
        }
    }

    /// How long the connection pauses after the event that was begun last: think time, which generated workloads have none of.
    #[inline]
    pub fn pause(&self) -> Duration {
        match &self.0 {
            Kind::Drawn(_) => Duration::ZERO,
            Kind::Calls(calls) => calls.pause(),
        }
    }

    /// What the event that was begun last takes beside others ([`Class::effort`](crate::Class)); 0 where nothing tells.
    #[inline]
    pub fn effort(&self) -> f64 {
        match &self.0 {
            Kind::Drawn(_) => 0.0,
            Kind::Calls(calls) => calls.effort(),
        }
    }

    /// What is left of the pause that a connection is in at a moment taken at random. A load that begins so is in the middle of its course at once:
    /// else all connections would send their first event together.
    pub fn rest_of_pause(&mut self) -> Duration {
        match &mut self.0 {
            Kind::Drawn(_) => Duration::ZERO,
            Kind::Calls(calls) => calls.rest_of_pause(),
        }
    }
}

impl Drawn {
    fn new(generated: &Generated, thread: u32) -> Self {
        let Generated { steps, options, kind } = generated;
        let buffers = steps.iter().map(|step| step.call.texts()).max().unwrap_or(0);
        Self {
            steps: steps.as_slice().into(),
            options: *options,
            random: Random::new(options.seed, Purpose::Thread, u64::from(thread), *kind as u64),
            buffers: (0..buffers).map(|_| String::with_capacity(LONGEST_TEXT)).collect(),
            segment: 1..=options.table_size,
        }
    }

    fn in_segment(mut self, index: u32, connections: u32) -> Self {
        let (rows, connections) = (u64::from(self.options.table_size), u64::from(connections.max(1)));
        let edge = |index: u64| (rows * index / connections) as u32;
        let index = u64::from(index) % connections;
        self.segment = edge(index) + 1..=edge(index + 1).max(edge(index) + 1);
        self
    }

    fn event<E>(&mut self, mut run: impl FnMut(usize, &[Value<'_>]) -> Result<(), E>) -> Result<(), E> {
        (0..self.steps.len()).try_for_each(|step| self.step(self.steps[step], &mut run))
    }

    fn step<E>(&mut self, step: Step, run: &mut impl FnMut(usize, &[Value<'_>]) -> Result<(), E>) -> Result<(), E> {
        let first = step.first;
        match step.call {
            Call::Control => run(first, &[]),
            Call::Ids(count) => {
                let statement = first + self.table();
                (0..count).try_for_each(|_| run(statement, &[self.id()]))
            }
            Call::IdRange(rows) => {
                let statement = first + self.table();
                let start = self.draw();
                run(statement, &[Value::from(start), Value::Int(i64::from(start) + i64::from(rows) - 1)])
            }
            Call::NewText => {
                let (statement, id) = (first + self.table(), self.id());
                let c = self.text(0, C_CHARACTERS);
                run(statement, &[Value::Text(c), id])
            }
            Call::Replace => {
                let (delete, id, k) = (first + self.table(), self.id(), self.id());
                self.text(0, C_CHARACTERS);
                self.text(1, PAD_CHARACTERS);
                run(delete, &[id])?;
                let insert = delete + self.options.tables as usize;
                run(insert, &[id, k, Value::Text(&self.buffers[0]), Value::Text(&self.buffers[1])])
            }
            Call::KRanges => {
                let mut bounds = [Value::Int(0); 2 * RANDOM_RANGES];
                for range in bounds.chunks_exact_mut(2) {
                    let low = i64::from(self.draw_in_segment());
                    range.copy_from_slice(&[Value::Int(low), Value::Int(low + RANDOM_RANGE_DELTA)]);
                }
                run(first, &bounds)
            }
            Call::Name => self.by_text(first, run, Names::push_name),
            Call::Prefix => self.by_text(first, run, |names, id, out| {
                names.push_prefix(id, out);
                out.push('%');
            }),
            Call::Literals => self.literals(first, run),
        }
    }

    fn by_text<E>(
        &mut self,
        first: usize,
        run: &mut impl FnMut(usize, &[Value<'_>]) -> Result<(), E>,
        push: impl FnOnce(&Names, u32, &mut String),
    ) -> Result<(), E> {
        let (table, id) = (self.table(), self.draw());
        let out = &mut self.buffers[0];
        out.clear();
        push(&Names::of(&self.options, table as u32 + 1), id, out);
        run(first + table, &[Value::Text(out)])
    }

    fn literals<E>(
        &mut self,
        first: usize,
        run: &mut impl FnMut(usize, &[Value<'_>]) -> Result<(), E>,
    ) -> Result<(), E> {
        let (table, id) = (self.table(), self.draw());
        for place in 0..LITERALS - 1 {
            self.text(place, C_CHARACTERS);
        }
        let own = &mut self.buffers[LITERALS - 1];
        own.clear();
        push_c(&self.options, table as u32 + 1, id, own);
        let mut values = [Value::from(id); LITERALS + 1];
        for (value, text) in values.iter_mut().zip(&self.buffers) {
            *value = Value::Text(text);
        }
        run(first + table, &values)
    }

    /// Which table comes next: every one is as likely, as in sysbench.
    fn table(&mut self) -> usize {
        self.random.below(u64::from(self.options.tables)) as usize
    }

    fn draw(&mut self) -> u32 {
        self.options.distribution.id(&mut self.random, self.options.table_size)
    }

    fn draw_in_segment(&mut self) -> u32 {
        let rows = self.segment.end() - self.segment.start() + 1;
        self.segment.start() - 1 + self.options.distribution.id(&mut self.random, rows)
    }

    fn id(&mut self) -> Value<'static> {
        Value::from(self.draw())
    }

    /// New text in a buffer of its own.
    fn text(&mut self, buffer: usize, characters: usize) -> &str {
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

impl Call {
    /// How many texts a call of this kind holds at once.
    fn texts(self) -> usize {
        match self {
            Call::Control | Call::Ids(_) | Call::IdRange(_) | Call::KRanges => 0,
            Call::NewText | Call::Name | Call::Prefix => 1,
            Call::Replace => 2,
            Call::Literals => LITERALS,
        }
    }
}
