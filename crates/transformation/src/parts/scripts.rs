//! Is a file of Python or JavaScript a script: does it do something when it is run, or only when others use it?

use std::collections::HashSet;

use syntax::flow::{Constant, constant_value, is_function};
use syntax::{Field, Kind, Language, Node, NodeId, Program, SymbolId};

/// Does a statement at the top of the file do something that only a script does?
///
/// Modules, too, compute values when they are loaded, through functions of their own as well. So a call counts only
/// where nobody takes its result, and not where it evidently does nothing: it calls a function of the file that
/// touches nothing but its own variables, or it prints nothing. The catalogue itself adds such calls, and however many
/// rewrites follow they must not make a script of a module whose names others use. In doubt a call does something, but
/// attributes and operators are taken to do nothing, whatever runs behind them: a script that passes for a module is
/// only rewritten less.
pub(crate) fn does_something(program: &Program) -> bool {
    let mut search = Search { program, seen: HashSet::new() };
    program.root().named_children().any(|statement| search.runs(statement))
}

struct Search<'p> {
    program: &'p Program,
    /// The functions, and the names of functions, that were looked at. They did nothing, or the search had ended.
    seen: HashSet<NodeId>,
}

impl<'p> Search<'p> {
    fn runs(&mut self, statement: Node<'p>) -> bool {
        match statement.kind() {
            Kind::FunctionDefinition
            | Kind::ClassDefinition
            | Kind::DecoratedDefinition
            | Kind::FunctionDeclaration
            | Kind::GeneratorFunctionDeclaration
            | Kind::ClassDeclaration
            | Kind::ExportStatement => false,
            Kind::PrintStatement => true,
            Kind::ExpressionStatement => statement.named_children().next().is_some_and(|expression| {
                matches!(
                    expression.kind(),
                    Kind::Call | Kind::CallExpression | Kind::NewExpression | Kind::AwaitExpression
                ) && self.acts(expression)
            }),
            // What stands in a function does not run when the script does.
            kind if is_function(kind) => false,
            _ => statement.named_children().any(|child| self.runs(child)),
        }
    }

    /// Does the expression, or the statement of a function, do anything but give values to variables of the function?
    fn acts(&mut self, node: Node<'p>) -> bool {
        match node.kind() {
            Kind::Call | Kind::CallExpression => {
                let prints_nothing = self.prints_nothing(node);
                !prints_nothing && node.child(Field::Function).is_none_or(|callee| self.acts_when_called(callee))
                    || node.child(Field::Arguments).is_some_and(|arguments| self.acts(arguments))
            }
            Kind::NewExpression
            | Kind::AwaitExpression
            | Kind::PrintStatement
            | Kind::ExecStatement
            | Kind::DeleteStatement
            | Kind::WithStatement
            | Kind::ImportStatement
            | Kind::ImportFromStatement => true,
            Kind::Assignment
            | Kind::AugmentedAssignment
            | Kind::AssignmentExpression
            | Kind::AugmentedAssignmentExpression => {
                !node.child(Field::Left).is_some_and(|target| self.is_local(target))
                    || node.child(Field::Right).is_some_and(|value| self.acts(value))
            }
            Kind::UpdateExpression => !node.named_children().all(|target| self.is_local(target)),
            Kind::UnaryExpression if node.has_token("delete") => true,
            // A function does something when it is called.
            kind if is_function(kind) => false,
            _ => node.named_children().any(|child| self.acts(child)),
        }
    }

    /// Does it only write variables of a function to assign to this?
    fn is_local(&self, target: Node<'_>) -> bool {
        let scopes = self.program.scopes();
        target.descendants().all(|part| match part.kind() {
            Kind::Attribute | Kind::Subscript | Kind::MemberExpression | Kind::SubscriptExpression => false,
            kind if kind.is_identifier() => scopes.symbol_at(part).is_some_and(|symbol| scopes.is_local(symbol)),
            _ => true,
        })
    }

    fn acts_when_called(&mut self, callee: Node<'p>) -> bool {
        let callee = without_brackets(callee);
        match callee.kind() {
            kind if is_function(kind) => {
                let is_decorated = callee.parent().is_some_and(|around| around.kind() == Kind::DecoratedDefinition);
                is_decorated
                    || self.seen.insert(callee.id()) && callee.child(Field::Body).is_none_or(|body| self.acts(body))
            }
            Kind::Identifier => match self.program.scopes().symbol_at(callee) {
                Some(symbol) => {
                    self.seen.insert(callee.id())
                        && values_of(self.program, symbol)
                            .is_none_or(|values| values.into_iter().any(|value| self.acts_when_called(value)))
                }
                None => !is_harmless(callee),
            },
            _ => true,
        }
    }

