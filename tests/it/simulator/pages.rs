//! Health, models, metrics, and the record of requests.

use scenario::simulator::Config;

use super::rig::{Rig, STREAM, body, config, ms, with_fault};

#[tokio::test(start_paused = true)]
async fn health_and_models() {
    let rig = Rig::new(Config { models: vec!["a".to_owned(), "b".to_owned()], ..config() });
    let mut client = rig.connect().await;
    let health = client.get("/health").await;
    assert_eq!((health.status, health.text().as_str()), (200, ""));
    let models = client.get("/v1/models").await.json();
    let names: Vec<_> = models["data"].as_array().unwrap().iter().map(|m| &m["id"]).collect();
    assert_eq!(names, ["a", "b"]);
    let any = Rig::new(config()).connect().await.get("/v1/models").await.json();
    assert_eq!(any["data"][0]["id"], "simulated");
}

#[tokio::test(start_paused = true)]
async fn the_metrics_page() {
    let models = vec!["m".to_owned()];
    let rig = Rig::new(Config { models, ..with_fault("error=1@request:4") });
    let mut client = rig.connect().await;
    let long = format!(r#","user":"x"{STREAM}"#);
    client.chat("sim_001", &body(&long)).await;
    client.chat("sim_001", &body(&format!(r#","max_tokens":2{STREAM}"#))).await;
    client.chat("sim_001", &body("")).await;
    client.chat("sim_001", &body(STREAM)).await;
    insta::assert_snapshot!(client.get("/metrics").await.text());
}

#[tokio::test(start_paused = true)]
async fn every_request_is_recorded_as_it_ends() {
    let rig = Rig::new(with_fault("stall=2@request:2"));
    let mut client = rig.connect().await;
    client.chat("sim_001", &body(STREAM)).await;
    let request = body(STREAM);
    let stalled = client.chat("sim_001__repeat_2", &request);
    let given_up = tokio::time::timeout(std::time::Duration::from_secs(5), stalled).await;
    assert!(given_up.is_err());
    drop(client);
    tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    rig.connect().await.get("/health").await;

    let records = rig.kept.0.lock().unwrap();
    let lines: Vec<_> = records
        .iter()
        .map(|r| {
            let first = r.first_fragment.map(ms);
            let session = r.session.as_deref().unwrap_or("-");
            (r.path.as_str(), session, r.status, ms(r.arrival), first, ms(r.end), r.complete)
        })
        .collect();
    assert_eq!(
        lines,
        [
            ("/v1/chat/completions", "sim_001", Some(200), 0, Some(30), 78, true),
            ("/v1/chat/completions", "sim_001__repeat_2", Some(200), 78, Some(108), 5078, false),
            ("/health", "-", Some(200), 5079, None, 5079, true),
        ]
    );
    assert_eq!(records[0].body, body(STREAM));
}
