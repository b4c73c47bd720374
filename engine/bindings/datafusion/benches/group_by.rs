//! Times `GROUP BY mysql_sort_key(name, …)` over a million values, `GROUP BY name`, `GROUP BY` a
//! column of keys, and computing the keys alone, on one thread: `cargo bench`. The table shows
//! medians over the rounds. The ratio is `by key / (bytes + keys)` of a round: its median, and the
//! 95 % interval of the median.

use std::error::Error;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use datafusion::arrow::array::{ArrayRef, StringArray};
use datafusion::arrow::record_batch::RecordBatch;
use datafusion::datasource::MemTable;
use datafusion::prelude::{SessionConfig, SessionContext};
use mysql_collation::{Collation, Flavour};

const BATCH: usize = 8192;
const COLLATIONS: [(Flavour, &str, &str); 3] = [
    (Flavour::MySql, "mysql", "utf8mb4_0900_ai_ci"),
    (Flavour::MySql, "mysql", "utf8mb4_general_ci"),
    (Flavour::MariaDb, "mariadb", "utf8mb4_uca1400_ai_ci"),
];

/// Returns names with a number, of which about 100,000 are distinct.
fn names(rows: usize) -> StringArray {
    const FIRST: [&str; 8] = ["Jürgen", "anna", "José", "Søren", "Zoë", "Олег", "Ελένη", "李"];
    const LAST: [&str; 8] = ["Müller", "Straße", "O'Brien", "Åkesson", "Çelik", "Иванов", "Παπάς", "佐藤"];
    let mut state = 2026_u64;
    let mut below = |limit: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % limit) as usize
    };
    (0..rows).map(|_| Some(format!("{} {} {}", FIRST[below(8)], LAST[below(8)], below(1600)))).collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    // Without the flag of `cargo bench`, the bench only checks that it runs.
    let is_timed = std::env::args().any(|argument| argument == "--bench");
    let (rows, rounds) = if is_timed { (1_000_000, 41) } else { (20_000, 1) };
    let names = names(rows);
    let column: ArrayRef = Arc::new(names.clone());
    let batch = RecordBatch::try_from_iter([("name", column)])?;
    let batches: Vec<RecordBatch> =
        (0..rows).step_by(BATCH).map(|start| batch.slice(start, BATCH.min(rows - start))).collect();
    let config = SessionConfig::new().with_batch_size(BATCH).with_target_partitions(1);
    let mut context = SessionContext::new_with_config(config);
    datafusion_mysql_collation::register_all(&mut context)?;
    context.register_table("people", Arc::new(MemTable::try_new(batch.schema(), vec![batches])?))?;
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let groups = |table: &str, by: &str| -> Result<usize, Box<dyn Error>> {
        let sql = format!("SELECT count(*) FROM {table} GROUP BY {by}");
        let batches = runtime.block_on(async { context.sql(&sql).await?.collect().await })?;
        Ok(batches.iter().map(RecordBatch::num_rows).sum())
    };

    println!("{rows} values, {} distinct", groups("people", "name")?);
    println!(
        "{:<24}{:>12}{:>12}{:>12}{:>14}  ratio",
        "collation", "bytes, ms", "keys, ms", "by key, ms", "by column, ms"
    );
    for (flavour, flavour_name, name) in COLLATIONS {
        let collation = Collation::by_name(flavour, name)?;
        let by_key = format!("mysql_sort_key(name, '{name}', '{flavour_name}')");
        let precomputed = runtime
            .block_on(async { context.sql(&format!("SELECT {by_key} AS key FROM people")).await?.collect().await })?;
        context.register_table("keyed", Arc::new(MemTable::try_new(precomputed[0].schema(), vec![precomputed])?))?;
        let (mut bytes, mut keys, mut grouped, mut precomputed) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for _ in 0..rounds {
            bytes.push(time(|| groups("people", "name"))?);
            keys.push(time(|| {
                for start in (0..rows).step_by(BATCH) {
                    let batch = names.iter().skip(start).take(BATCH);
                    black_box(collation.column_keys(batch.map(|name| name.map(str::as_bytes))));
                }
                Ok(0)
            })?);
            grouped.push(time(|| groups("people", &by_key))?);
            precomputed.push(time(|| groups("keyed", "key"))?);
        }
        let mut ratios: Vec<f64> = (0..rounds).map(|round| grouped[round] / (bytes[round] + keys[round])).collect();
        let (ratio, low, high) = median_with_interval(&mut ratios);
        let [bytes, keys, grouped, precomputed] =
            [bytes, keys, grouped, precomputed].map(|mut times| median_with_interval(&mut times).0);
        println!(
            "{name:<24}{bytes:>12.1}{keys:>12.1}{grouped:>12.1}{precomputed:>14.1}  {ratio:.2} ({low:.2} … {high:.2})"
        );
        context.deregister_table("keyed")?;
    }
    Ok(())
}

/// Returns the duration in milliseconds.
fn time<T>(work: impl FnOnce() -> Result<T, Box<dyn Error>>) -> Result<f64, Box<dyn Error>> {
    let begin = Instant::now();
    black_box(work()?);
    Ok(begin.elapsed().as_secs_f64() * 1000.0)
}

/// Returns the median and the ends of its 95 % interval. The ends are the values 1.96 √n / 2 ranks
/// from the middle: the binomial distribution of ranks, approximated by a normal distribution.
fn median_with_interval(values: &mut [f64]) -> (f64, f64, f64) {
    values.sort_by(f64::total_cmp);
    let (middle, ranks) = (values.len() / 2, (0.98 * (values.len() as f64).sqrt()).ceil() as usize);
    (values[middle], values[middle.saturating_sub(ranks)], values[(middle + ranks).min(values.len() - 1)])
}
