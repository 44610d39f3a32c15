//! The words of a text: mteval-v13a as sacrebleu has it, the evaluator of CodeXGLUE, rouge_score.

/// The words of `mteval-v13a` as sacrebleu reads it: entities are undone, and punctuation stands alone but between digits.
pub(crate) fn words_of_13a(text: &str) -> Vec<String> {
    let text = text.trim_end_matches(is_blank).replace("<skipped>", "").replace("-\n", "").replace('\n', " ");
    let text = text.replace("&quot;", "\"").replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">");
    // The four passes run one after the other over the whole text, and none looks twice at a character, as the regular
    // expressions that define them do.
    let mut letters: Vec<char> = Vec::with_capacity(text.len() + 2);
    letters.push(' ');
    for letter in text.chars() {
        match stands_alone(letter) {
            true => letters.extend([' ', letter, ' ']),
            false => letters.push(letter),
        }
    }
    letters.push(' ');
    let letters =
        apart(&letters, |one, two| !one.is_ascii_digit() && is_stop(two), |one, two| vec![one, ' ', two, ' ']);
    let letters =
        apart(&letters, |one, two| is_stop(one) && !two.is_ascii_digit(), |one, two| vec![' ', one, ' ', two]);
    let letters = apart(&letters, |one, two| one.is_ascii_digit() && two == '-', |one, two| vec![one, ' ', two, ' ']);
    let text: String = letters.into_iter().collect();
    text.split(is_blank).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn is_stop(letter: char) -> bool {
    matches!(letter, '.' | ',')
}

/// Puts in place of each pair of neighbours that is looked for what it becomes.
fn apart(letters: &[char], is_sought: fn(char, char) -> bool, becomes: fn(char, char) -> Vec<char>) -> Vec<char> {
    let mut result = Vec::with_capacity(letters.len());
    let mut place = 0;
    while place < letters.len() {
        match letters.get(place + 1) {
            Some(next) if is_sought(letters[place], *next) => {
                result.extend(becomes(letters[place], *next));
                place += 2;
            }
            _ => {
                result.push(letters[place]);
                place += 1;
            }
        }
    }
    result
}

/// Punctuation that is a word of its own. Apostrophe, hyphen, full stop and comma are not.
fn stands_alone(letter: char) -> bool {
    matches!(letter, '{'..='~' | '['..='`' | ' '..='&' | '('..='+' | ':'..='@' | '/')
}

/// The words of CodeXGLUE's evaluator, in small letters: runs of letters and digits; all else stands alone, underscores too.
pub(crate) fn words_of_codexglue(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut is_word = false;
    for letter in text.to_lowercase().chars() {
        let continues = letter.is_alphanumeric();
        match words.last_mut() {
            Some(word) if is_word && continues => word.push(letter),
            _ if is_blank(letter) => (),
            _ => words.push(letter.to_string()),
        }
        is_word = continues;
    }
    words
}

/// The words of rouge_score: runs of Latin letters and digits in small letters, those longer than three stemmed if asked for.
pub(crate) fn words_of_rouge(text: &str, stems: bool) -> Vec<String> {
    let text = text.to_lowercase();
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(|word| if stems && word.len() > 3 { super::porter::stem(word) } else { word.to_owned() }).collect()
}

/// What Python takes for a blank: four control characters more than Unicode's property.
pub(crate) fn is_blank(letter: char) -> bool {
    letter.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_points() {
        assert_eq!(words_of_13a("It costs 1,000.50 (about)."), ["It", "costs", "1,000.50", "(", "about", ")", "."]);
        assert_eq!(
            words_of_13a("a.b 1.b &lt;x&gt; 3-4 don't -x"),
            ["a", ".", "b", "1", ".", "b", "<", "x", ">", "3", "-", "4", "don't", "-x"]
        );
        assert_eq!(words_of_13a(" \u{1f}"), [""; 0]);
    }

    #[test]
    fn underscores_stand_alone_in_codexglue() {
        assert_eq!(words_of_codexglue("Sets my_name2, ok?"), ["sets", "my", "_", "name2", ",", "ok", "?"]);
    }

    #[test]
    fn only_latin_letters_count_in_rouge() {
        assert_eq!(words_of_rouge("Größe: a_b, Réturns", false), ["gr", "e", "a", "b", "r", "turns"]);
        assert_eq!(words_of_rouge("returning names", true), ["return", "name"]);
    }
}
