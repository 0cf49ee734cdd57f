//! The checks of a probe, in their order.

use std::time::UNIX_EPOCH;

use serde_json::Value;

use super::ask::{Answer, Asker, Chat, Page};
use super::bodies;
use super::report::{Report, Status, ms};
use crate::wire::excerpt;

/// Looks at the server's pages: alive, its clock, its models. Fails where nothing answers in HTTP.
pub(super) async fn pages(asker: &Asker, report: &mut Report) -> Result<(), String> {
    let health = asker.get("/health").await;
    let models = asker.get("/v1/models").await;
    let connected =
        report.facts.connect_ms.map_or(String::new(), |ms| format!("connects in {ms} ms"));
    match (&health, &models) {
        (Err(error), Err(_)) => {
            return Err(format!("{connected}, but GET /health brings: {error}"));
        }
        (Ok(page), _) if page.status == 503 => {
            report.add("alive", Status::Note, format!("{connected}; /health says 503"));
            report.hint("the server may still be loading its model");
        }
        (Ok(page), _) => {
            let found =
                format!("{connected}; /health says {} in {} ms", page.status, ms(page.took));
            report.add("alive", Status::Ok, found);
        }
        (Err(_), Ok(page)) => {
            let found = format!("{connected}; answers in {} ms, but not at /health", ms(page.took));
            report.add("alive", Status::Ok, found);
        }
    }
    if let Some(page) = models.as_ref().ok().or(health.as_ref().ok()) {
        clock(page, report);
    }
    list(models, report);
    Ok(())
}

/// Compares the server's clock with ours. Its `Date` has whole seconds, so the offset is known to
/// about one.
fn clock(page: &Page, report: &mut Report) {
    let date = page.date.as_deref().and_then(|date| httpdate::parse_http_date(date).ok());
    let Some(date) = date.and_then(|date| date.duration_since(UNIX_EPOCH).ok()) else {
        return report.add("clock", Status::Skipped, "the server sends no Date");
    };
    let date = date.as_secs_f64();
    let (least, most) = (date - page.answered_at, date + 1.0 - page.asked_at);
    let offset = f64::midpoint(least, most);
    report.facts.clock_offset_s = Some((offset * 10.0).round() / 10.0);
    if least <= 1.0 && most >= -1.0 {
        report.add("clock", Status::Ok, "agrees with ours within a second or two");
    } else {
        let side = if offset > 0.0 { "ahead of" } else { "behind" };
        let found = format!("the server's is about {:.0} s {side} ours", offset.abs());
        report.add("clock", Status::Note, found);
        report.hint("results are timed by ours alone; only the server's own logs are shifted");
    }
}

fn list(page: Result<Page, String>, report: &mut Report) {
    let simulated = page.as_ref().is_ok_and(|page| is_simulated(&page.body));
    let ids = match page {
        Ok(page) if page.status == 200 => ids(&page.body).unwrap_or_default(),
        Ok(page) if matches!(page.status, 401 | 403) => {
            report.add(
                "models",
                Status::Missing,
                format!("HTTP {}: the key is refused", page.status),
            );
            return report.hint("--api-key-env VARIABLE names the variable with the key");
        }
        _ => Vec::new(),
    };
    let asked = report.model.clone();
    if ids.is_empty() {
        if asked.is_some() {
            return report.add("models", Status::Note, "the server lists none");
        }
        report.add("models", Status::Missing, "the server lists none, so there is none to ask");
        return report.hint("--model NAME says which to ask");
    }
    let shown = excerpt(ids.join(", ").as_bytes());
    let simulated = if simulated { " (scenario's own simulated endpoint)" } else { "" };
    match asked {
        Some(asked) if !ids.contains(&asked) => {
            report.add("models", Status::Note, format!("{shown}; `{asked}` is not among them"));
        }
        _ => report.add("models", Status::Ok, format!("{shown}{simulated}")),
    }
    if report.model.is_none() {
        report.model = ids.first().cloned();
    }
    report.facts.models = Some(ids);
}

