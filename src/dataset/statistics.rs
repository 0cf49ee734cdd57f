//! How the trajectories of a data set are spread, for people who choose or make one.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::model::{Message, Row, Trajectory};

/// Names of tools that are counted one by one; calls of others are counted together.
const MAX_TOOLS: usize = 200;

/// The name under which the calls of the tools beyond [`MAX_TOOLS`] are counted.
const OTHER_TOOLS: &str = "(other tools)";

/// Statistics of some trajectories.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// Trajectories.
    pub trajectories: u64,
    /// Recorded answers.
    pub assistant_turns: u64,
    /// Recorded answers with reasoning.
    pub reasoning_turns: u64,
    /// Recorded answers that call tools.
    pub calling_turns: u64,
    /// Recorded answers that call more than one tool at once.
    pub parallel_turns: u64,
    /// Recorded answers with ground truth in `intent_codes`.
    pub intent_turns: u64,
    /// Calls by the tool's name.
    pub tools: BTreeMap<String, u64>,
    /// Client turns of each trajectory.
    pub client_turns: Spread,
    /// Text of each request's messages in bytes: the system prompt and everything recorded up to
    /// it. Tool definitions and JSON framing are not in it.
    pub prompt_bytes: Spread,
    /// Text of each recorded answer in bytes: content, reasoning and tool calls.
    pub reply_bytes: Spread,
    /// Delay before each client turn in milliseconds, those without one left out.
    pub delay_ms: Spread,
}

impl Statistics {
    /// Takes a trajectory in.
    pub fn add(&mut self, trajectory: &Trajectory) {
        self.trajectories += 1;
        let mut client_turns = 0;
        let mut history = trajectory.system.as_ref().map_or(0, String::len);
        for row in &trajectory.rows {
            history += text_bytes(row);
            if row.is_client_turn() {
                client_turns += 1;
                self.prompt_bytes.add(history as u64);
                if let Some(delay) = row.delay.filter(|delay| !delay.is_zero()) {
                    self.delay_ms.add(u64::try_from(delay.as_millis()).unwrap_or(u64::MAX));
                }
            } else {
                self.reply_bytes.add(text_bytes(row) as u64);
                self.answer(&row.message);
            }
        }
        self.client_turns.add(client_turns);
    }

    /// Counts a recorded answer.
    fn answer(&mut self, message: &Message) {
        let Message::Assistant { reasoning, tool_calls, intent_codes, .. } = message else {
            return;
        };
        self.assistant_turns += 1;
        self.reasoning_turns += u64::from(reasoning.as_ref().is_some_and(|text| !text.is_empty()));
        self.intent_turns += u64::from(!intent_codes.is_empty());
        let Some(calls) = tool_calls else { return };
        // The reader checked the shape.
        let calls: Vec<Call> = serde_json::from_str(calls).unwrap_or_default();
        self.calling_turns += u64::from(!calls.is_empty());
        self.parallel_turns += u64::from(calls.len() > 1);
        for Call { function: Function { name } } in calls {
            let known = self.tools.contains_key(&name) || self.tools.len() < MAX_TOOLS;
            let name = if known { name } else { OTHER_TOOLS.to_owned() };
            *self.tools.entry(name).or_default() += 1;
        }
    }
}

#[derive(Deserialize)]
struct Call {
    function: Function,
}

#[derive(Deserialize)]
struct Function {
    name: String,
}

/// The text of a row's message in bytes.
fn text_bytes(row: &Row) -> usize {
    let length = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    match &row.message {
        Message::User { content } => content.len(),
        Message::Assistant { content, reasoning, tool_calls, .. } => {
            length(content) + length(reasoning) + length(tool_calls)
        }
        Message::Tool { results } => results.iter().map(|result| result.content.len()).sum(),
    }
}

/// How some numbers are spread.
#[derive(Clone, Debug, Default)]
pub struct Spread(Vec<u64>);

/// What is said of a [`Spread`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Quantiles {
    /// How many numbers.
    pub count: u64,
    /// Their sum.
    pub total: u64,
    /// The smallest.
    pub min: u64,
    /// At least half of them are no greater (nearest rank).
    pub p50: u64,
    /// At least nine in ten are no greater (nearest rank).
    pub p90: u64,
    /// The greatest.
    pub max: u64,
}

impl Spread {
    /// Takes a number in.
    pub fn add(&mut self, number: u64) {
        self.0.push(number);
    }

    /// The numbers, in the order in which they were taken in.
    pub fn numbers(&self) -> &[u64] {
        &self.0
    }

    /// The quantiles; all 0 of no numbers.
    pub fn quantiles(&self) -> Quantiles {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let (Some(&min), Some(&max)) = (sorted.first(), sorted.last()) else {
            return Quantiles::default();
        };
        // Nearest rank: the ceil(n * percent / 100)-th, counted from 1.
        let rank = |percent: usize| {
            let rank = (sorted.len() * percent).div_ceil(100).max(1);
            sorted.get(rank - 1).copied().unwrap_or(max)
        };
        Quantiles {
            count: sorted.len() as u64,
            total: sorted.iter().fold(0, |sum, number| sum.saturating_add(*number)),
            min,
            p50: rank(50),
            p90: rank(90),
            max,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_nearest_ranks() {
        let mut spread = Spread::default();
        assert_eq!(spread.quantiles(), Quantiles::default());
        for number in [30, 10, 20, 40] {
            spread.add(number);
        }
        let expected = Quantiles { count: 4, total: 100, min: 10, p50: 20, p90: 40, max: 40 };
        assert_eq!(spread.quantiles(), expected);
    }
}
