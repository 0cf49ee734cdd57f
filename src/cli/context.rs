//! What a command may know of the process it runs in.

use std::sync::Arc;

use super::app::ColorChoice;
use super::console::Console;

/// The process as a command sees it; the only place that reads the environment.
pub(crate) struct Context {
    /// Where everything is printed.
    pub(crate) console: Arc<Console>,
    env: fn(&str) -> Option<String>,
    /// Makes the runtime of replays in virtual time; none in real time.
    virtual_time: Option<MakeRuntime>,
}

/// Makes a runtime.
pub type MakeRuntime = fn() -> std::io::Result<tokio::runtime::Runtime>;

impl Context {
    /// The context of this process, with its global flags.
    pub(super) fn of_process(
        quiet: bool,
        color: ColorChoice,
        virtual_time: Option<MakeRuntime>,
    ) -> Self {
        let plain = variable("NO_COLOR").is_some_and(|value| !value.is_empty())
            || variable("TERM").is_some_and(|value| value == "dumb");
        let console = Arc::new(Console::of_process(quiet, color, plain));
        Self { console, env: variable, virtual_time }
    }

    /// What makes the runtime of replays in virtual time, where they are.
    pub(crate) fn virtual_time(&self) -> Option<MakeRuntime> {
        self.virtual_time
    }

    /// The value of an environment variable; none when it is unset or not Unicode.
    pub(crate) fn env(&self, name: &str) -> Option<String> {
        (self.env)(name)
    }
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}
