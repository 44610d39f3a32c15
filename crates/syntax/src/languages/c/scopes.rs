//! Names of C, and what C++ shares with it.
//!
//! C is read from top to bottom, so what a declaration needs to know about earlier names is looked up
//! during the walk: a macro is meant from its `#define` on, and `a * b;` is a product when `a` is a
//! variable. The grammar cannot know that, so the kinds of nodes are never trusted to tell types from
//! values: both are ordinary names.

mod macros;
mod tags;

use std::collections::HashMap;

use foldhash::fast::FixedState;
use macros::Macro;

use crate::kind::{Field, Kind};
use crate::languages::c::facts::member_arguments;
use crate::languages::cpp::scopes as cpp;
use crate::reading::Context;
use crate::scopes::builder::{Builder, Space};
use crate::scopes::{ScopeId, ScopeKind, SymbolId, SymbolKind, Target};
use crate::tree::Node;

pub(crate) const VALUES: &[Space] = &[Space::Value];
const LABELS: &[Space] = &[Space::Label];
const MACROS: &[Space] = &[Space::Macro];

/// Declares and mentions every name of a C program.
pub(crate) fn walk(builder: &mut Builder<'_>) {
    Walk::new(builder, false).run();
}

/// The state of a walk over C or C++.
pub(crate) struct Walk<'b, 'p> {
    pub(crate) builder: &'b mut Builder<'p>,
    pub(crate) is_cpp: bool,
    /// The macros that are defined where the walk is.
    pub(crate) macros: HashMap<&'p str, Macro<'p>, FixedState>,
    /// The macros that were defined so far, in order.
    pub(crate) defined: Vec<(&'p str, Node<'p>)>,
    /// The scope that holds the labels.
    pub(crate) function: ScopeId,
    /// The type parameters of the C++ templates that the walk is in.
    pub(crate) template_parameters: Vec<(Node<'p>, SymbolId)>,
    /// The function that comes next is a friend: it belongs to the namespace, not to the class.
    pub(crate) is_friend: bool,
    /// The standard library's names are seen without their namespace.
    pub(crate) uses_library: bool,
    /// Names that a macro may have declared in the blocks that the walk is in.
    pub(crate) doubtful: Vec<&'p str>,
    /// The ordinary names that were declared within the conditional directives that the walk is in.
    pub(crate) declared_conditionally: Vec<(&'p str, Node<'p>, ScopeId)>,
    /// How many conditional directives the walk is in.
    pub(crate) conditions: usize,
    /// Members declared in another branch of an `#if` for the next unnamed type.
    pub(crate) continued: Option<ScopeId>,
    /// Functions of namespaces, which a call may find through its arguments.
    pub(crate) namespace_functions: HashMap<&'p str, Vec<ScopeId>, FixedState>,
}

/// What a declaration declares, and what has been learnt about it so far.
pub(crate) struct Declaring<'p> {
    pub(crate) sort: Sort,
    pub(crate) is_extern: bool,
    pub(crate) has_type: bool,
    /// The body of the function follows, so its parameters are read later, in the scope of that body.
    pub(crate) is_definition: bool,
    /// From here on the name is seen.
    pub(crate) from: usize,
    /// Is the name followed by a list of parameters?
    pub(crate) is_function: bool,
    /// The first symbol that was declared.
    pub(crate) symbol: Option<SymbolId>,
    /// The function declarator whose parameters are still to be read.
    pub(crate) parameters: Option<Node<'p>>,
    /// The members of the class or namespace that a C++ definition names as its home.
    pub(crate) home: Option<ScopeId>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    Variable,
    Field,
    Parameter,
    Typedef,
}

impl Declaring<'_> {
    pub(crate) fn new(sort: Sort) -> Self {
        Declaring {
            sort,
            is_extern: false,
            has_type: false,
            is_definition: false,
            from: 0,
            is_function: false,
            symbol: None,
            parameters: None,
            home: None,
        }
    }
}

impl<'b, 'p> Walk<'b, 'p> {
    pub(crate) fn new(builder: &'b mut Builder<'p>, is_cpp: bool) -> Self {
        let function = builder.current();
        Walk {
            builder,
            is_cpp,
            macros: HashMap::default(),
            defined: Vec::new(),
            function,
            template_parameters: Vec::new(),
            is_friend: false,
            uses_library: false,
            doubtful: Vec::new(),
            declared_conditionally: Vec::new(),
            conditions: 0,
            continued: None,
            namespace_functions: HashMap::default(),
        }
    }

