//! Conversation ids that stand in more than one data set of a scenario.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// The ids of several data sets, and which of them are shared.
///
/// An id names a conversation on the wire and in every log, so that one that stands in two data sets
/// is told apart by the data set's name, in each of them: `coding/a` and `more/a`. Whether an id is
/// shared depends on the whole files alone: not on how much of them is taken, nor on their order.
#[derive(Clone, Debug, Default)]
pub struct SharedIds(HashMap<Box<str>, Owner>);

#[derive(Clone, Copy, Debug)]
struct Owner {
    dataset: u32,
    shared: bool,
}

impl SharedIds {
    /// Notes an id of the data set with this index; false when that one has had it before.
    pub fn add(&mut self, dataset: u32, id: &str) -> bool {
        match self.0.entry(id.into()) {
            Entry::Vacant(vacant) => {
                vacant.insert(Owner { dataset, shared: false });
                true
            }
            Entry::Occupied(mut known) => {
                let owner = known.get_mut();
                let other = owner.dataset != dataset;
                owner.shared |= other;
                owner.dataset = dataset;
                other
            }
        }
    }

    /// Whether more than one data set has this id.
    pub fn is_shared(&self, id: &str) -> bool {
        self.0.get(id).is_some_and(|owner| owner.shared)
    }

    /// Whether any data set has this id.
    pub fn contains(&self, id: &str) -> bool {
        self.0.contains_key(id)
    }

    /// What the conversation `id` of the data set `name` is called: printable ASCII, as it travels in
    /// a header.
    pub fn name(&self, name: &str, id: &str) -> String {
        if !self.is_shared(id) {
            return id.to_owned();
        }
        let name: String =
            name.chars().map(|c| if c.is_ascii_graphic() { c } else { '-' }).collect();
        format!("{name}/{id}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_ids_are_called_by_their_data_set_in_whatever_order_they_come() {
        let sets = [(0, ["x", "y"]), (1, ["y", "z"])];
        for order in [[0, 1], [1, 0]] {
            let mut ids = SharedIds::default();
            for n in order {
                let (dataset, names) = sets[n];
                assert!(names.iter().all(|id| ids.add(dataset, id)));
            }
            assert_eq!(["x", "y", "z"].map(|id| ids.name("größe 1", id)), ["x", "gr--e-1/y", "z"]);
            assert!(ids.contains("z") && !ids.contains("gr--e-1/y"));
        }
    }

    #[test]
    fn an_id_twice_in_one_data_set_is_told() {
        let mut ids = SharedIds::default();
        assert!(ids.add(0, "x"));
        assert!(!ids.add(0, "x"));
        assert!(!ids.is_shared("x"));
    }
}
