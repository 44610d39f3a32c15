//! Iterates over an array or a list by element instead of by index.
//!
//! class: structure
//! groups: guided-mutation
//! from: guided mutation
//! inverse: foreach-to-indexed
//!
//! The index counts from the first element to the last by one, and the body uses it only to read that element (in C++
//! also to change it, through a reference). Nothing that could change the element runs before it is read.
//!
//! ```java
//! int f(int[] a) { int s = 0; for (int i = 0; i < a.length; i++) { s += a[i]; } return s; }
//! ```
//! ->
//! ```java
//! int f(int[] a) { int s = 0; for (int localInt1 : a) { s += localInt1; } return s; }
//! ```
//!
//! ```cpp
//! void f() { std::vector<int> a(9); for (size_t i = 0; i < a.size(); ++i) { a[i] = 7; } g(a); }
//! ```
//! ->
//! ```cpp
//! void f() { std::vector<int> a(9); for (auto& local_1 : a) { local_1 = 7; } g(a); }
//! ```
//!
//! ```python
//! def f():
//!     words = ['a', 'b']
//!     for i in range(len(words)):
//!         print(words[i])
//! ```
//! ->
//! ```python
//! def f():
//!     words = ['a', 'b']
//!     for local_1 in words:
//!         print(local_1)
//! ```
//!
//! ```javascript
//! function f() { const a = [1, 2]; for (let i = 0; i < a.length; i++) g(a[i]); }
//! ```
//! ->
//! ```javascript
//! function f() { const a = [1, 2]; for (const local1 of a) g(local1); }
//! ```
//!
//! The index itself is used:
//!
//! ```java
//! void f(int[] a) { for (int i = 0; i < a.length; i++) { g(i, a[i]); } }
//! ```
//!
//! The call may change the element before it is read:
//!
//! ```java
//! void f(int[] a) { for (int i = 0; i < a.length; i++) { g(); h(a[i]); } }
//! ```

use syntax::types::Number;
use syntax::views::{Element, For};
use syntax::{Edit, Field, Kind, Language, Node, Program, SymbolId, Type};

use crate::parts::declarations::type_text;
use crate::parts::layout::replace;
use crate::parts::loops::{has_comment, is_free_standing};
use crate::parts::python::{is_built_in, is_in_class_body};
use crate::parts::sequences::sequence_of;
use crate::parts::statements::function_around;
use crate::{Choice, Sites};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    match program.language() {
        Language::Java | Language::Cpp | Language::Python | Language::JavaScript => {}
        Language::C => return,
    }
    for node in program.nodes_of_kind(Kind::ForStatement) {
        if let Some(found) = indexed(node) {
            sites.add(node.range(), move |choice| found.edits(choice));
        }
    }
}

struct Indexed<'p> {
    whole: Node<'p>,
    collection: Node<'p>,
    element: Type,
    /// The reads of the element that the index stands for.
    elements: Vec<Node<'p>>,
    end_of_head: usize,
}

