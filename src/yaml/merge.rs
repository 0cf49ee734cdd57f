//! Merging a file onto the one that it extends.

use super::node::{Kind, Node};

/// Merges `over` onto `base`: mappings key by key, in the order of the base and then of what is
/// new; everything else replaces, lists too. An explicit null removes the base's key.
pub fn merge(base: Node, over: Node) -> Node {
    let (mut entries, others) = match (base.kind, over.kind) {
        (Kind::Map(base), Kind::Map(over)) => (base, over),
        (_, kind) => return Node { kind, ..over },
    };
    for other in others {
        match entries.iter().position(|entry| entry.key == other.key) {
            Some(i) if other.value.kind == Kind::Null => {
                entries.remove(i);
            }
            Some(i) => {
                let entry = &mut entries[i];
                let placeholder = Node::new(Kind::Null, entry.value.origin.clone());
                let old = std::mem::replace(&mut entry.value, placeholder);
                entry.value = merge(old, other.value);
                entry.key_origin = other.key_origin;
            }
            None => entries.push(other),
        }
    }
    Node { kind: Kind::Map(entries), origin: over.origin, loose: over.loose }
}
