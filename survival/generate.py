"""Prints a random program in C++, Java, Python or JavaScript that is well defined and prints a checksum of what it computes.

All numbers stay between 0 and 2^20, so that no language overflows or rounds. Loops are short, and functions call only those
before them, outside of loops, so that every program ends soon.

Usage: generate.py LANGUAGE SEED [NAME]
"""

import random
import sys

LIMIT = 1000003


class Maker:
    """Shared by the languages: expressions, conditions and statements with variables in scope."""

    end = ";"
    true_and, true_or, true_not = "&&", "||", "!"

    def __init__(self, seed, name):
        self.draw, self.name = random.Random(f"{type(self).__name__} {seed}"), name
        self.lines, self.depth = [], 0
        self.functions, self.fresh, self.loops = [], 0, 0
        # What the function around may do: its variables, and whether it may return early.
        self.numbers, self.texts, self.lists, self.fixed, self.can_return = [], [], [], set(), False

    # Output.

    def put(self, line):
        self.lines.append("    " * self.depth + line)

    def open(self, head):
        self.put(f"{head} {{")
        self.depth += 1

    def close(self, tail=""):
        self.depth -= 1
        self.put("}" + tail)

    def new(self, stem):
        self.fresh += 1
        return f"{stem}{self.fresh}"

    def chance(self, share):
        return self.draw.random() < share

    def pick(self, items):
        return self.draw.choice(items)

    # Expressions.

    def number(self, depth=2):
        kinds = ["literal", "variable", "variable"]
        if depth > 0:
            kinds += ["sum", "product", "difference", "bits", "rest", "quotient", "choice", "greater", "element", "length", "call"]
        kind = self.pick(kinds)
        one = lambda: self.number(depth - 1)
        if kind == "sum":
            return f"(({one()} + {one()}) % {LIMIT})"
        if kind == "product":
            return f"(({one()} * {one()}) % {LIMIT})"
        if kind == "difference":
            return f"(({one()} - {one()} + {2 * LIMIT}) % {LIMIT})"
        if kind == "bits":
            return f"({one()} {self.pick('&|^')} {one()})"
        if kind == "rest":
            return f"({one()} % ({one()} + 1))"
        if kind == "quotient":
            return self.quotient(one(), f"({one()} + 1)")
        if kind == "choice":
            return self.choice(self.condition(depth - 1), one(), one())
        if kind == "greater":
            return self.greater(one(), one())
        if kind == "element" and self.lists:
            name = self.pick(self.lists)
            return self.element(name, f"{one()} % {self.size(name)}")
        if kind == "length" and self.texts:
            return self.length(self.pick(self.texts))
        if kind == "call" and self.functions and not self.loops:
            name, count = self.pick(self.functions)
            return f"{name}({', '.join(one() for _ in range(count))})"
        if kind == "variable" and self.numbers:
            return self.pick(self.numbers)
        return self.literal(self.draw.randrange(1000))

    def condition(self, depth=1):
        kind = self.draw.randrange(8) if depth > 0 else self.draw.randrange(4)
        if kind < 3:
            return f"{self.number(1)} {self.pick(['<', '>', '<=', '>='])} {self.number(1)}"
        if kind == 3:
            return f"{self.number(1)} % 2 {self.pick(self.equalities)} {self.literal(self.draw.randrange(2))}"
        if kind < 6:
            word = self.pick([self.true_and, self.true_or])
            return f"({self.condition(depth - 1)} {word} {self.condition(depth - 1)})"
        if kind == 6:
            return f"{self.true_not}({self.condition(depth - 1)})"
        return f"{self.number(1)} {self.pick(self.equalities)} {self.number(1)}"

    equalities = ["==", "!="]

    def literal(self, value):
        return str(value)

    def word(self):
        return "".join(self.pick("abcdefgh xyz") for _ in range(self.draw.randrange(1, 5)))

    # Statements, with the braces of C.

    def block(self, count, depth):
        for _ in range(count):
            self.statement(depth)

    def inner(self, count, depth):
        """Statements whose variables are not seen after them."""
        kept = len(self.numbers), len(self.texts), len(self.lists)
        self.block(count, depth)
        self.numbers, self.texts, self.lists = self.numbers[: kept[0]], self.texts[: kept[1]], self.lists[: kept[2]]

    def writable(self):
        return [name for name in self.numbers if name not in self.fixed]

    def statement(self, depth):
        kinds = ["declare", "assign", "assign", "compound", "increase", "text", "store"]
        if depth > 0:
            kinds += ["if", "if", "else", "chain", "for", "while", "do", "each", "switch", "try", "closure", "nest", "special", "special"]
        if self.can_return:
            kinds.append("return")
        kind = self.pick(kinds)
        if kind in ("assign", "compound", "increase") and not self.writable():
            kind = "declare"
        getattr(self, f"make_{kind}")(depth)

    def make_declare(self, depth):
        name = self.new("v")
        self.declare(name, self.number())
        self.numbers.append(name)

    def make_assign(self, depth):
        self.put(f"{self.pick(self.writable())} = {self.number(3)}{self.end}")

    def make_compound(self, depth):
        name = self.pick(self.writable())
        sign = self.pick("+*^|&")
        self.put(f"{name} {sign}= {self.number()}{self.end}")
        self.put(f"{name} %= {LIMIT}{self.end}")

    def make_increase(self, depth):
        name = self.pick(self.writable())
        self.put(self.pick([f"{name}++;", f"++{name};", f"{name} += 1;"]))
        self.put(f"{name} = {name} % {LIMIT};")

    def make_if(self, depth):
        self.open(f"if ({self.condition()})")
        self.inner(self.draw.randrange(1, 3), depth - 1)
        self.close()

    def make_else(self, depth):
        self.open(f"if ({self.condition()})")
        self.inner(self.draw.randrange(1, 3), depth - 1)
        self.close(" else {")
        self.depth += 1
        self.inner(self.draw.randrange(1, 3), depth - 1)
        self.close()

    def make_chain(self, depth):
        if not self.writable():
            return self.make_if(depth)
        name, value = self.pick(self.writable()), self.number(1)
        for index in range(self.draw.randrange(2, 4)):
            head = f"if ({value} % 4 {self.equalities[0]} {self.literal(index)})"
            self.put(head + " {" if index == 0 else "} else " + head + " {")
            self.put(f"    {name} = {self.number()};")
        self.put("} else {")
        self.put(f"    {name} = {self.number()};")
        self.put("}")

    def make_nest(self, depth):
        self.open(f"if ({self.condition()})")
        self.open(f"if ({self.condition()})")
        self.inner(1, depth - 1)
        self.close()
        self.close()

    def around_loop(self, name, depth):
        """The body of a loop with the variable `name`, which only the loop changes."""
        self.numbers.append(name)
        self.fixed.add(name)
        self.loops += 1
        if self.chance(0.25):
            self.put(self.leave(self.condition(), self.pick(["break", "continue"])))
        self.inner(self.draw.randrange(1, 4), depth - 1)
        self.loops -= 1
        self.numbers.remove(name)

    def leave(self, condition, how):
        return f"if ({condition}) {how};" if self.chance(0.5) else f"if ({condition}) {{ {how}; }}"

    def make_for(self, depth):
        name, count = self.new("i"), self.draw.randrange(1, 6)
        step = self.pick([f"{name}++", f"++{name}", f"{name} += 1", f"{name} += 2"])
        self.open(f"for ({self.number_type} {name} = 0; {name} < {count}; {step})")
        self.around_loop(name, depth)
        self.close()

    def make_while(self, depth):
        name = self.new("w")
        self.declare(name, self.literal(self.draw.randrange(1, 6)))
        self.open(f"while ({name} > 0)")
        self.put(self.pick([f"{name}--;", f"{name} -= 1;", f"{name} = {name} - 1;"]))
        self.around_loop(name, depth)
        self.close()

    def make_do(self, depth):
        name = self.new("d")
        self.declare(name, self.literal(0))
        self.open("do")
        self.put(f"{name}++;")
        self.around_loop(name, depth)
        self.close(f" while ({name} < {self.draw.randrange(1, 5)});")

    def make_switch(self, depth):
        if not self.writable():
            return self.make_if(depth)
        name = self.pick(self.writable())
        self.open(f"switch ({self.small(self.number(1), 5)})")
        for index in range(self.draw.randrange(1, 5)):
            self.put(f"case {index}:")
            self.put(f"    {name} = {self.number()};")
            if self.chance(0.7):
                self.put("    break;")
        if self.chance(0.6):
            self.put("default:")
            self.put(f"    {name} = {self.number()};")
        self.close()

    def make_text(self, depth):
        if self.texts and self.chance(0.6):
            self.put(f'{self.pick(self.texts)} += "{self.word()}"{self.end}')
            return
        name = self.new("s")
        self.put(self.text(name))
        self.texts.append(name)

    def make_store(self, depth):
        if self.lists:
            name = self.pick(self.lists)
            self.put(f"{self.place(name, self.number(1))} = {self.number()}{self.end}")
            return
        name = self.new("a")
        self.put(self.array(name, ", ".join(self.number(1) for _ in range(self.draw.randrange(1, 6)))))
        self.lists.append(name)

    def make_each(self, depth):
        if not self.lists:
            return self.make_for(depth)
        name = self.new("e")
        self.open(self.each(name))
        self.around_loop(name, depth)
        self.close()

    def make_return(self, depth):
        self.open(f"if ({self.condition(2)})")
        self.put(f"return {self.number()};")
        self.close()

    def small(self, value, limit):
        return f"{value} % {limit}"

    def function(self, index):
        name, count = f"f{index}", self.draw.randrange(1, 4)
        parameters = [self.new("p") for _ in range(count)]
        self.numbers, self.texts, self.lists, self.fixed, self.loops = list(parameters), [], [], set(), 0
        self.head(name, parameters)
        self.can_return = True
        self.block(self.draw.randrange(3, 7), 2)
        self.can_return = False
        self.put(f"return {self.number(3)}{self.end}")
        self.finish_function()
        self.functions.append((name, count))

    def finish_function(self):
        self.close()
        self.put("")

    def begin_main(self):
        self.numbers, self.texts, self.lists, self.fixed, self.loops = [], [], [], set(), 0
        self.declare("total", self.literal(self.draw.randrange(1000)))
        self.numbers.append("total")

    def main_body(self):
        for _ in range(self.draw.randrange(3, 6)):
            self.statement(2)
        for name, count in self.functions:
            self.put(f"total = (total * 31 + {name}({', '.join(self.number() for _ in range(count))})) % {LIMIT}{self.end}")
            self.show("total")
        for _ in range(self.draw.randrange(1, 4)):
            self.make_special(2)
        for name in self.numbers + self.texts:
            self.show(name)