fn indexed(whole: Node<'_>) -> Option<Indexed<'_>> {
    let program = whole.program();
    let scopes = program.scopes();
    let body = whole.child(Field::Body)?;
    let (index, collection, end_of_head) = match program.language() {
        Language::Python => python_head(whole)?,
        Language::Java | Language::Cpp | Language::JavaScript => counting_head(whole)?,
        Language::C => return None,
    };
    let symbol = scopes.symbol_at(index)?;
    let (owner, head_end) = (scopes.symbol_at(collection)?, body.start());
    let mut elements = Vec::new();
    for reference in scopes.references_of(symbol) {
        let node = program.node(reference.node);
        if body.contains(node) {
            elements.push(element_at(node, owner).filter(|element| is_read_in_time(*element, whole, body))?);
        } else if !(whole.contains(node) && node.end() <= head_end) && !is_bound_elsewhere(node, index, whole) {
            return None;
        }
    }
    // The collection is mentioned for these elements only.
    let is_only_element = scopes
        .references_of(owner)
        .map(|reference| program.node(reference.node))
        .all(|node| !body.contains(node) || elements.iter().any(|element| element.contains(node)));
    if elements.is_empty()
        || !is_only_element
        || whole.children().any(|child| child.end() <= end_of_head && has_comment(child))
    {
        return None;
    }
    let sequence = sequence_of(collection, whole, body)?;
    let is_good = match program.language() {
        Language::Java => type_text(Language::Java, &sequence.element).is_some(),
        Language::Cpp => is_steady_container(whole, owner) && is_free_standing(whole),
        Language::Python | Language::JavaScript => true,
        Language::C => false,
    };
    is_good.then_some(Indexed { whole, collection, element: sequence.element, elements, end_of_head })
}

/// `for (int i = 0; i < a.length; i++)`: the index, the collection and the end of the head.
fn counting_head(whole: Node<'_>) -> Option<(Node<'_>, Node<'_>, usize)> {
    let program = whole.program();
    let parts = For::of(whole)?;
    let ([start], [update]) = (&parts.starts[..], &parts.updates[..]) else { return None };
    let is_declaration =
        matches!(start.kind(), Kind::LexicalDeclaration | Kind::LocalVariableDeclaration | Kind::Declaration);
    let is_declarator = |part: &Node<'_>| matches!(part.kind(), Kind::VariableDeclarator | Kind::InitDeclarator);
    let declarator = only(start.named_children().filter(is_declarator)).filter(|_| is_declaration)?;
    let name = declarator.child(Field::Name).or(declarator.child(Field::Declarator))?;
    let is_whole_number = match program.language() {
        Language::Java => program.type_of(name) == Type::Number(Number::Int),
        Language::Cpp => matches!(
            program.type_of(name),
            Type::Number(
                Number::Int
                    | Number::UnsignedInt
                    | Number::Long
                    | Number::UnsignedLong
                    | Number::LongLong
                    | Number::UnsignedLongLong
                    | Number::PlatformInteger
            )
        ),
        Language::JavaScript | Language::C | Language::Python => true,
    };
    let starts_at_zero = declarator.child(Field::Value).is_some_and(|value| value.text() == "0");
    let condition = parts.condition?;
    let tests_below = condition.kind() == Kind::BinaryExpression
        && condition.child(Field::Operator).is_some_and(|operator| operator.text() == "<")
        && condition.child(Field::Left).is_some_and(|left| left.text() == name.text());
    let length = condition.child(Field::Right)?;
    let counts = [format!("{}++", name.text()), format!("++{}", name.text())];
    let counts_by_one = update.kind() == Kind::UpdateExpression && counts.iter().any(|count| count == update.text());
    let collection = match (program.language(), length.kind()) {
        (Language::Java, Kind::FieldAccess) => {
            length.child(Field::Object).filter(|_| length.child(Field::Field).is_some_and(|f| f.text() == "length"))?
        }
        (Language::JavaScript, Kind::MemberExpression) => length
            .child(Field::Object)
            .filter(|_| length.child(Field::Property).is_some_and(|f| f.text() == "length"))?,
        (Language::Cpp, Kind::CallExpression) => {
            let method = length.child(Field::Function).filter(|method| method.kind() == Kind::FieldExpression)?;
            let is_size = method.child(Field::Field).is_some_and(|field| field.text() == "size");
            method.child(Field::Argument).filter(|_| is_size && !method.has_token("->"))?
        }
        _ => return None,
    };
    let is_good = is_whole_number && starts_at_zero && tests_below && counts_by_one;
    (is_good && name.kind() == Kind::Identifier && collection.kind() == Kind::Identifier).then_some((
        name,
        collection,
        parts.bracket.end(),
    ))
}

/// `for i in range(len(a))`: the index, the collection and the end of the head.
fn python_head(whole: Node<'_>) -> Option<(Node<'_>, Node<'_>, usize)> {
    let index = whole.child(Field::Left).filter(|left| left.kind() == Kind::Identifier)?;
    let inner = only_argument(whole.child(Field::Right)?, "range")?;
    let collection = only_argument(inner, "len")?;
    let colon = whole.children().find(|child| child.is_token(":"))?;
    let is_good = !whole.has_token("async") && !is_in_class_body(whole) && collection.kind() == Kind::Identifier;
    is_good.then_some((index, collection, colon.start()))
}

/// The argument of a call of a built-in function that has one.
fn only_argument<'p>(call: Node<'p>, name: &str) -> Option<Node<'p>> {
    let is_call = call.kind() == Kind::Call && is_built_in(call.child(Field::Function)?, name);
    only(call.child(Field::Arguments).filter(|list| is_call && list.kind() == Kind::ArgumentList)?.named_children())
}

fn only<'p>(mut nodes: impl Iterator<Item = Node<'p>>) -> Option<Node<'p>> {
    let (first, None) = (nodes.next()?, nodes.next()) else { return None };
    Some(first)
}

/// The `a[i]` that the index stands in.
fn element_at<'p>(index: Node<'p>, owner: SymbolId) -> Option<Node<'p>> {
    let program = index.program();
    // C++ has a list of indices between the two.
    let mut around = index.ancestors().take(2);
    let (access, element) = around.find_map(|access| Element::of(access).map(|element| (access, element)))?;
    (element.index == index && program.scopes().symbol_at(element.collection) == Some(owner)).then_some(access)
}