fn ids(body: &[u8]) -> Option<Vec<String>> {
    let list: Value = serde_json::from_slice(body).ok()?;
    let models = list.get("data")?.as_array()?;
    Some(models.iter().filter_map(|model| model.get("id")?.as_str().map(str::to_owned)).collect())
}

/// Whether the list is that of `scenario serve`.
pub(super) fn is_simulated(body: &[u8]) -> bool {
    let list: Option<Value> = serde_json::from_slice(body).ok();
    let owner = list.as_ref().and_then(|list| list.get("data")?.get(0)?.get("owned_by")?.as_str());
    owner == Some("scenario")
}

/// How chat requests must look for this server.
struct Way {
    usage: bool,
    session: Option<&'static str>,
}

/// Looks at chat completions: streaming, session, usage, cache, reasoning, tools, history.
pub(super) async fn chats(asker: &Asker, nonce: &str, report: &mut Report) {
    let rest = ["session", "usage", "cache", "reasoning", "tools", "history"];
    let Some(model) = report.model.clone() else {
        return skip(report, "streaming", &rest);
    };
    let Some((way, first)) = streaming(asker, &model, nonce, report).await else {
        return skip(report, "usage", &rest[2..]);
    };
    usage(asker, &model, nonce, &way, &first, report).await;
    match first.reasoning_key {
        Some(key) => report.add("reasoning", Status::Ok, format!("streamed as `{key}`")),
        None => report.add("reasoning", Status::Note, "the reply had none"),
    }
    report.facts.reasoning_key = first.reasoning_key;
    tools(asker, &model, &way, report).await;
    history(asker, &model, &way, report).await;
}

fn skip(report: &mut Report, first: &'static str, rest: &[&'static str]) {
    for check in std::iter::once(first).chain(rest.iter().copied()) {
        report.add(check, Status::Skipped, "needs what is missing above");
    }
}

/// The first chat: as a replay sends it, then with less, to find out what is refused.
async fn streaming(
    asker: &Asker,
    model: &str,
    nonce: &str,
    report: &mut Report,
) -> Option<(Way, Chat)> {
    let session = Some("scenario-probe");
    // Each way with the place of the refusal that shows what the server does not take.
    let ways = [
        (Way { usage: true, session }, 0, 0),
        (Way { usage: false, session }, 0, 0),
        (Way { usage: true, session: None }, 0, 0),
        (Way { usage: false, session: None }, 2, 1),
    ];
    let mut refusals: Vec<String> = Vec::new();
    for (way, of_usage, of_session) in ways {
        match asker.chat(&bodies::chat(model, nonce, way.usage), way.session).await {
            Answer::Refused(text) => refusals.push(text),
            Answer::Reply(chat) => {
                let usable = stream(&chat, report);
                if way.session.is_some() {
                    report.add("session", Status::Ok, "the session header is accepted");
                } else {
                    report.add("session", Status::Missing, refusals[of_session].clone());
                    report.hint("without the session header the request is taken");
                }
                if usable && !way.usage {
                    report.add("usage", Status::Note, refusals[of_usage].clone());
                    report.hint("set endpoint.usage: false; then the server gives no token counts");
                }
                return usable.then_some((way, *chat));
            }
        }
    }
    report.add("streaming", Status::Missing, refusals.into_iter().next().unwrap_or_default());
    report.add("session", Status::Skipped, "needs what is missing above");
    None
}

/// Whether the reply streams as a replay needs it.
fn stream(chat: &Chat, report: &mut Report) -> bool {
    let check = "streaming";
    let reply = match &chat.reply {
        Ok(reply) => reply,
        Err(failure) => {
            report.add(check, Status::Missing, failure.message.clone());
            return false;
        }
    };
    if !chat.streamed {
        report.add(check, Status::Missing, "the reply came as one JSON body");
        report.hint("without streaming there is no time to first token");
        return false;
    }
    report.facts.stream_events = Some(chat.events);
    report.facts.stream_fragments = Some(u64::from(reply.chunks));
    report.facts.first_token_ms = chat.first_token.map(ms);
    let first = chat.first_token.map_or(0.0, ms);
    let found =
        format!("{} fragments in {} events, the first after {first} ms", reply.chunks, chat.events);
    let tokens = reply.usage.map_or(0, |usage| usage.completion_tokens);
    if reply.chunks == 1 && tokens > 8 {
        report.add(check, Status::Note, found);
        report.hint(format!("{tokens} tokens in one fragment: the reply is buffered"));
    } else {
        report.add(check, Status::Ok, found);
    }
    true
}

