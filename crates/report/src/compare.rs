//! What changed from one run to another, for a terminal, as Markdown, as CSV and as JSON.

pub(crate) mod csv_rows;

use std::collections::BTreeSet;

use measure::{Difference, Estimate, RatioChange, RunChange, ThroughputChange, Verdict};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::document;
use crate::markdown;
use crate::number::{DASH, counted, difference, grouped, interval, percent, set_percent};
use crate::table::{Kind, Row, Table, column};
use crate::text::{self, Style};

/// Two runs held against each other: the content of every output of `weigh compare`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Comparison {
    /// What the earlier run is called.
    pub before: String,
    /// What the later run is called.
    pub after: String,
    /// By how much something has to be slower to count, as a fraction.
    pub fail_over: f64,
    /// What a reader must know before the figures.
    pub warnings: Vec<String>,
    /// What got slower beyond its interval, what identical variants differed by, and `fail_over`: none, if all is well.
    pub slower: Vec<String>,
    /// All that changed.
    pub change: RunChange,
}

impl Comparison {
    /// Holds a change against what is tolerated.
    pub fn new(before: String, after: String, change: RunChange, fail_over: f64) -> Self {
        let warnings = warnings(&change);
        let comparison = Self { before, after, fail_over, warnings, slower: Vec::new(), change };
        Self { slower: comparison.slower(), ..comparison }
    }

    fn slower(&self) -> Vec<String> {
        let throughputs = self.change.throughputs.iter().filter(|own| self.is_slower(own));
        let of_throughput = throughputs.map(|own| {
            let by = percent(1.0 - own.throughput.value);
            format!("{} on {}, {}: throughput is {by} lower", own.collation, own.server, own.condition)
        });
        let ratios = self.change.ratios.iter().filter(|own| self.is_dearer(own));
        let of_ratio = ratios.map(|own| {
            let by = percent(1.0 - own.change.value);
            format!(
                "{} on {}, {}: the ratio to {} is {by} lower",
                own.collation, own.server, own.condition, own.baseline
            )
        });
        of_throughput.chain(of_ratio).collect()
    }

    /// Whether a throughput fell by more than is tolerated. That of another machine says nothing.
    fn is_slower(&self, own: &ThroughputChange) -> bool {
        self.change.same_machine && self.counts(own.verdict, own.throughput)
    }

    /// Whether a ratio fell by more than is tolerated.
    fn is_dearer(&self, own: &RatioChange) -> bool {
        self.counts(own.verdict, own.change)
    }

    fn counts(&self, verdict: Verdict, change: Estimate) -> bool {
        verdict == Verdict::Less && 1.0 - change.value > self.fail_over
    }

    /// The verdict in a sentence.
    fn verdict(&self) -> String {
        let compared = self.change.throughputs.len() + self.change.ratios.len();
        if compared == 0 {
            return "The runs have nothing in common that could be compared.".into();
        }
        let beyond = format!("beyond its interval and {}", set_percent(self.fail_over));
        match self.slower.len() {
            0 => format!("Nothing got slower {beyond}, of {} compared.", counted(compared as u64, "figure")),
            count => format!("{} got slower {beyond}:", counted(count as u64, "figure")),
        }
    }
}

fn warnings(change: &RunChange) -> Vec<String> {
    let mut warnings = vec![
        "The runs are not paired: what moved the machine between them is in their throughput, and no interval knows of it. Ratios to a \
         baseline are of one run each, so it cancels in them."
            .to_owned(),
    ];
    if !change.same_machine {
        warnings.push("The machines differ, so throughput is told but not judged; ratios are judged.".into());
    }
    warnings
}

/// The comparison for a terminal.
pub fn compare_text(comparison: &Comparison, style: Style) -> String {
    let mut head = vec![format!("{} → {}", comparison.before, comparison.after)];
    head.extend(comparison.warnings.iter().cloned());
    let mut sentences = vec![comparison.verdict()];
    sentences.extend(comparison.slower.iter().cloned());
    text::sheets(&head, &tables(&comparison.change), &[sentences, missing(comparison)], style)
}

