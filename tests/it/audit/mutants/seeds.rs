//! Seeds, cohorts, drafters.

use super::{Mutant, m};

const POINT: &str = "@r48/point.yaml";
const CHECKSUM: &str = "git-sha1:95a723d08a9490559dae23d0cff1d9466213d989";

pub(super) const MUTANTS: &[Mutant] = &[
    m(
        "seed-unknown-set",
        &["E seed-set-membership fail @r48/point.yaml", "E seed-set-consistency fail @"],
        |t| {
            t.replace(POINT, "seed_set: \"A\"", "seed_set: \"B\"");
        },
    ),
    m("seed-unknown-set-everywhere", &["E seed-set-membership fail @r8/point.yaml"], |t| {
        t.replace_all("seed_set: \"A\"", "seed_set: \"Z\"");
    }),
    m("seed-scheduler-differs", &["E seed-runtime-match fail @r48/point.yaml"], |t| {
        t.replace(POINT, "10487924139932647040", "10487924139932647041");
    }),
    m("seed-model-absent", &["E seed-runtime-match fail @r48/point.yaml"], |t| {
        t.replace(POINT, "    model_seed: 9315206023656308754\n", "");
    }),
    m("seed-rounded", &["E seed-runtime-match fail @r48/point.yaml"], |t| {
        t.replace(POINT, "586478644936801402", "5.86478644936801402e+17");
    }),
    m(
        "seed-old-names",
        &["W seed-runtime-match warn @r48/point.yaml", "E seed-runtime-match fail @r48/point.yaml"],
        |t| {
            t.replace(POINT, "scheduler_rng_seed", "scheduler_random_seed");
            t.replace(POINT, "sample_index_rng_seed", "dataloader_random_seed");
            t.replace(POINT, "    model_seed: 9315206023656308754\n", "");
        },
    ),
    m("seed-old-names-with-model-seed", &[], |t| {
        t.replace(POINT, "scheduler_rng_seed", "scheduler_random_seed");
        t.replace(POINT, "sample_index_rng_seed", "dataloader_random_seed");
    }),
    m("seed-no-set", &["E seed-config-legacy fail @r48/point.yaml"], |t| {
        t.replace(POINT, "seed_set: \"A\"\n", "");
    }),
    m("seed-no-set-42", &["W seed-config-legacy warn @r48/point.yaml"], |t| {
        t.replace(POINT, "seed_set: \"A\"\n", "");
        t.replace(POINT, "10487924139932647040", "42");
        t.replace(POINT, "586478644936801402", "42");
    }),
    m("seed-empty-set", &["E seed-set-membership fail @r48/point.yaml"], |t| {
        t.replace(POINT, "seed_set: \"A\"", "seed_set: \"\"");
    }),
    m("cohort-form", &["E target-cohort fail @r48/point.yaml"], |t| {
        t.replace(POINT, "2026-10-C1", "2026-10-C2");
    }),
    m(
        "cohort-month-13",
        &[
            "W drafter-approval-lead-time warn @r48/point.yaml",
            "E seed-set-adoption fail @r48/point.yaml",
        ],
        |t| {
            t.replace(POINT, "2026-10-C1", "2026-13-C1");
        },
    ),
    m("cohort-blank", &["E target-cohort fail @r48/point.yaml"], |t| {
        t.replace(POINT, "2026-10-C1", " 2026-10-C1");
    }),
    m("cohort-too-late", &["E seed-set-adoption fail @r48/point.yaml"], |t| {
        t.replace(POINT, "2026-10-C1", "2026-12-C1");
    }),
    m("cohort-last", &[], |t| t.replace(POINT, "2026-10-C1", "2026-12-C0")),
    m("cohort-too-early", &["E drafter-approval-lead-time fail @r48/point.yaml"], |t| {
        t.replace(POINT, "2026-10-C1", "2026-10-C0");
    }),
    m("cohort-absent", &["W drafter-approval-lead-time warn @r48/point.yaml"], |t| {
        t.replace(POINT, "target_cohort: \"2026-10-C1\"\n", "");
    }),
    m("drafter-unknown", &["E approved-drafter fail-2 @r48/point.yaml"], |t| {
        t.replace(POINT, CHECKSUM, "git-sha1:0000000000000000000000000000000000000000");
    }),
    m("drafter-by-name-only", &["E approved-drafter fail-2 @r48/point.yaml"], |t| {
        t.replace(POINT, &format!("  weight_checksum: \"{CHECKSUM}\"\n"), "");
    }),
    m("drafter-of-a-model-without", &["E approved-drafter fail @r8/point.yaml"], |t| {
        t.replace_all("model_name: \"qwen3_6-35b-a3b\"", "model_name: \"llama3_1-8b\"");
    }),
    m("drafter-empty", &[], |t| {
        t.cut(POINT, "speculative_decoding");
        t.replace(POINT, "dataset: \"agentic", "speculative_decoding: {}\ndataset: \"agentic");
    }),
    m("drafter-off-at-a-point", &[], |t| t.cut(POINT, "speculative_decoding")),
];
