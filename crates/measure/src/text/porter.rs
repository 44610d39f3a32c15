//! Porter's stemmer with the changes that NLTK made to it, which is what rouge_score uses.
//!
//! Porter, "An algorithm for suffix stripping", Program 14.3, 1980. NLTK adds: forms that follow no rule; `ies` and `ied` of
//! words with four letters; a `y` only becomes an `i` after a consonant that is not the first letter; `alli` before all other
//! rules of the second step, and again; `bli` in place of `abli`; `fulli`; `logi`, whose `l` belongs to the stem.

/// The stem of a word in small Latin letters and digits.
pub(crate) fn stem(word: &str) -> String {
    if let Some((_, stem)) = IRREGULAR.iter().find(|(form, _)| *form == word) {
        return (*stem).to_owned();
    }
    if word.len() <= 2 {
        return word.to_owned();
    }
    let word = plural(word.to_owned());
    let word = past_and_progressive(word);
    let word = final_y(word);
    let word = second_step(word);
    let word = by_rules(word, &THIRD_STEP, |stem| measure(stem) > 0);
    let word = fourth_step(word);
    let word = final_e(word);
    match word.ends_with("ll") && measure(&word[..word.len() - 1]) > 1 {
        true => word[..word.len() - 1].to_owned(),
        false => word,
    }
}

const IRREGULAR: [(&str, &str); 16] = [
    ("sky", "sky"),
    ("skies", "sky"),
    ("dying", "die"),
    ("lying", "lie"),
    ("tying", "tie"),
    ("news", "news"),
    ("innings", "inning"),
    ("inning", "inning"),
    ("outings", "outing"),
    ("outing", "outing"),
    ("cannings", "canning"),
    ("canning", "canning"),
    ("howe", "howe"),
    ("proceed", "proceed"),
    ("exceed", "exceed"),
    ("succeed", "succeed"),
];

const SECOND_STEP: [(&str, &str); 21] = [
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("bli", "ble"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
    ("fulli", "ful"),
];

const THIRD_STEP: [(&str, &str); 7] =
    [("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", "")];

const FOURTH_STEP: [&str; 19] = [
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate", "iti",
    "ous", "ive", "ize",
];

fn plural(word: String) -> String {
    if word.len() == 4 && word.ends_with("ies") {
        return word[..3].to_owned();
    }
    by_rules(word, &[("sses", "ss"), ("ies", "i"), ("ss", "ss"), ("s", "")], |_| true)
}

fn past_and_progressive(word: String) -> String {
    if let Some(stem) = word.strip_suffix("ied") {
        return if word.len() == 4 { format!("{stem}ie") } else { format!("{stem}i") };
    }
    if let Some(stem) = word.strip_suffix("eed") {
        return if measure(stem) > 0 { format!("{stem}ee") } else { word };
    }
    let without = word.strip_suffix("ed").or_else(|| word.strip_suffix("ing"));
    let Some(stem) = without.filter(|stem| consonants(stem).contains(&false)) else { return word };
    if ["at", "bl", "iz"].iter().any(|end| stem.ends_with(end)) {
        return format!("{stem}e");
    }
    if ends_in_double_consonant(stem) {
        let keeps = stem.ends_with(['l', 's', 'z']);
        return stem[..stem.len() - usize::from(!keeps)].to_owned();
    }
    if measure(stem) == 1 && is_short(stem) { format!("{stem}e") } else { stem.to_owned() }
}

fn final_y(word: String) -> String {
    match word.strip_suffix('y') {
        Some(stem) if stem.len() > 1 && consonants(stem).last() == Some(&true) => format!("{stem}i"),
        _ => word,
    }
}

fn second_step(word: String) -> String {
    if let Some(stem) = word.strip_suffix("alli").filter(|stem| measure(stem) > 0) {
        return second_step(format!("{stem}al"));
    }
    match word.strip_suffix("logi") {
        Some(stem) if measure(&word[..word.len() - 3]) > 0 => format!("{stem}log"),
        _ => by_rules(word, &SECOND_STEP, |stem| measure(stem) > 0),
    }
}

fn fourth_step(word: String) -> String {
    let Some(suffix) = FOURTH_STEP.iter().find(|suffix| word.ends_with(**suffix)) else { return word };
    let stem = &word[..word.len() - suffix.len()];
    let is_removed = measure(stem) > 1 && (*suffix != "ion" || stem.ends_with(['s', 't']));
    if is_removed { stem.to_owned() } else { word }
}

fn final_e(word: String) -> String {
    match word.strip_suffix('e') {
        Some(stem) if measure(stem) > 1 || (measure(stem) == 1 && !is_short(stem)) => stem.to_owned(),
        _ => word,
    }
}

/// Applies the first rule whose suffix the word has, if its stem fulfils the condition; no other is tried.
fn by_rules(word: String, rules: &[(&str, &str)], holds: impl Fn(&str) -> bool) -> String {
    for (suffix, replacement) in rules {
        if let Some(stem) = word.strip_suffix(suffix) {
            return if holds(stem) { format!("{stem}{replacement}") } else { word };
        }
    }
    word
}

/// Is each letter a consonant? A `y` is one at the start and after a vowel.
fn consonants(word: &str) -> Vec<bool> {
    let mut flags: Vec<bool> = Vec::with_capacity(word.len());
    for letter in word.bytes() {
        let is_consonant = match letter {
            b'a' | b'e' | b'i' | b'o' | b'u' => false,
            b'y' => flags.last().is_none_or(|before| !before),
            _ => true,
        };
        flags.push(is_consonant);
    }
    flags
}

/// How often a consonant follows a vowel: what Porter calls m.
fn measure(word: &str) -> usize {
    consonants(word).windows(2).filter(|pair| !pair[0] && pair[1]).count()
}

fn ends_in_double_consonant(word: &str) -> bool {
    match word.as_bytes() {
        [.., one, other] => one == other && consonants(word).last() == Some(&true),
        _ => false,
    }
}

/// Consonant, vowel, consonant other than w, x and y; with NLTK also a word of just a vowel and a consonant.
fn is_short(word: &str) -> bool {
    match consonants(word)[..] {
        [.., true, false, true] => !word.ends_with(['w', 'x', 'y']),
        [false, true] => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::stem;

    #[track_caller]
    fn check(words: &str, stems: &str) {
        let found: Vec<String> = words.split(' ').map(stem).collect();
        assert_eq!(found.join(" "), stems);
    }

    #[test]
    fn porters_examples() {
        check("caresses ponies caress cats agreed plastered motoring", "caress poni caress cat agre plaster motor");
        check("conflated troubled sized hopping falling hissing filing", "conflat troubl size hop fall hiss file");
        check("relational conditional digitizer operator hopefulness", "relat condit digit oper hope");
        check("triplicate formative formalize electrical goodness", "triplic form formal electr good");
        check(
            "revival replacement adjustment adoption probate rate cease controll roll",
            "reviv replac adjust adopt probat rate ceas control roll",
        );
    }

    #[test]
    fn what_nltk_changed() {
        check(
            "dies died spied enjoy happy skies succeed theology radically",
            "die die spi enjoy happi sky succeed theolog radic",
        );
    }
}
