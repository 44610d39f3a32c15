//! Functions of modules of Python.

use syntax::scopes::ScopeKind;
use syntax::{Field, Kind, Node, Program, Reference, SymbolId, SymbolKind, Target};

use super::{Links, Part, Source};
use crate::parts::function_names::{is_decorated, prints_names_of_functions};
use crate::parts::visibility::{declaration_of, is_handed_on, mentions_outside};

pub(super) fn links(program: &Program) -> Links {
    let mut links = Links { shows_functions: program.looks_at_itself(), ..Links::default() };
    if program.reaches_names_by_text() {
        links.opens_anything =
            mentions_outside(program, &["importlib", "import_module", "__import__", "pkgutil", "modules"]);
        let statements =
            program.nodes().filter(|node| matches!(node.kind(), Kind::ImportStatement | Kind::ImportFromStatement));
        for statement in statements {
            let module = imported_from(statement);
            let names = statement.children_at(Field::Name).map(|name| match name.kind() {
                Kind::AliasedImport => name.child(Field::Name).unwrap_or(name),
                _ => name,
            });
            links.opened.extend(names.map(|name| below(module.clone(), name)));
            links.opened.extend(module);
        }
    }
    links
}

/// A name that means one function of a module wherever it stands: where it is defined, imported, or asked of the module.
pub(super) fn part(program: &Program, references: &[&Reference]) -> Option<Part> {
    if program.reaches_names_by_text() {
        return None;
    }
    let mut part = Part::default();
    for reference in references {
        let node = program.node(reference.node);
        // `helper = wrap(helper)` is a decorator by another name.
        if node.role() == Field::Left {
            return None;
        }
        match reference.target {
            Target::Symbol(symbol) if is_function_of_module(program, symbol) => {
                (part.is_defined, part.is_offered) = (true, true);
            }
            Target::Symbol(symbol) => {
                part.sources.extend(imports(program, symbol)?);
                let scopes = program.scopes();
                part.is_offered |= scopes.scope(scopes.symbol(symbol).scope).kind == ScopeKind::File;
            }
            Target::Outside | Target::Member => part.sources.push(source(program, node)?),
            Target::Unknown => return None,
        }
        part.is_used |= !reference.declares;
        part.is_handed_on |= is_handed_on(program, reference) && !is_in_import(node);
    }
    let is_clear = part.sources.is_empty() || !part.is_defined;
    (is_clear && !(part.is_defined && prints_names_of_functions(program))).then_some(part)
}

/// Is this a function at the top of the file, with one definition that is always done?
fn is_function_of_module(program: &Program, symbol: SymbolId) -> bool {
    let scopes = program.scopes();
    let name = program.node(scopes.symbol(symbol).declaration);
    let is_at_top = declaration_of(name).is_some_and(|definition| {
        definition.kind() == Kind::FunctionDefinition
            && name.role() == Field::Name
            && definition.parent().is_some_and(|parent| parent.kind() == Kind::Module)
    });
    scopes.symbol(symbol).kind == SymbolKind::Function
        && scopes.declarations_of(symbol).count() == 1
        && scopes.references_of(symbol).filter(|reference| reference.declares).count() == 1
        && is_at_top
        && !is_decorated(name)
}

/// The modules that a name is imported from, under its own name.
fn imports(program: &Program, symbol: SymbolId) -> Option<Vec<Source>> {
    if program.scopes().symbol(symbol).kind != SymbolKind::Import {
        return None;
    }
    let declarations = program.scopes().references_of(symbol).filter(|reference| reference.declares);
    declarations.map(|reference| imported_name(program.node(reference.node))).collect()
}

/// The module that a name of `from m import name` comes from.
fn imported_name(name: Node<'_>) -> Option<Source> {
    let dotted = name.parent().filter(|parent| parent.kind() == Kind::DottedName && parent.role() == Field::Name)?;
    let statement = match dotted.parent()? {
        alias if alias.kind() == Kind::AliasedImport => alias.parent()?,
        statement => statement,
    };
    imported_from(statement)
}

/// The module that an occurrence names the member of: `from m import name as other`, or `m.name`.
fn source(program: &Program, name: Node<'_>) -> Option<Source> {
    let parent = name.parent()?;
    match parent.kind() {
        Kind::DottedName => imported_name(name),
        Kind::Attribute if name.role() == Field::Attribute => module_of(program, parent.child(Field::Object)?),
        _ => None,
    }
}

/// The module that an expression stands for.
fn module_of(program: &Program, value: Node<'_>) -> Option<Source> {
    let mut members = Vec::new();
    let mut root = value;
    while root.kind() == Kind::Attribute {
        members.insert(0, root.child(Field::Attribute)?.text().to_owned());
        root = root.child(Field::Object)?;
    }
    let scopes = program.scopes();
    let symbol = scopes.symbol_at(root).filter(|symbol| scopes.symbol(*symbol).kind == SymbolKind::Import)?;
    let mut modules = scopes.references_of(symbol).filter(|reference| reference.declares).map(|reference| {
        let name = program.node(reference.node);
        let parent = name.parent()?;
        match (parent.kind(), parent.parent()?) {
            (Kind::AliasedImport, statement) => Some(below(imported_from(statement), parent.child(Field::Name)?)),
            (Kind::DottedName, statement) if statement.kind() == Kind::ImportFromStatement => {
                Some(below(imported_from(statement), parent))
            }
            // `import a.b` declares `a`.
            (Kind::DottedName, _) => Some(below(None, name)),
            _ => None,
        }
    });
    let first = modules.next()??;
    let is_one = modules.all(|module| module.as_ref() == Some(&first));
    let Source::Module { dots, mut parts } = first else { return None };
    parts.extend(members);
    is_one.then_some(Source::Module { dots, parts })
}

/// The module whose names a statement imports; `None` for `import m`.
fn imported_from(statement: Node<'_>) -> Option<Source> {
    let module = statement.child(Field::ModuleName).filter(|_| statement.kind() == Kind::ImportFromStatement)?;
    let text: String = module.text().chars().filter(|letter| !letter.is_whitespace()).collect();
    let dots = text.len() - text.trim_start_matches('.').len();
    let parts = text[dots..].split('.').filter(|part| !part.is_empty()).map(str::to_owned).collect();
    Some(Source::Module { dots, parts })
}

/// A module of a package, or one on its own.
fn below(package: Option<Source>, name: Node<'_>) -> Source {
    let (dots, mut parts) = match package {
        Some(Source::Module { dots, parts }) => (dots, parts),
        _ => (0, Vec::new()),
    };
    parts.extend(name.text().split('.').map(|part| part.trim().to_owned()));
    Source::Module { dots, parts }
}

fn is_in_import(name: Node<'_>) -> bool {
    name.ancestors().any(|around| matches!(around.kind(), Kind::ImportStatement | Kind::ImportFromStatement))
}