/// Token counts, and the cached ones when the same prompt comes again.
async fn usage(
    asker: &Asker,
    model: &str,
    nonce: &str,
    way: &Way,
    first: &Chat,
    report: &mut Report,
) {
    let counts = first.reply.as_ref().ok().and_then(|reply| reply.usage);
    report.facts.usage_in_stream = Some(counts.is_some());
    let Some(counts) = counts else {
        if way.usage {
            report.add("usage", Status::Note, "asked for, but the stream brings no token counts");
        }
        return report.add("cache", Status::Skipped, "needs token counts");
    };
    report.facts.prompt_tokens = Some(counts.prompt_tokens);
    let found = format!(
        "{} prompt and {} completion tokens in the stream",
        counts.prompt_tokens, counts.completion_tokens
    );
    report.add("usage", Status::Ok, found);
    let again = asker.chat(&bodies::chat(model, nonce, way.usage), way.session).await;
    let cached = match &again {
        Answer::Reply(chat) => {
            chat.reply.as_ref().ok().and_then(|reply| reply.usage?.cached_tokens)
        }
        Answer::Refused(_) => None,
    };
    report.facts.cached_tokens = cached;
    match cached {
        Some(0) => {
            report.add("cache", Status::Note, "no cached token when the same prompt came again");
            report.hint("is the server's prefix cache on?");
        }
        Some(n) => {
            let found =
                format!("{n} of {} prompt tokens cached the second time", counts.prompt_tokens);
            report.add("cache", Status::Ok, found);
        }
        None => {
            report.add("cache", Status::Note, "cached tokens are not reported");
            report.hint("vLLM: --enable-prompt-tokens-details, SGLang: --enable-cache-report");
        }
    }
}

async fn tools(asker: &Asker, model: &str, way: &Way, report: &mut Report) {
    match asker.chat(&bodies::tools(model, way.usage), way.session).await {
        Answer::Refused(text) => {
            report.add("tools", Status::Missing, text);
            report.hint("vLLM: --enable-auto-tool-choice --tool-call-parser NAME");
        }
        Answer::Reply(chat) => {
            let called = chat.reply.as_ref().is_ok_and(|reply| {
                !reply.first_tool_calls.is_empty() || !reply.tool_calls.is_empty()
            });
            report.facts.tool_called = Some(called);
            let what = if called { "the model called one" } else { "the model called none" };
            report.add("tools", Status::Ok, format!("accepted; {what}"));
        }
    }
}

/// Whether the server takes the messages that recorded trajectories are made of.
async fn history(asker: &Asker, model: &str, way: &Way, report: &mut Report) {
    let default = "reasoning_content";
    let mut refusal = None;
    for key in [Some(default), Some("reasoning"), None] {
        let body = bodies::history(model, way.usage, key);
        match (asker.chat(&body, way.session).await, key) {
            (Answer::Refused(text), _) => {
                refusal.get_or_insert(text);
            }
            (Answer::Reply(_), Some(key)) if key == default => {
                let found = format!("tool calls, results and `{key}` are accepted");
                return report.add("history", Status::Ok, found);
            }
            (Answer::Reply(_), Some(key)) => {
                report.add("history", Status::Note, refusal.unwrap_or_default());
                return report.hint(format!("set endpoint.reasoning_field: {key}"));
            }
            (Answer::Reply(_), None) => {
                report.add("history", Status::Missing, refusal.unwrap_or_default());
                return report.hint("the server takes no reasoning in the history");
            }
        }
    }
    report.add("history", Status::Missing, refusal.unwrap_or_default());
}
