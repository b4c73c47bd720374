//! Options that name servers and log in to them. Every command that opens servers has them, except
//! `weigh servers start` and `weigh upgrade`. Those for logging in are named as in MySQL's own
//! clients.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::builder::StyledStr;
use clap::{Arg, ArgAction, Args};
use server::{ClientOptions, Login, Options, Secret, Setting, Spec, TlsMode};

#[derive(Debug, Default, Args)]
#[command(disable_help_flag = true)]
pub struct ConnectArgs {
    /// As --server: mysql://user@host:port, mysql@9, …
    #[arg(id = "server", value_name = "SERVER", help_heading = "Servers")]
    positional_servers: Vec<SpecText>,

    /// Server: a URL mysql://user@host:port, a DSN h=…,P=…,u=…, or one to start privately: a name
    /// (`weigh servers list`), an image such as mysql:5.7.25, a folder or a tarball; may be
    /// repeated [default: this machine's server program, started privately]
    #[arg(long = "server", value_name = "SPEC", help_heading = "Servers")]
    servers: Vec<SpecText>,

    /// Setting of private servers, such as innodb_buffer_pool_size=4G; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE", help_heading = "Servers")]
    settings: Vec<Setting>,

    /// Host to attach to, also as HOST:PORT; localhost means the Unix socket unless a port is given
    #[arg(short = 'h', long, value_name = "HOST", help_heading = "Connection")]
    host: Option<String>,

    /// Port to attach to
    #[arg(short = 'P', long, value_name = "PORT", help_heading = "Connection")]
    port: Option<u16>,

    /// Account to log in as
    #[arg(short = 'u', long, value_name = "USER", help_heading = "Connection")]
    user: Option<String>,

    /// Password; prompts for it if the option has no value (give one as -pPASSWORD or
    /// --password=PASSWORD)
    #[arg(
        short = 'p',
        long,
        value_name = "PASSWORD",
        num_args = 0..=1,
        require_equals = true,
        value_parser = parse_secret,
        help_heading = "Connection"
    )]
    password: Option<Option<Secret>>,

    /// Unix socket to attach to
    #[arg(short = 'S', long, value_name = "FILE", help_heading = "Connection")]
    socket: Option<PathBuf>,

    /// Read only this option file: for a running server its groups [client], [client-server],
    /// [client-mariadb] and [weigh]; for a private server the groups that its program reads, such
    /// as [mysqld]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["defaults_extra_file", "no_defaults"], help_heading = "Connection")]
    defaults_file: Option<PathBuf>,

    /// Read this option file after the global ones, for a running server: groups as of
    /// --defaults-file
    #[arg(long, value_name = "FILE", conflicts_with = "no_defaults", help_heading = "Connection")]
    defaults_extra_file: Option<PathBuf>,

    /// Read no option file
    #[arg(long, help_heading = "Connection")]
    no_defaults: bool,

    /// TLS mode: DISABLED, REQUIRED, VERIFY_CA or VERIFY_IDENTITY [default: VERIFY_IDENTITY,
    /// DISABLED on this machine]
    #[arg(long, value_name = "MODE", help_heading = "Connection")]
    ssl_mode: Option<TlsMode>,

    /// PEM file of trusted certificate authorities
    #[arg(long, value_name = "FILE", help_heading = "Connection")]
    ssl_ca: Option<PathBuf>,

    /// PEM file of the client certificate
    #[arg(long, value_name = "FILE", requires = "ssl_key", help_heading = "Connection")]
    ssl_cert: Option<PathBuf>,

    /// PEM file of the client's private key
    #[arg(long, value_name = "FILE", requires = "ssl_cert", help_heading = "Connection")]
    ssl_key: Option<PathBuf>,

    /// Over TCP without TLS, accept the server's RSA public key to encrypt the password with
    #[arg(long, help_heading = "Connection")]
    get_server_public_key: bool,

    /// Longest time to wait for a reply of a server, such as 20s or 2m
    #[arg(long, value_name = "TIME", value_parser = measure::parse_duration, default_value = "20s", help_heading = "Connection")]
    timeout: Option<Duration>,

    /// Whether passwords of the environment and of option files are kept from the servers.
    #[arg(skip)]
    withholds_password: bool,

    /// Print all options (-h: those that matter)
    #[arg(long, action = ArgAction::Help)]
    help: Option<bool>,

    /// A `-h` without a host.
    #[arg(long, hide = true, action = ArgAction::Help)]
    short_help: Option<bool>,
}

