//! Who can see a declaration: is every use of it in the input, and may code from elsewhere reach it by its name?

use std::collections::{HashMap, HashSet};

use syntax::scopes::ScopeKind;
use syntax::views::Call;
use syntax::{
    Context, Field, Kind, Language, Node, Program, Reference, ScopeId, Surroundings, SymbolId, SymbolKind, Target,
};

use super::scripts::does_something;

/// Is the input a program of its own, so that nobody outside it calls what it declares? No file of a project is.
pub(crate) fn is_whole(program: &Program) -> bool {
    program.surroundings().is_none() && can_be_run(program)
}

/// Is the input, as far as it tells by itself, a program of its own?
///
/// - C and C++: it defines `main`, and includes no header of its own, which others may include as well.
/// - Java: it has types at its top and no package. Other files of its package may use what a class with a `main` declares.
/// - Python and JavaScript: it is a script that does something when it is run, and exports nothing.
fn can_be_run(program: &Program) -> bool {
    let root = program.root();
    match program.language() {
        Language::C | Language::Cpp => declares_main(program) && !includes_own_header(program),
        Language::Java => {
            program.context() == Context::File
                && !root.named_children().any(|child| is_member(child.kind()))
                && root.child_of_kind(Kind::PackageDeclaration).is_none()
        }
        Language::Python => does_something(program),
        Language::JavaScript => {
            does_something(program)
                && !root.named_children().any(|child| child.kind() == Kind::ExportStatement)
                && !program.nodes_of_kind(Kind::Identifier).any(|name| {
                    matches!(name.text(), "module" | "exports") && program.scopes().symbol_at(name).is_none()
                })
        }
    }
}

/// Is a header included that is neither the system's nor that of a well-known library? Beginners write `#include "stdio.h"`.
pub(crate) fn includes_own_header(program: &Program) -> bool {
    const KNOWN: &str = " assert complex conio ctype errno fcntl fenv float getopt inttypes iso646 limits locale malloc math \
                         memory process pthread semaphore setjmp signal stdarg stdbool stddef stdint stdio stdlib string strings \
                         tchar termios time unistd wchar wctype windows ";
    program.nodes_of_kind(Kind::PreprocInclude).any(|include| {
        let path = include.child(Field::Path).map_or("", Node::text);
        let header = path.trim_matches('"');
        let is_known = match header.strip_suffix(".h") {
            Some(name) => header.contains("sys/") || KNOWN.contains(&format!(" {name} ")),
            // The headers of C++'s library have no suffix.
            None => !header.contains('.'),
        };
        path.starts_with('"') && !is_known
    })
}

/// A member of a Java class that is not in the input.
fn is_member(kind: Kind) -> bool {
    matches!(kind, Kind::MethodDeclaration | Kind::ConstructorDeclaration | Kind::FieldDeclaration)
}

fn declares_main(program: &Program) -> bool {
    program.scopes().symbols().any(|(id, symbol)| symbol.kind == SymbolKind::Function && program.name_of(id) == "main")
}

/// Is every use of the symbol in the input? What a function declares, and what is private to a type of the input, is
/// seen by nobody else; for the rest the input must be a whole program, or a file of a project in which no other file has
/// the name.
pub(crate) fn is_seen_whole(program: &Program, symbol: SymbolId, is_whole: bool) -> bool {
    let scopes = program.scopes();
    let is_member = scopes.scope(scopes.symbol(symbol).scope).kind == ScopeKind::Type;
    // The members of a class in a function go wherever its objects go. Java lets nobody call them there.
    let goes_elsewhere = is_member
        && match program.language() {
            Language::Java | Language::C => false,
            Language::Cpp | Language::Python | Language::JavaScript => true,
        };
    is_whole
        || is_private(program, symbol)
        || scopes.is_local(symbol) && !goes_elsewhere
        || is_unshared(program, symbol)
}

/// Does no other file of the project have the symbol's name, and is the symbol not made for users of the project?
fn is_unshared(program: &Program, symbol: SymbolId) -> bool {
    program
        .surroundings()
        .is_some_and(|around| !around.spells(program.name_of(symbol)) && !is_for_users(program, symbol, around))
}

