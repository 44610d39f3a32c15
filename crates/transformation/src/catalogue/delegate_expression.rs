//! Moves an expression into a new function and calls it instead.
//!
//! class: structure
//! groups: lampion
//! from: Lampion (AddDelegation)
//!
//! The expression consists only of variables, literals, operators, elements and lengths, so nothing in it assigns,
//! jumps or awaits. Its variables become the parameters: each is certain to have a value that evaluating the
//! expression cannot change. In Java, C and C++ the variables and the result are numbers, booleans, Java strings or
//! arrays of these, and their types can be written in one certain way. Constant expressions are left alone, and so
//! are expressions in macros, templates, C++ lambdas, Python class bodies, functions that contain directives, and
//! functions that are reached only through eight others: a stack is not endless. The new function is private to its
//! class, file or function.
//!
//! ```java
//! int f(int a, int b) { return (a + b) * 2; }
//! ```
//! ->
//! ```java
//! int f(int a, int b) { return function1(a, b); }
//! private static int function1(int a, int b) { return (a + b) * 2; }
//! ```
//!
//! ```c
//! int f(const char *text, size_t size)
//! {
//!     return text[0] == 'a';
//! }
//! ```
//! ->
//! ```c
//! static int function_1(const char *text) { return text[0] == 'a'; }
//! int f(const char *text, size_t size)
//! {
//!     return function_1(text);
//! }
//! ```
//!
//! ```cpp
//! int f(int a, long b) {
//!     if (a < b) return 1;
//!     return 2;
//! }
//! ```
//! ->
//! ```cpp
//! static bool function_1(int a, long b) { return a < b; }
//! int f(int a, long b) {
//!     if (function_1(a, b)) return 1;
//!     return 2;
//! }
//! ```
//!
//! ```python
//! def f(a, b):
//!     while a < b.size:
//!         a = g(a)
//!     return a
//! ```
//! ->
//! ```python
//! def f(a, b):
//!     def function_1(a, b):
//!         return a < b.size
//!     while function_1(a, b):
//!         a = g(a)
//!     return a
//! ```
//!
//! ```javascript
//! function f(a, b) {
//!   if (a) {
//!     return a.x * b;
//!   }
//! }
//! ```
//! ->
//! ```javascript
//! function f(a, b) {
//!   function function1(a, b) { return a.x * b; }
//!   if (a) {
//!     return function1(a, b);
//!   }
//! }
//! ```
//!
//! The second variable may have no value yet, and is not always read:
//!
//! ```python
//! def f(a):
//!     if a:
//!         b = 1
//!     return a and b
//! ```

use std::collections::{HashMap, HashSet};

use syntax::flow::{is_constant_expression, is_definitely_assigned, may_have_effect, may_raise};
use syntax::types::Number;
use syntax::views::contains_directive;
use syntax::{Context, Edit, Field, Kind, Language, Node, NodeId, Program, SymbolId, SymbolKind, Target, Type};

use crate::Sites;
use crate::choice::Choice;
use crate::parts::calls::is_called_deeply;
use crate::parts::declarations::type_text;
use crate::parts::exact;
use crate::parts::expressions::is_value;
use crate::parts::layout::{one_level, replace, starts_line};
use crate::parts::macros::is_macro_argument;
use crate::parts::python::{is_built_in_name, scope_around, shows_locals};
use crate::parts::statements::{Position, is_function, positions_of_names, stands_alone, statement_around};

/// Longer expressions are tables, and every part would be compared with the whole.
const LONGEST_EXPRESSION: usize = 200;

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    let Some(mut search) = Search::new(program) else { return };
    for expression in program.nodes().filter(|node| is_operation(*node)) {
        let is_candidate = expression.range().len() <= LONGEST_EXPRESSION
            && !expression.text().contains('\n')
            && is_value(expression)
            && !expression.descendants().any(|part| part.kind().is_comment())
            && !is_called_deeply(expression);
        let function = is_candidate.then(|| match program.language() {
            Language::Java => search.java(expression),
            Language::C | Language::Cpp => search.c(expression),
            Language::Python => search.python(expression),
            Language::JavaScript => search.javascript(expression),
        });
        if let Some(function) = function.flatten().filter(|function| !function.parameters.is_empty()) {
            sites.add(expression.range(), move |choice| function.edits(expression, choice));
        }
    }
}

/// Is this an operator with its operands?
fn is_operation(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        Kind::BinaryExpression
            | Kind::UnaryExpression
            | Kind::TernaryExpression
            | Kind::ConditionalExpression
            | Kind::BinaryOperator
            | Kind::BooleanOperator
            | Kind::ComparisonOperator
            | Kind::NotOperator
            | Kind::UnaryOperator
    )
}

/// The function that an expression moves into.
struct Function<'p> {
    place: Position<'p>,
    parameters: Vec<Parameter<'p>>,
    /// The type of the result; empty where types are not written.
    result: &'static str,
}

struct Parameter<'p> {
    symbol: SymbolId,
    /// What stands before the name: its type.
    declaration: String,
    name: &'p str,
}

impl Function<'_> {
    fn edits(&self, expression: Node<'_>, choice: &mut Choice<'_>) -> Option<Vec<Edit>> {
        let program = expression.program();
        let name = choice.function("compute")?;
        let declared: Vec<String> =
            self.parameters.iter().map(|parameter| format!("{}{}", parameter.declaration, parameter.name)).collect();
        let (declared, value, result) = (declared.join(", "), expression.text(), self.result);
        let definition = match program.language() {
            Language::Java => format!("private static {result} {name}({declared}) {{ return {value}; }}"),
            Language::C | Language::Cpp => format!("static {result} {name}({declared}) {{ return {value}; }}"),
            Language::Python => {
                let level = one_level(program);
                // A first indented line inside a string or brackets may have any width.
                let level = if level.len() > 4 { "    " } else { level };
                format!("def {name}({declared}):\n{level}return {value}")
            }
            Language::JavaScript => format!("function {name}({declared}) {{ return {value}; }}"),
        };
        let arguments: Vec<&str> = self.parameters.iter().map(|parameter| parameter.name).collect();
        let call = format!("{name}({})", arguments.join(", "));
        Some(vec![self.place.insert(&definition), replace(outermost_brackets(expression), &call)])
    }
}

