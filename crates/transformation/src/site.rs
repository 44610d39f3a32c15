//! Where a transformation applies. The edits are built only when asked for.

use std::ops::Range;

use syntax::{Edit, Program};

use crate::catalogue::{Class, Transformation};
use crate::choice::Choice;
use crate::parts::macros::torn;

/// How a transformation finds its sites. It is never called for a broken program.
pub type Find = for<'p> fn(&'p Program, &mut Sites<'p>);

/// A place where a transformation applies.
pub struct Site<'p> {
    /// The bytes that the rewrite is about: a construct, or the empty range where something is inserted.
    /// No two sites of one rule of one transformation have the same range.
    pub range: Range<usize>,
    /// Which of the transformation's rules applies; empty when it has only one.
    pub rule: &'static str,
    build: Box<Build<'p>>,
}

type Build<'p> = dyn Fn(&mut Choice<'_>) -> Option<Vec<Edit>> + 'p;

impl Site<'_> {
    /// Builds the edits. `None` when the rewrite cannot be done after all, for example because the source of
    /// names has no fresh one.
    pub fn edits(&self, choice: &mut Choice<'_>) -> Option<Vec<Edit>> {
        (self.build)(choice)
    }
}

/// The sites that a transformation finds, in the order in which it finds them.
#[derive(Default)]
pub struct Sites<'p> {
    found: Vec<Site<'p>>,
}

impl<'p> Sites<'p> {
    /// Finds the sites of a transformation. A broken program has none, and code around a macro that falls apart only has
    /// those that change names or comments.
    pub fn of(transformation: &Transformation, program: &'p Program) -> Vec<Site<'p>> {
        let mut sites = Sites::default();
        if !program.is_broken() {
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

    /// Adds a site of the rule `rule`, one of those that the header lists.
    pub fn add_rule(
        &mut self,
        rule: &'static str,
        range: Range<usize>,
        build: impl Fn(&mut Choice<'_>) -> Option<Vec<Edit>> + 'p,
    ) {
        self.found.push(Site { range, rule, build: Box::new(build) });
    }
}
