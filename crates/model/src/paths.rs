//! Path contexts: pairs of leaves of a method with the path between them, as in code2vec and code2seq.
//!
//! A context joins two leaves of the tree of a method. The path between them goes up to their lowest common ancestor
//! and down again; it may have at most eight nodes below that node, and its two branches may be at most two children
//! apart. The name of the method itself is hidden as `METHOD_NAME`.
//!
//! ```
//! use model::paths::{Limits, Style, methods};
//! use syntax::{Language, Program};
//!
//! let program = Program::parse(Language::Java, "int getSize() { return mySize; }");
//! let method = &methods(&program, &Limits::default())[0];
//! assert_eq!(method.target, ["get", "size"]);
//! let written: Vec<String> = method.contexts.iter().map(|context| context.written(Style::Code2Seq)).collect();
//! assert_eq!(written[0], "int,integral_type0|method_declaration|identifier1,METHOD_NAME");
//! assert_eq!(written[1], "METHOD_NAME,identifier1|method_declaration|block|return_statement|identifier0,my|size");
//! ```
//!
//! This follows the extractors for Java that were published with both models (tech-srl/code2vec and tech-srl/code2seq,
//! JavaExtractor): which leaves there are, how their names are normalised, where the number of a child is added to a node. They use the
//! tree of JavaParser, we use ours, for all five languages, so that kinds of nodes have other names and lie a little differently:
//! vocabularies trained on one do not fit the other. Nodes are the constructs of the grammar; keywords, operators,
//! punctuation marks and comments are none, but an operator is added to the kind of its expression, as in `binary_expression:plus`.
//!
//! A text file has one method per line: the name, and then the contexts, separated by single spaces and padded with
//! spaces to a fixed number of contexts. See [`write_line`] and [`read_lines`].

use std::ops::Range;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use syntax::{Field, Kind, Language, Node, Program};

/// Replaces the name of the method.
pub const METHOD_NAME: &str = "METHOD_NAME";

/// Longer names of leaves are truncated, as by the published extractor.
const LONGEST_NAME: usize = 50;

/// Which contexts are extracted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The maximum number of nodes of a path below its highest node.
    pub length: usize,
    /// The maximum distance of the two branches of a path, in children.
    pub width: usize,
    /// The maximum number of contexts per method. If there are more, a sample of them is drawn, in order.
    pub contexts: usize,
    /// The same method and seed give the same contexts.
    pub seed: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { length: 8, width: 2, contexts: 200, seed: 0 }
    }
}

/// A method with its contexts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Method {
    /// The subtokens of its name in lower case.
    pub target: Vec<String>,
    /// The extracted contexts, in the order of their leaves.
    pub contexts: Vec<Context>,
    /// The number of contexts before sampling.
    pub all: usize,
}

/// Two leaves and the path between them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Context {
    pub source: Leaf,
    /// The nodes of the path: their kinds, some with a child index. The leaves are the first and the last.
    pub path: Vec<String>,
    /// The index of the highest node in the path.
    pub top: usize,
    pub target: Leaf,
}

/// The name of a leaf.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// The letters of the text in lower case, as in code2vec.
    pub name: String,
    /// The subtokens of the text in lower case, as in code2seq.
    pub words: Vec<String>,
}

/// The text format of a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// `name,hash,name`, with the hash of the path, see [`Context::hash`].
    Code2Vec,
    /// `word|word,node|node|node,word|word`.
    Code2Seq,
}

impl Context {
    /// The path in code2vec's notation: `(kind)^(kind)_(kind)`, with `^` for up and `_` for down.
    pub fn spelled(&self) -> String {
        let mut spelled = String::new();
        for (place, node) in self.path.iter().enumerate() {
            if place > self.top {
                spelled.push('_');
            }
            spelled.extend(["(", node, ")"]);
            if place < self.top {
                spelled.push('^');
            }
        }
        spelled
    }

    /// The path in the vocabulary of code2vec: the Java hash code of its notation.
    pub fn hash(&self) -> i32 {
        java_hash(&self.spelled())
    }

    /// The context in a text file.
    pub fn written(&self, style: Style) -> String {
        match style {
            Style::Code2Vec => format!("{},{},{}", self.source.name, self.hash(), self.target.name),
            Style::Code2Seq => {
                format!("{},{},{}", self.source.words.join("|"), self.path.join("|"), self.target.words.join("|"))
            }
        }
    }
}

