//! Stamps, by equality.

use super::pipe::{Rig, sleep_ms};

#[tokio::test(start_paused = true)]
async fn first_token_and_completion_are_stamped_exactly() {
    let mut rig = Rig::new(|_, mut peer| async move {
        while peer.request().await.is_some() {
            sleep_ms(100).await;
            peer.stream_head().await;
            peer.delta(r#"{"role":"assistant","content":null}"#).await;
            sleep_ms(150).await;
            peer.delta(r#"{"reasoning_content":"hm"}"#).await;
            for word in ["a", "b", "c"] {
                sleep_ms(20).await;
                peer.delta(&format!(r#"{{"content":"{word}"}}"#)).await;
            }
            sleep_ms(20).await;
            peer.stream_end().await;
        }
    });
    let turn = rig.exchange().await;
    assert_eq!((turn.first, turn.completed, turn.text().as_str()), (Some(250), 330, "abc"));
    let reply = turn.exchange.outcome.unwrap();
    assert_eq!(reply.reasoning.first, "hm");
    assert_eq!((reply.content.first.as_str(), reply.chunks), ("", 4));

    sleep_ms(500).await;
    let turn = rig.exchange().await;
    assert_eq!((turn.first, turn.completed), (Some(830 + 250), 830 + 330));
    assert_eq!(rig.opened(), 1);
    assert!(turn.exchange.connect.is_none());
}
