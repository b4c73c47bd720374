//! The thread that serves a connection is found by its work. In a process of its own: beside other tests, their threads work too.

use std::convert::Infallible;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use drive::{ServerThread, own_cpu};
use rustix::process::{Pid, Signal, kill_process};

const WORK: Duration = Duration::from_millis(20);

#[test]
fn the_thread_that_works_is_found_and_its_time_grows() {
    let (work, order) = channel::<()>();
    let (done, answer) = channel();
    let worker = thread::spawn(move || {
        for () in order {
            let before = own_cpu();
            while own_cpu() < before + WORK {}
            done.send(()).unwrap();
        }
    });
    let run = |_: &str| {
        work.send(()).unwrap();
        answer.recv().unwrap();
        Ok::<(), Infallible>(())
    };
    let Ok(found) = ServerThread::find(std::process::id(), run);
    let found = found.unwrap();
    let before = found.cpu().unwrap();
    let Ok(()) = run("");
    let grown = found.cpu().unwrap() - before;
    assert!(grown >= WORK && grown < 2 * WORK, "{grown:?}");
    drop(work);
    worker.join().unwrap();
    assert_eq!(found.cpu(), None);
}

#[test]
fn the_time_of_a_thread_that_is_stopped_is_told() {
    // Counts to 20,000, some 20 ms of work, for each line.
    let script = "while read line; do i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; echo; done";
    let mut worker =
        Command::new("sh").args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut work = worker.stdin.take().unwrap();
    let mut answers = BufReader::new(worker.stdout.take().unwrap());
    let run = |_: &str| {
        writeln!(work).unwrap();
        answers.read_line(&mut String::new()).unwrap();
        Ok::<(), Infallible>(())
    };
    let Ok(found) = ServerThread::find(worker.id(), run);
    let found = found.unwrap();
    let before = found.cpu().unwrap();
    kill_process(Pid::from_child(&worker), Signal::STOP).unwrap();
    let stopped = found.cpu();
    worker.kill().unwrap();
    worker.wait().unwrap();
    assert!(stopped.is_some_and(|time| time >= before), "{stopped:?}");
    assert_eq!(found.cpu(), None);
}
