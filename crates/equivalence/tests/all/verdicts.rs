//! The judge: what it says about pairs whose truth is known, in every language.

use std::sync::LazyLock;
use std::time::Duration;

use equivalence::sandbox::Sandbox;
use equivalence::{Answer, Case, Comparison, Judge, NO_FIXED_MEANING, Options, Verdict, Verdicts, Wanted};
use syntax::Language;

/// A shared judge, because its compilers take seconds to warm up.
fn judge() -> &'static Judge {
    static JUDGE: LazyLock<Judge> = LazyLock::new(|| {
        let sandbox = Sandbox::new().expect("the tests need a system that can confine programs");
        Judge::new(sandbox, Options { time: Duration::from_secs(20), ..Options::default() })
    });
    &JUDGE
}

/// A judge with a short time limit, for programs that do not end.
fn impatient() -> Judge {
    let sandbox = Sandbox::new().expect("the tests need a system that can confine programs");
    Judge::new(sandbox, Options { time: Duration::from_secs(2), ..Options::default() })
}

fn case(input: &str) -> Case {
    Case { arguments: vec!["one".to_owned()], input: input.to_owned() }
}

fn verdicts(judge: &Judge, language: Language, original: &str, variant: &str, cases: &[Case]) -> Verdicts {
    let comparison =
        Comparison { language, original: original.as_bytes(), variant: variant.as_bytes(), steps: &[], cases };
    judge.judge(&comparison, Wanted::all())
}

/// A program that adds two numbers, and does something else with a third.
fn adder(language: Language, sum: &str) -> String {
    match language {
        Language::Java => format!(
            "import java.util.*;\npublic class Adder {{ public static void main(String[] args) {{ Scanner in = new Scanner(System.in); \
             int a = in.nextInt(), b = in.nextInt(); System.out.println(args[0] + ({sum})); \
             if (in.hasNext()) {{ if (a == 0) throw new IllegalStateException(); System.exit(7); }} }} }}"
        ),
        Language::C => format!(
            "#include <stdio.h>\n#include <stdlib.h>\nint main(int n, char **v) {{ int a, b, c; scanf(\"%d %d\", &a, &b); \
             printf(\"%s%d\\n\", v[1], {sum}); if (scanf(\"%d\", &c) == 1) {{ if (a == 0) abort(); exit(7); }} return 0; }}"
        ),
        Language::Cpp => format!(
            "#include <iostream>\n#include <stdexcept>\nint main(int n, char **v) {{ int a, b, c; std::cin >> a >> b; \
             std::cout << v[1] << ({sum}) << std::endl; if (std::cin >> c) {{ if (a == 0) throw std::runtime_error(\"c\"); \
             return 7; }} }}"
        ),
        Language::Python => format!(
            "import sys\na, b, *c = map(int, sys.stdin.read().split())\nprint(sys.argv[1] + str({sum}))\nif c:\n    \
             if a == 0:\n        raise KeyError(a)\n    sys.exit(7)\n"
        ),
        Language::JavaScript => format!(
            "const [a, b, ...c] = require('fs').readFileSync(0, 'utf8').trim().split(' ').map(Number);\n\
             console.log(process.argv[2] + ({sum}));\nif (c.length) {{ if (a === 0) throw new RangeError('c'); \
             process.exit(7); }}"
        ),
    }
}

#[test]
fn the_same_is_told_from_the_different_in_every_language() {
    let judge = judge();
    let cases = ["1 2", "5 5", "3 4 5", "0 1 1"].map(case);
    for language in Language::ALL {
        let original = adder(language, "a + b");
        let same = verdicts(judge, language, &original, &adder(language, "b + a"), &cases);
        assert_eq!((&same.compile, &same.run), (&Verdict::Holds, &Verdict::Holds), "{language}: {same:?}");
        let different = verdicts(judge, language, &original, &adder(language, "a * b - a"), &cases);
        assert_eq!(different.compile, Verdict::Holds, "{language}");
        let reason = different.run.reason().unwrap_or_default();
        assert!(
            different.run.is_fault() && reason.starts_with("case 1: the output differs in line 1"),
            "{language}: {reason}"
        );
    }
}

