//! `allotrope retrain` as a user types it: attacked, retrained in several ways, attacked again; killed, and with mistakes.

use std::io::Read;
use std::path::Path;

use campaign::plan::Plan;
use campaign::retrain::RetrainPlan;
use campaign::run::Store;
use serde_json::{Value, json};

use crate::folder::Folder;

/// Functions whose class is in an operator and in a name, so that a model that trusts names can be led astray.
fn rows(first: usize, count: usize) -> String {
    let row = |number: usize| {
        let (label, names, operator) =
            [("sum", ["alpha", "gamma", "delta"], '+'), ("product", ["beta", "kappa", "sigma"], '*')][number % 2];
        let name = names[number / 2 % 3];
        let code = format!("int f(int {name}) {{ int whole = {name} {operator} {number}; return whole; }}");
        json!({"id": number, "label": label, "language": "c", "code": code}).to_string() + "\n"
    };
    (first..first + count).map(row).collect()
}

const PLAN: &str = "
attacked = 20

[attack]
model = 'hf:victim'
attacks = ['mhm', 'random-k']
budget = 40
[attack.data]
path = 'test.jsonl'
task = 'functionality'
sample = 12

[data]
path = 'train.jsonl'
task = 'functionality'

[training]
steps = 40
learning-rate = 0.01
warm-up = 5
batch-tokens = 800

[[arm]]
name = 'again'

[[arm]]
name = 'mhm'
examples = ['mhm']
ratio = 1.0

[[arm]]
name = 'consistent'
variants = { transform = 'rename-local', names = 'reference', rewrites = 2, consistency = 1.0 }

[[rewritten]]
name = 'renamed'
variants = { transform = 'rename-local', names = 'reference', rewrites = 2 }
";

const VALIDATION: &str = "
[validation]
path = 'valid.jsonl'
task = 'functionality'
";

const VICTIM: &str = "train --kind encoder --data train.jsonl --validation valid.jsonl --task functionality --layers 1 --hidden 16 --heads 2 --inner 32 \
                      --vocabulary 300 --max-tokens 64 --steps 150 --learning-rate 0.01 --warm-up 5 --batch-tokens 800 -o victim";

fn prepared(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("train.jsonl", rows(0, 60));
    folder.write("valid.jsonl", rows(100, 16));
    folder.write("test.jsonl", rows(200, 24));
    folder.run_well(VICTIM);
    folder
}

fn number(cell: &Value) -> f64 {
    cell.as_str().unwrap().split(' ').next().unwrap().parse().unwrap()
}