/// Java's `String.hashCode`.
pub fn java_hash(text: &str) -> i32 {
    text.encode_utf16().fold(0_i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)))
}

/// Every method or function of a program that has a name and a body, in text order, nested ones included.
pub fn methods(program: &Program, limits: &Limits) -> Vec<Method> {
    // A tree that is too deep is broken, and its ways would be too long anyway.
    let functions = program.nodes().filter_map(|node| Some((node, name_of(node)?)));
    functions.map(|(node, name)| method(node, name, limits)).collect()
}

/// Every method or function that a program names, but for constructors, which are called as their class is: its name, and where its text
/// stands.
pub fn functions(program: &Program) -> Vec<(String, Range<usize>)> {
    let functions = program.nodes().filter(|node| node.kind() != Kind::ConstructorDeclaration);
    functions.filter_map(|node| Some((name_of(node)?.text().to_owned(), node.range()))).collect()
}

fn method(function: Node<'_>, name: Node<'_>, limits: &Limits) -> Method {
    let mut target = words(name.text());
    if target.is_empty() {
        target = vec![normalised(name.text(), "BLANK")];
    }
    let mut leaves = Vec::new();
    collect(function, &mut vec![Step::of(function)], &mut leaves);
    // A context is written out only when it is taken: a large method has thousands.
    let mut pairs = Vec::new();
    for (place, source) in leaves.iter().enumerate() {
        let near = leaves[place + 1..].iter().filter(|target| is_within(source, target, limits));
        pairs.extend(near.map(|target| (source, target)));
    }
    let all = pairs.len();
    let contexts = drawn(pairs, limits).into_iter().filter_map(|(source, target)| context(source, target, name));
    Method { target, contexts: contexts.collect(), all }
}

/// The name of a function that is defined here.
fn name_of(node: Node<'_>) -> Option<Node<'_>> {
    match (node.program().language(), node.kind()) {
        (Language::Java, Kind::MethodDeclaration | Kind::ConstructorDeclaration)
        | (Language::Python, Kind::FunctionDefinition)
        | (
            Language::JavaScript,
            Kind::FunctionDeclaration | Kind::GeneratorFunctionDeclaration | Kind::MethodDefinition,
        ) => {
            node.child(Field::Body)?;
            node.child(Field::Name)
        }
        (Language::JavaScript, Kind::ArrowFunction | Kind::FunctionExpression | Kind::GeneratorFunction) => {
            let variable = node.parent().filter(|parent| parent.kind() == Kind::VariableDeclarator);
            variable?.child(Field::Name).filter(|name| name.kind() == Kind::Identifier)
        }
        (Language::C | Language::Cpp, Kind::FunctionDefinition) => {
            node.child(Field::Body)?;
            let mut declarator = node.child(Field::Declarator)?;
            loop {
                declarator = match declarator.kind() {
                    Kind::QualifiedIdentifier => declarator.child(Field::Name)?,
                    Kind::TemplateFunction => return declarator.child(Field::Name),
                    Kind::ReferenceDeclarator | Kind::ParenthesizedDeclarator => declarator.named_children().last()?,
                    _ => match declarator.child(Field::Declarator) {
                        Some(inner) => inner,
                        None => return Some(declarator),
                    },
                };
            }
        }
        _ => None,
    }
}

/// A node on the way from the method to a leaf.
#[derive(Clone, Copy)]
struct Step<'p> {
    node: Node<'p>,
    /// Its place among the children of its parent that are constructs.
    child: usize,
}

impl<'p> Step<'p> {
    fn of(node: Node<'p>) -> Step<'p> {
        Step { node, child: 0 }
    }
}

/// Lists the ways from the method to its leaves.
fn collect<'p>(node: Node<'p>, way: &mut Vec<Step<'p>>, leaves: &mut Vec<Vec<Step<'p>>>) {
    if is_leaf(node) {
        leaves.push(way.clone());
        return;
    }
    // Ways this long are never taken, and a tree that does not parse may be very deep.
    if way.len() > 1000 {
        return;
    }
    for (child, inner) in node.named_children().enumerate() {
        way.push(Step { node: inner, child });
        collect(inner, way, leaves);
        way.pop();
    }
}

