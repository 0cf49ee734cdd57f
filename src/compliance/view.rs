//! One curve as its rules see it: what parsed, its regions, its accuracy results.

use std::collections::BTreeMap;
use std::path::Path;

use crate::ruleset::{Region, Regions, Ruleset};

use super::context::{Curve, Kind, PointFiles};
use super::model::{Accuracy, Point, Summary};

/// A curve with what was derived of it.
pub(super) struct View<'a> {
    pub(super) kind: Kind,
    pub(super) ruleset: &'a Ruleset,
    pub(super) curve: &'a Curve,
    /// Points with a usable point.yaml, in order.
    pub(super) loaded: Vec<(&'a PointFiles, &'a Point)>,
    /// The other points.
    pub(super) unparsed: Vec<&'a PointFiles>,
    /// Loaded points with a usable summary.
    pub(super) measured: Vec<(&'a Point, &'a Summary)>,
    /// The highest supported concurrency, as far as it can be read.
    pub(super) c_max: Option<i128>,
    /// The description that `C_max` comes from.
    pub(super) description: Option<&'a Path>,
    pub(super) regions: Option<Regions>,
    /// Usable accuracy results by concurrency.
    pub(super) accuracy: BTreeMap<i128, Accuracy>,
    /// The first point with usable accuracy results.
    pub(super) accuracy_point: Option<&'a Path>,
}

impl<'a> View<'a> {
    /// The view of a curve, before anything is derived.
    pub(super) fn new(kind: Kind, ruleset: &'a Ruleset, curve: &'a Curve) -> Self {
        let mut view = Self {
            kind,
            ruleset,
            curve,
            loaded: Vec::new(),
            unparsed: Vec::new(),
            measured: Vec::new(),
            c_max: None,
            description: None,
            regions: None,
            accuracy: BTreeMap::new(),
            accuracy_point: None,
        };
        for files in &curve.points {
            match (&files.disclosure, &files.measured) {
                (Ok(point), measured) => {
                    view.loaded.push((files, point));
                    view.measured.extend(measured.as_ref().ok().map(|summary| (point, summary)));
                }
                (Err(_), _) => view.unparsed.push(files),
            }
        }
        view
    }

    /// How many points there are, read or not.
    pub(super) fn count(&self) -> usize {
        self.curve.points.len() + self.curve.unread
    }

    /// The concurrency of every point, first of the loaded ones.
    pub(super) fn concurrencies(&self) -> Vec<i128> {
        let loaded = self.loaded.iter().map(|(_, point)| point.concurrency);
        loaded.chain(self.unparsed.iter().filter_map(|files| files.concurrency())).collect()
    }

    /// Whether every point but dedicated Offline runs has the agentic load pattern.
    pub(super) fn is_agentic(&self) -> bool {
        let mut voters = self.voters().peekable();
        voters.peek().is_some() && voters.all(Point::is_agentic)
    }

    /// The points whose load pattern tells the benchmark's type.
    pub(super) fn voters(&self) -> impl Iterator<Item = &'a Point> {
        self.loaded.iter().map(|(_, point)| *point).filter(|point| !point.is_dedicated())
    }

    /// The region that a concurrency lies in.
    pub(super) fn region(&self, concurrency: i128) -> Option<Region> {
        self.regions?.of(u32::try_from(concurrency).ok()?)
    }

    /// Whether a concurrency covers a region.
    pub(super) fn covers(&self, concurrency: i128, region: Region) -> bool {
        let concurrency = u32::try_from(concurrency).ok();
        self.regions.zip(concurrency).is_some_and(|(regions, c)| regions.covers(c, region))
    }

    /// The concurrencies of points with an accuracy run of their own.
    pub(super) fn has_accuracy_run(&self, concurrency: i128) -> bool {
        self.accuracy.get(&concurrency).is_some_and(|results| !results.runs().is_empty())
    }
}

/// Concurrencies for a message.
pub(super) fn listed(concurrencies: impl IntoIterator<Item = i128>) -> String {
    let names: Vec<String> = concurrencies.into_iter().map(|c| format!("r{c}")).collect();
    names.join(", ")
}
