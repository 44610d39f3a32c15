//! Turns a loop that fills a new list, set or dictionary into a comprehension.
//!
//! class: structure
//! from: Python idiom
//! rules: list, set, dict
//! inverse: comprehension-to-loop
//!
//! The loop comes directly after the empty collection and does nothing but fill it. Both are variables of one
//! function that no inner function uses, the loop variables are used in the loop only, and no `try` or `with` of the
//! function could expose a half-filled collection after a failure.
//!
//! ```python
//! def f(xs):
//!     ys = []
//!     for x in xs:
//!         if x > 0:
//!             ys.append(x * 2)
//!     return ys
//! ```
//! ->
//! ```python
//! def f(xs):
//!     ys = [x * 2 for x in xs if x > 0]
//!     return ys
//! ```
//!
//! ```python
//! def f(xs):
//!     seen = set()
//!     for x in xs:
//!         seen.add(x)
//!     return seen
//! ```
//! ->
//! ```python
//! def f(xs):
//!     seen = {x for x in xs}
//!     return seen
//! ```
//!
//! The variable is used after the loop:
//!
//! ```python
//! def f(xs):
//!     ys = []
//!     for x in xs:
//!         ys.append(x)
//!     return ys, x
//! ```

use syntax::{Edit, Field, Kind, Node, Program, SymbolId, SymbolKind};

use crate::Sites;
use crate::parts::python::{
    function_of_statement, is_built_in_name, is_comprehension, is_generator, may_be_caught, scope_around, shows_locals,
};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    let mut loops = program.nodes_of_kind(Kind::ForStatement).filter_map(filling).peekable();
    if loops.peek().is_none() || shows_locals(program) {
        return;
    }
    let has_set = is_built_in_name(program, "set");
    for filling in loops {
        if filling.rule == "set" && !has_set {
            continue;
        }
        let range = filling.start.start()..filling.statement.end();
        sites.add_rule(filling.rule, range, move |_| Some(edits(&filling)));
    }
}

/// A collection and the loop that fills it.
struct Filling<'p> {
    rule: &'static str,
    start: Node<'p>,
    empty: Node<'p>,
    statement: Node<'p>,
    /// The `for` and `if` statements, from the outside.
    clauses: Vec<Node<'p>>,
    element: Vec<Node<'p>>,
}

