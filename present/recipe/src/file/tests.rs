use super::*;
use std::collections::BTreeSet;
use std::fs;

const RECIPE: &str = r#"
title = "Small"
servers = ["mariadb"]
workloads = ["distinct_ranges:10"]
[scales.tiny]
table_size = 500
precision = "100%"
max_time = "1m"
block = "50ms"
[[claims]]
text = "bin is slower"
variant = { collations = ["utf8mb4_bin"] }
against = { charset = "latin1" }
ratio = { below = 1.0 }
"#;

fn parse(text: &str) -> Result<Recipe, RecipeError> {
    Recipe::parse("small.toml", text, None)
}

fn parse_error(text: &str) -> String {
    parse(text).unwrap_err().to_string()
}

#[test]
fn missing_fields_have_the_defaults_of_bench() {
    let recipe = parse(RECIPE).unwrap();
    assert_eq!(
        (recipe.connections.as_slice(), recipe.texts.as_slice()),
        (["match".to_string()].as_slice(), [Text::Digits].as_slice())
    );
    assert_eq!(
        (recipe.protocol, recipe.server_charsets.len(), recipe.scale(None).unwrap().0),
        (Protocol::Prepared, 0, "tiny")
    );
    let instances = recipe.instances(1, true, |_| true);
    let request = recipe.build_request(None, &instances, false).unwrap();
    assert_eq!(request.rows, workload::Options { table_size: 500, ..workload::Options::default() });
    assert!(
        request.axes.collations.is_none() && request.axes.baseline.is_none() && request.pin == measure::Pin::Private
    );
    assert_eq!((request.precision, request.block), (1.0, Duration::from_millis(50)));
    assert_eq!(request.recipe.unwrap().claims.len(), 1);
}

#[test]
fn reports_mistakes_by_line() {
    for (was, is, wanted) in [
        ("title", "tittle", "small.toml, line 2: unknown field `tittle`"),
        ("distinct_ranges:10", "distinct_range", "small.toml, line 4: there is no workload `distinct_range`"),
        ("\"1m\"", "\"1 m\"", "small.toml, line 8: give a time such as"),
        ("100%", "0%", "small.toml, line 7: give a percentage"),
        ("[scales.tiny]", "[scales.tiny", "small.toml, line 5: "),
        ("max_time = \"1m\"", "", "small.toml, line 5: missing field `max_time`"),
        ("{ below = 1.0 }", "{}", "small.toml: the ratio of the claim \"bin is slower\" has no range"),
        ("{ below = 1.0 }", "{ above = 1.1, below = 1.0 }", "has no range"),
        ("[\"mariadb\"]", "[]", "its servers are empty"),
        ("[\"mariadb\"]", "[\"mariadb\"]\ncontrols = [1]", "its controls must name"),
        ("{ below = 1.0 }", "{ below = 1.0, rounded_to = 0 }", "rounded_to of the claim"),
        ("\"50ms\"", "\"2m\"", "scale tiny: a block is longer than max_time"),
        ("500", "50", "scale tiny: table_size must be 100 at least"),
    ] {
        let message = parse_error(&RECIPE.replacen(was, is, 1));
        assert!(
            message.contains(wanted) && message.ends_with("docs/reference/recipe-file.md has the format"),
            "{message}"
        );
        assert!(!message.contains('\n'), "{message}");
    }
}

#[test]
fn unknown_names_list_the_available_ones() {
    let message = Recipe::find("percona-2018").unwrap_err().to_string();
    assert!(message.contains("no recipe `percona-2018`; there are, nearest first: percona-2019, "), "{message}");
    let message = Recipe::find("./nowhere.toml").unwrap_err().to_string();
    assert!(message.contains("cannot read the recipe's file ./nowhere.toml"), "{message}");
    let recipe = Recipe::find("percona-2019").unwrap();
    let message = recipe.scale(Some("huge")).unwrap_err().to_string();
    assert_eq!(message, "percona-2019 has no scale `huge`; it has full, laptop");
}

