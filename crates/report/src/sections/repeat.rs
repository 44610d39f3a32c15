//! How to cite the runs and how to make them again: commands, versions, seeds and digests.

use super::{Material, Section};
use crate::contents::{Kind, Origin};
use crate::markup::{count, escape};
use crate::parts::{Column, Entry, Part, Sheet};

pub(super) const SECTION: Section = Section { kind: None, id: "repeat", title: "How to cite and repeat", parts };

fn parts(material: &Material<'_>) -> Vec<Part> {
    let attacks = material.runs.iter().map(|run| (Kind::Attack, Origin::from(run)));
    let others = Kind::ALL
        .into_iter()
        .flat_map(|kind| material.others.origins_of(kind).into_iter().map(move |origin| (kind, origin.clone())));
    let origins: Vec<(Kind, Origin)> = attacks.chain(others).collect();
    let version = env!("CARGO_PKG_VERSION");
    let mut parts = vec![
        Part::paragraph(format!(
            "The same plan, model and data give the same records on any number of threads. To cite the program: <code>@software{{allotrope, title = {{Allotrope}}, version = {{{version}}}}}</code>. Cite the attacks and transformations that were used as <code>allotrope explain NAME</code> names them."
        )),
        Part::Table(table(&origins)),
    ];
    for (_, origin) in &origins {
        parts.push(Part::Folded(format!("{}: how to make it again", origin.name), vec![Part::Markup(again(origin))]));
    }
    parts
}

/// A row for each model of each run.
fn table(origins: &[(Kind, Origin)]) -> Sheet {
    let heads = ["Run", "Kind", "Begun by", "Seeds", "Inputs"];
    let words = ["Digest of the data", "Model", "Digest of the model"];
    let columns = heads.map(Column::new).into_iter().chain(words.map(|head| Column::new(head).words())).collect();
    let mut sheet = Sheet::new("origins", "Versions, seeds and digests of the runs", columns);
    for (kind, origin) in origins {
        let seeds: Vec<String> = origin.seeds.iter().map(u64::to_string).collect();
        let program = origin.program.as_ref().map_or("–".to_owned(), |program| format!("allotrope {program}"));
        let row = |model: &str, digest: &str| {
            vec![
                Entry::text(&origin.name),
                Entry::text(kind.title()),
                Entry::text(&program),
                Entry::text(if seeds.is_empty() { "–".to_owned() } else { seeds.join(", ") }.as_str()),
                origin.inputs.map_or_else(|| Entry::text("–"), Entry::count),
                Entry::text(origin.data.as_deref().unwrap_or("–")).class("digest"),
                Entry::text(model),
                Entry::text(digest).class("digest"),
            ]
        };
        if origin.models.is_empty() {
            sheet.rows.push(row("–", "–"));
        }
        for (title, model) in &origin.models {
            let place = format!("{}:{}", model.kind, model.place);
            let named = if origin.models.len() > 1 { format!("{title}: {place}") } else { place };
            sheet.rows.push(row(&named, &model.digest));
        }
    }
    sheet
}

fn again(origin: &Origin) -> String {
    let mut html = String::new();
    match (&origin.plan, origin.command.is_empty()) {
        (Some((file, _)), false) if *file == "plan.toml" => {
            html.push_str("<p>With the plan below in the file <code>plan.toml</code>, where its data and models can be found:</p>");
        }
        (_, false) => (),
        (_, true) => html.push_str("<p>It keeps its settings, and not the command line that it was begun with.</p>"),
    }
    if !origin.command.is_empty() {
        html.push_str(&format!("<pre tabindex=\"0\">{}</pre>", escape(&origin.command)));
    }
    for noise in &origin.noise {
        html.push_str(&format!("<p>Noise: {noise}.</p>"));
    }
    if origin.noise.is_empty() && origin.models.iter().any(|(_, model)| model.varies) {
        html.push_str("<p>The noise was not measured; answers to the same query may differ.</p>");
    }
    if let Some((file, text)) = &origin.plan {
        let lines = count(text.lines().count());
        html.push_str(&format!(
            "<details class=\"more\"><summary>{file}, {lines} lines</summary><pre tabindex=\"0\">{}</pre></details>",
            escape(text)
        ));
    }
    html
}