    pub(crate) fn run(&mut self) {
        let root = self.builder.program.root();
        // Statements of a function that is not there have locals, and members of a class that is not
        // there are fields.
        let is_file = || root.named_children().any(|child| child.kind() == Kind::FunctionDefinition);
        match self.builder.program.context() {
            // Old programs declare variables at the top of a file without a type.
            Context::Statements if is_file() => {}
            Context::Statements => self.function = self.builder.enter(ScopeKind::Function, root),
            Context::Members => _ = self.builder.enter(ScopeKind::Type, root),
            Context::File => {}
        }
        self.visit_children(root);
        self.builder.resolve_names();
        if self.is_cpp {
            // C declares a function by its first call; in C++ something else must be meant.
            self.builder.doubt_early_uses(&[SymbolKind::Function, SymbolKind::Global]);
            self.builder.merge_overriding(&[SymbolKind::Function]);
        }
        self.builder.resolve_members();
    }

    pub(crate) fn visit_children(&mut self, node: Node<'p>) {
        for child in node.children() {
            self.visit(child);
        }
    }

    pub(crate) fn visit(&mut self, node: Node<'p>) {
        match node.kind() {
            Kind::Token
            | Kind::Comment
            | Kind::NumberLiteral
            | Kind::StringLiteral
            | Kind::CharLiteral
            | Kind::PrimitiveType
            | Kind::TypeQualifier
                if node.children().next().is_none() => {}
            Kind::Identifier | Kind::TypeIdentifier => self.mention(node),
            Kind::Declaration => self.declaration(node),
            Kind::FieldDeclaration => self.declare_all(node, Sort::Field),
            Kind::TypeDefinition => self.declare_all(node, Sort::Typedef),
            Kind::ParameterDeclaration => self.declare_all(node, Sort::Parameter),
            Kind::FunctionDefinition => self.function_definition(node),
            Kind::AbstractFunctionDeclarator => self.prototype(node),
            Kind::StructSpecifier | Kind::UnionSpecifier | Kind::ClassSpecifier => _ = self.type_specifier(node),
            Kind::EnumSpecifier => self.enum_specifier(node),
            Kind::Enumerator if !self.is_cpp => self.enumerator(node),
            Kind::CompoundStatement | Kind::ForStatement | Kind::MacroLoop => self.visit_in_block(node),
            // These statements are blocks: the scope of a type declared in the condition ends with the statement.
            Kind::IfStatement | Kind::WhileStatement | Kind::SwitchStatement | Kind::DoStatement
                if !self.is_cpp && node.child(Field::Condition).is_some_and(declares_type) =>
            {
                self.visit_in_block(node);
            }
            Kind::LabeledStatement => {
                if let Some(label) = node.child(Field::Label) {
                    self.declare_in(label, SymbolKind::Label, self.function, Space::Label, 0);
                }
                self.visit_children_but(node, Field::Label);
            }
            Kind::GotoStatement => {
                if let Some(label) = node.child(Field::Label) {
                    self.builder.mention(label, LABELS);
                }
            }
            Kind::CallExpression => self.call(node),
            Kind::ExpressionStatement if self.is_old_declaration(node) => {
                node.named_children().for_each(|names| self.old_declaration(names));
            }
            Kind::MacroTypeSpecifier => self.macro_type(node),
            Kind::FieldExpression => self.field_expression(node),
            Kind::OffsetofExpression => {
                self.visit_children_but(node, Field::Member);
                if let (Some(of), Some(member)) = (node.child(Field::Type), node.child(Field::Member)) {
                    self.builder.mention_member(member, of, self.member_spaces());
                }
            }
            Kind::InitializerPair => self.initializer_pair(node),
            Kind::AttributeSpecifier | Kind::AttributeDeclaration | Kind::MsDeclspecModifier => self.attribute(node),
            Kind::GnuAsmOutputOperand | Kind::GnuAsmInputOperand => {
                // The assembler's text names the operand: nobody reads that.
                if let Some(symbol) = node.child(Field::Symbol) {
                    self.builder.refer(symbol, Target::Unknown, false);
                }
                self.visit_children_but(node, Field::Symbol);
            }
            Kind::GnuAsmGotoList => {
                for label in node.children_at(Field::Label) {
                    self.builder.mention(label, LABELS);
                }
            }
            Kind::PreprocDef | Kind::PreprocFunctionDef => self.define_macro(node),
            Kind::PreprocCall => self.undefine_macro(node),
            Kind::PreprocIfdef | Kind::PreprocElifdef | Kind::PreprocIf | Kind::PreprocElif => {
                self.conditional(node);
            }
            Kind::PreprocInclude => self.mention_macros(node),
            _ if self.is_cpp => cpp::visit(self, node),
            _ => self.visit_children(node),
        }
    }

    pub(crate) fn visit_children_but(&mut self, node: Node<'p>, field: Field) {
        for child in node.children().filter(|child| child.role() != field) {
            self.visit(child);
        }
    }

    pub(crate) fn visit_in_block(&mut self, node: Node<'p>) {
        let doubtful = self.doubtful.len();
        self.builder.enter(ScopeKind::Block, node);
        self.visit_children(node);
        self.builder.leave();
        self.doubtful.truncate(doubtful);
    }

