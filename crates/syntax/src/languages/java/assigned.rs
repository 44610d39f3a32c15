//! Definite assignment of Java's local variables (JLS 16), and which of them never change (JLS 4.12.4).

use crate::flow::completes::{is_exhaustive, rule_body};
use crate::flow::constant::{Constant, constant_value};
use crate::flow::jumps::{block_of_clause, is_switch_statement, statement_of_label, statements, target_of};
use crate::kind::{Field, Kind};
use crate::language::Language;
use crate::program::Program;
use crate::scopes::{SymbolId, SymbolKind, Target};
use crate::tree::{Node, NodeId};

/// Is the local variable or parameter definitely assigned before this statement or expression, so that
/// the compiler accepts a read of it there? No, when in doubt, and no for other languages than Java.
///
/// These are the rules of the Java Language Specification, chapter 16, with three simplifications that
/// only ever say no more often: a jump out of a `try` is not seen to pass its `finally`, the value of a
/// boolean `switch` expression does not matter, and a variable that a pattern declares is assigned
/// where its name stands and nowhere else.
pub fn is_definitely_assigned(symbol: SymbolId, before: Node<'_>) -> bool {
    let program = before.program();
    let Some(declared) = declaration_of_local(program, symbol) else { return false };
    match declared.how {
        Declared::WithStatement => {
            let mut flow = Flow::new(symbol, Some(before.id()));
            flow.run(declared.name);
            flow.found.is_some_and(|state| state.assigned)
        }
        Declared::WithBody(body, resources) => {
            let is_later_resource = resources.is_some_and(|resources| resources.contains(before))
                && declared.name.parent().is_some_and(|resource| before.start() >= resource.end());
            body.contains(before) || is_later_resource
        }
        Declared::ByPattern => program.scopes().symbol_at(before) == Some(symbol),
    }
}

/// Is the local variable or parameter final, or could it be declared so, so that lambdas and inner
/// classes may use it? No, when in doubt, and no for other languages than Java.
pub fn is_effectively_final(program: &Program, symbol: SymbolId) -> bool {
    let Some(declared) = declaration_of_local(program, symbol) else { return false };
    let declaration = declared.name.ancestors().take(2).find(|node| node.child_of_kind(Kind::Modifiers).is_some());
    let modifiers = declaration.and_then(|node| node.child_of_kind(Kind::Modifiers));
    if modifiers.is_some_and(|modifiers| modifiers.has_token("final")) {
        return true;
    }
    let mut references = program.scopes().references_of(symbol).map(|reference| program.node(reference.node));
    let has_initial_value = match declared.how {
        Declared::WithStatement => declared.name.parent().is_some_and(|node| node.child(Field::Value).is_some()),
        Declared::WithBody(..) | Declared::ByPattern => true,
    };
    if has_initial_value {
        return !references.any(is_changed);
    }
    let mut flow = Flow::new(symbol, None);
    flow.run(declared.name);
    flow.is_assigned_at_most_once
}

struct Declaration<'p> {
    name: Node<'p>,
    how: Declared<'p>,
}

enum Declared<'p> {
    /// `int x;` or `int x = 1;`
    WithStatement,
    /// A parameter and its like: assigned wherever it can be seen, in this body and in the resources of a
    /// `try` that come after it.
    WithBody(Node<'p>, Option<Node<'p>>),
    /// `o instanceof String s`: where it can be seen is a matter of flow.
    ByPattern,
}

fn declaration_of_local(program: &Program, symbol: SymbolId) -> Option<Declaration<'_>> {
    if program.language() != Language::Java || program.is_broken() {
        return None;
    }
    let entry = program.scopes().symbol(symbol);
    if !matches!(entry.kind, SymbolKind::Local | SymbolKind::Parameter) {
        return None;
    }
    let name = program.node(entry.declaration);
    let parent = name.parent()?;
    let how = match parent.kind() {
        Kind::VariableDeclarator if parent.parent()?.kind() == Kind::LocalVariableDeclaration => {
            Declared::WithStatement
        }
        // The resources that follow see it, too; the clauses do not.
        Kind::Resource => {
            let owner = parent.ancestors().nth(1)?;
            Declared::WithBody(owner.child(Field::Body)?, owner.child(Field::Resources))
        }
        Kind::VariableDeclarator
        | Kind::FormalParameter
        | Kind::SpreadParameter
        | Kind::InferredParameters
        | Kind::LambdaExpression
        | Kind::CatchFormalParameter
        | Kind::EnhancedForStatement => {
            // The nearest node around the declaration that has a body: `int... x` is nested deeper than `int x`.
            let owner = name.ancestors().find(|node| node.child(Field::Body).is_some())?;
            Declared::WithBody(owner.child(Field::Body)?, None)
        }
        _ => Declared::ByPattern,
    };
    Some(Declaration { name, how })
}