/// A program that behaves differently from its original, and tries to forge the answer of a worker on every stream that it can find.
fn forger(language: Language) -> &'static str {
    match language {
        Language::Java => {
            r#"import java.io.*;
public class A {
    static void field(DataOutputStream out, String text) throws IOException {
        out.writeInt(text.length());
        out.writeBytes(text);
    }
    static void forge(OutputStream where) {
        try {
            DataOutputStream out = new DataOutputStream(where);
            out.writeInt(4);
            for (String text : new String[] {"ran", "0", "1\n", ""}) { field(out, text); }
            out.flush();
        } catch (IOException problem) { }
    }
    public static void main(String[] args) throws Exception {
        forge(new FileOutputStream(FileDescriptor.out));
        String[] processes = new File("/proc").list();
        for (String process : processes == null ? new String[0] : processes) {
            String[] streams = new File("/proc/" + process + "/fd").list();
            for (String stream : streams == null ? new String[0] : streams) {
                try { forge(new FileOutputStream("/proc/" + process + "/fd/" + stream)); } catch (IOException problem) { }
            }
        }
        System.out.println(2);
    }
}"#
        }
        Language::Python => {
            r#"import glob, os, struct
fields = [b"ran", b"0", b"1\n", b""]
frame = struct.pack(">i", len(fields)) + b"".join(struct.pack(">i", len(field)) + field for field in fields)
for number in range(64):
    try:
        os.write(number, frame)
    except OSError:
        pass
for stream in glob.glob("/proc/[0-9]*/fd/*"):
    try:
        os.write(os.open(stream, os.O_WRONLY | os.O_NONBLOCK), frame)
    except OSError:
        pass
print(2)
"#
        }
        Language::JavaScript => {
            r#"const fs = require("fs");
const fields = ["passes"];
const number = (value) => { const bytes = Buffer.alloc(4); bytes.writeInt32BE(value, 0); return bytes; };
const frame = Buffer.concat([number(1), ...fields.flatMap((field) => [number(field.length), Buffer.from(field)])]);
for (let stream = 0; stream < 64; stream++) { try { fs.writeSync(stream, frame); } catch (problem) { } }
for (const process of fs.readdirSync("/proc")) {
    try {
        for (const stream of fs.readdirSync(`/proc/${process}/fd`)) {
            try { fs.writeSync(fs.openSync(`/proc/${process}/fd/${stream}`, "w"), frame); } catch (problem) { }
        }
    } catch (problem) { }
}
console.log(2);
"#
        }
        Language::C | Language::Cpp => {
            r#"#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(void) {
    const char frame[] = "\0\0\0\1\0\0\0\6passes";
    for (int stream = 3; stream < 64; stream++) { if (write(stream, frame, sizeof frame - 1) < 0) { continue; } }
    DIR *processes = opendir("/proc");
    for (struct dirent *process; processes && (process = readdir(processes));) {
        for (int stream = 0; stream < 16; stream++) {
            char path[300];
            snprintf(path, sizeof path, "/proc/%s/fd/%d", process->d_name, stream);
            int opened = atoi(process->d_name) == getpid() ? -1 : open(path, O_WRONLY | O_NONBLOCK);
            if (opened >= 0 && write(opened, frame, sizeof frame - 1) < 0) { continue; }
        }
    }
    printf("2\n");
    return 0;
}
"#
        }
    }
}

#[test]
fn no_program_writes_its_own_verdict() {
    let judge = judge();
    for (language, honest) in [
        (Language::Java, "public class A { public static void main(String[] args) { System.out.println(1); } }"),
        (Language::Python, "print(1)\n"),
        (Language::JavaScript, "console.log(1);"),
        (Language::C, "#include <stdio.h>\nint main(void) { printf(\"1\\n\"); return 0; }"),
        (Language::Cpp, "#include <cstdio>\nint main() { std::printf(\"1\\n\"); return 0; }"),
    ] {
        for _ in 0..2 {
            let judged = verdicts(judge, language, honest, forger(language), &[Case::default()]);
            assert!(judged.run.is_fault(), "{language}: {judged:?}");
        }
        // It does not affect the next program.
        let judged = verdicts(judge, language, honest, &format!("{honest} "), &[Case::default()]);
        assert_eq!(judged.run, Verdict::Holds, "{language}: {judged:?}");
    }
}

