//! The Rust side of the conformance suite (`conformance.py`): reads one JSON request a line, does
//! what it asks, and answers with one JSON line.
//!
//! * `{"template": …, "messages": […], "tools": …, "kwargs": {…}, "special_tokens": {…},
//!   "add_generation_prompt": …, "transformers": …}` -> `{"text": …}` or `{"error": …, "raised": …}`
//! * `{"tokenizer": "directory", "texts": […]}` -> `{"ids": [[…], …], "counts": […]}`
//! * `{"directory": "model directory", "messages": […], …}` -> as the first, with the directory's
//!   own template

use std::collections::BTreeMap;
use std::io::{BufRead as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use scenario::tokens::template::{ChatTemplate, Convention, Rendering, TemplateOptions};
use scenario::tokens::tokenizer::ModelConfig;
use scenario::tokens::{TemplateError, Tokenizer};
use serde_json::{Map, Value as Json, json};

fn main() {
    let mut tokenizers = BTreeMap::new();
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let request: Json = serde_json::from_str(&line.expect("a line")).expect("a JSON line");
        let answer = match request["tokenizer"].as_str() {
            Some(directory) => encode(&mut tokenizers, directory, &request["texts"]),
            None => render(&request),
        };
        writeln!(out, "{answer}").expect("a reader");
    }
}

fn encode(loaded: &mut BTreeMap<PathBuf, Tokenizer>, directory: &str, texts: &Json) -> Json {
    let tokenizer = match loaded.entry(PathBuf::from(directory)) {
        std::collections::btree_map::Entry::Occupied(entry) => entry.into_mut(),
        std::collections::btree_map::Entry::Vacant(entry) => {
            match Tokenizer::load(Path::new(directory)) {
                Ok(tokenizer) => entry.insert(tokenizer),
                Err(error) => return json!({ "error": error.to_string() }),
            }
        }
    };
    let texts = texts.as_array().expect("texts").iter().map(|text| text.as_str().expect("a text"));
    let ids: Result<Vec<_>, _> = texts.clone().map(|text| tokenizer.encode(text)).collect();
    let counts: Result<Vec<_>, _> = texts.map(|text| tokenizer.count(text)).collect();
    json!({ "ids": ids.expect("ids"), "counts": counts.expect("counts") })
}

fn render(request: &Json) -> Json {
    let empty = Map::new();
    let convention = if request["transformers"] == true {
        Convention::Transformers
    } else {
        Convention::AsGiven
    };
    let now = UNIX_EPOCH + Duration::from_secs(request["now"].as_u64().unwrap_or(0));
    let options = TemplateOptions { convention, ..TemplateOptions::at(now) };
    let template = match request["directory"].as_str() {
        Some(directory) => ModelConfig::load(Path::new(directory))
            .and_then(|config| ChatTemplate::load(&config, options))
            .map_err(|error| json!({ "error": error.to_string(), "raised": false })),
        None => {
            let tokens = request["special_tokens"].as_object().unwrap_or(&empty);
            let tokens: Vec<(String, String)> = tokens
                .iter()
                .map(|(name, text)| (name.clone(), text.as_str().unwrap_or_default().to_owned()))
                .collect();
            let source = request["template"].as_str().expect("a template");
            ChatTemplate::from_source(source, &tokens, options).map_err(|error| failure(&error))
        }
    };
    let template = match template {
        Ok(template) => template,
        Err(answer) => return answer,
    };
    let text = template.render(&Rendering {
        messages: request["messages"].as_array().map_or(&[], Vec::as_slice),
        tools: Some(&request["tools"]).filter(|tools| !tools.is_null()),
        kwargs: request["kwargs"].as_object().unwrap_or(&empty),
        add_generation_prompt: request["add_generation_prompt"] == true,
    });
    text.map_or_else(|error| failure(&error), |text| json!({ "text": text }))
}

fn failure(error: &TemplateError) -> Json {
    let raised = match error {
        TemplateError::Raised(message) => json!(message),
        _ => Json::Null,
    };
    json!({ "error": error.to_string(), "raised": raised })
}
