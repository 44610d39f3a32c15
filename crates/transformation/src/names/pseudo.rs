//! Names of two or three plain words unrelated to the program: `calmRiver`, `roundApplePainter`.
//!
//! Lampion calls this pseudo randomness: an adjective, a noun and sometimes a trade. There are more than a hundred
//! thousand such names.
//!
//! ```java
//! int area(int width) { int total = 2 * width; return total; }
//! ```
//! ->
//! ```java
//! int area(int width) { int foggyDesert = 2 * width; return foggyDesert; }
//! ```

use syntax::words;

use super::Request;
use random::Random;

pub(super) fn propose(request: &Request<'_>, random: &mut Random) -> Vec<String> {
    const BATCH: usize = 16;
    let mut name = || {
        let mut words = vec![*random.pick(ADJECTIVES), *random.pick(NOUNS)];
        // Every third name has a third word.
        if random.below(3) == 0 {
            words.push(*random.pick(TRADES));
        }
        request.convention.join(&words)
    };
    (0..BATCH).map(|_| name()).collect()
}

const ADJECTIVES: &[&str] = words!(
    "amber ancient autumn bitter black blue bold brave bright broad calm careful cheerful clever cloudy cold crimson
     curious dark distant dry dusty eager early fancy foggy fresh gentle golden grand green happy hidden hollow
     humble icy jolly kind late lively lonely lucky mellow mild misty modest narrow noble odd orange pale patient
     plain polite proud purple quiet rapid rough round rusty scarlet shiny silent silver sleepy steep sunny sweet
     tiny warm wild"
);

const NOUNS: &[&str] = words!(
    "acorn anchor apple badger barn beach bear bell berry birch bread brook candle canyon castle cedar cherry cliff
     clover coral cottage crane crow daisy desert dune eagle ember falcon feather fern fjord forest fox garden
     glacier harbour hazel heron hill island ivy kettle lagoon lantern lemon lily maple meadow melon mountain oak
     ocean orchard otter owl pebble pepper pine plum pond rabbit raven reef river robin rose saddle sparrow spruce
     tiger willow"
);

const TRADES: &[&str] = words!(
    "actor baker barber brewer butcher carpenter clerk cook dancer doctor driver farmer fisher gardener glazier
     hunter judge lawyer mason miller miner nurse painter pilot plumber poet potter sailor singer tailor teacher
     weaver"
);

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn there_are_many_names() {
        let distinct = |words: &[&str]| words.iter().collect::<BTreeSet<_>>().len();
        assert_eq!(distinct(ADJECTIVES), ADJECTIVES.len());
        assert_eq!(distinct(NOUNS), NOUNS.len());
        assert_eq!(distinct(TRADES), TRADES.len());
        assert!(ADJECTIVES.len() * NOUNS.len() * (1 + TRADES.len()) >= 1 << 14);
    }
}
