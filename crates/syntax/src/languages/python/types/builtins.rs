//! What Python's built-in functions and the methods of strings give.

use super::{FLOAT, INTEGER, Query};
use crate::kind::{Field, Kind};
use crate::scopes::{Scopes, Target};
use crate::tree::Node;
use crate::types::{Number, Type};

/// The type of `callee(…)`, when that is a built-in function.
pub(super) fn result(query: &mut Query<'_>, callee: Node<'_>, call: Node<'_>, depth: usize) -> Type {
    let Some(arguments) = call.child(Field::Arguments) else { return Type::Unknown };
    let result = match callee.text() {
        "int" | "len" | "ord" | "hash" | "id" => INTEGER,
        "long" if query.scopes.python.is_python_2 => INTEGER,
        "float" => FLOAT,
        "str" | "chr" | "repr" | "hex" | "oct" | "bin" | "ascii" | "format" | "raw_input" | "unicode" | "unichr" => {
            Type::Text
        }
        // Python 2 evaluates what is typed in.
        "input" if !query.scopes.python.is_python_2 => Type::Text,
        "bool" | "isinstance" | "issubclass" | "callable" | "hasattr" | "any" | "all" => Type::Boolean,
        "sorted" | "list" => Type::Array(Box::new(Type::Unknown)),
        "range" if query.scopes.python.is_python_2 => Type::Array(Box::new(INTEGER)),
        "map" | "filter" | "zip" if query.scopes.python.is_python_2 => Type::Unknown,
        "range" | "xrange" | "dict" | "set" | "frozenset" | "tuple" | "bytes" | "bytearray" | "enumerate" | "zip"
        | "map" | "filter" => Type::Outside(callee.text().to_owned()),
        "divmod" => Type::Outside("tuple".to_owned()),
        "print" => Type::Null,
        "abs" => match only_argument(arguments).map(|argument| query.of(argument, depth)) {
            Some(Type::Boolean | INTEGER) => INTEGER,
            Some(FLOAT) => FLOAT,
            _ => Type::Unknown,
        },
        "round" => match only_argument(arguments).map(|argument| query.of(argument, depth)) {
            Some(Type::Boolean | Type::Number(Number::BigInteger | Number::Double)) => {
                if query.scopes.python.is_python_2 { FLOAT } else { INTEGER }
            }
            _ => Type::Unknown,
        },
        "min" | "max" => of_extreme(query, arguments, depth),
        _ => Type::Unknown,
    };
    if result != Type::Unknown && query.scopes.python.has_wildcard_import { Type::Unknown } else { result }
}

/// The type that two or more plain arguments agree on.
fn of_extreme(query: &mut Query<'_>, arguments: Node<'_>, depth: usize) -> Type {
    let is_plain = |argument: Node<'_>| {
        !matches!(argument.kind(), Kind::KeywordArgument | Kind::ListSplat | Kind::DictionarySplat)
    };
    if arguments.kind() != Kind::ArgumentList
        || arguments.named_children().count() < 2
        || !arguments.named_children().all(is_plain)
    {
        return Type::Unknown;
    }
    let mut agreed: Option<Type> = None;
    for argument in arguments.named_children() {
        let found = query.of(argument, depth);
        if found == Type::Unknown || agreed.as_ref().is_some_and(|agreed| *agreed != found) {
            return Type::Unknown;
        }
        agreed = Some(found);
    }
    agreed.unwrap_or(Type::Unknown)
}

fn only_argument(arguments: Node<'_>) -> Option<Node<'_>> {
    let mut plain = arguments.named_children().filter(|_| arguments.kind() == Kind::ArgumentList);
    let only = plain.next()?;
    let is_plain = !matches!(only.kind(), Kind::KeywordArgument | Kind::ListSplat | Kind::DictionarySplat);
    (plain.next().is_none() && is_plain).then_some(only)
}

/// Is the name certainly the built-in one?
pub(super) fn is_builtin(scopes: &Scopes, name: Node<'_>) -> bool {
    scopes.target(name) == Some(Target::Outside) && !scopes.python.has_wildcard_import
}

/// The type of what a method of a string gives.
pub(super) fn result_of_text_method(method: &str) -> Type {
    match method {
        "capitalize" | "casefold" | "center" | "expandtabs" | "format" | "join" | "ljust" | "lower" | "lstrip"
        | "replace" | "rjust" | "rstrip" | "strip" | "swapcase" | "title" | "translate" | "upper" | "zfill"
        | "removeprefix" | "removesuffix" => Type::Text,
        "count" | "find" | "index" | "rfind" | "rindex" => INTEGER,
        "endswith" | "isalnum" | "isalpha" | "isascii" | "isdecimal" | "isdigit" | "isidentifier" | "islower"
        | "isnumeric" | "isprintable" | "isspace" | "istitle" | "isupper" | "startswith" => Type::Boolean,
        "split" | "rsplit" | "splitlines" => Type::Array(Box::new(Type::Text)),
        "partition" | "rpartition" => Type::Outside("tuple".to_owned()),
        _ => Type::Unknown,
    }
}
