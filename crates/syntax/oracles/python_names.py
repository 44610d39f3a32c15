"""What CPython's own compiler says about the names of a Python 3 program.

One JSON object a line on the standard input, {"text": "..."}; one back, {"names": [[start, end, declaration], ...]} with
byte positions, or {"error": "..."}. Which scope owns a name is the answer of `symtable`, the compiler's own table; its
first binding there is the declaration. Attributes and keyword arguments are left out, because Python resolves them
when the program runs. Programs that only Python 2 reads cannot be judged.

Needs CPython 3.10 or newer, older than 3.13 (annotations of later versions have scopes of their own).
"""

import ast
import builtins
import io
import json
import re
import symtable
import sys
import tokenize
import warnings

OLD_FUNCTIONS = {"xrange", "raw_input"}


class Scope:
    """A symbol table together with the scopes around it."""

    def __init__(self, table, parent, class_name):
        self.table = table
        self.parent = parent
        self.class_name = class_name
        self.children = {}
        for child in table.get_children():
            self.children.setdefault((child.get_name(), child.get_lineno()), []).append(child)
        self.bindings = {}

    def is_class(self):
        return self.table.get_type() == "class"

    def open(self, name, line, class_name=None):
        table = self.children[(name, line)].pop(0)
        return Scope(table, self, class_name or self.class_name)

    def module(self):
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def owner(self, name):
        """The scope that owns a name written here; None when the compiler does not know the name here."""
        if self.parent is not None and self.table.get_name() == "top":
            return None  # The library takes every table of this name for the module's.
        try:
            symbol = self.table.lookup(name)
        except KeyError:
            return None
        if symbol.is_global():
            return self.module()
        if symbol.is_free():
            scope = self.parent
            while scope is not None:
                if not scope.is_class() and scope.parent is not None:
                    try:
                        outer = scope.table.lookup(name)
                        if outer.is_local() or outer.is_parameter():
                            return scope
                    except KeyError:
                        pass
                scope = scope.parent
            return self.module()
        return self