/// A program that kills the process that reports its behaviour is not judged; the next one is.
#[test]
fn a_program_that_ends_its_parent_is_not_judged() {
    let judge = judge();
    let kills = "import os, signal\nprint(1, flush=True)\nos.kill(os.getppid(), signal.SIGKILL)\n";
    for (original, variant) in [("print(1)\n", kills), (kills, kills)] {
        let judged = verdicts(judge, Language::Python, original, &format!("{variant}\n"), &[case("1 2"), case("3")]);
        assert!(matches!(judged.run, Verdict::Unavailable(_)), "{judged:?}");
    }
    let judged = verdicts(judge, Language::Python, "print(1)\n", "print(1)\n\n", &[Case::default()]);
    assert_eq!(judged.run, Verdict::Holds);
}

#[test]
fn what_a_program_leaves_behind_does_not_reach_the_next() {
    let judge = judge();
    let first = "import os, sys\nopen('left', 'w').write('x')\nif os.fork() == 0:\n    os.setsid()\n    os.closerange(0, 9)\n    import time\n    time.sleep(60)\nprint(1)\n";
    let next = "import os\nprint(os.path.exists('left'))\n";
    for text in [first, next, next] {
        judge.observe(Language::Python, text.as_bytes(), &[Case::default()]);
    }
    let Answer::Accepted(behaviours) = judge.observe(Language::Python, next.as_bytes(), &[Case::default()]) else {
        panic!("the program was not run");
    };
    assert_eq!(String::from_utf8_lossy(&behaviours[0].output), "False\n");
}

#[test]
fn another_ending_is_a_difference() {
    let judge = judge();
    for (language, old, new) in [
        (Language::Java, "IllegalStateException", "IllegalArgumentException"),
        (Language::C, "abort()", "exit(1)"),
        (Language::Cpp, "runtime_error", "logic_error"),
        (Language::Python, "KeyError", "ValueError"),
        (Language::JavaScript, "RangeError", "TypeError"),
    ] {
        let original = adder(language, "a + b");
        let ending = verdicts(judge, language, &original, &original.replace(old, new), &[case("0 1 1")]);
        assert!(ending.run.is_fault(), "{language}: {ending:?}");
        let status = verdicts(judge, language, &original, &original.replace('7', "8"), &[case("1 1 1")]);
        let reason = status.run.reason().unwrap_or_default();
        assert_eq!(reason, "it ended with status 7, then it ended with status 8", "{language}: {status:?}");
    }
}

#[test]
fn what_does_not_compile_is_a_fault_unless_its_original_does_not_either() {
    let judge = judge();
    for (language, wrong) in [
        (Language::Java, "a + missing"),
        (Language::C, "a + missing"),
        (Language::Cpp, "a + missing"),
        (Language::Python, "a + (yield = b)"),
        (Language::JavaScript, "a + (b = = 3)"),
    ] {
        let (original, variant) = (adder(language, "a + b"), adder(language, wrong));
        let judged = verdicts(judge, language, &original, &variant, &[case("1 2")]);
        assert!(judged.compile.is_fault(), "{language}: {judged:?}");
        assert!(matches!(judged.run, Verdict::NotJudged(_)), "{language}: {judged:?}");
        let judged = verdicts(judge, language, &variant, &original, &[case("1 2")]);
        assert!(matches!(judged.compile, Verdict::NotJudged(_)), "{language}: {judged:?}");
        assert!(matches!(judged.run, Verdict::NotJudged(_)), "{language}: {judged:?}");
    }
}

