//! Which variables a statement or an expression reads and writes.

mod aliases;
mod patterns;

use std::collections::{BTreeMap, BTreeSet};

use super::effects::is_defined_by_language;
use crate::kind::{Field, Kind};
use crate::language::Language;
use crate::languages::c::effects::has_built_in_operators;
use crate::scopes::{SymbolId, SymbolKind, Target};
use crate::tree::Node;
use crate::types::Type;

/// What a piece of a program touches. Two pieces can change places when neither writes what the other
/// reads or writes, not both touch memory, and neither has unresolved names, effects or failures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accesses {
    /// The variables of the input whose value may be used, in the order of their ids.
    pub reads: Vec<SymbolId>,
    /// The variables of the input that may get a value, in the order of their ids.
    pub writes: Vec<SymbolId>,
    /// Is a variable or a member read or written that is not known to be one of the input?
    pub has_unresolved: bool,
    /// May storage be read or written that can be reached by another road than the variables above:
    /// elements, fields, what pointers lead to, whatever a call uses, and variables that somebody else can
    /// reach (globals, captured ones, those whose address is taken)?
    pub touches_memory: bool,
}

/// What `node` and everything inside it may read and write. Too much rather than too little:
///
/// - A declaration writes its variable, with or without an initial value. Parameters are written by the
///   function that declares them.
/// - Lambdas, functions and classes inside count as if they were run here, once: all that they mention is
///   read or written.
/// - A compound assignment and an increment read and write. `del` and `&x` read and write.
/// - Assigning to a member or an element of a variable of C or C++ that holds the object itself also
///   writes (and reads) the variable; where it is a reference (Java, Python, JavaScript) or a pointer, the
///   variable is only read.
/// - An argument may be written by the function that is called: in C when the name may be a macro's, in
///   C++ unless the function is known to take no references that it could write through. The same holds
///   for the operands of operators of C++ that may be overloaded, and for the object whose method is
///   called. Copying an object does not change the original.
/// - In Python and JavaScript functions, classes and imported names are variables, too.
/// - Every call touches memory, and so does every construct that may run code of the program: an iteration,
///   `with`, `await`, an operator on what may be an object.
/// - What is evaluated through strings (`eval`, `exec`, `locals()`) is not seen, beyond being a call.
pub fn accesses(node: Node<'_>) -> Accesses {
    if node.program().is_broken() {
        return Accesses { has_unresolved: true, touches_memory: true, ..Accesses::default() };
    }
    let mut walk = Walk {
        language: node.program().language(),
        reads: BTreeSet::new(),
        writes: BTreeSet::new(),
        has_unresolved: false,
        touches_memory: false,
        shared: BTreeMap::new(),
    };
    walk.visit(node, Access::Read);
    Accesses {
        reads: walk.reads.into_iter().collect(),
        writes: walk.writes.into_iter().collect(),
        has_unresolved: walk.has_unresolved,
        touches_memory: walk.touches_memory,
    }
}

/// What happens to the variable that an expression stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    Read,
    Write,
    ReadAndWrite,
}

struct Walk {
    language: Language,
    reads: BTreeSet<SymbolId>,
    writes: BTreeSet<SymbolId>,
    has_unresolved: bool,
    touches_memory: bool,
    /// The variables seen so far: can they be reached by another road?
    shared: BTreeMap<SymbolId, bool>,
}

