//! Does a program reach names by text? Then renaming what it declares may change what it does.
//!
//! The tables of scopes say what each identifier stands for. A program can reach the same things through
//! strings, too: Python's `getattr(self, "x")`, JavaScript's `eval`, Java's reflection. Nobody can follow these
//! roads, so this only says whether there is one. C and C++ have none; their macros are told apart by the
//! tables.

use crate::language::Language;
use crate::languages::{java, javascript, python};
use crate::program::Program;

impl Program {
    /// Does the program reach names by text, for example through `eval`, `getattr` or reflection?
    ///
    /// A broken program has no tables, so it answers yes: nothing is known about it.
    pub fn reaches_names_by_text(&self) -> bool {
        if self.is_broken() {
            return true;
        }
        match self.language() {
            Language::Python => self.nodes().any(|node| python::mirrors::is_road(self, node)),
            Language::JavaScript => self.nodes().any(|node| javascript::mirrors::is_road(self, node)),
            Language::Java => self.nodes().any(java::mirrors::is_road),
            Language::C | Language::Cpp => false,
        }
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
            "import inspect\ndef f(*rest): pass\nprint(inspect.signature(f))\n",
            "from inspect import getfullargspec\ndef f(*rest): pass\nprint(getfullargspec(f))\n",
            "def f(*rest): pass\nhelp(f)\n",
            "try:\n    f()\nexcept (ValueError, TypeError) as problem:\n    print(problem)\n",
        ] {
            check(Language::Python, text, true);
        }
        for text in [
            "import re\npattern = re.compile('x')\n",
            "vars = []\nvars.append(1)\n",
            "signature = 'John'\nprint(signature, parser.help)\n",
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
        check(Language::JavaScript, "try { f(); } catch (e) { if (e instanceof TypeError) log(e.message); }", true);
        check(Language::JavaScript, "try { f(); } catch (e) { log(e instanceof TypeError); }", false);
        check(Language::JavaScript, "function f(x) { throw new TypeError(x); }", false);
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