/// Is this a leaf that stands for something: a name, a literal, a type? Statements, empty brackets and modifiers are none.
fn is_leaf(node: Node<'_>) -> bool {
    let is_text = matches!(
        node.kind(),
        Kind::StringLiteral
            | Kind::String
            | Kind::CharLiteral
            | Kind::CharacterLiteral
            | Kind::RawStringLiteral
            | Kind::Regex
    );
    if is_text {
        return true;
    }
    let name = node.kind().name();
    let is_none = name.ends_with("_statement") || matches!(node.kind(), Kind::Modifiers | Kind::Block | Kind::Error);
    node.named_children().next().is_none()
        && !is_none
        && node.text().contains(|character: char| character.is_alphanumeric() || character == '_')
}

/// Nodes whose children are told apart by their number: assignments, indices, fields and calls.
fn numbers_children(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::AssignmentExpression
            | Kind::AugmentedAssignmentExpression
            | Kind::Assignment
            | Kind::AugmentedAssignment
            | Kind::ArrayAccess
            | Kind::SubscriptExpression
            | Kind::Subscript
            | Kind::FieldAccess
            | Kind::FieldExpression
            | Kind::MemberExpression
            | Kind::Attribute
            | Kind::MethodInvocation
            | Kind::CallExpression
            | Kind::Call
    )
}

/// How many nodes of two ways are the same, from the method on.
fn in_common(source: &[Step<'_>], target: &[Step<'_>]) -> usize {
    source.iter().zip(target).take_while(|(left, right)| left.node == right.node).count()
}

/// Is the way between two leaves short and narrow enough?
fn is_within(source: &[Step<'_>], target: &[Step<'_>], limits: &Limits) -> bool {
    let common = in_common(source, target);
    let (up, down) = (&source[common..], &target[common..]);
    let is_narrow = match (up.first(), down.first()) {
        (Some(left), Some(right)) => right.child.saturating_sub(left.child) <= limits.width,
        _ => true,
    };
    up.len() + down.len() <= limits.length && is_narrow
}

/// The context of two leaves.
fn context(source: &[Step<'_>], target: &[Step<'_>], name: Node<'_>) -> Option<Context> {
    let common = in_common(source, target);
    let (up, down) = (&source[common..], &target[common..]);
    let parent = |step: &Step<'_>| step.node.parent().map(Node::kind);
    let spelled = |step: &Step<'_>, is_numbered: bool| match is_numbered {
        true => format!("{}{}", kind_of(step.node), step.child),
        false => kind_of(step.node),
    };
    let is_below_numbering = |step: &Step<'_>| parent(step).is_some_and(numbers_children);
    let mut path: Vec<String> = Vec::new();
    for (height, step) in up.iter().rev().enumerate() {
        path.push(spelled(step, height == 0 || is_below_numbering(step)));
    }
    let top = path.len();
    let highest = source.get(common.checked_sub(1)?)?;
    path.push(spelled(highest, common > 1 && is_below_numbering(highest)));
    for (depth, step) in down.iter().enumerate() {
        // On the way down the published extractor looks at the node itself, not at its parent.
        path.push(spelled(step, depth + 1 == down.len() || numbers_children(step.node.kind())));
    }
    let leaf_of = |way: &[Step<'_>]| way.last().map(|step| leaf(step.node, step.node == name));
    Some(Context { source: leaf_of(source)?, path, top, target: leaf_of(target)? })
}

/// The kind of a node, with the operator of an expression that has one.
fn kind_of(node: Node<'_>) -> String {
    let name = node.kind().name();
    let operator = node.child(Field::Operator).filter(|operator| !operator.is_named());
    let own = || node.children().find(|child| child.kind() == Kind::Token && word_for(child.text()).is_some());
    let has_operator = matches!(
        node.kind(),
        Kind::BinaryExpression
            | Kind::UnaryExpression
            | Kind::UpdateExpression
            | Kind::AssignmentExpression
            | Kind::AugmentedAssignmentExpression
            | Kind::AugmentedAssignment
            | Kind::BinaryOperator
            | Kind::BooleanOperator
            | Kind::UnaryOperator
            | Kind::ComparisonOperator
    );
    let word = has_operator.then(|| operator.or_else(own)).flatten().and_then(|operator| word_for(operator.text()));
    match word {
        Some(word) => format!("{name}:{word}"),
        None => name.to_owned(),
    }
}