#[test]
fn a_model_is_retrained_on_what_broke_it() {
    let folder = prepared("retrain");
    folder.write("plan.toml", PLAN);
    assert!(folder.run_well("retrain plan.toml -o out --dry-run").contains("3 models to train, 8 runs"));
    let found: Value = serde_json::from_str(&folder.run_well("retrain plan.toml -o out --json")).unwrap();
    let names: Vec<&str> = found["models"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["original", "again", "mhm", "consistent"]);
    let table = |title: &str| found["tables"][title].as_array().unwrap().clone();
    let fooled = &table("Adversarial examples against the original model, accuracy");
    // The original model is wrong about all of them, or they would be none.
    assert_eq!(number(&fooled[0]["mhm"]), 0.0, "{fooled:?}");
    assert!(number(&fooled[2]["mhm"]) > 0.5, "{fooled:?}");
    let fresh = table("Fresh attacks");
    assert_eq!(fresh.len(), 8);
    let rate = |model: &str| {
        let row = fresh.iter().find(|row| row["model"] == model && row["attack"] == "mhm").unwrap();
        number(&row["success rate"])
    };
    assert!(rate("original") > 0.5 && rate("mhm") < rate("original"), "{fresh:?}");
    let clean = table("Clean test set");
    assert_eq!(clean[2]["steps"], 40);
    // Every second function adds, and a model that is right about all of them says so.
    let says = number(&clean[2]["answers sum"]);
    assert!((says - 0.5).abs() <= 1.0 - number(&clean[2]["accuracy"]) + 1e-3, "{clean:?}");
    assert_eq!(clean[2]["adversarial examples"], 60);
    assert_eq!(table("Rewritten test sets, accuracy").len(), 4);
    assert!(folder.read("out/report.html").contains("Adversarial examples against the original model"));
    // What is done is not done again, and the runs are runs like any other.
    let first = folder.read("out/tables.md");
    folder.run_well("run plan.toml -o out");
    assert_eq!(folder.read("out/tables.md"), first);
    assert!(folder.run_well("compare out/attacks/original/mhm out/attacks/mhm/mhm").contains("success rate"));
    // The set of an arm is a data set like any other.
    assert!(folder.run_well("data out/sets/mhm.jsonl.gz --task functionality").contains("120"));

    // Processes that share the arms, beside each other, give the same: what all of them need is done by the first.
    std::thread::scope(|scope| {
        let folder = &folder;
        for arms in ["again,mhm", "consistent"] {
            scope.spawn(move || folder.run_well(&format!("retrain plan.toml -o apart --arms {arms}")));
        }
    });
    folder.run_well("retrain plan.toml -o apart");
    assert_eq!(folder.read("apart/tables.md"), first);
    folder.run_badly("retrain plan.toml -o apart --arms agian", 2, &["no arm `agian`"]);

    folder.kill_until_done(2, "retrain plan.toml", |killed| {
        assert_eq!(folder.read(&format!("{killed}/tables.md")), first, "{killed}");
    });
}

#[test]
fn halves_of_the_test_set_are_apart() {
    let folder = prepared("retrain-halves");
    folder.write(
        "plan.toml",
        format!("halves = true\n{}{VALIDATION}", PLAN.split("[[arm]]\nname = 'consistent'").next().unwrap()),
    );
    let found: Value = serde_json::from_str(&folder.run_well("retrain plan.toml -o out --json")).unwrap();
    let ids = |name: &str| -> Vec<String> {
        let inputs = Store::<Plan>::open(&folder.path(name)).unwrap().inputs().unwrap();
        inputs.into_iter().map(|input| input.id).collect()
    };
    let (learned, tested) = (ids("out/examples/mhm"), ids("out/attacks/original/mhm"));
    assert_eq!((learned.len(), tested.len()), (12, 12));
    assert!(learned.iter().all(|id| !tested.contains(id)), "{found}");
}

/// An attack that was run before is learned from, unless it was on what is measured.
#[test]
fn examples_come_from_runs() {
    let folder = prepared("retrain-runs");
    let attack =
        "attack --model hf:victim --task functionality --attack mhm --budget 40 --sample 20 --train train.jsonl";
    folder.run_well(&format!("{attack} --data train.jsonl -o before"));
    folder.run_well(&format!("{attack} --data test.jsonl -o leaking"));
    let plan = |run: &str, more: &str| {
        let (first, _) = PLAN.split_once("[[arm]]\nname = 'mhm'").unwrap();
        folder.write("plan.toml", format!("{first}[[arm]]\nname = 'old'\nruns = ['{run}']\n{more}"));
    };
    plan("before", "");
    let found: Value = serde_json::from_str(&folder.run_well("retrain plan.toml -o out --json")).unwrap();
    let records = Store::<Plan>::open(&folder.path("before")).unwrap().records().unwrap();
    let successes = records.iter().filter(|record| record.example.is_some()).count();
    assert!(successes > 2);
    assert_eq!(found["tables"]["Clean test set"][2]["adversarial examples"], successes);
    let set = folder.run_well("data out/sets/old.jsonl.gz --task functionality");
    assert!(set.contains(&(60 + successes).to_string()), "{set}");
    // In the places of their originals there are as many as before.
    plan("before", "replace = true");
    folder.run_well("retrain plan.toml -o replaced");
    let set = folder.run_well("data replaced/sets/old.jsonl.gz --task functionality");
    assert!(set.contains("60"), "{set}");
    plan("leaking", "");
    folder.run_badly("retrain plan.toml -o leaked", 2, &["leaking", "in the test set"]);
    // What is in both is left out.
    folder.write("both.jsonl", folder.read("train.jsonl") + &rows(200, 24));
    folder.run_well(&format!("{} --data both.jsonl -o both", attack.replace("--sample 20 ", "")));
    plan("both", "");
    folder.run_well("retrain plan.toml -o mixed");
    let mut set = String::new();
    let file = std::fs::File::open(folder.path("mixed/sets/old.jsonl.gz")).unwrap();
    flate2::read::GzDecoder::new(file).read_to_string(&mut set).unwrap();
    let rows = set.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let learned: Vec<String> = rows.skip(60).map(|row| row["id"].as_str().unwrap().to_owned()).collect();
    let number = |id: &String| id.split(' ').next().unwrap().parse::<usize>().unwrap();
    assert!(learned.len() > 2 && learned.iter().all(|id| number(id) < 60), "{learned:?}");
    plan("nowhere", "");
    folder.run_badly("retrain plan.toml -o none", 3, &["nowhere"]);
}