impl Walk {
    /// `access` is what happens to `node` if it is something that can be assigned to; its parts are read.
    fn visit(&mut self, node: Node<'_>, access: Access) {
        let kind = node.kind();
        if kind.is_identifier() {
            return self.name(node, access);
        }
        match kind {
            // Names that are not variables.
            Kind::ImportDeclaration
            | Kind::PackageDeclaration
            | Kind::MarkerAnnotation
            | Kind::ScopedIdentifier
            | Kind::GlobalStatement
            | Kind::NonlocalStatement
            | Kind::FieldDesignator
            | Kind::AttributeSpecifier
            | Kind::AttributeDeclaration
            | Kind::MsDeclspecModifier
            | Kind::PreprocInclude
            | Kind::PreprocDef
            | Kind::PreprocFunctionDef
            | Kind::UsingDeclaration
            | Kind::NamespaceAliasDefinition
            | Kind::BreakStatement
            | Kind::ContinueStatement
            | Kind::GotoStatement => {}
            Kind::LabeledStatement => {
                let label = super::jumps::label_of(node);
                self.visit_all(node.named_children().filter(|child| Some(*child) != label), Access::Read);
            }
            Kind::Annotation | Kind::OffsetofExpression => self.visit_fields(node, &[Field::Arguments]),
            Kind::PreprocIf | Kind::PreprocIfdef | Kind::PreprocElif | Kind::PreprocElifdef | Kind::PreprocElse => {
                self.anything();
                self.parts(node);
            }
            Kind::GnuAsmExpression | Kind::MacroTypeSpecifier => {
                self.anything();
                self.visit_all(node.named_children(), Access::ReadAndWrite);
            }
            Kind::GnuAsmOutputOperandList | Kind::GnuAsmOutputOperand => {
                self.visit_all(node.named_children(), Access::ReadAndWrite);
            }
            Kind::JsxElement | Kind::JsxSelfClosingElement | Kind::ExecStatement => {
                self.anything();
                self.parts(node);
            }
            // What can be assigned to.
            Kind::ParenthesizedExpression | Kind::ConditionalExpression | Kind::CommaExpression => {
                let access = if self.has_value_semantics() || kind == Kind::ParenthesizedExpression {
                    access
                } else {
                    Access::Read
                };
                self.visit_all(node.named_children(), access);
            }
            Kind::FieldAccess | Kind::MemberExpression | Kind::Attribute | Kind::FieldExpression => {
                self.member(node, access);
            }
            Kind::ArrayAccess | Kind::Subscript | Kind::SubscriptExpression => self.element(node, access),
            Kind::PointerExpression => self.pointer(node),
            Kind::QualifiedIdentifier => self.qualified(node, access),
            // Assignments.
            Kind::AssignmentExpression
            | Kind::AugmentedAssignmentExpression
            | Kind::Assignment
            | Kind::AugmentedAssignment => self.assignment(node),
            Kind::UpdateExpression => {
                self.touches_memory |= !self.is_plain(node);
                self.visit_all(node.named_children(), Access::ReadAndWrite);
            }
            Kind::NamedExpression => {
                self.visit_field(node, Field::Name, Access::Write);
                self.visit_field(node, Field::Value, Access::Read);
            }
            Kind::DeleteStatement => self.visit_all(node.named_children(), Access::ReadAndWrite),
            Kind::ExpressionList | Kind::Tuple | Kind::List if access != Access::Read => {
                self.touches_memory |= access == Access::Write;
                self.visit_all(node.named_children(), access);
            }
            Kind::TypeAliasStatement => {
                self.visit_field(node, Field::Left, Access::Write);
                self.visit_field(node, Field::Right, Access::Read);
            }
            // Calls.
            Kind::Call | Kind::CallExpression | Kind::NewExpression => self.call(node),
            Kind::MethodInvocation => {
                self.touches_memory = true;
                self.visit_fields(node, &[Field::Object, Field::TypeArguments, Field::Arguments]);
            }
            Kind::MethodReference => {
                self.touches_memory = true;
                self.visit_all(node.named_children().take(1), Access::Read);
            }
            Kind::KeywordArgument => self.visit_field(node, Field::Value, Access::Read),
            Kind::ObjectCreationExpression
            | Kind::ExplicitConstructorInvocation
            | Kind::DeleteExpression
            | Kind::Await
            | Kind::AwaitExpression
            | Kind::CoAwaitExpression
            | Kind::Yield
            | Kind::YieldExpression
            | Kind::CoYieldStatement
            | Kind::WithStatement
            | Kind::PrintStatement
            | Kind::Decorator
            | Kind::SpreadElement
            | Kind::ListSplat
            | Kind::DictionarySplat => {
                self.touches_memory = true;
                self.parts(node);
            }
            // Operators.
            Kind::BinaryExpression
            | Kind::UnaryExpression
            | Kind::BinaryOperator
            | Kind::UnaryOperator
            | Kind::ComparisonOperator
            | Kind::NotOperator
            | Kind::BooleanOperator
            | Kind::TemplateSubstitution
            | Kind::Interpolation
            | Kind::FormatExpression
            | Kind::CastExpression => self.operator(node),
            _ => self.declaration_or_pattern(node, access),
        }
    }

