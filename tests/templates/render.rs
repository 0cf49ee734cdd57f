//! The Rust side of the conformance suite (`conformance.py`): reads one JSON request a line, does
//! what it asks, and answers with one JSON line.
//!
//! * `{"template": …, "messages": […], "tools": …, "kwargs": {…}, "special_tokens": {…},
//!   "add_generation_prompt": …, "transformers": …}` -> `{"text": …}` or `{"error": …, "raised": …}`
//! * `{"tokenizer": "directory", "texts": […]}` -> `{"ids": [[…], …], "counts": […]}`
//! * `{"count": "directory", "template": …, "messages": […], …}` -> `{"prompts": [n, null, …]}`, the
//!   incremental counts after each message
//! * `{"directory": "model directory", "messages": […], …}` -> as the first, with the directory's
//!   own template

use std::collections::BTreeMap;
use std::io::{BufRead as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use scenario::tokens::count::PromptCounter;
use scenario::tokens::template::{ChatTemplate, Convention, Rendering, TemplateOptions};
use scenario::tokens::tokenizer::ModelConfig;
use scenario::tokens::{Reference, TemplateError, Tokenizer};
use serde_json::{Map, Value as Json, json};

fn main() {
    let mut tokenizers = BTreeMap::new();
    let mut templates = BTreeMap::new();
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let request: Json = serde_json::from_str(&line.expect("a line")).expect("a JSON line");
        let answer = if let Some(directory) = request["tokenizer"].as_str() {
            encode(&mut tokenizers, directory, &request["texts"])
        } else if let Some(directory) = request["count"].as_str() {
            count(&mut tokenizers, directory, &request)
        } else {
            // Compiled once for all the requests that name the same template.
            let keys = ["directory", "template", "special_tokens", "transformers", "now"];
            let key: String = keys.iter().map(|key| request[*key].to_string()).collect();
            if !templates.contains_key(&key) {
                templates.clear();
            }
            render(templates.entry(key).or_insert_with(|| template(&request)), &request)
        };
        writeln!(out, "{answer}").expect("a reader");
    }
}

/// Tokenizers stay loaded.
type Loaded = BTreeMap<PathBuf, Arc<Tokenizer>>;

fn tokenizer(loaded: &mut Loaded, directory: &str) -> Result<Arc<Tokenizer>, String> {
    let path = PathBuf::from(directory);
    if let Some(tokenizer) = loaded.get(&path) {
        return Ok(Arc::clone(tokenizer));
    }
    let tokenizer = Arc::new(Tokenizer::load(&path).map_err(|error| error.to_string())?);
    loaded.insert(path, Arc::clone(&tokenizer));
    Ok(tokenizer)
}

fn encode(loaded: &mut Loaded, directory: &str, texts: &Json) -> Json {
    let tokenizer = match tokenizer(loaded, directory) {
        Ok(tokenizer) => tokenizer,
        Err(error) => return json!({ "error": error }),
    };
    let texts = texts.as_array().expect("texts").iter().map(|text| text.as_str().expect("a text"));
    let ids: Result<Vec<_>, _> = texts.clone().map(|text| tokenizer.encode(text)).collect();
    let counts: Result<Vec<_>, _> = texts.map(|text| tokenizer.count(text)).collect();
    json!({ "ids": ids.expect("ids"), "counts": counts.expect("counts") })
}

fn count(loaded: &mut Loaded, directory: &str, request: &Json) -> Json {
    let tokenizer = tokenizer(loaded, directory).expect("a tokenizer");
    let template = match template(request) {
        Ok(template) => template,
        Err(answer) => return answer,
    };
    let reference = Reference::new(tokenizer, template);
    let messages = request["messages"].as_array().expect("messages");
    let mut counter = PromptCounter::new(&reference);
    let empty = Map::new();
    let tools = Some(&request["tools"]).filter(|tools| !tools.is_null());
    counter.begin(messages, tools, request["kwargs"].as_object().unwrap_or(&empty));
    let prompts: Vec<Option<u64>> =
        (1..=messages.len()).map(|messages| counter.count(messages).ok()).collect();
    json!({ "prompts": prompts })
}

fn template(request: &Json) -> Result<ChatTemplate, Json> {
    let empty = Map::new();
    let convention = if request["transformers"] == true {
        Convention::Transformers
    } else {
        Convention::AsGiven
    };
    let now = UNIX_EPOCH + Duration::from_secs(request["now"].as_u64().unwrap_or(0));
    let options = TemplateOptions { convention, ..TemplateOptions::at(now) };
    if let Some(directory) = request["directory"].as_str() {
        return ModelConfig::load(Path::new(directory))
            .and_then(|config| ChatTemplate::load(&config, options))
            .map_err(|error| json!({ "error": error.to_string(), "raised": false }));
    }
    let tokens = request["special_tokens"].as_object().unwrap_or(&empty);
    let tokens: Vec<(String, String)> = tokens
        .iter()
        .map(|(name, text)| (name.clone(), text.as_str().unwrap_or_default().to_owned()))
        .collect();
    let source = request["template"].as_str().expect("a template");
    ChatTemplate::from_source(source, &tokens, options).map_err(|error| failure(&error))
}

fn render(template: &Result<ChatTemplate, Json>, request: &Json) -> Json {
    let empty = Map::new();
    let template = match template {
        Ok(template) => template,
        Err(answer) => return answer.clone(),
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
