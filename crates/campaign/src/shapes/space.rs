//! The shapes that are searched among, and what a shape costs before it is trained.
//!
//! A shape is seven numbers, each from a list. Parameters are counted in the layout that a training would have, so that the size is that of the
//! written weights. Operations are those of the forward pass of one input at its full length: two for every product that is added. The energy is a
//! proxy: 4.6 pJ for a product that is added, with 32 bits, and 160 pJ for a byte of weights that is fetched (M. Horowitz, Computing's Energy
//! Problem, ISSCC 2014, 45 nm).

use model::huggingface::roberta::{Dimensions, PositionKind};
use random::Random;
use serde::{Deserialize, Serialize};
use training::shape::{HeadKind, Shape};
use training::train::NewEncoder;

/// The size of an encoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Candidate {
    pub layers: usize,
    pub hidden: usize,
    pub heads: usize,
    /// The numbers between the two layers after the attention.
    pub inner: usize,
    pub vocabulary: usize,
    /// The most tokens of a program.
    pub limit: usize,
    pub positions: PositionKind,
}

/// How many numbers a shape is.
pub const GENES: usize = 7;

/// The place of each number of a shape in its list.
pub type Genome = [usize; GENES];

/// Numbers of a shape that are given, and not searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Given {
    pub layers: Option<usize>,
    pub hidden: Option<usize>,
    pub heads: Option<usize>,
    pub inner: Option<usize>,
    pub vocabulary: Option<usize>,
    pub limit: Option<usize>,
    pub positions: Option<PositionKind>,
}

/// What a model answers: how many programs an input has, and among how many classes it decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Answers {
    pub programs: usize,
    pub classes: usize,
}

/// What a shape costs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Cost {
    pub parameters: usize,
    /// Of the weights.
    pub bytes: u64,
    /// Operations of one input.
    pub flops: f64,
    /// A proxy of the energy of one input.
    pub joules: f64,
}

/// The numbers that a shape may consist of.
#[derive(Clone, Debug, PartialEq)]
pub struct Space {
    lists: [Vec<usize>; GENES],
}

/// Heads are as wide as a multiple of it, as fast products want them.
const HEAD_STEP: usize = 8;

/// The length of a program where a style has none of its own.
const LIMIT: usize = 400;

const KINDS: [PositionKind; 3] = [PositionKind::Absolute, PositionKind::RelativeKey, PositionKind::RelativeKeyQuery];

const JOULES_OF_PRODUCT: f64 = 4.6e-12;
const JOULES_OF_BYTE: f64 = 160e-12;

impl Space {
    /// What Compressor searches: vocabularies of 1,000 to 50,000, 1 to 12 layers of 16 to 768 numbers, 32 to 3,040 between them, and 1, 2, 4 or 8 heads.
    pub fn of_compressor(given: &Given) -> Space {
        let lists = [
            (1..=12).collect(),
            (16..=768).step_by(16).collect(),
            vec![1, 2, 4, 8],
            (32..=3040).step_by(32).collect(),
            (1000..=50_000).step_by(1000).collect(),
            vec![LIMIT],
            vec![0],
        ];
        Space::with(lists, given)
    }

    /// What AVATAR and MORPH search: vocabularies of 1,000 to 46,000, 1 to 12 layers of 16 to 256 numbers, 32 to 3,072 between them, 1 to 12 heads, 256 to
    /// 512 tokens, and three kinds of positions. The steps are ours: theirs are 1.
    pub fn of_avatar(given: &Given) -> Space {
        let lists = [
            (1..=12).collect(),
            (16..=256).step_by(8).collect(),
            (1..=12).collect(),
            (32..=3072).step_by(16).collect(),
            (1000..=46_000).step_by(250).collect(),
            (256..=512).step_by(16).collect(),
            vec![0, 1, 2],
        ];
        Space::with(lists, given)
    }

    fn with(mut lists: [Vec<usize>; GENES], given: &Given) -> Space {
        let Given { layers, hidden, heads, inner, vocabulary, limit, positions } = *given;
        let kind = positions.and_then(|kind| KINDS.iter().position(|own| *own == kind));
        for (list, own) in lists.iter_mut().zip([layers, hidden, heads, inner, vocabulary, limit, kind]) {
            if let Some(own) = own {
                *list = vec![own];
            }
        }
        Space { lists }
    }

