//! Statements that declare variables: their types, their names, their values.

use syntax::views::contains_directive;
use syntax::{Field, Kind, Language, Node, Type, words};

use super::statements::is_statement_list;

/// A statement that declares one variable or several.
#[derive(Clone)]
pub(crate) struct Declared<'p> {
    pub(crate) statement: Node<'p>,
    /// What stands before the first variable: modifiers and type, or `let`.
    pub(crate) prefix: &'p str,
    /// The variables, with their values.
    pub(crate) declarators: Vec<Node<'p>>,
}

/// Reads a statement that declares variables in a list of statements. Declarations that also declare a type, that
/// carry annotations or attributes, or whose type is inferred, are not read.
pub(crate) fn declared(statement: Node<'_>) -> Option<Declared<'_>> {
    let program = statement.program();
    let is_declaration = matches!(
        statement.kind(),
        Kind::LocalVariableDeclaration | Kind::Declaration | Kind::LexicalDeclaration | Kind::VariableDeclaration
    );
    let is_in_list = || statement.parent().is_some_and(is_statement_list);
    if !is_declaration || !is_in_list() || contains_directive(statement) {
        return None;
    }
    // JavaScript's declarators have no field.
    let is_declarator =
        |child: &Node<'_>| child.role() == Field::Declarator || child.kind() == Kind::VariableDeclarator;
    let declarators: Vec<Node<'_>> = statement.children().filter(is_declarator).collect();
    let first = declarators.first()?;
    let prefix = program.text()[statement.start()..first.start()].trim_end();
    let is_special = |part: Node<'_>| {
        matches!(
            part.kind(),
            Kind::Annotation
                | Kind::MarkerAnnotation
                | Kind::AttributeSpecifier
                | Kind::AttributeDeclaration
                | Kind::MsDeclspecModifier
                | Kind::PlaceholderTypeSpecifier
                | Kind::FieldDeclarationList
                | Kind::EnumeratorList
                | Kind::GnuAsmExpression
        )
    };
    let mut head = statement.descendants().take_while(|part| part.start() < first.start());
    let is_plain = !head.any(|part| is_special(part) || part.kind().is_comment())
        && statement.children().all(|part| !is_special(part))
        && declarators.iter().all(|declarator| is_plain_declarator(*declarator))
        && !matches!(prefix, "var" | "final var" if program.language() == Language::Java)
        && !statement.child(Field::Type).is_some_and(is_deduced)
        && !prefix.contains('\n');
    (is_plain && statement.text().ends_with(';')).then_some(Declared { statement, prefix, declarators })
}

/// Is the type a template of C++ without its arguments, which the value tells?
fn is_deduced(written: Node<'_>) -> bool {
    let program = written.program();
    if program.language() != Language::Cpp {
        return false;
    }
    let name = written.descendants().filter(|part| part.kind() == Kind::TypeIdentifier).last();
    let Some(name) = name.filter(|_| !written.text().contains('<')) else { return false };
    match program.scopes().symbol_at(name) {
        Some(symbol) => {
            let declaration = program.node(program.scopes().symbol(symbol).declaration);
            declaration.ancestors().take(3).any(|around| around.kind() == Kind::TemplateDeclaration)
        }
        None => LIBRARY_TEMPLATES.binary_search(&name.text()).is_ok(),
    }
}

/// Templates of the library whose arguments are often left to their values, in the order of their bytes.
const LIBRARY_TEMPLATES: &[&str] = words!(
    "array atomic basic_string complex deque forward_list function initializer_list list lock_guard map multimap
     multiset optional pair priority_queue queue reference_wrapper scoped_lock set shared_ptr span stack tuple
     unique_lock unique_ptr unordered_map unordered_set valarray vector"
);

/// Functions that are declared among variables, and attributes, are left alone.
fn is_plain_declarator(declarator: Node<'_>) -> bool {
    let mut inner = declarator;
    loop {
        match inner.kind() {
            Kind::FunctionDeclarator | Kind::AttributedDeclarator | Kind::StructuredBindingDeclarator => return false,
            _ => {}
        }
        match inner.child(Field::Declarator) {
            Some(next) => inner = next,
            None => return true,
        }
    }
}

/// The name that a declarator declares and its value, when both are plain: the value can be assigned later as well.
pub(crate) fn name_and_value<'p>(declared: &Declared<'p>) -> Option<(Node<'p>, Option<Node<'p>>)> {
    let [declarator] = declared.declarators[..] else { return None };
    let program = declarator.program();
    let statement = declared.statement;
    match program.language() {
        Language::Java => {
            let value = declarator.child(Field::Value);
            let is_plain = statement.child_of_kind(Kind::Modifiers).is_none()
                && value.is_none_or(|value| value.kind() != Kind::ArrayInitializer);
            Some((declarator.child(Field::Name).filter(|_| is_plain)?, value))
        }
        Language::C | Language::Cpp => {
            let value = declarator.child(Field::Value);
            let inner = match declarator.kind() {
                Kind::InitDeclarator => declarator.child(Field::Declarator).filter(|_| declarator.has_token("="))?,
                _ => declarator,
            };
            let name = match inner.kind() {
                Kind::Identifier => inner,
                Kind::PointerDeclarator if inner.child_of_kind(Kind::TypeQualifier).is_none() => {
                    inner.child(Field::Declarator).filter(|name| name.kind() == Kind::Identifier)?
                }
                _ => return None,
            };
            // A constant cannot be assigned to, but what a pointer leads to may be one.
            let is_pointer = inner.kind() == Kind::PointerDeclarator;
            let is_assignable =
                |word: Node<'_>| word.kind() != Kind::TypeQualifier || word.text() == "const" && is_pointer;
            let is_plain = statement.child_of_kind(Kind::StorageClassSpecifier).is_none()
                && statement
                    .children()
                    .chain(statement.child(Field::Type).into_iter().flat_map(Node::children))
                    .all(is_assignable)
                && value.is_none_or(|value| value.kind() != Kind::InitializerList)
                && matches!(program.type_of(name), Type::Number(_) | Type::Boolean | Type::Pointer(_));
            is_plain.then_some((name, value))
        }
        Language::JavaScript => {
            let name = declarator.child(Field::Name).filter(|name| name.kind() == Kind::Identifier)?;
            let is_constant = declared.prefix == "const";
            (!is_constant).then_some((name, declarator.child(Field::Value)))
        }
        Language::Python => None,
    }
}

/// Does the value mean the same, whether the variable is declared before it or with it? It must not mention the
/// variable, and what it runs must not either: JavaScript has a dead zone before a `let`.
pub(crate) fn is_independent(name: Node<'_>, value: Node<'_>) -> bool {
    let program = name.program();
    let scopes = program.scopes();
    let Some(symbol) = scopes.symbol_at(name) else { return false };
    let mentions = |node: Node<'_>| node.kind().is_identifier() && node.text() == name.text();
    if value.descendants().any(mentions) {
        return false;
    }
    match program.language() {
        Language::Java | Language::C | Language::Cpp | Language::Python => true,
        Language::JavaScript => {
            let function_of = |node: Node<'_>| super::statements::function_around(node).map(Node::id);
            let home = function_of(name);
            !syntax::flow::may_have_effect(value)
                || scopes.references_of(symbol).all(|reference| function_of(program.node(reference.node)) == home)
        }
    }
}
