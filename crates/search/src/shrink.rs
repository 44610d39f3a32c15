//! Minimises a success: in the end, undoing any single rewrite undoes the flip.

use std::ops::Range;

use syntax::Edit;
use transformation::apply::{Step, again};

use crate::candidate::{Candidate, Move};
use crate::victim::{Stop, Victim};

/// Minimises a success of an attack.
pub fn shrink(victim: &mut Victim<'_>, original: &Candidate, success: &Candidate) -> Result<(), Stop> {
    smallest(original, success, &mut |smaller| victim.still_flips(smaller)).map(drop)
}

/// The smallest part of a variant that still is what is wanted: leaves out halves of its rewrites, then quarters, and so on down to single ones, until no
/// single rewrite can be left out.
pub fn smallest<Error>(
    original: &Candidate,
    variant: &Candidate,
    is_wanted: &mut dyn FnMut(&Candidate) -> Result<bool, Error>,
) -> Result<Candidate, Error> {
    let mut smallest = variant.clone();
    let mut size = variant.moves().len() / 2;
    loop {
        size = size.max(1);
        let mut has_changed = false;
        // Later rewrites often build on earlier ones, so they go first.
        let mut end = smallest.moves().len();
        while end > 0 {
            let start = end.saturating_sub(size);
            if let Some(smaller) = without(original, smallest.moves(), start..end)
                && is_wanted(&smaller)?
            {
                smallest = smaller;
                has_changed = true;
            }
            end = start.min(smallest.moves().len());
        }
        if size == 1 && !has_changed {
            return Ok(smallest);
        }
        size /= 2;
    }
}

/// The edits of a rewrite: in the full sequence, and in the sequence of those that are kept, unless it is left out
/// there.
struct Made {
    whole: Vec<Edit>,
    kept: Option<Vec<Edit>>,
}

/// The variant without some of its rewrites, and without those that build on them. `None` if they cannot be left out.
pub fn without(original: &Candidate, moves: &[Move], left_out: Range<usize>) -> Option<Candidate> {
    let mut whole = original.clone();
    let mut kept = original.clone();
    let mut made: Vec<(usize, Made)> = Vec::new();
    for (place, Move { part, step, .. }) in moves.iter().enumerate() {
        let applied = again(whole.program(*part), step).ok()?;
        whole = whole.again(*part, step).ok()?;
        let mut on_the_way = None;
        if !left_out.contains(&place) {
            let since = made.iter().filter(|(at, _)| *at >= left_out.start && moves[*at].part == *part);
            let since: Vec<&Made> = since.map(|(_, made)| made).collect();
            for site in places(&step.site, &since) {
                let step = Step { site, ..step.clone() };
                let Ok(applied) = again(kept.program(*part), &step) else { continue };
                kept = kept.again(*part, &step).ok()?;
                on_the_way = Some(sorted(applied.edits));
                break;
            }
        }
        made.push((place, Made { whole: sorted(applied.edits), kept: on_the_way }));
    }
    (kept.moves().len() < moves.len()).then_some(kept)
}

/// The edits in the order of their positions.
pub(crate) fn sorted(mut edits: Vec<Edit>) -> Vec<Edit> {
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    edits
}

/// Where a site may be if some of the edits before it were not made: first where its borders have moved, then what else
/// the borders of an insertion allow.
fn places(site: &Range<usize>, since: &[&Made]) -> Vec<Range<usize>> {
    let mut places = Vec::new();
    for (is_start_behind, is_end_behind) in [(true, false), (false, false), (true, true), (false, true)] {
        let start = place(site.start, since, is_start_behind);
        let (Some(start), Some(end)) = (start, place(site.end, since, is_end_behind)) else { return places };
        if start <= end && !places.contains(&(start..end)) {
            places.push(start..end);
        }
    }
    places
}

/// The position if some of the edits before it were not made.
fn place(position: usize, since: &[&Made], is_behind: bool) -> Option<usize> {
    let mut position = position;
    let mut next = 0;
    for (number, made) in since.iter().enumerate().rev() {
        match before(position, &made.whole) {
            Origin::Was(earlier) => position = earlier,
            Origin::New(edit, offset) => {
                // It is within what a rewrite brought. Where that is kept, it has brought the same.
                let edits = made.kept.as_ref()?;
                edits.get(edit).filter(|kept| kept.text == made.whole[edit].text)?;
                position = start_after(edit, edits) + offset;
                next = number + 1;
                break;
            }
        }
    }
    for edits in since[next..].iter().filter_map(|made| made.kept.as_ref()) {
        position = after(position, edits, is_behind);
    }
    Some(position)
}