fn filling(statement: Node<'_>) -> Option<Filling<'_>> {
    let program = statement.program();
    let function = function_of_statement(statement)?;
    let start = statement.previous_sibling().filter(|start| start.kind() == Kind::ExpressionStatement)?;
    let assignment = start.named_children().next().filter(|node| node.kind() == Kind::Assignment)?;
    let (target, empty) = (assignment.child(Field::Left)?, assignment.child(Field::Right)?);
    let rule = match empty.text() {
        "[]" => "list",
        "{}" => "dict",
        "set()" => "set",
        _ => return None,
    };
    let is_between_blank = program.text()[start.end()..statement.start()].trim().is_empty();
    if target.kind() != Kind::Identifier || !is_between_blank || may_be_caught(statement) {
        return None;
    }
    let (clauses, step) = clauses(statement)?;
    let (receiver, element) = step_of(step, rule)?;
    let scopes = program.scopes();
    let symbol = scopes.symbol_at(target)?;
    let is_clean = !statement.descendants().any(|node| match node.kind() {
        Kind::Lambda | Kind::Yield | Kind::Await | Kind::NamedExpression | Kind::Comment => true,
        Kind::Identifier => matches!(node.text(), "super" | "__class__"),
        kind => is_comprehension(kind),
    });
    let uses = |symbol: SymbolId| scopes.references_of(symbol).map(|reference| program.node(reference.node));
    let is_private = scopes.symbol(symbol).kind == SymbolKind::Local
        && scopes.symbol_at(receiver) == Some(symbol)
        && uses(symbol).all(|node| {
            let is_own = scope_around(node).is_some_and(|around| around.id() == function.id());
            is_own && (node.id() == receiver.id() || !statement.contains(node))
        });
    let are_variables_private = clauses.iter().filter(|clause| clause.kind() == Kind::ForStatement).all(|clause| {
        clause.child(Field::Left).is_some_and(|left| {
            left.descendants().filter(|node| node.is_named()).all(|node| match node.kind() {
                Kind::PatternList | Kind::TuplePattern => true,
                Kind::Identifier => scopes.symbol_at(node).is_some_and(|variable| {
                    scopes.symbol(variable).kind == SymbolKind::Local
                        && uses(variable).all(|node| is_used_within(*clause, node))
                }),
                _ => false,
            })
        })
    });
    // A generator that is closed in the middle could not be told apart, but its frame can be looked at.
    let is_good = is_clean && is_private && are_variables_private && !is_generator(function);
    is_good.then_some(Filling { rule, start, empty, statement, clauses, element })
}

/// Is the use inside the loop and not in the iterable, which is evaluated before the variable has its value?
fn is_used_within(clause: Node<'_>, node: Node<'_>) -> bool {
    clause.contains(node) && clause.child(Field::Right).is_some_and(|iterable| !iterable.contains(node))
}

/// The nested `for` and `if` statements without `else`, and the one statement inside.
fn clauses(statement: Node<'_>) -> Option<(Vec<Node<'_>>, Node<'_>)> {
    let mut clauses = Vec::new();
    let mut inner = statement;
    loop {
        let body = match inner.kind() {
            Kind::ForStatement if inner.child(Field::Alternative).is_none() && !inner.has_token("async") => {
                inner.child(Field::Body)?
            }
            Kind::IfStatement if inner.child(Field::Alternative).is_none() => inner.child(Field::Consequence)?,
            Kind::ExpressionStatement => return Some((clauses, inner)),
            _ => return None,
        };
        clauses.push(inner);
        let mut statements = body.named_children();
        let (only, None) = (statements.next()?, statements.next()) else { return None };
        inner = only;
    }
}

/// The collection that the statement adds to, and what it adds.
fn step_of<'p>(step: Node<'p>, rule: &str) -> Option<(Node<'p>, Vec<Node<'p>>)> {
    let mut parts = step.named_children();
    let (value, None) = (parts.next()?, parts.next()) else { return None };
    if rule == "dict" {
        let target = value.child(Field::Left).filter(|_| value.kind() == Kind::Assignment)?;
        let element = value.child(Field::Right)?;
        let mut keys = target.children_at(Field::Subscript).filter(|key| key.is_named());
        let (key, None) = (keys.next()?, keys.next()) else { return None };
        let is_good = target.kind() == Kind::Subscript
            && value.child(Field::Type).is_none()
            && !matches!(element.kind(), Kind::Assignment | Kind::ExpressionList | Kind::AugmentedAssignment)
            && !matches!(key.kind(), Kind::Slice | Kind::ListSplat)
            && !target.text().ends_with(",]")
            // The assignment evaluates the value first, the comprehension the key: one of them must be plain.
            && (is_plain(key) || is_plain(element));
        return is_good.then_some((target.child(Field::Value)?, vec![key, element]));
    }
    let function = value.child(Field::Function).filter(|_| value.kind() == Kind::Call)?;
    let method = function.child(Field::Attribute).filter(|_| function.kind() == Kind::Attribute)?;
    let arguments = value.child(Field::Arguments).filter(|node| node.kind() == Kind::ArgumentList)?;
    let mut elements = arguments.named_children();
    let (element, None) = (elements.next()?, elements.next()) else { return None };
    let is_good = method.text() == if rule == "list" { "append" } else { "add" }
        && !matches!(element.kind(), Kind::KeywordArgument | Kind::ListSplat | Kind::DictionarySplat);
    is_good.then_some((function.child(Field::Object)?, vec![element]))
}

fn is_plain(node: Node<'_>) -> bool {
    match node.kind() {
        Kind::Integer | Kind::Float | Kind::True | Kind::False | Kind::None => true,
        Kind::Identifier => !syntax::flow::may_raise(node),
        _ => false,
    }
}

