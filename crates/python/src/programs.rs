//! Programs: their variants, the sites of transformations, and whether two of them are equivalent.

use std::collections::BTreeMap;

use campaign::plan::PlanError;
use campaign::vary::{Order, Original, Scope, Taken, vary};
use campaign::verify::{self, JudgePlan};
use campaign::work::WorkError;
use equivalence::{Case, Wanted};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use serde_json::{Value, json};
use syntax::Program;
use transformation::names::NamesMaterial;
use transformation::recipe::select;
use transformation::{Names, Recipe, Selection};

use crate::background;
use crate::failure::Failure;
use crate::opened::language_of;

/// A variant: its text, the steps that lead to it as JSON where they are wanted, and the line and column where the program does not parse.
type Rewritten = (String, Option<String>, Option<(usize, usize)>);

/// The variants of programs, each of which has a name that is part of its seed.
pub fn rewrite(arguments: &Bound<'_, PyTuple>) -> PyResult<Vec<Vec<Rewritten>>> {
    type Given = (Vec<(String, String)>, String, String, usize, u64, String, Vec<String>, usize, String, bool);
    let (programs, language, transformations, order, seed, names, reference, variants, scope, steps) =
        arguments.extract::<Given>()?;
    background::work(arguments.py(), None, move |listener| {
        let language = language_of(&language)?;
        let known = Scope::NAMES.into_iter().find(|(name, _)| *name == scope);
        let (_, scope) = known.ok_or_else(|| Failure::usage(format!("there is no scope `{scope}`")))?;
        let recipe = Recipe { selections: selections(&transformations, &names, reference)? };
        let order = Order { recipe, finish: None, count: order, scope, variants, seed };
        let original = |(id, text): (String, String)| Original {
            id,
            language,
            bytes: text.into_bytes(),
            material: None,
            surroundings: None,
            beginnings: BTreeMap::new(),
        };
        let originals: Vec<Original> = programs.into_iter().map(original).collect();
        let made = vary(&originals, &order, &mut Taken::default(), &**listener);
        let made = made.ok_or_else(|| Failure::from(WorkError::Interrupted("stopped")))?;
        let rewritten = |variant: campaign::vary::Variant| {
            let steps = steps.then(|| json!(variant.steps).to_string());
            (String::from_utf8_lossy(&variant.bytes).into_owned(), steps, variant.broken_at)
        };
        Ok(made.into_iter().map(|variants| variants.into_iter().map(rewritten).collect()).collect())
    })
}

fn selections(transformations: &str, names: &str, reference: Vec<String>) -> Result<Vec<Selection>, Failure> {
    let unfit = |error: &dyn std::fmt::Display| Failure::from(PlanError::Unfit(error.to_string()));
    let material = NamesMaterial { reference, ..NamesMaterial::default() };
    let names = Names::new(names, material).map_err(|error| unfit(&error))?;
    select(transformations, &names).map_err(|error| unfit(&error))
}

/// The sites of transformations: name, rule, and the characters that they concern.
pub fn sites(arguments: &Bound<'_, PyTuple>) -> PyResult<Vec<(&'static str, &'static str, usize, usize)>> {
    let (code, language, transformations) = arguments.extract::<(String, String, String)>()?;
    background::work(arguments.py(), None, move |_| {
        let program = Program::parse(language_of(&language)?, code.clone());
        let mut found = Vec::new();
        for selection in selections(&transformations, "pseudo", Vec::new())? {
            let name: &'static str = &selection.transformation.name;
            let site = |site: &transformation::Site<'_>| {
                (name, site.rule, characters(&code, site.range.start), characters(&code, site.range.end))
            };
            found.extend(selection.sites(&program, None).iter().map(site));
        }
        Ok(found)
    })
}

/// The number of characters before a byte, by which Python counts.
fn characters(text: &str, byte: usize) -> usize {
    text.as_bytes()[..byte].iter().filter(|byte| (**byte as i8) >= -0x40).count()
}

/// The verdicts on a variant, as JSON.
pub fn verify(arguments: &Bound<'_, PyTuple>) -> PyResult<String> {
    type Given = (
        String,
        String,
        String,
        Vec<(Vec<String>, String)>,
        Vec<String>,
        Vec<String>,
        f64,
        u64,
        bool,
        bool,
        Option<Py<PyAny>>,
    );
    let (original, variant, language, cases, calls, verdicts, timeout, memory, compare_stderr, sandbox, events) =
        arguments.extract::<Given>()?;
    background::work(arguments.py(), events, move |listener| {
        let has = |name: &str| verdicts.iter().any(|verdict| verdict == name);
        if let Some(unknown) =
            verdicts.iter().find(|name| !["parse", "scope", "compile", "run"].contains(&name.as_str()))
        {
            return Err(Failure::usage(format!("there is no verdict `{unknown}`: use parse, scope, compile, run")));
        }
        let checks = JudgePlan {
            wanted: Wanted { scope: has("scope"), compile: has("compile"), run: has("run") },
            seconds: timeout,
            memory,
            with_errors: compare_stderr,
            is_confined: sandbox,
            ..JudgePlan::default()
        };
        let mut cases: Vec<Case> = cases.into_iter().map(|(arguments, input)| Case { arguments, input }).collect();
        if cases.is_empty() && !calls.is_empty() {
            cases.push(Case::default());
        }
        let texts = [original.into_bytes(), variant.into_bytes()];
        let verdicts = verify::texts(language_of(&language)?, texts, &cases, &calls, &checks, &**listener)?;
        let told = verdicts
            .all()
            .map(|(name, verdict)| (name.to_owned(), json!({ "answer": verdict.name(), "why": verdict.reason() })));
        Ok(Value::Object(told.into_iter().collect()).to_string())
    })
}
