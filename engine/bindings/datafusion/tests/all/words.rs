//! Compares `ORDER BY` and `GROUP BY` of thousands of words in several scripts with the library.

use std::collections::BTreeSet;
use std::error::Error;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, Int64Array, StringViewArray};
use datafusion::arrow::datatypes::Int64Type;
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::datasource::MemTable;
use datafusion::prelude::{SessionConfig, SessionContext};
use mysql_collation::{Collation, Flavour};
use tokio::runtime;

pub type Outcome = Result<(), Box<dyn Error>>;

/// Characters that collations expand, contract, ignore or treat as equal, with one to four bytes.
/// Trailing spaces are significant in NO PAD collations only.
const ALPHABETS: [&str; 9] = [
    "abcABCßsSœæÆ",
    "áàâäÄåÅçÇéÉñÑöÖøØüÜýÿ",
    "cChHdDžŽlLjJnNsSzZ",
    "абвгдеёжзАБВГДЕЁЖЗ",
    "αβγάέήΑΒΓ",
    "漢字一丁かがカガｶ",
    "가각힣",
    "😀🎉𝒜𐐀𐐨",
    " -_.,0123４５",
];

/// Reproducible pseudo-random numbers (xorshift).
struct PseudoRandom(u64);

impl PseudoRandom {
    fn next_below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit
    }
}

/// Returns short words, of which many are equal. About one in 50 is NULL, and one in 10 gets a
/// space at its end.
pub fn words(count: usize) -> Vec<Option<String>> {
    let mut numbers = PseudoRandom(2026);
    let mut word = || {
        if numbers.next_below(50) == 0 {
            return None;
        }
        let alphabet: Vec<char> = match ALPHABETS.get(numbers.next_below(ALPHABETS.len() + 1)) {
            Some(alphabet) => alphabet.chars().collect(),
            None => ALPHABETS.concat().chars().collect(),
        };
        let length = numbers.next_below(6);
        let mut word: String = (0..length).map(|_| alphabet[numbers.next_below(alphabet.len())]).collect();
        if numbers.next_below(10) == 0 {
            word.push(' ');
        }
        Some(word)
    };
    (0..count).map(|_| word()).collect()
}

/// DataFusion with a table `words` of `id` and `word`, in two partitions and batches of 500 rows.
pub struct WordTable {
    context: SessionContext,
    runtime: runtime::Runtime,
}

impl WordTable {
    pub fn load(words: &[Option<String>]) -> Result<Self, Box<dyn Error>> {
        let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..words.len() as i64));
        let column: ArrayRef = Arc::new(words.iter().map(Option::as_deref).collect::<StringViewArray>());
        let batch = RecordBatch::try_from_iter_with_nullable([("id", ids, false), ("word", column, true)])?;
        let (one, other) =
            (batch.slice(0, words.len() / 2), batch.slice(words.len() / 2, words.len() - words.len() / 2));
        let config = SessionConfig::new().with_batch_size(500).with_target_partitions(2);
        let mut context = SessionContext::new_with_config(config);
        datafusion_mysql_collation::register_all(&mut context)?;
        context.register_table("words", Arc::new(MemTable::try_new(batch.schema(), vec![vec![one], vec![other]])?))?;
        Ok(Self { context, runtime: runtime::Builder::new_current_thread().build()? })
    }

    fn collect(&self, sql: &str) -> Result<Vec<RecordBatch>, Box<dyn Error>> {
        Ok(self.runtime.block_on(async { self.context.sql(sql).await?.collect().await })?)
    }

    /// Returns the ids in the order of a collation. Ids of equal words ascend.
    pub fn order(&self, collation: Collation, direction: &str) -> Result<Vec<i64>, Box<dyn Error>> {
        let nulls = if direction == "ASC" { "FIRST" } else { "LAST" };
        let key = sort_key_sql(collation);
        let batches = self.collect(&format!("SELECT id FROM words ORDER BY {key} {direction} NULLS {nulls}, id"))?;
        Ok(batches.iter().flat_map(|batch| batch.column(0).as_primitive::<Int64Type>().values().to_vec()).collect())
    }

    /// Returns the ids of each group in ascending order.
    pub fn groups(&self, collation: Collation) -> Result<BTreeSet<Vec<i64>>, Box<dyn Error>> {
        let batches = self.collect(&format!("SELECT array_agg(id) FROM words GROUP BY {}", sort_key_sql(collation)))?;
        let ids = |ids: ArrayRef| {
            let mut ids = ids.as_primitive::<Int64Type>().values().to_vec();
            ids.sort_unstable();
            ids
        };
        Ok(batches
            .iter()
            .flat_map(|batch| batch.column(0).as_list::<i32>().iter().flatten().map(ids).collect::<Vec<_>>())
            .collect())
    }
}

fn sort_key_sql(collation: Collation) -> String {
    let flavour = collation.info().flavour;
    format!("mysql_sort_key(word, '{collation}', '{}')", flavour.to_string().to_lowercase())
}

#[test]
fn order_and_groups_match_the_library() -> Outcome {
    let texts = words(5_000);
    let words = WordTable::load(&texts)?;
    for (flavour, name) in [
        (Flavour::MySql, "utf8mb4_0900_ai_ci"),
        (Flavour::MySql, "utf8mb4_0900_as_cs"),
        (Flavour::MySql, "utf8mb4_ja_0900_as_cs_ks"),
        (Flavour::MariaDb, "utf8mb4_uca1400_nopad_as_cs"),
    ] {
        let collation = Collation::by_name(flavour, name)?;
        let column = || texts.iter().map(|text| text.as_deref().map(str::as_bytes));
        let order: Vec<i64> = collation.column_argsort(column()).into_iter().map(|row| row as i64).collect();
        assert_eq!(words.order(collation, "ASC")?, order, "{name}");
        let (numbers, count) = collation.column_groups(column());
        let mut groups = vec![Vec::new(); count];
        numbers.into_iter().enumerate().for_each(|(row, group)| groups[group].push(row as i64));
        assert!(count < texts.len(), "some are equal under {name}");
        assert_eq!(words.groups(collation)?, groups.into_iter().collect(), "{name}");
    }
    Ok(())
}