    /// Is the call one of those that add-print adds, however it has been rewritten since? An assertion prints nothing
    /// when it holds.
    fn prints_nothing(&self, call: Node<'p>) -> bool {
        let (Some(callee), Some(arguments)) = (call.child(Field::Function), call.child(Field::Arguments)) else {
            return false;
        };
        let callee = without_brackets(callee);
        let arguments: Vec<Node<'p>> = arguments.named_children().filter(|node| !node.kind().is_comment()).collect();
        match self.program.language() {
            Language::Python => {
                let is_keyword = |argument: &Node<'p>| argument.kind() == Kind::KeywordArgument;
                let has = |name: &str| {
                    arguments.iter().any(|argument| {
                        is_keyword(argument) && argument.child(Field::Name).is_some_and(|word| word.text() == name)
                    })
                };
                let is_one = arguments.iter().filter(|argument| !is_keyword(argument)).count() < 2;
                callee.text() == "print"
                    && self.program.scopes().symbol_at(callee).is_none()
                    && has("end")
                    && (is_one || has("sep"))
                    && arguments.iter().all(|argument| {
                        let value = if is_keyword(argument) { argument.child(Field::Value) } else { Some(*argument) };
                        value.is_some_and(is_empty_text)
                    })
            }
            Language::JavaScript => {
                let is_mark = |letter: char| letter.is_whitespace() || matches!(letter, '(' | ')');
                match callee.text().replace(is_mark, "").as_str() {
                    "console.assert" => true,
                    "process.stdout.write" => arguments.into_iter().all(is_empty_text),
                    _ => false,
                }
            }
            Language::Java | Language::C | Language::Cpp => false,
        }
    }
}

/// Functions of Python that only make a value, where nothing of the file has the name: the catalogue brings them along.
fn is_harmless(callee: Node<'_>) -> bool {
    match callee.program().language() {
        Language::Python => matches!(callee.text(), "bool" | "iter" | "len" | "range" | "set"),
        Language::Java | Language::C | Language::Cpp | Language::JavaScript => false,
    }
}

/// Is this certainly the empty string? A name is when it never stands for anything else.
fn is_empty_text(node: Node<'_>) -> bool {
    // The value of an f-string counts as uncertain, even of an empty one.
    let is_blank = |node: Node<'_>| node.kind() == Kind::String && matches!(node.text(), "f''" | "f\"\"");
    let is_empty = |node: Node<'_>| is_blank(node) || constant_value(node) == Some(Constant::Text(String::new()));
    let node = without_brackets(node);
    match node.kind() {
        Kind::Identifier => {
            let program = node.program();
            let values = program.scopes().symbol_at(node).and_then(|symbol| values_of(program, symbol));
            values.is_some_and(|values| values.into_iter().all(is_empty))
        }
        Kind::BinaryOperator | Kind::BinaryExpression => {
            node.child(Field::Operator).is_some_and(|operator| operator.text() == "+")
                && [Field::Left, Field::Right].into_iter().all(|side| node.child(side).is_some_and(is_empty_text))
        }
        // `(lambda: "")()`
        Kind::Call | Kind::CallExpression => node
            .child(Field::Function)
            .map(without_brackets)
            .filter(|callee| is_function(callee.kind()))
            .and_then(|function| function.child(Field::Body))
            .is_some_and(is_empty_text),
        _ => is_empty(node),
    }
}

fn without_brackets(node: Node<'_>) -> Node<'_> {
    let mut inner = node;
    while let Some(next) = inner.named_children().find(|child| !child.kind().is_comment())
        && inner.kind() == Kind::ParenthesizedExpression
    {
        inner = next;
    }
    inner
}

/// The functions and values that the file gives to the name; `None` where it gets others, too, or none.
fn values_of(program: &Program, symbol: SymbolId) -> Option<Vec<Node<'_>>> {
    let mut values = Vec::new();
    for reference in program.scopes().references_of(symbol) {
        let name = program.node(reference.node);
        let parent = name.parent()?;
        match (parent.kind(), name.role()) {
            (kind, Field::Name) if is_function(kind) => values.push(parent),
            (Kind::Assignment | Kind::AssignmentExpression, Field::Left) => values.extend(parent.child(Field::Right)),
            (Kind::VariableDeclarator, Field::Name) => values.extend(parent.child(Field::Value)),
            (Kind::AugmentedAssignment | Kind::AugmentedAssignmentExpression, Field::Left) => return None,
            _ if reference.declares => return None,
            _ => {}
        }
    }
    (!values.is_empty()).then_some(values)
}

