//! Planted series, with the numbers that `tests/steady/expected.py` gives for the same series.

use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::events::{Event, EventKind, SampleId, TurnKey};
use crate::metrics::tokens::{TokenSource, TurnTokens};
use crate::wire::{Reply, Usage};

const SIZE: u64 = 20;
const MS: i64 = 1_000_000;
const MINUTE: Duration = Duration::from_mins(1);

/// The series of expected.py: `SIZE` turns for each level of TPOT, with noise of `permille`.
fn series(levels: &[i64], step: u64, permille: i64) -> Vec<TurnRecord> {
    let mut state: i64 = 7;
    let mut turns = Vec::new();
    for level in levels {
        for _ in 0..SIZE {
            state = (state * 1_103_515_245 + 12_345).rem_euclid(1 << 31);
            let noise = (state >> 16) - 16_384;
            let tpot = level + (level * permille * noise).div_euclid(16_384 * 1000);
            let issued_at = turns.len() as u64 * step;
            let first = issued_at + 200_000_000 + u64::try_from(noise + 16_384).unwrap() * 1000;
            turns.push(TurnRecord {
                issued_at,
                first_at: Some(first),
                completed_at: Some(first + 100 * u64::try_from(tpot).unwrap()),
                output: Some(150),
                after_first: 100,
            });
        }
    }
    turns
}

fn levels(parts: &[(i64, usize)]) -> Vec<i64> {
    parts.iter().flat_map(|&(level, count)| std::iter::repeat_n(level * MS, count)).collect()
}

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-12 * expected.abs(), "{found} for {expected}");
}

fn plateau(low: usize, high: usize) -> Plateau {
    Plateau { low, high }
}

/// Percentiles 50 and 90 of TPOT, then of TTFT.
fn trends(analysis: &Analysis) -> [Direction; 4] {
    ["tpot_p50", "tpot_p90", "ttft_p50", "ttft_p90"].map(|name| analysis.trends[name])
}

const FLAT: [Direction; 4] = [Direction::None; 4];

