//! Which statements control can run off the end of, and which it can reach.

use super::constant::{Constant, constant_value};
use super::jumps::{
    block_of_clause, can_be_entered_in_the_middle, condition_of, is_function, is_switch_statement, statement_of_label,
    statements, target_of,
};
use crate::kind::{Field, Kind};
use crate::language::Language;
use crate::tree::{Node, NodeId};

/// Can the statement complete normally, if it is reached at all? Yes, when in doubt.
///
/// For Java this is what the Java Language Specification says (14.22): conditions of loops count when
/// they are constant expressions, conditions of `if` never do. A `catch` counts as reachable, because a
/// program with one that is not does not compile.
///
/// For the other languages the same notion is used, with their own rules:
/// - calls return, so `exit()`, `abort()` and their like complete;
/// - C and C++: what has a label or a case can be entered there; what the preprocessor may remove
///   completes; a `switch` without `default` completes, whatever its cases are;
/// - Python: the `else` of a loop runs unless the loop is left by `break`; a `with` statement completes,
///   because it may swallow an exception; a `match` completes unless it has a case for everything;
/// - JavaScript: a constant condition of a loop counts when it is true in a test.
///
/// A node that is not a statement completes.
pub fn can_complete_normally(statement: Node<'_>) -> bool {
    statement.program().is_broken() || Walk::default().completes(statement)
}

/// Can control reach the statement from the start of the body of the function that it is in? Yes, when
/// in doubt.
///
/// For Java this is what decides whether the program compiles (14.22). The same notion is used for the
/// other languages, under the assumptions of [`can_complete_normally`].
pub fn is_reachable(statement: Node<'_>) -> bool {
    if statement.program().is_broken() {
        return true;
    }
    let mut child = statement;
    while let Some(parent) = child.parent() {
        if is_function(parent.kind()) && child.role() == Field::Body {
            return true;
        }
        if !is_reached_within(parent, child) && !can_be_entered_in_the_middle(child) {
            return false;
        }
        child = parent;
    }
    true
}

/// If `parent` is reached, is its child?
fn is_reached_within(parent: Node<'_>, child: Node<'_>) -> bool {
    match parent.kind() {
        Kind::Block
        | Kind::ConstructorBody
        | Kind::CompoundStatement
        | Kind::StatementBlock
        | Kind::SwitchBlockStatementGroup
        | Kind::CaseStatement
        | Kind::SwitchCase
        | Kind::SwitchDefault
        | Kind::Program
        | Kind::Module
        | Kind::TranslationUnit => {
            let mut is_reached = true;
            for earlier in statements(parent).take_while(|earlier| earlier.id() < child.id()) {
                is_reached = (is_reached || can_be_entered_in_the_middle(earlier)) && can_complete_normally(earlier);
            }
            is_reached
        }
        Kind::WhileStatement | Kind::ForStatement if child.role() == Field::Body => {
            condition_of(parent).is_none_or(|condition| truth_of(condition) != Some(false))
        }
        Kind::WhileStatement if child.role() == Field::Alternative => {
            condition_of(parent).is_none_or(|condition| truth_of(condition) != Some(true))
        }
        // The `else` of a Python `try` follows its block.
        Kind::TryStatement if child.kind() == Kind::ElseClause => {
            parent.child(Field::Body).is_none_or(can_complete_normally)
        }
        _ => true,
    }
}

/// What a constant condition is worth.
fn truth_of(condition: Node<'_>) -> Option<bool> {
    match (constant_value(condition)?, condition.program().language()) {
        (Constant::Boolean(truth), _) => Some(truth),
        // In Java a condition is a truth value or the program does not compile.
        (_, Language::Java) => None,
        (Constant::Integer(number), _) => Some(number != 0),
        (Constant::Float(number), _) => Some(number != 0.0 && !number.is_nan()),
        (Constant::Text(_), Language::C | Language::Cpp) => Some(true),
        (Constant::Text(text), Language::Python | Language::JavaScript) => Some(!text.is_empty()),
    }
}