/// Is the name the target of an assignment or of `++` and `--`?
fn is_changed(name: Node<'_>) -> bool {
    let mut target = name;
    while let Some(parent) = target.parent() {
        match parent.kind() {
            Kind::ParenthesizedExpression => target = parent,
            Kind::AssignmentExpression => return target.role() == Field::Left,
            Kind::UpdateExpression => return true,
            _ => return false,
        }
    }
    false
}

/// What is known of the variable at one point. Where control does not come, both are true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    assigned: bool,
    unassigned: bool,
}

const NOWHERE: State = State { assigned: true, unassigned: true };
const ASSIGNED: State = State { assigned: true, unassigned: false };
const UNASSIGNED: State = State { assigned: false, unassigned: true };

impl State {
    fn and(self, other: State) -> State {
        State { assigned: self.assigned && other.assigned, unassigned: self.unassigned && other.unassigned }
    }
}

/// The states after a condition.
#[derive(Clone, Copy)]
struct Branches {
    when_true: State,
    when_false: State,
}

impl Branches {
    fn both(state: State) -> Branches {
        Branches { when_true: state, when_false: state }
    }

    fn joined(self) -> State {
        self.when_true.and(self.when_false)
    }
}

/// One walk over the block that declares the variable, in the order of evaluation.
struct Flow {
    symbol: SymbolId,
    /// The node before which the state is asked for, and the answer.
    asked: Option<NodeId>,
    found: Option<State>,
    /// The states at the jumps so far, by the statement that they go to.
    breaks: Vec<(NodeId, State)>,
    continues: Vec<(NodeId, State)>,
    yields: Vec<(NodeId, State)>,
    is_assigned_at_most_once: bool,
    /// How many lambdas and classes the walk is in. They must not assign what is declared outside.
    inner: usize,
}

impl Flow {
    fn new(symbol: SymbolId, asked: Option<NodeId>) -> Flow {
        Flow {
            symbol,
            asked,
            found: None,
            breaks: Vec::new(),
            continues: Vec::new(),
            yields: Vec::new(),
            is_assigned_at_most_once: true,
            inner: 0,
        }
    }

    /// Walks over everything that can see the variable.
    fn run(&mut self, name: Node<'_>) {
        let declaration = name.ancestors().find(|node| node.kind() == Kind::LocalVariableDeclaration);
        let Some(around) = declaration.and_then(Node::parent) else { return };
        match around.kind() {
            // The groups of a switch share one scope.
            Kind::SwitchBlockStatementGroup => {
                if let Some(switch) = around.ancestors().nth(1) {
                    self.statement(switch, UNASSIGNED);
                }
            }
            Kind::ForStatement => {
                self.statement(around, UNASSIGNED);
            }
            _ => {
                self.sequence(around, UNASSIGNED);
            }
        }
    }

    fn ask(&mut self, node: Node<'_>, before: State) {
        if self.asked == Some(node.id()) {
            self.found = Some(before);
        }
    }

    fn is_variable(&self, node: Node<'_>) -> bool {
        let mut node = node;
        while node.kind() == Kind::ParenthesizedExpression {
            match node.named_children().next() {
                Some(inner) => node = inner,
                None => return false,
            }
        }
        node.program().scopes().target(node) == Some(Target::Symbol(self.symbol))
    }

    fn assigns(&self, node: Node<'_>) -> bool {
        node.descendants().any(|inner| self.is_variable(inner) && inner.kind() == Kind::Identifier && is_changed(inner))
    }

    fn sequence(&mut self, block: Node<'_>, before: State) -> State {
        statements(block).fold(before, |state, statement| self.statement(statement, state))
    }

