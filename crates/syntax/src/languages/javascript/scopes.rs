//! JavaScript's names.
//!
//! The walk declares as it goes and looks names up at the end, so hoisting needs no pass of its own. The
//! rules behind the tables:
//! - A function is one scope. What its body declares holds from the body on, so the defaults of its
//!   parameters do not see it. A `var` of a parameter's name is the parameter.
//! - A function in a block belongs to the block. In sloppy code it is a variable of the function around
//!   it, too, unless a parameter or a lexical name is in the way: both are one symbol.
//! - `catch (e) { var e = 1; }` declares a variable of the function and writes the parameter with one
//!   identifier, so the two are one symbol.
//! - A name that is assigned in sloppy code and declared nowhere is a global, declared where it is first
//!   assigned. Names that the language or its usual hosts have are theirs.
//! - What a `with` or a direct `eval` could hide is unknown.
//! - A member belongs to its class through `this`, `super`, the class's own name, or a variable that is
//!   bound once to `new` of the class. Private names belong to the class around them. A getter or setter
//!   is a field, because that is how it is used. `this.x = …` declares a field when the class and its
//!   ancestors have none and all of them are here.
//! - A member of a class that extends something from elsewhere may override a member there.
//! - Everything else after a dot, and every key of an object, is a member of something. JavaScript
//!   reaches members by spelling in many ways (keys, shorthands, patterns, computed names), so whoever
//!   renames a member has to look for its spelling, too.

use crate::kind::{Field, Kind};
use crate::language::Language;
use crate::languages::javascript::facts::{STANDARD_MEMBERS, STANDARD_OBJECTS};
use crate::names;
use crate::reading::Context;
use crate::scopes::builder::{Builder, Space, Spaces};
use crate::scopes::{ScopeId, ScopeKind, SymbolId, SymbolKind, Target};
use crate::tree::Node;
use crate::types::{self, Type};

const VALUES: &[Space] = &[Space::Value];
const LABELS: &[Space] = &[Space::Label];
/// Members of the objects of a class; private names, too, whose `#` keeps them apart.
const INSTANCE: Space = Space::Member;
/// Members of the class itself. JavaScript has no other use for this space.
const STATIC: Space = Space::Function;

const FILE: ScopeId = ScopeId(0);

pub(crate) fn walk(builder: &mut Builder<'_>) {
    let root = builder.program.root();
    let mut walk = Walk::new(builder);
    match root.program().context() {
        Context::Members => walk.members_without_class(root),
        _ => walk.visit_children(root),
    }
    walk.resolve();
}

/// How an identifier in a pattern comes to its value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Binding {
    Var { is_initialised: bool },
    Lexical,
    Parameter,
    CatchParameter,
    Assignment,
}

/// What `this` is at some place.
#[derive(Clone, Copy)]
enum This {
    /// An object of the class with this number.
    Instance(usize),
    /// The class with this number.
    Static(usize),
    /// Whatever the caller says.
    Other,
}

/// What the function around the walk's place says about it.
#[derive(Clone, Copy)]
struct Surroundings {
    /// The scope of `var`.
    variables: ScopeId,
    /// The first byte from which names of the body hold.
    body: usize,
    this: This,
    is_strict: bool,
    is_in_with: bool,
    is_in_catch: bool,
    /// The innermost function that has `arguments`.
    arguments: Option<ScopeId>,
}

#[derive(Clone, Copy)]
enum Heritage<'p> {
    None,
    Expression(Node<'p>),
    /// The class is not in the input.
    Absent,
}

struct Class<'p> {
    scope: ScopeId,
    heritage: Heritage<'p>,
}

/// A function in a block of sloppy code.
struct BlockFunction<'p> {
    name: Node<'p>,
    symbol: SymbolId,
    block: ScopeId,
    variables: ScopeId,
    body: usize,
}

struct PendingName<'p> {
    name: Node<'p>,
    scope: ScopeId,
    surroundings: Surroundings,
}

struct PendingMember<'p> {
    name: Node<'p>,
    receiver: Node<'p>,
    scope: ScopeId,
    this: This,
    is_assigned: bool,
}

