//! The only file that prints: results on stdout, everything else on stderr.
//!
//! A reader that went away (`scenario plan … | head -1`) is not an error: what cannot be printed
//! is dropped and the job goes on.

use std::io::{ErrorKind, IsTerminal as _, Write as _};
use std::sync::OnceLock;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::app::ColorChoice;
use super::failure::{ExitStatus, Failure, paint};

/// Standard output and standard error with the user's wishes about them.
pub(crate) struct Console {
    quiet: bool,
    color: Colored,
    stderr_tty: bool,
    /// The bar of the live view, once it was drawn.
    bar: OnceLock<ProgressBar>,
}

/// Whether text may be coloured.
struct Colored {
    stdout: bool,
    stderr: bool,
}

/// How a live view is to be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LiveView {
    /// Not at all.
    Off,
    /// As plain lines.
    Lines,
    /// As a bar that is redrawn.
    Bar,
}

/// A bar with a line of text below it.
pub(super) struct Bar<'a> {
    /// What stands before it.
    pub(super) headline: &'a str,
    /// How much is done.
    pub(super) done: u64,
    /// Of how much.
    pub(super) total: u64,
    /// What that counts.
    pub(super) unit: &'static str,
    /// What stands below it.
    pub(super) below: &'a str,
}

impl Console {
    /// The console of this process; `plain` says that the environment asks for no colour.
    pub(super) fn of_process(quiet: bool, color: ColorChoice, plain: bool) -> Self {
        let stderr_tty = std::io::stderr().is_terminal();
        let colored = |tty: bool| match color {
            ColorChoice::Auto => tty && !plain,
            ColorChoice::Always => true,
            ColorChoice::Never => false,
        };
        Self {
            quiet,
            color: Colored {
                stdout: colored(std::io::stdout().is_terminal()),
                stderr: colored(stderr_tty),
            },
            stderr_tty,
            bar: OnceLock::new(),
        }
    }

    /// Whether messages, warnings about the input and progress are to be left out.
    pub(crate) fn quiet(&self) -> bool {
        self.quiet
    }

    /// Whether text on stdout may be coloured.
    pub(crate) fn stdout_color(&self) -> bool {
        self.color.stdout
    }

    /// Whether text on stderr may be coloured.
    pub(crate) fn stderr_color(&self) -> bool {
        self.color.stderr
    }

    /// Prints a result to stdout as it is. Fails when stdout cannot take it, such as on a full
    /// disk; not when its reader went away.
    pub(crate) fn out(&self, text: &str) -> Result<(), Failure> {
        let print = || {
            let mut stdout = std::io::stdout().lock();
            stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush())
        };
        match self.beside_the_bar(print) {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                Err(Failure::could_not("standard output: cannot write the result").because(&error))
            }
            _ => Ok(()),
        }
    }

    /// Prints a result to stdout as one line.
    pub(crate) fn out_line(&self, text: &str) -> Result<(), Failure> {
        self.out(&format!("{text}\n"))
    }

    /// Prints a message to stderr as one line, unless quiet.
    pub(crate) fn message(&self, text: &str) {
        if !self.quiet {
            self.err(&format!("{text}\n"));
        }
    }

    /// Prints a warning to stderr as one line, quiet or not.
    pub(crate) fn warning(&self, text: &str) {
        self.err(&format!("{}: {text}\n", paint("warning", 33, self.color.stderr)));
    }

    /// Prints rendered findings to stderr as they are, quiet or not.
    pub(crate) fn findings(&self, text: &str) {
        self.err(text);
    }

    /// Prints why a command ended early.
    pub(super) fn failure(&self, failure: &Failure) {
        self.err(&failure.render(self.color.stderr));
    }

    /// Prints what clap has to say (help, version, a usage error), and tells the exit code.
    pub(super) fn print_clap(error: &clap::Error) -> ExitStatus {
        // Printing fails only when the reader went away.
        let _ = error.print();
        if error.use_stderr() { ExitStatus::Usage } else { ExitStatus::Success }
    }

    /// How a live view is to be shown.
    pub(super) fn live_view(&self) -> LiveView {
        match (self.quiet, self.stderr_tty) {
            (true, _) => LiveView::Off,
            (false, true) => LiveView::Bar,
            (false, false) => LiveView::Lines,
        }
    }

    /// Draws the live view's bar about turns, with a line of text below it.
    pub(super) fn draw_bar(&self, headline: &str, done: u64, total: u64, below: &str) {
        self.draw(&Bar { headline, done, total, unit: "turns", below });
    }

    /// Draws the live view's bar.
    pub(super) fn draw(&self, drawn: &Bar<'_>) {
        let new = || ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let bar = self.bar.get_or_init(new);
        let unit = drawn.unit;
        let template = format!("{{prefix}} {{wide_bar}} {{pos}}/{{len}} {unit}\n{{wide_msg}}");
        bar.set_style(
            ProgressStyle::with_template(&template)
                .unwrap_or_else(|_| ProgressStyle::default_bar())
                .progress_chars("=> "),
        );
        if bar.is_finished() {
            bar.reset();
        }
        bar.set_length(drawn.total);
        bar.set_prefix(drawn.headline.to_owned());
        bar.set_message(drawn.below.to_owned());
        bar.set_position(drawn.done);
    }

    /// Takes the live view's bar off the terminal.
    pub(super) fn clear_bar(&self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }

    /// stderr is the last resort: there is no place left to report that it cannot be written.
    fn err(&self, text: &str) {
        let _ = self.beside_the_bar(|| std::io::stderr().lock().write_all(text.as_bytes()));
    }

    /// Prints without breaking the live view's bar.
    fn beside_the_bar<T>(&self, print: impl FnOnce() -> T) -> T {
        match self.bar.get() {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }
}
