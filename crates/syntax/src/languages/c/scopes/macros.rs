//! The macros that a C or C++ program defines, and what they do to their arguments.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::{VALUES, Walk};
use crate::kind::{Field, Kind};
use crate::languages::c::facts::member_arguments;
use crate::languages::cpp::facts::FACTS;
use crate::scopes::builder::Space;
use crate::scopes::{ScopeId, ScopeKind, SymbolId, SymbolKind, Target};
use crate::tree::Node;

/// A macro of the input.
#[derive(Clone, Copy)]
pub(crate) struct Macro<'p> {
    symbol: SymbolId,
    definition: Node<'p>,
    takes_arguments: bool,
    /// It is only defined when the condition of an `#if` holds, and the walk has left that.
    is_conditional: bool,
}

/// What a macro does with one of its parameters.
#[derive(Clone, Copy, Default)]
pub(crate) struct Use {
    /// The parameter is made a string or a part of another name.
    pub(crate) is_pasted: bool,
    /// The parameter stands where a variable is declared that the code after the macro sees: `for (int i = 0; …)`.
    pub(crate) is_declared: bool,
    /// The parameter may be declared: what stands before it may be a type, or the code after may not see it.
    pub(crate) may_be_declared: bool,
    /// The parameter stands where a member is named: `(p)->next`.
    pub(crate) is_member: bool,
    /// The parameter stands where an expression or a type stands.
    pub(crate) is_value: bool,
    /// The parameter is `...`.
    pub(crate) is_rest: bool,
}

impl Use {
    const MEMBER: Use = Use { is_member: true, ..Use::NOTHING };
    const VALUE: Use = Use { is_value: true, ..Use::NOTHING };
    const NOTHING: Use = Use {
        is_pasted: false,
        is_declared: false,
        may_be_declared: false,
        is_member: false,
        is_value: false,
        is_rest: false,
    };

    fn add(&mut self, other: Use) {
        self.is_pasted |= other.is_pasted;
        self.is_declared |= other.is_declared;
        self.may_be_declared |= other.may_be_declared;
        self.is_member |= other.is_member;
        self.is_value |= other.is_value;
    }

    /// The same use where nobody can tell whether what it declares is seen.
    fn doubted(self) -> Use {
        Use { is_declared: false, may_be_declared: self.is_declared || self.may_be_declared, ..self }
    }
}

type Macros<'p> = HashMap<&'p str, Macro<'p>, FixedState>;

/// Macros that hand their parameters on to others are followed so far.
const DEEPEST_MACRO: usize = 6;

impl<'p> Macro<'p> {
    /// What the macro does with each of its parameters, itself or through the macros that it uses.
    pub(crate) fn uses(&self, macros: &Macros<'p>) -> Vec<Use> {
        let uses = self.uses_within(macros, DEEPEST_MACRO);
        match self.is_conditional {
            // Another definition may hold.
            true => uses.into_iter().map(Use::doubted).collect(),
            false => uses,
        }
    }

    fn body(&self) -> Vec<&'p str> {
        words(self.definition.child(Field::Value).map_or("", Node::text))
    }

    fn uses_within(&self, macros: &Macros<'p>, depth: usize) -> Vec<Use> {
        let Some(parameters) = self.definition.child(Field::Parameters).filter(|_| depth > 0) else {
            return Vec::new();
        };
        let words = self.body();
        let names: Vec<&str> = parameters
            .children()
            .filter_map(|child| match child.kind() {
                Kind::Identifier => Some(child.text()),
                _ => child.is_token("...").then_some("__VA_ARGS__"),
            })
            .collect();
        let mut special = handed_on(&words, macros, depth);
        special.extend(declarations(&words, macros));
        let mut uses: Vec<Use> =
            names.iter().map(|&name| Use { is_rest: name == "__VA_ARGS__", ..Use::default() }).collect();
        for (index, word) in words.iter().enumerate() {
            if let Some(place) = names.iter().position(|name| name == word) {
                uses[place].add(special.get(&index).copied().unwrap_or_else(|| plain_use(&words, index)));
            }
        }
        uses
    }
}

