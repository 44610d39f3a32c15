//! Every flow fact answers for every node of every annotated source, and the answers agree.

use std::path::Path;

use syntax::flow::{
    accesses, can_complete_normally, constant_value, is_constant_expression, is_definitely_assigned,
    is_effectively_final, is_reachable, leaving_jumps, leaving_throws, may_have_effect, may_raise,
};
use syntax::{Field, Kind, Language, Node, Program};

crate::a_test_for_each_language!(check_folder);

#[test]
fn broken_programs_allow_nothing() {
    for language in Language::ALL {
        let program = Program::parse(language, "( [ {");
        assert!(program.is_broken());
        for node in program.nodes() {
            assert!(can_complete_normally(node) && is_reachable(node) && may_have_effect(node) && may_raise(node));
            assert!(!is_constant_expression(node) && constant_value(node).is_none());
            assert!(accesses(node).has_unresolved && accesses(node).touches_memory);
        }
    }
}

#[test]
fn nesting_as_deep_as_programs_may_be() {
    let depth = 300;
    let nested = [
        (Language::Java, format!("int f() {{ return {}1{}; }}", "(".repeat(depth), ")".repeat(depth))),
        (Language::C, format!("int f() {{ return {}1{}; }}", "-(".repeat(depth), ")".repeat(depth))),
        (Language::Cpp, format!("int f() {{ {}{} }}", "if (1) {".repeat(depth), "}".repeat(depth))),
        (Language::Python, format!("x = {}1{}\n", "(".repeat(50), ")".repeat(50))),
        (Language::JavaScript, format!("x = {}1{};", "[".repeat(depth), "]".repeat(depth))),
    ];
    for (language, text) in nested {
        let program = Program::parse(language, text);
        assert!(!program.is_broken(), "{language}");
        program.nodes().for_each(check_node);
    }
}

fn check_folder(language: Language) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scopes").join(language.name());
    let mut files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    for file in files {
        let program = Program::from_file(&file, Some(language)).unwrap();
        program.nodes().for_each(check_node);
        for (symbol, _) in program.scopes().symbols() {
            let is_final = is_effectively_final(&program, symbol);
            assert!(!is_final || language == Language::Java);
            for reference in program.scopes().references_of(symbol) {
                is_definitely_assigned(symbol, program.node(reference.node));
            }
        }
    }
}

fn check_node(node: Node<'_>) {
    let place = || format!("{:?} in {}", node, node.program().language());
    let touched = accesses(node);
    assert!(touched.reads.is_sorted() && touched.writes.is_sorted(), "{}", place());
    if constant_value(node).is_some() {
        assert!(is_constant_expression(node), "a value without a constant: {}", place());
    }
    if is_constant_expression(node) {
        assert!(!may_have_effect(node) && !may_raise(node), "a constant that acts or fails: {}", place());
        assert!(touched.writes.is_empty(), "a constant that writes: {}", place());
    }
    if is_literal(node) {
        assert!(!may_have_effect(node) && !may_raise(node), "a literal that acts or fails: {}", place());
        assert!(touched.reads.is_empty() && touched.writes.is_empty(), "a literal that reads: {}", place());
        assert!(!touched.has_unresolved && !touched.touches_memory, "a literal that touches: {}", place());
    }
    if is_assignment(node) {
        assert!(may_have_effect(node), "an assignment without effect: {}", place());
        let changes = !touched.writes.is_empty() || touched.touches_memory || touched.has_unresolved;
        assert!(changes, "an assignment that writes nothing: {}", place());
    }
    // What is inside a node is part of what the node does.
    for child in node.children().filter(|child| child.role() == Field::Condition || child.role() == Field::Body) {
        let inner = accesses(child);
        assert!(inner.reads.iter().all(|symbol| touched.reads.contains(symbol)), "{}", place());
        assert!(inner.writes.iter().all(|symbol| touched.writes.contains(symbol)), "{}", place());
    }
    let completes = can_complete_normally(node);
    let jumps = leaving_jumps(node);
    let throws = leaving_throws(node);
    let is_jump = matches!(
        node.kind(),
        Kind::ReturnStatement | Kind::BreakStatement | Kind::ContinueStatement | Kind::GotoStatement
    );
    if is_jump {
        assert!(!completes && !jumps.is_empty(), "a jump that stays: {}", place());
    }
    for jump in jumps.iter().map(|jump| jump.node).chain(throws) {
        assert!(node.contains(jump), "a jump from outside: {}", place());
    }
    is_reachable(node);
}

fn is_literal(node: Node<'_>) -> bool {
    match node.kind() {
        Kind::DecimalIntegerLiteral
        | Kind::HexIntegerLiteral
        | Kind::DecimalFloatingPointLiteral
        | Kind::CharacterLiteral
        | Kind::NumberLiteral
        | Kind::CharLiteral
        | Kind::Integer
        | Kind::Float
        | Kind::Number
        | Kind::True
        | Kind::False => true,
        Kind::StringLiteral | Kind::String => node.descendants().all(|part| !part.kind().is_identifier()),
        _ => false,
    }
}

fn is_assignment(node: Node<'_>) -> bool {
    match node.kind() {
        Kind::AssignmentExpression | Kind::AugmentedAssignmentExpression | Kind::AugmentedAssignment => true,
        Kind::Assignment => node.child(Field::Right).is_some(),
        _ => false,
    }
}