#[test]
fn a_program_that_varies_or_does_not_end_is_not_judged() {
    let judge = impatient();
    let varies = "import time\nprint(time.perf_counter_ns())\n";
    let judged = verdicts(&judge, Language::Python, varies, &varies.replace("time\n", "time \n"), &[Case::default()]);
    assert_eq!(judged.run.reason(), Some("the original behaves differently from run to run"));
    for (language, endless) in [
        // They sleep, so that other tests can run; the tests of the sandbox have busy loops.
        (Language::Python, "import time\nwhile True:\n    time.sleep(9)\n"),
        (
            Language::Java,
            "class A { public static void main(String[] a) throws Exception { while (true) { Thread.sleep(9000); } } }",
        ),
    ] {
        let judged = verdicts(&judge, language, endless, &format!("{endless} "), &[Case::default()]);
        assert_eq!(judged.run.reason(), Some("the original does not end in time"), "{language}");
    }
    // A machine that had to be given up is replaced.
    let ends = "class A { public static void main(String[] a) { System.out.println(1); } }";
    assert_eq!(verdicts(&judge, Language::Java, ends, &format!("{ends} "), &[Case::default()]).run, Verdict::Holds);
}

#[test]
fn a_variant_that_does_not_end_is_a_difference() {
    let endless = "import time\nwhile True:\n    time.sleep(9)\n";
    let judged = verdicts(&impatient(), Language::Python, "print(1)\n", endless, &[Case::default()]);
    assert!(judged.run.is_fault(), "{judged:?}");
}

#[test]
fn programs_without_a_fixed_meaning_are_found_out() {
    let judge = judge();
    let unwritten = |pad: &str| {
        format!(
            "#include <stdio.h>\nint f(void) {{ int x[40]; {pad}return x[7] != 0; }}\nint main(void) {{ printf(\"%d\", f()); return 0; }}\n"
        )
    };
    let judged = verdicts(judge, Language::C, &unwritten(""), &unwritten("x[7] = x[7] == 0; "), &[Case::default()]);
    let reason = judged.run.reason().unwrap_or_default();
    assert!(!judged.run.is_fault() && reason.starts_with(NO_FIXED_MEANING), "{judged:?}");
    let overflow = |sum: &str| {
        format!("#include <stdio.h>\nint main(void) {{ int a = 2147483647; a++; printf(\"%d\", {sum}); return 0; }}\n")
    };
    let judged = verdicts(judge, Language::C, &overflow("a"), &overflow("a - 1"), &[Case::default()]);
    assert!(judged.run.reason().unwrap_or_default().starts_with(NO_FIXED_MEANING), "{judged:?}");
}

#[test]
fn fragments_are_compiled_in_a_scaffold() {
    let judge = judge();
    for (language, fragment, wrong) in [
        (Language::Java, "List<String> f(int n) { return new ArrayList<>(n); }", "List<String> f(int n) { return n; }"),
        (Language::Java, "int x = 1; x++;", "int x = 1; y++;"),
        (Language::C, "void f(char *s) { printf(\"%s\", s); }", "void f(char *s) { printf(\"%s\", t); }"),
        (Language::Cpp, "void main() { cout << 1; }", "void main() { cuot << 1; }"),
        (Language::JavaScript, "f(n) { return this.g(n); }", "f(n { return this.g(n); }"),
    ] {
        let good = verdicts(judge, language, fragment, &format!("{fragment} "), &[]);
        assert_eq!(good.compile, Verdict::Holds, "{language}: {fragment}");
        assert_eq!(good.run.reason(), Some("there are no cases to run it with"));
        assert!(verdicts(judge, language, fragment, wrong, &[]).compile.is_fault(), "{language}: {wrong}");
    }
}

/// A method that lacks nearly everything: types, fields, methods, an exception.
const LACKING: &str = "@Override\npublic int load(Session session, File file) throws StoreException {\n\
    int count;\n\
    Source source = factory.open(file);\n\
    try {\n\
        count = source.size();\n\
        session.add(source.next().getKey(), count);\n\
    } catch (IOException e) {\n\
        LOG.warn(\"lost\", e);\n\
        return -1;\n\
    }\n\
    if (!session.isOpen()) throw new StoreException(count);\n\
    for (Entry one : source.entries()) count += Util.weight(one) * Limits.MOST;\n\
    return count + offset;\n}\n";