class Judge(ast.NodeVisitor):
    def __init__(self, text):
        self.text = text
        self.bytes = text.encode()
        self.line_starts = [0] + [match.end() for match in re.finditer(rb"\r\n|\r|\n", self.bytes)]
        self.tree = ast.parse(text)
        self.scope = Scope(symtable.symtable(text, "input", "exec"), None, None)
        self.walrus_scope = self.scope
        self.statement_end = 0
        self.has_lazy_annotations = any(
            isinstance(node, ast.ImportFrom)
            and node.module == "__future__"
            and any(alias.name == "annotations" for alias in node.names)
            for node in ast.walk(self.tree)
        )
        self.tokens = self.read_tokens()
        # (start, end, name, scope, does it bind?, from where a class body then has it)
        self.occurrences = []
        self.visit(self.tree)

    def read_tokens(self):
        tokens = []
        for token in tokenize.generate_tokens(io.StringIO(self.text).readline):
            if token.type in (tokenize.NAME, tokenize.OP):
                line, column = token.start
                tokens.append((self.line_starts[line - 1] + len(token.line[:column].encode()), token.string))
        return sorted(tokens)

    def position(self, node):
        return self.line_starts[node.lineno - 1] + node.col_offset

    def end(self, node):
        return self.line_starts[node.end_lineno - 1] + node.end_col_offset

    def first_token(self, position):
        low, high = 0, len(self.tokens)
        while low < high:
            middle = (low + high) // 2
            if self.tokens[middle][0] < position:
                low = middle + 1
            else:
                high = middle
        return low

    def note(self, position, name, binds, owner_scope=None, since=None):
        """Notes an identifier. `owner_scope` is where it binds, when that is not the current scope."""
        end = position + len(name.encode())
        if self.bytes[position:end].decode(errors="replace") != name:
            return
        is_private = name.startswith("__") and not name.endswith("__")
        # Private names are spelt otherwise in the tables, and `__class__` has a cell that nobody sees.
        if self.scope.class_name and (is_private or name == "__class__"):
            return
        scope = owner_scope or self.scope
        since = self.statement_end if since is None else since
        self.occurrences.append((position, end, name, scope, binds, since))
        owner = scope.owner(name)
        if binds and owner is not None:
            first = owner.bindings.get(name)
            mine = (owner is not scope, position, since)
            if first is None or mine < first:
                owner.bindings[name] = mine

    def names(self):
        names = []
        for position, end, name, scope, binds, _ in self.occurrences:
            owner = scope.owner(name)
            if owner is None:
                continue
            first = owner.bindings.get(name)
            if first is None:
                names.append([position, end, -1])
                continue
            # The body of a class runs from top to bottom: the table cannot say what is bound by then.
            if owner.is_class() and not binds and position < first[2]:
                continue
            names.append([position, end, first[1]])
        return names

    # Statements.

    def visit(self, node):
        if isinstance(node, ast.stmt):
            before = self.statement_end
            self.statement_end = self.end(node)
            super().visit(node)
            self.statement_end = before
        else:
            super().visit(node)

    def all(self, nodes):
        for node in nodes:
            if node is not None:
                self.visit(node)

    def visit_Name(self, node):
        is_deleted = isinstance(node.ctx, ast.Del) and self.scope.parent is not None
        self.note(self.position(node), node.id, isinstance(node.ctx, ast.Store) or is_deleted)

    def visit_NamedExpr(self, node):
        position, name = self.position(node.target), node.target.id
        self.note(position, name, True, owner_scope=self.walrus_scope)
        self.visit(node.value)

    def named_after(self, node, keyword):
        """The place of the name that follows a keyword."""
        index = self.first_token(self.position(node))
        while self.tokens[index][1] != keyword:
            index += 1
        return self.tokens[index + 1][0]

    def annotation(self, node):
        if node is not None and not self.has_lazy_annotations:
            self.visit(node)

    def function(self, node):
        self.note(self.named_after(node, "def"), node.name, True)
        arguments = node.args
        self.all(arguments.defaults)
        self.all(arguments.kw_defaults)
        parameters = arguments.posonlyargs + arguments.args + arguments.kwonlyargs
        parameters += [star for star in (arguments.vararg, arguments.kwarg) if star]
        for parameter in parameters:
            self.annotation(parameter.annotation)
        self.annotation(node.returns)
        self.all(node.decorator_list)
        first_line = min([node.lineno] + [decorator.lineno for decorator in node.decorator_list])
        self.inside(self.open_at(node.name, (node.lineno, first_line)), lambda: self.body(parameters, node.body))

    visit_FunctionDef = function
    visit_AsyncFunctionDef = function

    def open_at(self, name, lines):
        for line in lines:
            if self.scope.children.get((name, line)):
                return self.scope.open(name, line)
        raise LookupError(f"no table for {name}")

    def inside(self, scope, action, walrus=True):
        outer, outer_walrus = self.scope, self.walrus_scope
        self.scope = scope
        if walrus:
            self.walrus_scope = scope
        action()
        self.scope, self.walrus_scope = outer, outer_walrus

    def body(self, parameters, body):
        for parameter in parameters:
            self.note(self.position(parameter), parameter.arg, True)
        self.all(body)

    def visit_Lambda(self, node):
        arguments = node.args
        self.all(arguments.defaults)
        self.all(arguments.kw_defaults)
        parameters = arguments.posonlyargs + arguments.args + arguments.kwonlyargs
        parameters += [star for star in (arguments.vararg, arguments.kwarg) if star]
        self.inside(self.scope.open("lambda", node.lineno), lambda: self.body(parameters, [node.body]))

    def visit_ClassDef(self, node):
        self.note(self.named_after(node, "class"), node.name, True)
        self.all(node.bases)
        self.all(keyword.value for keyword in node.keywords)
        self.all(node.decorator_list)
        first_line = min([node.lineno] + [decorator.lineno for decorator in node.decorator_list])
        scope = self.open_at(node.name, (node.lineno, first_line))
        scope.class_name = node.name
        self.inside(scope, lambda: self.all(node.body))

    def comprehension(self, node, name, parts):
        self.visit(node.generators[0].iter)

        def inner():
            self.visit(node.generators[0].target)
            self.all(node.generators[0].ifs)
            for generator in node.generators[1:]:
                self.visit(generator.target)
                self.visit(generator.iter)
                self.all(generator.ifs)
            self.all(parts)

        self.inside(self.scope.open(name, node.lineno), inner, walrus=False)

    def visit_ListComp(self, node):
        self.comprehension(node, "listcomp", [node.elt])

    def visit_SetComp(self, node):
        self.comprehension(node, "setcomp", [node.elt])

    def visit_GeneratorExp(self, node):
        self.comprehension(node, "genexpr", [node.elt])

    def visit_DictComp(self, node):
        # The compiler visits the value of a dictionary's comprehension first.
        self.comprehension(node, "dictcomp", [node.value, node.key])

    def visit_AnnAssign(self, node):
        self.visit(node.target)
        self.annotation(node.annotation)
        if node.value is not None:
            self.visit(node.value)

    def visit_For(self, node):
        outer, self.statement_end = self.statement_end, self.position(node.body[0])
        self.visit(node.target)
        self.visit(node.iter)
        self.statement_end = outer
        self.all(node.body)
        self.all(node.orelse)

    visit_AsyncFor = visit_For

    def visit_With(self, node):
        outer, self.statement_end = self.statement_end, self.position(node.body[0])
        self.all(node.items)
        self.statement_end = outer
        self.all(node.body)

    visit_AsyncWith = visit_With

    def imported(self, node):
        for alias in node.names:
            if alias.name == "*":
                continue
            if alias.asname:
                self.note(self.named_after(alias, "as"), alias.asname, True)
            else:
                self.note(self.position(alias), alias.name.split(".")[0], True)

    visit_Import = imported
    visit_ImportFrom = imported

    def visit_ExceptHandler(self, node):
        if node.type is not None:
            self.visit(node.type)
        if node.name:
            index = self.first_token(self.end(node.type))
            while self.tokens[index][1] != "as":
                index += 1
            place = self.tokens[index + 1][0]
            self.note(place, node.name, True, since=place + 1)
        self.all(node.body)

    def redirected(self, node):
        index = self.first_token(self.position(node)) + 1
        for name in node.names:
            self.note(self.tokens[index][0], name, False)
            index += 2

    visit_Global = redirected
    visit_Nonlocal = redirected

    def visit_MatchAs(self, node):
        if node.pattern is not None:
            self.visit(node.pattern)
        if node.name:
            place = self.end(node) - len(node.name.encode())
            self.note(place, node.name, True, since=place + 1)

    def visit_MatchStar(self, node):
        if node.name:
            place = self.end(node) - len(node.name.encode())
            self.note(place, node.name, True, since=place + 1)

    def visit_MatchMapping(self, node):
        self.all(node.keys)
        self.all(node.patterns)
        if node.rest:
            index = self.first_token(self.end(node)) - 1
            while self.tokens[index][1] != "**":
                index -= 1
            place = self.tokens[index + 1][0]
            self.note(place, node.rest, True, since=place + 1)


