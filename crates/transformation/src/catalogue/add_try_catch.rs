//! Wraps a statement in a `try` that rethrows whatever it catches.
//!
//! class: dead-code
//! from: common practice
//!
//! The same exception object reaches the same handler, and all jumps leave the block as before. Declarations are left
//! alone, because they would be visible in the block only; so are labels, and Java assignments to variables that have
//! no value yet. When nobody catches a C++ exception, it is implementation-defined whether destructors run on the
//! way; with the new block they do, so programs that define destructors are left alone.
//!
//! ```java
//! void run() { start(); }
//! ```
//! ->
//! ```java
//! void run() { try { start(); } catch (RuntimeException local1) { throw local1; } }
//! ```
//!
//! ```cpp
//! int run() {
//!   start();
//!   return 1;
//! }
//! ```
//! ->
//! ```cpp
//! int run() {
//!   try {
//!     start();
//!   } catch (...) {
//!     throw;
//!   }
//!   return 1;
//! }
//! ```
//!
//! ```python
//! def run(n):
//!     start(n,
//!           n)  # twice
//! ```
//! ->
//! ```python
//! def run(n):
//!     try:
//!         start(n,
//!               n)  # twice
//!     except:
//!         raise
//! ```
//!
//! ```javascript
//! start()
//! ```
//! ->
//! ```javascript
//! try {
//!     start()
//! } catch (local1) {
//!     throw local1;
//! }
//! ```
//!
//! A declaration stays where it is, because later statements use it:
//!
//! ```java
//! int run() { int n = size(); return n; }
//! ```
//! ->
//! ```java
//! int run() { int n = size(); try { return n; } catch (RuntimeException local1) { throw local1; } }
//! ```
//!
//! ```javascript
//! const twice = n => n + n;
//! ```

use syntax::flow::accesses;
use syntax::{Edit, Field, Kind, Language, Node, Program, SymbolKind, Type};

use crate::Sites;
use crate::choice::Choice;
use crate::parts::dead::declares_type;
use crate::parts::layout::{indentation, indented, line_break, one_level, starts_line};
use crate::parts::statements::{end_of_code, is_lone_string, positions};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    let is_certain = match program.language() {
        Language::Java => !declares_type(program, "RuntimeException"),
        // C has no exceptions.
        Language::C => false,
        Language::Cpp => program.nodes_of_kind(Kind::DestructorName).next().is_none(),
        Language::Python | Language::JavaScript => true,
    };
    if !is_certain {
        return;
    }
    for statement in positions(program).into_iter().filter_map(|position| position.before) {
        if can_be_wrapped(statement) {
            sites.add(statement.range(), move |choice| wrap(statement, choice));
        }
    }
}

fn can_be_wrapped(statement: Node<'_>) -> bool {
    if is_lone_string(statement) {
        return false;
    }
    match statement.program().language() {
        Language::Java => {
            matches!(
                statement.kind(),
                Kind::ExpressionStatement
                    | Kind::IfStatement
                    | Kind::ForStatement
                    | Kind::EnhancedForStatement
                    | Kind::WhileStatement
                    | Kind::DoStatement
                    | Kind::ReturnStatement
                    | Kind::ThrowStatement
            ) && keeps_its_names(statement)
                && assigns_known_variables(statement)
        }
        Language::C => false,
        Language::Cpp => {
            matches!(
                statement.kind(),
                Kind::ExpressionStatement
                    | Kind::IfStatement
                    | Kind::ForStatement
                    | Kind::ForRangeLoop
                    | Kind::WhileStatement
                    | Kind::DoStatement
                    | Kind::ReturnStatement
            ) && keeps_its_names(statement)
                && !statement.descendants().any(|node| {
                    matches!(node.kind(), Kind::LabeledStatement | Kind::CaseStatement | Kind::CoAwaitExpression)
                })
        }
        Language::Python => {
            matches!(
                statement.kind(),
                Kind::ExpressionStatement
                    | Kind::IfStatement
                    | Kind::ForStatement
                    | Kind::WhileStatement
                    | Kind::WithStatement
                    | Kind::ReturnStatement
                    | Kind::PrintStatement
                    | Kind::AssertStatement
                    | Kind::DeleteStatement
            ) && has_lines_of_its_own(statement)
        }
        Language::JavaScript => matches!(
            statement.kind(),
            Kind::ExpressionStatement
                | Kind::IfStatement
                | Kind::ForStatement
                | Kind::ForInStatement
                | Kind::WhileStatement
                | Kind::DoStatement
                | Kind::ReturnStatement
                | Kind::ThrowStatement
        ),
    }
}

