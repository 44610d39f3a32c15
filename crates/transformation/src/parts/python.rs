//! What transformations of Python share.

use syntax::{Field, Kind, Language, Node, Program, Target};

use super::scripts::does_something;

/// May the program be written for Python 2? Its syntax, its literals or the functions that it calls say so.
///
/// Yes, when in doubt: an import from `__future__` other than `annotations` tells of a program for both versions.
pub(crate) fn is_python_two(program: &Program) -> bool {
    program.nodes().any(|node| match node.kind() {
        Kind::PrintStatement | Kind::ExecStatement => true,
        Kind::ExceptClause => node.children_at(Field::Value).count() > 1,
        Kind::RaiseStatement => node.child_of_kind(Kind::ExpressionList).is_some(),
        Kind::FutureImportStatement => !node.text().contains("annotations"),
        Kind::Integer => {
            let digits = node.text();
            digits.ends_with(['l', 'L'])
                || digits.starts_with('0')
                    && digits.bytes().all(|digit| digit.is_ascii_digit())
                    && digits.bytes().any(|digit| digit != b'0')
        }
        Kind::Token => node.role() == Field::Operators && node.text() == "<>" || node.text() == "`",
        Kind::StringStart => node.text().to_ascii_lowercase().starts_with("ur"),
        Kind::TuplePattern => {
            node.parent().is_some_and(|parent| matches!(parent.kind(), Kind::Parameters | Kind::LambdaParameters))
        }
        Kind::Identifier => matches!(
            node.text(),
            "xrange"
                | "raw_input"
                | "basestring"
                | "unicode"
                | "unichr"
                | "iteritems"
                | "itervalues"
                | "iterkeys"
                | "has_key"
                | "execfile"
                | "urllib2"
        ),
        _ => false,
    })
}

/// The function, lambda or class whose names are those of the statements around the node; `None` for the module.
pub(crate) fn scope_around(node: Node<'_>) -> Option<Node<'_>> {
    node.ancestors()
        .find(|around| matches!(around.kind(), Kind::FunctionDefinition | Kind::Lambda | Kind::ClassDefinition))
}

/// Tells whether a statement here binds its new names where somebody may list them: anywhere in a program that lists
/// its local variables, in the body of a class, and at the top of a module that is not a script, whose names others
/// import by `import *`, or of a script when it or another program of the project lists the names of modules.
pub(crate) fn shows_new_names(program: &Program) -> impl Fn(Node<'_>) -> bool + use<> {
    let is_python = program.language() == Language::Python;
    let shows_locals = is_python && shows_locals(program);
    let shows_module =
        is_python && (lists_modules(program) || !does_something(program) || modules_are_listed_elsewhere(program));
    move |statement| {
        shows_locals
            || is_python
                && match scope_around(statement) {
                    None => shows_module,
                    Some(around) => around.kind() == Kind::ClassDefinition,
                }
    }
}

/// May another program of the project list the names of this one? A module may do something when it is imported, and looks like a
/// script then.
fn modules_are_listed_elsewhere(program: &Program) -> bool {
    const WORDS: [&str; 5] = ["vars", "dir", "__dict__", "getmembers", "pkgutil"];
    program.surroundings().is_some_and(|around| WORDS.iter().any(|word| around.has_word_in_program(word)))
}

/// Does the program list the names of a module, or say by `__all__` which names it has?
fn lists_modules(program: &Program) -> bool {
    program.nodes_of_kind(Kind::Identifier).any(|name| match name.role() {
        Field::Attribute => matches!(name.text(), "__dict__" | "getmembers" | "f_globals"),
        _ => matches!(name.text(), "__all__" | "getmembers"),
    })
}

/// The function whose statements the node is one of; `None` in a class, in a lambda and in the module.
pub(crate) fn function_of_statement(node: Node<'_>) -> Option<Node<'_>> {
    scope_around(node).filter(|around| around.kind() == Kind::FunctionDefinition)
}

/// Is the node inside a `try` or `with` statement of the function, so that an exception may stay within it?
pub(crate) fn may_be_caught(node: Node<'_>) -> bool {
    node.ancestors()
        .take_while(|around| !matches!(around.kind(), Kind::FunctionDefinition | Kind::Lambda | Kind::ClassDefinition))
        .any(|around| matches!(around.kind(), Kind::TryStatement | Kind::WithStatement))
}

/// Does the function contain `yield` of its own?
pub(crate) fn is_generator(function: Node<'_>) -> bool {
    function.child(Field::Body).is_some_and(|body| {
        body.descendants().any(|node| {
            node.kind() == Kind::Yield && scope_around(node).is_some_and(|around| around.id() == function.id())
        })
    })
}

/// Is it an `async` function?
pub(crate) fn is_async(function: Node<'_>) -> bool {
    function.has_token("async")
}

/// Is this one of the comprehensions or a generator expression?
pub(crate) fn is_comprehension(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::ListComprehension | Kind::SetComprehension | Kind::DictionaryComprehension | Kind::GeneratorExpression
    )
}

/// Does the program show the names of its local variables, by `locals()` and its like?
pub(crate) fn shows_locals(program: &Program) -> bool {
    program.nodes_of_kind(Kind::ExecStatement).next().is_some()
        || program.nodes_of_kind(Kind::Identifier).any(|node| {
            node.role() != Field::Attribute
                && matches!(node.text(), "locals" | "vars" | "eval" | "exec" | "dir" | "globals" | "_getframe")
        })
}

/// Does the built-in name mean what it always means, in the whole program? Not when anything in it has the name, or
/// when names are imported that nobody sees.
pub(crate) fn is_built_in_name(program: &Program, name: &str) -> bool {
    program.nodes_of_kind(Kind::WildcardImport).next().is_none()
        && program.scopes().symbols().all(|(symbol, _)| program.name_of(symbol) != name)
}

/// The text of the node, with other names in the place of some identifiers.
pub(crate) fn renamed_text(node: Node<'_>, names: &[(Node<'_>, &str)]) -> String {
    let mut text = String::new();
    let mut done = node.start();
    let program = node.program();
    let mut within: Vec<_> = names.iter().filter(|(name, _)| node.contains(*name)).collect();
    within.sort_by_key(|(name, _)| name.start());
    for (name, new) in within {
        text.push_str(&program.text()[done..name.start()]);
        text.push_str(new);
        done = name.end();
    }
    text.push_str(&program.text()[done..node.end()]);
    text
}

