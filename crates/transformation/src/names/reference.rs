//! Names used by other programs, drawn at random from a list that the caller provides.
//!
//! The names are used as they are, and each is drawn once before any is drawn again. If none of them is fresh, the
//! rename is skipped; a new variable, such as one that holds a condition, gets pseudo words instead.
//!
//! ```java
//! int area(int width) { int total = 2 * width; return total; }
//! ```
//! ->
//! ```java
//! int area(int width) { int isOpen = 2 * width; return isOpen; }
//! ```

use super::{Request, pseudo};
use random::Random;

pub(super) fn propose(request: &Request<'_>, random: &mut Random) -> Vec<String> {
    match (request.attempt, request.wish.is_rename) {
        (0, _) => {
            let mut names: Vec<String> = request.material.reference.iter().map(|name| name.trim().to_owned()).collect();
            random.shuffle(&mut names);
            // An empty list would end the questions, and with them the way to the pseudo words.
            if names.is_empty() && !request.wish.is_rename { pseudo::propose(request, random) } else { names }
        }
        (_, true) => Vec::new(),
        (_, false) => pseudo::propose(request, random),
    }
}

#[cfg(test)]
mod tests {
    use syntax::{Language, Program, SymbolKind, Type};

    use crate::names::{Names, NamesMaterial};
    use crate::{Choice, Wish};

    #[test]
    fn names_are_drawn_once_and_then_run_out() {
        let program = Program::parse(Language::Java, "int area(int width) { return width; }");
        let reference = ["width", " cursor", "while", "byte_count"].map(str::to_owned).to_vec();
        let names = Names::new("reference", NamesMaterial { reference, ..NamesMaterial::default() }).unwrap();
        let mut choice = Choice::new(&program, &names, 1);
        let rename = Wish { hint: "width", is_rename: true, kind: SymbolKind::Parameter, value_type: Type::Unknown };
        let mut drawn = [choice.name(&rename).unwrap(), choice.name(&rename).unwrap()];
        drawn.sort();
        assert_eq!(drawn, ["byte_count", "cursor"]);
        assert_eq!(choice.name(&rename), None);
        assert!(choice.local("result", Type::Unknown).is_some());
    }
}
