//! The macros that a C or C++ program defines, and what they do to their arguments.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::builder::Space;
use super::c::Walk;
use super::{ScopeId, ScopeKind, SymbolId, SymbolKind, Target};
use crate::kind::{Field, Kind};
use crate::tree::Node;

/// A macro of the input.
#[derive(Clone, Copy)]
pub(super) struct Macro<'p> {
    symbol: SymbolId,
    definition: Node<'p>,
    takes_arguments: bool,
    /// It is only defined when the condition of an `#if` holds, and the walk has left that.
    is_conditional: bool,
}

/// What a macro does with one of its parameters.
#[derive(Clone, Copy, Default)]
pub(super) struct Use {
    /// The parameter is made a string or a part of another name.
    pub(super) is_pasted: bool,
    /// The parameter stands where a variable is declared: `for (int i = 0; …)`.
    pub(super) is_declared: bool,
    /// The parameter is `...`.
    pub(super) is_rest: bool,
}

/// Macros that hand their parameters on to others are followed so far.
const DEEPEST_MACRO: usize = 6;

impl<'p> Macro<'p> {
    /// What the macro does with each of its parameters, itself or through the macros that it uses.
    pub(super) fn uses(&self, macros: &HashMap<&'p str, Macro<'p>, FixedState>) -> Vec<Use> {
        self.uses_within(macros, DEEPEST_MACRO)
    }

    fn uses_within(&self, macros: &HashMap<&'p str, Macro<'p>, FixedState>, depth: usize) -> Vec<Use> {
        let Some(parameters) = self.definition.child(Field::Parameters).filter(|_| depth > 0) else {
            return Vec::new();
        };
        let words = words(self.definition.child(Field::Value).map_or("", Node::text));
        let names: Vec<&str> = parameters
            .children()
            .filter_map(|child| match child.kind() {
                Kind::Identifier => Some(child.text()),
                _ => child.is_token("...").then_some("__VA_ARGS__"),
            })
            .collect();
        let mut uses: Vec<Use> = names.iter().map(|name| direct_use(name, &words)).collect();
        for (index, word) in words.iter().enumerate() {
            let is_call = words.get(index + 1) == Some(&"(");
            let Some(other) = macros.get(word).filter(|other| is_call && other.takes_arguments) else { continue };
            let inner = other.uses_within(macros, depth - 1);
            for (argument, part) in lone_arguments(&words[index + 2..]).into_iter().zip(inner) {
                if let Some(place) = names.iter().position(|name| Some(*name) == argument) {
                    uses[place].is_pasted |= part.is_pasted;
                    uses[place].is_declared |= part.is_declared;
                }
            }
        }
        uses
    }
}

/// What the words of a body do with the parameter `name`.
fn direct_use(name: &str, words: &[&str]) -> Use {
    let at = |index: Option<usize>| index.and_then(|index| words.get(index)).copied().unwrap_or("");
    let mut part = Use { is_rest: name == "__VA_ARGS__", ..Use::default() };
    for index in (0..words.len()).filter(|&index| words[index] == name) {
        let (mut before, mut after) = (index.checked_sub(1), Some(index + 1));
        // `, ## __VA_ARGS__` only removes a comma.
        let drops_comma = part.is_rest && at(before) == "##" && index >= 2 && words[index - 2] == ",";
        part.is_pasted |= (matches!(at(before), "#" | "##") && !drops_comma) || at(after) == "##";
        // `int (i) = 0` declares `i` as well, but `int(n);` only uses it.
        let is_in_parentheses = at(before) == "(" && at(after) == ")";
        if is_in_parentheses {
            (before, after) = (index.checked_sub(2), Some(index + 2));
        }
        // `auto &x : list` and `int *p = list`.
        let has_mark = matches!(at(before), "&" | "*" | "&&");
        if has_mark {
            before = before.and_then(|before| before.checked_sub(1));
        }
        let ends_type = match at(before) {
            "auto" | "int" | "char" | "const" | "long" | "double" => true,
            ">" => !has_mark,
            word => !has_mark && is_name(word) && !is_statement_word(word),
        };
        let ends_declarator = match at(after) {
            "=" => true,
            ":" | ";" | "," | "[" => !is_in_parentheses,
            _ => false,
        };
        part.is_declared |= ends_type && ends_declarator;
    }
    part
}

