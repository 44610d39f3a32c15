//! The data flow of a program, as GraphCodeBERT takes it beside the code.
//!
//! The graph says for each use of a variable which earlier tokens its value comes from. Its nodes are tokens of the code, its
//! edges are of two sorts: a value *comes from* an earlier token, or it is *computed from* others by an assignment. The analysis is
//! that of the models' authors, because their checkpoints were trained on its output:
//!
//! - GraphCodeBERT (Guo and others, ICLR 2021; microsoft/CodeBERT, `GraphCodeBERT/clonedetection`) for Java, Python and JavaScript;
//! - ALERT (Yang and others, ICSE 2022; soarsmu/attack-pretrain-models-of-code, `python_parser`) for C, which Compressor's students
//!   (soarsmu/Compressor) use as well. It has no analysis of C++; C++ gets that of C.
//!
//! ```
//! use model::dataflow::{Edge, data_flow};
//! use syntax::{Language, Program};
//!
//! let program = Program::parse(Language::Python, "total = price\nprint(total)");
//! let flow = data_flow(&program);
//! let tokens: Vec<_> = flow.tokens.iter().map(|token| token.text.as_str()).collect();
//! assert_eq!(tokens, ["total", "=", "price", "print", "(", "total", ")"]);
//! let nodes: Vec<_> = flow.nodes.iter().map(|node| (node.token, node.edge, node.sources.as_slice())).collect();
//! assert_eq!(nodes, [(0, Edge::ComputedFrom, &[2][..]), (2, Edge::ComesFrom, &[]), (5, Edge::ComesFrom, &[0])]);
//! ```
//!
//! # What is odd about it, and kept
//! A variable is its spelling: scopes play no part, and fields, methods, literals and type names that are spelled alike are one
//! variable. What is more:
//!
//! - A token can have several nodes: an assignment in Java and JavaScript gives one node for each token of its right side. Only
//!   inside a loop are the nodes of one token and one sort merged. The models see such nodes as separate positions.
//! - Java: an exception that a method without a class declares counts as a variable, and so do both words of `A.class`. A loop `for` runs twice only when it declares its variable, a `do` never does.
//! - Python: a loop with `else` hides its body. An attribute or a call on either side of an assignment is taken apart when both sides
//!   happen to have equally many parts: in `a.b = c.d` the name `a` is computed from `c`, and `b` from `d`.
//! - JavaScript: a plain assignment has no meaning of its own, `+=` and default values have. An `else` follows its `if`.
//!   A loop `for` runs twice only with `var`.
//! - C: an assignment is left out with everything inside it, but for `c` and `d` of `a = b ? c : d`. A variable that is declared with a value, other than a pointer or an
//!   array, is never seen, unless a declaration without a value or a parameter was spelled alike. Calls of a `for` run once.
//! - Nodes without any edge are removed, but not in C and C++.
//! - When the authors' program fails, the graph is empty: in Python, when a string literal is among the parts that are set against
//!   each other as above.
//!
//! # The tokens
//! They are the leaves of the tree that the grammars gave in 2022, when the checkpoints were trained: comments are left out, and
//! so are docstrings of Python; string literals are one token, but in C and C++ and in JavaScript's templates their text is lost,
//! and only quotation marks and escape sequences remain. Line breaks inside a token are dropped. Tokens without any text (those that
//! the grammar misses, and the ends of a preprocessor's lines) are none here; the authors' lists have them, but the models do not
//! see them.
//!
//! # What differs from the authors' programs
//! - They cut a token out of its line by byte positions as if these were character positions, which garbles what follows a
//!   character outside ASCII on a line. Here the token is what it is.
//! - They find comments by a regular expression, which is wrong about text in regular expressions and templates of JavaScript.
//! - Fragments: methods of Java and functions of C with macros are read in the context that makes them parse (see
//!   [`syntax::reading`]), where the authors' parser gave a tree with error nodes. A program that does not parse in any context
//!   has such a tree here as well, and the analysis runs on it.
//! - Loops in loops take twice as long with every level. The graph of a program that takes more than [`MOST_STEPS`] steps is empty,
//!   and so is that of a tree that is more than a thousand levels deep.
//!
//! EVIDENCE.md says how often the graphs agree.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use syntax::{Field, Kind, Language, Node, NodeId, Program, TokenKind};

/// How many nodes the analysis visits before it gives up. A hundred nested statements `while` would take longer than anyone waits.
pub const MOST_STEPS: usize = 2_000_000;

/// Deeper trees could overflow the call stack.
const DEEPEST_TREE: usize = 1000;

/// The tokens of a program and the flow of values between them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DataFlow {
    /// The tokens, in text order.
    pub tokens: Vec<CodeToken>,
    /// The nodes of the graph, in the order of their tokens; those of one token in the order in which they were found.
    pub nodes: Vec<FlowNode>,
}

/// A token of the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeToken {
    /// Its text, without line breaks.
    pub text: String,
    /// Its bytes in the program.
    pub range: Range<usize>,
}

/// A node of the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowNode {
    /// The text of its token.
    pub name: String,
    /// The index of its token.
    pub token: usize,
    /// How its value depends on its sources.
    pub edge: Edge,
    /// The indices of the tokens that its value depends on.
    pub sources: Vec<usize>,
}

/// How a value depends on others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Edge {
    /// It is the value of another token.
    ComesFrom,
    /// An assignment computes it.
    ComputedFrom,
}