/// The brackets around the expression that a call does not need.
fn outermost_brackets(expression: Node<'_>) -> Node<'_> {
    let mut node = expression;
    while let Some(parent) = node.parent().filter(|parent| parent.kind() == Kind::ParenthesizedExpression) {
        if !is_value(parent) || parent.children().any(|child| child.kind().is_comment()) {
            break;
        }
        node = parent;
    }
    node
}

/// What is known of the program, and found out once.
struct Search<'p> {
    program: &'p Program,
    /// The places for statements, by the statement after them.
    places: HashMap<NodeId, Position<'p>>,
    /// Java: is the input nothing but methods?
    is_bare: bool,
    /// C and C++: the names of macros.
    macros: HashSet<&'p str>,
    /// C and C++: where a new function goes, by the function around the expression.
    homes: HashMap<NodeId, Option<Home<'p>>>,
    /// Python and JavaScript: the function that all occurrences of a variable lie in; `None` when there are several.
    owners: HashMap<SymbolId, Option<Option<NodeId>>>,
    /// Python: does `len` certainly mean the built-in function?
    has_len: bool,
    /// JavaScript: does the text contain `arguments`, which gives access to the parameters?
    has_arguments: bool,
}

#[derive(Clone, Copy)]
struct Home<'p> {
    place: Position<'p>,
    has_labels: bool,
}

