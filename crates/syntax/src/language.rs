//! The five languages: their names, file extensions and grammars.

use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::OnceLock;

use crate::kind::{Field, Kind};
use crate::languages::{self, Facts};

/// A supported programming language.
///
/// The list is closed: a match on it has no `_` arm, so that a new language makes the compiler list the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Language {
    /// Java, up to the syntax of Java 17.
    Java,
    /// C, from Kernighan and Ritchie's parameters to C11, with GNU extensions.
    C,
    /// C++, up to C++20 as far as the grammar goes.
    Cpp,
    /// Python 3, and Python 2 as far as the grammar reads it.
    Python,
    /// JavaScript (ECMAScript modules and scripts).
    JavaScript,
}

/// There is no language with this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown language `{0}`: use one of java, c, cpp, python, javascript")]
pub struct UnknownLanguage(pub String);

impl Language {
    /// Every language, in the order of tables.
    pub const ALL: [Language; 5] = [Language::Java, Language::C, Language::Cpp, Language::Python, Language::JavaScript];

    /// The name in commands, manifests and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Language::Java => "java",
            Language::C => "c",
            Language::Cpp => "cpp",
            Language::Python => "python",
            Language::JavaScript => "javascript",
        }
    }

    /// Guesses the language from a file extension; `None` if it is unknown.
    ///
    /// `.h` is read as C: a C++ header that C cannot read is broken.
    pub fn from_path(path: impl AsRef<Path>) -> Option<Language> {
        let ending = path.as_ref().extension()?.to_str()?;
        Some(match ending {
            "java" => Language::Java,
            "c" | "h" => Language::C,
            "cpp" | "cc" | "cxx" | "c++" | "C" | "hpp" | "hh" | "hxx" | "h++" | "H" | "ipp" => Language::Cpp,
            "py" | "pyw" | "pyi" => Language::Python,
            "js" | "mjs" | "cjs" | "jsx" => Language::JavaScript,
            _ => return None,
        })
    }

    /// Facts that hold for every program in the language: keywords, literals, well-known names.
    pub const fn facts(self) -> &'static Facts {
        match self {
            Language::Java => &languages::java::facts::FACTS,
            Language::C => &languages::c::facts::FACTS,
            Language::Cpp => &languages::cpp::facts::FACTS,
            Language::Python => &languages::python::facts::FACTS,
            Language::JavaScript => &languages::javascript::facts::FACTS,
        }
    }

    /// Can objects get new members while the program runs?
    pub const fn is_dynamic(self) -> bool {
        match self {
            Language::Java | Language::C | Language::Cpp => false,
            Language::Python | Language::JavaScript => true,
        }
    }

    /// Do braces make blocks, semicolons end statements, and brackets belong to what tests something? Else the layout makes blocks.
    pub const fn has_braces(self) -> bool {
        match self {
            Language::Java | Language::C | Language::Cpp | Language::JavaScript => true,
            Language::Python => false,
        }
    }

    /// Are there directives and macros?
    pub const fn has_preprocessor(self) -> bool {
        match self {
            Language::C | Language::Cpp => true,
            Language::Java | Language::Python | Language::JavaScript => false,
        }
    }

    pub(crate) fn grammar(self) -> tree_sitter::Language {
        match self {
            Language::Java => tree_sitter_java::LANGUAGE.into(),
            Language::C => tree_sitter_c::LANGUAGE.into(),
            Language::Cpp => tree_sitter_cpp::LANGUAGE.into(),
            Language::Python => tree_sitter_python::LANGUAGE.into(),
            Language::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
        }
    }

    const fn root(self) -> Kind {
        match self {
            Language::Java | Language::JavaScript => Kind::Program,
            Language::C | Language::Cpp => Kind::TranslationUnit,
            Language::Python => Kind::Module,
        }
    }

    /// The grammar's numbers as our enums. They are looked up once per process.
    pub(crate) fn numbering(self) -> &'static Numbering {
        static TABLES: [OnceLock<Numbering>; 5] = [const { OnceLock::new() }; 5];
        TABLES[self as usize].get_or_init(|| Numbering::of(&self.grammar(), self.root()))
    }
}

/// Translates a grammar's numbers into [`Kind`] and [`Field`].
pub(crate) struct Numbering {
    kinds: Vec<Kind>,
    fields: Vec<Field>,
    root: Kind,
}

impl Numbering {
    fn of(grammar: &tree_sitter::Language, root: Kind) -> Numbering {
        let kind = |id: usize| {
            let named = grammar.node_kind_is_named(id as u16);
            let name = grammar.node_kind_for_id(id as u16);
            name.filter(|_| named).and_then(Kind::from_name).unwrap_or(Kind::Token)
        };
        let field = |id: usize| grammar.field_name_for_id(id as u16).and_then(Field::from_name).unwrap_or(Field::None);
        Numbering {
            kinds: (0..grammar.node_kind_count()).map(kind).collect(),
            fields: (0..=grammar.field_count()).map(field).collect(),
            root,
        }
    }

    pub(crate) fn kind(&self, id: u16) -> Kind {
        // Tree-sitter numbers its error node outside the grammar's table.
        self.kinds.get(usize::from(id)).copied().unwrap_or(Kind::Error)
    }

    /// The kind of the root of a whole file. The root of a text that does not parse at all is an error
    /// node, and that of a fragment is its context's, so it is not taken from the tree.
    pub(crate) fn root(&self) -> Kind {
        self.root
    }

    pub(crate) fn field(&self, id: Option<std::num::NonZeroU16>) -> Field {
        id.map_or(Field::None, |id| self.fields[usize::from(id.get())])
    }
}

impl fmt::Display for Language {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.name())
    }
}

impl FromStr for Language {
    type Err = UnknownLanguage;

    fn from_str(name: &str) -> Result<Language, UnknownLanguage> {
        match name.to_ascii_lowercase().as_str() {
            "java" => Ok(Language::Java),
            "c" => Ok(Language::C),
            "cpp" | "c++" | "cxx" => Ok(Language::Cpp),
            "python" | "py" => Ok(Language::Python),
            "javascript" | "js" => Ok(Language::JavaScript),
            _ => Err(UnknownLanguage(name.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_and_names_lead_to_languages() {
        assert_eq!(Language::from_path("a/B.java"), Some(Language::Java));
        assert_eq!(Language::from_path("x.h"), Some(Language::C));
        assert_eq!(Language::from_path("x.hpp"), Some(Language::Cpp));
        assert_eq!(Language::from_path("x.C"), Some(Language::Cpp));
        assert_eq!(Language::from_path("x.py"), Some(Language::Python));
        assert_eq!(Language::from_path("x.mjs"), Some(Language::JavaScript));
        assert_eq!(Language::from_path("README"), None);
        assert_eq!(Language::from_path("x.rs"), None);
        for language in Language::ALL {
            assert_eq!(language.name().parse(), Ok(language));
        }
        assert_eq!("C++".parse(), Ok(Language::Cpp));
        let message = "cobol".parse::<Language>().unwrap_err().to_string();
        assert!(message.contains("cobol") && message.contains("java"), "{message}");
    }
}
