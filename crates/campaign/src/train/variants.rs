//! Variants of programs that a model learns from beside their originals.

use std::sync::Arc;

use model::Code;
use search::Material;
use serde::{Deserialize, Serialize};
use syntax::Program;
use training::train::{VariantMaker, Variants};
use transformation::names::NamesMaterial;
use transformation::recipe::select;
use transformation::{Names, Recipe, Variation};

use crate::plan::PlanError;

/// Which variants are made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct VariantsPlan {
    /// The transformations, as in `allotrope transform`.
    pub transform: String,
    /// Where new names come from.
    pub names: String,
    /// The number of rewrites of a program.
    pub rewrites: usize,
    /// How much it counts that a variant is answered unlike its original.
    pub consistency: f64,
}

impl Default for VariantsPlan {
    fn default() -> VariantsPlan {
        VariantsPlan { transform: "all".to_owned(), names: "pseudo".to_owned(), rewrites: 5, consistency: 0.0 }
    }
}

impl VariantsPlan {
    /// What makes the variants. New names may come from the programs that are learned from.
    pub fn maker<'c>(&self, programs: impl IntoIterator<Item = &'c Code>) -> Result<VariantMaker, PlanError> {
        let recipe = self.recipe(programs)?;
        let rewrites = self.rewrites;
        Ok(Arc::new(move |code: &Code, seed: u64| {
            let mut variation = Variation::of(Program::parse(code.language, code.text.as_str()));
            recipe.advance(&mut variation, rewrites, None, seed);
            Code { language: code.language, text: variation.program.text().to_owned() }
        }))
    }

    /// What may be drawn.
    pub(crate) fn recipe<'c>(&self, programs: impl IntoIterator<Item = &'c Code>) -> Result<Recipe, PlanError> {
        let unfit = |error: &dyn std::fmt::Display| PlanError::Unfit(error.to_string());
        if self.names == "substitutes" {
            return Err(unfit(
                &"variants are made of all programs, not only of those with substitutes: choose another source of names",
            ));
        }
        // Reading all programs takes long, and only one source of names needs it.
        let reference = if self.names == "reference" { Material::vocabulary_of(programs) } else { Vec::new() };
        let material = NamesMaterial { reference, ..NamesMaterial::default() };
        let names = Names::new(&self.names, material).map_err(|error| unfit(&error))?;
        Ok(Recipe { selections: select(&self.transform, &names).map_err(|error| unfit(&error))? })
    }

    /// The variants that a network learns from.
    pub(super) fn variants<'c>(&self, programs: impl IntoIterator<Item = &'c Code>) -> Result<Variants, PlanError> {
        let VariantsPlan { transform, names, rewrites, consistency } = self;
        Ok(Variants {
            recipe: format!("{rewrites} rewrites of {transform}, new names from {names}"),
            consistency: *consistency as f32,
            make: self.maker(programs)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use syntax::Language;

    use super::*;

    #[test]
    fn a_variant_is_made_from_its_seed() {
        let code = Code {
            language: Language::Java,
            text: "class A { int f() { int number = 1; return number + 1; } }".to_owned(),
        };
        let plan = VariantsPlan {
            transform: "rename-local".to_owned(),
            names: "reference".to_owned(),
            // Several renames may end with the first name.
            rewrites: 1,
            ..VariantsPlan::default()
        };
        let other = Code {
            language: Language::Java,
            text: "class B { int g() { int total = 2; int sum = total; return sum; } }".to_owned(),
        };
        let make = plan.maker([&code, &other]).unwrap();
        let variant = make(&code, 1);
        assert_eq!(variant, make(&code, 1));
        assert!(["total", "sum"].iter().any(|name| variant.text.contains(name)), "{}", variant.text);
        // A program that cannot be read stays as it is.
        let broken = Code { language: Language::Java, text: "class {".to_owned() };
        assert_eq!(make(&broken, 1), broken);
        let problem = VariantsPlan { transform: "renam-local".to_owned(), ..plan }.maker([]).err().unwrap().to_string();
        assert!(problem.contains("rename-local"), "{problem}");
    }
}
