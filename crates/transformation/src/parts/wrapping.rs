//! Runs of statements that can be put inside an `if` whose condition never changes.

use std::ops::Range;

use syntax::flow::can_complete_normally;
use syntax::views::contains_directive;
use syntax::{Edit, Field, Kind, Language, Node, Program};

use super::layout::{indentation, indented, line_break, one_level, starts_line};
use super::statements::{
    end_of_code, function_around, is_function, is_in_lone_return, is_lone_string, is_statement_list, statement_lists,
    statements,
};

/// Statements that stand together and can be put inside a block.
pub(crate) struct Wrappable<'p> {
    program: &'p Program,
    first: Node<'p>,
    /// From the first statement to the last.
    pub(crate) range: Range<usize>,
    /// The statement that returns from the function when the run is skipped, where the compiler asks for one.
    pub(crate) way_out: Option<&'static str>,
}

/// Every single statement that can be wrapped.
pub(crate) fn single_statements(program: &Program) -> Vec<Wrappable<'_>> {
    if has_uncertain_margins(program) {
        return Vec::new();
    }
    let mut runs = Vec::new();
    for list in statement_lists(program) {
        for (index, statement) in statements(list).into_iter().enumerate() {
            if is_wrappable(statement, index == 0) && keeps_its_names(statement) && !is_in_lone_return(statement) {
                runs.extend(run(statement, statement));
            }
        }
    }
    runs
}

/// Every body of a function that can be wrapped, without what must come first in it.
pub(crate) fn bodies(program: &Program) -> Vec<Wrappable<'_>> {
    if has_uncertain_margins(program) {
        return Vec::new();
    }
    let functions = program.nodes().filter(|node| is_function(*node));
    functions.filter_map(|function| body(function.child(Field::Body)?)).collect()
}

fn body(list: Node<'_>) -> Option<Wrappable<'_>> {
    if !is_statement_list(list) || contains_directive(list) {
        return None;
    }
    let language = list.program().language();
    let mut inside = statements(list);
    if inside.first().is_some_and(|first| is_in_lone_return(*first)) {
        return None;
    }
    let must_come_first = |statement: Node<'_>, is_first: bool| match language {
        Language::Java => statement.kind() == Kind::ExplicitConstructorInvocation,
        Language::C | Language::Cpp => false,
        Language::Python => is_first && is_lone_string(statement),
        Language::JavaScript => is_lone_string(statement),
    };
    let head = inside.iter().enumerate().take_while(|(index, node)| must_come_first(**node, *index == 0)).count();
    inside.drain(..head);
    let (first, last) = (*inside.first()?, *inside.last()?);
    let is_allowed = inside.iter().all(|statement| match language {
        Language::Java => statement.kind() != Kind::ExplicitConstructorInvocation,
        Language::C | Language::Cpp => !is_like_macro(*statement),
        Language::Python => stands_alone(*statement),
        // A function inside a block is seen by others at other times, and some statements end who knows where.
        Language::JavaScript => {
            !matches!(statement.kind(), Kind::FunctionDeclaration | Kind::GeneratorFunctionDeclaration)
        }
    });
    is_allowed.then(|| run(first, last))?
}

/// Can the statement stand inside a block of its own, and mean there what it means here?
fn is_wrappable(statement: Node<'_>, is_first: bool) -> bool {
    match statement.program().language() {
        Language::Java => !matches!(
            statement.kind(),
            Kind::LocalVariableDeclaration
                | Kind::ClassDeclaration
                | Kind::InterfaceDeclaration
                | Kind::EnumDeclaration
                | Kind::RecordDeclaration
                | Kind::ExplicitConstructorInvocation
                | Kind::YieldStatement
                | Kind::EmptyStatement
        ),
        Language::C | Language::Cpp => {
            let is_plain = matches!(
                statement.kind(),
                Kind::ExpressionStatement
                    | Kind::IfStatement
                    | Kind::WhileStatement
                    | Kind::ForStatement
                    | Kind::ForRangeLoop
                    | Kind::DoStatement
                    | Kind::SwitchStatement
                    | Kind::ReturnStatement
                    | Kind::BreakStatement
                    | Kind::ContinueStatement
                    | Kind::GotoStatement
                    | Kind::CompoundStatement
                    | Kind::TryStatement
                    | Kind::ThrowStatement
            );
            is_plain && !is_like_macro(statement) && !can_be_entered(statement)
        }
        Language::Python => {
            // Definitions could be wrapped as well, but nobody writes them so.
            !matches!(
                statement.kind(),
                Kind::FutureImportStatement
                    | Kind::FunctionDefinition
                    | Kind::ClassDefinition
                    | Kind::DecoratedDefinition
            ) && !(is_first && is_lone_string(statement))
                && stands_alone(statement)
        }
        Language::JavaScript => {
            !matches!(
                statement.kind(),
                Kind::LexicalDeclaration
                    | Kind::ClassDeclaration
                    | Kind::FunctionDeclaration
                    | Kind::GeneratorFunctionDeclaration
                    | Kind::ImportStatement
                    | Kind::ExportStatement
                    | Kind::EmptyStatement
                    | Kind::HashBangLine
            ) && !is_lone_string(statement)
        }
    }
}