class Cpp(Maker):
    number_type = "long"

    def literal(self, value):
        return f"{value}L"

    def quotient(self, one, other):
        return f"({one} / {other})"

    def choice(self, condition, one, other):
        return f"({condition} ? {one} : {other})"

    def greater(self, one, other):
        return f"std::{self.pick(['max', 'min'])}<long>({one}, {other})"

    def element(self, name, index):
        return f"{name}[{index}]"

    def size(self, name):
        return f"(long) {name}.size()"

    def length(self, name):
        return f"(long) {name}.size()"

    def declare(self, name, value):
        self.put(f"{self.pick(['long', 'long', 'auto'])} {name} = {value};")

    def show(self, name):
        self.put(f'std::cout << "{name} " << {name} << "\\n";')

    def head(self, name, parameters):
        self.open(f"{self.pick(['static long', 'long'])} {name}({', '.join(f'long {one}' for one in parameters)})")

    def text(self, name):
        return f'std::string {name} = "{self.word()}";'

    def array(self, name, items):
        return f"std::vector<long> {name} = {{{items}}};"

    def place(self, name, number):
        return f"{name}[{number} % {name}.size()]"

    def each(self, name):
        return f"for ({self.pick(['long', 'auto', 'const auto &'])} {name} : std::vector<long>({self.pick(self.lists)}))"

    def make_try(self, depth):
        name = self.pick(self.writable() or ["total"]) if self.writable() else None
        if name is None:
            return self.make_if(depth)
        self.open("try")
        self.open(f"if ({self.condition()})")
        self.put(self.pick([f"throw Trouble({self.number()});", 'throw std::runtime_error("bad");']))
        self.close()
        self.put(f"{name} = {self.number()};")
        self.close(" catch (const Trouble &trouble) {")
        self.depth += 1
        self.put(f"{name} = ({name} + trouble.code) % {LIMIT};")
        self.close(" catch (const std::exception &other) {")
        self.depth += 1
        self.put(f"{name} = ({name} + std::string(other.what()).size()) % {LIMIT};")
        self.close()

    def make_closure(self, depth):
        name, inner = self.new("g"), self.new("x")
        self.numbers.append(inner)
        body = self.number()
        self.numbers.pop()
        self.put(f"auto {name} = [{self.pick('&=')}](long {inner}) {{ return {body}; }};")
        result = self.new("v")
        self.declare(result, f"{name}({self.number(1)})")
        self.numbers.append(result)

    def make_special(self, depth):
        kind = self.draw.randrange(6)
        result = self.new("v")
        if kind == 0:
            self.put(f"std::map<long, long> m{result};")
            self.put(f"for (int k = 0; k < {self.draw.randrange(2, 6)}; k++) {{ m{result}[k * {self.number(1)} % 7] += k; }}")
            self.declare(result, self.literal(0))
            self.put(f"for (const auto &entry : m{result}) {{ {result} = ({result} * 5 + entry.first + entry.second) % {LIMIT}; }}")
        elif kind == 1:
            self.put(f"std::vector<std::unique_ptr<Shape>> q{result};")
            for _ in range(self.draw.randrange(1, 4)):
                self.put(f"q{result}.push_back(std::make_unique<{self.pick(['Shape', 'Square', 'Round'])}>({self.number(1)}));")
            self.declare(result, self.literal(0))
            self.open(f"for (auto &shape : q{result})")
            self.put(f"{result} = ({result} + shape->value({self.number(1)}) + shape->name().size()) % {LIMIT};")
            self.close()
        elif kind == 2:
            self.put(f"Box<long> b{result}({self.number(1)});")
            self.put(f"b{result}.set(b{result}.get() / 2);")
            self.declare(result, f"b{result}.get() + twice<int>({self.draw.randrange(99)})")
        elif kind == 3:
            self.put(f"Pair r{result} = Pair{{{self.number(1)}, {self.number(1)}}} + Pair{{1, {self.number(1)}}};")
            self.declare(result, f"(r{result}.left ^ r{result}.right)")
        elif kind == 4:
            self.declare(result, self.literal(0))
            self.open(f"for (int row = 0; row < {self.draw.randrange(2, 4)}; row++)")
            self.open(f"for (int column = 0; column < {self.draw.randrange(2, 5)}; column++)")
            self.put(f"if ((row + column) % 3 == {self.draw.randrange(3)}) continue;")
            self.put(f"{result} += row * 3 + column;")
            self.close()
            self.close()
        else:
            self.declare(result, f"static_cast<long>(tools::Level::{self.pick(['low', 'middle', 'high'])}) + tools::counted()")
        self.numbers.append(result)

    def program(self):
        for line in f"""#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

struct Trouble {{
    long code;
    explicit Trouble(long given) : code(given % 100) {{}}
}};

namespace tools {{
enum class Level {{ low, middle = {self.draw.randrange(3, 9)}, high }};
int counted() {{
    static int count = 0;
    return ++count;
}}
}}

class Shape {{
protected:
    long side;

public:
    explicit Shape(long given) : side(given) {{}}
    virtual ~Shape() {{}}
    virtual long value(long factor) const {{ return (side + factor) % {LIMIT}; }}
    virtual std::string name() const {{ return "shape"; }}
}};

class Square : public Shape {{
public:
    explicit Square(long given) : Shape(given) {{}}
    long value(long factor) const override {{
        if (factor > {self.draw.randrange(900)}) {{
            return Shape::value(factor);
        }}
        return side * side % {LIMIT};
    }}
    std::string name() const override {{ return "square"; }}
}};

class Round final : public Shape {{
    int turns = 0;

public:
    explicit Round(long given) : Shape(given) {{ turns = given % 5; }}
    long value(long factor) const override {{ return (this->side * 3 + turns * factor) % {LIMIT}; }}
}};

template <typename T>
class Box {{
    T content;

public:
    explicit Box(T given) : content(given) {{}}
    const T &get() const {{ return content; }}
    void set(T given) {{ content = given; }}
}};

template <typename T>
T twice(T value) {{
    return value + value;
}}

struct Pair {{
    long left, right;
    Pair operator+(const Pair &other) const {{ return Pair{{left + other.left, right + other.right}}; }}
}};
""".splitlines():
            self.put(line)
        for index in range(self.draw.randrange(2, 5)):
            self.function(index)
        self.open("int main()")
        self.begin_main()
        self.main_body()
        self.put("return 0;")
        self.close()


