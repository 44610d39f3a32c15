//! What holds for every rewrite of every program: the sweep over the data sets, its sample among the tests, and the
//! properties all call this.

use std::collections::{BTreeSet, HashSet};

use syntax::{Edit, Node, Program, Target};
use transformation::resolution::{Shifts, loses_evidence, names_hold};
use transformation::site::Sites;
use transformation::{Choice, Class, Names, Transformation};

/// What a transformation did in one program.
#[derive(Default)]
pub struct Outcome {
    /// How many sites there are.
    pub sites: usize,
    /// How many of them were rewritten and checked.
    pub checked: usize,
    /// How many had no edits after all.
    pub refused: usize,
    /// What went wrong.
    pub problems: Vec<String>,
}

/// Applies a transformation at up to `most` of its sites, spread evenly, and checks every result. With `is_read_anew` it
/// is also compared with the reading of its text from nothing, because an edited program is read with the help of the tree
/// before.
pub fn check(
    program: &Program,
    transformation: &Transformation,
    names: &Names,
    most: usize,
    is_read_anew: bool,
) -> Outcome {
    let sites = Sites::of(transformation, program);
    let mut outcome = Outcome { sites: sites.len(), ..Outcome::default() };
    let mut seen = BTreeSet::new();
    for site in &sites {
        if !seen.insert((site.rule, site.range.start, site.range.end)) {
            outcome.problems.push(format!("two sites at {:?} {}", site.range, site.rule));
        }
    }
    let step = sites.len().div_ceil(most).max(1);
    let words: HashSet<&str> =
        program.scopes().references().iter().map(|reference| program.node(reference.node).text()).collect();
    for (index, site) in sites.iter().enumerate().step_by(step) {
        let mut choice = Choice::new(program, names, index as u64);
        let Some(edits) = site.edits(&mut choice) else {
            outcome.refused += 1;
            continue;
        };
        outcome.checked += 1;
        let given = choice.given();
        if let Err(problem) = check_edits(program, &words, transformation, &edits, &given, is_read_anew) {
            let (line, column) = program.line_and_column(site.range.start);
            outcome.problems.push(format!("site at line {line}, column {column}: {problem}"));
        }
    }
    outcome
}

fn check_edits(
    program: &Program,
    words: &HashSet<&str>,
    transformation: &Transformation,
    edits: &[Edit],
    given: &[String],
    is_read_anew: bool,
) -> Result<(), String> {
    let rewritten = program.edited(edits).map_err(|error| error.to_string())?;
    if is_read_anew {
        check_reading(&rewritten)?;
    }
    if let Some(error) = rewritten.first_error() {
        let (line, column) = rewritten.line_and_column(error.start);
        return Err(format!("does not parse at line {line}, column {column} of\n{}", rewritten.text()));
    }
    if rewritten.bytes() == program.bytes() {
        return Err("changes nothing".to_owned());
    }
    let shifts = Shifts::of(edits);
    check_bytes(program, &rewritten, &shifts)?;
    check_names(program, words, &rewritten, given)?;
    // An alias is a new name beside the old one.
    let has_alias = transformation.name == "rename-api-alias";
    names_hold(program, &rewritten, edits, loses_evidence(&transformation.name))
        .map_err(|problem| format!("{problem} in\n{}", rewritten.text()))?;
    if transformation.class == Class::Comments || transformation.name == "change-whitespace" {
        check_code(program, &rewritten).map_err(|problem| format!("{problem} in\n{}", rewritten.text()))?;
    }
    let is_rename = transformation.name.starts_with("rename-") && !has_alias;
    if transformation.class == Class::Naming && given.len() == 1 && is_rename {
        check_renamed(program, &rewritten, &given[0])
            .map_err(|problem| format!("{problem} in\n{}", rewritten.text()))?;
    }
    Ok(())
}

/// The tree is the one that the text alone leads to.
fn check_reading(rewritten: &Program) -> Result<(), String> {
    let anew = Program::from_bytes(rewritten.language(), rewritten.bytes().to_vec());
    let known = |node: Node<'_>| (node.kind(), node.role(), node.range(), node.parent().map(Node::id));
    if rewritten.context() == anew.context() && rewritten.nodes().map(known).eq(anew.nodes().map(known)) {
        return Ok(());
    }
    Err(format!("reads differently with the help of the tree before than from nothing:\n{}", rewritten.text()))
}