/// May this be a macro that is not a statement, such as one that declares something?
fn is_like_macro(statement: Node<'_>) -> bool {
    if statement.kind() != Kind::ExpressionStatement {
        return matches!(statement.kind(), Kind::MacroLoop | Kind::AttributedStatement);
    }
    let is_capital = |name: Node<'_>| !name.text().contains(|character: char| character.is_ascii_lowercase());
    if !statement.text().ends_with(';') || statement.text().starts_with("__attribute__") {
        return true;
    }
    match statement.named_children().next() {
        Some(name) if name.kind() == Kind::Identifier => true,
        Some(call) if call.kind() == Kind::CallExpression => call.child(Field::Function).is_none_or(is_capital),
        Some(_) => false,
        None => true,
    }
}

/// Can a jump lead into the statement?
fn can_be_entered(statement: Node<'_>) -> bool {
    statement.descendants().any(|node| match node.kind() {
        Kind::LabeledStatement => true,
        Kind::CaseStatement => {
            !node.ancestors().any(|around| around.kind() == Kind::SwitchStatement && statement.contains(around))
        }
        _ => false,
    })
}

/// Does a Python statement have its lines to itself?
fn stands_alone(statement: Node<'_>) -> bool {
    starts_line(statement) && statement.next_sibling().is_none_or(|next| !next.is_token(";"))
}

/// Is everything that the statement declares used only inside it? Java's patterns may declare for what follows, and
/// `char (*p)[40];` of C++ can be read as an expression.
fn keeps_its_names(statement: Node<'_>) -> bool {
    let program = statement.program();
    let scopes = program.scopes();
    match program.language() {
        Language::Java | Language::C | Language::Cpp => statement
            .descendants()
            .filter(|node| node.kind() == Kind::Identifier)
            .filter_map(|name| scopes.reference_at(name).filter(|reference| reference.declares))
            .filter_map(|reference| scopes.symbol_at(program.node(reference.node)))
            .all(|symbol| {
                scopes.references_of(symbol).all(|reference| statement.contains(program.node(reference.node)))
            }),
        // Declarations of a block are not candidates, and all others are seen in the whole function.
        Language::Python | Language::JavaScript => true,
    }
}

/// A pattern of Java that an `if` or a loop declares is known after it when its body is certain to jump away. After a wrapped
/// jump it would not be.
fn keeps_its_patterns(around: Node<'_>) -> bool {
    match around.kind() {
        Kind::IfStatement | Kind::WhileStatement | Kind::ForStatement => keeps_its_names(around),
        _ => true,
    }
}

/// Do tabs and blanks mix at the start of Python's lines? Then nobody can say what one more level is.
fn has_uncertain_margins(program: &Program) -> bool {
    let margins = || program.text().lines().map(|line| &line[..line.len() - line.trim_start().len()]);
    !program.language().has_braces()
        && margins().any(|margin| margin.contains('\t'))
        && margins().any(|margin| margin.contains(' '))
}

/// `None` when the compiler wants a value to be returned after the run, and none is certain to be legal.
fn run<'p>(first: Node<'p>, last: Node<'p>) -> Option<Wrappable<'p>> {
    let program = first.program();
    let way_out = match program.language() {
        Language::Java | Language::C | Language::Cpp => {
            let is_jump = matches!(last.kind(), Kind::BreakStatement | Kind::ContinueStatement | Kind::GotoStatement);
            if is_jump && !last.ancestors().all(keeps_its_patterns) {
                return None;
            }
            match can_complete_normally(last) || is_jump {
                true => None,
                false => way_out(last)?,
            }
        }
        // A function that ends without `return` gives `None` or `undefined`; nobody asks for more.
        Language::Python | Language::JavaScript => None,
    };
    Some(Wrappable { program, first, range: first.start()..end_of_code(last), way_out })
}

