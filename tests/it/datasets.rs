//! Reading data sets: the recorded reference set, and files that are wrong in one way each.

mod command;
mod generated;
mod imported;
#[cfg(target_os = "linux")]
mod memory;

use std::fs;
use std::io::{Read, Write as _};
use std::path::Path;

use scenario::dataset::{Facts, Limits, Message, Reader};
use scenario::diagnostics::{Diagnostic, SourceMap, render_human};

fn fixture(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

#[test]
fn reads_the_reference_set() {
    let path = fixture("reference-replay/dataset.jsonl");
    let mut reader = Reader::open(&path, Limits::default()).unwrap();
    let mut trajectories = Vec::new();
    while let Some(trajectory) = reader.next_trajectory() {
        trajectories.push(trajectory);
    }
    let facts = reader.finish();
    assert_eq!(reader.diagnostics(), []);
    let ids: Vec<_> = trajectories.iter().map(|trajectory| &*trajectory.id).collect();
    assert_eq!(ids, ["django__django-0001", "sim_001", "plain-conv_1"]);
    assert_eq!(facts.client_turns, 15);
    assert_eq!(facts.assistant_turns, 13);
    assert_eq!(facts.total_delay, std::time::Duration::from_millis(350));
    assert_eq!((facts.workflow_trajectories, facts.without_system), (1, 0));
    assert_eq!(facts.sha256.unwrap(), scenario::digest::sha256_hex(&std::fs::read(&path).unwrap()));
    let coding = &trajectories[0];
    assert_eq!(coding.rows.len(), 13);
    assert!(
        coding
            .tools
            .as_ref()
            .unwrap()
            .starts_with(r#"[{"type":"function","function":{"name":"bash","#)
    );
    match &trajectories[1].rows[5].message {
        Message::Assistant { content, tool_calls, intent_codes, .. } => {
            assert_eq!(*content, None);
            assert_eq!(*intent_codes, ["i002"]);
            assert!(
                tool_calls
                    .as_ref()
                    .unwrap()
                    .ends_with(r#""arguments":{"order_id":"42","note":"été"}}}]"#)
            );
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn shipped_sets_are_clean() {
    for (name, trajectories, client_turns, workflow) in
        [("coding.jsonl", 6, 44, 0), ("workflow.jsonl", 12, 54, 12)]
    {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets").join(name);
        let mut reader = Reader::open(&path, Limits::default()).unwrap();
        let facts = reader.finish();
        assert_eq!(reader.diagnostics(), [], "{name}");
        assert_eq!(
            (facts.trajectories, facts.client_turns, facts.workflow_trajectories),
            (trajectories, client_turns, workflow),
            "{name}"
        );
        assert_eq!(facts.without_system, 0, "{name}");
        assert!(facts.reasoning_turns > 0, "{name}");
        assert_eq!(facts.intent_turns > 0, workflow > 0, "{name}");
    }
}

/// Everything that a reader says about some bytes.
struct Reading {
    ids: Vec<String>,
    facts: Facts,
    findings: Vec<Diagnostic>,
}

fn read(name: &str, bytes: impl Read, limits: Limits) -> Reading {
    let mut reader = Reader::new(Path::new(name), bytes, limits);
    let mut ids = Vec::new();
    while let Some(trajectory) = reader.next_trajectory() {
        ids.push(trajectory.id);
    }
    let facts = reader.finish();
    let findings = reader.diagnostics().to_vec();
    assert_eq!(
        reader.errors() > 0,
        findings.iter().any(|finding| finding.severity == scenario::diagnostics::Severity::Error),
        "{name}: an error must be seen in the list, however short it is cut"
    );
    Reading { ids, facts, findings }
}

/// The findings as text, and the trajectories that can be used all the same.
fn report(reading: &Reading) -> String {
    let usable = if reading.ids.is_empty() { "none".to_owned() } else { reading.ids.join(", ") };
    let text = render_human(&reading.findings, &SourceMap::default(), false);
    format!("{text}\nusable: {usable}\n")
}

#[test]
fn findings_of_bad_files() {
    let folder = fixture("datasets");
    let mut names: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| Path::new(name).extension().is_some_and(|kind| kind == "jsonl"))
        .collect();
    names.sort_unstable();
    assert!(names.len() > 10);
    for name in names {
        let bytes = fs::read(folder.join(&name)).unwrap();
        let text = report(&read(&name, &*bytes, Limits::default()));
        insta::with_settings!({
            snapshot_path => "../fixtures/datasets",
            prepend_module_to_snapshot => false,
            omit_expression => true,
        }, {
            insta::assert_snapshot!(name.trim_end_matches(".jsonl"), text);
        });
    }
}

const ROW: &str = r#"{"conversation_id": "a", "turn": 1, "role": "user", "content": "Hi é"}"#;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

/// The report on some bytes under the default limits.
fn report_on(name: &str, bytes: &[u8]) -> String {
    report(&read(name, bytes, Limits::default()))
}

#[test]
fn line_ends_and_marks() {
    let expected = read("a.jsonl", ROW.as_bytes(), Limits::default());
    assert_eq!((expected.ids.len(), expected.findings.len()), (1, 0));
    for text in [format!("{ROW}\n"), format!("\r\n{ROW}\r\n\r\n"), format!("\n \t\n{ROW}")] {
        let reading = read("a.jsonl", text.as_bytes(), Limits::default());
        assert_eq!((reading.ids.len(), reading.findings.len()), (1, 0), "{text:?}");
    }
    insta::assert_snapshot!(report_on("a.jsonl", format!("\u{feff}{ROW}\n").as_bytes()), @r"
warning[dataset-byte-order-mark]: row 1: starts with a byte order mark
--> a.jsonl:1
 = note: it is skipped here; other readers refuse the file
 = help: save the file as UTF-8 without a byte order mark

usable: a
");
    let utf16: Vec<u8> =
        format!("\u{feff}{ROW}\n").encode_utf16().flat_map(u16::to_le_bytes).collect();
    insta::assert_snapshot!(report_on("a.jsonl", &utf16), @r"
error[dataset-encoding]: row 1: starts with the byte order mark of UTF-16
--> a.jsonl:1
 = help: data sets are UTF-8; convert the file, for example with iconv

usable: none
");
    let latin1 = [ROW.as_bytes(), b"\n{\"conversation_id\": \"gr\xf6\xdfe\"}\n"].concat();
    insta::assert_snapshot!(report_on("a.jsonl", &latin1), @r"
error[dataset-encoding]: row 2: is not UTF-8: bad byte at column 24
--> a.jsonl:2
 = help: data sets are UTF-8; convert the file, for example with iconv

usable: none
");
    insta::assert_snapshot!(report_on("a.jsonl", format!("{ROW}\r{ROW}\r").as_bytes()), @r"
error[dataset-syntax]: row 1: is not JSON: trailing characters at column 72
--> a.jsonl:1
 = help: each line must be one JSON object

usable: none
");
    insta::assert_snapshot!(report_on("a.jsonl", b"\0\0\0\0"), @r"
error[dataset-syntax]: row 1: is not JSON: expected value at column 1
--> a.jsonl:1
 = help: each line must be one JSON object

usable: none
");
    insta::assert_snapshot!(report_on("a.jsonl", b"{\n  \"conversation_id\": \"a\"\n}\n"), @r"
error[dataset-syntax]: row 1: starts an object that goes on on the next line
--> a.jsonl:1
 = note: nothing from this row on was read
 = help: a data set is JSON Lines: one object on each line, no brackets around them

usable: none
");
}

#[test]
fn compressed_files_read_as_plain_ones() {
    let text = fs::read(fixture("reference-replay/dataset.jsonl")).unwrap();
    let plain = read("set.jsonl", &*text, Limits::default());
    for (name, stored) in [("set.jsonl.gz", gzip(&text)), ("set.jsonl.zst", zstd(&text))] {
        let reading = read(name, &*stored, Limits::default());
        assert_eq!((&reading.ids, &reading.findings), (&plain.ids, &plain.findings), "{name}");
        assert_eq!(reading.facts.uncompressed_bytes, text.len() as u64);
        assert_eq!(reading.facts.stored_bytes, stored.len() as u64);
        assert_eq!(reading.facts.sha256, Some(scenario::digest::sha256_hex(&stored)));
    }
}

#[test]
fn broken_archives() {
    let text = fs::read(fixture("reference-replay/dataset.jsonl")).unwrap();
    let (gz, zst) = (gzip(&text), zstd(&text));
    insta::assert_snapshot!(report_on("cut.jsonl.gz", &gz[..gz.len() - 5]), @r"
error[dataset-archive]: row 29: the gzip archive ends early
--> cut.jsonl.gz:29
 = note: nothing from this row on was read
 = help: copy or download the file again

usable: django__django-0001, sim_001
");
    insta::assert_snapshot!(report_on("cut.jsonl.zst", &zst[..zst.len() / 2]), @r"
error[dataset-archive]: row 1: the Zstandard archive ends early
--> cut.jsonl.zst:1
 = note: nothing from this row on was read
 = help: copy or download the file again

usable: none
");
    insta::assert_snapshot!(report_on("plain.jsonl.gz", &text), @r"
error[dataset-archive]: the file's name says gzip, its first bytes say plain text
--> plain.jsonl.gz
 = help: rename the file: .gz for gzip, .zst for Zstandard, neither for plain text

usable: none
");
    insta::assert_snapshot!(report_on("gzip.jsonl", &gz), @r"
error[dataset-archive]: the file's name says plain text, its first bytes say gzip
--> gzip.jsonl
 = help: rename the file: .gz for gzip, .zst for Zstandard, neither for plain text

usable: none
");
    let mut damaged = gz.clone();
    let last = damaged.len() - 6;
    damaged[last] ^= 1;
    insta::assert_snapshot!(report_on("damaged.jsonl.gz", &damaged), @r"
error[dataset-archive]: row 29: the gzip archive is damaged: corrupt gzip stream does not have a matching checksum
--> damaged.jsonl.gz:29
 = note: nothing from this row on was read
 = help: copy or download the file again; its name must fit its content

usable: django__django-0001, sim_001
");
    let reading = read("damaged.jsonl.gz", &*damaged, Limits::default());
    assert_eq!(reading.facts.sha256, Some(scenario::digest::sha256_hex(&damaged)));
}

#[test]
fn bombs_and_endless_lines_end() {
    let limits = Limits { line_bytes: 1 << 20, total_bytes: 8 << 20, ..Limits::default() };
    let zeros = gzip(&vec![b'x'; 24 << 20]);
    assert!(zeros.len() < 1 << 20);
    insta::assert_snapshot!(report(&read("bomb.jsonl.gz", &*zeros, limits)), @r"
error[dataset-too-large]: row 1: is longer than 1048576 bytes
--> bomb.jsonl.gz:1
 = note: a data set has one message on each line
 = note: nothing from this row on was read
 = help: check that this is a data set in JSON Lines

usable: none
");
    let blank = zstd(&vec![b'\n'; 24 << 20]);
    insta::assert_snapshot!(report(&read("blank.jsonl.zst", &*blank, limits)), @r"
error[dataset-too-large]: row 8388609: lies behind 8388608 bytes of text, the most that is read
--> blank.jsonl.zst:8388609
 = note: counted after decompression
 = note: nothing from this row on was read
 = help: split the data set

usable: none
");
    let endless = read("endless.jsonl", std::io::repeat(b'{'), limits);
    insta::assert_snapshot!(report(&endless), @r"
error[dataset-too-large]: row 1: is longer than 1048576 bytes
--> endless.jsonl:1
 = note: a data set has one message on each line
 = note: nothing from this row on was read
 = help: check that this is a data set in JSON Lines

usable: none
");
    assert_eq!(endless.facts.sha256, None);
    let rows = (1..=20)
        .map(|n| {
            ROW.replace("\"turn\": 1", &format!("\"turn\": {n}")).replace("Hi", &"x".repeat(9000))
        })
        .collect::<Vec<_>>()
        .join("\n");
    let limits = Limits { conversation_bytes: 50_000, findings: 1, ..limits };
    insta::assert_snapshot!(report(&read("long.jsonl", rows.as_bytes(), limits)), @r"
error[dataset-too-large]: row 6: the conversation is longer than 50000 bytes
--> long.jsonl:6
 = note: conversation `a`, turn 6

error[dataset-more-findings]: 19 more findings are not shown
--> long.jsonl
 = note: the first 1 are shown
 = help: mend those first and validate again

usable: none
");
}

#[test]
fn the_list_of_findings_is_bounded() {
    let text = "{}\n".repeat(10_000);
    let reading = read("many.jsonl", text.as_bytes(), Limits { findings: 3, ..Limits::default() });
    insta::assert_snapshot!(report(&reading), @r"
error[dataset-missing-key]: row 1: `conversation_id` is missing
--> many.jsonl:1

error[dataset-missing-key]: row 1: `turn` is missing
--> many.jsonl:1

error[dataset-missing-key]: row 1: `role` is missing
--> many.jsonl:1

error[dataset-more-findings]: 29997 more findings are not shown
--> many.jsonl
 = note: the first 3 are shown
 = help: mend those first and validate again

usable: none
");
    // Distinct unknown keys are remembered only up to a bound, too.
    let keys: Vec<String> = (0..5_000).map(|n| format!("\"key {n}\": 1")).collect();
    let row = ROW.replace('}', &format!(", {}}}", keys.join(", ")));
    let reading = read("keys.jsonl", row.as_bytes(), Limits::default());
    assert_eq!((reading.ids.len(), reading.findings.len()), (1, 101));
}

#[test]
fn files_that_cannot_be_opened() {
    let open =
        |path: &str| Reader::open(Path::new(path), Limits::default()).err().unwrap().to_string();
    insta::assert_snapshot!(open("no/such/file.jsonl"), @"cannot open the data set no/such/file.jsonl: No such file or directory (os error 2)");
    insta::assert_snapshot!(open("."), @"the data set . is a directory, expected a file");
}

proptest::proptest! {
    /// Whatever happens to a file, the reader says so or reads on; it never panics.
    #[test]
    fn mutilated_files_never_panic(
        cuts in proptest::collection::vec((proptest::prelude::any::<proptest::sample::Index>(), 0_usize..4, proptest::prelude::any::<u8>()), 1..6),
    ) {
        let mut bytes = include_bytes!("../fixtures/reference-replay/dataset.jsonl").to_vec();
        for (at, kind, byte) in cuts {
            let at = at.index(bytes.len());
            match kind {
                0 => bytes[at] = byte,
                1 => { bytes.remove(at); }
                2 => bytes.insert(at, byte),
                _ => bytes.insert(at, b"{}[]\",:\\\n"[usize::from(byte) % 9]),
            }
        }
        let limits = Limits { findings: 5, ..Limits::default() };
        let reading = read("set.jsonl", &*bytes, limits);
        proptest::prop_assert!(reading.ids.len() <= 4 && reading.findings.len() <= 6);
        for (name, bytes) in [("set.jsonl.gz", bytes.clone()), ("set.jsonl.zst", bytes)] {
            read(name, &*bytes, limits);
        }
    }
}

#[test]
fn a_row_of_too_many_parts_is_an_error() {
    let keys = vec!["\"x\": 1"; 10_001].join(", ");
    let codes = vec!["\"I001\""; 10_001].join(", ");
    let text = format!(
        "{{{keys}}}\n{ROW}\n{}\n",
        ROW.replace("turn\": 1", "turn\": 2")
            .replace("user", "assistant")
            .replace('}', &format!(", \"intent_codes\": [{codes}]}}"))
    );
    insta::assert_snapshot!(report_on("parts.jsonl", text.as_bytes()), @r"
error[dataset-syntax]: row 1: cannot be used: has more than 10000 members at line 1 column 80004
--> parts.jsonl:1
 = help: a data set is JSON Lines: one object on each line, no brackets around them

error[dataset-wrong-type]: row 3: `intent_codes` has more than 10000 elements
--> parts.jsonl:3
 = note: conversation `a`, turn 2

usable: none
");
}
