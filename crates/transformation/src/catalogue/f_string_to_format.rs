//! Turns an f-string into a call of `format`.
//!
//! class: structure
//! from: Python idiom
//! inverse: format-to-f-string
//!
//! Both call `format` with the same value, conversion and specification. An f-string formats each value before it
//! evaluates the next one, so either there is only one value, or the later ones are variables and literals that
//! formatting cannot change, or the earlier ones are numbers and strings. Adjacent string literals, `{x=}` and
//! escapes that may produce a brace are left alone.
//!
//! ```python
//! def f(name, width):
//!     return f"{name!r:>{width}} is {{here}}"
//! ```
//! ->
//! ```python
//! def f(name, width):
//!     return "{!r:>{}} is {{here}}".format(name, width)
//! ```
//!
//! The first value is formatted before the second changes it:
//!
//! ```python
//! def f(names):
//!     return f"{names} {names.pop()}"
//! ```

use syntax::{Edit, Field, Kind, Node, Program};

use crate::Sites;
use crate::parts::formats::{has_simple_escapes, is_order_free, prefix_and_quote};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    for string in program.nodes_of_kind(Kind::String) {
        if let Some(fields) = fields_of(string) {
            sites.add(string.range(), move |_| edits(string, &fields));
        }
    }
}

/// A place for a value: the bytes that go, and the value.
struct Place<'p> {
    emptied: std::ops::Range<usize>,
    value: Node<'p>,
}

fn fields_of(string: Node<'_>) -> Option<Vec<Place<'_>>> {
    let start = string.child_of_kind(Kind::StringStart)?;
    let (prefix, _) = prefix_and_quote(start.text());
    let is_raw = prefix.contains(['r', 'R']);
    let parent = string.parent()?;
    if !prefix.contains(['f', 'F'])
        || parent.kind() == Kind::ConcatenatedString
        || string.ancestors().any(|around| around.kind() == Kind::Interpolation)
        || string.descendants().any(|node| node.kind().is_comment() || node.kind() == Kind::Yield)
    {
        return None;
    }
    let mut fields = Vec::new();
    let mut values = Vec::new();
    for part in string.named_children() {
        match part.kind() {
            Kind::Interpolation => {
                values.push(add_field(part, &mut fields)?);
            }
            Kind::StringStart | Kind::StringEnd => {}
            _ => {
                if !has_simple_escapes(part.text(), is_raw) {
                    return None;
                }
            }
        }
    }
    // A specification is formatted before its value, after all of its values are evaluated.
    (!fields.is_empty() && is_order_free(&values)).then_some(fields)
}

/// Adds the field of an interpolation and those of its specification; gives the value.
fn add_field<'p>(interpolation: Node<'p>, fields: &mut Vec<Place<'p>>) -> Option<Node<'p>> {
    let value = interpolation.child(Field::Expression)?;
    let opening = interpolation.children().next().filter(|token| token.is_token("{"))?;
    let rest = interpolation.children().find(|child| child.start() >= value.end())?;
    let is_value = !matches!(value.kind(), Kind::Yield | Kind::ListSplat | Kind::NamedExpression)
        && !value.text().starts_with('*')
        && !interpolation.has_token("=");
    if !is_value || !(rest.is_token("}") || matches!(rest.kind(), Kind::TypeConversion | Kind::FormatSpecifier)) {
        return None;
    }
    fields.push(Place { emptied: opening.end()..rest.start(), value });
    if let Some(specification) = interpolation.child(Field::FormatSpecifier) {
        let mut literal = specification.text().to_owned();
        for part in specification.named_children().filter(|part| part.kind() == Kind::FormatExpression) {
            let inner = part.child(Field::Expression)?;
            let mut parts = part.children();
            let (Some(opening), Some(_), Some(closing), None) =
                (parts.next(), parts.next(), parts.next(), parts.next())
            else {
                return None;
            };
            // The values of a specification are only names and numbers: nothing runs between them and the value.
            if !matches!(inner.kind(), Kind::Identifier | Kind::Integer) {
                return None;
            }
            fields.push(Place { emptied: opening.end()..closing.start(), value: inner });
            literal = literal.replacen(part.text(), "", 1);
        }
        if literal.contains(['{', '}', '\\', '\n']) {
            return None;
        }
    }
    Some(value)
}

fn edits(string: Node<'_>, fields: &[Place<'_>]) -> Option<Vec<Edit>> {
    let start = string.start();
    let (prefix, _) = prefix_and_quote(string.text());
    let mark = start + prefix.find(['f', 'F'])?;
    let mut edits = vec![Edit::delete(mark..mark + 1)];
    edits.extend(fields.iter().map(|field| Edit::delete(field.emptied.clone())));
    let values: Vec<String> = fields
        .iter()
        .map(|field| match field.value.kind() {
            // `{a, b}` is a tuple.
            Kind::ExpressionList | Kind::PatternList => format!("({})", field.value.text()),
            _ => field.value.text().to_owned(),
        })
        .collect();
    edits.push(Edit::insert(string.end(), format!(".format({})", values.join(", "))));
    Some(edits)
}

#[cfg(test)]
mod tests {
    use syntax::Language::Python;

    use crate::testing::{check, check_refused};

    #[test]
    fn raw_strings_and_expressions() {
        check(
            "f-string-to-format",
            Python,
            "x = rf'\\d{ g(a)[\"b\"] :%H:%M}\\{{'\n",
            "x = r'\\d{:%H:%M}\\{{'.format(g(a)[\"b\"])\n",
        );
        check("f-string-to-format", Python, "x = F'''{1, 2}\\n'''\n", "x = '''{}\\n'''.format((1, 2))\n");
        check("f-string-to-format", Python, "x = f'{a if b else c!s}'\n", "x = '{!s}'.format(a if b else c)\n");
        check(
            "f-string-to-format",
            Python,
            "def f(a):\n    n = 1\n    return f'{n}{a.b}'\n",
            "def f(a):\n    n = 1\n    return '{}{}'.format(n, a.b)\n",
        );
    }

    #[test]
    fn what_means_something_else_is_refused() {
        check_refused("f-string-to-format", Python, "x = f'{a=}'\n");
        check_refused("f-string-to-format", Python, "x = f'{a}' 'b'\n");
        check_refused("f-string-to-format", Python, "x = f'\\x7b{a}'\n");
        check_refused("f-string-to-format", Python, "x = f'\\N{DASH}{a}'\n");
        check_refused("f-string-to-format", Python, "x = f'plain'\n");
        check_refused("f-string-to-format", Python, "x = '{a}'\n");
        check_refused("f-string-to-format", Python, "x = f'{a} {b}'\n");
        check_refused("f-string-to-format", Python, "def g():\n    x = f'{(yield 1)}'\n");
        check_refused("f-string-to-format", Python, "def f(a):\n    return f'{a.b} {a.c}'\n");
    }
}
