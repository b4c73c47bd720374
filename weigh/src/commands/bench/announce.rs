//! Texts that `weigh bench` prints before or instead of a measurement.

use std::fmt::Write;

use load::LeftoverSchema;
use measure::{Preview, Request, Variant};
use server::Server;
use workload::WorkloadKind;

pub fn list_workloads() -> String {
    WorkloadKind::ALL.iter().map(|kind| format!("{:<24}{}\n", kind.name(), kind.description())).collect()
}

/// Describes what a run creates on attached servers while it lasts.
pub fn describe_footprint(request: &Request, preview: &Preview, servers: &[Server]) -> String {
    let attached = servers.iter().enumerate().filter(|(_, server)| !server.is_private());
    let lines = attached.map(|(index, server)| {
        let schemas = count(preview.max_schemas(index), "schema");
        format!(
            "{}: weigh creates {schemas} named weigh_…, each with {}, and drops them at the end.",
            server.label(),
            describe_tables(request)
        )
    });
    let lines: Vec<String> = lines.chain(["Nothing else is written to.".into()]).collect();
    lines.join("\n")
}

/// Describes the schemas that killed runs left on a server.
pub fn describe_leftovers(server: &Server, leftovers: &[LeftoverSchema]) -> String {
    let names: Vec<&str> = leftovers.iter().map(|leftover| leftover.schema.as_str()).collect();
    format!(
        "{}: a killed run of weigh left {} there: {}; `weigh servers clean` with the same connection options drops them.",
        server.label(),
        count(names.len(), "schema"),
        names.join(", ")
    )
}

/// A server of a dry run.
pub struct PlannedServer {
    pub label: String,
    /// Product and version, and whether the server is attached or will be a private instance.
    pub description: String,
}

/// Describes all that a run would create and measure.
pub fn describe_dry_run(request: &Request, preview: &Preview, servers: &[PlannedServer]) -> String {
    let mut text = String::from("Nothing was downloaded, started, created or measured. This would be:\n");
    let mut line =
        |name: &str, value: String| writeln!(text, "  {name:<12} {value}").expect("a string takes every write");
    for (index, server) in servers.iter().enumerate() {
        line("server", format!("{}: {}", server.label, server.description));
        let own = preview.variants.iter().filter(|variant| variant.server == index);
        line("collations", list_collations(own));
        line(
            "creates",
            format!(
                "{} named weigh_…, each with {}",
                count(preview.max_schemas(index), "schema"),
                describe_tables(request)
            ),
        );
    }
    if let Some(sizing) = &preview.sizing {
        let instances: usize = sizing.instances.iter().sum();
        let pools = format!(
            "{} on each of {}, a variant's own; the baseline's tables take about {}",
            format_mebibytes(sizing.pool_bytes),
            count(instances, "instance"),
            format_mebibytes(sizing.baseline_bytes)
        );
        line("buffer pool", pools);
        line(
            "takes",
            format!(
                "about {} of disk, {} of memory",
                format_mebibytes(sizing.disk_bytes),
                format_mebibytes(sizing.memory_bytes)
            ),
        );
    }
    match (&request.workload_folder, &request.script) {
        (Some(recording), _) => {
            line("workloads", join(&recording.loads.iter().map(|load| &load.name).collect::<Vec<_>>()));
        }
        (None, Some(script)) => line("workloads", script.name.clone()),
        (None, None) => {
            line("text", join(&request.axes.texts));
            line("workloads", join(&request.workloads));
        }
    }
    line("threads", join(&request.threads));
    line("time", describe_time(request, preview));
    for note in &preview.notes {
        line("note", note.clone());
    }
    text
}

/// Describes how long a run takes, as a range and by its parts.
fn describe_time(request: &Request, preview: &Preview) -> String {
    format!(
        "{} on the clock: {} s of load at most ({:.0} s at least), with starts and loads of rows",
        describe_range(request, preview),
        request.max_time.as_secs_f64(),
        preview.least_time.as_secs_f64().ceil()
    )
}

/// Returns `40 s to 65 s`: how long a run takes on the clock. Starts and loads of rows are assumed
/// to take up to half as long as the load and 20 s more; a download is not included.
pub fn describe_range(request: &Request, preview: &Preview) -> String {
    let (load, least) = (request.max_time.as_secs_f64(), preview.least_time.as_secs_f64());
    let clock = |seconds: f64| {
        if seconds < 90.0 { format!("{seconds:.0} s") } else { format!("{:.0} min", (seconds / 60.0).ceil()) }
    };
    format!("{} to {}", clock(least.min(load) + 10.0), clock(load * 1.5 + 20.0))
}

/// Joins the collations of variants in order, without copies and repeats. A connection charset is
/// added if it differs from the collation's own.
fn list_collations<'a>(variants: impl Iterator<Item = &'a Variant>) -> String {
    let mut names: Vec<String> = Vec::new();
    for variant in variants.filter(|variant| !variant.copy) {
        let own = variant.connection_charset == variant.charset;
        let connection = if own { String::new() } else { format!(" (connection {})", variant.connection_charset) };
        let name = format!("{}{connection}", variant.collation);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(", ")
}

fn describe_tables(request: &Request) -> String {
    if let Some(recording) = &request.workload_folder {
        let tables = count(request.rows.tables as usize, "table");
        return format!("{tables} with the rows of {}", recording.record.folder);
    }
    if let Some(script) = &request.script {
        return format!("the tables that {} prepares", script.given_path);
    }
    let tables = workload::tables(&request.workloads, &request.rows).len();
    format!("{} of {}", count(tables, "table"), count(request.rows.table_size as usize, "row"))
}

fn format_mebibytes(bytes: u64) -> String {
    format!("{} MiB", bytes >> 20)
}

fn count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

fn join<T: ToString>(values: &[T]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
