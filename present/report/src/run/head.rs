//! Lines above the tables (servers and machine), and the legend below them.

use measure::{Machine, Mode, Run, ServerInfo};

use crate::format::number::count_noun;
use crate::run::name::takes_turns;

/// Returns a line per server, and one for the machine unless the run was imported.
pub(crate) fn describe_setting(run: &Run) -> Vec<String> {
    if run.imported.is_some() {
        return run.servers.iter().map(|server| describe_server(server, true)).collect();
    }
    describe_servers_and_machine(&run.servers, &run.machine)
}

/// Describes the buffer pools. `None` unless each variant has its own instance.
pub(crate) fn describe_buffer_pool(run: &Run) -> Option<String> {
    let asked = run.options.buffer_pool.as_ref()?;
    let bytes: f64 = run.servers.first()?.settings.get("innodb_buffer_pool_size")?.parse().ok()?;
    let of_baseline = run.sizes.iter().filter(|size| size.variant == 0);
    let tables = of_baseline.map(|size| (size.data_bytes + size.index_bytes) as f64).sum::<f64>();
    let [pool_mib, tables_mib] = [bytes, tables].map(|bytes| bytes / f64::from(1 << 20));
    let name = &run.variants.first()?.collation;
    Some(format!(
        "buffer pool: {pool_mib:.0} MiB for each variant, on an instance of its own ({asked} asked for); {:.1} % of the tables under {name}, \
         {tables_mib:.0} MiB",
        bytes / tables * 100.0
    ))
}

/// Returns a line per server, and a line for the machine.
pub(crate) fn describe_servers_and_machine(servers: &[ServerInfo], machine: &Machine) -> Vec<String> {
    let mut lines: Vec<String> = servers.iter().map(|server| describe_server(server, false)).collect();
    let gibibytes = machine.memory_bytes as f64 / f64::from(1 << 30);
    lines.push(format!(
        "machine: {}, {}, {gibibytes:.0} GiB, {}",
        machine.processor,
        count_noun(machine.cores as u64, "core"),
        machine.system
    ));
    lines
}

fn describe_server(server: &ServerInfo, imported: bool) -> String {
    let origin = match (imported, server.private) {
        (true, _) => "as whoever imported it has it",
        (false, true) => "private instance",
        (false, false) => "attached",
    };
    let comment = server.comment.trim();
    // Debian's builds enclose the comment in parentheses already.
    let comment = comment.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')).unwrap_or(comment);
    let comment = if comment.is_empty() { String::new() } else { format!(" ({comment})") };
    let version = if server.version.is_empty() { String::new() } else { format!(" {}", server.version) };
    format!("{}: {}{version}{comment}, {origin}", server.label, server.flavour)
}

/// Explains the columns of the tables.
pub(crate) fn legend(run: &Run) -> Vec<String> {
    let alone = match run.options.mode {
        Mode::Duet if takes_turns(run) => "of one variant in its turns; as machines drift, compare by the ratios",
        Mode::Duet => "of one variant while another shares the machine; compare by the ratios",
        Mode::Solo => "of one variant alone",
    };
    let mut lines = vec![
        "×: ratio, taken block by block, with its 95 % interval. CPU: the server's.".into(),
        format!("queries/s and latency: {alone}."),
    ];
    if run.options.buffer_pool.is_some() {
        lines.push("disk pages/query: read from disk by the variant's own server, per statement.".into());
    }
    let attached: Vec<&str> =
        run.servers.iter().filter(|server| !server.private).map(|server| server.label.as_str()).collect();
    if !attached.is_empty() && run.imported.is_none() {
        lines.push(format!("{} was not restarted: intervals are of this start of it.", attached.join(" and ")));
    }
    lines
}
