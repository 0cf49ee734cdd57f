//! A repository that a trajectory works in: its files keep their content from one look to the
//! next, and edits stay.

use super::code::{LANGUAGES, Language, TestStyle};
use super::draw::Draw;
use super::voice::Voice;
use super::words;

/// One file of it.
pub(super) struct SourceFile {
    pub(super) path: String,
    pub(super) lines: Vec<String>,
}

/// The repository.
pub(super) struct Project {
    pub(super) language: &'static Language,
    pub(super) name: &'static str,
    pub(super) files: Vec<SourceFile>,
    /// Where the tests begin among the files.
    pub(super) first_test: usize,
    /// The hunks of all edits so far.
    pub(super) hunks: Vec<super::edits::Hunk>,
}

impl Project {
    /// A project drawn from `seed` and `name`, and the voice that speaks of it.
    pub(super) fn new(seed: u64, name: &str) -> (Self, Voice) {
        let mut draw = Draw::new(seed, name);
        let language = draw.pick(&LANGUAGES);
        let repository = draw.pick(words::REPOSITORIES);
        let mut voice = Voice::new(draw, language.case);
        voice.package = match language.test_style {
            TestStyle::Pytest | TestStyle::Go => repository.replace('-', "_"),
            TestStyle::Cargo | TestStyle::Vitest => repository.to_owned(),
        };
        let (sources, tests) = (voice.draw.range(5, 9), voice.draw.range(2, 4));
        for n in 0..sources + tests {
            let test = n >= sources;
            let path = file_path(&mut voice, language, test);
            if !voice.paths.contains(&path) {
                voice.paths.push(path);
            }
        }
        // Paths first: the code names them.
        let first_test = voice.paths.iter().position(|path| is_test(path, language));
        let paths = voice.paths.clone();
        let files: Vec<_> = paths
            .into_iter()
            .map(|path| {
                let lines = usize::try_from(voice.draw.skewed(150)).unwrap_or(150).clamp(60, 420);
                let test = is_test(&path, language);
                SourceFile { lines: language.file(&mut voice, lines, test), path }
            })
            .collect();
        let first_test = first_test.unwrap_or(files.len().saturating_sub(1));
        let project = Self { language, name: repository, files, first_test, hunks: Vec::new() };
        (project, voice)
    }

    /// Any file.
    pub(super) fn any_file(&self, draw: &mut Draw) -> usize {
        draw.index(self.files.len())
    }

    /// A test file.
    pub(super) fn test_file(&self, draw: &mut Draw) -> usize {
        let tests = self.files.len() - self.first_test;
        self.first_test + draw.index(tests)
    }
}

fn file_path(voice: &mut Voice, language: &Language, test: bool) -> String {
    let directory = voice.text(if test { language.tests } else { language.sources });
    let noun = voice.noun();
    let stem = match (language.test_style, test) {
        (TestStyle::Pytest, true) => format!("test_{noun}"),
        (_, true) => format!("{noun}{}", language.test_suffix),
        (_, false) => noun.to_owned(),
    };
    format!("{directory}/{stem}.{}", language.extension)
}

fn is_test(path: &str, language: &Language) -> bool {
    let stem = path.rsplit('/').next().unwrap_or_default();
    match language.test_style {
        TestStyle::Pytest => stem.starts_with("test_"),
        TestStyle::Cargo => path.starts_with("tests/"),
        TestStyle::Vitest => stem.contains(".test."),
        TestStyle::Go => stem.contains("_test."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn projects_have_sources_and_tests_in_every_language() {
        let mut seen = std::collections::BTreeSet::new();
        for n in 0..40 {
            let (project, _) = Project::new(n, "p");
            seen.insert(project.language.name);
            assert!(project.first_test > 0 && project.first_test < project.files.len());
            for file in &project.files {
                assert!(file.lines.len() >= 60, "{}", file.path);
                let text = file.lines.join("\n");
                assert!(!text.contains('«') && !text.contains('»'), "{text}");
            }
        }
        assert_eq!(seen.len(), 4);
    }
}
