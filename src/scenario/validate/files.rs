//! Every file and directory that the scenario names is there.

use std::path::Path;

use super::context::{Context, shown};

/// What a path must lead to.
#[derive(Clone, Copy)]
enum Want {
    File,
    Directory,
}

/// Checks every path.
pub(super) fn check(context: &mut Context<'_>) {
    let scenario = context.scenario;
    if let Some(tokenizer) = scenario.model.as_ref().and_then(|model| model.tokenizer.as_ref()) {
        let at = ["model", "tokenizer"];
        if exists(context, &at, tokenizer, Want::Directory) {
            tokenizer_files(context, &at, tokenizer);
        }
    }
    if let Some(file) = scenario.endpoint.as_ref().and_then(|endpoint| endpoint.ca_file.as_ref()) {
        exists(context, &["endpoint", "ca_file"], file, Want::File);
    }
    let swe_bench = scenario.accuracy.as_ref().and_then(|section| section.swe_bench.as_ref());
    if let Some(file) = swe_bench.and_then(|swe_bench| swe_bench.instance_ids.as_ref()) {
        exists(context, &["accuracy", "swe_bench", "instance_ids"], file, Want::File);
    }
    for (i, dataset) in scenario.datasets.iter().flatten().enumerate() {
        exists(context, &["datasets", &i.to_string(), "path"], &dataset.path, Want::File);
    }
    let Some(submission) = &scenario.submission else { return };
    for (key, path, want) in [
        ("system", &submission.system, Want::File),
        ("power", &submission.power, Want::File),
        ("implementation", &submission.implementation, Want::Directory),
        ("docs", &submission.docs, Want::Directory),
        ("server_configs", &submission.server_configs, Want::Directory),
    ] {
        if let Some(path) = path {
            exists(context, &["submission", key], path, want);
        }
    }
    if let Some(path) = &submission.implementation {
        readme(context, path);
    }
}

/// Whether a path leads to what it must; says so if not.
fn exists(context: &mut Context<'_>, at: &[&str], path: &Path, want: Want) -> bool {
    let absolute = context.scenario.home.absolute(path);
    let (code, message) = match (std::fs::metadata(&absolute), want) {
        (Ok(data), Want::File) if data.is_dir() => {
            ("file-kind", format!("`{}` is a directory, not a file", shown(path)))
        }
        (Ok(data), Want::Directory) if !data.is_dir() => {
            ("file-kind", format!("`{}` is a file, not a directory", shown(path)))
        }
        (Ok(_), _) => return true,
        (Err(error), _) if error.kind() == std::io::ErrorKind::NotFound => {
            ("file-missing", format!("`{}` does not exist", shown(path)))
        }
        (Err(error), _) => ("file-missing", format!("`{}` cannot be read: {error}", shown(path))),
    };
    let help = format!("looked for {}", shown(&absolute));
    context.error(at, code, message).note(help);
    false
}

/// A tokenizer directory holds a tokenizer.
fn tokenizer_files(context: &mut Context<'_>, at: &[&str], path: &Path) {
    let directory = context.scenario.home.absolute(path);
    let known = ["tokenizer.json", "tiktoken.model"];
    if !known.iter().any(|name| directory.join(name).is_file()) {
        let message = format!("`{}` holds neither tokenizer.json nor tiktoken.model", shown(path));
        context
            .error(at, "tokenizer-files", message)
            .help("name the directory of the model's checkpoint, or leave `tokenizer` empty");
    }
}

/// An implementation directory has a README, in any letter case, at its top.
fn readme(context: &mut Context<'_>, path: &Path) {
    let Ok(entries) = std::fs::read_dir(context.scenario.home.absolute(path)) else { return };
    let has_readme = entries.flatten().any(|entry| {
        entry.file_name().to_string_lossy().eq_ignore_ascii_case("readme.md")
            && entry.path().is_file()
    });
    if !has_readme {
        context
            .error(
                &["submission", "implementation"],
                "implementation-readme",
                format!("`{}` holds no README.md", shown(path)),
            )
            .help("a submission needs one in every implementation directory");
    }
}
