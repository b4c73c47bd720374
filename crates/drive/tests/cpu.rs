//! The thread that serves a connection is found by its work. In a process of its own: beside other tests, their threads work too.

use std::convert::Infallible;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use drive::{ServerThread, own_cpu};

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
