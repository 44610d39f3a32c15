//! Splits C and C++ files into parts, so that a part the grammars cannot read does not cost the whole file.
//!
//! Parts are top-level functions, declarations and uses of macros. A part that does not parse on its own is left unread: it has no
//! nodes, and its words count as words of a directive, so that nothing it names is renamed.

use std::ops::Range;

use super::lexing::{Conditional, Words};

/// The parts of a text, in order; `None` if its brackets or directives are unbalanced.
pub(crate) fn parts(text: &str) -> Option<Vec<Range<usize>>> {
    let words = Words::of(text);
    if !words.is_balanced {
        return None;
    }
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut start: Option<usize> = None;
    // How many namespaces and `extern "C"` blocks are open.
    let mut containers: usize = 0;
    let mut index = 0;
    while index < words.list.len() {
        let word = &words.list[index];
        let text = words.text(index);
        let is_outside = word.depth == containers;
        if start.is_none() && text == "}" && containers > 0 && word.depth + 1 == containers {
            containers -= 1;
            index += 1;
            continue;
        }
        let first = *start.get_or_insert(index);
        if is_outside && text == "{" && opens_container(&words, first, index) {
            containers += 1;
            start = None;
        } else if is_outside && word.brackets == 0 && (text == ";" || text == "}" && ends_part(&words, first, index)) {
            parts.push(words.list[first].range.start..word.range.end);
            start = None;
        }
        index += 1;
    }
    if let Some(first) = start {
        parts.push(words.list[first].range.start..words.list.last()?.range.end);
    }
    whole_conditionals(parts, &words.conditionals)
}

/// Is the brace that of `namespace a::b {` or of `extern "C" {`?
fn opens_container(words: &Words<'_>, first: usize, brace: usize) -> bool {
    let at = if words.text(first) == "inline" { first + 1 } else { first };
    match words.text(at) {
        "namespace" => (at..brace).all(|index| !matches!(words.text(index), "(" | "=")),
        "extern" => words.text(at + 1).starts_with('"') && at + 2 == brace,
        _ => false,
    }
}

/// Does the brace end the part? `struct s { … } x;` and `int a[] = { … };` end with their semicolons.
fn ends_part(words: &Words<'_>, first: usize, brace: usize) -> bool {
    let next = words.text(brace + 1);
    let is_type = (first..brace)
        .take_while(|index| words.text(*index) != "{")
        .any(|index| matches!(words.text(index), "struct" | "union" | "enum" | "class" | "typedef" | "="));
    let has_parameters =
        (first..brace).take_while(|index| words.text(*index) != "{").any(|index| words.text(index) == ")");
    !matches!(next, ";" | "," | "=" | "[") && (!is_type || has_parameters)
}

/// Merges parts so that every conditional directive is either wholly inside or wholly outside a part.
fn whole_conditionals(parts: Vec<Range<usize>>, conditionals: &[(usize, Conditional)]) -> Option<Vec<Range<usize>>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut closed: Vec<Vec<usize>> = Vec::new();
    for (at, conditional) in conditionals {
        match conditional {
            Conditional::Opens => groups.push(vec![*at]),
            Conditional::Separates => groups.last_mut()?.push(*at),
            Conditional::Closes => {
                let mut group = groups.pop()?;
                group.push(*at);
                closed.push(group);
            }
        }
    }
    if !groups.is_empty() {
        return None;
    }
    let mut parts = parts;
    for group in closed {
        let is_torn = |part: &Range<usize>| {
            let inside = group.iter().filter(|at| part.contains(at)).count();
            inside > 0 && inside < group.len()
        };
        if !parts.iter().any(is_torn) {
            continue;
        }
        let (Some(&open), Some(&close)) = (group.first(), group.last()) else { return None };
        let overlaps = |part: &&Range<usize>| part.start < close && part.end > open;
        let start = parts.iter().filter(overlaps).map(|part| part.start).min()?.min(open);
        let end = parts.iter().filter(overlaps).map(|part| part.end).max()?.max(close + "#endif".len());
        parts.retain(|part| !(part.start < close && part.end > open));
        parts.push(start..end);
        parts.sort_by_key(|part| part.start);
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Kind, Language, Program};

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let parts = parts(text).unwrap();
        assert_eq!(parts.into_iter().map(|part| &text[part]).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_file_is_a_list_of_parts() {
        check(
            "int a, b; int f(int x) { return x; } struct s { int x; } y;",
            &["int a, b;", "int f(int x) { return x; }", "struct s { int x; } y;"],
        );
        check("int a[] = { 1, 2 }; struct s *f(void) { }", &["int a[] = { 1, 2 };", "struct s *f(void) { }"]);
        check("namespace a { int b; void f() { } } extern \"C\" { int c; }", &["int b;", "void f() { }", "int c;"]);
    }

    #[test]
    fn a_directive_is_whole_in_a_part() {
        let text = "int a;\n#if A\nint f(int x)\n#else\nint f(void)\n#endif\n{ return 1; }\nint b;\n";
        check(text, &["int a;", &text[7..text.len() - 8], "int b;"]);
        let inside = "int f(void) {\n#if A\nif (x) {\n#else\nif (y) {\n#endif\n} }\n";
        check(inside, &[inside.trim_end()]);
        let around = "#ifdef A\nint a;\n#endif\nint b;\n";
        check(around, &["int a;", "int b;"]);
        assert_eq!(parts("#if A\nint a;\n"), None);
        assert_eq!(parts("int f(void) { }}"), None);
        assert_eq!(parts("int f(void) { } )"), None);
    }

    #[test]
    fn parts_that_are_not_read_leave_the_rest() {
        let text = "int f(int a) { return a; }\nint g(int a) { UNLESS(a) { return 1; } return helper(a); }\nint h(int b) { return b; }\n";
        let program = Program::parse(Language::C, text);
        assert!(!program.is_broken());
        assert_eq!(program.nodes_of_kind(Kind::FunctionDefinition).count(), 2);
        assert!(program.is_named_in_directive("helper") && !program.is_named_in_directive("b"));
    }
}
