//! Does a program look at its own text, its lines or its stack? Then every rewrite may change what it does.
//!
//! `__LINE__`, Java's stack traces, Python's code objects and JavaScript's `f.toString()` show where code stands and
//! how it is written. Nobody can follow what becomes of that, so this only says whether the program looks. What is
//! written for people when a program fails, such as the stack trace of an exception that nobody catches, does not count.

use crate::language::Language;
use crate::languages::{c, java, javascript, python};
use crate::program::Program;

impl Program {
    /// Does the program look at its own text, its lines or its stack?
    ///
    /// A broken program has no tables, so it answers yes: nothing is known about it.
    pub fn looks_at_itself(&self) -> bool {
        *self.looks_at_itself.get_or_init(|| {
            self.is_broken()
                || match self.language() {
                    Language::C | Language::Cpp => c::mirrors::shows_itself(self),
                    Language::Java => self.nodes().any(java::mirrors::is_mirror),
                    Language::Python => self.nodes().any(python::mirrors::is_mirror),
                    Language::JavaScript => self.nodes().any(|node| javascript::mirrors::is_mirror(self, node)),
                }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(language: Language, expected: bool, texts: &[&str]) {
        for text in texts {
            let program = Program::parse(language, *text);
            assert!(!program.is_broken(), "{text}");
            assert_eq!(program.looks_at_itself(), expected, "{text}");
        }
    }

    #[test]
    fn c() {
        check(
            Language::C,
            true,
            &[
                "int f(void) { return __LINE__; }",
                "#define WHERE(x) printf(\"%d %d\", __LINE__, (x))\nvoid f(int n) { WHERE(n); }\n",
            ],
        );
        check(Language::Cpp, true, &["void f() { std::cout << __PRETTY_FUNCTION__; }"]);
        check(Language::C, false, &["void f(void) { puts(__func__); }", "int f(int line) { return line; }"]);
    }

    #[test]
    fn java() {
        check(
            Language::Java,
            true,
            &[
                "class A { int f() { return new Throwable().getStackTrace()[0].getLineNumber(); } }",
                "class A { void f(Exception e) { e.printStackTrace(System.out); } }",
                "class A { Object f() { return StackWalker.getInstance(); } }",
            ],
        );
        check(
            Language::Java,
            false,
            &[
                "class A { void f(Exception e) { e.printStackTrace(); } }",
                "class A { int f(java.io.LineNumberReader r) { return r.getLineNumber(); } }",
            ],
        );
    }

    #[test]
    fn python() {
        check(
            Language::Python,
            true,
            &[
                "def f(a):\n    return a\nprint(f.__code__.co_varnames)\n",
                "import sys\nprint(sys._getframe(0).f_lineno)\n",
                "import traceback\ntry:\n    f()\nexcept ValueError:\n    print(traceback.format_exc())\n",
                "import sys, traceback\ntraceback.print_exc(file=sys.stdout)\n",
                "import inspect\nprint(inspect.stack()[0])\n",
                "def f(n):\n    try:\n        return f(n + 1)\n    except RecursionError:\n        return n\nprint(f(0))\n",
            ],
        );
        check(
            Language::Python,
            false,
            &[
                "import traceback\ntry:\n    f()\nexcept ValueError:\n    traceback.print_exc()\n",
                "stack = []\nstack.append(1)\n",
                "import sys\nmodule = sys._getframe(1).f_globals['__name__']\n",
            ],
        );
    }

    #[test]
    fn javascript() {
        check(
            Language::JavaScript,
            true,
            &[
                "function f(a) { return a; } console.log(f.toString());",
                "const f = (a) => a; console.log(`${f}`);",
                "class A {} console.log(String(A));",
                "function f() {} console.log('' + f);",
                "try { g(); } catch (e) { console.log(e.stack); }",
                "console.log(new Error('x').stack.length);",
                "try { g(); } catch (e) { console.log('failed', e); }",
                "g().catch(e => console.log(e));",
                "g().catch(console.log);",
                "g().catch((e) => { console.log(e); });",
                "g().catch(function (e) { console.log(util.inspect(e)); });",
                "class A { constructor() { this.stack = []; } f() { try { g(); } catch (e) { return e.stack; } } }",
            ],
        );
        check(
            Language::JavaScript,
            false,
            &[
                "class A { constructor() { this.stack = []; } f() { return this.stack.length; } }",
                "const machine = { stack: [] }; machine.stack.push(1);",
                "function f(n) { return n.toString() + String(n) + `${n}`; }",
                "function f(n) { return '' + f(n - 1); }",
                "const twice = n => n + n;",
                "try { g(); } catch (e) { console.error(e); console.log(e.message, String(e)); }",
                "g().then(e => console.log(e));",
            ],
        );
    }

    #[test]
    fn a_broken_program_may_do_anything() {
        assert!(Program::parse(Language::Java, "class {").looks_at_itself());
    }
}
