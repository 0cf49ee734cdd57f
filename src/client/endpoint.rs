//! An endpoint: its URLs and the request heads, made once.

use std::fmt;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST};
use http::{HeaderMap, HeaderName, HeaderValue, Uri};

use crate::units::Secret;

/// What the scenario's `endpoint` section says of connections and requests. Its debug text shows
/// neither the key nor any header's value.
#[derive(Clone)]
pub struct Config {
    /// `endpoint.urls`: each `http://` or `https://`, with or without a path; `/v1` may be there.
    pub urls: Vec<String>,
    /// `endpoint.api_key`, sent as a bearer token.
    pub api_key: Option<Secret>,
    /// `endpoint.headers`: sent on every request, in this order.
    pub headers: Vec<(String, String)>,
    /// `endpoint.session_header`: the header that carries the logical conversation id.
    pub session_header: String,
    /// `endpoint.connect_timeout`: the most that one connection may take, TLS included.
    pub connect_timeout: Duration,
    /// `endpoint.max_idle`: a connection that idled longer is not used again.
    pub max_idle: Duration,
    /// `endpoint.ca_file`: PEM certificates to trust instead of the system's.
    pub ca_file: Option<PathBuf>,
}

impl Config {
    /// A configuration with the defaults of the scenario file.
    pub fn new(urls: Vec<String>) -> Self {
        Self {
            urls,
            api_key: None,
            headers: Vec::new(),
            session_header: "X-Session-ID".to_owned(),
            connect_timeout: Duration::from_secs(10),
            max_idle: Duration::from_millis(500),
            ca_file: None,
        }
    }
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let urls: Vec<String> = self.urls.iter().map(|url| presentable(url)).collect();
        let headers: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("Config")
            .field("urls", &urls)
            .field("api_key", &self.api_key)
            .field("headers", &headers)
            .field("session_header", &self.session_header)
            .field("connect_timeout", &self.connect_timeout)
            .field("max_idle", &self.max_idle)
            .field("ca_file", &self.ca_file)
            .finish()
    }
}

/// Why a [`Config`] cannot be used. No text of it holds a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// `endpoint.urls` is empty.
    #[error("endpoint.urls is empty; give at least one URL, such as http://localhost:8000")]
    NoUrls,
    /// A URL that cannot be used.
    #[error("endpoint URL `{url}`: {problem}")]
    Url {
        /// The URL, without credentials.
        url: String,
        /// What is wrong with it and what was expected.
        problem: String,
    },
    /// A header that cannot be sent.
    #[error("endpoint header `{name}`: {problem}")]
    Header {
        /// The header's name.
        name: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The bearer key cannot be sent.
    #[error("endpoint.api_key holds characters that no HTTP header can carry (a line end?)")]
    ApiKey,
    /// The trusted certificates cannot be used.
    #[error("endpoint.ca_file `{path}`: {problem}")]
    CaFile {
        /// The file.
        path: String,
        /// What is wrong with it.
        problem: String,
    },
    /// TLS cannot be set up.
    #[error("TLS cannot be set up: {0}")]
    Tls(String),
}

/// One URL, taken apart.
#[derive(Clone)]
pub(super) struct Target {
    /// `scheme://authority`, for messages.
    pub(super) label: String,
    pub(super) tls: bool,
    /// The host without brackets.
    pub(super) host: String,
    pub(super) port: u16,
    /// The URL's path without `/v1` and without a slash at the end.
    base: String,
    /// The request's head up to the session id.
    head: Vec<u8>,
}

/// An endpoint: URLs, request heads and limits, checked once and shared by every slot.
pub struct Endpoint {
    targets: Vec<Target>,
    secrets: Vec<String>,
    pub(super) connect_timeout: Duration,
    pub(super) max_idle: Duration,
    pub(super) ca_file: Option<PathBuf>,
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let urls: Vec<&str> = self.targets.iter().map(|target| target.label.as_str()).collect();
        f.debug_struct("Endpoint").field("urls", &urls).finish_non_exhaustive()
    }
}