/// Does the identifier stand for the built-in function `name`?
pub(crate) fn is_built_in(node: Node<'_>, name: &str) -> bool {
    let program = node.program();
    node.kind() == Kind::Identifier
        && node.text() == name
        && program.scopes().target(node) == Some(Target::Outside)
        && is_built_in_name(program, name)
}

/// Are the names that a statement here binds the attributes of a class?
pub(crate) fn is_in_class_body(statement: Node<'_>) -> bool {
    statement
        .ancestors()
        .find(|around| matches!(around.kind(), Kind::FunctionDefinition | Kind::ClassDefinition | Kind::Lambda))
        .is_some_and(|around| around.kind() == Kind::ClassDefinition)
}

/// Are some lines indented with tabs and others with blanks? Nobody can say then how far a block moves.
pub(crate) fn has_mixed_indentation(program: &Program) -> bool {
    let starts = |blank: char| program.text().lines().any(|line| line.starts_with(blank) && !line.trim().is_empty());
    let is_mixed_within = |line: &str| {
        let blanks = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
        blanks.contains(' ') && blanks.contains('\t')
    };
    starts('\t') && starts(' ') || program.text().lines().any(is_mixed_within)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn python_two_is_seen() {
        let check = |text: &str, expected: bool| {
            let program = Program::parse(Language::Python, text);
            assert_eq!(is_python_two(&program), expected, "{text}");
        };
        for text in [
            "print 'a'\n",
            "exec code\n",
            "try:\n    f()\nexcept E, e:\n    pass\n",
            "raise E, 'a'\n",
            "x = 10L\n",
            "x = 0777\n",
            "x = a <> b\n",
            "for i in xrange(3): pass\n",
            "from __future__ import print_function\n",
        ] {
            check(text, true);
        }
        for text in ["print('a')\n", "x = 0\n", "from __future__ import annotations\n", "except_ = 1\n", "x = 0x1F\n"] {
            check(text, false);
        }
    }
}
