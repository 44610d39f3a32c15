//! Functions that modules of JavaScript export.
//!
//! Only a function that is nothing but called is offered: whoever gets a function as a value may print it with its name.

use syntax::{Field, Kind, Node, Program, Reference, SymbolId, SymbolKind, Target};

use super::{Links, Part, Source};
use crate::parts::function_names::prints_names_of_functions;
use crate::parts::visibility::declaration_of;

pub(super) fn links(program: &Program) -> Links {
    let mut links = Links {
        opens_anything: program.reaches_names_by_text(),
        shows_functions: program.looks_at_itself() || prints_names_of_functions(program),
        ..Links::default()
    };
    for node in program.nodes() {
        match node.kind() {
            Kind::String if is_relative(node) && !is_understood(program, node) => {
                links.opened.push(Source::Script(content(node).to_owned()));
            }
            Kind::CallExpression if is_load(node) => {
                let argument = node.child(Field::Arguments).and_then(|arguments| arguments.named_children().next());
                links.opens_anything |= !argument.is_some_and(|argument| argument.kind() == Kind::String);
            }
            _ => {}
        }
    }
    links
}

/// A name that means one function of a module wherever it stands: where it is defined, exported, imported or called.
pub(super) fn part(program: &Program, references: &[&Reference]) -> Option<Part> {
    let mut part = Part::default();
    for reference in references {
        let node = program.node(reference.node);
        let parent = node.parent()?;
        match reference.target {
            Target::Symbol(symbol) if is_function_of_module(program, symbol) => part.is_defined = true,
            Target::Symbol(symbol) => part.sources.extend(imports(program, symbol)?),
            Target::Outside | Target::Member => match member_source(program, node) {
                Some(source) => part.sources.push(source),
                None if is_exported_member(node) => {}
                None => return None,
            },
            Target::Unknown => return None,
        }
        let is_call = |value: Node<'_>| {
            value.role() == Field::Function && value.parent().is_some_and(|call| call.kind() == Kind::CallExpression)
        };
        let is_called = match parent.kind() {
            Kind::MemberExpression if node.role() == Field::Property => is_call(parent),
            _ => is_call(node),
        };
        let is_export = is_exported(node) || is_exported_member(node);
        if !is_called && !is_export && !reference.declares && !is_import(node) {
            return None;
        }
        part.is_offered |= is_export;
        part.is_used |= is_called;
    }
    (part.sources.is_empty() || !part.is_defined).then_some(part)
}

/// Is this a function at the top of the file that is declared once?
fn is_function_of_module(program: &Program, symbol: SymbolId) -> bool {
    let scopes = program.scopes();
    let name = program.node(scopes.symbol(symbol).declaration);
    let is_at_top = declaration_of(name).is_some_and(|function| {
        let parent = function.parent();
        matches!(function.kind(), Kind::FunctionDeclaration | Kind::GeneratorFunctionDeclaration)
            && name.role() == Field::Name
            && parent.is_some_and(|parent| match parent.kind() {
                Kind::Program => true,
                Kind::ExportStatement => !parent.has_token("default"),
                _ => false,
            })
    });
    scopes.symbol(symbol).kind == SymbolKind::Function
        && scopes.references_of(symbol).filter(|reference| reference.declares).count() == 1
        && is_at_top
}

/// The module that a name is imported from, under its own name.
fn imports(program: &Program, symbol: SymbolId) -> Option<Vec<Source>> {
    let mut declarations = program.scopes().references_of(symbol).filter(|reference| reference.declares);
    let name = program.node(declarations.next()?.node);
    if declarations.next().is_some() {
        return None;
    }
    let parent = name.parent()?;
    match parent.kind() {
        Kind::ImportSpecifier if parent.child(Field::Alias).is_none() => Some(vec![source_of(parent)?]),
        Kind::ObjectPattern if name.kind() == Kind::ShorthandPropertyIdentifierPattern => {
            Some(vec![loaded(program, parent.parent()?)?])
        }
        _ => None,
    }
}

/// The module that an occurrence names a member of: `import { name as other }`, `export { name } from`, `module.name`.
fn member_source(program: &Program, name: Node<'_>) -> Option<Source> {
    let parent = name.parent()?;
    match parent.kind() {
        Kind::ImportSpecifier | Kind::ExportSpecifier if name.role() == Field::Name => source_of(parent),
        Kind::MemberExpression if name.role() == Field::Property => {
            let object = parent.child(Field::Object).filter(|object| object.kind() == Kind::Identifier)?;
            let symbol = program.scopes().symbol_at(object)?;
            module_object(program, symbol)
        }
        _ => None,
    }
}

/// The module that a variable holds, if all that is done with it is to call its functions.
fn module_object(program: &Program, symbol: SymbolId) -> Option<Source> {
    let scopes = program.scopes();
    let mut source = None;
    for reference in scopes.references_of(symbol) {
        let node = program.node(reference.node);
        let parent = node.parent()?;
        match parent.kind() {
            _ if reference.declares && source.is_some() => return None,
            Kind::NamespaceImport => source = Some(source_of(parent)?),
            Kind::VariableDeclarator if reference.declares => source = Some(loaded(program, parent)?),
            Kind::MemberExpression if node.role() == Field::Object => {
                parent
                    .parent()
                    .filter(|call| call.kind() == Kind::CallExpression && parent.role() == Field::Function)?;
            }
            _ => return None,
        }
    }
    source
}