class Java(Maker):
    number_type = "long"

    def literal(self, value):
        return f"{value}L"

    quotient, choice, element = Cpp.quotient, Cpp.choice, None

    def greater(self, one, other):
        return f"Math.{self.pick(['max', 'min'])}({one}, {other})"

    def element(self, name, index):
        return f"{name}[(int) ({index})]"

    def size(self, name):
        return f"{name}.length"

    def length(self, name):
        return f"(long) {name}.length()"

    def declare(self, name, value):
        self.put(f"long {name} = {value};")

    def show(self, name):
        self.put(f'System.out.println("{name} " + {name});')

    def head(self, name, parameters):
        self.open(f"{self.pick(['static', 'private static'])} long {name}({', '.join(f'long {one}' for one in parameters)})")

    def small(self, value, limit):
        return f"(int) ({value} % {limit})"

    def text(self, name):
        return f'String {name} = "{self.word()}"' + self.pick(["", f" + {self.number(0)}", ".trim()", '.replace("a", "b")']) + ";"

    def array(self, name, items):
        return f"long[] {name} = {{{items}}};"

    def place(self, name, number):
        return f"{name}[(int) ({number} % {name}.length)]"

    def each(self, name):
        return f"for (long {name} : {self.pick(self.lists)})"

    def make_try(self, depth):
        if not self.writable():
            return self.make_if(depth)
        name = self.pick(self.writable())
        self.open("try")
        self.open(f"if ({self.condition()})")
        self.put(self.pick([f"throw new Trouble({self.number()});", 'throw new IllegalStateException("bad");']))
        self.close()
        self.put(f"{name} = {self.number()};")
        self.close(" catch (Trouble trouble) {")
        self.depth += 1
        self.put(f"{name} = ({name} + trouble.code) % {LIMIT};")
        self.close(" catch (IllegalStateException | ArithmeticException other) {")
        self.depth += 1
        self.put(f"{name} = ({name} + other.getMessage().length()) % {LIMIT};")
        if self.chance(0.5):
            self.close(" finally {")
            self.depth += 1
            self.put(f"{name} = ({name} + 1) % {LIMIT};")
        self.close()

    def make_closure(self, depth):
        name, inner, held = self.new("g"), self.new("x"), self.new("k")
        self.put(f"final long {held} = {self.number()};")
        kept, self.numbers = self.numbers, [inner, held]
        lists, texts, self.lists, self.texts = self.lists, self.texts, [], []
        body = self.number()
        self.numbers, self.lists, self.texts = kept, lists, texts
        body = body if self.chance(0.6) else f"{{ return {body}; }}"
        self.put(f"java.util.function.LongUnaryOperator {name} = {inner} -> {body};")
        result = self.new("v")
        self.declare(result, f"{name}.applyAsLong({self.number(1)})")
        self.numbers.append(result)

    def make_special(self, depth):
        kind = self.draw.randrange(6)
        result = self.new("v")
        self.declare(result, self.literal(self.draw.randrange(10)))
        if kind == 0:
            self.put(f"Map<Long, Long> m{result} = new TreeMap<>();")
            self.put(f"for (long k = 0; k < {self.draw.randrange(2, 6)}; k++) {{ m{result}.merge(k * {self.number(1)} % 7, k, Long::sum); }}")
            self.open(f"for (Map.Entry<Long, Long> entry : m{result}.entrySet())")
            self.put(f"{result} = ({result} * 5 + entry.getKey() + entry.getValue()) % {LIMIT};")
            self.close()
        elif kind == 1:
            made = ", ".join(f"new {self.pick(['Shape', 'Square', 'Round'])}({self.number(1)})" for _ in range(self.draw.randrange(1, 4)))
            self.put(f"Shape[] q{result} = {{{made}}};")
            self.open(f"for (Shape shape : q{result})")
            self.put(f"{result} = ({result} + shape.value({self.number(1)}) + shape.toString().length()) % {LIMIT};")
            self.close()
        elif kind == 2:
            self.put(f"Box<Long> b{result} = new Box<>({self.number(1)});")
            self.put(f"b{result}.set(b{result}.get() / 2);")
            self.put(f"{result} = b{result}.get();")
        elif kind == 3:
            self.put(f"Pair r{result} = new Pair({self.number(1)}, {self.number(1)});")
            self.put(f"{result} = r{result}.left() ^ r{result}.right();")
        elif kind == 4:
            self.put("outer:")
            self.open(f"for (int row = 0; row < {self.draw.randrange(2, 4)}; row++)")
            self.open(f"for (int column = 0; column < {self.draw.randrange(2, 5)}; column++)")
            self.put(f"if ((row + column) % 3 == {self.draw.randrange(3)}) {self.pick(['continue outer', 'continue', 'break outer'])};")
            self.put(f"{result} += row * 3 + column;")
            self.close()
            self.close()
        else:
            self.put(f"List<String> l{result} = new ArrayList<>();")
            self.put(f'for (Level level : Level.values()) {{ l{result}.add(level.name() + level.weight); }}')
            self.put(f"StringBuilder t{result} = new StringBuilder();")
            self.put(f'for (String part : l{result}) {{ t{result}.append(part).append(","); }}')
            self.put(f"{result} = {result} + t{result}.length() + counted(1, 2, 3);")
        self.numbers.append(result)

    def program(self):
        self.put("import java.util.*;\n")
        self.open(f"public class {self.name}")
        for line in f"""private static int count = 0;

static int counted(int... given) {{
    for (int one : given) {{
        count += one;
    }}
    return count;
}}

static class Trouble extends RuntimeException {{
    final long code;

    Trouble(long given) {{
        super("trouble");
        this.code = given % 100;
    }}
}}

enum Level {{
    LOW({self.draw.randrange(9)}), HIGH({self.draw.randrange(9)});

    final int weight;

    Level(int weight) {{
        this.weight = weight;
    }}
}}

interface Valued {{
    long value(long factor);
}}

static class Shape implements Valued {{
    protected long side;

    Shape(long side) {{
        this.side = side;
    }}

    public long value(long factor) {{
        return (side + factor) % {LIMIT};
    }}

    @Override
    public String toString() {{
        return "shape";
    }}
}}

static class Square extends Shape {{
    Square(long side) {{
        super(side);
    }}

    @Override
    public long value(long factor) {{
        if (factor > {self.draw.randrange(900)}) {{
            return super.value(factor);
        }}
        return side * side % {LIMIT};
    }}
}}

static final class Round extends Shape {{
    private int turns;

    Round(long given) {{
        super(given);
        turns = (int) (given % 5);
    }}

    @Override
    public long value(long factor) {{
        return (this.side * 3 + turns * factor) % {LIMIT};
    }}

    @Override
    public String toString() {{
        return "round" + turns;
    }}
}}

static class Box<T> {{
    private T content;

    Box(T content) {{
        this.content = content;
    }}

    T get() {{
        return content;
    }}

    void set(T content) {{
        this.content = content;
    }}
}}

record Pair(long left, long right) {{}}
""".splitlines():
            self.put(line)
        for index in range(self.draw.randrange(2, 5)):
            self.function(index)
        self.open("public static void main(String[] arguments)")
        self.begin_main()
        self.main_body()
        self.close()
        self.close()


