//! A stack that is deep enough for whatever a template may nest.

use std::cell::Cell;
use std::{panic, thread};

use crate::tokens::error::TemplateError;

/// Values that a template nests are dropped level by level on the stack; the fuel allows some ten
/// thousand levels.
pub(in crate::tokens) const SIZE: usize = 64 * 1024 * 1024;

thread_local! {
    /// Whether this thread was started with [`SIZE`].
    static DEEP: Cell<bool> = const { Cell::new(false) };
}

/// Says that this thread was started with [`SIZE`].
pub(in crate::tokens) fn mark_deep() {
    DEEP.set(true);
}

/// Runs `work` here when the stack is deep enough, else on a thread of its own.
pub(super) fn deep<T: Send>(
    work: impl FnOnce() -> Result<T, TemplateError> + Send,
) -> Result<T, TemplateError> {
    if DEEP.get() {
        return work();
    }
    thread::scope(|scope| {
        let builder = thread::Builder::new().name("template".to_owned()).stack_size(SIZE);
        let thread = builder.spawn_scoped(scope, || {
            mark_deep();
            work()
        });
        match thread {
            Ok(thread) => thread.join().unwrap_or_else(|reason| panic::resume_unwind(reason)),
            Err(error) => Err(TemplateError::Render {
                line: 0,
                message: format!("cannot start a thread: {error}"),
            }),
        }
    })
}