/// May code that is not in the project use the symbol, by the conventions of the language?
///
/// - Java: it is `public` or `protected`, or a member of an interface.
/// - C and C++: the file is included, or a function is visible to the linker and the file has no `main`. It may be one that
///   a library calls.
/// - Python: it has no underscore at its front in a package that is installed. In other files, a function that the file
///   itself does not use may be one that a framework looks for, unless the file is a script.
/// - JavaScript: it is exported, or a class or a member of one, whose objects go anywhere; or a function that the file
///   itself does not use, unless the file is a script.
fn is_for_users(program: &Program, symbol: SymbolId, around: &Surroundings) -> bool {
    let scopes = program.scopes();
    let entry = scopes.symbol(symbol);
    let declarations = || scopes.declarations_of(symbol).map(|name| program.node(name));
    let is_idle = || !scopes.references_of(symbol).any(|reference| !reference.declares) && !can_be_run(program);
    match program.language() {
        Language::Java => declarations().any(|name| {
            declaration_of(name).is_none_or(|declaration| {
                let body = declaration.parent().map(Node::kind);
                has_modifier(declaration, "public")
                    || has_modifier(declaration, "protected")
                    || matches!(body, Some(Kind::InterfaceBody | Kind::AnnotationTypeBody))
            })
        }),
        Language::C | Language::Cpp => {
            around.is_included() || entry.kind == SymbolKind::Function && !declares_main(program)
        }
        Language::Python => around.is_installed() && !program.name_of(symbol).starts_with('_') || is_idle(),
        Language::JavaScript => {
            // An object is printed with the name of its class, wherever that happens.
            scopes.scope(entry.scope).kind == ScopeKind::Type
                || entry.kind == SymbolKind::Type
                || is_idle()
                || scopes.references_of(symbol).any(|reference| is_handed_out(program.node(reference.node)))
        }
    }
}

/// May a new name of the file meet a new name of another file? What functions declare does not, nor does what is private,
/// except for methods of Java, which must not look like a method that their class inherits. Of a file of C or C++ that is not
/// included, only those do that the linker sees.
pub(crate) fn can_meet_others(program: &Program, symbol: SymbolId) -> bool {
    let scopes = program.scopes();
    let is_function = scopes.symbol(symbol).kind == SymbolKind::Function;
    !scopes.is_local(symbol)
        && match program.language() {
            Language::Java => is_function || !is_private(program, symbol),
            Language::Python | Language::JavaScript => !is_private(program, symbol),
            Language::C | Language::Cpp => {
                let is_linked = matches!(scopes.symbol(symbol).kind, SymbolKind::Function | SymbolKind::Global);
                program.surroundings().is_some_and(Surroundings::is_included)
                    || is_linked && !is_static(program, symbol)
            }
        }
}

/// Is one of the declarations of a symbol of C or C++ `static`?
pub(crate) fn is_static(program: &Program, symbol: SymbolId) -> bool {
    let declarations = program.scopes().declarations_of(symbol).map(|name| program.node(name));
    declarations
        .filter_map(declaration_of)
        .any(|declaration| declaration.children().any(|child| child.text() == "static"))
}

/// Does the name stand in an `export`, or in what is assigned to `module.exports` and its like?
fn is_handed_out(name: Node<'_>) -> bool {
    name.ancestors().any(|around| match around.kind() {
        Kind::ExportStatement => true,
        Kind::AssignmentExpression => around.child(Field::Left).is_some_and(|target| {
            let owner = target.text().split(['.', '[']).next().unwrap_or("").trim();
            matches!(owner, "module" | "exports" | "window" | "globalThis" | "global" | "self" | "root" | "this")
        }),
        _ => false,
    })
}

/// Is a function used as a value, rather than called?
pub(crate) fn is_handed_on(program: &Program, reference: &Reference) -> bool {
    let name = program.node(reference.node);
    let callee = match name.parent() {
        Some(member) if matches!(member.kind(), Kind::Attribute | Kind::MemberExpression) => member,
        _ => name,
    };
    let is_callee = |call: Node<'_>| Call::of(call).is_some_and(|call| call.callee == callee);
    !reference.declares && !callee.parent().is_some_and(is_callee)
}