/// Whether the whole library was included shows in its macros, and in which overloads there are.
#[test]
fn a_variant_of_cpp_sees_the_same_headers_as_its_original() {
    let judge = judge();
    let body = "int main() {\n#ifdef _GLIBCXX_VECTOR\n  puts(\"all\");\n#else\n  puts(\"own\");\n#endif\n}\n";
    let original = format!("#include <cstdio>\n{body}");
    for begin in [
        "#include <cstdio> // Said.\n",
        "#define UNUSED 1\n#include <cstdio>\n",
        "// Said.\n\n#  include <cstdio>\n",
        "/* One. */ #include <cstdio> /* Two. */\n",
        "static int first;\n#include <cstdio>\n",
    ] {
        let judged = verdicts(judge, Language::Cpp, &original, &format!("{begin}{body}"), &[case("")]);
        assert_eq!((judged.compile, judged.run), (Verdict::Holds, Verdict::Holds), "{begin}");
    }
    // A program that lacks a header is compiled with all of them.
    let lacking = "#include <cstdio>\nint main() { std::vector<int> all(3); printf(\"%zu\", all.size()); }\n";
    let judged = verdicts(judge, Language::Cpp, lacking, &lacking.replace("all", "every"), &[case("")]);
    assert_eq!((judged.compile, judged.run), (Verdict::Holds, Verdict::Holds));
}

#[test]
fn java_that_lacks_declarations_is_compiled_with_them() {
    let judge = judge();
    let renamed = LACKING.replace("count", "total");
    let judged = verdicts(judge, Language::Java, LACKING, &renamed, &[]);
    assert_eq!(judged.compile, Verdict::Holds, "{judged:?}");
    let judged = verdicts(judge, Language::Java, LACKING, &renamed, &[case("")]);
    assert_eq!(judged.compile, Verdict::Holds, "{judged:?}");
    assert_eq!(judged.run.reason(), Some("the original lacks declarations, and is only compiled"));
    for (old, new, complaint) in [
        ("count = source.size();", "", "might not have been initialized"),
        ("int count;", "int count; int count;", "already defined"),
        ("int count;", "int file = 1; int count;", "already defined"),
        ("return -1;", "return -1; count = 1;", "unreachable"),
        ("return count + offset;", "", "missing return"),
        ("return -1;", "break;", "break outside"),
        (" throws StoreException", "", "unreported exception StoreException"),
        ("try {", "{", "catch"),
        ("catch (IOException e)", "catch (IllegalStateException e)", "IOException"),
        ("offset", "offsets", "cannot find symbol"),
        ("source.size()", "source.sizes()", "cannot find symbol"),
        ("source.size()", "source.size(1)", "cannot be applied"),
        ("Util.weight(one)", "Utils.weight(one)", "Utils"),
        ("session.add(source.next().getKey(), count)", "session.add(count, source.next())", "incompatible types"),
        ("!session.isOpen()", "session", "cannot be converted to boolean"),
        ("int load(", "long load(", "load"),
    ] {
        assert!(LACKING.contains(old), "{old}");
        let judged = verdicts(judge, Language::Java, LACKING, &LACKING.replacen(old, new, 1), &[]);
        let reason = judged.compile.reason().unwrap_or_default();
        assert!(judged.compile.is_fault() && reason.contains(complaint), "{old} -> {new}: {judged:?}");
    }
}

#[test]
fn java_that_lacks_libraries_is_compiled_with_them() {
    let judge = judge();
    let original = "package shop.front;\nimport javax.shop.*;\nimport org.web.Page;\nimport org.web.Route;\n\
        import org.web.WebException;\n\
        @Route(path = \"/cart\", methods = {\"GET\"})\npublic class Cart extends Page implements org.web.Live {\n\
        @Override protected void show(org.web.Request request) throws WebException {\n\
        String name = request.get(\"name\");\n\
        try { org.data.Pool.open().run(name, 3); } catch (java.sql.SQLException e) { fail(e.getMessage()); }\n\
        for (Item item : stock.items(name)) { if (item.price() > 10L) log(item.name() + name); }\n\
        switch (request.kind()) { case org.web.Kinds.POST: throw new WebException(name); default: break; }\n\
        } }\n";
    let judged = verdicts(judge, Language::Java, original, &original.replace("name", "title"), &[]);
    assert!(judged.compile.is_fault(), "{judged:?}");
    let renamed =
        original.replace("String name", "String title").replace("(name", "(title").replace("+ name", "+ title");
    let judged = verdicts(judge, Language::Java, original, &renamed, &[]);
    assert_eq!(judged.compile, Verdict::Holds, "{judged:?}");
    for (old, new) in [
        ("extends Page", ""),
        ("org.web.Live", "org.web.Dead"),
        ("path =", "paths ="),
        ("throw new WebException(name)", "throw new java.io.IOException(name)"),
        ("case org.web.Kinds.POST", "case org.web.Kinds.POST: case org.web.Kinds.POST"),
        ("request.get(\"name\")", "request.get(1, 2)"),
        ("item.price() > 10L", "item.price()"),
    ] {
        assert!(original.contains(old), "{old}");
        let judged = verdicts(judge, Language::Java, original, &original.replacen(old, new, 1), &[]);
        assert!(judged.compile.is_fault(), "{old} -> {new}: {judged:?}");
    }
}

