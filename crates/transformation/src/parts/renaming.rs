//! What can be renamed, and the edits that do it.

use std::collections::HashSet;

use syntax::scopes::ScopeKind;
use syntax::views::contains_directive;
use syntax::{Edit, Field, Kind, Language, Node, Program, Surroundings, SymbolId, SymbolKind, Target};

use super::shown_names::ShownNames;
use crate::choice::{Choice, Wish};
use crate::site::Sites;

/// Adds a site for every symbol that `is_wanted` and that can be renamed without changing anything else.
pub(crate) fn add_sites<'p>(
    program: &'p Program,
    sites: &mut Sites<'p>,
    is_wanted: impl Fn(&'p Program, SymbolId) -> bool,
) {
    if program.reaches_names_by_text() {
        return;
    }
    let doubts = Doubts::of(program);
    for (symbol, entry) in program.scopes().symbols() {
        if is_wanted(program, symbol) && doubts.is_nameable(symbol) {
            let declaration = program.node(entry.declaration);
            sites.add(declaration.range(), move |choice| edits(program, symbol, choice));
        }
    }
}

/// The names that nobody can resolve, collected once.
struct Doubts<'p> {
    program: &'p Program,
    has_raw_text: bool,
    unknown: HashSet<&'p str>,
    members: HashSet<&'p str>,
    outside: HashSet<&'p str>,
    shown: ShownNames<'p>,
}

