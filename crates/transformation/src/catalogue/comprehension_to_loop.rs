//! Turns a list, set or dictionary comprehension into a loop that fills a new variable.
//!
//! class: structure
//! from: Python idiom
//! rules: list, set, dict
//! inverse: loop-to-comprehension
//!
//! The comprehension is the first thing that its statement evaluates, so the loop can run before it. The variable of
//! a comprehension is not visible outside: where its name occurs elsewhere in the function, the loop uses a fresh
//! name. A comprehension is left alone if it contains `await`, `yield` or something that keeps its variable alive (a
//! lambda or an inner comprehension), and so are class bodies, the top level of a module that is not a script or
//! lists its names, and Python 2, whose list comprehensions leak their variables.
//!
//! ```python
//! def f(xs):
//!     ys = [x * 2 for x in xs if x > 0]
//!     return ys
//! ```
//! ->
//! ```python
//! def f(xs):
//!     local_1 = []
//!     for x in xs:
//!         if x > 0:
//!             local_1.append(x * 2)
//!     ys = local_1
//!     return ys
//! ```
//!
//! ```python
//! def f(x):
//!     return {x for x in x}
//! ```
//! ->
//! ```python
//! def f(x):
//!     local_1 = set()
//!     for local_2 in x:
//!         local_1.add(local_2)
//!     return local_1
//! ```
//!
//! Something may be evaluated before the comprehension:
//!
//! ```python
//! def f(xs):
//!     return g() + [x for x in xs]
//! ```

use syntax::{Edit, Field, Kind, Node, Program, SymbolKind, Type};

use crate::Sites;
use crate::choice::Choice;
use crate::parts::layout::{one_level, replace, starts_line};
use crate::parts::python::{
    is_built_in_name, is_comprehension, is_python_two, renamed_text, scope_around, shows_locals, shows_new_names,
};
use crate::parts::statements::{Position, is_statement_list};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    let mut found = program
        .nodes()
        .filter(|node| is_comprehension(node.kind()) && node.kind() != Kind::GeneratorExpression)
        .peekable();
    if found.peek().is_none() || shows_locals(program) || is_python_two(program) {
        return;
    }
    let has_set = is_built_in_name(program, "set");
    let is_shown = shows_new_names(program);
    for comprehension in found {
        let Some(rule) = rule_of(comprehension, has_set) else { continue };
        let Some(statement) = statement_that_starts_with(comprehension) else { continue };
        if is_simple(comprehension) && !is_shown(statement) {
            sites.add_rule(rule, comprehension.range(), move |choice| edits(comprehension, statement, rule, choice));
        }
    }
}

fn rule_of(comprehension: Node<'_>, has_set: bool) -> Option<&'static str> {
    match comprehension.kind() {
        Kind::ListComprehension => Some("list"),
        Kind::SetComprehension => has_set.then_some("set"),
        Kind::DictionaryComprehension => is_order_free(comprehension).then_some("dict"),
        _ => None,
    }
}

/// A dictionary evaluates the key first, an assignment to an element the value: one of them must be plain.
fn is_order_free(comprehension: Node<'_>) -> bool {
    let Some(pair) = comprehension.child(Field::Body).filter(|body| body.kind() == Kind::Pair) else { return false };
    let scopes = comprehension.program().scopes();
    let is_plain = |node: Option<Node<'_>>| {
        node.is_some_and(|node| match node.kind() {
            Kind::Integer | Kind::Float | Kind::True | Kind::False | Kind::None => true,
            Kind::Identifier => scopes.symbol_at(node).is_some_and(|symbol| {
                let entry = scopes.symbol(symbol);
                entry.kind == SymbolKind::Parameter
                    || comprehension.contains(comprehension.program().node(entry.declaration))
            }),
            _ => false,
        })
    };
    is_plain(pair.child(Field::Key)) || is_plain(pair.child(Field::Value))
}

