//! Tells a release build the commit that it was built from; `manifest.json` and the run folders
//! hold it. Without git, or outside a clone, the program says that it does not know.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=SCENARIO_COMMIT");
    // Debug builds would be compiled anew after every commit.
    let release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    if !release || std::env::var_os("SCENARIO_COMMIT").is_some() {
        return;
    }
    let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]) else { return };
    if Path::new(&log).exists() {
        println!("cargo:rerun-if-changed={log}");
    }
    for input in ["src", "Cargo.toml", "Cargo.lock"] {
        println!("cargo:rerun-if-changed={input}");
    }
    let Some(commit) = git(&["rev-parse", "HEAD"]) else { return };
    let modified = git(&["status", "--porcelain", "--", "src", "Cargo.toml", "Cargo.lock"]);
    let mark = if modified.is_some_and(|list| list.is_empty()) { "" } else { "-modified" };
    println!("cargo:rustc-env=SCENARIO_COMMIT={commit}{mark}");
}

/// The output of a git command in the crate's directory; none when it fails.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