/// CODA learns from a form of every input, broken or not, and guided mutation measures on a form of each.
#[test]
fn every_target_is_rewritten_on_request() {
    let folder = prepared("retrain-all");
    // Two queries are too few for a success on every target.
    let plan = PLAN
        .replace("budget = 40", "budget = 2\nrewrite-all = true\nmutants.each = 1\nmutants.min-accuracy = 0.0")
        .replace("'random-k'", "'guided-mutation'");
    folder.write("plan.toml", plan.split("[[arm]]\nname = 'consistent'").next().unwrap());
    let found: Value = serde_json::from_str(&folder.run_well("retrain plan.toml -o out --json")).unwrap();
    let title = "Targets as the attacks on the original model leave them, accuracy";
    let left = found["tables"][title].as_array().unwrap();
    assert_eq!(left.len(), 3);
    let store = Store::<Plan>::open(&folder.path("out/attacks/original/mhm")).unwrap();
    let records = store.records().unwrap();
    let succeeded = |record: &&campaign::run::Record| record.example.is_some();
    let successes = records.iter().filter(succeeded).count();
    assert!(
        successes < records.len() && records.iter().all(|record| record.example.is_some() != record.form.is_some())
    );
    // What does not fool the original model is answered as its prediction says.
    let right = (records.len() - successes) as f64 / records.len() as f64;
    assert!((number(&left[0]["mhm"]) - right).abs() < 0.01, "{left:?}");
    // 20 examples, one of each input that was attacked, until there is one for each of 60.
    let store = Store::<Plan>::open(&folder.path("out/examples/mhm")).unwrap();
    assert!(store.records().unwrap().iter().any(|record| record.form.is_some()));
    assert_eq!(found["tables"]["Clean test set"][2]["adversarial examples"], 60);
}

