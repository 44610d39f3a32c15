//! A syntax tree as one flat table in text order, and the handle `Node` that walks it.
//!
//! The parser's own tree answers "who is my parent" by walking down from the root, and every step goes
//! through C. The analyses ask such questions for every identifier, so the tree is copied once into a
//! table in which a parent, a sibling and the end of a subtree are one look-up away. The table also
//! hides how a fragment was read: nodes that belong to the context around it are left out, and every
//! position refers to the bytes that the caller gave.

use std::fmt;
use std::ops::Range;

use crate::Program;
use crate::kind::{Field, Kind};
use crate::language::Language;

/// The index of a node in its program's table. Ids grow in text order, parents before children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub(crate) u32);

impl NodeId {
    pub(crate) const ROOT: NodeId = NodeId(0);

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// The flat table. Nodes are in pre-order; a node's subtree is the run from it to `after`.
pub(crate) struct Tree {
    nodes: Vec<Entry>,
    /// The place of the first error or missing token, when there is one.
    pub(crate) first_error: Option<Range<usize>>,
    /// Words that stand for nothing the grammar knows and have no nodes, in order.
    pub(crate) blanked: Vec<Range<usize>>,
    /// Names in parentheses that could be types or values: `(name) - 1`.
    pub(crate) undecided: Vec<Range<usize>>,
    pub(crate) depth: usize,
}

/// What becomes of a parsed node.
pub(crate) enum Verdict {
    /// It is kept, with these bytes and as this kind.
    Keep(Range<usize>, Kind),
    /// It is left out; its children are judged on their own.
    Leave,
    /// The reading as a whole means nothing.
    Nonsense,
}

#[derive(Clone, Copy)]
struct Entry {
    start: u32,
    end: u32,
    parent: u32,
    after: u32,
    kind: Kind,
    field: Field,
    is_named: bool,
}

impl Tree {
    /// Copies a parsed tree of a text with `length` bytes; `judge` says what becomes of each node.
    ///
    /// Gives `None` when the judge finds that the reading is nonsense.
    pub(crate) fn build(
        language: Language,
        parsed: &tree_sitter::Tree,
        length: usize,
        mut judge: impl FnMut(tree_sitter::Node<'_>, Kind) -> Verdict,
    ) -> Option<Tree> {
        let numbering = language.numbering();
        let root = parsed.root_node();
        let mut nodes: Vec<Entry> = Vec::with_capacity(length / 3 + 1);
        nodes.push(Entry {
            start: 0,
            end: length as u32,
            parent: 0,
            after: 0,
            kind: numbering.root(),
            field: Field::None,
            is_named: true,
        });
        let mut depth = 0;
        // The open nodes that are kept; the root is always open.
        let mut open: Vec<u32> = vec![0];
        // For each level of the cursor: was the node there kept?
        let mut kept: Vec<bool> = vec![false];
        let mut cursor = root.walk();
        let mut has_node = cursor.goto_first_child();
        loop {
            if has_node {
                let node = cursor.node();
                let parent = *open.last().expect("the root is never closed");
                let verdict = judge(node, numbering.kind(node.kind_id()));
                kept.push(matches!(verdict, Verdict::Keep(..)));
                match verdict {
                    Verdict::Nonsense => return None,
                    Verdict::Leave => (),
                    Verdict::Keep(range, kind) => {
                        // A part that a node plays in a parent that is left out means nothing.
                        let is_parent_kept = parent != 0 || kept.len() == 2;
                        let field = if is_parent_kept { numbering.field(cursor.field_id()) } else { Field::None };
                        open.push(nodes.len() as u32);
                        depth = depth.max(open.len());
                        let (start, end) = (range.start as u32, range.end as u32);
                        nodes.push(Entry { start, end, parent, after: 0, kind, field, is_named: node.is_named() });
                    }
                }
                has_node = cursor.goto_first_child();
                continue;
            }
            // The subtree of the node at this level is complete.
            if kept.pop() == Some(true) {
                let closed = open.pop().expect("a kept node is open");
                nodes[closed as usize].after = nodes.len() as u32;
            }
            if kept.is_empty() {
                break;
            }
            has_node = cursor.goto_next_sibling();
            if !has_node {
                cursor.goto_parent();
            }
        }
        nodes[0].after = nodes.len() as u32;
        Some(Tree { nodes, first_error: None, blanked: Vec::new(), undecided: Vec::new(), depth })
    }

    fn entry(&self, id: NodeId) -> &Entry {
        &self.nodes[id.index()]
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn kind(&self, id: NodeId) -> Kind {
        self.entry(id).kind
    }
}

/// A node of a program's tree: a small copyable handle.
#[derive(Clone, Copy)]
pub struct Node<'p> {
    program: &'p Program,
    id: NodeId,
}

impl<'p> Node<'p> {
    pub(crate) fn new(program: &'p Program, id: NodeId) -> Node<'p> {
        Node { program, id }
    }

    fn entry(self) -> &'p Entry {
        self.program.tree().entry(self.id)
    }

