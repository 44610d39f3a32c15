//! Meaningless names: three to nine random letters.
//!
//! Lampion calls this full randomness. The letters are lower-case, except in names that the convention capitalises.
//!
//! ```java
//! int area(int width) { int total = 2 * width; return total; }
//! ```
//! ->
//! ```java
//! int area(int width) { int oypv = 2 * width; return oypv; }
//! ```

use super::Request;
use random::Random;

pub(super) fn propose(request: &Request<'_>, random: &mut Random) -> Vec<String> {
    const BATCH: usize = 16;
    let mut word = || -> String {
        let length = 3 + random.below(7);
        (0..length).map(|_| char::from(b'a' + random.below(26) as u8)).collect()
    };
    (0..BATCH).map(|_| request.convention.join(&[word()])).collect()
}

#[cfg(test)]
mod tests {
    use syntax::{SymbolKind, Type};

    use super::*;
    use crate::choice::Wish;
    use crate::names::NamesMaterial;

    #[test]
    fn names_have_three_to_nine_letters() {
        let wish = Wish { hint: "MAX_SIZE", is_rename: true, kind: SymbolKind::Local, value_type: Type::Unknown };
        let material = NamesMaterial::default();
        let convention = syntax::names::Convention::ScreamingSnake;
        let request = Request { wish: &wish, convention, attempt: 0, material: &material };
        for seed in 0..20 {
            for name in propose(&request, &mut Random::new(seed)) {
                assert!(
                    (3..=9).contains(&name.len()) && name.bytes().all(|letter| letter.is_ascii_uppercase()),
                    "{name}"
                );
            }
        }
    }
}
