//! What is known about functions by their names: those that somebody looks for, and programs that show them.

use syntax::surroundings::FUNCTION_NAMES;
use syntax::{Field, Kind, Language, Node, Program, names};

use super::visibility::{declaration_of, has_annotation, mentions_outside};

/// Does the program ask how a function is called? Its answers would change.
pub(crate) fn prints_names_of_functions(program: &Program) -> bool {
    match program.language() {
        Language::C | Language::Cpp => {
            let is_expanded = |name: &str| program.surroundings().is_some_and(|around| around.is_expanded(name));
            FUNCTION_NAMES.iter().any(|name| program.text().contains(name) || is_expanded(name))
        }
        Language::Java => mentions_outside(program, &["getStackTrace", "getMethodName", "StackWalker"]),
        Language::Python => {
            program.text().contains("funcName")
                || mentions_outside(program, &["inspect", "traceback", "_getframe", "func_name", "co_name", "pickle"])
        }
        Language::JavaScript => mentions_outside(program, &["callee", "stack", "toString"]),
    }
}

/// May another file of the project ask a function that it is handed for its name?
pub(crate) fn is_asked_elsewhere(program: &Program) -> bool {
    let words = words_that_ask(program.language());
    program.surroundings().is_some_and(|around| words.iter().any(|word| around.has_word_in_program(word)))
}

/// The words that a program needs to ask a function for its name.
pub(crate) fn words_that_ask(language: Language) -> &'static [&'static str] {
    match language {
        Language::Java | Language::C | Language::Cpp => &[],
        Language::Python => &["__name__", "__qualname__", "inspect", "traceback", "func_name", "co_name", "pickle"],
        Language::JavaScript => &["name", "callee", "stack", "toString", "console"],
    }
}

/// Names that the language, its library or its tools look for.
pub(crate) fn is_special(language: Language, name: &str, is_method: bool) -> bool {
    match language {
        Language::Java => matches!(
            name,
            "main"
                | "toString"
                | "equals"
                | "hashCode"
                | "clone"
                | "finalize"
                | "getClass"
                | "notify"
                | "notifyAll"
                | "wait"
                | "readObject"
                | "writeObject"
                | "readResolve"
                | "writeReplace"
                | "readObjectNoData"
                | "values"
                | "valueOf"
        ),
        Language::C | Language::Cpp => {
            matches!(name, "main" | "wmain" | "WinMain" | "wWinMain" | "DllMain" | "begin" | "end" | "get" | "swap")
                || language == Language::Cpp && is_looked_for(name)
                || name.starts_with('_')
                || name.starts_with("LLVMFuzzer")
                || names::is_reserved(language, name)
        }
        Language::Python => {
            name.starts_with("__") || name == "main" || name.starts_with("test") || is_method && is_protocol(name)
        }
        Language::JavaScript => {
            name == "main"
                || is_method && is_protocol(name)
                || is_method
                    && matches!(
                        name,
                        "constructor"
                            | "toString"
                            | "toLocaleString"
                            | "valueOf"
                            | "toJSON"
                            | "then"
                            | "next"
                            | "return"
                            | "throw"
                            | "handleEvent"
                            | "inspect"
                            | "get"
                            | "set"
                            | "has"
                            | "apply"
                            | "construct"
                    )
        }
    }
}

/// Methods that libraries call on any object that has them.
#[rustfmt::skip]
fn is_protocol(name: &str) -> bool {
    matches!(
        name,
        "write" | "writelines" | "read" | "readline" | "readlines" | "flush" | "close" | "seek" | "tell" | "fileno"
            | "isatty" | "open" | "keys" | "items" | "values" | "get" | "append" | "extend" | "add" | "pop" | "update"
            | "next" | "send" | "run" | "start" | "stop" | "join" | "acquire" | "release" | "emit" | "handle" | "format"
            | "filter" | "encode" | "decode" | "default" | "copy" | "index" | "count" | "sort" | "put" | "setUp"
            | "tearDown" | "on" | "pipe" | "render" | "map" | "forEach" | "push" | "call" | "bind" | "end" | "log"
            | "debug" | "info" | "warning" | "warn" | "error" | "fit" | "predict" | "transform" | "forward"
            | "accept" | "visit" | "process" | "callback" | "notify" | "mro"
    )
}

/// Functions that templates of C++'s library call on any type that has them, or find through their arguments.
#[rustfmt::skip]
fn is_looked_for(name: &str) -> bool {
    matches!(
        name,
        "push_back" | "pop_back" | "push" | "pop" | "top" | "size" | "empty" | "front" | "back" | "allocate" | "what"
            | "deallocate" | "construct" | "destroy" | "max_size" | "min" | "max" | "insert" | "str" | "compare"
            | "length" | "eq" | "lt" | "assign" | "find" | "copy" | "move" | "lock" | "unlock" | "try_lock" | "data"
            | "clear" | "to_string" | "hash_value" | "to_json" | "from_json" | "rbegin" | "rend" | "cbegin" | "cend"
            | "resize" | "reserve" | "emplace_back" | "erase" | "overflow" | "sync" | "underflow" | "capacity"
    ) || name.starts_with("await_")
        || name.starts_with("return_")
        || name.ends_with("_suspend")
        || name.starts_with("get_return")
        || matches!(name, "unhandled_exception" | "yield_value")
}

pub(crate) fn is_annotated(name: Node<'_>) -> bool {
    declaration_of(name).is_some_and(has_annotation)
}

/// Does a body follow? A prototype alone stands for a function from elsewhere.
pub(crate) fn is_defined(name: Node<'_>) -> bool {
    declaration_of(name).is_some_and(|declaration| declaration.kind() == Kind::FunctionDefinition)
}

/// Attributes and linkage specifications can give a function another name, or have it called from elsewhere.
pub(crate) fn has_attribute(name: Node<'_>) -> bool {
    declaration_of(name).is_some_and(|declaration| {
        declaration.ancestors().take(2).chain([declaration]).any(|around| around.kind() == Kind::LinkageSpecification)
            || is_marked(declaration)
    })
}

/// Does the declaration of a function have attributes?
pub(crate) fn is_marked(declaration: Node<'_>) -> bool {
    declaration.descendants().take_while(|node| node.role() != Field::Body).any(|node| {
        matches!(
            node.kind(),
            Kind::AttributeSpecifier | Kind::AttributeDeclaration | Kind::MsDeclspecModifier | Kind::GnuAsmExpression
        )
    })
}

/// A decorator gets the function and may ask for its name.
pub(crate) fn is_decorated(name: Node<'_>) -> bool {
    let definition = declaration_of(name).and_then(Node::parent);
    definition.filter(|around| around.kind() == Kind::DecoratedDefinition).is_some_and(|around| {
        around.named_children().any(|child| {
            child.kind() == Kind::Decorator
                && !child.named_children().any(|name| matches!(name.text(), "staticmethod" | "classmethod"))
        })
    })
}
