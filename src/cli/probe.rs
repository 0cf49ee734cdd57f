//! `scenario probe`: what a replay needs to know of an endpoint.

mod ask;
mod bodies;
mod checks;
mod keep_alive;
mod report;

use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;

use self::ask::Asker;
use self::report::{Report, ms};
use super::context::Context;
use super::failure::{ExitStatus, Failure};
use crate::client::{Config, Connect as _, TcpConnector};
use crate::clock::wall_now;
use crate::units::{HumanDuration, Secret};

const EXAMPLES: &str = "\
Examples:
  scenario probe http://localhost:8000
  scenario probe https://api.example.com/v1 --model NAME --api-key-env ENDPOINT_API_KEY
  scenario probe http://localhost:30000 --idle-wait 0s --format json

It sends a handful of short requests: alive, models, streaming, session header, token counts,
cached tokens, reasoning key, tools, a history as recorded trajectories have it, how long an idle
connection stays open, and the server's clock.

Exit codes:
  0 ready for a replay   1 something that a replay needs is missing
  2 wrong usage          3 the endpoint cannot be reached";

/// Ask an endpoint for what a replay needs
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The endpoint's base URL, with or without /v1
    #[arg(value_name = "URL")]
    url: String,
    /// The model to ask; without it the first one that the server lists
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
    /// The environment variable with the endpoint's key
    #[arg(long, value_name = "VARIABLE")]
    api_key_env: Option<String>,
    /// The header that names the session
    #[arg(long, value_name = "NAME", default_value = "X-Session-ID")]
    session_header: String,
    /// PEM certificates to trust instead of the system's
    #[arg(long, value_name = "FILE")]
    ca_file: Option<PathBuf>,
    /// How long one request may take
    #[arg(long, value_name = "TIME", default_value = "60s")]
    timeout: HumanDuration,
    /// How long to wait for the server to close an idle connection; 0s does not look
    #[arg(long, value_name = "TIME", default_value = "6s")]
    idle_wait: HumanDuration,
    /// How to print what was found
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// How the findings are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table
    #[default]
    Human,
    /// One JSON document
    Json,
}

/// Asks, and prints what was found.
pub(super) fn run(args: &Args, context: &Context) -> Result<ExitStatus, Failure> {
    let config = config(args, context)?;
    let asker = Asker::new(&config, args.timeout.get()).map_err(Failure::usage)?;
    let connector =
        TcpConnector::new(&asker.endpoint).map_err(|error| Failure::usage(error.to_string()))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| {
        Failure::could_not("the network cannot be used from here").because(&error)
    })?;
    let report = runtime.block_on(probe(args, &asker, &connector, context))?;
    context.console.out(&match args.format {
        Format::Human => report.human(context.console.stdout_color()),
        Format::Json => report.json(),
    })?;
    Ok(if report.is_ready() { ExitStatus::Success } else { ExitStatus::Findings })
}

/// Whether an endpoint is `scenario serve`; false when it cannot be told within `timeout`. Its
/// configuration has one URL.
pub(super) async fn is_simulated(config: &Config, timeout: Duration) -> bool {
    let Ok(asker) = Asker::new(config, timeout) else { return false };
    let page = asker.get("/v1/models").await;
    page.is_ok_and(|page| checks::is_simulated(&page.body))
}

fn config(args: &Args, context: &Context) -> Result<Config, Failure> {
    let api_key = match &args.api_key_env {
        None => None,
        Some(name) => Some(context.env(name).map(Secret::new).ok_or_else(|| {
            Failure::usage(format!("--api-key-env: the environment variable {name} is not set"))
        })?),
    };
    Ok(Config {
        api_key,
        session_header: args.session_header.clone(),
        ca_file: args.ca_file.clone(),
        ..Config::new(vec![args.url.clone()])
    })
}

async fn probe(
    args: &Args,
    asker: &Asker,
    connector: &TcpConnector,
    context: &Context,
) -> Result<Report, Failure> {
    let started = asker.clock.now();
    let limit = Config::new(Vec::new()).connect_timeout;
    match tokio::time::timeout(limit, connector.connect(0)).await {
        Ok(Ok(_)) => {}
        Ok(Err(failure)) => return Err(Failure::could_not(failure.message)),
        Err(_) => {
            let label = asker.endpoint.label(0);
            let text = format!("cannot connect to {label}: no answer within {limit:?}");
            return Err(Failure::could_not(text));
        }
    }
    let mut report = Report::new(asker.endpoint.service_url(0, ""));
    report.facts.connect_ms = Some(ms(asker.clock.now().saturating_sub(started)));
    report.model.clone_from(&args.model);
    let wait = args.idle_wait.get();
    let nonce = wall_now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default().as_nanos();
    let nonce = format!("{nonce:x}");
    let asking = async {
        checks::pages(asker, &mut report).await?;
        checks::chats(asker, &nonce, &mut report).await;
        Ok::<_, String>(report)
    };
    let idling = async {
        if wait.is_zero() {
            return None;
        }
        context.console.message(&format!("waiting up to {wait:?} for an idle connection to close"));
        Some(keep_alive::idle(asker, connector, wait).await)
    };
    let (report, idle) = tokio::join!(asking, idling);
    let mut report = report.map_err(|error| {
        Failure::could_not(format!("{}: no HTTP server answers there", asker.endpoint.label(0)))
            .because_text(error)
    })?;
    keep_alive::report(&mut report, idle, wait);
    Ok(report)
}
