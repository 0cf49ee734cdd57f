//! The one data set file that the reference client replays.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::dataset::{RawError, Store, StoreError, raw_conversations};
use crate::plan::Plan;
use crate::prompt::Library;
use crate::scenario::model::{Dataset, Order, Scenario};

/// The data set of a scenario as the client takes it: trajectories in file order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientData {
    /// A file of the scenario, as it is.
    AsItIs(PathBuf),
    /// The trajectories of one pass, in the plan's order, have to be written into a file.
    Combined {
        /// Conversations by their place over all data sets.
        order: Vec<u32>,
    },
}

/// A data set file that could not be made.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// A data set of the scenario cannot be read.
    #[error(transparent)]
    Read(#[from] RawError),
    /// The file cannot be written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An id stands in two data sets.
    #[error("`{id}` is the id of conversations in two data sets, which one file cannot tell apart")]
    Shared {
        /// How we call one of them.
        id: String,
    },
    /// A data set changed since the plan was made.
    #[error("the data set {} changed meanwhile: no conversation `{id}`", .path.display())]
    Changed {
        /// The file.
        path: PathBuf,
        /// The conversation.
        id: String,
    },
}

/// Why a conversation of the plan is not in the rows of its data set under its id.
fn missing(dataset: &Dataset, id: &str) -> DataError {
    let (path, id) = (dataset.path.clone(), id.to_owned());
    // One that is told apart by its data set.
    if id.contains('/') { DataError::Shared { id } } else { DataError::Changed { path, id } }
}

impl ClientData {
    /// What the client needs: the scenario's only file where it is replayed whole and in its own
    /// order, so that its digest stays that of the file.
    pub fn of(scenario: &Scenario, library: &Library, plan: &Plan) -> Self {
        let per_pass = plan.trajectories_per_pass as usize;
        let first_pass = plan.sequence.iter().take(per_pass);
        let mut order: Vec<u32> = first_pass.map(|assignment| assignment.conversation).collect();
        if scenario.mix.order == Order::Shuffled {
            // The client shuffles a file by itself.
            order.sort_unstable();
        }
        if let [dataset] = &scenario.datasets[..] {
            let is_plain = dataset.path.extension().is_none_or(|end| end != "gz" && end != "zst");
            let is_whole = !scenario.mix.take.contains_key(&dataset.name);
            if is_plain && is_whole && order.len() <= library.conversations().len() {
                return Self::AsItIs(dataset.path.clone());
            }
        }
        Self::Combined { order }
    }

    /// The file: the scenario's own, or `path`, which is written then. What is there stays unless
    /// `replace`.
    ///
    /// # Errors
    /// A data set cannot be read, or the file cannot be written.
    pub fn file(
        &self,
        scenario: &Scenario,
        library: &Library,
        path: &Path,
        replace: bool,
    ) -> Result<PathBuf, DataError> {
        let order = match self {
            Self::AsItIs(file) => return Ok(file.clone()),
            Self::Combined { order } => order,
        };
        // A refusal to overwrite is told before gigabytes are read.
        let mut store = Store::create(path, replace)?;
        let mut rows: Vec<BTreeMap<String, Vec<u8>>> = Vec::new();
        for dataset in &scenario.datasets {
            rows.push(raw_conversations(&dataset.path)?);
        }
        for place in order {
            let Some(conversation) = library.conversations().get(*place as usize) else { continue };
            let set = conversation.dataset as usize;
            let found = rows.get(set).and_then(|rows| rows.get(&*conversation.id));
            let bytes = found.ok_or_else(|| missing(&scenario.datasets[set], &conversation.id))?;
            let failed = |source| StoreError::Write { path: path.to_owned(), source };
            store.write_all(bytes).map_err(failed)?;
        }
        store.finish()?;
        Ok(path.to_owned())
    }
}
