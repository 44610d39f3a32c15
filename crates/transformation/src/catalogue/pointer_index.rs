//! Writes an array element as a dereferenced sum of pointer and index, or vice versa.
//!
//! class: structure
//! from: RoPGen
//! rules: to-pointer, to-index
//!
//! The language defines `a[i]` as `*(a + i)`. That holds for arrays and pointers only, so the type of `a` must be
//! evident, and so must that of `i` in C++, where a class may overload the operators. `i[a]` is left alone.
//!
//! ```c
//! int f(int *a, int i) { return a[i + 1]; }
//! ```
//! ->
//! ```c
//! int f(int *a, int i) { return *(a + (i + 1)); }
//! ```
//!
//! ```c
//! int f(int *a, int i) { return *(a + i); }
//! ```
//! ->
//! ```c
//! int f(int *a, int i) { return a[i]; }
//! ```
//!
//! ```cpp
//! struct P { int x; };
//! int f(P *a, int i) { return a[i].x; }
//! ```
//! ->
//! ```cpp
//! struct P { int x; };
//! int f(P *a, int i) { return (*(a + i)).x; }
//! ```
//!
//! A vector defines its own operator:
//!
//! ```cpp
//! int f(std::vector<int> &a, int i) { return a[i]; }
//! ```

use syntax::views::contains_directive;
use syntax::{Edit, Field, Kind, Language, Node, Program, Type};

use crate::Sites;
use crate::parts::conditions::binds_tightly;
use crate::parts::layout::replace;
use crate::parts::macros::is_macro_argument;

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    for node in program.nodes() {
        match node.kind() {
            Kind::SubscriptExpression => {
                if let Some(subscript) = subscript(program, node) {
                    sites.add_rule("to-pointer", node.range(), move |_| Some(subscript.edits()));
                }
            }
            Kind::PointerExpression => {
                if let Some((pointer, index)) = sum(program, node) {
                    sites.add_rule("to-index", node.range(), move |_| {
                        Some(vec![replace(node, &format!("{}[{}]", pointer.text(), index.text()))])
                    });
                }
            }
            _ => {}
        }
    }
}

struct Subscript<'p> {
    node: Node<'p>,
    index: Node<'p>,
    opening: Node<'p>,
    closing: Node<'p>,
}

impl Subscript<'_> {
    /// Only the brackets change, so that comments between them stay.
    fn edits(&self) -> Vec<Edit> {
        let is_bare = may_stand_bare(self.node) && !self.node.program().text()[..self.node.start()].ends_with('/');
        let (start, end) = if is_bare { ("*(", ")") } else { ("(*(", "))") };
        let is_simple =
            binds_tightly(self.index) || matches!(self.index.kind(), Kind::NumberLiteral | Kind::CharLiteral);
        let (left, right) = if is_simple { ("", "") } else { ("(", ")") };
        vec![
            Edit::insert(self.node.start(), start),
            Edit::replace(self.opening, format!(" + {left}")),
            Edit::replace(self.closing, format!("{right}{end}")),
        ]
    }
}

fn subscript<'p>(program: &'p Program, node: Node<'p>) -> Option<Subscript<'p>> {
    let array = node.child(Field::Argument)?;
    let brackets = node.child(Field::Indices).filter(|list| list.kind() == Kind::SubscriptArgumentList).unwrap_or(node);
    let mut indices = brackets.named_children().filter(|child| *child != array && child.kind() != Kind::Comment);
    let (index, None) = (indices.next()?, indices.next()) else { return None };
    let opening = brackets.children().find(|child| child.is_token("["))?;
    let closing = brackets.children().find(|child| child.is_token("]"))?;
    let is_cast = node.parent().is_some_and(|parent| parent.kind() == Kind::CastExpression);
    let is_good = !is_cast && is_pointer(program, array) && is_index(program, index) && is_plain_code(node);
    is_good.then_some(Subscript { node, index, opening, closing })
}

/// The two operands of `*(a + i)`.
fn sum<'p>(program: &'p Program, node: Node<'p>) -> Option<(Node<'p>, Node<'p>)> {
    node.child(Field::Operator).filter(|operator| operator.is_token("*"))?;
    let brackets = node.child(Field::Argument).filter(|argument| argument.kind() == Kind::ParenthesizedExpression)?;
    let sum = brackets.named_children().next().filter(|sum| sum.kind() == Kind::BinaryExpression)?;
    sum.child(Field::Operator).filter(|operator| operator.is_token("+"))?;
    let (pointer, index) = (sum.child(Field::Left)?, sum.child(Field::Right)?);
    let is_good = binds_tightly(pointer)
        && is_pointer(program, pointer)
        && is_index(program, index)
        && is_plain_code(node)
        && !node.descendants().any(|inner| inner.kind() == Kind::Comment);
    is_good.then_some((pointer, index))
}

