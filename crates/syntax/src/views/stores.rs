//! Statements that do nothing but store or return one value.

use crate::kind::{Field, Kind};
use crate::tree::Node;

/// A statement that stores or returns one value.
#[derive(Clone, Copy)]
pub enum Store<'p> {
    /// `T name = value;` with nothing else declared.
    Declaration {
        /// The name that is declared.
        name: Node<'p>,
        /// Its first value.
        value: Node<'p>,
    },
    /// `target = value;`
    Assignment {
        /// What is assigned to.
        target: Node<'p>,
        /// The value.
        value: Node<'p>,
    },
    /// `return value;`
    Return {
        /// The value.
        value: Node<'p>,
    },
}

impl<'p> Store<'p> {
    /// Reads such a statement. Python declares by assigning, so it only has assignments.
    pub fn of(statement: Node<'p>) -> Option<Store<'p>> {
        match statement.kind() {
            Kind::ReturnStatement => Some(Store::Return { value: only(statement.named_children())? }),
            Kind::ExpressionStatement => assigned(only(statement.named_children())?),
            Kind::LocalVariableDeclaration | Kind::LexicalDeclaration | Kind::VariableDeclaration => {
                let declarators = statement.named_children().filter(|child| child.kind() == Kind::VariableDeclarator);
                let declarator = only(declarators)?;
                let (name, value) = (declarator.child(Field::Name)?, declarator.child(Field::Value)?);
                (name.kind() == Kind::Identifier).then_some(Store::Declaration { name, value })
            }
            Kind::Declaration => {
                let declared = only(statement.children_at(Field::Declarator))?;
                let is_plain = declared.kind() == Kind::InitDeclarator
                    && declared.has_token("=")
                    && statement.child_of_kind(Kind::StorageClassSpecifier).is_none();
                let (declarator, value) = (declared.child(Field::Declarator)?, declared.child(Field::Value)?);
                let mut name = declarator;
                while name.kind() == Kind::PointerDeclarator {
                    name = name.child(Field::Declarator)?;
                }
                (is_plain && name.kind() == Kind::Identifier).then_some(Store::Declaration { name, value })
            }
            _ => None,
        }
    }

    /// The value that is stored or returned.
    pub fn value(self) -> Node<'p> {
        match self {
            Store::Declaration { value, .. } | Store::Assignment { value, .. } | Store::Return { value } => value,
        }
    }
}

fn only<'p>(mut nodes: impl Iterator<Item = Node<'p>>) -> Option<Node<'p>> {
    let (first, None) = (nodes.next()?, nodes.next()) else { return None };
    Some(first)
}

fn assigned(assignment: Node<'_>) -> Option<Store<'_>> {
    let is_assignment = match assignment.kind() {
        Kind::Assignment => assignment.child(Field::Type).is_none(),
        kind => kind == Kind::AssignmentExpression && assignment.has_token("="),
    };
    let (target, value) = (assignment.child(Field::Left)?, assignment.child(Field::Right)?);
    let is_chain = matches!(value.kind(), Kind::Assignment | Kind::AssignmentExpression);
    (is_assignment && !is_chain).then_some(Store::Assignment { target, value })
}
