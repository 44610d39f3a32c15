//! Where a program of JavaScript shows the names of its functions and classes.
//!
//! `console.log` prints a function as `[Function: twice]` and an object as `Box { n: 2 }`, wherever in the printed value they
//! stand. A function without a name of its own has the name of the variable that it is first given to.

use std::cell::OnceCell;

use syntax::{Field, Kind, Language, Node, Program, SymbolId, SymbolKind, Type};

use super::visibility::mentions_outside;

/// What is known about the names that a program shows, found out once.
pub(crate) struct ShownNames<'p> {
    program: &'p Program,
    shows_classes: OnceCell<bool>,
    reads_names: OnceCell<bool>,
}

impl<'p> ShownNames<'p> {
    pub(crate) fn of(program: &'p Program) -> ShownNames<'p> {
        ShownNames { program, shows_classes: OnceCell::new(), reads_names: OnceCell::new() }
    }

    /// May the program show the name of a function that the symbol stands for? A function that is only called shows
    /// nothing, and one that makes objects shows nothing where no object is printed. Whatever else gets the function
    /// as a value may print it.
    pub(crate) fn may_show(&self, symbol: SymbolId) -> bool {
        match self.program.language() {
            Language::Java | Language::C | Language::Cpp | Language::Python => false,
            Language::JavaScript => {
                let names = || {
                    let references = self.program.scopes().references_of(symbol);
                    references.map(|reference| self.program.node(reference.node))
                };
                let is_function = self.program.scopes().symbol(symbol).kind == SymbolKind::Function;
                (is_function || names().any(names_a_value)) && !names().all(|name| self.is_silent(name))
            }
        }
    }

    /// Does nothing learn from this occurrence of the name which function it stands for?
    fn is_silent(&self, name: Node<'p>) -> bool {
        let Some(parent) = name.parent() else { return false };
        match (parent.kind(), name.role()) {
            (Kind::FunctionDeclaration | Kind::GeneratorFunctionDeclaration, Field::Name) => true,
            (Kind::MethodDefinition, Field::Name) => true,
            (Kind::FunctionExpression | Kind::GeneratorFunction, Field::Name) => self.is_silent_value(parent),
            (Kind::VariableDeclarator, Field::Name) | (Kind::FieldDefinition, Field::Property) => true,
            (
                Kind::AssignmentExpression
                | Kind::AugmentedAssignmentExpression
                | Kind::AssignmentPattern
                | Kind::ObjectAssignmentPattern,
                Field::Left,
            ) => true,
            (Kind::MemberExpression, Field::Property) => {
                let is_target = parent.role() == Field::Left
                    && parent.parent().is_some_and(|around| around.kind() == Kind::AssignmentExpression);
                is_target || self.is_silent_value(parent)
            }
            _ => name.kind() == Kind::Identifier && self.is_silent_value(name),
        }
    }

    /// Is the function, as the value of this expression, only called, compared or made objects with?
    fn is_silent_value(&self, value: Node<'p>) -> bool {
        let Some(parent) = value.parent() else { return false };
        match (parent.kind(), value.role()) {
            (Kind::ParenthesizedExpression, _) => self.is_silent_value(parent),
            (Kind::ExpressionStatement, _) | (Kind::CallExpression, Field::Function) => true,
            (Kind::UnaryExpression, _) => parent.has_token("typeof") || parent.has_token("!"),
            (Kind::BinaryExpression, Field::Right) if parent.has_token("instanceof") => !self.shows_classes(),
            (Kind::BinaryExpression, _) => parent.has_token("===") || parent.has_token("!=="),
            (Kind::NewExpression, Field::Constructor) | (Kind::ClassHeritage, _) => !self.shows_classes(),
            (Kind::MemberExpression, Field::Object) => match parent.child(Field::Property).map_or("", Node::text) {
                "call" | "apply" => parent.role() == Field::Function,
                "length" => true,
                // In what is called as `f.make()` the function is `this`, and `this.name` its name.
                _ => !self.shows_classes() && !self.reads_names(),
            },
            (Kind::Arguments, _) => is_only_called(parent),
            _ => false,
        }
    }

    fn shows_classes(&self) -> bool {
        *self.shows_classes.get_or_init(|| shows_classes(self.program))
    }

    /// Does the program ask anything for its name?
    fn reads_names(&self) -> bool {
        *self.reads_names.get_or_init(|| {
            let mut properties = self.program.nodes_of_kind(Kind::PropertyIdentifier);
            properties.any(|property| {
                let is_target = |member: Node<'_>| member.role() == Field::Left;
                property.text() == "name"
                    && property.parent().is_some_and(|parent| {
                        parent.kind() == Kind::MemberExpression && !is_target(parent)
                            || parent.kind() == Kind::PairPattern
                    })
            }) || self.program.nodes_of_kind(Kind::ShorthandPropertyIdentifierPattern).any(|name| name.text() == "name")
        })
    }
}

/// Does a function or class without a name of its own get the name of this variable or field?
fn names_a_value(name: Node<'_>) -> bool {
    let Some(parent) = name.parent() else { return false };
    let value = match (parent.kind(), name.role()) {
        (Kind::VariableDeclarator, Field::Name) | (Kind::FieldDefinition, Field::Property) => {
            parent.child(Field::Value)
        }
        (
            Kind::AssignmentExpression
            | Kind::AugmentedAssignmentExpression
            | Kind::AssignmentPattern
            | Kind::ObjectAssignmentPattern,
            Field::Left,
        ) => parent.child(Field::Right),
        _ => None,
    };
    value.is_some_and(is_nameless)
}

/// Is this a function or a class that has no name, so that it gets the one of a variable?
pub(crate) fn is_nameless(value: Node<'_>) -> bool {
    match value.kind() {
        Kind::ParenthesizedExpression => {
            value.named_children().all(|inner| inner.kind().is_comment() || is_nameless(inner))
        }
        Kind::ArrowFunction => true,
        Kind::FunctionExpression | Kind::GeneratorFunction | Kind::Class => value.child(Field::Name).is_none(),
        _ => false,
    }
}

/// Are these the arguments of a function of the language that calls what it gets, and keeps nothing of it?
fn is_only_called(arguments: Node<'_>) -> bool {
    let program = arguments.program();
    let Some(call) = arguments.parent() else { return false };
    let is_foreign = |name: Node<'_>| program.scopes().symbol_at(name).is_none();
    if call.kind() == Kind::NewExpression {
        return call.child(Field::Constructor).is_some_and(|class| class.text() == "Promise" && is_foreign(class));
    }
    let Some(callee) = call.child(Field::Function) else { return false };
    match callee.kind() {
        // The object that they return shows the function.
        Kind::Identifier => {
            is_foreign(callee)
                && matches!(callee.text(), "setTimeout" | "setInterval" | "setImmediate" | "queueMicrotask")
                && call.parent().is_some_and(|around| around.kind() == Kind::ExpressionStatement)
        }
        Kind::MemberExpression => callee.child(Field::Property).is_some_and(|method| {
            matches!(
                method.text(),
                "map"
                    | "flatMap"
                    | "filter"
                    | "forEach"
                    | "reduce"
                    | "reduceRight"
                    | "some"
                    | "every"
                    | "find"
                    | "findIndex"
                    | "findLast"
                    | "findLastIndex"
                    | "sort"
                    | "toSorted"
                    | "replace"
                    | "replaceAll"
                    | "then"
                    | "catch"
                    | "finally"
            ) && !is_defined_here(program, method.text())
        }),
        _ => false,
    }
}

/// Does the program itself have a member of this name, rather than call one?
fn is_defined_here(program: &Program, name: &str) -> bool {
    program.nodes_of_kind(Kind::PropertyIdentifier).filter(|property| property.text() == name).any(|property| {
        let parent = property.parent();
        parent.is_none_or(|parent| parent.kind() != Kind::MemberExpression || parent.role() != Field::Function)
    })
}

/// May a JavaScript program show the names of its classes, by the objects that it prints or by asking objects for their
/// class?
pub(crate) fn shows_classes(program: &Program) -> bool {
    match program.language() {
        Language::Java | Language::C | Language::Cpp | Language::Python => false,
        Language::JavaScript => {
            mentions_outside(program, &["constructor"])
                || program.nodes_of_kind(Kind::MetaProperty).any(|node| node.text().starts_with("new"))
                || program.nodes_of_kind(Kind::MethodDefinition).any(reads_name_of_class)
                || prints_objects(program)
        }
    }
}

/// Is `this.name` of a static method the name of the class?
fn reads_name_of_class(method: Node<'_>) -> bool {
    method.has_token("static")
        && method.descendants().any(|node| {
            node.kind() == Kind::MemberExpression
                && node.child(Field::Object).is_some_and(|object| object.kind() == Kind::This)
                && node.child(Field::Property).is_some_and(|property| property.text() == "name")
        })
}

/// May a JavaScript program print an object, and with it the names of its class and its fields?
pub(crate) fn prints_objects(program: &Program) -> bool {
    let is_foreign = |name: Node<'_>| program.scopes().symbol_at(name).is_none();
    match program.language() {
        Language::Java | Language::C | Language::Cpp | Language::Python => false,
        Language::JavaScript => program.nodes().any(|node| match node.kind() {
            Kind::CallExpression => {
                let callee = node.child(Field::Function).map_or("", Node::text);
                let is_printing = callee.starts_with("console.") || callee.ends_with("inspect") || callee == "print";
                is_printing
                    && node.child(Field::Arguments).is_none_or(|arguments| !arguments.named_children().all(is_plain))
            }
            // `items.forEach(console.log)` and `const { log } = console` print what nobody sees here.
            Kind::Identifier => {
                let member = node.parent().filter(|parent| parent.kind() == Kind::MemberExpression);
                node.text() == "console"
                    && is_foreign(node)
                    && member.is_none_or(|member| member.role() != Field::Function)
            }
            Kind::String => matches!(node.text().trim_matches(['"', '\'']), "util" | "node:util"),
            _ => false,
        }),
    }
}

/// Is this certainly a string, a number or a truth value?
fn is_plain(value: Node<'_>) -> bool {
    matches!(value.program().type_of(value), Type::Text | Type::Number(_) | Type::Boolean)
        || matches!(value.kind(), Kind::String | Kind::Number | Kind::TemplateString | Kind::True | Kind::False)
        || value.kind() == Kind::BinaryExpression
            && value.child(Field::Operator).is_some_and(|operator| !matches!(operator.text(), "||" | "&&" | "??"))
}