/// No part of a directive and no argument of a macro, and no directive inside.
fn is_plain_code(node: Node<'_>) -> bool {
    let is_condition = |around: Node<'_>| {
        around.kind().is_directive() && around.child(Field::Condition).is_some_and(|condition| condition.contains(node))
    };
    !contains_directive(node) && !is_macro_argument(node) && !node.ancestors().any(is_condition)
}

fn is_pointer(program: &Program, node: Node<'_>) -> bool {
    matches!(program.type_of(node), Type::Pointer(_) | Type::Array(_))
}

/// Is this an integer? In C nothing else can be added to a pointer.
fn is_index(program: &Program, node: Node<'_>) -> bool {
    match program.language() {
        Language::C => !is_pointer(program, node) && node.kind() != Kind::InitializerList,
        Language::Cpp => matches!(program.type_of(node), Type::Number(_)),
        Language::Java | Language::Python | Language::JavaScript => false,
    }
}

/// Does nothing beside the element bind more tightly than the star?
fn may_stand_bare(node: Node<'_>) -> bool {
    let Some(parent) = node.parent() else { return false };
    match parent.kind() {
        Kind::AssignmentExpression
        | Kind::ReturnStatement
        | Kind::BinaryExpression
        | Kind::ParenthesizedExpression
        | Kind::ExpressionStatement
        | Kind::SubscriptArgumentList => true,
        Kind::ArgumentList => {
            parent.role() == Field::Arguments && parent.parent().is_some_and(|call| call.kind() == Kind::CallExpression)
        }
        Kind::InitDeclarator => true,
        Kind::SubscriptExpression => node.role() != Field::Argument,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Cpp};

    use crate::testing::{all_results, check, check_refused};

    #[test]
    fn brackets_where_they_are_needed() {
        for (before, after) in [
            ("void f(int *a) { a[0]++; }", "void f(int *a) { (*(a + 0))++; }"),
            ("void f(int *a) { a[0] = 1; }", "void f(int *a) { *(a + 0) = 1; }"),
            ("int f(int *a) { return 6/a[1]; }", "int f(int *a) { return 6/(*(a + 1)); }"),
            ("int f(int *a) { return a[-1]; }", "int f(int *a) { return *(a + -1); }"),
            ("int *f(int *a) { return &a[2]; }", "int *f(int *a) { return &(*(a + 2)); }"),
            ("int f(int *a) { return sizeof a[2]; }", "int f(int *a) { return sizeof (*(a + 2)); }"),
            ("int f(int *a) { return a[/* first */ 0]; }", "int f(int *a) { return *(a + /* first */ 0); }"),
            ("int f(int *a) { return a[2 // last\\n]; }", "int f(int *a) { return *(a + 2 // last\\n); }"),
        ] {
            let (before, after) = (before.replace("\\n", "\n"), after.replace("\\n", "\n"));
            check("pointer-index", C, &before, &after);
        }
    }

    #[test]
    fn arrays_of_arrays() {
        assert_eq!(
            all_results("pointer-index", C, "int f(int i) { int a[2][3]; return a[i][1]; }"),
            [
                "int f(int i) { int a[2][3]; return *(a[i] + 1); }",
                "int f(int i) { int a[2][3]; return (*(a + i))[1]; }"
            ]
        );
    }

    #[test]
    fn sums_become_elements() {
        check("pointer-index", C, "int f(int *a) { return*(a + 1); }", "int f(int *a) { return a[1]; }");
        check(
            "pointer-index",
            C,
            "void f(char *a, int i) { *(a + i * 2) = 0; }",
            "void f(char *a, int i) { a[i * 2] = 0; }",
        );
        check_refused("pointer-index", C, "int f(int *a) { return *(a - 1); }");
        check_refused("pointer-index", C, "int f(int *a) { return *(a++ + 1); }");
        check_refused("pointer-index", C, "int f(int *a, int i) { return *(i + a); }");
    }

    #[test]
    fn what_is_not_evident_is_left_alone() {
        check_refused("pointer-index", C, "int f(struct s *s) { return s->a[0] + b[1]; }");
        check_refused("pointer-index", C, "#define FIRST(a) a[0]\nint f(int *a) { return FIRST(a); }\n");
        check_refused("pointer-index", C, "#define IN(x) s.x\nint f(int *a) { return IN(a[0]); }\n");
        check_refused("pointer-index", C, "int f(int *a) { return SHOW(a[0]); }\n");
        check_refused("pointer-index", Cpp, "int f(int *a, Index i) { return a[i]; }");
        check_refused("pointer-index", Cpp, "int f(std::map<int, int> &m) { return m[1]; }");
        check_refused("pointer-index", Cpp, "template <class T> int f(T a) { return a[1]; }");
    }
}
