//! Settings of private instances: weigh's own, the user's option file, `--set`.

mod common;

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::sync::Mutex;

use common::{options, private};
use mysql::prelude::Queryable;
use server::{NoProgress, Options, Progress, open};

fn in_force(name: &str, options: &Options, setting: &str) -> String {
    let server = open(&name.parse().unwrap(), options, &NoProgress).unwrap();
    let mut settings = server.read_settings(&[setting]).unwrap();
    settings.remove(&setting.replace('-', "_")).unwrap_or_else(|| panic!("{name} lacks {setting}"))
}

fn failure(name: &str, options: &Options) -> String {
    open(&name.parse().unwrap(), options, &NoProgress).unwrap_err().to_string()
}

fn set(settings: &[(&str, &str)]) -> Options {
    let own = |(name, value): &(&str, &str)| format!("{name}={value}").parse().unwrap();
    Options { settings: settings.iter().map(own).collect(), ..options() }
}

#[test]
fn weigh_settings_are_in_force() {
    for name in ["mariadb", "mysql@5.6", "mysql@sid"] {
        let server = private(name);
        let names = ["innodb_buffer_pool_size", "innodb_flush_log_at_trx_commit", "log_bin", "skip_networking"];
        let settings = server.read_settings(&names).unwrap();
        let expected = ["67108864", "2", "OFF", "ON"];
        assert!(names.iter().zip(expected).all(|(name, value)| settings[*name] == value), "{name}: {settings:?}");
        let connections = &server.read_settings(&["max-connections"]).unwrap()["max_connections"];
        assert!(connections.parse::<u32>().unwrap() >= 54);
    }
}

/// Options of a server in production, whose folders do not exist here.
const PRODUCTION: &str = "[client]\nsocket = /run/prod/s.sock\n[mysqld]\ndatadir = /srv/prod\nsocket = /run/prod/s.sock\n\
    pid-file = /run/prod/s.pid\nlog-error = /var/log/prod/e.log\ntmpdir = /srv/prod-tmp\nslow_query_log = 1\n\
    slow-query-log-file = /var/log/prod/slow.log\ngeneral_log_file = /var/log/prod/general.log\nserver_id = 7\n\
    log-bin = /var/log/prod/bin\nrelay-log = /var/log/prod/relay\ninnodb_data_home_dir = /srv/prod\n\
    innodb_log_group_home_dir = /srv/redo\nsecure_file_priv = /srv/import\nplugin_dir = /opt/plugins\nport = 3307\n";

#[test]
fn servers_start_with_the_option_file_of_a_server_in_production() {
    let folder = common::open_folder();
    let file = folder.path().join("my.cnf");
    fs::write(&file, PRODUCTION).unwrap();
    let options = Options { defaults_file: Some(file), ..options() };
    for name in ["mariadb", "mariadb@10.1", "mariadb@11.8", "mysql@5.6", "mysql@5.7", "mysql@8.0", "mysql@sid"] {
        let server =
            open(&name.parse().unwrap(), &options, &NoProgress).unwrap_or_else(|error| panic!("{name}: {error}"));
        let own = server.temporary_folder().unwrap();
        let own = own.parent().unwrap().to_str().unwrap();
        let names = ["datadir", "tmpdir", "innodb_log_group_home_dir", "secure_file_priv"];
        let settings = server.read_settings(&names).unwrap();
        assert!(names.iter().all(|name| settings[*name].starts_with(own)), "{name}: {settings:?}");
        let settings = server.read_settings(&["slow_query_log_file", "server_id"]).unwrap();
        assert_eq!((&*settings["slow_query_log_file"], &*settings["server_id"]), ("slow.log", "7"), "{name}");
    }
}

#[test]
fn option_file_overrides_weigh_and_set_overrides_the_file() {
    let folder = common::open_folder();
    let file = folder.path().join("my own.cnf");
    let text = "[mysqld]\nsort_buffer_size=1M\njoin_buffer_size=1M\ninnodb_flush_log_at_trx_commit=1\nport=1\n\
                [client]\nsort_buffer_size=7\n";
    fs::write(&file, text).unwrap();
    let mut options = set(&[("sort-buffer-size", "2M"), ("character_set_server", "latin2")]);
    options.defaults_file = Some(file);
    for name in ["mariadb", "mysql@5.6", "mysql@sid"] {
        let server = open(&name.parse().unwrap(), &options, &NoProgress).unwrap();
        let names = ["sort_buffer_size", "join_buffer_size", "innodb_flush_log_at_trx_commit", "character_set_server"];
        let settings = server.read_settings(&names).unwrap();
        let expected = ["2097152", "1048576", "1", "latin2"];
        assert!(names.iter().zip(expected).all(|(name, value)| settings[*name] == value), "{name}: {settings:?}");
    }
}