#[test]
fn reads_published_figures_from_the_recipes_folder() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.toml");
    let text = RECIPE.replacen("title", "published = \"mine.csv\"\ntitle", 1);
    fs::write(&file, text).unwrap();
    let name = file.to_str().unwrap();
    assert!(Recipe::find(name).unwrap_err().to_string().contains("mine.csv"));
    let head = "source,server,workload,charset,collation,condition,threads,value,unit\n";
    fs::write(folder.path().join("mine.csv"), format!("{head}me,a,oltp_read_only,latin1,,,4,12.5,queries/s\n"))
        .unwrap();
    let figures = Recipe::find(name).unwrap().figures;
    assert_eq!((figures.len(), figures[0].value, &figures[0].collation), (1, 12.5, &None));
    fs::write(folder.path().join("mine.csv"), format!("{head}me,a,oltp_read_only,latin1,,,four,12.5,queries/s\n"))
        .unwrap();
    let message = Recipe::find(name).unwrap_err().to_string();
    assert!(message.contains("mine.csv, line 2: "), "{message}");
}

#[test]
fn built_in_recipes_run_at_both_scales() {
    let recipes = Recipe::all().unwrap();
    assert_eq!(recipes.len(), 5);
    for recipe in recipes {
        assert_eq!(recipe.scales.keys().collect::<Vec<_>>(), ["full", "laptop"]);
        assert!(recipe.scales["laptop"].max_time <= Duration::from_secs(600), "more than 10 minutes of load");
        let instances = recipe.instances(recipe.servers.len(), true, |_| true);
        assert!(
            recipe.build_request(Some("full"), &instances, false).is_ok()
                && recipe.build_request(None, &instances, false).is_ok()
        );
        for server in &recipe.servers {
            assert!(server.parse::<server::Spec>().is_ok());
        }
        // A claim can be judged only if the recipe measures its collations and a workload that it
        // concerns.
        let measured: BTreeSet<&String> = recipe.collations.iter().chain(&recipe.baseline).collect();
        for claim in &recipe.claims {
            let named =
                [&claim.on, &claim.variant, &claim.against].into_iter().flat_map(|selector| &selector.collations);
            assert!(named.clone().all(|name| measured.contains(name)), "{}", claim.text);
            let workloads: Vec<String> = recipe.workloads.iter().map(ToString::to_string).collect();
            assert!(
                workloads.iter().any(|workload| crate::select::concerns_workload(claim, workload)),
                "{}",
                claim.text
            );
        }
    }
    assert_eq!(Recipe::find("percona-2019").unwrap().figures.len(), 68);
    assert_eq!(Recipe::find("cnblogs-2020").unwrap().figures.len(), 5);
}

#[test]
fn each_server_charset_is_an_instance() {
    let recipe = Recipe::find("cnblogs-2020").unwrap();
    let instances = |settable: fn(usize) -> bool| -> Vec<(usize, Option<String>, usize)> {
        recipe.instances(2, true, settable).into_iter().map(|i| (i.server, i.charset, i.control)).collect()
    };
    let (latin1, utf8mb4) = (Some("latin1".to_string()), Some("utf8mb4".to_string()));
    assert_eq!(
        instances(|_| true),
        [(0, latin1.clone(), 0), (0, utf8mb4.clone(), 0), (1, latin1.clone(), 2), (1, utf8mb4.clone(), 2)]
    );
    assert_eq!(instances(|server| server == 1), [(0, None, 0), (1, latin1.clone(), 1), (1, utf8mb4.clone(), 1)]);
    let other_servers = recipe.instances(2, false, |_| true);
    assert_eq!(other_servers.iter().map(|instance| instance.control).collect::<Vec<_>>(), [0, 0, 0, 2]);
}

#[test]
fn recipes_do_not_act_on_a_terminal() {
    for (key, text) in [
        ("title", r"x\u001b[31mRED"),
        ("title", r"x\nEVIL line"),
        ("study", r"x\u202e"),
        ("about", r"x\u001b]0;owned\u0007"),
    ] {
        let line = format!("{key} = \"{text}\"\n");
        let recipe = if key == "title" { RECIPE.replace("title = \"Small\"\n", &line) } else { line + RECIPE };
        let error = parse_error(&recipe);
        assert!(error.contains(key) && error.contains("control character"), "{error}");
    }
    let error = parse_error(&RECIPE.replace("bin is slower", r"bin\u009b2J"));
    assert!(error.contains("text has a control character"), "{error}");
    parse(&("about = \"two\\nlines\"\n".to_owned() + RECIPE)).unwrap();
}
