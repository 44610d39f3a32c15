//! Attacks in pictures: success rates, queries, confidence, rewrites and ranks.

use search::Outcome;

use super::{Material, Section};
use crate::contents::Kind;
use crate::markup::escape;
use crate::numbers::AttackNumbers;
use crate::page::drop_title;
use crate::parts::{Part, Picture};
use crate::pictures::{attacks as pictures, critical_difference};

pub(super) const SECTION: Section = Section { kind: Some(Kind::Attack), id: "pictures", title: "", parts };

fn parts(material: &Material<'_>) -> Vec<Part> {
    let (runs, numbers) = (material.runs, material.numbers);
    if runs.is_empty() {
        return Vec::new();
    }
    let attacks = &numbers.attacks;
    let picture = |name: &str, title: &str, drawing, caption: String| {
        let (name, title) = (name.to_owned(), title.to_owned());
        Picture { name, title, drawing, caption }
    };
    let goes_on = match runs.iter().any(|run| run.about.plan.exhaust_budget) {
        true => " Attacks used up their budget, and all their queries are counted.",
        false => "",
    };
    let refused =
        match attacks.iter().any(|attack| attack.count(Outcome::Invalid) + attack.count(Outcome::NotJudged) > 0) {
            true => " The grey end of a bar has flips that are not valid or not judged.",
            false => "",
        };
    let daggers = match attacks.iter().all(AttackNumbers::is_complete) {
        true => "",
        false => " † Not finished: what is done first is not chosen at random.",
    };
    let judged: Vec<String> =
        attacks.iter().map(|attack| format!("{}: {}", escape(&attack.name), attack.judged)).collect();
    let falling = numbers.falling.as_deref();
    let largest = match falling {
        None => "The largest drop of the true label's probability.".to_owned(),
        Some(falling) => format!("The largest drop of {}.", escape(falling)),
    };
    let drop = drop_title(falling);
    let mut all = vec![
        picture(
            "success-rates",
            "Attack success rate",
            pictures::rates(attacks),
            format!(
                "Attacked targets with a valid adversarial example, with the interval.{refused}{daggers} Judged — {}.",
                judged.join("; ")
            ),
        ),
        picture(
            "budgets",
            "Success rate against budget",
            pictures::budgets(attacks),
            format!("Attacked targets that were broken within a number of queries.{goes_on}"),
        ),
        picture(
            "queries",
            "Queries to success",
            pictures::queries(attacks),
            "Box: the middle half of successes, with the median; line: four fifths.".to_owned(),
        ),
        picture(
            "drops",
            &drop,
            pictures::drops(attacks, &drop),
            format!(
                "{largest} Box: the middle half of targets, with the median; line: four fifths; dot: the mean with its interval."
            ),
        ),
    ];
    for run in &numbers.runs {
        let Some(strongest) = &run.strongest else { continue };
        let attack = &attacks[strongest.attack];
        if !attack.transformations.is_empty() {
            let title = format!("Rewrites of {}", attack.name);
            let caption = "Share of successes whose recipes have the rewrite, most frequent first.";
            all.push(picture("rewrites", &title, pictures::rewrites(attack), caption.to_owned()));
        }
    }
    if let Some(ranks) = &numbers.ranks {
        let named: Vec<(String, f64)> = ranks
            .attacks
            .iter()
            .zip(&ranks.mean_ranks)
            .map(|(place, rank)| (attacks[*place].name.clone(), *rank))
            .collect();
        let p = ranks.p.map_or(String::new(), |p| format!(" Friedman: p = {}.", crate::markup::p_value(p)));
        let caption = format!(
            "Mean ranks over the {} targets that all attacks attacked: fewer queries to success rank first, failures share the last rank. A bar joins attacks that do not differ (Nemenyi, 0.05).{p}",
            ranks.blocks
        );
        all.push(picture(
            "ranks",
            "Ranks of attacks",
            critical_difference("Critical-difference diagram of the attacks", &named, ranks.critical_difference),
            caption,
        ));
    }
    vec![Part::Pictures(all)]
}
