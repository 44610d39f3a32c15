//! The negative control: changes that a model cannot see never count as successes.
//!
//! The published students collapse white space and lower-case their input, so wider white space and capitals are nothing to them.
//! Blanks where there were none (`a+b` and `a + b`) are something else: they change how words are cut into tokens.

use std::path::PathBuf;

use campaign::attack::{Campaign, targets};
use campaign::examples::{Examples, Request};
use campaign::plan::Plan;
use campaign::run::Record;
use campaign::work::{Pace, open_model};
use equivalence::sandbox::Sandbox;
use equivalence::{Judge, Options};
use search::{Candidate, Material, Outcome, identifiers};

fn check(student: &str, settings: &str, data_set: &str) {
    let Some(folder) = testbed::data() else { return };
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let settings = root.join("fixtures/checkpoints/students").join(settings);
    let name = format!("hf:{}?settings={}", folder.join("students").join(student).display(), settings.display());
    let model = open_model(&name).unwrap();
    let request =
        Request { path: folder.join(data_set), split: Some("test".to_owned()), sample: Some(24), ..Request::default() };
    let examples = Examples::read(&request).unwrap();
    let plan: Plan = toml::from_str(
        "model = ''\nattacks = ['random-k']\ntransform = 'change-whitespace:blank-line-add,change-whitespace:blank-line-remove,change-whitespace:indentation'\nparameters.random-k.rewrites = 10\n[data]\npath = ''\n",
    )
    .unwrap();
    let (material, judge) = (Material::default(), Judge::new(Sandbox::none(), Options::default()));
    let campaign = Campaign {
        model: model.as_ref(),
        attacks: plan.resolve().unwrap().attacks,
        material: &material,
        judge: &judge,
        targets: targets(&examples),
    };
    let mut records: Vec<Record> = Vec::new();
    let mut keep = |some: &[Record]| -> Result<(), std::convert::Infallible> {
        records.extend_from_slice(some);
        Ok(())
    };
    let Ok(_) = campaign.run_into(&mut keep, &campaign.left(&[]), &Pace::default(), None, &());
    let failed = records.iter().filter(|record| record.outcome == Outcome::Failed).count();
    assert!(failed >= 8, "only {failed} targets were changed");
    assert!(records.iter().all(|record| !record.outcome.is_flip()));
    assert!(records.iter().filter_map(|record| record.belief).all(|(before, lowest)| before == lowest));

    // Every name in capitals, where that is a name that may be given.
    let selections = transformation::recipe::select("names", &transformation::Names::typed()).unwrap();
    let (mut originals, mut changed) = (Vec::new(), Vec::new());
    for (_, target) in targets(&examples) {
        let original = Candidate::of(&target.input);
        let mut candidate = original.clone();
        for part in 0..original.parts() {
            for place in 0..identifiers(&candidate, &selections, &[part]).len() {
                let names = identifiers(&candidate, &selections, &[part]);
                let capitals = names[place].name.to_uppercase();
                candidate = candidate.renamed([(&names[place], capitals.as_str())]).unwrap_or(candidate);
            }
        }
        if candidate != original {
            originals.push(original.input());
            changed.push(candidate.input());
        }
    }
    assert!(changed.len() >= 8, "only {} targets have names to write in capitals", changed.len());
    assert_eq!(model.predict(&originals), model.predict(&changed));
}

#[test]
fn the_vulnerability_student_sees_neither_layout_nor_capitals() {
    check("compressor-codebert-vulnerability", "codebert-vulnerability.toml", "devign");
}

#[test]
fn the_clone_student_sees_neither_layout_nor_capitals() {
    check("compressor-codebert-clone", "codebert-clone.toml", "bigclonebench");
}
