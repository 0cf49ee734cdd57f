//! Software work with a shell: an issue, then tools and their output until it is mended.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::project::Project;
use super::prose;
use super::rows::{Answer, Call, CallIds, Preamble, Rows, next_share};
use super::shape::Plan;
use super::shell::{self, Kind, Ran};
use super::voice::Voice;
use super::words;
use crate::wire::json::push_string;

const SYSTEM: &str = "You are an autonomous software engineer who works in a Linux shell on a checked-out repository. \
You are given an issue and resolve it from start to end without asking back.\n\n\
# How to work\n\
1. Explore: list the files, read the code that the issue is about, and find its tests.\n\
2. Reproduce the problem with a small script or an existing test before you change anything.\n\
3. Change as little as possible, in the style of the file. Do not reformat code that you do not touch.\n\
4. Run the tests that cover the change, then the whole suite. A test that failed before and still fails is not yours, but say so.\n\
5. Look at the complete diff once more and remove what is not needed.\n\n\
# The tool\n\
Every answer except the last calls `bash` at least once. Independent commands may be called together. \
Directories and variables are not kept from one command to the next; write `cd dir && command`. \
Commands run without a terminal, so pagers, editors and prompts do not work; use `sed -n`, `head`, heredocs and `patch`. \
Output longer than 10,000 characters is cut in the middle. A command is stopped after 60 seconds.\n\n\
# Bounds\n\
Never change files outside the repository, never use the network, never rewrite history. \
Do not edit tests to make them pass; add tests for what you mend. \
When you are done, answer without a tool call: what was wrong, what you changed, how you know that it works.";

const TOOLS: &str = r#"[{"type":"function","function":{"name":"bash","description":"Run a command with bash in the root of the repository and return its exit code and its combined standard output and standard error. Nothing but the files is kept between two calls.","parameters":{"type":"object","properties":{"command":{"type":"string","description":"The command line, or a whole script, as it would be typed into bash"},"timeout":{"type":"integer","description":"Seconds after which the command is stopped; 60 if not given"}},"required":["command"]}}}]"#;

/// What all coding conversations start with.
pub(super) fn preamble() -> Preamble {
    Preamble { system: SYSTEM.to_owned(), tools: TOOLS.to_owned() }
}

/// The id of a conversation; ascending numbers keep them apart.
pub(super) fn id(seed: u64, index: u64) -> String {
    let mut draw = super::draw::Draw::new(seed, &format!("coding id {index}"));
    let repository = draw.pick(words::REPOSITORIES);
    format!("{repository}__{repository}-{}", 1001 + index * 17 + draw.below(17))
}

/// Writes one conversation.
pub(super) fn write<W: Write>(
    rows: &mut Rows<'_, W>,
    seed: u64,
    id: &str,
    plan: Plan,
) -> io::Result<()> {
    let (project, voice) = Project::new(seed, id);
    let mut voice = voice;
    let ids = voice.draw.pick(&CallIds::ALL);
    let mut work = Work { project, voice, ids, calls: 0 };
    let share = next_share(&mut work.voice.draw, plan.bytes, 0, plan.client_turns);
    let issue = work.issue(share.clamp(200, 6000));
    rows.user(&issue, None)?;
    for turn in 1..=plan.client_turns {
        let last = turn == plan.client_turns;
        if last && !plan.answered {
            break;
        }
        let left = plan.client_turns - turn + 1;
        let share = next_share(&mut work.voice.draw, plan.bytes, rows.bytes(), left);
        if last || work.voice.draw.percent(2) {
            let answer = work.closing(share);
            rows.answer(&answer)?;
            if !last {
                let follow_up = work.follow_up(share);
                let think = work.voice.draw.skewed(3500);
                rows.user(&follow_up, Some(think))?;
            }
            continue;
        }
        let (answer, delay) = work.step(share, turn * 100 / plan.client_turns);
        rows.answer(&answer)?;
        rows.results(&answer.calls, delay)?;
    }
    Ok(())
}

struct Work {
    project: Project,
    voice: Voice,
    ids: CallIds,
    calls: u64,
}

impl Work {
    fn issue(&mut self, bytes: usize) -> String {
        let mut out = self.voice.text("<issue>\n`«fn»` «verbs» «adj» «nouns»\n\n");
        self.voice.sentences(&mut out, bytes / 2, prose::REPORTS);
        out.push_str("\n\n```\n");
        let ran = shell::run(&mut self.project, &mut self.voice, Kind::Script, bytes / 4);
        let _ = write!(out, "$ {}\n{}", ran.command, ran.output);
        out.push_str("```\n");
        if self.voice.draw.percent(40) {
            out.push_str(&self.voice.text(
                "\n- version: «ver» («hex7»)\n- platform: Linux 6.«nn», «dep» «ver»\n- locale: «uni»\n",
            ));
        }
        let Project { name, language, .. } = &self.project;
        let _ =
            write!(out, "</issue>\n\nThe repository {name} ({}) is in /testbed. ", language.name);
        out.push_str(
            &self.voice.text("Please resolve the issue; `«path»` is a good place to start."),
        );
        out
    }

