//! Makes a program of a function: text after it that evaluates calls and prints their values.

use syntax::Language;

/// The program with every call's value, or the type of its exception, printed.
pub(super) fn with_calls(language: Language, mut text: Vec<u8>, calls: &[String]) -> Vec<u8> {
    if !calls.is_empty() {
        let after = match language {
            Language::Python => python(calls),
            Language::JavaScript => javascript(calls),
            Language::Java => return java(text, calls),
            Language::C => c(calls),
            Language::Cpp => cpp(calls),
        };
        text.extend(after.into_bytes());
    }
    text
}

fn joined(calls: &[String], line: impl Fn(&str) -> String) -> String {
    calls.iter().map(|call| line(call)).collect()
}

fn python(calls: &[String]) -> String {
    joined(calls, |call| {
        format!(
            "\ntry:\n    print(repr({call}))\nexcept Exception as exception:\n    print(type(exception).__name__)\n"
        )
    })
}

fn javascript(calls: &[String]) -> String {
    joined(calls, |call| {
        format!(
            "\n;try {{ console.log(require(\"util\").inspect({call}, {{ depth: null }})); }} \
             catch (exception) {{ console.log(exception && exception.name); }}\n"
        )
    })
}

/// Methods become members of a class; a whole file gets a class with a main method after it.
fn java(text: Vec<u8>, calls: &[String]) -> Vec<u8> {
    let lines = joined(calls, |call| {
        format!(
            "try {{ Object value = {call}; System.out.println(value == null || !value.getClass().isArray() ? String.valueOf(value) \
             : java.util.Arrays.deepToString(new Object[] {{ value }})); }} \
             catch (Exception exception) {{ System.out.println(exception.getClass().getName()); }}\n"
        )
    });
    let main = format!("public static void main(String[] arguments) {{\n{lines}}}");
    let program = syntax::Program::parse(Language::Java, String::from_utf8_lossy(&text).into_owned());
    let has_class = program.root().named_children().any(|node| node.kind() == syntax::Kind::ClassDeclaration);
    let (before, after) = match has_class {
        true => (String::new(), format!("\nclass Calls {{ {main} }}\n")),
        false => (
            "import java.util.*; import java.util.function.*; import java.io.*; public class Calls {\n".to_owned(),
            format!("\n{main} }}\n"),
        ),
    };
    [before.into_bytes(), text, after.into_bytes()].concat()
}

fn c(calls: &[String]) -> String {
    let format = "_Generic((value), char: \"%c\\n\", char *: \"%s\\n\", const char *: \"%s\\n\", float: \"%.9g\\n\", \
                  double: \"%.17g\\n\", long: \"%ld\\n\", unsigned long: \"%lu\\n\", long long: \"%lld\\n\", \
                  unsigned long long: \"%llu\\n\", unsigned: \"%u\\n\", default: \"%d\\n\")";
    let lines = joined(calls, |call| format!("    {{ __auto_type value = {call}; printf({format}, value); }}\n"));
    format!("\n#include <stdio.h>\nint main(void) {{\n{lines}    return 0;\n}}\n")
}

fn cpp(calls: &[String]) -> String {
    let lines = joined(calls, |call| {
        format!(
            "    try {{ std::cout << ({call}) << '\\n'; }} \
             catch (const std::exception &exception) {{ std::cout << typeid(exception).name() << '\\n'; }}\n"
        )
    });
    format!(
        "\n#include <exception>\n#include <iostream>\n#include <typeinfo>\nint main() {{\n{lines}    return 0;\n}}\n"
    )
}
