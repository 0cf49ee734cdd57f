//! `endpoint`: exactly one kind, URLs and headers that can be used.

use crate::client::{self, Config, ConfigError};
use crate::units::{Secret, mask_url_credentials};
use crate::yaml::Pointer;

use super::super::model::Endpoint;
use super::context::Context;

/// Checks the endpoint.
pub(super) fn check(context: &mut Context<'_>) {
    let Some(endpoint) = &context.scenario.endpoint else { return };
    choice(context, endpoint);
    for (i, url) in endpoint.urls.iter().enumerate() {
        one_url(context, i, url);
    }
    duplicates(context, endpoint);
    headers(context, endpoint);
    if let Some(key) = &endpoint.api_key {
        secret(context, &["endpoint", "api_key"], key);
    }
    if endpoint.connect_timeout.is_zero() {
        context
            .error(
                &["endpoint", "connect_timeout"],
                "timeout-zero",
                "`endpoint.connect_timeout` is zero, so that no connection can be made".to_owned(),
            )
            .help("give it some seconds, such as 10s");
    }
}

/// Exactly one of `urls` and `simulated`.
fn choice(context: &mut Context<'_>, endpoint: &Endpoint) {
    match (endpoint.urls.is_empty(), endpoint.simulated.is_some()) {
        (true, false) => {
            context
                .error(
                    &["endpoint"],
                    "endpoint-choice",
                    "`endpoint` names no server: it has neither `urls` nor `simulated`".to_owned(),
                )
                .help("add `urls: [http://localhost:8000]`, or `simulated: {}` to try without one");
        }
        (false, true) => {
            context
                .error(
                    &["endpoint", "simulated"],
                    "endpoint-choice",
                    "`endpoint` has both `urls` and `simulated`".to_owned(),
                )
                .label("an embedded endpoint")
                .also(&["endpoint", "urls"], "and a server")
                .help("remove one of them; an empty `urls:` removes those of an extended file");
        }
        _ => {}
    }
}

/// A URL that the client can use.
fn one_url(context: &mut Context<'_>, index: usize, url: &str) {
    let at = ["endpoint", "urls", &index.to_string()];
    let shown = mask_url_credentials(url).into_owned();
    match client::Endpoint::new(&Config::new(vec![url.to_owned()])) {
        Ok(_) => {}
        Err(ConfigError::Url { problem, .. }) => {
            context
                .error(&at, "endpoint-url", format!("the URL `{shown}` cannot be used: {problem}"))
                .help("write it like http://localhost:8000");
        }
        Err(other) => {
            context.error(&at, "endpoint-url", format!("the URL `{shown}`: {other}"));
        }
    }
}

/// The same URL twice would take twice the conversations.
fn duplicates(context: &mut Context<'_>, endpoint: &Endpoint) {
    let base = |url: &str| url.trim_end_matches('/').trim_end_matches("/v1").to_owned();
    for (i, url) in endpoint.urls.iter().enumerate() {
        let first = endpoint.urls[..i].iter().position(|other| base(other) == base(url));
        if let Some(first) = first {
            context
                .warning(
                    &["endpoint", "urls", &i.to_string()],
                    "endpoint-url-twice",
                    format!("the URL `{}` is listed twice", mask_url_credentials(url)),
                )
                .also(&["endpoint", "urls", &first.to_string()], "first here")
                .help("remove one: conversations are spread over the list");
        }
    }
}

/// Headers that can be sent. Values are secrets and never shown.
fn headers(context: &mut Context<'_>, endpoint: &Endpoint) {
    let session = &endpoint.session_header;
    let config = |name: Option<(&str, &Secret)>| {
        let mut config = Config::new(vec!["http://localhost".to_owned()]);
        config.session_header.clone_from(session);
        config.headers = name
            .iter()
            .map(|(name, value)| (String::from(*name), value.expose().to_owned()))
            .collect();
        config
    };
    if let Err(error) = client::Endpoint::new(&config(None)) {
        context
            .error(&["endpoint", "session_header"], "header-name", error.to_string())
            .help("the reference client's name is X-Session-ID");
        return;
    }
    for (name, value) in &endpoint.headers {
        secret(context, &["endpoint", "headers", name], value);
        if let Err(error) = client::Endpoint::new(&config(Some((name, value)))) {
            let what = Pointer::root().join("endpoint").join("headers").join(name).dotted();
            let why = match error {
                ConfigError::Header { problem, .. } => problem,
                other => other.to_string(),
            };
            let message = format!("`{what}` cannot be sent: {why}");
            context.error(&["endpoint", "headers", name], "header-name", message);
        }
    }
}

/// A secret that was not put back in, or that came with a line end.
pub(super) fn secret(context: &mut Context<'_>, at: &[&str], secret: &Secret) {
    let text = secret.expose();
    let name = at.iter().fold(Pointer::root(), |pointer, key| pointer.join(key)).dotted();
    if text == Secret::MASK {
        context
            .error(at, "secret-masked", format!("`{name}` is `***`, what stands for a secret"))
            .help("this file is a result of a run; give the secret again, such as `${NAME:-}`");
    } else if text.trim() != text || text.contains(['\n', '\r']) {
        context
            .error(at, "secret-blanks", format!("`{name}` starts or ends with a blank or line end"))
            .help("was it read from a file with a newline at its end?");
    }
}