    fn at(self, id: u32) -> Node<'p> {
        Node { program: self.program, id: NodeId(id) }
    }

    /// The node's index in the program's table.
    pub fn id(self) -> NodeId {
        self.id
    }

    /// The program that the node belongs to.
    pub fn program(self) -> &'p Program {
        self.program
    }

    /// The kind of the node.
    pub fn kind(self) -> Kind {
        self.entry().kind
    }

    /// The field of its parent that the node is in.
    pub fn role(self) -> Field {
        self.entry().field
    }

    /// The bytes of the program that the node covers.
    pub fn range(self) -> Range<usize> {
        let entry = self.entry();
        entry.start as usize..entry.end as usize
    }

    /// The first byte of the node.
    pub fn start(self) -> usize {
        self.entry().start as usize
    }

    /// The first byte after the node.
    pub fn end(self) -> usize {
        self.entry().end as usize
    }

    /// The text of the node.
    pub fn text(self) -> &'p str {
        &self.program.text()[self.range()]
    }

    /// Is this a construct of the grammar, rather than a keyword, operator or punctuation mark?
    pub fn is_named(self) -> bool {
        self.entry().is_named
    }

    /// Is this the keyword, operator or punctuation mark `text`?
    pub fn is_token(self, text: &str) -> bool {
        self.kind() == Kind::Token && self.text() == text
    }

    /// The parent; `None` for the root.
    pub fn parent(self) -> Option<Node<'p>> {
        (self.id != NodeId::ROOT).then(|| self.at(self.entry().parent))
    }

    /// The ancestors, from the parent to the root.
    pub fn ancestors(self) -> impl Iterator<Item = Node<'p>> {
        std::iter::successors(self.parent(), |node| node.parent())
    }

    /// The children in text order, tokens and comments included.
    pub fn children(self) -> Children<'p> {
        let entry = self.entry();
        Children { program: self.program, next: self.id.0 + 1, end: entry.after }
    }

    /// The children that are constructs of the grammar; comments and Python's continued line breaks are left out.
    pub fn named_children(self) -> impl Iterator<Item = Node<'p>> {
        let is_part = |kind: Kind| !kind.is_comment() && kind != Kind::LineContinuation;
        self.children().filter(move |child| child.is_named() && is_part(child.kind()))
    }

    /// The first child in the field `field`.
    pub fn child(self, field: Field) -> Option<Node<'p>> {
        self.children().find(|child| child.role() == field)
    }

    /// All children in the field `field`.
    pub fn children_at(self, field: Field) -> impl Iterator<Item = Node<'p>> {
        self.children().filter(move |child| child.role() == field)
    }

    /// The first child of the kind `kind`.
    pub fn child_of_kind(self, kind: Kind) -> Option<Node<'p>> {
        self.children().find(|child| child.kind() == kind)
    }

    /// Does the node have the keyword, operator or punctuation mark `text` as a child?
    pub fn has_token(self, text: &str) -> bool {
        self.children().any(|child| child.is_token(text))
    }

    /// The next child of the same parent, tokens and comments included.
    pub fn next_sibling(self) -> Option<Node<'p>> {
        let parent = self.parent()?;
        let after = self.entry().after;
        (after < parent.entry().after).then(|| self.at(after))
    }

    /// The previous child of the same parent, tokens and comments included.
    pub fn previous_sibling(self) -> Option<Node<'p>> {
        let parent = self.parent()?;
        // The node before is the last one inside the sibling, unless it is the parent. A file may have thousands of siblings.
        let before = self.at(self.id.0 - 1);
        std::iter::successors(Some(before), |node| node.parent())
            .take_while(|node| *node != parent)
            .find(|node| node.parent() == Some(parent))
    }

    /// Every node of the subtree in text order, this node first.
    pub fn descendants(self) -> impl Iterator<Item = Node<'p>> {
        (self.id.0..self.entry().after).map(move |id| self.at(id))
    }

    /// Is `other` this node or a node inside it?
    pub fn contains(self, other: Node<'_>) -> bool {
        (self.id.0..self.entry().after).contains(&other.id.0)
    }
}

impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id && std::ptr::eq(self.program, other.program)
    }
}

impl Eq for Node<'_> {}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:?} {:?} {:?}", self.kind(), self.range(), self.text())
    }
}

/// The children of a node, see [`Node::children`].
#[derive(Clone)]
pub struct Children<'p> {
    program: &'p Program,
    next: u32,
    end: u32,
}

impl<'p> Iterator for Children<'p> {
    type Item = Node<'p>;

    fn next(&mut self) -> Option<Node<'p>> {
        if self.next >= self.end {
            return None;
        }
        let node = Node::new(self.program, NodeId(self.next));
        self.next = node.entry().after;
        Some(node)
    }
}