impl<'p> Search<'p> {
    /// `None` when the program sees its own functions, or gives other meanings to words of the language.
    fn new(program: &'p Program) -> Option<Search<'p>> {
        let language = program.language();
        let mut macros = HashSet::new();
        let is_refused = match language {
            Language::Java => program.text().contains("strictfp") || program.context() == Context::Statements,
            Language::C | Language::Cpp => {
                let definitions =
                    program.nodes().filter(|node| matches!(node.kind(), Kind::PreprocDef | Kind::PreprocFunctionDef));
                macros.extend(definitions.filter_map(|node| node.child(Field::Name)).map(Node::text));
                ["int", "long", "short", "char", "unsigned", "signed", "float", "double", "bool", "const", "static"]
                    .iter()
                    .chain(&["return"])
                    .any(|word| macros.contains(word))
            }
            // Where a function of Python 2 imports names that nobody sees, it can have no functions of its own.
            Language::Python => {
                shows_locals(program)
                    || program.nodes_of_kind(Kind::WildcardImport).any(|import| scope_around(import).is_some())
            }
            Language::JavaScript => false,
        };
        if is_refused || program.reaches_names_by_text() {
            return None;
        }
        let places = match language {
            Language::Python | Language::JavaScript => {
                positions_of_names(program).into_iter().filter_map(|place| Some((place.before?.id(), place))).collect()
            }
            Language::Java | Language::C | Language::Cpp => HashMap::new(),
        };
        let is_method = |node: Node<'_>| node.kind() == Kind::MethodDeclaration || node.kind().is_comment();
        Some(Search {
            program,
            places,
            is_bare: language == Language::Java && program.root().named_children().all(is_method),
            macros,
            homes: HashMap::new(),
            owners: HashMap::new(),
            has_len: language == Language::Python && is_built_in_name(program, "len"),
            has_arguments: language == Language::JavaScript && program.text().contains("arguments"),
        })
    }

    // Java.

    fn java(&self, expression: Node<'p>) -> Option<Function<'p>> {
        let program = self.program;
        if !is_plain_java(expression) || is_constant_expression(expression) || has_constant_arm(expression) {
            return None;
        }
        let member = expression.ancestors().find(|around| self.is_home_in_java(*around, expression))?;
        let result = type_text(Language::Java, &program.type_of(expression))?;
        let mut parameters: Vec<Parameter<'p>> = Vec::new();
        for name in names_in(expression) {
            let symbol = program.scopes().symbol_at(name)?;
            if parameters.iter().any(|known| known.symbol == symbol) {
                continue;
            }
            let is_readable = match program.scopes().symbol(symbol).kind {
                SymbolKind::Parameter => true,
                SymbolKind::Local => has_value_in_java(program, symbol, expression),
                SymbolKind::Field => is_own_field(program, symbol, expression),
                _ => false,
            };
            let text = java_text(&program.type_of(name)).filter(|_| is_readable)?;
            parameters.push(Parameter { symbol, declaration: format!("{text} "), name: name.text() });
        }
        let place = Position { list: member.parent()?, before: None, after: Some(member) };
        Some(Function { place, parameters, result })
    }

    /// Is this a method or constructor around the expression, in a class that may have static methods? Inner, local and
    /// anonymous classes could not have any before Java 16.
    fn is_home_in_java(&self, member: Node<'_>, expression: Node<'_>) -> bool {
        let is_member = matches!(member.kind(), Kind::MethodDeclaration | Kind::ConstructorDeclaration)
            && member.child(Field::Body).is_some_and(|body| body.contains(expression));
        let has_modifier = |declaration: Node<'_>, word: &str| {
            declaration.child_of_kind(Kind::Modifiers).is_some_and(|modifiers| modifiers.has_token(word))
        };
        let Some(parent) = member.parent().filter(|_| is_member) else { return false };
        match parent.kind() {
            Kind::Program => self.is_bare && !has_modifier(member, "default"),
            Kind::ClassBody => parent.parent().is_some_and(|owner| {
                let is_outermost = owner.parent().is_some_and(|around| around.kind() == Kind::Program);
                owner.kind() == Kind::ClassDeclaration && (is_outermost || has_modifier(owner, "static"))
            }),
            _ => false,
        }
    }

    // C and C++.

    fn c(&mut self, expression: Node<'p>) -> Option<Function<'p>> {
        let program = self.program;
        let language = program.language();
        let value_type = exact::value_type(expression)?;
        let is_result = match value_type {
            // C++ may bind a reference to what `a ? b : c` chooses.
            _ if language == Language::Cpp && expression.kind() == Kind::ConditionalExpression => false,
            Type::Boolean => language == Language::Cpp,
            // More digits may be kept within an expression than in what a function gives.
            Type::Number(Number::Float | Number::Double | Number::LongDouble) => is_stored(expression, &value_type),
            Type::Number(_) => true,
            _ => false,
        };
        let result = type_text(language, &value_type).filter(|_| is_result)?;
        let home = self.home_in_c(expression)?;
        if is_macro_argument(expression) || is_static_value(expression) || contains_directive(expression) {
            return None;
        }
        let mut parameters: Vec<Parameter<'p>> = Vec::new();
        let mut has_variable = false;
        for name in names_in(expression) {
            let symbol = program.scopes().symbol_at(name).filter(|_| !self.macros.contains(name.text()))?;
            let entry = program.scopes().symbol(symbol);
            let declaration = program.node(entry.declaration);
            if entry.kind == SymbolKind::Global {
                // The new function sees what is declared before it.
                let is_seen =
                    program.scopes().scope(entry.scope).parent.is_none() && declaration.end() <= home.place.offset();
                is_seen.then_some(())?;
                continue;
            }
            let variable = exact::variable(program, symbol)?;
            has_variable |= entry.kind == SymbolKind::Parameter || !variable.is_constant;
            let has_value = entry.kind == SymbolKind::Parameter
                || variable.is_initialised && !home.has_labels && !is_in_switch(declaration)
                || names_in(expression).any(|other| {
                    program.scopes().symbol_at(other) == Some(symbol) && is_always_evaluated(other, expression)
                });
            has_value.then_some(())?;
            if !parameters.iter().any(|known| known.symbol == symbol) {
                parameters.push(Parameter { symbol, declaration: variable.declaration, name: name.text() });
            }
        }
        // What is calculated from constants alone may be needed while the program is compiled.
        let is_good = has_variable && !is_constant_expression(expression);
        is_good.then_some(Function { place: home.place, parameters, result })
    }

    fn home_in_c(&mut self, expression: Node<'p>) -> Option<Home<'p>> {
        let function = expression
            .ancestors()
            .find(|around| matches!(around.kind(), Kind::FunctionDefinition | Kind::LambdaExpression))?;
        *self.homes.entry(function.id()).or_insert_with(|| home_before(function))
    }

    // Python and JavaScript.

    fn python(&mut self, expression: Node<'p>) -> Option<Function<'p>> {
        let is_in_module = match scope_around(expression) {
            None => true,
            Some(around) if around.kind() == Kind::FunctionDefinition => false,
            Some(_) => return None,
        };
        let place = *self.places.get(&statement_around(expression)?.id())?;
        if !place.allows_lines() || !self.is_plain_python(expression) {
            return None;
        }
        let parameters = self.dynamic_parameters(expression, is_in_module)?;
        Some(Function { place, parameters, result: "" })
    }

    fn javascript(&mut self, expression: Node<'p>) -> Option<Function<'p>> {
        if !is_plain_javascript(expression) {
            return None;
        }
        // In a block of its own a function means different things in different modes.
        let is_list = |node: Node<'_>| match node.kind() {
            Kind::Program => true,
            Kind::StatementBlock => node.parent().is_some_and(is_function),
            _ => false,
        };
        let statement = expression.ancestors().find(|around| around.parent().is_some_and(is_list))?;
        let place = *self.places.get(&statement.id())?;
        let parameters = self.dynamic_parameters(expression, statement.parent()?.kind() == Kind::Program)?;
        Some(Function { place, parameters, result: "" })
    }

    /// The variables that are handed over. Those of the file, functions and what is declared elsewhere mean the same in
    /// the new function; where the expression stands outside of all functions, those that certainly have a value and
    /// do not change are handed over as well.
    fn dynamic_parameters(&mut self, expression: Node<'p>, is_in_file: bool) -> Option<Vec<Parameter<'p>>> {
        let program = self.program;
        let scopes = program.scopes();
        let mut runs_code = None;
        let mut parameters: Vec<Parameter<'p>> = Vec::new();
        for name in names_in(expression) {
            let symbol = match scopes.target(name)? {
                Target::Symbol(symbol) => symbol,
                Target::Outside => continue,
                Target::Member | Target::Unknown => return None,
            };
            if parameters.iter().any(|known| known.symbol == symbol) {
                continue;
            }
            let entry = scopes.symbol(symbol);
            let is_of_file = scopes.scope(entry.scope).parent.is_none();
            let is_variable = matches!(entry.kind, SymbolKind::Local | SymbolKind::Parameter | SymbolKind::Global);
            if is_of_file && !(is_in_file && is_variable) {
                continue;
            }
            let may_change =
                self.is_shared(symbol, expression) && *runs_code.get_or_insert_with(|| may_have_effect(expression));
            let is_good = is_variable && !may_change && !may_raise(name);
            match (is_good, is_of_file) {
                (true, _) => parameters.push(Parameter { symbol, declaration: String::new(), name: name.text() }),
                (false, true) => {}
                (false, false) => return None,
            }
        }
        Some(parameters)
    }

    /// Can another function than that around the expression reach the variable?
    fn is_shared(&mut self, symbol: SymbolId, expression: Node<'p>) -> bool {
        let (program, scopes) = (self.program, self.program.scopes());
        let function_of = |node: Node<'_>| node.ancestors().find(|around| is_function(*around)).map(Node::id);
        let owner = self.owners.entry(symbol).or_insert_with(|| {
            let mut owners = scopes.references_of(symbol).map(|reference| function_of(program.node(reference.node)));
            let first = owners.next()?;
            owners.all(|owner| owner == first).then_some(first)
        });
        let has_other_way = self.has_arguments && scopes.symbol(symbol).kind == SymbolKind::Parameter;
        *owner != Some(function_of(expression)) || has_other_way
    }

    /// Is the expression built from names, literals, members, elements, lengths and operators alone?
    fn is_plain_python(&self, node: Node<'_>) -> bool {
        let all = |node: Node<'_>| node.named_children().all(|child| self.is_plain_python(child));
        match node.kind() {
            Kind::Identifier => !matches!(node.text(), "__class__" | "print" | "exec" | "super"),
            Kind::Integer | Kind::Float | Kind::True | Kind::False | Kind::None => true,
            Kind::String => !node.descendants().any(|part| part.kind() == Kind::Interpolation),
            Kind::Attribute => node.child(Field::Object).is_some_and(|object| self.is_plain_python(object)),
            Kind::Call => {
                let is_len = node.child(Field::Function).is_some_and(|callee| callee.text() == "len");
                is_len
                    && self.has_len
                    && node
                        .child(Field::Arguments)
                        .is_some_and(|arguments| arguments.kind() == Kind::ArgumentList && all(arguments))
            }
            Kind::ParenthesizedExpression | Kind::Subscript | Kind::Slice => all(node),
            _ => is_operation(node) && all(node),
        }
    }
}

/// The names of variables in the expression, in text order.
fn names_in(expression: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    expression.descendants().filter(|node| {
        let is_member = match node.role() {
            Field::Attribute | Field::Property | Field::Field => true,
            Field::Name => node.parent().is_some_and(|parent| parent.kind() == Kind::MethodInvocation),
            _ => false,
        };
        node.kind() == Kind::Identifier && !is_member
    })
}

/// Is the expression built from names, literals, elements, lengths and operators of Java alone? A constant beside `&&`
/// or `||` decides what is assigned after it, so there must be none.
fn is_plain_java(node: Node<'_>) -> bool {
    let is_plain = |field: Field| node.child(field).is_some_and(is_plain_java);
    let is_variable =
        |node: Node<'_>| matches!(node.kind(), Kind::Identifier | Kind::ArrayAccess) && is_plain_java(node);
    let program = node.program();
    match node.kind() {
        Kind::Identifier => java_text(&program.type_of(node)).is_some(),
        Kind::DecimalIntegerLiteral
        | Kind::HexIntegerLiteral
        | Kind::OctalIntegerLiteral
        | Kind::BinaryIntegerLiteral
        | Kind::DecimalFloatingPointLiteral
        | Kind::HexFloatingPointLiteral
        | Kind::CharacterLiteral
        | Kind::StringLiteral
        | Kind::NullLiteral
        | Kind::True
        | Kind::False => true,
        Kind::ParenthesizedExpression => node.named_children().all(is_plain_java),
        Kind::UnaryExpression => is_plain(Field::Operand),
        Kind::BinaryExpression => {
            let decides = node.child(Field::Operator).is_some_and(|operator| matches!(operator.text(), "&&" | "||"));
            is_plain(Field::Left)
                && is_plain(Field::Right)
                && !(decides && node.named_children().any(is_constant_expression))
        }
        Kind::TernaryExpression => {
            node.named_children().all(is_plain_java)
                && !node.child(Field::Condition).is_some_and(is_constant_expression)
        }
        Kind::CastExpression => {
            let mut types = node.children_at(Field::Type);
            let is_primitive = types
                .all(|named| matches!(named.kind(), Kind::IntegralType | Kind::FloatingPointType | Kind::BooleanType));
            is_primitive && is_plain(Field::Value)
        }
        Kind::ArrayAccess => node.child(Field::Array).is_some_and(is_variable) && is_plain(Field::Index),
        Kind::FieldAccess => {
            node.child(Field::Field).is_some_and(|field| field.text() == "length")
                && node
                    .child(Field::Object)
                    .is_some_and(|object| is_variable(object) && matches!(program.type_of(object), Type::Array(_)))
        }
        Kind::MethodInvocation => {
            let is_text = node
                .child(Field::Object)
                .is_some_and(|object| is_variable(object) && program.type_of(object) == Type::Text);
            let is_method =
                node.child(Field::Name).is_some_and(|name| matches!(name.text(), "length" | "isEmpty" | "charAt"));
            is_text
                && is_method
                && node.child(Field::Arguments).is_some_and(|arguments| arguments.named_children().all(is_plain_java))
        }
        _ => false,
    }
}

/// Is this a choice between constants, which may fit a narrower type than that of the choice?
fn has_constant_arm(expression: Node<'_>) -> bool {
    expression.kind() == Kind::TernaryExpression && expression.named_children().any(is_constant_expression)
}

fn java_text(known: &Type) -> Option<String> {
    match known {
        Type::Array(element) => java_text(element).map(|element| format!("{element}[]")),
        known => type_text(Language::Java, known).map(str::to_owned),
    }
}

/// Has the local variable of Java certainly a value? The flow is followed only where the declaration does not say so.
fn has_value_in_java(program: &Program, symbol: SymbolId, expression: Node<'_>) -> bool {
    let declarator = program.node(program.scopes().symbol(symbol).declaration).parent();
    let is_evident = declarator.is_some_and(|declarator| {
        declarator.kind() == Kind::VariableDeclarator
            && declarator.child(Field::Value).is_some()
            && declarator.ancestors().nth(1).is_some_and(|around| around.kind() == Kind::Block)
    });
    is_evident || is_definitely_assigned(symbol, expression)
}

/// Is the field one of the class around the expression, so that to read it does not start another class? Reading a
/// volatile field twice is not reading it once.
fn is_own_field(program: &Program, symbol: SymbolId, expression: Node<'_>) -> bool {
    let name = program.node(program.scopes().symbol(symbol).declaration);
    let field = name.ancestors().find(|around| around.kind() == Kind::FieldDeclaration);
    let class = expression.ancestors().find(|around| {
        matches!(around.kind(), Kind::ClassBody | Kind::InterfaceBody | Kind::EnumBody | Kind::EnumBodyDeclarations)
    });
    field.is_some_and(|field| {
        let modifiers = field.child_of_kind(Kind::Modifiers);
        field.parent().is_some()
            && field.parent() == class
            && !modifiers.is_some_and(|words| words.has_token("volatile"))
    })
}

/// The place before a function of C or C++; `None` when another function cannot be put there or cannot be called.
fn home_before(function: Node<'_>) -> Option<Home<'_>> {
    let program = function.program();
    let is_directive_of_lines = |kind: Kind| {
        matches!(
            kind,
            Kind::PreprocIf | Kind::PreprocIfdef | Kind::PreprocElif | Kind::PreprocElifdef | Kind::PreprocElse
        )
    };
    let is_outermost = function.ancestors().all(|around| {
        is_directive_of_lines(around.kind())
            || matches!(
                around.kind(),
                Kind::TranslationUnit | Kind::DeclarationList | Kind::NamespaceDefinition | Kind::LinkageSpecification
            )
    });
    let is_free = function.parent().is_some_and(|parent| parent.kind() != Kind::LinkageSpecification);
    // Attributes and what else is not of the language may forbid calls, and an inline function that others include
    // must not call one that they do not see.
    let is_word = |word: &str| function.children().any(|child| child.text() == word);
    let is_plain = function.children().all(|child| match child.kind() {
        Kind::StorageClassSpecifier => matches!(child.text(), "static" | "extern" | "inline"),
        Kind::TypeQualifier => child.text() == "const",
        kind => kind.is_comment() || matches!(child.role(), Field::Type | Field::Declarator | Field::Body),
    });
    if function.kind() != Kind::FunctionDefinition
        || !is_outermost
        || !is_free
        || !is_plain
        || is_word("inline") && !is_word("static")
        || function.child(Field::Type).is_none()
        || contains_directive(function)
    {
        return None;
    }
    // The comments above a function belong to it.
    let mut first = function;
    while let Some(comment) = first.previous_sibling().filter(|node| node.kind().is_comment() && starts_line(*node)) {
        let gap = program.text().get(comment.end()..first.start())?;
        if gap.matches('\n').count() > 1 {
            break;
        }
        first = comment;
    }
    let mut before = first;
    while let Some(comment) = before.previous_sibling().filter(|node| node.kind().is_comment()) {
        before = comment;
    }
    let has_ended = |sibling: Node<'_>| {
        let begins_lines = sibling.parent().is_some_and(|parent| is_directive_of_lines(parent.kind()))
            && (matches!(sibling.role(), Field::Name | Field::Condition) || !sibling.is_named());
        let gap = program.text().get(sibling.start()..before.start()).unwrap_or_default();
        sibling.text().trim_end().ends_with([';', '}'])
            || sibling.kind().is_directive()
            || sibling.is_token("{")
            || begins_lines && gap.contains('\n')
    };
    let is_alone = before.previous_sibling().is_none_or(has_ended) && stands_alone(first) && stands_alone(function);
    let has_labels =
        function.descendants().any(|node| matches!(node.kind(), Kind::GotoStatement | Kind::LabeledStatement));
    let place = Position { list: function.parent()?, before: Some(first), after: None };
    is_alone.then_some(Home { place, has_labels })
}

/// Is the value stored in a variable of its type or returned as it is, so that it has no more digits than its type?
fn is_stored(expression: Node<'_>, value_type: &Type) -> bool {
    let value = outermost_brackets(expression);
    let program = expression.program();
    let Some(parent) = value.parent() else { return false };
    let target = match parent.kind() {
        Kind::InitDeclarator => parent.child(Field::Declarator),
        Kind::AssignmentExpression => {
            let is_plain = parent.child(Field::Operator).is_some_and(|operator| operator.is_token("="));
            parent.child(Field::Left).filter(|_| is_plain)
        }
        Kind::ReturnStatement => parent
            .ancestors()
            .find(|around| around.kind() == Kind::FunctionDefinition)
            .and_then(|function| function.child(Field::Type)),
        _ => None,
    };
    target.is_some_and(|target| program.type_of(target) == *value_type)
}

/// Is this a part of the first value of a static variable, which the compiler may want to know?
fn is_static_value(expression: Node<'_>) -> bool {
    expression
        .ancestors()
        .filter(|around| around.kind() == Kind::Declaration)
        .any(|declaration| declaration.child_of_kind(Kind::StorageClassSpecifier).is_some())
}

/// Is the variable declared among the cases of a `switch`, where a jump may pass its first value?
fn is_in_switch(name: Node<'_>) -> bool {
    let declaration = name.ancestors().find(|around| around.kind() == Kind::Declaration);
    declaration.and_then(Node::parent).is_some_and(|list| {
        list.kind() == Kind::CaseStatement || list.parent().is_some_and(|around| around.kind() == Kind::SwitchStatement)
    })
}

/// Is the part evaluated whenever the expression is?
fn is_always_evaluated(part: Node<'_>, expression: Node<'_>) -> bool {
    let mut child = part;
    while child != expression {
        let Some(parent) = child.parent() else { return false };
        let is_skipped = match parent.kind() {
            Kind::BinaryExpression => {
                child.role() == Field::Right
                    && parent.child(Field::Operator).is_some_and(|operator| matches!(operator.text(), "&&" | "||"))
            }
            Kind::ConditionalExpression => child.role() != Field::Condition,
            _ => false,
        };
        if is_skipped {
            return false;
        }
        child = parent;
    }
    true
}

/// Is the expression built from names, literals, members, elements and operators of JavaScript alone?
fn is_plain_javascript(node: Node<'_>) -> bool {
    let all = |node: Node<'_>| node.named_children().all(is_plain_javascript);
    match node.kind() {
        Kind::Identifier => !matches!(node.text(), "arguments" | "eval" | "await" | "yield" | "async" | "let"),
        Kind::Number | Kind::String | Kind::True | Kind::False | Kind::Null | Kind::Undefined => true,
        Kind::MemberExpression => {
            node.child_of_kind(Kind::OptionalChain).is_none()
                && node.child(Field::Property).is_some_and(|property| property.kind() == Kind::PropertyIdentifier)
                && node.child(Field::Object).is_some_and(is_plain_javascript)
        }
        Kind::SubscriptExpression => node.child_of_kind(Kind::OptionalChain).is_none() && all(node),
        Kind::UnaryExpression => {
            node.child(Field::Operator)
                .is_some_and(|operator| matches!(operator.text(), "!" | "-" | "+" | "~" | "typeof"))
                && all(node)
        }
        Kind::ParenthesizedExpression | Kind::BinaryExpression | Kind::TernaryExpression => all(node),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Cpp, Java, JavaScript, Python};

    use crate::testing::{all_results, check, check_refused};

    const NAME: &str = "delegate-expression";

    #[test]
    fn constants_stay_where_the_compiler_wants_them() {
        check_refused(NAME, Java, "class A { static final int N = 4; void f() { final int k = N + 1; byte b = k; } }");
        check_refused(NAME, Java, "void f(int n) { final int k = 3; switch (n) { case k + 1: g(); } }");
        check_refused(NAME, Java, "@A(1 + 2) void f(boolean c) { byte b = c ? 1 : 2; }");
        check_refused(NAME, Java, "class A { int a = 1; int b = a + 1; static int c; static { c = c + 1; } }");
        check_refused(NAME, C, "int f(int n) { static int k = 1 + 2; int a[n + 1]; return sizeof(n + 1); }");
        check_refused(NAME, C, "void f(int n) { switch (n) { case 1 + 2: g(); } }");
        check_refused(NAME, Cpp, "void f() { const int n = 3; const int m = n + 1; int a[m]; }");
        check_refused(NAME, Cpp, "constexpr int f(int n) { return n + 1; }");
        check_refused(NAME, Cpp, "void f() { constexpr int n = 3; if constexpr (n > 2) g(); h<n + 1>(); }");
    }

    #[test]
    fn effects_and_calls_stay() {
        check_refused(NAME, Java, "int f(int a, int b) { a++; b = a = 2; g(a = 1, b--); return h(a) + 1; }");
        check_refused(NAME, C, "int f(int a) { return a++ + 1 + g(&a); }");
        check_refused(NAME, Python, "def f(a):\n    return g(a) + (b := a)\n");
        check_refused(NAME, Python, "def f(a):\n    x = (yield a) + 1\n    return super().g + x\n");
        check_refused(NAME, Python, "async def f(a):\n    return 1 + await a\n");
        check_refused(NAME, JavaScript, "async function f(a) { return 1 + await a; }");
        check_refused(NAME, JavaScript, "function f(a) { return this.x + a++ + arguments[0] + new.target.x; }");
        check_refused(NAME, JavaScript, "class A extends B { #x = 1; f(a) { return super.y + a.#x; } }");
    }

    /// A hundred functions, one below the other, overflow the stack of a deep recursion.
    #[test]
    fn what_is_delegated_again_and_again_stays_near() {
        use crate::apply::apply;
        use crate::{Names, Sites, catalogue};
        for (language, text) in [
            (Java, "int f(int a, int b) { return a * b; }"),
            (C, "int f(int a, int b) { return a * b; }"),
            (Cpp, "int f(int a, int b) { return a * b; }"),
            (Python, "def f(a, b):\n    return a * b\n"),
            (JavaScript, "function f(a, b) { return a * b; }"),
        ] {
            let transformation = catalogue::find(NAME).expect("a transformation");
            let mut program = syntax::Program::parse(language, text);
            let mut count = 0;
            while count < 100 {
                let sites = Sites::of(transformation, &program);
                let Some(site) = sites.first() else { break };
                let applied = apply(&program, transformation, site, 1, &Names::typed()).expect("a rewrite");
                drop(sites);
                program = applied.program;
                count += 1;
            }
            assert_eq!(count, 8, "{}", program.text());
        }
    }

    #[test]
    fn strings_arrays_and_lengths_of_java() {
        assert_eq!(
            all_results(
                NAME,
                Java,
                "void f(String s, int[][] a) { for (int i = 0; i < s.length(); i++) g(a[i].length - 1); }"
            ),
            [
                "void f(String s, int[][] a) { for (int i = 0; function1(i, s); i++) g(a[i].length - 1); }\n\
                 private static boolean function1(int i, String s) { return i < s.length(); }",
                "void f(String s, int[][] a) { for (int i = 0; i < s.length(); i++) g(function1(a, i)); }\n\
                 private static int function1(int[][] a, int i) { return a[i].length - 1; }",
            ]
        );
        check(
            NAME,
            Java,
            "String f(String s, char c) { return c + s; }",
            "String f(String s, char c) { return function1(c, s); }\n\
             private static String function1(char c, String s) { return c + s; }",
        );
        check_refused(NAME, Java, "int f(Integer a, List<String> b, T c) { return a + b.size() + c.x; }");
        check_refused(NAME, Java, "class String { } class A { void f(String a) { g(a + 1); } }");
    }

    #[test]
    fn types_of_java_are_those_of_the_expression() {
        let result = |parameters: &str, expression: &str| {
            let found = all_results(NAME, Java, &format!("void f({parameters}) {{ g({expression}); }}"));
            let line = found.first().and_then(|text| text.lines().last()).unwrap_or_default().to_owned();
            line.split_whitespace().nth(2).unwrap_or_default().to_owned()
        };
        assert_eq!(result("byte a, byte b", "a + b"), "int");
        assert_eq!(result("char a", "a + 1L"), "long");
        assert_eq!(result("short a, float b", "a * b"), "float");
        assert_eq!(result("byte a, byte b, boolean c", "c ? a : b"), "byte");
        assert_eq!(result("int a", "(char) (a + 1)"), "int");
        assert_eq!(result("long a, int b", "b << a"), "int");
    }

    #[test]
    fn variables_of_java_are_assigned() {
        check_refused(NAME, Java, "int f(boolean c) { int n; if (c && (n = g()) > 0) return 1; return 0; }");
        check_refused(NAME, Java, "void f(boolean c) { boolean b; if (c) b = true; else return; h(c && false || b); }");
        check(
            NAME,
            Java,
            "int f(boolean c) { int n; if (c) n = 1; else n = 2; return n + 1; }",
            "int f(boolean c) { int n; if (c) n = 1; else n = 2; return function1(n); }\n\
             private static int function1(int n) { return n + 1; }",
        );
        check_refused(NAME, Java, "boolean f(Object o) { return o instanceof String s && s.isEmpty(); }");
    }

    #[test]
    fn fields_of_java_are_read_before_the_call() {
        check(
            NAME,
            Java,
            "class A {\n    int n;\n\n    /** Why. */\n    int f() {\n        return n + 1;\n    } // end\n}\n",
            "class A {\n    int n;\n\n    /** Why. */\n    int f() {\n        return function1(n);\n    } // end\n    \
             private static int function1(int n) { return n + 1; }\n}\n",
        );
        check_refused(NAME, Java, "class A { volatile int n; int f() { return n + n; } }");
        check_refused(NAME, Java, "class A { static int n; static class B { int f() { return n + n; } } }");
    }

    #[test]
    fn classes_of_java_that_may_have_no_static_methods() {
        check_refused(NAME, Java, "interface A { default int f(int n) { return n + 1; } }");
        check_refused(NAME, Java, "enum A { B; int f(int n) { return n + 1; } }");
        check_refused(NAME, Java, "class A { Object o = new Object() { int f(int n) { return n + 1; } }; }");
        check(
            NAME,
            Java,
            "class A { class B { int f(int n) { return n + 1; } } void g() { new B() { int f(int n) { return n - 1; } }; } }",
            "class A { class B { int f(int n) { return n + 1; } } void g() { new B() { int f(int n) { return function1(n); } }; } \
             private static int function1(int n) { return n - 1; } }",
        );
        check(
            NAME,
            Java,
            "class A { A(int n) { this(n + 1, 2); } A(int n, int m) { } }",
            "class A { A(int n) { this(function1(n), 2); } private static int function1(int n) { return n + 1; } A(int n, int m) { } }",
        );
    }

    #[test]
    fn comments_above_a_function_of_c_stay_there() {
        check(
            NAME,
            C,
            "int x; // x\r\n\r\n/* Why. */\r\n// How.\r\nint f(int a)\r\n{\r\n    return a + x;\r\n}\r\n",
            "int x; // x\r\n\r\nstatic int function_1(int a) { return a + x; }\r\n/* Why. */\r\n// How.\r\nint f(int a)\r\n{\r\n    \
             return function_1(a);\r\n}\r\n",
        );
        check(
            NAME,
            C,
            "#if A\nint f(int a) { return a + 1; }\n#else\nint f(int a) { return 2; }\n#endif\n",
            "#if A\nstatic int function_1(int a) { return a + 1; }\nint f(int a) { return function_1(a); }\n#else\n\
             int f(int a) { return 2; }\n#endif\n",
        );
        check(
            NAME,
            Cpp,
            "namespace n { extern \"C\" { int f(int a) { return -a; } } }",
            "namespace n { extern \"C\" { static int function_1(int a) { return -a; } int f(int a) { return function_1(a); } } }",
        );
    }

    #[test]
    fn functions_of_c_that_stay() {
        check_refused(NAME, C, "int f(int a) {\n#ifdef A\n    a = 1;\n#endif\n    return a + 1;\n}\n");
        check_refused(NAME, C, "inline int f(int a) { return a + 1; }");
        check_refused(NAME, C, "__attribute__((naked)) int f(int a) { return a + 1; }");
        check_refused(NAME, C, "#define int long\nint f(int a) { return a + 1; }\n");
        check_refused(NAME, C, "#define a b\nint f(int a) { return a + 1; }\n");
        check_refused(NAME, C, "int f(int a) { FOO(a + 1); return assert(a > 2); }");
        check_refused(NAME, Cpp, "extern \"C\" int f(int a) { return a + 1; }");
        check_refused(NAME, Cpp, "template <int N> int f(int a) { return a + N; }");
        check_refused(NAME, Cpp, "class A { int f(int a) { return a + 1; } };");
        check_refused(NAME, Cpp, "void f() { auto g = [](int a) { return a + 1; }; }");
        check_refused(NAME, Cpp, "int &f(bool c, int &a, int &b) { return c ? a : b; }");
        check_refused(NAME, Cpp, "void f(A a, T b) { g(a + 1, b == 2, std::string() + 'a'); }");
    }

    #[test]
    fn types_of_c_have_one_spelling() {
        check_refused(NAME, C, "long f(unsigned u, long l, size_t z) { g(z + 1); return u + l; }");
        check_refused(NAME, C, "int f(volatile int v) { return v + v; }");
        check_refused(NAME, C, "float f(double a, double b) { float c = a * b; g(a / b); return 1 / (a * b); }");
        assert_eq!(all_results(NAME, C, "double f(double a, double b) { return 1 / (a * b); }").len(), 1);
        check(
            NAME,
            C,
            "typedef unsigned char byte;\nfloat f(byte b, float *a, bool c) { a[0] = a[1] * b; return c; }",
            "typedef unsigned char byte;\nstatic float function_1(const float *a, unsigned char b) { return a[1] * b; }\n\
             float f(byte b, float *a, bool c) { a[0] = function_1(a, b); return c; }",
        );
        check(
            NAME,
            C,
            "int f(size_t n, uint8_t k) { return k << 1 < n; }",
            "static int function_1(uint8_t k, size_t n) { return k << 1 < n; }\n\
             int f(size_t n, uint8_t k) { return function_1(k, n); }",
        );
    }

    #[test]
    fn variables_of_c_have_a_value_when_they_are_handed_over() {
        check_refused(NAME, C, "int f(int a) { int b; if (a) b = 1; return a && b; }");
        check_refused(NAME, C, "int f(int a) { if (a) goto out; int b = 1; g(b); out: return a && b; }");
        check_refused(NAME, C, "int f(int a) { switch (a) { case 1:; int b = 1; case 2: return a || b; } }");
        check(
            NAME,
            C,
            "int f(int a) { int b = a; return a && b; }",
            "static int function_1(int a, int b) { return a && b; }\nint f(int a) { int b = a; return function_1(a, b); }",
        );
        check(
            NAME,
            C,
            "int f(int a) { int b; b = a; return b && (a || b); }",
            "static int function_1(int b, int a) { return b && (a || b); }\n\
             int f(int a) { int b; b = a; return function_1(b, a); }",
        );
    }

    #[test]
    fn names_of_the_file_are_not_handed_over() {
        check(
            NAME,
            C,
            "enum color { RED };\nint f(int a)\n{\n    return a == RED;\n}\n",
            "enum color { RED };\nstatic int function_1(int a) { return a == RED; }\nint f(int a)\n{\n    \
             return function_1(a);\n}\n",
        );
        check(
            NAME,
            Python,
            "N = 1\ndef f(a):\n    return a.x + N\n",
            "N = 1\ndef f(a):\n    def function_1(a):\n        return a.x + N\n    return function_1(a)\n",
        );
        check(
            NAME,
            JavaScript,
            "const N = 1;\nfunction f(a) { return a[0] + N * Math.PI; }\n",
            "const N = 1;\nfunction f(a) { function function1(a) { return a[0] + N * Math.PI; } return function1(a); }\n",
        );
        check_refused(NAME, Cpp, "namespace n { int x; } int f() { using namespace n; return x + 1; }");
    }

    #[test]
    fn variables_of_python_do_not_change_meanwhile() {
        check_refused(
            NAME,
            Python,
            "def f(a, b):\n    def g():\n        nonlocal b\n        b = 1\n    return a.x + b\n",
        );
        check_refused(NAME, Python, "def f(a):\n    del a\n    return a and a.x\n");
        check_refused(NAME, Python, "def f():\n    for i in g():\n        pass\n    return i + 1\n");
        check_refused(NAME, Python, "def f(a):\n    return locals(), a + 1\n");
        check_refused(NAME, Python, "def f(a):\n    from b import *\n    return a + 1\n");
        check_refused(NAME, JavaScript, "function f(a) { let b = 1; a.g = () => { b = 2; }; return a.x + b; }");
        check_refused(NAME, JavaScript, "function f(a) { h(arguments); return a.x + a; }");
        check_refused(NAME, JavaScript, "function f() { g(() => b + 1); let b = 1; }");
    }

    #[test]
    fn places_in_python() {
        check_refused(NAME, Python, "class A:\n    n = 1\n    m = n + 1\n    l = [n * k + 1 for k in n]\n");
        check_refused(NAME, Python, "def f(a):\n    if a: return a + 1\n");
        check_refused(NAME, Python, "def f(a):\n    b = 1; return a + b\n");
        check_refused(NAME, Python, "def f(a, b=1 + 2):\n    return (a +\n        b)\n");
        check_refused(NAME, Python, "f = lambda a: g(a + 1)\n");
        check(
            NAME,
            Python,
            "def f(a):\n\t'doc'\n\tif g(): # why\n\t\treturn 1\n\telif(len(a)-1)*2 > 3:\n\t\treturn 2\n",
            "def f(a):\n\t'doc'\n\tdef function_1(a):\n\t\treturn (len(a)-1)*2 > 3\n\tif g(): # why\n\t\treturn 1\n\t\
             elif function_1(a):\n\t\treturn 2\n",
        );
        check(
            NAME,
            Python,
            "def f(b):\n    return [y * 2 + g(y) for y in b]\n",
            "def f(b):\n    def function_1(y):\n        return y * 2\n    return [function_1(y) + g(y) for y in b]\n",
        );
        check(
            NAME,
            Python,
            "from __future__ import division\nx = 3\nprint(x / 2)\n",
            "from __future__ import division\nx = 3\ndef function_1(x):\n    return x / 2\nprint(function_1(x))\n",
        );
        check_refused(NAME, Python, "def len(a):\n    return 1\ndef f(a):\n    return len(a) - 1\n");
    }

    #[test]
    fn places_in_javascript() {
        check(
            NAME,
            JavaScript,
            "'use strict'\nlet a = 1\nfor (let i = 0; i < 3; i++) {\n  g(x => x * 2 + h())\n}\n",
            "'use strict'\nlet a = 1\nfunction function1(i) { return i < 3; }\nfor (let i = 0; function1(i); i++) {\n  \
             g(x => x * 2 + h())\n}\n",
        );
        check(
            NAME,
            JavaScript,
            "function f(a) { switch (a) { case 1: g(a\n.b, -a); } }",
            "function f(a) { function function1(a) { return -a; } switch (a) { case 1: g(a\n.b, function1(a)); } }",
        );
        check_refused(NAME, JavaScript, "function f(a, b = a + 1) { return `${a + b}` + a?.x; }");
        check_refused(NAME, JavaScript, "function f(a) { with (a) { return a + b; } }");
    }
}
