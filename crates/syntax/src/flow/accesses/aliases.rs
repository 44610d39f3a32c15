//! Other roads to a variable: addresses, references, captures.

use crate::flow::jumps::is_function;
use crate::kind::{Field, Kind};
use crate::language::Language;
use crate::languages::c::effects::has_built_in_operators;
use crate::program::Program;
use crate::scopes::{SymbolId, SymbolKind, Target};
use crate::tree::Node;
use crate::types::Type;
use crate::words;

/// Can the variable be read or written by code that does not mention it at that place?
pub(super) fn is_shared(program: &Program, symbol: SymbolId) -> bool {
    let scopes = program.scopes();
    let entry = scopes.symbol(symbol);
    let declared = program.node(entry.declaration);
    if matches!(entry.kind, SymbolKind::Field | SymbolKind::Global) || !scopes.is_local(symbol) {
        return true;
    }
    let mut references = scopes.references_of(symbol).map(|reference| program.node(reference.node));
    match program.language() {
        // What a lambda or an inner class uses never changes.
        Language::Java => false,
        Language::C => is_static(declared) || references.any(is_address_taken),
        Language::Cpp => {
            let home = function_of(declared);
            is_static(declared)
                || is_reference(declared)
                || references.any(|name| is_address_taken(name) || is_bound(name) || function_of(name) != home)
        }
        Language::Python => {
            let home = function_of(declared);
            references.any(|name| function_of(name) != home)
        }
        Language::JavaScript => {
            let home = function_of(declared);
            let is_argument = entry.kind == SymbolKind::Parameter
                && home.is_some_and(|function| {
                    function.descendants().any(|node| node.kind() == Kind::Identifier && node.text() == "arguments")
                });
            is_argument || references.any(|name| function_of(name) != home)
        }
    }
}

