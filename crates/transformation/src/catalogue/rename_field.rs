//! Renames a field of a type declared in the input, if every access can be resolved by type.
//!
//! class: naming
//! from: WIR
//!
//! A field is left alone if some access that is spelt like it is through an object whose type is not evident. Every
//! use must be in the input, by the same rules as for functions and types. Also left alone are fields that programs
//! or libraries access by name: Java's enum constants, record components, fields of serialisable or annotated
//! classes, and JavaScript fields that are not private (`#x`) if the program prints objects, lists their keys or
//! computes names. Python accesses attributes by name in too many ways, so it has no site.
//!
//! ```java
//! class Box { private int side; Box(int side) { this.side = side; } int area() { return side * side; } }
//! ```
//! ->
//! ```java
//! class Box { private int fieldInt1; Box(int side) { this.fieldInt1 = side; } int area() { return fieldInt1 * fieldInt1; } }
//! ```
//!
//! ```c
//! struct box { int side; };
//! int area(struct box *box) { int side = box->side; return side * side; }
//! ```
//! ->
//! ```c
//! struct box { int field_int_1; };
//! int area(struct box *box) { int side = box->field_int_1; return side * side; }
//! ```
//!
//! ```cpp
//! struct Box { int side; Box(int side) : side(side) {} int area() const { return side * this->side; } };
//! ```
//! ->
//! ```cpp
//! struct Box { int field_int_1; Box(int side) : field_int_1(side) {} int area() const { return field_int_1 * this->field_int_1; } };
//! ```
//!
//! ```javascript
//! class Box { #side = 2; area() { return this.#side * this.#side; } }
//! ```
//! ->
//! ```javascript
//! class Box { #field1 = 2; area() { return this.#field1 * this.#field1; } }
//! ```
//!
//! The type of `other` is unknown:
//!
//! ```javascript
//! class Box { side = 2; isSame(other) { return this.side === other.side; } }
//! console.log(new Box().isSame(new Box()) + "");
//! ```

use std::collections::HashSet;

use syntax::{Field, Kind, Language, Node, Program, SymbolId, SymbolKind, names};

use crate::Sites;
use crate::parts::renaming;
use crate::parts::shown_names::prints_objects;
use crate::parts::visibility::{
    Heritage, declaration_of, has_annotation, is_private, is_seen_whole, is_whole, mentions_anywhere, mentions_outside,
    reaches_members, words_of_strings,
};

pub(super) fn find<'p>(program: &'p Program, sites: &mut Sites<'p>) {
    let is_whole = match program.language() {
        Language::Python => return,
        // A header is made to be used elsewhere.
        Language::C | Language::Cpp => {
            program.surroundings().is_none() && program.nodes_of_kind(Kind::FunctionDefinition).next().is_some()
        }
        Language::Java | Language::JavaScript => is_whole(program),
    };
    let shows_members = match program.language() {
        Language::JavaScript => prints_objects(program) || reaches_members(program),
        Language::Java => {
            mentions_outside(program, &["Serializable", "Externalizable"])
                || mentions_anywhere(program, &["Gson", "ObjectMapper"])
        }
        Language::C | Language::Cpp | Language::Python => false,
    };
    let facts = Facts { is_whole, shows_members, heritage: Heritage::of(program), strings: words_of_strings(program) };
    renaming::add_sites(program, sites, |program, symbol| {
        program.scopes().symbol(symbol).kind == SymbolKind::Field && facts.allow(program, symbol)
    });
}

struct Facts<'p> {
    is_whole: bool,
    shows_members: bool,
    heritage: Heritage,
    strings: HashSet<&'p str>,
}

impl Facts<'_> {
    fn allow(&self, program: &Program, symbol: SymbolId) -> bool {
        let scopes = program.scopes();
        let entry = scopes.symbol(symbol);
        let name = program.node(entry.declaration);
        if !is_seen_whole(program, symbol, self.is_whole) || self.strings.contains(name.text()) {
            return false;
        }
        let Some(declaration) = declaration_of(name) else { return false };
        match program.language() {
            Language::Java => {
                let class = declaration.ancestors().nth(1);
                declaration.kind() == Kind::FieldDeclaration
                    && !self.shows_members
                    && !has_annotation(declaration)
                    && name.text() != "serialVersionUID"
                    && !class.is_some_and(has_annotation)
            }
            Language::C | Language::Cpp => {
                declaration.kind() == Kind::FieldDeclaration
                    && scopes.scope(entry.scope).node != program.root().id()
                    && !self.heritage.is_open(entry.scope)
                    && !names::is_reserved(program.language(), name.text())
                    && !is_looked_for(program.language(), name.text())
            }
            Language::Python => false,
            Language::JavaScript => {
                let is_free = || !self.shows_members && !self.heritage.is_open(entry.scope) && !is_known(name.text());
                // A getter or setter is a method of the language under the name of a field: all of them go together.
                (is_private(program, symbol) || is_free())
                    && scopes.declarations_of(symbol).all(|declaration| is_in_class(program.node(declaration)))
            }
        }
    }
}

/// Constants that templates of C++'s library look for.
fn is_looked_for(language: Language, name: &str) -> bool {
    match language {
        Language::Cpp => matches!(name, "value" | "first" | "second"),
        Language::C | Language::Java | Language::Python | Language::JavaScript => false,
    }
}

/// Properties that the language or its hosts look for.
fn is_known(name: &str) -> bool {
    matches!(
        name,
        "length"
            | "name"
            | "message"
            | "stack"
            | "prototype"
            | "constructor"
            | "value"
            | "done"
            | "index"
            | "cause"
            | "size"
    )
}