    /// The shape that a genome stands for. Heads that the state cannot be divided among are fewer.
    pub fn candidate(&self, genome: &Genome) -> Candidate {
        let at = |gene: usize| self.lists[gene][genome[gene]];
        let hidden = at(1);
        let fits = |heads: &usize| hidden.is_multiple_of(heads * HEAD_STEP);
        let heads = (1..=at(2)).rev().find(fits);
        // A width that no head fits is given, or is as narrow as a head.
        let heads = heads.or_else(|| (1..=at(2)).rev().find(|heads| hidden.is_multiple_of(*heads))).unwrap_or(1);
        let (inner, vocabulary, limit, positions) = (at(3), at(4), at(5), KINDS[at(6)]);
        Candidate { layers: at(0), hidden, heads, inner, vocabulary, limit, positions }
    }

    /// Every genome as likely as the others.
    pub fn draw(&self, random: &mut Random) -> Genome {
        std::array::from_fn(|gene| random.below(self.lists[gene].len()))
    }

    /// Another number of one gene.
    pub fn mutate(&self, gene: usize, random: &mut Random) -> usize {
        random.below(self.lists[gene].len())
    }

    /// The genome with the most heads, which cost nothing, that its width can be divided among.
    pub fn with_most_heads(&self, genome: Genome) -> Genome {
        let mut genome = genome;
        genome[2] = self.lists[2].len() - 1;
        genome
    }

    /// A number of a gene at most a quarter of its list away.
    pub fn moved(&self, gene: usize, from: usize, random: &mut Random) -> usize {
        let count = self.lists[gene].len();
        let far = 1 + random.below((count / 4).max(1));
        if random.below(2) == 0 { from.saturating_sub(far) } else { (from + far).min(count - 1) }
    }

    /// The genome of numbers from 0 to 1, each a place in its list.
    pub fn at(&self, shares: &[f64; GENES]) -> Genome {
        std::array::from_fn(|gene| {
            let count = self.lists[gene].len();
            ((shares[gene] * count as f64) as usize).min(count - 1)
        })
    }

    /// The least that a shape costs, which says whether any fits.
    pub fn least(&self, answers: Answers, bits: usize) -> Cost {
        self.candidate(&[0; GENES]).cost(answers, bits)
    }
}

impl Candidate {
    fn dimensions(&self) -> Dimensions {
        let Candidate { layers, hidden, heads, inner, vocabulary, limit, positions } = *self;
        Dimensions {
            hidden,
            heads,
            inner,
            layers,
            vocabulary,
            // Two stand before the first token, as in RoBERTa.
            positions: limit + 2,
            position_kind: positions,
            types: 1,
            epsilon: 1e-5,
            activation: kernels::Activation::Gelu,
        }
    }

    /// The network that has this size.
    pub fn shape(&self, answers: Answers) -> Shape {
        let head = HeadKind::Classes { vectors: answers.programs, classes: answers.classes };
        Shape { dimensions: self.dimensions(), head, taught: None }
    }

    /// How many parameters the layout of the network has. A search asks a hundred thousand times, and laying them out takes long.
    fn parameters(&self, Answers { programs, classes }: Answers) -> usize {
        let Candidate { layers, hidden, heads, inner, vocabulary, limit, positions } = *self;
        // Words, positions, the type of tokens and a norm.
        let embeddings = (vocabulary + limit + 2 + 1 + 2) * hidden;
        let distances = match positions {
            PositionKind::Absolute => 0,
            PositionKind::RelativeKey | PositionKind::RelativeKeyQuery => (2 * (limit + 2) - 1) * (hidden / heads),
        };
        let attention = 4 * (hidden * hidden + hidden) + distances;
        let layer = attention + 2 * hidden * inner + inner + hidden + 4 * hidden;
        let head = (programs * hidden + 1) * hidden + (hidden + 1) * classes;
        embeddings + layers * layer + head
    }

    /// What the shape costs, with this number of bits a weight.
    pub fn cost(&self, answers: Answers, bits: usize) -> Cost {
        let parameters = self.parameters(answers);
        let bytes = (parameters * bits).div_ceil(8) as u64;
        let [tokens, hidden, inner] = [self.limit, self.hidden, self.inner].map(|number| number as f64);
        // Scores and sums of the attention, and the products with the embeddings of distances.
        let tables = match self.positions {
            PositionKind::Absolute => 0.0,
            PositionKind::RelativeKey => 1.0,
            PositionKind::RelativeKeyQuery => 2.0,
        };
        let layer = tokens * (4.0 * hidden * hidden + 2.0 * hidden * inner) + (2.0 + tables) * tokens * tokens * hidden;
        let programs = answers.programs as f64;
        let head = programs * hidden * hidden + hidden * answers.classes as f64;
        let products = programs * self.layers as f64 * layer + head;
        let joules = JOULES_OF_PRODUCT * products + JOULES_OF_BYTE * bytes as f64;
        Cost { parameters, bytes, flops: 2.0 * products, joules }
    }

