//! sysbench as a process: what it says is read, and it does not outlive its owner.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use server::interrupt;

use crate::error::Error;

const POLL: Duration = Duration::from_millis(20);

/// The end of what it prints that is kept, in bytes: a script may print for each event, and the report comes last.
const KEPT: usize = 64 << 10;

/// A process of sysbench.
pub(super) struct Running {
    child: Child,
    /// What it prints, and says of errors.
    output: [Option<JoinHandle<String>>; 2],
}

impl Running {
    pub(super) fn start(mut command: Command) -> Result<Self, Error> {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(Error::NoSysbench)?;
        let output = [child.stdout.take().map(read_end), child.stderr.take().map(read_end)];
        Ok(Self { child, output })
    }

    /// Waits for its end, and asks meanwhile whether to go on waiting. Returns what it has printed.
    pub(super) fn finish(mut self, server: &str, go_on: impl Fn() -> Result<(), Error>) -> Result<String, Error> {
        let failed = |reason: String| Error::Sysbench { server: server.to_owned(), reason };
        let status = loop {
            match self.child.try_wait().map_err(|error| failed(error.to_string()))? {
                Some(status) => break status,
                None if interrupt::interrupted() => return Err(failed("interrupted".into())),
                None => go_on()?,
            }
            thread::sleep(POLL);
        };
        let read = self.output.iter_mut().filter_map(Option::take).filter_map(|reader| reader.join().ok());
        let output: String = read.collect();
        if !status.success() {
            let reason = output.lines().find(|line| line.contains("FATAL")).or_else(|| output.lines().last());
            return Err(failed(reason.unwrap_or("no output").to_owned()));
        }
        Ok(output)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail for a child that has ended, which is what is wanted.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads a pipe on a thread of its own, so that whoever writes to it never waits.
fn read_end(mut pipe: impl Read + Send + 'static) -> JoinHandle<String> {
    thread::spawn(move || {
        let (mut end, mut buffer) = (Vec::new(), [0; 8192]);
        while let Ok(length @ 1..) = pipe.read(&mut buffer) {
            end.extend_from_slice(&buffer[..length]);
            if end.len() > 2 * KEPT {
                end.drain(..end.len() - KEPT);
            }
        }
        String::from_utf8_lossy(&end).into_owned()
    })
}
