//! Whether a replay knows that it was late.

use std::time::Duration;

use super::harness::{MS, Replay, made_library};

fn replay() -> Replay {
    Replay { probe: true, ..Replay::new(made_library(6, 4, 0.033), 1, 3) }
}

#[tokio::test(start_paused = true)]
async fn a_replay_on_time_says_so_and_is_not_changed_by_being_probed() {
    let outcome = replay().run().await;
    outcome.assert_clean();
    let plain = Replay { probe: false, ..replay() }.run().await;
    assert_eq!(outcome.timeline_text(), plain.timeline_text());
    let client = &outcome.recorded.client;
    let lag = client.loop_lag.unwrap();
    assert!(lag.count >= outcome.recorded.ended_at / (4 * MS) - 1, "{lag:?}");
    assert_eq!((lag.max_ns, lag.late), (0, 0));
    assert_eq!((client.stamps, client.late_stamps), (2 * outcome.recorded.planned, 0));
    let issue = client.issue_delay.unwrap();
    assert_eq!((issue.count, issue.max_ns), (outcome.recorded.planned, 0));
    assert!(client.find_limits(Some(8 * MS)).is_empty());
    assert_eq!(plain.recorded.client.loop_lag, None);
}

/// The event loop stands still for 30 ms after every 7 ms, as one does that has too much to do.
#[tokio::test(start_paused = true)]
async fn a_replay_whose_event_loop_stands_still_says_that_its_stamps_are_late() {
    let outcome = replay()
        .run_while(|_, _| async {
            loop {
                tokio::time::sleep(Duration::from_millis(7)).await;
                tokio::time::advance(Duration::from_millis(30)).await;
            }
        })
        .await;
    outcome.assert_clean();
    let client = &outcome.recorded.client;
    let lag = client.loop_lag.unwrap();
    assert!(lag.max_ns >= 28 * MS && lag.p99_ns >= 20 * MS, "{lag:?}");
    assert!(client.late_stamps > 0 && client.late_stamps <= client.stamps, "{client:?}");
    assert!(client.issue_delay.unwrap().max_ns > 2 * MS, "{client:?}");
    let limits = client.find_limits(Some(8 * MS));
    assert!(limits[0].starts_with("the event loop ran late: p99 "), "{limits:?}");
    assert!(limits[1].starts_with("turns were issued late: p99 "), "{limits:?}");
}