fn is_name(word: &str) -> bool {
    word.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

fn is_statement_word(word: &str) -> bool {
    matches!(word, "return" | "else" | "case" | "goto" | "sizeof" | "do" | "throw" | "new" | "delete")
}

/// The arguments of a call, from behind its opening parenthesis on; `None` for those that are more than one word.
fn lone_arguments<'t>(words: &[&'t str]) -> Vec<Option<&'t str>> {
    let mut arguments = Vec::new();
    let mut depth = 0;
    let mut start = 0;
    for (index, word) in words.iter().enumerate() {
        let ends = depth == 0 && matches!(*word, "," | ")");
        if ends {
            arguments.push((index == start + 1).then(|| words[start]));
            start = index + 1;
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

/// `#ifndef NAME`: the macro is defined behind the directive, here or elsewhere.
fn is_guard(node: Node<'_>, name: &str) -> bool {
    node.has_token("#ifndef") && node.child(Field::Name).is_some_and(|guard| guard.text() == name)
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
            _ => first.len_utf8(),
        };
        if !first.is_whitespace() && first != '\\' {
            words.push(&rest[..length]);
        }
        rest = &rest[length..];
    }
    words
}

/// Do the arguments of a call come next, behind white space and comments?
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
    pub(super) fn macro_meant(&self, name: Node<'p>) -> Option<Target> {
        if self.macros.is_empty() {
            return None;
        }
        let known = self.macros.get(name.text())?;
        if known.takes_arguments {
            if !is_called(&name.program().text()[name.end()..]) {
                return None;
            }
        }
        Some(if known.is_conditional { Target::Unknown } else { Target::Symbol(known.symbol) })
    }

    /// Is the name that of a macro which takes arguments, where it is defined?
    pub(super) fn is_macro_with_arguments(&self, name: Node<'p>) -> bool {
        name.kind().is_identifier() && self.macros.get(name.text()).is_some_and(|known| known.takes_arguments)
    }

    /// A conditional directive: its head names macros, and what its branches define may be undefined behind it.
    pub(super) fn conditional(&mut self, node: Node<'p>) {
        let before = self.defined.len();
        for child in node.children() {
            match child.role() {
                Field::Name | Field::Condition => self.mention_macros(child),
                _ => self.visit(child),
            }
        }
        // Only the outermost directive knows all the branches.
        if matches!(node.kind(), Kind::PreprocElif | Kind::PreprocElifdef) {
            return;
        }
        for &(name, _) in &self.defined[before..] {
            let is_always = is_guard(node, name) || self.every_branch_defines(node, name, before);
            if let Some(known) = self.macros.get_mut(name).filter(|_| !is_always) {
                known.is_conditional = true;
            }
        }
    }

    fn every_branch_defines(&self, node: Node<'p>, name: &str, since: usize) -> bool {
        let mut branch = node;
        loop {
            let alternative = branch.child(Field::Alternative);
            let end = alternative.map_or(branch.end(), Node::start);
            let is_defined = self.defined[since..]
                .iter()
                .any(|&(other, definition)| other == name && (branch.start()..end).contains(&definition.start()));
            match alternative {
                _ if !is_defined => return false,
                Some(next) => branch = next,
                None => return branch.kind() == Kind::PreprocElse,
            }
        }
    }

    pub(super) fn define_macro(&mut self, node: Node<'p>) {
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

    pub(super) fn undefine_macro(&mut self, node: Node<'p>) {
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
