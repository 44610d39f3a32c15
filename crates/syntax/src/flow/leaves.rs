//! The jumps that leave a statement: what cannot be wrapped in a function or repeated as it is.

use super::jumps::{block_of_clause, function_around, is_function, target_of};
use crate::kind::{Field, Kind};
use crate::tree::Node;

/// A jump, and how it leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaving<'p> {
    /// The statement or expression that jumps.
    pub node: Node<'p>,
    /// How it leaves.
    pub how: Leave,
}

/// The ways to leave a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Leave {
    /// `break`, with or without a label, and `__leave`.
    Break,
    /// `continue`, with or without a label.
    Continue,
    /// `return` and `co_return`.
    Return,
    /// `goto`, and assembly that may jump.
    Goto,
    /// Java's `yield`, which gives a switch expression its value.
    SwitchValue,
    /// `yield` and `co_yield`: control comes back later, but the function must stay a generator.
    Yield,
    /// `await`, `co_await`, and the loops, `with` statements and comprehensions that wait.
    Await,
}

/// The jumps inside `body` that may lead to somewhere outside of it, in text order. Exceptions are left
/// out, see [`leaving_throws`].
///
/// A jump whose target is `body` itself or lies within it does not leave it: a `break` leaves the body
/// of its loop, but not the loop. What functions, lambdas and classes within `body` do when they are
/// called does not count. A jump whose target is not in the input leaves.
pub fn leaving_jumps<'p>(body: Node<'p>) -> Vec<Leaving<'p>> {
    let leaves = |node: Node<'p>| {
        let how = kind_of_jump(node)?;
        let target = match how {
            Leave::Yield | Leave::Await => function_around(node),
            Leave::Break | Leave::Continue | Leave::Return | Leave::Goto | Leave::SwitchValue => target_of(node),
        };
        let stays = target.is_some_and(|target| body.contains(target));
        (!stays).then_some(Leaving { node, how })
    };
    body.descendants().filter_map(leaves).collect()
}

