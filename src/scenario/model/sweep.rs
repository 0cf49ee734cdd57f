//! `load.concurrency`: the sweep, as a list or a geometric range.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error as _, MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Most conversations in flight that a point may ask for.
const MAX_CONCURRENCY: u32 = 65_536;
/// Most points of a sweep.
const MAX_POINTS: usize = 256;

/// The concurrencies of the sweep, in the order given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Concurrency {
    /// Each one stated.
    List(Vec<u32>),
    /// Geometrically spaced, both ends included.
    Range(Range),
}

/// A geometric range of concurrencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Range {
    /// The lowest.
    pub from: u32,
    /// The highest.
    pub to: u32,
    /// How many.
    pub points: u32,
}

impl Concurrency {
    /// Most conversations in flight that a point may ask for.
    pub const MAX: u32 = MAX_CONCURRENCY;

    /// The points of the sweep in the order given. Of a range: `from · (to/from)^(i/(points-1))`
    /// rounded half up; neighbours that round to the same number count once.
    pub fn points(&self) -> Vec<u32> {
        match self {
            Self::List(list) => list.clone(),
            Self::Range(range) => range.points(),
        }
    }
}

impl Range {
    /// See [`Concurrency::points`].
    fn points(&self) -> Vec<u32> {
        let (from, to) = (f64::from(self.from), f64::from(self.to));
        let steps = f64::from(self.points.saturating_sub(1).max(1));
        let mut points = Vec::new();
        for i in 0..self.points {
            let exact = from * (to / from).powf(f64::from(i) / steps);
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "between from and to, which are u32"
            )]
            let point = exact.round() as u32;
            if points.last() != Some(&point) {
                points.push(point);
            }
        }
        points
    }
}

impl Serialize for Concurrency {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::List(list) => list.serialize(serializer),
            Self::Range(range) => range.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Concurrency {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Sweep;

        impl<'de> Visitor<'de> for Sweep {
            type Value = Concurrency;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of concurrencies or `{ from, to, points }`")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Concurrency, A::Error> {
                let mut list = Vec::new();
                while let Some(point) = seq.next_element::<u32>()? {
                    if list.len() == MAX_POINTS {
                        return Err(A::Error::custom("more than 256 points"));
                    }
                    list.push(point);
                }
                Ok(Concurrency::List(list))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Concurrency, A::Error> {
                Range::deserialize(MapAccessDeserializer::new(map)).map(Concurrency::Range)
            }
        }

        deserializer.deserialize_any(Sweep)
    }
}

impl JsonSchema for Concurrency {
    fn schema_name() -> Cow<'static, str> {
        "Concurrency".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let concurrency =
            serde_json::json!({ "type": "integer", "minimum": 1, "maximum": MAX_CONCURRENCY });
        json_schema!({
            "description": "A list of concurrencies, or `{ from, to, points }` for a geometric range.",
            "oneOf": [
                { "type": "array", "minItems": 1, "maxItems": MAX_POINTS, "items": concurrency },
                {
                    "type": "object",
                    "properties": {
                        "from": concurrency,
                        "to": concurrency,
                        "points": { "type": "integer", "minimum": 1, "maximum": MAX_POINTS },
                    },
                    "required": ["from", "to", "points"],
                    "additionalProperties": false,
                },
            ],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_geometric_and_holds_both_ends() {
        let range = |from, to, points| Range { from, to, points }.points();
        assert_eq!(range(1, 512, 10), [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]);
        assert_eq!(range(1, 512, 7), [1, 3, 8, 23, 64, 181, 512]);
        assert_eq!(range(8, 8, 3), [8]);
        assert_eq!(range(1, 4, 9), [1, 2, 3, 4]);
        assert_eq!(range(5, 900, 1), [5]);
    }
}
