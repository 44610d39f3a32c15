//! Static methods of Java that a package keeps to itself.

use syntax::scopes::ScopeKind;
use syntax::{Field, Kind, Node, Program, Reference, SymbolId, SymbolKind, Target};

use super::{Links, Part, Source};
use crate::parts::function_names::{is_annotated, prints_names_of_functions};
use crate::parts::visibility::{Heritage, declaration_of, has_modifier};

pub(super) fn links(program: &Program) -> Links {
    let root = program.root();
    let package = root.child_of_kind(Kind::PackageDeclaration).map_or("", Node::text);
    let types = root.named_children().filter_map(|child| match child.kind() {
        Kind::ClassDeclaration
        | Kind::InterfaceDeclaration
        | Kind::EnumDeclaration
        | Kind::RecordDeclaration
        | Kind::AnnotationTypeDeclaration => child.child(Field::Name),
        _ => None,
    });
    Links {
        package: package.split_whitespace().collect(),
        types: types.map(|name| name.text().to_owned()).collect(),
        opens_anything: program.reaches_names_by_text(),
        shows_functions: program.looks_at_itself() || prints_names_of_functions(program),
        ..Links::default()
    }
}

/// A name that means the static methods of one class wherever it stands.
pub(super) fn part(program: &Program, references: &[&Reference]) -> Option<Part> {
    let mut part = Part::default();
    for reference in references {
        let node = program.node(reference.node);
        match reference.target {
            Target::Symbol(symbol) => {
                let class = class_of(program, symbol)?;
                if part.class.as_ref().is_some_and(|other| *other != class) {
                    return None;
                }
                (part.is_defined, part.is_offered, part.class) = (true, true, Some(class));
            }
            Target::Outside | Target::Member => part.sources.push(Source::Class(receiver(program, node)?)),
            Target::Unknown => return None,
        }
        part.is_used |= !reference.declares;
    }
    (part.sources.is_empty() || !part.is_defined).then_some(part)
}

/// The class at the top of the file that the method is a static method of, if its package keeps it to itself.
fn class_of(program: &Program, symbol: SymbolId) -> Option<String> {
    let scopes = program.scopes();
    let entry = scopes.symbol(symbol);
    let class = scopes.scope(entry.scope).owner?;
    let is_at_top = scopes.scope(scopes.symbol(class).scope).kind == ScopeKind::File;
    let is_closed = !Heritage::of(program).is_open(entry.scope);
    let is_kept = |name: Node<'_>| {
        declaration_of(name).is_some_and(|method| {
            let is_hidden = |word| has_modifier(method, word);
            method.kind() == Kind::MethodDeclaration
                && method.parent().is_some_and(|body| body.kind() == Kind::ClassBody)
                && has_modifier(method, "static")
                && !["public", "protected", "private", "native"].into_iter().any(is_hidden)
                && !is_annotated(name)
        })
    };
    let mut declarations = scopes.declarations_of(symbol).map(|name| program.node(name));
    (entry.kind == SymbolKind::Function && is_at_top && is_closed && declarations.all(is_kept))
        .then(|| program.name_of(class).to_owned())
}

/// The class that `Class.name(…)` calls a method of.
fn receiver(program: &Program, name: Node<'_>) -> Option<String> {
    let call = name.parent().filter(|call| call.kind() == Kind::MethodInvocation && name.role() == Field::Name)?;
    let class = call.child(Field::Object).filter(|class| class.kind() == Kind::Identifier)?;
    (program.scopes().target(class) == Some(Target::Outside)).then(|| class.text().to_owned())
}