/// Where a position comes from.
#[derive(Debug, PartialEq)]
enum Origin {
    /// It existed before the edits.
    Was(usize),
    /// It is within the text of this edit, at this offset.
    New(usize, usize),
}

fn before(position: usize, edits: &[Edit]) -> Origin {
    let mut grown: isize = 0;
    for (number, edit) in edits.iter().enumerate() {
        let start = start_after(number, edits);
        if position <= start {
            break;
        }
        if position < start + edit.text.len() {
            return Origin::New(number, position - start);
        }
        grown += edit.text.len() as isize - edit.range.len() as isize;
    }
    Origin::Was((position as isize - grown) as usize)
}

/// The start of an edit's text after all edits.
fn start_after(number: usize, edits: &[Edit]) -> usize {
    let grown: isize = edits[..number].iter().map(|edit| edit.text.len() as isize - edit.range.len() as isize).sum();
    (edits[number].range.start as isize + grown) as usize
}

/// The position after the edits: after or before what is inserted at it. A position within deleted text moves to its
/// start.
pub(crate) fn after(position: usize, edits: &[Edit], is_behind: bool) -> usize {
    let mut grown: isize = 0;
    for edit in edits {
        let is_passed = match edit.range.is_empty() {
            true => edit.range.start < position || (edit.range.start == position && is_behind),
            false => edit.range.end <= position,
        };
        if is_passed {
            grown += edit.text.len() as isize - edit.range.len() as isize;
        }
    }
    (position as isize + grown) as usize
}

#[cfg(test)]
mod tests {
    use model::{Code, Input};
    use syntax::Language;
    use transformation::Names;
    use transformation::recipe::{Recipe, Variation, select};

    use super::*;

    #[test]
    fn positions_go_there_and_back() {
        let edits = [Edit::insert(4, "abc"), Edit { range: 6..8, text: "x".into() }];
        assert_eq!(before(4, &edits), Origin::Was(4));
        assert_eq!(before(5, &edits), Origin::New(0, 1));
        assert_eq!(before(7, &edits), Origin::Was(4));
        assert_eq!(before(9, &edits), Origin::Was(6));
        assert_eq!(before(10, &edits), Origin::Was(8));
        assert_eq!((after(4, &edits, false), after(4, &edits, true)), (4, 7));
        assert_eq!((after(6, &edits, true), after(8, &edits, true)), (9, 10));
    }

    /// Every rewrite of a long chain can be left out, alone or with those that build on it, and the rest is sound.
    #[test]
    fn any_rewrite_can_be_left_out() {
        let text = "int f(int n, int *values) {\n    int sum = 0;\n    for (int i = 0; i < n; i++) {\n        if (values[i] > 3) {\n            sum += values[i];\n        } else {\n            sum -= 1;\n        }\n    }\n    while (sum > 100) { sum = sum - 7; }\n    return sum;\n}\n";
        let input = Input::Code(Code { language: Language::C, text: text.to_owned() });
        let original = Candidate::of(&input);
        let recipe = Recipe { selections: select("all", &Names::typed()).unwrap() };
        let mut alone = 0;
        for seed in 0..40 {
            let mut variation = Variation::of(syntax::Program::parse(Language::C, text));
            recipe.advance(&mut variation, 8, None, seed);
            let mut whole = original.clone();
            for step in &variation.steps {
                whole = whole.again(0, step).unwrap();
            }
            for place in 0..whole.moves().len() {
                let rest = without(&original, whole.moves(), place..place + 1)
                    .unwrap_or_else(|| panic!("seed {seed}: {:?}", whole.moves()[place]));
                assert!(!rest.program(0).is_broken());
                alone += usize::from(rest.moves().len() + 1 == whole.moves().len());
                // What is left is a way of its own.
                let mut again = original.clone();
                for made in rest.moves() {
                    again = again.again(0, &made.step).unwrap();
                }
                assert_eq!(again.program(0).text(), rest.program(0).text());
            }
        }
        assert!(alone > 200, "{alone} of 320 could be left out alone");
    }
}
