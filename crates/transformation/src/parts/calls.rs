//! How many functions call each other on the way to a place.

use syntax::{Field, Node, NodeId, SymbolKind};

use super::statements::function_around;

/// The most functions on the way to a new one. Each takes a part of the stack, and a rewrite that is done again and
/// again would put every new function below the one before.
const MOST_CALLS: usize = 8;

/// Do too many functions call each other on the way to this node? Of several calls the first one counts.
pub(crate) fn is_called_deeply(node: Node<'_>) -> bool {
    let mut on_the_way: Vec<NodeId> = Vec::new();
    let mut place = Some(node);
    while let Some(function) = place.and_then(function_around).filter(|function| !on_the_way.contains(&function.id())) {
        on_the_way.push(function.id());
        if on_the_way.len() > MOST_CALLS {
            return true;
        }
        place = first_use(function);
    }
    false
}

/// The first place outside the function that names it.
fn first_use(function: Node<'_>) -> Option<Node<'_>> {
    let (program, scopes) = (function.program(), function.program().scopes());
    let head = function.descendants().take_while(|node| node.role() != Field::Body);
    let symbol = head
        .filter(|node| scopes.reference_at(*node).is_some_and(|reference| reference.declares))
        .filter_map(|node| scopes.symbol_at(node))
        .find(|symbol| scopes.symbol(*symbol).kind == SymbolKind::Function)?;
    let mut uses = scopes.references_of(symbol).filter(|reference| !reference.declares);
    uses.find_map(|reference| Some(program.node(reference.node)).filter(|name| !function.contains(*name)))
}

#[cfg(test)]
mod tests {
    use syntax::{Kind, Language, Program};

    use super::*;

    /// Functions that call each other: `count` of them on the way to the last expression that is returned.
    fn chain(language: Language, count: usize) -> String {
        let mut text = String::new();
        for index in 0..count {
            let value = if index + 1 < count { format!("f{}(a)", index + 1) } else { "a + 1".to_owned() };
            let function = match language {
                Language::Java => format!("static int f{index}(int a) {{ return {value}; }}\n"),
                Language::C | Language::Cpp => format!("int f{index}(int a) {{ return {value}; }}\n"),
                Language::Python => format!("def f{index}(a):\n    return {value}\n"),
                Language::JavaScript => format!("function f{index}(a) {{ return {value}; }}\n"),
            };
            // Names of C and C++ are declared before they are used.
            let is_declared_first = matches!(language, Language::C | Language::Cpp);
            text = if is_declared_first { function + &text } else { text + &function };
        }
        text
    }

    #[test]
    fn the_way_has_a_limit_in_every_language() {
        for language in [Language::Java, Language::C, Language::Cpp, Language::Python, Language::JavaScript] {
            for (count, expected) in [(1, false), (MOST_CALLS, false), (MOST_CALLS + 1, true), (40, true)] {
                let program = Program::parse(language, chain(language, count));
                let place = program.nodes().find(|node| node.text() == "a + 1").expect("an expression");
                assert_eq!(is_called_deeply(place), expected, "{language} {count}");
            }
        }
    }

    #[test]
    fn a_recursion_is_not_followed() {
        for text in
            ["int f(int a) { return f(a + 1); }", "int f(int a) { return g(a); } int g(int a) { return f(a + 1); }"]
        {
            let program = Program::parse(Language::Java, text);
            let place = program.nodes_of_kind(Kind::BinaryExpression).next().expect("an expression");
            assert!(!is_called_deeply(place), "{text}");
        }
    }
}
