//! Faults, one by one, over a pipe.

use std::time::Duration;

use scenario::simulator::{Config, Fault};

use super::rig::{Answer, Client, Rig, STREAM, body, config, ms, with_fault};

async fn client(fault: &str) -> (Rig, Client) {
    let rig = Rig::new(with_fault(fault));
    let client = rig.connect().await;
    (rig, client)
}

async fn streamed(fault: &str) -> Answer {
    client(fault).await.1.chat("sim_001", &body(STREAM)).await
}

async fn in_one_piece(fault: &str) -> Answer {
    client(fault).await.1.chat("sim_001", &body("")).await
}

/// How often text was sent.
fn fragments(answer: &Answer) -> usize {
    String::from_utf8_lossy(&answer.bytes()).matches("reasoning_content").count()
}

#[tokio::test(start_paused = true)]
async fn a_status_with_its_body_and_when_to_come_back() {
    let (_rig, mut client) = client("status=429,retry-after=2,body=\"{}\"@every:2").await;
    let mut seen = Vec::new();
    for _ in 0..4 {
        let answer = client.chat("sim_001", &body(STREAM)).await;
        let retry = answer.headers.get("retry-after").map(|value| value.to_str().unwrap());
        seen.push((answer.status, retry.map(str::to_owned), answer.text().len()));
    }
    assert_eq!(seen[0].0, 200);
    assert_eq!(seen[1], (429, Some("2".to_owned()), 2));
    assert_eq!((seen[2].0, seen[3].0), (200, 429));
    let plain = streamed("status=500").await;
    assert_eq!(plain.json()["error"]["message"], "simulated fault: status 500");
}

#[tokio::test(start_paused = true)]
async fn a_reset_before_the_head() {
    let (rig, mut client) = client("reset@request:1").await;
    assert!(client.try_chat("sim_001", &body(STREAM)).await.is_none());
    assert_eq!(rig.clock.now(), 0);
    assert!(!client.is_open().await);
    assert_eq!(rig.connect().await.chat("sim_001", &body(STREAM)).await.status, 200);
}

#[tokio::test(start_paused = true)]
async fn a_reset_mid_stream() {
    let answer = streamed("reset=2").await;
    assert_eq!((answer.times_ms(), answer.complete), (vec![30, 34], false));
    assert_eq!((fragments(&answer), ms(answer.end_at)), (2, 38));
    // Later than the last fragment: in place of the stream's end.
    let answer = streamed("reset=99").await;
    assert!(!answer.complete && !answer.text().contains("finish_reason\":\"tool_calls"));
}

#[tokio::test(start_paused = true)]
async fn a_reset_mid_stream_without_latency_sends_what_came_before() {
    let rig = Rig::new(Config { faults: vec!["reset=2".parse().unwrap()], ..Config::default() });
    let answer = rig.connect().await.chat("sim_001", &body(STREAM)).await;
    assert_eq!((fragments(&answer), answer.complete), (2, false));
}

#[tokio::test(start_paused = true)]
async fn a_stall_for_ever() {
    let (rig, mut client) = client("stall=2@session:sim_001").await;
    let request = body(STREAM);
    let stalled = client.chat("sim_001__repeat_2", &request);
    assert!(tokio::time::timeout(Duration::from_hours(24), stalled).await.is_err());
    assert!(rig.connect().await.chat("other", &body(STREAM)).await.complete);
}

#[tokio::test(start_paused = true)]
async fn a_stall_that_ends() {
    let answer = streamed("stall=2,for=10s").await;
    assert_eq!(answer.times_ms()[..4], [30, 34, 10_038, 10_042]);
    assert!(answer.complete);
    assert_eq!(ms(in_one_piece("stall,for=10s").await.end_at), 10_078);
}

