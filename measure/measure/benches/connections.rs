//! Compares two ways to measure a pair of collations, from 1 to 256 connections: a *duet*, in which
//! two loads alternate every few milliseconds on one server, and *solos*, in which each load runs
//! alone. Prints the ratio of server CPU per query, and queries per second.
//!
//!     cargo bench -p measure --bench connections [-- SERVER [PAIRS [SECONDS [N,N,…]]]]
//!
//! A pair is one duet of utf8mb4_general_ci and latin1_swedish_ci, and a solo of each. The order
//! alternates from pair to pair. Differences are within a pair; the mean is printed with its 95 %
//! interval.

use std::sync::Arc;
use std::time::Duration;

use load::{
    Binding, ConnectionCharset, Load, SchemaOutcome, SchemaSpec, Schemas, Settings, Sharing, Tally, Target, run_block,
};
use measure::mean_with_interval;
use server::{NoProgress, Server};
use workload::{Options, Workload, WorkloadKind};

const SHORTEST_TURN: Duration = Duration::from_millis(10);
const LEAD_IN: Duration = Duration::from_millis(50);
const SIDES: [(&str, &str, u8); 2] = [("latin1", "latin1_swedish_ci", 8), ("utf8mb4", "utf8mb4_general_ci", 45)];

/// Server CPU per query in µs, and queries per second, of each side.
#[derive(Clone, Copy)]
struct Figures {
    cpu_us: [f64; 2],
    queries_per_s: [f64; 2],
}

fn main() {
    let mut args = std::env::args().skip(1).filter(|arg| arg != "--bench");
    let name = args.next().unwrap_or_else(|| "mysql@5.6".into());
    let pairs: usize = args.next().map_or(10, |pairs| pairs.parse().expect("PAIRS is a number"));
    let seconds: f64 = args.next().map_or(4.0, |seconds| seconds.parse().expect("SECONDS is a number"));
    let counts = args.next().unwrap_or_else(|| "1,2,16,64,128,256".into());
    let counts: Vec<u32> = counts.split(',').map(|count| count.parse().expect("N is a number")).collect();

    let max_connections = counts.iter().max().copied().unwrap_or(1) * 2;
    let options = server::Options { threads: max_connections, ..server::Options::default() };
    let server = server::open(&name.parse().expect("SERVER names a server, such as mysql@5.6"), &options, &NoProgress)
        .expect("the server starts");
    let schemas = Schemas::new(&server, "connections_bench").expect("the server accepts a connection");
    let workload_options = Options::default();
    let workload = Workload { kind: WorkloadKind::OltpReadOnly, range_size: None };
    let specs =
        SIDES.map(|(charset, collation, _)| SchemaSpec { charset: charset.into(), collation: collation.into() });
    let loaded =
        schemas.load(&workload::tables(&[workload], &workload_options), &specs, &|_| {}).expect("the rows are loaded");

    println!(
        "{} {}, {workload}, {} against {}, {pairs} pairs of {seconds} s\n",
        server.flavour(),
        server.version(),
        SIDES[1].1,
        SIDES[0].1
    );
    println!("| connections | CPU ratio, duet | solo | duet / solo - 1 | queries/s, duet | solo | duet / solo - 1 |");
    println!("| ---: | ---: | ---: | --- | ---: | ---: | --- |");
    for count in counts {
        let loads = connect(&server, &loaded, workload, &workload_options, count);
        print_row(&loads, count, pairs, Duration::from_secs_f64(seconds));
    }
    schemas.remove().expect("the schemas are dropped");
    server.stop().expect("the server stops");
}

fn connect(
    server: &Server,
    loaded: &[SchemaOutcome],
    workload: Workload,
    workload_options: &Options,
    threads: u32,
) -> Vec<Load> {
    let script = Arc::new(workload.script(workload_options));
    let start = |((charset, collation, id), loaded): (&(&str, &str, u8), &SchemaOutcome)| {
        let SchemaOutcome::Schema { name } = loaded else { panic!("{loaded:?}") };
        let target = Target::new(server, name);
        let connection = ConnectionCharset {
            charset: (*charset).into(),
            collation: Some((*collation).into()),
            handshake_collation: *id,
        };
        let settings = Settings { pinned: true, ..Settings::new(threads, connection) };
        let load = Load::start(target, &settings, &script).expect("the load connects");
        assert_eq!(*load.binding(), Binding::Bound);
        load
    };
    SIDES.iter().zip(loaded).map(start).collect()
}

fn print_row(loads: &[Load], count: u32, pairs: usize, length: Duration) {
    let both: Vec<&Load> = loads.iter().collect();
    let duet = |length| {
        figures(
            &run_block(&both, Sharing::Turns(SHORTEST_TURN), LEAD_IN, length).expect("the duet runs without an error"),
        )
    };
    let solo = |length: Duration| {
        let tallies: Vec<Tally> = loads
            .iter()
            .map(|load| {
                run_block(&[load], Sharing::Together, LEAD_IN, length / 2)
                    .expect("the solo runs without an error")
                    .remove(0)
            })
            .collect();
        figures(&tallies)
    };
    // Warms up and lets the length of a turn adapt.
    duet(Duration::from_secs(1));
    let measured: Vec<(Figures, Figures)> = (0..pairs)
        .map(|pair| {
            if pair % 2 == 0 {
                let duet = duet(length);
                (duet, solo(length))
            } else {
                let solo = solo(length);
                (duet(length), solo)
            }
        })
        .collect();
    let ratio = |figures: &Figures| figures.cpu_us[1] / figures.cpu_us[0];
    // Geometric mean of both sides.
    let mean_rate = |figures: &Figures| (figures.queries_per_s[0] * figures.queries_per_s[1]).sqrt();
    println!("| {count} | {} | {} |", format_means(&measured, &ratio, 3), format_means(&measured, &mean_rate, 0),);
}

/// Formats the means of duets, of solos, and of their relative differences.
fn format_means(measured: &[(Figures, Figures)], figure: &dyn Fn(&Figures) -> f64, digits: usize) -> String {
    let mean = |figures: Vec<f64>| figures.iter().sum::<f64>() / figures.len() as f64;
    let duets = mean(measured.iter().map(|(duet, _)| figure(duet)).collect());
    let solos = mean(measured.iter().map(|(_, solo)| figure(solo)).collect());
    let differences: Vec<f64> =
        measured.iter().map(|(duet, solo)| (figure(duet) / figure(solo) - 1.0) * 100.0).collect();
    let difference = mean_with_interval(&differences).map_or("-".into(), |difference| {
        format!("{:+.1} % ({:+.1} … {:+.1})", difference.value, difference.low, difference.high)
    });
    format!("{duets:.digits$} | {solos:.digits$} | {difference}")
}

fn figures(tallies: &[Tally]) -> Figures {
    let of = |tally: &Tally| {
        let cpu = tally.server_cpu_ns.expect("the server's threads are found") as f64;
        (cpu / 1e3 / tally.all_queries as f64, tally.queries as f64 / tally.seconds)
    };
    let [base, variant] = [of(&tallies[0]), of(&tallies[1])];
    Figures { cpu_us: [base.0, variant.0], queries_per_s: [base.1, variant.1] }
}