/// Default of `--server` for commands that ask a running server.
pub const DEFAULT_RUNNING: &str = "the server that option files name";

/// Default of `--server` for commands that ask a running server, or a private one about a dump.
pub const DEFAULT_RUNNING_OR_DUMP: &str =
    "the server that option files name; with --dump this machine's server program, started privately";

/// Returns `--server` with another default in its help.
pub fn with_default_server(arg: Arg, default: &str) -> Arg {
    let help = arg.get_help().map(StyledStr::to_string).unwrap_or_default();
    let own = help.split(" [default: ").next().unwrap_or_default();
    arg.help(format!("{own} [default: {default}]"))
}

/// A server as typed, parsed when it is resolved. Specs can hold a password, so `Debug` hides them.
/// Clap must not parse it, because clap's error message would repeat it.
#[derive(Clone)]
pub struct SpecText(String);

impl SpecText {
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

fn parse_secret(text: &str) -> Result<Secret, std::convert::Infallible> {
    Ok(Secret::new(text))
}

/// Servers to use, and how to open them.
#[derive(Debug)]
pub struct Targets {
    /// At least one.
    pub specs: Vec<Spec>,
    pub options: Options,
}

impl ConnectArgs {
    /// Parses the servers, refuses contradictions, and prompts for the password if that is
    /// requested. `threads` is the greatest number of connections to one server.
    pub fn resolve(&self, threads: u32) -> Result<Targets> {
        self.refuse_settings_of_running(&self.specs()?)?;
        self.targets(threads, self.specs()?, self.withholds_password)
    }

    /// As [`Self::resolve_with_option_files`], for a command that also starts a private server,
    /// which `--set` is for.
    pub fn resolve_with_private_server(&self, threads: u32) -> Result<Targets> {
        let specs = if self.names_servers() { self.specs()? } else { vec![Spec::Attach(Box::default())] };
        self.targets(threads, specs, self.withholds_password)
    }

    fn refuse_settings_of_running(&self, specs: &[Spec]) -> Result<()> {
        if !self.settings.is_empty() && specs.iter().all(Spec::is_running) {
            bail!(
                "--set is for servers that weigh starts, but all that are named run already; set it there with SET GLOBAL"
            );
        }
        Ok(())
    }

    /// As [`Self::resolve`], with a recipe's servers if no option names one. These get no password
    /// of the environment or of option files.
    pub fn resolve_with_recipe(&self, threads: u32, servers: &[String]) -> Result<Targets> {
        if self.names_servers() {
            return self.resolve(threads);
        }
        let specs: Vec<Spec> = servers.iter().map(|text| text.parse()).collect::<Result<_, server::SpecError>>()?;
        self.refuse_settings_of_running(&specs)?;
        self.targets(threads, specs, true)
    }

    /// As [`Self::resolve`], with the server of the option files if no option names one.
    pub fn resolve_with_option_files(&self, threads: u32) -> Result<Targets> {
        if self.names_servers() {
            return self.resolve(threads);
        }
        let specs = vec![Spec::Attach(Box::default())];
        self.refuse_settings_of_running(&specs)?;
        self.targets(threads, specs, self.withholds_password)
    }