    fn statement(&mut self, node: Node<'_>, before: State) -> State {
        self.ask(node, before);
        match node.kind() {
            Kind::Token => before,
            Kind::Block | Kind::ConstructorBody | Kind::SwitchBlockStatementGroup => self.sequence(node, before),
            Kind::LocalVariableDeclaration => self.declaration(node, before),
            Kind::LabeledStatement => {
                let after = statement_of_label(node).map_or(before, |statement| self.statement(statement, before));
                after.and(at(&self.breaks, node))
            }
            Kind::IfStatement => {
                let branches = self.condition_of(node, before);
                let consequence = node.child(Field::Consequence);
                let first = consequence.map_or(branches.when_true, |then| self.statement(then, branches.when_true));
                let alternative = node.child(Field::Alternative);
                first.and(alternative.map_or(branches.when_false, |other| self.statement(other, branches.when_false)))
            }
            Kind::WhileStatement => {
                let branches = self.condition_of(node, before);
                let after = self.body(node, branches.when_true);
                self.repeat(before, after.and(at(&self.continues, node)));
                branches.when_false.and(at(&self.breaks, node))
            }
            Kind::DoStatement => {
                let after = self.body(node, before).and(at(&self.continues, node));
                let branches = self.condition_of(node, after);
                self.repeat(before, branches.when_true);
                branches.when_false.and(at(&self.breaks, node))
            }
            Kind::ForStatement => self.for_loop(node, before),
            Kind::EnhancedForStatement => {
                let values = node.child(Field::Value).map_or(before, |values| self.expression(values, before));
                let after = self.body(node, values).and(at(&self.continues, node));
                self.repeat(values, after);
                values.and(after).and(at(&self.breaks, node))
            }
            Kind::SwitchExpression if is_switch_statement(node) => self.switch(node, before),
            Kind::SynchronizedStatement => {
                let lock = node.child_of_kind(Kind::ParenthesizedExpression);
                let locked = lock.map_or(before, |lock| self.expression(lock, before));
                self.body(node, locked)
            }
            Kind::TryStatement | Kind::TryWithResourcesStatement => self.try_statement(node, before),
            Kind::AssertStatement => {
                let mut parts = node.named_children();
                let Some(condition) = parts.next() else { return before };
                let branches = self.condition(condition, before);
                if let Some(message) = parts.next() {
                    self.expression(message, branches.when_false);
                }
                State { assigned: before.assigned, unassigned: before.unassigned && branches.when_true.unassigned }
            }
            Kind::BreakStatement => {
                self.breaks.extend(target_of(node).map(|target| (target.id(), before)));
                NOWHERE
            }
            Kind::ContinueStatement => {
                self.continues.extend(target_of(node).map(|target| (target.id(), before)));
                NOWHERE
            }
            Kind::YieldStatement => {
                let after = self.parts(node, before);
                self.yields.extend(target_of(node).map(|target| (target.id(), after)));
                NOWHERE
            }
            Kind::ReturnStatement | Kind::ThrowStatement => {
                self.parts(node, before);
                NOWHERE
            }
            Kind::ClassDeclaration
            | Kind::InterfaceDeclaration
            | Kind::EnumDeclaration
            | Kind::RecordDeclaration
            | Kind::AnnotationTypeDeclaration => {
                self.members(node, before);
                before
            }
            _ => self.expression(node, before),
        }
    }

    fn body(&mut self, node: Node<'_>, before: State) -> State {
        node.child(Field::Body).map_or(before, |body| self.statement(body, before))
    }

    /// A loop comes back to its start. If the variable may be assigned by then, it is assigned again.
    fn repeat(&mut self, before: State, back: State) {
        if before.unassigned && !back.unassigned {
            self.is_assigned_at_most_once = false;
        }
    }

    fn declaration(&mut self, node: Node<'_>, before: State) -> State {
        node.children_at(Field::Declarator).fold(before, |state, declarator| {
            self.ask(declarator, state);
            let value = declarator.child(Field::Value);
            let after = value.map_or(state, |value| self.expression(value, state));
            match declarator.child(Field::Name).is_some_and(|name| self.is_variable(name)) {
                true if value.is_some() => ASSIGNED,
                true => UNASSIGNED,
                false => after,
            }
        })
    }

    fn for_loop(&mut self, node: Node<'_>, before: State) -> State {
        let start = node.children_at(Field::Init).fold(before, |state, init| self.statement(init, state));
        let branches = match node.child(Field::Condition) {
            Some(condition) => self.condition(condition, start),
            None => Branches { when_true: start, when_false: NOWHERE },
        };
        let after = self.body(node, branches.when_true).and(at(&self.continues, node));
        let back = node.children_at(Field::Update).fold(after, |state, update| self.expression(update, state));
        self.repeat(start, back);
        branches.when_false.and(at(&self.breaks, node))
    }