/// What a macro from elsewhere does with its arguments, when it is well known.
pub(crate) fn uses_of_outside(name: &str) -> Vec<Use> {
    let members = member_arguments(name);
    let count = members.iter().max().map_or(0, |last| last + 1);
    (0..count).map(|index| if members.contains(&index) { Use::MEMBER } else { Use::VALUE }).collect()
}

/// The words of a body that are arguments of other macros, and what those do with them.
fn handed_on<'p>(words: &[&'p str], macros: &Macros<'p>, depth: usize) -> HashMap<usize, Use, FixedState> {
    let mut found = HashMap::default();
    for (index, word) in words.iter().enumerate() {
        if words.get(index + 1) != Some(&"(") || !is_name(word) {
            continue;
        }
        let inner = match macros.get(word) {
            Some(other) if other.takes_arguments => other.uses_within(macros, depth - 1),
            Some(_) => continue,
            None => uses_of_outside(word),
        };
        let is_seen = leads_on(words, index + 1) && !is_in_braces(words, index);
        for (argument, part) in lone_arguments(words, index + 2).into_iter().zip(inner) {
            if let Some(argument) = argument {
                found.insert(argument, if is_seen { part } else { part.doubted() });
            }
        }
    }
    found
}

/// What the word at `index` is used for, which no other macro takes and no declaration declares.
fn plain_use(words: &[&str], index: usize) -> Use {
    let at = |index: Option<usize>| index.and_then(|index| words.get(index)).copied().unwrap_or("");
    let before = at(index.checked_sub(1));
    // `, ## __VA_ARGS__` only removes a comma.
    let drops_comma = words[index] == "__VA_ARGS__" && before == "##" && at(index.checked_sub(2)) == ",";
    if (matches!(before, "#" | "##") && !drops_comma) || at(Some(index + 1)) == "##" {
        return Use { is_pasted: true, ..Use::default() };
    }
    if matches!(before, "." | "->") { Use::MEMBER } else { Use::VALUE }
}

/// The words of a body that are declared as variables.
fn declarations<'p>(words: &[&'p str], macros: &Macros<'p>) -> HashMap<usize, Use, FixedState> {
    let mut found = HashMap::default();
    let word = |index: usize| words.get(index).copied().unwrap_or("");
    for start in 0..words.len() {
        let before = if start == 0 { ";" } else { words[start - 1] };
        if !matches!(before, "{" | "}" | ";" | "(") {
            continue;
        }
        let head = if before == "(" && start >= 2 { words[start - 2] } else { "" };
        let is_statement = before != "(" || matches!(head, "for" | "if" | "while" | "switch");
        let is_seen = !is_in_braces(words, start) && (before != "(" || leads_on(words, start - 1));
        let Some(TypeWords { end, is_certain, is_keyword }) = type_at(words, start, macros) else { continue };
        let mut at = end;
        let mut note = |index: usize, is_certain: bool| {
            let part = Use { is_declared: true, ..Use::default() };
            found.insert(index, if is_certain && is_seen { part } else { part.doubted() });
        };
        loop {
            let marks = at;
            while matches!(word(at), "*" | "&" | "&&" | "const" | "restrict") {
                at += 1;
            }
            let has_mark = at > marks;
            if is_keyword && word(at) == "[" {
                // `auto [key, value] : map`.
                (at..words.len()).take_while(|&at| word(at) != "]").for_each(|name| note(name, is_certain));
                break;
            }
            // `int (i) = 0` declares `i` as well, but `int(n);` only uses it.
            let is_in_parentheses = word(at) == "(" && word(at + 2) == ")";
            let (name, after) = if is_in_parentheses { (at + 1, at + 3) } else { (at, at + 1) };
            if !is_name(word(name)) {
                break;
            }
            match word(after) {
                "=" => note(name, is_certain),
                ";" | ":" if is_statement && !is_in_parentheses => note(name, is_certain),
                // `a * x, y` and `a * x[1]` may be products.
                "," | "[" if is_statement && !is_in_parentheses => note(name, is_certain && (is_keyword || !has_mark)),
                "" if !is_in_parentheses && (is_keyword || !has_mark) => note(name, is_certain && is_keyword),
                _ => break,
            }
            at = end_of_declarator(words, after);
            if word(at) != "," {
                break;
            }
            at += 1;
        }
    }
    found
}

