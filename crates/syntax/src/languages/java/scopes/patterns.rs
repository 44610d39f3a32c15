//! Statements and conditions, and where the variables of their patterns hold.
//!
//! A pattern variable holds where the pattern has certainly matched: in the right side of `&&`, in the branch of an
//! `if`, and after an `if` whose other branch never ends.

use std::ops::Range;

use super::completion;
use super::{Switch, TYPE, Walk};
use crate::kind::{Field, Kind};
use crate::scopes::builder::Space;
use crate::scopes::{ScopeKind, SymbolId, SymbolKind};
use crate::tree::Node;

/// A variable declared by a pattern.
#[derive(Clone, Copy)]
pub(super) struct PatternVariable<'p> {
    name: Node<'p>,
    symbol: SymbolId,
}

/// The pattern variables that an expression introduces when it is true, and when it is false.
#[derive(Default)]
pub(super) struct Introduced<'p> {
    when_true: Vec<PatternVariable<'p>>,
    when_false: Vec<PatternVariable<'p>>,
}

impl<'p> Walk<'_, 'p> {
    /// Visits the statements of a block. What one introduces holds in those that follow it.
    pub(super) fn statements(&mut self, block: Node<'p>) {
        for child in block.children() {
            let introduced = self.statement(child);
            self.hold(&introduced, child.end()..block.end());
        }
    }

    /// Visits a statement and gives the pattern variables that it introduces for what follows.
    pub(super) fn statement(&mut self, node: Node<'p>) -> Vec<PatternVariable<'p>> {
        match node.kind() {
            Kind::IfStatement => self.if_statement(node),
            Kind::WhileStatement => {
                let introduced = self.condition_of(node);
                if let Some(body) = node.child(Field::Body) {
                    self.hold(&introduced.when_true, body.range());
                    self.visit(body);
                }
                after_loop(node, introduced)
            }
            Kind::DoStatement => {
                if let Some(body) = node.child(Field::Body) {
                    self.visit(body);
                }
                let introduced = self.condition_of(node);
                after_loop(node, introduced)
            }
            Kind::ForStatement => {
                self.builder.enter(ScopeKind::Block, node);
                for init in node.children_at(Field::Init) {
                    self.visit(init);
                }
                let introduced = self.condition_of(node);
                for part in node.children().filter(|child| matches!(child.role(), Field::Update | Field::Body)) {
                    self.hold(&introduced.when_true, part.range());
                    self.visit(part);
                }
                self.builder.leave();
                after_loop(node, introduced)
            }
            Kind::LabeledStatement => {
                let mut introduced = Vec::new();
                for child in node.named_children() {
                    match child.kind() {
                        Kind::Identifier => {
                            let scope = self.builder.current();
                            self.builder.declare_within(child, SymbolKind::Label, scope, Space::Label, node.range());
                        }
                        _ => introduced = self.statement(child),
                    }
                }
                introduced
            }
            _ => {
                self.visit(node);
                Vec::new()
            }
        }
    }

    fn if_statement(&mut self, node: Node<'p>) -> Vec<PatternVariable<'p>> {
        let introduced = self.condition_of(node);
        let consequence = node.child(Field::Consequence);
        let alternative = node.child(Field::Alternative);
        if let Some(consequence) = consequence {
            self.hold(&introduced.when_true, consequence.range());
            self.visit(consequence);
        }
        if let Some(alternative) = alternative {
            self.hold(&introduced.when_false, alternative.range());
            self.visit(alternative);
        }
        if introduced.when_true.is_empty() && introduced.when_false.is_empty() {
            return Vec::new();
        }
        let goes_on_if_true = consequence.is_none_or(completion::can_complete);
        let goes_on_if_false = alternative.is_none_or(completion::can_complete);
        match (goes_on_if_true, goes_on_if_false) {
            (true, false) => introduced.when_true,
            (false, true) => introduced.when_false,
            (true, true) | (false, false) => Vec::new(),
        }
    }

    fn condition_of(&mut self, node: Node<'p>) -> Introduced<'p> {
        node.child(Field::Condition).map(|condition| self.condition(condition)).unwrap_or_default()
    }

    /// Visits an expression and gives the pattern variables that it introduces.
    pub(super) fn condition(&mut self, node: Node<'p>) -> Introduced<'p> {
        match node.kind() {
            Kind::ParenthesizedExpression => match node.named_children().next() {
                Some(inner) => self.condition(inner),
                None => Introduced::default(),
            },
            Kind::UnaryExpression => {
                let Some(operand) = node.child(Field::Operand) else { return Introduced::default() };
                let introduced = self.condition(operand);
                Introduced { when_true: introduced.when_false, when_false: introduced.when_true }
            }
            Kind::BinaryExpression => self.binary(node),
            Kind::InstanceofExpression => {
                let mut introduced = Introduced::default();
                for child in node.named_children() {
                    match child.role() {
                        Field::Name => introduced.when_true.extend(self.pattern_variable(child)),
                        Field::Pattern => self.pattern(child, &mut introduced.when_true),
                        _ => self.visit(child),
                    }
                }
                introduced
            }
            _ => {
                self.visit(node);
                Introduced::default()
            }
        }
    }

    fn binary(&mut self, node: Node<'p>) -> Introduced<'p> {
        let (Some(left), Some(right)) = (node.child(Field::Left), node.child(Field::Right)) else {
            return Introduced::default();
        };
        let mut introduced = self.condition(left);
        match node.child(Field::Operator).map_or("", |operator| operator.text()) {
            "&&" => {
                self.hold(&introduced.when_true, right.range());
                introduced.when_true.extend(self.condition(right).when_true);
                introduced.when_false.clear();
                introduced
            }
            "||" => {
                self.hold(&introduced.when_false, right.range());
                introduced.when_false.extend(self.condition(right).when_false);
                introduced.when_true.clear();
                introduced
            }
            _ => {
                self.visit(right);
                Introduced::default()
            }
        }
    }

    pub(super) fn ternary(&mut self, node: Node<'p>) {
        let introduced = self.condition_of(node);
        if let Some(consequence) = node.child(Field::Consequence) {
            self.hold(&introduced.when_true, consequence.range());
            self.visit(consequence);
        }
        if let Some(alternative) = node.child(Field::Alternative) {
            self.hold(&introduced.when_false, alternative.range());
            self.visit(alternative);
        }
    }

    /// Declares a pattern variable, which at first holds nowhere.
    fn pattern_variable(&mut self, name: Node<'p>) -> Option<PatternVariable<'p>> {
        if name.kind() != Kind::Identifier {
            return None;
        }
        let scope = self.builder.current();
        let symbol = self.builder.declare_within(name, SymbolKind::Local, scope, Space::Value, name.range());
        Some(PatternVariable { name, symbol })
    }

    /// Visits a pattern and collects its variables.
    fn pattern(&mut self, node: Node<'p>, variables: &mut Vec<PatternVariable<'p>>) {
        match node.kind() {
            Kind::TypePattern | Kind::RecordPatternComponent => {
                let name = node.named_children().last();
                for child in node.named_children() {
                    if Some(child) == name {
                        variables.extend(self.pattern_variable(child));
                    } else {
                        self.visit(child);
                    }
                }
            }
            Kind::RecordPattern => {
                for child in node.named_children() {
                    match child.kind() {
                        Kind::Identifier => self.builder.mention(child, TYPE),
                        Kind::RecordPatternBody => self.pattern(child, variables),
                        _ => self.visit(child),
                    }
                }
            }
            _ => {
                for child in node.named_children() {
                    self.pattern(child, variables);
                }
            }
        }
    }

    fn hold(&mut self, variables: &[PatternVariable<'p>], range: Range<usize>) {
        let scope = self.builder.current();
        for variable in variables {
            self.builder.bind(variable.name.text(), variable.symbol, scope, Space::Value, range.clone());
        }
    }

    pub(super) fn switch(&mut self, node: Node<'p>) {
        let (Some(selector), Some(body)) = (node.child(Field::Condition), node.child(Field::Body)) else { return };
        self.visit(selector);
        let scope = self.builder.enter(ScopeKind::Block, body);
        let mut switch = Switch { selector, scope, labels: Vec::new(), is_not_over_enum: false };
        for part in body.named_children() {
            // A pattern of a group holds in that group, and a rule is a scope of its own.
            if part.kind() == Kind::SwitchRule {
                self.builder.enter(ScopeKind::Block, part);
            }
            for child in part.children() {
                if child.kind() == Kind::SwitchLabel {
                    let variables = self.switch_label(child, &mut switch);
                    self.hold(&variables, child.end()..part.end());
                } else {
                    let introduced = self.statement(child);
                    self.hold(&introduced, child.end()..part.end());
                }
            }
            if part.kind() == Kind::SwitchRule {
                self.builder.leave();
            }
        }
        self.builder.leave();
        if !switch.labels.is_empty() {
            self.switches.push(switch);
        }
    }

    fn switch_label(&mut self, label: Node<'p>, switch: &mut Switch<'p>) -> Vec<PatternVariable<'p>> {
        let mut variables = Vec::new();
        for child in label.named_children() {
            match child.kind() {
                Kind::Identifier => switch.labels.push(child),
                Kind::Pattern => self.pattern(child, &mut variables),
                Kind::Guard => {
                    self.hold(&variables, child.range());
                    if let Some(condition) = child.named_children().next() {
                        let introduced = self.condition(condition);
                        variables.extend(introduced.when_true);
                    }
                }
                // Newer versions of Java allow these in a switch over an enum.
                Kind::FieldAccess | Kind::NullLiteral => self.visit(child),
                _ => {
                    switch.is_not_over_enum = true;
                    self.visit(child);
                }
            }
        }
        variables
    }
}

fn after_loop<'p>(node: Node<'p>, introduced: Introduced<'p>) -> Vec<PatternVariable<'p>> {
    if introduced.when_false.is_empty() || completion::has_break(node) { Vec::new() } else { introduced.when_false }
}
