//! Small programs whose names are known because they are written down together with the program.
//!
//! A program is a few functions of declarations, uses, calls and blocks with few different names, so that
//! shadowing is the rule. Each language has its own idea of where a name holds.

use std::collections::{HashMap, HashSet};

use proptest::collection::vec;
use proptest::prelude::*;
use syntax::{Language, Program, Target};

/// A function: its parameters and its body. Functions are called by their place.
#[derive(Clone, Debug)]
pub struct Function {
    parameters: Vec<Name>,
    body: Vec<Statement>,
}

#[derive(Clone, Debug)]
enum Statement {
    Declare(Name),
    Use(Name),
    /// Calls one of the functions up to this one.
    Call(usize),
    Block(Vec<Statement>),
}

type Name = &'static str;

pub fn program() -> impl Strategy<Value = Vec<Function>> {
    let name = || prop::sample::select(vec!["a", "b", "c", "total"]);
    let leaf = prop_oneof![
        3 => name().prop_map(Statement::Declare),
        4 => name().prop_map(Statement::Use),
        1 => (0..4usize).prop_map(Statement::Call),
    ];
    let statement = leaf.prop_recursive(4, 30, 5, |inner| vec(inner, 0..5).prop_map(Statement::Block));
    let parameters = prop::sample::subsequence(vec!["a", "b", "c"], 0..3);
    let function = (parameters, vec(statement, 0..6)).prop_map(|(parameters, body)| Function { parameters, body });
    vec(function, 1..4)
}

/// Writes the program in a language and compares every name with what was meant. Gives the text.
#[track_caller]
pub fn check_names(language: Language, functions: &[Function]) -> String {
    let mut writer = Writer::new(language);
    writer.write(functions);
    let program = Program::parse(language, writer.text.as_str());
    assert!(!program.is_broken(), "{language} does not read\n{}", writer.text);
    let scopes = program.scopes();
    let found: Vec<&str> = scopes.references().iter().map(|reference| program.node(reference.node).text()).collect();
    let names: Vec<&str> = writer.meant.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(found, names, "{}", writer.text);
    let mut symbols = HashMap::new();
    let mut meanings = HashMap::new();
    for (reference, (name, meant)) in scopes.references().iter().zip(&writer.meant) {
        let (line, column) = program.line_and_column(program.node(reference.node).start());
        let place = format!("{language}, `{name}` in line {line}, column {column} of\n{}", writer.text);
        match (reference.target, meant) {
            (Target::Outside, None) => (),
            (Target::Symbol(symbol), Some(meant)) => {
                assert_eq!(symbols.entry(symbol).or_insert(*meant), meant, "two symbols are taken for one: {place}");
                assert_eq!(meanings.entry(meant).or_insert(symbol), &symbol, "one symbol is taken for two: {place}");
            }
            (target, meant) => panic!("{target:?} instead of {meant:?}: {place}"),
        }
    }
    writer.text
}

struct Writer {
    language: Language,
    text: String,
    /// Every identifier in the order of the text, with the number of its symbol or `None` for outside.
    meant: Vec<(String, Option<usize>)>,
    /// The names that hold here, the innermost block last.
    scopes: Vec<HashMap<String, usize>>,
    symbols: usize,
    /// The symbols whose declaration has been written.
    declared: HashSet<usize>,
}

impl Writer {
    fn new(language: Language) -> Writer {
        Writer {
            language,
            text: String::new(),
            meant: Vec::new(),
            scopes: vec![HashMap::new()],
            symbols: 0,
            declared: HashSet::new(),
        }
    }

    fn write(&mut self, functions: &[Function]) {
        if self.language == Language::Java {
            self.text += "class ";
            self.declare("Main");
            self.text += " {\n";
        }
        for (place, function) in functions.iter().enumerate() {
            self.text += match self.language {
                Language::Java => "static int ",
                Language::C | Language::Cpp => "int ",
                Language::Python => "def ",
                Language::JavaScript => "function ",
            };
            self.declare(&format!("f{place}"));
            self.scopes.push(HashMap::new());
            self.text += "(";
            for (index, parameter) in function.parameters.iter().enumerate() {
                self.text += if index > 0 { ", " } else { "" };
                self.text += if self.has_types() { "int " } else { "" };
                self.declare(parameter);
            }
            self.text += ")";
            if self.language == Language::Python {
                // A name that is bound anywhere in a function belongs to all of it.
                self.foresee(&function.body, true);
            }
            self.block(&function.body, place, 1);
            self.scopes.pop();
        }
        self.text += if self.language == Language::Java { "}\n" } else { "" };
    }

