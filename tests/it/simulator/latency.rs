//! When things come.

use std::time::Duration;

use scenario::simulator::{CacheConfig, Config, ReplySource, Script};

use super::rig::{Rig, STREAM, body, config, ms};

#[tokio::test(start_paused = true)]
async fn fragments_come_exactly_when_the_model_says() {
    let rig = Rig::new(config());
    let mut client = rig.connect().await;
    let answer = client.chat("sim_001", &body(STREAM)).await;
    assert_eq!((answer.status, answer.head_at, answer.complete), (200, 0, true));
    assert_eq!(answer.times_ms(), (0..13).map(|k| 30 + 4 * k).collect::<Vec<_>>());
    assert_eq!(ms(answer.end_at), 30 + 4 * 12);
}

#[tokio::test(start_paused = true)]
async fn a_reply_in_one_piece_comes_when_its_stream_would_have_ended() {
    let rig = Rig::new(config());
    let answer = rig.connect().await.chat("sim_001", &body("")).await;
    assert_eq!((ms(answer.head_at), ms(answer.end_at)), (78, 78));
}

#[tokio::test(start_paused = true)]
async fn steps_below_the_timers_resolution_do_not_drift() {
    let rig = Rig::new(Config {
        inter_token: Duration::from_micros(300),
        replies: ReplySource::Scripted,
        script: Script { reasoning_chunks: 0, content_chunks: 1_001, ..Script::default() },
        ..config()
    });
    let answer = rig.connect().await.chat("x", &body(STREAM)).await;
    assert_eq!(ms(answer.end_at), 330);
}

#[tokio::test(start_paused = true)]
async fn no_latency_takes_no_time_and_few_frames() {
    let rig = Rig::new(Config::default());
    let answer = rig.connect().await.chat("sim_001", &body(STREAM)).await;
    assert_eq!((answer.end_at, answer.frames.len()), (0, 1));
}

/// A message of this many simulated tokens.
fn long(tokens: usize) -> String {
    let empty = r#"{"role":"user","content":""}"#.len();
    format!(r#"{{"role":"user","content":"{}"}}"#, "x".repeat(tokens * 4 - empty))
}

#[tokio::test(start_paused = true)]
async fn prefill_counts_what_is_not_cached_and_usage_says_so() {
    let rig = Rig::new(Config { prefill_rate: Some(1_000.0), ..config() });
    let mut client = rig.connect().await;
    let first = format!(r#"{{"model":"m","messages":[{}]{STREAM}}}"#, long(160));
    let second = format!(r#"{{"model":"m","messages":[{},{}]{STREAM}}}"#, long(160), long(40));
    let mut seen = Vec::new();
    for request in [&first, &first, &second] {
        let start = rig.clock.now();
        let answer = client.chat("x", request).await;
        let text = answer.text();
        let usage = text.lines().find(|line| line.contains("usage")).unwrap();
        let usage: serde_json::Value =
            serde_json::from_str(usage.trim_start_matches("data: ")).unwrap();
        let cached = usage["usage"]["prompt_tokens_details"]["cached_tokens"].as_u64().unwrap();
        let prompt = usage["usage"]["prompt_tokens"].as_u64().unwrap();
        seen.push((prompt, cached, ms(answer.frames[0].0 - start)));
    }
    // The last token is always computed, so a repeated prompt leaves one block of 16 to do.
    assert_eq!(seen, [(160, 0, 30 + 160), (160, 144, 30 + 16), (200, 160, 30 + 40)]);
}

#[tokio::test(start_paused = true)]
async fn a_salted_system_prompt_keeps_passes_apart_tools_included() {
    let rig = Rig::new(config());
    let mut client = rig.connect().await;
    let tools = format!(r#","tools":[{{"function":{{"name":"{}"}}}}]"#, "t".repeat(400));
    let mut seen = Vec::new();
    for salt in ["4461", "4461", "ba75"] {
        let system = format!(r#"{{"role":"system","content":"[salt: {salt}]\n\nHelp."}}"#);
        let request = format!(r#"{{"model":"m","messages":[{system},{}]{tools}}}"#, long(40));
        let usage = client.chat("x", &request).await.json()["usage"].clone();
        seen.push(usage["prompt_tokens_details"]["cached_tokens"].as_u64().unwrap());
    }
    assert_eq!(seen, [0, 144, 0]);
}

#[tokio::test(start_paused = true)]
async fn running_requests_slow_each_other_down() {
    let script = Script { reasoning_chunks: 0, content_chunks: 5, ..Script::default() };
    let replies = ReplySource::Scripted;
    let rig = Rig::new(Config { batch_slowdown: 0.5, replies, script, ..config() });
    let (mut a, mut b) = (rig.connect().await, rig.connect().await);
    let body = body(STREAM);
    let (alone, ()) = tokio::join!(a.chat("a", &body), async {});
    assert_eq!(alone.times_ms(), [30, 34, 38, 42, 46]);
    let start = rig.clock.now();
    let (first, second) = tokio::join!(a.chat("a", &body), b.chat("b", &body));
    for answer in [first, second] {
        let times: Vec<_> = answer.frames.iter().map(|(at, _)| ms(at - start)).collect();
        assert_eq!(times, [30, 36, 42, 48, 54]);
    }
}

#[tokio::test(start_paused = true)]
async fn more_requests_than_places_wait_in_order() {
    let rig = Rig::new(Config { max_running: Some(1), ..config() });
    let (mut a, mut b, mut c) = (rig.connect().await, rig.connect().await, rig.connect().await);
    let body = body(STREAM);
    let look = async {
        tokio::time::sleep(Duration::from_millis(10)).await;
        c.get("/metrics").await.text()
    };
    let later = async {
        tokio::time::sleep(Duration::from_millis(1)).await;
        b.chat("sim_001", &body).await
    };
    let (first, second, page) = tokio::join!(a.chat("sim_001", &body), later, look);
    assert_eq!(ms(first.end_at), 78);
    assert_eq!((ms(second.head_at), ms(second.end_at)), (78, 2 * 78));
    for line in [
        "num_requests_running{engine=\"0\",model_name=\"simulated\"} 1\n",
        "num_requests_waiting{engine=\"0\",model_name=\"simulated\"} 1\n",
    ] {
        assert!(page.contains(line), "{page}");
    }
}

#[tokio::test(start_paused = true)]
async fn without_a_cache_nothing_is_cached() {
    let cache = CacheConfig { capacity_blocks: 0, ..CacheConfig::default() };
    let rig = Rig::new(Config { cache, ..config() });
    let mut client = rig.connect().await;
    let body = format!(r#"{{"model":"m","messages":[{}]}}"#, long(100));
    for _ in 0..2 {
        let usage = client.chat("x", &body).await.json()["usage"].clone();
        assert_eq!(usage["prompt_tokens_details"]["cached_tokens"], 0);
        assert_eq!(usage["prompt_tokens"], 100);
    }
}
