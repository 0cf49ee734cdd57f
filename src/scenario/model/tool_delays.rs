//! `load.tool_delays`: which recorded delays are waited out.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error as _, MapAccess, Visitor, value::MapAccessDeserializer};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::units::HumanDuration;

/// Which think and tool times are waited out before a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum ToolDelays {
    /// As recorded.
    #[default]
    Recorded,
    /// None.
    None,
    /// Recorded ones, scaled and cut; never within a ruleset.
    Scaled(Scaled),
}

/// Recorded delays times `scale`, at most `max`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scaled {
    /// The factor; 1 when only `max` is given.
    #[serde(default = "one")]
    pub scale: f64,
    /// The longest delay after scaling.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max: Option<HumanDuration>,
}

/// The factor that changes nothing.
fn one() -> f64 {
    1.0
}

impl ToolDelays {
    /// The time to wait for a recorded delay; whole nanoseconds, rounded down.
    pub fn apply(self, recorded: Duration) -> Duration {
        match self {
            Self::Recorded => recorded,
            Self::None => Duration::ZERO,
            Self::Scaled(Scaled { scale, max }) => {
                let scaled = Duration::try_from_secs_f64(recorded.as_secs_f64() * scale)
                    .unwrap_or(Duration::MAX);
                max.map_or(scaled, |max| scaled.min(max.get()))
            }
        }
    }
}

impl Serialize for ToolDelays {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Recorded => serializer.serialize_str("recorded"),
            Self::None => serializer.serialize_str("none"),
            Self::Scaled(scaled) => scaled.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ToolDelays {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Delays;

        impl<'de> Visitor<'de> for Delays {
            type Value = ToolDelays;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`recorded`, `none` or `{ scale, max }`")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<ToolDelays, E> {
                match text {
                    "recorded" => Ok(ToolDelays::Recorded),
                    "none" => Ok(ToolDelays::None),
                    other => Err(E::unknown_variant(other, &["recorded", "none"])),
                }
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ToolDelays, A::Error> {
                let scaled = Scaled::deserialize(MapAccessDeserializer::new(map))?;
                if !scaled.scale.is_finite() || scaled.scale < 0.0 {
                    return Err(A::Error::custom("scale must be a number from 0 up"));
                }
                Ok(ToolDelays::Scaled(scaled))
            }
        }

        deserializer.deserialize_any(Delays)
    }
}

impl JsonSchema for ToolDelays {
    fn schema_name() -> Cow<'static, str> {
        "ToolDelays".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "`recorded`, `none`, or `{ scale, max }`: recorded delays times `scale`, at most `max`; the last never within a ruleset.",
            "default": "recorded",
            "oneOf": [
                { "enum": ["recorded", "none"] },
                {
                    "type": "object",
                    "properties": {
                        "scale": { "type": "number", "minimum": 0, "maximum": 1_000_000, "default": 1.0 },
                        "max": generator.subschema_for::<HumanDuration>(),
                    },
                    "minProperties": 1,
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
    fn delays_scale_and_are_cut() {
        let scaled = |scale, max: Option<u32>| {
            ToolDelays::Scaled(Scaled { scale, max: max.map(HumanDuration::from_millis) })
        };
        let second = Duration::from_secs(1);
        assert_eq!(ToolDelays::Recorded.apply(second), second);
        assert_eq!(ToolDelays::None.apply(second), Duration::ZERO);
        assert_eq!(scaled(0.5, None).apply(second), Duration::from_millis(500));
        assert_eq!(scaled(0.5, Some(20)).apply(second), Duration::from_millis(20));
        assert_eq!(scaled(1e300, None).apply(second), Duration::MAX);
    }
}
