//! How the report was made: enough to make it again.

use super::{Material, Section};
use crate::markup::{count, escape};

pub(super) const SECTION: Section = Section { id: "about", title: "About this report", body };

fn body(material: &Material<'_>) -> String {
    let (runs, numbers) = (material.runs, material.numbers);
    let mut html = format!(
        "<p>Made by allotrope {} from the records of {}. Intervals: {:.0} %, whole source inputs drawn again {} times, seed {}.</p>",
        env!("CARGO_PKG_VERSION"),
        if runs.len() == 1 { "one run".to_owned() } else { format!("{} runs", runs.len()) },
        numbers.bootstrap.level * 100.0,
        count(numbers.bootstrap.resamples),
        numbers.bootstrap.seed
    );
    for run in runs {
        let Some(model) = run.about.models.first() else { continue };
        let noise = match (run.noise, model.varies) {
            (Some(noise), _) => format!("<dt>Noise</dt><dd>{noise}</dd>"),
            (None, true) => "<dt>Noise</dt><dd>was not measured; answers to the same query may differ</dd>".to_owned(),
            (None, false) => String::new(),
        };
        let shard = match run.about.shard {
            (_, 1) => String::new(),
            (part, parts) => format!("<dt>Shard</dt><dd>{part} of {parts}</dd>"),
        };
        html.push_str(&format!(
            r#"<details class="more"><summary>{}: model, data and plan</summary><dl class="identity"><dt>Model</dt><dd>{}:{}</dd><dt>Digest of the model</dt><dd>{}</dd><dt>Digest of the data</dt><dd>{}</dd>{noise}{shard}</dl><pre>{}</pre></details>"#,
            escape(&run.name),
            escape(&model.kind),
            escape(&model.place),
            escape(&model.digest),
            escape(&run.about.data),
            escape(&toml::to_string(&run.about.plan).unwrap_or_default()),
        ));
    }
    html
}