impl<'p> Doubts<'p> {
    fn of(program: &'p Program) -> Doubts<'p> {
        let has_raw_text = contains_directive(program.root()) || !program.unread().is_empty();
        let (mut unknown, mut members, mut outside) = (HashSet::new(), HashSet::new(), HashSet::new());
        for reference in program.scopes().references() {
            let node = program.node(reference.node);
            // `{x}` names a property, too, whatever the variable is.
            if matches!(node.kind(), Kind::ShorthandPropertyIdentifier | Kind::ShorthandPropertyIdentifierPattern) {
                outside.insert(node.text());
            }
            let names = match reference.target {
                Target::Unknown => &mut unknown,
                Target::Member => &mut members,
                Target::Outside => &mut outside,
                Target::Symbol(_) => continue,
            };
            names.insert(node.text());
        }
        Doubts { program, has_raw_text, unknown, members, outside, shown: ShownNames::of(program) }
    }

    /// Do all occurrences of the name that could mean the symbol certainly mean it, and can all of them be edited?
    fn is_nameable(&self, symbol: SymbolId) -> bool {
        let program = self.program;
        let name = program.name_of(symbol);
        // A name that nobody can resolve may be this one.
        let kind = program.scopes().symbol(symbol).kind;
        let may_be_meant = self.unknown.contains(name)
            || match kind {
                SymbolKind::Field | SymbolKind::Function | SymbolKind::Type => {
                    can_be_member(program, symbol) && self.members.contains(name)
                        || is_member_by_spelling(program, symbol) && self.outside.contains(name)
                }
                _ => false,
            };
        !may_be_meant
            && !matches!(name, "_" | "arguments")
            && !(self.has_raw_text && program.is_named_in_directive(name))
            && !is_meant_by_macro(program, symbol)
            && !self.shown.may_show(symbol)
            && program.scopes().references_of(symbol).all(|reference| {
                let node = program.node(reference.node);
                // A name that is written in another way, such as with escapes, is not touched.
                node.text() == name && !is_in_directive(node) && !is_shown(node) && !is_shown_by_macro(node)
            })
    }
}

/// May a macro of another file mean the symbol? Only a member is meant by what stands after a dot or an arrow: that of a
/// structure in a function, too, whose objects the macro may get.
fn is_meant_by_macro(program: &Program, symbol: SymbolId) -> bool {
    let (scopes, name) = (program.scopes(), program.name_of(symbol));
    let is_member = scopes.scope(scopes.symbol(symbol).scope).kind == ScopeKind::Type;
    let is_meant = |around: &Surroundings| match is_member {
        true => around.is_expanded_member(name),
        false => around.is_expanded(name),
    };
    program.language().has_preprocessor() && program.surroundings().is_some_and(is_meant)
}

/// Can something that is written after a dot mean the symbol?
fn can_be_member(program: &Program, symbol: SymbolId) -> bool {
    let scopes = program.scopes();
    match scopes.scope(scopes.symbol(symbol).scope).kind {
        ScopeKind::Type => true,
        ScopeKind::Function | ScopeKind::Block => false,
        // What `impl::` means is not known in a function of a class that is not here.
        ScopeKind::Namespace => true,
        // Functions and types of a file are members of a module, or of the global object.
        ScopeKind::File => match program.language() {
            Language::C | Language::Cpp => false,
            Language::Java | Language::Python | Language::JavaScript => true,
        },
    }
}

/// A field of C may stand among the arguments of a macro from elsewhere, where it looks like an ordinary name, and one
/// of JavaScript may be put on objects that come from elsewhere.
fn is_member_by_spelling(program: &Program, symbol: SymbolId) -> bool {
    let scopes = program.scopes();
    match program.language() {
        Language::C | Language::Cpp => scopes.symbol(symbol).kind == SymbolKind::Field,
        Language::JavaScript => scopes.scope(scopes.symbol(symbol).scope).kind == ScopeKind::Type,
        Language::Java | Language::Python => false,
    }
}

fn is_in_directive(node: Node<'_>) -> bool {
    node.ancestors().any(|around| around.kind().is_directive() && !is_conditional(around.kind()))
}

/// Does the program itself show how this occurrence is spelt, or does its spelling mean something?
fn is_shown(node: Node<'_>) -> bool {
    let Some(parent) = node.parent() else { return false };
    match node.program().language() {
        Language::Java | Language::C | Language::Cpp => false,
        // `f"{x = }"` prints the name.
        Language::Python => node
            .ancestors()
            .find(|around| matches!(around.kind(), Kind::Interpolation | Kind::ExpressionStatement))
            .is_some_and(|around| around.kind() == Kind::Interpolation && around.has_token("=")),
        Language::JavaScript => {
            let is_export = matches!(parent.kind(), Kind::ExportSpecifier | Kind::ImportSpecifier);
            // `f.name` is how `f` is spelt, even when `f` is a variable that holds a function without a name.
            let is_asked_for_name = parent.kind() == Kind::MemberExpression
                && node.role() == Field::Object
                && parent.child(Field::Property).is_some_and(|property| property.text() == "name");
            // Elements in small letters are HTML's.
            let is_element = matches!(
                parent.kind(),
                Kind::JsxOpeningElement | Kind::JsxClosingElement | Kind::JsxSelfClosingElement
            );
            is_export || is_asked_for_name || is_element
        }
    }
}

/// Is this in an argument of a macro of another file that sees how it is spelt?
pub(crate) fn is_shown_by_macro(node: Node<'_>) -> bool {
    let program = node.program();
    let Some(around) = program.surroundings().filter(|_| program.language().has_preprocessor()) else { return false };
    let is_showing =
        |call: Node<'_>| call.child(Field::Function).is_some_and(|name| around.shows_arguments(name.text()));
    node.ancestors().any(|call| call.kind() == Kind::CallExpression && is_showing(call))
}

/// `#if` and its like, whose text is compiled where it is chosen.
pub(crate) fn is_conditional(kind: Kind) -> bool {
    matches!(kind, Kind::PreprocIf | Kind::PreprocIfdef | Kind::PreprocElif | Kind::PreprocElifdef | Kind::PreprocElse)
}

/// Renames the symbol everywhere.
fn edits(program: &Program, symbol: SymbolId, choice: &mut Choice<'_>) -> Option<Vec<Edit>> {
    let scopes = program.scopes();
    let old = program.name_of(symbol);
    let kind = scopes.symbol(symbol).kind;
    let value_type = match kind {
        // The type of a function or of a type says nothing about a name for it.
        SymbolKind::Function | SymbolKind::Type => syntax::Type::Unknown,
        _ => program.type_of(program.node(scopes.symbol(symbol).declaration)),
    };
    let new = choice.name(&Wish { hint: old, is_rename: true, kind, value_type })?;
    let edit = |reference: &syntax::Reference| {
        let node = program.node(reference.node);
        match node.kind() {
            // `{x}` stands for `{x: x}`, whose key is a name that others see.
            Kind::ShorthandPropertyIdentifier | Kind::ShorthandPropertyIdentifierPattern => {
                Edit::replace(node, format!("{old}: {new}"))
            }
            // The mark of a private name is a part of its node.
            Kind::PrivatePropertyIdentifier => Edit::replace(node, format!("#{new}")),
            _ => Edit::replace(node, new.clone()),
        }
    };
    Some(scopes.references_of(symbol).map(edit).collect())
}
