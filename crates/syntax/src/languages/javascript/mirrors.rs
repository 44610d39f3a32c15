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
            // `promise.catch(console.log)`
            "catch" => {
                let call = node.ancestors().nth(1).filter(|call| call.kind() == Kind::CallExpression);
                let arguments = call.and_then(|call| call.child(Field::Arguments));
                arguments.is_some_and(|arguments| arguments.named_children().any(|handler| is_printer(handler.text())))
            }
            "toString" | "toSource" => {
                let object = node.parent().and_then(|member| member.child(Field::Object));
                object.is_some_and(|object| is_function_of_program(program, object))
            }
            _ => false,
        },
        Kind::Identifier => {
            is_made_text(node) && is_function_of_program(program, node) || is_printed(node) && is_caught(program, node)
        }
        _ => false,
    }
}

/// Is `.stack` that of an error? A program that gives its own objects a `stack` means that, except for what it caught.
fn is_read_of_errors(program: &Program, property: Node<'_>) -> bool {
    let Some(object) = property.parent().and_then(|member| member.child(Field::Object)) else { return false };
    let is_error = is_caught(program, object) || object.kind() == Kind::NewExpression;
    let is_given = |node: Node<'_>| {
        let Some(parent) = node.parent() else { return false };
        let is_assigned = parent.kind() == Kind::MemberExpression && parent.role() == Field::Left;
        node.text() == "stack" && (is_assigned || parent.kind() != Kind::MemberExpression)
    };
    let mut names = program
        .nodes()
        .filter(|node| matches!(node.kind(), Kind::PropertyIdentifier | Kind::ShorthandPropertyIdentifier));
    is_error || !names.any(is_given)
}

/// Is this what a `catch` caught, or what a promise hands to its `catch`?
fn is_caught(program: &Program, name: Node<'_>) -> bool {
    let Some(Target::Symbol(symbol)) = program.scopes().target(name) else { return false };
    let declaration = program.node(program.scopes().symbol(symbol).declaration);
    let is_handler = |function: Node<'_>| {
        let call = function.parent().filter(|list| list.kind() == Kind::Arguments).and_then(Node::parent);
        let callee = call.and_then(|call| call.child(Field::Function));
        callee.and_then(|callee| callee.child(Field::Property)).is_some_and(|method| method.text() == "catch")
    };
    declaration.parent().is_some_and(|parent| match parent.kind() {
        Kind::CatchClause => true,
        Kind::ArrowFunction => is_handler(parent),
        Kind::FormalParameters => parent.parent().is_some_and(is_handler),
        _ => false,
    })
}

/// Is the value itself printed to the output, and not to the errors? An error is printed with its stack.
fn is_printed(name: Node<'_>) -> bool {
    let call = name.parent().filter(|list| list.kind() == Kind::Arguments).and_then(Node::parent);
    call.and_then(|call| call.child(Field::Function)).is_some_and(|callee| is_printer(callee.text()))
}

fn is_printer(callee: &str) -> bool {
    matches!(callee, "console.log" | "console.info" | "console.debug" | "console.dir" | "console.table")
        || callee.ends_with("inspect")
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
        Kind::Identifier => match node.text() {
            "eval" | "Function" => !is_declared(program, node),
            // The messages of these have names of the program in them, such as "f is not a function".
            "TypeError" | "ReferenceError" => !is_declared(program, node) && is_told_from_others(program, node),
            _ => false,
        },
        _ => false,
    }
}

/// Is an error told by this class from others, and its message kept?
fn is_told_from_others(program: &Program, class: Node<'_>) -> bool {
    let is_test = |node: Node<'_>| node.kind() == Kind::BinaryExpression && node.has_token("instanceof");
    let error = class.parent().filter(|test| is_test(*test)).and_then(|test| test.child(Field::Left));
    let Some(Target::Symbol(symbol)) = error.and_then(|error| program.scopes().target(error)) else { return false };
    let mut uses = program.scopes().references_of(symbol).filter(|reference| !reference.declares);
    uses.any(|reference| !program.node(reference.node).parent().is_some_and(is_test))
}

fn is_declared(program: &Program, name: Node<'_>) -> bool {
    matches!(program.scopes().target(name), Some(Target::Symbol(_)))
}
