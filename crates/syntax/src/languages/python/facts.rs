//! Python. The keywords are those of Python 3 and of Python 2.

use crate::kind::{Field, Kind};
use crate::languages::Facts;
use crate::program::Program;
use crate::tree::Node;
use crate::words;

pub(crate) const FACTS: Facts = Facts {
    keywords: words!(
        "False None True and as assert async await break class continue def del elif else except exec finally for
         from global if import in is lambda nonlocal not or pass print raise return try while with yield"
    ),
    reserved: words!(
        "ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError
         BrokenPipeError BufferError BytesWarning ChildProcessError ConnectionError DeprecationWarning EOFError
         Ellipsis EncodingWarning EnvironmentError Exception ExceptionGroup FileExistsError FileNotFoundError
         FloatingPointError FutureWarning GeneratorExit IOError ImportError ImportWarning IndentationError IndexError
         InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError ModuleNotFoundError
         NameError NotADirectoryError NotImplemented NotImplementedError OSError OverflowError
         PendingDeprecationWarning PermissionError ProcessLookupError RecursionError ReferenceError ResourceWarning
         RuntimeError RuntimeWarning StandardError StopAsyncIteration StopIteration SyntaxError SyntaxWarning
         SystemError SystemExit TabError TimeoutError TypeError UnboundLocalError UnicodeDecodeError
         UnicodeEncodeError UnicodeError UnicodeTranslateError UnicodeWarning UserWarning ValueError Warning
         WindowsError ZeroDivisionError _ __all__ __builtins__ __debug__ __doc__ __file__ __import__ __init__
         __main__ __name__ abs aiter all anext any apply ascii basestring bin bool breakpoint buffer bytearray bytes
         callable case chr classmethod cls cmp coerce compile complex copyright credits delattr dict dir divmod
         enumerate eval execfile exit file filter float format frozenset getattr globals hasattr hash help hex id
         input int intern isinstance issubclass iter len license list locals long map match max memoryview min next
         object oct open ord pow property quit range raw_input reduce reload repr reversed round self set setattr
         slice sorted staticmethod str sum super tuple type unichr unicode vars xrange zip"
    ),
};

/// What is true of a Python program as a whole. It is found out once, because the types ask for it often.
#[derive(Clone, Copy, Default)]
pub(crate) struct Whole {
    pub(crate) is_python_2: bool,
    /// Does it import names that nobody sees, by `from … import *`?
    pub(crate) has_wildcard_import: bool,
}

/// Is the program evidently written in Python 2? It has syntax that only Python 2 reads, or it calls
/// functions that only Python 2 has and does not define them, and it has nothing that only Python 3 reads.
pub(crate) fn is_python_2(program: &Program) -> bool {
    let mut is_evident = false;
    // Programs for both versions define the functions that one of them lacks, or ask whether they exist.
    let mut calls_old_function = false;
    let mut names_old_function = false;
    for node in program.nodes() {
        match node.kind() {
            Kind::PrintStatement | Kind::ExecStatement => is_evident = true,
            Kind::ExceptClause => is_evident |= binds_in_python_2(node),
            Kind::RaiseStatement => is_evident |= node.child_of_kind(Kind::ExpressionList).is_some(),
            Kind::Integer => is_evident |= is_integer_of_python_2(node.text()),
            Kind::Token => is_evident |= node.role() == Field::Operators && node.text() == "<>",
            Kind::TuplePattern => {
                let is_parameter = |parent: Node<'_>| {
                    matches!(parent.kind(), Kind::Parameters | Kind::LambdaParameters | Kind::DefaultParameter)
                };
                is_evident |= node.parent().is_some_and(is_parameter);
            }
            Kind::Identifier if matches!(node.text(), "xrange" | "raw_input") => {
                let is_called = node.role() == Field::Function;
                calls_old_function |= is_called;
                names_old_function |= !is_called;
            }
            Kind::NamedExpression
            | Kind::MatchStatement
            | Kind::NonlocalStatement
            | Kind::Interpolation
            | Kind::Type
            | Kind::Await
            | Kind::KeywordSeparator
            | Kind::PositionalSeparator => return false,
            _ => {}
        }
    }
    is_evident || (calls_old_function && !names_old_function)
}

