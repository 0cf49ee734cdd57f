//! Which known word was meant.

/// The word that was most likely meant, if one is near: as a whole, or one of its parts between
/// underscores.
pub fn nearest<'a>(given: &str, words: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let given = given.to_lowercase().replace('-', "_");
    if given.is_empty() {
        return None;
    }
    words
        .filter_map(|word| distance(&given, &word.to_lowercase()).map(|distance| (distance, word)))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

/// How far a word is from what was given; `None` when it is too far to be meant.
fn distance(given: &str, word: &str) -> Option<usize> {
    let near = |word: &str| {
        let distance = strsim::damerau_levenshtein(given, word);
        (distance <= word.chars().count().max(given.chars().count()) / 3).then_some(distance)
    };
    let part = || {
        let parts = word.split('_').filter(|part| part.len() > 3);
        parts.filter_map(near).min().map(|distance| distance + 3)
    };
    let start = || (given.len() > 3 && word.starts_with(given)).then_some(3);
    near(word).or_else(start).or_else(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_found_and_others_are_not() {
        let words = ["concurrency", "turn_timeout", "tool_delays", "tail", "url", "urls"];
        let nearest = |given| nearest(given, words.into_iter());
        assert_eq!(nearest("Concurency"), Some("concurrency"));
        assert_eq!(nearest("tiemout"), Some("turn_timeout"));
        assert_eq!(nearest("tool-delay"), Some("tool_delays"));
        assert_eq!(nearest("tali"), Some("tail"));
        assert_eq!(nearest("ulrs"), Some("urls"));
        assert_eq!(nearest("conc"), Some("concurrency"));
        assert_eq!(nearest("frobnicate"), None);
        assert_eq!(nearest(""), None);
        assert_eq!(nearest("日本語"), None);
    }
}
