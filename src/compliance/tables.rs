//! Numbers of the official checker that stand in no ruleset: other benchmarks, vocabularies and the
//! published power defaults.

/// Canonical name and drafter revision of benchmarks beside the agentic ones.
pub(super) const OTHER_DRAFTERS: [(&str, &str); 3] = [
    ("deepseek-r1", "56d4cbbb4d29f4355bab4b9a39ccb717a14ad5ad"),
    ("deepseek-r1", "93947a0d7bd04f73ff98636f6b18ff5839e7aaf9"),
    ("gpt-oss-120b", "633caf45f31288cbb70ee237f7c939db707ecc94"),
];

/// Fewest completed queries by data set.
pub(super) const MIN_QUERIES: [(&str, i128); 10] = [
    ("open_orca", 24_576),
    ("cnn_dailymail", 13_368),
    ("aime25", 30),
    ("gpqa", 198),
    ("livecodebench", 880),
    ("shopify_product_catalogue", 48_289),
    ("shopify_product_catalogue_8k", 8_000),
    ("mlperf_gpt_oss_performance", 6_396),
    ("mlperf_gpt_oss_accuracy", 4_395),
    ("math500", 500),
];

/// Shortest durations of single-turn points in seconds: up to the ultra-low limit, and above.
pub(super) const SINGLE_TURN_SECONDS: (f64, f64) = (600.0, 1_200.0);

/// Accuracy thresholds of a single-turn model.
pub(super) struct SingleTurn {
    /// Texts that all stand in the model directory's name, in lower case without punctuation.
    pub(super) fragments: &'static [&'static str],
    /// Metric in lower case, lowest and highest value.
    pub(super) metrics: &'static [(&'static str, f64, Option<f64>)],
    /// Fewest samples.
    pub(super) samples: i128,
}

/// Thresholds are this share of the reference's score.
const SHARE: f64 = 0.99;

/// The single-turn models; the first that fits counts.
pub(super) const SINGLE_TURN: [SingleTurn; 6] = [
    SingleTurn {
        fragments: &["deepseek", "r1"],
        metrics: &[("exact_match", 81.3582 * SHARE, None)],
        samples: 4_388,
    },
    SingleTurn {
        fragments: &["gptoss", "120b"],
        metrics: &[("exact_match", 83.13 * SHARE, None)],
        samples: 4_395,
    },
    SingleTurn {
        fragments: &["llama3", "405b"],
        metrics: &[
            ("rougel", 21.6666 * SHARE, None),
            ("exact_match", 90.1335 * SHARE, None),
            ("tokens_per_sample", 684.68 * 0.9, Some(684.68 * 1.1)),
        ],
        samples: 8_313,
    },
    SingleTurn {
        fragments: &["llama2", "70b"],
        metrics: &[
            ("rouge1", 44.4312 * SHARE, None),
            ("rouge2", 22.0352 * SHARE, None),
            ("rougel", 28.6162 * SHARE, None),
            ("tokens_per_sample", 294.45 * 0.9, Some(294.45 * 1.1)),
        ],
        samples: 24_576,
    },
    SingleTurn {
        fragments: &["mixtral", "8x7b"],
        metrics: &[
            ("rouge1", 45.5989 * SHARE, None),
            ("rouge2", 23.3526 * SHARE, None),
            ("rougel", 30.4608 * SHARE, None),
            ("tokens_per_sample", 144.84 * 0.9, Some(145.9 * 1.1)),
        ],
        samples: 15_000,
    },
    SingleTurn {
        fragments: &["llama3", "8b"],
        metrics: &[
            ("rouge1", 38.7792 * SHARE, None),
            ("rouge2", 15.9075 * SHARE, None),
            ("rougel", 24.4957 * SHARE, None),
            ("rougelsum", 35.793 * SHARE, None),
            ("gen_len", 8_167_644.0 * 0.9, Some(8_167_644.0 * 1.1)),
        ],
        samples: 13_368,
    },
];

/// The words of `region`.
pub(super) const REGIONS: [&str; 6] = [
    "low_latency",
    "low_concurrency",
    "med_concurrency",
    "high_concurrency",
    "margin",
    "submitters_choice",
];
/// The words of a steady state's `status`.
pub(super) const STATUSES: [&str; 4] =
    ["windowable", "insufficient_duration", "insufficient_passes", "partial_dataset"];
/// The words of a steady state's `verdict`.
pub(super) const VERDICTS: [&str; 5] =
    ["STEADY STATE", "drifting_up", "drifting_down", "anomaly", "not found"];
/// The words of a steady state's metrics.
pub(super) const STATES: [&str; 3] = ["Plateau", "Drifting Up", "Drifting Down"];

/// Overhead of liquid and of air cooling, as a share of the major components.
pub(super) const OVERHEAD: (f64, f64) = (0.30, 0.50);

/// Appendix D.3: part of the accelerator's name, watts. The first that fits counts.
pub(super) const ACCELERATORS: [(&str, f64); 9] = [
    ("gb300", 1400.0),
    ("gb200", 1200.0),
    ("b300", 1100.0),
    ("b200", 1000.0),
    ("mi455x", 2500.0),
    ("mi355x", 1400.0),
    ("mi350x", 1000.0),
    ("tpuv7", 1000.0),
    ("tn3", 700.0),
];
/// Appendix D.4: part of the switch's name, watts with passive and with optical cabling.
pub(super) const SWITCHES: [(&str, f64, Option<f64>); 4] = [
    ("sn6810ld", 1960.0, Some(1960.0)),
    ("sn5610", 900.0, Some(2080.0)),
    ("sn5400", 670.0, None),
    ("sn4700", 630.0, None),
];
/// Appendix D.4: a network adapter in watts.
pub(super) const NIC_WATTS: f64 = 75.0;
/// Appendix D.2: words of ARM processors, with the most cores and their watts.
pub(super) const ARM: (&[&str], i128, f64) =
    (&["grace", "neoverse", "arm", "graviton", "axion", "ampere", "altra", "agi"], 128, 300.0);
/// Appendix D.2: words of x86 processors, with the cores up to which the first watts hold.
pub(super) const X86: (&[&str], i128, f64, f64) =
    (&["xeon", "epyc", "intel", "amd", "x86", "x86_64"], 64, 350.0, 500.0);