/// The data flow of a program. It never fails; see above when the graph is empty.
pub fn data_flow(program: &Program) -> DataFlow {
    let (tokens, index) = tokens(program);
    let mut analysis = Analysis {
        language: program.language(),
        tokens: &tokens,
        index,
        last: HashMap::new(),
        found: Vec::new(),
        steps: 0,
        has_failed: program.depth() > DEEPEST_TREE,
    };
    if !analysis.has_failed {
        analysis.walk(program.root());
    }
    let mut nodes = if analysis.has_failed { Vec::new() } else { analysis.found };
    nodes.sort_by_key(|node| node.token);
    if !is_like_c(program.language()) {
        let with_sources = nodes.iter().filter(|node| !node.sources.is_empty());
        let connected: HashSet<usize> =
            with_sources.flat_map(|node| node.sources.iter().copied().chain([node.token])).collect();
        nodes.retain(|node| connected.contains(&node.token));
    }
    DataFlow { tokens, nodes }
}

/// The tokens, and which of them each leaf of the tree is.
fn tokens(program: &Program) -> (Vec<CodeToken>, HashMap<NodeId, usize>) {
    let mut found: Vec<(Range<usize>, Option<NodeId>)> = Vec::new();
    let mut open = vec![program.root()];
    while let Some(node) = open.pop() {
        if is_leaf(node) && !program.text()[node.range()].trim_matches('\n').is_empty() {
            found.push((node.range(), Some(node.id())));
        }
        open.extend(parts(node).into_iter().rev());
    }
    if is_like_c(program.language()) {
        // Macros that stand for nothing the grammar knows have no nodes.
        let starts: HashSet<usize> = found.iter().map(|(range, _)| range.start).collect();
        let words = program.tokens().into_iter().filter(|token| token.kind == TokenKind::Directive);
        let words: Vec<_> = words.filter(|word| !starts.contains(&word.range.start)).collect();
        let is_inside =
            |word: &Range<usize>| found.iter().any(|(leaf, _)| leaf.start <= word.start && word.end <= leaf.end);
        let free: Vec<_> =
            words.into_iter().filter(|word| !is_inside(&word.range)).map(|word| (word.range, None)).collect();
        if !free.is_empty() {
            found.extend(free);
            found.sort_by_key(|(range, _)| range.start);
        }
    }
    let index = found.iter().enumerate().filter_map(|(index, (_, node))| Some(((*node)?, index))).collect();
    let text = |range: &Range<usize>| program.text()[range.clone()].replace('\n', "");
    let tokens = found.into_iter().map(|(range, _)| CodeToken { text: text(&range), range }).collect();
    (tokens, index)
}

/// Is this a token?
fn is_leaf(node: Node<'_>) -> bool {
    is_whole(node.program().language(), node.kind()) || node.children().next().is_none()
}

/// The children of a node as the grammars of 2022 gave them; a leaf has none.
fn parts(node: Node<'_>) -> Vec<Node<'_>> {
    let language = node.program().language();
    if is_whole(language, node.kind()) {
        return Vec::new();
    }
    let mut parts = Vec::new();
    for child in node.children() {
        let kind = child.kind();
        if kind.is_comment() || kind == Kind::LineContinuation || is_lost_text(language, node.kind(), kind) {
            continue;
        }
        if language == Language::Python && is_docstring(child) {
            continue;
        }
        // The word `else` was a child of the statement.
        if is_like_c(language) && kind == Kind::ElseClause {
            parts.extend(child.children().filter(|part| !part.kind().is_comment()));
        } else {
            parts.push(child);
        }
    }
    parts
}

/// Is a node of this kind one token, although the grammar divides it further today?
fn is_whole(language: Language, kind: Kind) -> bool {
    match language {
        Language::Java => kind == Kind::StringLiteral,
        Language::Python | Language::JavaScript => kind == Kind::String,
        Language::C | Language::Cpp => matches!(kind, Kind::Null | Kind::RawStringLiteral),
    }
}

/// Is a node of this kind text of a literal that the grammar of 2022 had no node for?
fn is_lost_text(language: Language, parent: Kind, kind: Kind) -> bool {
    match language {
        Language::Java | Language::Python => false,
        Language::JavaScript => parent == Kind::TemplateString && kind == Kind::StringFragment,
        Language::C | Language::Cpp => matches!(kind, Kind::StringContent | Kind::Character),
    }
}

/// Is this a string literal, or a statement of nothing else, that the authors remove as documentation? They remove what begins a line
/// of code directly after another line of code or at the start of a block, and what begins in the first column.
fn is_docstring(node: Node<'_>) -> bool {
    match node.kind() {
        Kind::String => begins_line(node),
        Kind::ExpressionStatement => {
            let mut children = node.children();
            let first = children.next();
            children.next().is_none() && first.is_some_and(|first| first.kind() == Kind::String && begins_line(first))
        }
        _ => false,
    }
}

fn begins_line(string: Node<'_>) -> bool {
    let text = string.program().text();
    if string.start() == 0 || text[..string.start()].ends_with('\n') {
        return true;
    }
    let mut statement = string;
    while let Some(parent) = statement.parent().filter(|parent| parent.start() == string.start()) {
        if matches!(parent.kind(), Kind::Block | Kind::Module) {
            break;
        }
        statement = parent;
    }
    if !matches!(statement.kind(), Kind::ExpressionStatement) {
        return false;
    }
    let is_code = |node: &Node<'_>| node.is_named() && !node.kind().is_comment();
    let mut before = statement.previous_sibling();
    while let Some(node) = before.filter(|node| !is_code(node)) {
        before = node.previous_sibling();
    }
    let Some(before) = before else {
        // The first statement of a block on lines of its own is indented anew.
        let head = &text[..string.start()];
        return head[head.rfind('\n').map_or(0, |at| at + 1)..].trim().is_empty();
    };
    let has_block = before
        .descendants()
        .any(|node| node.kind() == Kind::Block && text[before.start()..node.start()].contains('\n'));
    let between = &text[before.end()..string.start()];
    !has_block && between.matches('\n').count() == 1
}

/// Is this an identifier for the grammar of 2022?
///
/// That grammar read `A.class` as a field of the variable `A`. It did not know methods without a class and took the exceptions
/// that they declare for variables; most functions of the data sets are such methods.
fn is_identifier_in_java(leaf: Node<'_>) -> bool {
    let parent = leaf.parent();
    let is_bare = |throws: Node<'_>| {
        let around = throws.parent().and_then(Node::parent);
        around.is_some_and(|around| around.parent().is_none())
    };
    match leaf.kind() {
        Kind::Identifier => true,
        Kind::Token => is_word_class(leaf),
        Kind::TypeIdentifier => {
            let is_thrown = parent.is_some_and(|parent| parent.kind() == Kind::Throws && is_bare(parent));
            let mut around = leaf.ancestors().skip_while(|around| around.kind() == Kind::ScopedTypeIdentifier);
            is_thrown || around.next().is_some_and(|around| around.kind() == Kind::ClassLiteral)
        }
        _ => false,
    }
}

