//! What a loaded data set takes: the arena holds every text once.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use scenario::host::resident_bytes;
use scenario::prompt;
use scenario::scenario::{Depth, LoadRequest, load};

/// Names the scenario file for the child process.
const FILE: &str = "SCENARIO_TEST_MEMORY";

/// Bytes of the data set: large enough that the program itself does not matter.
const SIZE: usize = 24 << 20;

/// The shipped sets over and over under fresh ids.
fn large_set() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets");
    let rows = ["coding.jsonl", "workflow.jsonl"]
        .map(|name| std::fs::read_to_string(folder.join(name)).unwrap())
        .concat();
    let mut text = String::with_capacity(SIZE + rows.len());
    for n in 0_u32.. {
        if text.len() > SIZE {
            break;
        }
        for row in rows.lines() {
            let (id, rest) = row.split_once("\", \"turn\"").unwrap();
            let _ = writeln!(text, "{id}-{n}\", \"turn\"{rest}");
        }
    }
    text
}

/// Runs [`measure`] alone in a process, so that no other test's memory is counted.
#[test]
fn a_library_takes_less_than_one_and_a_half_files() {
    let folder = tempfile::tempdir().unwrap();
    let set = large_set();
    std::fs::write(folder.path().join("set.jsonl"), &set).unwrap();
    let file = folder.path().join("memory.yaml");
    let text = "schema: scenario/v1\nname: memory\nmodel: { name: m }\n\
                endpoint: { simulated: {} }\n\
                datasets: [{ name: set, path: set.jsonl }]\nload: { concurrency: [1] }\n";
    std::fs::write(&file, text).unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["datasets::memory::measure", "--exact", "--ignored", "--nocapture"])
        .env(FILE, &file)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    let numbers = text.lines().find_map(|line| line.split_once("resident ")).unwrap().1;
    let mut numbers = numbers.split(' ').map(|number| number.trim().parse::<usize>().unwrap());
    let (before, after) = (numbers.next().unwrap(), numbers.next().unwrap());
    // The program itself is not counted: this one is a debug build with every test in it.
    let (size, taken) = (set.len(), after - before);
    assert!(taken < size + size / 2, "{taken} bytes for a file of {size}");
    assert!(taken > size / 2, "{taken} bytes cannot hold a file of {size}");
}

#[test]
#[ignore = "the other test of this module runs it in a process of its own"]
fn measure() {
    let Ok(file) = std::env::var(FILE) else { return };
    let request =
        LoadRequest { path: Path::new(&file), env: &|_| None, set: &[], depth: Depth::File };
    let scenario = load(&request).scenario.unwrap();
    let before = resident_bytes().unwrap();
    let loaded = prompt::load(&scenario);
    let library = loaded.library.unwrap();
    println!("\nresident {before} {}", resident_bytes().unwrap());
    assert_eq!(library.conversations().len() as u64, loaded.facts[0].trajectories);
}