fn edits(filling: &Filling<'_>) -> Vec<Edit> {
    let mut text = match filling.element[..] {
        [key, value] => format!("{}: {}", key.text(), value.text()),
        _ => filling.element[0].text().to_owned(),
    };
    // A conditional expression would take the next `if` or `else` for its own, and a list of values has no brackets.
    let bracketed = |node: Option<Node<'_>>| {
        node.map_or(String::new(), |node| match node.kind() {
            Kind::ConditionalExpression | Kind::ExpressionList | Kind::PatternList => format!("({})", node.text()),
            _ => node.text().to_owned(),
        })
    };
    for clause in &filling.clauses {
        if clause.kind() == Kind::ForStatement {
            let target = clause.child(Field::Left).map_or("", Node::text);
            text.push_str(&format!(" for {target} in {}", bracketed(clause.child(Field::Right))));
        } else {
            text.push_str(&format!(" if {}", bracketed(clause.child(Field::Condition))));
        }
    }
    let text = if filling.rule == "list" { format!("[{text}]") } else { format!("{{{text}}}") };
    vec![Edit::replace(filling.empty, text), Edit::delete(filling.start.end()..filling.statement.end())]
}

#[cfg(test)]
mod tests {
    use syntax::Language::Python;

    use crate::testing::{check, check_refused};

    #[test]
    fn dictionaries_and_several_loops() {
        check(
            "loop-to-comprehension",
            Python,
            "def f(a):\n    d = {}\n    for k, v in a:\n        for w in v:\n            d[k] = g(w)\n    return d\n",
            "def f(a):\n    d = {k: g(w) for k, v in a for w in v}\n    return d\n",
        );
        check(
            "loop-to-comprehension",
            Python,
            "def f(a):\n  d = []\n  for b in a if a else c, d2:\n    if b if g else h: d.append((b, 1))\n  return d\n",
            "def f(a):\n  d = [(b, 1) for b in (a if a else c, d2) if (b if g else h)]\n  return d\n",
        );
    }

    #[test]
    fn what_can_be_seen_half_full_is_refused() {
        let body = "for x in xs:\n    ys.append(x)\n";
        check_refused("loop-to-comprehension", Python, &format!("ys = []\n{body}"));
        check_refused(
            "loop-to-comprehension",
            Python,
            "def f(xs):\n    try:\n        ys = []\n        for x in xs:\n            ys.append(x\
             )\n    finally:\n        g(ys)\n",
        );
        check_refused(
            "loop-to-comprehension",
            Python,
            "def f(xs):\n    global ys\n    ys = []\n    for x in xs:\n        ys.append(x)\n",
        );
        check_refused(
            "loop-to-comprehension",
            Python,
            "def f(xs):\n    ys = []\n    for x in xs:\n        ys.append(len(ys))\n    return ys\n",
        );
        check_refused(
            "loop-to-comprehension",
            Python,
            "def f(xs):\n    def g(): return ys\n    ys = []\n    for x in xs:\n        ys.append(g\
             ())\n    return ys\n",
        );
    }

    #[test]
    fn loops_that_do_more_are_refused() {
        for body in [
            "for x in xs:\n        ys.append(x)\n    else:\n        g()",
            "for x in xs:\n        if x: ys.append(x)\n        else: g()",
            "for x in xs:\n        if x: break\n        ys.append(x)",
            "for x in xs:\n        ys.append(lambda: x)",
            "for x in xs:\n        ys.append((yield x))",
            "for x in xs:\n        ys.append(x)  # why",
            "for x in x:\n        ys.append(x)",
            "for xs in xs:\n        ys.append(xs)",
            "for self.x in xs:\n        ys.append(x)",
            "for x in xs:\n        ys.extend(x)",
            "for x in xs:\n        ys.append(*x)",
        ] {
            check_refused(
                "loop-to-comprehension",
                Python,
                &format!("def f(xs):\n    ys = []\n    {body}\n    return ys\n"),
            );
        }
        check_refused(
            "loop-to-comprehension",
            Python,
            "def f(xs):\n    d = {}\n    for x in xs:\n        d[g(x)] = h(x)\n    return d\n",
        );
    }
}
