//! Functions of C that the linker sees, and their uses in C++. What C++ itself defines has overloads, and calls find it through
//! their arguments, so that no word is enough to know it.

use syntax::scopes::ScopeKind;
use syntax::surroundings::FUNCTION_NAMES;
use syntax::{Field, Kind, Language, Node, Program, Project, Reference, SymbolId, SymbolKind, Target};

use super::{Links, Part, Source};
use crate::parts::function_names::{is_defined, is_marked};
use crate::parts::macros::is_macro_argument;
use crate::parts::renaming::{is_conditional, is_shown_by_macro};
use crate::parts::visibility::{declaration_of, is_static};

pub(super) fn links(program: &Program) -> Links {
    let includes = program.nodes_of_kind(Kind::PreprocInclude).filter(|include| is_unconditional(*include));
    let path = |include: Node<'_>| {
        let path = include.child(Field::Path).map_or("", Node::text);
        path.trim_matches(['"', '<', '>']).to_owned()
    };
    Links { included: includes.map(path).collect(), ..Links::default() }
}

/// A name that means a function with external linkage wherever it stands: all of it is declared in this file, or all of it is
/// declared in a header.
pub(super) fn part(program: &Program, project: &Project, references: &[&Reference]) -> Option<Part> {
    let mut part = Part::default();
    for reference in references {
        let node = program.node(reference.node);
        // The argument of a macro may name a member of something.
        let is_plain = node.kind() == Kind::Identifier && !is_shown_by_macro(node) && !is_macro_argument(node);
        let is_plain = is_plain && (program.language() == Language::C || is_plain_in_cpp(node));
        match reference.target {
            Target::Symbol(symbol) if is_plain && is_linked(program, symbol) => {
                part.is_offered = true;
                part.is_defined |= reference.declares && is_defined(node);
            }
            Target::Outside if is_plain => part.sources = vec![Source::Included],
            _ => return None,
        }
        part.is_used |= !reference.declares;
    }
    let is_clear = part.sources.is_empty() || !part.is_offered;
    let is_clear = is_clear && (program.language() == Language::C || !part.is_defined && !uses_namespaces(program));
    (is_clear && !(part.is_defined && tells_functions(program, project))).then_some(part)
}

/// May the program say in which function it is, by itself or by a macro of a header?
fn tells_functions(program: &Program, project: &Project) -> bool {
    FUNCTION_NAMES.iter().any(|name| program.text().contains(name))
        || program.words_outside_comments().keys().any(|word| project.tells_function(word))
}

/// Is this a function that the linker sees, whatever the preprocessor is told?
fn is_linked(program: &Program, symbol: SymbolId) -> bool {
    let scopes = program.scopes();
    let entry = scopes.symbol(symbol);
    let mut declarations = scopes.declarations_of(symbol).map(|name| program.node(name));
    entry.kind == SymbolKind::Function
        && scopes.scope(entry.scope).kind == ScopeKind::File
        && !is_static(program, symbol)
        && declarations.all(|name| is_unconditional(name) && !declaration_of(name).is_none_or(is_marked))
}

/// Can this not be a member, or a name of a namespace, that a class or a namespace from elsewhere has?
fn is_plain_in_cpp(name: Node<'_>) -> bool {
    name.ancestors().all(|around| match around.kind() {
        Kind::QualifiedIdentifier
        | Kind::TemplateDeclaration
        | Kind::NamespaceDefinition
        | Kind::ClassSpecifier
        | Kind::StructSpecifier
        | Kind::UnionSpecifier => false,
        Kind::FunctionDefinition => {
            let declarator = around.child(Field::Declarator);
            declarator.is_some_and(|name| name.descendants().all(|node| node.kind() != Kind::QualifiedIdentifier))
        }
        _ => true,
    })
}

/// Does the file take all names of a namespace?
fn uses_namespaces(program: &Program) -> bool {
    program.nodes_of_kind(Kind::UsingDeclaration).next().is_some()
}

/// Is the node compiled always? The guard of a header does not count.
fn is_unconditional(node: Node<'_>) -> bool {
    node.ancestors().all(|around| !is_conditional(around.kind()) || is_guard(around))
}

/// Is this `#ifndef NAME` or `#if !defined(NAME)` with `#define NAME` at its head?
fn is_guard(conditional: Node<'_>) -> bool {
    let head = conditional.text().lines().next().unwrap_or_default();
    let is_negative = head.contains("ifndef") || head.contains("!defined") || head.contains("! defined");
    let name = head.split(|letter: char| !letter.is_alphanumeric() && letter != '_').rfind(|word| !word.is_empty());
    let first = conditional
        .named_children()
        .find(|child| !child.kind().is_comment() && !matches!(child.role(), Field::Name | Field::Condition));
    let defines =
        |child: Node<'_>| child.kind() == Kind::PreprocDef && child.child(Field::Name).map(Node::text) == name;
    is_negative && !head.contains("&&") && !head.contains("||") && first.is_some_and(defines)
}
