//! How a Python program looks at its own text, and how it reaches names by text.

use crate::kind::{Field, Kind};
use crate::program::Program;
use crate::scopes::Target;
use crate::tree::Node;

/// Does this node look at the text, the lines or the stack of its program?
pub(crate) fn is_mirror(node: Node<'_>) -> bool {
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

/// Does this node reach names by text?
pub(crate) fn is_road(program: &Program, node: Node<'_>) -> bool {
    match node.kind() {
        Kind::ExecStatement => true,
        Kind::ExceptClause => keeps_message_with_names(node),
        // Functions that have names of their own here are not the built-in ones.
        Kind::Identifier => match node.text() {
            "locals" | "globals" | "vars" | "eval" | "exec" | "execfile" | "getattr" | "setattr" | "delattr"
            | "hasattr" | "compile" | "dir" | "__import__" => {
                node.role() != Field::Attribute && is_outside(program, node)
            }
            "attrgetter" | "methodcaller" => true,
            // These list the names of parameters and members.
            "getmembers" | "getfullargspec" | "getargspec" | "getcallargs" | "get_type_hints" | "pydoc" => true,
            "signature" => program.text().contains("inspect"),
            "help" => node.parent().is_some_and(|call| call.kind() == Kind::Call) && is_outside(program, node),
            // A frame has the names of its module.
            "_getframe" | "currentframe" => true,
            "__dict__" | "__slots__" | "__all__" | "__getattr__" | "__getattribute__" | "__setattr__"
            | "__delattr__" | "__match_args__" => true,
            // The name of a function or a class as a text; `__name__` alone is the module's.
            "__name__" | "__qualname__" => node.role() == Field::Attribute,
            _ => false,
        },
        _ => false,
    }
}

/// Does the handler keep an exception whose message has names of the program in it, such as "f() missing 1 required positional
/// argument: 'a'"?
fn keeps_message_with_names(handler: Node<'_>) -> bool {
    let head = handler.text().split(':').next().unwrap_or_default();
    let mut words = head.split(|letter: char| !letter.is_alphanumeric());
    head.contains(" as ")
        && words.any(|word| matches!(word, "AttributeError" | "NameError" | "TypeError" | "UnboundLocalError"))
}

fn is_outside(program: &Program, name: Node<'_>) -> bool {
    program.scopes().target(name) == Some(Target::Outside)
}