/// Is this the declaration in a class body, or an assignment to a member of `this`?
fn is_in_class(name: Node<'_>) -> bool {
    name.parent().is_some_and(|parent| {
        matches!(parent.kind(), Kind::FieldDefinition | Kind::MethodDefinition)
            || parent.kind() == Kind::MemberExpression
                && parent.child(Field::Object).is_some_and(|object| object.kind() == Kind::This)
    })
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Cpp, Java, JavaScript};

    use crate::testing::{all_results, check, check_refused};

    #[test]
    fn designators_and_nested_structs_follow() {
        check(
            "rename-field",
            C,
            "struct p { int x, y; }; struct q { struct p p; }; int f(struct q *q) { struct p a = { .x = 1 }; return a.x + q->p.x; }",
            "struct p { int field_int_1, y; }; struct q { struct p p; }; \
             int f(struct q *q) { struct p a = { .field_int_1 = 1 }; return a.field_int_1 + q->p.field_int_1; }",
        );
    }

    #[test]
    fn objects_of_unknown_type_refuse() {
        check_refused("rename-field", C, "struct p { int x; }; int f(struct p *p, other_t *o) { return p->x + o->x; }");
        check_refused("rename-field", C, "typedef struct p { int x; } p_t; int f(void) { return OFFSET(p_t, x); }");
        check_refused(
            "rename-field",
            C,
            "#define X(p) ((p)->x)\nstruct p { int x; }; int f(struct p *p) { return X(p); }\n",
        );
        check_refused("rename-field", Cpp, "struct A { int x; }; template <typename T> int f(T t) { return t.x; }");
        check_refused("rename-field", Java, "class A { int x; int f(java.awt.Point p) { return h.g(p).x + x; } }");
    }

    #[test]
    fn fields_that_are_shown_by_name_stay() {
        check_refused("rename-field", Java, "enum E { A, B }");
        check_refused("rename-field", Java, "record Point(int x) {}");
        check_refused("rename-field", Java, "class A implements java.io.Serializable { private int x; }");
        let imported = "import java.io.Serializable; class A implements Serializable { private int x; }";
        check_refused("rename-field", Java, imported);
        check_refused("rename-field", Java, "@Entity class A { private int x; }");
        check_refused("rename-field", Java, "class A { @Inject private Job x; }");
        check_refused("rename-field", JavaScript, "class A { x = 1; }\nconsole.log(JSON.stringify(new A()));");
        check_refused("rename-field", JavaScript, "class A { x = 1; }\nfor (const k in new A()) f(k);");
        check_refused("rename-field", JavaScript, "class A { x = 1; }\nf(new A(), {x: 2});");
        check_refused("rename-field", JavaScript, "class A { x = 1; }\nconst {x} = new A();\nf(x);");
        check_refused("rename-field", JavaScript, "class A { #x = () => 1; f() { return this.#x.name; } }");
        check_refused("rename-field", JavaScript, "class A { #x = () => 1; f() { console.log(this.#x); } }");
    }

    #[test]
    fn hidden_fields_and_locals_are_told_apart() {
        check(
            "rename-field",
            Java,
            "class A { int x; void f(A a) { int x = this.x; a.x = x; } }",
            "class A { int fieldInt1; void f(A a) { int x = this.fieldInt1; a.fieldInt1 = x; } }",
        );
        assert_eq!(all_results("rename-field", Java, "package p; public class A { int x; private int y; }").len(), 1);
    }

    #[test]
    fn a_field_in_every_branch_of_a_condition_is_one() {
        for (language, head, tail) in [
            (C, "struct s {", "};\nint f(struct s *s)"),
            (C, "typedef struct {", "} s;\nint f(s *s)"),
            (C, "struct s { int a; union { struct {", "} b; } c; };\nint f(struct s *s)"),
            (C, "struct s { struct {", "}; };\nint f(struct s *s)"),
            (Cpp, "struct s {", "};\nint f(s *s)"),
            (Cpp, "class s { public:", "};\nint f(s *s)"),
        ] {
            let path = if head.contains("union") { "c.b." } else { "" };
            let text = format!(
                "{head}\n#if A\nlong n;\n#elif B\nshort n, m;\n#else\n#ifdef C\nchar n;\n#endif\n#endif\n{tail} {{ return s->{path}n; }}\n\
                 int main(void) {{ return 0; }}\n"
            );
            let results = all_results("rename-field", language, &text);
            let is_whole = |result: &&String| result.matches("_1").count() == 4 && !result.contains(" n;");
            assert_eq!(results.iter().filter(is_whole).count(), 1, "{results:?}");
            let is_torn = |result: &String| (1..3).contains(&result.matches(" n").count());
            assert!(!results.iter().any(is_torn), "{results:?}");
        }
        for (head, tail) in [("typedef struct {", "} s;"), ("struct s {", "};"), ("struct {", "} s;")] {
            for language in [C, Cpp] {
                let (first, second) = (format!("{head} long n; {tail}"), format!("{head} int n; {tail}"));
                let used = if head == "struct {" {
                    "int f(void) { return s.n; }"
                } else {
                    "int f(struct s *s) { return s->n; }"
                };
                let used = if head.starts_with("typedef") { used.replace("struct s", "s") } else { used.to_owned() };
                let text =
                    format!("#if A\n{first}\n#elif B\n{second}\n#endif\n{used}\nint main(void) {{ return 0; }}\n");
                let results = all_results("rename-field", language, &text);
                assert!(results.iter().all(|result| result.matches("_1").count() == 3), "{language} {results:?}");
            }
        }
        check_refused(
            "rename-field",
            C,
            "typedef struct { int list; } pair_t;\nint f(void) { return __builtin_offsetof(pair_t, list); }\nint g(pair_t *p) { return p->list; }\n",
        );
    }
}