/// Debian's option file has nothing but directives.
#[test]
fn included_option_files_apply_within_the_instance() {
    let folder = common::open_folder();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("conf.d")).unwrap();
    let redo = at("redo");
    fs::create_dir(&redo).unwrap();
    fs::set_permissions(&redo, fs::Permissions::from_mode(0o777)).unwrap();
    fs::write(at("my.cnf"), format!("[mysqld]\n!includedir {}\njoin_buffer_size=1M\n", at("conf.d").display()))
        .unwrap();
    let included = format!(
        "[mysqld]\nsort_buffer_size=1M\ninnodb-log-group-home-di={0}\ngeneral_log_file={0}/general.log\ngeneral_log=1\n",
        redo.display()
    );
    fs::write(at("conf.d/prod.cnf"), included).unwrap();
    let options = Options { defaults_file: Some(at("my.cnf")), ..options() };
    for name in ["mariadb", "mysql@5.7", "mysql@sid"] {
        let notes = Notes::default();
        let server = open(&name.parse().unwrap(), &options, &notes).unwrap_or_else(|error| panic!("{name}: {error}"));
        let settings = server.read_settings(&["sort_buffer_size", "join_buffer_size", "general_log_file"]).unwrap();
        let values = ["sort_buffer_size", "join_buffer_size", "general_log_file"].map(|name| settings[name].as_str());
        assert_eq!(values, ["1048576", "1048576", "general.log"], "{name}");
        assert_eq!(fs::read_dir(&redo).unwrap().count(), 0, "{name} wrote to a folder of the option file");
        // Noted once per process.
        assert_eq!(notes.0.lock().unwrap().contains("left out innodb_log_group_home_di,"), name == "mariadb", "{name}");
    }
}

/// Collects notes.
#[derive(Default)]
struct Notes(Mutex<String>);

impl Progress for Notes {
    fn step(&self, _description: &str) {}
    fn fraction(&self, _done: f64) {}
    fn note(&self, text: &str) {
        self.0.lock().unwrap().push_str(text);
    }
}

/// As root, each start has a user id of its own.
#[test]
fn a_log_that_set_names_takes_the_statements_of_every_start() {
    let folder = common::open_folder();
    for name in ["mariadb", "mysql@sid"] {
        let log = folder.path().join(format!("{name}.log"));
        for start in ["first_start", "second_start"] {
            let options = set(&[("general_log_file", log.to_str().unwrap()), ("general_log", "1")]);
            let server = open(&name.parse().unwrap(), &options, &NoProgress).unwrap();
            server.connect().unwrap().query_drop(format!("SELECT '{start}'")).unwrap();
            server.stop().unwrap();
            assert!(fs::read_to_string(&log).unwrap().contains(start), "{name}: {start}");
        }
    }
    // The file of another user stays as it is.
    let own = folder.path().join("own.log");
    fs::write(&own, "own").unwrap();
    let options = set(&[("general_log_file", own.to_str().unwrap())]);
    open(&"mariadb".parse().unwrap(), &options, &NoProgress).unwrap().stop().unwrap();
    assert_eq!(fs::metadata(&own).unwrap().uid(), rustix::process::geteuid().as_raw());
}

#[test]
fn settings_apply_to_initialisation() {
    // MySQL 8.0 and later refuses to start if the value differs from the one at initialisation.
    let options = set(&[("lower_case_table_names", "1")]);
    assert_eq!(in_force("mysql@sid", &options, "lower_case_table_names"), "1");
}

#[test]
fn reports_invalid_setting_with_the_servers_message() {
    for name in ["mariadb", "mysql@5.6", "mysql@sid"] {
        let message = failure(name, &set(&[("innodb_buffer_pol", "1")]));
        assert!(message.contains("innodb_buffer_pol") && message.contains("Correct the setting"), "{name}: {message}");
        let message = failure(name, &set(&[("innodb_flush_method", "perhaps")]));
        assert!(message.contains("perhaps") && message.contains("did not start"), "{name}: {message}");
    }
}

#[test]
fn refuses_owned_settings() {
    let message = failure("mariadb", &set(&[("datadir", "/var/lib/mysql")]));
    assert!(message.contains("datadir") && message.contains("attach"), "{message}");
}

#[test]
fn missing_option_file_is_an_error() {
    let options = Options { defaults_file: Some("/no/such.cnf".into()), ..options() };
    let message = failure("mariadb", &options);
    assert!(message.contains("/no/such.cnf"), "{message}");
}