/// A word for an operator: the signs themselves mean something else in the text format.
fn word_for(operator: &str) -> Option<&'static str> {
    Some(match operator {
        "+" => "plus",
        "-" => "minus",
        "*" => "times",
        "/" => "divide",
        "//" => "floorDivide",
        "%" => "remainder",
        "**" => "power",
        "@" => "matrixTimes",
        "&&" | "and" => "and",
        "||" | "or" => "or",
        "!" | "not" => "not",
        "~" => "inverse",
        "&" => "binAnd",
        "|" => "binOr",
        "^" => "xor",
        "==" => "equals",
        "===" => "same",
        "!=" | "<>" => "notEquals",
        "!==" => "notSame",
        "<" => "less",
        ">" => "greater",
        "<=" => "lessEquals",
        ">=" => "greaterEquals",
        "<=>" => "order",
        "<<" => "lShift",
        ">>" => "rSignedShift",
        ">>>" => "rUnsignedShift",
        "??" => "coalesce",
        "++" => "increment",
        "--" => "decrement",
        "=" => "assign",
        "+=" => "assignPlus",
        "-=" => "assignMinus",
        "*=" => "assignTimes",
        "/=" => "assignDivide",
        "//=" => "assignFloorDivide",
        "%=" => "assignRemainder",
        "**=" => "assignPower",
        "@=" => "assignMatrixTimes",
        "&=" => "assignBinAnd",
        "|=" => "assignBinOr",
        "^=" => "assignXor",
        "<<=" => "assignLShift",
        ">>=" => "assignRSignedShift",
        ">>>=" => "assignRUnsignedShift",
        "&&=" => "assignAnd",
        "||=" => "assignOr",
        "??=" => "assignCoalesce",
        "in" => "in",
        "not in" => "notIn",
        "is" => "is",
        "is not" => "isNot",
        "typeof" => "typeof",
        "void" => "void",
        "delete" => "delete",
        "instanceof" => "instanceof",
        _ => return None,
    })
}

fn leaf(node: Node<'_>, is_name: bool) -> Leaf {
    if is_name {
        return Leaf { name: METHOD_NAME.to_owned(), words: vec![METHOD_NAME.to_owned()] };
    }
    let mut name = normalised(node.text(), "BLANK");
    name.truncate(LONGEST_NAME);
    if node.program().language() == Language::Java
        && node.kind() == Kind::TypeIdentifier
        && let Some(primitive) = unboxed(node.text())
    {
        name = primitive.to_owned();
    }
    let mut words = words(node.text());
    if words.is_empty() {
        let is_number = node.text().starts_with(|first: char| first.is_ascii_digit());
        let is_kept = matches!(name.as_str(), "0" | "1" | "32" | "64");
        words = vec![if is_number && !is_kept { "<NUM>".to_owned() } else { name.clone() }];
    }
    Leaf { name, words }
}

/// The type that a class of Java wraps.
fn unboxed(class: &str) -> Option<&'static str> {
    Some(match class {
        "Boolean" => "boolean",
        "Byte" => "byte",
        "Character" => "char",
        "Double" => "double",
        "Float" => "float",
        "Integer" => "int",
        "Long" => "long",
        "Short" => "short",
        _ => return None,
    })
}

/// The letters of a text in lower case; of a text without any, what it has that can be printed.
fn normalised(text: &str, otherwise: &str) -> String {
    let mut text = text.to_lowercase().replace("\\n", "");
    // The published extractor means white space here, but writes it so that this is what is removed.
    while let Some(at) = text.find("//s") {
        let end = text[at + 2..].find(|character| character != 's').map_or(text.len(), |length| at + 2 + length);
        text.replace_range(at..end, "");
    }
    text.retain(|character| (' '..='~').contains(&character) && !matches!(character, '"' | '\'' | ','));
    let letters: String = text.chars().filter(char::is_ascii_alphabetic).collect();
    match (letters.is_empty(), text.is_empty()) {
        (false, _) => letters,
        (true, false) => text.replace(' ', "_"),
        (true, true) => otherwise.to_owned(),
    }
}