struct Walk<'b, 'p> {
    builder: &'b mut Builder<'p>,
    around: Surroundings,
    classes: Vec<Class<'p>>,
    block_functions: Vec<BlockFunction<'p>>,
    /// By symbol: is it declared by `let`, `const`, `class` or `import`?
    is_lexical: Vec<bool>,
    assigned: Vec<PendingName<'p>>,
    /// Names whose look-up follows rules of its own: within `with`, and `arguments`.
    special: Vec<PendingName<'p>>,
    private: Vec<(Node<'p>, ScopeId)>,
    members: Vec<PendingMember<'p>>,
    /// Every identifier that gives a variable a value, but for its first declaration.
    written: Vec<Node<'p>>,
    /// Variables that a function in a block shares.
    rewritten: Vec<SymbolId>,
}

impl<'b, 'p> Walk<'b, 'p> {
    fn new(builder: &'b mut Builder<'p>) -> Walk<'b, 'p> {
        let root = builder.program.root();
        let is_module =
            root.children().any(|child| matches!(child.kind(), Kind::ImportStatement | Kind::ExportStatement));
        let around = Surroundings {
            variables: FILE,
            body: 0,
            this: This::Other,
            is_strict: is_module || has_use_strict(root),
            is_in_with: false,
            is_in_catch: false,
            arguments: None,
        };
        Walk {
            builder,
            around,
            classes: Vec::new(),
            block_functions: Vec::new(),
            is_lexical: Vec::new(),
            assigned: Vec::new(),
            special: Vec::new(),
            private: Vec::new(),
            members: Vec::new(),
            written: Vec::new(),
            rewritten: Vec::new(),
        }
    }

    fn visit_children(&mut self, node: Node<'p>) {
        for child in node.children() {
            self.visit(child);
        }
    }

    fn visit(&mut self, node: Node<'p>) {
        match node.kind() {
            Kind::Token | Kind::Comment | Kind::HtmlComment | Kind::String | Kind::Number | Kind::Regex => {}
            Kind::Identifier | Kind::ShorthandPropertyIdentifier => self.mention(node),
            // The key of an object, of a property in a pattern.
            Kind::PropertyIdentifier => self.builder.refer(node, Target::Member, false),
            Kind::PrivatePropertyIdentifier => self.private.push((node, self.builder.current())),
            Kind::MemberExpression => self.member(node, false),
            Kind::CallExpression => self.call(node),
            Kind::AssignmentExpression => self.assignment(node),
            Kind::AugmentedAssignmentExpression | Kind::UpdateExpression => self.update(node),
            Kind::VariableDeclaration => self.declarators(node, false),
            Kind::LexicalDeclaration | Kind::UsingDeclaration => self.declarators(node, true),
            Kind::StatementBlock | Kind::SwitchBody => {
                self.builder.enter(ScopeKind::Block, node);
                self.visit_children(node);
                self.builder.leave();
            }
            Kind::FunctionDeclaration | Kind::GeneratorFunctionDeclaration => self.function_declaration(node),
            Kind::FunctionExpression | Kind::GeneratorFunction => self.function_expression(node),
            Kind::ArrowFunction => self.function(node, self.around.this, None),
            Kind::MethodDefinition => {
                self.visit_all(node.child(Field::Name));
                self.function(node, This::Other, None);
            }
            Kind::ClassDeclaration => self.class_declaration(node),
            Kind::Class => self.class(node, None),
            Kind::ForStatement => self.for_statement(node),
            Kind::ForInStatement => self.for_in_statement(node),
            Kind::CatchClause => self.catch_clause(node),
            Kind::WithStatement => self.with_statement(node),
            Kind::LabeledStatement => self.labeled_statement(node),
            // The label of `break` and `continue`.
            Kind::StatementIdentifier => self.builder.mention(node, LABELS),
            Kind::ImportStatement => self.import_statement(node),
            Kind::ExportStatement => self.export_statement(node),
            Kind::JsxOpeningElement | Kind::JsxClosingElement | Kind::JsxSelfClosingElement => self.jsx_element(node),
            Kind::JsxAttribute => self.jsx_attribute(node),
            Kind::JsxNamespaceName => self.outside(node),
            _ => self.visit_children(node),
        }
    }

    fn visit_all(&mut self, nodes: impl IntoIterator<Item = Node<'p>>) {
        for node in nodes {
            self.visit(node);
        }
    }

    /// Says that every identifier in `node` is declared elsewhere.
    fn outside(&mut self, node: Node<'p>) {
        for node in node.descendants().filter(|node| node.kind().is_identifier()) {
            self.builder.refer(node, Target::Outside, false);
        }
    }

    // Names.

    fn mention(&mut self, name: Node<'p>) {
        let is_arguments = self.around.arguments.is_some() && name.text() == "arguments";
        if self.around.is_in_with || is_arguments {
            self.special.push(self.pending(name));
        } else {
            self.builder.mention(name, VALUES);
        }
    }