/// How to leave the function around: with a value that is neutral for its type, or not at all where it returns none.
/// The outer `None`: nothing is certain.
fn way_out(statement: Node<'_>) -> Option<Option<&'static str>> {
    let function = function_around(statement)?;
    // An arm of a `switch` that gives a value cannot return.
    let is_in_arm = statement
        .ancestors()
        .take_while(|around| around.id() != function.id())
        .any(|around| matches!(around.kind(), Kind::SwitchRule | Kind::StaticInitializer));
    if is_in_arm {
        return None;
    }
    match function.program().language() {
        Language::Java => match function.kind() {
            Kind::ConstructorDeclaration | Kind::CompactConstructorDeclaration => Some(None),
            Kind::MethodDeclaration if function.child(Field::Dimensions).is_none() => {
                Some(match function.child(Field::Type)?.kind() {
                    Kind::VoidType => None,
                    Kind::BooleanType => Some("return false;"),
                    Kind::IntegralType | Kind::FloatingPointType => Some("return 0;"),
                    Kind::TypeIdentifier | Kind::GenericType | Kind::ArrayType | Kind::ScopedTypeIdentifier => {
                        Some("return null;")
                    }
                    _ => return None,
                })
            }
            _ => None,
        },
        Language::C | Language::Cpp => way_out_of_c(function),
        Language::Python | Language::JavaScript => Some(None),
    }
}

fn way_out_of_c(function: Node<'_>) -> Option<Option<&'static str>> {
    let is_cpp = function.program().language() == Language::Cpp;
    let is_plain = function.kind() == Kind::FunctionDefinition
        && !function.children().any(|child| child.kind() == Kind::MacroTypeSpecifier);
    let mut declarator = function.child(Field::Declarator).filter(|_| is_plain)?;
    let mut is_pointer = false;
    while declarator.kind() == Kind::PointerDeclarator {
        is_pointer = true;
        declarator = declarator.child(Field::Declarator)?;
    }
    if declarator.kind() != Kind::FunctionDeclarator || declarator.child_of_kind(Kind::TrailingReturnType).is_some() {
        return None;
    }
    let Some(returned) = function.child(Field::Type) else {
        // Constructors and destructors return nothing; C's forgotten type is `int`, or a macro that nobody knows.
        return is_cpp.then_some(None);
    };
    match returned.kind() {
        _ if is_pointer => Some(Some("return 0;")),
        Kind::PrimitiveType if returned.text() == "void" => Some(None),
        Kind::PrimitiveType if returned.text() == "bool" && is_cpp => Some(Some("return false;")),
        Kind::PrimitiveType | Kind::SizedTypeSpecifier => Some(Some("return 0;")),
        // A class may not be built from a number, and a name may stand for one.
        _ => None,
    }
}

impl Wrappable<'_> {
    /// Puts the run between lines that come before and lines that come after. Lines are written as if they stood at
    /// the left margin; one that starts with a tab is indented by one level.
    pub(crate) fn between(&self, before: &[String], after: &[String]) -> Vec<Edit> {
        let program = self.program;
        let level = self.level();
        if !starts_line(self.first) {
            let (mut head, mut foot) = (String::new(), String::new());
            before.iter().for_each(|line| head.extend([line.trim_start(), " "]));
            after.iter().for_each(|line| foot.extend([" ", line.trim_start()]));
            return vec![Edit::insert(self.range.start, head), Edit::insert(self.range.end, foot)];
        }
        let margin = indentation(program, self.range.start);
        let separator = format!("{}{margin}", line_break(program));
        let placed = |line: &str| match line.strip_prefix('\t') {
            Some(line) => format!("{level}{line}"),
            None => line.to_owned(),
        };
        let head: String = before.iter().flat_map(|line| [placed(line), separator.clone()]).collect();
        let foot: String = after.iter().flat_map(|line| [separator.clone(), placed(line)]).collect();
        let mut edits = vec![Edit::insert(self.range.start, format!("{head}{level}"))];
        edits.extend(indented(program, self.range.clone(), level));
        edits.push(Edit::insert(self.range.end, foot));
        edits
    }

    /// One more level. In Python it must be of the same blanks as the margin.
    fn level(&self) -> &str {
        let level = one_level(self.program);
        let is_python = self.program.language() == Language::Python;
        // A first indented line inside a string or brackets may have any width, even one blank.
        if is_python && !level.starts_with('\t') && level.len() > 4 { "    " } else { level }
    }
}

/// Conditions that always hold. All are constant expressions, so that Java's rules about assigned variables know it.
pub(crate) fn always_true(language: Language) -> &'static [&'static str] {
    match language {
        Language::Java | Language::Cpp => &["true", "1 == 1", "0 < 1"],
        Language::C => &["1", "1 == 1", "0 < 1"],
        Language::Python => &["True", "1 == 1", "0 < 1"],
        Language::JavaScript => &["true", "1 === 1", "0 < 1"],
    }
}

/// Conditions that never hold, constant as well.
pub(crate) fn always_false(language: Language) -> &'static [&'static str] {
    match language {
        Language::Java | Language::Cpp => &["false", "1 == 0", "0 > 1"],
        Language::C => &["0", "1 == 0", "0 > 1"],
        Language::Python => &["False", "1 == 0", "0 > 1"],
        Language::JavaScript => &["false", "1 === 0", "0 > 1"],
    }
}
