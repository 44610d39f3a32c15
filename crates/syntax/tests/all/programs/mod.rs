//! Programs to try things on: the annotated sources, and one small program a language that is always there.

use std::path::Path;

use syntax::Language;

/// Clean programs of a language, in a fixed order.
pub fn sources(language: Language) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scopes").join(language.name());
    let mut files: Vec<_> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    files.sort();
    let mut sources = vec![sample(language).to_owned()];
    sources.extend(files.iter().filter_map(|file| std::fs::read_to_string(file).ok()));
    sources
}

/// A small program with functions, types, loops, shadowing, literals and comments.
pub fn sample(language: Language) -> &'static str {
    match language {
        Language::Java => {
            r#"package shop;
import java.util.*;

/** A cart. */
public class Cart<T extends Comparable<T>> implements Iterable<T> {
    private final List<T> items = new ArrayList<>();
    static int made = 0x10;

    Cart(int count) { this.count = count; made++; }
    int count;

    @Override public Iterator<T> iterator() { return items.iterator(); }

    <R> int total(Map<String, ? super R> prices, int... extra) throws Exception {
        int total = 0;
        outer:
        for (int i = 0, n = extra.length; i < n; i++) {
            for (T item : items) {
                if (item == null || i >> 1 > 3) continue outer;
                total += i % 2 == 0 ? 1 : -1;
            }
        }
        Runnable later = () -> { int inner = count; System.out.println("a\t\"b\" " + inner); };
        try (Scanner in = new Scanner(System.in)) {
            char c = 'x'; // a comment
            switch (c) { case 'x': later.run(); break; default: return total; }
        } catch (RuntimeException | Error problem) {
            throw new Exception(problem);
        }
        return total;
    }
}
"#
        }
        Language::C => {
            r#"#include <stdio.h>
#define LIMIT 10
/* A point. */
struct point { int x, y; struct point *next; };
typedef unsigned long size;
enum colour { RED, GREEN = 3 };
static int count;
int add(int a, int b);

int add(int a, int b) { return a + b; }

size walk(struct point *first, const char *name, int (*visit)(int)) {
    size steps = 0;
    for (struct point *p = first; p != NULL; p = p->next) {
        int count = p->x * (*p).y;
        if (count > LIMIT) goto done;
        steps += visit(count);
        { char text[LIMIT] = "a\n"; printf("%s %c\n", text, 'c'); }
    }
done:
    while (steps--) switch (count) { case RED: break; default: count = sizeof(struct point); }
    return steps; // the end
}
"#
        }
        Language::Cpp => {
            r#"#include <vector>
#include <string>
using namespace std;
namespace shop {
// A shape.
class Shape {
public:
    explicit Shape(const string& name) : name_(name), sides_{0} {}
    virtual ~Shape() = default;
    virtual int area() const { return sides_ * 2; }
    Shape& operator+=(int more) { sides_ += more; return *this; }
protected:
    string name_;
    int sides_;
};
template <typename T, int N = 3>
struct Box : public Shape {
    T items[N];
    int area() const override { int total = 0; for (auto& item : items) total += item; return total; }
    static Box* make() { return new Box<T, N>(); }
};
}
enum class Colour { red, green };
int main(int argc, char** argv) {
    vector<int> numbers = {1, 2, 3};
    auto twice = [&numbers, argc](int n) -> int { return n * 2 + argc; };
    for (int i = 0; i < (int)numbers.size(); ++i) {
        if (auto v = numbers[i]; v > 1) numbers.push_back(twice(v));
    }
    try { shop::Shape* s = nullptr; delete s; } catch (const exception& e) { return 1; }
    return static_cast<int>(Colour::green) + R"(raw " text)"[0];
}
"#
        }
        Language::Python => {
            r#"import os, sys as system
from math import sqrt as root

LIMIT = 10

class Cart(dict):
    """A cart."""
    made: int = 0

    def __init__(self, *items, size=LIMIT, **rest):
        self.items = [item for item in items if item]
        self.size = size

    @property
    def total(self):
        return sum(x ** 2 for x in self.items)

def walk(first, limit=3):
    global LIMIT
    count = 0
    def step(by):
        nonlocal count
        count += by
        return lambda n, k=by: n + k
    for i, (a, b) in enumerate(zip(first, [1, 2])):
        if a and not b:
            continue
        elif (n := step(i)(a)) > limit:
            print(f"{n!r:>{limit}} and {count}", file=system.stderr)
        else:
            del a
    while count:
        count -= 1
    else:
        pass
    try:
        with open("a\tb") as handle, open('c') as other:
            text = handle.read() + \
                other.read()
    except (OSError, ValueError) as problem:
        raise problem
    finally:
        LIMIT = {**{"a": 1}, 'b': {x: y for x, y in ()}}
    return text[1:2]  # the end
"#
        }
        Language::JavaScript => {
            r#"'use strict';
import fs, { join as glue } from 'path';
/* A cart. */
export class Cart extends Map {
  #count = 0;
  static made = 0;
  constructor(items = [], ...rest) { super(items); this.items = items; this.#count = rest.length; }
  get total() { return this.items.reduce((sum, { price, tax: { rate } = {} }) => sum + price * rate, 0); }
  async *walk() { for await (const item of this.items) yield item; }
}
function outer(a, b = a) {
  var total = 0;
  const key = 'k', { x, ...others } = a;
  label:
  for (let i = 0; i < b; i++) {
    if (i % 2) continue label;
    let total = `${i} and ${x ? `in ${key}` : others.y}`;
    inner(total);
  }
  for (const k in a) total += a[k]?.length ?? 1_000;
  function inner(text) { hoisted = text.replace(/a[b/]c/g, "\n"); return arguments; }
  var hoisted;
  try { throw new Error(x) } catch { return { a, [key]: b, method() { return this }, get y() { return 1n } } }
  return total // no semicolon
}
module.exports = { outer, Cart };
"#
        }
    }
}
