//! `allotrope compare`: attacks or models over the same targets.

use std::path::PathBuf;
use std::process::ExitCode;

use campaign::compare::{Column, columns, duel_table, duels, table, unique};
use campaign::plan::{Plan, attack_of, without_seed};
use campaign::ranking::{Contestant, rankings};
use campaign::repeats::{self, Row, is_repeated, rows};
use campaign::run::Store;
use campaign::scores::{Scores, rewritten, scores};
use measure::Bootstrap;
use serde_json::json;

use crate::failure::Failure;
use crate::say::{say, say_json};

/// The options of `allotrope compare`.
#[derive(clap::Args)]
pub struct Arguments {
    /// The folders of the runs.
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<PathBuf>,
    /// Only these attacks, separated by commas.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    attack: Vec<String>,
    /// Print the model's scores on the inputs as they are and as each attack leaves them, with the change in percent: with successes in
    /// the place of originals, and, where the run has a measure or --rewrite-all, with every program rewritten.
    #[arg(long)]
    scores: bool,
    /// The seed of the intervals.
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Print tables in Markdown.
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments) -> Result<ExitCode, Failure> {
    let mut all: Vec<Column> = Vec::new();
    let mut scored: Vec<Scores> = Vec::new();
    let mut whole: Vec<Scores> = Vec::new();
    let mut repeated: Vec<(String, Vec<Row>)> = Vec::new();
    let mut contestants: Vec<Contestant> = Vec::new();
    for folder in &arguments.runs {
        let store: Store<Plan> = Store::open(folder)?;
        let about = store.about()?;
        let (targets, mut records) = (store.inputs()?, store.records()?);
        let goal = about.plan.goal()?;
        let noise = store.noise()?.and_then(|noise| noise.first().copied());
        let is_wanted = |name: &str| arguments.attack.iter().any(|attack| attack == name || attack == attack_of(name));
        records.retain(|record| arguments.attack.is_empty() || is_wanted(&record.attack));
        let name = folder.file_name().map_or_else(|| folder.display().to_string(), |name| name.display().to_string());
        if is_repeated(&about.plan) {
            repeated.push((name.clone(), rows(&records)));
            // Records of other seeds are about the same targets again.
            records.retain(|record| without_seed(&record.attack).1 == 1);
        }
        // Where a measure decides, no answer is right or wrong.
        if goal.is_none() {
            scored.push(scores(&name, &targets, &records));
        }
        whole.extend(rewritten(&name, goal, &targets, &records));
        let of_run = columns((arguments.runs.len() > 1).then_some(name.as_str()), goal, noise, &targets, records);
        contestants.extend(of_run.iter().map(|column| Contestant::new(&about, column)));
        all.extend(of_run);
    }
    if all.is_empty() {
        return Err(Failure::usage("there are no records to compare: is the run still at its beginning?"));
    }
    let shown = |table: &measure::Table| if arguments.markdown { table.to_markdown() } else { table.to_text() };
    if arguments.scores {
        let (with_successes, of_rewritten) = (campaign::scores::table(&scored), campaign::scores::table(&whole));
        match (arguments.json, whole.is_empty()) {
            (true, true) => say_json(&with_successes.to_json()),
            (true, false) => {
                say_json(&json!({"successes": with_successes.to_json(), "rewritten": of_rewritten.to_json()}));
            }
            (false, true) => say(&shown(&with_successes)),
            (false, false) => {
                if !scored.is_empty() {
                    say(&format!("score with successes in the place of originals:\n\n{}\n", shown(&with_successes)));
                }
                say(&format!("score of the rewritten test set:\n\n{}", shown(&of_rewritten)));
            }
        }
        return Ok(ExitCode::SUCCESS);
    }
    let bootstrap = Bootstrap { seed: arguments.seed, ..Bootstrap::default() };
    let summaries = table(&all, &bootstrap);
    let duels = duels(&all, &bootstrap);
    let names: Vec<&str> = all.iter().map(|column| column.name.as_str()).collect();
    let against = duel_table(&names, &duels);
    if arguments.json {
        let unique: Vec<_> = all
            .iter()
            .zip(unique(&all))
            .map(|(column, count)| json!({"column": column.name, "targets": count}))
            .collect();
        let measures: Vec<_> = all
            .iter()
            .map(|column| json!({"column": column.name, "measures": column.summary(&bootstrap), "outcomes": column.outcomes(), "noise": column.noise}))
            .collect();
        let repeats: Vec<_> = repeated.iter().map(|(name, rows)| json!({"run": name, "rows": rows})).collect();
        let rankings = rankings(&contestants, &all);
        say_json(
            &json!({"columns": measures, "duels": against.to_json(), "unique": unique, "rankings": rankings, "repeats": repeats}),
        );
        return Ok(ExitCode::SUCCESS);
    }
    for (name, rows) in &repeated {
        say(&format!("{name}, means and standard deviations over the seeds:\n\n{}\n", shown(&repeats::table(rows))));
        if rows.iter().any(|row| row.seeds > 1) {
            say(&format!("what follows is about the first seed of {name}\n\n"));
        }
    }
    say(&shown(&summaries));
    if !duels.is_empty() {
        say("\non the targets that both attacked:\n\n");
        say(&shown(&against));
        let unique: Vec<String> =
            all.iter().zip(unique(&all)).map(|(column, count)| format!("{} {count}", column.name)).collect();
        say(&format!("\ntargets that only one breaks: {}\n", unique.join(", ")));
    }
    for ranking in rankings(&contestants, &all) {
        say(&format!("\n{}\n\n{}\n{}\n", ranking.title(), shown(&ranking.table()), ranking.in_words()));
    }
    Ok(ExitCode::SUCCESS)
}