def judge(text):
    if text.startswith("\ufeff") or "\f" in text:
        return {"error": "a byte order mark or a form feed confuses the positions"}
    try:
        answer = Judge(text)
    except (SyntaxError, ValueError, tokenize.TokenError, RecursionError, MemoryError) as problem:
        return {"error": f"{type(problem).__name__}: {problem}"}
    bound = {name for _, _, name, _, binds, _ in answer.occurrences if binds}
    used = {name for _, _, name, _, _, _ in answer.occurrences}
    if (used & OLD_FUNCTIONS) - bound and not OLD_FUNCTIONS & set(dir(builtins)):
        return {"error": "Python 2: " + ", ".join(sorted(used & OLD_FUNCTIONS))}
    if any(isinstance(node, ast.BinOp) and is_old_print(node) for node in ast.walk(answer.tree)):
        return {"error": "Python 2: print >>"}
    return {"names": answer.names()}


def is_old_print(node):
    return isinstance(node.op, ast.RShift) and isinstance(node.left, ast.Name) and node.left.id == "print"


def main():
    warnings.simplefilter("ignore")
    sys.setrecursionlimit(5000)
    for line in sys.stdin:
        print(json.dumps(judge(json.loads(line)["text"])), flush=True)


if __name__ == "__main__":
    main()
