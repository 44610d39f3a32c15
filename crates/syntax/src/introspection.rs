//! Does a program look at its own text, its lines or its stack? Then every rewrite may change what it does.
//!
//! `__LINE__`, Java's stack traces, Python's code objects and JavaScript's `f.toString()` show where code stands and
//! how it is written. Nobody can follow what becomes of that, so this only says whether the program looks. What is
//! written for people when a program fails, such as the stack trace of an exception that nobody catches, does not count.

use crate::kind::{Field, Kind};
use crate::language::Language;
use crate::program::Program;
use crate::scopes::Target;
use crate::tree::Node;

impl Program {
    /// Does the program look at its own text, its lines or its stack?
    ///
    /// A broken program has no tables, so it answers yes: nothing is known about it.
    pub fn looks_at_itself(&self) -> bool {
        *self.looks_at_itself.get_or_init(|| {
            self.is_broken()
                || match self.language() {
                    // Macros, whose text has no nodes, are the usual place.
                    Language::C | Language::Cpp => MIRRORS_OF_C.iter().any(|name| self.text().contains(name)),
                    Language::Java => self.nodes().any(is_java_mirror),
                    Language::Python => self.nodes().any(is_python_mirror),
                    Language::JavaScript => self.nodes().any(|node| is_javascript_mirror(self, node)),
                }
        })
    }
}

const MIRRORS_OF_C: [&str; 7] = [
    "__LINE__",
    "__COUNTER__",
    "__PRETTY_FUNCTION__",
    "__FUNCSIG__",
    "__builtin_LINE",
    "source_location",
    "std::stacktrace",
];

fn is_java_mirror(node: Node<'_>) -> bool {
    match node.kind() {
        Kind::MethodInvocation => match node.child(Field::Name).map_or("", Node::text) {
            "getStackTrace" | "getAllStackTraces" => true,
            // Without an argument it goes to the errors.
            "printStackTrace" => {
                node.child(Field::Arguments).is_none_or(|arguments| arguments.named_children().next().is_some())
            }
            _ => false,
        },
        Kind::Identifier | Kind::TypeIdentifier => {
            matches!(node.text(), "StackOverflowError" | "StackTraceElement" | "StackWalker")
        }
        _ => false,
    }
}

fn is_python_mirror(node: Node<'_>) -> bool {
    if node.kind() != Kind::Identifier {
        return false;
    }
    match node.text() {
        "__code__" | "func_code" | "gi_code" | "cr_code" | "ag_code" | "f_code" | "f_lasti" | "f_lineno"
        | "f_locals" | "tb_lasti" | "tb_lineno" | "co_code" | "co_consts" | "co_firstlineno" | "co_names"
        | "co_varnames" | "linecache" | "setprofile" | "settrace" => true,
        // How deep a recursion may go depends on every function that is called on the way.
        "RecursionError" | "getrecursionlimit" => true,
        "findsource" | "getblock" | "getcomments" | "getframeinfo" | "getinnerframes" | "getouterframes"
        | "getsource" | "getsourcelines" => true,
        "extract_stack" | "extract_tb" | "format_exc" | "format_exception" | "format_list" | "format_stack"
        | "format_tb" | "walk_stack" | "walk_tb" | "StackSummary" | "TracebackException" => true,
        // Without a file they go to the errors.
        "print_exc" | "print_exception" | "print_last" | "print_stack" | "print_tb" => {
            let call = node.ancestors().find(|around| around.kind() == Kind::Call);
            call.is_some_and(|call| call.text().contains("file"))
        }
        // The names are those of many things, unless they are those of the module `inspect`.
        "stack" | "trace" => node.program().text().contains("inspect"),
        _ => false,
    }
}

fn is_javascript_mirror(program: &Program, node: Node<'_>) -> bool {
    match node.kind() {
        Kind::PropertyIdentifier => match node.text() {
            "captureStackTrace" | "prepareStackTrace" | "callee" | "caller" => true,
            "stack" => is_read_of_errors(program, node),
            "toString" | "toSource" => {
                let object = node.parent().and_then(|member| member.child(Field::Object));
                object.is_some_and(|object| is_function_of_program(program, object))
            }
            _ => false,
        },
        Kind::Identifier => is_made_text(node) && is_function_of_program(program, node),
        _ => false,
    }
}

/// Is `.stack` that of an error? A program that gives its own objects a `stack` means that, except for what it caught.
fn is_read_of_errors(program: &Program, property: Node<'_>) -> bool {
    let Some(object) = property.parent().and_then(|member| member.child(Field::Object)) else { return false };
    let is_caught = match program.scopes().target(object) {
        Some(Target::Symbol(symbol)) => {
            let declaration = program.node(program.scopes().symbol(symbol).declaration);
            declaration.parent().is_some_and(|parent| parent.kind() == Kind::CatchClause)
        }
        _ => object.kind() == Kind::NewExpression,
    };
    let is_given = |node: Node<'_>| {
        let Some(parent) = node.parent() else { return false };
        let is_assigned = parent.kind() == Kind::MemberExpression && parent.role() == Field::Left;
        node.text() == "stack" && (is_assigned || parent.kind() != Kind::MemberExpression)
    };
    let mut names = program
        .nodes()
        .filter(|node| matches!(node.kind(), Kind::PropertyIdentifier | Kind::ShorthandPropertyIdentifier));
    is_caught || !names.any(is_given)
}

