//! Turns a call of `format` on a literal into an f-string.
//!
//! class: structure
//! from: Python idiom
//! inverse: f-string-to-format
//!
//! Every argument is used once and in the order of evaluation; see f-string-to-format for the values that may be
//! combined in an f-string. Expressions with the string's own quotation marks, backslashes or line breaks are left
//! alone, because Python accepts them there only since 3.12, and so are programs that may be written in Python 2.
//!
//! ```python
//! def f(name, count):
//!     return "{!r} has {n:>4}".format(name, n=count)
//! ```
//! ->
//! ```python
//! def f(name, count):
//!     return f"{name!r} has {count:>4}"
//! ```
//!
//! An argument that is used twice is evaluated once:
//!
//! ```python
//! def f():
//!     return "{0} {0}".format(g())
//! ```

use syntax::{Edit, Field, Kind, Node, Program};

use crate::Sites;
use crate::parts::formats::{has_simple_escapes, is_order_free, prefix_and_quote};
use crate::parts::python::{is_comprehension, is_python_two};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    let mut calls = program.nodes_of_kind(Kind::Call).filter_map(format_call).peekable();
    if calls.peek().is_none() || is_python_two(program) {
        return;
    }
    for call in calls {
        sites.add(call.node.range(), move |_| {
            let start = call.string.start();
            let is_word_before =
                program.text()[..start].ends_with(|letter: char| letter.is_alphanumeric() || letter == '_');
            let mut edits = vec![Edit::insert(start, if is_word_before { " f" } else { "f" })];
            for (range, value) in &call.fields {
                edits.push(Edit { range: range.clone(), text: value.text().to_owned() });
            }
            edits.push(Edit::delete(call.string.end()..call.node.end()));
            Some(edits)
        });
    }
}

struct FormatCall<'p> {
    node: Node<'p>,
    string: Node<'p>,
    /// The bytes of the name of each field, and the value that takes their place.
    fields: Vec<(std::ops::Range<usize>, Node<'p>)>,
}

fn format_call(node: Node<'_>) -> Option<FormatCall<'_>> {
    let function = node.child(Field::Function).filter(|function| function.kind() == Kind::Attribute)?;
    let string = function.child(Field::Object).filter(|object| object.kind() == Kind::String)?;
    let arguments = node.child(Field::Arguments).filter(|arguments| arguments.kind() == Kind::ArgumentList)?;
    let (start, end) = (string.child_of_kind(Kind::StringStart)?, string.child_of_kind(Kind::StringEnd)?);
    let (prefix, quote) = prefix_and_quote(start.text());
    let is_raw = matches!(prefix, "r" | "R");
    let program = node.program();
    let template = &program.text()[start.end()..end.start()];
    let has_comment = node.descendants().any(|inner| inner.kind().is_comment());
    // An f-string within an f-string would need other quotation marks, and would nest formats.
    let is_nested = node.ancestors().any(|around| around.kind() == Kind::Interpolation);
    if function.child(Field::Attribute)?.text() != "format"
        || !(prefix.is_empty() || is_raw)
        || !has_simple_escapes(template, is_raw)
        || has_comment
        || is_nested
    {
        return None;
    }
    let mut values = Vec::new();
    let mut names = Vec::new();
    for argument in arguments.named_children() {
        let (name, value) = match argument.kind() {
            Kind::KeywordArgument => (Some(argument.child(Field::Name)?.text()), argument.child(Field::Value)?),
            Kind::ListSplat | Kind::DictionarySplat => return None,
            _ => (None, argument),
        };
        if !can_stand_in_f_string(value, quote) {
            return None;
        }
        names.push(name);
        values.push(value);
    }
    let fields = field_names(template)?;
    let is_one_to_one = !values.is_empty()
        && fields.len() == values.len()
        && are_in_order(template, &fields, &names)
        && is_order_free(&values);
    let place = |range: &std::ops::Range<usize>| start.end() + range.start..start.end() + range.end;
    is_one_to_one.then(|| FormatCall { node, string, fields: fields.iter().map(place).zip(values).collect() })
}

fn can_stand_in_f_string(value: Node<'_>, quote: &str) -> bool {
    let text = value.text();
    let mark = quote.chars().next().unwrap_or('"');
    !text.contains(['\\', '\n', '#', mark])
        && !text.starts_with('{')
        && !value.descendants().any(|node| match node.kind() {
            Kind::Lambda | Kind::NamedExpression | Kind::Yield | Kind::Await | Kind::Interpolation => true,
            Kind::StringStart => node.text().len() > 1,
            kind => is_comprehension(kind),
        })
}

/// The bytes of the names of the fields; `None` when there is anything but names, conversions and plain
/// specifications.
fn field_names(template: &str) -> Option<Vec<std::ops::Range<usize>>> {
    let bytes = template.as_bytes();
    let mut fields = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            brace @ (b'{' | b'}') if bytes.get(at + 1) == Some(&brace) => at += 2,
            b'}' => return None,
            b'{' => {
                let end = at + template[at..].find('}')?;
                let inside = &template[at + 1..end];
                let length = inside.find(['!', ':']).unwrap_or(inside.len());
                let name = &inside[..length];
                let rest = &inside[length..];
                let (conversion, specification) = match rest.strip_prefix('!') {
                    Some(rest) => rest.split_once(':').unwrap_or((rest, "")),
                    None => ("r", rest),
                };
                let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
                    && matches!(conversion, "r" | "s" | "a")
                    && !specification.contains(['{', '\\', '\n', '"', '\'']);
                if !is_plain {
                    return None;
                }
                fields.push(at + 1..at + 1 + length);
                at = end + 1;
            }
            _ => at += 1,
        }
    }
    Some(fields)
}