/// The words of a name: it is split where a capital follows a small letter, before the last of several capitals that a small letter
/// follows, and at underscores, digits and white space, which are dropped.
fn words(text: &str) -> Vec<String> {
    let characters: Vec<char> = text.trim().chars().collect();
    let mut pieces = vec![String::new()];
    for (place, &character) in characters.iter().enumerate() {
        let before = place.checked_sub(1).map(|before| characters[before]);
        let after = characters.get(place + 1);
        let is_small_before = before.is_some_and(|before| before.is_ascii_lowercase());
        let is_capital_before = before.is_some_and(|before| before.is_ascii_uppercase());
        let is_small_after = after.is_some_and(char::is_ascii_lowercase);
        if character.is_ascii_uppercase() && (is_small_before || (is_capital_before && is_small_after)) {
            pieces.push(String::new());
        }
        if character == '_' || character.is_ascii_digit() || character.is_whitespace() {
            pieces.push(String::new());
        } else if let Some(piece) = pieces.last_mut() {
            piece.push(character);
        }
    }
    let pieces = pieces.into_iter().filter(|piece| !piece.is_empty());
    pieces.map(|piece| normalised(&piece, "")).filter(|word| !word.is_empty()).collect()
}

/// As many of the contexts as the limits allow, drawn without favour, in their order.
fn drawn<Item>(contexts: Vec<Item>, limits: &Limits) -> Vec<Item> {
    if contexts.len() <= limits.contexts {
        return contexts;
    }
    let mut generator = ChaCha8Rng::seed_from_u64(limits.seed);
    let mut places: Vec<usize> = (0..contexts.len()).collect();
    for place in 0..limits.contexts {
        let rest = (places.len() - place) as u64;
        places.swap(place, place + (generator.next_u64() % rest) as usize);
    }
    places.truncate(limits.contexts);
    places.sort_unstable();
    let mut contexts: Vec<Option<Item>> = contexts.into_iter().map(Some).collect();
    places.into_iter().filter_map(|place| contexts[place].take()).collect()
}

/// The line of a method: its name, its contexts, and spaces as padding up to `padded` contexts.
pub fn write_line(method: &Method, style: Style, padded: usize) -> String {
    let mut line = method.target.join("|");
    for context in &method.contexts {
        line.push(' ');
        line.push_str(&context.written(style));
    }
    line.extend(std::iter::repeat_n(' ', padded.saturating_sub(method.contexts.len())));
    line
}

/// A method in a text file. The paths are hashes or lists of nodes, depending on the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The subtokens of the name.
    pub target: Vec<String>,
    /// The contexts: the name of a leaf, the path, the name of the other leaf.
    pub contexts: Vec<[String; 3]>,
}

/// Why a line of a file of contexts is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct LineError {
    /// The line number, from 1.
    pub line: usize,
    /// What is wrong with it, and what would be right.
    pub problem: String,
}

/// Reads the lines of a file of contexts. Empty lines are skipped, and trailing spaces are padding.
pub fn read_lines(text: &str) -> impl Iterator<Item = Result<Row, LineError>> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(place, line)| read_line(line).map_err(|problem| LineError { line: place + 1, problem }))
}

