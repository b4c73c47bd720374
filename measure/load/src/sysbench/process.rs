//! A sysbench process: reads its output and kills it when dropped.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use lifecycle::{interrupt, spawn_with_environment};

use crate::error::Error;

const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Minimum number of bytes kept from the end of a longer output. The report comes last, and a
/// script may print a line per event.
const MIN_KEPT_BYTES: usize = 64 << 10;

pub(super) struct SysbenchProcess {
    child: Child,
    /// Readers of standard output and standard error.
    output: [Option<JoinHandle<String>>; 2],
}

impl SysbenchProcess {
    pub(super) fn start(mut command: Command) -> Result<Self, Error> {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // A custom script may read the environment, such as LUA_PATH.
        let mut child = spawn_with_environment(command).map_err(Error::NoSysbench)?;
        let output = [child.stdout.take().map(read_tail), child.stderr.take().map(read_tail)];
        Ok(Self { child, output })
    }

    /// Waits for the process to end and returns its output. Calls `check` regularly; an error of
    /// `check` kills the process.
    pub(super) fn finish(mut self, server: &str, check: impl Fn() -> Result<(), Error>) -> Result<String, Error> {
        let sysbench_error = |reason: String| Error::Sysbench { server: server.to_owned(), reason };
        let status = loop {
            match self.child.try_wait().map_err(|error| sysbench_error(error.to_string()))? {
                Some(status) => break status,
                None if interrupt::is_pending() => return Err(sysbench_error("interrupted".into())),
                None => check()?,
            }
            thread::sleep(POLL_INTERVAL);
        };
        let read = self.output.iter_mut().filter_map(Option::take).filter_map(|reader| reader.join().ok());
        let output: String = read.collect();
        if !status.success() {
            let reason = output.lines().find(|line| line.contains("FATAL")).or_else(|| output.lines().last());
            return Err(sysbench_error(reason.unwrap_or("no output").to_owned()));
        }
        Ok(output)
    }
}

impl Drop for SysbenchProcess {
    fn drop(&mut self) {
        // An error means that the process has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads a pipe on a separate thread, so that the writer never blocks. Returns the last
/// [`MIN_KEPT_BYTES`] bytes or more.
fn read_tail(mut pipe: impl Read + Send + 'static) -> JoinHandle<String> {
    thread::spawn(move || {
        let (mut end, mut buffer) = (Vec::new(), [0; 8192]);
        while let Ok(length @ 1..) = pipe.read(&mut buffer) {
            end.extend_from_slice(&buffer[..length]);
            if end.len() > 2 * MIN_KEPT_BYTES {
                end.drain(..end.len() - MIN_KEPT_BYTES);
            }
        }
        String::from_utf8_lossy(&end).into_owned()
    })
}
