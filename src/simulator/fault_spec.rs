//! Faults as short texts, such as `status=500@every:10`.
//!
//! ```text
//! fault    = kind [ "=" value ] { "," option "=" value } [ "@" selector { "," selector } ]
//!
//! kind       value                        default        options
//! status     300 to 599                   -              retry-after (seconds), body
//! reset      fragments sent before        before head
//! stall      fragments sent before        1              for (duration; for ever)
//! malformed  fragments sent before        1
//! cut        fragments sent before        1
//! error      fragments sent before        1
//! slow       duration                     -
//! empty
//! idle       duration                     -              (no selector)
//! refuse                                                 (selector: after only)
//! die                                                    (selector: after only)
//!
//! selector = always | every:N | request:N | first:N | after:N | turn:N | session:ID | share:X
//! ```
//!
//! Several selectors must all agree. A value that holds a comma or an `@` is written as a JSON
//! string: `status=503,body="a, b"@session:"x@y"`.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::units::HumanDuration;

use super::faults::{Fault, FaultKind, Selector, When};

/// The kinds, in the order of the table above.
const KINDS: [&str; 11] = [
    "status",
    "reset",
    "stall",
    "malformed",
    "cut",
    "error",
    "slow",
    "empty",
    "idle",
    "refuse",
    "die",
];

/// The selectors, in the order of the grammar above.
const SELECTORS: [&str; 8] =
    ["always", "every", "request", "first", "after", "turn", "session", "share"];

/// Fragments sent before a fault inside a stream, where the text does not say.
const DEFAULT_AFTER: u64 = 1;

/// A text that is no fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("fault `{spec}`: {problem}; {expected}")]
pub struct FaultError {
    /// The text.
    pub spec: String,
    /// What is wrong with it.
    pub problem: String,
    /// What was expected in its place.
    pub expected: String,
}

/// A problem and what was expected; the text is added at the top.
type Problem = (String, String);

impl FromStr for Fault {
    type Err = FaultError;

    fn from_str(spec: &str) -> Result<Self, FaultError> {
        parse(spec.trim()).map_err(|(problem, expected)| FaultError {
            spec: spec.to_owned(),
            problem,
            expected,
        })
    }
}

fn problem<T>(problem: impl Into<String>, expected: impl Into<String>) -> Result<T, Problem> {
    Err((problem.into(), expected.into()))
}

fn parse(spec: &str) -> Result<Fault, Problem> {
    let mut halves = split(spec, '@').into_iter();
    let what = halves.next().unwrap_or_default();
    let which = halves.next();
    if let Some(more) = halves.next() {
        return problem(
            format!("a second `@` before `{more}`"),
            "write several selectors as `@first,second`, and an `@` in a value in double quotes",
        );
    }
    let mut parts = Parts::parse(what)?;
    let kind = kind(&mut parts)?;
    parts.end()?;
    let selectors = match which {
        None => Vec::new(),
        Some(which) => selectors(which)?,
    };
    check_selectors(&kind, &selectors)?;
    Ok(Fault { kind, selectors })
}

/// Splits at a separator outside double quotes.
fn split(text: &str, separator: char) -> Vec<&str> {
    let (mut quoted, mut escaped, mut start) = (false, false, 0);
    let mut parts = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            c if c == separator && !quoted => {
                parts.push(&text[start..at]);
                start = at + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// A value without its quotes.
fn unquoted<'a>(name: &str, value: &'a str) -> Result<Cow<'a, str>, Problem> {
    if !value.starts_with('"') {
        return Ok(Cow::Borrowed(value));
    }
    match serde_json::from_str::<String>(value) {
        Ok(text) => Ok(Cow::Owned(text)),
        Err(error) => problem(format!("the value of `{name}`: {error}"), "expected a JSON string"),
    }
}

/// A kind with its value and options, taken out one by one.
struct Parts<'a> {
    kind: &'a str,
    value: Option<Cow<'a, str>>,
    options: Vec<(&'a str, Cow<'a, str>)>,
}

impl<'a> Parts<'a> {
    fn parse(text: &'a str) -> Result<Self, Problem> {
        let mut parts = split(text, ',').into_iter();
        let first = parts.next().unwrap_or_default();
        let (kind, value) = match first.split_once('=') {
            Some((kind, value)) => (kind.trim(), Some(unquoted(kind.trim(), value.trim())?)),
            None => (first.trim(), None),
        };
        let options = parts
            .map(|part| match part.split_once('=') {
                Some((name, value)) => Ok((name.trim(), unquoted(name.trim(), value.trim())?)),
                None => problem(
                    format!("`{}` has no value", part.trim()),
                    "expected `name=value`; selectors come after an `@`",
                ),
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { kind, value, options })
    }

    /// Takes an option out.
    fn take(&mut self, name: &str) -> Option<Cow<'a, str>> {
        let position = self.options.iter().position(|(found, _)| *found == name)?;
        Some(self.options.remove(position).1)
    }