    fn switch(&mut self, node: Node<'_>, before: State) -> State {
        let selected = node.child(Field::Condition).map_or(before, |selector| self.expression(selector, before));
        let Some(block) = node.child(Field::Body) else { return selected };
        let end = self.cases(block, selected);
        let otherwise = if is_exhaustive(block) { NOWHERE } else { selected };
        let is_empty = block.named_children().next().is_none();
        let end = if is_empty { selected } else { end };
        end.and(otherwise).and(at(&self.breaks, node))
    }

    fn switch_expression(&mut self, node: Node<'_>, before: State) -> State {
        let selected = node.child(Field::Condition).map_or(before, |selector| self.expression(selector, before));
        let Some(block) = node.child(Field::Body) else { return selected };
        let end = self.cases(block, selected);
        let values = at(&self.yields, node);
        // Groups never run off the end of a switch expression.
        let has_rules = block.child_of_kind(Kind::SwitchRule).is_some();
        if has_rules { end.and(values) } else { values }
    }

    /// The state after the last group, or after all rules.
    fn cases(&mut self, block: Node<'_>, selected: State) -> State {
        let mut end = NOWHERE;
        for case in block.named_children() {
            for label in case.children().filter(|child| child.kind() == Kind::SwitchLabel) {
                self.parts(label, selected);
            }
            match case.kind() {
                Kind::SwitchBlockStatementGroup => end = self.statement(case, selected.and(end)),
                Kind::SwitchRule => {
                    let after = rule_body(case).map_or(selected, |body| self.statement(body, selected));
                    end = end.and(after);
                }
                _ => {}
            }
        }
        end
    }

    fn try_statement(&mut self, node: Node<'_>, before: State) -> State {
        let resources = node.child(Field::Resources);
        let opened = resources.map_or(before, |resources| self.parts(resources, before));
        let mut after = self.body(node, opened);
        let assigns_in_block =
            [resources, node.child(Field::Body)].into_iter().flatten().any(|part| self.assigns(part));
        let mut caught = State { unassigned: before.unassigned && !assigns_in_block, ..before };
        let entry = caught;
        for clause in node.named_children().filter(|clause| clause.kind() == Kind::CatchClause) {
            let Some(block) = clause.child(Field::Body) else { continue };
            after = after.and(self.statement(block, entry));
            caught.unassigned &= !self.assigns(block);
        }
        let last = node.child_of_kind(Kind::FinallyClause).and_then(block_of_clause);
        let Some(last) = last else { return after };
        let finished = self.statement(last, caught);
        State { assigned: after.assigned || finished.assigned, unassigned: after.unassigned && finished.unassigned }
    }

    fn expression(&mut self, node: Node<'_>, before: State) -> State {
        match node.kind() {
            Kind::BinaryExpression | Kind::UnaryExpression if is_logical(node) => self.condition(node, before).joined(),
            Kind::TernaryExpression => self.condition(node, before).joined(),
            _ => {
                self.ask(node, before);
                self.expression_asked(node, before)
            }
        }
    }

    fn expression_asked(&mut self, node: Node<'_>, before: State) -> State {
        match node.kind() {
            Kind::AssignmentExpression => self.assignment(node, before),
            Kind::UpdateExpression => {
                let after = self.parts(node, before);
                if !node.named_children().any(|operand| self.is_variable(operand)) {
                    return after;
                }
                self.is_assigned_at_most_once = false;
                State { unassigned: false, ..after }
            }
            Kind::LambdaExpression => {
                self.inner += 1;
                if let Some(body) = node.child(Field::Body) {
                    self.statement(body, before);
                }
                self.inner -= 1;
                before
            }
            Kind::ObjectCreationExpression => node.named_children().fold(before, |state, part| {
                if part.kind() == Kind::ClassBody {
                    self.ask(part, state);
                    self.members(part, state);
                    return state;
                }
                self.expression(part, state)
            }),
            // A semicolon after a switch statement makes the grammar see an expression.
            Kind::SwitchExpression if is_switch_statement(node) => self.switch(node, before),
            Kind::SwitchExpression => self.switch_expression(node, before),
            // Statements that stand in a lambda or after an arrow come here through `statement`.
            _ => self.parts(node, before),
        }
    }

