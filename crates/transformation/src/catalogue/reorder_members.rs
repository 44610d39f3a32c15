//! Swaps two adjacent methods of a class.
//!
//! class: structure
//! from: common practice
//!
//! A call finds a method wherever it is defined in its class. The comments before a method move with it. Left alone
//! are methods with the same name, methods with decorators, annotations that a tool may read, or values that are
//! evaluated at the definition, tests (which some runners run in source order), and programs that access names as
//! strings. In C++ both methods have a body and an explicit return type, and are in the same section of the class.
//!
//! ```java
//! class A {
//!     // One.
//!     int f() { return 1; }
//!
//!     int g() { return 2; }
//! }
//! ```
//! ->
//! ```java
//! class A {
//!     int g() { return 2; }
//!
//!     // One.
//!     int f() { return 1; }
//! }
//! ```
//!
//! ```cpp
//! class A { public: int f() { return g(); } int g() { return 2; } };
//! ```
//! ->
//! ```cpp
//! class A { public: int g() { return 2; } int f() { return g(); } };
//! ```
//!
//! ```python
//! class A:
//!     def f(self):
//!         return 1
//!
//!     def g(self, n=2):
//!         return n
//! ```
//! ->
//! ```python
//! class A:
//!     def g(self, n=2):
//!         return n
//!
//!     def f(self):
//!         return 1
//! ```
//!
//! The setter needs the property:
//!
//! ```python
//! class A:
//!     @property
//!     def f(self):
//!         return 1
//!
//!     @f.setter
//!     def f(self, value):
//!         pass
//! ```

use std::ops::Range;

use syntax::flow::{may_have_effect, may_raise};
use syntax::views::contains_directive;
use syntax::{Edit, Field, Kind, Language, Node, Program};

use crate::Sites;

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    let body_kind = match program.language() {
        Language::Java => Kind::ClassBody,
        Language::Cpp => Kind::FieldDeclarationList,
        Language::Python => Kind::Block,
        Language::C | Language::JavaScript => return,
    };
    let mut bodies = program.nodes_of_kind(body_kind).filter(|body| is_class_body(*body)).peekable();
    if bodies.peek().is_none() || program.reaches_names_by_text() || program.text().contains("Methods(") {
        return;
    }
    for body in bodies {
        let members: Vec<Node<'p>> = body.named_children().collect();
        for pair in members.windows(2) {
            let (first, second) = (pair[0], pair[1]);
            let (Some(one), Some(other)) = (method_name(first), method_name(second)) else { continue };
            let mentions = |method: Node<'p>, name: &str| {
                method.child(Field::Parameters).is_some_and(|parameters| {
                    parameters.descendants().any(|node| node.kind() == Kind::Identifier && node.text() == name)
                })
            };
            if one == other || mentions(first, other) || mentions(second, one) {
                continue;
            }
            let (Some(left), Some(right)) = (extent(first), extent(second)) else { continue };
            if left.end > right.start || !program.text()[left.end..right.start].trim().is_empty() {
                continue;
            }
            sites.add(left.start..right.end, move |_| {
                let text = program.text();
                Some(vec![
                    Edit { range: left.clone(), text: text[right.clone()].to_owned() },
                    Edit { range: right.clone(), text: text[left.clone()].to_owned() },
                ])
            });
        }
    }
}

/// Is this the body of a class in which nobody counts the members?
fn is_class_body(body: Node<'_>) -> bool {
    let Some(class) = body.parent() else { return false };
    match body.program().language() {
        Language::Java => class.kind() == Kind::ClassDeclaration,
        Language::Cpp => {
            matches!(class.kind(), Kind::ClassSpecifier | Kind::StructSpecifier) && !contains_directive(body)
        }
        // A decorator, a metaclass or an outside base may look at the methods in their order.
        Language::Python => {
            class.kind() == Kind::ClassDefinition
                && class.parent().is_none_or(|around| around.kind() != Kind::DecoratedDefinition)
                && !class.children().any(|child| {
                    child.kind() == Kind::ArgumentList
                        && child.named_children().any(|base| base.kind() == Kind::KeywordArgument)
                })
        }
        Language::C | Language::JavaScript => false,
    }
}