fn read_line(line: &str) -> Result<Row, String> {
    let mut parts = line.trim_end_matches(' ').split(' ');
    let name = parts.next().unwrap_or_default();
    if name.is_empty() {
        return Err("the line starts with a blank: write the name of the method first".to_owned());
    }
    if name.contains(',') {
        return Err(format!("`{name}` is a context, but the name of the method comes first"));
    }
    let mut contexts = Vec::new();
    for (place, context) in parts.enumerate() {
        let fields: Vec<&str> = context.split(',').collect();
        let [source, path, target] = fields[..] else {
            let count = fields.len();
            return Err(format!("context {} is `{context}` with {count} fields: write name,path,name", place + 1));
        };
        if source.is_empty() || path.is_empty() || target.is_empty() {
            return Err(format!("context {} is `{context}`, where a field is empty: write name,path,name", place + 1));
        }
        contexts.push([source.to_owned(), path.to_owned(), target.to_owned()]);
    }
    Ok(Row { target: name.split('|').map(str::to_owned).collect(), contexts })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(language: Language, code: &str) -> Method {
        let mut methods = methods(&Program::parse(language, code), &Limits::default());
        assert_eq!(methods.len(), 1, "{methods:?}");
        methods.remove(0)
    }

    fn written(language: Language, code: &str) -> Vec<String> {
        only(language, code).contexts.iter().map(|context| context.written(Style::Code2Seq)).collect()
    }

    #[test]
    fn a_small_method_of_every_language() {
        // The leaves are the type, the name, the parameter's type and name, and what is returned.
        let expected = [
            "int,integral_type0|method_declaration|identifier1,METHOD_NAME",
            "int,integral_type0|method_declaration|formal_parameters|formal_parameter|integral_type0,int",
            "int,integral_type0|method_declaration|formal_parameters|formal_parameter|identifier1,n",
            "METHOD_NAME,identifier1|method_declaration|formal_parameters|formal_parameter|integral_type0,int",
            "METHOD_NAME,identifier1|method_declaration|formal_parameters|formal_parameter|identifier1,n",
            "METHOD_NAME,identifier1|method_declaration|block|return_statement|identifier0,n",
            "int,integral_type0|formal_parameter|identifier1,n",
            "int,integral_type0|formal_parameter|formal_parameters|method_declaration|block|return_statement|identifier0,n",
            "n,identifier1|formal_parameter|formal_parameters|method_declaration|block|return_statement|identifier0,n",
        ];
        // The type of the method and what it returns lie three children apart, which is too wide.
        assert_eq!(written(Language::Java, "int same(int n) { return n; }"), expected);
        for (language, code) in [
            (Language::C, "int same(int n) { return n; }"),
            (Language::Cpp, "int A::same(int n) { return n; }"),
            (Language::Python, "def same(n):\n    return n\n"),
            (Language::JavaScript, "function same(n) { return n; }"),
            (Language::JavaScript, "class A { same(n) { return n; } }"),
        ] {
            let method = only(language, code);
            assert_eq!(method.target, ["same"]);
            assert!(method.contexts.iter().any(|context| context.source.name == METHOD_NAME), "{language} {method:?}");
            assert!(method.contexts.iter().any(|context| context.target.name == "n"), "{language} {method:?}");
        }
        assert_eq!(only(Language::JavaScript, "const getIt = (a) => a.b;").target, ["get", "it"]);
    }

    #[test]
    fn operators_and_numbers_of_children() {
        let paths = written(Language::Java, "void f() { a = b + 1; }");
        // On the way up a child of an assignment is numbered, on the way down the assignment itself would be.
        assert!(
            paths.contains(
                &"a,identifier0|assignment_expression:assign|binary_expression:plus|identifier0,b".to_owned()
            ),
            "{paths:?}"
        );
        let calls = written(Language::Java, "void f() { a.g(b); }");
        assert!(calls.contains(&"a,identifier0|method_invocation|identifier1,g".to_owned()), "{calls:?}");
        let or = written(Language::C, "int f(int a, int b) { return a | b; }");
        assert!(or.iter().any(|path| path.contains("binary_expression:binOr")), "{or:?}");
        assert!(or.iter().all(|path| path.split(',').count() == 3));
    }

    #[test]
    fn names_are_normalised() {
        assert_eq!(words("getHTTPResponse2Code_x"), ["get", "http", "response", "code", "x"]);
        assert_eq!(words("\"Hello, World\""), ["hello", "world"]);
        assert_eq!(words("42"), [""; 0]);
        assert_eq!(normalised("\"a\\nB\"", "BLANK"), "ab");
        assert_eq!(normalised("\"\"", "BLANK"), "BLANK");
        assert_eq!(normalised("1.5", ""), "1.5");
        assert_eq!(normalised("+ +", ""), "+_+");
        assert_eq!(normalised("http://site", ""), "httpite");
        let leaves = |code: &str| only(Language::Java, code).contexts.into_iter().map(|context| context.target);
        let found: Vec<Leaf> = leaves("void f() { g(42, 1, x); }").collect();
        assert!(found.iter().any(|leaf| leaf.name == "42" && leaf.words == ["<NUM>"]), "{found:?}");
        assert!(found.iter().any(|leaf| leaf.name == "1" && leaf.words == ["1"]), "{found:?}");
        let boxed: Vec<Leaf> = leaves("void f(Integer a) { }").collect();
        assert!(boxed.iter().any(|leaf| leaf.name == "int" && leaf.words == ["integer"]), "{boxed:?}");
        let long = format!("void f(int {}) {{ }}", "abc".repeat(40));
        assert!(leaves(&long).any(|leaf| leaf.name.len() == LONGEST_NAME));
    }

    #[test]
    fn ways_have_limits() {
        let program = Program::parse(Language::Java, "void f(int a, int b, int c, int d) { }");
        let pairs = |width| {
            let limits = Limits { width, ..Limits::default() };
            methods(&program, &limits)[0].contexts.iter().filter(|context| context.source.name == "a").count()
        };
        // The types and names of b, c and d, as far as they are reached.
        assert_eq!([pairs(0), pairs(1), pairs(2), pairs(3)], [0, 2, 4, 6]);
        let shallow = Limits { length: 2, ..Limits::default() };
        for context in &methods(&program, &shallow)[0].contexts {
            assert_eq!(context.path.len(), 3, "{context:?}");
        }
    }

    #[test]
    fn too_many_contexts_are_drawn_by_the_seed() {
        let code = format!("void f() {{ g({}); }}", (0..40).map(|at| format!("a{at}")).collect::<Vec<_>>().join(", "));
        let program = Program::parse(Language::Java, code);
        let with = |seed| methods(&program, &Limits { contexts: 20, width: 40, seed, ..Limits::default() }).remove(0);
        let (first, again, other) = (with(1), with(1), with(2));
        assert_eq!(first.contexts.len(), 20);
        assert!(first.all > 20);
        assert_eq!(first, again);
        assert_ne!(first.contexts, other.contexts);
    }

    #[test]
    fn hashes_are_those_of_java() {
        assert_eq!(java_hash(""), 0);
        assert_eq!(java_hash("hello"), 99_162_322);
        assert_eq!(java_hash("polygenelubricants"), i32::MIN);
        let method = only(Language::Java, "int f() { return g; }");
        let context = &method.contexts[0];
        assert_eq!(context.spelled(), "(integral_type0)^(method_declaration)_(identifier1)");
        let expected = format!("int,{},METHOD_NAME", java_hash("(integral_type0)^(method_declaration)_(identifier1)"));
        assert_eq!(context.written(Style::Code2Vec), expected);
    }

    #[test]
    fn lines_are_written_and_read() {
        let method = only(Language::Java, "int getSize() { return size; }");
        let line = write_line(&method, Style::Code2Seq, 5);
        assert!(line.starts_with("get|size int,"));
        assert_eq!(line.len() - line.trim_end().len(), 5 - method.contexts.len());
        let text = format!("{line}\n\n{}\n", write_line(&method, Style::Code2Vec, 0));
        let rows: Vec<Row> = read_lines(&text).collect::<Result<_, _>>().unwrap();
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[0].target, ["get", "size"]);
        assert_eq!(rows[1].contexts[0][1], method.contexts[0].hash().to_string());
        assert_eq!(rows[0].contexts.len(), method.contexts.len());
    }

    #[test]
    fn malformed_lines_are_named() {
        let message = |text: &str| read_lines(text).find_map(Result::err).map(|error| error.to_string());
        assert_eq!(
            message("a b,1,c\n\nx y,2\n").as_deref(),
            Some("line 3: context 1 is `y,2` with 2 fields: write name,path,name")
        );
        assert!(message(" a,1,b").is_some_and(|message| message.starts_with("line 1: the line starts with a blank")));
        assert!(message("a,1,b").is_some_and(|message| message.contains("the name of the method comes first")));
        assert!(message("f a,,b").is_some_and(|message| message.contains("a field is empty")));
        assert!(message("f a,1,b  c,2,d").is_some_and(|message| message.contains("context 2")));
        assert_eq!(message("f\n"), None);
    }

    #[test]
    fn empty_and_broken_programs_have_no_panics() {
        assert!(methods(&Program::parse(Language::Java, ""), &Limits::default()).is_empty());
        assert!(methods(&Program::parse(Language::Java, "interface A { void f(); }"), &Limits::default()).is_empty());
        for language in Language::ALL {
            for text in ["void f( {", "def f(:", "}{", "function (", "\u{1a}", "int f() { return é; }"] {
                methods(&Program::parse(language, text), &Limits::default());
            }
        }
    }
}