/// What looks like a type in the body of a macro.
struct TypeWords {
    end: usize,
    /// It can be nothing else when a name follows.
    is_certain: bool,
    /// It says `int`, `auto` or another word that only a type has.
    is_keyword: bool,
}

fn type_at<'p>(words: &[&'p str], start: usize, macros: &Macros<'p>) -> Option<TypeWords> {
    let word = |index: usize| words.get(index).copied().unwrap_or("");
    let mut at = start;
    let mut is_keyword = false;
    loop {
        match word(at) {
            "auto" | "bool" | "char" | "double" | "float" | "int" | "long" | "short" | "signed" | "unsigned"
            | "void" => is_keyword = true,
            "const" | "register" | "static" | "volatile" | "struct" | "union" | "enum" | "class" | "typename" => {}
            _ => break,
        }
        at += 1;
    }
    if is_keyword {
        return Some(TypeWords { end: at, is_certain: true, is_keyword });
    }
    let mut is_certain = true;
    loop {
        if !is_name(word(at)) || is_statement_word(word(at)) {
            return None;
        }
        match word(at + 1) {
            "<" => at = end_of_template(words, at + 1)?,
            "(" => {
                is_certain = makes_type(word(at), macros)?;
                at = end_of_parentheses(words, at + 1)?;
            }
            _ => at += 1,
        }
        if word(at) != "::" {
            return Some(TypeWords { end: at, is_certain, is_keyword });
        }
        at += 1;
    }
}

/// Is `name(…)` a type? `None` when it is the head of a statement.
fn makes_type<'p>(name: &'p str, macros: &Macros<'p>) -> Option<bool> {
    let mut name = name;
    for _ in 0..DEEPEST_MACRO {
        match name {
            "typeof" | "__typeof" | "__typeof__" | "decltype" => return Some(true),
            _ if is_statement_word(name) => return None,
            _ => {}
        }
        match macros.get(name).and_then(|known| known.body().first().copied()) {
            Some(first) => name = first,
            None => break,
        }
    }
    Some(false)
}

/// After the `>` that belongs to the `<` at `open`.
fn end_of_template(words: &[&str], open: usize) -> Option<usize> {
    let mut depth = 0;
    for (index, word) in words.iter().enumerate().skip(open) {
        match *word {
            "<" => depth += 1,
            ">" if depth == 1 => return Some(index + 1),
            ">" => depth -= 1,
            "," | "::" | "*" | "&" | "(" | ")" => {}
            word if is_name(word) || word.starts_with(|first: char| first.is_ascii_digit()) => {}
            _ => return None,
        }
    }
    None
}