    fn visit_all<'p>(&mut self, nodes: impl Iterator<Item = Node<'p>>, access: Access) {
        nodes.for_each(|node| self.visit(node, access));
    }

    fn visit_field(&mut self, node: Node<'_>, field: Field, access: Access) {
        self.visit_all(node.children_at(field), access);
    }

    fn visit_fields(&mut self, node: Node<'_>, fields: &[Field]) {
        fields.iter().for_each(|field| self.visit_field(node, *field, Access::Read));
    }

    fn parts(&mut self, node: Node<'_>) {
        self.visit_all(node.named_children(), Access::Read);
    }

    /// What cannot be looked into may do all there is.
    fn anything(&mut self) {
        self.has_unresolved = true;
        self.touches_memory = true;
    }

    /// Does a variable hold its object, rather than a reference to it?
    fn has_value_semantics(&self) -> bool {
        match self.language {
            Language::C | Language::Cpp => true,
            Language::Java | Language::Python | Language::JavaScript => false,
        }
    }

    fn is_dynamic(&self) -> bool {
        self.language.is_dynamic()
    }

    fn name(&mut self, name: Node<'_>, access: Access) {
        let scopes = name.program().scopes();
        let is_variable = match name.kind() {
            Kind::TypeIdentifier | Kind::NamespaceIdentifier | Kind::StatementIdentifier => false,
            // The grammar of Java reads the word in `case null, default` as a name.
            _ => name.text() != "default",
        };
        match scopes.target(name) {
            // An enumerator is a constant.
            Some(Target::Symbol(symbol)) if is_enumerator(name.program().node(scopes.symbol(symbol).declaration)) => {}
            Some(Target::Symbol(symbol)) => match scopes.symbol(symbol).kind {
                SymbolKind::Local | SymbolKind::Parameter | SymbolKind::Field | SymbolKind::Global => {
                    self.record(name, symbol, access);
                }
                SymbolKind::Function | SymbolKind::Type | SymbolKind::Import if self.is_dynamic() => {
                    self.record(name, symbol, access);
                }
                SymbolKind::Macro => self.anything(),
                SymbolKind::Function
                | SymbolKind::Type
                | SymbolKind::Import
                | SymbolKind::Namespace
                | SymbolKind::Label => {}
            },
            // Nobody assigns to what the language itself defines.
            Some(Target::Outside) if access == Access::Read && is_defined_by_language(name) => {}
            Some(Target::Outside | Target::Member | Target::Unknown) if is_variable => {
                self.has_unresolved = true;
                // A name from elsewhere may be a macro of C.
                self.touches_memory |= self.has_value_semantics();
            }
            _ => {}
        }
    }

    fn record(&mut self, name: Node<'_>, symbol: SymbolId, access: Access) {
        if access != Access::Write {
            self.reads.insert(symbol);
        }
        if access != Access::Read {
            self.writes.insert(symbol);
        }
        let is_shared = *self.shared.entry(symbol).or_insert_with(|| aliases::is_shared(name.program(), symbol));
        self.touches_memory |= is_shared;
    }

    fn member(&mut self, node: Node<'_>, access: Access) {
        self.touches_memory = true;
        let object = node.child(Field::Object).or_else(|| node.child(Field::Argument));
        let member = [Field::Field, Field::Property, Field::Attribute].into_iter().find_map(|field| node.child(field));
        if let Some(object) = object {
            let goes_through_pointer = node.child(Field::Operator).is_some_and(|operator| operator.is_token("->"));
            let is_overloaded = self.language == Language::Cpp && goes_through_pointer && !is_pointer(object);
            let holds_object = self.has_value_semantics() && !goes_through_pointer;
            let changes = is_overloaded || holds_object && access != Access::Read;
            self.visit(object, if changes { Access::ReadAndWrite } else { Access::Read });
        }
        match member {
            Some(name) if name.kind().is_identifier() => self.name(name, access),
            Some(other) => self.parts(other),
            None => {}
        }
    }

    fn element(&mut self, node: Node<'_>, access: Access) {
        self.touches_memory = true;
        for child in node.named_children() {
            let is_base = matches!(child.role(), Field::Array | Field::Object | Field::Argument)
                || child.role() == Field::Value && node.kind() == Kind::Subscript;
            let changes = match self.language {
                Language::C => access != Access::Read && !is_pointer(child),
                // The operator may be overloaded, and it may insert.
                Language::Cpp => access != Access::Read && !is_pointer(child) || !has_built_in_operators(child),
                Language::Java | Language::Python | Language::JavaScript => false,
            };
            self.visit(child, if is_base && changes { Access::ReadAndWrite } else { Access::Read });
        }
    }

    fn pointer(&mut self, node: Node<'_>) {
        let takes_address = node.child(Field::Operator).is_some_and(|operator| operator.is_token("&"));
        self.touches_memory |= !takes_address;
        for operand in node.children_at(Field::Argument) {
            let is_overloaded = self.language == Language::Cpp && !has_built_in_operators(operand);
            self.touches_memory |= is_overloaded;
            self.visit(operand, if takes_address || is_overloaded { Access::ReadAndWrite } else { Access::Read });
        }
    }

    /// Only the last part of `a::b::c` can be a variable.
    fn qualified(&mut self, node: Node<'_>, access: Access) {
        match node.child(Field::Name) {
            Some(name) => self.visit(name, access),
            None => self.anything(),
        }
    }

    fn assignment(&mut self, node: Node<'_>) {
        let (left, right) = (node.child(Field::Left), node.child(Field::Right));
        let is_plain_assignment = match node.kind() {
            Kind::Assignment => true,
            Kind::AssignmentExpression => node.child(Field::Operator).is_none_or(|operator| operator.is_token("=")),
            _ => false,
        };
        if let Some(right) = right {
            self.visit(right, Access::Read);
        }
        self.visit_field(node, Field::Type, Access::Read);
        let Some(left) = left else { return };
        let is_overloaded = match self.language {
            Language::Cpp => !has_built_in_operators(left),
            Language::Python | Language::JavaScript => !is_plain_assignment && !(self.is_plain(left)),
            Language::Java => !is_plain_assignment && !has_plain_operands(node),
            Language::C => false,
        };
        self.touches_memory |= is_overloaded;
        match (is_plain_assignment, node.kind()) {
            // `x: int` in Python gives no value.
            (true, Kind::Assignment) if right.is_none() => {}
            (true, _) if !is_overloaded => self.visit(left, Access::Write),
            _ => self.visit(left, Access::ReadAndWrite),
        }
    }

    fn operator(&mut self, node: Node<'_>) {
        let operator = node.child(Field::Operator).map_or("", Node::text);
        let access = match self.language {
            Language::C => Access::Read,
            Language::Cpp => {
                let operands = || node.named_children().filter(|part| part.kind() != Kind::TypeDescriptor);
                let is_overloaded = !operands().all(has_built_in_operators);
                self.touches_memory |= is_overloaded;
                if is_overloaded && node.kind() != Kind::CastExpression { Access::ReadAndWrite } else { Access::Read }
            }
            Language::Java => {
                self.touches_memory |= operator == "+" && !has_plain_operands(node);
                Access::Read
            }
            Language::Python => {
                self.touches_memory |=
                    !node.named_children().all(|operand| self.is_plain(operand)) && !is_identity(node);
                Access::Read
            }
            Language::JavaScript => {
                // These convert nothing, or only to a truth value.
                let converts = !matches!(operator, "===" | "!==" | "&&" | "||" | "??" | "!" | "typeof" | "void");
                self.touches_memory |= converts && !node.named_children().all(|operand| self.is_plain(operand));
                Access::Read
            }
        };
        self.visit_all(node.named_children(), access);
    }

    /// Does using this value with an operator or in a test run no code of the program?
    fn is_plain(&self, node: Node<'_>) -> bool {
        match self.language {
            Language::C => true,
            Language::Cpp => has_built_in_operators(node),
            Language::Java => true,
            Language::Python | Language::JavaScript => {
                matches!(node.program().type_of(node), Type::Number(_) | Type::Boolean | Type::Text | Type::Null)
            }
        }
    }

    fn call(&mut self, node: Node<'_>) {
        self.touches_memory = true;
        let function = node.child(Field::Function).or_else(|| node.child(Field::Constructor));
        if let Some(function) = function {
            self.callee(function);
        }
        let writes_arguments = self.has_value_semantics() && !aliases::passes_by_value(node);
        for arguments in node.children_at(Field::Arguments) {
            for argument in arguments.named_children() {
                let is_written = writes_arguments || self.language == Language::Cpp && !aliases::is_value(argument);
                self.visit(argument, if is_written { Access::ReadAndWrite } else { Access::Read });
            }
        }
        let others = [Field::Placement, Field::Declarator, Field::Type];
        self.visit_fields(node, &others);
    }

    fn callee(&mut self, function: Node<'_>) {
        match function.kind() {
            // A function from elsewhere is not a variable.
            Kind::Identifier if function.program().scopes().target(function) == Some(Target::Outside) => {}
            Kind::QualifiedIdentifier | Kind::TemplateFunction if self.language == Language::Cpp => {}
            // The method of an object may change it.
            Kind::FieldExpression if self.language == Language::Cpp => {
                let goes_through_pointer =
                    function.child(Field::Operator).is_some_and(|operator| operator.is_token("->"));
                for object in function.children_at(Field::Argument) {
                    let is_only_read = goes_through_pointer && is_pointer(object);
                    self.visit(object, if is_only_read { Access::Read } else { Access::ReadAndWrite });
                }
                self.visit_field(function, Field::Field, Access::Read);
            }
            _ => self.visit(function, Access::Read),
        }
    }
}