    fn has_types(&self) -> bool {
        matches!(self.language, Language::Java | Language::C | Language::Cpp)
    }

    fn block(&mut self, statements: &[Statement], function: usize, level: usize) {
        let is_python = self.language == Language::Python;
        self.text += if is_python { ":\n" } else { " {\n" };
        if self.language == Language::JavaScript {
            // A name belongs to all of its block, even before its declaration.
            self.foresee(statements, false);
        }
        for statement in statements {
            self.text += &"    ".repeat(level);
            self.statement(statement, function, level);
        }
        if is_python {
            self.text += &"    ".repeat(level);
            self.text += "pass\n";
        } else {
            self.text += &"    ".repeat(level - 1);
            self.text += "}\n";
        }
    }

    fn statement(&mut self, statement: &Statement, function: usize, level: usize) {
        let end = if self.language == Language::Python { "\n" } else { ";\n" };
        match statement {
            Statement::Declare(name) if self.may_declare(name) => {
                self.text += match self.language {
                    Language::Java | Language::C | Language::Cpp => "int ",
                    Language::JavaScript => "let ",
                    Language::Python => "",
                };
                self.declare(name);
                self.text += " = 1";
                self.text += end;
            }
            Statement::Declare(name) | Statement::Use(name) => {
                self.mention("use");
                self.text += "(";
                self.mention(name);
                self.text += ")";
                self.text += end;
            }
            Statement::Call(place) => {
                self.mention(&format!("f{}", (*place).min(function)));
                self.text += "()";
                self.text += end;
            }
            Statement::Block(statements) => {
                self.text += if self.language == Language::Python { "if 1" } else { "if (1 < 2)" };
                // Only in Python a block is not a scope.
                let is_scope = self.language != Language::Python;
                if is_scope {
                    self.scopes.push(HashMap::new());
                }
                self.block(statements, function, level + 1);
                if is_scope {
                    self.scopes.pop();
                }
            }
        }
    }

    /// May the name be declared here, as far as the language's compiler is concerned?
    fn may_declare(&self, name: &str) -> bool {
        let innermost = self.scopes.last().expect("a statement stands in a function");
        match self.language {
            // No local variable of Java hides another.
            Language::Java => self.scopes[1..].iter().all(|scope| !scope.contains_key(name)),
            // A parameter and the outermost block share a scope.
            Language::C | Language::Cpp => !innermost.contains_key(name),
            Language::Python => true,
            // Declared once in a block; the scope knows the name from the start.
            Language::JavaScript => innermost.get(name).is_some_and(|symbol| !self.declared.contains(symbol)),
        }
    }

    fn foresee(&mut self, statements: &[Statement], is_deep: bool) {
        for statement in statements {
            match statement {
                Statement::Declare(name) => {
                    self.bind(name);
                }
                Statement::Block(statements) if is_deep => self.foresee(statements, true),
                Statement::Block(_) | Statement::Use(_) | Statement::Call(_) => (),
            }
        }
    }

    /// The number of the symbol that the innermost scope has under the name, a new one where there is none.
    fn bind(&mut self, name: &str) -> usize {
        let next = self.symbols;
        let innermost = self.scopes.last_mut().expect("there is always a scope");
        let symbol = *innermost.entry(name.to_owned()).or_insert(next);
        self.symbols = self.symbols.max(symbol + 1);
        symbol
    }

    fn declare(&mut self, name: &str) {
        let symbol = self.bind(name);
        self.declared.insert(symbol);
        self.text += name;
        self.meant.push((name.to_owned(), Some(symbol)));
    }

    fn mention(&mut self, name: &str) {
        let symbol = self.scopes.iter().rev().find_map(|scope| scope.get(name).copied());
        self.text += name;
        self.meant.push((name.to_owned(), symbol));
    }
}
