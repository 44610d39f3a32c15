//! The types of Python expressions, as far as a reader sees them at a glance.
//!
//! A variable has a type when everything that the program binds to it has that type. `i = i + 1` is judged on
//! the assumption that the other bindings were right, which is sound because a value must have come from
//! one of them first.
//!
//! Annotations are not enforced: functions annotated with `int` are called with `1.5` in real programs. So an
//! annotation with a built-in type proves nothing and such a parameter (or result) is unknown. An annotation
//! with a class of the input is believed, since it only says where members are declared.
//!
//! Attributes are unknown, because any code may assign them. So are the elements of a list that has a name,
//! because any code may append to it.

mod builtins;

use crate::kind::{Field, Kind};
use crate::languages::python::facts;
use crate::scopes::{ScopeKind, Scopes, SymbolId, SymbolKind, Target};
use crate::tree::Node;
use crate::types::{Number, Type};

pub(crate) fn of(scopes: &Scopes, node: Node<'_>, depth: usize) -> Type {
    Query { scopes, assumed: Vec::new(), steps_left: MOST_STEPS }.of(node, depth)
}

/// A question that leads to more questions than this has no evident answer.
const MOST_STEPS: usize = 500;

/// A name that occurs more often than this has no evident type either: every question about it looks at all
/// of its occurrences.
const MOST_OCCURRENCES: usize = 300;

const INTEGER: Type = Type::Number(Number::BigInteger);
const FLOAT: Type = Type::Number(Number::Double);

/// One question, with what is assumed on the way to its answer.
struct Query<'s> {
    scopes: &'s Scopes,
    /// The symbols whose bindings are being judged, with the type that they are assumed to have.
    assumed: Vec<(SymbolId, Type)>,
    steps_left: usize,
}