    /// An ordinary name: a macro of the input where one is defined, else what the scopes say.
    pub(crate) fn mention(&mut self, node: Node<'p>) {
        match self.macro_meant(node).or_else(|| self.doubted(node)) {
            Some(target) => self.builder.refer(node, target, false),
            None => self.builder.mention(node, VALUES),
        }
    }

    /// Nobody can tell what a name stands for that a macro may have declared.
    fn doubted(&self, node: Node<'p>) -> Option<Target> {
        let is_doubtful = !self.doubtful.is_empty() && self.doubtful.contains(&node.text());
        is_doubtful.then_some(Target::Unknown)
    }

    pub(crate) fn mention_macros(&mut self, node: Node<'p>) {
        for name in node.descendants().filter(|name| name.kind().is_identifier()) {
            self.builder.mention(name, MACROS);
        }
    }

    pub(crate) fn member_spaces(&self) -> &'static [Space] {
        if self.is_cpp { VALUES } else { &[Space::Member] }
    }

    fn member_space(&self) -> Space {
        if self.is_cpp { Space::Value } else { Space::Member }
    }

    /// What an ordinary name means to the declarations above it.
    pub(crate) fn meaning(&self, node: Node<'p>) -> Option<SymbolId> {
        let known = self
            .macro_meant(node)
            .or_else(|| self.doubted(node))
            .unwrap_or_else(|| self.builder.look_up(node.text(), node.start(), self.builder.current(), VALUES));
        match known {
            Target::Symbol(symbol) => Some(symbol),
            Target::Outside | Target::Member | Target::Unknown => None,
        }
    }

    /// Is the name that of a variable or function, so that what looks like a type is not one?
    pub(crate) fn is_value(&self, node: Node<'p>) -> bool {
        self.meaning(node).is_some_and(|symbol| {
            matches!(
                self.builder.symbol(symbol).kind,
                SymbolKind::Local
                    | SymbolKind::Parameter
                    | SymbolKind::Field
                    | SymbolKind::Function
                    | SymbolKind::Global
            )
        })
    }

    /// The scope that declarations belong to. The parameters of a template have a scope, but what the
    /// template declares belongs to the scope around it.
    pub(crate) fn declaring_scope(&self) -> ScopeId {
        let tables = self.builder.tables();
        let mut scopes = tables.enclosing(self.builder.current());
        let current = self.builder.current();
        if !self.is_cpp {
            return current;
        }
        let is_template = |scope: ScopeId| {
            tables.scope(scope).kind == ScopeKind::Type
                && self.builder.program.node(tables.scope(scope).node).kind() == Kind::TemplateDeclaration
        };
        scopes.find(|&scope| !is_template(scope)).unwrap_or(current)
    }

    pub(crate) fn declaring_kind(&self) -> ScopeKind {
        self.builder.tables().scope(self.declaring_scope()).kind
    }

    /// The nearest scope of one of the kinds, the current one first.
    pub(crate) fn nearest(&self, kinds: &[ScopeKind]) -> ScopeId {
        let tables = self.builder.tables();
        let found = tables.enclosing(self.builder.current()).find(|&scope| kinds.contains(&tables.scope(scope).kind));
        found.unwrap_or(self.builder.current())
    }

    /// The scope of ordinary names: the body of a struct is not one in C.
    pub(crate) fn ordinary_scope(&self) -> ScopeId {
        let current = self.declaring_scope();
        if self.is_cpp || self.builder.tables().scope(current).kind != ScopeKind::Type {
            return current;
        }
        self.nearest(&[ScopeKind::File, ScopeKind::Function, ScopeKind::Block])
    }

    fn declaration(&mut self, node: Node<'p>) {
        let is_product = node.child(Field::Type).is_some_and(|name| {
            name.kind() == Kind::TypeIdentifier
                && matches!(self.declaring_kind(), ScopeKind::Function | ScopeKind::Block)
                && self.is_value(name)
        });
        if is_product {
            for child in node.children() {
                cpp::mention_all(self, child);
            }
            return;
        }
        let is_member = self.declaring_kind() == ScopeKind::Type;
        self.declare_all(node, if is_member { Sort::Field } else { Sort::Variable });
    }

    /// `a[10], b, *c;` at the top of a file cannot be an expression: it declares integers.
    fn is_old_declaration(&self, node: Node<'p>) -> bool {
        !self.is_cpp
            && node.parent().is_some_and(|parent| parent.kind() == Kind::TranslationUnit)
            && self.declaring_kind() == ScopeKind::File
    }

    fn old_declaration(&mut self, node: Node<'p>) {
        match node.kind() {
            Kind::CommaExpression => node.named_children().for_each(|names| self.old_declaration(names)),
            Kind::Identifier => self.declare_name(node, &mut Declaring::new(Sort::Variable)),
            Kind::SubscriptExpression | Kind::PointerExpression | Kind::AssignmentExpression => {
                for (index, child) in node.named_children().enumerate() {
                    if index == 0 { self.old_declaration(child) } else { self.visit(child) }
                }
            }
            _ => self.visit(node),
        }
    }

    /// A declaration with its specifiers and all its declarators.
    pub(crate) fn declare_all(&mut self, node: Node<'p>, sort: Sort) {
        let mut declaring = Declaring::new(sort);
        let mut unnamed = None;
        for child in node.children() {
            match child.role() {
                Field::Type => {
                    declaring.has_type = true;
                    self.continued = self.members_in_another_branch(node);
                    unnamed = self.specifier(child);
                    self.continued = None;
                }
                Field::Declarator => {
                    let first = declaring.symbol;
                    self.declarator_of(child, &mut declaring);
                    if first.is_none() {
                        self.name_unnamed(&mut unnamed, declaring.symbol);
                    }
                }
                _ => {
                    declaring.is_extern |= child.kind() == Kind::StorageClassSpecifier && child.text() == "extern";
                    self.visit(child);
                }
            }
        }
    }

    /// The members of an unnamed type that another branch of an `#if` declares under the same name.
    fn members_in_another_branch(&self, declaration: Node<'p>) -> Option<ScopeId> {
        let mut name = declaration.child(Field::Declarator).filter(|_| self.conditions > 0)?;
        while !name.kind().is_identifier() {
            name = name.child(Field::Declarator).or_else(|| name.named_children().next())?;
        }
        let space = if declaration.kind() == Kind::FieldDeclaration { self.member_space() } else { Space::Value };
        let known = self.builder.bound_in(self.declaring_scope(), name.text(), space)?;
        self.builder.symbol(known).members
    }

    /// Visits the type of a declaration, and gives the scope of its members when it has a body but no name.
    pub(crate) fn specifier(&mut self, node: Node<'p>) -> Option<ScopeId> {
        match node.kind() {
            Kind::StructSpecifier | Kind::UnionSpecifier | Kind::ClassSpecifier => self.type_specifier(node),
            _ => {
                self.visit(node);
                None
            }
        }
    }

    /// A type without a name is known by the first name that is declared with it.
    fn name_unnamed(&mut self, unnamed: &mut Option<ScopeId>, symbol: Option<SymbolId>) {
        if let (Some(scope), Some(symbol)) = (unnamed.take(), symbol) {
            self.builder.own(scope, symbol);
        }
    }

    /// One declarator of a declaration, its initialiser included.
    pub(crate) fn declarator_of(&mut self, node: Node<'p>, declaring: &mut Declaring<'p>) {
        if node.kind() != Kind::InitDeclarator {
            declaring.from = node.end();
            declaring.is_function = false;
            self.declarator(node, declaring);
            return;
        }
        for child in node.children() {
            match child.role() {
                Field::Declarator => self.declarator_of(child, declaring),
                // The initialiser of a static member sees the class.
                _ => {
                    let back = declaring.home.map(|home| {
                        cpp::bind_template_parameters(self, home, child);
                        self.builder.resume(home)
                    });
                    self.visit(child);
                    if let Some(back) = back {
                        self.builder.resume(back);
                    }
                }
            }
        }
    }

    pub(crate) fn declarator(&mut self, node: Node<'p>, declaring: &mut Declaring<'p>) {
        match node.kind() {
            Kind::Identifier | Kind::FieldIdentifier | Kind::TypeIdentifier => self.declare_name(node, declaring),
            Kind::FunctionDeclarator => self.function_declarator(node, declaring),
            Kind::PointerDeclarator | Kind::ArrayDeclarator => {
                declaring.is_function = false;
                for child in node.children() {
                    match child.role() {
                        Field::Declarator => self.declarator(child, declaring),
                        _ => self.visit(child),
                    }
                }
            }
            Kind::ParenthesizedDeclarator | Kind::AttributedDeclarator => {
                // The declarator inside has no role.
                for child in node.children() {
                    match child.kind() {
                        Kind::Token | Kind::MsCallModifier | Kind::AttributeDeclaration => self.visit(child),
                        _ => self.declarator(child, declaring),
                    }
                }
            }
            _ if self.is_cpp => cpp::declarator(self, node, declaring),
            _ => self.visit(node),
        }
    }

    fn function_declarator(&mut self, node: Node<'p>, declaring: &mut Declaring<'p>) {
        let Some(inner) = node.child(Field::Declarator) else { return };
        let is_without_type = declaring.is_definition && !declaring.has_type;
        if is_without_type && self.declaring_kind() != ScopeKind::Type && is_head_by_macro(node, inner, self.is_cpp) {
            return self.unknown(node);
        }
        if inner.kind() == Kind::FunctionDeclarator {
            return self.function_named_by_macro(node, inner, declaring);
        }
        if let Some(arguments) = node.child(Field::Parameters).filter(|_| self.is_macro_with_arguments(inner)) {
            // A macro makes the name that is declared.
            self.mention(inner);
            self.macro_arguments(inner.text(), arguments);
            return;
        }
        let is_own = names_directly(inner);
        if is_own && !declaring.is_definition && self.is_cpp && cpp::is_variable_with_arguments(self, node, declaring) {
            self.declarator(inner, declaring);
            for arguments in node.children().filter(|child| child.role() != Field::Declarator) {
                cpp::mention_all(self, arguments);
            }
            return;
        }
        declaring.is_function = true;
        self.declarator(inner, declaring);
        self.is_friend = false;
        if is_own && declaring.is_definition {
            declaring.parameters = Some(node);
            return;
        }
        let back = declaring.home.map(|home| self.builder.resume(home));
        self.prototype(node);
        if let Some(back) = back {
            self.builder.resume(back);
        }
    }

    /// `HELPER(add)(int a)`: no function gives a function, so a macro makes the name.
    fn function_named_by_macro(&mut self, node: Node<'p>, name: Node<'p>, declaring: &mut Declaring<'p>) {
        if let Some(maker) = name.child(Field::Declarator) {
            self.visit(maker);
        }
        self.unknown(name);
        match declaring.is_definition {
            true => declaring.parameters = Some(node),
            false => self.prototype(node),
        }
    }

    /// The parameters of a function without a body have a scope of their own.
    fn prototype(&mut self, node: Node<'p>) {
        self.builder.enter(ScopeKind::Function, node);
        self.visit_children_but(node, Field::Declarator);
        self.builder.leave();
        if node.kind() == Kind::AbstractFunctionDeclarator {
            node.children_at(Field::Declarator).for_each(|inner| self.visit(inner));
        }
    }

    /// Declares an identifier as its declaration says.
    pub(crate) fn declare_name(&mut self, name: Node<'p>, declaring: &mut Declaring<'p>) {
        // What the macro stands for is declared, not the macro.
        if let Some(target) = self.macro_meant(name) {
            self.builder.refer(name, target, false);
            return;
        }
        let scope = match declaring.sort {
            Sort::Parameter => self.builder.current(),
            Sort::Variable | Sort::Field | Sort::Typedef if self.is_friend => {
                self.nearest(&[ScopeKind::File, ScopeKind::Namespace])
            }
            Sort::Variable | Sort::Field | Sort::Typedef => self.declaring_scope(),
        };
        let scope_kind = self.builder.tables().scope(scope).kind;
        let is_inside = matches!(scope_kind, ScopeKind::Function | ScopeKind::Block);
        let kind = match declaring.sort {
            Sort::Typedef => SymbolKind::Type,
            Sort::Parameter => SymbolKind::Parameter,
            Sort::Field | Sort::Variable if declaring.is_function => SymbolKind::Function,
            Sort::Field | Sort::Variable if is_inside => SymbolKind::Local,
            Sort::Field => SymbolKind::Field,
            Sort::Variable => SymbolKind::Global,
        };
        if self.is_cpp && kind == SymbolKind::Function {
            if self.is_constructor(name, scope, declaring) {
                return;
            }
            if scope_kind == ScopeKind::Namespace {
                self.namespace_functions.entry(name.text()).or_default().push(scope);
            }
        }
        let symbol = if declaring.sort == Sort::Variable && is_inside && (declaring.is_function || declaring.is_extern)
        {
            self.declare_linked(name, kind, declaring.from)
        } else if declaring.sort == Sort::Field {
            let from = if is_inside { declaring.from } else { 0 };
            self.declare_in(name, kind, scope, self.member_space(), from)
        } else {
            let from = if is_inside { declaring.from } else { 0 };
            self.declare_in(name, kind, scope, Space::Value, from)
        };
        declaring.symbol.get_or_insert(symbol);
    }

    /// A function of a class without a result type is a constructor, whose name is that of the class.
    fn is_constructor(&mut self, name: Node<'p>, scope: ScopeId, declaring: &Declaring<'p>) -> bool {
        let tables = self.builder.tables();
        if declaring.has_type || tables.scope(scope).kind != ScopeKind::Type {
            return false;
        }
        let class = tables.scope(scope).owner;
        let is_named =
            |class: SymbolId| self.builder.program.node(self.builder.symbol(class).declaration).text() == name.text();
        let target = class.filter(|&class| is_named(class)).map_or(Target::Outside, Target::Symbol);
        self.builder.refer(name, target, false);
        true
    }

    /// Declares a name in a scope, or once more when the scope has it already: as a prototype and its
    /// definition, or in two branches of an `#if`.
    pub(crate) fn declare_in(
        &mut self,
        name: Node<'p>,
        kind: SymbolKind,
        scope: ScopeId,
        space: Space,
        from: usize,
    ) -> SymbolId {
        let known = self.builder.bound_in(scope, name.text(), space);
        if self.conditions > 0 && space == Space::Value {
            self.declared_conditionally.push((name.text(), name, scope));
        }
        match known.filter(|&symbol| may_be_same(self.builder.symbol(symbol).kind, kind)) {
            Some(symbol) => {
                self.builder.refer(name, Target::Symbol(symbol), true);
                self.builder.bind(name.text(), symbol, scope, space, from..usize::MAX);
                symbol
            }
            None => self.builder.declare_within(name, kind, scope, space, from..usize::MAX),
        }
    }

    /// A function or an external variable that is declared within a function is the one of the file.
    fn declare_linked(&mut self, name: Node<'p>, kind: SymbolKind, from: usize) -> SymbolId {
        let kind = if kind == SymbolKind::Local { SymbolKind::Global } else { kind };
        let file = self.nearest(&[ScopeKind::File, ScopeKind::Namespace]);
        let known = self.builder.bound_in(file, name.text(), Space::Value);
        let symbol = match known.filter(|&symbol| may_be_same(self.builder.symbol(symbol).kind, kind)) {
            Some(symbol) => {
                self.builder.refer(name, Target::Symbol(symbol), true);
                symbol
            }
            // The file has the symbol, but nobody there sees it before a declaration at its level.
            None => self.builder.declare_within(name, kind, file, Space::Value, 0..0),
        };
        self.builder.bind(name.text(), symbol, self.builder.current(), Space::Value, from..usize::MAX);
        symbol
    }

    fn function_definition(&mut self, node: Node<'p>) {
        if self.is_cpp && cpp::is_macro_statement(self, node) {
            return;
        }
        let is_member = self.declaring_kind() == ScopeKind::Type;
        let mut declaring = Declaring::new(if is_member { Sort::Field } else { Sort::Variable });
        declaring.is_definition = true;
        for child in node.children() {
            match child.role() {
                Field::Type => {
                    declaring.has_type = true;
                    self.specifier(child);
                }
                Field::Declarator => self.declarator_of(child, &mut declaring),
                Field::Body => {}
                // The declarations of the parameters of a K&R definition and the initialisers of a
                // constructor belong to the function.
                _ if is_within_function(child.kind()) => {}
                _ => self.visit(child),
            }
        }
        let back = declaring.home.map(|home| self.builder.resume(home));
        let scope = self.builder.enter(ScopeKind::Function, node);
        if let Some(symbol) = declaring.symbol {
            self.builder.own(scope, symbol);
        }
        if declaring.home.is_some() {
            cpp::bind_template_parameters(self, scope, node);
        }
        let outer = std::mem::replace(&mut self.function, scope);
        let doubtful = self.doubtful.len();
        if let Some(function) = declaring.parameters {
            for child in function.children() {
                match child.role() {
                    Field::Declarator => {}
                    Field::Parameters => self.parameters(child, scope),
                    _ => self.visit(child),
                }
            }
        }
        for child in node.children() {
            match child.kind() {
                Kind::Declaration => self.declare_all(child, Sort::Parameter),
                Kind::CompoundStatement => self.visit_children(child),
                kind if child.role() == Field::Body || is_within_function(kind) => self.visit(child),
                _ => {}
            }
        }
        self.doubtful.truncate(doubtful);
        self.function = outer;
        self.builder.leave();
        if let Some(back) = back {
            self.builder.resume(back);
        }
    }

    /// The parameters of a definition; those of a K&R definition are names without types.
    fn parameters(&mut self, node: Node<'p>, scope: ScopeId) {
        for child in node.children() {
            match child.kind() {
                Kind::Identifier => {
                    self.declare_in(child, SymbolKind::Parameter, scope, Space::Value, child.end());
                }
                Kind::ParameterDeclaration => match self.old_style_name(child) {
                    Some(name) => _ = self.declare_in(name, SymbolKind::Parameter, scope, Space::Value, name.end()),
                    None => self.visit(child),
                },
                _ => self.visit(child),
            }
        }
    }

    /// The parameter of a C definition cannot lack its name, so a lone name that is not a type is one.
    fn old_style_name(&self, parameter: Node<'p>) -> Option<Node<'p>> {
        let mut parts = parameter.named_children();
        let name = parts.next().filter(|name| name.kind() == Kind::TypeIdentifier && !self.is_cpp)?;
        (parts.next().is_none() && self.meaning(name).is_none_or(|_| self.is_value(name))).then_some(name)
    }

    fn call(&mut self, node: Node<'p>) {
        let function = node.child(Field::Function);
        let arguments = node.child(Field::Arguments);
        let (Some(function), Some(arguments)) = (function, arguments) else { return self.visit_children(node) };
        if self.is_cpp && function.kind() == Kind::Identifier && cpp::may_mean_another(self, function) {
            self.builder.refer(function, Target::Unknown, false);
        }
        if function.kind() != Kind::Identifier {
            return self.visit_children(node);
        }
        let is_loop = node.parent().is_some_and(|parent| parent.kind() == Kind::MacroLoop);
        if is_loop && node.role() == Field::Initializer && self.meaning(function).is_none() {
            self.doubt_first(function, arguments);
        }
        if let Some(target) = self.macro_meant(function) {
            self.builder.refer(function, target, false);
            self.macro_arguments(function.text(), arguments);
        } else if !member_arguments(function.text()).is_empty() && self.meaning(function).is_none() {
            self.mention(function);
            self.macro_arguments(function.text(), arguments);
        } else {
            self.visit_children(node);
        }
    }

    /// The arguments of a macro of the input, or of one from elsewhere that is well known.
    pub(crate) fn macro_arguments(&mut self, name: &str, arguments: Node<'p>) {
        let parts = match self.macros.get(name) {
            Some(known) => known.uses(&self.macros),
            None => macros::uses_of_outside(name),
        };
        for (index, argument) in arguments.named_children().enumerate() {
            // What follows the last named parameter belongs to it when it is `...`.
            let Some(part) = parts.get(index).or_else(|| parts.last().filter(|part| part.is_rest)) else {
                cpp::mention_all(self, argument);
                continue;
            };
            let lone_name = argument.descendants().find(|node| node.kind().is_identifier() && is_lone_name(argument));
            match lone_name {
                Some(name) if part.may_be_declared => {
                    self.doubtful.push(name.text());
                    self.builder.refer(name, Target::Unknown, false);
                }
                Some(name) if part.is_declared => {
                    let scope = self.builder.current();
                    let holds = name.end()..usize::MAX;
                    self.builder.declare_within(name, SymbolKind::Local, scope, Space::Value, holds);
                }
                _ if part.is_pasted || (part.is_member && part.is_value) => self.unknown(argument),
                _ if part.is_member => self.member_argument(argument),
                _ => cpp::mention_all(self, argument),
            }
        }
    }

    /// A macro from elsewhere that heads a statement may declare its first argument. Those that are called
    /// some kind of `FOREACH` take a variable that is there, if there is one.
    pub(crate) fn doubt_first(&mut self, macro_name: Node<'p>, arguments: Node<'p>) {
        let Some(first) = arguments.named_children().next().filter(|&first| is_lone_name(first)) else { return };
        let Some(name) = node_names(Some(first)).next() else { return };
        let macro_name = macro_name.text().to_ascii_lowercase();
        let takes_variable = macro_name.contains("foreach") || macro_name.contains("for_each");
        if self.macro_meant(name).is_none() && !(takes_variable && self.meaning(name).is_some()) {
            self.doubtful.push(name.text());
        }
    }

    /// `list.next[i]` as the name of a member: it starts with a member of a type that is not evident.
    fn member_argument(&mut self, argument: Node<'p>) {
        match argument.kind() {
            Kind::FieldExpression => {
                if let Some(receiver) = argument.child(Field::Argument) {
                    self.member_argument(receiver);
                }
                node_names(argument.child(Field::Field))
                    .for_each(|name| self.builder.refer(name, Target::Member, false));
            }
            Kind::SubscriptExpression => {
                for child in argument.children() {
                    if child.role() == Field::Argument { self.member_argument(child) } else { self.visit(child) }
                }
            }
            _ => node_names(Some(argument)).for_each(|name| self.builder.refer(name, Target::Member, false)),
        }
    }

    /// Nobody can tell what the names in `node` stand for.
    pub(crate) fn unknown(&mut self, node: Node<'p>) {
        for name in node.descendants().filter(|name| name.kind().is_identifier()) {
            self.builder.refer(name, Target::Unknown, false);
        }
    }

    /// A macro that makes a type: `LIST_OF(struct item) items;`.
    fn macro_type(&mut self, node: Node<'p>) {
        let pastes = node
            .child(Field::Name)
            .and_then(|name| self.macros.get(name.text()))
            .is_some_and(|known| known.uses(&self.macros).iter().any(|part| part.is_pasted));
        node.children_at(Field::Name).for_each(|name| self.mention(name));
        if pastes {
            self.unknown(node);
        } else {
            self.visit_children_but(node, Field::Name);
        }
    }

    fn field_expression(&mut self, node: Node<'p>) {
        let (Some(receiver), Some(field)) = (node.child(Field::Argument), node.child(Field::Field)) else {
            return self.visit_children(node);
        };
        self.visit(receiver);
        match field.kind() {
            // `object.*pointer` names a variable.
            Kind::FieldIdentifier if node.has_token(".*") => self.mention(field),
            Kind::FieldIdentifier => match self.macro_meant(field) {
                Some(target) => self.builder.refer(field, target, false),
                None => self.builder.mention_member(field, receiver, self.member_spaces()),
            },
            _ => cpp::member(self, field, receiver),
        }
    }

    /// `.a[1].b = value`: each designator is a member of what the one before it stands for.
    fn initializer_pair(&mut self, node: Node<'p>) {
        let Some(list) = node.parent() else { return };
        let mut receiver = list;
        for child in node.children() {
            let field = match child.kind() {
                Kind::FieldDesignator => child.child_of_kind(Kind::FieldIdentifier),
                Kind::FieldIdentifier if child.role() == Field::Designator => Some(child),
                _ => {
                    self.visit(child);
                    None
                }
            };
            if let Some(field) = field {
                self.builder.mention_member(field, receiver, self.member_spaces());
                receiver = field;
            }
        }
    }

    /// The names of attributes belong to the compiler; what they are given may be names of the program.
    fn attribute(&mut self, node: Node<'p>) {
        for child in node.children() {
            match child.kind() {
                Kind::Identifier => self.builder.refer(child, Target::Outside, false),
                Kind::CallExpression => {
                    let Some(name) = child.child(Field::Function).filter(|name| name.kind() == Kind::Identifier) else {
                        self.visit_children_but(child, Field::Function);
                        continue;
                    };
                    self.builder.refer(name, Target::Outside, false);
                    for argument in child.child(Field::Arguments).into_iter().flat_map(Node::named_children) {
                        match argument.kind() {
                            // In `mode(word)`, `word` is a keyword of the attribute, even if a type has the same name.
                            Kind::Identifier if takes_keywords(name.text()) && self.macro_meant(argument).is_none() => {
                                self.builder.refer(argument, Target::Outside, false);
                            }
                            _ => self.visit(argument),
                        }
                    }
                }
                Kind::Attribute => {
                    for part in child.children() {
                        match part.role() {
                            Field::Prefix | Field::Name => self.builder.refer(part, Target::Outside, false),
                            _ => self.visit(part),
                        }
                    }
                }
                _ => self.attribute(child),
            }
        }
    }
}