/// The statement whose first evaluation is the comprehension, when lines can be put before it.
fn statement_that_starts_with(comprehension: Node<'_>) -> Option<Node<'_>> {
    let mut child = comprehension;
    let statement = loop {
        let parent = child.parent()?;
        match parent.kind() {
            Kind::ExpressionStatement | Kind::ReturnStatement => break parent,
            // The targets are evaluated after the value.
            Kind::Assignment if child.role() == Field::Right && parent.child(Field::Type).is_none() => {}
            Kind::ParenthesizedExpression => {}
            // The name of a function that the language defines is looked up before, and nobody sees when.
            Kind::ArgumentList if parent.named_children().next() == Some(child) => {}
            Kind::Call if child.role() == Field::Arguments => {
                let function = parent.child(Field::Function)?;
                let is_known = function.kind() == Kind::Identifier
                    && is_built_in_function(function.text())
                    && parent.program().scopes().symbol_at(function).is_none();
                if !is_known {
                    return None;
                }
            }
            _ => return None,
        }
        child = parent;
    };
    let list = statement.parent().filter(|parent| is_statement_list(*parent))?;
    let is_in_class = scope_around(list).is_some_and(|around| around.kind() == Kind::ClassDefinition)
        || list.parent().is_some_and(|around| around.kind() == Kind::ClassDefinition);
    (starts_line(statement) && !is_in_class).then_some(statement)
}

fn is_built_in_function(name: &str) -> bool {
    matches!(
        name,
        "all"
            | "any"
            | "dict"
            | "enumerate"
            | "frozenset"
            | "iter"
            | "len"
            | "list"
            | "max"
            | "min"
            | "print"
            | "repr"
            | "reversed"
            | "set"
            | "sorted"
            | "str"
            | "sum"
            | "tuple"
    )
}

/// Are there only targets that are names, and nothing that waits, yields, binds or outlives the loop?
fn is_simple(comprehension: Node<'_>) -> bool {
    let has_trouble = comprehension.descendants().skip(1).any(|node| match node.kind() {
        Kind::Lambda
        | Kind::Yield
        | Kind::Await
        | Kind::NamedExpression
        | Kind::Comment
        | Kind::ListSplat
        | Kind::DictionarySplat => true,
        // `f"{x=}"` shows the name.
        Kind::Interpolation => node.has_token("="),
        Kind::Identifier => matches!(node.text(), "super" | "__class__"),
        kind => is_comprehension(kind),
    });
    let clauses = || comprehension.named_children().filter(|child| child.role() != Field::Body);
    !has_trouble
        && clauses().all(|clause| match clause.kind() {
            Kind::ForInClause => {
                !clause.has_token("async")
                    && clause.children_at(Field::Right).filter(|child| child.is_named()).count() == 1
                    && clause.child(Field::Left).is_some_and(|target| {
                        !target.text().contains(['\n', '\\'])
                            && target.descendants().filter(|node| node.is_named()).all(|node| {
                                matches!(node.kind(), Kind::Identifier | Kind::PatternList | Kind::TuplePattern)
                            })
                    })
            }
            Kind::IfClause => true,
            _ => false,
        })
}

fn edits(
    comprehension: Node<'_>,
    statement: Node<'_>,
    rule: &'static str,
    choice: &mut Choice<'_>,
) -> Option<Vec<Edit>> {
    let program = comprehension.program();
    let body = comprehension.child(Field::Body)?;
    let result = choice.local("result", Type::Unknown)?;
    let renamed = new_names(comprehension, choice)?;
    let renamed: Vec<(Node<'_>, &str)> = renamed.iter().map(|(node, name)| (*node, name.as_str())).collect();
    // What stands on several lines needs brackets, which were those of the comprehension.
    let text = |node: Node<'_>| {
        let text = renamed_text(node, &renamed);
        if text.contains(['\n', '\\']) { format!("({text})") } else { text }
    };
    let mut lines = Vec::new();
    for clause in comprehension.named_children().filter(|child| child.role() != Field::Body) {
        lines.push(match clause.kind() {
            Kind::ForInClause => {
                let target = renamed_text(clause.child(Field::Left)?, &renamed);
                format!("for {target} in {}:", text(clause.child(Field::Right)?))
            }
            _ => format!("if {}:", text(clause.named_children().next()?)),
        });
    }
    let (empty, step) = match rule {
        "list" => ("[]", format!("{result}.append({})", text(body))),
        "set" => ("set()", format!("{result}.add({})", text(body))),
        _ => {
            let (key, value) = (body.child(Field::Key)?, body.child(Field::Value)?);
            ("{}", format!("{result}[{}] = {}", text(key), text(value)))
        }
    };
    lines.push(step);
    let level = one_level(program);
    let mut loops = format!("{result} = {empty}");
    for (depth, line) in lines.iter().enumerate() {
        // Lines inside brackets or strings keep their text, so only the first one is indented.
        loops.push('\u{0}');
        loops.push_str(&level.repeat(depth));
        loops.push_str(line);
    }
    let position = Position { list: statement.parent()?, before: Some(statement), after: None };
    let mut insertion = position.insert("");
    let separator = insertion.text.clone();
    insertion.text = format!("{}{separator}", loops.replace('\u{0}', &separator));
    Some(vec![insertion, replace(comprehension, &result)])
}

/// New names for the variables of the comprehension whose names mean something else in the function, too.
fn new_names<'p>(comprehension: Node<'p>, choice: &mut Choice<'_>) -> Option<Vec<(Node<'p>, String)>> {
    let program = comprehension.program();
    let scopes = program.scopes();
    let home = scope_around(comprehension).unwrap_or(program.root());
    let mut symbols = Vec::new();
    for clause in comprehension.named_children().filter(|clause| clause.kind() == Kind::ForInClause) {
        let names = clause.child(Field::Left)?;
        for name in names.descendants().filter(|node| node.kind() == Kind::Identifier) {
            let symbol = scopes.symbol_at(name)?;
            if !symbols.contains(&symbol) {
                symbols.push(symbol);
            }
        }
    }
    let mut renamed = Vec::new();
    for symbol in symbols {
        let name = program.name_of(symbol);
        let own: Vec<Node<'p>> = scopes.references_of(symbol).map(|reference| program.node(reference.node)).collect();
        let is_elsewhere = home.descendants().any(|node| {
            node.kind() == Kind::Identifier && node.text() == name && !own.iter().any(|use_| use_.id() == node.id())
        });
        if own.iter().any(|node| !comprehension.contains(*node)) {
            return None;
        }
        if is_elsewhere {
            let new = choice.local(name, Type::Unknown)?;
            renamed.extend(own.into_iter().map(|node| (node, new.clone())));
        }
    }
    Some(renamed)
}