/// A model of names learns from the start, from methods and from what attacks left of them, as in guided mutation's tables IV and V.
#[test]
fn names_of_methods_are_learned_again() {
    let folder = Folder::new("retrain-names");
    let method = |number: usize| {
        let (verb, operator) = [("add", '+'), ("scale", '*')][number % 2];
        let (noun, word) = [("Alpha", "alpha"), ("Gamma", "gamma"), ("Delta", "delta")][number / 2 % 3];
        let code = format!("int {verb}{noun}(int {word}) {{ int whole = {word} {operator} {number}; return whole; }}");
        json!({"id": number, "name": format!("{verb}{noun}"), "language": "java", "code": code}).to_string() + "\n"
    };
    let methods = |first: usize, count: usize| (first..first + count).map(method).collect::<String>();
    folder.write("train.jsonl", methods(0, 60));
    folder.write("test.jsonl", methods(200, 18));
    let sizes = "--width 8 --vector 16 --max-words 100 --max-paths 200 --max-names 20";
    folder.run_well(&format!(
        "train --kind code2vec --data train.jsonl --task method-name --held-out 0 --steps 150 --learning-rate 0.02 --batch-tokens 400 {sizes} -o victim"
    ));
    let plan = "
attacked = 30
[attack]
model = 'code2vec:victim'
attacks = ['random-k', 'mhm']
budget = 20
measure = 'f1'
fall = 0.01
rewrite-all = true
[attack.data]
path = 'test.jsonl'
task = 'method-name'
[data]
path = 'train.jsonl'
task = 'method-name'
[training]
steps = 150
learning-rate = 0.02
batch-tokens = 400
width = 8
vector = 16
max-words = 100
max-paths = 200
max-names = 20
[[arm]]
name = 'again'
[[arm]]
name = 'mhm'
examples = ['mhm']
ratio = 1.0
";
    folder.write("plan.toml", plan);
    let found: Value = serde_json::from_str(&folder.run_well("retrain plan.toml -o out --json")).unwrap();
    assert_eq!(found["models"][2]["model"], "code2vec:out/models/mhm");
    let clean = found["tables"]["Clean test set"].as_array().unwrap();
    assert!(number(&clean[0]["F1 of subtokens"]) > 0.8, "{clean:?}");
    assert_eq!(clean[2]["adversarial examples"], 60);
    let left =
        found["tables"]["Targets as the attacks on the original model leave them, F1 of subtokens"].as_array().unwrap();
    // The attack renames what the model reads, and the model that has seen it reads on.
    assert!(number(&left[0]["mhm"]) < number(&clean[0]["F1 of subtokens"]), "{left:?}");
    assert!(number(&left[2]["mhm"]) > number(&left[0]["mhm"]), "{left:?}");
    assert_eq!(found["tables"]["Fresh attacks"].as_array().unwrap().len(), 6);
    let first = folder.read("out/tables.md");
    folder.kill_until_done(2, "retrain plan.toml", |killed| {
        assert_eq!(folder.read(&format!("{killed}/tables.md")), first, "{killed}");
    });
    folder.run_well("report out -o page.html");

    let badly = |from: &str, to: &str, word: &str| {
        folder.write("wrong.toml", plan.replacen(from, to, 1));
        folder.run_badly("retrain wrong.toml -o wrong", 2, &[word]);
    };
    badly("max-names = 20", "max-nodes = 20", "max-paths");
    badly("width = 8", "from = 'hf:other'", "from the start");
    badly("examples = ['mhm']\nratio = 1.0", "variants.transform = 'all'", "examples of attacks");
    badly("task = 'method-name'\n[training]", "task = 'functionality'\nlabel = 'name'\n[training]", "names of methods");
}

#[test]
fn mistakes_are_told_before_the_work() {
    let folder = prepared("retrain-mistakes");
    let badly = |plan: &str, status: i32, word: &str| {
        folder.write("plan.toml", plan);
        folder.run_badly("retrain plan.toml -o out", status, &[word]);
    };
    badly(&PLAN.replace("'hf:victim'", "'builtin:problems'"), 2, "only encoders");
    badly(&PLAN.replace("ratio = 1.0", "ratio = 'many'"), 2, "ratio");
    badly(&format!("{PLAN}{}", VALIDATION.replace("valid.jsonl", "missing.jsonl")), 3, "missing.jsonl");
    badly(&PLAN.replace("'hf:victim'", "'hf:nowhere'"), 3, "nowhere");
    // Another plan does not resume what was begun.
    folder.write("out/plan.json", "{}");
    badly(PLAN, 2, "another plan");
}

#[test]
fn the_plans_of_the_tables_are_read() {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let mut count = 0;
    for entry in std::fs::read_dir(models).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            RetrainPlan::read(&path).unwrap().check().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            count += 1;
        }
    }
    assert!(count >= 3, "{count}");
}
