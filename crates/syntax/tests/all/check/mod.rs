//! What is true of every input, however broken: called by the property tests, the edge cases, the
//! example `fuzz` and the fuzz target.

use std::ops::Range;

use syntax::{Edit, EditError, Language, Program, Target};

/// Reads `bytes` and asks everything that can be asked. Panics when an answer cannot be right.
pub fn check(language: Language, bytes: &[u8]) -> Program {
    let program = Program::from_bytes(language, bytes.to_vec());
    assert_eq!(program.bytes(), bytes, "the bytes are kept");
    assert_eq!(program.text().len(), bytes.len(), "the text has a byte for each byte");
    check_tree(&program);
    check_tokens(&program);
    check_scopes(&program);
    for node in program.nodes() {
        // Any answer will do; a panic or an endless recursion will not.
        let _ = program.type_of(node);
    }
    check_edits(&program);
    program
}

fn check_tree(program: &Program) {
    assert_eq!(program.root().range(), 0..program.text().len(), "the root covers everything");
    if let Some(error) = program.first_error() {
        assert!(error.start <= error.end && error.end <= program.text().len(), "an error lies in the text");
        program.line_and_column(error.start);
    }
    for node in program.nodes() {
        let text: &str = node.text();
        assert_eq!(text, &program.text()[node.range()], "a node's text is what the program has there");
        let mut done = node.start();
        for child in node.children() {
            assert!(child.start() >= done && child.end() <= node.end(), "{child:?} leaves its place in {node:?}");
            assert_eq!(child.parent(), Some(node));
            done = child.end();
        }
    }
}

fn check_tokens(program: &Program) {
    let mut done = 0;
    for token in program.tokens() {
        assert!(token.range.start >= done && !token.range.is_empty(), "{token:?} overlaps the token before it");
        assert_eq!(token.text, &program.text()[token.range.clone()]);
        check_gap(program, done..token.range.start);
        done = token.range.end;
    }
    check_gap(program, done..program.text().len());
}

/// Between the tokens of a clean program there is white space, or a backslash that continues a line.
fn check_gap(program: &Program, gap: Range<usize>) {
    if program.is_broken() {
        return;
    }
    let text = &program.text()[gap.clone()];
    let is_empty = |character: char| character.is_whitespace() || IGNORED.contains(&character);
    assert!(text.chars().all(is_empty), "{text:?} at {gap:?} is in no token");
}

/// A backslash continues a line; the others take no room on a screen, and the grammars skip them.
const IGNORED: [char; 5] = ['\\', '\u{feff}', '\u{200b}', '\u{2060}', '\0'];

fn check_scopes(program: &Program) {
    let scopes = program.scopes();
    if program.is_broken() {
        assert!(scopes.references().is_empty(), "a broken program has empty tables");
        return;
    }
    let identifiers = program.nodes().filter(|node| node.kind().is_identifier());
    let referring = scopes.references().iter().map(|reference| reference.node);
    assert!(identifiers.map(|node| node.id()).eq(referring), "every identifier has one reference, in text order");
    for reference in scopes.references() {
        let node = program.node(reference.node);
        assert_eq!(scopes.reference_at(node).map(|other| other.node), Some(reference.node));
        let _ = scopes.scope(reference.scope);
        let Target::Symbol(symbol) = reference.target else {
            assert!(!reference.declares, "{node:?} declares nothing of this input");
            continue;
        };
        assert_eq!(node.text(), program.name_of(symbol), "a symbol has one spelling");
    }
    for (scope, entry) in scopes.scopes() {
        assert!(entry.parent.is_none_or(|parent| parent < scope), "parents come before children");
        let _ = entry.owner.map(|owner| scopes.symbol(owner));
    }
    let mut grouped = 0;
    for (symbol, entry) in scopes.symbols() {
        let declaration = scopes.reference_at(program.node(entry.declaration));
        let declaration =
            declaration.unwrap_or_else(|| panic!("{:?} is no identifier", program.node(entry.declaration)));
        assert!(
            declaration.declares && declaration.target == Target::Symbol(symbol),
            "{entry:?} is declared elsewhere"
        );
        let _ = scopes.is_local(symbol);
        for reference in scopes.references_of(symbol) {
            assert_eq!(reference.target, Target::Symbol(symbol), "a group holds the references of its symbol");
            grouped += 1;
        }
    }
    let resolved = scopes.references().iter().filter(|reference| matches!(reference.target, Target::Symbol(_)));
    assert_eq!(resolved.count(), grouped, "every reference to a symbol is in its group");
}

fn check_edits(program: &Program) {
    let length = program.text().len();
    let nothing = program.edited(&[]);
    if program.is_broken() {
        assert!(matches!(nothing, Err(EditError::Broken { .. })), "a broken program gets no edits");
        return;
    }
    assert_eq!(nothing.map(|same| same.bytes() == program.bytes()).ok(), Some(true));
    assert!(matches!(program.edited(&[Edit::insert(length + 1, "")]), Err(EditError::NotARange(_))));
    // One identifier, chosen by the text, gets another name.
    let identifiers: Vec<_> = program.nodes().filter(|node| node.kind().is_identifier()).collect();
    let Some(chosen) = identifiers.get(length % identifiers.len().max(1)) else { return };
    let edited = program.edited(&[Edit::replace(*chosen, "fresh")]).expect("a node is a range of characters");
    let (before, after) = (program.bytes(), edited.bytes());
    assert_eq!(&after[..chosen.start()], &before[..chosen.start()], "bytes before an edit stay");
    assert_eq!(&after[chosen.start() + 5..], &before[chosen.end()..], "bytes after an edit stay");
}
