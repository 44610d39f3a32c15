//! Declarations and patterns: what gets a value without an assignment.

use super::{Access, Walk, aliases};
use crate::kind::{Field, Kind};
use crate::language::Language;
use crate::languages::c::effects::has_built_in_operators;
use crate::tree::Node;

impl Walk {
    /// Everything that gives values to names in its own way; the parts of the rest are read.
    pub(super) fn declaration_or_pattern(&mut self, node: Node<'_>, access: Access) {
        match node.kind() {
            // Java and JavaScript.
            Kind::VariableDeclarator | Kind::Resource => {
                self.touches_memory |= node.kind() == Kind::Resource;
                self.visit_field(node, Field::Name, Access::Write);
                self.visit_rest(node, &[Field::Name]);
            }
            Kind::FormalParameter | Kind::SpreadParameter | Kind::CatchFormalParameter => {
                self.visit_field(node, Field::Name, Access::Write);
                self.visit_rest(node, &[Field::Name]);
            }
            Kind::LambdaExpression if self.language == Language::Java => {
                self.visit_field(node, Field::Parameters, Access::Write);
                self.visit_rest(node, &[Field::Parameters]);
            }
            Kind::InferredParameters => self.visit_all(node.named_children(), Access::Write),
            Kind::InstanceofExpression => {
                self.visit_field(node, Field::Left, Access::Read);
                self.visit_field(node, Field::Name, Access::Write);
                self.visit_field(node, Field::Pattern, Access::Read);
            }
            Kind::TypePattern | Kind::RecordPatternComponent => {
                let last = node.named_children().last();
                self.visit_all(last.into_iter().filter(|name| name.kind() == Kind::Identifier), Access::Write);
                self.visit_all(node.named_children().filter(|part| part.kind() == Kind::RecordPattern), Access::Read);
            }
            // Its first name is a type.
            Kind::RecordPattern => {
                self.touches_memory = true;
                self.visit_all(
                    node.named_children().filter(|part| part.kind() == Kind::RecordPatternBody),
                    Access::Read,
                );
            }
            Kind::EnhancedForStatement | Kind::ForInStatement | Kind::ForInClause => self.iteration(node),
            Kind::ForStatement if self.language == Language::Python => self.iteration(node),
            Kind::ArrowFunction => {
                self.visit_field(node, Field::Parameter, Access::Write);
                self.visit_rest(node, &[Field::Parameter]);
            }
            Kind::FormalParameters if self.language == Language::JavaScript => {
                self.visit_all(node.named_children(), Access::Write);
            }
            Kind::CatchClause if self.language == Language::JavaScript => {
                self.visit_field(node, Field::Parameter, Access::Write);
                self.visit_rest(node, &[Field::Parameter]);
            }
            Kind::ObjectPattern | Kind::ArrayPattern => {
                self.touches_memory = true;
                self.visit_all(node.named_children(), Access::Write);
            }
            Kind::RestPattern => self.visit_all(node.named_children(), Access::Write),
            Kind::AssignmentPattern | Kind::ObjectAssignmentPattern => {
                self.visit_field(node, Field::Left, Access::Write);
                self.visit_field(node, Field::Right, Access::Read);
            }
            Kind::PairPattern => {
                self.key(node);
                self.visit_field(node, Field::Value, Access::Write);
            }
            Kind::Pair => {
                self.key(node);
                self.visit_field(node, Field::Value, Access::Read);
            }
            Kind::MethodDefinition => {
                self.visit_all(
                    node.children_at(Field::Name).filter(|name| name.kind() == Kind::ComputedPropertyName),
                    Access::Read,
                );
                self.visit_rest(node, &[Field::Name]);
            }
            Kind::ImportStatement | Kind::ImportFromStatement | Kind::FutureImportStatement => self.import(node),
            Kind::ExportSpecifier => self.visit_field(node, Field::Name, Access::Read),
            // Names of functions and classes are variables where anybody can assign to them.
            Kind::FunctionDeclaration
            | Kind::GeneratorFunctionDeclaration
            | Kind::FunctionExpression
            | Kind::GeneratorFunction
            | Kind::ClassDeclaration
            | Kind::Class
            | Kind::ClassDefinition
            | Kind::FunctionDefinition
                if self.language.is_dynamic() =>
            {
                let runs_code = matches!(node.kind(), Kind::ClassDeclaration | Kind::Class | Kind::ClassDefinition);
                self.touches_memory |= runs_code;
                self.visit_field(node, Field::Name, Access::Write);
                self.visit_rest(node, &[Field::Name]);
            }
            // Python.
            Kind::Parameters | Kind::LambdaParameters => self.visit_all(node.named_children(), Access::Write),
            Kind::DefaultParameter | Kind::TypedDefaultParameter => {
                self.visit_field(node, Field::Name, Access::Write);
                self.visit_rest(node, &[Field::Name]);
            }
            Kind::TypedParameter => {
                self.visit_field(node, Field::Type, Access::Read);
                let names = node.named_children().filter(|part| part.role() != Field::Type);
                self.visit_all(names, Access::Write);
            }
            Kind::ListSplatPattern | Kind::DictionarySplatPattern | Kind::AsPatternTarget => {
                self.visit_all(node.named_children(), Access::Write);
            }
            Kind::PatternList | Kind::TuplePattern | Kind::ListPattern => {
                self.touches_memory = true;
                let access = if access == Access::Read { Access::Write } else { access };
                self.visit_all(node.named_children(), access);
            }
            Kind::CaseClause => {
                self.touches_memory = true;
                for part in node.named_children() {
                    match part.kind() {
                        Kind::CasePattern => self.case_pattern(part),
                        _ => self.visit(part, Access::Read),
                    }
                }
            }
            Kind::IfStatement | Kind::WhileStatement | Kind::ElifClause | Kind::IfClause | Kind::AssertStatement
                if self.language == Language::Python =>
            {
                let tested = node.child(Field::Condition).or_else(|| node.named_children().next());
                self.touches_memory |= tested.is_some_and(|condition| !self.is_plain(condition));
                self.parts(node);
            }
            // C and C++.
            Kind::Declaration => self.c_declaration(node),
            Kind::InitDeclarator => self.initial_value(node),
            Kind::ParameterDeclaration | Kind::OptionalParameterDeclaration | Kind::VariadicParameterDeclaration => {
                self.visit_field(node, Field::Declarator, Access::Write);
                // `T x(y);` looks like a function whose parameter has the type `y`.
                self.visit_field(node, Field::Type, Access::ReadAndWrite);
                self.visit_rest(node, &[Field::Declarator, Field::Type]);
            }
            Kind::FunctionDeclarator => {
                self.visit_field(node, Field::Declarator, access);
                self.visit_rest(node, &[Field::Declarator]);
            }
            Kind::PointerDeclarator
            | Kind::ReferenceDeclarator
            | Kind::ParenthesizedDeclarator
            | Kind::AttributedDeclarator
            | Kind::VariadicDeclarator
            | Kind::StructuredBindingDeclarator => self.visit_all(node.named_children(), access),
            Kind::ArrayDeclarator => {
                self.visit_field(node, Field::Declarator, access);
                self.visit_field(node, Field::Size, Access::Read);
            }
            Kind::ForRangeLoop => {
                self.touches_memory = true;
                self.visit_field(node, Field::Declarator, Access::Write);
                let binds = node.child(Field::Declarator).is_some_and(|name| name.kind() == Kind::ReferenceDeclarator);
                let values = node.child(Field::Right);
                let changes = binds || values.is_some_and(|values| !has_built_in_operators(values));
                self.visit_all(values.into_iter(), if changes { Access::ReadAndWrite } else { Access::Read });
                self.visit_rest(node, &[Field::Declarator, Field::Right]);
            }
            Kind::FieldInitializer => {
                self.touches_memory = true;
                for part in node.named_children() {
                    match part.kind().is_identifier() {
                        true => self.visit(part, Access::Write),
                        false => self.arguments(part),
                    }
                }
            }
            Kind::LambdaCaptureSpecifier => {
                let by_reference = |capture: Node<'_>| {
                    capture.children().any(|word| word.is_token("&")) || previous_is_ampersand(capture)
                };
                for capture in node.named_children() {
                    let access = if by_reference(capture) { Access::ReadAndWrite } else { Access::Read };
                    self.visit(capture, access);
                }
            }
            Kind::LambdaCaptureInitializer => {
                self.visit_field(node, Field::Left, Access::Write);
                self.visit_field(node, Field::Right, Access::ReadAndWrite);
            }
            Kind::Enumerator => self.visit_field(node, Field::Value, Access::Read),
            // The members of a struct are not variables; their initial values are evaluated.
            Kind::FieldDeclaration if self.has_value_semantics() => {
                self.visit_field(node, Field::DefaultValue, Access::Read);
                self.visit_field(node, Field::Type, Access::Read);
            }
            Kind::CompoundLiteralExpression if self.language == Language::Cpp => {
                self.touches_memory = true;
                self.visit_rest(node, &[Field::Value]);
                node.children_at(Field::Value).for_each(|values| self.arguments(values));
            }
            _ => self.parts(node),
        }
    }

    fn visit_rest(&mut self, node: Node<'_>, without: &[Field]) {
        self.visit_all(node.named_children().filter(|part| !without.contains(&part.role())), Access::Read);
    }

    /// A key of an object is not a variable, unless it is computed.
    fn key(&mut self, pair: Node<'_>) {
        let is_python = self.language == Language::Python;
        let keys = pair.children_at(Field::Key).filter(|key| is_python || !key.kind().is_identifier());
        self.visit_all(keys, Access::Read);
    }

    fn iteration(&mut self, node: Node<'_>) {
        self.touches_memory = true;
        let target = if node.kind() == Kind::EnhancedForStatement { Field::Name } else { Field::Left };
        self.visit_field(node, target, Access::Write);
        self.visit_rest(node, &[target]);
    }

    fn import(&mut self, node: Node<'_>) {
        self.touches_memory = true;
        self.has_unresolved |= node.child_of_kind(Kind::WildcardImport).is_some();
        let scopes = node.program().scopes();
        for name in node.descendants().filter(|inner| inner.kind().is_identifier()) {
            if scopes.symbol_at(name).is_some() {
                self.visit(name, Access::Write);
            }
        }
    }

    fn case_pattern(&mut self, pattern: Node<'_>) {
        for part in pattern.named_children() {
            match part.kind() {
                Kind::DottedName => {
                    let is_capture = part.named_children().nth(1).is_none();
                    let access = if is_capture { Access::Write } else { Access::Read };
                    self.visit_all(part.named_children().take(1), access);
                }
                Kind::ClassPattern => {
                    let mut parts = part.named_children();
                    if let Some(class) = parts.next() {
                        self.visit_all(class.named_children().take(1), Access::Read);
                    }
                    parts.for_each(|inner| self.case_pattern(inner));
                }
                Kind::KeywordPattern => {
                    for value in part.named_children().skip(1) {
                        match value.kind() {
                            Kind::DottedName if value.named_children().nth(1).is_none() => {
                                self.visit_all(value.named_children(), Access::Write);
                            }
                            Kind::DottedName => self.visit_all(value.named_children().take(1), Access::Read),
                            _ => self.case_pattern(value),
                        }
                    }
                }
                Kind::Identifier => self.visit(part, Access::Write),
                _ => self.case_pattern(part),
            }
        }
    }

    fn c_declaration(&mut self, node: Node<'_>) {
        for declarator in node.children_at(Field::Declarator) {
            self.visit(declarator, Access::Write);
            let name = declared_name(declarator);
            self.touches_memory |=
                self.language == Language::Cpp && name.is_some_and(|name| !has_built_in_operators(name));
        }
        // `if (int x = f())` has its value beside the declarator.
        self.visit_rest(node, &[Field::Declarator]);
    }

    fn initial_value(&mut self, node: Node<'_>) {
        self.visit_field(node, Field::Declarator, Access::Write);
        let binds = node.child(Field::Declarator).is_some_and(|declarator| {
            declarator
                .descendants()
                .any(|part| matches!(part.kind(), Kind::ReferenceDeclarator | Kind::StructuredBindingDeclarator))
        });
        for value in node.children_at(Field::Value) {
            match value.kind() {
                Kind::ArgumentList | Kind::InitializerList if self.language == Language::Cpp => self.arguments(value),
                _ => self.visit(value, if binds { Access::ReadAndWrite } else { Access::Read }),
            }
        }
    }

    /// What a constructor of C++ may get by reference.
    fn arguments(&mut self, list: Node<'_>) {
        for argument in list.named_children() {
            let is_copied = aliases::is_value(argument) && has_built_in_operators(argument);
            self.visit(argument, if is_copied { Access::Read } else { Access::ReadAndWrite });
        }
    }
}

/// `[&x]` has the mark before the name.
fn previous_is_ampersand(capture: Node<'_>) -> bool {
    let before = std::iter::successors(capture.previous_sibling(), |node| node.previous_sibling());
    before.into_iter().find(|node| !node.kind().is_comment()).is_some_and(|node| node.is_token("&"))
}

fn declared_name(declarator: Node<'_>) -> Option<Node<'_>> {
    declarator.descendants().find(|part| part.kind() == Kind::Identifier)
}