class JavaScript(Maker):
    number_type = "let"
    equalities = ["===", "!=="]

    def quotient(self, one, other):
        return f"Math.floor({one} / {other})"

    choice, greater = Cpp.choice, Java.greater

    def element(self, name, index):
        return f"{name}[{index}]"

    def size(self, name):
        return f"{name}.length"

    length = size

    def declare(self, name, value):
        self.put(f"{self.pick(['let', 'let', 'var'])} {name} = {value};")

    def show(self, name):
        self.put(f'console.log("{name}", {name});')

    def head(self, name, parameters):
        self.is_arrow = self.chance(0.3)
        if self.is_arrow:
            self.open(f"const {name} = ({', '.join(parameters)}) =>")
        else:
            self.open(f"function {name}({', '.join(parameters)})")

    def finish_function(self):
        self.close(";" if self.is_arrow else "")
        self.put("")

    def text(self, name):
        value = self.pick([f'"{self.word()}"', f"'{self.word()}'", f"`{self.word()}${{{self.number(1)}}}`", f'"{self.word()}" + {self.number(0)}'])
        return f"let {name} = {value};"

    def array(self, name, items):
        return f"const {name} = [{items}];"

    def place(self, name, number):
        return f"{name}[{number} % {name}.length]"

    def each(self, name):
        return f"for (const {name} of [...{self.pick(self.lists)}])"

    def make_try(self, depth):
        if not self.writable():
            return self.make_if(depth)
        name = self.pick(self.writable())
        self.open("try")
        self.open(f"if ({self.condition()})")
        self.put(self.pick([f"throw new Trouble({self.number()});", "undefined.missing;"]))
        self.close()
        self.put(f"{name} = {self.number()};")
        self.close(" catch (error) {")
        self.depth += 1
        self.put(f"{name} = ({name} + (error instanceof Trouble ? error.code : 7)) % {LIMIT};")
        if self.chance(0.5):
            self.close(" finally {")
            self.depth += 1
            self.put(f"{name} = ({name} + 1) % {LIMIT};")
        self.close()

    def make_closure(self, depth):
        name, inner = self.new("g"), self.new("x")
        self.numbers.append(inner)
        body = self.number()
        self.numbers.pop()
        form = self.pick([f"({inner}) => {body}", f"{inner} => {{ return {body}; }}", f"function ({inner}) {{ return {body}; }}"])
        self.put(f"const {name} = {form};")
        result = self.new("v")
        self.declare(result, f"{name}({self.number(1)})")
        self.numbers.append(result)

    def make_special(self, depth):
        kind = self.draw.randrange(7)
        result = self.new("v")
        self.declare(result, self.literal(self.draw.randrange(10)))
        if kind == 0:
            self.put(f"const m{result} = new Map();")
            self.put(f"for (let k = 0; k < {self.draw.randrange(2, 6)}; k++) {{ m{result}.set(k * {self.number(1)} % 7, k); }}")
            self.open(f"for (const [key, value] of m{result})")
            self.put(f"{result} = ({result} * 5 + key + value) % {LIMIT};")
            self.close()
        elif kind == 1:
            made = ", ".join(f"new {self.pick(['Shape', 'Square', 'Round'])}({self.number(1)})" for _ in range(self.draw.randrange(1, 4)))
            self.open(f"for (const shape of [{made}])")
            self.put(f"{result} = ({result} + shape.value({self.number(1)}) + String(shape).length + shape.sides) % {LIMIT};")
            self.close()
        elif kind == 2:
            self.put(f"const {{ left: l{result}, right: r{result} = 3, ...rest{result} }} = {{ left: {self.number(1)}, other: {self.number(1)} }};")
            self.put(f"{result} = l{result} ^ r{result} ^ rest{result}.other;")
        elif kind == 3:
            self.put(f"for (const step of countdown({self.draw.randrange(1, 5)})) {{ {result} = ({result} + step * {self.number(1)}) % {LIMIT}; }}")
        elif kind == 4:
            self.put("outer:")
            self.open(f"for (let row = 0; row < {self.draw.randrange(2, 4)}; row++)")
            self.open(f"for (let column = 0; column < {self.draw.randrange(2, 5)}; column++)")
            self.put(f"if ((row + column) % 3 === {self.draw.randrange(3)}) {self.pick(['continue outer', 'continue', 'break outer'])};")
            self.put(f"{result} += row * 3 + column;")
            self.close()
            self.close()
        elif kind == 5:
            self.put(f"{result} = [1, 2, {self.number(1)}].map((one) => one * 2).filter(one => one > {self.draw.randrange(4)})"
                     f".reduce((sum, one) => (sum + one) % {LIMIT}, 0);")
        else:
            self.put(f"const o{result} = {{ first: {self.number(1)}, get second() {{ return this.first % 10; }}, third() {{ return counter(); }} }};")
            self.put(f"for (const key in o{result}) {{ {result} += key.length; }}")
            self.put(f"{result} += o{result}.second + o{result}.third() + (o{result}.fourth?.deep ?? 5);")
        self.numbers.append(result)

    def program(self):
        for line in f""""use strict";

class Trouble extends Error {{
    constructor(given) {{
        super("trouble");
        this.code = given % 100;
    }}
}}

const counter = (function () {{
    let count = 0;
    return () => ++count;
}})();

function* countdown(from) {{
    while (from > 0) {{
        yield from--;
    }}
}}

class Shape {{
    constructor(side) {{
        this.side = side;
    }}
    value(factor) {{
        return (this.side + factor) % {LIMIT};
    }}
    get sides() {{
        return 0;
    }}
    toString() {{
        return "shape";
    }}
}}

class Square extends Shape {{
    value(factor) {{
        if (factor > {self.draw.randrange(900)}) {{
            return super.value(factor);
        }}
        return this.side * this.side % {LIMIT};
    }}
    get sides() {{
        return 4;
    }}
}}

class Round extends Shape {{
    #turns = 0;
    constructor(given) {{
        super(given);
        this.#turns = given % 5;
    }}
    value(factor = 1) {{
        return (this.side * 3 + this.#turns * factor) % {LIMIT};
    }}
}}
""".splitlines():
            self.put(line)
        for index in range(self.draw.randrange(2, 5)):
            self.function(index)
        wrapped = self.chance(0.7)
        if wrapped:
            self.open("function main()")
        self.begin_main()
        self.main_body()
        if wrapped:
            self.close()
            self.put("")
            self.put("main();")