    fn assignment(&mut self, node: Node<'_>, before: State) -> State {
        let (Some(left), Some(right)) = (node.child(Field::Left), node.child(Field::Right)) else { return before };
        let after_left = self.expression(left, before);
        let after = self.expression(right, after_left);
        if !self.is_variable(left) {
            return after;
        }
        let is_simple = node.child(Field::Operator).is_some_and(|operator| operator.is_token("="));
        if !is_simple || !after.unassigned || after.assigned || self.inner > 0 {
            self.is_assigned_at_most_once = false;
        }
        ASSIGNED
    }

    /// Operands, arguments and the like, from left to right.
    fn parts(&mut self, node: Node<'_>, before: State) -> State {
        node.named_children().fold(before, |state, part| self.expression(part, state))
    }

    /// The members of a class see what is assigned where it is declared, and assign nothing outside.
    fn members(&mut self, node: Node<'_>, before: State) {
        self.inner += 1;
        for member in node.named_children() {
            match member.kind() {
                Kind::Block | Kind::ConstructorBody => {
                    self.statement(member, before);
                }
                Kind::VariableDeclarator => {
                    self.parts(member, before);
                }
                _ => {
                    self.ask(member, before);
                    self.members(member, before);
                }
            }
        }
        self.inner -= 1;
    }

    fn condition_of(&mut self, statement: Node<'_>, before: State) -> Branches {
        match statement.child(Field::Condition) {
            Some(condition) => self.condition(condition, before),
            None => Branches::both(before),
        }
    }

    fn condition(&mut self, node: Node<'_>, before: State) -> Branches {
        self.ask(node, before);
        if let Some(Constant::Boolean(truth)) = constant_value(node) {
            // There is nothing to assign in a constant.
            self.parts(node, before);
            return match truth {
                true => Branches { when_true: before, when_false: NOWHERE },
                false => Branches { when_true: NOWHERE, when_false: before },
            };
        }
        let part = |field: Field| node.child(field);
        match node.kind() {
            Kind::ParenthesizedExpression => {
                node.named_children().next().map_or(Branches::both(before), |inner| self.condition(inner, before))
            }
            Kind::UnaryExpression if is_logical(node) => {
                let Some(operand) = part(Field::Operand) else { return Branches::both(before) };
                let Branches { when_true, when_false } = self.condition(operand, before);
                Branches { when_true: when_false, when_false: when_true }
            }
            Kind::BinaryExpression if is_logical(node) => {
                let (Some(left), Some(right)) = (part(Field::Left), part(Field::Right)) else {
                    return Branches::both(before);
                };
                let first = self.condition(left, before);
                if node.child(Field::Operator).is_some_and(|operator| operator.is_token("&&")) {
                    let second = self.condition(right, first.when_true);
                    Branches { when_true: second.when_true, when_false: first.when_false.and(second.when_false) }
                } else {
                    let second = self.condition(right, first.when_false);
                    Branches { when_true: first.when_true.and(second.when_true), when_false: second.when_false }
                }
            }
            Kind::TernaryExpression => {
                let (Some(test), Some(first), Some(second)) =
                    (part(Field::Condition), part(Field::Consequence), part(Field::Alternative))
                else {
                    return Branches::both(before);
                };
                let test = self.condition(test, before);
                let first = self.condition(first, test.when_true);
                let second = self.condition(second, test.when_false);
                Branches {
                    when_true: first.when_true.and(second.when_true),
                    when_false: first.when_false.and(second.when_false),
                }
            }
            _ => Branches::both(self.expression_asked(node, before)),
        }
    }
}

/// `!`, `&&` and `||` decide what is evaluated; `&` and `|` do not.
fn is_logical(node: Node<'_>) -> bool {
    node.child(Field::Operator).is_some_and(|operator| ["!", "&&", "||"].iter().any(|word| operator.is_token(word)))
}

