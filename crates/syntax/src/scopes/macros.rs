//! The macros that a C or C++ program defines, and what they do to their arguments.

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

impl<'p> Macro<'p> {
    /// What the macro does with each of its parameters.
    pub(super) fn uses(&self) -> Vec<Use> {
        let Some(parameters) = self.definition.child(Field::Parameters) else { return Vec::new() };
        let body = self.body();
        let words = words(body);
        let names = parameters.children().filter_map(|child| match child.kind() {
            Kind::Identifier => Some(child.text()),
            _ => child.is_token("...").then_some("__VA_ARGS__"),
        });
        names
            .map(|name| {
                let mut part = Use { is_rest: name == "__VA_ARGS__", ..Use::default() };
                for index in (0..words.len()).filter(|&index| words[index] == name) {
                    let before = index.checked_sub(1).map_or("", |index| words[index]);
                    let after = words.get(index + 1).copied().unwrap_or("");
                    // `, ## __VA_ARGS__` only removes a comma.
                    let drops_comma = part.is_rest && before == "##" && index >= 2 && words[index - 2] == ",";
                    part.is_pasted |= (matches!(before, "#" | "##") && !drops_comma) || after == "##";
                    let follows_type = before.starts_with(|first: char| first.is_alphabetic() || first == '_')
                        && !matches!(
                            before,
                            "return" | "else" | "case" | "goto" | "sizeof" | "do" | "in" | "throw" | "new" | "delete"
                        );
                    part.is_declared |= follows_type && matches!(after, "=" | ":" | ";" | "," | "[" | "(");
                    // `auto& x : list` and `int *p = list`.
                    let word_before = index.checked_sub(2).map_or("", |index| words[index]);
                    part.is_declared |= matches!(before, "&" | "*" | "&&")
                        && matches!(word_before, "auto" | "int" | "char" | "const" | "struct" | "long" | "double")
                        && matches!(after, "=" | ":" | ";");
                }
                part
            })
            .collect()
    }

    fn body(&self) -> &'p str {
        self.definition.child(Field::Value).map_or("", Node::text)
    }
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

impl<'p> Walk<'_, 'p> {
    /// The macro of the input that the name means where it stands. Where it may or may not be defined,
    /// nobody can tell.
    pub(super) fn macro_meant(&self, name: Node<'p>) -> Option<Target> {
        if self.macros.is_empty() {
            return None;
        }
        let known = self.macros.get(name.text())?;
        if known.takes_arguments {
            let after = &name.program().text()[name.end()..];
            if !after.trim_start().starts_with('(') {
                return None;
            }
        }
        Some(if known.is_conditional { Target::Unknown } else { Target::Symbol(known.symbol) })
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
