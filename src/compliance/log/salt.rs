//! The salt, and the template's arguments, in what was sent.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::evidence::{Evidence, Fault};
use super::order::shown;
use super::sessions::Session;
use crate::digest::salt_hex;
use crate::events::{LoggedPrompt, PromptFacts, TurnKey};

/// Markers of a salted body.
const MARKERS: u8 = 2;

/// Follows the prompts.
#[derive(Debug)]
pub(super) struct Salt<'a> {
    /// The template's arguments that the benchmark has for the model, `null` where there are to be
    /// none; none where the model is not known.
    arguments: Option<&'a Value>,
    absent: Evidence,
    wrong: Evidence,
    sampled: Evidence,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    role: std::borrow::Cow<'a, str>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
}

impl<'a> Salt<'a> {
    pub(super) fn new(arguments: Option<&'a Value>) -> Self {
        let (absent, wrong, sampled) = Default::default();
        Self { arguments, absent, wrong, sampled }
    }

    /// Looks at a turn that is sent; `text` is its line.
    pub(super) fn sent(
        &mut self,
        key: &TurnKey,
        prompt: &PromptFacts,
        session: &Session,
        line: u64,
        text: &[u8],
    ) {
        if prompt.salt_markers != MARKERS {
            let found = prompt.salt_markers;
            let text = || format!("{} with {found} of 2 markers (line {line})", shown(key));
            return self.absent.add(Some(line), text);
        }
        // What is wrong with the line was told when it was read.
        let Ok(Some(logged)) = LoggedPrompt::of_line(text) else { return };
        if let Some((before, after)) = markers(&logged.messages) {
            let wanted = (salt_hex(&session.pass.to_string()), salt_hex(session.source()));
            if (&before, &after) != (&wanted.0, &wanted.1) {
                let text = || {
                    let (pass, conversation) = &wanted;
                    let turn = shown(key);
                    format!(
                        "{turn} with {before} and {after} for {pass} and {conversation} (line {line})"
                    )
                };
                self.wrong.add(Some(line), text);
            }
        }
        self.arguments(key, &logged, line);
    }

    fn arguments(&mut self, key: &TurnKey, logged: &LoggedPrompt, line: u64) {
        let Some(wanted) = self.arguments else { return };
        let found = logged.chat_template_kwargs.as_deref();
        let found: Value =
            found.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
        if found != *wanted {
            self.sampled.add(Some(line), || format!("{} with {found} (line {line})", shown(key)));
        }
    }

    /// Faults.
    pub(super) fn faults(&self, faults: &mut Vec<Fault>) {
        faults.extend(self.absent.fault("x-salt", "fail"));
        faults.extend(self.wrong.fault("x-salt", "fail-2"));
        let wanted = self.arguments.map(Value::to_string).unwrap_or_default();
        let sampled = self.sampled.fault("x-sampling", "fail");
        faults.extend(sampled.map(|fault| fault.with("expected", wanted)));
    }
}

/// What stands in the two markers around the first system message.
fn markers(messages: &str) -> Option<(String, String)> {
    let messages: Vec<Message<'_>> = serde_json::from_str(messages).ok()?;
    let system = messages.into_iter().find(|message| message.role == "system")?;
    let text: String = serde_json::from_str(system.content?.get()).ok()?;
    let inside = |marker: &str| {
        marker.strip_prefix("[salt: ").and_then(|rest| rest.strip_suffix(']')).map(str::to_owned)
    };
    let (before, _) = text.split_once("\n\n")?;
    let (_, after) = text.rsplit_once("\n\n")?;
    Some((inside(before)?, inside(after)?))
}