/// Goes over what is reachable and remembers the jumps that it meets.
#[derive(Default)]
struct Walk {
    /// The statements that a reachable `break` ends.
    broken: Vec<NodeId>,
    /// The loops that a reachable `continue` starts again.
    continued: Vec<NodeId>,
}

impl Walk {
    fn completes(&mut self, node: Node<'_>) -> bool {
        match node.kind() {
            Kind::Block
            | Kind::ConstructorBody
            | Kind::CompoundStatement
            | Kind::StatementBlock
            | Kind::SwitchBlockStatementGroup
            | Kind::CaseStatement
            | Kind::SwitchCase
            | Kind::SwitchDefault => self.sequence(node),
            Kind::BreakStatement => {
                self.broken.extend(target_of(node).map(Node::id));
                false
            }
            Kind::ContinueStatement => {
                self.continued.extend(target_of(node).map(Node::id));
                false
            }
            Kind::ReturnStatement
            | Kind::CoReturnStatement
            | Kind::ThrowStatement
            | Kind::RaiseStatement
            | Kind::GotoStatement
            | Kind::YieldStatement
            | Kind::SehLeaveStatement => false,
            Kind::LabeledStatement => {
                let completes = statement_of_label(node).is_none_or(|statement| self.completes(statement));
                completes || self.is_broken(node)
            }
            Kind::AttributedStatement => node.named_children().last().is_none_or(|statement| self.completes(statement)),
            Kind::IfStatement => self.branches(node),
            Kind::WhileStatement => self.while_loop(node),
            Kind::DoStatement => self.do_loop(node),
            Kind::ForStatement if node.program().language() == Language::Python => self.python_for(node),
            Kind::ForStatement => self.for_loop(node),
            Kind::EnhancedForStatement | Kind::ForInStatement | Kind::ForRangeLoop => {
                self.body(node);
                true
            }
            Kind::SwitchStatement | Kind::SwitchExpression => {
                // A switch expression has a value; only throwing could keep it from giving it.
                !is_switch_statement(node) || self.switch(node)
            }
            // A semicolon after a switch statement makes the grammar see an expression.
            Kind::ExpressionStatement if has_switch_statement(node) => {
                node.named_children().next().is_none_or(|switch| self.completes(switch))
            }
            Kind::MatchStatement => self.python_match(node),
            Kind::SynchronizedStatement => self.body(node),
            Kind::WithStatement => {
                let completes = self.body(node);
                completes || node.program().language() == Language::Python
            }
            Kind::TryStatement | Kind::TryWithResourcesStatement => self.try_statement(node),
            _ => {
                self.remember_all_jumps(node);
                true
            }
        }
    }

    fn sequence(&mut self, block: Node<'_>) -> bool {
        let mut is_reached = true;
        for statement in statements(block) {
            // The value of a case is a child of it like its statements.
            if statement.role() == Field::Value {
                continue;
            }
            if is_reached || can_be_entered_in_the_middle(statement) {
                is_reached = self.completes(statement);
            }
        }
        is_reached
    }

    fn body(&mut self, node: Node<'_>) -> bool {
        node.child(Field::Body).is_none_or(|body| self.completes(body))
    }

    fn is_broken(&self, statement: Node<'_>) -> bool {
        self.broken.contains(&statement.id())
    }

    fn branches(&mut self, node: Node<'_>) -> bool {
        let mut completes = node.child(Field::Consequence).is_none_or(|branch| self.completes(branch));
        let mut has_else = false;
        for alternative in node.children_at(Field::Alternative) {
            completes |= match alternative.kind() {
                Kind::ElifClause => alternative.child(Field::Consequence).is_none_or(|branch| self.completes(branch)),
                Kind::ElseClause => {
                    has_else = true;
                    block_of_clause(alternative).is_none_or(|branch| self.completes(branch))
                }
                // Java's branch stands there itself.
                _ => {
                    has_else = true;
                    self.completes(alternative)
                }
            };
        }
        completes || !has_else
    }

