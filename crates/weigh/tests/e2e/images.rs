//! Two servers from a registry on loopback, compared.

use std::process::Command;

use crate::place::{Place, SMALL};
use crate::registry::{Registry, architecture, layout, root_of, tar};

/// Pushes a server of the catalogue as an image.
fn push(registry: &Registry, catalogue_name: &str, image: &str) {
    let options = server::Options { buffer_pool: Some(64 << 20), ..server::Options::default() };
    let server = server::open(&catalogue_name.parse().unwrap(), &options, &server::NoProgress).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("root.tar");
    tar(&root_of(&server), &archive);
    let (layout, _) = layout(folder.path(), &[archive], architecture());
    registry.push(&layout, image, &[]);
}

#[test]
fn images_of_a_registry_are_compared_and_the_second_time_without_it() {
    let registry = Registry::start();
    push(&registry, "mariadb@trixie", "mariadb:11.8");
    push(&registry, "mysql@sid", "mysql:9.7");
    let names = [registry.name("mariadb:11.8"), registry.name("mysql:9.7")];
    let cache = tempfile::tempdir().unwrap();
    let bench = |place: &Place| {
        let servers = names.iter().flat_map(|name| ["--server", name.as_str()]);
        let words: Vec<&str> =
            ["-c", "utf8mb4_general_ci", "-w", "distinct_ranges:10"].into_iter().chain(servers).collect();
        let mut command: Command = place.bench(&SMALL, &words);
        command.env("WEIGH_CACHE", cache.path());
        let done = place.end(command.spawn().unwrap());
        assert_eq!(done.code, Some(0), "{done}");
        let measured = place.read();
        measured.assert_complete();
        assert_eq!(measured.run.servers.iter().map(|server| &server.label).collect::<Vec<_>>(), names.each_ref());
        for words in [&names[0], &names[1], "MariaDB 11.8", "utf8mb4_general_ci"] {
            assert!(done.stdout.contains(words), "{words}: {done}");
        }
    };
    bench(&Place::new());
    let place = Place::new();
    let mut list = place.weigh(&["servers", "list"]);
    let listed = place.end(list.env("WEIGH_CACHE", cache.path()).spawn().unwrap());
    assert!(names.iter().all(|name| listed.stdout.contains(name.as_str())), "{listed}");
    drop(registry);
    bench(&Place::new());
    // Asked for anew, it would have to be there.
    let mut install = place.weigh(&["servers", "install", &names[0]]);
    let refused = place.end(install.env("WEIGH_CACHE", cache.path()).spawn().unwrap());
    refused.refuses_with(&["cannot install", &names[0], "cannot be reached", "Check the network"]);
}