fn is_enumerator(declared: Node<'_>) -> bool {
    declared.parent().is_some_and(|parent| parent.kind() == Kind::Enumerator)
}

fn is_pointer(node: Node<'_>) -> bool {
    node.kind() == Kind::This || matches!(node.program().type_of(node), Type::Pointer(_))
}

/// `is` and `is not` compare nothing but identity.
fn is_identity(node: Node<'_>) -> bool {
    node.kind() == Kind::ComparisonOperator
        && node.children_at(Field::Operators).all(|operator| operator.text().starts_with("is"))
}

/// Java asks an object for its text when it meets a string.
fn has_plain_operands(node: Node<'_>) -> bool {
    let mut operands = [Field::Left, Field::Right].into_iter().filter_map(|field| node.child(field));
    operands.all(|operand| {
        matches!(node.program().type_of(operand), Type::Number(_) | Type::Boolean | Type::Text | Type::Null)
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::with_marked;
    use super::*;

    /// `expected` is `reads > writes`, then `?` for unresolved names and `*` for memory.
    fn check(language: Language, marked: &str, expected: &str) {
        with_marked(language, marked, |node| {
            let found = accesses(node);
            let names = |symbols: &[SymbolId]| {
                let mut names: Vec<&str> = symbols.iter().map(|symbol| node.program().name_of(*symbol)).collect();
                names.sort();
                names.join(" ")
            };
            let flags = [(found.has_unresolved, " ?"), (found.touches_memory, " *")];
            let flags: String = flags.iter().filter(|(holds, _)| *holds).map(|(_, flag)| *flag).collect();
            let shown = format!("{} > {}{flags}", names(&found.reads), names(&found.writes));
            assert_eq!(shown.trim(), expected, "{language}: {marked}");
        });
    }

    fn check_all(language: Language, before: &str, after: &str, cases: &[(&str, &str)]) {
        for (code, expected) in cases {
            check(language, &format!("{before}«{code}»{after}"), expected);
        }
    }

    #[test]
    fn java() {
        let before = "class A { int field; A next; void f(int a, int b, int[] c, A d, Object o) { int v; ";
        let cases = [
            ("v = a;", "a > v"),
            ("v += a;", "a v > v"),
            ("v++;", "v > v"),
            ("int w = a + b;", "a b > w"),
            ("int w;", "> w"),
            ("int w = a, x = w;", "a w > w x"),
            ("c[a] = b;", "a b c >  *"),
            ("d.field = a;", "a d > field *"),
            ("field = 1;", "> field *"),
            ("v = this.field;", "field > v *"),
            ("f(a, b, c, d, o);", "a b c d o >  *"),
            ("unknown = a;", "a >  ?"),
            ("for (int w : c) { v = w; }", "c w > v w *"),
            ("while (a < b) { a++; }", "a b > a"),
            ("Runnable r = () -> g(a);", "a > r *"),
            ("h((x, y) -> x + b);", "b x > x y *"),
            ("try { } catch (E e) { v = 1; }", "> e v"),
            ("try (R r = g()) { }", "> r *"),
            ("if (o instanceof A x) { v = 1; }", "o > v x"),
            ("String s = \"a\" + a;", "a > s"),
            ("String s = \"a\" + o;", "o > s *"),
            ("l: for (;;) { break l; }", ">"),
            ("return a;", "a >"),
            ("switch (a) { case 1: v = b; }", "a b > v"),
            ("class L { void m() { g(a); } }", "a >  *"),
            (";", ">"),
        ];
        check_all(Language::Java, before, " } }", &cases);
    }

    #[test]
    fn c() {
        let before = "struct S { int m; }; int global; void g(int); void f(int a, int b, int *p, struct S s, struct S *q) { int v, k[3], w; h(&w); ";
        let cases = [
            ("v = a;", "a > v"),
            ("v += a;", "a v > v"),
            ("--v;", "v > v"),
            ("int x = a, *y = p;", "a p > x y"),
            ("*p = a;", "a p >  *"),
            ("p[0] = a;", "a p >  *"),
            ("k[a] = 1;", "a k > k *"),
            ("s.m = a;", "a s > m s *"),
            ("q->m = a;", "a q > m *"),
            ("v = s.m;", "m s > v *"),
            ("p = &a;", "a > a p *"),
            ("g(a);", "a >  *"),
            ("printf(\"%d\", a);", "a >  *"),
            ("UNKNOWN(a);", "a > a *"),
            ("global = a;", "a > global *"),
            ("v = w;", "w > v *"),
            ("v = EOF;", "> v ? *"),
            ("v = sizeof(a);", "a > v"),
            ("for (int i = 0; i < a; i++) v += i;", "a i v > i v"),
            ("v = a ? b : 1;", "a b > v"),
            ("struct S t = { .m = a };", "a > t"),
            ("goto end;", ">"),
        ];
        // One of the cases takes the address of a parameter, which every other case would see.
        for (code, expected) in cases {
            check(Language::C, &format!("{before}«{code}» end: ; }}"), expected);
        }
    }

    #[test]
    fn cpp() {
        let before = "struct C { int m; void change(); }; void val(int x); void ref(int &x); void con(const int &x); \
                      void f(int a, int b, C c, C *p, Outside o) { int v; int w; int &r = w; ";
        let cases = [
            ("v = a + b;", "a b > v"),
            ("val(a);", "a >  *"),
            ("con(a);", "a >  *"),
            ("ref(a);", "a > a *"),
            ("outside(a);", "a > a *"),
            ("c.change();", "c > c *"),
            ("p->change();", "p >  *"),
            ("std::cin >> v;", "v > v ? *"),
            ("o = o + a;", "a o > a o *"),
            ("o[a] = 1;", "a o > o *"),
            ("r = a;", "a > r *"),
            ("w = 1;", "> w *"),
            ("auto l = [&] { v = a; };", "a > l v *"),
            ("auto l = [& /* by reference */ a, b] { };", "a b > a l *"),
            ("int &x = a;", "a > a x *"),
            ("for (int x : o) v = x;", "o x > o v x *"),
            ("delete p;", "p >  *"),
        ];
        for (code, expected) in cases {
            check(Language::Cpp, &format!("{before}«{code}» }}"), expected);
        }
    }

    #[test]
    fn python() {
        let cases = [
            ("v = 1", "> v"),
            ("v = a", "a > v"),
            ("v = w = a", "a > v w"),
            ("v: int", "> "),
            ("v = isinstance(a, int)", "a > v *"),
            ("v += 1", "v > v *"),
            ("v, (w, *x) = a", "a > v w x *"),
            ("a.b = v = 1", "a > v ? *"),
            ("a[b] = 1", "a b >  *"),
            ("del a", "a > a"),
            ("for v in a: pass", "a > v *"),
            ("with a as v: pass", "a > v *"),
            ("if (v := a): pass", "a > v *"),
            ("import v.w", "> v *"),
            ("from v import w as x", "> x *"),
            ("try: pass\n    except E as v: pass", "> v ?"),
            ("v = [w for w in a]", "a w > v w *"),
            ("v = lambda w: w + b", "b w > v w *"),
            ("def v(w): return w", "w > v w"),
            ("print(a)", "a >  *"),
            ("f(k=a)", "a f >  *"),
            ("global g", ">"),
            ("v = f'{a}'", "a > v *"),
            ("v = a is b", "a b > v"),
            ("return a", "a >"),
            ("match a:\n        case [v, w.x, C(y=z)]: pass", "a > v z ? *"),
        ];
        for (code, expected) in cases {
            let source = format!("def f(a, b):\n    «{code}»\n");
            check(Language::Python, &source, expected.trim_end());
        }
    }

    #[test]
    fn javascript() {
        let cases = [
            ("v = a;", "a > v"),
            ("let w = a;", "a > w"),
            ("v ||= a;", "a v > v *"),
            ("v++;", "v > v *"),
            ("[v, a.b] = b;", "a b > v ? *"),
            ("({ v, x: a, ...b } = a);", "a > a b v *"),
            ("const { w, x: y = a, ...z } = b;", "a b > w y z *"),
            ("a.b = 1;", "a >  ? *"),
            ("for (const w of a) ;", "a > w *"),
            ("g(a);", "a >  *"),
            ("v = { a, b: 1, [b]: 2 };", "a b > v"),
            ("v = x => x;", "x > v x"),
            ("v = a === b;", "a b > v"),
            ("v = a + b;", "a b > v *"),
            ("v = 1 + 2;", "> v"),
            ("try { } catch ({ w }) { }", "> w *"),
            ("l: for (;;) { continue l; }", ">"),
            ("function h(w) { return w; }", "w > h w"),
            ("function h(w = a) { return w; }", "a w > h w *"),
            ("return a;", "a >"),
        ];
        for (code, expected) in cases {
            check(Language::JavaScript, &format!("function f(a, b) {{ let v; «{code}» }}"), expected);
        }
        check(Language::JavaScript, "function f() { let a; g(() => a++); «a = 1;» }", "> a *");
        check(Language::JavaScript, "function f(a) { g(arguments); «a = 1;» }", "> a *");
    }
}