    /// Fails when anything was not taken.
    fn end(&self) -> Result<(), Problem> {
        if let Some(value) = &self.value {
            let kind = self.kind;
            return problem(format!("a value `{value}`"), format!("`{kind}` takes none"));
        }
        let Some((name, _)) = self.options.first() else { return Ok(()) };
        let known = match self.kind {
            "status" => "`status` takes `retry-after` and `body`, each once",
            "stall" => "`stall` takes `for`, once",
            _ => "only `status` and `stall` take options",
        };
        problem(format!("`{}` has an option `{name}`", self.kind), known)
    }
}

fn kind(parts: &mut Parts<'_>) -> Result<FaultKind, Problem> {
    let name = parts.kind;
    let kind = match name {
        "status" => FaultKind::Status {
            code: status(parts.value.take())?,
            retry_after: parts
                .take("retry-after")
                .map(|value| number("retry-after", &value, 0, "a count of seconds"))
                .transpose()?,
            body: parts.take("body").map(Cow::into_owned),
        },
        "reset" => match parts.value.take() {
            None => FaultKind::Reset(When::BeforeHead),
            Some(value) => FaultKind::Reset(When::After(fragments(name, &value)?)),
        },
        "stall" => FaultKind::Stall {
            after: after(parts)?,
            resume: parts.take("for").map(|value| duration("for", Some(&value))).transpose()?,
        },
        "malformed" => FaultKind::Malformed { after: after(parts)? },
        "cut" => FaultKind::Cut { after: after(parts)? },
        "error" => FaultKind::Error { after: after(parts)? },
        "slow" => FaultKind::Slow(duration(name, parts.value.take().as_deref())?),
        "idle" => FaultKind::Idle(duration(name, parts.value.take().as_deref())?),
        "empty" => FaultKind::Empty,
        "refuse" => FaultKind::Refuse,
        "die" => FaultKind::Die,
        "" => return problem("it has no kind", format!("expected one of {}", KINDS.join(", "))),
        unknown => {
            return problem(format!("there is no kind `{unknown}`"), one_of(unknown, &KINDS));
        }
    };
    Ok(kind)
}

/// Says what is possible, the most similar first.
fn one_of(found: &str, names: &[&str]) -> String {
    let nearest = names.iter().map(|name| (strsim::damerau_levenshtein(found, name), name)).min();
    match nearest {
        Some((distance, name)) if distance <= 2 => format!("did you mean `{name}`?"),
        _ => format!("expected one of {}", names.join(", ")),
    }
}

fn status(value: Option<Cow<'_, str>>) -> Result<u16, Problem> {
    let expected = "expected an HTTP status from 300 to 599, such as `status=503`";
    match value {
        None => problem("`status` has no value", expected),
        Some(value) => match value.parse() {
            Ok(code @ 300..=599) => Ok(code),
            _ => problem(format!("`{value}` is no status of a failure"), expected),
        },
    }
}

fn after(parts: &mut Parts<'_>) -> Result<u64, Problem> {
    match parts.value.take() {
        None => Ok(DEFAULT_AFTER),
        Some(value) => fragments(parts.kind, &value),
    }
}

fn fragments(name: &str, value: &str) -> Result<u64, Problem> {
    number(name, value, 0, "the number of fragments sent before")
}

fn number(name: &str, value: &str, least: u64, what: &str) -> Result<u64, Problem> {
    match value.parse::<u64>() {
        Ok(number) if number >= least => Ok(number),
        _ => problem(
            format!("the value of `{name}` is `{value}`"),
            format!("expected {what}, a whole number from {least}"),
        ),
    }
}

fn duration(name: &str, value: Option<&str>) -> Result<Duration, Problem> {
    let Some(value) = value else {
        return problem(
            format!("`{name}` has no value"),
            format!("expected a duration, such as `{name}=250ms`"),
        );
    };
    match value.parse::<HumanDuration>() {
        Ok(duration) => Ok(duration.get()),
        Err(error) => problem(format!("the value of `{name}` is `{value}`"), error.to_string()),
    }
}

fn selectors(text: &str) -> Result<Vec<Selector>, Problem> {
    let parts = split(text, ',').into_iter().map(str::trim).filter(|part| *part != "always");
    parts.map(selector).collect()
}