/// The comparison in Markdown.
pub fn compare_markdown(comparison: &Comparison) -> String {
    let title = format!("{} → {}", comparison.before, comparison.after);
    let mut sentences = vec![comparison.verdict()];
    sentences.extend(comparison.slower.iter().cloned());
    markdown::sheets(&title, &comparison.warnings, &tables(&comparison.change), &[sentences, missing(comparison)])
}

/// The comparison as JSON (`schemas/compare.schema.json`).
pub fn compare_json(comparison: &Comparison) -> String {
    document(comparison)
}

fn missing(comparison: &Comparison) -> Vec<String> {
    let only =
        |run: &str, what: &[String]| what.iter().map(|what| format!("only in {run}: {what}")).collect::<Vec<_>>();
    let change = &comparison.change;
    [only(&comparison.before, &change.only_before), only(&comparison.after, &change.only_after)].concat()
}

fn tables(change: &RunChange) -> Vec<Table> {
    let all = [throughputs(&change.throughputs), ratios(&change.ratios), environment(&change.environment)];
    all.into_iter().filter(|table| !table.rows.is_empty()).collect()
}

fn throughputs(changes: &[ThroughputChange]) -> Table {
    let on = on_server(changes.iter().map(|own| own.server.as_str()));
    let row = |own: &ThroughputChange| Row {
        fields: vec![
            own.condition.to_string(),
            variant(&own.collation, &own.connection_charset) + &on(&own.server),
            grouped(own.queries_per_s[0]),
            grouped(own.queries_per_s[1]),
            interval(own.throughput),
            own.server_cpu.map_or_else(|| DASH.into(), interval),
        ],
        mood: own.verdict.into(),
    };
    let columns = vec![
        column("", "condition", Kind::Left),
        column("", "collation", Kind::Left),
        column("queries/s", "before", Kind::Right),
        column("queries/s", "after", Kind::Right),
        column("throughput", "×", Kind::Judged),
        column("CPU µs/query", "×", Kind::Spare),
    ];
    Table::new("Throughput, after for each unit before", columns, changes.iter().map(row))
}

fn ratios(changes: &[RatioChange]) -> Table {
    let on = on_server(changes.iter().map(|own| own.server.as_str()));
    let more = |estimate: Option<Estimate>| estimate.map_or_else(|| DASH.into(), difference);
    let row = |own: &RatioChange| Row {
        fields: vec![
            own.condition.to_string(),
            variant(&own.collation, &own.connection_charset) + &on(&own.server),
            own.baseline.clone(),
            interval(own.before),
            interval(own.after),
            interval(own.change),
            more(own.server_cpu_more_us[0]),
            more(own.server_cpu_more_us[1]),
        ],
        mood: own.verdict.into(),
    };
    let columns = vec![
        column("", "condition", Kind::Left),
        column("", "collation", Kind::Left),
        column("", "baseline", Kind::Spare),
        column("", "before", Kind::Left),
        column("", "after", Kind::Left),
        column("", "change ×", Kind::Judged),
        column("CPU more, µs/query,", "before", Kind::SpareLast),
        column("CPU more, µs/query,", "after", Kind::SpareLast),
    ];
    Table::new("Ratios to the baseline", columns, changes.iter().map(row))
}

/// Names the server where there are several.
fn on_server<'a>(servers: impl Iterator<Item = &'a str>) -> impl Fn(&str) -> String {
    let several = servers.collect::<BTreeSet<&str>>().len() > 1;
    move |server| if several { format!(" on {server}") } else { String::new() }
}

/// The collation, with the connection's charset where it is another one's.
fn variant(collation: &str, connection: &str) -> String {
    let own = collation.split('_').next() == Some(connection);
    if own { collation.into() } else { format!("{collation} over {connection}") }
}

fn environment(differences: &[Difference]) -> Table {
    let told = |value: &Option<String>| value.clone().unwrap_or_else(|| DASH.into());
    let row = |own: &Difference| Row::plain(vec![own.what.clone(), told(&own.before), told(&own.after)]);
    let heads = ["what", "before", "after"].map(|head| column("", head, Kind::Left));
    Table::new("What else is not as it was", heads.into(), differences.iter().map(row))
}