/// The name of a method that can stand elsewhere in its class.
fn method_name(member: Node<'_>) -> Option<&str> {
    let name = match member.program().language() {
        Language::Java => java_name(member),
        Language::Cpp => cpp_name(member),
        Language::Python => python_name(member),
        Language::C | Language::JavaScript => None,
    }?;
    let lower = name.to_ascii_lowercase();
    (!lower.starts_with("test")).then_some(name)
}

fn java_name(member: Node<'_>) -> Option<&str> {
    let is_plain = member.kind() == Kind::MethodDeclaration
        && member.child_of_kind(Kind::Modifiers).is_none_or(|modifiers| {
            modifiers.named_children().all(|annotation| {
                annotation.child(Field::Name).is_some_and(|name| {
                    matches!(name.text(), "Override" | "Deprecated" | "SuppressWarnings" | "SafeVarargs")
                })
            })
        });
    member.child(Field::Name).filter(|_| is_plain).map(Node::text)
}

fn cpp_name(member: Node<'_>) -> Option<&str> {
    let declared = member.child(Field::Type).filter(|_| member.kind() == Kind::FunctionDefinition)?;
    member.child(Field::Body).filter(|body| body.kind() == Kind::CompoundStatement)?;
    let mut declarator = member.child(Field::Declarator)?;
    while matches!(declarator.kind(), Kind::PointerDeclarator | Kind::ReferenceDeclarator) {
        declarator = declarator.named_children().last()?;
    }
    let name = declarator.child(Field::Declarator).filter(|_| declarator.kind() == Kind::FunctionDeclarator)?;
    let head = &member.program().text()[member.start()..name.start()];
    // A type that is found out from the body must be known before it is used, and so must a constant.
    let is_plain = name.kind() == Kind::FieldIdentifier
        && !["auto", "decltype", "constexpr", "consteval"].iter().any(|word| head.contains(word))
        && !matches!(declared.kind(), Kind::PlaceholderTypeSpecifier)
        && declared.child(Field::Body).is_none();
    is_plain.then(|| name.text())
}

fn python_name(member: Node<'_>) -> Option<&str> {
    let name = member.child(Field::Name).filter(|_| member.kind() == Kind::FunctionDefinition)?;
    // Defaults and annotations are evaluated where the method stands.
    let evaluated = member.child(Field::Parameters)?.named_children().chain(member.child(Field::ReturnType));
    let is_silent = evaluated.into_iter().all(|parameter| {
        let value = parameter.child(Field::Value);
        value.is_none_or(|value| !may_have_effect(value) && !may_raise(value))
            && !parameter.descendants().any(|node| matches!(node.kind(), Kind::Call | Kind::NamedExpression))
    });
    is_silent.then(|| name.text())
}

/// The bytes of a method with the comments before it; `None` when something else shares its lines.
fn extent(method: Node<'_>) -> Option<Range<usize>> {
    let program = method.program();
    let text = program.text();
    let line = |position: usize| text[..position].bytes().filter(|byte| *byte == b'\n').count();
    let has_break = |range: Range<usize>| text[range].contains('\n');
    // A comment after the method may be about it, and belongs to nobody for certain.
    if method
        .next_sibling()
        .is_some_and(|next| next.is_token(";") || next.kind().is_comment() && !has_break(method.end()..next.start()))
    {
        return None;
    }
    let mut start = method.start();
    let mut previous = method.previous_sibling();
    while let Some(comment) = previous.filter(|node| node.kind().is_comment()) {
        let before = comment.previous_sibling();
        let shares_line = before.is_some_and(|node| !has_break(node.end()..comment.start()));
        let gap = &text[comment.end()..start];
        let is_apart = gap.matches('\n').count() > 1;
        if shares_line || is_apart {
            // It stays where it is, unless it would then stand between the two.
            break;
        }
        start = comment.start();
        previous = before;
    }
    let is_even = match program.language() {
        // Lines of a block begin at one column; a comment may not.
        Language::Python => {
            let column = |position: usize| position - text[..position].rfind('\n').map_or(0, |end| end + 1);
            column(start) == column(method.start())
                && (line(start) == line(method.start()) || {
                    let lines = text[start..method.start()].lines();
                    lines
                        .skip(1)
                        .all(|line| line.len() - line.trim_start().len() == column(start) || line.trim().is_empty())
                })
        }
        Language::Java | Language::C | Language::Cpp | Language::JavaScript => true,
    };
    is_even.then_some(start..method.end())
}