    fn targets(&self, threads: u32, specs: Vec<Spec>, withholds_password: bool) -> Result<Targets> {
        let attaches = specs.iter().any(|spec| matches!(spec, Spec::Attach(_)));
        if !attaches && self.names_running_server() {
            bail!("--host, --port, --user, --password and --socket are for running servers, but --server names none");
        }
        let password = match &self.password {
            Some(None) => Some(ask_for_password()?),
            Some(given) => given.clone(),
            None => None,
        };
        let options = Options {
            settings: self.settings.clone(),
            defaults_file: self.defaults_file.clone(),
            left_out: Vec::new(),
            threads,
            buffer_pool: None,
            direct_io: false,
            run_under: None,
            ports: Vec::new(),
            login: Login { withholds_password, ..self.login(password)? },
            timeout: self.timeout,
            get_server_public_key: self.get_server_public_key,
        };
        Ok(Targets { specs, options })
    }

    /// Returns `true` if --set gives the variable, with `-` or `_`, in upper or lower case.
    pub fn sets_variable(&self, name: &str) -> bool {
        self.settings.iter().any(|setting| setting.name.variable().eq_ignore_ascii_case(name))
    }

    fn specs(&self) -> Result<Vec<Spec>> {
        if self.server_texts().next().is_none() {
            return Ok(vec![if self.names_running_server() { Spec::Attach(Box::default()) } else { Spec::default() }]);
        }
        // The word after `-p` may be a password, which no message may repeat.
        let is_doubtful = matches!(self.password, Some(None));
        if is_doubtful && self.positional_servers.iter().any(|text| text.0.parse::<Spec>().is_err()) {
            bail!("a password is written without a blank: -pPASSWORD or --password=PASSWORD; alone, -p prompts for it");
        }
        self.server_texts().map(SpecText::spec).collect()
    }

    /// Returns the servers as typed: the arguments, then the values of `--server`.
    fn server_texts(&self) -> impl Iterator<Item = &SpecText> {
        self.positional_servers.iter().chain(&self.servers)
    }

    /// Adopts the password of the resuming command line. Requests a prompt if the original run had
    /// a password that is neither typed nor in `MYSQL_PWD`: passwords are not saved.
    pub fn adopt_password(&mut self, typed: &Self, had_password: bool) {
        let is_in_environment = std::env::var_os("MYSQL_PWD").is_some_and(|password| !password.is_empty());
        self.password = typed.password.clone().or((had_password && !is_in_environment).then_some(None));
    }

    /// Returns `true` if any of the servers is running already.
    pub fn includes_running_server(&self) -> bool {
        // A spec that doesn't parse is refused by `resolve`.
        self.specs().is_ok_and(|specs| specs.iter().any(Spec::is_running))
    }

    /// Puts a server in the place of the first argument, which is returned.
    pub fn replace_first_server(&mut self, server: SpecText) -> Option<String> {
        let replaced = (!self.positional_servers.is_empty()).then(|| self.positional_servers.remove(0).0);
        self.positional_servers.insert(0, server);
        replaced
    }

    /// Returns `true` if an argument or an option names a server.
    pub fn names_servers(&self) -> bool {
        self.server_texts().next().is_some() || self.names_running_server()
    }

    /// Fails if an argument or an option names a server or its settings: `what` is read without a
    /// server.
    pub fn refuse_servers(&self, what: &str) -> Result<()> {
        if self.names_servers() || !self.settings.is_empty() {
            bail!("{what} is read without a server: leave out --server, --set and the options of a connection");
        }
        Ok(())
    }

    fn names_running_server(&self) -> bool {
        let address = self.host.is_some() || self.port.is_some() || self.socket.is_some();
        address || self.user.is_some() || self.password.is_some()
    }