#[cfg(test)]
mod tests {
    use syntax::Language::Python;

    use crate::testing::{check, check_refused};

    #[test]
    fn dictionaries_and_several_loops() {
        check(
            "comprehension-to-loop",
            Python,
            "def f(a):\r\n\tself.d = {k: g(v) for k, v in a for w in v if w}\r\n",
            "def f(a):\r\n\tlocal_1 = {}\r\n\tfor k, v in a:\r\n\t\tfor w in v:\r\n\t\t\tif w\
             :\r\n\t\t\t\tlocal_1[k] = g(v)\r\n\tself.d = local_1\r\n",
        );
    }

    #[test]
    fn the_variable_does_not_leak() {
        check(
            "comprehension-to-loop",
            Python,
            "x = 1\ny = [x for x in range(3)]\nprint(x)\n",
            "x = 1\nlocal_1 = []\nfor local_2 in range(3):\n    local_1.append(local_2)\ny = local_1\nprint(x)\n",
        );
    }

    #[test]
    fn several_lines_get_brackets() {
        check(
            "comprehension-to-loop",
            Python,
            "def f(a):\n    print([b +\n           1\n           for b in a])\n",
            "def f(a):\n    local_1 = []\n    for b in a:\n        local_1.append((b +\n           1\
             ))\n    print(local_1)\n",
        );
    }

    #[test]
    fn order_of_evaluation() {
        check_refused("comprehension-to-loop", Python, "def f(a): \n    return {g(b): h(b) for b in a}\n");
        check_refused("comprehension-to-loop", Python, "def f(a):\n    x += [b for b in a]\n");
        check_refused("comprehension-to-loop", Python, "def f(a):\n    return c and [b for b in a]\n");
        check_refused("comprehension-to-loop", Python, "def f(a):\n    return g([b for b in a])\n");
        check_refused("comprehension-to-loop", Python, "def f(a):\n    return lambda: [b for b in a]\n");
    }

    #[test]
    fn what_outlives_the_loop_is_refused() {
        check_refused("comprehension-to-loop", Python, "def f(a):\n    return [lambda: b for b in a]\n");
        check_refused("comprehension-to-loop", Python, "async def f(a):\n    return [b async for b in a]\n");
        check_refused("comprehension-to-loop", Python, "async def f(a):\n    return [await b for b in a]\n");
        check_refused("comprehension-to-loop", Python, "def f(a):\n    return [(c := b) for b in a]\n");
        check_refused("comprehension-to-loop", Python, "class A:\n    x = [b for b in c]\n");
        check_refused("comprehension-to-loop", Python, "class A:\n    if c:\n        x = [b for b in c]\n");
        check_refused("comprehension-to-loop", Python, "def f(a):\n    print 1\n    return [b for b in a]\n");
        check_refused("comprehension-to-loop", Python, "def f(a):\n    return [self.x for self.x in a]\n");
        check_refused("comprehension-to-loop", Python, "def f(a):\n    x = [b for b in a]\n    return locals()\n");
    }

    #[test]
    fn a_set_of_ones_own_is_refused() {
        check_refused("comprehension-to-loop", Python, "def set(): pass\nx = {b for b in range(2)}\n");
    }

    #[test]
    fn a_module_that_lists_its_names_gets_no_new_ones() {
        check_refused("comprehension-to-loop", Python, "__all__ = ['sizes']\nsizes = [n * 2 for n in range(4)]\n");
        check_refused("comprehension-to-loop", Python, "__all__ = [n for n in names]\n");
        check(
            "comprehension-to-loop",
            Python,
            "import a\nsizes = [n * 2 for n in a.__all__]\nprint(sizes)\n",
            "import a\nlocal_1 = []\nfor n in a.__all__:\n    local_1.append(n * 2)\nsizes = local_1\nprint(sizes)\n",
        );
    }
}
