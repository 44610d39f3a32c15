//! Compares our data flow with that of the programs published with GraphCodeBERT and ALERT.
//!
//! Usage: `flow_agreement FILE…`, each a file of JSON lines as the published programs answer:
//! `{"language": "java", "code": "…", "tokens": ["…"], "nodes": [[token, "comesFrom" | "computedFrom", [source, …]], …]}`.
//! With `--show N` the first N programs that differ are printed.

use std::collections::BTreeSet;
use std::error::Error;

use model::dataflow::{Edge, data_flow};
use serde::Deserialize;
use syntax::{Language, Program};

#[derive(Deserialize)]
struct Row {
    language: String,
    code: String,
    tokens: Vec<String>,
    nodes: Vec<(usize, String, Vec<usize>)>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut show = 0;
    println!(
        "| file | programs | same tokens | same graph | same graph where the tokens are the same | edges shared |"
    );
    println!("|---|---|---|---|---|---|");
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--show" {
            show = arguments.next().ok_or("--show needs a number")?.parse()?;
            continue;
        }
        let (mut programs, mut same_tokens, mut same_graph, mut shared, mut all) = (0, 0, 0, 0, 0);
        for line in std::fs::read_to_string(&argument)?.lines() {
            let row = without_empty_tokens(serde_json::from_str(line)?);
            let language: Language = row.language.parse()?;
            let flow = data_flow(&Program::parse(language, row.code.clone()));
            let tokens: Vec<String> =
                flow.tokens.iter().map(|token| token.text.trim_matches([' ', '\t']).to_owned()).collect();
            let name = |edge| if edge == Edge::ComesFrom { "comesFrom" } else { "computedFrom" };
            let nodes: Vec<_> =
                flow.nodes.iter().map(|node| (node.token, name(node.edge).to_owned(), node.sources.clone())).collect();
            let (ours, theirs) = (edges(&nodes), edges(&row.nodes));
            programs += 1;
            if tokens == row.tokens {
                same_tokens += 1;
                same_graph += usize::from(nodes == row.nodes);
                shared += ours.intersection(&theirs).count();
                all += ours.union(&theirs).count();
            }
            if (tokens != row.tokens || nodes != row.nodes) && show > 0 {
                show -= 1;
                println!("----\n{}\n", row.code);
                let differs = tokens.iter().zip(&row.tokens).position(|(ours, theirs)| ours != theirs);
                if let Some(at) = differs {
                    let near = at.saturating_sub(3);
                    println!("ours   {:?}", &tokens[near..(at + 6).min(tokens.len())]);
                    println!("theirs {:?}", &row.tokens[near..(at + 6).min(row.tokens.len())]);
                } else {
                    println!("tokens {} {}", tokens.len(), row.tokens.len());
                    let spelled = |token: usize| format!("{}@{token}", row.tokens.get(token).map_or("?", |text| text));
                    for (mark, some) in
                        [("only ours", ours.difference(&theirs)), ("only theirs", theirs.difference(&ours))]
                    {
                        for (token, edge, source) in some.take(8) {
                            println!("{mark}: {} {edge} {:?}", spelled(*token), source.map(spelled));
                        }
                    }
                }
            }
        }
        let percent = |some: usize, of: usize| format!("{:.1} %", 100.0 * some as f64 / of.max(1) as f64);
        println!(
            "| {argument} | {programs} | {} | {} | {} | {} |",
            percent(same_tokens, programs),
            percent(same_graph, programs),
            percent(same_graph, same_tokens),
            percent(shared, all)
        );
    }
    Ok(())
}

/// Leaves out the tokens that have no text, which our lists do not have.
fn without_empty_tokens(row: Row) -> Row {
    let places: Vec<usize> =
        (0..row.tokens.len()).map(|at| row.tokens[..at].iter().filter(|text| !text.is_empty()).count()).collect();
    let is_kept = |token: &usize| !row.tokens[*token].is_empty();
    let kept = row.nodes.into_iter().filter(|(token, _, _)| is_kept(token));
    let nodes = kept.map(|(token, edge, sources)| {
        let sources = sources.into_iter().filter(is_kept).map(|source| places[source]).collect();
        (places[token], edge, sources)
    });
    let nodes = nodes.collect();
    // The grammars of 2022 took the blanks before the text of a macro for a part of it.
    let texts = row.tokens.iter().map(|text| text.trim_matches([' ', '\t']).to_owned());
    Row { tokens: texts.filter(|text| !text.is_empty()).collect(), nodes, ..row }
}

/// Every edge as token, sort and source; a node without sources counts as one.
fn edges(nodes: &[(usize, String, Vec<usize>)]) -> BTreeSet<(usize, &str, Option<usize>)> {
    let mut edges = BTreeSet::new();
    for (token, edge, sources) in nodes {
        if sources.is_empty() {
            edges.insert((*token, edge.as_str(), None));
        }
        edges.extend(sources.iter().map(|source| (*token, edge.as_str(), Some(*source))));
    }
    edges
}
