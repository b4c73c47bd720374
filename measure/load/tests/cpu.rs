//! Finds the thread of a connection by its work. In a separate process: threads of other tests
//! would disturb it.

use std::convert::Infallible;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use load::{ServerThread, thread_cpu_time};
use rustix::process::{Pid, Signal, kill_process};

const WORK: Duration = Duration::from_millis(20);

#[test]
fn finds_working_thread_and_its_time() {
    let (work, order) = channel::<()>();
    let (done, answer) = channel();
    let worker = thread::spawn(move || {
        for () in order {
            let before = thread_cpu_time();
            while thread_cpu_time() < before + WORK {}
            done.send(thread_cpu_time() - before).unwrap();
        }
    });
    let work_once = || {
        work.send(()).unwrap();
        answer.recv().unwrap()
    };
    let run = |_: &str| {
        work_once();
        Ok::<(), Infallible>(())
    };
    let Ok(found) = ServerThread::find(std::process::id(), run);
    let found = found.unwrap();
    let before = found.cpu().unwrap();
    // By the thread's own clock. A hypervisor that takes the core lengthens both.
    let own: Duration = work_once();
    let grown = found.cpu().unwrap() - before;
    assert!(grown >= own && grown < own + WORK, "{grown:?}, {own:?}");
    drop(work);
    worker.join().unwrap();
    assert_eq!(found.cpu(), None);
}

#[test]
fn reads_time_of_a_stopped_thread() {
    // For each input line, counts to 20,000: about 20 ms of work.
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
