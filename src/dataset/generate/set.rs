//! A whole set.

use std::io::{self, Write};

use super::rows::Rows;
use super::shape::{Domain, Request};
use super::{coding, workflow};

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Conversations.
    pub trajectories: u64,
    /// Rows that are requests.
    pub client_turns: u64,
    /// Rows that are recorded answers.
    pub assistant_turns: u64,
    /// Tool calls in those.
    pub tool_calls: u64,
    /// All rows.
    pub rows: u64,
    /// Bytes of text.
    pub bytes: u64,
}

/// Writes the set that `request` asks for, row by row; the same request gives the same bytes on
/// every machine.
///
/// # Errors
/// What the writer says.
pub fn generate(request: &Request, out: &mut impl Write) -> io::Result<Summary> {
    let mut summary = Summary::default();
    let coding = coding::preamble();
    let workflow = workflow::preamble(request.seed);
    for plan in request.plans() {
        match plan.domain {
            Domain::Coding => {
                let id = coding::id(request.seed, plan.index);
                let mut rows = Rows::new(out, id.clone(), &coding, &mut summary);
                coding::write(&mut rows, request.seed, &id, plan)?;
            }
            Domain::Workflow => {
                let id = format!("sim_{:03}", plan.index + 1);
                let mut rows = Rows::new(out, id.clone(), &workflow, &mut summary);
                workflow::write(&mut rows, request.seed, &id, plan)?;
            }
        }
    }
    Ok(summary)
}
