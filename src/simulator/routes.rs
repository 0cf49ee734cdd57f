//! From a request to the reply of its route.

use std::sync::Arc;

use bytes::Bytes;
use http::header::{ALLOW, CONTENT_TYPE};
use http::{HeaderValue, Method, Request, Response, StatusCode};
use hyper::body::Incoming;

use crate::wire::encode::error_object;
use crate::wire::json::push_string;

use super::body::{BrokenOff, ReplyBody};
use super::chat;
use super::metrics;
use super::server::Connection;
use super::state::Simulator;
use super::ticket::Ticket;

/// The type of JSON replies.
pub(super) const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// Answers one request.
pub(super) async fn handle(
    simulator: Arc<Simulator>,
    connection: Arc<Connection>,
    request: Request<Incoming>,
) -> Result<Response<ReplyBody>, BrokenOff> {
    let (head, body) = request.into_parts();
    let ticket = Ticket::new(simulator, connection, &head);
    let (method, route) = match head.uri.path() {
        "/v1/chat/completions" => (Method::POST, Route::Chat),
        "/v1/models" => (Method::GET, Route::Models),
        "/health" => (Method::GET, Route::Health),
        "/metrics" => (Method::GET, Route::Metrics),
        path => {
            let message = format!(
                "no route {path}; there are /v1/chat/completions, /v1/models, /health and /metrics"
            );
            return Ok(error(StatusCode::NOT_FOUND, "NotFoundError", &message, None, ticket));
        }
    };
    if head.method != method {
        let message = format!("{} takes {method} only", head.uri.path());
        let status = StatusCode::METHOD_NOT_ALLOWED;
        let mut response = error(status, "MethodNotAllowed", &message, None, ticket);
        let allowed = HeaderValue::from_str(method.as_str()).expect("a method is a header value");
        response.headers_mut().insert(ALLOW, allowed);
        return Ok(response);
    }
    match route {
        Route::Chat => chat::handle(ticket, head, body).await,
        Route::Models => Ok(whole(StatusCode::OK, JSON, models(ticket.simulator()).into(), ticket)),
        Route::Health => Ok(whole(StatusCode::OK, JSON, Bytes::new(), ticket)),
        Route::Metrics => {
            let page = metrics::page(ticket.simulator()).into();
            let kind = HeaderValue::from_static(metrics::CONTENT_TYPE);
            Ok(whole(StatusCode::OK, kind, page, ticket))
        }
    }
}

#[derive(Clone, Copy)]
enum Route {
    Chat,
    Models,
    Health,
    Metrics,
}

/// A reply in one piece.
pub(super) fn whole(
    status: StatusCode,
    kind: HeaderValue,
    bytes: Bytes,
    mut ticket: Ticket,
) -> Response<ReplyBody> {
    ticket.status(status.as_u16());
    let mut response = Response::new(ReplyBody::whole(bytes, ticket));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

/// An `error` object.
pub(super) fn error(
    status: StatusCode,
    kind: &str,
    message: &str,
    param: Option<&str>,
    ticket: Ticket,
) -> Response<ReplyBody> {
    let body = error_object(message, kind, param, status.as_u16());
    whole(status, JSON, body.into(), ticket)
}

/// The list of models.
fn models(simulator: &Simulator) -> Vec<u8> {
    let any = ["simulated".to_owned()];
    let names = match simulator.config().models.as_slice() {
        [] => any.as_slice(),
        names => names,
    };
    let mut out = b"{\"object\":\"list\",\"data\":[".to_vec();
    for (position, name) in names.iter().enumerate() {
        if position > 0 {
            out.push(b',');
        }
        out.extend_from_slice(b"{\"id\":");
        push_string(&mut out, name);
        out.extend_from_slice(b",\"object\":\"model\",\"created\":0,\"owned_by\":\"scenario\"}");
    }
    out.extend_from_slice(b"]}");
    out
}
