//! Moves a negation into or out of a membership or identity test: `not a in b`, `a not in b`.
//!
//! class: structure
//! from: Python idiom
//! rules: not-in, not-of-in, is-not, not-of-is
//!
//! Python defines `a not in b` as the negation of `a in b`, and `a is not b` as that of `a is b`: the operands are
//! evaluated once and in the same order, and the result is a boolean in both forms. Chained comparisons are left
//! alone, because there the negation applies to the whole chain.
//!
//! ```python
//! def f(a, b):
//!     return not a in b
//! ```
//! ->
//! ```python
//! def f(a, b):
//!     return a not in b
//! ```
//!
//! ```python
//! def f(a):
//!     return a is not None
//! ```
//! ->
//! ```python
//! def f(a):
//!     return not a is None
//! ```
//!
//! ```python
//! def f(a, b, c):
//!     return not a in b in c
//! ```

use syntax::{Edit, Field, Kind, Node, Program};

use crate::Sites;
use crate::parts::layout::{replace, replace_range};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    for comparison in program.nodes_of_kind(Kind::ComparisonOperator) {
        let mut operators = comparison.children_at(Field::Operators);
        let (Some(operator), None) = (operators.next(), operators.next()) else { continue };
        let Some(parent) = comparison.parent() else { continue };
        let words: Vec<&str> = operator.text().split_whitespace().collect();
        let (rule, new) = match words[..] {
            ["in"] => ("not-in", "not in"),
            ["is"] => ("is-not", "is not"),
            ["not", "in"] => ("not-of-in", "in"),
            ["is", "not"] => ("not-of-is", "is"),
            _ => continue,
        };
        if words.len() == 1 {
            // The word `not` goes with the blanks after it; a comment or a backslash there would be lost.
            let gap = parent.kind() == Kind::NotOperator && is_only_negated(program, parent, comparison);
            if gap {
                sites.add_rule(rule, parent.range(), move |_| {
                    Some(vec![Edit::delete(parent.start()..comparison.start()), replace(operator, new)])
                });
            }
        } else if !matches!(parent.kind(), Kind::ListSplat | Kind::DictionarySplat) {
            sites.add_rule(rule, comparison.range(), move |_| {
                let start = comparison.start();
                Some(vec![replace_range(program, start..start, "not "), replace(operator, new)])
            });
        }
    }
}

fn is_only_negated(program: &Program, negation: Node<'_>, comparison: Node<'_>) -> bool {
    let between = &program.text()[negation.start()..comparison.start()];
    between.strip_prefix("not").is_some_and(|blanks| blanks.bytes().all(|byte| byte.is_ascii_whitespace()))
}

#[cfg(test)]
mod tests {
    use syntax::Language::Python;

    use crate::testing::{all_results, check, check_refused};

    #[test]
    fn words_stay_apart() {
        check("negated-membership", Python, "x = 1 if not(a)in(b) else 2\n", "x = 1 if (a)not in(b) else 2\n");
        check("negated-membership", Python, "def f(a): return(a)is not None\n", "def f(a): return not (a)is None\n");
        check("negated-membership", Python, "x = not not a in b\n", "x = not a not in b\n");
    }

    #[test]
    fn a_negation_behind_brackets_is_another_one() {
        check_refused("negated-membership", Python, "x = not (a in b)\n");
        check_refused("negated-membership", Python, "x = a in b\n");
        check_refused("negated-membership", Python, "x = (not # why\n a in b)\n");
    }

    #[test]
    fn conditions_of_comprehensions() {
        assert_eq!(
            all_results("negated-membership", Python, "x = [a for a in b if a not in c or a is not d]\n"),
            ["x = [a for a in b if not a in c or a is not d]\n", "x = [a for a in b if a not in c or not a is d]\n"]
        );
    }
}