/// After the `)` that belongs to the `(` at `open`.
fn end_of_parentheses(words: &[&str], open: usize) -> Option<usize> {
    let mut depth = 0;
    for (index, word) in words.iter().enumerate().skip(open) {
        match *word {
            "(" => depth += 1,
            ")" if depth == 1 => return Some(index + 1),
            ")" => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The comma, semicolon, colon or closing bracket after a declarator and its initialiser.
fn end_of_declarator(words: &[&str], start: usize) -> usize {
    let mut depth = 0;
    for (index, word) in words.iter().enumerate().skip(start) {
        match *word {
            "," | ";" | ":" | ")" | "}" if depth == 0 => return index,
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
    }
    words.len()
}

/// Does nothing but further heads of statements follow the parentheses at `open`, so that the code after
/// the macro is the body?
fn leads_on(words: &[&str], open: usize) -> bool {
    let mut open = open;
    loop {
        let Some(end) = end_of_parentheses(words, open) else { return false };
        match words.get(end) {
            None => return true,
            Some(&("for" | "if" | "while")) if words.get(end + 1) == Some(&"(") => open = end + 1,
            Some(&";") if end + 1 == words.len() => return true,
            Some(_) => return false,
        }
    }
}

fn is_in_braces(words: &[&str], index: usize) -> bool {
    let count = |mark: &str| words[..index].iter().filter(|word| **word == mark).count();
    count("{") > count("}")
}

fn is_name(word: &str) -> bool {
    word.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

fn is_statement_word(word: &str) -> bool {
    matches!(
        word,
        "return"
            | "else"
            | "case"
            | "goto"
            | "sizeof"
            | "do"
            | "throw"
            | "new"
            | "delete"
            | "if"
            | "for"
            | "while"
            | "switch"
    )
}

/// The arguments of a call whose first word is at `start`; `None` for those that are more than one word.
fn lone_arguments(words: &[&str], start: usize) -> Vec<Option<usize>> {
    let mut arguments = Vec::new();
    let mut depth = 0;
    let mut first = start;
    for (index, word) in words.iter().enumerate().skip(start) {
        if depth == 0 && matches!(*word, "," | ")") {
            arguments.push((index == first + 1).then_some(first));
            first = index + 1;
        }
        match *word {
            ")" if depth == 0 => break,
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
    }
    arguments
}

/// `#ifndef NAME`: the macro is defined after the directive, here or elsewhere.
fn is_guard(node: Node<'_>, name: &str) -> bool {
    node.has_token("#ifndef") && node.child(Field::Name).is_some_and(|guard| guard.text() == name)
}

/// Does every branch of a conditional directive hold one of the `places` of the name?
fn every_branch_has<'p>(node: Node<'p>, name: &str, places: &[(&'p str, Node<'p>)]) -> bool {
    let mut branch = node;
    loop {
        let alternative = branch.child(Field::Alternative);
        let end = alternative.map_or(branch.end(), Node::start);
        let is_there =
            places.iter().any(|&(other, place)| other == name && (branch.start()..end).contains(&place.start()));
        match alternative {
            _ if !is_there => return false,
            Some(next) => branch = next,
            None => return branch.kind() == Kind::PreprocElse,
        }
    }
}

/// The words, `##`, and the other marks of a macro's body; white space, numbers and strings are left out.
fn words(body: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = body;
    while let Some(first) = rest.chars().next() {
        let is_word = |character: char| character.is_alphanumeric() || character == '_';
        let length = match first {
            _ if is_word(first) => rest.find(|character| !is_word(character)).unwrap_or(rest.len()),
            '"' | '\'' => {
                let mut escaped = false;
                let end = rest[1..].find(|character| {
                    let ends = character == first && !escaped;
                    escaped = character == '\\' && !escaped;
                    ends
                });
                end.map_or(rest.len(), |end| end + 2)
            }
            '#' if rest.starts_with("##") => 2,
            '&' if rest.starts_with("&&") => 2,
            '=' if rest.starts_with("==") => 2,
            ':' if rest.starts_with("::") => 2,
            '-' if rest.starts_with("->") => 2,
            _ => first.len_utf8(),
        };
        if !first.is_whitespace() && first != '\\' {
            words.push(&rest[..length]);
        }
        rest = &rest[length..];
    }
    words
}

/// Do the arguments of a call come next, after white space and comments?
fn is_called(mut after: &str) -> bool {
    loop {
        after = after.trim_start();
        let behind_comment = match after.get(..2) {
            Some("/*") => after[2..].split_once("*/"),
            Some("//") => after.split_once('\n'),
            _ => return after.starts_with('('),
        };
        let Some((_, rest)) = behind_comment else { return false };
        after = rest;
    }
}

impl<'p> Walk<'_, 'p> {
    /// The macro of the input that the name means where it stands. Where it may or may not be defined,
    /// nobody can tell.
    pub(crate) fn macro_meant(&self, name: Node<'p>) -> Option<Target> {
        if self.macros.is_empty() {
            return None;
        }
        let known = self.macros.get(name.text())?;
        if known.takes_arguments && !is_called(&name.program().text()[name.end()..]) {
            return None;
        }
        Some(if known.is_conditional { Target::Unknown } else { Target::Symbol(known.symbol) })
    }

    /// Is the name that of a macro which takes arguments, where it is defined?
    pub(crate) fn is_macro_with_arguments(&self, name: Node<'p>) -> bool {
        name.kind().is_identifier() && self.macros.get(name.text()).is_some_and(|known| known.takes_arguments)
    }

    /// A conditional directive: its head names macros, and what its branches define may be undefined after it.
    pub(crate) fn conditional(&mut self, node: Node<'p>) {
        let before = self.defined.len();
        let declared_before = self.declared_conditionally.len();
        self.conditions += 1;
        for child in node.children() {
            match child.role() {
                Field::Name | Field::Condition => self.mention_macros(child),
                _ => self.visit(child),
            }
        }
        self.conditions -= 1;
        // Only the outermost directive knows all the branches.
        if matches!(node.kind(), Kind::PreprocElif | Kind::PreprocElifdef) {
            return;
        }
        for &(name, _) in &self.defined[before..] {
            let is_always = is_guard(node, name) || every_branch_has(node, name, &self.defined[before..]);
            if let Some(known) = self.macros.get_mut(name).filter(|_| !is_always) {
                known.is_conditional = true;
            }
        }
        self.doubt_conditional(node, declared_before);
    }

    /// A variable that is only declared when a condition holds hides another one only then.
    fn doubt_conditional(&mut self, node: Node<'p>, since: usize) {
        let current = self.builder.current();
        let here: Vec<(&'p str, Node<'p>)> = self.declared_conditionally[since..]
            .iter()
            .filter(|(_, _, scope)| *scope == current)
            .map(|&(name, place, _)| (name, place))
            .collect();
        if self.conditions == 0 {
            self.declared_conditionally.clear();
        }
        let around = self.builder.tables().scope(current).parent;
        for &(name, place) in &here {
            let is_in_library = self.uses_library && FACTS.reserved.binary_search(&name).is_ok();
            let is_around = || {
                around.is_some_and(|around| {
                    matches!(self.builder.look_up(name, place.start(), around, VALUES), Target::Symbol(_))
                })
            };
            if (is_in_library || is_around()) && !every_branch_has(node, name, &here) {
                self.doubtful.push(name);
            }
        }
    }

    pub(crate) fn define_macro(&mut self, node: Node<'p>) {
        let Some(name) = node.child(Field::Name) else { return };
        let file = self.file();
        let symbol = self.declare_in(name, SymbolKind::Macro, file, Space::Macro, 0);
        let parameters = node.child(Field::Parameters);
        let takes_arguments = parameters.is_some();
        self.macros.insert(name.text(), Macro { symbol, definition: node, takes_arguments, is_conditional: false });
        self.defined.push((name.text(), node));
        let Some(parameters) = parameters else { return };
        let scope = self.builder.enter(ScopeKind::Function, node);
        for parameter in parameters.children().filter(|child| child.kind() == Kind::Identifier) {
            self.builder.declare(parameter, SymbolKind::Parameter, scope, Space::Value);
        }
        self.builder.leave();
    }

    pub(crate) fn undefine_macro(&mut self, node: Node<'p>) {
        let is_undef = node
            .child(Field::Directive)
            .is_some_and(|directive| directive.text().trim_start_matches(['#', ' ', '\t']) == "undef");
        if let Some(name) = node.child(Field::Argument).filter(|_| is_undef) {
            self.macros.remove(name.text().trim());
        }
    }

    /// The scope of the whole input.
    fn file(&self) -> ScopeId {
        self.nearest(&[ScopeKind::File])
    }
}