/// Does the expression declare a type, as in `sizeof(struct pair { int a, b; })`?
fn declares_type(expression: Node<'_>) -> bool {
    expression.descendants().any(|part| {
        matches!(part.kind(), Kind::StructSpecifier | Kind::UnionSpecifier | Kind::EnumSpecifier)
            && part.child(Field::Body).is_some()
    })
}

/// Does the attribute take keywords of its own as arguments?
fn takes_keywords(attribute: &str) -> bool {
    matches!(
        attribute.trim_matches('_'),
        "mode" | "format" | "access" | "availability" | "enum_extensibility" | "model" | "interrupt"
    )
}

/// Is the declarator a name, perhaps in parentheses?
fn names_directly(declarator: Node<'_>) -> bool {
    match declarator.kind() {
        Kind::PointerDeclarator | Kind::ArrayDeclarator | Kind::FunctionDeclarator | Kind::ReferenceDeclarator => false,
        Kind::ParenthesizedDeclarator | Kind::AttributedDeclarator => {
            declarator.named_children().next().is_some_and(names_directly)
        }
        _ => true,
    }
}

/// May two declarations of one name mean the same? `static handler f;` is a prototype if `handler` is the type of a function,
/// and no variable of a file has the name of one of its functions.
fn may_be_same(one: SymbolKind, other: SymbolKind) -> bool {
    let is_linked = |kind: SymbolKind| matches!(kind, SymbolKind::Function | SymbolKind::Global);
    one == other || is_linked(one) && is_linked(other)
}