    fn login(&self, password: Option<Secret>) -> Result<Login> {
        let (host, port) = self.host_and_port()?;
        Ok(Login {
            options: ClientOptions {
                host,
                port,
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
            withholds_password: false,
        })
    }

    /// Returns host and port, of which `-h db.example:3307` and `-h [::1]:3307` have both.
    fn host_and_port(&self) -> Result<(Option<String>, Option<u16>)> {
        let Some(host) = self.host.as_deref() else { return Ok((None, self.port)) };
        if host.contains("://") {
            bail!(
                "-h takes the name of a host; a URL is an argument of its own, as in `weigh audit mysql://me@db.example`"
            );
        }
        let split = host.rsplit_once(':').filter(|(name, _)| !name.contains(':') || name.ends_with(']'));
        let Some((name, typed)) = split else { return Ok((Some(host.to_owned()), self.port)) };
        let name = name.trim_start_matches('[').trim_end_matches(']').to_owned();
        match (typed.parse::<u16>(), self.port) {
            (Err(_), _) => bail!("-h {host}: {typed} is no port, which is a number up to 65535"),
            (Ok(port), Some(other)) if port != other => bail!("-h {host} and --port {other} name two ports"),
            (Ok(port), _) => Ok((Some(name), Some(port))),
        }
    }

    /// Returns the options that choose programs, hosts and files, as typed. A command line that
    /// someone else wrote could abuse them.
    pub fn describe_foreign(&self) -> Result<Vec<String>> {
        let mut words = self.running_server_words();
        for server in self.server_texts().map(SpecText::spec) {
            words.extend(Some(server?).filter(Spec::needs_trust).map(|spec| format!("--server {spec}")));
        }
        words.extend(describe_foreign_settings(&self.settings).into_iter().map(|setting| format!("--set {setting}")));
        let files = [
            ("--defaults-file", &self.defaults_file),
            ("--defaults-extra-file", &self.defaults_extra_file),
            ("--ssl-ca", &self.ssl_ca),
            ("--ssl-cert", &self.ssl_cert),
            ("--ssl-key", &self.ssl_key),
        ];
        let files = files.iter().filter_map(|(option, path)| Some(format!("{option} {}", path.as_ref()?.display())));
        words.extend(files);
        Ok(words)
    }

    /// Returns the arguments that name the servers, without password, for a command to print.
    pub fn source_words(&self) -> Result<Vec<String>> {
        let mut words: Vec<String> =
            self.server_texts().map(|text| Ok(text.spec()?.to_string())).collect::<Result<_>>()?;
        words.extend(self.defaults_file.iter().map(|path| format!("--defaults-file={}", path.display())));
        words.extend(self.running_server_words().iter().map(|word| word.replacen(' ', "=", 1)));
        Ok(words)
    }

    fn running_server_words(&self) -> Vec<String> {
        self.running_server_options().iter().map(|(option, value)| format!("{option} {value}")).collect()
    }

    fn running_server_options(&self) -> Vec<(&'static str, String)> {
        let port = self.port.map(|port| port.to_string());
        let socket = self.socket.as_ref().map(|path| path.display().to_string());
        let (host, user) = (self.host.clone(), self.user.clone());
        let named = [("--host", host), ("--port", port), ("--socket", socket), ("--user", user)];
        named.into_iter().filter_map(|(option, value)| Some((option, value?))).collect()
    }

    /// Returns the options, with their values, that [`Self::adopt_typed_servers`] takes for a
    /// repetition: all servers if one of them is a [`Spec::Attach`], without passwords.
    pub fn options_to_repeat(&self) -> Result<Vec<(&'static str, String)>> {
        let specs: Vec<Spec> = self.server_texts().map(SpecText::spec).collect::<Result<_>>()?;
        let is_attached = specs.iter().any(|spec| matches!(spec, Spec::Attach(_)));
        let servers = specs.iter().filter(|_| is_attached).map(|spec| ("--server", spec.to_string()));
        Ok(servers.chain(self.running_server_options()).collect())
    }

    /// Adopts the servers that `typed` repeats, with their passwords. Returns `true` if it repeats
    /// all servers of this command line that are a [`Spec::Attach`], and all options of a
    /// connection. Fails if it names others.
    pub fn adopt_typed_servers(&mut self, typed: &Self) -> Result<bool> {
        let specs = |arguments: &Self| -> Result<Vec<Spec>> { arguments.server_texts().map(SpecText::spec).collect() };
        let (own, repeated) = (specs(self)?, specs(typed)?);
        let names = |specs: &[Spec]| specs.iter().map(Spec::to_string).collect::<Vec<_>>();
        let words = typed.running_server_words();
        if words.iter().any(|word| !self.running_server_words().contains(word))
            || (!repeated.is_empty() && names(&repeated) != names(&own))
        {
            bail!("--resume uses the original run's servers: leave out the options that name others");
        }
        let is_attached = |spec: &Spec| matches!(spec, Spec::Attach(_));
        let repeats_all =
            words.len() == self.running_server_words().len() && (!repeated.is_empty() || !own.iter().any(is_attached));
        if !repeated.is_empty() {
            self.servers.clone_from(&typed.servers);
            self.positional_servers.clone_from(&typed.positional_servers);
        }
        Ok(repeats_all)
    }

    /// Keeps passwords of the environment and of option files from the servers.
    pub fn withhold_password(&mut self) {
        self.withholds_password = true;
    }

    pub fn has_password(&self) -> bool {
        self.password.is_some()
    }
}

/// Returns the settings of private servers that can name files or programs.
pub fn describe_foreign_settings(settings: &[Setting]) -> Vec<String> {
    settings.iter().filter(|setting| !setting.is_harmless()).map(Setting::to_string).collect()
}

fn ask_for_password() -> Result<Secret> {
    match rpassword::prompt_password("Enter password: ") {
        Ok(password) => Ok(Secret::new(password)),
        Err(error) => bail!(
            "cannot prompt for the password ({error}); put it into MYSQL_PWD or the [client] group of ~/.my.cnf instead"
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
    fn default_is_the_server_of_this_machine() {
        let targets = resolve(&[]);
        assert_eq!((targets.specs, targets.options.threads), (vec![Spec::default()], 8));
    }

    #[test]
    fn passwords_of_option_files_are_for_their_server_and_typed_ones() {
        let withholds = |targets: Result<Targets>| targets.unwrap().options.login.withholds_password;
        let recipe = ["mysql://db.example".to_owned()];
        assert!(!withholds(parse(&[]).resolve_with_option_files(1)));
        assert!(withholds(parse(&[]).resolve_with_recipe(1, &recipe)));
        assert!(!withholds(parse(&["--host=db.example"]).resolve_with_recipe(1, &recipe)));
    }

    #[test]
    fn host_user_or_socket_mean_attaching() {
        for words in [["-h", "db.example"], ["-P", "3307"], ["-u", "root"], ["-S", "/s"]] {
            assert_eq!(resolve(&words).specs, [Spec::Attach(Box::default())]);
        }
        let login = resolve(&["--host=db.example", "--port=3307", "--user=root", "--password=hunter2"]).options.login;
        assert_eq!((login.options.host.as_deref(), login.options.port), (Some("db.example"), Some(3307)));
        assert_eq!(login.options.password, Some(Secret::new("hunter2")));
    }

    #[test]
    fn names_options_that_choose_programs_hosts_and_files() {
        let foreign = |words: &[&str]| parse(words).describe_foreign().unwrap();
        assert!(foreign(&["--server=mariadb@trixie", "--set=sort_buffer_size=1M", "--set=sql_mode=ANSI"]).is_empty());
        for words in [
            ["--server=/evil"],
            ["--server=./x.tar.gz"],
            ["--server=mysql:8.0"],
            ["--server=mysql://root@db.example"],
            ["--server=h=db.example,u=root"],
            ["--host=db.example"],
            ["--socket=/s"],
            ["--set=init_file=/x"],
            ["--set=general-log-file=x"],
            ["--set=wsrep_notify_cmd=x"],
            ["--defaults-file=/x"],
            ["--ssl-ca=/x"],
        ] {
            assert_eq!(foreign(&words).len(), 1, "{words:?}");
        }
        assert_eq!(foreign(&["--server=mysql://u:hunter2@db.example"]), ["--server mysql://u@db.example"]);
    }

    #[test]
    fn repeated_servers_must_be_those_of_the_run() {
        let adopt = |own: &[&str], typed: &[&str]| parse(own).adopt_typed_servers(&parse(typed));
        let url = "--server=mysql://u@db.example";
        assert!(!adopt(&[url], &[]).unwrap() && adopt(&[url], &["--server=mysql://u:pw@db.example"]).unwrap());
        assert!(adopt(&[url], &["--server=mysql://u@other.example"]).is_err());
        assert!(!adopt(&["--host=a", "--user=u"], &["--user=u"]).unwrap());
        assert!(adopt(&["--host=a", "--user=u"], &["--user=u", "--host=a"]).unwrap());
        assert!(adopt(&["--host=a"], &["--host=b"]).is_err() && adopt(&[], &["--host=b"]).is_err());
        assert!(adopt(&["--server=mariadb"], &[]).unwrap());
    }

    #[test]
    fn servers_keep_their_order() {
        let targets = resolve(&["--server", "mysql@5.6", "--server=mysql@sid", "--set", "sort-buffer-size = 1M"]);
        assert_eq!(targets.specs.iter().map(Spec::to_string).collect::<Vec<_>>(), ["mysql@5.6", "mysql@sid"]);
        assert_eq!(targets.options.settings, [Setting::known("sort-buffer-size", "1M")]);
    }

    #[test]
    fn rejects_contradictions() {
        assert!(refusal(&["--server=mariadb", "--user=root"]).contains("running servers"));
        assert!(refusal(&["--server=mysql://root@db.example", "--set=a=b"]).contains("--set"));
        assert!(refusal(&["--server=mariadb@trixy"]).contains("mariadb@trixie"));
        for words in [&["--ssl-cert=/c"][..], &["--set=x"], &["--defaults-file=/a", "--no-defaults"], &["--ssl-mode=x"]]
        {
            assert!(Command::try_parse_from([&["weigh"], words].concat()).is_err(), "{words:?}");
        }
    }

    #[test]
    fn password_option_does_not_take_the_next_word() {
        let arguments = parse(&["--password", "--other"]);
        assert_eq!(arguments.password, Some(None));
        let arguments = parse(&["-p", "--server=mysql://db.example"]);
        assert_eq!(arguments.password, Some(None));
        let message = refusal(&["--password", "hunter2"]);
        assert!(message.contains("-pPASSWORD") && !message.contains("hunter2"), "{message}");
    }

    #[test]
    fn servers_are_arguments_or_options() {
        let url = "mysql://root@db.example:3307";
        assert_eq!(resolve(&[url]).specs, resolve(&["--server", url]).specs);
        let both = resolve(&["mysql@9", "--server=mariadb"]).specs;
        assert_eq!(both.iter().map(Spec::to_string).collect::<Vec<_>>(), ["mysql@9", "mariadb"]);
        assert!(parse(&[url]).includes_running_server() && parse(&[url]).names_servers());
    }

    #[test]
    fn host_can_have_a_port() {
        let address = |words: &[&str]| {
            let options = resolve(words).options.login.options;
            (options.host.unwrap(), options.port)
        };
        assert_eq!(address(&["-h", "db.example:3307"]), ("db.example".into(), Some(3307)));
        assert_eq!(address(&["-h", "[::1]:3307"]), ("::1".into(), Some(3307)));
        assert_eq!(address(&["-h", "::1"]), ("::1".into(), None));
        assert_eq!(address(&["-h", "db:3307", "-P3307"]), ("db".into(), Some(3307)));
        assert!(refusal(&["-h", "db:3307", "-P3308"]).contains("two ports"));
        assert!(refusal(&["-h", "db:x"]).contains("x is no port"));
        assert!(refusal(&["-h", "mysql://db"]).contains("weigh audit mysql://"));
    }

    #[test]
    fn debug_output_hides_passwords() {
        let arguments = parse(&["--password=hunter2", "--server=mysql://root:hunter2@db.example"]);
        assert!(!format!("{arguments:?} {:?}", arguments.resolve(1).unwrap()).contains("hunter2"));
    }

    #[test]
    fn h_is_the_host_and_help_is_long() {
        let help = Command::try_parse_from(["weigh", "--help"]).unwrap_err();
        assert_eq!(help.kind(), clap::error::ErrorKind::DisplayHelp);
        assert!(help.to_string().contains("-h, --host"));
    }
}
