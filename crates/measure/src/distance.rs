//! How far away servers are, and how many connections a variant has where nobody says.

use std::thread;
use std::time::{Duration, Instant};

use server::Server;

/// A round trip of a statement as long as this is through a network. Over a Unix socket or TCP on the same machine it is some 50 µs.
const FAR: Duration = Duration::from_micros(300);

/// How often a round trip is timed; the shortest counts, as a busy machine makes others longer.
const TRIPS: u32 = 20;

/// The most connections that a variant has where nobody says how many.
const MOST_BY_DEFAULT: u32 = 16;

/// How far away the servers of a run are, as far as it matters for how many connections are best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Distance {
    /// All are started for the run: their threads are bound to cores.
    Private,
    /// One runs already, on this machine or as near: its threads and the client's are where the operating system puts them.
    Near,
    /// All are far enough that connections wait for the network more than for cores.
    Far,
}

impl Distance {
    /// What is known of it before servers are asked: whether one runs already.
    pub fn supposed(run_already: bool) -> Self {
        if run_already { Self::Near } else { Self::Private }
    }

    /// That of these servers. Those that run already are asked.
    pub fn of(servers: &[Server]) -> Result<Self, server::Error> {
        if servers.iter().all(Server::is_private) {
            return Ok(Self::Private);
        }
        for server in servers {
            if server.is_private() || round_trip(server)? < FAR {
                return Ok(Self::Near);
            }
        }
        Ok(Self::Far)
    }
}

/// How long a server takes to answer that it is there.
fn round_trip(server: &Server) -> Result<Duration, server::Error> {
    let mut conn = server.control()?;
    let mut shortest = Duration::MAX;
    for _ in 0..TRIPS {
        let begun = Instant::now();
        conn.ping().map_err(|source| server::Error::Statement {
            label: server.label().into(),
            what: "answer a ping",
            source,
        })?;
        shortest = shortest.min(begun.elapsed());
    }
    Ok(shortest)
}

/// How many connections a variant has where nobody says: as many as this machine has cores, up to 16, and fewer where servers run already,
/// so that their threads are not bound to cores. From far away 16: with one, a server is busy for a twentieth of a turn, and as few statements
/// leave its CPU time a query uncertain (docs/measurement.md).
pub fn default_connections(distance: Distance) -> u32 {
    match distance {
        Distance::Private => cores().min(MOST_BY_DEFAULT),
        Distance::Near => unbound_connections(cores()).min(MOST_BY_DEFAULT),
        Distance::Far => MOST_BY_DEFAULT,
    }
}

/// How many connections a variant may have where their threads are not bound to cores: each has two cores for itself, one for its
/// thread here and one for the server's. With more, which threads share a core decides between speeds far apart, and stays for a good
/// part of a block. With MariaDB 10.11 on two cores, A/A pairs of ten seconds each were ± 7.4 % wide with eight connections, and ± 1.4 % with
/// one: medians (docs/measurement.md).
pub(crate) fn advised_unbound() -> u32 {
    unbound_connections(cores())
}

const fn unbound_connections(cores: u32) -> u32 {
    if cores < 2 { 1 } else { cores / 2 }
}

fn cores() -> u32 {
    thread::available_parallelism().map_or(1, usize::from) as u32
}