/// Is the element only read, and before anything runs that could change it?
fn is_read_in_time(element: Node<'_>, whole: Node<'_>, body: Node<'_>) -> bool {
    let same_function = function_around(element).map(Node::id) == function_around(whole).map(Node::id);
    let is_target = element.parent().is_some_and(|parent| match parent.kind() {
        Kind::AssignmentExpression
        | Kind::AugmentedAssignmentExpression
        | Kind::Assignment
        | Kind::AugmentedAssignment
        | Kind::ForInStatement
        | Kind::ForStatement
        | Kind::ForInClause => element.role() == Field::Left,
        Kind::UpdateExpression
        | Kind::PatternList
        | Kind::TuplePattern
        | Kind::ListPattern
        | Kind::ArrayPattern
        | Kind::PairPattern
        | Kind::AsPattern
        | Kind::AsPatternTarget
        | Kind::DeleteStatement => true,
        Kind::UnaryExpression => parent.text().starts_with("delete"),
        // `a[i]()` calls with `this`.
        Kind::CallExpression => element.role() == Field::Function,
        _ => false,
    });
    match element.program().language() {
        // The reference is the element, whatever happens to it; a lambda may keep the index.
        Language::Cpp => same_function,
        // Nobody else has the list, and the body uses it for nothing else.
        Language::Python => same_function && !is_target,
        Language::Java | Language::JavaScript => {
            let is_repeated =
                element.ancestors().take_while(|around| around.id() != whole.id()).any(|around| is_loop(around.kind()));
            let mut hazards = body.descendants().filter(|node| may_change_elements(*node));
            let is_late = hazards.any(|hazard| is_repeated || hazard.end() <= element.start());
            same_function && !is_target && !is_late
        }
        Language::C => false,
    }
}

fn is_loop(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::ForStatement
            | Kind::EnhancedForStatement
            | Kind::ForInStatement
            | Kind::WhileStatement
            | Kind::DoStatement
    )
}

/// Could this change an element of an array?
fn may_change_elements(node: Node<'_>) -> bool {
    match node.kind() {
        Kind::MethodInvocation
        | Kind::ObjectCreationExpression
        | Kind::ExplicitConstructorInvocation
        | Kind::CallExpression
        | Kind::NewExpression
        | Kind::AwaitExpression
        | Kind::YieldExpression
        | Kind::TemplateSubstitution => true,
        Kind::AssignmentExpression | Kind::AugmentedAssignmentExpression => {
            node.child(Field::Left).is_none_or(|left| left.kind() != Kind::Identifier)
        }
        Kind::UpdateExpression => node.named_children().next().is_none_or(|value| value.kind() != Kind::Identifier),
        _ => false,
    }
}

/// Is the use of the index outside the loop one that another `for` binds before? Only Python's variables live on.
fn is_bound_elsewhere(node: Node<'_>, index: Node<'_>, whole: Node<'_>) -> bool {
    node.ancestors().any(|around| {
        around.kind() == Kind::ForStatement
            && !around.contains(whole)
            && !whole.contains(around)
            && around
                .child(Field::Left)
                .is_some_and(|left| left.text() == index.text() && left.kind() == Kind::Identifier)
            && [around.child(Field::Left), around.child(Field::Body)]
                .into_iter()
                .flatten()
                .any(|part| part.contains(node))
    }) && function_around(node).map(Node::id) == function_around(whole).map(Node::id)
}

/// Does the container of C++ keep its size during the loop, and does it hold its elements themselves? One that others
/// can reach may be resized by every call, and `vector<bool>` has no references to its elements.
fn is_steady_container(whole: Node<'_>, owner: SymbolId) -> bool {
    let program = whole.program();
    // Whoever got the container before may have kept a reference to it, and use it when called.
    let calls = whole.child(Field::Body).is_none_or(|body| {
        body.descendants().any(|node| matches!(node.kind(), Kind::CallExpression | Kind::NewExpression))
    });
    let declared = program.node(program.scopes().symbol(owner).declaration);
    let is_value = declared.ancestors().take(2).all(|around| around.kind() != Kind::ReferenceDeclarator);
    let declaration =
        declared.ancestors().find(|around| matches!(around.kind(), Kind::Declaration | Kind::ParameterDeclaration));
    let has_bits = declaration
        .and_then(|declaration| declaration.child(Field::Type))
        .is_none_or(|described| described.text().contains("bool"));
    let is_template = whole.ancestors().any(|around| around.kind() == Kind::TemplateDeclaration);
    // Every occurrence of the name counts: `Keeper k(a);` looks like the declaration of a function.
    let home = function_around(whole);
    let is_reached = home.unwrap_or(program.root()).descendants().any(|node| {
        let is_harmless = |parent: Node<'_>| match parent.kind() {
            Kind::SubscriptExpression | Kind::FieldExpression => node.role() == Field::Argument,
            Kind::ReturnStatement => true,
            Kind::ArgumentList => !calls,
            _ => node.id() == declared.id(),
        };
        let is_meant = node.is_named() && node.text() == declared.text() && node.named_children().next().is_none();
        is_meant
            && (function_around(node).map(Node::id) != home.map(Node::id) && node.id() != declared.id()
                || !node.parent().is_some_and(is_harmless))
    });
    is_value && !has_bits && !is_template && !is_reached
}

