//! The options that name servers and log in to them: the same in every command, and under the names that MySQL's own
//! clients use.

use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::{ArgAction, Args};
use server::{ClientOptions, Login, Options, Secret, Spec, TlsMode};

/// The options as they are typed.
#[derive(Debug, Default, Args)]
#[command(disable_help_flag = true)]
pub struct ConnectArgs {
    /// Server: a catalogue name (see `weigh servers list`), an image such as mysql:5.7.25, a URL mysql://user@host:port, a
    /// DSN h=…,P=…,u=…, a folder or a tarball of server binaries; may be repeated [default: the server of this machine, private]
    #[arg(long = "server", value_name = "SPEC", help_heading = "Servers")]
    servers: Vec<SpecText>,

    /// Setting of private servers, such as innodb_buffer_pool_size=4G; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE", help_heading = "Servers")]
    settings: Vec<Setting>,

    /// Host to attach to; localhost means the Unix socket unless --port is given
    #[arg(short = 'h', long, value_name = "HOST", help_heading = "Connection")]
    host: Option<String>,

    /// Port to attach to
    #[arg(short = 'P', long, value_name = "PORT", help_heading = "Connection")]
    port: Option<u16>,

    /// Account to log in as
    #[arg(short = 'u', long, value_name = "USER", help_heading = "Connection")]
    user: Option<String>,

    /// Password; asked for when no value stands here (-pPASSWORD and --password=PASSWORD give one)
    #[arg(
        short = 'p',
        long,
        value_name = "PASSWORD",
        num_args = 0..=1,
        require_equals = true,
        value_parser = secret,
        help_heading = "Connection"
    )]
    password: Option<Option<Secret>>,

    /// Unix socket to attach to
    #[arg(short = 'S', long, value_name = "FILE", help_heading = "Connection")]
    socket: Option<PathBuf>,

    /// Read only this option file: [client] and [weigh] to attach, [mysqld] for private servers
    #[arg(long, value_name = "FILE", conflicts_with_all = ["defaults_extra_file", "no_defaults"], help_heading = "Connection")]
    defaults_file: Option<PathBuf>,

    /// Read this option file after the global ones
    #[arg(long, value_name = "FILE", conflicts_with = "no_defaults", help_heading = "Connection")]
    defaults_extra_file: Option<PathBuf>,

    /// Read no option file
    #[arg(long, help_heading = "Connection")]
    no_defaults: bool,

    /// DISABLED, REQUIRED, VERIFY_CA or VERIFY_IDENTITY [default: VERIFY_IDENTITY, DISABLED on this machine]
    #[arg(long, value_name = "MODE", help_heading = "Connection")]
    ssl_mode: Option<TlsMode>,

    /// PEM file of the certificate authorities to trust
    #[arg(long, value_name = "FILE", help_heading = "Connection")]
    ssl_ca: Option<PathBuf>,

    /// PEM file of the client's certificate
    #[arg(long, value_name = "FILE", requires = "ssl_key", help_heading = "Connection")]
    ssl_cert: Option<PathBuf>,

    /// PEM file of the client's key
    #[arg(long, value_name = "FILE", requires = "ssl_cert", help_heading = "Connection")]
    ssl_key: Option<PathBuf>,

    /// Over TCP without TLS, take the RSA key that the server sends for the password to cross under
    #[arg(long, help_heading = "Connection")]
    get_server_public_key: bool,

    /// The longest that a server may take to answer, a statement of the load or anything else, such as 20s or 2m
    #[arg(long, value_name = "TIME", value_parser = measure::parse_duration, default_value = "20s", help_heading = "Connection")]
    timeout: Option<Duration>,

    /// Print help; -h means --host, as in MySQL's clients
    #[arg(long, action = ArgAction::Help)]
    help: Option<bool>,
}

/// A server as it was typed. It may hold a password, so it shows itself nowhere, and it is read only when resolved:
/// the parser would repeat a bad one.
#[derive(Clone)]
pub struct SpecText(String);

impl SpecText {
    /// The server that it names.
    pub fn spec(&self) -> Result<Spec> {
        Ok(self.0.parse()?)
    }
}

impl std::fmt::Debug for SpecText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("…")
    }
}