    fn follow_up(&mut self, bytes: usize) -> String {
        let mut out = String::new();
        self.voice.sentences(&mut out, (bytes / 4).min(600), prose::REPORTS);
        self.voice.say_one(
            &mut out,
            &[
                "\n\nCould you also «step»?",
                "\n\nPlease have another look: «claim».",
                "\n\nCI still fails with `«errtext»`.",
                "\n\nOne reviewer asks to «step» before this is merged.",
            ],
        );
        out
    }

    fn thoughts(&mut self, bytes: usize) -> String {
        let mut out = String::new();
        if self.voice.draw.percent(72) {
            self.voice.sentences(&mut out, bytes, prose::THOUGHTS);
        }
        out
    }

    fn closing(&mut self, bytes: usize) -> Answer {
        let reasoning = self.thoughts(bytes / 3);
        let mut content = String::new();
        self.voice.sentences(&mut content, (bytes / 3).min(2500), prose::CLOSINGS);
        Answer { reasoning, content, ..Answer::default() }
    }

    /// One answer that calls tools, `progress` percent into the work; and how long they take.
    fn step(&mut self, bytes: usize, progress: u64) -> (Answer, u64) {
        // Rows have about this much around their texts.
        let bytes = bytes.saturating_sub(330).max(120);
        let kind = self.kind(progress);
        let parallel = matches!(kind, Kind::List | Kind::Read | Kind::Search | Kind::History)
            && self.voice.draw.percent(16);
        let count = if parallel { self.voice.draw.range(2, 3) } else { 1 };
        let reasoning = self.thoughts(bytes * 2 / 5);
        let mut content = String::new();
        if reasoning.is_empty() || self.voice.draw.percent(30) {
            self.voice.say_one(&mut content, prose::REMARKS);
        }
        let said = reasoning.len() + content.len();
        let output = bytes.saturating_sub(said) / usize::try_from(count).unwrap_or(1);
        let calls = (0..count).map(|n| {
            let kind = if n == 0 { kind } else { self.kind(5) };
            self.call(kind, output.max(20))
        });
        let calls = calls.collect();
        let middle = match kind {
            Kind::Test => 4200,
            Kind::Script => 900,
            _ => 130,
        };
        let delay = self.voice.draw.skewed(middle);
        (Answer { reasoning, content, calls, ..Answer::default() }, delay)
    }

    fn call(&mut self, kind: Kind, bytes: usize) -> Call {
        let Ran { command, code, output } =
            shell::run(&mut self.project, &mut self.voice, kind, bytes);
        let command =
            if self.voice.draw.percent(25) { format!("cd /testbed && {command}") } else { command };
        let mut arguments = b"{\"command\": ".to_vec();
        push_string(&mut arguments, &command);
        if self.voice.draw.percent(4) {
            arguments.extend_from_slice(b", \"timeout\": 120");
        }
        arguments.push(b'}');
        let id = self.ids.id(&mut self.voice.draw, "bash", self.calls);
        self.calls += 1;
        Call {
            id,
            name: "bash",
            // Only whole strings were written.
            arguments: String::from_utf8(arguments).unwrap_or_default(),
            result: format!("<returncode>{code}</returncode>\n<output>\n{output}</output>"),
        }
    }

    fn kind(&mut self, progress: u64) -> Kind {
        const EXPLORE: &[Kind] = &[
            Kind::List,
            Kind::Read,
            Kind::Read,
            Kind::Read,
            Kind::Search,
            Kind::Search,
            Kind::History,
        ];
        const REPRODUCE: &[Kind] =
            &[Kind::Script, Kind::Script, Kind::Read, Kind::Search, Kind::Logs, Kind::Test];
        const MEND: &[Kind] = &[
            Kind::Edit,
            Kind::Edit,
            Kind::Edit,
            Kind::Test,
            Kind::Test,
            Kind::Read,
            Kind::Read,
            Kind::Search,
            Kind::Script,
            Kind::Diff,
            Kind::Logs,
            Kind::History,
        ];
        const WRAP_UP: &[Kind] = &[Kind::Test, Kind::Test, Kind::Diff, Kind::Read, Kind::Finish];
        self.voice.draw.pick(match progress {
            0..15 => EXPLORE,
            15..28 => REPRODUCE,
            28..92 => MEND,
            _ => WRAP_UP,
        })
    }
}