    /// The encoder that is trained, which reads texts as another does.
    pub fn encoder(&self, text: &NewEncoder) -> NewEncoder {
        let Candidate { layers, hidden, heads, inner, vocabulary, limit, positions } = *self;
        NewEncoder { layers, hidden, heads, inner, vocabulary, limit, positions, ..text.clone() }
    }

    /// The options of `allotrope train` and `allotrope distil` that make such an encoder.
    pub fn options(&self) -> String {
        let Candidate { layers, hidden, heads, inner, vocabulary, limit, positions } = self;
        let kind = match positions {
            PositionKind::Absolute => "absolute",
            PositionKind::RelativeKey => "relative-key",
            PositionKind::RelativeKeyQuery => "relative-key-query",
        };
        format!(
            "--layers {layers} --hidden {hidden} --heads {heads} --inner {inner} --vocabulary {vocabulary} --max-tokens {limit} --positions {kind}"
        )
    }

    /// Its numbers on scales on which their differences count about alike: what a surrogate learns from.
    pub fn features(&self, cost: &Cost) -> Vec<f64> {
        let log = |number: usize| (number as f64).ln();
        let kind = |own: PositionKind| f64::from(u8::from(self.positions == own));
        vec![
            log(self.layers),
            log(self.hidden),
            log(self.heads),
            log(self.inner),
            log(self.vocabulary),
            log(self.limit),
            kind(PositionKind::RelativeKey),
            kind(PositionKind::RelativeKeyQuery),
            cost.flops.ln(),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAIRS: Answers = Answers { programs: 2, classes: 2 };

    #[test]
    fn the_published_student_has_its_published_size() {
        // Compressor's student of clone detection has 3,121,640 bytes with the names of its arrays, of which 37,248 are a pooler that is not used.
        let published = Candidate {
            layers: 12,
            hidden: 96,
            heads: 8,
            inner: 64,
            vocabulary: 1000,
            limit: 512,
            positions: PositionKind::Absolute,
        };
        let cost = published.cost(PAIRS, 32);
        assert_eq!(cost.bytes, 4 * cost.parameters as u64);
        assert!((3_050_000..3_085_000).contains(&cost.bytes), "{}", cost.bytes);
        // 4 x 96 x 96 + 2 x 96 x 64 products a token, and 2 x 512 x 96 of the attention, in 12 layers, for two programs.
        let products =
            2.0 * 12.0 * 512.0 * f64::from(4 * 96 * 96 + 2 * 96 * 64 + 2 * 512 * 96) + f64::from(2 * 96 * 96 + 96 * 2);
        assert_eq!(cost.flops, 2.0 * products);
        assert_eq!(published.cost(PAIRS, 16).bytes, cost.bytes / 2);
        let relative = Candidate { positions: PositionKind::RelativeKey, ..published };
        assert!(relative.cost(PAIRS, 32).flops > cost.flops);
    }

    #[test]
    fn every_genome_is_a_network() {
        let given = Given { limit: Some(300), positions: Some(PositionKind::RelativeKey), ..Given::default() };
        let (free, fixed) = (Space::of_avatar(&Given::default()), Space::of_avatar(&given));
        let mut random = Random::new(1);
        for _ in 0..200 {
            for space in [&free, &fixed, &Space::of_compressor(&Given::default())] {
                let one = space.candidate(&space.draw(&mut random));
                assert!(one.hidden.is_multiple_of(one.heads * HEAD_STEP), "{one:?}");
                assert_eq!(one.parameters(PAIRS), one.shape(PAIRS).layout().learned(), "{one:?}");
            }
            let one = fixed.candidate(&fixed.draw(&mut random));
            assert_eq!((one.limit, one.positions), (300, PositionKind::RelativeKey));
        }
        let odd = Space::of_avatar(&Given { hidden: Some(18), heads: Some(4), ..Given::default() });
        assert_eq!(odd.candidate(&[0; GENES]).heads, 3);
        assert_eq!(free.at(&[1.0; GENES]), free.lists.each_ref().map(|list| list.len() - 1));
        assert!(free.least(PAIRS, 16).bytes < 50_000);
    }
}
