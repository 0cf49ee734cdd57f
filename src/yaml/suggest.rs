//! Which known word was meant.

/// The word that was most likely meant, if one is near.
pub fn nearest<'a>(given: &str, words: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let lower = given.to_lowercase().replace('-', "_");
    words
        .map(|word| (strsim::damerau_levenshtein(&lower, &word.to_lowercase()), word))
        .filter(|(distance, word)| {
            *distance <= word.len().max(given.len()) / 3
                || (given.len() > 3 && word.starts_with(&lower))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}