impl Endpoint {
    /// Checks a configuration and prepares the request heads.
    ///
    /// # Errors
    /// [`ConfigError`], which names the URL or header.
    pub fn new(config: &Config) -> Result<Self, ConfigError> {
        if config.urls.is_empty() {
            return Err(ConfigError::NoUrls);
        }
        let session_header = header_name(&config.session_header)?;
        let targets = config
            .urls
            .iter()
            .map(|url| Target::new(url, config, &session_header))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            targets,
            secrets: secrets(config),
            connect_timeout: config.connect_timeout,
            max_idle: config.max_idle,
            ca_file: config.ca_file.clone(),
        })
    }

    /// How many URLs there are; at least one.
    pub fn urls(&self) -> usize {
        self.targets.len()
    }

    /// The URL with this index as `scheme://host:port`, for messages.
    pub fn label(&self, url: usize) -> &str {
        &self.target(url).label
    }

    /// The full URL of another service of this server, such as `/v1/models`.
    pub fn service_url(&self, url: usize, path: &str) -> String {
        let target = self.target(url);
        format!("{}{}{path}", target.label, target.base)
    }

    /// The same for every call; an index past the end means the last URL.
    pub(super) fn target(&self, url: usize) -> &Target {
        &self.targets[url.min(self.targets.len() - 1)]
    }

    /// The head of one turn's request; none when the session id cannot be in a header.
    pub(super) fn head(&self, url: usize, session: &str, body_len: u64) -> Option<Vec<u8>> {
        let can_be_sent = |byte: u8| byte == b'\t' || (byte >= b' ' && byte != 0x7F);
        if !session.bytes().all(can_be_sent) {
            return None;
        }
        let start = &self.target(url).head;
        let mut head = Vec::with_capacity(start.len() + session.len() + 48);
        head.extend_from_slice(start);
        head.extend_from_slice(session.as_bytes());
        // Writing to memory cannot fail.
        let _ = write!(head, "\r\ncontent-length: {body_len}\r\n\r\n");
        Some(head)
    }

    /// The text with every secret of the configuration replaced, for servers that repeat a key in
    /// their error messages; also where a shortened text ends inside one.
    pub fn redact(&self, text: String) -> String {
        self.secrets.iter().fold(text, |text, secret| {
            let text = if text.contains(secret) { text.replace(secret, "***") } else { text };
            if !text.contains('…') {
                return text;
            }
            let cuts = secret.char_indices().map(|(at, _)| at).rev().filter(|at| *at >= 4);
            cuts.fold(text, |text, at| text.replace(&format!("{}…", &secret[..at]), "***…"))
        })
    }
}

impl Target {
    fn new(url: &str, config: &Config, session: &HeaderName) -> Result<Self, ConfigError> {
        let fail =
            |problem: &str| ConfigError::Url { url: presentable(url), problem: problem.to_owned() };
        let uri: Uri = url.trim().parse().map_err(|error| fail(&format!("{error}")))?;
        let tls = match uri.scheme_str() {
            Some("http") => false,
            Some("https") => true,
            Some(_) => return Err(fail("the scheme must be http or https")),
            None => return Err(fail("no scheme; write http://… or https://…")),
        };
        let authority = uri.authority().ok_or_else(|| fail("no host"))?;
        if authority.as_str().contains('@') {
            return Err(fail(
                "credentials in a URL are not sent; use endpoint.api_key or endpoint.headers",
            ));
        }
        let host = authority.host();
        if host.is_empty() {
            return Err(fail("no host"));
        }
        if authority.as_str().len() > host.len() && authority.port_u16().is_none() {
            return Err(fail("the port is not a number from 1 to 65535"));
        }
        let port = authority.port_u16().unwrap_or(if tls { 443 } else { 80 });
        if uri.query().is_some() {
            return Err(fail("a query is not supported; give the server's base URL"));
        }
        let path = uri.path().trim_end_matches('/');
        if path.ends_with("/chat/completions") {
            return Err(fail("give the server's base URL, without /chat/completions"));
        }
        let base = path.strip_suffix("/v1").unwrap_or(path);
        let path = format!("{base}/v1/chat/completions");
        let _valid: Uri =
            path.parse().map_err(|error| fail(&format!("its path is not one: {error}")))?;
        Ok(Self {
            label: format!("{}://{authority}", if tls { "https" } else { "http" }),
            tls,
            host: host.trim_start_matches('[').trim_end_matches(']').to_owned(),
            port,
            base: base.to_owned(),
            head: head(&path, &headers(authority.as_str(), config, session)?, session),
        })
    }
}