/// Is this the word `class` in `A.class`, but not in `int.class`?
fn is_word_class(leaf: Node<'_>) -> bool {
    let literal = leaf.parent().filter(|parent| parent.kind() == Kind::ClassLiteral && leaf.is_token("class"));
    let of = literal.and_then(|literal| literal.children().next());
    of.is_some_and(|of| matches!(of.kind(), Kind::TypeIdentifier | Kind::ScopedTypeIdentifier))
}

const fn is_like_c(language: Language) -> bool {
    matches!(language, Language::C | Language::Cpp)
}

/// The analysis under way.
struct Analysis<'a> {
    language: Language,
    tokens: &'a [CodeToken],
    index: HashMap<NodeId, usize>,
    /// The tokens that may have given a variable its value.
    last: States<'a>,
    found: Vec<FlowNode>,
    steps: usize,
    has_failed: bool,
}

type States<'a> = HashMap<&'a str, Vec<usize>>;

impl<'a> Analysis<'a> {
    fn walk(&mut self, node: Node<'_>) {
        self.steps += 1;
        if self.steps > MOST_STEPS {
            self.has_failed = true;
        }
        if self.has_failed {
            return;
        }
        if is_leaf(node) {
            return self.leaf(node);
        }
        let parts = parts(node);
        match (self.language, node.kind()) {
            (Language::Java | Language::JavaScript, Kind::VariableDeclarator)
            | (Language::Python, Kind::DefaultParameter) => self.declare(node),
            (Language::C | Language::Cpp, Kind::PointerDeclarator | Kind::ArrayDeclarator) => self.declare_c(node),
            (Language::C | Language::Cpp, Kind::ParameterDeclaration) => self.declare_parameter(node),
            (Language::Java, Kind::AssignmentExpression)
            | (Language::JavaScript, Kind::AssignmentPattern | Kind::AugmentedAssignmentExpression) => {
                self.assign(node.child(Field::Left), node.child(Field::Right));
            }
            (Language::C | Language::Cpp, Kind::AssignmentExpression) => self.assign_c(node),
            (Language::Python, Kind::Assignment | Kind::AugmentedAssignment) => {
                if let Some(right) = node.child(Field::Right) {
                    let Some(left) = node.child(Field::Left) else { return self.fail() };
                    self.assign_parts(left, right);
                }
            }
            (Language::Python, Kind::ForInClause) => {
                let (left, right) = (node.child(Field::Left), parts.last().copied());
                let (Some(left), Some(right)) = (left, right) else { return self.fail() };
                self.walk(right);
                self.assign_grouped(left, right);
            }
            (Language::Java | Language::JavaScript | Language::C | Language::Cpp, Kind::UpdateExpression) => {
                let variables = self.variables(node);
                self.link(&variables, &variables, Edge::ComputedFrom);
            }
            (Language::Java | Language::JavaScript | Language::C | Language::Cpp, Kind::IfStatement) => {
                self.branch(&parts);
            }
            (Language::Python, Kind::IfStatement) => self.branch_python(&parts),
            (Language::Java | Language::JavaScript | Language::C | Language::Cpp, Kind::ForStatement) => {
                self.repeat_for(&parts);
            }
            (Language::Python, Kind::ForStatement) => self.repeat_for_python(node, &parts),
            (Language::Java, Kind::EnhancedForStatement) => self.repeat_for_each(node),
            (_, Kind::WhileStatement) => self.repeat(|analysis| analysis.walk_all(&parts)),
            (Language::Python, _) => {
                // What a comprehension runs over is known before what it makes of it.
                let (first, rest): (Vec<_>, Vec<_>) = parts.iter().partition(|part| part.kind() == Kind::ForInClause);
                self.walk_all(&first);
                self.walk_all(&rest);
            }
            _ => self.walk_all(&parts),
        }
    }

