//! The ready plans of `campaigns/`: each says what it means, and does a dry run where its data is at hand.

use std::path::{Path, PathBuf};
use std::process::Command;

use campaign::Examples;
use campaign::grid::GridPlan;
use campaign::plan::Plan;
use campaign::work::open_model;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Is a plan that of a grid? All others are attacks.
fn is_grid(text: &str) -> bool {
    text.contains("\ntreatments = ")
}

/// The folder with the real data sets, where there is one.
fn data() -> Option<PathBuf> {
    testbed::data().filter(|folder| folder.join("students").is_dir())
}

fn plans() -> Vec<(String, String)> {
    let mut plans = Vec::new();
    for entry in std::fs::read_dir(root().join("campaigns")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        plans.push((name, std::fs::read_to_string(&path).unwrap()));
    }
    plans.sort();
    plans
}

#[test]
fn every_plan_says_what_it_means() {
    let plans = plans();
    assert!(plans.len() >= 10, "{}", plans.len());
    for (name, text) in &plans {
        let model = match is_grid(text) {
            true => toml::from_str::<GridPlan>(text).unwrap_or_else(|error| panic!("{name}: {error}")).model,
            false => {
                let plan = Plan::read(&root().join("campaigns").join(name)).unwrap_or_else(|error| panic!("{error}"));
                plan.resolve().map(drop).unwrap_or_else(|error| panic!("{name}: {error}"));
                plan.model
            }
        };
        // Every group of values stands below a comment that says where they come from.
        for (place, line) in text.lines().enumerate().filter(|(_, line)| line.starts_with("[parameters")) {
            let above = text.lines().nth(place - 1).unwrap_or_default();
            assert!(above.starts_with("# "), "{name}: nothing says where the values of {line} come from");
        }
        assert!(text.contains(&format!("allotrope run campaigns/{name} -o ")), "{name} does not say how it is run");
        // A model of models/train is named as it is in its folder.
        let is_portable = model.starts_with("builtin:") || model.contains("$ALLOTROPE_DATA") || !model.contains('/');
        assert!(is_portable, "{name}: {model}");
    }
}

#[test]
fn models_and_data_sets_of_all_plans_are_there() {
    let Some(data) = data() else { return };
    let mut seen = Vec::new();
    for (name, text) in plans().into_iter().filter(|(_, text)| !is_grid(text)) {
        let text = text.replace("$ALLOTROPE_DATA", &data.display().to_string());
        // Settings lie in the project.
        let text = text.replace("fixtures/", &format!("{}/fixtures/", root().display()));
        let plan: Plan = toml::from_str(&text).unwrap();
        if !seen.contains(&plan.model) {
            open_model(&plan.model).map(drop).unwrap_or_else(|error| panic!("{name}: {error}"));
            seen.push(plan.model.clone());
        }
        let described = format!("{:?}", plan.data);
        if !seen.contains(&described) {
            let examples =
                Examples::read(&plan.data.request().unwrap()).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(!campaign::attack::targets(&examples).is_empty(), "{name}");
            seen.push(described);
        }
    }
}

#[test]
fn a_plan_does_a_dry_run() {
    let allotrope = |plan: &str, data: Option<&Path>| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_allotrope"));
        command
            .current_dir(root())
            .args(["run", plan, "-o", "nothing-is-written", "--dry-run"])
            .env_remove("ALLOTROPE_DATA");
        command.envs(data.map(|data| ("ALLOTROPE_DATA", data))).output().unwrap()
    };
    let lost = allotrope("campaigns/random-vulnerability.toml", None);
    let told = String::from_utf8_lossy(&lost.stderr);
    assert_eq!(lost.status.code(), Some(2), "{told}");
    assert!(told.contains("ALLOTROPE_DATA does not say which that is"), "{told}");
    let Some(data) = data() else { return };
    let output = allotrope("campaigns/random-vulnerability.toml", Some(&data));
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(told.contains("random-k") && told.contains("5464"), "{told}");
    assert!(!root().join("nothing-is-written").exists());
}