/// Is a function that is `static` in C or C++ seen by its own file alone? The file must not be included, and no macro
/// from elsewhere may mean the function.
pub(crate) fn is_confined(program: &Program, name: &str) -> bool {
    program.surroundings().is_none_or(|around| !around.is_included() && !around.is_expanded(name))
}

/// Is the symbol private to a type of the input, in all its declarations?
pub(crate) fn is_private(program: &Program, symbol: SymbolId) -> bool {
    let scopes = program.scopes();
    let has_type = scopes.scope(scopes.symbol(symbol).scope).owner.is_some();
    has_type
        && scopes.declarations_of(symbol).all(|name| {
            let name = program.node(name);
            match program.language() {
                Language::Java => declaration_of(name).is_some_and(|declaration| has_modifier(declaration, "private")),
                Language::JavaScript => name.kind() == Kind::PrivatePropertyIdentifier,
                Language::C | Language::Cpp | Language::Python => false,
            }
        })
}

/// The declaration that the identifier names something in: of a method, a field, a type.
pub(crate) fn declaration_of(name: Node<'_>) -> Option<Node<'_>> {
    name.ancestors().find(|around| {
        !matches!(
            around.kind(),
            Kind::VariableDeclarator
                | Kind::InitDeclarator
                | Kind::PointerDeclarator
                | Kind::ArrayDeclarator
                | Kind::FunctionDeclarator
                | Kind::ParenthesizedDeclarator
                | Kind::ReferenceDeclarator
                | Kind::QualifiedIdentifier
                | Kind::TemplateFunction
        )
    })
}

/// Does a Java declaration have this modifier?
pub(crate) fn has_modifier(declaration: Node<'_>, word: &str) -> bool {
    declaration.child_of_kind(Kind::Modifiers).is_some_and(|modifiers| modifiers.has_token(word))
}

/// Does a Java declaration have annotations that a framework may act upon?
pub(crate) fn has_annotation(declaration: Node<'_>) -> bool {
    declaration.child_of_kind(Kind::Modifiers).is_some_and(|modifiers| {
        modifiers.named_children().any(|annotation| {
            matches!(annotation.kind(), Kind::Annotation | Kind::MarkerAnnotation)
                && !annotation.child(Field::Name).is_some_and(|name| {
                    matches!(
                        name.text(),
                        "Override" | "SuppressWarnings" | "Deprecated" | "SafeVarargs" | "FunctionalInterface"
                    )
                })
        })
    })
}

/// The types of the input that have something to do with types from elsewhere.
pub(crate) struct Heritage {
    /// The bodies of the types whose members may override, or be found as, members from elsewhere: an ancestor is
    /// not in the input, or a descendant has such an ancestor. A template from elsewhere, too, may call the members of its arguments by their names.
    open: HashSet<ScopeId>,
}

impl Heritage {
    pub(crate) fn of(program: &Program) -> Heritage {
        let scopes = program.scopes();
        let mut parents: HashMap<ScopeId, Vec<ScopeId>> = HashMap::new();
        let mut is_outside: HashSet<ScopeId> = HashSet::new();
        for (id, scope) in scopes.scopes().filter(|(_, scope)| scope.kind == ScopeKind::Type) {
            let mut of_type = Vec::new();
            for name in supertypes(program.node(scope.node)) {
                let is_object = || program.language() == Language::Python && name.text() == "object";
                let known = scopes.symbol_at(name).and_then(|symbol| scopes.symbol(symbol).members);
                match known {
                    Some(members) => of_type.push(members),
                    None if is_object() => {}
                    None => _ = is_outside.insert(id),
                }
            }
            parents.insert(id, of_type);
        }
        is_outside.extend(handed_to_templates(program));
        let ancestors = |scope: ScopeId| {
            let mut found = vec![scope];
            let mut next = 0;
            while let Some(&at) = found.get(next) {
                for &parent in parents.get(&at).map_or(&[][..], |parents| parents) {
                    if !found.contains(&parent) {
                        found.push(parent);
                    }
                }
                next += 1;
            }
            found
        };
        let mut open = HashSet::new();
        for &scope in parents.keys() {
            let line = ancestors(scope);
            if line.iter().any(|at| is_outside.contains(at)) {
                open.extend(line);
            }
        }
        Heritage { open }
    }

    /// May the members of the type with this body override, or be found as, members from elsewhere?
    pub(crate) fn is_open(&self, scope: ScopeId) -> bool {
        self.open.contains(&scope)
    }
}

/// Every identifier in the list of a type's supertypes. Type arguments count, too: that is simple, and never wrong.
fn supertypes(scope: Node<'_>) -> Vec<Node<'_>> {
    let is_body = matches!(
        scope.kind(),
        Kind::ClassBody | Kind::InterfaceBody | Kind::EnumBody | Kind::AnnotationTypeBody | Kind::Block
    );
    let declaration = if is_body { scope.parent().unwrap_or(scope) } else { scope };
    if declaration.kind() == Kind::EnumConstant {
        // An enum constant with a body is a subclass of its enum.
        let around = declaration.ancestors().find(|around| around.kind() == Kind::EnumDeclaration);
        return around.and_then(|around| around.child(Field::Name)).into_iter().collect();
    }
    let lists: Vec<Node<'_>> = declaration
        .children()
        .filter(|child| {
            matches!(
                child.kind(),
                Kind::Superclass
                    | Kind::SuperInterfaces
                    | Kind::ExtendsInterfaces
                    | Kind::BaseClassClause
                    | Kind::ClassHeritage
            ) || child.role() == Field::Superclasses
                || declaration.kind() == Kind::ObjectCreationExpression && child.role() == Field::Type
        })
        .collect();
    lists
        .into_iter()
        .flat_map(Node::descendants)
        .filter(|node| node.kind().is_identifier() || matches!(node.kind(), Kind::Call | Kind::CallExpression))
        .collect()
}

/// The bodies of the classes of C++ that are arguments of templates from elsewhere, by their own names or as part of another type. What the standard library
/// calls members of its arguments, such as `allocate`, is kept for every class.
fn handed_to_templates(program: &Program) -> HashSet<ScopeId> {
    let scopes = program.scopes();
    let mut found = HashSet::new();
    if program.language() != Language::Cpp {
        return found;
    }
    let lists =
        program.nodes_of_kind(Kind::TemplateArgumentList).filter(|list| is_list_of_unknown_template(program, *list));
    let mut waiting: Vec<Node<'_>> = lists.collect();
    let mut seen = HashSet::new();
    while let Some(part) = waiting.pop() {
        for symbol in part.descendants().filter_map(|name| scopes.symbol_at(name)) {
            if !seen.insert(symbol) {
                continue;
            }
            found.extend(scopes.symbol(symbol).members);
            // An alias stands for what it is made of.
            let declared = scopes.declarations_of(symbol).filter_map(|name| declaration_of(program.node(name)));
            waiting.extend(
                declared.filter(|declared| matches!(declared.kind(), Kind::AliasDeclaration | Kind::TypeDefinition)),
            );
        }
    }
    found
}

/// Does the list belong to a template that is neither in the input nor of the standard library?
fn is_list_of_unknown_template(program: &Program, list: Node<'_>) -> bool {
    const KNOWN: &str = " static_cast dynamic_cast reinterpret_cast const_cast vector deque list forward_list set multiset map multimap unordered_set \
                         unordered_multiset unordered_map unordered_multimap stack queue priority_queue array pair tuple optional variant any span \
                         unique_ptr shared_ptr weak_ptr function reference_wrapper initializer_list allocator less greater less_equal greater_equal \
                         equal_to not_equal_to plus minus multiplies hash numeric_limits make_pair make_tuple make_unique make_shared make_optional get \
                         get_if holds_alternative in_place_type forward move declval swap max min sort is_same is_base_of enable_if enable_if_t conditional \
                         decay remove_reference basic_string istream_iterator ostream_iterator back_inserter iterator_traits complex bitset future promise \
                         atomic thread lock_guard unique_lock ";
    let Some(template) = list.parent() else { return false };
    let Some(name) = template.child(Field::Name).or_else(|| template.named_children().next()) else { return false };
    if program.scopes().symbol_at(name).is_some() {
        return false;
    }
    let qualified = template.ancestors().take_while(|around| around.kind() == Kind::QualifiedIdentifier).last();
    match qualified {
        Some(qualified) => !qualified.text().trim_start_matches("::").starts_with("std::"),
        None => !KNOWN.contains(&format!(" {} ", name.text())),
    }
}

/// The words that strings may hand to something that looks names up: those of strings that are names or paths, and
/// those of texts with tests in them (`>>> f(1)`).
pub(crate) fn words_of_strings(program: &Program) -> HashSet<&str> {
    let mut words = HashSet::new();
    for node in program.nodes() {
        let is_string = matches!(
            node.kind(),
            Kind::String
                | Kind::StringLiteral
                | Kind::TemplateString
                | Kind::RawStringLiteral
                | Kind::ConcatenatedString
        );
        if !is_string {
            continue;
        }
        let text = node.text().trim_start_matches(|letter: char| letter.is_ascii_alphabetic());
        let text = text.trim_matches(['"', '\'', '`']);
        if is_name_or_path(text) || text.contains(">>>") {
            words.extend(text.split(|letter: char| !is_letter_of_word(letter)));
        }
    }
    words
}

/// May something look the text of a string up as a name, or as names one after the other?
pub(crate) fn is_name_or_path(text: &str) -> bool {
    text.chars().all(|letter| letter.is_alphanumeric() || "_.$#:/-".contains(letter))
}

pub(crate) fn is_letter_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '$'
}

/// Does an identifier of one of these spellings that is not declared here occur, here or in another program of the project?
pub(crate) fn mentions_anywhere(program: &Program, names: &[&str]) -> bool {
    let is_elsewhere = |around: &Surroundings| names.iter().any(|name| around.has_word_in_program(name));
    mentions_outside(program, names) || program.surroundings().is_some_and(is_elsewhere)
}

/// Does an identifier of one of these spellings that is not declared here occur? What is imported is declared elsewhere.
pub(crate) fn mentions_outside(program: &Program, names: &[&str]) -> bool {
    let scopes = program.scopes();
    scopes.references().iter().any(|reference| {
        let is_own = match reference.target {
            Target::Symbol(symbol) => scopes.symbol(symbol).kind != SymbolKind::Import,
            Target::Outside | Target::Member | Target::Unknown => false,
        };
        !is_own && names.contains(&program.node(reference.node).text())
    })
}

/// May a JavaScript program reach members by computed names, list them, or hand its objects to modules that do?
pub(crate) fn reaches_members(program: &Program) -> bool {
    match program.language() {
        Language::JavaScript => program.nodes().any(|node| match node.kind() {
            Kind::SubscriptExpression => {
                let is_this = node.child(Field::Object).is_some_and(|object| object.kind() == Kind::This);
                let is_number = |index: Node<'_>| matches!(program.type_of(index), syntax::Type::Number(_));
                let is_text = |index: Node<'_>| program.type_of(index) == syntax::Type::Text;
                node.child(Field::Index).is_some_and(|index| is_this && !is_number(index) || is_text(index))
            }
            Kind::ComputedPropertyName | Kind::ImportStatement => true,
            Kind::ForInStatement => node.has_token("in"),
            Kind::SpreadElement => node.parent().is_some_and(|parent| parent.kind() == Kind::Object),
            Kind::Identifier => {
                matches!(node.text(), "JSON" | "Object" | "Reflect" | "Proxy" | "require")
                    && program.scopes().symbol_at(node).is_none()
            }
            _ => false,
        }),
        Language::Java | Language::C | Language::Cpp | Language::Python => false,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;

    use syntax::Language::{C, Cpp, Java, JavaScript, Python};
    use syntax::Project;

    use super::*;
    use crate::Names;
    use crate::apply::apply;
    use crate::catalogue::find;
    use crate::site::Sites;

    /// The first file beside the others, rewritten at each site of the transformation.
    fn results(name: &str, language: Language, files: &[(&str, &str)]) -> Vec<String> {
        let mut project = Project::default();
        for (path, text) in files {
            project.add(Path::new(path), text.as_bytes().to_vec());
        }
        let (path, text) = files[0];
        let around = Surroundings::of(&project.complete(), Path::new(path), text.as_bytes().to_vec());
        let program = Program::parse(language, text).within(Some(Arc::new(around)));
        let transformation = find(name).unwrap();
        let rewrite = |site: &crate::Site<'_>| apply(&program, transformation, site, 0, &Names::typed()).ok();
        Sites::of(transformation, &program)
            .iter()
            .filter_map(|site| rewrite(site).map(|applied| applied.program.text().to_owned()))
            .collect()
    }

    #[track_caller]
    fn check(name: &str, language: Language, files: &[(&str, &str)], expected: &[&str]) {
        assert_eq!(results(name, language, files), expected);
    }

    /// gflags: `(DVLOG(1)) << text` is no expression.
    #[test]
    fn a_macro_of_another_file_may_be_no_expression() {
        let source = "void f(int n) { DVLOG(1) << n + 1 << LIMIT * n; }";
        let header = |body: &str| format!("#define DVLOG(level) {body}\n#define LIMIT 2 + 3\n");
        let closed = header("std::cerr").replace("2 + 3", "5");
        for unit in ["parenthesise", "swap-commutative", "double-negate"] {
            for header in [header("if (true) {} else std::cerr"), header("std::cerr")] {
                check(unit, Cpp, &[("a.cc", source), ("b.h", &header)], &[]);
            }
            check(unit, Cpp, &[("a.cc", &source.replace("LIMIT * n", "n"))], &[]);
        }
        assert!(!results("swap-commutative", Cpp, &[("a.cc", source), ("b.h", &closed)]).is_empty());
        assert!(!results("swap-commutative", Cpp, &[("a.cc", "void f(int n) { print(1) << n + 1; }")]).is_empty());
    }

    /// toolz: a test looks at `vars(toolz)`, and the package calls something when it is imported, as a script does.
    #[test]
    fn a_module_whose_names_another_lists_gets_no_new_ones() {
        let package = "from .tools import *\ntools.prepare()\nversion = 1\n";
        for unit in ["add-unused-function", "add-unused-variable"] {
            check(unit, Python, &[("a.py", package), ("b.py", "import a\nprint(vars(a))\n")], &[]);
            assert!(!results(unit, Python, &[("a.py", package), ("b.py", "import a\n")]).is_empty());
        }
    }

    #[test]
    fn what_another_file_has_is_left_alone() {
        let main = "int helper(int n) { return n; } int main(void) { return helper(1); }";
        check("rename-function", C, &[("a.c", main), ("b.c", "int helper(int);")], &[]);
        check("rename-function", C, &[("a.c", main), ("notes.txt", "see helper()")], &[]);
        check("rename-function", C, &[("a.c", main), ("b.c", "int other;")], &[&main.replace("helper", "function_1")]);
        let class = "package p; class A { int f() { return g(); } int g() { return 1; } }";
        let renamed = class.replace("g()", "function1()");
        check("rename-function", Java, &[("A.java", class), ("B.java", "package p; class B { A f; }")], &[&renamed]);
        check("rename-type", Java, &[("A.java", class), ("B.java", "package p; class B { A f; }")], &[]);
        let renamed = class.replace("class A", "class Type1");
        check("rename-type", Java, &[("A.java", class), ("B.java", "package p; class B { }")], &[&renamed]);
    }

    #[test]
    fn what_is_made_for_users_is_left_alone() {
        let class = "public class A { public int f() { return g(); } protected int g() { return 1; } }";
        check("rename-function", Java, &[("A.java", class)], &[]);
        check("rename-function", Java, &[("A.java", "interface A { int f(); }")], &[]);
        let module = "def f(n):\n    return n\n\nprint(f(1))\n";
        check("rename-function", Python, &[("a.py", module)], &[&module.replace("f(", "function_1(")]);
        check("rename-function", Python, &[("a.py", module), ("setup.py", "setup()")], &[]);
        // Nobody in the project calls it, so that something outside must.
        check("rename-function", Python, &[("a.py", "def upgrade():\n    pass\n")], &[]);
        let exported = "function f(n) { return n; }\nmodule.exports = {f};\nconsole.log(f(1));";
        check("rename-function", JavaScript, &[("a.js", exported)], &[]);
        check("rename-function", JavaScript, &[("a.js", "class A { f() { return this.f(); } }")], &[]);
        check("rename-function", C, &[("a.c", "int f(void) { return f(); }")], &[]);
        check("rename-type", Cpp, &[("a.hpp", "struct Box { int side; };")], &[]);
    }

    #[test]
    fn static_functions_of_a_source_belong_to_it() {
        let source = "static int f(int n) { return n; } int g(void) { return f(1); }";
        let renamed = source.replace("f(", "function_1(");
        let other = "static int f(int n) { return -n; } int h(void) { return f(1); }";
        check("rename-function", C, &[("a.c", source), ("b.c", other)], &[&renamed]);
        check("rename-function", C, &[("a.c", source), ("b.c", "#include \"a.c\"\nint h(void) { return f(1); }")], &[]);
        check("rename-function", C, &[("a.c", source), ("b.h", "#define CALL f(2)")], &[]);
        check("rename-function", C, &[("a.h", source), ("b.c", "#include \"a.h\"\nint h = 1;")], &[]);
        let files = [("a.c", source), ("b.c", "#include \"a.c\"\nint h(void) { return f(1); }")];
        check("add-unused-parameter", C, &files, &[]);
    }

    #[test]
    fn macros_of_headers_see_the_variables_of_functions() {
        let source = "#include \"b.h\"\nint f(void) { int count = 1; int other = 2; return MORE + other; }";
        let renamed = source.replace("other", "local_int_1");
        check("rename-local", C, &[("a.c", source), ("b.h", "#define MORE (count + 1)\n")], &[&renamed]);
        let taken = source.replace("other", "local_int_2");
        let header = "#define MORE (count + 1)\n#define local_int_1 3\n";
        check("rename-local", C, &[("a.c", source), ("b.h", header)], &[&taken]);
    }

    #[test]
    fn macros_of_headers_see_the_members_of_structures_in_functions() {
        let source =
            "#include \"b.h\"\nint f(void) { struct { int error; int rest; } c; c.rest = 1; FAIL(&c); return c.rest; }";
        let header = ("b.h", "#define FAIL(context) ((context)->error = 1)\n");
        check("rename-field", C, &[("a.c", source), header], &[&source.replace("rest", "field_int_1")]);
    }

    #[test]
    fn macros_of_headers_show_how_names_are_spelt() {
        let source = "#include \"b.h\"\nstatic int f(void) { return 1; }\nint g(void) { int n = 1; RUN(f); return n; }";
        let plain = ("b.h", "#define RUN(x) run(x)\n");
        check(
            "rename-function",
            C,
            &[("a.c", source), plain],
            &[&source.replace("f(void) { r", "function_1(void) { r").replace("(f)", "(function_1)")],
        );
        check("rename-function", C, &[("a.c", source), ("b.h", "#define RUN(x) run(#x, x)\n")], &[]);
    }

    #[test]
    fn functions_that_another_file_may_ask_for_their_names() {
        let script = "from b import register\n\ndef f(n):\n    return n\n\nregister(f)\n";
        let renamed = script.replace("f(n", "function_1(n").replace("(f)", "(function_1)");
        check("rename-function", Python, &[("a.py", script), ("b.py", "def register(it): it()\n")], &[&renamed]);
        let register = "def register(it): print(it.__name__)\n";
        check("rename-function", Python, &[("a.py", script), ("b.py", register)], &[]);
    }
}
