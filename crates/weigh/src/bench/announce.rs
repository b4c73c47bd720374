//! What `weigh bench` says before it measures, or instead.

use std::fmt::Write;

use drive::Leftover;
use measure::{Preview, Request, Variant};
use server::Server;
use workload::Kind;

/// The workloads, a line each.
pub fn workloads() -> String {
    Kind::ALL.iter().map(|kind| format!("{:<24}{}\n", kind.name(), kind.description())).collect()
}

/// What a run leaves on servers that are not `weigh`'s own while it lasts.
pub fn footprint(request: &Request, preview: &Preview, servers: &[Server]) -> String {
    let attached = servers.iter().enumerate().filter(|(_, server)| !server.is_private());
    let lines = attached.map(|(index, server)| {
        let schemas = count(preview.schemas(index), "schema");
        format!(
            "{}: weigh creates {schemas} named weigh_…, each with {}, and drops them at the end.",
            server.label(),
            tables(request)
        )
    });
    let lines: Vec<String> = lines.chain(["Nothing else is written to.".into()]).collect();
    lines.join("\n")
}

/// What earlier runs left on a server.
pub fn leftovers(server: &Server, leftovers: &[Leftover]) -> String {
    let names: Vec<&str> = leftovers.iter().map(|leftover| leftover.schema.as_str()).collect();
    format!(
        "{}: a weigh that was killed has left {} there: {}; `weigh servers clean` with the same connection options drops what is left so.",
        server.label(),
        count(names.len(), "schema"),
        names.join(", ")
    )
}

/// All that a run would do.
pub fn dry_run(request: &Request, preview: &Preview, servers: &[Server]) -> String {
    let mut text = String::from("Nothing was created or measured. This would be:\n");
    let mut line =
        |name: &str, value: String| writeln!(text, "  {name:<12} {value}").expect("a string takes every write");
    for (index, server) in servers.iter().enumerate() {
        let origin = if server.is_private() { "private instance" } else { "attached" };
        line("server", format!("{}: {} {}, {origin}", server.label(), server.flavour(), server.version()));
        let own = preview.variants.iter().filter(|variant| variant.server == index);
        line("variants", names(own));
        line(
            "creates",
            format!("{} named weigh_…, each with {}", count(preview.schemas(index), "schema"), tables(request)),
        );
    }
    if let Some(sizing) = &preview.sizing {
        let instances: usize = sizing.instances.iter().sum();
        let pools = format!(
            "{} on each of {}, a variant's own; the baseline's tables take about {}",
            mebibytes(sizing.pool_bytes),
            count(instances, "instance"),
            mebibytes(sizing.baseline_bytes)
        );
        line("buffer pool", pools);
        line(
            "takes",
            format!("about {} of disk, {} of memory", mebibytes(sizing.disk_bytes), mebibytes(sizing.memory_bytes)),
        );
    }
    match (&request.recording, &request.script) {
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
    line("time", format!("{} s of load at most", request.max_time.as_secs_f64()));
    for note in &preview.notes {
        line("note", note.clone());
    }
    text
}

/// The collations in their order, the baseline first; connection charsets where they are not the collation's own.
fn names<'a>(variants: impl Iterator<Item = &'a Variant>) -> String {
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

fn tables(request: &Request) -> String {
    if let Some(recording) = &request.recording {
        let tables = count(request.rows.tables as usize, "table");
        return format!("{tables} with the rows of {}", recording.record.folder);
    }
    if let Some(script) = &request.script {
        return format!("the tables that {} prepares", script.named);
    }
    let tables = workload::tables(&request.workloads, &request.rows).len();
    format!("{} of {}", count(tables, "table"), count(request.rows.table_size as usize, "row"))
}

fn mebibytes(bytes: u64) -> String {
    format!("{} MiB", bytes >> 20)
}

fn count(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

fn join<T: ToString>(values: &[T]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}