class Python(Maker):
    end = ""
    true_and, true_or, true_not = "and", "or", "not "

    def open(self, head):
        self.put(head)
        self.depth += 1

    def close(self, tail=""):
        self.depth -= 1

    def quotient(self, one, other):
        return f"({one} // {other})"

    def choice(self, condition, one, other):
        return f"({one} if {condition} else {other})"

    def greater(self, one, other):
        return f"{self.pick(['max', 'min'])}({one}, {other})"

    def element(self, name, index):
        return f"{name}[{index}]"

    def size(self, name):
        return f"len({name})"

    length = size

    def declare(self, name, value):
        self.put(f"{name} = {value}" if self.chance(0.8) else f"{name}: int = {value}")

    def show(self, name):
        self.put(self.pick([f'print("{name}", {name})', f'print(f"{name} {{{name}}}")', f'print("{name} {{}}".format({name}))']))

    def head(self, name, parameters):
        if self.chance(0.2):
            self.put("@traced")
        self.open(f"def {name}({', '.join(parameters)}):")

    def finish_function(self):
        self.close()
        self.put("")
        self.put("")

    def make_increase(self, depth):
        name = self.pick(self.writable())
        self.put(f"{name} += 1")
        self.put(f"{name} = {name} % {LIMIT}")

    def text(self, name):
        value = self.pick([f'"{self.word()}"', f"'{self.word()}' * 2", f'f"{self.word()}{{{self.number(0)}}}"', f'"%d" % {self.number(0)}', f'"{self.word()}".upper()'])
        return f"{name} = {value}"

    def array(self, name, items):
        return f"{name} = [{items}]"

    def place(self, name, number):
        return f"{name}[{number} % len({name})]"

    def each(self, name):
        return f"for {name} in {self.pick(['list', 'sorted', 'reversed'])}({self.pick(self.lists)}[:]):"

    def make_if(self, depth):
        self.open(f"if {self.condition()}:")
        self.inner(self.draw.randrange(1, 3), depth - 1)
        self.close()

    def make_else(self, depth):
        self.make_if(depth)
        self.open("else:")
        self.inner(self.draw.randrange(1, 3), depth - 1)
        self.close()

    def make_chain(self, depth):
        name = self.pick(self.writable() or ["extra"])
        value = self.number(1)
        for index in range(self.draw.randrange(2, 4)):
            self.put(f"{'el' if index else ''}if {value} % 4 == {index}:")
            self.put(f"    {name} = {self.number()}")
        self.put("else:")
        self.put(f"    {name} = {self.number()}")

    def make_nest(self, depth):
        self.open(f"if {self.condition()}:")
        self.open(f"if {self.condition()}:")
        self.inner(1, depth - 1)
        self.close()
        self.close()

    def leave(self, condition, how):
        return f"if {condition}: {how}"

    def make_for(self, depth):
        name = self.new("i")
        self.open(f"for {name} in range({self.draw.randrange(1, 6)}):")
        self.around_loop(name, depth)
        self.close()

    def make_while(self, depth):
        name = self.new("w")
        self.declare(name, str(self.draw.randrange(1, 6)))
        self.open(f"while {name} > 0:")
        self.put(f"{name} -= 1")
        self.around_loop(name, depth)
        self.close()

    make_do = make_while

    def make_switch(self, depth):
        if self.chance(0.5):
            return self.make_chain(depth)
        name = self.pick(self.writable() or ["extra"])
        self.open(f"match {self.number(1)} % 5:")
        for index in range(self.draw.randrange(1, 4)):
            self.put(f"case {index}:")
            self.put(f"    {name} = {self.number()}")
        self.put("case _:")
        self.put(f"    {name} = {self.number()}")
        self.close()

    def make_try(self, depth):
        name = self.pick(self.writable() or ["extra"])
        if not self.writable():
            self.declare(name, "0")
        self.open("try:")
        self.open(f"if {self.condition()}:")
        self.put(self.pick([f"raise Trouble({self.number()})", "{}['missing']"]))
        self.close()
        self.put(f"{name} = {self.number()}")
        self.close()
        self.put("except Trouble as trouble:")
        self.put(f"    {name} = ({name} + trouble.code) % {LIMIT}")
        self.put("except (KeyError, IndexError) as other:")
        self.put(f"    {name} = ({name} + len(str(other))) % {LIMIT}")
        if self.chance(0.4):
            self.put("else:")
            self.put(f"    {name} = ({name} + 2) % {LIMIT}")
        if self.chance(0.4):
            self.put("finally:")
            self.put(f"    {name} = ({name} + 1) % {LIMIT}")

    def make_return(self, depth):
        self.open(f"if {self.condition(2)}:")
        self.put(f"return {self.number()}")
        self.close()

    def make_closure(self, depth):
        name, inner = self.new("g"), self.new("x")
        self.numbers.append(inner)
        body = self.number()
        self.numbers.pop()
        if self.chance(0.5):
            self.put(f"{name} = lambda {inner}: {body}")
        else:
            self.put(f"def {name}({inner}):")
            self.put(f"    return {body}")
        result = self.new("v")
        self.declare(result, f"{name}({self.number(1)})")
        self.numbers.append(result)

    def make_special(self, depth):
        kind = self.draw.randrange(8)
        result = self.new("v")
        self.declare(result, self.literal(self.draw.randrange(10)))
        if kind == 0:
            self.put(f"m{result} = {{k * {self.number(1)} % 7: k for k in range({self.draw.randrange(2, 6)})}}")
            self.open(f"for key, value in sorted(m{result}.items()):")
            self.put(f"{result} = ({result} * 5 + key + value) % {LIMIT}")
            self.close()
        elif kind == 1:
            made = ", ".join(f"{self.pick(['Shape', 'Square', 'Round'])}({self.number(1)})" for _ in range(self.draw.randrange(1, 4)))
            self.open(f"for shape in [{made}]:")
            self.put(f"{result} = ({result} + shape.value({self.number(1)}) + len(str(shape)) + shape.sides) % {LIMIT}")
            self.close()
        elif kind == 2:
            self.put(f"l{result}, r{result} = {self.number(1)}, {self.number(1)}")
            self.put(f"l{result}, r{result} = r{result}, l{result} + 1")
            self.put(f"{result} = l{result} ^ r{result}")
        elif kind == 3:
            self.open(f"for step in countdown({self.draw.randrange(1, 5)}):")
            self.put(f"{result} = ({result} + step * {self.number(1)}) % {LIMIT}")
            self.close()
        elif kind == 4:
            self.put(f"{result} = sum([one * 2 for one in range({self.draw.randrange(3, 7)}) if one % 2 == {self.draw.randrange(2)}]) + {self.number(1)}")
        elif kind == 5:
            self.open("with Guarded() as guarded:")
            self.put(f"guarded.append({self.number(1)})")
            self.close()
            self.put(f"{result} = sum(guarded) % {LIMIT}")
        elif kind == 6:
            self.put(f"{result} = gather({self.number(1)}, {self.number(1)}, last={self.number(1)})")
        else:
            self.put(f"if {self.number(1)} not in [1, 2, {self.number(1)}] and 0 <= {self.number(0)} < {self.draw.randrange(1, 999)}:")
            self.put(f"    {result} += 5")
        self.numbers.append(result)

    def program(self):
        for line in f'''import functools


class Trouble(Exception):
    def __init__(self, given):
        super().__init__("trouble")
        self.code = given % 100


class Guarded:
    def __enter__(self):
        self.items = []
        return self.items

    def __exit__(self, kind, value, trace):
        self.items.append({self.draw.randrange(99)})
        return False


class Shape:
    """Something with a side."""

    made = 0

    def __init__(self, side):
        self.side = side
        Shape.made += 1

    def value(self, factor):
        return (self.side + factor) % {LIMIT}

    @property
    def sides(self):
        return 0

    def __str__(self):
        return "shape"


class Square(Shape):
    def value(self, factor):
        if factor > {self.draw.randrange(900)}:
            return super().value(factor)
        return self.side * self.side % {LIMIT}

    @property
    def sides(self):
        return 4


class Round(Shape):
    def __init__(self, given):
        super().__init__(given)
        self._turns = given % 5

    def value(self, factor=1):
        return (self.side * 3 + self._turns * factor) % {LIMIT}

    @staticmethod
    def name():
        return "round"

    def __str__(self):
        return f"{{self.name()}}{{self._turns}}"


def traced(function):
    @functools.wraps(function)
    def inner(*arguments):
        return function(*arguments)

    return inner


def countdown(start):
    while start > 0:
        yield start
        start -= 1


def gather(*numbers, last=0, **others):
    total = last
    for number in numbers:
        total = (total * 3 + number) % {LIMIT}
    return total


'''.splitlines():
            self.put(line)
        for index in range(self.draw.randrange(2, 5)):
            self.function(index)
        is_function = self.chance(0.7)
        self.open("def main():" if is_function else 'if __name__ == "__main__":')
        self.declare("extra", "0")
        self.begin_main()
        self.main_body()
        self.close()
        if is_function:
            self.put("")
            self.put("")
            self.put("main()")


MAKERS = {"cpp": Cpp, "java": Java, "python": Python, "javascript": JavaScript}


def program(language, seed, name="Program"):
    """The program with this seed."""
    maker = MAKERS[language](seed, name)
    maker.program()
    return "\n".join(maker.lines) + "\n"


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in MAKERS:
        sys.exit(__doc__)
    sys.stdout.write(program(sys.argv[1], int(sys.argv[2]), *sys.argv[3:4]))
