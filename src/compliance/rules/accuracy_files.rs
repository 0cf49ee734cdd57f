//! The accuracy results of every point.

use super::super::document::State;
use super::super::finding::Sink;
use super::super::view::View;

/// Reads the results of every point into the view, and says what is wrong with them.
pub(in super::super) fn load(view: &mut View<'_>, sink: &mut Sink) {
    const RULE: &str = "accuracy-valid";
    let loaded = view.loaded.iter().map(|(files, _)| *files);
    let points: Vec<_> = loaded.chain(view.unparsed.iter().copied()).collect();
    for files in points {
        let Some(concurrency) = files.concurrency() else { continue };
        let Some((document, results)) = files.scores() else { continue };
        match (&document.state, results) {
            (_, Ok(results)) if results.is_empty() => {
                // Officially without a path; the field tells which file it is.
                let field = document.path.to_string_lossy().into_owned();
                sink.add_nowhere(RULE, "fail").field(field);
            }
            (_, Ok(results)) => {
                view.accuracy_point.get_or_insert(&files.path);
                view.accuracy.insert(concurrency, results);
            }
            (State::Parsed(_), Err(problems)) => sink.misfits(RULE, &document.path, &problems),
            (State::Absent | State::Unusable(..), Err(_)) => sink.unusable(RULE, document),
        }
    }
}
