//! `weigh run`: repeats a study by its recipe.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::Args;
use recipe::{Instance, Recipe};
use serde_json::json;
use server::{Options, Setting, Spec};

use crate::argv;
use crate::commands::bench::opening::{Opening, level_settings};
use crate::commands::bench::{self, Bench};
use crate::options::connect::{ConnectArgs, Targets, describe_foreign_settings, with_default_server};
use crate::output::{self, Format};

const EXAMPLES: &str = "\
Examples:
  weigh run --list
      The recipes and their scales.
  weigh run order-by-2021
      MariaDB against MySQL, as in the study; about 12 minutes.
  weigh run percona-2019 --server mysql@5.6 --server ./mysql-8.0.44-linux-glibc2.28-x86_64.tar.xz
      A study's experiment on other servers.
  weigh run cnblogs-2020 --scale full --threads 64
      The study's own scale, with 64 threads.
  weigh run --print percona-2019 > mine.toml; weigh run ./mine.toml
      Your own recipe.
  weigh run --resume weigh-results/2026-11-21T05-10-00Z
      Resumes a run that was interrupted or killed.

Exit status: 0 measured, 2 could not measure; 130 and 143 after ctrl-C and SIGTERM.";

/// Repeat a published study, and judge its claims by the results
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_override_self = true, mut_arg("servers", |arg| with_default_server(arg, "those of the recipe, or this machine's server program, started privately")))]
pub struct RunArgs {
    /// Recipe: a name (see --list) or a file
    #[arg(value_name = "RECIPE", required_unless_present_any = ["list", "resume"])]
    recipe: Option<String>,

    /// List the recipes, or describe the named one, and exit
    #[arg(long, conflicts_with = "print")]
    list: bool,

    /// Print the recipe and exit, as a start for your own
    #[arg(long)]
    print: bool,

    /// Scale of the experiment [default: the recipe's only one, or laptop]
    #[arg(long, value_name = "NAME", help_heading = "The experiment")]
    scale: Option<String>,

    /// Connections to each variant, instead of the scale's
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=4096), help_heading = "The experiment")]
    threads: Vec<u32>,

    /// Half-width of a ratio's 95 % interval to reach, instead of the scale's
    #[arg(long, value_name = "PERCENT", value_parser = measure::parse_percent, help_heading = "The experiment")]
    precision: Option<f64>,

    /// Time for all load together, instead of the scale's
    #[arg(long, value_name = "TIME", value_parser = measure::parse_duration, help_heading = "The experiment")]
    max_time: Option<Duration>,

    /// Print what would be created and measured, and exit
    #[arg(long, help_heading = "The experiment")]
    dry_run: bool,

    /// Resume the run in this folder that was interrupted or killed: complete replicates are kept,
    /// the unfinished one is measured again. Recipe and options are those of the original run; only
    /// --password, --format, --trust, --quiet, --verbose, --color and the same servers may be given
    #[arg(long, value_name = "DIR", help_heading = "The experiment")]
    pub resume: Option<PathBuf>,

    /// Use the programs, hosts and files that the recipe, or the run's folder of --resume, names,
    /// as if they were typed; no password is sent to such a host
    #[arg(long, help_heading = "The experiment")]
    pub trust: bool,

    /// Folder for run.json and samples.jsonl [default: weigh-results/<time>]
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,

    /// Output format: text, json (schemas/report.schema.json), csv or markdown; --list has text and
    /// json
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true, default_value_t = Format::Text, help_heading = "Output")]
    pub format: Format,

    #[command(flatten)]
    pub connect: ConnectArgs,
}

pub fn run(args: &RunArgs) -> Result<ExitCode> {
    if args.list {
        let listed = match args.recipe.as_deref() {
            Some(name) if args.format == Format::Text => describe_recipe(&Recipe::find(name)?),
            Some(name) => list_recipes(&[Recipe::find(name)?], args.format)?,
            None => list_recipes(&Recipe::all()?, args.format)?,
        };
        match args.format {
            Format::Text => output::print_list(&listed)?,
            _ => output::print(&listed)?,
        }
        return Ok(ExitCode::SUCCESS);
    }
    let name = args.recipe.as_deref().unwrap_or_default();
    let recipe = Recipe::find(name)?;
    if args.print {
        let own_file = || bounded::read_text(name.as_ref());
        output::print(&recipe::source(name).map_or_else(own_file, |text| Ok(text.into()))?)?;
        return Ok(ExitCode::SUCCESS);
    }
    if recipe::source(name).is_none() {
        refuse_untrusted(args, &recipe)?;
    }
    let (bench, openings) = resolve(args, &recipe)?;
    bench::run_on(&bench, &openings)
}

/// Refuses a recipe with settings that can name files or programs, unless the user trusts it. If
/// the user names no server, the recipe's servers are checked, too.
fn refuse_untrusted(args: &RunArgs, recipe: &Recipe) -> Result<()> {
    let mut foreign = describe_foreign_settings(&recipe_settings(args, recipe)?);
    if !args.connect.names_servers() {
        let specs = recipe.servers.iter().map(|text| Ok(text.parse()?)).collect::<Result<Vec<Spec>>>()?;
        foreign.extend(specs.iter().filter(|spec| spec.needs_trust()).map(ToString::to_string));
    }
    if args.trust || foreign.is_empty() {
        return Ok(());
    }
    bail!(
        "the recipe {} chooses what runs or is reached: {}. Read it; then accept it by --trust, or name other servers \
         by --server",
        recipe.name,
        foreign.join(", ")
    )
}

