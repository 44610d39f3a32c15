//! Code that never runs or does nothing: conditions that are always false, and what stands after them.

use syntax::flow::is_effectively_final;
use syntax::types::Number;
use syntax::{Field, Kind, Language, Node, Program, SymbolId, SymbolKind, Type};

use super::declarations::{declaration, type_text};
use super::layout::one_level;
use super::renaming::is_conditional;
use super::statements::{Position, function_around, is_function, statement_around};
use crate::choice::Choice;

/// A condition of an `if` that is false whatever the program does.
pub(crate) fn false_condition(language: Language, choice: &mut Choice<'_>) -> &'static str {
    let literal = match language {
        Language::Java | Language::Cpp | Language::JavaScript => "false",
        // C has `false` only after an include.
        Language::C => "0",
        Language::Python => "False",
    };
    choice.pick::<&str>(&[literal, "1 > 2", "0 != 0", "3 * 2 < 5", "7 == 8"])
}

/// A condition of a loop that is false whatever the program does, and that lets the program compile.
pub(crate) fn false_condition_of_loop(language: Language, choice: &mut Choice<'_>) -> &'static str {
    match language {
        // The body of a loop whose condition is a constant expression and false is not reachable, and Java refuses
        // it. A call is not a constant expression; nothing can hide the methods of a string literal.
        Language::Java => choice.pick::<&str>(&["\"\".length() > 0", "\"a\".isEmpty()", "\"a\".equals(\"b\")"]),
        Language::C | Language::Cpp | Language::Python | Language::JavaScript => false_condition(language, choice),
    }
}

/// A statement that is never run and looks as if it had a purpose. It fits where `position` is.
pub(crate) fn plausible_statement(position: Position<'_>, choice: &mut Choice<'_>) -> Option<String> {
    let program = position.list.program();
    let language = program.language();
    let visible = variables(position);
    let numbers: Vec<SymbolId> = visible.iter().copied().filter(|symbol| can_be_counted_up(program, *symbol)).collect();
    if !numbers.is_empty() && choice.below(2) == 0 {
        let name = program.name_of(*choice.pick(&numbers));
        return Some(match language {
            Language::Java | Language::C | Language::Cpp | Language::JavaScript => format!("{name}++;"),
            Language::Python => format!("{name} += 1"),
        });
    }
    let readable: Vec<SymbolId> = match language {
        Language::Java | Language::C | Language::Cpp => visible
            .into_iter()
            .filter(|symbol| type_text(language, &type_of(program, *symbol)).is_some())
            .filter(|symbol| {
                language != Language::Java
                    || !declares_type(program, "String")
                    || type_of(program, *symbol) != Type::Text
            })
            .collect(),
        Language::Python | Language::JavaScript => visible,
    };
    if readable.is_empty() {
        let number = literal_number(language);
        let name = choice.local("unused", number.clone())?;
        let value = choice.below(100).to_string();
        return declaration(language, &name, &number, &value);
    }
    let symbol = *choice.pick(&readable);
    let value_type = type_of(program, symbol);
    let name = choice.local("copy", value_type.clone())?;
    declaration(language, &name, &value_type, program.name_of(symbol))
}

/// `head { statement }` or what the language has in its place. It has lines of its own where its neighbours have.
pub(crate) fn block(position: Position<'_>, head: &str, statement: &str) -> String {
    let level = one_level(position.list.program());
    match position.list.program().language() {
        Language::Java | Language::C | Language::Cpp | Language::JavaScript if !position.has_line() => {
            format!("{head} {{ {statement} }}")
        }
        Language::Java | Language::C | Language::Cpp | Language::JavaScript => {
            format!("{head} {{\n{level}{statement}\n}}")
        }
        Language::Python => format!("{head}:\n{level}{statement}"),
    }
}

/// The type of a whole number.
pub(crate) fn literal_number(language: Language) -> Type {
    Type::Number(match language {
        Language::Java | Language::C | Language::Cpp => Number::Int,
        Language::Python => Number::BigInteger,
        Language::JavaScript => Number::JavaScriptNumber,
    })
}

/// Does the program itself declare a type of this name, so that it does not mean the language's?
pub(crate) fn declares_type(program: &Program, name: &str) -> bool {
    let mut symbols = program.scopes().symbols();
    symbols.any(|(symbol, entry)| {
        matches!(entry.kind, SymbolKind::Type | SymbolKind::Import) && program.name_of(symbol) == name
    })
}

fn type_of(program: &Program, symbol: SymbolId) -> Type {
    program.type_of(program.node(program.scopes().symbol(symbol).declaration))
}

/// The variables of the same function that are declared before the position, can be seen from there, and have a value
/// as far as the compiler wants to know.
fn variables(position: Position<'_>) -> Vec<SymbolId> {
    let (list, offset) = (position.list, position.offset());
    let program = list.program();
    let function = function_around(list);
    // The initialiser of an anonymous class belongs to no function of its own, but captures all the same.
    let is_in_class = list
        .ancestors()
        .take_while(|around| function.is_none_or(|function| around.id() != function.id()))
        .any(|around| matches!(around.kind(), Kind::ClassBody | Kind::FieldDeclarationList));
    if is_in_class {
        return Vec::new();
    }
    let is_visible = |symbol: SymbolId| {
        let entry = program.scopes().symbol(symbol);
        let name = program.node(entry.declaration);
        let owner = match entry.kind {
            SymbolKind::Local => function_around(name),
            SymbolKind::Parameter => name.ancestors().find(|around| is_function(*around)),
            _ => return false,
        };
        // A name that a directive mentions may be a macro.
        owner.map(Node::id) == function.map(Node::id)
            && name.end() <= offset
            && program.node(program.scopes().scope(entry.scope).node).contains(list)
            && statement_around(name).is_none_or(|statement| {
                statement.contains(list) && !is_declaration(statement)
                    || statement.end() <= offset && statement.parent().is_some_and(|parent| parent.contains(list))
            })
            && has_value(name)
            && is_compiled_with(offset, name)
            && !program.is_named_in_directive(name.text())
    };
    let visible = program.scopes().symbols().map(|(symbol, _)| symbol).filter(|symbol| is_visible(*symbol));
    visible.filter(|symbol| !is_hidden(list, *symbol)).collect()
}

/// Is the name declared wherever the place at the offset is compiled? It may stand in one branch of an `#if`, and the place
/// in another or after all of them.
fn is_compiled_with(offset: usize, name: Node<'_>) -> bool {
    name.ancestors().filter(|around| is_conditional(around.kind())).all(|around| {
        let is_in_other = |at: usize| around.child(Field::Alternative).is_some_and(|other| other.start() < at);
        around.start() < offset && offset < around.end() && is_in_other(offset) == is_in_other(name.start())
    })
}

/// Does the name mean something else in the list, because it is declared anew further inside? It does not matter where: in
/// some languages such a name has its new meaning in all of its block.
fn is_hidden(list: Node<'_>, symbol: SymbolId) -> bool {
    let program = list.program();
    let scope_of = |symbol: SymbolId| program.node(program.scopes().scope(program.scopes().symbol(symbol).scope).node);
    let (name, own) = (program.name_of(symbol), scope_of(symbol));
    program.scopes().symbols().any(|(other, _)| {
        let scope = scope_of(other);
        other != symbol
            && program.name_of(other) == name
            && scope.id() != own.id()
            && own.contains(scope)
            && scope.contains(list)
    })
}

/// Does the statement declare variables, rather than have them in its head as a loop does? Their initial values may
/// hold blocks, in which they have none yet.
fn is_declaration(statement: Node<'_>) -> bool {
    matches!(
        statement.kind(),
        Kind::LocalVariableDeclaration | Kind::Declaration | Kind::LexicalDeclaration | Kind::VariableDeclaration
    )
}

/// Java refuses to read a variable that may have no value yet.
fn has_value(name: Node<'_>) -> bool {
    match name.program().language() {
        Language::Java => name.parent().is_some_and(|parent| match parent.kind() {
            Kind::VariableDeclarator => parent.child(Field::Value).is_some(),
            Kind::FormalParameter | Kind::EnhancedForStatement | Kind::CatchFormalParameter => true,
            _ => false,
        }),
        Language::C | Language::Cpp | Language::Python | Language::JavaScript => true,
    }
}

/// Is this a number that can be written without any rule against it?
fn can_be_counted_up(program: &Program, symbol: SymbolId) -> bool {
    let name = program.node(program.scopes().symbol(symbol).declaration);
    let Type::Number(_) = type_of(program, symbol) else { return false };
    match program.language() {
        // A variable that is never changed may be captured, and then it must stay so.
        Language::Java => !is_effectively_final(program, symbol),
        Language::C | Language::Cpp => {
            let declaration =
                name.ancestors().find(|around| matches!(around.kind(), Kind::Declaration | Kind::ParameterDeclaration));
            declaration.is_some_and(|declaration| {
                let before = &program.text()[declaration.start()..name.start()];
                !before.contains("const") && !before.contains('(')
            })
        }
        Language::Python => true,
        Language::JavaScript => name
            .ancestors()
            .find(|around| around.kind() == Kind::LexicalDeclaration)
            .is_none_or(|declaration| !declaration.text().starts_with("const")),
    }
}