/// The module that `const variable = require('./module')` loads.
fn loaded(program: &Program, declarator: Node<'_>) -> Option<Source> {
    let declaration = declarator.parent().filter(|declaration| declaration.has_token("const"))?;
    let call = declarator.child(Field::Value).filter(|_| declaration.kind() == Kind::LexicalDeclaration)?;
    let function = call.child(Field::Function).filter(|function| function.text() == "require")?;
    let is_foreign = program.scopes().target(function) == Some(Target::Outside);
    let path = call.child(Field::Arguments)?.named_children().next().filter(|path| is_foreign && is_relative(*path))?;
    Some(Source::Script(content(path).to_owned()))
}

/// The module that a statement imports or exports from.
fn source_of(specifier: Node<'_>) -> Option<Source> {
    let statement =
        specifier.ancestors().find(|around| matches!(around.kind(), Kind::ImportStatement | Kind::ExportStatement))?;
    let path = statement.child(Field::Source).filter(|path| is_relative(*path))?;
    Some(Source::Script(content(path).to_owned()))
}

/// Is the name exported here: `export function name`, `export { name }`, `module.exports = { name }`, `exports.name = name`?
fn is_exported(name: Node<'_>) -> bool {
    let Some(parent) = name.parent() else { return false };
    match parent.kind() {
        Kind::ExportSpecifier => name.role() == Field::Name && parent.child(Field::Alias).is_none(),
        Kind::FunctionDeclaration | Kind::GeneratorFunctionDeclaration => {
            parent.parent().is_some_and(|statement| statement.kind() == Kind::ExportStatement)
        }
        Kind::Object if name.kind() == Kind::ShorthandPropertyIdentifier => is_assigned_to(parent, &["module.exports"]),
        // The property has the same name, or the word would not be understood.
        Kind::AssignmentExpression if name.role() == Field::Right => parent
            .child(Field::Left)
            .and_then(|target| target.child(Field::Property))
            .is_some_and(|property| property.text() == name.text() && is_exported_member(property)),
        _ => false,
    }
}

/// Is this `name` in `exports.name = …`?
fn is_exported_member(name: Node<'_>) -> bool {
    let Some(member) = name.parent().filter(|member| member.kind() == Kind::MemberExpression) else { return false };
    let object = member.child(Field::Object).map_or("", Node::text);
    let is_target = member.role() == Field::Left
        && member.parent().is_some_and(|assignment| {
            let value = assignment.child(Field::Right);
            value.is_some_and(|value| value.text() == name.text()) && is_at_top(assignment)
        });
    name.role() == Field::Property && matches!(object, "exports" | "module.exports") && is_target
}

fn is_assigned_to(value: Node<'_>, targets: &[&str]) -> bool {
    value.role() == Field::Right
        && value.parent().is_some_and(|assignment| {
            let target = assignment.child(Field::Left).map_or("", Node::text);
            assignment.kind() == Kind::AssignmentExpression && targets.contains(&target) && is_at_top(assignment)
        })
}

fn is_at_top(assignment: Node<'_>) -> bool {
    let statement = assignment.parent().filter(|statement| statement.kind() == Kind::ExpressionStatement);
    assignment.kind() == Kind::AssignmentExpression
        && statement.and_then(Node::parent).is_some_and(|around| around.kind() == Kind::Program)
}

fn is_import(name: Node<'_>) -> bool {
    name.parent().is_some_and(|parent| parent.kind() == Kind::ImportSpecifier)
}

/// Does the string name a module in one of the forms that are followed here?
fn is_understood(program: &Program, path: Node<'_>) -> bool {
    let Some(parent) = path.parent() else { return false };
    match parent.kind() {
        Kind::ExportStatement => parent.child_of_kind(Kind::ExportClause).is_some(),
        Kind::ImportStatement => parent.child_of_kind(Kind::ImportClause).is_none_or(|clause| {
            clause.named_children().all(|child| match child.kind() {
                Kind::NamedImports => true,
                Kind::NamespaceImport => {
                    child.named_children().next().is_some_and(|name| is_module_object(program, name))
                }
                _ => false,
            })
        }),
        Kind::Arguments => parent.parent().and_then(Node::parent).is_some_and(|declarator| {
            declarator.kind() == Kind::VariableDeclarator
                && loaded(program, declarator).is_some()
                && declarator.child(Field::Name).is_some_and(|name| match name.kind() {
                    Kind::Identifier => is_module_object(program, name),
                    Kind::ObjectPattern => name.named_children().all(|child| child.kind() != Kind::RestPattern),
                    _ => false,
                })
        }),
        _ => false,
    }
}

fn is_module_object(program: &Program, name: Node<'_>) -> bool {
    program.scopes().symbol_at(name).is_some_and(|symbol| module_object(program, symbol).is_some())
}

/// Is this `require(…)` or `import(…)`?
fn is_load(call: Node<'_>) -> bool {
    call.child(Field::Function).is_some_and(|function| matches!(function.text(), "require" | "import"))
}

fn is_relative(path: Node<'_>) -> bool {
    path.kind() == Kind::String && content(path).starts_with('.')
}

fn content(path: Node<'_>) -> &str {
    path.text().trim_matches(['"', '\''])
}