/// Does each field name the argument at its place?
fn are_in_order(template: &str, fields: &[std::ops::Range<usize>], names: &[Option<&str>]) -> bool {
    let written: Vec<&str> = fields.iter().map(|range| &template[range.clone()]).collect();
    let is_automatic = written.iter().any(|name| name.is_empty());
    let mut positional = 0;
    written.iter().zip(names).all(|(written, name)| match name {
        Some(name) => written == name,
        None => {
            positional += 1;
            if is_automatic { written.is_empty() } else { *written == (positional - 1).to_string() }
        }
    })
}

#[cfg(test)]
mod tests {
    use syntax::Language::Python;

    use crate::testing::{check, check_refused};

    #[test]
    fn fields_of_all_sorts() {
        check(
            "format-to-f-string",
            Python,
            "x = '{0:%H:%M} {{}}'.format(\n    g(a)[\"b\"],\n)\n",
            "x = f'{g(a)[\"b\"]:%H:%M} {{}}'\n",
        );
        check("format-to-f-string", Python, "def f(a): return'{}'.format(a)\n", "def f(a): return f'{a}'\n");
        check("format-to-f-string", Python, "x = r'\\d{}'.format(a)\n", "x = fr'\\d{a}'\n");
    }

    #[test]
    fn what_means_something_else_is_refused() {
        for text in [
            "x = '{} {}'.format(a)\n",
            "x = '{0}{}'.format(a, b)\n",
            "x = '{1} {0}'.format(1, 2)\n",
            "x = '{.b}'.format(a)\n",
            "x = '{0[b]}'.format(a)\n",
            "x = '{:{}}'.format(1, 2)\n",
            "x = '{}'.format(*a)\n",
            "x = '{}'.format(b['c'])\n",
            "x = '{}'.format(\"\\n\")\n",
            "x = '{}'.format({1})\n",
            "x = '{}'.format(lambda: 1)\n",
            "x = '}{}'.format(1)\n",
            "x = '\\x7b{}'.format(1)\n",
            "x = 'a' '{}'.format(1)\n",
            "x = b'{}'.format(1)\n",
            "x = u'{}'.format(1)\n",
            "x = '{} {}'.format(a.b, a.c)\n",
            "x = '{}'.format(1, 2)\n",
            "x = 'a'.format()\n",
            "print '{}'.format(1)\n",
        ] {
            check_refused("format-to-f-string", Python, text);
        }
    }
}