impl From<String> for SpecText {
    fn from(text: String) -> Self {
        Self(text)
    }
}

/// `NAME=VALUE`
#[derive(Clone, Debug)]
pub struct Setting(pub String, pub String);

impl FromStr for Setting {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once('=') {
            Some((name, value)) if !name.trim().is_empty() => {
                let name = name.trim().trim_start_matches('-');
                Ok(Self(name.to_owned(), value.trim().to_owned()))
            }
            _ => Err("write NAME=VALUE, such as innodb_buffer_pool_size=4G"),
        }
    }
}

fn secret(text: &str) -> Result<Secret, std::convert::Infallible> {
    Ok(Secret::new(text))
}

/// The servers to use, and how to open each.
#[derive(Debug)]
pub struct Targets {
    /// At least one.
    pub specs: Vec<Spec>,
    /// For all of them.
    pub options: Options,
}

impl ConnectArgs {
    /// Reads the servers, refuses what contradicts itself, and asks for the password where it is to be asked for.
    /// `threads` is the most connections that the load will hold open to one server.
    pub fn resolve(&self, threads: u32) -> Result<Targets> {
        self.resolve_or(threads, &[])
    }

    /// As [`Self::resolve`], with these servers where none is named.
    pub fn resolve_or(&self, threads: u32, others: &[String]) -> Result<Targets> {
        let specs = if self.servers.is_empty() && !self.logs_in() && !others.is_empty() {
            others.iter().map(|text| text.parse()).collect::<Result<_, server::SpecError>>()?
        } else {
            self.specs()?
        };
        let attaches = specs.iter().any(|spec| matches!(spec, Spec::Attach(_)));
        if !attaches && self.logs_in() {
            bail!(
                "--host, --port, --user, --password and --socket are for running servers, but none of --server is one"
            );
        }
        if !self.settings.is_empty() && specs.iter().all(Spec::is_running) {
            bail!(
                "--set is for servers that weigh starts, but every --server runs already; set it there with SET GLOBAL"
            );
        }
        let password = match &self.password {
            Some(None) => Some(ask_for_password()?),
            Some(given) => given.clone(),
            None => None,
        };
        let options = Options {
            settings: self.settings.iter().map(|setting| (setting.0.clone(), setting.1.clone())).collect(),
            defaults_file: self.defaults_file.clone(),
            threads,
            buffer_pool: None,
            direct_io: false,
            login: self.login(password),
            timeout: self.timeout,
            get_server_public_key: self.get_server_public_key,
        };
        Ok(Targets { specs, options })
    }

    /// Whether --set gives this variable, in any spelling of it.
    pub fn sets(&self, name: &str) -> bool {
        self.settings.iter().any(|setting| setting.0.replace('-', "_").eq_ignore_ascii_case(name))
    }

    fn specs(&self) -> Result<Vec<Spec>> {
        if self.servers.is_empty() {
            return Ok(vec![if self.logs_in() { Spec::Attach(Box::default()) } else { Spec::Default }]);
        }
        Ok(self.servers.iter().map(|text| text.0.parse()).collect::<Result<_, server::SpecError>>()?)
    }

    /// Takes the password that was typed when a run is resumed; where none was, and the run had one that is neither written down nor in the
    /// environment, it is asked for.
    pub fn take_password(&mut self, typed: &Self, had_one: bool) {
        let is_in_environment = std::env::var_os("MYSQL_PWD").is_some_and(|password| !password.is_empty());
        self.password = typed.password.clone().or((had_one && !is_in_environment).then_some(None));
    }

    /// Whether one of the servers runs already, by whoever started it.
    pub fn runs_already(&self) -> bool {
        // What cannot be read is refused when it is resolved.
        self.specs().is_ok_and(|specs| specs.iter().any(Spec::is_running))
    }

    /// Whether an option says that a running server is meant.
    fn logs_in(&self) -> bool {
        let address = self.host.is_some() || self.port.is_some() || self.socket.is_some();
        address || self.user.is_some() || self.password.is_some()
    }

