//! GraphCodeBERT's input: the tokens of a program, then the nodes of its data flow, and which of them see which.
//!
//! Every token of the program is encoded by itself. Nodes have the position 0 and the mean of the embeddings of the tokens that they
//! stand for. Code sees code; a node and the tokens that it stands for see each other; a node sees the nodes that its value comes
//! from; the first and the last token of the sequence see everything (Guo et al., ICLR 2021, and the released code).
//!
//! In the released code, which hides by subtracting 10,000 from a score, a node that nothing links to anything sees everything,
//! the padding included. Here it sees everything: there is no padding.

use std::collections::HashMap;
use std::ops::Range;

use syntax::Program;

use super::roberta::{Graph, Sequence};
use super::settings::DataFlow as Sizes;
use super::tokens::{Piece, Vocabulary};
use crate::Code;
use crate::dataflow::{CodeToken, data_flow};

/// The sequence for a program, the tokens of it that come from the text, and how many tokens there would be without limits.
pub fn sequence(vocabulary: &Vocabulary, sizes: &Sizes, code: &Code) -> Result<(Sequence, Vec<Piece>, usize), String> {
    let mut prepared = vocabulary.prepared(&code.text);
    if sizes.escaped_line_ends {
        prepared = prepared.with_line_ends();
    }
    let flow = data_flow(&Program::parse(code.language, prepared.text.as_str()));

    // The tokens of the program, and which of ours each of them became. The first token of all is a special one.
    let mut ids = Vec::new();
    let mut places = Vec::new();
    for (number, token) in flow.tokens.iter().enumerate() {
        let text = if number == 0 { token.text.clone() } else { format!(" {}", token.text) };
        let start = ids.len() + 1;
        ids.extend(vocabulary.word(text)?);
        places.push(start..ids.len() + 1);
    }
    let most = sizes.code + sizes.nodes;
    let all = ids.len() + 2 + flow.nodes.len();
    ids.truncate(most.saturating_sub(sizes.reserved + flow.nodes.len().min(sizes.nodes)));
    let (first, last) = vocabulary.ends();
    ids.insert(0, first);
    ids.push(last);
    let code_length = ids.len();
    let nodes = &flow.nodes[..flow.nodes.len().min(most - code_length)];

    let length = code_length + nodes.len();
    let mut sees = vec![false; length * length];
    for row in 0..code_length {
        let end = if [first, last].contains(&ids[row]) { length } else { code_length };
        sees[row * length..][..end].fill(true);
    }
    // Where a token has several nodes, the last one stands for it.
    let node_of: HashMap<usize, usize> = nodes.iter().enumerate().map(|(number, node)| (node.token, number)).collect();
    let mut means = Vec::new();
    for (number, node) in nodes.iter().enumerate() {
        let row = code_length + number;
        let place = places[node.token].clone();
        // A token that was cut off, or stands just before the end, has no link to its node.
        let is_linked = place.start < code_length && place.end < code_length;
        let linked: Vec<usize> = if is_linked { place.collect() } else { Vec::new() };
        for token in &linked {
            sees[row * length + token] = true;
            sees[token * length + row] = true;
        }
        for source in node.sources.iter().filter_map(|source| node_of.get(source)) {
            sees[row * length + code_length + source] = true;
        }
        if !sees[row * length..][..length].contains(&true) {
            sees[row * length..][..length].fill(true);
        }
        means.push((row, linked));
    }
    let piece = |(place, token): (&Range<usize>, &CodeToken)| {
        let range = prepared.origin(&token.range);
        place.clone().map(move |at| Piece { at, text: 0, range: range.clone() })
    };
    let pieces = places.iter().zip(&flow.tokens).flat_map(piece).take(code_length - 2).collect();
    let mut positions: Vec<u32> = (0..code_length as u32).map(|at| at + vocabulary.pad + 1).collect();
    positions.resize(length, 0);
    ids.resize(length, vocabulary.unknown());
    Ok((Sequence { ids, positions, graph: Some(Graph { sees, nodes: means }) }, pieces, all))
}
