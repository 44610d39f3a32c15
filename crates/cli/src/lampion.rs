//! Lampion's configuration: a Java `.properties` file, as its two transformers read it.
//!
//! The keys are those of the Java transformer and of the Python one. Every key is honoured, or named in a warning.

use campaign::vary::Scope;

/// What a Lampion configuration asks for.
#[derive(Debug, Default, PartialEq)]
pub struct Lampion {
    /// Transformations with the source of their names, in the order of Lampion's documentation.
    pub transformations: Vec<(&'static str, &'static str)>,
    /// How many rewrites.
    pub order: Option<usize>,
    /// Where they go.
    pub scope: Option<Scope>,
    /// The seed.
    pub seed: Option<u64>,
    /// Are all comments removed in the end?
    pub removes_comments: bool,
    /// The input folder.
    pub input: Option<String>,
    /// The output folder.
    pub output: Option<String>,
    /// The keys that are not honoured, and why.
    pub warnings: Vec<String>,
}

/// Lampion's name of a transformer, the key of the randomness of its texts, and our name.
const TRANSFORMERS: [(&str, &str, &str); 11] = [
    ("IfTrueTransformer", "", "if-true"),
    ("IfFalseElseTransformer", "", "if-false-else"),
    ("LambdaIdentityTransformer", "", "lambda-identity"),
    ("AddNeutralElementTransformer", "", "add-neutral-element"),
    ("RandomInlineCommentTransformer", "RandomInlineCommentStringRandomness", "add-comment"),
    ("AddCommentTransformer", "AddCommentStringRandomness", "add-comment"),
    ("RandomParameterNameTransformer", "RandomParameterNameStringRandomness", "rename-parameter"),
    ("RenameParameterTransformer", "RenameParameterStringRandomness", "rename-parameter"),
    ("EmptyMethodTransformer", "EmptyMethodStringRandomness", "add-unused-function"),
    ("AddUnusedVariableTransformer", "UnusedVariableStringRandomness", "add-unused-variable"),
    ("RenameVariableTransformer", "RenameVariableStringRandomness", "rename-local"),
];

/// Reads a configuration.
pub fn read(text: &str) -> Lampion {
    let properties = properties(text);
    let mut lampion = Lampion::default();
    let mut warn = |key: &str, value: &str, why: &str| lampion.warnings.push(format!("{key}={value}: {why}"));
    let mut switched_on = Vec::new();
    let mut randomness: Vec<(&str, &'static [&'static str])> = Vec::new();
    for (key, value) in &properties {
        if let Some((name, _, _)) = TRANSFORMERS.iter().find(|(name, _, _)| name == key) {
            match truth(value) {
                Some(true) => switched_on.push(*name),
                Some(false) => (),
                None => warn(key, value, "is neither true nor false, so the transformer is off"),
            }
            continue;
        }
        if TRANSFORMERS.iter().any(|(_, name, _)| !name.is_empty() && name == key) {
            match value.to_ascii_lowercase().as_str() {
                "full" => randomness.push((key, &["letters"])),
                "pseudo" => randomness.push((key, &["pseudo"])),
                "both" => randomness.push((key, &["letters", "pseudo"])),
                _ => warn(key, value, "is not full, pseudo or both; pseudo is used"),
            }
            continue;
        }
        match key.as_str() {
            "version" => (),
            "transformations" => match value.parse() {
                Ok(count) => lampion.order = Some(count),
                Err(_) => warn(key, value, "is not a number, so the order stays as it is"),
            },
            "seed" => match value.parse::<i64>() {
                Ok(seed) => lampion.seed = Some(seed as u64 & ((1 << 53) - 1)),
                Err(_) => warn(key, value, "is not a number, so the seed stays as it is"),
            },
            "transformationscope" => match scope(value) {
                Some(scope) => lampion.scope = Some(scope),
                None => warn(key, value, "is not a scope of Lampion's; every file gets its transformations"),
            },
            "removeAllComments" => match truth(value) {
                Some(is_on) => lampion.removes_comments = is_on,
                None => warn(key, value, "is neither true nor false, so comments stay"),
            },
            "inputDirectory" => lampion.input = Some(value.clone()),
            "outputDirectory" => lampion.output = Some(value.clone()),
            "compilingTransformers" => {
                warn(key, value, "has no effect: every rewrite is parsed and refused when it would break the program");
            }
            "setAutoImports" => warn(key, value, "has no effect: rewrites need no imports"),
            "writeJavaOutput" => match truth(value) {
                Some(true) => (),
                _ => warn(key, value, "has no effect: the output is always written"),
            },
            "writeManifest" | "databaseName" | "databaseDirectory" | "pathToSchema" => {
                warn(key, value, "has no effect: the manifest is a file of JSON lines, see --manifest");
            }
            _ => warn(key, value, "is not a key of Lampion's and has no effect"),
        }
    }
    for (name, key, transformation) in TRANSFORMERS {
        if !switched_on.contains(&name) {
            continue;
        }
        let sources =
            randomness.iter().rev().find(|(other, _)| *other == key).map_or(&["pseudo"][..], |(_, sources)| sources);
        lampion.transformations.extend(sources.iter().map(|source| (transformation, *source)));
    }
    lampion
}

