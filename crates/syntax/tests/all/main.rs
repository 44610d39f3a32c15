//! What holds for every program.

/// Makes a test for each language, which calls the function with it.
macro_rules! a_test_for_each_language {
    ($function:ident) => {
        #[test]
        fn java() {
            $function(syntax::Language::Java);
        }

        #[test]
        fn c() {
            $function(syntax::Language::C);
        }

        #[test]
        fn cpp() {
            $function(syntax::Language::Cpp);
        }

        #[test]
        fn python() {
            $function(syntax::Language::Python);
        }

        #[test]
        fn javascript() {
            $function(syntax::Language::JavaScript);
        }
    };
}
use a_test_for_each_language;

mod check;
#[path = "../../examples/data/mod.rs"]
mod data;
mod edges;
mod flow_is_total;
mod generated;
mod layout;
mod programs;
mod properties;
mod sample;
mod scopes;
