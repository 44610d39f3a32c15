//! What is put around a fragment so that a compiler takes it: headers, imports, a class.
//!
//! The text itself is tried first. A scaffold never changes the text that it is put around. A Java text that is accepted in
//! none of them, because it lacks types, members or libraries, gets a scaffold of its own, with declarations of what it lacks:
//! they are found for the original, and its variants are judged with the same ones.

use syntax::Language;

/// Text before and after a fragment, and sources beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scaffold {
    pub(super) before: String,
    pub(super) after: String,
    /// Sources that declare what the fragment lacks, one for each package.
    pub(super) declarations: Vec<String>,
}

impl Scaffold {
    /// The fragment with the scaffold around it.
    pub fn around(&self, text: &[u8]) -> Vec<u8> {
        [self.before.as_bytes(), text, self.after.as_bytes()].concat()
    }
}

const IMPORTS: &str = "import java.io.*; import java.lang.reflect.*; import java.math.*; import java.net.*; \
    import java.nio.*; import java.nio.channels.*; import java.nio.charset.*; import java.nio.file.*; import java.security.*; \
    import java.sql.*; import java.text.*; import java.util.*; import java.util.concurrent.*; \
    import java.util.function.*; import java.util.regex.*; import java.util.stream.*; import java.util.zip.*; ";

const HEADERS: &str = "#include <assert.h>\n#include <ctype.h>\n#include <errno.h>\n#include <float.h>\n#include <inttypes.h>\n\
    #include <limits.h>\n#include <math.h>\n#include <stdarg.h>\n#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n\
    #include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <time.h>\n";

/// The scaffolds in which a text of this language is tried, in order. The first is empty.
pub fn all(language: Language, text: &[u8]) -> Vec<Scaffold> {
    let scaffold = |before: &str, after: &str| Scaffold {
        before: before.to_owned(),
        after: after.to_owned(),
        declarations: Vec::new(),
    };
    let with = |text: &str, more: &str| [text, more].concat();
    let has_headers = contains(text, b"#include");
    let mut all = vec![scaffold("", "")];
    match language {
        Language::Java => {
            // The worker knows the class by its name, and lets it extend one with what a text lacks.
            all.push(scaffold(&with(IMPORTS, "class Scaffold {\n"), "\n}"));
            all.push(scaffold(&with(IMPORTS, "class Scaffold { void scaffold() throws Throwable {\n"), "\n} }"));
        }
        Language::C => {
            // A text with an include is a whole file, not the statements of a function body.
            if !has_headers {
                all.push(scaffold(HEADERS, ""));
                all.push(scaffold(&with(HEADERS, "void scaffold(void) {\n"), "\n}"));
            }
        }
        Language::Cpp => {
            let headers = "#include <bits/stdc++.h>\nusing namespace std;\n";
            if !has_headers {
                all.push(scaffold(headers, ""));
                // Collections of student programs have `void main`, which C++ refuses; as any other function it is fine.
                all.push(scaffold(&with(headers, "#define main scaffold_main\n"), ""));
                all.push(scaffold(&with(headers, "struct Scaffold {\n"), "\n};"));
                all.push(scaffold(&with(headers, "void scaffold() {\n"), "\n}"));
            }
        }
        Language::Python => (),
        Language::JavaScript => all.push(scaffold("class Scaffold {\n", "\n}")),
    }
    all
}

fn contains(text: &[u8], wanted: &[u8]) -> bool {
    text.windows(wanted.len()).any(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use syntax::Language::{C, Cpp};

    use super::*;

    #[test]
    fn a_file_is_not_put_into_a_function() {
        for language in [C, Cpp] {
            assert_eq!(all(language, b"#include <float.h>\nint main(void) { return 0; }").len(), 1);
            assert!(all(language, b"x = 1;").iter().any(|scaffold| scaffold.before.contains("void scaffold(")));
        }
    }
}