/// What one occurrence of a name does to it.
enum Occurrence<'p> {
    /// It only uses the name, or it says nothing about the value.
    Use,
    /// It gives the name the value of an expression.
    Value(Node<'p>),
    /// It gives the name an element of an iterable.
    Element(Node<'p>),
    /// It gives the name the first part of each element of a call's result.
    Position(Node<'p>),
    /// It is `name op= value`.
    Augmented(Node<'p>),
    /// It is a parameter with an annotation.
    Annotated(Node<'p>),
    /// It gives the name a value that is not evident.
    Unknown,
}

impl Query<'_> {
    fn of(&mut self, node: Node<'_>, depth: usize) -> Type {
        let Some(depth) = depth.checked_sub(1) else { return Type::Unknown };
        let Some(steps_left) = self.steps_left.checked_sub(1) else { return Type::Unknown };
        self.steps_left = steps_left;
        match node.kind() {
            Kind::Identifier => self.of_name(node, depth),
            Kind::Integer if node.text().ends_with(['j', 'J']) => Type::Unknown,
            Kind::Integer => INTEGER,
            Kind::Float if node.text().ends_with(['j', 'J']) => Type::Unknown,
            Kind::Float => FLOAT,
            Kind::True | Kind::False => Type::Boolean,
            Kind::None => Type::Null,
            Kind::String => self.of_string(node),
            Kind::ConcatenatedString => {
                node.named_children().next().map_or(Type::Unknown, |first| self.of(first, depth))
            }
            Kind::List => self.of_list(node, depth),
            Kind::ListComprehension => Type::Array(Box::new(Type::Unknown)),
            Kind::Tuple | Kind::ExpressionList => Type::Outside("tuple".to_owned()),
            Kind::Dictionary | Kind::DictionaryComprehension => Type::Outside("dict".to_owned()),
            Kind::Set | Kind::SetComprehension => Type::Outside("set".to_owned()),
            Kind::GeneratorExpression => Type::Outside("generator".to_owned()),
            Kind::ParenthesizedExpression | Kind::Type => {
                node.named_children().next().map_or(Type::Unknown, |inner| self.of(inner, depth))
            }
            Kind::NamedExpression => node.child(Field::Value).map_or(Type::Unknown, |value| self.of(value, depth)),
            Kind::NotOperator => Type::Boolean,
            Kind::UnaryOperator => self.of_unary(node, depth),
            Kind::BinaryOperator => match operands(node) {
                Some((left, operator, right)) => self.of_arithmetic(left, operator, right, depth),
                None => Type::Unknown,
            },
            Kind::ComparisonOperator => self.of_comparison(node, depth),
            Kind::BooleanOperator => match operands(node) {
                Some((left, _, right)) => agreed([left, right].map(|side| self.of(side, depth))),
                None => Type::Unknown,
            },
            Kind::ConditionalExpression => {
                let mut parts = node.named_children();
                let (Some(value), _, Some(other)) = (parts.next(), parts.next(), parts.next()) else {
                    return Type::Unknown;
                };
                agreed([value, other].map(|side| self.of(side, depth)))
            }
            Kind::Subscript => self.of_subscript(node, depth),
            Kind::Attribute => match self.attribute_symbol(node) {
                Some(symbol) if self.scopes.symbol(symbol).kind == SymbolKind::Type => self.of_class(node, symbol),
                _ => Type::Unknown,
            },
            Kind::Call => self.of_call(node, depth),
            _ => Type::Unknown,
        }
    }

    fn of_string(&mut self, node: Node<'_>) -> Type {
        let prefix = node.text().split(['"', '\'']).next().unwrap_or_default();
        let is_bytes = prefix.contains(['b', 'B']) && !self.scopes.python.is_python_2;
        if is_bytes { Type::Outside("bytes".to_owned()) } else { Type::Text }
    }

    fn of_list(&mut self, node: Node<'_>, depth: usize) -> Type {
        let mut element: Option<Type> = None;
        for child in node.named_children() {
            let found = self.of(child, depth);
            if found == Type::Unknown || element.as_ref().is_some_and(|element| *element != found) {
                element = None;
                break;
            }
            element = Some(found);
        }
        Type::Array(Box::new(element.unwrap_or(Type::Unknown)))
    }

    fn of_unary(&mut self, node: Node<'_>, depth: usize) -> Type {
        let (Some(operator), Some(argument)) = (node.child(Field::Operator), node.child(Field::Argument)) else {
            return Type::Unknown;
        };
        match (operator.text(), self.of(argument, depth)) {
            (_, Type::Boolean | INTEGER) => INTEGER,
            ("+" | "-", FLOAT) => FLOAT,
            _ => Type::Unknown,
        }
    }

    fn of_arithmetic(&mut self, left: Node<'_>, operator: &str, right: Node<'_>, depth: usize) -> Type {
        let left_type = self.of(left, depth);
        // Formatting gives a text whatever is formatted.
        if left_type == Type::Text && operator == "%" {
            return Type::Text;
        }
        if left_type == Type::Unknown {
            return Type::Unknown;
        }
        let right_type = self.of(right, depth);
        self.of_operation(left_type, operator, right_type, right)
    }

    fn of_operation(&mut self, left: Type, operator: &str, right: Type, right_node: Node<'_>) -> Type {
        match (left, operator, right) {
            (Type::Boolean, "&" | "|" | "^", Type::Boolean) => Type::Boolean,
            (
                Type::Boolean | INTEGER,
                "+" | "-" | "*" | "//" | "%" | "&" | "|" | "^" | "<<" | ">>",
                Type::Boolean | INTEGER,
            ) => INTEGER,
            (FLOAT, "+" | "-" | "*" | "/" | "//" | "%", Type::Boolean | INTEGER | FLOAT) => FLOAT,
            (Type::Boolean | INTEGER, "+" | "-" | "*" | "/" | "//" | "%", FLOAT) => FLOAT,
            (Type::Boolean | INTEGER, "/", Type::Boolean | INTEGER) if !self.scopes.python.is_python_2 => FLOAT,
            // A negative exponent would make a fraction, a fractional one even a complex number.
            (Type::Boolean | INTEGER, "**", INTEGER) if is_written_out(right_node) => INTEGER,
            (FLOAT, "**", Type::Boolean | INTEGER) => FLOAT,
            (Type::Text, "+", Type::Text) => Type::Text,
            (Type::Text, "*", Type::Boolean | INTEGER) | (Type::Boolean | INTEGER, "*", Type::Text) => Type::Text,
            (Type::Array(one), "+", Type::Array(other)) => {
                Type::Array(if one == other { one } else { Box::new(Type::Unknown) })
            }
            (Type::Array(element), "*", Type::Boolean | INTEGER) => Type::Array(element),
            (Type::Boolean | INTEGER, "*", Type::Array(element)) => Type::Array(element),
            _ => Type::Unknown,
        }
    }

    /// Comparisons of built-in values are truth values; other classes may answer what they like. Identity
    /// and membership are always truth values.
    fn of_comparison(&mut self, node: Node<'_>, depth: usize) -> Type {
        let always =
            |operator: Node<'_>| matches!(operator.text().split_whitespace().next(), Some("is" | "in" | "not"));
        if node.children_at(Field::Operators).all(always) {
            return Type::Boolean;
        }
        let is_built_in = |side: Node<'_>| match self.of(side, depth) {
            Type::Boolean | Type::Null | Type::Number(_) | Type::Text | Type::Array(_) => true,
            Type::Outside(name) => matches!(name.as_str(), "tuple" | "dict" | "set" | "bytes" | "range"),
            _ => false,
        };
        let are_built_in = node.named_children().all(is_built_in);
        if are_built_in { Type::Boolean } else { Type::Unknown }
    }

    fn of_subscript(&mut self, node: Node<'_>, depth: usize) -> Type {
        let Some(value) = node.child(Field::Value) else { return Type::Unknown };
        let mut subscripts = node.children_at(Field::Subscript);
        let (Some(subscript), None) = (subscripts.next(), subscripts.next()) else { return Type::Unknown };
        match (self.of(value, depth), subscript.kind()) {
            (Type::Text, _) => Type::Text,
            (Type::Array(element), Kind::Slice) => Type::Array(element),
            (Type::Array(element), _) if self.of(subscript, depth) == INTEGER => *element,
            _ => Type::Unknown,
        }
    }

    fn of_call(&mut self, node: Node<'_>, depth: usize) -> Type {
        let Some(callee) = node.child(Field::Function) else { return Type::Unknown };
        match callee.kind() {
            Kind::Identifier => match self.scopes.target(callee) {
                Some(Target::Symbol(symbol)) => self.of_call_of(callee, symbol),
                Some(Target::Outside) => builtins::result(self, callee, node, depth),
                Some(Target::Member | Target::Unknown) | None => Type::Unknown,
            },
            Kind::Attribute => {
                if let Some(symbol) = self.attribute_symbol(callee) {
                    return self.of_call_of(callee, symbol);
                }
                let (Some(receiver), Some(name)) = (callee.child(Field::Object), callee.child(Field::Attribute)) else {
                    return Type::Unknown;
                };
                match self.of(receiver, depth) {
                    Type::Text => builtins::result_of_text_method(name.text()),
                    _ => Type::Unknown,
                }
            }
            _ => Type::Unknown,
        }
    }

    fn of_name(&mut self, node: Node<'_>, depth: usize) -> Type {
        let Some(symbol) = self.scopes.symbol_at(node) else { return Type::Unknown };
        self.of_symbol(node, symbol, depth)
    }

    /// The type of a symbol; `node` is any node of the program.
    fn of_symbol(&mut self, node: Node<'_>, symbol: SymbolId, depth: usize) -> Type {
        let entry = self.scopes.symbol(symbol);
        match entry.kind {
            SymbolKind::Type => self.of_class(node, symbol),
            SymbolKind::Function if self.function_of(node, symbol).is_some() => Type::Function(symbol),
            SymbolKind::Import if self.is_module(node, symbol) => Type::Module,
            SymbolKind::Parameter => match self.class_received(node, symbol) {
                Some(class) => Type::Declared(class),
                None => self.of_variable(node, symbol, depth),
            },
            // What `import *` brings may take the place of a variable of the module.
            SymbolKind::Global if self.scopes.python.has_wildcard_import => Type::Unknown,
            SymbolKind::Local | SymbolKind::Global => self.of_variable(node, symbol, depth),
            _ => Type::Unknown,
        }
    }

    /// The one identifier that binds the symbol; `None` when there are several.
    fn only_binding<'p>(&self, node: Node<'p>, symbol: SymbolId) -> Option<Node<'p>> {
        if self.occurs_too_often(symbol) {
            return None;
        }
        let program = node.program();
        let mut bindings = self
            .scopes
            .references_of(symbol)
            .map(|reference| program.node(reference.node))
            .filter(|&name| !matches!(occurrence(name), Occurrence::Use));
        let only = bindings.next()?;
        bindings.next().is_none().then_some(only)
    }

    fn occurs_too_often(&self, symbol: SymbolId) -> bool {
        self.scopes.references_of(symbol).size_hint().0 > MOST_OCCURRENCES
    }

    /// A class is evident when its name is bound once and no decorator may have replaced it.
    fn of_class(&self, node: Node<'_>, symbol: SymbolId) -> Type {
        let definition = self.only_binding(node, symbol).and_then(Node::parent);
        let is_evident = definition.is_some_and(|definition| {
            definition.kind() == Kind::ClassDefinition && facts::is_what_it_seems(definition)
        });
        let has_body = self.scopes.symbol(symbol).members.is_some();
        if is_evident && has_body { Type::Declared(symbol) } else { Type::Unknown }
    }

    /// The definition of a function whose name is bound once and that no decorator has replaced.
    fn function_of<'p>(&self, node: Node<'p>, symbol: SymbolId) -> Option<Node<'p>> {
        let definition = self.only_binding(node, symbol)?.parent()?;
        (definition.kind() == Kind::FunctionDefinition && facts::is_what_it_seems(definition)).then_some(definition)
    }

    /// Is every binding of the name `import a`, `import a.b` or `import a as b`?
    fn is_module(&self, node: Node<'_>, symbol: SymbolId) -> bool {
        let program = node.program();
        !self.occurs_too_often(symbol)
            && self.scopes.references_of(symbol).all(|reference| {
                let name = program.node(reference.node);
                let statement = || name.parent().and_then(Node::parent);
                matches!(occurrence(name), Occurrence::Use)
                    || statement().is_some_and(|statement| statement.kind() == Kind::ImportStatement)
            })
    }

    /// The class whose methods receive their object (or the class itself) in this parameter.
    fn class_received(&self, node: Node<'_>, symbol: SymbolId) -> Option<SymbolId> {
        let entry = self.scopes.symbol(symbol);
        let scope = self.scopes.scope(entry.scope);
        let method = node.program().node(scope.node);
        if method.kind() != Kind::FunctionDefinition {
            return None;
        }
        let is_block = |id: &_| self.scopes.scope(*id).kind == ScopeKind::Block;
        let class = self.scopes.enclosing(entry.scope).skip(1).find(|around| !is_block(around))?;
        let owner = self.scopes.scope(class).owner?;
        let is_receiver = self.scopes.scope(class).kind == ScopeKind::Type
            && self.scopes.symbol(owner).members == Some(class)
            && facts::receiver_parameter(method).is_some_and(|name| name.id() == entry.declaration);
        (is_receiver && self.only_binding(node, symbol).is_some()).then_some(owner)
    }

    /// The type that all bindings of a variable agree on.
    fn of_variable(&mut self, node: Node<'_>, symbol: SymbolId, depth: usize) -> Type {
        if let Some((_, assumption)) = self.assumed.iter().find(|(other, _)| *other == symbol) {
            return assumption.clone();
        }
        if self.occurs_too_often(symbol) {
            return Type::Unknown;
        }
        let program = node.program();
        let scopes = self.scopes;
        let mut bindings = Vec::new();
        for reference in scopes.references_of(symbol) {
            match occurrence(program.node(reference.node)) {
                Occurrence::Use => {}
                Occurrence::Unknown => return Type::Unknown,
                binding => bindings.push(binding),
            }
        }
        let before = self.assumed.len();
        self.assumed.push((symbol, Type::Unknown));
        let mut agreed: Option<Type> = None;
        let mut undecided = Vec::new();
        for binding in bindings {
            match self.of_binding(&binding, symbol, depth) {
                Type::Unknown => undecided.push(binding),
                found if agreed.as_ref().is_none_or(|agreed| *agreed == found) => agreed = Some(found),
                _ => {
                    self.assumed.truncate(before);
                    return Type::Unknown;
                }
            }
        }
        self.assumed.truncate(before);
        let Some(agreed) = agreed else { return Type::Unknown };
        self.assumed.push((symbol, agreed.clone()));
        let all_agree = undecided.iter().all(|binding| self.of_binding(binding, symbol, depth) == agreed);
        self.assumed.truncate(before);
        if all_agree { agreed } else { Type::Unknown }
    }

    fn of_binding(&mut self, binding: &Occurrence<'_>, symbol: SymbolId, depth: usize) -> Type {
        let found = match *binding {
            Occurrence::Use | Occurrence::Unknown => Type::Unknown,
            Occurrence::Value(value) => self.of(value, depth),
            Occurrence::Element(iterable) => self.of_element(iterable, depth),
            Occurrence::Position(iterable) => match iterable.child(Field::Function) {
                Some(callee) if callee.text() == "enumerate" && builtins::is_builtin(self.scopes, callee) => INTEGER,
                _ => Type::Unknown,
            },
            Occurrence::Augmented(assignment) => {
                let assumption = self.assumed.iter().find(|(other, _)| *other == symbol);
                let left = assumption.map_or(Type::Unknown, |(_, assumption)| assumption.clone());
                match operands(assignment) {
                    Some((_, "%=", _)) if left == Type::Text => Type::Text,
                    Some((_, operator, right)) => {
                        let right_type = self.of(right, depth);
                        self.of_operation(left, operator.trim_end_matches('='), right_type, right)
                    }
                    None => Type::Unknown,
                }
            }
            Occurrence::Annotated(annotation) => self.of_annotation(annotation),
        };
        // Any code that has the list may put other elements into it.
        if matches!(found, Type::Array(_)) { Type::Array(Box::new(Type::Unknown)) } else { found }
    }

    /// An annotation counts when it names a class of the input.
    fn of_annotation(&mut self, annotation: Node<'_>) -> Type {
        let Some(name) = annotation.named_children().next() else { return Type::Unknown };
        match self.scopes.symbol_at(name) {
            Some(symbol) if self.scopes.symbol(symbol).kind == SymbolKind::Type => self.of_class(name, symbol),
            _ => Type::Unknown,
        }
    }

    /// The type of what a loop over `iterable` gives.
    fn of_element(&mut self, iterable: Node<'_>, depth: usize) -> Type {
        match self.of(iterable, depth) {
            Type::Text => Type::Text,
            Type::Array(element) => *element,
            Type::Outside(name) if matches!(name.as_str(), "range" | "xrange" | "bytes") => INTEGER,
            _ => Type::Unknown,
        }
    }

    fn attribute_symbol(&self, attribute: Node<'_>) -> Option<SymbolId> {
        self.scopes.symbol_at(attribute.child(Field::Attribute)?)
    }

    /// What calling a class or a function of the input gives.
    fn of_call_of(&mut self, node: Node<'_>, symbol: SymbolId) -> Type {
        match self.scopes.symbol(symbol).kind {
            SymbolKind::Type => match self.of_class(node, symbol) {
                Type::Declared(class) if self.makes_its_objects(node, class) => Type::Declared(class),
                _ => Type::Unknown,
            },
            SymbolKind::Function => {
                let Some(function) = self.function_of(node, symbol) else { return Type::Unknown };
                let makes_something_else =
                    facts::decorators(function).any(|decorator| facts::decorator_name(decorator) == "contextmanager");
                // A method may be overridden by one that gives something else.
                let is_method = self.scopes.scope(self.scopes.symbol(symbol).scope).kind == ScopeKind::Type;
                match function.child(Field::ReturnType) {
                    Some(annotation) if !makes_something_else && !is_method && !function.has_token("async") => {
                        self.of_annotation(annotation)
                    }
                    _ => Type::Unknown,
                }
            }
            _ => Type::Unknown,
        }
    }

    /// Does calling the class give an object of it? A metaclass or `__new__` could give anything.
    fn makes_its_objects(&self, node: Node<'_>, class: SymbolId) -> bool {
        let Some(members) = self.scopes.symbol(class).members else { return false };
        let definition = node.program().node(self.scopes.scope(members).node);
        let has_keyword = definition
            .child(Field::Superclasses)
            .is_some_and(|bases| bases.named_children().any(|base| base.kind() == Kind::KeywordArgument));
        let is_new = |statement: Node<'_>| {
            let definition = statement.child(Field::Definition).unwrap_or(statement);
            definition.child(Field::Name).is_some_and(|name| name.text() == "__new__")
        };
        !has_keyword && !definition.child(Field::Body).is_some_and(|body| body.named_children().any(is_new))
    }
}

