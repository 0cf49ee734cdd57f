//! Kept connections: reused, outlived, closed behind the client's back.

use std::time::Duration;

use scenario::client::Config;

use super::pipe::{Peer, Rig, sleep_ms};

/// Answers every request after 10 ms.
async fn answer_all(mut peer: Peer) {
    while peer.request().await.is_some() {
        sleep_ms(10).await;
        peer.say("ok").await;
    }
}

fn config(max_idle_ms: u64) -> Config {
    let max_idle = Duration::from_millis(max_idle_ms);
    Config { max_idle, ..Config::new(vec!["http://pipe".to_owned()]) }
}

#[tokio::test(start_paused = true)]
async fn a_connection_is_reused_up_to_max_idle_and_not_beyond() {
    let connect = Duration::from_millis(3);
    let mut rig = Rig::with(&config(500), connect, |_, peer| answer_all(peer));
    let turn = rig.exchange().await;
    assert_eq!((turn.completed, turn.exchange.connect), (13, Some(3_000_000)));
    sleep_ms(500).await;
    let turn = rig.exchange().await;
    assert_eq!((turn.completed, turn.exchange.connect, rig.opened()), (523, None, 1));
    sleep_ms(501).await;
    let turn = rig.exchange().await;
    assert_eq!((turn.completed, turn.exchange.connect), (1024 + 13, Some(3_000_000)));
    assert_eq!((rig.opened(), rig.seen().len()), (2, 3));
}

#[tokio::test(start_paused = true)]
async fn a_close_while_idle_costs_a_connect_and_nothing_else() {
    let mut rig = Rig::with(&config(500), Duration::from_millis(3), |_, mut peer| async move {
        peer.request().await;
        peer.say("ok").await;
        sleep_ms(100).await;
    });
    for round in 0..3 {
        let turn = rig.exchange().await;
        assert_eq!(turn.text(), "ok");
        assert_eq!((turn.exchange.connect, turn.exchange.resent), (Some(3_000_000), false));
        assert_eq!(rig.opened(), round + 1);
        sleep_ms(200).await;
    }
    assert_eq!(rig.seen().len(), 3, "no request was sent twice");
}

#[tokio::test(start_paused = true)]
async fn a_reused_connection_that_dies_unanswered_sends_again_once() {
    let mut rig = Rig::with(&config(500), Duration::from_millis(3), |n, mut peer| async move {
        if n == 0 {
            peer.request().await;
            peer.say("first").await;
            peer.request().await;
            sleep_ms(5).await;
        } else {
            answer_all(peer).await;
        }
    });
    assert_eq!(rig.exchange().await.completed, 3);
    sleep_ms(97).await;
    let turn = rig.exchange().await;
    assert_eq!(turn.text(), "ok");
    // 5 ms on the dead connection and 3 ms for the new one count as connecting.
    assert_eq!((turn.exchange.connect, turn.exchange.resent), (Some(8_000_000), true));
    assert_eq!((turn.first, turn.completed, rig.opened()), (Some(118), 118, 2));
    assert_eq!(rig.seen().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn sending_again_happens_once_and_only_for_an_idle_close() {
    // Every connection answers once and then closes on the next request.
    let mut rig = Rig::new(|n, mut peer| async move {
        peer.request().await;
        if n == 0 {
            peer.say("first").await;
            peer.request().await;
        }
    });
    rig.exchange().await;
    let turn = rig.exchange().await;
    insta::assert_snapshot!(turn.text(), @"reset: the connection broke before the reply began: the server closed it");
    assert!(turn.exchange.resent);

    // A server that takes the request, works for two seconds and dies was not idle.
    let mut rig = Rig::new(|_, mut peer| async move {
        peer.request().await;
        peer.say("first").await;
        peer.request().await;
        sleep_ms(2000).await;
    });
    rig.exchange().await;
    let turn = rig.exchange().await;
    insta::assert_snapshot!(turn.text(), @"reset: the connection broke before the reply began: the server closed it");
    assert_eq!((turn.completed, turn.exchange.resent, rig.opened()), (2000, false, 1));
}

#[tokio::test(start_paused = true)]
async fn a_first_connection_that_dies_is_a_reset() {
    let mut rig = Rig::new(|_, mut peer| async move {
        peer.request().await;
        sleep_ms(7).await;
    });
    let turn = rig.exchange().await;
    insta::assert_snapshot!(turn.text(), @"reset: the connection broke before the reply began: the server closed it");
    assert_eq!((turn.first, turn.completed, rig.opened()), (None, 7, 1));
}

#[tokio::test(start_paused = true)]
async fn the_end_of_the_response_may_lag_behind_done() {
    let mut rig = Rig::new(|_, mut peer| async move {
        for lag in [100, 251] {
            peer.request().await;
            sleep_ms(10).await;
            peer.stream_head().await;
            peer.delta(r#"{"content":"x"}"#).await;
            sleep_ms(10).await;
            peer.chunk("data: [DONE]\n\n").await;
            sleep_ms(lag).await;
            peer.write("0\r\n\r\n").await;
        }
        std::future::pending::<()>().await;
    });
    let turn = rig.exchange().await;
    assert_eq!((turn.first, turn.completed, turn.text().as_str()), (Some(10), 20, "x"));
    let turn = rig.exchange().await;
    assert_eq!((turn.first, turn.completed), (Some(130), 140));
    assert_eq!(rig.opened(), 1, "the first lag kept the connection");
    sleep_ms(10).await;
    rig.exchange_within(5).await;
    assert_eq!(rig.opened(), 2, "the second was too long to wait for");
}

#[tokio::test(start_paused = true)]
async fn unasked_bytes_on_an_idle_connection_end_it() {
    let mut rig = Rig::new(|n, mut peer| async move {
        if n == 0 {
            peer.request().await;
            peer.say("first").await;
            sleep_ms(50).await;
            peer.write("HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\n\r\n").await;
            std::future::pending::<()>().await;
        }
        answer_all(peer).await;
    });
    rig.exchange().await;
    sleep_ms(100).await;
    assert_eq!(rig.exchange().await.text(), "ok");
    assert_eq!((rig.opened(), rig.seen().len()), (2, 2));
}

#[tokio::test(start_paused = true)]
async fn a_dropped_exchange_leaves_a_client_that_works() {
    let mut rig = Rig::new(|n, mut peer| async move {
        peer.request().await;
        if n == 0 {
            sleep_ms(60_000).await;
        }
        peer.say("ok").await;
    });
    let dropped = tokio::time::timeout(Duration::from_secs(1), rig.exchange()).await;
    assert!(dropped.is_err());
    let turn = rig.exchange().await;
    assert_eq!((turn.text().as_str(), turn.completed, rig.opened()), ("ok", 1000, 2));
}
