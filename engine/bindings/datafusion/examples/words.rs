//! Sorts, groups, joins and filters the words of the command line like MySQL: `cargo run --example
//! words -- Zug STRASSE Ähre Straße`

use datafusion::arrow::array::{ArrayRef, StringArray};
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::error::Result;
use datafusion::prelude::SessionContext;
use std::sync::Arc;

const QUERIES: [(&str, &str); 4] = [
    (
        "Sorted. MySQL sorts NULLs first, DataFusion last by default.",
        "SELECT word FROM words ORDER BY mysql_sort_key(word, 'utf8mb4_0900_ai_ci', 'mysql') NULLS FIRST, word",
    ),
    (
        "Grouped. Each group shows the word that comes first bytewise.",
        "SELECT min(word) AS word, count(*) AS count FROM words \
         GROUP BY mysql_sort_key(word, 'utf8mb4_0900_ai_ci', 'mysql') ORDER BY word",
    ),
    (
        "Joined: pairs of words that a unique key rejects. The join compares keys, which can be hashed.",
        "SELECT a.word, b.word AS equals FROM words a \
         JOIN words b ON mysql_sort_key(a.word, 'utf8mb4_0900_ai_ci', 'mysql') = mysql_sort_key(b.word, 'utf8mb4_0900_ai_ci', 'mysql') \
         WHERE a.word < b.word ORDER BY a.word",
    ),
    ("LIKE.", "SELECT word FROM words WHERE mysql_like(word, 'str%', 'utf8mb4_0900_ai_ci', 'mysql') ORDER BY word"),
];

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let words: ArrayRef = Arc::new(std::env::args().skip(1).map(Some).collect::<StringArray>());
    let mut context = SessionContext::new();
    datafusion_mysql_collation::register_all(&mut context)?;
    context.register_batch("words", RecordBatch::try_from_iter([("word", words)])?)?;
    for (title, query) in QUERIES {
        println!("{title}");
        context.sql(query).await?.show().await?;
    }
    Ok(())
}
