//! Which calibration a run is held against.

use std::path::{Path, PathBuf};

use super::context::Context;
use super::failure::Failure;
use crate::host::Host;
use crate::results::Calibration;

/// Where a calibration is kept: in the user's cache directory. None without a home directory.
pub(super) fn default_path(context: &Context) -> Option<PathBuf> {
    let set = |name: &str| context.env(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    // A relative one is to be ignored, says the specification.
    let cache = set("XDG_CACHE_HOME").filter(|path| path.is_absolute());
    let cache = cache.or_else(|| Some(set("HOME")?.join(".cache")))?;
    Some(cache.join("scenario/calibration.json"))
}

/// The calibration in `given`, or else the one that is kept, where there is one of this machine.
///
/// # Errors
/// When `given` is no calibration, or one of another machine.
pub(super) fn find(
    given: Option<&Path>,
    context: &Context,
) -> Result<Option<Calibration>, Failure> {
    let host = Host::probe();
    let Some(path) = given else {
        let kept = default_path(context).and_then(|path| Calibration::read(&path).ok());
        return Ok(kept.filter(|kept| kept.is_of(&host)));
    };
    let read = Calibration::read(path).map_err(|error| {
        Failure::usage(format!("--calibration: {error}"))
            .help("make one with `scenario calibrate --out FILE`")
    })?;
    if read.is_of(&host) {
        return Ok(Some(read));
    }
    let (file, its) = (path.display(), &read.host.hostname);
    Err(Failure::usage(format!("--calibration {file}: it is of another machine ({its})"))
        .help("make one here with `scenario calibrate --out FILE`"))
}