#[test]
fn java_that_is_wrong_is_not_repaired() {
    let judge = judge();
    for wrong in [
        "int f(Thing thing) { int n; return n + thing.size(); }",
        "int f(Thing thing) { thing.open(); }",
        "void f(Thing thing) { return; thing.open(); }",
        "void f(Thing thing) { int n = 1; int n = thing.size(); }",
        "void f(Thing thing) { String s = 3; thing.open(s); }",
        "void f(Thing thing) { \"text\".sise(); thing.open(); }",
        "void f(Thing thing) { thing.open(; }",
    ] {
        let judged = verdicts(judge, Language::Java, wrong, &format!("{wrong} "), &[]);
        let reason = judged.compile.reason().unwrap_or_default();
        assert!(reason.starts_with("the original does not compile: "), "{wrong}: {judged:?}");
    }
}

#[test]
fn a_missing_compiler_is_a_reason_and_not_a_fault() {
    let sandbox = Sandbox::new().expect("the tests need a system that can confine programs");
    let options = Options {
        c: "no-such-compiler".to_owned(),
        python: "no-such-python".to_owned(),
        node: "no-such-node".to_owned(),
        java: "no-such-java".to_owned(),
        javac: "no-such-javac".to_owned(),
        ..Options::default()
    };
    let judge = Judge::new(sandbox, options);
    for language in [Language::Java, Language::C, Language::Python, Language::JavaScript] {
        let text = adder(language, "a + b");
        let judged = verdicts(&judge, language, &text, &format!("{text} "), &[case("1 2")]);
        let reason = judged.run.reason().unwrap_or_default();
        assert!(matches!(judged.run, Verdict::Unavailable(_)) && reason.contains("no-such"), "{language}: {reason}");
        assert_eq!(judged.lacks(), Some(reason));
    }
}

#[test]
fn programs_see_nothing_of_each_other() {
    let judge = judge();
    // One warm machine runs both: what the first leaves behind must not be there for the second.
    let original = "import java.util.*; class A { static int runs; public static void main(String[] a) { runs++; \
        System.setProperty(\"left\", System.getProperty(\"left\", \"\") + \"x\"); Locale.setDefault(Locale.GERMANY); \
        System.out.println(runs + System.getProperty(\"left\") + String.format(\"%.1f\", 0.5)); System.setOut(null); } }";
    let judged = verdicts(judge, Language::Java, original, &format!("{original} "), &[case(""), case("")]);
    assert_eq!(judged.run, Verdict::Holds, "{judged:?}");
}

#[test]
fn another_compiler_of_c_can_be_chosen() {
    if std::process::Command::new("tcc").arg("-v").output().is_err() {
        testbed::skip("tcc is not installed");
        return;
    }
    let sandbox = Sandbox::new().expect("the tests need a system that can confine programs");
    let judge = Judge::new(sandbox, Options { c: "tcc".to_owned(), ..Options::default() });
    let original = adder(Language::C, "a + b");
    let same = verdicts(&judge, Language::C, &original, &adder(Language::C, "b + a"), &[case("1 2")]);
    assert_eq!((&same.compile, &same.run), (&Verdict::Holds, &Verdict::Holds), "{same:?}");
    assert!(verdicts(&judge, Language::C, &original, &adder(Language::C, "a"), &[case("1 2")]).run.is_fault());
    assert!(verdicts(&judge, Language::C, &original, &adder(Language::C, "x"), &[]).compile.is_fault());
}
