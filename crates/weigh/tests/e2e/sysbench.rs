//! `--driver sysbench`: the real one, and a clear word where it is not installed.

use measure::Driver;
use server::{NoProgress, Tool};

use crate::place::{Place, SMALL};

#[test]
fn where_there_is_none_it_is_told() {
    let place = Place::new();
    let mut command = place.bench(&SMALL, &["--driver=sysbench", "-w", "oltp_point_select", "-c", "utf8mb4_bin"]);
    let nowhere = [("PATH", "/nonexistent"), ("WEIGH_CACHE", "/nonexistent")];
    let done = place.end(command.envs(nowhere).spawn().unwrap());
    done.refuses_with(&["sysbench", "install it", "--driver sysbench"]);
    assert!(!place.out().exists());
}

#[test]
fn the_real_one() {
    Tool::Sysbench.find_or_install(&NoProgress).unwrap();
    let words = [
        "--driver=sysbench",
        "-w",
        "oltp_read_only",
        "-c",
        "utf8mb4_general_ci",
        "--block=1s",
        "--max-time=12s",
        "--precision=50%",
    ];
    let measured = Place::new().measured(&words);
    measured.assert_complete();
    assert_eq!(measured.run.options.driver, Driver::Sysbench);
    assert!(measured.blocks.iter().flat_map(|block| &block.sides).all(|side| side.rows.is_none() && side.queries > 0));
}