#[tokio::test(start_paused = true)]
async fn an_event_that_is_not_json() {
    let answer = streamed("malformed=1").await;
    let text = answer.text();
    let broken = text
        .lines()
        .filter_map(|line| line.strip_prefix("data: "))
        .filter(|data| serde_json::from_str::<serde_json::Value>(data).is_err());
    assert_eq!(
        broken.collect::<Vec<_>>(),
        [r#"{"id":"chatcmpl-broken","choices":[{"del"#, "[DONE]"]
    );
    assert!(answer.complete);
    let whole = in_one_piece("malformed").await;
    assert!(whole.complete && serde_json::from_slice::<serde_json::Value>(&whole.bytes()).is_err());
}

#[tokio::test(start_paused = true)]
async fn a_cut_inside_a_character() {
    for answer in [streamed("cut=2").await, in_one_piece("cut").await] {
        assert_eq!((answer.status, answer.complete), (200, false));
        let bytes = answer.bytes();
        // Not an invalid character, but the start of one.
        assert_eq!(std::str::from_utf8(&bytes).unwrap_err().error_len(), None);
    }
}

#[tokio::test(start_paused = true)]
async fn an_error_object_inside_a_reply() {
    let answer = streamed("error=2").await;
    assert_eq!((answer.status, answer.complete, fragments(&answer)), (200, true, 2));
    assert!(
        answer
            .text()
            .contains("data: {\"error\":{\"message\":\"simulated fault: the engine died\"")
    );
    assert!(answer.text().ends_with("data: [DONE]\n\n"));
    assert_eq!(in_one_piece("error").await.json()["error"]["code"], 500);
}

#[tokio::test(start_paused = true)]
async fn a_slow_head() {
    let answer = streamed("slow=2s").await;
    assert_eq!((ms(answer.head_at), ms(answer.frames[0].0)), (2_000, 2_030));
}

#[tokio::test(start_paused = true)]
async fn an_empty_reply() {
    let answer = streamed("empty").await;
    assert_eq!((answer.complete, ms(answer.end_at)), (true, 30));
    let text = answer.text();
    assert!(text.contains(r#""delta":{"role":"assistant","content":""}"#));
    assert!(
        text.contains(r#""finish_reason":"stop""#) && text.contains(r#""completion_tokens":0"#)
    );
    let message = in_one_piece("empty").await.json()["choices"][0]["message"].clone();
    assert_eq!(message, serde_json::json!({"role": "assistant", "content": null}));
}

#[tokio::test(start_paused = true)]
async fn idle_connections_are_closed() {
    let (_rig, mut client) = client("idle=500ms").await;
    // The time of a reply is not idle time.
    for pause in [400, 499] {
        assert!(client.chat("sim_001", &body(STREAM)).await.complete);
        tokio::time::sleep(Duration::from_millis(pause)).await;
        assert!(client.is_open().await);
    }
    assert!(client.chat("sim_001", &body(STREAM)).await.complete);
    tokio::time::sleep(Duration::from_millis(501)).await;
    assert!(!client.is_open().await);
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_that_goes_away() {
    let (rig, mut first) = client("refuse@after:2").await;
    let mut second = rig.connect().await;
    assert!(first.chat("sim_001", &body(STREAM)).await.complete);
    assert!(!rig.simulator.is_gone());
    assert!(second.chat("sim_001", &body(STREAM)).await.complete, "the last one is still answered");
    assert!(rig.simulator.is_gone());
    assert!(first.try_chat("sim_001", &body(STREAM)).await.is_none());
    assert!(!rig.connect().await.is_open().await);
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_that_is_killed() {
    let (rig, mut first) = client("die@after:2").await;
    let (mut second, mut third) = (rig.connect().await, rig.connect().await);
    assert!(first.chat("sim_001", &body(STREAM)).await.complete);
    let request = body(STREAM);
    let kill = async {
        tokio::time::sleep(Duration::from_millis(40)).await;
        assert!(!rig.simulator.is_gone());
        third.try_chat("sim_001", &request).await
    };
    let (cut_off, killed) = tokio::join!(second.chat("sim_001", &request), kill);
    assert!(killed.is_none());
    assert_eq!((cut_off.frames.len(), cut_off.complete), (3, false));
    assert_eq!(ms(cut_off.end_at), 78 + 40);
    assert!(rig.simulator.is_gone() && !first.is_open().await);
    assert!(!rig.connect().await.is_open().await);
}

#[tokio::test(start_paused = true)]
async fn the_turn_is_counted_in_its_conversation() {
    let (_rig, mut client) = client("status=500@turn:2").await;
    let history = |messages: &str| {
        format!(r#"{{"model":"m","messages":[{{"role":"user","content":"u"}}{messages}]}}"#)
    };
    let second = r#",{"role":"assistant","content":null},{"role":"tool"},{"role":"tool"}"#;
    let third = format!(r#"{second},{{"role":"assistant"}},{{"role":"user"}}"#);
    let mut seen = Vec::new();
    for messages in ["", second, &third] {
        seen.push(client.chat("x", &history(messages)).await.status);
    }
    assert_eq!(seen, [200, 500, 200]);
}

#[tokio::test(start_paused = true)]
async fn the_first_fault_that_hits_is_used() {
    let faults: Vec<Fault> = ["status=501@first:1", "status=502@after:2", "status=503"]
        .map(|f| f.parse().unwrap())
        .into();
    let rig = Rig::new(Config { faults, ..config() });
    let mut client = rig.connect().await;
    let mut seen = Vec::new();
    for _ in 0..4 {
        seen.push(client.chat("x", &body("")).await.status);
    }
    assert_eq!(seen, [501, 503, 502, 502]);
}

#[tokio::test(start_paused = true)]
async fn a_share_of_requests_is_the_same_every_time() {
    let mut runs = Vec::new();
    for _ in 0..2 {
        let (_rig, mut client) = client("status=500@share:0.3").await;
        let mut hit = Vec::new();
        for session in 0..100 {
            let answer = client.chat(&format!("s{session}"), &body("")).await;
            hit.push(answer.status == 500);
        }
        runs.push(hit);
    }
    assert_eq!(runs[0], runs[1]);
    let count = runs[0].iter().filter(|hit| **hit).count();
    assert!((20..40).contains(&count), "{count}");
}
