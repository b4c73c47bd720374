//! Values of rows and parameters. They depend only on the options and the row or sample.

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use sql::Value;
use workload::{PersonTexts, Text};

use crate::Options;
use crate::classes::Parameter;

/// Members of a list for `IN`.
const LIST_MEMBERS: u32 = 100;
/// Rows that a range of ids covers.
const RANGE_ROWS: i64 = 100;
/// Distance of the ids whose names are new names. Ten consecutive names begin alike: rows with such
/// names would all be inserted into one page of an index, and split and merge it if it is full.
const NEW_NAME_STEP: u32 = 10;
/// Characters of a long text.
const LONG_CHARACTERS: usize = 4000;
/// Characters of a note.
const NOTE_CHARACTERS: usize = 300;

/// Source of all values of a workload.
pub(crate) struct Values {
    options: Options,
    people: PersonTexts,
}

impl Values {
    pub fn new(options: Options) -> Self {
        let rows = workload::Options {
            table_size: options.rows,
            text: options.text,
            seed: options.seed,
            ..workload::Options::default()
        };
        Self { options, people: PersonTexts::new(&rows) }
    }

    /// Returns the value of a column in the row with this id.
    pub fn column(&self, name: &str, id: u32) -> Value {
        match name {
            "id" => Value::Int(id.into()),
            "name" => Value::Text(self.people.name(id)),
            "friend" => Value::Text(self.people.friend(id)),
            "team" => Value::Text(self.people.team(id)),
            "code" => Value::Text(self.code(id)),
            "code_bytes" => Value::Bytes(self.code_bytes(id).into()),
            "note" => Value::Text(self.text(u64::from(id), NOTE_CHARACTERS)),
            _ => Value::Text(format!(
                r#"{{"id": {id}, "name": "{}", "team": "{}"}}"#,
                self.people.name(id),
                self.people.team(id)
            )),
        }
    }

    /// Returns the value of a parameter in a sample.
    pub fn parameter(&self, parameter: Parameter, sample: u32) -> Value {
        let id = self.id(sample);
        match parameter {
            Parameter::Id => Value::Int(id.into()),
            Parameter::RangeStart => Value::Int(self.range_start(sample)),
            Parameter::RangeEnd => Value::Int(self.range_start(sample) + RANGE_ROWS - 1),
            Parameter::NewId => Value::Int(i64::from(self.options.rows) + i64::from(sample) + 1),
            Parameter::Name => Value::Text(self.people.name(id)),
            Parameter::NewName => Value::Text(self.people.name(self.options.rows + 1 + NEW_NAME_STEP * sample)),
            Parameter::Team => Value::Text(self.people.team(id)),
            Parameter::Prefix => Value::Text(format!("{}%", self.people.prefix(id))),
            Parameter::Infix => Value::Text(format!("%{}%", self.word(sample))),
            Parameter::Word => Value::Text(self.word(sample)),
            Parameter::Code => Value::Text(self.code(id)),
            Parameter::CodeBytes => Value::Bytes(self.code_bytes(id).into()),
            Parameter::Ids => {
                Value::List((0..LIST_MEMBERS).map(|at| Value::Int(self.id(sample + 31 * at).into())).collect())
            }
            Parameter::Names => Value::List(
                (0..LIST_MEMBERS).map(|at| Value::Text(self.people.name(self.id(sample + 31 * at)))).collect(),
            ),
            Parameter::LongText => Value::Text(self.text(u64::from(sample) << 32, LONG_CHARACTERS)),
        }
    }

    /// Returns the id of a sample. The ids of all samples are spread over the table.
    fn id(&self, sample: u32) -> u32 {
        1 + (u64::from(sample) * 7919 % u64::from(self.options.rows)) as u32
    }

    fn range_start(&self, sample: u32) -> i64 {
        1 + i64::from(self.id(sample)) % (i64::from(self.options.rows) - RANGE_ROWS + 1).max(1)
    }

    fn text(&self, number: u64, characters: usize) -> String {
        self.options.text.sample(self.options.seed ^ (number << 8), characters)
    }

    /// Returns up to eight characters of one of a note's longest words. For Chinese and emoji,
    /// returns the first three characters of a note.
    fn word(&self, sample: u32) -> String {
        let note = self.text(u64::from(self.id(sample)), NOTE_CHARACTERS);
        let words = note.split([' ', '-']);
        let long = words.max_by_key(|word| word.chars().count().min(8)).unwrap_or_default();
        match self.options.text {
            Text::Cjk | Text::Emoji => note.chars().take(3).collect(),
            _ => long.chars().take(8).collect(),
        }
    }

    /// Returns the text of a UUID.
    fn code(&self, id: u32) -> String {
        let hex: String = self.code_bytes(id).iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
    }

    /// Returns 16 bytes that are unique to the row and look random.
    fn code_bytes(&self, id: u32) -> [u8; 16] {
        // A stream of its own for each row, as the seeds of neighbours are far apart.
        let mut random =
            SplitMix64::seed_from_u64(self.options.seed ^ u64::from(id).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut bytes = [0; 16];
        random.fill_bytes(&mut bytes);
        bytes
    }
}