fn truth(value: &str) -> Option<bool> {
    match value.to_ascii_lowercase().as_str() {
        "true" | "yes" | "1" => Some(true),
        "false" | "no" | "0" => Some(false),
        _ => None,
    }
}

/// A class of Lampion's is a file here, as in its Python transformer.
fn scope(value: &str) -> Option<Scope> {
    Some(match value.to_ascii_lowercase().replace('_', "").as_str() {
        "global" => Scope::Global,
        "permethod" => Scope::PerFunction,
        "perclass" => Scope::PerFile,
        "perclasseach" => Scope::EachFile,
        "permethodeach" => Scope::EachFunction,
        _ => return None,
    })
}

/// The keys and values of a `.properties` file. A backslash at the end of a line continues it.
fn properties(text: &str) -> Vec<(String, String)> {
    let mut logical: Vec<String> = Vec::new();
    let mut is_continued = false;
    for line in text.trim_start_matches('\u{feff}').lines() {
        let line = line.trim_start();
        if !is_continued && (line.is_empty() || line.starts_with(['#', '!'])) {
            continue;
        }
        let goes_on = line.ends_with('\\') && !line.ends_with("\\\\");
        let part = if goes_on { &line[..line.len() - 1] } else { line };
        match logical.last_mut().filter(|_| is_continued) {
            Some(last) => last.push_str(part),
            None => logical.push(part.to_owned()),
        }
        is_continued = goes_on;
    }
    let split = |line: &String| {
        let end = line.find(['=', ':']).or_else(|| line.find(char::is_whitespace)).unwrap_or(line.len());
        let (key, value) = line.split_at(end);
        (key.trim().to_owned(), value.trim_start_matches(['=', ':']).trim().to_owned())
    };
    logical.iter().map(split).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_is_read_as_it_is() {
        let lampion = read(
            "# Lampion\nversion=1.3\nseed = 753\ntransformations=10\ntransformationscope=perClassEach\n\
             IfTrueTransformer=true\nIfFalseElseTransformer=false\nRenameVariableTransformer=true\n\
             RenameVariableStringRandomness=both\nremoveAllComments=true\ncompilingTransformers=false\nNonsense=1\n",
        );
        assert_eq!(lampion.order, Some(10));
        assert_eq!(lampion.seed, Some(753));
        assert_eq!(lampion.scope, Some(Scope::EachFile));
        assert!(lampion.removes_comments);
        assert_eq!(
            lampion.transformations,
            [("if-true", "pseudo"), ("rename-local", "letters"), ("rename-local", "pseudo")]
        );
        assert_eq!(lampion.warnings.len(), 2, "{:?}", lampion.warnings);
    }

    #[test]
    fn what_cannot_be_honoured_is_told() {
        let lampion = read("transformations=many\ntransformationscope: everywhere\nIfTrueTransformer maybe\n");
        assert_eq!(lampion.warnings.len(), 3, "{:?}", lampion.warnings);
        assert!(lampion.transformations.is_empty());
    }
}