    fn pending(&self, name: Node<'p>) -> PendingName<'p> {
        PendingName { name, scope: self.builder.current(), surroundings: self.around }
    }

    fn member(&mut self, node: Node<'p>, is_assigned: bool) {
        let Some(receiver) = node.child(Field::Object) else { return self.visit_children(node) };
        self.visit(receiver);
        for name in node.children_at(Field::Property) {
            if name.kind() != Kind::PropertyIdentifier {
                self.visit(name);
                continue;
            }
            let scope = self.builder.current();
            self.members.push(PendingMember { name, receiver, scope, this: self.around.this, is_assigned });
        }
    }

    fn call(&mut self, node: Node<'p>) {
        let calls_eval = |callee: Node<'p>| callee.kind() == Kind::Identifier && callee.text() == "eval";
        if !self.around.is_strict && node.child(Field::Function).is_some_and(calls_eval) {
            // The evaluated text may declare variables of the function.
            self.builder.open(self.around.variables, Spaces::of(VALUES));
        }
        self.visit_children(node);
    }

    fn assignment(&mut self, node: Node<'p>) {
        for child in node.children() {
            match child.role() {
                Field::Left => self.bind(child, Binding::Assignment),
                _ => self.visit(child),
            }
        }
    }

    /// `x += 1` and `x++` read before they write, so they declare nothing.
    fn update(&mut self, node: Node<'p>) {
        for child in node.children() {
            if matches!(child.role(), Field::Left | Field::Argument) {
                let mut target = child;
                while let (Kind::ParenthesizedExpression, Some(inner)) = (target.kind(), target.named_children().next())
                {
                    target = inner;
                }
                if target.kind() == Kind::Identifier {
                    self.written.push(target);
                }
            }
            self.visit(child);
        }
    }

    // Declarations.

    fn declarators(&mut self, node: Node<'p>, is_lexical: bool) {
        let is_constant = is_lexical && node.child(Field::Kind).is_some_and(|keyword| keyword.text() == "const");
        for declarator in node.children().filter(|child| child.kind() == Kind::VariableDeclarator) {
            let Some(name) = declarator.child(Field::Name) else { continue };
            let value = declarator.child(Field::Value);
            let binding = if is_lexical { Binding::Lexical } else { Binding::Var { is_initialised: value.is_some() } };
            self.bind(name, binding);
            match value {
                Some(class) if is_constant && class.kind() == Kind::Class && name.kind() == Kind::Identifier => {
                    let variable = self.builder.bound_in(self.builder.current(), name.text(), Space::Value);
                    self.class(class, variable);
                }
                Some(value) => self.visit(value),
                None => {}
            }
        }
    }

    /// Goes over a pattern: its identifiers are bound, the expressions in it are visited.
    fn bind(&mut self, pattern: Node<'p>, binding: Binding) {
        match pattern.kind() {
            Kind::Identifier | Kind::ShorthandPropertyIdentifierPattern => self.bind_name(pattern, binding),
            Kind::ObjectPattern | Kind::ArrayPattern | Kind::RestPattern | Kind::ParenthesizedExpression => {
                for child in pattern.children() {
                    self.bind(child, binding);
                }
            }
            Kind::PairPattern | Kind::AssignmentPattern | Kind::ObjectAssignmentPattern => {
                let bound = if pattern.kind() == Kind::PairPattern { Field::Value } else { Field::Left };
                for child in pattern.children() {
                    if child.role() == bound { self.bind(child, binding) } else { self.visit(child) }
                }
            }
            Kind::MemberExpression => self.member(pattern, true),
            _ => self.visit(pattern),
        }
    }

    fn bind_name(&mut self, name: Node<'p>, binding: Binding) {
        match binding {
            Binding::Var { is_initialised } => self.declare_var(name, is_initialised),
            Binding::Lexical => {
                self.declare_lexical(name, self.variable_kind(self.builder.current()));
            }
            Binding::Parameter | Binding::CatchParameter => {
                let scope = self.builder.current();
                self.builder.declare_again(name, SymbolKind::Parameter, scope, Space::Value);
            }
            Binding::Assignment => {
                self.written.push(name);
                self.assigned.push(self.pending(name));
            }
        }
    }

    fn variable_kind(&self, scope: ScopeId) -> SymbolKind {
        if scope == FILE { SymbolKind::Global } else { SymbolKind::Local }
    }

    /// The bytes in which a name that the body of a function (or a block in it) declares in `scope` holds.
    fn holds(&self, scope: ScopeId) -> std::ops::Range<usize> {
        let start = if scope == self.around.variables { self.around.body } else { 0 };
        start..u32::MAX as usize
    }

    fn declare_var(&mut self, name: Node<'p>, is_initialised: bool) {
        let variables = self.around.variables;
        let existing = self.builder.bound_in(variables, name.text(), Space::Value);
        if is_initialised && existing.is_some() {
            self.written.push(name);
        }
        match (existing, self.catch_parameter(name.text())) {
            (None, None) => {
                let kind = self.variable_kind(variables);
                self.builder.declare_within(name, kind, variables, Space::Value, self.holds(variables));
            }
            (Some(symbol), None) => self.builder.refer(name, Target::Symbol(symbol), false),
            (existing, Some(parameter)) => {
                match existing {
                    Some(symbol) => self.builder.merge(symbol, parameter),
                    None => self.builder.bind(name.text(), parameter, variables, Space::Value, self.holds(variables)),
                }
                self.written.push(name);
                self.builder.refer(name, Target::Symbol(parameter), false);
            }
        }
    }

    /// The parameter `name` of a catch clause around this place, within the same function.
    fn catch_parameter(&self, name: &str) -> Option<SymbolId> {
        if !self.around.is_in_catch {
            return None;
        }
        let tables = self.builder.tables();
        tables
            .enclosing(self.builder.current())
            .take_while(|&scope| scope != self.around.variables)
            .filter(|&scope| self.builder.program.node(tables.scope(scope).node).kind() == Kind::CatchClause)
            .find_map(|scope| self.builder.bound_in(scope, name, Space::Value))
    }

    fn declare_lexical(&mut self, name: Node<'p>, kind: SymbolKind) -> SymbolId {
        let scope = self.builder.current();
        let symbol = match self.builder.bound_in(scope, name.text(), Space::Value) {
            // No engine accepts this, but the grammar does.
            Some(symbol) => {
                self.builder.refer(name, Target::Symbol(symbol), false);
                self.written.push(name);
                symbol
            }
            None => self.builder.declare_within(name, kind, scope, Space::Value, self.holds(scope)),
        };
        let index = symbol.0 as usize;
        if self.is_lexical.len() <= index {
            self.is_lexical.resize(index + 1, false);
        }
        self.is_lexical[index] = true;
        symbol
    }

    // Functions.

    fn function_declaration(&mut self, node: Node<'p>) {
        let symbol = node.child(Field::Name).map(|name| self.declare_function(node, name));
        self.function(node, This::Other, symbol);
    }

    fn declare_function(&mut self, node: Node<'p>, name: Node<'p>) -> SymbolId {
        let scope = self.builder.current();
        let symbol = match self.builder.bound_in(scope, name.text(), Space::Value) {
            Some(symbol) => {
                self.builder.refer(name, Target::Symbol(symbol), true);
                self.written.push(name);
                symbol
            }
            None => self.builder.declare_within(name, SymbolKind::Function, scope, Space::Value, self.holds(scope)),
        };
        let Surroundings { variables, body, is_strict, .. } = self.around;
        let is_plain = node.kind() == Kind::FunctionDeclaration && !node.has_token("async");
        if scope != variables && !is_strict && is_plain {
            self.block_functions.push(BlockFunction { name, symbol, block: scope, variables, body });
        }
        symbol
    }

    fn function_expression(&mut self, node: Node<'p>) {
        let Some(name) = node.child(Field::Name) else { return self.function(node, This::Other, None) };
        let scope = self.builder.enter(ScopeKind::Block, node);
        let symbol = self.builder.declare(name, SymbolKind::Function, scope, Space::Value);
        self.function(node, This::Other, Some(symbol));
        self.builder.leave();
    }

    /// The parameters and the body of anything that can be called.
    fn function(&mut self, node: Node<'p>, this: This, symbol: Option<SymbolId>) {
        let scope = self.builder.enter(ScopeKind::Function, node);
        if let Some(symbol) = symbol {
            self.builder.own(scope, symbol);
        }
        let body = node.child(Field::Body);
        let is_arrow = node.kind() == Kind::ArrowFunction;
        let inner = Surroundings {
            variables: scope,
            body: body.map_or(0, |body| body.start()),
            this,
            is_strict: self.around.is_strict || body.is_some_and(has_use_strict),
            is_in_with: self.around.is_in_with,
            is_in_catch: false,
            arguments: if is_arrow { self.around.arguments } else { Some(scope) },
        };
        let outer = std::mem::replace(&mut self.around, inner);
        for child in node.children() {
            match child.role() {
                Field::Parameter => self.bind(child, Binding::Parameter),
                Field::Parameters => {
                    for parameter in child.children() {
                        self.bind(parameter, Binding::Parameter);
                    }
                }
                // The body and the parameters are one scope.
                Field::Body if child.kind() == Kind::StatementBlock => self.visit_children(child),
                Field::Body => self.visit(child),
                _ => {}
            }
        }
        self.around = outer;
        self.builder.leave();
    }

    // Classes.

    fn class_declaration(&mut self, node: Node<'p>) {
        let symbol = node.child(Field::Name).map(|name| self.declare_lexical(name, SymbolKind::Type));
        self.class(node, symbol);
    }

    /// `symbol` is the class, when a name around it stands for it.
    fn class(&mut self, node: Node<'p>, symbol: Option<SymbolId>) {
        self.visit_all(node.children_at(Field::Decorator));
        // The name of a class expression is seen only inside it.
        let inner_name = node.child(Field::Name).filter(|_| node.kind() == Kind::Class);
        let inner_symbol = inner_name.map(|name| {
            let scope = self.builder.enter(ScopeKind::Block, node);
            self.builder.declare(name, SymbolKind::Type, scope, Space::Value)
        });
        let scope = self.builder.enter(ScopeKind::Type, node);
        let outer = self.around;
        self.around.is_strict = true;
        for symbol in symbol.into_iter().chain(inner_symbol) {
            self.builder.own(scope, symbol);
        }
        let class = self.classes.len();
        self.classes.push(Class { scope, heritage: Heritage::None });
        if let Some(heritage) = node.child_of_kind(Kind::ClassHeritage) {
            self.visit_children(heritage);
            if let Some(expression) = heritage.named_children().next() {
                self.classes[class].heritage = Heritage::Expression(expression);
                if expression.kind() == Kind::Identifier {
                    self.builder.inherit(scope, expression);
                }
            }
        }
        if let Some(body) = node.child(Field::Body) {
            self.class_members(body, class);
        }
        self.around = outer;
        self.builder.leave();
        if inner_symbol.is_some() {
            self.builder.leave();
        }
    }

    /// A fragment that consists of members: the class around them is unknown, and so is what it extends.
    fn members_without_class(&mut self, root: Node<'p>) {
        let scope = self.builder.enter(ScopeKind::Type, root);
        self.around.is_strict = true;
        self.classes.push(Class { scope, heritage: Heritage::Absent });
        self.class_members(root, 0);
        self.builder.leave();
    }

    fn class_members(&mut self, body: Node<'p>, class: usize) {
        for member in body.children() {
            match member.kind() {
                Kind::MethodDefinition => self.method(member, class),
                Kind::FieldDefinition => self.field(member, class),
                Kind::ClassStaticBlock => self.static_block(member, class),
                _ => self.visit(member),
            }
        }
    }

    fn method(&mut self, node: Node<'p>, class: usize) {
        self.visit_all(node.children_at(Field::Decorator));
        let Some(name) = node.child(Field::Name) else { return };
        // The grammar sometimes reads `static get` as one word.
        let words = || {
            node.children()
                .take_while(|child| child.role() != Field::Name)
                .filter(|child| child.kind() == Kind::Token)
                .flat_map(|token| token.text().split_whitespace())
        };
        let is_static = words().any(|word| word == "static");
        let is_accessor = words().any(|word| word == "get" || word == "set");
        if !is_static && name.kind() == Kind::PropertyIdentifier && name.text() == "constructor" {
            self.builder.refer(name, Target::Outside, false);
        } else {
            let kind = if is_accessor { SymbolKind::Field } else { SymbolKind::Function };
            self.declare_member(name, kind, class, is_static);
        }
        self.function(node, if is_static { This::Static(class) } else { This::Instance(class) }, None);
    }

    fn field(&mut self, node: Node<'p>, class: usize) {
        self.visit_all(node.children_at(Field::Decorator));
        let is_static = node.has_token("static");
        if let Some(name) = node.child(Field::Property) {
            self.declare_member(name, SymbolKind::Field, class, is_static);
        }
        let outer = self.around;
        self.around.this = if is_static { This::Static(class) } else { This::Instance(class) };
        self.visit_all(node.child(Field::Value));
        self.around = outer;
    }

    fn declare_member(&mut self, name: Node<'p>, kind: SymbolKind, class: usize, is_static: bool) {
        let space = match name.kind() {
            Kind::PropertyIdentifier if is_static => STATIC,
            Kind::PropertyIdentifier | Kind::PrivatePropertyIdentifier => INSTANCE,
            // A string, a number or a computed name.
            _ => return self.visit(name),
        };
        self.builder.declare_again(name, kind, self.classes[class].scope, space);
    }

    fn static_block(&mut self, node: Node<'p>, class: usize) {
        let scope = self.builder.enter(ScopeKind::Function, node);
        let outer = self.around;
        self.around.variables = scope;
        self.around.body = 0;
        self.around.this = This::Static(class);
        self.around.is_in_catch = false;
        if let Some(body) = node.child(Field::Body) {
            self.visit_children(body);
        }
        self.around = outer;
        self.builder.leave();
    }

    // Statements.

    fn for_statement(&mut self, node: Node<'p>) {
        let initializer = node.child(Field::Initializer);
        if initializer.is_some_and(|node| node.kind() == Kind::LexicalDeclaration) {
            self.builder.enter(ScopeKind::Block, node);
            self.visit_children(node);
            self.builder.leave();
        } else {
            self.visit_children(node);
        }
    }

    fn for_in_statement(&mut self, node: Node<'p>) {
        let keyword = node.child(Field::Kind).map(|keyword| keyword.text());
        let binding = match keyword {
            None => Binding::Assignment,
            Some("var") => Binding::Var { is_initialised: true },
            Some(_) => Binding::Lexical,
        };
        if binding == Binding::Lexical {
            self.builder.enter(ScopeKind::Block, node);
        }
        for child in node.children() {
            match child.role() {
                Field::Left => self.bind(child, binding),
                _ => self.visit(child),
            }
        }
        if binding == Binding::Lexical {
            self.builder.leave();
        }
    }

    fn catch_clause(&mut self, node: Node<'p>) {
        self.builder.enter(ScopeKind::Block, node);
        let outer = self.around;
        for child in node.children() {
            match child.role() {
                Field::Parameter => self.bind(child, Binding::CatchParameter),
                _ => {
                    self.around.is_in_catch = true;
                    self.visit(child);
                }
            }
        }
        self.around = outer;
        self.builder.leave();
    }

    fn with_statement(&mut self, node: Node<'p>) {
        for child in node.children() {
            if child.role() != Field::Body {
                self.visit(child);
                continue;
            }
            let scope = self.builder.enter(ScopeKind::Block, child);
            self.builder.open(scope, Spaces::of(VALUES));
            let outer = self.around;
            self.around.is_in_with = true;
            self.visit(child);
            self.around = outer;
            self.builder.leave();
        }
    }

    fn labeled_statement(&mut self, node: Node<'p>) {
        for child in node.children() {
            if child.role() == Field::Label {
                let scope = self.builder.current();
                self.builder.declare_within(child, SymbolKind::Label, scope, Space::Label, node.range());
            } else {
                self.visit(child);
            }
        }
    }

    // Modules.

    fn import_statement(&mut self, node: Node<'p>) {
        for child in node.children() {
            match child.kind() {
                Kind::ImportClause => self.import_clause(child),
                _ => self.outside(child),
            }
        }
    }

    fn import_clause(&mut self, clause: Node<'p>) {
        for child in clause.children() {
            match child.kind() {
                Kind::Identifier => {
                    self.declare_lexical(child, SymbolKind::Import);
                }
                Kind::ImportSpecifier => {
                    let alias = child.child(Field::Alias);
                    let name = child.child(Field::Name).filter(|name| name.kind() == Kind::Identifier);
                    if let Some(declared) = alias.or(name) {
                        self.declare_lexical(declared, SymbolKind::Import);
                    }
                    self.outside(child);
                }
                // The namespace, and the list of names.
                _ => self.import_clause(child),
            }
        }
    }

    fn export_statement(&mut self, node: Node<'p>) {
        if node.child(Field::Source).is_some() {
            return self.outside(node);
        }
        for child in node.children() {
            if child.kind() != Kind::ExportClause {
                self.visit(child);
                continue;
            }
            for specifier in child.children() {
                if let Some(name) = specifier.child(Field::Name) {
                    self.visit(name);
                }
                self.outside(specifier);
            }
        }
    }

    // JSX.

    fn jsx_element(&mut self, node: Node<'p>) {
        for child in node.children() {
            let is_name = child.role() == Field::Name && child.kind() == Kind::Identifier;
            // `<div>` is an element of the page, `<Menu>` is a variable.
            if is_name
                && (child.text().starts_with(|first: char| first.is_ascii_lowercase()) || child.text().contains('-'))
            {
                self.builder.refer(child, Target::Outside, false);
            } else {
                self.visit(child);
            }
        }
    }

    fn jsx_attribute(&mut self, node: Node<'p>) {
        for child in node.children() {
            match child.kind() {
                Kind::PropertyIdentifier => self.builder.refer(child, Target::Outside, false),
                _ => self.visit(child),
            }
        }
    }

    // What comes after the walk.

    fn resolve(&mut self) {
        self.hoist_block_functions();
        self.resolve_assigned();
        self.resolve_special();
        self.resolve_private();
        self.builder.resolve_names();
        let is_written = self.written_symbols();
        self.declare_assigned_fields();
        for member in std::mem::take(&mut self.members) {
            let target = self.target_of_member(&member, &is_written);
            self.refer_in(member.scope, member.name, target);
        }
        self.builder.merge_overriding(&[SymbolKind::Function, SymbolKind::Field]);
    }

    fn refer_in(&mut self, scope: ScopeId, name: Node<'p>, target: Target) {
        let back = self.builder.resume(scope);
        self.builder.refer(name, target, false);
        self.builder.resume(back);
    }

    /// Makes functions in blocks of sloppy code variables of the function around them (ECMAScript, B.3.3).
    fn hoist_block_functions(&mut self) {
        for function in std::mem::take(&mut self.block_functions) {
            let BlockFunction { name, symbol, block, variables, body } = function;
            let tables = self.builder.tables();
            let is_in_the_way = |scope: ScopeId| {
                let is_catch = self.builder.program.node(tables.scope(scope).node).kind() == Kind::CatchClause;
                !is_catch && self.builder.bound_in(scope, name.text(), Space::Value).is_some()
            };
            if tables.enclosing(block).skip(1).take_while(|&scope| scope != variables).any(is_in_the_way) {
                continue;
            }
            match self.builder.bound_in(variables, name.text(), Space::Value) {
                None => self.builder.bind(name.text(), symbol, variables, Space::Value, body..u32::MAX as usize),
                Some(other) => {
                    let is_lexical = self.is_lexical.get(other.0 as usize).copied().unwrap_or(false);
                    let is_parameter = self.builder.symbol(other).kind == SymbolKind::Parameter
                        && self.builder.symbol(other).scope == variables;
                    if !is_lexical && !is_parameter {
                        self.rewritten.push(other);
                        self.builder.merge(other, symbol);
                    }
                }
            }
        }
    }

    /// Assigned names that nothing declares become globals in sloppy code; then all are looked up.
    fn resolve_assigned(&mut self) {
        let assigned = std::mem::take(&mut self.assigned);
        for PendingName { name, scope, surroundings } in &assigned {
            let is_free = !surroundings.is_strict
                && !surroundings.is_in_with
                && name.text() != "arguments"
                && !names::is_reserved(Language::JavaScript, name.text())
                && self.builder.look_up(name.text(), name.start(), *scope, VALUES) == Target::Outside;
            if is_free {
                let back = self.builder.resume(*scope);
                self.builder.declare(*name, SymbolKind::Global, FILE, Space::Value);
                self.builder.resume(back);
            }
        }
        self.special.extend(assigned);
    }

    /// Looks up the names that have rules of their own. Those that are noted already stay as they are.
    fn resolve_special(&mut self) {
        for PendingName { name, scope, surroundings } in std::mem::take(&mut self.special) {
            let mut target = self.builder.look_up(name.text(), name.start(), scope, VALUES);
            if let (Some(function), "arguments") = (surroundings.arguments, name.text()) {
                // Every function but an arrow has its own, which hides those further out.
                let is_reached = self.builder.tables().enclosing(function).skip(1).all(|outer| match target {
                    Target::Symbol(symbol) => self.builder.symbol(symbol).scope != outer,
                    Target::Outside | Target::Member | Target::Unknown => true,
                });
                target = if is_reached { target } else { Target::Outside };
            } else if surroundings.is_in_with && target == Target::Outside {
                target = Target::Unknown;
            }
            self.refer_in(scope, name, target);
        }
    }

    /// Private names belong to the innermost class around them that has them.
    fn resolve_private(&mut self) {
        for (name, scope) in std::mem::take(&mut self.private) {
            let symbol = self
                .builder
                .tables()
                .enclosing(scope)
                .find_map(|scope| self.builder.bound_in(scope, name.text(), INSTANCE));
            self.refer_in(scope, name, symbol.map_or(Target::Outside, Target::Symbol));
        }
    }

    /// By symbol: does it ever get another value than at its first declaration?
    fn written_symbols(&self) -> Vec<bool> {
        let tables = self.builder.tables();
        let mut is_written = vec![false; tables.symbols().count()];
        let by_name = self.written.iter().filter_map(|&name| tables.symbol_at(name));
        for symbol in by_name.chain(self.rewritten.iter().copied()) {
            is_written[symbol.0 as usize] = true;
        }
        is_written
    }

    /// `this.x = …` declares a field when no class of the chain has one and the whole chain is here.
    fn declare_assigned_fields(&mut self) {
        let members = std::mem::take(&mut self.members);
        for member in members.iter().filter(|member| member.is_assigned && member.receiver.kind() == Kind::This) {
            let Some((class, space)) = class_of_this(member.this) else { continue };
            let scope = self.classes[class].scope;
            let is_missing = self.builder.member_of(scope, member.name.text(), &[space]).is_none();
            if is_missing && self.is_whole(class, self.classes.len()) {
                let back = self.builder.resume(member.scope);
                self.builder.declare(member.name, SymbolKind::Field, scope, space);
                self.builder.resume(back);
            }
        }
        self.members = members;
    }

    /// Are the class and all that it extends in the input? `steps` ends a class that extends itself.
    fn is_whole(&self, class: usize, steps: usize) -> bool {
        match self.classes[class].heritage {
            Heritage::None => true,
            Heritage::Absent => false,
            Heritage::Expression(expression) => {
                steps > 0 && self.class_named(expression).is_some_and(|parent| self.is_whole(parent, steps - 1))
            }
        }
    }

    /// The number of the class that an identifier stands for.
    fn class_named(&self, expression: Node<'p>) -> Option<usize> {
        let symbol = self.builder.tables().symbol_at(expression)?;
        let members = self.builder.symbol(symbol).members?;
        self.classes.binary_search_by_key(&members, |class| class.scope).ok()
    }

    fn target_of_member(&self, member: &PendingMember<'p>, is_written: &[bool]) -> Target {
        let name = member.name.text();
        let found = |scope: ScopeId, space: Space| {
            // A dynamic language can give any object any member at any time.
            self.builder.member_of(scope, name, &[space]).map_or(Target::Member, Target::Symbol)
        };
        let receiver = member.receiver;
        match receiver.kind() {
            Kind::This => match class_of_this(member.this) {
                Some((class, space)) => found(self.classes[class].scope, space),
                None => Target::Member,
            },
            Kind::Super => match class_of_this(member.this) {
                Some((class, space)) => match self.classes[class].heritage {
                    Heritage::None => Target::Outside,
                    Heritage::Absent => Target::Member,
                    Heritage::Expression(parent) => match self.class_named(parent) {
                        Some(parent) => found(self.classes[parent].scope, space),
                        None if self.is_elsewhere(parent) => Target::Outside,
                        None => Target::Member,
                    },
                },
                None => Target::Member,
            },
            Kind::MetaProperty if receiver.text().starts_with("import") => Target::Outside,
            Kind::Identifier if self.is_elsewhere(receiver) => Target::Outside,
            _ => match self.class_of(receiver, is_written, LONGEST_CHAIN) {
                Some((scope, space)) => found(scope, space),
                None => target_by_type(types::of(self.builder.tables(), receiver), name),
            },
        }
    }

    /// Is this a well-known object of the language and its hosts, or something imported?
    fn is_elsewhere(&self, name: Node<'p>) -> bool {
        match self.builder.tables().target(name) {
            Some(Target::Symbol(symbol)) => self.builder.symbol(symbol).kind == SymbolKind::Import,
            Some(Target::Outside) => STANDARD_OBJECTS.binary_search(&name.text()).is_ok(),
            Some(Target::Member | Target::Unknown) | None => false,
        }
    }

    /// The class whose members an expression has, and whether they are those of its objects or its own.
    fn class_of(&self, expression: Node<'p>, is_written: &[bool], steps: usize) -> Option<(ScopeId, Space)> {
        let steps = steps.checked_sub(1)?;
        match expression.kind() {
            Kind::ParenthesizedExpression => self.class_of(expression.named_children().next()?, is_written, steps),
            Kind::NewExpression => match self.class_of(expression.child(Field::Constructor)?, is_written, steps)? {
                (scope, STATIC) => Some((scope, INSTANCE)),
                _ => None,
            },
            Kind::Identifier => {
                let symbol = self.builder.tables().symbol_at(expression)?;
                if is_written.get(symbol.0 as usize).copied().unwrap_or(false) {
                    return None;
                }
                if let Some(members) = self.builder.symbol(symbol).members {
                    return Some((members, STATIC));
                }
                let declaration = self.builder.program.node(self.builder.symbol(symbol).declaration);
                let declarator = declaration.parent().filter(|parent| parent.kind() == Kind::VariableDeclarator)?;
                let value = declarator.child(Field::Value).filter(|_| declaration.role() == Field::Name)?;
                self.class_of(value, is_written, steps)
            }
            Kind::This => match types::of(self.builder.tables(), expression) {
                Type::Declared(class) => Some((self.builder.symbol(class).members?, INSTANCE)),
                _ => None,
            },
            _ => None,
        }
    }
}

/// How many variables that stand for each other are followed.
const LONGEST_CHAIN: usize = 8;

fn class_of_this(this: This) -> Option<(usize, Space)> {
    match this {
        This::Instance(class) => Some((class, INSTANCE)),
        This::Static(class) => Some((class, STATIC)),
        This::Other => None,
    }
}

/// A member of a receiver that has this type. Programs add members to the prototypes of the standard
/// types, so only those that the standard has are certain to be elsewhere.
fn target_by_type(receiver: Type, name: &str) -> Target {
    match receiver {
        Type::Module => Target::Outside,
        Type::Text | Type::Number(_) | Type::Boolean | Type::Array(_) => {
            if STANDARD_MEMBERS.binary_search(&name).is_ok() { Target::Outside } else { Target::Member }
        }
        _ => Target::Member,
    }
}

/// Do the directives at the start of a body or file make it strict?
fn has_use_strict(body: Node<'_>) -> bool {
    body.named_children()
        .filter(|statement| statement.kind() != Kind::HashBangLine)
        .map_while(|statement| {
            let literal = statement.named_children().next().filter(|literal| literal.kind() == Kind::String)?;
            (statement.kind() == Kind::ExpressionStatement).then(|| literal.text())
        })
        .any(|directive| &directive[1..directive.len() - 1] == "use strict")
}
