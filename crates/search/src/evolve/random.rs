//! Random lists: the baseline for a guided search.

use random::Random;

use super::{Breeding, Ended, Evolution, EvolutionSettings, Found, Genotype, World};

/// Draws as many distinct lists as another search evaluated, with all lengths equally likely.
///
/// They come in groups of the size of a population, so that the batches are as large.
pub fn random<Error>(
    settings: &EvolutionSettings,
    evaluations: usize,
    world: World<'_, Error>,
) -> Result<Found, Error> {
    let mut random = Random::new(settings.seed);
    let mut evolution = Evolution::new(settings, world);
    let ended = loop {
        if evolution.generations > 0 && evolution.known.len() >= evaluations {
            break Ended::Evaluations;
        }
        if evolution.generations > 0 && (evolution.world.is_over)(evolution.generations - 1) {
            break Ended::Time;
        }
        let count = settings.population.max(1).min(evaluations.saturating_sub(evolution.known.len()).max(1));
        let breeding = &settings.breeding;
        let list = |random: &mut Random| breeding.list(1 + random.below(breeding.most_genes.max(1)), random);
        let lists = (0..count).map(|_| (list(&mut random), Vec::new())).collect();
        evolution.admit(lists)?;
    };
    Ok(evolution.finish(ended))
}

/// One random list of each length.
pub fn random_lists(breeding: &Breeding, lengths: &[usize], seed: u64) -> Vec<Genotype> {
    let mut random = Random::new(seed);
    lengths.iter().map(|length| breeding.list(*length, &mut random)).collect()
}
