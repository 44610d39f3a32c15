//! Checks Java's flow facts on programs that compile: what the compiler accepts, the facts must accept.
//!
//! `cargo run --release -p allotrope-syntax --example java_flow`
//!
//! - A method with a result does not complete normally, and every statement is reachable (JLS 14.22).
//! - A local variable is definitely assigned wherever it is read (JLS 16).
//! - A variable that a lambda or an inner class uses is effectively final (JLS 4.12.4).
//!
//! The first few exceptions are shown; some data sets hold methods that do not compile.

#[path = "data/mod.rs"]
mod data;

use std::collections::BTreeMap;

use syntax::flow::{can_complete_normally, is_definitely_assigned, is_effectively_final, is_reachable};
use syntax::{Field, Kind, Language, Node, Program, SymbolKind, Target};

const SHOWN: usize = 12;

fn main() -> Result<(), String> {
    let Some(folder) = testbed::data() else { return Ok(()) };
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for set in data::DATA_SETS.iter().filter(|set| set.language == Language::Java) {
        for (place, text) in set.programs(&folder)? {
            let program = Program::parse(Language::Java, text);
            if program.is_broken() {
                continue;
            }
            check(&program, &mut |fact, holds, node| {
                let (asked, failed) = counts.entry(fact).or_default();
                *asked += 1;
                if !holds {
                    *failed += 1;
                    if *failed <= SHOWN {
                        let (line, column) = program.line_and_column(node.start());
                        println!("{place}:{line}:{column}: not {fact}: {}", first_line(node));
                    }
                }
            });
        }
    }
    for (fact, (asked, failed)) in counts {
        println!("{fact}: {asked} asked, {failed} not");
    }
    Ok(())
}

fn first_line(node: Node<'_>) -> &str {
    node.text().lines().next().unwrap_or_default()
}

fn check(program: &Program, report: &mut impl FnMut(&'static str, bool, Node<'_>)) {
    for node in program.nodes() {
        if node.kind() == Kind::MethodDeclaration {
            let has_result = node.child(Field::Type).is_some_and(|result| result.kind() != Kind::VoidType);
            if let Some(body) = node.child(Field::Body).filter(|_| has_result) {
                report("returning", !can_complete_normally(body), node);
            }
        }
        if matches!(node.kind(), Kind::Block | Kind::SwitchBlockStatementGroup) {
            for statement in node.named_children() {
                report("reachable", is_reachable(statement), statement);
            }
        }
    }
    let scopes = program.scopes();
    for reference in scopes.references() {
        let Target::Symbol(symbol) = reference.target else { continue };
        let declared = scopes.symbol(symbol);
        if reference.declares || !matches!(declared.kind, SymbolKind::Local | SymbolKind::Parameter) {
            continue;
        }
        let node = program.node(reference.node);
        let is_plain_target = node.role() == Field::Left
            && node.parent().is_some_and(|parent| {
                parent.kind() == Kind::AssignmentExpression
                    && parent.child(Field::Operator).is_some_and(|operator| operator.is_token("="))
            });
        if !is_plain_target {
            report("assigned", is_definitely_assigned(symbol, node), node);
        }
        let owner = |node: Node<'_>| {
            node.ancestors()
                .find(|around| matches!(around.kind(), Kind::LambdaExpression | Kind::ClassBody))
                .map(Node::id)
        };
        // The parameters of a lambda stand outside of its body, but inside of it.
        if owner(node) != owner(program.node(declared.declaration)) {
            report("effectively final", is_effectively_final(program, symbol), node);
        }
    }
}