/// Is the value turned into a text where it stands?
fn is_made_text(name: Node<'_>) -> bool {
    let Some(parent) = name.parent() else { return false };
    match parent.kind() {
        Kind::TemplateSubstitution => true,
        Kind::BinaryExpression => parent.has_token("+"),
        Kind::Arguments => {
            let callee = parent.parent().and_then(|call| call.child(Field::Function));
            callee.is_some_and(|callee| callee.text() == "String")
        }
        _ => false,
    }
}

/// Does the name stand for a function or a class of the program?
fn is_function_of_program(program: &Program, name: Node<'_>) -> bool {
    let Some(Target::Symbol(symbol)) = program.scopes().target(name) else { return false };
    let declaration = program.node(program.scopes().symbol(symbol).declaration);
    let whole =
        declaration.parent().filter(|_| declaration.role() == Field::Name).and_then(|parent| match parent.kind() {
            Kind::VariableDeclarator => parent.child(Field::Value),
            _ => Some(parent),
        });
    whole.is_some_and(|whole| {
        matches!(
            whole.kind(),
            Kind::ArrowFunction
                | Kind::Class
                | Kind::ClassDeclaration
                | Kind::FunctionDeclaration
                | Kind::FunctionExpression
                | Kind::GeneratorFunction
                | Kind::GeneratorFunctionDeclaration
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(language: Language, expected: bool, texts: &[&str]) {
        for text in texts {
            let program = Program::parse(language, *text);
            assert!(!program.is_broken(), "{text}");
            assert_eq!(program.looks_at_itself(), expected, "{text}");
        }
    }

    #[test]
    fn c() {
        check(
            Language::C,
            true,
            &[
                "int f(void) { return __LINE__; }",
                "#define WHERE(x) printf(\"%d %d\", __LINE__, (x))\nvoid f(int n) { WHERE(n); }\n",
            ],
        );
        check(Language::Cpp, true, &["void f() { std::cout << __PRETTY_FUNCTION__; }"]);
        check(Language::C, false, &["void f(void) { puts(__func__); }", "int f(int line) { return line; }"]);
    }

    #[test]
    fn java() {
        check(
            Language::Java,
            true,
            &[
                "class A { int f() { return new Throwable().getStackTrace()[0].getLineNumber(); } }",
                "class A { void f(Exception e) { e.printStackTrace(System.out); } }",
                "class A { Object f() { return StackWalker.getInstance(); } }",
            ],
        );
        check(
            Language::Java,
            false,
            &[
                "class A { void f(Exception e) { e.printStackTrace(); } }",
                "class A { int f(java.io.LineNumberReader r) { return r.getLineNumber(); } }",
            ],
        );
    }

    #[test]
    fn python() {
        check(
            Language::Python,
            true,
            &[
                "def f(a):\n    return a\nprint(f.__code__.co_varnames)\n",
                "import sys\nprint(sys._getframe(0).f_lineno)\n",
                "import traceback\ntry:\n    f()\nexcept ValueError:\n    print(traceback.format_exc())\n",
                "import sys, traceback\ntraceback.print_exc(file=sys.stdout)\n",
                "import inspect\nprint(inspect.stack()[0])\n",
                "def f(n):\n    try:\n        return f(n + 1)\n    except RecursionError:\n        return n\nprint(f(0))\n",
            ],
        );
        check(
            Language::Python,
            false,
            &[
                "import traceback\ntry:\n    f()\nexcept ValueError:\n    traceback.print_exc()\n",
                "stack = []\nstack.append(1)\n",
                "import sys\nmodule = sys._getframe(1).f_globals['__name__']\n",
            ],
        );
    }

    #[test]
    fn javascript() {
        check(
            Language::JavaScript,
            true,
            &[
                "function f(a) { return a; } console.log(f.toString());",
                "const f = (a) => a; console.log(`${f}`);",
                "class A {} console.log(String(A));",
                "function f() {} console.log('' + f);",
                "try { g(); } catch (e) { console.log(e.stack); }",
                "console.log(new Error('x').stack.length);",
                "class A { constructor() { this.stack = []; } f() { try { g(); } catch (e) { return e.stack; } } }",
            ],
        );
        check(
            Language::JavaScript,
            false,
            &[
                "class A { constructor() { this.stack = []; } f() { return this.stack.length; } }",
                "const machine = { stack: [] }; machine.stack.push(1);",
                "function f(n) { return n.toString() + String(n) + `${n}`; }",
                "function f(n) { return '' + f(n - 1); }",
                "const twice = n => n + n;",
            ],
        );
    }

    #[test]
    fn a_broken_program_may_do_anything() {
        assert!(Program::parse(Language::Java, "class {").looks_at_itself());
    }
}