fn selector(text: &str) -> Result<Selector, Problem> {
    let Some((name, value)) = text.split_once(':') else {
        let expected = if SELECTORS.contains(&text) {
            format!("expected `{text}:VALUE`")
        } else {
            one_of(text, &SELECTORS)
        };
        return problem(format!("`{text}` is no selector"), expected);
    };
    let (name, value) = (name.trim(), value.trim());
    let count = || number(name, value, 1, "a count of requests");
    Ok(match name {
        "every" => Selector::Every(count()?),
        "request" => Selector::Request(count()?),
        "first" => Selector::First(count()?),
        "after" => Selector::After(number(name, value, 0, "a count of requests")?),
        "turn" => Selector::Turn(number(name, value, 1, "a turn's number in its conversation")?),
        "session" => match unquoted(name, value)? {
            id if id.is_empty() => {
                return problem("`session` has no id", "expected `session:ID`");
            }
            id => Selector::Session(id.into_owned()),
        },
        "share" => match value.parse::<f64>() {
            Ok(share) if (0.0..=1.0).contains(&share) => Selector::Share(share),
            _ => {
                return problem(
                    format!("the value of `share` is `{value}`"),
                    "expected a share of the requests, from 0 to 1",
                );
            }
        },
        unknown => {
            return problem(
                format!("there is no selector `{unknown}`"),
                one_of(unknown, &SELECTORS),
            );
        }
    })
}

/// Faults of connections cannot be told from what a request holds.
fn check_selectors(kind: &FaultKind, selectors: &[Selector]) -> Result<(), Problem> {
    match (kind, selectors) {
        (FaultKind::Refuse | FaultKind::Die, [] | [Selector::After(_)])
        | (FaultKind::Idle(_), []) => Ok(()),
        (FaultKind::Refuse | FaultKind::Die, _) => {
            problem("the endpoint is gone for everyone", "expected no selector, or `after:N` alone")
        }
        (FaultKind::Idle(_), _) => problem(
            "`idle` with a selector",
            "leave it out: connections are idle between requests, whoever sends them",
        ),
        _ => Ok(()),
    }
}

/// A value as it has to be written: in quotes where it could be misread.
fn quoted(value: &str) -> Cow<'_, str> {
    let plain = !value.is_empty()
        && value.trim() == value
        && !value.contains(|c: char| matches!(c, ',' | '@' | '"' | '\\') || c.is_control());
    if plain { value.into() } else { serde_json::Value::from(value).to_string().into() }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            FaultKind::Status { code, retry_after, body } => {
                write!(f, "status={code}")?;
                if let Some(seconds) = retry_after {
                    write!(f, ",retry-after={seconds}")?;
                }
                if let Some(body) = body {
                    write!(f, ",body={}", quoted(body))?;
                }
            }
            FaultKind::Reset(When::BeforeHead) => f.write_str("reset")?,
            FaultKind::Reset(When::After(after)) => write!(f, "reset={after}")?,
            FaultKind::Stall { after, resume } => {
                write!(f, "stall={after}")?;
                if let Some(time) = resume {
                    write!(f, ",for={}", HumanDuration::from(*time))?;
                }
            }
            FaultKind::Malformed { after } => write!(f, "malformed={after}")?,
            FaultKind::Cut { after } => write!(f, "cut={after}")?,
            FaultKind::Error { after } => write!(f, "error={after}")?,
            FaultKind::Slow(time) => write!(f, "slow={}", HumanDuration::from(*time))?,
            FaultKind::Idle(time) => write!(f, "idle={}", HumanDuration::from(*time))?,
            FaultKind::Empty => f.write_str("empty")?,
            FaultKind::Refuse => f.write_str("refuse")?,
            FaultKind::Die => f.write_str("die")?,
        }
        for (position, selector) in self.selectors.iter().enumerate() {
            f.write_str(if position == 0 { "@" } else { "," })?;
            match selector {
                Selector::Every(n) => write!(f, "every:{n}")?,
                Selector::Request(n) => write!(f, "request:{n}")?,
                Selector::First(n) => write!(f, "first:{n}")?,
                Selector::After(n) => write!(f, "after:{n}")?,
                Selector::Turn(n) => write!(f, "turn:{n}")?,
                Selector::Session(id) => write!(f, "session:{}", quoted(id))?,
                Selector::Share(share) => write!(f, "share:{share}")?,
            }
        }
        Ok(())
    }
}