/// Comments and blanks come and go, but the tokens are the same, and the tree over them is.
fn check_code(program: &Program, rewritten: &Program) -> Result<(), String> {
    let code = |program: &Program| -> Vec<(syntax::Kind, String)> {
        let is_leaf = |node: &syntax::Node<'_>| node.children().next().is_none();
        let text =
            |node: syntax::Node<'_>| if is_leaf(&node) { node.text().trim_end().to_owned() } else { String::new() };
        let nodes = program.nodes().filter(|node| !node.kind().is_comment());
        nodes.skip(1).map(|node| (node.kind(), text(node))).collect()
    };
    let (before, after) = (code(program), code(rewritten));
    match before.iter().zip(&after).find(|(before, after)| before != after) {
        Some((before, after)) => Err(format!("the code changed: {before:?}, then {after:?}")),
        None if before.len() != after.len() => Err("the code changed its length".to_owned()),
        None => Ok(()),
    }
}

/// Bytes outside the edits do not change.
fn check_bytes(program: &Program, rewritten: &Program, shifts: &Shifts) -> Result<(), String> {
    for range in shifts.kept(program.bytes().len()) {
        let moved = shifts.moved(&range).ok_or("an edit lies inside what no edit touches")?;
        if program.bytes().get(range.clone()) != rewritten.bytes().get(moved) {
            return Err(format!("the bytes {range:?} outside the edits changed"));
        }
    }
    Ok(())
}

/// Every identifier of the result was there before, is fresh and was given by the source of names, or belongs to the
/// language and its standard library.
fn check_names(program: &Program, words: &HashSet<&str>, rewritten: &Program, given: &[String]) -> Result<(), String> {
    if let Some(name) = given.iter().find(|name| !program.is_fresh(name)) {
        return Err(format!("the name {name} is not fresh"));
    }
    for reference in rewritten.scopes().references() {
        let name = rewritten.node(reference.node).text();
        // The mark of a private name of JavaScript is a part of its identifier.
        let bare = name.trim_start_matches('#');
        let is_accounted_for = words.contains(name) || given.iter().any(|given| given == bare);
        if !is_accounted_for && !is_known(rewritten, name) {
            return Err(format!("the name {name} comes from nowhere in\n{}", rewritten.text()));
        }
    }
    Ok(())
}

/// Names that a rewrite may bring along: the standard library's, and words that stood in the text already.
fn is_known(program: &Program, name: &str) -> bool {
    syntax::names::is_reserved(program.language(), name)
        || ["java", "util", "function", "Supplier", "get", "Throwable", "BaseException", "append", "add", "format"]
            .contains(&name)
        // What prints, what a string literal is asked, and what Java's exceptions are.
        || ["System", "out", "print", "println", "printf", "std", "cout", "write", "end", "console", "assert", "log"]
            .contains(&name)
        || ["process", "stdout", "length", "isEmpty", "equals", "RuntimeException", "String"].contains(&name)
        || is_functional(name)
}

/// The interfaces of `java.util.function` for numbers, and their methods.
fn is_functional(name: &str) -> bool {
    ["UnaryOperator", "BinaryOperator", "Function", "Supplier"].iter().any(|interface| name.ends_with(interface))
        || name.starts_with("applyAs")
        || name.starts_with("getAs")
}

/// After a rename the tables are the same, reference by reference, but for the one name.
fn check_renamed(program: &Program, rewritten: &Program, new: &str) -> Result<(), String> {
    let (before, after) = (program.scopes(), rewritten.scopes());
    // A shorthand property `{x}` becomes `{x: y}` and brings one more identifier, its key, which nothing refers to.
    let keys: BTreeSet<usize> = before
        .references()
        .iter()
        .enumerate()
        .filter(|(_, reference)| {
            let kind = program.node(reference.node).kind();
            matches!(kind, syntax::Kind::ShorthandPropertyIdentifier | syntax::Kind::ShorthandPropertyIdentifierPattern)
        })
        .map(|(index, _)| index)
        .collect();
    let mut others = after.references().iter().peekable();
    let mut symbols = std::collections::BTreeMap::new();
    for (index, reference) in before.references().iter().enumerate() {
        let name = program.node(reference.node).text();
        let is_at_key = |other: &&syntax::Reference| {
            keys.contains(&index) && rewritten.node(other.node).kind() == syntax::Kind::PropertyIdentifier
        };
        if others.peek().is_some_and(is_at_key) {
            others.next();
        }
        let Some(other) = others.next() else { return Err("identifiers are missing".to_owned()) };
        let other_name = rewritten.node(other.node).text();
        if other_name != name && other_name.trim_start_matches('#') != new {
            return Err(format!("`{name}` became `{other_name}`"));
        }
        let is_same = match (reference.target, other.target) {
            (Target::Symbol(before), Target::Symbol(after)) => *symbols.entry(before).or_insert(after) == after,
            (before, after) => before == after,
        };
        if !is_same {
            return Err(format!(
                "`{name}` resolves to {:?}, then `{other_name}` to {:?}",
                reference.target, other.target
            ));
        }
    }
    let distinct: BTreeSet<_> = symbols.values().collect();
    if distinct.len() != symbols.len() {
        return Err("two symbols became one".to_owned());
    }
    Ok(())
}