fn recipe_settings(args: &RunArgs, recipe: &Recipe) -> Result<Vec<Setting>> {
    let settings = recipe.scale(args.scale.as_deref())?.1.settings.clone();
    Ok(settings.into_iter().map(|(name, value)| Setting { name, value }).collect())
}

fn resolve(args: &RunArgs, recipe: &Recipe) -> Result<(Bench, Vec<Opening>)> {
    let settings = recipe_settings(args, recipe)?;
    let Targets { specs, options } = args.connect.resolve_with_recipe(0, &recipe.servers)?;
    let own: Vec<Spec> = recipe.servers.iter().filter_map(|name| name.parse().ok()).collect();
    let instances = recipe.instances(specs.len(), own == specs, |server| !specs[server].is_running());
    let mut request = recipe.build_request(args.scale.as_deref(), &instances, specs.iter().any(Spec::is_running))?;
    if !args.threads.is_empty() {
        request.threads.clone_from(&args.threads);
    }
    request.precision = args.precision.unwrap_or(request.precision);
    request.max_time = args.max_time.unwrap_or(request.max_time);
    request.command = Some(argv::command_line());
    if request.block > request.max_time {
        let (block, max_time) = (request.block.as_secs_f64(), request.max_time.as_secs_f64());
        bail!("a block of {recipe} takes {block} s, more than --max-time {max_time}s: raise it", recipe = recipe.name);
    }
    if !recipe.server_charsets.is_empty()
        && let Some(spec) = specs.iter().find(|spec| spec.is_running())
    {
        output::print_note(&format!(
            "note: {spec} is running already and is measured with its own server charset; claims on other charsets stay open"
        ));
    }
    let opening = |instance: &Instance| {
        let server_charset = instance.charset.iter().map(|charset| Setting::known("character-set-server", charset));
        let level = recipe.level.then(level_settings).into_iter().flatten();
        // The user's settings come last and override the recipe's.
        let all = level.chain(settings.clone()).chain(server_charset).chain(options.settings.clone());
        Opening {
            spec: specs[instance.server].clone(),
            options: Options { settings: all.collect(), threads: request.max_connections(), ..options.clone() },
            label_suffix: instance.charset.as_ref().map(|charset| format!("server {charset}")),
        }
    };
    let openings = instances.iter().map(opening).collect();
    let bench = Bench {
        folder: None,
        request,
        out: args.out.clone(),
        resume: args.resume.clone(),
        format: args.format,
        dry_run: args.dry_run,
        profile: false,
        rounds: None,
    };
    Ok((bench, openings))
}

fn list_recipes(recipes: &[Recipe], format: Format) -> Result<String> {
    match format {
        Format::Text => {
            let mut text = format!("{:<20} {:>6}  {:<32} {}\n", "RECIPE", "CLAIMS", "SERVERS", "WHAT IT IS");
            text.extend(recipes.iter().map(list_recipe));
            Ok(text + "\nAll of one: weigh run --list RECIPE\n")
        }
        Format::Json => {
            let recipes: Vec<_> = recipes.iter().map(describe_as_json).collect();
            Ok(serde_json::to_string_pretty(&recipes)? + "\n")
        }
        Format::Csv | Format::Markdown => bail!("--list is printed as text or json"),
    }
}

/// Returns a line of the list of recipes.
fn list_recipe(recipe: &Recipe) -> String {
    let servers = recipe.servers.join(", ");
    format!("{:<20} {:>6}  {servers:<32} {}\n", recipe.name, recipe.claims.len(), recipe.title)
}

fn describe_recipe(recipe: &Recipe) -> String {
    let mut text = format!("{}\n  {}\n", recipe.name, recipe.title);
    for line in recipe.about.iter().flat_map(|about| about.trim().lines()) {
        writeln!(text, "  {line}").expect("a string takes every write");
    }
    let mut line = |name: &str, value: String| {
        writeln!(text, "  {name:<8} {value}").expect("a string takes every write");
    };
    line("study", recipe.study.clone().unwrap_or_default());
    line("servers", recipe.servers.join(", "));
    line("claims", recipe.claims.len().to_string());
    for (name, scale) in &recipe.scales {
        let threads: Vec<String> = scale.threads.iter().map(u32::to_string).collect();
        let threads = if threads.is_empty() { "the default of weigh bench".into() } else { threads.join(", ") };
        let time = scale.max_time.as_secs() / 60;
        let rows = format!("{} × {} rows", scale.tables, scale.table_size);
        line("scale", format!("{name}: {rows}, threads: {threads}, {time} min of load at most"));
    }
    text
}

fn describe_as_json(recipe: &Recipe) -> serde_json::Value {
    let scales: serde_json::Map<_, _> = recipe
        .scales
        .iter()
        .map(|(name, scale)| {
            let (tables, table_size, threads) = (scale.tables, scale.table_size, &scale.threads);
            let max_time_s = scale.max_time.as_secs_f64();
            let scale =
                json!({"tables": tables, "table_size": table_size, "threads": threads, "max_time_s": max_time_s});
            (name.clone(), scale)
        })
        .collect();
    json!({"name": recipe.name, "title": recipe.title, "study": recipe.study, "about": recipe.about,
           "servers": recipe.servers, "claims": recipe.claims.iter().map(|claim| &claim.text).collect::<Vec<_>>(),
           "scales": scales})
}
