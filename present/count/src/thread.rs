//! The thread of a connection, among all threads of a server.

use crate::callgrind::Callgrind;
use crate::dump::ThreadInstructions;
use crate::error::Error;
use crate::session::Session;

/// Numbers of repetitions to try. More of them make the connection's work stand out more.
const REPETITIONS: [u32; 3] = [10_000, 20_000, 80_000];

/// Least number of instructions of one repetition.
const MIN_INSTRUCTIONS: u64 = 100;

/// Finds the connection's thread: its instructions double when the same statement repeats its work
/// twice as often. A background thread can execute more, but not in step. After rows were loaded,
/// MariaDB 11.4's have more to do than a connection.
pub(crate) fn find_thread(callgrind: &Callgrind<'_>, session: &mut Session<'_>, server: &str) -> Result<u32, Error> {
    for repetitions in REPETITIONS {
        let mut count = |repetitions| {
            callgrind.reset()?;
            session.repeat_work(repetitions)?;
            callgrind.take()
        };
        let (once, twice) = (count(repetitions)?, count(2 * repetitions)?);
        if let [thread] = doubled(&once, &twice, u64::from(repetitions) * MIN_INSTRUCTIONS)[..] {
            return Ok(thread);
        }
    }
    Err(Error::NoThread { server: server.to_owned() })
}

/// Returns the threads whose instructions about double, of those with `least` instructions or more.
fn doubled(once: &[ThreadInstructions], twice: &[ThreadInstructions], least: u64) -> Vec<u32> {
    let is_doubled = |one: &&ThreadInstructions| {
        let second = twice.iter().find(|other| other.thread == one.thread).map_or(0, |count| count.instructions);
        let ratio = second as f64 / one.instructions.max(1) as f64;
        one.instructions >= least && (1.9..2.1).contains(&ratio)
    };
    once.iter().filter(is_doubled).map(|count| count.thread).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(threads: &[(u32, u64)]) -> Vec<ThreadInstructions> {
        let count = |&(thread, instructions)| ThreadInstructions { thread, instructions, ..Default::default() };
        threads.iter().map(count).collect()
    }

    #[test]
    fn the_connection_works_in_step_with_its_statement() {
        let once = counts(&[(1, 90_000_000), (2, 5_000_000), (3, 10)]);
        assert_eq!(doubled(&once, &counts(&[(1, 95_000_000), (2, 10_010_000), (3, 20)]), 1_000_000), [2]);
        assert!(doubled(&once, &counts(&[(1, 10), (3, 20)]), 1_000_000).is_empty());
    }
}