#[cfg(test)]
mod tests {
    use syntax::Language::{Cpp, Java, Python};

    use crate::testing::{all_results, check, check_refused};

    const NAME: &str = "reorder-members";

    #[test]
    fn comments_go_along_or_nothing_moves() {
        check_refused(NAME, Java, "class A { int f() { return 1; } // one\n int g() { return 2; } }");
        check_refused(NAME, Java, "class A { int f() { return 1; }\n // Part two.\n\n int g() { return 2; } }");
        check_refused(NAME, Java, "class A { int f() { return 1; }\n int x = 1;\n int g() { return 2; } }");
        assert_eq!(
            all_results(
                NAME,
                Python,
                "class A:\n    'd'\n    # f\n    def f(self): pass\n    # g\n    # h\n    def g(self): pass\n"
            ),
            ["class A:\n    'd'\n    # g\n    # h\n    def g(self): pass\n    # f\n    def f(self): pass\n"]
        );
        check(
            NAME,
            Python,
            "class A:\n    def f(self):\n        pass\n        # f\n\n    def g(self): pass  # g\n",
            "class A:\n    def g(self): pass  # g\n\n    def f(self):\n        pass\n        # f\n",
        );
    }

    #[test]
    fn overloads_and_tests_stay() {
        check_refused(NAME, Java, "class A { int f() { return 1; } int f(int n) { return 2; } }");
        check_refused(NAME, Java, "class A { @Test void f() { } @Test void g() { } }");
        check_refused(NAME, Java, "class A { void testF() { } void testG() { } }");
        check_refused(NAME, Java, "class A { Object f() { return A.class.getDeclaredMethods(); } void g() { } }");
    }

    #[test]
    fn sections_and_types_of_cpp() {
        check_refused(NAME, Cpp, "class A { int f() { return 1; } public: int g() { return 2; } };");
        check_refused(NAME, Cpp, "class A { auto f() { return 1; } int g() { return f(); } };");
        check_refused(NAME, Cpp, "class A { int f() { return 1; } int g(); };");
        check_refused(NAME, Cpp, "class A { int f() { return 1; }\n#if B\n int g() { return 2; }\n#endif\n};");
    }

    #[test]
    fn what_is_evaluated_in_order_stays() {
        check_refused(NAME, Python, "class A:\n    def f(self): pass\n    def g(self, h=f): pass\n");
        check_refused(NAME, Python, "class A:\n    def f(self, x=k()): pass\n    def g(self): pass\n");
        check_refused(NAME, Python, "class A:\n    def f(self): pass\n    x = f\n    def g(self): pass\n");
        check_refused(NAME, Python, "@total\nclass A:\n    def f(self): pass\n    def g(self): pass\n");
        check_refused(NAME, Python, "class A(B, metaclass=M):\n    def f(self): pass\n    def g(self): pass\n");
        check_refused(NAME, Python, "def h():\n    def f(self): pass\n    def g(self): pass\n");
        check_refused(NAME, Python, "class A:\n    def f(self): pass\n    def g(self): return self.__dict__\n");
    }
}
