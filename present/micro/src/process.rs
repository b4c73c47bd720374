//! Times the engine in a separate process, a new one per round. The addresses of code, tables and
//! texts differ between processes and change a comparison's time by up to 10 %. Rounds in a single
//! process differ by ± 2 % only: their interval would be too narrow for the next process.

use std::convert::Infallible;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use mysql_collation::Collation;
use serde::{Deserialize, Serialize};

use crate::engine::{InProcessComparison, Memcmp};
use crate::error::Error;
use crate::instruction_set::InstructionSet;
use crate::session::EncodedPair;
use crate::timing::{TimedOperation, calibrate, nanoseconds_each};

/// Time that a reply may take in addition to ten times the duration of all requested timings.
const REPLY_ALLOWANCE: Duration = Duration::from_secs(60);
/// Interval at which waiting checks for a signal.
const SIGNAL_CHECK: Duration = Duration::from_millis(100);

/// A request to time one comparison. A line of JSON on the process's standard input.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct TimingRequest {
    /// Approximate duration of one timing in the engine.
    pub(crate) time: Duration,
    pub(crate) pair: EncodedPair,
    /// Flavour and name of the collation, such as `mysql` and `utf8mb4_bin`. `None` if the engine
    /// lacks the collation.
    pub(crate) collation: Option<(String, String)>,
    /// Names of instruction sets, in the order of timing. Empty: the machine's best.
    pub(crate) instruction_sets: Vec<String>,
}

/// Reply to a [`TimingRequest`]: times in ns. A line of JSON on standard output.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct TimingReply {
    /// Time of one comparison per instruction set, in the request's order. Empty if the engine
    /// lacks the collation.
    pub(crate) engine: Vec<f64>,
    /// Time of `memcmp` of the first string with a copy.
    pub(crate) memcmp: f64,
}

/// Replies to requests, line by line, until the input ends. The main loop of the engine's process.
pub fn serve_timing_requests(requests: impl BufRead, mut replies: impl Write) -> io::Result<()> {
    for timing_request in requests.lines() {
        let timing_request: TimingRequest = serde_json::from_str(&timing_request?)?;
        serde_json::to_writer(&mut replies, &timing_request.reply()?)?;
        writeln!(replies)?;
        replies.flush()?;
    }
    Ok(())
}

impl TimingRequest {
    fn reply(&self) -> io::Result<TimingReply> {
        let mut engine = Vec::new();
        if let Some((flavour, name)) = &self.collation {
            let flavour = flavour.parse().map_err(io::Error::other)?;
            let collation = Collation::by_name(flavour, name).map_err(io::Error::other)?;
            for instruction_set in self.instruction_sets()? {
                let (a, b) = (&self.pair.a, &self.pair.b);
                engine.push(time_once(&mut InProcessComparison { instruction_set, collation, a, b }, self.time));
            }
        }
        Ok(TimingReply { engine, memcmp: time_once(&mut Memcmp::new(&self.pair.a), self.time) })
    }

    fn instruction_sets(&self) -> io::Result<Vec<Option<InstructionSet>>> {
        if self.instruction_sets.is_empty() {
            return Ok(vec![None]);
        }
        let named = |name: &String| name.parse().map(Some).map_err(io::Error::other);
        self.instruction_sets.iter().map(named).collect()
    }
}

/// Returns the time of one operation, in ns, from one timing of about `time`.
fn time_once<S: TimedOperation<Error = Infallible>>(subject: &mut S, time: Duration) -> f64 {
    let Ok(times) = calibrate(subject, time);
    let Ok(took) = subject.time(times);
    nanoseconds_each(took, times)
}

/// The process that times the engine, and its pipes. Dropping the value kills and reaps the
/// process.
pub(crate) struct EngineProcess {
    child: Child,
    requests: ChildStdin,
    replies: Receiver<io::Result<String>>,
}