/// Is nothing that the statement declares used elsewhere? A pattern of Java may declare a variable for what follows,
/// and the grammar of C++ reads `char (*p)[40];` as an expression.
fn keeps_its_names(statement: Node<'_>) -> bool {
    let program = statement.program();
    let scopes = program.scopes();
    let declared = statement.descendants().filter_map(|node| {
        scopes.reference_at(node).filter(|reference| reference.declares).and_then(|_| scopes.symbol_at(node))
    });
    declared
        .into_iter()
        .all(|symbol| scopes.references_of(symbol).all(|reference| statement.contains(program.node(reference.node))))
}

/// Had every local variable that the statement assigns a value from its declaration on? Otherwise the new block would
/// take part in the rules about what is assigned.
fn assigns_known_variables(statement: Node<'_>) -> bool {
    let program = statement.program();
    accesses(statement).writes.into_iter().all(|symbol| {
        let entry = program.scopes().symbol(symbol);
        let declarator = program.node(entry.declaration).parent();
        match entry.kind {
            SymbolKind::Local => declarator.is_none_or(|declarator| {
                declarator.kind() != Kind::VariableDeclarator
                    || declarator.child(Field::Value).is_some()
                    || statement.contains(declarator)
            }),
            // A final field without a value must be assigned exactly once.
            SymbolKind::Field => declarator.is_some_and(|declarator| {
                declarator.child(Field::Value).is_some()
                    || declarator.parent().is_some_and(|field| {
                        !field.child_of_kind(Kind::Modifiers).is_some_and(|modifiers| modifiers.has_token("final"))
                    })
            }),
            _ => true,
        }
    }) && !assigns_unknown_field(statement)
}

/// Does a constructor assign something that may be a final field that nobody sees here?
fn assigns_unknown_field(statement: Node<'_>) -> bool {
    let program = statement.program();
    let is_in_constructor = statement.ancestors().any(|around| {
        matches!(around.kind(), Kind::ConstructorBody | Kind::CompactConstructorDeclaration | Kind::StaticInitializer)
            || around.kind() == Kind::Block && around.parent().is_some_and(|parent| parent.kind() == Kind::ClassBody)
    });
    is_in_constructor
        && statement.descendants().filter(|node| node.kind() == Kind::AssignmentExpression).any(|assignment| {
            let target = assignment.child(Field::Left);
            let name = target.map(|target| target.child(Field::Field).unwrap_or(target));
            name.is_none_or(|name| program.scopes().symbol_at(name).is_none())
        })
}

/// Does no other statement of Python share its lines, and are they indented by one sort of blank?
fn has_lines_of_its_own(statement: Node<'_>) -> bool {
    let program = statement.program();
    let rest = &program.text()[statement.end()..];
    let rest = rest[..rest.find('\n').unwrap_or(rest.len())].trim();
    let level = level_of(statement);
    let mut lines = statement.text().split('\n').skip(1);
    let is_of_one_sort = |line: &str| {
        let blanks = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
        blanks.chars().all(|blank| level.starts_with(blank))
    };
    starts_line(statement)
        && is_of_one_sort(indentation(program, statement.start()))
        && (rest.is_empty() || rest.starts_with('#'))
        && lines.all(|line| is_of_one_sort(line) && (!line.starts_with(' ') || line.starts_with(level)))
        && !program.text()[..statement.start()].trim_end_matches([' ', '\t', '\r', '\n']).ends_with('\\')
}

/// One more level of indentation for the statement.
fn level_of(statement: Node<'_>) -> &str {
    let program = statement.program();
    match indentation(program, statement.start()).chars().next() {
        Some('\t') => "\t",
        Some(_) if one_level(program).starts_with('\t') => "    ",
        Some(_) | None => one_level(program),
    }
}

