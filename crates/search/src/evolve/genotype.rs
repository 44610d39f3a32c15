//! Lists of rewrites, with crossover and mutation.

use random::Random;

/// A rewrite of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Gene {
    /// The index of the transformation among those that may be used.
    pub transformation: usize,
    /// Determines the site and the names.
    pub seed: u64,
}

/// An ordered list of rewrites.
pub type Genotype = Vec<Gene>;

/// The parameters of crossover and mutation.
#[derive(Clone, Debug)]
pub struct Breeding {
    /// How many transformations may be used.
    pub transformations: usize,
    /// The maximum length of a list.
    pub most_genes: usize,
    /// The probability that a child keeps the gene of its own parent at an index that both parents have.
    pub crossover: f64,
    /// The probability that a child is mutated.
    pub mutation: f64,
    /// The probability that a mutated child grows; otherwise it shrinks.
    pub increase: f64,
}

impl Breeding {
    /// A list of `length` random genes, at least one.
    pub fn list(&self, length: usize, random: &mut Random) -> Genotype {
        (0..length.max(1)).map(|_| self.gene(random)).collect()
    }

    /// Two children. Each is as long as its own parent; where both parents have a gene, one draw decides for both
    /// children whether they keep their own or swap, so no gene is lost.
    pub fn cross(&self, one: &Genotype, other: &Genotype, random: &mut Random) -> (Genotype, Genotype) {
        let (mut first, mut second) = (one.clone(), other.clone());
        for (mine, yours) in first.iter_mut().zip(&mut second) {
            if !chance(self.crossover, random) {
                std::mem::swap(mine, yours);
            }
        }
        (first, second)
    }

    /// Appends a gene to a list, or removes one anywhere, or leaves it as it is. It never becomes empty.
    pub fn mutate(&self, genotype: &mut Genotype, random: &mut Random) {
        if !chance(self.mutation, random) {
            return;
        }
        if chance(self.increase, random) && genotype.len() < self.most_genes {
            genotype.push(self.gene(random));
        } else if genotype.len() > 1 {
            genotype.remove(random.below(genotype.len()));
        }
    }

    fn gene(&self, random: &mut Random) -> Gene {
        // Seeds are written as JSON numbers, of which many readers keep 53 bits.
        Gene { transformation: random.below(self.transformations.max(1)), seed: random.below(1 << 53) as u64 }
    }
}

/// True with this probability.
pub(super) fn chance(probability: f64, random: &mut Random) -> bool {
    (random.below(1 << 53) as f64) < probability * (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn breeding() -> Breeding {
        Breeding { transformations: 5, most_genes: 6, crossover: 0.7, mutation: 0.4, increase: 0.7 }
    }

    #[test]
    fn children_share_out_the_genes_of_their_parents() {
        let (breeding, mut random) = (breeding(), Random::new(1));
        let (mut kept, mut places) = (0, 0);
        for _ in 0..500 {
            let (one, other) = (breeding.list(6, &mut random), breeding.list(3, &mut random));
            let (first, second) = breeding.cross(&one, &other, &mut random);
            assert_eq!((first.len(), second.len()), (6, 3));
            for place in 0..6 {
                let is_kept = first[place] == one[place];
                assert!(is_kept || first[place] == other[place]);
                if place < 3 {
                    assert_eq!(second[place], if is_kept { other[place] } else { one[place] });
                    kept += usize::from(is_kept);
                    places += 1;
                } else {
                    assert!(is_kept);
                }
            }
        }
        assert!((0.65..0.75).contains(&(kept as f64 / places as f64)), "{kept} of {places}");
    }

    #[test]
    fn lists_grow_shrink_and_keep_their_bounds() {
        let (breeding, mut random) = (breeding(), Random::new(2));
        let (mut grown, mut shrunk) = (0, 0);
        for _ in 0..2000 {
            let before = breeding.list(3, &mut random);
            let mut after = before.clone();
            breeding.mutate(&mut after, &mut random);
            grown += usize::from(after.len() == 4 && after[..3] == before[..]);
            shrunk += usize::from(after.len() == 2);
            for length in [1, 6] {
                let mut list = breeding.list(length, &mut random);
                breeding.mutate(&mut list, &mut random);
                assert!((1..=6).contains(&list.len()));
            }
        }
        assert!((480..640).contains(&grown) && (180..300).contains(&shrunk), "{grown} {shrunk}");
    }
}
