//! How a JavaScript program looks at its own text, and how it reaches names by text.

use crate::kind::{Field, Kind};
use crate::program::Program;
use crate::scopes::Target;
use crate::tree::Node;

/// Does this node look at the text, the lines or the stack of its program?
pub(crate) fn is_mirror(program: &Program, node: Node<'_>) -> bool {
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

/// Does this node reach names by text?
pub(crate) fn is_road(program: &Program, node: Node<'_>) -> bool {
    match node.kind() {
        Kind::WithStatement => true,
        Kind::Identifier => matches!(node.text(), "eval" | "Function") && !is_declared(program, node),
        _ => false,
    }
}

fn is_declared(program: &Program, name: Node<'_>) -> bool {
    matches!(program.scopes().target(name), Some(Target::Symbol(_)))
}
