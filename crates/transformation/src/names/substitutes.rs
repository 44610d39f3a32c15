//! Names that the caller lists for each name of the program.
//!
//! Names predicted by a masked language model come in this form: ALERT publishes such a list for every identifier of
//! its test programs. The names are tried in the given order, best first, and used as they are, except that
//! surrounding whitespace is trimmed. A name without a list, or whose list contains no fresh name, is not renamed. A
//! new variable, such as one that holds a condition, uses the list of the word that describes it, and pseudo words
//! after that.
//!
//! `width` is listed first here, but it would be captured:
//!
//! ```java
//! int area(int width) { int total = 2 * width; return total; }
//! ```
//! ->
//! ```java
//! int area(int width) { int sum = 2 * width; return sum; }
//! ```
//!
//! There is no list for `size`:
//!
//! ```java
//! int area(int width) { int size = 2 * width; return size; }
//! ```

use super::{Request, pseudo};
use random::Random;

pub(super) fn propose(request: &Request<'_>, random: &mut Random) -> Vec<String> {
    let listed = request.material.substitutes.get(request.wish.hint).filter(|names| !names.is_empty());
    match (listed, request.attempt, request.wish.is_rename) {
        (Some(names), 0, _) => names.iter().map(|name| name.trim().to_owned()).collect(),
        (_, _, true) => Vec::new(),
        (_, _, false) => pseudo::propose(request, random),
    }
}

#[cfg(test)]
mod tests {
    use syntax::{Language, Program, SymbolKind, Type};

    use crate::names::{Names, NamesMaterial};
    use crate::{Choice, Wish};

    #[test]
    fn unfit_names_are_passed_over() {
        let program = Program::parse(Language::C, "int area(int width) { int total = width; return total; }");
        let listed = ["width", "while", "int", "printf", "2nd", "a b", "", " sum ", "size"].map(str::to_owned).to_vec();
        let substitutes = [("total".to_owned(), listed.clone()), ("width".to_owned(), listed)].into();
        let names = Names::new("substitutes", NamesMaterial { substitutes, ..NamesMaterial::default() }).unwrap();
        let mut choice = Choice::new(&program, &names, 0);
        let rename = |hint| Wish { hint, is_rename: true, kind: SymbolKind::Local, value_type: Type::Unknown };
        assert_eq!(choice.name(&rename("total")).as_deref(), Some("sum"));
        // The two names do not become one.
        assert_eq!(choice.name(&rename("width")).as_deref(), Some("size"));
        assert_eq!(choice.name(&rename("total")), None);
        assert!(choice.local("condition", Type::Unknown).is_some());
    }
}