/// Is this `except X, e`? Python 3.14 reads a second class there, and those have capital names.
fn binds_in_python_2(clause: Node<'_>) -> bool {
    let mut values = clause.children_at(Field::Value).skip(1);
    match (values.next(), values.next()) {
        (Some(name), None) => !name.text().starts_with(|letter: char| letter.is_uppercase()),
        _ => false,
    }
}

/// Is this `10L`, or the octal `0777`?
fn is_integer_of_python_2(text: &str) -> bool {
    let is_octal = text.len() > 1 && text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit());
    text.ends_with(['l', 'L']) || (is_octal && text.bytes().any(|byte| byte != b'0'))
}

/// The decorators of a function or a class, as the expressions after `@`.
pub(crate) fn decorators<'p>(definition: Node<'p>) -> impl Iterator<Item = Node<'p>> {
    definition
        .parent()
        .filter(|parent| parent.kind() == Kind::DecoratedDefinition)
        .into_iter()
        .flat_map(|decorated| decorated.children().filter(|child| child.kind() == Kind::Decorator))
        .filter_map(|decorator| decorator.named_children().next())
}

/// The last name of a decorator: `lru_cache` of `@functools.lru_cache(maxsize=None)`.
pub(crate) fn decorator_name<'p>(decorator: Node<'p>) -> &'p str {
    match decorator.kind() {
        Kind::Call => decorator.child(Field::Function).map_or("", decorator_name),
        Kind::Attribute => decorator.child(Field::Attribute).map_or("", Node::text),
        Kind::Identifier => decorator.text(),
        _ => "",
    }
}

/// Does everybody who calls or names the definition get what is written, in spite of its decorators?
///
/// The decorators listed here give back the class itself, or a function with the same parameters.
pub(crate) fn is_what_it_seems(definition: Node<'_>) -> bool {
    decorators(definition).all(|decorator| {
        matches!(
            decorator_name(decorator),
            "abstractmethod"
                | "cache"
                | "classmethod"
                | "contextmanager"
                | "dataclass"
                | "final"
                | "lru_cache"
                | "override"
                | "staticmethod"
                | "total_ordering"
                | "unique"
        )
    })
}

/// The parameter of a method that receives the object or the class: the first, whatever its name is.
///
/// A decorator that is not known may hand over something else; then only the customary names count.
pub(crate) fn receiver_parameter<'p>(method: Node<'p>) -> Option<Node<'p>> {
    let first = method.child(Field::Parameters)?.named_children().next()?;
    let name = match first.kind() {
        Kind::Identifier => first,
        Kind::TypedParameter => first.named_children().next().filter(|name| name.kind() == Kind::Identifier)?,
        _ => return None,
    };
    for decorator in decorators(method) {
        match decorator_name(decorator) {
            "staticmethod" | "abstractstaticmethod" => return None,
            "property" | "setter" | "getter" | "deleter" | "cached_property" | "classmethod" | "abstractmethod" => {}
            "lru_cache" | "cache" | "contextmanager" | "override" | "final" => {}
            _ if matches!(name.text(), "self" | "cls") => {}
            _ => return None,
        }
    }
    Some(name)
}

/// Does a node of this kind pass on that its parts are assigned to?
pub(crate) const fn is_target_part(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::PatternList
            | Kind::TuplePattern
            | Kind::ListPattern
            | Kind::ListSplatPattern
            | Kind::DictionarySplatPattern
            | Kind::AsPatternTarget
            | Kind::Tuple
            | Kind::List
            | Kind::ListSplat
            | Kind::ExpressionList
            | Kind::ParenthesizedExpression
    )
}
