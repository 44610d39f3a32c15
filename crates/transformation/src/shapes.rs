//! The shapes before and after each of CODA's four groups of rules, and how often each occurs in a program.
//!
//! CODA chooses its rewrites by what other programs look like: it counts the shapes before and after each rule in
//! them. A shape is a syntactic construct; words in strings, comments and names (`format`, `before`) do not count.
//! Counting is one walk over the nodes and needs no scopes or types, so it also works for fragments.

use std::collections::{BTreeMap, HashSet};

use syntax::views::{Assignment, condition_of};
use syntax::{Field, Kind, Node, Program};

use crate::parts::assignments::{binary_operation, is_value_unused};
use crate::parts::constants::{literal_declaration, rule_of_literal};
use crate::parts::opposites::are_written_as_opposites;

/// An operator that compound assignments have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    ShiftLeft,
    ShiftRight,
    And,
    Or,
    Xor,
}

impl Operator {
    /// Every operator, with its symbol and the name of its rule.
    const ALL: [(Operator, &'static str, &'static str); 10] = [
        (Operator::Add, "+", "add"),
        (Operator::Subtract, "-", "subtract"),
        (Operator::Multiply, "*", "multiply"),
        (Operator::Divide, "/", "divide"),
        (Operator::Remainder, "%", "remainder"),
        (Operator::ShiftLeft, "<<", "shift-left"),
        (Operator::ShiftRight, ">>", "shift-right"),
        (Operator::And, "&", "and"),
        (Operator::Or, "|", "or"),
        (Operator::Xor, "^", "xor"),
    ];

    fn of_sign(sign: &str) -> Option<Operator> {
        Operator::ALL.iter().find(|(_, known, _)| *known == sign).map(|(operator, _, _)| *operator)
    }

    fn of_rule(rule: &str) -> Option<Operator> {
        Operator::ALL.iter().find(|(_, _, known)| *known == rule).map(|(operator, _, _)| *operator)
    }
}

/// A kind of literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Literal {
    Number,
    String,
    Character,
    Boolean,
}

impl Literal {
    fn of_rule(rule: &str) -> Option<Literal> {
        match rule {
            "number" => Some(Literal::Number),
            "string" => Some(Literal::String),
            "character" => Some(Literal::Character),
            "boolean" => Some(Literal::Boolean),
            _ => None,
        }
    }
}

/// What a rule of CODA turns into something else, or something else into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Shape {
    /// A loop with a head of three parts; in Python every `for`.
    ForLoop,
    WhileLoop,
    IfElse,
    /// Two adjacent `if`s without `else` whose conditions are written as opposites: `a == b` and `a != b`, `p` and `!p`.
    IfIf,
    /// `x += e`
    Compound(Operator),
    /// `x = x + e`
    Expanded(Operator),
    /// `x++` or `++x` whose value is not used.
    Increment,
    /// `x--` or `--x` whose value is not used.
    Decrement,
    /// `x = x + 1`
    ExpandedIncrement,
    /// `x = x - 1`
    ExpandedDecrement,
    /// A literal anywhere but as the whole value of a new variable.
    Literal(Literal),
    /// A declaration of one variable whose value is a literal.
    ConstantVariable(Literal),
}

/// How often each shape occurs in a program. A construct may have several: `x = x + 1` is an expanded increment and an
/// expanded addition, and its `1` is a literal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    counts: BTreeMap<Shape, usize>,
}

impl Counts {
    /// How often the shape occurs.
    pub fn of(&self, shape: Shape) -> usize {
        self.counts.get(&shape).copied().unwrap_or(0)
    }

    /// The shapes that occur, in order, with their counts.
    pub fn iter(&self) -> impl Iterator<Item = (Shape, usize)> + '_ {
        self.counts.iter().map(|(shape, count)| (*shape, *count))
    }

    fn add(&mut self, shape: Shape) {
        *self.counts.entry(shape).or_default() += 1;
    }
}

/// The shapes before and after a rule; `None` for rules that are not CODA's.
pub fn shapes_of(transformation: &str, rule: &str) -> Option<(Shape, Shape)> {
    let compound = |rule: &str| {
        let operator = Operator::of_rule(rule)?;
        Some((Shape::Compound(operator), Shape::Expanded(operator)))
    };
    let increment = |rule: &str| match rule {
        "increment" => Some((Shape::Increment, Shape::ExpandedIncrement)),
        "decrement" => Some((Shape::Decrement, Shape::ExpandedDecrement)),
        _ => None,
    };
    let constant = |rule: &str| {
        let literal = Literal::of_rule(rule)?;
        Some((Shape::Literal(literal), Shape::ConstantVariable(literal)))
    };
    let back = |(before, after): (Shape, Shape)| (after, before);
    match transformation {
        "for-to-while" => Some((Shape::ForLoop, Shape::WhileLoop)),
        "while-to-for" => Some((Shape::WhileLoop, Shape::ForLoop)),
        "split-if-else" => Some((Shape::IfElse, Shape::IfIf)),
        "merge-if-if" => Some((Shape::IfIf, Shape::IfElse)),
        "expand-compound" => compound(rule),
        "contract-compound" => compound(rule).map(back),
        "expand-increment" => increment(rule),
        "contract-increment" => increment(rule).map(back),
        "extract-constant" => constant(rule),
        "inline-constant" => constant(rule).map(back),
        _ => None,
    }
}

