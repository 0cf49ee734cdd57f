//! The service over HTTP: one function per route.

use std::error::Error as _;
use std::time::Duration;

use reqwest::{Method, RequestBuilder, Response, Url};

use super::error::ServiceError;
use super::protocol::{Health, ProtocolError, RunRequest, RunStatus, artifact_path};
use crate::client::{self, Endpoint, tls_config};
use crate::units::{Secret, mask_url_credentials};
use crate::wire::{error_message, excerpt};

/// The most bytes of an answer that is no file.
const MAX_ANSWER: usize = 16 << 20;
/// The most bytes of a file.
const MAX_ARTIFACT: usize = 1 << 30;
/// How long a file may take.
const ARTIFACT_TIME: Duration = Duration::from_mins(10);

/// Where the service is.
#[derive(Clone, Debug)]
pub struct ServiceConfig {
    /// Its base URL: no path, query or credentials.
    pub url: String,
    /// Its token; none or empty for a service that wants none.
    pub token: Option<Secret>,
    /// How long one answer may take, files left out.
    pub answer_time: Duration,
}

impl ServiceConfig {
    /// A service with 30 s for an answer.
    pub fn new(url: impl Into<String>, token: Option<Secret>) -> Self {
        Self { url: url.into(), token, answer_time: Duration::from_secs(30) }
    }
}

/// The SWE-bench service. Follows no redirects and uses no proxy; no error shows the token.
#[derive(Clone, Debug)]
pub struct Service {
    http: reqwest::Client,
    base: Url,
    token: Option<Secret>,
    answer_time: Duration,
}

impl Service {
    /// Prepares the client; nothing is sent.
    ///
    /// # Errors
    /// The URL cannot be used.
    pub fn new(config: &ServiceConfig) -> Result<Self, ServiceError> {
        let url = mask_url_credentials(&config.url).into_owned();
        let fail = |problem: String| ServiceError::Url { url: url.clone(), problem };
        let base = Url::parse(&config.url).map_err(|error| fail(format!("is none: {error}")))?;
        check(&base).map_err(|problem| fail(problem.to_owned()))?;
        let endpoint = Endpoint::new(&client::Config::new(vec![config.url.clone()]))
            .map_err(|error| fail(format!("cannot be used: {error}")))?;
        let tls = tls_config(&endpoint).map_err(|error| fail(error.to_string()))?;
        let http = reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(Duration::from_secs(10))
            .build()
            .map_err(|error| fail(root_cause(&error)))?;
        let token = config.token.clone().filter(|token| !token.is_empty());
        Ok(Self { http, base, token, answer_time: config.answer_time })
    }

    /// The service's URL.
    pub fn url(&self) -> &str {
        self.base.as_str()
    }

    /// Asks whether the service is there, well, and able to do what is needed.
    ///
    /// # Errors
    /// It is not.
    pub async fn health(&self) -> Result<Health, ServiceError> {
        let (what, body) = self.ask(Method::GET, "/health", None).await?;
        Health::parse(&body).map_err(|error| self.unusable(what, error))
    }

    /// Asks, before anything runs, whether jobs can be submitted: the service is there and well,
    /// and takes the token.
    ///
    /// # Errors
    /// It is not, or does not.
    pub async fn ready(&self) -> Result<Health, ServiceError> {
        let health = self.health().await?;
        self.check_token().await?;
        Ok(health)
    }

