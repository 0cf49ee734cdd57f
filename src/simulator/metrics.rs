//! The metrics page: Prometheus text with the names that vLLM uses.

use std::fmt::Write as _;
use std::sync::atomic::Ordering;

use super::state::Simulator;

/// The page's type.
pub(super) const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The page as of now.
pub(super) fn page(simulator: &Simulator) -> String {
    let counters = simulator.counters();
    let count = |counter: &std::sync::atomic::AtomicU64| counter.load(Ordering::Relaxed);
    let model = simulator.config().models.first().map_or("simulated", String::as_str);
    let model = model.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let mut page = Page { text: String::new(), model };
    page.metric("num_requests_running", "gauge", "Requests being answered.");
    page.sample("num_requests_running", "", simulator.running());
    page.metric("num_requests_waiting", "gauge", "Requests waiting for a place in the batch.");
    page.sample("num_requests_waiting", "", counters.waiting.load(Ordering::Relaxed));
    page.metric("kv_cache_usage_perc", "gauge", "Share of the prefix cache in use, 0 to 1.");
    page.sample("kv_cache_usage_perc", "", simulator.cache_usage());
    page.metric("prefix_cache_queries", "counter", "Prompt tokens looked up (simulated).");
    page.sample("prefix_cache_queries_total", "", count(&counters.prefix_queries));
    page.metric("prefix_cache_hits", "counter", "Prompt tokens found cached (simulated).");
    page.sample("prefix_cache_hits_total", "", count(&counters.prefix_hits));
    page.metric("prompt_tokens", "counter", "Prompt tokens (simulated).");
    page.sample("prompt_tokens_total", "", count(&counters.prompt_tokens));
    page.metric("generation_tokens", "counter", "Generated tokens (simulated).");
    page.sample("generation_tokens_total", "", count(&counters.generation_tokens));
    page.metric("request_success", "counter", "Requests that are over, by reason.");
    let finished = [
        ("abort", &counters.finished_abort),
        ("length", &counters.finished_length),
        ("stop", &counters.finished_stop),
    ];
    for (reason, counter) in finished {
        let label = format!(",finished_reason=\"{reason}\"");
        page.sample("request_success_total", &label, count(counter));
    }
    page.text
}

struct Page {
    text: String,
    model: String,
}

impl Page {
    fn metric(&mut self, name: &str, kind: &str, help: &str) {
        let suffix = if kind == "counter" { "_total" } else { "" };
        let _ = writeln!(self.text, "# HELP vllm:{name}{suffix} {help}");
        let _ = writeln!(self.text, "# TYPE vllm:{name}{suffix} {kind}");
    }

    fn sample(&mut self, name: &str, labels: &str, value: impl std::fmt::Display) {
        let model = &self.model;
        let _ = writeln!(
            self.text,
            "vllm:{name}{{engine=\"0\",model_name=\"{model}\"{labels}}} {value}"
        );
    }
}