/// Counts the shapes of a program. A broken program has none.
pub fn count(program: &Program) -> Counts {
    let mut counts = Counts::default();
    if program.is_broken() {
        return counts;
    }
    // Names come before their values, so the literals of constant variables are known when they are met.
    let mut named = HashSet::new();
    for node in program.nodes().filter(|node| node.is_named()) {
        match node.kind() {
            Kind::ForStatement => counts.add(Shape::ForLoop),
            Kind::WhileStatement => counts.add(Shape::WhileLoop),
            Kind::IfStatement => of_branch(node).into_iter().for_each(|shape| counts.add(shape)),
            Kind::AssignmentExpression
            | Kind::AugmentedAssignmentExpression
            | Kind::Assignment
            | Kind::AugmentedAssignment => {
                of_assignment(node).into_iter().flatten().flatten().for_each(|shape| counts.add(shape))
            }
            Kind::UpdateExpression if is_value_unused(node) => {
                counts.add(if node.has_token("++") { Shape::Increment } else { Shape::Decrement });
            }
            Kind::Identifier => {
                if let Some((_, literal)) = literal_declaration(node) {
                    named.insert(literal.id());
                    if let Some(sort) = rule_of_literal(literal).and_then(Literal::of_rule) {
                        counts.add(Shape::ConstantVariable(sort));
                    }
                }
            }
            _ => {
                if let Some(sort) =
                    rule_of_literal(node).and_then(Literal::of_rule).filter(|_| !named.contains(&node.id()))
                {
                    counts.add(Shape::Literal(sort));
                }
            }
        }
    }
    counts
}

fn of_branch(node: Node<'_>) -> Option<Shape> {
    if node.child(Field::Alternative).is_some() {
        return Some(Shape::IfElse);
    }
    let next = std::iter::successors(node.next_sibling(), |next| next.next_sibling())
        .find(|next| next.is_named() && !next.kind().is_comment())?;
    let is_alone = next.kind() == Kind::IfStatement && next.child(Field::Alternative).is_none();
    let (first, second) = (condition_of(node)?, condition_of(next).filter(|_| is_alone)?);
    are_written_as_opposites(first, second).then_some(Shape::IfIf)
}

