//! Does a program reach names by text? Then renaming what it declares may change what it does.
//!
//! The tables of scopes say what each identifier stands for. A program can reach the same things through
//! strings, too: Python's `getattr(self, "x")`, JavaScript's `eval`, Java's reflection. Nobody can follow these
//! roads, so this only says whether there is one. C and C++ have none; their macros are told apart by the
//! tables.

use crate::kind::{Field, Kind};
use crate::language::Language;
use crate::program::Program;
use crate::scopes::Target;
use crate::tree::Node;

impl Program {
    /// Does the program reach names by text, for example through `eval`, `getattr` or reflection?
    ///
    /// A broken program has no tables, so it answers yes: nothing is known about it.
    pub fn reaches_names_by_text(&self) -> bool {
        if self.is_broken() {
            return true;
        }
        match self.language() {
            Language::Python => self.nodes().any(|node| is_python_road(self, node)),
            Language::JavaScript => self.nodes().any(|node| is_javascript_road(self, node)),
            Language::Java => self.nodes().any(is_java_road),
            Language::C | Language::Cpp => false,
        }
    }
}

fn is_outside(program: &Program, name: Node<'_>) -> bool {
    program.scopes().target(name) == Some(Target::Outside)
}

fn is_python_road(program: &Program, node: Node<'_>) -> bool {
    match node.kind() {
        Kind::ExecStatement => true,
        Kind::ExceptClause => keeps_message_with_names(node),
        // Functions that have names of their own here are not the built-in ones.
        Kind::Identifier => match node.text() {
            "locals" | "globals" | "vars" | "eval" | "exec" | "execfile" | "getattr" | "setattr" | "delattr"
            | "hasattr" | "compile" | "dir" | "__import__" => {
                node.role() != Field::Attribute && is_outside(program, node)
            }
            "attrgetter" | "methodcaller" => true,
            // A frame has the names of its module.
            "_getframe" | "currentframe" => true,
            "__dict__" | "__slots__" | "__all__" | "__getattr__" | "__getattribute__" | "__setattr__"
            | "__delattr__" | "__match_args__" => true,
            // The name of a function or a class as a text; `__name__` alone is the module's.
            "__name__" | "__qualname__" => node.role() == Field::Attribute,
            _ => false,
        },
        _ => false,
    }
}

/// Does the handler keep an exception whose message has names of the program in it, such as "f() missing 1 required positional
/// argument: 'a'"?
fn keeps_message_with_names(handler: Node<'_>) -> bool {
    let head = handler.text().split(':').next().unwrap_or_default();
    let mut words = head.split(|letter: char| !letter.is_alphanumeric());
    head.contains(" as ")
        && words.any(|word| matches!(word, "AttributeError" | "NameError" | "TypeError" | "UnboundLocalError"))
}

fn is_javascript_road(program: &Program, node: Node<'_>) -> bool {
    match node.kind() {
        Kind::WithStatement => true,
        Kind::Identifier => matches!(node.text(), "eval" | "Function") && !is_declared(program, node),
        _ => false,
    }
}

fn is_declared(program: &Program, name: Node<'_>) -> bool {
    matches!(program.scopes().target(name), Some(Target::Symbol(_)))
}

fn is_java_road(node: Node<'_>) -> bool {
    if node.kind() != Kind::MethodInvocation {
        return false;
    }
    let Some(name) = node.child(Field::Name) else { return false };
    match name.text() {
        "forName" | "loadClass" | "getSimpleName" | "getCanonicalName" | "getEnclosingMethod" | "newProxyInstance" => {
            true
        }
        "getField" | "getFields" | "getDeclaredField" | "getDeclaredFields" => true,
        "getMethod" | "getMethods" | "getDeclaredMethod" | "getDeclaredMethods" => true,
        "getConstructor" | "getConstructors" | "getDeclaredConstructor" | "getDeclaredConstructors" => true,
        "getClasses" | "getDeclaredClasses" | "getRecordComponents" => true,
        "findVirtual" | "findStatic" | "findSpecial" | "findGetter" | "findSetter" | "findVarHandle" => true,
        // Files and threads have names, too; those of classes are names of the program.
        "getName" => node.child(Field::Object).is_some_and(|object| match object.kind() {
            Kind::ClassLiteral => true,
            Kind::MethodInvocation => object.child(Field::Name).is_some_and(|name| name.text() == "getClass"),
            _ => false,
        }),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(language: Language, text: &str, expected: bool) {
        let program = Program::parse(language, text);
        assert!(!program.is_broken(), "{text}");
        assert_eq!(program.reaches_names_by_text(), expected, "{text}");
    }

    #[test]
    fn python() {
        for text in [
            "def f(a):\n    return '%(a)s' % locals()\n",
            "print(eval('1 + x'))\n",
            "class A:\n    __slots__ = ('x',)\n",
            "class A:\n    def __getattr__(self, name):\n        return name\n",
            "__all__ = ['f']\n",
            "x = getattr(o, 'name', None)\n",
            "for reach in (getattr, setattr): reach\n",
            "print(o.__dict__)\n",
            "exec code in names\n",
            "code = compile('x', 'f', 'exec')\n",
            "def f(): pass\nprint(f.__name__)\n",
            "import sys\nprint(sys._getframe(0).f_globals['x'])\n",
            "try:\n    f()\nexcept (ValueError, TypeError) as problem:\n    print(problem)\n",
        ] {
            check(Language::Python, text, true);
        }
        for text in [
            "import re\npattern = re.compile('x')\n",
            "vars = []\nvars.append(1)\n",
            "if __name__ == '__main__':\n    main()\n",
            "def eval(x):\n    return x\nprint(eval(1))\n",
            "try:\n    f()\nexcept TypeError:\n    print('no')\nexcept ValueError as problem:\n    print(problem)\n",
        ] {
            check(Language::Python, text, false);
        }
    }

    #[test]
    fn javascript() {
        check(Language::JavaScript, "let x = eval('1');", true);
        check(Language::JavaScript, "let f = new Function('a', 'return a');", true);
        check(Language::JavaScript, "with (o) { x = 1; }", true);
        check(Language::JavaScript, "function f(x) { return o.eval + x; }", false);
    }

    #[test]
    fn java() {
        check(Language::Java, "class A { void f() throws Exception { Class.forName(\"A\"); } }", true);
        check(Language::Java, "class A { Object f(Object o) { return o.getClass().getDeclaredField(\"x\"); } }", true);
        check(Language::Java, "class A { String f(Object o) { return o.getClass().getName(); } }", true);
        check(Language::Java, "class A { String f(java.io.File file) { return file.getName(); } }", false);
    }

    #[test]
    fn c_and_broken_programs() {
        check(Language::C, "int f(int x) { return x; }", false);
        check(Language::Cpp, "int f(int x) { return x; }", false);
        assert!(Program::parse(Language::Python, "def (:").reaches_names_by_text());
    }
}
