//! A unit file's `//!` header is its manual page and its first test.
//!
//! Two fenced blocks joined by `->` promise "this becomes that".
//! A fenced block with no arrow promises "this is left alone".

/// Declares one module per line and gathers them into one catalogue.
#[macro_export]
macro_rules! catalogue {
    ($folder:literal, fn $function:ident: $signature:ty, $($name:ident,)*) => {
        $(mod $name;)*

        /// Every unit, in the order written in this file.
        pub static CATALOGUE: &[$crate::Unit<$signature>] = &[$($crate::Unit {
            name: stringify!($name),
            source: include_str!(concat!($folder, "/", stringify!($name), ".rs")),
            run: $name::$function,
        },)*];

        #[cfg(test)]
        mod header {
            $(#[test]
            fn $name() {
                crate::testing::check_header(stringify!($name));
            })*
        }
    };
}

/// One unit of a catalogue.
pub struct Unit<F> {
    /// Its name: the name of its file.
    pub name: &'static str,
    /// The text of its file.
    pub source: &'static str,
    /// Its one public function.
    pub run: F,
}

/// A promise that a header makes.
#[derive(Debug)]
pub struct Example {
    /// The word behind the opening fence: the language.
    pub tag: String,
    /// The text of the first block.
    pub before: String,
    /// `None` promises that the unit leaves `before` alone.
    pub after: Option<String>,
}

/// Lists the promises of a unit's header.
pub fn examples(source: &str) -> Vec<Example> {
    let mut lines = source
        .lines()
        .map_while(|line| line.strip_prefix("//!"))
        .map(|line| line.strip_prefix(' ').unwrap_or(line))
        .peekable();
    let mut examples: Vec<Example> = Vec::new();
    let mut joined = false;
    while let Some(line) = lines.next() {
        if line == "->" {
            joined = true;
        } else if let Some(tag) = line.strip_prefix("```") {
            let body: String = lines.by_ref().take_while(|line| *line != "```").flat_map(|line| [line, "\n"]).collect();
            match examples.last_mut() {
                Some(example) if joined => example.after = Some(body),
                _ => examples.push(Example { tag: tag.to_owned(), before: body, after: None }),
            }
            joined = false;
        }
    }
    examples
}
