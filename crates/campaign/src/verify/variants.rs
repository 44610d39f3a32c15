//! The variants of a program that a hunt looks at: each transformation alone, at some sites or at all of them, and chains.

use std::ops::Range;

use random::{Random, seed_of};
use syntax::{Edit, Program};
use transformation::apply::apply;
use transformation::{Applied, Recipe, Selection, Site, Step, Variation};

use super::Hunt;
use crate::tasks::Task;

/// A variant of a task.
pub(super) struct Variant {
    /// The transformation, or the kind of chain.
    pub(super) label: String,
    pub(super) bytes: Vec<u8>,
    pub(super) steps: Vec<Step>,
}

/// All variants, which depend on nothing but the task and what is hunted for.
pub(super) fn variants(task: &Task, program: &Program, hunt: &Hunt) -> Vec<Variant> {
    let seed = seed_of(&[&hunt.seed.to_le_bytes(), task.id.as_bytes()]);
    let mut variants = Vec::new();
    for selection in &hunt.recipe.selections {
        let name = &selection.transformation.name;
        let mut random = Random::new(seed_of(&[&seed.to_le_bytes(), name.as_bytes()]));
        let mut sites = selection.sites(program, task.focus.as_ref());
        let chosen: Vec<Planned> = (0..hunt.sites.min(sites.len()))
            .map(|_| {
                let site = sites.swap_remove(random.below(sites.len()));
                Planned { range: site.range, rule: site.rule, seed: random.below(1 << 53) as u64 }
            })
            .collect();
        let groups = groups(program, selection, task.focus.as_ref(), chosen, hunt.together.max(1));
        variants.extend(groups.into_iter().map(|(bytes, steps)| Variant { label: name.clone(), bytes, steps }));
    }
    for number in 0..hunt.chains {
        let seed = seed_of(&[&seed.to_le_bytes(), b"chain", &(number as u64).to_le_bytes()]);
        variants.extend(chain(task, &hunt.recipe, hunt.order, seed));
    }
    variants
}

fn chain(task: &Task, recipe: &Recipe, order: usize, seed: u64) -> Option<Variant> {
    let mut variation = Variation::of(Program::from_bytes(task.language, task.text.clone()));
    variation.functions = task.focus.iter().cloned().collect();
    recipe.advance(&mut variation, order, task.focus.as_ref().map(|_| 0), seed);
    let label = format!("chain of {order}");
    let (bytes, steps) = (variation.program.bytes().to_vec(), variation.steps);
    (!steps.is_empty()).then_some(Variant { label, bytes, steps })
}

/// A site of the original that is to be rewritten.
#[derive(Clone)]
struct Planned {
    range: Range<usize>,
    rule: &'static str,
    seed: u64,
}

/// Rewrites every site, up to so many of them in one variant. A site that a rewrite beside it has changed or removed waits for
/// another variant; the first of a variant is always rewritten in the original itself, so that none is left over.
fn groups(
    program: &Program,
    selection: &Selection,
    focus: Option<&Range<usize>>,
    mut waiting: Vec<Planned>,
    together: usize,
) -> Vec<(Vec<u8>, Vec<Step>)> {
    let sites = selection.sites(program, focus);
    let mut groups = Vec::new();
    while !waiting.is_empty() {
        let mut group: Option<Group> = None;
        // Where a site of the original is now; nothing once its surroundings have changed.
        let mut places: Vec<(Planned, Option<Range<usize>>)> =
            waiting.drain(..).map(|planned| (planned.clone(), Some(planned.range))).collect();
        while !places.is_empty() && group.as_ref().is_none_or(|group| group.steps.len() < together) {
            let (planned, place) = places.remove(0);
            let applied = match &group {
                None => rewritten(program, selection, &sites, &planned.range, &planned),
                Some(group) => place.and_then(|place| {
                    let sites = selection.sites(&group.program, group.focus.as_ref());
                    rewritten(&group.program, selection, &sites, &place, &planned)
                }),
            };
            match applied {
                Some(applied) => {
                    for (_, place) in &mut places {
                        *place = place.take().and_then(|place| moved(&place, &applied.edits));
                    }
                    let before = group.as_ref().map_or(focus, |group| group.focus.as_ref());
                    let after = before.map(|focus| moved(focus, &applied.edits));
                    let mut steps = group.take().map(|group| group.steps).unwrap_or_default();
                    steps.push(applied.step);
                    group = Some(Group { program: applied.program, steps, focus: after.clone().flatten() });
                    if after == Some(None) {
                        break;
                    }
                }
                // What the original itself refuses is no site.
                None if group.is_none() => (),
                None => waiting.push(planned),
            }
        }
        waiting.extend(places.into_iter().map(|(planned, _)| planned));
        groups.extend(group.map(|group| (group.program.bytes().to_vec(), group.steps)));
    }
    groups
}

