//! Which model of a ruleset a name means.

use super::model::{ModelRules, Ruleset};

impl Ruleset {
    /// The model that a name means: its canonical name or one of its aliases in any case, else, as
    /// the official checker picks thresholds by directory, the first model all of whose fragments
    /// stand in the name once everything but letters and digits is dropped.
    pub fn recognise(&self, name: &str) -> Option<&ModelRules> {
        let is = |other: &String| other.eq_ignore_ascii_case(name);
        let named =
            self.models.iter().find(|model| is(&model.canonical) || model.aliases.iter().any(is));
        let plain: String =
            name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
        let holds = |model: &&ModelRules| {
            !model.fragments.is_empty() && model.fragments.iter().all(|part| plain.contains(part))
        };
        named.or_else(|| self.models.iter().find(holds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_aliases_and_fragments() {
        let ruleset = &Ruleset::all()[0];
        let canonical = |name: &str| ruleset.recognise(name).map(|model| model.canonical.as_str());
        let cases = [
            ("kimi-k3", Some("kimi-k3")),
            ("Kimi_K3-NVFP4", Some("kimi-k3")),
            ("moonshotai/kimi-k3", Some("kimi-k3")),
            ("kimi-k2_6", Some("kimi-k2_6")),
            ("Kimi K2.6", Some("kimi-k2_6")),
            ("qwen3_6-35b-a3b", Some("qwen3_6-35b-a3b")),
            ("Qwen/Qwen3.6-35B-A3B-FP8", Some("qwen3_6-35b-a3b")),
            ("deepseek-v4_1-flash", Some("deepseek-v4_1-flash")),
            ("deepseek-ai/DeepSeek-V4.1-Flash", Some("deepseek-v4_1-flash")),
            ("DeepSeek-V4-Flash", None),
            ("kimi", None),
            ("gpt-oss-120b", None),
            ("", None),
        ];
        for (name, expected) in cases {
            assert_eq!(canonical(name), expected, "{name}");
        }
    }
}