/// The operands and the operator of a binary operation or an augmented assignment.
fn operands(node: Node<'_>) -> Option<(Node<'_>, &str, Node<'_>)> {
    Some((node.child(Field::Left)?, node.child(Field::Operator)?.text(), node.child(Field::Right)?))
}

fn agreed([one, other]: [Type; 2]) -> Type {
    if one == other { one } else { Type::Unknown }
}

/// What the identifier does to the name.
fn occurrence(name: Node<'_>) -> Occurrence<'_> {
    let Some(parent) = name.parent() else { return Occurrence::Use };
    match (parent.kind(), name.role()) {
        (Kind::Assignment, Field::Left) => match assigned_value(parent) {
            Some(value) => Occurrence::Value(value),
            // `x: int` alone gives no value.
            None => Occurrence::Use,
        },
        (Kind::AugmentedAssignment, Field::Left) => Occurrence::Augmented(parent),
        (Kind::NamedExpression, Field::Name) => {
            parent.child(Field::Value).map_or(Occurrence::Unknown, Occurrence::Value)
        }
        (Kind::ForStatement | Kind::ForInClause, Field::Left) => {
            only_iterable(parent).map_or(Occurrence::Unknown, Occurrence::Element)
        }
        (Kind::TypedParameter | Kind::TypedDefaultParameter, Field::None | Field::Name) => {
            match (parent.child(Field::Type), parent.child(Field::Value)) {
                // A default value of another type is common: `def f(node: Node = None)`.
                (Some(annotation), None) => Occurrence::Annotated(annotation),
                _ => Occurrence::Unknown,
            }
        }
        (Kind::DefaultParameter, Field::Name) | (Kind::Parameters | Kind::LambdaParameters, _) => Occurrence::Unknown,
        (Kind::FunctionDefinition | Kind::ClassDefinition, Field::Name) => Occurrence::Unknown,
        (Kind::AliasedImport, Field::Alias) => Occurrence::Unknown,
        (Kind::DottedName, _) => dotted_name(name, parent),
        (Kind::SplatPattern, _) => Occurrence::Unknown,
        (Kind::AsPattern, _) if parent.parent().is_some_and(|around| around.kind() == Kind::CasePattern) => {
            Occurrence::Unknown
        }
        (Kind::ExceptClause, Field::Value | Field::Alias) => except_clause(name, parent),
        (Kind::PatternList | Kind::TuplePattern, _) => {
            in_sequence(name, parent).unwrap_or_else(|| nested_target(parent))
        }
        _ if facts::is_target_part(parent.kind()) => nested_target(parent),
        _ => Occurrence::Use,
    }
}

/// The value at the end of `a = b = value`.
fn assigned_value(assignment: Node<'_>) -> Option<Node<'_>> {
    let mut value = assignment.child(Field::Right)?;
    while value.kind() == Kind::Assignment {
        value = value.child(Field::Right)?;
    }
    Some(value)
}

fn only_iterable(node: Node<'_>) -> Option<Node<'_>> {
    let mut iterables = node.children_at(Field::Right);
    let only = iterables.next()?;
    iterables.next().is_none().then_some(only)
}

/// A name in an import or a pattern: alone it is bound, and so is the first of an import.
fn dotted_name<'p>(name: Node<'p>, dotted: Node<'p>) -> Occurrence<'p> {
    let is_alone = dotted.named_children().count() == 1;
    let is_imported = dotted.role() == Field::Name
        && dotted.parent().is_some_and(|parent| parent.kind() != Kind::AliasedImport)
        && dotted.named_children().next() == Some(name);
    let is_class_of_pattern = dotted.parent().is_some_and(|parent| parent.kind() == Kind::ClassPattern);
    if (is_alone || is_imported) && !is_class_of_pattern { Occurrence::Unknown } else { Occurrence::Use }
}

fn except_clause<'p>(value: Node<'p>, clause: Node<'p>) -> Occurrence<'p> {
    let is_first = clause.child(Field::Value) == Some(value);
    if is_first { Occurrence::Use } else { Occurrence::Unknown }
}

/// A name in `a, b = value, other`, or in `for a, b in enumerate(values)`.
fn in_sequence<'p>(name: Node<'p>, pattern: Node<'p>) -> Option<Occurrence<'p>> {
    let parent = pattern.parent().filter(|_| pattern.role() == Field::Left)?;
    let place = pattern.named_children().position(|part| part == name)?;
    match parent.kind() {
        Kind::Assignment => {
            let values = assigned_value(parent)?;
            let is_plain = |sequence: Node<'_>| {
                !sequence.named_children().any(|part| matches!(part.kind(), Kind::ListSplat | Kind::ListSplatPattern))
            };
            let matches = matches!(values.kind(), Kind::ExpressionList | Kind::Tuple)
                && values.named_children().count() == pattern.named_children().count()
                && is_plain(values)
                && is_plain(pattern);
            if matches { values.named_children().nth(place).map(Occurrence::Value) } else { None }
        }
        Kind::ForStatement | Kind::ForInClause if place == 0 => {
            only_iterable(parent).filter(|iterable| iterable.kind() == Kind::Call).map(Occurrence::Position)
        }
        _ => None,
    }
}

/// Is the part of a possible target really assigned to? Its value is not evident then.
fn nested_target(part: Node<'_>) -> Occurrence<'_> {
    let mut top = part;
    loop {
        let Some(parent) = top.parent() else { return Occurrence::Use };
        match parent.kind() {
            _ if top.kind() == Kind::AsPatternTarget => return Occurrence::Unknown,
            kind if facts::is_target_part(kind) => top = parent,
            Kind::Assignment | Kind::AugmentedAssignment | Kind::ForStatement | Kind::ForInClause => {
                return if top.role() == Field::Left { Occurrence::Unknown } else { Occurrence::Use };
            }
            Kind::Parameters | Kind::LambdaParameters | Kind::TypedParameter => return Occurrence::Unknown,
            Kind::DefaultParameter if top.role() == Field::Name => return Occurrence::Unknown,
            Kind::ExceptClause => return except_clause(top, parent),
            _ => return Occurrence::Use,
        }
    }
}

/// Is the expression a whole number, perhaps in parentheses?
fn is_written_out(number: Node<'_>) -> bool {
    match number.kind() {
        Kind::ParenthesizedExpression => number.named_children().next().is_some_and(is_written_out),
        kind => kind == Kind::Integer,
    }
}

#[cfg(test)]
mod tests {
    use super::{FLOAT, INTEGER};
    use crate::{Language, Node, Program, Type};

    /// The type of the expression after the last `probe =`.
    fn type_of_probe(text: &str) -> (Program, Type) {
        let program = Program::parse(Language::Python, text);
        assert!(!program.is_broken(), "{text}");
        let probe = |node: &Node<'_>| node.text() == "probe" && node.role() == crate::Field::Left;
        let name = program.nodes().filter(probe).last().expect("the text has a probe");
        let value = name.parent().and_then(|assignment| assignment.child(crate::Field::Right));
        let found = program.type_of(value.expect("the probe has a value"));
        (program, found)
    }

    fn check(text: &str, expected: Type) {
        assert_eq!(type_of_probe(text).1, expected, "{text}");
    }

    /// The probe is an object of, or the class of, this name.
    fn check_class(text: &str, class: &str) {
        match type_of_probe(text) {
            (program, Type::Declared(symbol)) => assert_eq!(program.name_of(symbol), class, "{text}"),
            (_, other) => panic!("{other:?} for {text}"),
        }
    }

    fn outside(name: &str) -> Type {
        Type::Outside(name.to_owned())
    }

    fn list_of(element: Type) -> Type {
        Type::Array(Box::new(element))
    }

    #[test]
    fn literals() {
        check("probe = 1", INTEGER);
        check("probe = 0xFF", INTEGER);
        check("probe = 1.5e3", FLOAT);
        check("probe = 2j", Type::Unknown);
        check("probe = 1.5j", Type::Unknown);
        check("probe = 'a'", Type::Text);
        check("probe = f'{x}'", Type::Text);
        check("probe = 'a' 'b'", Type::Text);
        check("probe = b'a'", outside("bytes"));
        check("probe = None", Type::Null);
        check("probe = True", Type::Boolean);
        check("probe = [1, 2]", list_of(INTEGER));
        check("probe = [1, 'a']", list_of(Type::Unknown));
        check("probe = []", list_of(Type::Unknown));
        check("probe = (1, 2)", outside("tuple"));
        check("probe = 1, 2", outside("tuple"));
        check("probe = {}", outside("dict"));
        check("probe = {1}", outside("set"));
        check("probe = {x: 1 for x in y}", outside("dict"));
    }

    #[test]
    fn arithmetic() {
        check("probe = 1 + 2 * 3", INTEGER);
        check("probe = 1 + 2.0", FLOAT);
        check("probe = 7 / 2", FLOAT);
        check("print 'x'\nprobe = 7 / 2", Type::Unknown);
        check("print 'x'\nprobe = 7 / 2.0", FLOAT);
        check("probe = 7 // 2", INTEGER);
        check("probe = 7.0 // 2", FLOAT);
        check("probe = 7 % 2", INTEGER);
        check("probe = 2 ** 3", INTEGER);
        check("probe = 2 ** -3", Type::Unknown);
        check("n = 3\nprobe = 2 ** n", Type::Unknown);
        check("probe = -True", INTEGER);
        check("probe = ~1", INTEGER);
        check("probe = True & False", Type::Boolean);
        check("probe = 1 << 4", INTEGER);
        check("probe = unknown + 1", Type::Unknown);
        check("probe = 'a' + 'b'", Type::Text);
        check("probe = 'a' + b", Type::Unknown);
        check("probe = '%s' % b", Type::Text);
        check("probe = 'a' * 3", Type::Text);
        check("probe = [0] * 3", list_of(INTEGER));
        check("probe = [0] + ['a']", list_of(Type::Unknown));
    }

    #[test]
    fn truth() {
        check("probe = 1 < 2 < 3", Type::Boolean);
        check("probe = 1 < x", Type::Unknown);
        check("probe = x is None", Type::Boolean);
        check("probe = x not in y", Type::Boolean);
        check("probe = not x", Type::Boolean);
        check("probe = 1 and 2", INTEGER);
        check("probe = 1 or 'a'", Type::Unknown);
        check("probe = 1 if x else 2", INTEGER);
        check("probe = 1 if x else None", Type::Unknown);
        check("probe = (y := 5)", INTEGER);
    }

    #[test]
    fn calls_of_built_in_functions() {
        check("probe = len(x)", INTEGER);
        check("probe = abs(-1.0)", FLOAT);
        check("probe = abs(x)", Type::Unknown);
        check("probe = range(3)", outside("range"));
        check("probe = input()", Type::Text);
        check("print 'x'\nprobe = input()", Type::Unknown);
        check("probe = sorted(x)", list_of(Type::Unknown));
        check("probe = max(1, 2)", INTEGER);
        check("probe = max(1, 2.0)", Type::Unknown);
        check("probe = max(x)", Type::Unknown);
        check("probe = round(2.5)", INTEGER);
        check("def len(x): return x\nprobe = len(1)", Type::Unknown);
        check("from numpy import *\nprobe = abs(1)", Type::Unknown);
        check("probe = ', '.join(x)", Type::Text);
        check("probe = 'a b'.split()", list_of(Type::Text));
        check("probe = 'a b'.split()[0]", Type::Text);
        check("probe = 'abc'[1:]", Type::Text);
        check("probe = x.split()", Type::Unknown);
    }

    #[test]
    fn variables_have_the_type_that_all_bindings_agree_on() {
        check("total = 0\nfor x in y:\n    total += 1\nprobe = total", INTEGER);
        check("total = 0\nfor x in y:\n    total += x\nprobe = total", Type::Unknown);
        check("n = 0\nn = n + 1\nn = n * n\nprobe = n", INTEGER);
        check("n = 0\nn = n / 2\nprobe = n", Type::Unknown);
        check("a, b = 0, 1\na, b = b, a + b\nprobe = a", INTEGER);
        check("a, b = f()\nprobe = a", Type::Unknown);
        check("a = b = 'x'\nprobe = a", Type::Text);
        check("x = None\nx = 5\nprobe = x", Type::Unknown);
        check("x = 5\ndef f():\n    global x\n    x = 'a'\nprobe = x", Type::Unknown);
        check("x: int\nx = 5\nprobe = x", INTEGER);
        check("for i in range(3):\n    probe = i", INTEGER);
        check("for i, x in enumerate(y):\n    probe = i", INTEGER);
        check("for i, x in enumerate(y):\n    probe = x", Type::Unknown);
        check("for c in 'abc':\n    probe = c", Type::Text);
        check("x = 1\nfor x in y: pass\nprobe = x", Type::Unknown);
        check("x = 1\nwith f() as x: pass\nprobe = x", Type::Unknown);
        check("x = 1\ntry: pass\nexcept E as x: pass\nprobe = x", Type::Unknown);
        check("x = 1\nmatch y:\n    case [x]: pass\nprobe = x", Type::Unknown);
        check("x = 1\nfrom m import x\nprobe = x", Type::Unknown);
        check("x = 1\n[x, y] = f()\nprobe = x", Type::Unknown);
        check("x = 1\n(y, (x, z)) = f()\nprobe = x", Type::Unknown);
        check("if (n := len(y)) > 3:\n    probe = n", INTEGER);
        check("x = [1]\nx.append('a')\nprobe = x", list_of(Type::Unknown));
        check("from m import *\nx = 1\nprobe = x", Type::Unknown);
        check("def f():\n    x = 1\n    def g():\n        nonlocal x\n        x = 'a'\n    probe = x", Type::Unknown);
    }

    #[test]
    fn annotations_are_not_enforced() {
        check("def f(x: int):\n    probe = x", Type::Unknown);
        check("def f(x=1):\n    probe = x", Type::Unknown);
        check("def f() -> int:\n    return 1\nprobe = f()", Type::Unknown);
        check_class("class A: pass\ndef f(x: A):\n    probe = x", "A");
        check("class A: pass\ndef f(x: A = None):\n    probe = x", Type::Unknown);
        check("class A: pass\ndef f(x: A):\n    x = 1\n    probe = x", Type::Unknown);
        check_class("class A: pass\ndef f() -> A:\n    return A()\nprobe = f()", "A");
    }

    #[test]
    fn classes_and_their_objects() {
        check_class("class A: pass\nprobe = A", "A");
        check_class("class A: pass\nprobe = A()", "A");
        check_class("class A: pass\na = A()\nprobe = a", "A");
        check_class("class A:\n    def f(self):\n        probe = self", "A");
        check_class("class A:\n    @classmethod\n    def f(cls):\n        probe = cls", "A");
        check("class A:\n    @staticmethod\n    def f(a):\n        probe = a", Type::Unknown);
        check("class A:\n    def f(self):\n        self = 1\n        probe = self", Type::Unknown);
        check("class A:\n    def f(self):\n        self.x = 1\n        probe = self.x", Type::Unknown);
        check("class A: pass\nA = wrap(A)\nprobe = A()", Type::Unknown);
        check("@register\nclass A: pass\nprobe = A()", Type::Unknown);
        check_class("@dataclass\nclass A: pass\nprobe = A()", "A");
        check("class A(metaclass=M): pass\nprobe = A()", Type::Unknown);
        check("class A:\n    def __new__(cls): return 1\nprobe = A()", Type::Unknown);
        check_class("class A:\n    class B: pass\nprobe = A.B()", "B");
        check("type A = int\nprobe = A", Type::Unknown);
    }

    #[test]
    fn functions_and_modules() {
        assert!(matches!(type_of_probe("def f(): pass\nprobe = f").1, Type::Function(_)));
        check("def f(): pass\nf = 1\nprobe = f", Type::Unknown);
        check("import os\nprobe = os", Type::Module);
        check("import os.path as path\nprobe = path", Type::Module);
        check("import os\nimport os.path\nprobe = os", Type::Module);
        check("from os import path\nprobe = path", Type::Unknown);
        check("try: import a\nexcept ImportError: a = None\nprobe = a", Type::Unknown);
    }

    #[test]
    fn declaring_identifiers_have_types_too() {
        let program = Program::parse(Language::Python, "def f():\n    total = 0\n    total += 1\n");
        let name = program.nodes().find(|node| node.text() == "total").unwrap();
        assert_eq!(program.type_of(name), INTEGER);
    }

    #[test]
    fn endless_chains_end() {
        let mut text = "a0 = a1\n".to_owned();
        for index in 1..300 {
            text += &format!("a{index} = a{}\na{index} = a{}\n", index - 1, index + 1);
        }
        check(&format!("{text}probe = a0"), Type::Unknown);
    }
}
