//! The shape of the source tree: layers, sizes, and who may print, look at time or read the
//! environment. The layer table is read from the picture in `src/lib.rs`, so that the picture
//! cannot lie.

mod source;

use std::collections::BTreeMap;
use std::path::Path;

use source::SourceFile;

/// Lines that a file may have, tests included.
const MAX_LINES: usize = 800;
/// The median of all files' lines that we aim for; reported, not enforced file by file.
const MEDIAN_LINES: usize = 200;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Module -> layer, from the picture in lib.rs.
fn layers() -> BTreeMap<String, u32> {
    let lib = std::fs::read_to_string(root().join("src/lib.rs")).unwrap();
    let mut layers = BTreeMap::new();
    for line in lib.lines() {
        let mut words = line.trim_start_matches("//!").split_whitespace();
        let Some(layer) = words.next().and_then(|word| word.strip_prefix('L')) else { continue };
        let Ok(layer) = layer.parse() else { continue };
        for module in words {
            assert_eq!(layers.insert(module.to_owned(), layer), None, "{module} stands twice");
        }
    }
    layers
}

/// Fails with all complaints at once.
fn assert_none(complaints: &[String], rule: &str) {
    assert!(complaints.is_empty(), "{rule}\n{}", complaints.join("\n"));
}

#[test]
fn the_picture_names_every_module() {
    let lib = std::fs::read_to_string(root().join("src/lib.rs")).unwrap();
    let declared: Vec<&str> =
        lib.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
    let mut pictured: Vec<String> = layers().into_keys().collect();
    pictured.sort();
    assert_eq!(declared, pictured, "modules of lib.rs (left) and of its picture (right)");
}

#[test]
fn modules_use_only_lower_layers() {
    let layers = layers();
    let mut complaints = Vec::new();
    for file in source::files(&root().join("src")) {
        let Some(own) = file.top_module() else { continue };
        let own_layer = layers[own];
        for (line, target) in file.crate_paths(&layers) {
            match layers.get(&target) {
                _ if target == own => {}
                Some(layer) if *layer < own_layer => {}
                Some(layer) => complaints
                    .push(format!("{file}:{line}: {own} (L{own_layer}) uses {target} (L{layer})")),
                None => complaints.push(format!("{file}:{line}: crate::{target} is no module")),
            }
        }
    }
    assert_none(&complaints, "a module may use only strictly lower layers and its own children:");
}

/// Complains about every file, except where `allowed`, whose code holds one of `patterns`.
fn forbid(patterns: &[&str], allowed: impl Fn(&SourceFile) -> bool, rule: &str) {
    let mut complaints = Vec::new();
    for file in source::files(&root().join("src")).iter().filter(|file| !allowed(file)) {
        for (number, line) in file.code().lines().enumerate() {
            for pattern in patterns.iter().filter(|pattern| source::has_path(line, pattern)) {
                complaints.push(format!("{file}:{}: {pattern}", number + 1));
            }
        }
    }
    assert_none(&complaints, rule);
}

#[test]
fn only_clock_looks_at_time() {
    forbid(
        &["Instant::now", "SystemTime::now", "UtcDateTime::now"],
        |file| file.top_module() == Some("clock"),
        "time is looked at in src/clock only; take a Clock, or a wall time from cli:",
    );
}

#[test]
fn only_the_console_prints() {
    forbid(
        &["println!", "eprintln!", "print!", "eprint!", "dbg!", "io::stdout", "io::stderr"],
        |file| file.is("src/cli/console.rs"),
        "printing belongs to src/cli/console.rs; return data instead:",
    );
}

#[test]
fn only_cli_reads_the_environment() {
    forbid(
        &["std::env", "env::var", "env::var_os", "env::vars", "env::args", "env::current_dir"],
        |file| file.top_module() == Some("cli"),
        "the environment is read in src/cli and passed down:",
    );
}

#[test]
fn async_stays_where_waiting_is() {
    forbid(
        &["async"],
        |file| {
            let waits = ["clock", "client", "simulator", "replay", "cli"];
            file.top_module().is_some_and(|module| waits.contains(&module))
                || file.is("src/accuracy/swe_bench/client.rs")
                || file.is("src/accuracy/swe_bench/job.rs")
        },
        "everything but clock, client, simulator, replay, cli and the SWE-bench client is synchronous:",
    );
}

#[test]
fn serde_is_used_without_guessing() {
    let mut complaints = Vec::new();
    for file in source::files(&root().join("src")) {
        for (number, line) in file.code().lines().enumerate() {
            let guesses = |word| source::has_path(line, word);
            if line.contains("serde(") && (guesses("flatten") || guesses("untagged")) {
                complaints.push(format!("{file}:{}", number + 1));
            }
        }
    }
    assert_none(
        &complaints,
        "serde's flatten and untagged lose positions and messages; write a visitor:",
    );
}

#[test]
fn every_file_says_what_it_is_and_mod_files_hold_no_logic() {
    let mut complaints = Vec::new();
    for file in source::files(&root().join("src")) {
        if !file.text().starts_with("//! ") {
            complaints.push(format!("{file}: does not start with a `//!` text"));
        }
        let logic = |line: &str| source::has_path(line, "fn") || source::has_path(line, "impl");
        if file.is_mod_file() && file.code().lines().any(logic) {
            complaints.push(format!("{file}: holds logic; move it to a named file"));
        }
    }
    assert_none(&complaints, "module texts:");
}

#[test]
fn files_stay_small() {
    let mut sizes = Vec::new();
    for directory in ["src", "tests"] {
        for file in source::files(&root().join(directory)) {
            sizes.push((file.text().lines().count(), file.to_string()));
        }
    }
    sizes.sort();
    let complaints: Vec<String> = sizes
        .iter()
        .filter(|(lines, _)| *lines > MAX_LINES)
        .map(|(lines, file)| format!("{file}: {lines} lines"))
        .collect();
    let (median, name) = &sizes[sizes.len() / 2];
    println!("{} files, median {median} lines ({name}), aim {MEDIAN_LINES}", sizes.len());
    for (lines, file) in sizes.iter().rev().take(5) {
        println!("{lines:5} {file}");
    }
    assert_none(&complaints, &format!("no file may have more than {MAX_LINES} lines:"));
}
