//! Command line of the program that feeds the readers.

use std::process::Command;

fn run(arguments: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_fuzz")).args(arguments).output().unwrap();
    (
        output.status.code(),
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr),
    )
}

#[test]
fn unknown_reader_is_refused_with_the_readers() {
    let (code, printed) = run(&["no-reader"]);
    assert_eq!(code, Some(1), "{printed}");
    assert!(printed.contains("unknown reader no-reader; the readers are "), "{printed}");
}

#[test]
fn a_second_of_a_reader_finds_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (code, printed) = run(&["recipe", "--seconds", "1", "--findings", folder.path().to_str().unwrap()]);
    assert_eq!(code, Some(0), "{printed}");
}
