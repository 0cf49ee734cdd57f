//! What the client costs and how exactly it measures, as tables.
//!
//! ```text
//! cargo bench --bench load                              everything, a quarter of an hour
//! cargo bench --bench load -- throughput --slots 8,512  one experiment, some slots
//! ```
//!
//! The server is `scenario serve` in a process of its own, the measured client another one: ours
//! is `scenario run` as users run it; the bare client (`bare.rs`) sends the same bytes over
//! hyper and discards the reply; the raw client does so with plain system calls. Every figure goes
//! to `target/bench/raw.jsonl` as well, one JSON object a line. See docs/benchmarks.md.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a program for people")]
#![expect(clippy::cast_precision_loss, reason = "figures for people")]

mod bare;
mod data;
mod experiments;
mod ours;
mod raw;
mod server;
mod table;

use std::path::PathBuf;
use std::process::ExitCode;

/// What was asked for.
pub(crate) struct Options {
    experiments: Vec<String>,
    /// Only these slot counts, where an experiment has several.
    pub(crate) slots: Vec<u32>,
    /// How often each figure is measured; tables show medians.
    pub(crate) repeat: usize,
}

impl Options {
    fn parse(arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self { experiments: Vec::new(), slots: Vec::new(), repeat: 1 };
        let mut arguments = arguments;
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                // What `cargo bench` itself adds.
                "--bench" => {}
                "--slots" => {
                    let list = arguments.next().ok_or("--slots needs a list such as 8,64")?;
                    let parsed = list.split(',').map(str::parse).collect::<Result<_, _>>();
                    options.slots = parsed.map_err(|_| format!("--slots {list}: not numbers"))?;
                }
                "--repeat" => {
                    let count = arguments.next().and_then(|text| text.parse().ok());
                    options.repeat = count.filter(|n| *n > 0).ok_or("--repeat needs a number")?;
                }
                name if experiments::NAMES.contains(&name) => options.experiments.push(argument),
                other => {
                    let names = experiments::NAMES.join(", ");
                    return Err(format!("`{other}`: expected {names}, --slots or --repeat"));
                }
            }
        }
        if options.experiments.is_empty() {
            options.experiments = experiments::NAMES.map(str::to_owned).to_vec();
        }
        Ok(options)
    }

    /// The slot counts of an experiment that has `all` of them.
    pub(crate) fn slots_of(&self, all: &[u32]) -> Vec<u32> {
        let wanted = |slots: &&u32| self.slots.is_empty() || self.slots.contains(slots);
        all.iter().filter(wanted).copied().collect()
    }
}

/// Where everything goes that is written.
pub(crate) fn directory() -> PathBuf {
    let target = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    target.parent().unwrap_or(&target).join("bench")
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).peekable();
    if arguments.next_if(|first| first == "client").is_some() {
        bare::main(&arguments.collect::<Vec<_>>());
        return ExitCode::SUCCESS;
    }
    let options = match Options::parse(arguments) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("error: {message}");
            return ExitCode::from(2);
        }
    };
    std::fs::create_dir_all(directory()).expect("the target directory can be written");
    for name in &options.experiments {
        experiments::run(name, &options);
    }
    println!("\nraw figures: {}", directory().join("raw.jsonl").display());
    ExitCode::SUCCESS
}
