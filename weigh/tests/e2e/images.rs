//! Two servers from a local registry, compared.

use std::process::Command;

use crate::registry::{Registry, architecture, layout, root_of, tar};
use crate::workspace::{SMALL, Workspace};

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
fn compares_images_and_needs_the_registry_once() {
    let registry = Registry::start();
    push(&registry, "mariadb@trixie", "mariadb:11.8");
    push(&registry, "mysql@sid", "mysql:9.7");
    let names = [registry.name("mariadb:11.8"), registry.name("mysql:9.7")];
    let cache = tempfile::tempdir().unwrap();
    let bench = |workspace: &Workspace| {
        let servers = names.iter().flat_map(|name| ["--server", name.as_str()]);
        let words: Vec<&str> =
            ["-c", "utf8mb4_general_ci", "-w", "distinct_ranges:10"].into_iter().chain(servers).collect();
        let mut command: Command = workspace.bench(&SMALL, &words);
        command.env("WEIGH_CACHE", cache.path());
        let finished = workspace.wait_for_end(command.spawn().unwrap());
        assert_eq!(finished.code, Some(0), "{finished}");
        let measured = workspace.read();
        measured.assert_complete();
        assert_eq!(measured.run.servers.iter().map(|server| &server.label).collect::<Vec<_>>(), names.each_ref());
        for words in [&names[0], &names[1], "MariaDB 11.8", "utf8mb4_general_ci"] {
            assert!(finished.stdout.contains(words), "{words}: {finished}");
        }
    };
    bench(&Workspace::new());
    let workspace = Workspace::new();
    let mut list = workspace.weigh(&["servers", "list"]);
    let listed = workspace.wait_for_end(list.env("WEIGH_CACHE", cache.path()).spawn().unwrap());
    assert!(names.iter().all(|name| listed.stdout.contains(name.as_str())), "{listed}");
    drop(registry);
    bench(&Workspace::new());
    // Another install would have to contact the registry.
    let mut install = workspace.weigh(&["servers", "install", &names[0]]);
    let refused = workspace.wait_for_end(install.env("WEIGH_CACHE", cache.path()).spawn().unwrap());
    refused.refuses_with(&["cannot install", &names[0], "cannot be reached", "Check the network"]);
}
