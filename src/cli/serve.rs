//! `scenario serve`: the simulated endpoint on a port.

use std::fs::File;
use std::future::Future;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{SignalKind, signal};

use super::context::Context;
use super::failure::{ExitStatus, Failure};
use crate::clock::{Clock, stay_awake};
use crate::dataset::{Limits, Reader};
use crate::diagnostics::{SourceMap, render_human};
use crate::host;
use crate::prompt::{LibraryBuilder, PromptOptions, RecordedTable, RequestTemplate};
use crate::simulator::{
    CacheConfig, Config, Fault, JsonLines, RecordedReplies, Recorder, ReplySource, Script,
    Simulator, UsageReport,
};
use crate::units::{HumanDuration, Secret};

const EXAMPLES: &str = "\
Examples:
  scenario serve --port 8000                              made-up replies
  scenario serve --replies datasets/coding.jsonl          answer with the data set's own replies
  scenario serve --ttft 0s --inter-token 0s --chunks 64   as fast as it can
  scenario serve --fault status=500@every:10 --fault stall@session:sim_001

Faults: KIND[=VALUE][,OPTION=VALUE][@SELECTOR,…]; the first that hits a request is used
  status=429,retry-after=2,body=TEXT   an HTTP status instead of a reply
  reset  reset=3                       the connection is reset, before the head or after 3 fragments
  stall=3,for=30s                      silence after 3 fragments; without `for` for ever
  malformed=3  cut=3  error=3          after 3 fragments: no JSON; a closed connection inside a
                                       character; an error object
  slow=2s  empty                       a late head; a reply without content
  idle=500ms                           idle connections are closed
  refuse@after:20  die@after:20        the endpoint goes away after 20 requests; is killed by the
                                       next one, and every connection reset
Selectors (all must agree): every:N request:N first:N after:N turn:N session:ID share:X
  turn:N is the Nth request of a conversation

The one line on stdout is the base URL. Token counts are simulated: 4 bytes of text are a token.";

/// Serve a simulated OpenAI-compatible endpoint
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The address to listen on
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    host: String,
    /// The port to listen on; 0 takes any free one
    #[arg(long, value_name = "PORT", default_value_t = 8000)]
    port: u16,
    /// Time to the first fragment of a reply, without prefill
    #[arg(long, value_name = "TIME", default_value = "30ms")]
    ttft: HumanDuration,
    /// Time between fragments
    #[arg(long, value_name = "TIME", default_value = "4ms")]
    inter_token: HumanDuration,
    /// Text fragments of a made-up reply, a quarter of them reasoning
    #[arg(long, value_name = "N", default_value_t = 24)]
    chunks: u32,
    /// Tokens in a fragment
    #[arg(long, value_name = "N", default_value_t = 1)]
    chunk_tokens: u32,
    /// Prompt tokens a second that are computed, of those not cached; without it they cost no time
    #[arg(long, value_name = "RATE")]
    prefill_rate: Option<f64>,
    /// Share by which each further running request slows prefill and fragments down
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    batch_slowdown: f64,
    /// Requests that run at once; the others wait
    #[arg(long, value_name = "N")]
    max_running: Option<usize>,
    /// Blocks of 16 tokens that the prefix cache holds; 0 turns it off
    #[arg(long, value_name = "N", default_value_t = 1 << 18)]
    cache_blocks: u32,
    /// Cheat, to see the audit notice; may be repeated
    #[arg(long, value_name = "HOW", value_enum, num_args = 1..)]
    cheat: Vec<Cheat>,
    /// Data sets whose replies are given; other requests get made-up replies
    #[arg(long, value_name = "FILE", num_args = 1..)]
    replies: Vec<PathBuf>,
    /// Share of the data sets' replies that are garbled
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, requires = "replies")]
    wrong_share: f64,
    /// What goes wrong (see below); may be repeated
    #[arg(long, value_name = "SPEC", num_args = 1..)]
    fault: Vec<Fault>,
    /// Models that are served; without it every name is taken
    #[arg(long, value_name = "NAME", num_args = 1..)]
    model: Vec<String>,
    /// The key under which reasoning is sent
    #[arg(long, value_name = "KEY", default_value = "reasoning_content")]
    reasoning_field: String,
    /// The header that names the session
    #[arg(long, value_name = "NAME", default_value = "X-Session-ID")]
    session_header: String,
    /// Send token counts with every stream, asked for or not
    #[arg(long)]
    always_usage: bool,
    /// Seed of made-up and wrong replies
    #[arg(long, value_name = "N", default_value_t = 42)]
    seed: u64,
    /// The environment variable with the key that requests must carry
    #[arg(long, value_name = "VARIABLE")]
    api_key_env: Option<String>,
    /// Write one JSON line for each request: times, headers, body
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Overwrite the file of --record
    #[arg(long)]
    force: bool,
    /// Threads that serve; without it one for each processor
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Serve on one thread that never sleeps: it takes a whole processor, and answers sooner
    #[arg(long, conflicts_with = "threads")]
    busy_poll: bool,
}

