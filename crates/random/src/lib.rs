//! Randomness: one generator, stable across versions, seeded by whoever hands it down.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A seeded generator. The same seed gives the same draws on every machine and in every version.
///
/// ```
/// use random::Random;
///
/// let mut random = Random::new(7);
/// let draws: Vec<usize> = (0..4).map(|_| random.below(10)).collect();
/// let mut again = Random::new(7);
/// assert!(draws.iter().all(|draw| *draw == again.below(10)));
/// ```
pub struct Random(ChaCha8Rng);

impl Random {
    /// The generator of a seed.
    pub fn new(seed: u64) -> Random {
        Random(ChaCha8Rng::seed_from_u64(seed))
    }

    /// A number below `limit`, every one as likely as the others. `limit` is at least 1.
    pub fn below(&mut self, limit: usize) -> usize {
        let limit = limit as u64;
        // Draws from the last, incomplete run of `limit` numbers would favour the small ones.
        let fair = u64::MAX - u64::MAX % limit;
        loop {
            let draw = self.0.next_u64();
            if draw < fair {
                return (draw % limit) as usize;
            }
        }
    }

    /// One of the items, which are not empty.
    pub fn pick<'i, Item>(&mut self, items: &'i [Item]) -> &'i Item {
        &items[self.below(items.len())]
    }

    /// Puts the items in a random order.
    pub fn shuffle<Item>(&mut self, items: &mut [Item]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end + 1));
        }
    }
}

/// A seed made of other seeds and names: the seed of one step of one variant of one input of a run.
///
/// ```
/// use random::seed_of;
///
/// assert_eq!(seed_of(&[b"7", b"A.java"]), seed_of(&[b"7", b"A.java"]));
/// assert_ne!(seed_of(&[b"7", b"A.java"]), seed_of(&[b"7A", b".java"]));
/// ```
pub fn seed_of(parts: &[&[u8]]) -> u64 {
    // FNV-1a over the parts and their lengths, then the finaliser of SplitMix64, so that every bit of the
    // input moves every bit of the seed. Neither will ever change, which a library's hash might.
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut eat = |bytes: &[u8]| {
        for byte in bytes {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    for part in parts {
        eat(&(part.len() as u64).to_le_bytes());
        eat(part);
    }
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    // Manifests hold seeds as JSON numbers, which many readers take for floating point: 53 bits are kept.
    (hash ^ (hash >> 31)) >> 11
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_never_change() {
        let mut random = Random::new(0);
        let draws: Vec<usize> = (0..8).map(|_| random.below(100)).collect();
        assert_eq!(draws, [52, 23, 78, 56, 81, 41, 36, 18]);
        assert_eq!(seed_of(&[b"run", b"input"]), 1_124_339_852_189_056);
    }

    #[test]
    fn every_item_is_drawn() {
        let mut random = Random::new(1);
        let mut seen = [0; 5];
        for _ in 0..500 {
            seen[random.below(5)] += 1;
        }
        assert!(seen.iter().all(|count| *count > 60), "{seen:?}");
        let mut items: Vec<usize> = (0..20).collect();
        random.shuffle(&mut items);
        assert!(!items.is_sorted());
        items.sort_unstable();
        assert_eq!(items, (0..20).collect::<Vec<_>>());
    }
}