/// A request's head up to the value of the session header, which stands before the length.
fn head(path: &str, headers: &HeaderMap, session: &HeaderName) -> Vec<u8> {
    let mut head = format!("POST {path} HTTP/1.1\r\n").into_bytes();
    for (name, value) in headers {
        head.extend_from_slice(name.as_str().as_bytes());
        head.extend_from_slice(b": ");
        head.extend_from_slice(value.as_bytes());
        head.extend_from_slice(b"\r\n");
    }
    head.extend_from_slice(session.as_str().as_bytes());
    head.extend_from_slice(b": ");
    head
}

/// The prepared headers, in the order of `rules/agentic.md` §3a: Host, Authorization, Content-Type,
/// Accept, the scenario's own.
fn headers(
    authority: &str,
    config: &Config,
    session: &HeaderName,
) -> Result<HeaderMap, ConfigError> {
    let mut headers = HeaderMap::with_capacity(8 + config.headers.len());
    let host = HeaderValue::from_str(authority).map_err(|_| ConfigError::Url {
        url: authority.to_owned(),
        problem: "the host cannot be sent in a header".to_owned(),
    })?;
    headers.insert(HOST, host);
    if let Some(key) = config.api_key.as_ref().filter(|key| !key.expose().is_empty()) {
        let mut value = HeaderValue::from_str(&format!("Bearer {}", key.expose()))
            .map_err(|_| ConfigError::ApiKey)?;
        value.set_sensitive(true);
        headers.insert(AUTHORIZATION, value);
    }
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
    let mut own = HeaderMap::new();
    for (text, value) in &config.headers {
        let name = header_name(text)?;
        let fail =
            |problem: &str| ConfigError::Header { name: text.clone(), problem: problem.to_owned() };
        if name == *session {
            return Err(fail("this is endpoint.session_header, which carries the session id"));
        }
        let mut value = HeaderValue::from_str(value)
            .map_err(|_| fail("its value holds characters that no HTTP header can carry"))?;
        value.set_sensitive(is_secret(&name));
        own.append(name, value);
    }
    // A header of the scenario replaces a prepared one of the same name.
    headers.extend(own);
    Ok(headers)
}

fn header_name(name: &str) -> Result<HeaderName, ConfigError> {
    let fail =
        |problem: &str| ConfigError::Header { name: name.to_owned(), problem: problem.to_owned() };
    let parsed: HeaderName =
        name.parse().map_err(|_| fail("not a header name (letters, digits and `-`)"))?;
    match parsed.as_str() {
        "content-length" | "transfer-encoding" | "connection" | "upgrade" | "te" | "expect" => {
            Err(fail("this header belongs to the connection and cannot be set"))
        }
        _ => Ok(parsed),
    }
}

/// Whether a header's value is likely a secret, by its name.
fn is_secret(name: &HeaderName) -> bool {
    let name = name.as_str();
    ["auth", "key", "token", "secret", "cookie", "password"].iter().any(|word| name.contains(word))
}

/// What must appear in no message.
fn secrets(config: &Config) -> Vec<String> {
    let key = config.api_key.iter().map(|key| key.expose().to_owned());
    let own = config
        .headers
        .iter()
        .filter(|(name, _)| name.parse().is_ok_and(|name| is_secret(&name)))
        .map(|(_, value)| value.clone());
    key.chain(own).map(|secret| secret.trim().to_owned()).filter(|s| !s.is_empty()).collect()
}

/// A URL as it may be shown: without user, password and query.
fn presentable(url: &str) -> String {
    let start = url.find("://").map_or(0, |at| at + 3);
    let (url, query) = match url.find(['?', '#']) {
        Some(at) => (&url[..at], "?***"),
        None => (url, ""),
    };
    let end = url.get(start..).and_then(|rest| rest.find('/')).map_or(url.len(), |at| start + at);
    match url.get(start..end).and_then(|authority| authority.rfind('@')) {
        Some(at) => format!("{}***{}{query}", &url[..start], &url[start + at..]),
        None => format!("{url}{query}"),
    }
}

/// Which of `n` URLs a conversation uses: the same in every pass, so that its prefix stays in one
/// server's cache. `source_id` is the id without `__repeat_<n>`.
pub fn assign_url(source_id: &str, n: usize) -> usize {
    // FNV-1a, then a mix so that the low bits depend on every character.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in source_id.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    hash ^= hash >> 32;
    hash = hash.wrapping_mul(0xd6e8_feb8_6659_fd93);
    hash ^= hash >> 32;
    let n = n.max(1) as u64;
    usize::try_from(hash % n).unwrap_or(0)
}