/// How a server cheats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Cheat {
    /// Blocks of the prefix cache are reused whatever the salt.
    IgnoreSalt,
    /// A reply that was given before is given at once, whatever the salt.
    KeepReplies,
}

/// Serves until SIGINT or SIGTERM.
pub(super) fn run(args: &Args, context: &Context) -> Result<ExitStatus, Failure> {
    let config = config(args, context)?;
    let replies = replies(&args.replies, context)?;
    // Before the record's file is made, so that a taken port leaves nothing behind.
    let (listener, address) = listen(args)?;
    let lines = args.record.as_deref().map(|path| record_file(path, args.force)).transpose()?;
    host::raise_open_files();
    let runtime = runtime(args).map_err(|error| {
        Failure::could_not("the server's threads cannot be started").because(&error)
    })?;
    let served = runtime.block_on(async {
        if args.busy_poll {
            tokio::spawn(stay_awake());
        }
        // The clock's zero is the start of serving.
        let clock = Clock::start();
        let simulator = match &lines {
            Some(lines) => {
                let recorder: Arc<dyn Recorder> = Arc::<JsonLines<File>>::clone(lines);
                Simulator::with_recorder(config, replies, clock, recorder)
            }
            None => Simulator::new(config, replies, clock),
        };
        let simulator = simulator.map_err(|error| Failure::usage(flag(&error.to_string())))?;
        serve(listener, address, simulator, context).await
    });
    // Replies that are still under way end here, and with them their records.
    drop(runtime);
    if let (Some(lines), Some(path)) = (lines, &args.record) {
        lines.finish().map_err(|error| {
            Failure::could_not(format!("{}: cannot write the record", path.display()))
                .because(&error)
        })?;
    }
    served.map(|()| ExitStatus::Success)
}

/// Where requests are served.
fn runtime(args: &Args) -> io::Result<Runtime> {
    if args.busy_poll {
        return Builder::new_current_thread().enable_all().build();
    }
    let mut runtime = Builder::new_multi_thread();
    if let Some(threads) = args.threads {
        runtime.worker_threads(usize::from(threads));
    }
    runtime.enable_all().build()
}

/// A setting's error in the words of the command line.
fn flag(error: &str) -> String {
    let (setting, rest) = error.split_once(' ').unwrap_or((error, ""));
    format!("--{} {rest}", setting.replace('_', "-"))
}

fn listen(args: &Args) -> Result<(TcpListener, SocketAddr), Failure> {
    let listener = host::listen((args.host.as_str(), args.port)).and_then(|listener| {
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        Ok((listener, address))
    });
    listener.map_err(|error| {
        Failure::could_not(format!("{}:{}: cannot listen", args.host, args.port))
            .because(&error)
            .help("choose another --host or --port; --port 0 takes any free one")
    })
}