impl Indexed<'_> {
    fn edits(&self, choice: &mut Choice<'_>) -> Option<Vec<Edit>> {
        let program = self.whole.program();
        let name = choice.local("item", self.element.clone())?;
        let collection = self.collection.text();
        let head = match program.language() {
            Language::Java => format!("for ({} {name} : {collection})", type_text(Language::Java, &self.element)?),
            Language::Cpp => format!("for (auto& {name} : {collection})"),
            Language::JavaScript => format!("for (const {name} of {collection})"),
            Language::Python => format!("for {name} in {collection}"),
            Language::C => return None,
        };
        let mut edits = vec![Edit { range: self.whole.start()..self.end_of_head, text: head }];
        edits.extend(self.elements.iter().map(|element| replace(*element, &name)));
        Some(edits)
    }
}

#[cfg(test)]
mod tests {
    use syntax::Language::{Cpp, Java, JavaScript, Python};

    use crate::testing::{check, check_refused};

    const NAME: &str = "indexed-to-foreach";

    #[test]
    fn what_is_written_or_read_late_is_refused() {
        check_refused(NAME, Java, "void f(int[] a) { for (int i = 0; i < a.length; i++) { a[i] = 1; } }");
        check_refused(NAME, Java, "void f(int[] a) { for (int i = 0; i < a.length; i++) { a[i]++; } }");
        check_refused(
            NAME,
            Java,
            "void f(int[] a, int[] b) { for (int i = 0; i < a.length; i++) { b[0] = 1; g(a[i]); } }",
        );
        check_refused(NAME, Java, "void f(int[] a) { for (int i = 0; i < a.length; i++) { while (g(a[i])) h(); } }");
        check_refused(
            NAME,
            JavaScript,
            "function f() { const a = [1]; for (let i = 0; i < a.length; i++) g(() => a[i]); }",
        );
        check_refused(NAME, JavaScript, "function f() { const a = [g]; for (let i = 0; i < a.length; i++) a[i](); }");
    }

    #[test]
    fn other_ways_to_count_are_refused() {
        check_refused(NAME, Java, "void f(int[] a) { for (int i = 1; i < a.length; i++) g(a[i]); }");
        check_refused(NAME, Java, "void f(int[] a) { for (int i = 0; i <= a.length; i++) g(a[i]); }");
        check_refused(NAME, Java, "void f(int[] a) { for (int i = 0; i < a.length; i += 2) g(a[i]); }");
        check_refused(NAME, Java, "void f(int[] a, int[] b) { for (int i = 0; i < a.length; i++) g(b[i]); }");
        check_refused(NAME, Java, "void f(int[] a) { int i; for (i = 0; i < a.length; i++) g(a[i]); }");
    }

    #[test]
    fn containers_that_may_be_resized_are_refused() {
        check_refused(NAME, Cpp, "void f(std::vector<int>& a) { for (int i = 0; i < a.size(); i++) g(a[i]); }");
        check_refused(
            NAME,
            Cpp,
            "void f() { std::vector<bool> a(3); for (int i = 0; i < a.size(); i++) a[i] = true; }",
        );
        check_refused(
            NAME,
            Cpp,
            "void f() { std::vector<int> a(3); for (int i = 0; i < a.size(); i++) a.push_back(a[i]); }",
        );
    }

    #[test]
    fn a_container_that_others_know_is_refused() {
        check_refused(
            NAME,
            Cpp,
            "void f() { std::vector<int> a(3); Keeper k(a); for (int i = 0; i < a.size(); i++) k.grow(a[i]); }",
        );
        check_refused(NAME, Cpp, "void f() { vector<int> a(3); for (int i = 0; i < a.size(); i++) a[i] = 1; }");
    }

    #[test]
    fn an_index_that_lives_on_is_refused() {
        check_refused(
            NAME,
            Python,
            "def f():\n    xs = [1]\n    for i in range(len(xs)):\n        print(xs[i])\n    return i\n",
        );
        check(
            NAME,
            Python,
            "def f():\n    xs = [1]\n    for i in range(len(xs)):\n        print(xs[i])\n    for i in range(2):\n        print(i)\n",
            "def f():\n    xs = [1]\n    for local_1 in xs:\n        print(local_1)\n    for i in range(2):\n        print(i)\n",
        );
    }
}