fn wrap(statement: Node<'_>, choice: &mut Choice<'_>) -> Option<Vec<Edit>> {
    let program = statement.program();
    let (head, again) = match program.language() {
        Language::Java => {
            let name = choice.local("error", Type::Unknown)?;
            (format!("catch (RuntimeException {name})"), format!("throw {name};"))
        }
        Language::JavaScript => {
            let name = choice.local("error", Type::Unknown)?;
            (format!("catch ({name})"), format!("throw {name};"))
        }
        Language::Cpp => ("catch (...)".to_owned(), "throw;".to_owned()),
        Language::Python => ("except".to_owned(), "raise".to_owned()),
        Language::C => return None,
    };
    let (margin, level) = (indentation(program, statement.start()), level_of(statement));
    let line = format!("{}{margin}", line_break(program));
    if program.language() == Language::Python {
        let text = program.text();
        let rest = &text[statement.end()..];
        let end = statement.end() + rest.find('\n').unwrap_or(rest.len());
        let end = if text[..end].ends_with('\r') { end - 1 } else { end };
        let mut edits = vec![Edit::insert(statement.start(), format!("try:{line}{level}"))];
        edits.extend(indented(program, statement.range(), level));
        edits.push(Edit::insert(end, format!("{line}{head}:{line}{level}{again}")));
        return Some(edits);
    }
    if !starts_line(statement) {
        return Some(vec![
            Edit::insert(statement.start(), "try { "),
            Edit::insert(end_of_code(statement), format!(" }} {head} {{ {again} }}")),
        ]);
    }
    let mut edits = vec![Edit::insert(statement.start(), format!("try {{{line}{level}"))];
    edits.extend(indented(program, statement.range(), level));
    edits.push(Edit::insert(end_of_code(statement), format!("{line}}} {head} {{{line}{level}{again}{line}}}")));
    Some(edits)
}

#[cfg(test)]
mod tests {
    use syntax::Language::{Cpp, Java, JavaScript, Python};
    use syntax::Program;

    use crate::apply::apply;
    use crate::catalogue;
    use crate::names::Names;
    use crate::site::Sites;
    use crate::testing::{all_results, check, check_refused};

    /// A statement of Python's module `re`, wrapped twenty times, did not compile any more.
    #[test]
    fn a_statement_is_wrapped_as_often_as_cpython_lets_blocks_be_nested() {
        for (count, is_possible) in [(18, true), (19, false)] {
            let mut text = format!("{}f()\n", " ".repeat(count));
            for level in (0..count).rev() {
                let blanks = " ".repeat(level);
                text = format!("{blanks}try:\n{text}{blanks}except:\n{blanks} raise\n");
            }
            let program = Program::parse(Python, text.as_str());
            let transformation = catalogue::find("add-try-catch").expect("a transformation");
            let sites = Sites::of(transformation, &program);
            let call = text.find("f()").expect("a call");
            let site = sites.iter().find(|site| site.range.start == call).expect("a site");
            let applied = apply(&program, transformation, site, 1, &Names::typed());
            assert_eq!(applied.is_ok(), is_possible, "{count}");
        }
    }

    #[test]
    fn what_java_wants_assigned_is_left_alone() {
        assert_eq!(all_results("add-try-catch", Java, "int f() { int a; a = 1; return a; }").len(), 1);
        check_refused("add-try-catch", Java, "class A { final int a; A(int n) { this.a = n; } }");
        check_refused("add-try-catch", Java, "class B extends C { B(int n) { this.a = n; } }");
    }

    #[test]
    fn a_pattern_may_be_used_behind_its_statement() {
        let text = "int f(Object o) { if (!(o instanceof String s)) { throw new Error(); } int n = s.length(); g(n); }";
        let results = all_results("add-try-catch", Java, text);
        assert!(results.iter().all(|result| !result.contains("try { if")), "{results:?}");
    }

    #[test]
    fn a_declaration_that_looks_like_an_expression_is_left_alone() {
        let text = "void f() { char (*p)[40]; g(p); }";
        assert_eq!(all_results("add-try-catch", Cpp, text).len(), 1);
    }

    #[test]
    fn destructors_and_labels_are_left_alone() {
        check_refused("add-try-catch", Cpp, "struct A { ~A(); }; void f() { g(); }");
        check_refused("add-try-catch", Cpp, "void f() { while (a) { b: g(); } }".replace("g();", "goto b;").as_str());
    }

    #[test]
    fn lines_of_python() {
        check_refused("add-try-catch", Python, "a(); b()\n");
        // Blanks and then tabs: what is put at the start of a line is not one level more.
        check_refused("add-try-catch", Python, "for a in b:\n  \tif a:\n  \t\tf()\n  \telse:\n  \t\tg()\n");
        check("add-try-catch", Python, "a('''\nb''')", "try:\n    a('''\nb''')\nexcept:\n    raise");
        check("add-try-catch", Python, "if a:\r\n\tb()\r\n", "try:\r\n\tif a:\r\n\t\tb()\r\nexcept:\r\n\traise\r\n");
    }

    #[test]
    fn comments_of_javascript() {
        let after = "try {\n    a() // b\n} catch (local1) {\n    throw local1;\n}\n";
        let found = &all_results("add-try-catch", JavaScript, "a() // b\n")[0];
        assert_eq!(found, &after.replace(" // b\n}", "\n}").replace("throw local1;\n}", "throw local1;\n} // b"));
    }
}