    fn walk_all(&mut self, nodes: &[Node<'_>]) {
        for node in nodes {
            self.walk(*node);
        }
    }

    /// The authors' program would have failed here.
    fn fail(&mut self) {
        self.has_failed = true;
    }

    fn leaf(&mut self, node: Node<'_>) {
        let Some(&token) = self.index.get(&node.id()) else { return };
        let name = self.name(token);
        let is_variable = self.is_variable(node, token);
        if !is_variable {
            return;
        }
        let parent = node.parent().map(Node::kind);
        if is_like_c(self.language) && parent == Some(Kind::FunctionDeclarator) {
            return;
        }
        if let Some(sources) = self.last.get(name) {
            let sources = sources.clone();
            return self.push(token, Edge::ComesFrom, sources);
        }
        let is_identifier = match self.language {
            Language::Java => is_identifier_in_java(node),
            Language::C | Language::Cpp | Language::Python | Language::JavaScript => node.kind() == Kind::Identifier,
        };
        if is_like_c(self.language) && !(is_identifier && parent == Some(Kind::Declaration)) {
            return;
        }
        if is_identifier {
            self.last.insert(name, vec![token]);
        }
        self.push(token, Edge::ComesFrom, Vec::new());
    }

    /// A variable that is declared with a value or without one.
    fn declare(&mut self, node: Node<'_>) {
        let Some(name) = node.child(Field::Name) else { return self.fail() };
        let names = self.variables(name);
        match node.child(Field::Value) {
            None => self.introduce(&names),
            Some(value) => {
                let values = self.variables(value);
                self.walk(value);
                self.link(&names, &values, Edge::ComesFrom);
            }
        }
    }

    /// A pointer or an array that is declared in C; or a function that returns a pointer, whose parameters count.
    fn declare_c(&mut self, mut node: Node<'_>) {
        if node.parent().is_some_and(|parent| parent.kind() == Kind::FunctionDefinition) {
            while node.kind() == Kind::PointerDeclarator {
                let Some(inner) = node.child(Field::Declarator) else { return self.fail() };
                if inner.kind() != Kind::PointerDeclarator {
                    break;
                }
                node = inner;
            }
            return self.walk_all(&parts(node));
        }
        let Some(name) = node.child(Field::Declarator) else { return self.fail() };
        let names = self.variables(name);
        self.introduce(&names);
    }

    /// A parameter of C.
    fn declare_parameter(&mut self, node: Node<'_>) {
        let mut declarator = node.child(Field::Declarator);
        while let Some(inner) = declarator.filter(|inner| inner.kind() != Kind::Identifier) {
            declarator = match inner.kind() {
                Kind::ParenthesizedDeclarator => inner.children().nth(1),
                _ => inner.child(Field::Declarator),
            };
        }
        if let Some(token) = declarator.and_then(|name| self.index.get(&name.id()).copied()) {
            self.introduce(&[token]);
        }
    }

    /// Variables without a value.
    fn introduce(&mut self, names: &[usize]) {
        for &token in names {
            self.push(token, Edge::ComesFrom, Vec::new());
            self.last.insert(self.name(token), vec![token]);
        }
    }

    /// An assignment of Java or JavaScript.
    fn assign(&mut self, left: Option<Node<'_>>, right: Option<Node<'_>>) {
        let (Some(left), Some(right)) = (left, right) else { return self.fail() };
        self.walk(right);
        let (names, values) = (self.variables(left), self.variables(right));
        self.link(&names, &values, Edge::ComputedFrom);
    }

    /// An assignment of C, which is left out. For the grammar of 2022 the assignment in `a = b ? c : d` was the condition, so that
    /// `c` and `d` are seen.
    fn assign_c(&mut self, node: Node<'_>) {
        let Some(right) = node.child(Field::Right) else { return };
        match right.kind() {
            Kind::AssignmentExpression => self.assign_c(right),
            Kind::ConditionalExpression => {
                for part in [right.child(Field::Consequence), right.child(Field::Alternative)].into_iter().flatten() {
                    self.walk(part);
                }
            }
            _ => (),
        }
    }

    /// One node for each pair of a name and a value.
    fn link(&mut self, names: &[usize], values: &[usize], edge: Edge) {
        for &name in names {
            for &value in values {
                self.push(name, edge, vec![value]);
            }
            self.last.insert(self.name(name), vec![name]);
        }
    }

    /// An assignment of Python, part by part where both sides have equally many.
    fn assign_parts(&mut self, left: Node<'_>, right: Node<'_>) {
        let (lefts, rights) = (sides(left), sides(right));
        let count = string_parts(right).unwrap_or(rights.len());
        if count != lefts.len() || count == 0 {
            self.walk(right);
            return self.assign_grouped(left, right);
        }
        if rights.is_empty() {
            return self.fail();
        }
        self.walk_all(&rights);
        for (left, right) in lefts.into_iter().zip(rights) {
            self.assign_grouped(left, right);
        }
    }

    /// One node for each name, which has all values as sources.
    fn assign_grouped(&mut self, left: Node<'_>, right: Node<'_>) {
        let (names, values) = (self.variables(left), self.variables(right));
        for name in names {
            self.push(name, Edge::ComputedFrom, values.clone());
            self.last.insert(self.name(name), vec![name]);
        }
    }

    /// A statement `if`. What comes before the first `else`, or before a statement `if` without braces, is one way through it; each
    /// part that follows is another that starts from the state before the statement.
    fn branch(&mut self, parts: &[Node<'_>]) {
        let before = self.last.clone();
        let mut ways = Vec::new();
        let is_alternative = |part: &Node<'_>| part.kind() == Kind::IfStatement || part.is_token("else");
        let first = parts.iter().position(is_alternative).unwrap_or(parts.len());
        self.walk_all(&parts[..first]);
        let straight = std::mem::take(&mut self.last);
        for part in &parts[first..] {
            self.last = before.clone();
            self.walk(*part);
            ways.push(std::mem::take(&mut self.last));
        }
        ways.push(straight);
        let has_else = parts.iter().any(|part| part.is_token("else") || part.kind() == Kind::ElseClause);
        if !has_else || self.language != Language::Java {
            ways.push(before);
        }
        self.last = merged(ways);
    }

    /// A statement `if` of Python: each `elif` and `else` starts from the state before the statement.
    fn branch_python(&mut self, parts: &[Node<'_>]) {
        let before = self.last.clone();
        let mut straight = before.clone();
        let mut ways = Vec::new();
        let mut has_else = false;
        for part in parts {
            if matches!(part.kind(), Kind::ElifClause | Kind::ElseClause) {
                has_else |= part.kind() == Kind::ElseClause;
                self.last = before.clone();
                self.walk(*part);
                ways.push(std::mem::take(&mut self.last));
            } else {
                self.last = straight;
                self.walk(*part);
                straight = std::mem::take(&mut self.last);
            }
        }
        ways.push(straight);
        if !has_else {
            ways.push(before);
        }
        self.last = merged(ways);
    }

    /// A loop `for` with three parts: once through, and once more from after the declaration of its variable.
    fn repeat_for(&mut self, parts: &[Node<'_>]) {
        let start = self.found.len();
        self.walk_all(parts);
        let declaration = match self.language {
            Language::Java => Some(Kind::LocalVariableDeclaration),
            Language::JavaScript => Some(Kind::VariableDeclaration),
            Language::C | Language::Cpp | Language::Python => None,
        };
        let declared = declaration.and_then(|kind| parts.iter().position(|part| part.kind() == kind));
        if let Some(declared) = declared {
            self.walk_all(&parts[declared + 1..]);
        }
        self.merge_from(start);
    }

    fn repeat_for_python(&mut self, node: Node<'_>, parts: &[Node<'_>]) {
        let (left, right) = (node.child(Field::Left), node.child(Field::Right));
        let (Some(left), Some(right)) = (left, right) else { return self.fail() };
        let body = parts.last().copied().filter(|last| last.kind() == Kind::Block);
        self.repeat(|analysis| {
            analysis.assign_parts(left, right);
            if let Some(body) = body {
                analysis.walk(body);
            }
        });
    }

    fn repeat_for_each(&mut self, node: Node<'_>) {
        let (name, value, body) = (node.child(Field::Name), node.child(Field::Value), node.child(Field::Body));
        let (Some(name), Some(value), Some(body)) = (name, value, body) else { return self.fail() };
        self.repeat(|analysis| {
            analysis.assign(Some(name), Some(value));
            analysis.walk(body);
        });
    }

    /// Twice through a loop, so that what the first time writes reaches what the second time reads.
    fn repeat(&mut self, round: impl Fn(&mut Self)) {
        let start = self.found.len();
        round(self);
        round(self);
        self.merge_from(start);
    }

    /// Makes one of the nodes of one token and one sort that were found since `start`.
    fn merge_from(&mut self, start: usize) {
        let mut places: HashMap<(usize, Edge), usize> = HashMap::new();
        let mut merged: Vec<FlowNode> = Vec::new();
        for node in self.found.drain(start..) {
            match places.get(&(node.token, node.edge)) {
                None => {
                    places.insert((node.token, node.edge), merged.len());
                    merged.push(node);
                }
                Some(&place) => {
                    let sources = &mut merged[place].sources;
                    sources.extend(node.sources);
                    sources.sort_unstable();
                    sources.dedup();
                }
            }
        }
        self.found.extend(merged);
    }

    /// The tokens of a subtree that are not keywords, operators or punctuation marks.
    fn variables(&self, node: Node<'_>) -> Vec<usize> {
        let mut variables = Vec::new();
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            if is_leaf(node)
                && let Some(&token) = self.index.get(&node.id())
                && self.is_variable(node, token)
            {
                variables.push(token);
            }
            open.extend(parts(node).into_iter().rev());
        }
        variables
    }

    /// Is the leaf anything but a word or a mark of the grammar, whose kind is spelled like its text?
    fn is_variable(&self, leaf: Node<'_>, token: usize) -> bool {
        match leaf.kind() {
            Kind::Token => is_word_class(leaf),
            kind => kind.name() != self.name(token),
        }
    }

    fn name(&self, token: usize) -> &'a str {
        &self.tokens[token].text
    }

    fn push(&mut self, token: usize, edge: Edge, sources: Vec<usize>) {
        self.found.push(FlowNode { name: self.name(token).to_owned(), token, edge, sources });
    }
}

/// The parts of one side of an assignment of Python.
fn sides(side: Node<'_>) -> Vec<Node<'_>> {
    parts(side).into_iter().filter(|part| !part.is_token(",")).collect()
}

/// How many parts the grammar of 2022 gave a string literal: two quotation marks, and what is escaped or interpolated.
fn string_parts(node: Node<'_>) -> Option<usize> {
    let is_string = node.kind() == Kind::String && node.program().language() == Language::Python;
    let inside = node.descendants().filter(|inner| {
        let is_direct = || inner.parent().is_some_and(|parent| parent == node || parent.kind() == Kind::StringContent);
        matches!(inner.kind(), Kind::EscapeSequence | Kind::Interpolation) && is_direct()
    });
    is_string.then(|| 2 + inside.count())
}

/// What may hold after several ways through a statement.
fn merged<'a>(ways: Vec<States<'a>>) -> States<'a> {
    let mut merged: States<'a> = HashMap::new();
    for way in ways {
        for (name, sources) in way {
            merged.entry(name).or_default().extend(sources);
        }
    }
    for sources in merged.values_mut() {
        sources.sort_unstable();
        sources.dedup();
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the graph with a drawing of it: `name@token<-sources` for what comes from others, `name@token:=sources` for what is
    /// computed.
    #[track_caller]
    fn check(language: Language, code: &str, expected: &str) {
        let flow = data_flow(&Program::parse(language, code));
        assert_eq!(drawn(&flow), expected.split_whitespace().collect::<Vec<_>>().join(" "), "{:?}", flow.tokens);
    }

    fn drawn(flow: &DataFlow) -> String {
        let node = |node: &FlowNode| {
            let sign = if node.edge == Edge::ComesFrom { "<-" } else { ":=" };
            let sources: Vec<_> = node.sources.iter().map(ToString::to_string).collect();
            format!("{}@{}{sign}{}", node.name, node.token, sources.join(","))
        };
        flow.nodes.iter().map(node).collect::<Vec<_>>().join(" ")
    }

    fn texts(language: Language, code: &str) -> Vec<String> {
        data_flow(&Program::parse(language, code)).tokens.into_iter().map(|token| token.text).collect()
    }

    #[test]
    fn a_chain_of_assignments() {
        // 0 int, 1 f, 2 (, 3 int, 4 a, 5 ), 6 {, 7 int, 8 b, 9 =, 10 a, 11 ;, 12 b, 13 =, 14 b, 15 +, 16 a, 17 ;, 18 return, 19 b
        check(
            Language::Java,
            "int f(int a) { int b = a; b = b + a; return b; }",
            "a@4<- b@8<-10 a@10<-4 b@12:=14 b@12:=16 b@14<-8 a@16<-4 b@19<-12",
        );
        // 0 b, 1 =, 2 a, 3 c, 4 =, 5 b, 6 +, 7 a
        check(Language::Python, "b = a\nc = b + a\n", "b@0:=2 a@2<- c@3:=5,7 b@5<-0 a@7<-2");
        // 0 let, 1 b, 2 =, 3 a, 4 ;, 5 b, 6 =, 7 b, 8 ;, 9 b, 10 +=, 11 a: a plain assignment is nothing special.
        check(Language::JavaScript, "let b = a; b = b; b += a;", "b@1<-3 a@3<- b@5<-1 b@7<-1 b@9:=11 a@11<-3");
        // 0 void, 1 f, 2 (, 3 int, 4 a, 5 ), 6 {, 7 int, 8 b, 9 ;, 10 b, 11 =, 12 a, 13 ;, 14 g, 15 (, 16 b, 17 ,, 18 a, 19 )
        // Assignments are not seen at all, and neither is the function's name.
        for language in [Language::C, Language::Cpp] {
            check(language, "void f(int a) { int b; b = a; g(b, a); }", "a@4<- b@8<- b@16<-8 a@18<-4");
        }
    }

    #[test]
    fn both_ways_of_an_if_meet() {
        // 0 int, 1 f, 2 (, 3 int, 4 a, 5 ), 6 {, 7 int, 8 b, 9 ;, 10 if, 11 (, 12 a, 13 ), 14 b, 15 =, 16 1, 17 ;, 18 else,
        // 19 b, 20 =, 21 2, 22 ;, 23 return, 24 b. The word `else` itself is a way that leaves everything as it was.
        check(
            Language::Java,
            "int f(int a) { int b; if (a) b = 1; else b = 2; return b; }",
            "a@4<- b@8<- a@12<-4 b@14:=16 1@16<- b@19:=21 2@21<- b@24<-8,14,19",
        );
        // 0 if, 1 a, 2 :, 3 b, 4 =, 5 1, 6 elif, 7 c, 8 :, 9 b, 10 =, 11 2, 12 else, 13 :, 14 b, 15 =, 16 3, 17 d, 18 =, 19 b
        check(
            Language::Python,
            "if a:\n    b = 1\nelif c:\n    b = 2\nelse:\n    b = 3\nd = b\n",
            "b@3:=5 1@5<- b@9:=11 2@11<- b@14:=16 3@16<- d@17:=19 b@19<-3,9,14",
        );
        // Without `else` the value from before may hold as well.
        check(Language::Python, "b = 0\nif a:\n    b = 1\nd = b\n", "b@0:=2 0@2<- b@6:=8 1@8<- d@9:=11 b@11<-0,6");
        // 0 var, 1 b, 2 =, 3 0, 4 ;, 5 if, 6 (, 7 a, 8 ), 9 b, 10 +=, 11 1, 12 ;, 13 else, 14 b, 15 +=, 16 2, 17 ;, 18 f, 19 (, 20 b
        // The `else` follows the rest, so that what the first way wrote is lost.
        check(
            Language::JavaScript,
            "var b = 0; if (a) b += 1; else b += 2; f(b);",
            "b@1<-3 0@3<- b@9:=11 1@11<- b@14:=16 2@16<- b@20<-1,14",
        );
        // 0 void, 1 f, 2 (, 3 int, 4 a, 5 ), 6 {, 7 if, 8 (, 9 a, 10 ), 11 a, 12 ++, 13 ;, 14 else, 15 a, 16 --, 17 ;, 18 g, 19 (, 20 a
        check(
            Language::C,
            "void f(int a) { if (a) a++; else a--; g(a); }",
            "a@4<- a@9<-4 a@11:=11 a@15:=15 a@20<-4,11,15",
        );
    }

    #[test]
    fn a_loop_brings_values_back() {
        // 0 for, 1 i, 2 in, 3 x, 4 :, 5 s, 6 =, 7 s, 8 +, 9 i
        check(Language::Python, "for i in x:\n    s = s + i\n", "i@1:=3 x@3<-3 s@5:=7,9 s@7<-5 i@9<-1");
        // 0 void, 1 f, 2 (, 3 int, 4 n, 5 ), 6 {, 7 for, 8 (, 9 int, 10 i, 11 =, 12 0, 13 ;, 14 i, 15 <, 16 n, 17 ;, 18 i, 19 ++, 20 ),
        // 21 g, 22 (, 23 i, 24 ): the condition follows the declaration and, the second time, the increment.
        check(
            Language::Java,
            "void f(int n) { for (int i = 0; i < n; i++) g(i); }",
            "n@4<- i@10<-12 0@12<- i@14<-10,18 n@16<-4 i@18:=18 g@21<-21 i@23<-18",
        );
        // Java's other loop: 0 void, 1 f, 2 (, 3 int, 4 [, 5 ], 6 a, 7 ), 8 {, 9 for, 10 (, 11 int, 12 v, 13 :, 14 a, 15 ), 16 s, 17 +=, 18 v
        check(
            Language::Java,
            "void f(int[] a) { for (int v : a) s += v; }",
            "a@6<- v@12:=14 a@14<-6 s@16:=18 v@18<-12",
        );
        // 0 while, 1 (, 2 a, 3 <, 4 b, 5 ), 6 a, 7 +=, 8 b
        check(Language::JavaScript, "while (a < b) a += b;", "a@2<-6 b@4<-4 a@6:=8 b@8<-4");
        // 0 void, 1 f, 2 (, 3 int, 4 a, 5 ), 6 {, 7 while, 8 (, 9 a, 10 ), 11 a, 12 --
        check(Language::C, "void f(int a) { while (a) a--; }", "a@4<- a@9<-4,11 a@11:=11");
    }

    #[test]
    fn increments_are_computed_from_themselves() {
        check(Language::JavaScript, "i++; f(i);", "i@0:=0 i@5<-0");
        // 0 void, 1 f, 2 (, 3 ), 4 {, 5 a, 6 [, 7 i, 8 ], 9 ++: each name of it from each.
        check(Language::Java, "void f() { a[i]++; }", "a@5:=5 a@5:=7 i@7:=5 i@7:=7");
    }

    #[test]
    fn a_swap_and_what_has_equally_many_parts() {
        // 0 a, 1 ,, 2 b, 3 =, 4 b, 5 ,, 6 a
        check(Language::Python, "a, b = b, a\n", "a@0:=4 b@2:=6 b@4<- a@6<-");
        // 0 a, 1 ., 2 b, 3 =, 4 c, 5 ., 6 d
        check(Language::Python, "a.b = c.d\n", "a@0:=4 b@2:=6 c@4<- d@6<-");
        // 0 a, 1 ,, 2 b, 3 =, 4 f, 5 (, 6 x, 7 ): a call has two parts, too.
        check(Language::Python, "a, b = f(x)\n", "a@0:=4 b@2:=6 f@4<- x@6<-");
        check(Language::Python, "a, b = c\n", "a@0:=4 b@2:=4 c@4<-");
        // Two quotation marks are two parts that are not tokens: the authors' program fails.
        check(Language::Python, "a, b = \"xy\"\n", "");
        check(Language::Python, "a.b = \"xy\"\n", "a@0:=4 b@2:=4 \"xy\"@4<-");
        check(Language::Python, "a.b = \"x\\n\"\n", "");
    }

    #[test]
    fn nested_calls_and_unused_parameters() {
        // 0 int, 1 f, 2 (, 3 int, 4 a, 5 ,, 6 int, 7 b, 8 ), 9 {, 10 return, 11 g, 12 (, 13 h, 14 (, 15 a, 16 ), 17 ), 18 ;, 19 }
        check(Language::Java, "int f(int a, int b) { return g(h(a)); }", "a@4<- a@15<-4");
        // 0 def, 1 f, 2 (, 3 a, 4 ,, 5 b, 6 =, 7 1, 8 ), 9 :, 10 return, 11 g, 12 (, 13 h, 14 (, 15 a
        check(Language::Python, "def f(a, b=1):\n    return g(h(a))\n", "a@3<- b@5<-7 1@7<- a@15<-3");
        // C keeps nodes without edges.
        check(Language::C, "int f(int a, int *b) { return g(h(a)); }", "a@4<- b@8<- a@16<-4");
        // 0 function, 1 f, 2 (, 3 a, 4 ,, 5 b, 6 =, 7 c, 8 ), 9 {, 10 return, 11 g, 12 (, 13 h, 14 (, 15 a
        check(Language::JavaScript, "function f(a, b = c) { return g(h(a)); }", "a@3<- b@5:=7 c@7<- a@15<-3");
    }

    #[test]
    fn c_sees_pointers_arrays_and_parameters_in_parentheses() {
        // 0 char, 1 *, 2 f, 3 (, 4 char, 5 *, 6 *, 7 a, 8 ), 9 {, 10 char, 11 *, 12 p, 13 =, 14 a, 15 ;, 16 int, 17 x, 18 [, 19 3, 20 ], 21 ;,
        // 22 int, 23 n, 24 =, 25 1, 26 ;, 27 g, 28 (, 29 p, 30 ,, 31 x, 32 ,, 33 n, 34 ): `n` is never seen.
        check(
            Language::C,
            "char *f(char **a) { char *p = a; int x[3]; int n = 1; g(p, x, n); }",
            "a@7<- p@12<- a@14<-7 x@17<- p@29<-12 x@31<-17",
        );
        check(Language::C, "void f(int (*a)(int), int) { a(1); }", "a@6<- a@15<-6");
        // 0 void, 1 f, 2 (, 3 int, 4 a, 5 ,, 6 int, 7 b, 8 ), 9 {, 10 a, 11 =, 12 b, 13 ?, 14 a, 15 :, 16 b
        check(Language::C, "void f(int a, int b) { a = b ? a : b; }", "a@4<- b@7<- a@14<-4 b@16<-7");
    }

    #[test]
    fn java_is_read_as_in_2022() {
        // 0 void, 1 f, 2 (, 3 ), 4 throws, 5 E, 6 {, 7 throw, 8 new, 9 E: a method with a class declares types, one without variables.
        check(Language::Java, "void f() throws E { throw new E(); }", "E@5<- E@9<-5");
        check(Language::Java, "class A { void f() throws E { throw new E(); } }", "");
        // 0 class, 1 A, 2 {, 3 Object, 4 o, 5 =, 6 B, 7 ., 8 class, 9 ;
        check(Language::Java, "class A { Object o = B.class; }", "o@4<-6 o@4<-8 B@6<- class@8<-");
        check(Language::Java, "class A { Object o = int.class; }", "");
    }

    #[test]
    fn comprehensions_know_first_what_they_run_over() {
        // 0 y, 1 =, 2 [, 3 v, 4 for, 5 v, 6 in, 7 x, 8 ]
        check(Language::Python, "y = [v for v in x]\n", "y@0:=3,5,7 v@3<-5 v@5:=7 x@7<-");
    }

    #[test]
    fn tokens_are_those_of_the_grammars_of_2022() {
        assert_eq!(texts(Language::Java, "void f() { /* a */ s = \"a b\"; // c\n }")[5..9], ["s", "=", "\"a b\"", ";"]);
        assert_eq!(texts(Language::C, "char *s = \"ab\\n\"; char c = 'x';")[4..7], ["\"", "\\n", "\""]);
        assert_eq!(texts(Language::C, "void *p = NULL;")[4], "NULL");
        assert_eq!(texts(Language::JavaScript, "s = `a${b}c` + 'd'"), ["s", "=", "`", "${", "b", "}", "`", "+", "'d'"]);
        let code =
            "\"\"\"Doc.\"\"\"\ndef f():\n    '''Doc.'''\n    x = 1\n    'gone'\n\n    'kept'\n    return '''a\nb'''\n";
        let expected = ["def", "f", "(", ")", ":", "x", "=", "1", "'kept'", "return", "'''ab'''"];
        assert_eq!(texts(Language::Python, code), expected);
        assert_eq!(data_flow(&Program::parse(Language::Java, "")), DataFlow::default());
    }

    #[test]
    fn macros_without_nodes_are_tokens() {
        let tokens = texts(Language::C, "static av_cold int f(AVCodecContext *a) { return a; }");
        assert_eq!(tokens[..4], ["static", "av_cold", "int", "f"]);
    }

    #[test]
    fn broken_programs_have_what_can_be_found() {
        let program = Program::parse(Language::C, "void f(int a) { g(a); if (a { h(a); }");
        assert!(program.is_broken());
        let drawn = drawn(&data_flow(&program));
        assert!(drawn.contains("a@9<-4"), "{drawn}");
        for language in Language::ALL {
            for text in ["", " ", "(", ")))", "\u{1a}", "a = = b", "for", "if x", "\"", "é = ü; // ß"] {
                data_flow(&Program::parse(language, text));
            }
        }
    }

    #[test]
    fn loops_in_loops_end() {
        let code = format!("{}x += y;{}", "while (x) { ".repeat(40), " }".repeat(40));
        assert!(data_flow(&Program::parse(Language::JavaScript, code)).nodes.is_empty());
    }
}