#[test]
fn a_steady_replay_behind_its_warm_up() {
    let turns = series(&levels(&[(30, 1), (24, 1), (20, 10)]), 10_000_000_000, 100);
    let analysis = analyze(&turns, SIZE);
    assert!(analysis.found);
    assert_eq!((analysis.warmup, analysis.window, analysis.skipped), (2, Some(plateau(0, 10)), 0));
    close(analysis.shortest_span_ns.unwrap(), 600e9);
    close(analysis.cov["tpot_p50"], 0.015_862_369_317_391_784);
    close(analysis.cov["tpot_p90"], 0.014_920_842_862_372_43);
    assert_eq!(analysis.cov_basis, Some(0.03));
    assert_eq!(trends(&analysis), FLAT);

    let numbers = analysis.numbers.as_ref().unwrap();
    assert_eq!((numbers.n_samples, numbers.issue_span_ns), (200, 1_990_000_000_000));
    let tpot = numbers.tpot.unwrap();
    close(tpot.mean, 19_974_115.115);
    assert_eq!((tpot.p50, tpot.p90), (19_968_994.0, 21_579_956.0));
    close(tpot.low.unwrap(), 19_830_236.639_231_235);
    close(tpot.high.unwrap(), 20_117_993.590_768_77);
    close(numbers.tps_per_user.unwrap(), 50.064_796_074_446_78);
    close(numbers.system_tps.unwrap(), 15.075_376_884_422_111);

    let block = SteadyBlock::new(&analysis, Duration::from_mins(10));
    insta::assert_snapshot!(serde_yaml::to_string(&block).unwrap(), @r"
    status: windowable
    verdict: STEADY STATE
    window:
      super_pass_start: 2
      super_pass_end: 11
      super_pass_size: 20
      n_samples: 200
      duration_s: 1990.0
    state:
      tpot_p50: Plateau
      tpot_p90: Plateau
    ");
    let block = SteadyBlock::new(&analysis, Duration::from_mins(40));
    assert_eq!((block.status, block.window), (Status::InsufficientDuration, None));
}

#[test]
fn a_ramp_is_cut_down_to_what_is_flat_enough() {
    let climbing: Vec<i64> = (0..14).map(|at| (20 + at) * MS).collect();
    let analysis = analyze(&series(&climbing, 10_000_000_000, 20), SIZE);
    assert_eq!((analysis.warmup, analysis.window), (7, Some(plateau(0, 4))));
    close(analysis.cov["tpot_p90"], 0.040_539_011_754_354_72);
    assert_eq!(trends(&analysis)[..2], [Direction::Up; 2]);
    close(analysis.numbers.as_ref().unwrap().tpot.unwrap().low.unwrap(), 26_425_861.524_742_015);
    let block = SteadyBlock::new(&analysis, MINUTE);
    assert_eq!((block.status, block.verdict), (Status::Windowable, Verdict::DriftingUp));
    assert!(block.state.values().all(|state| *state == State::Plateau));
}

#[test]
fn a_slow_ramp_whose_step_is_not_significant_is_no_anomaly() {
    let climbing: Vec<i64> = (0..20).map(|at| 40 * MS + at * MS / 2).collect();
    let analysis = analyze(&series(&climbing, 10_000_000_000, 20), SIZE);
    assert_eq!((analysis.warmup, analysis.window), (10, Some(plateau(0, 5))));
    assert_eq!(analysis.anomaly, None, "p is 0.066");
    close(analysis.numbers.unwrap().tpot.unwrap().high.unwrap(), 46_923_997.725_330_57);
}

#[test]
fn a_staircase_reports_its_first_level_and_discloses_the_second() {
    let turns = series(&levels(&[(20, 18), (28, 5)]), 10_000_000_000, 50);
    let analysis = analyze(&turns, SIZE);
    assert_eq!(
        (analysis.warmup, analysis.window, analysis.anomaly),
        (1, Some(plateau(0, 17)), Some(plateau(17, 22)))
    );
    close(analysis.cov["tpot_p90"], 0.010_525_206_671_452_316);
    let [first, ..] = trends(&analysis);
    assert_eq!(first, Direction::Up);
    close(analysis.numbers.as_ref().unwrap().system_tps.unwrap(), 15.044_247_787_610_619);
    let block = SteadyBlock::new(&analysis, MINUTE);
    assert_eq!((block.status, block.verdict), (Status::Windowable, Verdict::Anomaly));
    let told = "super-passes 18 to 22 lie at another level of TPOT";
    assert_eq!(block.anomaly.as_deref(), Some(told));
}

#[test]
fn what_is_flat_for_too_short_a_time_is_not_found() {
    let analysis = analyze(&series(&levels(&[(20, 9)]), 1_000_000_000, 50), SIZE);
    assert!(!analysis.found);
    assert_eq!((analysis.warmup, analysis.window), (1, Some(plateau(0, 8))));
    assert_eq!(analysis.numbers.as_ref().unwrap().issue_span_ns, 159_000_000_000);
    insta::assert_snapshot!(
        analysis.reason,
        @"no plateau is long enough: the longest spans 159.0 s of issues, 600.0 s are needed"
    );
    let block = SteadyBlock::new(&analysis, MINUTE);
    assert_eq!((block.status, block.verdict), (Status::InsufficientDuration, Verdict::NotFound));
    assert_eq!(block.window, None);
    let summary = SteadySummary::new(&analysis, MINUTE);
    assert!(summary.short_window && summary.window.is_some());
}

#[test]
fn a_short_plateau_is_skipped() {
    let turns = series(&levels(&[(20, 5), (30, 1), (20, 12)]), 6_000_000_000, 20);
    let analysis = analyze(&turns, SIZE);
    assert_eq!((analysis.warmup, analysis.window, analysis.skipped), (1, Some(plateau(5, 17)), 1));
    assert_eq!(analysis.numbers.as_ref().unwrap().issue_span_ns, 1_434_000_000_000);
    close(analysis.cov["tpot_p50"], 0.003_420_837_566_618_128_6);
    close(analysis.numbers.unwrap().tps_per_user.unwrap(), 50.059_946_828_043_2);
    assert_eq!(analysis.anomaly, None);
}

#[test]
fn small_drifts_are_told_with_their_direction() {
    let mut up = levels(&[(20, 14)]);
    up.extend((0..14).map(|at| 20 * MS + at * 40_000));
    let analysis = analyze(&series(&up, 10_000_000_000, 10), SIZE);
    assert_eq!((analysis.warmup, analysis.window), (1, Some(plateau(0, 27))));
    assert_eq!(trends(&analysis), [Direction::Up, Direction::Up, Direction::None, Direction::None]);
    close(analysis.cov["tpot_p50"], 0.009_086_479_656_316_036);
    assert_eq!(SteadyBlock::new(&analysis, MINUTE).verdict, Verdict::DriftingUp);
    assert_eq!(SteadySummary::new(&analysis, MINUTE).drifting_up, ["tpot_p50", "tpot_p90"]);

    let mut down = levels(&[(20, 14)]);
    down.extend((0..6).map(|at| 20 * MS - at * 200_000));
    let analysis = analyze(&series(&down, 10_000_000_000, 10), SIZE);
    assert_eq!(analysis.window, Some(plateau(0, 19)));
    assert_eq!(trends(&analysis)[..2], [Direction::Down; 2]);
    close(analysis.numbers.as_ref().unwrap().tpot.unwrap().mean, 19_835_717.671_052_63);
    assert_eq!(SteadyBlock::new(&analysis, MINUTE).verdict, Verdict::DriftingDown);
}

#[test]
fn a_wave_stands_still_nowhere() {
    let wave: Vec<i64> = (0..16).map(|at| 20 * MS + 5 * MS * (at % 5)).collect();
    let analysis = analyze(&series(&wave, 10_000_000_000, 10), SIZE);
    assert_eq!((analysis.warmup, analysis.window), (8, None));
    insta::assert_snapshot!(analysis.reason, @"no 4 super-passes in a row stand still");
    let block = SteadyBlock::new(&analysis, MINUTE);
    assert_eq!((block.status, block.verdict), (Status::InsufficientPasses, Verdict::NotFound));
    assert!(block.state.is_empty());
}

#[test]
fn little_data_gives_words_and_no_numbers() {
    let none = analyze(&[], SIZE);
    assert_eq!((none.super_passes, none.warmup, none.window), (0, 0, None));
    let status = |analysis: &Analysis| SteadyBlock::new(analysis, MINUTE).status;
    assert_eq!(status(&none), Status::PartialDataset);

    let turns = series(&levels(&[(20, 3)]), 10_000_000_000, 10);
    assert_eq!(status(&analyze(&turns[..19], SIZE)), Status::PartialDataset);
    let three = analyze(&turns, SIZE);
    assert_eq!(status(&three), Status::InsufficientPasses);
    insta::assert_snapshot!(
        three.reason,
        @"too few super-passes: 3; a plateau takes 4 behind the warm-up"
    );

    let mut silent = series(&levels(&[(20, 8)]), 10_000_000_000, 10);
    for turn in &mut silent {
        (turn.output, turn.after_first) = (None, 0);
    }
    let silent = analyze(&silent, SIZE);
    insta::assert_snapshot!(silent.reason, @"no turn has a time per output token");
    assert_eq!(status(&silent), Status::InsufficientPasses);
}

#[test]
fn an_incomplete_super_pass_does_not_make_the_fourth() {
    let mut turns = series(&levels(&[(20, 5)]), 10_000_000_000, 10);
    turns.pop();
    let analysis = analyze(&turns, SIZE);
    assert_eq!((analysis.window, analysis.window_complete), (Some(plateau(0, 4)), 3));
    assert!(analysis.found);
    assert_eq!(SteadyBlock::new(&analysis, MINUTE).status, Status::InsufficientPasses);
}

#[test]
fn turns_count_in_the_order_of_issue_while_tracking() {
    let key = |sample| TurnKey { sample: SampleId(sample), session: "a".into(), turn: 1 };
    let usage = Usage { prompt_tokens: 9, completion_tokens: 11, ..Usage::default() };
    let reply = Reply { usage: Some(usage), chunks: 3, ..Reply::default() };
    let complete = |sample| EventKind::Complete(key(sample), Some(Box::new(reply.clone())));
    let kinds = [
        EventKind::Issued(key(1), None),
        EventKind::StartTracking,
        EventKind::Issued(key(3), None),
        EventKind::Issued(key(2), None),
        EventKind::FirstToken(key(2)),
        EventKind::FirstToken(key(2)),
        EventKind::Issued(key(3), None),
        EventKind::FirstToken(key(3)),
        complete(1),
        EventKind::Complete(key(3), None),
        EventKind::StopTracking,
        complete(2),
        EventKind::Issued(key(4), None),
    ];
    let run = |tokens| {
        let mut detector = Detector::new(tokens);
        for (at, kind) in (0..).zip(&kinds) {
            detector.push(&Event { at, kind: kind.clone() });
        }
        detector.turns().to_vec()
    };
    let failed = TurnRecord { issued_at: 6, first_at: Some(7), ..TurnRecord::default() };
    let (issued_at, first_at, completed_at) = (3, Some(4), Some(11));
    let second =
        TurnRecord { issued_at, first_at, completed_at, output: Some(11), after_first: 10 };
    assert_eq!(run(TokenSource::ServerReported), [failed, second]);

    let counts = TurnTokens { input: Some(7), output: 20, after_first: 14 };
    let official = TokenSource::Official(std::sync::Arc::new([(SampleId(2), counts)].into()));
    let second = TurnRecord { output: Some(20), after_first: 14, ..second };
    assert_eq!(run(official), [failed, second]);
}

fn any_levels() -> impl Strategy<Value = Vec<i64>> {
    prop::collection::vec((5..60_i64).prop_map(|level| level * MS), 0..24)
}

proptest! {
    /// Where the clock begins says nothing.
    #[test]
    fn a_shift_in_time_changes_nothing(levels in any_levels(), shift in 0..1_u64 << 50) {
        let turns = series(&levels, 10_000_000_000, 30);
        let later = turns.iter().map(|turn| TurnRecord {
            issued_at: turn.issued_at + shift,
            first_at: turn.first_at.map(|at| at + shift),
            completed_at: turn.completed_at.map(|at| at + shift),
            ..*turn
        });
        prop_assert_eq!(analyze(&later.collect::<Vec<_>>(), SIZE), analyze(&turns, SIZE));
    }

    /// A slower system has the same plateaus; only the 600 s do not grow with it. A power of two
    /// scales floats without rounding.
    #[test]
    fn scaled_times_have_the_same_shape(levels in any_levels()) {
        let turns = series(&levels, 60_000_000_000, 30);
        let scaled = turns.iter().map(|turn| TurnRecord {
            issued_at: turn.issued_at * 4,
            first_at: turn.first_at.map(|at| at * 4),
            completed_at: turn.completed_at.map(|at| at * 4),
            ..*turn
        });
        let (plain, scaled) = (analyze(&turns, SIZE), analyze(&scaled.collect::<Vec<_>>(), SIZE));
        prop_assert_eq!((plain.warmup, plain.window), (scaled.warmup, scaled.window));
        prop_assert_eq!((&plain.cov, &plain.trends), (&scaled.cov, &scaled.trends));
        if let (Some(plain), Some(scaled)) = (plain.numbers, scaled.numbers) {
            prop_assert_eq!(plain.issue_span_ns * 4, scaled.issue_span_ns);
            let four = |interval: Interval| interval.mean * 4.0;
            prop_assert_eq!(plain.tpot.map(four), scaled.tpot.map(|interval| interval.mean));
        }
    }

    /// A window is a stretch of super-passes behind the warm-up, and no number of it is NaN.
    #[test]
    fn whatever_comes_in_the_outcome_is_sound(
        stamps in prop::collection::vec((any::<u64>(), any::<Option<u64>>(), any::<Option<u64>>(), 0..3_u64), 0..200),
        size in 0..9_u64,
    ) {
        let turns: Vec<TurnRecord> = stamps.into_iter().map(|(issued_at, first_at, completed_at, after_first)| {
            TurnRecord { issued_at, first_at, completed_at, output: Some(after_first), after_first }
        }).collect();
        let analysis = analyze(&turns, size);
        if let Some(window) = analysis.window {
            prop_assert!(window.len() >= MIN_SUPER_PASSES);
            prop_assert!(analysis.warmup + window.high <= analysis.super_passes);
        }
        let text = serde_json::to_string(&SteadySummary::new(&analysis, MINUTE)).unwrap();
        prop_assert!(!text.contains("NaN") && !text.contains("inf\""));
        let window = SteadyBlock::new(&analysis, MINUTE).window;
        prop_assert!(window.is_none_or(|window| window.super_pass_start < window.super_pass_end));
    }
}
