//! What a `weigh` that was killed leaves on a server that is not its own: found by a later one, and dropped without touching anything else.

use rustix::process::Signal;

use crate::attach::{Foreign, ONE, PASSWORD};
use crate::place::{Done, ENDLESS, Place, SMALL, eventually, send};

fn clean(foreign: &Foreign, words: &[&str]) -> Done {
    let place = Place::new();
    let socket = foreign.socket();
    let all =
        [&["servers", "clean", "--no-defaults", "--user=bench", "--socket", socket.to_str().unwrap()], words].concat();
    let done = place.end(place.weigh(&all).env("MYSQL_PWD", PASSWORD).spawn().unwrap());
    assert_eq!(done.code, Some(0), "{done}");
    done
}

/// Schemas that look like `weigh`'s, but are not: a marker that says less; one of another server; one under a strange name.
fn forge(foreign: &Foreign, left: &str) -> Vec<String> {
    let forged = ["weigh_forged_1", "weigh_forged_2", "weigh_forged_3"];
    for schema in forged {
        foreign.run(&format!("CREATE DATABASE {schema}"));
    }
    foreign.run("CREATE TABLE weigh_forged_1.weigh_marker (run VARCHAR(64))");
    foreign.run("INSERT INTO weigh_forged_1.weigh_marker VALUES ('forged')");
    foreign.run(&format!("CREATE TABLE weigh_forged_2.weigh_marker SELECT * FROM {left}.weigh_marker"));
    foreign.run("UPDATE weigh_forged_2.weigh_marker SET run = 'forged', server = 'replica:3306:2'");
    foreign.run(&format!("CREATE TABLE weigh_forged_3.weigh_marker SELECT * FROM {left}.weigh_marker"));
    forged.map(str::to_owned).to_vec()
}

fn is_found_and_dropped(spec: &str) {
    let foreign = Foreign::start(spec);
    let (killed, living) = (Place::new(), Place::new());
    let mut child = foreign.bench_as_account(&killed, &ENDLESS, &ONE);
    killed.wait_for_blocks(&mut child);
    send(Signal::KILL, child.id());
    child.wait().unwrap();
    let left: Vec<String> = foreign.schemas().into_iter().filter(|schema| schema != "weigh_mine").collect();
    assert!(!left.is_empty(), "nobody was left to drop them");
    let forged = forge(&foreign, &left[0]);
    let mut child = foreign.bench_as_account(&living, &ENDLESS, &ONE);
    living.wait_for_blocks(&mut child);
    let alive: Vec<String> = foreign.schemas().into_iter().filter(|schema| !left.contains(schema)).collect();
    assert!(alive.len() > forged.len() + 1, "{alive:?}");

    // The server notices in its own time that nobody is there any more.
    let told = |done: &Done| left.iter().all(|schema| done.stdout.contains(schema));
    eventually("what was left is found", || told(&clean(&foreign, &["--dry-run"])));
    let place = Place::new();
    let later = place.end(foreign.bench_as_account(&place, &SMALL, &ONE));
    assert!(later.code == Some(0) && later.stderr.contains(&left[0]), "{later}");
    assert!(later.stderr.contains("weigh servers clean"), "{later}");

    let done = clean(&foreign, &[]);
    assert!(told(&done) && done.stdout.lines().count() == left.len(), "{done}");
    assert_eq!(foreign.schemas(), alive, "no more and no less");
    assert!(clean(&foreign, &[]).stdout.contains("no weigh that was killed has left anything"));

    let before = living.read().blocks.len();
    eventually("the other run goes on", || living.read().blocks.len() > before);
    send(Signal::INT, child.id());
    assert_eq!(living.end(child).code, Some(130));
    for schema in forged {
        foreign.run(&format!("DROP DATABASE {schema}"));
    }
    foreign.assert_untouched();
}

#[test]
fn on_mariadb() {
    is_found_and_dropped("mariadb");
}

#[test]
fn on_an_old_mysql() {
    is_found_and_dropped("mysql@5.6");
}

#[test]
fn on_mysql() {
    is_found_and_dropped("mysql@sid");
}

#[test]
fn a_private_server_has_nothing_to_clean() {
    let place = Place::new();
    let refused = place.end(place.weigh(&["servers", "clean", "--server=mariadb"]).spawn().unwrap());
    refused.refuses_with(&["takes its schemas with it", "--socket"]);
}
