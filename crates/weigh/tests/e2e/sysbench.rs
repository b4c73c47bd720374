//! `--driver sysbench`: the real one, and a clear word where it is not installed.

use std::fs;

use measure::Driver;
use server::{NoProgress, Tool};

use crate::place::{Done, Place, SMALL};

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

/// A script as its users write them: options, tables, one statement.
const OWN: &str = r#"
sysbench.cmdline.options = { rows = { "Rows of the table", 50 } }

function prepare()
   local con = sysbench.sql.driver():connect()
   con:query("CREATE TABLE words (id INT PRIMARY KEY, word VARCHAR(40)COLLATION, KEY (word))")
   con:bulk_insert_init("INSERT INTO words VALUES")
   for id = 1, sysbench.opt.rows do
      con:bulk_insert_next(string.format("(%d, 'word %d')", id, id % 50))
   end
   con:bulk_insert_done()
end

function thread_init()
   con = sysbench.sql.driver():connect()
end

function event()
   print("more than a pipe holds, over all events")
   con:query("SELECT COUNT(*) FROM words WHERE word = 'Word " .. sysbench.rand.uniform(1, 50) .. "'")
end
"#;

fn own(place: &Place, script: &str, words: &[&str]) -> Done {
    Tool::Sysbench.find_or_install(&NoProgress).unwrap();
    fs::write(place.root().join("own.lua"), script).unwrap();
    let fixed = ["--driver=sysbench", "--script=own.lua", "--server=mariadb", "--block=1s", "--max-time=30s"];
    let sides = ["--baseline=utf8mb4_bin", "-c", "utf8mb4_bin,utf8mb4_general_ci"];
    place.end(place.bench(&SMALL[1..], &[&fixed[..], &sides, words].concat()).spawn().unwrap())
}

#[test]
fn a_script_of_ones_own() {
    let place = Place::new();
    let done = own(&place, &OWN.replace("COLLATION", ""), &["--script-option=rows=300"]);
    assert_eq!(done.code, Some(0), "{done}");
    let measured = place.read();
    measured.assert_complete();
    let script = measured.run.script.as_ref().unwrap();
    assert_eq!((script.name.as_str(), script.options.as_slice()), ("own", &["rows=300".to_owned()][..]));
    assert_eq!(measured.run.conditions[0].workload, "own");
    for variant in &measured.run.variants {
        let column = &variant.layers.as_ref().unwrap().column;
        assert_eq!(
            column.as_ref().unwrap().collation,
            variant.collation,
            "the script's tables follow the schema's default"
        );
    }
    assert!(done.stdout.contains("own") && !measured.notes().contains("other rows"), "{done}");
}

#[test]
fn a_script_that_can_not_be_measured_is_told() {
    let place = Place::new();
    let done = own(&place, &OWN.replace("COLLATION", " CHARACTER SET latin1"), &[]);
    done.refuses_with(&["own.lua prepares no text column with its schema's default collation (words.word latin1_"]);
    let done = own(&place, "function event() end\n", &[]);
    done.refuses_with(&["mariadb: sysbench failed: ", "prepare"]);
    let done = own(&place, &OWN.replace("COLLATION", ""), &["--script-option=rws=300"]);
    done.refuses_with(&["sysbench failed: ", "rws"]);
    assert!(!place.out().exists());
}