/// A variant that is being made.
struct Group {
    program: Program,
    steps: Vec<Step>,
    focus: Option<Range<usize>>,
}

fn rewritten(
    program: &Program,
    selection: &Selection,
    sites: &[Site<'_>],
    place: &Range<usize>,
    planned: &Planned,
) -> Option<Applied> {
    let site = sites.iter().find(|site| site.range == *place && site.rule == planned.rule)?;
    apply(program, selection.transformation, site, planned.seed, &selection.names).ok()
}

/// Where a range of bytes is after edits: they may lie before it, after it or inside. One that crosses its border, or replaces
/// it, leaves nothing of it.
fn moved(range: &Range<usize>, edits: &[Edit]) -> Option<Range<usize>> {
    let (mut start, mut end) = (range.start as isize, range.end as isize);
    for edit in edits {
        let grown = edit.text.len() as isize - edit.range.len() as isize;
        if edit.range.end <= range.start {
            start += grown;
            end += grown;
        } else if edit.range.start >= range.start && edit.range.end <= range.end && edit.range != *range {
            end += grown;
        } else if edit.range.start < range.end {
            return None;
        }
    }
    Some(start as usize..end as usize)
}

#[cfg(test)]
mod tests {
    use syntax::Language;
    use transformation::names::Names;
    use transformation::recipe::select;

    use super::*;

    const TEXT: &str =
        "def f(a, b):\n    a += b\n    b -= a\n    if a:\n        a *= 2\n    return a + b\n\n\nprint(f(2, 3))\n";

    fn steps(transform: &str, sites: usize, together: usize) -> Vec<Vec<Step>> {
        let program = Program::from_bytes(Language::Python, TEXT.into());
        let selections = select(transform, &Names::typed()).expect("it exists");
        let sites: Vec<Planned> = selections[0]
            .sites(&program, None)
            .into_iter()
            .take(sites)
            .map(|site| Planned { range: site.range, rule: site.rule, seed: 1 })
            .collect();
        let groups = groups(&program, &selections[0], None, sites, together);
        for (bytes, steps) in &groups {
            let mut current = Program::from_bytes(Language::Python, TEXT.into());
            for step in steps {
                current = transformation::apply::again(&current, step).expect("it is done again").program;
            }
            assert_eq!(current.bytes(), &bytes[..]);
        }
        groups.into_iter().map(|(_, steps)| steps).collect()
    }

    #[test]
    fn every_site_is_rewritten_once() {
        for transform in ["parenthesise", "if-true", "rename-parameter", "add-comment", "double-negate"] {
            let alone = steps(transform, usize::MAX, 1);
            assert!(!alone.is_empty() && alone.iter().all(|steps| steps.len() == 1), "{transform}");
            for together in [2, 3, 100] {
                let grouped = steps(transform, usize::MAX, together);
                let count: usize = grouped.iter().map(Vec::len).sum();
                assert_eq!(count, alone.len(), "{transform}, {together} together");
                assert!(grouped.iter().all(|steps| steps.len() <= together));
                assert!(grouped.len() < alone.len() || alone.len() < 2, "{transform}, {together} together");
            }
        }
    }

    #[test]
    fn ranges_move_with_what_is_edited_around_them() {
        let edit = |range: Range<usize>, text: &str| Edit { range, text: text.to_owned() };
        assert_eq!(moved(&(4..8), &[edit(0..2, "abcd")]), Some(6..10));
        assert_eq!(moved(&(4..8), &[edit(4..4, "ab")]), Some(6..10));
        assert_eq!(moved(&(4..8), &[edit(5..6, "")]), Some(4..7));
        assert_eq!(moved(&(4..8), &[edit(8..9, "abc")]), Some(4..8));
        assert_eq!(moved(&(4..8), &[edit(3..5, "abc")]), None);
        assert_eq!(moved(&(4..8), &[edit(4..8, "abc")]), None);
        assert_eq!(moved(&(4..4), &[edit(4..4, "ab"), edit(9..9, "c")]), Some(6..6));
    }
}