    fn while_loop(&mut self, node: Node<'_>) -> bool {
        let truth = condition_of(node).and_then(truth_of);
        if truth != Some(false) || node.child(Field::Body).is_some_and(can_be_entered_in_the_middle) {
            self.body(node);
        }
        let ends = truth != Some(true) && self.else_of_loop(node);
        ends || self.is_broken(node)
    }

    fn else_of_loop(&mut self, node: Node<'_>) -> bool {
        let otherwise = node.children_at(Field::Alternative).find(|clause| clause.kind() == Kind::ElseClause);
        otherwise.and_then(block_of_clause).is_none_or(|block| self.completes(block))
    }

    fn do_loop(&mut self, node: Node<'_>) -> bool {
        let reaches_condition = self.body(node) | self.continued.contains(&node.id());
        let truth = condition_of(node).and_then(truth_of);
        reaches_condition && truth != Some(true) || self.is_broken(node)
    }

    fn for_loop(&mut self, node: Node<'_>) -> bool {
        let condition = condition_of(node);
        let truth = condition.map_or(Some(true), truth_of);
        if truth != Some(false) || node.child(Field::Body).is_some_and(can_be_entered_in_the_middle) {
            self.body(node);
        }
        truth != Some(true) || self.is_broken(node)
    }

    fn python_for(&mut self, node: Node<'_>) -> bool {
        self.body(node);
        let ends = self.else_of_loop(node);
        ends || self.is_broken(node)
    }

    fn switch(&mut self, node: Node<'_>) -> bool {
        let Some(body) = node.child(Field::Body) else { return true };
        let completes = match node.program().language() {
            Language::Java => self.java_cases(body),
            // The body is a block whose cases can be entered in the middle.
            Language::C | Language::Cpp => {
                let completes = self.completes(body);
                completes || !has_default(node)
            }
            Language::JavaScript => {
                let completes = statements(body).fold(true, |_, case| self.completes(case));
                completes || body.child_of_kind(Kind::SwitchDefault).is_none()
            }
            Language::Python => true,
        };
        completes || self.is_broken(node)
    }

    fn java_cases(&mut self, block: Node<'_>) -> bool {
        let mut falls_out = true;
        let mut any_rule_completes = false;
        for case in block.named_children() {
            match case.kind() {
                // Each group can be jumped to, and only the last one is followed by the end.
                Kind::SwitchBlockStatementGroup => falls_out = self.completes(case),
                Kind::SwitchRule => {
                    falls_out = false;
                    any_rule_completes |= rule_body(case).is_none_or(|body| self.completes(body));
                }
                _ => {}
            }
        }
        falls_out || any_rule_completes || !is_exhaustive(block)
    }

    fn python_match(&mut self, node: Node<'_>) -> bool {
        let Some(body) = node.child(Field::Body) else { return true };
        let mut completes = false;
        let mut takes_everything = false;
        for case in body.children_at(Field::Alternative) {
            completes |= case.child(Field::Consequence).is_none_or(|block| self.completes(block));
            takes_everything |= takes_all(case);
        }
        completes || !takes_everything
    }

    fn try_statement(&mut self, node: Node<'_>) -> bool {
        let (broken_before, continued_before) = (self.broken.len(), self.continued.len());
        let mut completes = self.body(node);
        let clauses = || node.named_children();
        if let Some(otherwise) = clauses().find(|clause| clause.kind() == Kind::ElseClause) {
            completes = completes && block_of_clause(otherwise).is_none_or(|block| self.completes(block));
        }
        for clause in clauses().filter(|clause| matches!(clause.kind(), Kind::CatchClause | Kind::ExceptClause)) {
            completes |= block_of_clause(clause).is_none_or(|block| self.completes(block));
        }
        let Some(last) = clauses().find(|clause| clause.kind() == Kind::FinallyClause) else { return completes };
        let (broken, continued) = (self.broken.len(), self.continued.len());
        let finishes = block_of_clause(last).is_none_or(|block| self.completes(block));
        if !finishes {
            // No jump gets out past a finally that does not end.
            self.broken.drain(broken_before..broken);
            self.continued.drain(continued_before..continued);
        }
        completes && finishes
    }