/// The `throw` and `raise` statements inside `body` that may lead outside of it, in text order.
///
/// One in the block of a `try` that is inside `body` and catches everything (`catch (Throwable …)`,
/// `catch (...)`, `except:`, JavaScript's `catch`) stays inside. What functions within `body` do when
/// they are called does not count. Every call and many operators may throw, too: see
/// [`may_raise`](super::may_raise).
pub fn leaving_throws(body: Node<'_>) -> Vec<Node<'_>> {
    let own_function = if is_function(body.kind()) { Some(body) } else { function_around(body) };
    body.descendants()
        .filter(|node| matches!(node.kind(), Kind::ThrowStatement | Kind::RaiseStatement))
        .filter(|node| function_around(*node) == own_function)
        .filter(|node| !is_caught_within(body, *node))
        .collect()
}

fn kind_of_jump(node: Node<'_>) -> Option<Leave> {
    Some(match node.kind() {
        Kind::BreakStatement | Kind::SehLeaveStatement => Leave::Break,
        Kind::ContinueStatement => Leave::Continue,
        Kind::ReturnStatement | Kind::CoReturnStatement => Leave::Return,
        Kind::GotoStatement | Kind::GnuAsmGotoList => Leave::Goto,
        Kind::YieldStatement => Leave::SwitchValue,
        Kind::Yield | Kind::YieldExpression | Kind::CoYieldStatement => Leave::Yield,
        Kind::Await | Kind::AwaitExpression | Kind::CoAwaitExpression => Leave::Await,
        Kind::ForStatement | Kind::WithStatement | Kind::ForInClause if node.has_token("async") => Leave::Await,
        Kind::ForInStatement if node.has_token("await") => Leave::Await,
        _ => return None,
    })
}

fn is_caught_within(body: Node<'_>, throw: Node<'_>) -> bool {
    let mut child = throw;
    for parent in throw.ancestors() {
        if !body.contains(parent) {
            return false;
        }
        let is_try = matches!(parent.kind(), Kind::TryStatement | Kind::TryWithResourcesStatement);
        if is_try && child.role() == Field::Body && parent.children().any(catches_everything) {
            return true;
        }
        child = parent;
    }
    false
}

fn catches_everything(clause: Node<'_>) -> bool {
    match clause.kind() {
        Kind::CatchClause => match clause.child_of_kind(Kind::CatchFormalParameter) {
            Some(parameter) => parameter
                .child_of_kind(Kind::CatchType)
                .is_some_and(|caught| matches!(caught.text(), "Throwable" | "java.lang.Throwable")),
            // C++ has parameters, JavaScript a pattern or nothing.
            None => clause.child(Field::Parameters).is_none_or(|parameters| parameters.has_token("...")),
        },
        Kind::ExceptClause => {
            let body = block_of_clause(clause);
            clause.named_children().all(|child| Some(child) == body)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::with_marked;
    use super::*;
    use crate::language::Language;

    fn check(language: Language, marked: &str, expected: &[(Leave, &str)]) {
        with_marked(language, marked, |node| {
            let found: Vec<(Leave, &str)> =
                leaving_jumps(node).into_iter().map(|leaving| (leaving.how, leaving.node.text())).collect();
            assert_eq!(found, expected, "{language}: {marked}");
        });
    }

    fn check_throws(language: Language, marked: &str, expected: &[&str]) {
        with_marked(language, marked, |node| {
            let found: Vec<&str> = leaving_throws(node).into_iter().map(|throw| throw.text()).collect();
            assert_eq!(found, expected, "{language}: {marked}");
        });
    }

    #[test]
    fn a_break_leaves_the_body_of_its_loop_but_not_the_loop() {
        let source = "void f() { «while (a) { if (b) break; if (c) continue; }» }";
        check(Language::Java, source, &[]);
        let source = "void f() { while (a) «{ if (b) break; if (c) continue; }» }";
        check(Language::Java, source, &[(Leave::Break, "break;"), (Leave::Continue, "continue;")]);
        let source = "void f() { while (a) «{ for (;;) { break; } do { continue; } while (b); }» }";
        for language in [Language::Java, Language::C, Language::Cpp] {
            check(language, source, &[]);
        }
        let source = "function f() { for (;;) «{ for (const a of b) break; continue; }» }";
        check(Language::JavaScript, source, &[(Leave::Continue, "continue;")]);
        check(Language::Cpp, "void f() { for (auto a : b) «{ break; }» }", &[(Leave::Break, "break;")]);
    }

    #[test]
    fn a_switch_holds_its_breaks_but_not_a_continue() {
        let source = "void f() { for (;;) «{ switch (a) { case 1: break; default: continue; } }» }";
        for language in [Language::Java, Language::C, Language::Cpp] {
            check(language, source, &[(Leave::Continue, "continue;")]);
        }
        check(Language::JavaScript, &source.replace("void", "function"), &[(Leave::Continue, "continue;")]);
    }

    #[test]
    fn labels_reach_further() {
        let source = "void f() { a: for (;;) «{ for (;;) { break a; } }» }";
        check(Language::Java, source, &[(Leave::Break, "break a;")]);
        check(Language::Java, "void f() { «a: for (;;) { for (;;) { continue a; } }» }", &[]);
        check(Language::Java, "void f() { a: «for (;;) { for (;;) { continue a; } }» }", &[]);
        check(Language::Java, "void f() { a: «for (;;) { break a; }» }", &[(Leave::Break, "break a;")]);
        check(Language::JavaScript, "function f() { «a: { if (b) break a; }» }", &[]);
        check(Language::JavaScript, "function f() { a: «{ if (b) break a; }» }", &[(Leave::Break, "break a;")]);
    }

    #[test]
    fn inner_functions_return_for_themselves() {
        check(Language::Java, "int f() { «{ r = () -> { return 1; }; return 2; }» }", &[(Leave::Return, "return 2;")]);
        let source = "void f() «{ new Object() { int g() { return 1; } }; class A { void h() { return; } } }»";
        check(Language::Java, source, &[]);
        let source = "int f() «{ auto g = [&] { return 1; }; return 2; }»";
        check(Language::Cpp, source, &[(Leave::Return, "return 2;")]);
        let source = "function f() «{ g(() => { return 1; }, function () { return 2; }); return 3; }»";
        check(Language::JavaScript, source, &[(Leave::Return, "return 3;")]);
        let source = "if a:\n    «def g():\n        return 1»\n";
        check(Language::Python, source, &[]);
        check(Language::C, "int f() «{ return 1; }»", &[(Leave::Return, "return 1;")]);
    }

    #[test]
    fn generators_and_coroutines_must_stay_what_they_are() {
        check(Language::Python, "def f():\n    «x = yield a»\n", &[(Leave::Yield, "yield a")]);
        check(Language::Python, "def f():\n    «g = lambda: (yield)»\n", &[]);
        check(Language::Python, "def f():\n    «g = lambda a=(yield): a»\n", &[(Leave::Yield, "yield")]);
        check(Language::Python, "async def f():\n    «await a»\n", &[(Leave::Await, "await a")]);
        let source = "async def f():\n    «async with a: pass»\n";
        check(Language::Python, source, &[(Leave::Await, "async with a: pass")]);
        let source = "async def f():\n    «a = [b async for b in c]»\n";
        check(Language::Python, source, &[(Leave::Await, "async for b in c")]);
        let source = "async function f() { «g(await a, async () => await b)»; }";
        check(Language::JavaScript, source, &[(Leave::Await, "await a")]);
        let source = "async function f() { «for await (const a of b) ;» }";
        check(Language::JavaScript, source, &[(Leave::Await, "for await (const a of b) ;")]);
        check(Language::JavaScript, "function* f() { «yield* a;» }", &[(Leave::Yield, "yield* a")]);
        let source = "task f() «{ co_await a; co_yield b; co_return c; }»";
        let expected = [(Leave::Await, "co_await a"), (Leave::Yield, "co_yield b;"), (Leave::Return, "co_return c;")];
        check(Language::Cpp, source, &expected);
    }

    #[test]
    fn a_java_yield_stays_in_its_switch_expression() {
        check(
            Language::Java,
            "int f() { «return switch (a) { default -> { yield 1; } };» }",
            &[(Leave::Return, "return switch (a) { default -> { yield 1; } };")],
        );
        let source = "int f() { int b = switch (a) { default -> «{ yield switch (c) { default: yield 2; }; }» }; }";
        check(Language::Java, source, &[(Leave::SwitchValue, "yield switch (c) { default: yield 2; };")]);
        let source = "int f() { int b = switch (a) { default -> { «switch (c) { default: yield 2; }» } }; }";
        check(Language::Java, source, &[(Leave::SwitchValue, "yield 2;")]);
    }

    #[test]
    fn goto_to_a_label_inside_stays() {
        for language in [Language::C, Language::Cpp] {
            check(language, "void f() «{ goto end; end: ; }»", &[]);
            check(language, "void f() { «{ goto end; }» end: ; }", &[(Leave::Goto, "goto end;")]);
            check(language, "void f() { «{ again: goto again; }» }", &[]);
        }
    }

    #[test]
    fn the_else_of_a_python_loop_belongs_to_the_loop_around_it() {
        let source = "while a:\n    «for b in c:\n        break\n    else:\n        break»\n";
        check(Language::Python, source, &[(Leave::Break, "break")]);
    }

    #[test]
    fn throws_leave_unless_everything_is_caught_inside() {
        check_throws(Language::Java, "void f() { «{ if (a) throw b; }» }", &["throw b;"]);
        check_throws(Language::Java, "void f() { «try { throw b; } catch (Throwable e) { }» }", &[]);
        check_throws(
            Language::Java,
            "void f() { «try { throw b; } catch (E e) { throw e; }» }",
            &["throw b;", "throw e;"],
        );
        check_throws(Language::Java, "void f() { «r = () -> { throw b; };» }", &[]);
        check_throws(Language::Java, "void f() { r = «() -> { throw b; }»; }", &["throw b;"]);
        check_throws(
            Language::JavaScript,
            "function f() { «try { throw a; } catch { } finally { throw b; }» }",
            &["throw b;"],
        );
        check_throws(Language::JavaScript, "function f() { «try { throw a; } finally { }» }", &["throw a;"]);
        check_throws(Language::Cpp, "void f() { «try { throw 1; } catch (...) { throw; }» }", &["throw;"]);
        check_throws(Language::Cpp, "void f() { «try { throw 1; } catch (E &e) { }» }", &["throw 1;"]);
        check_throws(Language::Python, "«try:\n    raise a\nexcept:\n    pass»\n", &[]);
        check_throws(Language::Python, "«try:\n    raise a\nexcept E:\n    pass»\n", &["raise a"]);
        check_throws(Language::Python, "«def f():\n    raise a»\n", &["raise a"]);
        check_throws(Language::C, "«int a = 1;»", &[]);
    }
}