    fn login(&self, password: Option<Secret>) -> Login {
        Login {
            options: ClientOptions {
                host: self.host.clone(),
                port: self.port,
                user: self.user.clone(),
                password,
                socket: self.socket.clone(),
                database: None,
                ssl_mode: self.ssl_mode,
                ssl_ca: self.ssl_ca.clone(),
                ssl_cert: self.ssl_cert.clone(),
                ssl_key: self.ssl_key.clone(),
            },
            defaults_file: self.defaults_file.clone(),
            defaults_extra_file: self.defaults_extra_file.clone(),
            no_defaults: self.no_defaults,
        }
    }
}

fn ask_for_password() -> Result<Secret> {
    match rpassword::prompt_password("Enter password: ") {
        Ok(password) => Ok(Secret::new(password)),
        Err(error) => bail!(
            "cannot ask for the password ({error}); put it into MYSQL_PWD or the [client] group of ~/.my.cnf instead"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Command {
        #[command(flatten)]
        connect: ConnectArgs,
        #[arg(long)]
        other: bool,
    }

    fn parse(words: &[&str]) -> ConnectArgs {
        Command::try_parse_from([&["weigh"], words].concat()).unwrap().connect
    }

    fn resolve(words: &[&str]) -> Targets {
        parse(words).resolve(8).unwrap()
    }

    fn refusal(words: &[&str]) -> String {
        parse(words).resolve(8).unwrap_err().to_string()
    }

    #[test]
    fn nothing_means_the_server_of_this_machine() {
        let targets = resolve(&[]);
        assert_eq!((targets.specs, targets.options.threads), (vec![Spec::Default], 8));
    }

    #[test]
    fn naming_host_user_or_socket_means_attaching() {
        for words in [["-h", "db.example"], ["-P", "3307"], ["-u", "root"], ["-S", "/s"]] {
            assert_eq!(resolve(&words).specs, [Spec::Attach(Box::default())]);
        }
        let login = resolve(&["--host=db.example", "--port=3307", "--user=root", "--password=hunter2"]).options.login;
        assert_eq!((login.options.host.as_deref(), login.options.port), (Some("db.example"), Some(3307)));
        assert_eq!(login.options.password, Some(Secret::new("hunter2")));
    }

    #[test]
    fn servers_keep_their_order() {
        let targets = resolve(&["--server", "mysql@5.6", "--server=mysql@sid", "--set", "sort-buffer-size = 1M"]);
        assert_eq!(targets.specs.iter().map(Spec::to_string).collect::<Vec<_>>(), ["mysql@5.6", "mysql@sid"]);
        assert_eq!(targets.options.settings, [("sort-buffer-size".to_owned(), "1M".to_owned())]);
    }

    #[test]
    fn contradictions_are_refused() {
        assert!(refusal(&["--server=mariadb", "--user=root"]).contains("running servers"));
        assert!(refusal(&["--server=mysql://root@db.example", "--set=a=b"]).contains("--set"));
        assert!(refusal(&["--server=mariadb@trixy"]).contains("mariadb@trixie"));
        for words in [&["--ssl-cert=/c"][..], &["--set=x"], &["--defaults-file=/a", "--no-defaults"], &["--ssl-mode=x"]]
        {
            assert!(Command::try_parse_from([&["weigh"], words].concat()).is_err(), "{words:?}");
        }
    }

    #[test]
    fn a_password_without_value_takes_no_other_word_for_one() {
        let arguments = parse(&["--password", "--other"]);
        assert_eq!(arguments.password, Some(None));
        let arguments = parse(&["-p", "--server=mysql://db.example"]);
        assert_eq!(arguments.password, Some(None));
        assert!(Command::try_parse_from(["weigh", "--password", "hunter2"]).is_err());
    }

    #[test]
    fn no_rendering_shows_a_password() {
        let arguments = parse(&["--password=hunter2", "--server=mysql://root:hunter2@db.example"]);
        assert!(!format!("{arguments:?} {:?}", arguments.resolve(1).unwrap()).contains("hunter2"));
    }

    #[test]
    fn h_is_the_host_and_help_is_spelt_out() {
        let help = Command::try_parse_from(["weigh", "--help"]).unwrap_err();
        assert_eq!(help.kind(), clap::error::ErrorKind::DisplayHelp);
        assert!(help.to_string().contains("-h, --host"));
    }
}