    /// Nothing is known about the order of things in here, so every jump may happen.
    fn remember_all_jumps(&mut self, node: Node<'_>) {
        for inner in node.descendants() {
            match inner.kind() {
                Kind::BreakStatement => self.broken.extend(target_of(inner).map(Node::id)),
                Kind::ContinueStatement => self.continued.extend(target_of(inner).map(Node::id)),
                _ => {}
            }
        }
    }
}

fn has_switch_statement(statement: Node<'_>) -> bool {
    statement.named_children().next().is_some_and(is_switch_statement)
}

/// The expression, block or throw after the arrow.
pub(crate) fn rule_body(rule: Node<'_>) -> Option<Node<'_>> {
    rule.named_children().find(|child| child.kind() != Kind::SwitchLabel)
}

/// Does one of the cases of a Java switch always apply? Those with patterns or `null` must be complete,
/// or the program does not compile. Constants of an enumeration are not enough for a statement.
pub(crate) fn is_exhaustive(switch_block: Node<'_>) -> bool {
    let labels = switch_block.named_children().flat_map(|case| case.children());
    labels.filter(|label| label.kind() == Kind::SwitchLabel).any(|label| {
        label.children().any(|part| {
            // The grammar reads the word in `case null, default` as a name.
            let is_default = part.is_token("default") || part.kind() == Kind::Identifier && part.text() == "default";
            is_default || matches!(part.kind(), Kind::Pattern | Kind::NullLiteral)
        })
    })
}

fn has_default(switch: Node<'_>) -> bool {
    switch.descendants().any(|node| {
        let owner = || node.ancestors().find(|around| around.kind() == Kind::SwitchStatement);
        node.kind() == Kind::CaseStatement && node.has_token("default") && owner() == Some(switch)
    })
}

/// `case _:` or `case name:` without a guard.
fn takes_all(case: Node<'_>) -> bool {
    let Some(pattern) = case.child_of_kind(Kind::CasePattern) else { return false };
    let is_only = !case.has_token(",");
    let is_name = pattern.text().chars().all(|character| character.is_alphanumeric() || character == '_')
        && pattern
            .descendants()
            .all(|part| matches!(part.kind(), Kind::CasePattern | Kind::DottedName | Kind::Identifier | Kind::Token));
    is_only && is_name && case.child(Field::Guard).is_none()
}

#[cfg(test)]
mod tests {
    use super::super::testing::with_marked;
    use super::*;

    fn completes(language: Language, statement: &str) -> bool {
        let source = match language {
            Language::Java | Language::C | Language::Cpp => format!("int f() {{ for (;;) «{statement}» }}"),
            Language::JavaScript => format!("function f() {{ for (;;) «{statement}» }}"),
            Language::Python => format!("while a:\n    «{}»\n", statement.replace('\n', "\n    ")),
        };
        with_marked(language, &source, can_complete_normally)
    }

    fn check(languages: &[Language], statements: &[&str], expected: bool) {
        for &language in languages {
            for statement in statements {
                assert_eq!(completes(language, statement), expected, "{language}: {statement}");
            }
        }
    }

    const BRACES: &[Language] = &[Language::Java, Language::C, Language::Cpp, Language::JavaScript];

    #[test]
    fn blocks_and_branches() {
        let yes = ["{ }", "{ g(); }", ";", "if (a) { return; }", "if (a) return; else g();", "if (true) return;"];
        check(BRACES, &yes, true);
        let no =
            ["return;", "break;", "continue;", "{ g(); return; }", "if (a) return; else break;", "{ { return; } }"];
        check(BRACES, &no, false);
        check(&[Language::Java, Language::Cpp, Language::JavaScript], &["{ throw e; }"], false);
    }

    #[test]
    fn loops() {
        let yes = [
            "while (a) { }",
            "while (a) { return; }",
            "while (1 < 2) { if (a) break; }",
            "do { if (a) break; } while (1 < 2);",
            "for (; a;) return;",
            "for (;;) { if (a) break; }",
        ];
        check(BRACES, &yes, true);
        let no = [
            "while (1 < 2) { }",
            "while (1 < 2) { while (a) { break; } }",
            "do { } while (1 < 2);",
            "do { return; } while (a);",
            "for (;;) { }",
            "for (; 1 < 2;) { switch (a) { case 1: break; } }",
        ];
        check(BRACES, &no, false);
        check(BRACES, &["do { if (a) continue; return; } while (b);"], true);
        check(BRACES, &["do { if (a) continue; return; } while (1 < 2);"], false);
        check(&[Language::Java], &["for (int b : c) { return; }", "while (!false) break;"], true);
        check(&[Language::Java], &["while (true) { }", "while (\"a\" == \"a\") { }"], false);
        check(&[Language::C, Language::Cpp], &["while (1) { }", "for (; 2 - 1;) { }"], false);
        check(&[Language::Cpp], &["for (auto b : c) { return; }"], true);
        check(&[Language::JavaScript], &["for (const b of c) { return; }", "for (const b in c) { return; }"], true);
        check(&[Language::JavaScript], &["while ('a') { }", "for (; 1;) { }"], false);
    }

    #[test]
    fn labels() {
        let both = [Language::Java, Language::JavaScript];
        check(&both, &["a: { if (b) break a; return; }", "a: while (true) { while (true) { break a; } }"], true);
        check(&both, &["a: { return; }", "a: while (true) { while (true) { continue a; } }"], false);
        check(&both, &["a: do { while (true) { continue a; } } while (b);"], true);
        // Code after a jump is not reached, so it does not jump.
        check(&both, &["while (true) { return; break; }"], false);
    }

    #[test]
    fn switches() {
        let yes = [
            "switch (a) { }",
            "switch (a) { case 1: return; }",
            "switch (a) { case 1: return; default: break; }",
            "switch (a) { case 1: return; default: }",
            "switch (a) { default: return; case 1: g(); }",
        ];
        check(BRACES, &yes, true);
        let no = ["switch (a) { case 1: return; default: return; }", "switch (a) { case 1: g(); default: return; }"];
        check(BRACES, &no, false);
        let java = [
            "switch (a) { case 1 -> { return; } }",
            "switch (a) { case RED -> { return; } case BLUE -> throw e; }",
            "switch (a) { case 1 -> { return; } default -> g(); }",
            "switch (a) { default -> { break; } }",
        ];
        check(&[Language::Java], &java, true);
        let java = [
            "switch (a) { case 1 -> { return; } default -> throw e; }",
            "switch (a) { case String b -> { return; } case Object c -> { return; } }",
            "switch (a) { case null, default -> { return; } }",
        ];
        check(&[Language::Java], &java, false);
    }

    #[test]
    fn tries() {
        let three = [Language::Java, Language::JavaScript];
        let yes = ["try { return; } catch (E) { }", "try { g(); } catch (E) { return; }", "try { } finally { }"];
        let no = [
            "try { return; } catch (E) { return; }",
            "try { } finally { return; }",
            "try { return; } finally { }",
            "while (true) { try { break; } finally { return; } }",
        ];
        for language in three {
            let catch = if language == Language::Java { "catch (E e)" } else { "catch (e)" };
            for statement in yes {
                check(&[language], &[&statement.replace("catch (E)", catch)], true);
            }
            for statement in no {
                check(&[language], &[&statement.replace("catch (E)", catch)], false);
            }
        }
        check(&[Language::Java], &["while (true) { try { break; } finally { } }"], true);
        check(&[Language::Java], &["try (R r = g()) { return; }"], false);
        check(&[Language::Java], &["synchronized (a) { return; }"], false);
        check(&[Language::Java], &["synchronized (a) { }"], true);
        check(&[Language::Cpp], &["try { return; } catch (...) { }"], true);
        check(&[Language::Cpp], &["try { return; } catch (...) { throw; }"], false);
    }

    #[test]
    fn labels_of_c_can_be_entered() {
        let both = [Language::C, Language::Cpp];
        check(&both, &["{ return; a: g(); }", "{ return; if (b) { a: ; } }"], true);
        check(&both, &["{ goto a; }", "{ a: return; }", "{ return; a: goto a; }"], false);
        check(&both, &["while (1) { return; a: break; }"], true);
        check(&both, &["{\n#if A\nreturn;\n#endif\n}"], true);
        check(&both, &["{ exit(1); }"], true);
    }

    #[test]
    fn python() {
        let yes = [
            "pass",
            "g()",
            "if a: return",
            "if a: return\nelif b: pass\nelse: return",
            "while a: return",
            "while True:\n    break",
            "while True:\n    if a: break\nelse: return",
            "for b in c: return",
            "for b in c:\n    break\nelse: return",
            "try: return\nexcept: pass",
            "with a: return",
            "match a:\n    case 1: return",
            "match a:\n    case b,: return",
            "def h(): return",
            "assert False",
        ];
        for statement in yes {
            assert!(completes(Language::Python, statement), "{statement}");
        }
        let no = [
            "return",
            "raise a",
            "break",
            "if a: return\nelif b: raise c\nelse: continue",
            "while True: pass",
            "while 1: a = 2",
            "while a: pass\nelse: return",
            "for b in c: pass\nelse: return",
            "try: return\nfinally: pass",
            "try: pass\nexcept: pass\nelse: return\nfinally: return",
            "match a:\n    case 1: return\n    case _: return",
            "match a:\n    case b: raise c",
        ];
        for statement in no {
            assert!(!completes(Language::Python, statement), "{statement}");
        }
    }

    #[test]
    fn reachable_statements() {
        let reachable = |language, source: &str| with_marked(language, source, is_reachable);
        assert!(reachable(Language::Java, "void f() { g(); «h();» }"));
        assert!(reachable(Language::Java, "void f() { if (a) return; «h();» }"));
        assert!(reachable(Language::Java, "void f() { switch (a) { case 1: return; case 2: «h();» } }"));
        assert!(reachable(Language::Java, "void f() { r = () -> { return; }; «h();» }"));
        assert!(!reachable(Language::Java, "void f() { return; «h();» }"));
        assert!(!reachable(Language::Java, "void f() { while (true) { } { «h();» } }"));
        assert!(!reachable(Language::Java, "void f() { while (false) { «h();» } }"));
        assert!(!reachable(Language::Java, "void f() { for (; 1 > 2;) { «h();» } }"));
        assert!(!reachable(Language::Java, "void f() { switch (a) { case 1: return; «h();» } }"));
        assert!(!reachable(Language::Java, "return 1; «h();»"));
        assert!(!reachable(Language::C, "void f() { return; «h();» }"));
        assert!(reachable(Language::C, "void f() { return; a: g(); «h();» }"));
        assert!(reachable(Language::C, "void f() { while (0) { «a: h();» } }"));
        assert!(!reachable(Language::Cpp, "void f() { throw 1; «h();» }"));
        assert!(!reachable(Language::Python, "def f():\n    return\n    «h()»\n"));
        assert!(!reachable(Language::Python, "while True: pass\nelse: «h()»\n"));
        assert!(!reachable(Language::Python, "def f():\n    try: return\n    except: pass\n    else: «h()»\n"));
        assert!(reachable(Language::Python, "def f():\n    try: return\n    except: «h()»\n"));
        assert!(!reachable(Language::JavaScript, "function f() { throw 1; «h();» }"));
        assert!(reachable(Language::JavaScript, "function f() { try { return; } finally { «h();» } }"));
    }
}
