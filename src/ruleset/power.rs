//! The published power defaults: what a part counts for where its power is not stated.

use serde::Deserialize;

/// Watts and the table that they stand in.
pub type Watts = Option<(f64, &'static str)>;

/// Appendix D: overheads and default powers.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PowerDefaults {
    /// Overhead of liquid cooling, as a share of the major components.
    pub liquid_overhead: f64,
    /// Overhead of air cooling.
    pub air_overhead: f64,
    /// A network adapter in watts.
    pub nic_watts: f64,
    /// Accelerators; the first whose part stands in a name counts.
    pub accelerators: Vec<Part>,
    /// Switches; the first whose part stands in a name counts.
    pub switches: Vec<Switch>,
    /// ARM processors.
    pub arm: Arm,
    /// x86 processors.
    pub x86: X86,
}

/// A device, known by a part of its name.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Letters and digits of its name, in lower case.
    pub part: String,
    /// Its power.
    pub watts: f64,
}

/// A switch, known by a part of its name.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Switch {
    /// Letters and digits of its name, in lower case.
    pub part: String,
    /// Watts with passive cabling.
    pub passive: f64,
    /// Watts with optical cabling, where they are published.
    pub optical: Option<f64>,
}

/// ARM processors.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arm {
    /// Words that tell one.
    pub words: Vec<String>,
    /// The most cores for which there is a default.
    pub most_cores: u32,
    /// Its power.
    pub watts: f64,
}

/// x86 processors.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct X86 {
    /// Words that tell one.
    pub words: Vec<String>,
    /// Cores up to which `watts` holds.
    pub cores: u32,
    /// Power up to that many cores.
    pub watts: f64,
    /// Power above.
    pub watts_above: f64,
}

impl PowerDefaults {
    /// The overhead of a cooling, `liquid` or `air`.
    pub fn overhead(&self, cooling: &str) -> f64 {
        if cooling == "liquid" { self.liquid_overhead } else { self.air_overhead }
    }

    /// The overhead that a description of the cooling implies, if any.
    pub fn described_overhead(&self, cooling: &str) -> Option<f64> {
        let text = cooling.to_lowercase();
        if ["liquid", "water", "immersion"].iter().any(|word| text.contains(word)) {
            return Some(self.liquid_overhead);
        }
        text.contains("air").then_some(self.air_overhead)
    }

    /// Appendix D.4: a network adapter.
    pub fn nic(&self) -> Watts {
        Some((self.nic_watts, "D.4"))
    }

    /// Appendix D.2, by the words and the core count of a processor.
    pub fn cpu(&self, model: Option<&str>, cores: Option<i128>) -> Watts {
        let text = model.filter(|model| !model.is_empty())?.to_lowercase();
        let cores = cores.or_else(|| cores_in(&text))?;
        let words: Vec<&str> = text.split(|c: char| !(c.is_alphanumeric() || c == '_')).collect();
        let any = |known: &[String]| words.iter().any(|word| known.iter().any(|k| k == word));
        if any(&self.arm.words) {
            return (cores <= self.arm.most_cores.into()).then_some((self.arm.watts, "D.2"));
        }
        let few = cores <= self.x86.cores.into();
        let watts = if few { self.x86.watts } else { self.x86.watts_above };
        any(&self.x86.words).then_some((watts, "D.2"))
    }

    /// Appendix D.3.
    pub fn accelerator(&self, model: Option<&str>) -> Watts {
        let name = squashed(model?);
        let known = self.accelerators.iter().find(|known| name.contains(&known.part));
        known.map(|known| (known.watts, "D.3"))
    }

    /// Appendix D.4.
    pub fn switch(&self, model: &str, cabling: &str) -> Watts {
        let name = squashed(model);
        let known = self.switches.iter().find(|known| name.contains(&known.part))?;
        let watts = if cabling == "passive" { Some(known.passive) } else { known.optical };
        watts.map(|watts| (watts, "D.4"))
    }
}

/// The digits before `core`, with blanks or hyphens between.
fn cores_in(text: &str) -> Option<i128> {
    text.match_indices("core").find_map(|(at, _)| {
        let before = text[..at].trim_end_matches(|c: char| c == '-' || c.is_whitespace());
        let digits = before.rsplit(|c: char| !c.is_ascii_digit()).next()?;
        digits.parse().ok()
    })
}

fn squashed(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase()
}

#[cfg(test)]
mod tests {
    use crate::ruleset::Ruleset;

    #[test]
    fn parts_are_known_by_their_names() {
        let power = &Ruleset::all()[0].power;
        assert_eq!(power.accelerator(Some("NVIDIA GB-200 NVL72")), Some((1200.0, "D.3")));
        assert_eq!(power.accelerator(Some("B200")), Some((1000.0, "D.3")));
        assert_eq!(power.accelerator(Some("unheard of")), None);
        assert_eq!(power.switch("SN5400", "optical"), None);
        assert_eq!(power.switch("SN5610", "optical"), Some((2080.0, "D.4")));
        assert_eq!(power.cpu(Some("AMD EPYC 64-core"), None), Some((350.0, "D.2")));
        assert_eq!(power.cpu(Some("Intel Xeon"), Some(96)), Some((500.0, "D.2")));
        assert_eq!(power.cpu(Some("NVIDIA Grace"), Some(144)), None);
        assert_eq!(power.described_overhead("direct liquid"), Some(0.3));
    }
}