/// `START_TEST(adds_numbers) { … }`: does a macro expand to the function head? A real function without a result type, as in old
/// programs, uses its parameters or declares their types after the head, and does not have an upper-case name.
fn is_head_by_macro(declarator: Node<'_>, name: Node<'_>, is_cpp: bool) -> bool {
    let is_capital = !name.text().contains(char::is_lowercase);
    let Some(parameters) = declarator.child(Field::Parameters) else { return false };
    let is_used = |parameter: Node<'_>| {
        declarator.parent().is_some_and(|definition| {
            let mut below = definition
                .children()
                .filter(|child| child.role() == Field::Body || child.kind() == Kind::Declaration)
                .flat_map(Node::descendants);
            below.any(|word| word.text() == parameter.text() && word.kind().is_identifier())
        })
    };
    if is_cpp {
        return is_capital && name.kind() == Kind::Identifier;
    }
    is_capital || parameters.named_children().any(|parameter| is_lone_name(parameter) && !is_used(parameter))
}

/// Does a child of this kind belong to the scope of the function that it is a part of?
fn is_within_function(kind: Kind) -> bool {
    matches!(kind, Kind::Declaration | Kind::CompoundStatement | Kind::FieldInitializerList | Kind::TryStatement)
}

fn node_names<'p>(node: Option<Node<'p>>) -> impl Iterator<Item = Node<'p>> {
    node.into_iter().flat_map(|node| node.descendants()).filter(|name| name.kind().is_identifier())
}

fn is_lone_name(node: Node<'_>) -> bool {
    node.descendants()
        .filter(|node| node.is_named())
        .all(|node| matches!(node.kind(), Kind::Identifier | Kind::TypeIdentifier | Kind::ParameterDeclaration))
}
