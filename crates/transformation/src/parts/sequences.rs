//! Arrays and lists that can be walked through by an index or by their elements, to the same effect.

use syntax::{Field, Kind, Language, Node, SymbolKind, Target, Type};

use super::python::is_built_in;
use super::statements::function_around;

/// How many elements a sequence has, and what the variable that counts them is.
pub(crate) struct Sequence {
    /// The type of the elements, as far as it is known.
    pub(crate) element: Type,
    /// The expression for the number of elements.
    pub(crate) length: String,
}

/// The sequence that a local variable holds; `None` when it is not known to be an array or a list, or when `body` may
/// change how many elements it has or which of them the loop sees.
pub(crate) fn sequence_of<'p>(name: Node<'p>, whole: Node<'p>, body: Node<'p>) -> Option<Sequence> {
    let program = name.program();
    let scopes = program.scopes();
    let symbol = scopes.symbol_at(name).filter(|_| name.kind() == Kind::Identifier)?;
    if !matches!(scopes.symbol(symbol).kind, SymbolKind::Local | SymbolKind::Parameter) {
        return None;
    }
    let mut uses = scopes.references_of(symbol).map(|reference| program.node(reference.node));
    let text = name.text();
    match program.language() {
        Language::Java => {
            let Type::Array(element) = program.type_of(name) else { return None };
            let is_kept = uses.all(|node| !body.contains(node) || !is_assigned(node));
            is_kept.then(|| Sequence { element: *element, length: format!("{text}.length") })
        }
        Language::JavaScript => {
            let Type::Array(element) = program.type_of(name) else { return None };
            let is_kept = uses.all(|node| node.role() == Field::Name && is_declared_here(node) || is_plain_use(node));
            is_kept.then(|| Sequence { element: *element, length: format!("{text}.length") })
        }
        Language::Cpp => {
            let is_kept = uses.all(|node| !body.contains(node) || is_element_or_size(node));
            let length = cpp_length(name)?;
            is_kept.then_some(Sequence { element: Type::Unknown, length })
        }
        Language::Python => {
            let known = program.type_of(name);
            let is_kept = match known {
                Type::Text => uses.all(|node| !whole.contains(node) || !is_bound(node)),
                Type::Array(_) => uses.all(|node| is_unshared_list(node, whole, body)),
                Type::Outside(ref name) if name == "tuple" => uses.all(|node| !whole.contains(node) || !is_bound(node)),
                _ => false,
            };
            is_kept.then(|| Sequence { element: Type::Unknown, length: format!("len({text})") })
        }
        Language::C => None,
    }
}

/// Is the variable of Java the target of an assignment?
fn is_assigned(node: Node<'_>) -> bool {
    node.role() == Field::Left && node.parent().is_some_and(|parent| parent.kind() == Kind::AssignmentExpression)
}

fn is_declared_here(node: Node<'_>) -> bool {
    node.parent().is_some_and(|parent| parent.kind() == Kind::VariableDeclarator)
}

/// Is the variable of JavaScript only read here?
fn is_plain_use(node: Node<'_>) -> bool {
    node.parent().is_some_and(|parent| match parent.kind() {
        Kind::MemberExpression | Kind::SubscriptExpression => node.role() == Field::Object,
        Kind::ForInStatement => node.role() == Field::Right,
        Kind::Arguments | Kind::ReturnStatement | Kind::BinaryExpression => true,
        _ => false,
    })
}

/// Is the container of C++ asked for an element or its size, which changes neither?
fn is_element_or_size(node: Node<'_>) -> bool {
    let Some(parent) = node.parent() else { return false };
    match parent.kind() {
        Kind::SubscriptExpression => node.role() == Field::Argument,
        Kind::FieldExpression => {
            let is_size = parent.child(Field::Field).is_some_and(|field| ["size", "empty"].contains(&field.text()));
            is_size && parent.parent().is_some_and(|call| call.kind() == Kind::CallExpression)
        }
        _ => false,
    }
}

/// The number of elements of a variable that is declared as a container of the standard library.
fn cpp_length(name: Node<'_>) -> Option<String> {
    let kind = standard_container(name)?;
    ["vector", "deque", "array", "string"].contains(&kind).then(|| format!("{}.size()", name.text()))
}

/// The name of the standard container that a variable of C++ is declared to be, or to refer to.
fn standard_container(name: Node<'_>) -> Option<&str> {
    let program = name.program();
    let symbol = program.scopes().symbol_at(name)?;
    let declared = program.node(program.scopes().symbol(symbol).declaration);
    let declaration = declared
        .ancestors()
        .find(|around| !matches!(around.kind(), Kind::InitDeclarator | Kind::ReferenceDeclarator))?;
    let is_variable = matches!(
        declaration.kind(),
        Kind::Declaration | Kind::ParameterDeclaration | Kind::OptionalParameterDeclaration
    );
    let mut described = declaration.child(Field::Type).filter(|_| is_variable)?;
    if described.kind() == Kind::QualifiedIdentifier {
        described.child(Field::Scope).filter(|scope| scope.text() == "std")?;
        described = described.child(Field::Name)?;
    } else if !program.text().contains("using namespace std") {
        // Somebody else may have a type of the same name.
        return None;
    }
    let word = match described.kind() {
        Kind::TemplateType => described.child(Field::Name)?,
        _ => described,
    };
    let is_outside = program.scopes().target(word) == Some(Target::Outside);
    (is_outside && !program.is_named_in_directive(word.text())).then(|| word.text())
}

/// Does the occurrence give a variable of Python another value, or take it away?
fn is_bound(node: Node<'_>) -> bool {
    let program = node.program();
    program.scopes().reference_at(node).is_some_and(|reference| reference.declares)
        || node.role() == Field::Left
        || node.ancestors().any(|around| {
            matches!(
                around.kind(),
                Kind::DeleteStatement | Kind::PatternList | Kind::TuplePattern | Kind::GlobalStatement
            )
        })
}

/// Is the list of Python used in a way that gives it to nobody else, and inside the loop only for its elements?
fn is_unshared_list(node: Node<'_>, whole: Node<'_>, body: Node<'_>) -> bool {
    let Some(parent) = node.parent() else { return false };
    if function_around(node).map(Node::id) != function_around(whole).map(Node::id) {
        return false;
    }
    let is_in_body = body.contains(node);
    match parent.kind() {
        Kind::Assignment => node.role() == Field::Left && !whole.contains(node) && parent.child(Field::Right).is_some(),
        Kind::Subscript => {
            let is_element = parent.child(Field::Subscript).is_some_and(|index| index.kind() != Kind::Slice);
            let is_deleted = parent.ancestors().any(|around| around.kind() == Kind::DeleteStatement);
            node.role() == Field::Value && (!is_in_body || is_element && !is_deleted)
        }
        Kind::ArgumentList => parent.parent().is_some_and(|call| {
            call.child(Field::Function).is_some_and(|function| {
                ["len", "print", "sum", "min", "max", "sorted", "str", "repr", "set", "tuple", "list"]
                    .iter()
                    .any(|name| is_built_in(function, name))
            })
        }),
        Kind::Attribute => {
            !is_in_body
                && parent.parent().is_some_and(|call| call.kind() == Kind::Call && parent.role() == Field::Function)
        }
        Kind::ForStatement => node.role() == Field::Right,
        Kind::ForInClause => node.role() == Field::Right,
        Kind::ComparisonOperator => true,
        // Whoever gets the list gets it when the loop is over.
        Kind::ReturnStatement => true,
        _ => false,
    }
}