/// The function that a name is used in; the name of a function is used where the function stands.
fn function_of(name: Node<'_>) -> Option<Node<'_>> {
    let names_function = name.role() == Field::Name && name.parent().is_some_and(|parent| is_function(parent.kind()));
    name.ancestors().skip(usize::from(names_function)).find(|around| is_function(around.kind()))
}

fn declaration_around(declared: Node<'_>) -> Option<Node<'_>> {
    declared.ancestors().find(|around| {
        matches!(
            around.kind(),
            Kind::Declaration | Kind::ParameterDeclaration | Kind::OptionalParameterDeclaration | Kind::ForRangeLoop
        )
    })
}

/// A static variable outlives the call, so that another call may find it.
fn is_static(declared: Node<'_>) -> bool {
    let is_static_word = |word: Node<'_>| {
        word.kind() == Kind::StorageClassSpecifier && matches!(word.text(), "static" | "extern" | "thread_local")
    };
    declaration_around(declared).is_some_and(|declaration| declaration.children().any(is_static_word))
}

/// A reference of C++ is another name of something.
fn is_reference(declared: Node<'_>) -> bool {
    declared
        .ancestors()
        .take_while(|around| Some(*around) != declaration_around(declared))
        .any(|around| around.kind() == Kind::ReferenceDeclarator)
}

/// Is the address of the variable, or of a part of it, taken here?
fn is_address_taken(name: Node<'_>) -> bool {
    let mut part = name;
    for parent in name.ancestors() {
        match parent.kind() {
            Kind::ParenthesizedExpression => {}
            Kind::FieldExpression | Kind::SubscriptExpression if part.role() == Field::Argument => {}
            Kind::PointerExpression => {
                return parent.child(Field::Operator).is_some_and(|operator| operator.is_token("&"));
            }
            Kind::GnuAsmOutputOperand | Kind::GnuAsmInputOperand => return true,
            _ => return false,
        }
        part = parent;
    }
    false
}

/// May a reference of C++ be bound to the variable here?
fn is_bound(name: Node<'_>) -> bool {
    let mut part = name;
    for parent in name.ancestors() {
        match parent.kind() {
            Kind::ParenthesizedExpression | Kind::ConditionalExpression | Kind::CommaExpression => {}
            Kind::FieldExpression | Kind::SubscriptExpression if part.role() == Field::Argument => {}
            Kind::ArgumentList => {
                let call = parent.parent().filter(|call| call.kind() == Kind::CallExpression);
                return !is_value(part) || call.is_none_or(|call| !passes_by_value(call));
            }
            // `T x(y);` looks like a function whose parameter has the type `y`.
            Kind::ParameterDeclaration => return part.role() == Field::Type,
            Kind::InitializerList | Kind::ForRangeLoop | Kind::LambdaCaptureSpecifier => return true,
            Kind::InitDeclarator | Kind::Declaration => {
                return part.role() == Field::Value
                    && parent.descendants().any(|inner| {
                        matches!(inner.kind(), Kind::ReferenceDeclarator | Kind::StructuredBindingDeclarator)
                    });
            }
            // The method of an object gets a pointer to it, an overloaded operator may get a reference.
            Kind::CallExpression => return !has_built_in_operators(name),
            Kind::BinaryExpression => return !parent.named_children().all(has_built_in_operators),
            Kind::AssignmentExpression => return !parent.child(Field::Left).is_none_or(has_built_in_operators),
            Kind::UnaryExpression | Kind::UpdateExpression => return !has_built_in_operators(part),
            _ => return false,
        }
        part = parent;
    }
    false
}

/// Is the type of this argument one that no function outside the input can be overloaded for?
pub(super) fn is_value(argument: Node<'_>) -> bool {
    has_built_in_operators(argument)
        || matches!(argument.program().type_of(argument), Type::Declared(_) | Type::Function(_))
}

/// Does the call leave its arguments as they are, because the function is known and takes copies?
pub(super) fn passes_by_value(call: Node<'_>) -> bool {
    let Some(mut function) = call.child(Field::Function) else { return false };
    let program = call.program();
    let is_cpp = program.language() == Language::Cpp;
    while function.kind() == Kind::QualifiedIdentifier {
        match function.child(Field::Name) {
            Some(name) => function = name,
            None => return false,
        }
    }
    match function.kind() {
        Kind::PrimitiveType => true,
        Kind::Identifier => match program.scopes().target(function) {
            Some(Target::Symbol(symbol)) => match program.scopes().symbol(symbol).kind {
                SymbolKind::Function => !is_cpp || !takes_references(program, symbol),
                SymbolKind::Local | SymbolKind::Parameter | SymbolKind::Global | SymbolKind::Field => !is_cpp,
                _ => false,
            },
            Some(Target::Outside) => FUNCTIONS_OF_C.binary_search(&function.text()).is_ok(),
            _ => false,
        },
        // C calls through a pointer, whatever the expression.
        _ => !is_cpp,
    }
}

/// Does any declaration of the function have a parameter that it could write the argument through?
fn takes_references(program: &Program, function: SymbolId) -> bool {
    program.scopes().declarations_of(function).any(|declaration| {
        let name = program.node(declaration);
        let Some(declarator) = name.ancestors().find(|around| around.kind() == Kind::FunctionDeclarator) else {
            return true;
        };
        let is_template = name.ancestors().any(|around| around.kind() == Kind::TemplateDeclaration);
        let Some(parameters) = declarator.child(Field::Parameters) else { return true };
        let is_written = |parameter: Node<'_>| {
            let is_reference = parameter.descendants().any(|part| {
                matches!(part.kind(), Kind::ReferenceDeclarator | Kind::AbstractReferenceDeclarator | Kind::Auto)
            });
            let is_constant =
                parameter.children().any(|word| word.kind() == Kind::TypeQualifier && word.text() == "const");
            is_reference && !is_constant
        };
        is_template || parameters.named_children().any(is_written)
    })
}

/// Functions of C's library that are called like functions even where they are macros, in the order of
/// their bytes. Others may be macros that write their arguments.
const FUNCTIONS_OF_C: &[&str] = words!(
    "abort abs acos asin atan atan2 atof atoi atol atoll bsearch calloc ceil cos cosh exit exp fabs fclose feof
     ferror fflush fgetc fgets floor fmod fopen fprintf fputc fputs fread free fscanf fseek ftell fwrite getchar
     getenv gets isalnum isalpha isdigit islower isspace isupper labs log log10 malloc memchr memcmp memcpy memmove
     memset perror pow printf putchar puts qsort rand realloc remove rename rewind scanf sin sinh snprintf sprintf
     sqrt srand sscanf strcat strchr strcmp strcpy strdup strlen strncat strncmp strncpy strrchr strstr strtod strtok
     strtol strtoul system tan tanh time tolower toupper"
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_functions_of_c_are_in_order() {
        assert!(FUNCTIONS_OF_C.is_sorted());
    }
}
