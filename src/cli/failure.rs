//! Why a command ended early, and the exit codes.

use std::error::Error;
use std::fmt::Write as _;
use std::process::ExitCode;

/// The exit codes of every command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExitStatus {
    /// Done, nothing to object to.
    Success = 0,
    /// Done, with findings: failed turns, failed gates, violations.
    Findings = 1,
    /// Wrong usage or invalid input; nothing was done.
    Usage = 2,
    /// The job could not be done.
    Failure = 3,
    /// Interrupted by the user.
    Interrupted = 130,
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> Self {
        Self::from(status as u8)
    }
}

/// Why a command could not finish its job. Findings about an input are not a `Failure` by
/// themselves: a command prints them and returns [`ExitStatus::Findings`].
#[derive(Debug)]
pub(crate) enum Failure {
    /// Findings that were already rendered, to be printed as they are (exit code 1).
    Findings(String),
    /// Wrong usage or invalid input (exit code 2).
    Usage(Report),
    /// Invalid input whose findings were already rendered, to be printed as they are (2).
    Invalid(String),
    /// The job could not be done (exit code 3).
    CouldNot(Report),
}

/// One error for people.
#[derive(Debug)]
pub(crate) struct Report {
    /// The place and what was found there, and what was expected.
    pub(crate) message: String,
    /// What it comes from, outermost first.
    pub(crate) causes: Vec<String>,
    /// How to fix it.
    pub(crate) help: Option<String>,
}

impl Failure {
    /// Wrong usage or invalid input.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Usage(Report { message: message.into(), causes: Vec::new(), help: None })
    }

    /// A job that could not be done; `message` names the place and what was found.
    pub(crate) fn could_not(message: impl Into<String>) -> Self {
        Self::CouldNot(Report { message: message.into(), causes: Vec::new(), help: None })
    }

    /// Adds an error and what it comes from. A cause that only repeats the text above it is left
    /// out.
    #[must_use]
    pub(crate) fn because(mut self, error: &dyn Error) -> Self {
        if let Self::Usage(report) | Self::CouldNot(report) = &mut self {
            let mut next = Some(error);
            while let Some(error) = next {
                let text = error.to_string();
                if report.causes.last().is_none_or(|last| !last.contains(&text)) {
                    report.causes.push(text);
                }
                next = error.source();
            }
        }
        self
    }

    /// Adds what it comes from, as a text.
    #[must_use]
    pub(crate) fn because_text(mut self, text: impl Into<String>) -> Self {
        if let Self::Usage(report) | Self::CouldNot(report) = &mut self {
            report.causes.push(text.into());
        }
        self
    }

    /// Says how to fix it.
    #[must_use]
    pub(crate) fn help(mut self, text: impl Into<String>) -> Self {
        if let Self::Usage(report) | Self::CouldNot(report) = &mut self {
            report.help = Some(text.into());
        }
        self
    }

    /// The exit code it ends with.
    pub(crate) fn exit_status(&self) -> ExitStatus {
        match self {
            Self::Findings(_) => ExitStatus::Findings,
            Self::Usage(_) | Self::Invalid(_) => ExitStatus::Usage,
            Self::CouldNot(_) => ExitStatus::Failure,
        }
    }

    /// Everything on one line, for a file.
    pub(crate) fn summary(&self) -> String {
        match self {
            Self::Findings(text) | Self::Invalid(text) => {
                text.lines().next().unwrap_or_default().to_owned()
            }
            Self::Usage(report) | Self::CouldNot(report) => {
                let parts = std::iter::once(&report.message).chain(&report.causes);
                parts.map(String::as_str).collect::<Vec<_>>().join(": ")
            }
        }
    }

    /// The text for stderr, ending in a newline.
    pub(crate) fn render(&self, color: bool) -> String {
        match self {
            Self::Findings(text) | Self::Invalid(text) => ended(text.clone()),
            Self::Usage(report) | Self::CouldNot(report) => report.render(color),
        }
    }
}

impl Report {
    fn render(&self, color: bool) -> String {
        let mut out = format!("{}: {}", paint("error", 31, color), self.message);
        for cause in &self.causes {
            let _ = write!(out, "\n  because: {cause}");
        }
        if let Some(help) = &self.help {
            let _ = write!(out, "\n\n{}: {help}", paint("help", 36, color));
        }
        ended(out)
    }
}

/// A word in bold and this ANSI colour, where colours are on.
pub(super) fn paint(text: &str, code: u8, color: bool) -> String {
    if color { format!("\u{1b}[1;{code}m{text}\u{1b}[0m") } else { text.to_owned() }
}

fn ended(mut text: String) -> String {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_names_causes_and_help() {
        let inner = std::io::Error::other("permission denied");
        let failure = Failure::could_not("results/x: cannot create the result directory")
            .because(&inner)
            .help("choose another place with --out DIR");
        insta::assert_snapshot!(failure.render(false), @r"
        error: results/x: cannot create the result directory
          because: permission denied

        help: choose another place with --out DIR
        ");
        assert_eq!(failure.exit_status(), ExitStatus::Failure);
        assert_eq!(
            failure.summary(),
            "results/x: cannot create the result directory: permission denied"
        );
    }

    #[test]
    fn colours_only_when_asked() {
        let failure = Failure::usage("two values");
        assert_eq!(failure.render(false), "error: two values\n");
        assert_eq!(failure.render(true), "\u{1b}[1;31merror\u{1b}[0m: two values\n");
    }
}