impl EngineProcess {
    pub(crate) fn start(mut command: Command) -> Result<Self, Error> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = lifecycle::spawn_supervised(command).map_err(engine_error("start"))?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let Some((requests, output)) = pipes else { unreachable!("both were asked for") };
        let (sender, replies) = channel();
        // The thread ends when the process closes its output.
        thread::spawn(move || BufReader::new(output).lines().try_for_each(|line| sender.send(line)));
        Ok(Self { child, requests, replies })
    }

    pub(crate) fn request(&mut self, timing_request: &TimingRequest) -> Result<TimingReply, Error> {
        let line = serde_json::to_string(timing_request).map_err(io::Error::from).map_err(engine_error("be asked"))?;
        writeln!(self.requests, "{line}").map_err(engine_error("be asked"))?;
        let timed = timing_request.time * (timing_request.instruction_sets.len() as u32 + 2);
        let reply = self.wait_for_reply(Instant::now() + REPLY_ALLOWANCE + 10 * timed)?;
        serde_json::from_str(&reply).map_err(io::Error::from).map_err(engine_error("answer"))
    }

    fn wait_for_reply(&self, limit: Instant) -> Result<String, Error> {
        loop {
            match self.replies.recv_timeout(SIGNAL_CHECK) {
                Ok(reply) => return reply.map_err(engine_error("answer")),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(engine_error("answer")(io::ErrorKind::BrokenPipe.into()));
                }
                Err(RecvTimeoutError::Timeout) if Instant::now() > limit => {
                    return Err(engine_error("answer")(io::ErrorKind::TimedOut.into()));
                }
                Err(RecvTimeoutError::Timeout) => lifecycle::interrupt::check()?,
            }
        }
    }
}

impl Drop for EngineProcess {
    fn drop(&mut self) {
        // `wait` reaps the process, even if the process has ended by itself. Errors have no remedy.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn engine_error(what: &'static str) -> impl Fn(io::Error) -> Error {
    move |source| Error::Engine { what, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn serve_twice(timing_request: &TimingRequest) -> io::Result<Vec<TimingReply>> {
        let line = serde_json::to_string(timing_request).unwrap();
        let mut replies = Vec::new();
        serve_timing_requests(format!("{line}\n{line}\n").as_bytes(), &mut replies)?;
        Ok(replies.split_inclusive(|&byte| byte == b'\n').map(|line| serde_json::from_slice(line).unwrap()).collect())
    }

    fn timing_request(collation: Option<(&str, &str)>, instruction_sets: &[&str]) -> TimingRequest {
        TimingRequest {
            time: Duration::from_micros(100),
            pair: EncodedPair { a: b"abc".to_vec(), b: b"ABC".to_vec() },
            collation: collation.map(|(flavour, name)| (flavour.into(), name.into())),
            instruction_sets: instruction_sets.iter().map(|name| (*name).into()).collect(),
        }
    }

    #[test]
    fn replies_to_each_request_with_a_time_per_instruction_set() {
        let general_ci = Some(("mariadb", "utf8mb4_general_ci"));
        let all: Vec<&str> = InstructionSet::all().map(InstructionSet::name).collect();
        for (timing_request, times) in [
            (timing_request(general_ci, &[]), 1),
            (timing_request(general_ci, &all), all.len()),
            (timing_request(None, &all), 0),
        ] {
            let replies = serve_twice(&timing_request).unwrap();
            assert_eq!(replies.len(), 2);
            for reply in replies {
                assert_eq!(reply.engine.len(), times);
                assert!(reply.engine.iter().all(|&time| time > 0.0) && reply.memcmp > 0.0, "{reply:?}");
            }
        }
    }

    #[test]
    fn rejects_unknown_collations_and_instruction_sets() {
        assert!(serve_twice(&timing_request(Some(("mysql", "utf8mb4_genral_ci")), &[])).is_err());
        assert!(serve_twice(&timing_request(Some(("mysql", "utf8mb4_bin")), &["altivec"])).is_err());
    }

    #[test]
    fn reports_a_process_that_ends_or_prints_garbage() {
        for program in ["true", "echo"] {
            let mut process = EngineProcess::start(Command::new(program)).unwrap();
            let error = process.request(&timing_request(None, &[])).unwrap_err();
            assert!(matches!(error, Error::Engine { .. }), "{error}");
        }
    }
}