fn without_brackets(expression: Node<'_>) -> Node<'_> {
    let mut inner = expression;
    while let Some(next) = inner.named_children().next().filter(|_| inner.kind() == Kind::ParenthesizedExpression) {
        inner = next;
    }
    inner
}

/// The shapes of an assignment: at most two.
fn of_assignment(node: Node<'_>) -> Option<[Option<Shape>; 2]> {
    let parts = Assignment::of(node)?;
    if !parts.operator.is_token("=") {
        let operator = Operator::of_sign(parts.operator.text().strip_suffix('=')?)?;
        return Some([Some(Shape::Compound(operator)), None]);
    }
    // Java's narrow types need a cast around the operation.
    let value = match parts.right.kind() {
        Kind::CastExpression => parts.right.child(Field::Value).map(without_brackets)?,
        _ => parts.right,
    };
    let found = binary_operation(value).filter(|found| found.left.text() == parts.left.text())?;
    let operator = Operator::of_sign(found.operator.text())?;
    let step = match (operator, found.right.text()) {
        (Operator::Add, "1") if is_value_unused(node) => Some(Shape::ExpandedIncrement),
        (Operator::Subtract, "1") if is_value_unused(node) => Some(Shape::ExpandedDecrement),
        _ => None,
    };
    Some([Some(Shape::Expanded(operator)), step])
}

#[cfg(test)]
mod tests {
    use syntax::Language::{self, C, Cpp, Java, JavaScript, Python};

    use super::*;
    use crate::catalogue;

    #[track_caller]
    fn check(language: Language, text: &str, expected: &[(Shape, usize)]) {
        let program = Program::parse(language, text);
        assert!(!program.is_broken(), "{text}");
        let mut expected = expected.to_vec();
        expected.sort();
        assert_eq!(count(&program).iter().collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn words_are_no_shapes() {
        check(Java, "void f() { /* for (;;) while (x) i++; x += 1 */ format(before, whiled); }", &[]);
        check(
            C,
            "void f(void) { puts(\"for (;;) { i++; x += 1; } if (a) else\"); }",
            &[(Shape::Literal(Literal::String), 1)],
        );
        check(Python, "# while True: x += 1\nplatform = elsewhere.format(iff)\n", &[]);
    }

    #[test]
    fn loops_and_branches() {
        check(
            C,
            "void f(int n) { for (;;) { } while (n) { } do { } while (n); }",
            &[(Shape::ForLoop, 1), (Shape::WhileLoop, 1)],
        );
        check(
            Java,
            "void f(int[] a, boolean b) { for (int n : a) { } if (b) { } else { } if (b) { } if (!b) { } }",
            &[(Shape::IfElse, 1), (Shape::IfIf, 1)],
        );
        check(Python, "if a > b:\n    f()\nif not (a > b):\n    g()\nif c:\n    h()\n", &[(Shape::IfIf, 1)]);
        check(C, "void f(int a, int b) { if (a == b) { f(); } if (a != b) { g(); } }", &[(Shape::IfIf, 1)]);
        check(Java, "void f(float a) { if (a < b) { g(); } if (a >= b) { h(); } }", &[(Shape::IfIf, 1)]);
        check(JavaScript, "if (a) { f(); } if (b) { g(); }", &[]);
    }

    #[test]
    fn assignments() {
        check(
            Cpp,
            "void f(int n, int k) { n += k; n = n << k; n++; --n; k = n++; n = k + n; }",
            &[
                (Shape::Compound(Operator::Add), 1),
                (Shape::Expanded(Operator::ShiftLeft), 1),
                (Shape::Increment, 1),
                (Shape::Decrement, 1),
            ],
        );
        check(
            Java,
            "void f(byte b) { b = (byte) (b - 1); }",
            &[
                (Shape::Expanded(Operator::Subtract), 1),
                (Shape::ExpandedDecrement, 1),
                (Shape::Literal(Literal::Number), 1),
            ],
        );
        check(
            Python,
            "x |= y\nx = x * y\nx **= y\n",
            &[(Shape::Compound(Operator::Or), 1), (Shape::Expanded(Operator::Multiply), 1)],
        );
    }

    #[test]
    fn literals_and_names_for_them() {
        check(
            Java,
            "void f() { int n = 1; g(2, 'c', \"s\", true); }",
            &[
                (Shape::ConstantVariable(Literal::Number), 1),
                (Shape::Literal(Literal::Number), 1),
                (Shape::Literal(Literal::Character), 1),
                (Shape::Literal(Literal::String), 1),
                (Shape::Literal(Literal::Boolean), 1),
            ],
        );
    }

    #[test]
    fn a_broken_program_has_no_shapes() {
        assert_eq!(count(&Program::parse(C, "void f( { for (;;) ")), Counts::default());
    }

    #[test]
    fn every_rule_has_its_shapes_and_its_inverse_the_same() {
        for name in ["expand-compound", "expand-increment", "extract-constant"] {
            let transformation = catalogue::find(name).unwrap();
            for rule in &transformation.rules {
                let (before, after) = shapes_of(name, rule).unwrap();
                assert_eq!(shapes_of(transformation.inverse.unwrap(), rule), Some((after, before)));
            }
        }
        assert_eq!(shapes_of("for-to-while", ""), Some((Shape::ForLoop, Shape::WhileLoop)));
        assert_eq!(shapes_of("while-to-for", ""), Some((Shape::WhileLoop, Shape::ForLoop)));
        assert_eq!(shapes_of("split-if-else", ""), Some((Shape::IfElse, Shape::IfIf)));
        assert_eq!(shapes_of("merge-if-if", ""), Some((Shape::IfIf, Shape::IfElse)));
        assert_eq!(shapes_of("rename-local", ""), None);
    }

    #[test]
    fn a_rewrite_moves_one_count_to_the_other() {
        let program = Program::parse(C, "void f(int n) { n -= 2; }");
        let transformation = catalogue::find("expand-compound").unwrap();
        let sites = crate::Sites::of(transformation, &program);
        let names = crate::Names::typed();
        let rewritten = crate::apply::apply(&program, transformation, &sites[0], 0, &names).unwrap().program;
        let (before, after) = shapes_of("expand-compound", sites[0].rule).unwrap();
        assert_eq!((count(&program).of(before), count(&program).of(after)), (1, 0));
        assert_eq!((count(&rewritten).of(before), count(&rewritten).of(after)), (0, 1));
    }
}