/// What all jumps to a statement agree on.
fn at(jumps: &[(NodeId, State)], target: Node<'_>) -> State {
    let jumps_there = jumps.iter().filter(|(id, _)| *id == target.id());
    jumps_there.fold(NOWHERE, |state, (_, jump)| state.and(*jump))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::testing::with_marked;

    /// Is the variable called `v` assigned before the marked node?
    fn assigned(body: &str) -> bool {
        let source = format!("class A {{ void f(boolean a, boolean b, int p) {{ {body} }} }}");
        with_marked(Language::Java, &source, |node| {
            let scopes = node.program().scopes();
            let (symbol, _) = scopes.symbols().find(|(id, _)| node.program().name_of(*id) == "v").unwrap();
            is_definitely_assigned(symbol, node)
        })
    }

    fn effectively_final(body: &str) -> bool {
        let program = Program::parse(Language::Java, format!("class A {{ void f(boolean a, int p) {{ {body} }} }}"));
        assert!(!program.is_broken(), "{body}");
        let (symbol, _) = program.scopes().symbols().find(|(id, _)| program.name_of(*id) == "v").unwrap();
        is_effectively_final(&program, symbol)
    }

    #[test]
    fn straight_lines_and_branches() {
        let yes = [
            "int v = 1; «g(v);»",
            "int v; v = 1; «g(v);»",
            "int v; g(v = 1, «v»);",
            "int v; if (a) v = 1; else v = 2; «g();»",
            "int v; if (a) v = 1; else return; «g();»",
            "int v; if (a) { v = 1; «g();» }",
            "int v; { v = 1; } «g();»",
            "int v; synchronized (this) { v = 1; } «g();»",
            "int v; int w = v = 1; «g();»",
            "int v; return; «g();»",
            "int v; int[] w = new int[v = 1]; w[«v»] = 1;",
        ];
        let no = [
            "«g();» int v = 1;",
            "int v; «g();»",
            "int v; g(«v», v = 1);",
            "int v; if (a) v = 1; «g();»",
            "int v; if (a) v = 1; else { «g();» }",
            "int v = «1»;",
            "int v; v = «1»;",
            "int v; Runnable r = () -> { v = 1; }; «g();»",
            "{ int v = 1; } «g();»",
        ];
        check(&yes, &no);
    }

    fn check(yes: &[&str], no: &[&str]) {
        for body in yes {
            assert!(assigned(body), "{body}");
        }
        for body in no {
            assert!(!assigned(body), "{body}");
        }
    }

    #[test]
    fn boolean_operators() {
        let yes = [
            "int v; if (a && (v = p) > 0) { «g();» }",
            "int v; if (a || (v = p) > 0) g(); else { «g();» }",
            "int v; if (!(a && (v = p) > 0)) return; «g();»",
            "int v; if ((v = p) > 0 && a) g(); «g();»",
            "int v; boolean w = a && (v = p) > 0 && «v» > 1;",
            "int v; if (a ? (v = p) > 0 : (v = 2) > 0) g(); «g();»",
            "int v; if (false) { «g();» }",
            "int v; if (a && (v = p) > 0 || false) { «g();» }",
            "int v; if (a & (v = p) > 0) g(); «g();»",
        ];
        let no = [
            "int v; if (a && (v = p) > 0) g(); «g();»",
            "int v; if (a || (v = p) > 0) { «g();» }",
            "int v; boolean w = a && (v = p) > 0; «g();»",
            "int v; if (a ? (v = p) > 0 : b) { «g();» }",
            "int v; if (a) { v = 1; } else { } «g();»",
        ];
        check(&yes, &no);
    }

    #[test]
    fn loops() {
        let yes = [
            "int v; while (true) { v = 1; break; } «g();»",
            "int v; for (;;) { if (a) { v = 1; break; } } «g();»",
            "int v; do { v = 1; } while (a); «g();»",
            "int v; do { if (a) { v = 2; continue; } v = 1; } while («v» > 0);",
            "int v; while ((v = p) > 0) { } «g();»",
            "int v; for (v = 0; «v» < 1; v++) { }",
            "for (int v = 0; a; ) { «g();» }",
            "int v; o: while (true) { while (true) { v = 1; break o; } } «g();»",
        ];
        let no = [
            "int v; while (a) { v = 1; } «g();»",
            "int v; while (true) { if (b) break; v = 1; } «g();»",
            "int v; for (int i : w) { v = 1; } «g();»",
            "int v; do { if (a) continue; v = 1; } while («v» > 0);",
            "int v; for (; a; v = 1) { «g();» }",
            "int v; do { if (a) break; v = 1; } while (b); «g();»",
        ];
        check(&yes, &no);
    }

    #[test]
    fn switches() {
        let yes = [
            "int v; switch (p) { case 1: v = 1; break; default: v = 2; } «g();»",
            "int v; switch (p) { case 1: default: v = 2; } «g();»",
            "int v; switch (p) { case 1 -> v = 1; default -> throw e; } «g();»",
            "int v; int w = switch (p) { case 1 -> v = 1; default -> { v = 2; yield 1; } }; «g();»",
            "switch (p) { case 1: int v = 1; «g();» }",
        ];
        let no = [
            "int v; switch (p) { case 1: v = 1; break; case 2: v = 2; } «g();»",
            "int v; switch (p) { case 1: v = 1; case 2: «g();» default: v = 2; }",
            "int v; switch (p) { case 1: break; default: v = 2; } «g();»",
            "int v; switch (p) { case 1 -> v = 1; } «g();»",
            "int v; int w = switch (p) { case 1 -> v = 1; default -> { yield 1; } }; «g();»",
            "switch (p) { case 1: int v = 1; break; case 2: «g();» }",
            "int v; switch (p) { } «g();»",
            "int v; while (a) { switch (p) { } ; «g();» }",
        ];
        check(&yes, &no);
    }

    #[test]
    fn tries() {
        let yes = [
            "int v; try { v = 1; } catch (E e) { v = 2; } «g();»",
            "int v; try { v = 1; } catch (E e) { return; } «g();»",
            "int v; try { g(); } finally { v = 1; } «g();»",
            "int v; try (R r = h(v = 1)) { «g();» }",
            "try (R v = h()) { «g();» }",
            "try (R v = h(); R w = h(«v»)) { }",
            "try { } catch (E v) { «g();» }",
        ];
        let no = [
            "int v; try { v = 1; } catch (E e) { } «g();»",
            "int v; try { v = 1; } catch (E e) { «g();» }",
            "int v; try { v = 1; } finally { «g();» }",
            "try (R v = h()) { } catch (E e) { «g();» }",
            "try (R v = h(«w»)) { }",
        ];
        check(&yes, &no);
    }

    #[test]
    fn lambdas_and_classes() {
        let yes = [
            "int v = 1; Runnable r = () -> { «g();» };",
            "int v; v = 1; new Object() { void h() { «g();» } };",
            "h(v -> { «g();» });",
            "h((v, w) -> «w»);",
            "for (int v : w) { «g();» }",
            "if (o instanceof String v) { g(«v»); }",
        ];
        let no = [
            "int v; Runnable r = () -> { «g();» }; v = 1;",
            "int v; new Object() { void h() { «g();» } }; v = 1;",
            "for (int v : w) { } «g();»",
            "if (o instanceof String v) { } «g();»",
        ];
        check(&yes, &no);
        assert!(with_marked(Language::Java, "int f(int v) { «g();» }", |node| {
            is_definitely_assigned(
                node.program().scopes().symbols().find(|(id, _)| node.program().name_of(*id) == "v").unwrap().0,
                node,
            )
        }));
    }

    #[test]
    fn effectively_final_variables() {
        let yes = [
            "int v = 1; g(v);",
            "final int v = 1;",
            "int v; v = 1; g(v);",
            "int v; if (a) v = 1; else v = 2;",
            "int v; try { v = 1; } catch (E e) { throw e; }",
            "for (int v : w) { g(v); }",
            "while (a) { int v; v = 1; }",
            "while (a) { int v = 1; }",
            "int v; while (true) { v = 1; break; }",
            "int v; switch (p) { case 1: v = 1; break; default: v = 2; }",
            "try { } catch (E v) { }",
            "int v;",
        ];
        let no = [
            "int v = 1; v = 2;",
            "int v = 1; v++;",
            "int v; v = 1; v = 2;",
            "int v; if (a) v = 1; v = 2;",
            "int v; while (a) { v = 1; }",
            "int v; do { v = 1; } while (a);",
            "for (int v = 0; a; v++) { }",
            "int v; try { v = 1; } catch (E e) { v = 2; }",
            "int v; Runnable r = () -> { v = 1; };",
            "int v; v += 1;",
            "int v; switch (p) { case 1: v = 1; default: v = 2; }",
        ];
        for body in yes {
            assert!(effectively_final(body), "{body}");
        }
        for body in no {
            assert!(!effectively_final(body), "{body}");
        }
    }

    #[test]
    fn other_languages_have_no_such_rules() {
        let program = Program::parse(Language::C, "int f(int v) { return v; }");
        for (symbol, _) in program.scopes().symbols() {
            assert!(!is_effectively_final(&program, symbol));
            assert!(!is_definitely_assigned(symbol, program.root()));
        }
    }
}
