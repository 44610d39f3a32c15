//! Where a transformation applies. The edits are built on demand.

use std::ops::Range;

use syntax::{Edit, Program};

use crate::catalogue::{Class, Transformation};
use crate::choice::Choice;
use crate::parts::macros::torn;

/// Finds the sites of a transformation. It is never called for a broken program.
pub type Find = for<'p> fn(&'p Program, &mut Sites<'p>);

/// A place where a transformation applies.
pub struct Site<'p> {
    /// The bytes that the rewrite concerns: a construct, or an empty range for an insertion. No two sites of one rule
    /// of one transformation have the same range.
    pub range: Range<usize>,
    /// The rule that applies; empty if the transformation has only one.
    pub rule: &'static str,
    build: Box<Build<'p>>,
}

type Build<'p> = dyn Fn(&mut Choice<'_>) -> Option<Vec<Edit>> + 'p;

impl Site<'_> {
    /// Builds the edits. `None` if the rewrite is impossible after all, for example because the source of names has no
    /// fresh one.
    pub fn edits(&self, choice: &mut Choice<'_>) -> Option<Vec<Edit>> {
        (self.build)(choice)
    }
}

/// The sites that a transformation finds, in the order of their discovery.
#[derive(Default)]
pub struct Sites<'p> {
    found: Vec<Site<'p>>,
}

impl<'p> Sites<'p> {
    /// Finds the sites of a transformation. A broken program has none, and neither has one that inspects its own text or
    /// lines, or whose language has no example in the header; code around a macro that cannot be parsed on its own has only
    /// those that change names or comments.
    pub fn of(transformation: &Transformation, program: &'p Program) -> Vec<Site<'p>> {
        let mut sites = Sites::default();
        if transformation.languages.contains(&program.language()) && !program.looks_at_itself() {
            (transformation.find)(program, &mut sites);
        }
        if !matches!(transformation.class, Class::Naming | Class::Comments) && !sites.found.is_empty() {
            let torn = torn(program);
            sites.found.retain(|site| !torn.iter().any(|torn| torn.concerns(&site.range)));
        }
        sites.found
    }

    /// Adds a site of a transformation that has one rule.
    pub fn add(&mut self, range: Range<usize>, build: impl Fn(&mut Choice<'_>) -> Option<Vec<Edit>> + 'p) {
        self.add_rule("", range, build);
    }

    /// Adds a site of the rule `rule`, which the header must list.
    pub fn add_rule(
        &mut self,
        rule: &'static str,
        range: Range<usize>,
        build: impl Fn(&mut Choice<'_>) -> Option<Vec<Edit>> + 'p,
    ) {
        self.found.push(Site { range, rule, build: Box::new(build) });
    }
}

#[cfg(test)]
mod tests {
    use syntax::Language;

    use super::*;
    use crate::catalogue;

    #[test]
    fn a_language_without_an_example_in_the_header_gets_no_sites() {
        let program = Program::parse(Language::Python, "while a():\n    b()\n");
        let transformation = catalogue::find("while-to-do-while").unwrap();
        assert!(Sites::of(transformation, &program).is_empty());
        let mut sites = Sites::default();
        (transformation.find)(&program, &mut sites);
        assert!(!sites.found.is_empty(), "nothing else refuses it");
    }

    /// Each prints something different when a comment is added, or a line, or a function around an expression.
    #[test]
    fn a_program_that_looks_at_itself_is_left_alone() {
        for (language, text) in [
            (
                Language::C,
                "#define AT(x) printf(\"%d %d\\n\", __LINE__, (x))\nint main(void) { int n = 1; AT(n); return 0; }\n",
            ),
            (Language::Cpp, "int f(int n) { std::cout << __PRETTY_FUNCTION__ << n; return n + 1; }\n"),
            (
                Language::Java,
                "class A { void f(int n) { try { g(1 / n); } catch (RuntimeException e) { e.printStackTrace(System.out); } } }\n",
            ),
            (Language::Python, "def f(a):\n    b = a + 1\n    return b\n\nprint(f.__code__.co_varnames)\n"),
            (Language::JavaScript, "function f(a) { const b = a + 1; return b; }\nconsole.log(f.toString());\n"),
        ] {
            let program = Program::parse(language, text);
            assert!(!program.is_broken(), "{text}");
            for transformation in catalogue::all() {
                assert!(Sites::of(transformation, &program).is_empty(), "{} in {text}", transformation.name);
            }
        }
    }
}