async fn serve(
    listener: TcpListener,
    address: SocketAddr,
    simulator: Arc<Simulator>,
    context: &Context,
) -> Result<(), Failure> {
    let listener = tokio::net::TcpListener::from_std(listener)
        .map_err(|error| Failure::could_not(format!("{address}: cannot listen")).because(&error))?;
    let stop = stop_signal()
        .map_err(|error| Failure::could_not("signals cannot be awaited").because(&error))?;
    context.console.message("serving a simulated endpoint; SIGINT (Ctrl-C) or SIGTERM stops it");
    context.console.out_line(&format!("http://{address}"))?;
    simulator.serve(listener, stop).await;
    Ok(())
}

/// Comes when the process is told to stop.
fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

fn config(args: &Args, context: &Context) -> Result<Config, Failure> {
    let reasoning_chunks = args.chunks / 4;
    Ok(Config {
        ttft: args.ttft.get(),
        inter_token: args.inter_token.get(),
        prefill_rate: args.prefill_rate,
        batch_slowdown: args.batch_slowdown,
        max_running: args.max_running,
        chunk_tokens: args.chunk_tokens,
        replies: if args.replies.is_empty() {
            ReplySource::Scripted
        } else {
            ReplySource::Recorded { wrong_share: args.wrong_share }
        },
        script: Script {
            reasoning_chunks,
            content_chunks: args.chunks - reasoning_chunks,
            ..Script::default()
        },
        cache: CacheConfig {
            capacity_blocks: args.cache_blocks,
            ignores_salt: args.cheat.contains(&Cheat::IgnoreSalt),
            ..CacheConfig::default()
        },
        output_cache: args.cheat.contains(&Cheat::KeepReplies),
        reasoning_field: args.reasoning_field.clone(),
        models: args.model.clone(),
        session_header: args.session_header.clone(),
        seed: args.seed,
        usage: if args.always_usage { UsageReport::Always } else { UsageReport::WhenAsked },
        faults: args.fault.clone(),
        api_key: args.api_key_env.as_deref().map(|name| api_key(name, context)).transpose()?,
    })
}

fn api_key(name: &str, context: &Context) -> Result<Secret, Failure> {
    match context.env(name) {
        Some(key) if !key.is_empty() => Ok(Secret::new(key)),
        _ => Err(Failure::usage(format!("--api-key-env {name}: the variable is not set"))
            .help(format!("set it: {name}=… scenario serve …"))),
    }
}

/// The replies of data sets; none without data sets.
fn replies(
    paths: &[PathBuf],
    context: &Context,
) -> Result<Option<Arc<dyn RecordedReplies>>, Failure> {
    if paths.is_empty() {
        return Ok(None);
    }
    let options = PromptOptions { salt: false, clear_generated: false, ..PromptOptions::default() };
    let mut builder = LibraryBuilder::new(RequestTemplate::new("", Vec::new(), false), options, 0);
    for (index, path) in (0..).zip(paths) {
        let unusable = |error: &dyn std::error::Error| {
            Failure::usage(format!("--replies {}: not a usable data set", path.display()))
                .because(error)
        };
        let mut reader = Reader::open(path, Limits::default()).map_err(|error| unusable(&error))?;
        while let Some(trajectory) = reader.next_trajectory() {
            builder.add(index, &trajectory).map_err(|error| unusable(&error))?;
        }
        let color = context.console.stderr_color();
        let findings = render_human(reader.diagnostics(), &SourceMap::default(), color);
        if reader.errors() > 0 {
            return Err(Failure::Invalid(findings));
        }
        context.console.findings(&findings);
    }
    Ok(Some(Arc::new(RecordedTable::new(Arc::new(builder.finish())))))
}

fn record_file(path: &Path, force: bool) -> Result<Arc<JsonLines<File>>, Failure> {
    let file = if force { File::create(path) } else { File::create_new(path) };
    file.map(|file| Arc::new(JsonLines::new(file))).map_err(|error| {
        let what = format!("--record {}", path.display());
        if error.kind() == io::ErrorKind::AlreadyExists {
            Failure::usage(format!("{what}: the file exists"))
                .help("choose another file, or overwrite it with --force")
        } else {
            Failure::could_not(format!("{what}: cannot create the file")).because(&error)
        }
    })
}
