//! `weigh run`.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Result, bail};
use clap::Args;
use recipe::{Instance, Recipe};
use serde_json::json;
use server::{Options, Spec};

use crate::argv;
use crate::bench::opening::{Opening, level};
use crate::bench::{self, Bench};
use crate::connect::{ConnectArgs, Targets};
use crate::output::{self, Format};

const EXAMPLES: &str = "\
Examples:
  weigh run --list
      The recipes, and the sizes that each can be run at.
  weigh run order-by-2021
      MariaDB against MySQL, as the study has it, in about 12 minutes.
  weigh run percona-2019 --server mysql@5.6 --server ./mysql-8.0.44-linux-glibc2.28-x86_64.tar.xz
      A study's experiment on servers of one's own choice.
  weigh run cnblogs-2020 --scale full --threads 64
      At the study's own size, but for the threads.
  weigh run --print percona-2019 > mine.toml; weigh run ./mine.toml
      A recipe of one's own.
  weigh run --resume weigh-results/2026-11-21T05-10-00Z
      Goes on with a run that was interrupted, or killed.

Exit status: 0 measured, 2 could not measure; 130 and 143 after ctrl-C and SIGTERM.";

/// Repeat a study: run its experiment, and hold what it claimed against what is measured
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_override_self = true)]
pub struct RunArgs {
    /// Recipe, by its name (see --list) or its file
    #[arg(value_name = "RECIPE", required_unless_present_any = ["list", "resume"])]
    recipe: Option<String>,

    /// List the recipes and end
    #[arg(long, conflicts_with = "print")]
    list: bool,

    /// Print the recipe's own text and end, to begin another from
    #[arg(long)]
    print: bool,

    /// Size to run at [default: laptop]
    #[arg(long, value_name = "NAME", help_heading = "The experiment")]
    scale: Option<String>,

    /// Connections to each variant, in place of the scale's
    #[arg(long, value_name = "N,…", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=4096), help_heading = "The experiment")]
    threads: Vec<u32>,

    /// Half-width of a ratio's 95 % interval to reach, in place of the scale's
    #[arg(long, value_name = "PERCENT", value_parser = measure::parse_percent, help_heading = "The experiment")]
    precision: Option<f64>,

    /// Time for all load together, in place of the scale's
    #[arg(long, value_name = "TIME", value_parser = measure::parse_duration, help_heading = "The experiment")]
    max_time: Option<Duration>,

    /// Say what would be created and measured, and end
    #[arg(long, help_heading = "The experiment")]
    dry_run: bool,

    /// Go on with the run in this folder that ended before it was done, however it ended: whole replicates are kept, what had begun is
    /// measured anew. Recipe and options are those that it began with; only --password and --format may stand beside it
    #[arg(long, value_name = "DIR", help_heading = "The experiment")]
    pub resume: Option<PathBuf>,

    /// Folder for run.json and samples.jsonl [default: weigh-results/<time>]
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub out: Option<PathBuf>,

    /// How results are printed: text, json (schemas/report.schema.json), csv or markdown; --list knows text and json
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true, default_value_t = Format::Text, help_heading = "Output")]
    pub format: Format,

    #[command(flatten)]
    pub connect: ConnectArgs,
}

/// Runs `weigh run`.
pub fn run(args: &RunArgs) -> Result<ExitCode> {
    if args.list {
        output::print(&list(&Recipe::all()?, args.format)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let name = args.recipe.as_deref().unwrap_or_default();
    let recipe = Recipe::find(name)?;
    if args.print {
        let own_file = || std::fs::read_to_string(name);
        output::print(&recipe::source(name).map_or_else(own_file, |text| Ok(text.into()))?)?;
        return Ok(ExitCode::SUCCESS);
    }
    let (bench, openings) = resolve(args, &recipe)?;
    bench::run_on(&bench, &openings)
}

fn resolve(args: &RunArgs, recipe: &Recipe) -> Result<(Bench, Vec<Opening>)> {
    let settings = &recipe.scale(args.scale.as_deref())?.1.settings;
    let Targets { specs, options } = args.connect.resolve_or(0, &recipe.servers)?;
    let instances = recipe.instances(specs.len(), |server| !specs[server].is_running());
    let mut request = recipe.request(args.scale.as_deref(), &instances, specs.iter().any(Spec::is_running))?;
    if !args.threads.is_empty() {
        request.threads.clone_from(&args.threads);
    }
    request.precision = args.precision.unwrap_or(request.precision);
    request.max_time = args.max_time.unwrap_or(request.max_time);
    request.command = Some(argv::shown());
    if request.block > request.max_time {
        let (block, max_time) = (request.block.as_secs_f64(), request.max_time.as_secs_f64());
        bail!("a block of {recipe} takes {block} s, more than --max-time {max_time}s: raise it", recipe = recipe.name);
    }
    if !recipe.server_charsets.is_empty()
        && let Some(spec) = specs.iter().find(|spec| spec.is_running())
    {
        output::tell(&format!(
            "note: {spec} runs already and is measured with the charset that it is set to; claims on others stay open"
        ));
    }
    let opening = |instance: &Instance| {
        let of_instance = instance.charset.iter().map(|charset| ("character-set-server".to_owned(), charset.clone()));
        let level = recipe.level.then(level).into_iter().flatten();
        // What the user sets comes last, and beats the recipe.
        let all = level.chain(settings.clone()).chain(of_instance).chain(options.settings.clone());
        Opening {
            spec: specs[instance.server].clone(),
            options: Options { settings: all.collect(), threads: request.most_connections(), ..options.clone() },
            distinction: instance.charset.as_ref().map(|charset| format!("server {charset}")),
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

fn list(recipes: &[Recipe], format: Format) -> Result<String> {
    match format {
        Format::Text => Ok(recipes.iter().map(entry).collect::<Vec<_>>().join("\n")),
        Format::Json => {
            let recipes: Vec<_> = recipes.iter().map(entry_json).collect();
            Ok(serde_json::to_string_pretty(&recipes)? + "\n")
        }
        Format::Csv | Format::Markdown => bail!("--list is printed as text or json"),
    }
}

fn entry(recipe: &Recipe) -> String {
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

fn entry_json(recipe: &Recipe) -> serde_json::Value {
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