    /// Asks whether the token is right, without starting anything: an unknown run is asked for.
    ///
    /// # Errors
    /// The token is refused, or the service does not answer.
    pub async fn check_token(&self) -> Result<(), ServiceError> {
        match self.ask(Method::GET, "/v1/runs/none", None).await {
            Ok(_) | Err(ServiceError::NotFound { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Submits a job.
    ///
    /// # Errors
    /// It is not accepted, or the answer got lost.
    pub async fn submit(&self, request: &RunRequest) -> Result<RunStatus, ServiceError> {
        let answer = self.ask(Method::POST, "/v1/runs", Some(request)).await;
        let (what, body) = answer.map_err(|error| without_key(error, request))?;
        let status = RunStatus::parse(&body, None);
        status.map_err(|error| without_key(self.unusable(what, error), request))
    }

    /// Asks how a run is.
    ///
    /// # Errors
    /// No usable answer.
    pub async fn status(&self, run_id: &str) -> Result<RunStatus, ServiceError> {
        self.about(run_id, Method::GET, &format!("/v1/runs/{run_id}")).await
    }

    /// Cancels a run.
    ///
    /// # Errors
    /// No usable answer.
    pub async fn cancel(&self, run_id: &str) -> Result<RunStatus, ServiceError> {
        self.about(run_id, Method::POST, &format!("/v1/runs/{run_id}/cancel")).await
    }

    /// Fetches a file of a run.
    ///
    /// # Errors
    /// It does not come in one piece.
    pub async fn artifact(&self, run_id: &str, name: &str) -> Result<Vec<u8>, ServiceError> {
        let path = artifact_path(run_id, name);
        let what = format!("GET {path}");
        let request = self.request(Method::GET, &path).timeout(ARTIFACT_TIME);
        self.send(&what, request, MAX_ARTIFACT).await
    }

    async fn about(
        &self,
        run_id: &str,
        method: Method,
        path: &str,
    ) -> Result<RunStatus, ServiceError> {
        let (what, body) = self.ask(method, path, None).await?;
        RunStatus::parse(&body, Some(run_id)).map_err(|error| self.unusable(what, error))
    }

    async fn ask(
        &self,
        method: Method,
        path: &str,
        body: Option<&RunRequest>,
    ) -> Result<(String, Vec<u8>), ServiceError> {
        let what = format!("{method} {path}");
        let mut request = self.request(method, path).timeout(self.answer_time);
        if let Some(body) = body {
            request = request.json(body);
        }
        let body = self.send(&what, request, MAX_ANSWER).await?;
        Ok((what, body))
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let mut url = self.base.clone();
        url.set_path(path);
        let request = self.http.request(method, url);
        match &self.token {
            Some(token) => request.bearer_auth(token.expose()),
            None => request,
        }
    }

    async fn send(
        &self,
        what: &str,
        request: RequestBuilder,
        limit: usize,
    ) -> Result<Vec<u8>, ServiceError> {
        let broken = |error: reqwest::Error| self.transport(what, &error);
        let mut response = request.send().await.map_err(broken)?;
        let status = response.status().as_u16();
        let body = read(&mut response, limit).await.map_err(broken)?;
        let what = what.to_owned();
        let Some(body) = body else { return Err(ServiceError::TooLarge { what, limit }) };
        let message = || {
            let message = error_message(&body).unwrap_or_else(|| excerpt(&body));
            self.redact(if message.is_empty() { "no reason given".to_owned() } else { message })
        };
        match status {
            200..=299 => Ok(body),
            300..=399 => Err(ServiceError::Redirect { what, status }),
            401 | 403 => {
                let token = self.token.is_some();
                Err(ServiceError::Unauthorized { what, status, token })
            }
            404 => Err(ServiceError::NotFound { what, message: message() }),
            _ => Err(ServiceError::Status { what, status, message: message() }),
        }
    }

    fn transport(&self, what: &str, error: &reqwest::Error) -> ServiceError {
        let reason = if error.is_timeout() {
            "no complete answer in time".to_owned()
        } else {
            self.redact(root_cause(error))
        };
        ServiceError::Transport { what: what.to_owned(), reason, unsent: error.is_connect() }
    }

    /// An answer that is not of the protocol; its words are the service's.
    fn unusable(&self, what: String, error: ProtocolError) -> ServiceError {
        let error = match error {
            ProtocolError::Shape(text) => ProtocolError::Shape(self.redact(text)),
            ProtocolError::Version(text) => ProtocolError::Version(self.redact(text)),
            ProtocolError::NotOk(text) => ProtocolError::NotOk(self.redact(text)),
            ProtocolError::RunId(text) => ProtocolError::RunId(self.redact(text)),
            ProtocolError::OtherRun { asked, answered } => {
                ProtocolError::OtherRun { asked, answered: self.redact(answered) }
            }
            other @ ProtocolError::Capability(_) => other,
        };
        ServiceError::Protocol { what, error }
    }

    /// Takes the token out of a text, should the service repeat it.
    pub(super) fn redact(&self, text: String) -> String {
        match &self.token {
            Some(token) => text.replace(token.expose(), Secret::MASK),
            None => text,
        }
    }
}

/// Takes the endpoint's key out of an error, should the service repeat the request.
fn without_key(error: ServiceError, request: &RunRequest) -> ServiceError {
    let Some(key) = request.endpoint_api_key.as_deref().filter(|key| !key.is_empty()) else {
        return error;
    };
    match error {
        ServiceError::Status { what, status, message } => {
            ServiceError::Status { what, status, message: message.replace(key, Secret::MASK) }
        }
        ServiceError::Protocol { what, error: ProtocolError::Shape(reason) } => {
            let error = ProtocolError::Shape(reason.replace(key, Secret::MASK));
            ServiceError::Protocol { what, error }
        }
        other => other,
    }
}

/// Only scheme, host and port.
fn check(url: &Url) -> Result<(), &'static str> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err("must begin with http:// or https://");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("must hold no credentials; the token has a key of its own");
    }
    if !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some() {
        return Err("must have no path, query or fragment");
    }
    Ok(())
}

/// The whole body; none when it is longer than `limit`.
async fn read(response: &mut Response, limit: usize) -> Result<Option<Vec<u8>>, reqwest::Error> {
    let mut body = Vec::new();
    while let Some(bytes) = response.chunk().await? {
        if body.len() + bytes.len() > limit {
            return Ok(None);
        }
        body.extend_from_slice(&bytes);
    }
    Ok(Some(body))
}

/// The innermost cause, which says what happened; reqwest's own text only says to which URL.
fn root_cause(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = error.to_string();
        cause = error.source();
    }
    text
}