#[cfg(test)]
mod tests {
    use syntax::Language::{JavaScript, Python};

    use super::*;

    #[track_caller]
    fn check(language: Language, text: &str, expected: bool) {
        let program = Program::parse(language, text);
        assert!(!program.is_broken(), "{text}");
        assert_eq!(does_something(&program), expected, "{text}");
    }

    #[test]
    fn prints_of_nothing() {
        for text in [
            "print('', end='')\n",
            "print(end='')\n",
            "print((\"\"), end=('' + \"\"))\n",
            "print('' \"\", end=r'''''')\n",
            "(print)('', end='')\n",
            "print(f'', end='')\n",
            "print('', '', sep='', end='')\n",
            "text = ''\nprint(text, end=text + '')\n",
            "print((lambda: '')(), end='')\n",
            "if 2 > 1:\n    try:\n        print('', end='')\n    except:\n        raise\n",
        ] {
            check(Python, text, false);
        }
        for text in [
            "print('')\n",
            "print('a', end='')\n",
            "print('', end='\\n')\n",
            "print('', '', end='')\n",
            "print(b'', end='')\n",
            "print('', end='', file=log)\n",
            "text = ''\ntext = 'a'\nprint(text, end='')\n",
            "for text in words: print(text, end='')\n",
            "def print(*a, **b): log(a)\nprint('', end='')\n",
        ] {
            check(Python, text, true);
        }
        for text in [
            "console.assert((1 === 1), '');",
            "process.stdout.write(``);",
            "(process.stdout).write('' + \"\");",
            "let text = ''; process.stdout.write((text));",
        ] {
            check(JavaScript, text, false);
        }
        for text in ["console.assert(test());", "process.stdout.write('a');", "console.log('');"] {
            check(JavaScript, text, true);
        }
    }

    #[test]
    fn functions_that_touch_only_their_own_variables() {
        for body in [
            "pass",
            "'doc'; unused = 3",
            "unused = 3\n    unused += 1\n    return unused",
            "for index in range(3):\n        copy = index * 2",
            "while 1 > 2:\n        unused = (0x3 - 1)",
            "for turn in iter(lambda: bool(1 > 2), False):\n        copy = turn",
            "try:\n        unused = 3\n    except:\n        raise",
            "def inner(n):\n        return n + 1\n    unused = inner(2)\n    inner(unused)",
            "def inner():\n        inner()\n    inner()",
            "print('', end='')",
            "first, second = (lambda: 1)(), 2",
        ] {
            check(Python, &format!("def empty():\n    {body}\nempty()\n"), false);
            check(Python, &format!("def empty(a=1):\n    {body}\nif 2 > 1:\n    alias = empty\n    alias(3)\n"), false);
        }
        for body in [
            "print('a')",
            "work()",
            "a.b = 3",
            "a[0] = 3",
            "global unused\n    unused = 3",
            "import work",
            "with a: pass",
            "def inner():\n        work()\n    inner()",
            "unused = [work() for turn in (1, 2)]",
        ] {
            check(Python, &format!("def full():\n    {body}\nfull()\n"), true);
        }
        check(Python, "def empty(a): pass\nempty(work())\n", true);
        check(Python, "@work\ndef empty(): pass\nempty()\n", true);
        check(Python, "from a import empty\nempty()\n", true);
        check(Python, "class Empty: pass\nEmpty()\n", true);
    }

    #[test]
    fn functions_of_javascript() {
        for text in [
            "function empty() { } empty();",
            "function empty() { let unused = 3; unused++; for (let i = 0; i < 3; i++) { unused += i; } } empty();",
            "const empty = () => { }; (empty)();",
            "function empty() { } const alias = empty; alias(1);",
            "(function () { let unused; unused = 1; })();",
            "function empty() { try { function inner(n) { return n; } inner(1); } catch (e) { throw e; } } empty();",
        ] {
            check(JavaScript, text, false);
        }
        for text in [
            "let n = 0; function full() { n++; } full();",
            "function full() { work(); } full();",
            "function full() { this.a = 1; } full();",
            "(() => { console.log(1); })();",
            "function full() { delete a.b; } full();",
            "let empty = () => { }; empty = work; empty();",
        ] {
            check(JavaScript, text, true);
        }
    }
}