impl Serialize for Fault {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Fault {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

impl JsonSchema for Fault {
    fn schema_name() -> Cow<'static, str> {
        "Fault".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "A fault and the requests that it hits: `kind[=value][,option=value][@selector,…]`. \
                Kinds: status, reset, stall, malformed, cut, error, slow, empty, idle, refuse, die. \
                Selectors: always, every:N, request:N, first:N, after:N, turn:N, session:ID, share:X.",
            "examples": [
                "status=500@every:10",
                "status=429,retry-after=2@first:3",
                "reset=2@turn:3",
                "stall@session:sim_001",
                "refuse@after:20",
            ],
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn faults_read_as_written() {
        let fault = |text: &str| text.parse::<Fault>().unwrap();
        let status = |code, retry_after, body: Option<&str>| FaultKind::Status {
            code,
            retry_after,
            body: body.map(str::to_owned),
        };
        assert_eq!(
            fault("status=500@every:10"),
            Fault { kind: status(500, None, None), selectors: vec![Selector::Every(10)] }
        );
        assert_eq!(
            fault("status=429,retry-after=2,body=\"slow, @ please\" @ first:3, turn:1"),
            Fault {
                kind: status(429, Some(2), Some("slow, @ please")),
                selectors: vec![Selector::First(3), Selector::Turn(1)],
            }
        );
        assert_eq!(fault("reset@turn:3").kind, FaultKind::Reset(When::BeforeHead));
        assert_eq!(fault("reset=3@always").selectors, []);
        let resume = Some(Duration::from_secs(30));
        assert_eq!(fault("stall=2,for=30s").kind, FaultKind::Stall { after: 2, resume });
        assert_eq!(
            fault("stall@session:sim_001").selectors,
            [Selector::Session("sim_001".to_owned())]
        );
        assert_eq!(fault("refuse@after:20").kind, FaultKind::Refuse);
        assert_eq!(fault("idle=500ms").kind, FaultKind::Idle(Duration::from_millis(500)));
    }

    #[test]
    fn what_is_no_fault_says_why() {
        let texts = [
            "",
            "@every:2",
            "stauts=500",
            "teapot",
            "status",
            "status=200",
            "status=5OO",
            "status=500,retry-after=soon",
            "status=500,after=2",
            "status=500,body=a,body=b",
            "status=500,every:2",
            "status=500,body=\"open",
            "reset=-1",
            "empty=1",
            "slow",
            "slow=5",
            "stall=1,for=ever",
            "reset@",
            "reset@every",
            "reset@evry:2",
            "reset@every:0",
            "reset@turn:0",
            "reset@session:",
            "reset@share:1.5",
            "reset@turn:1@turn:2",
            "idle=1s@turn:2",
            "refuse@turn:2",
            "die@after:1,after:2",
        ];
        let errors: Vec<String> =
            texts.iter().map(|text| text.parse::<Fault>().unwrap_err().to_string()).collect();
        insta::assert_snapshot!(errors.join("\n"));
    }

    fn kinds() -> impl Strategy<Value = FaultKind> {
        let time = || (0..u64::from(u32::MAX)).prop_map(Duration::from_nanos);
        prop_oneof![
            (
                300..=599_u16,
                proptest::option::of(any::<u64>()),
                proptest::option::of(any::<String>())
            )
                .prop_map(|(code, retry_after, body)| FaultKind::Status {
                    code,
                    retry_after,
                    body
                }),
            Just(FaultKind::Reset(When::BeforeHead)),
            any::<u64>().prop_map(|after| FaultKind::Reset(When::After(after))),
            (any::<u64>(), proptest::option::of(time()))
                .prop_map(|(after, resume)| FaultKind::Stall { after, resume }),
            any::<u64>().prop_map(|after| FaultKind::Cut { after }),
            time().prop_map(FaultKind::Slow),
        ]
    }

    fn any_selector() -> impl Strategy<Value = Selector> {
        prop_oneof![
            (1..=u64::MAX).prop_map(Selector::Every),
            any::<u64>().prop_map(Selector::After),
            (1..=u64::MAX).prop_map(Selector::Turn),
            any::<String>()
                .prop_filter("an id has text", |id| !id.is_empty())
                .prop_map(Selector::Session),
            (0.0..=1.0).prop_map(Selector::Share),
        ]
    }

    proptest! {
        #[test]
        fn printing_reads_back(
            kind in kinds(),
            selectors in proptest::collection::vec(any_selector(), 0..4),
        ) {
            let fault = Fault { kind, selectors };
            prop_assert_eq!(fault.to_string().parse(), Ok(fault));
        }

        #[test]
        fn no_text_makes_it_panic(text in "[a-z=:,@\"\\\\0-9 ]{0,40}") {
            let _ = text.parse::<Fault>();
        }
    }
}
