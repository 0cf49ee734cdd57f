//! Counting on a pool of threads.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use scenario::tokens::count::{Method, Pool, Progress, Session, Source, count_all};
use scenario::tokens::{CountError, Reference};
use scenario::wire::{Reply, Text, ToolCallDelta};
use serde_json::{Value as Json, json};

use super::model;

const TEMPLATE: &str = "{% for m in messages %}{% if m.content == 'no' %}{{ raise_exception('not this') }}{% endif %}<|im_start|>{{ m.role }}\n{% if m.reasoning_content %}<think>{{ m.reasoning_content }}</think>{% endif %}{{ m.content }}{% for c in m.tool_calls or [] %}<tool_call>{{ c.function.name }}{% for k, v in c.function.arguments.items() %} {{ k }}={{ v }}{% endfor %}</tool_call>{% endfor %}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";

struct Conversations(Vec<Vec<Session>>);

impl Source for Conversations {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn group(&self, index: usize) -> Result<Vec<Session>, String> {
        Ok(self.0[index].clone())
    }
}

fn user(content: &str) -> Json {
    json!({"role": "user", "content": content})
}

fn count(reference: &Reference, text: &str) -> u64 {
    reference.tokenizer().encode(text).unwrap().len() as u64
}

#[test]
fn counts_prompts_and_replies() {
    let reference = model::reference(TEMPLATE);
    let messages = vec![user("the parse"), user("no"), user("ing")];
    let reply = Reply {
        reasoning: Text { first: "the ".to_owned(), rest: "parse".to_owned() },
        content: Text { first: String::new(), rest: "日本".to_owned() },
        ..Reply::default()
    };
    let call = |name: Option<&str>, arguments: &str| ToolCallDelta {
        index: 0,
        id: None,
        name: name.map(str::to_owned),
        arguments: arguments.to_owned(),
    };
    let called = Reply {
        first_tool_calls: vec![call(Some("bash"), "")],
        tool_calls: vec![call(None, "{\"command\": \"ls\"}")],
        ..Reply::default()
    };
    let broken =
        Reply { tool_calls: vec![call(Some("bash"), "{\"command\": ")], ..Reply::default() };
    let session = Session {
        messages,
        prompts: vec![1, 2],
        replies: vec![reply, Reply::default(), called, broken],
        ..Session::default()
    };
    let groups = Conversations(vec![vec![session.clone(), session]; 5]);
    let seen = AtomicUsize::new(0);
    let progress = |progress: Progress| {
        assert_eq!(progress.of, 5);
        seen.fetch_max(progress.counted, Ordering::Relaxed);
    };
    let cancel = AtomicBool::new(false);
    let pool = Pool { threads: 3, cancel: &cancel, progress: &progress };
    let counts = count_all(&reference, &groups, &pool).unwrap();
    assert!(!counts.cancelled);
    assert_eq!(seen.into_inner(), 5 * 2 * 6);
    assert!(counts.groups.windows(2).all(|pair| pair[0] == pair[1]));

    let first = &counts.groups[0].as_ref().unwrap()[1];
    let prompt =
        count(&reference, "<|im_start|>user\nthe parse<|im_end|>\n<|im_start|>assistant\n");
    assert_eq!(first.prompts[0], Ok(prompt));
    let refusal = first.prompts[1].as_ref().unwrap_err().to_string();
    insta::assert_snapshot!(refusal, @"the template refuses this conversation: not this");
    let [thought, empty, called, broken] = first.replies.as_slice() else { panic!("four replies") };
    // Two more special tokens, and the texts.
    assert_eq!(thought.output, 2 + count(&reference, "the parse") + count(&reference, "日本"));
    assert_eq!(thought.after_first, 2 + count(&reference, "parse") + count(&reference, "日本"));
    assert_eq!((empty.output, empty.after_first), (0, 0));
    assert_eq!(called.output, 2 + count(&reference, "bash command=ls"));
    assert_eq!(called.after_first, 2 + count(&reference, " command=ls"));
    assert_eq!(broken.output, count(&reference, "bash") + count(&reference, "{\"command\": "));
    assert!(matches!(broken.method, Method::Plain(_)));
    assert_eq!(called.method, Method::Template);
}

#[test]
fn stops_at_once_and_says_so() {
    let reference = model::reference(TEMPLATE);
    let session =
        Session { messages: vec![user("x"); 50], prompts: (1..50).collect(), ..Session::default() };
    let groups = Conversations(vec![vec![session]; 20]);
    let cancel = AtomicBool::new(false);
    let progress = |progress: Progress| {
        if progress.counted == 60 {
            cancel.store(true, Ordering::Relaxed);
        }
        assert!(progress.counted <= 62, "counted on after it was stopped");
    };
    let pool = Pool { threads: 2, cancel: &cancel, progress: &progress };
    let counts = count_all(&reference, &groups, &pool).unwrap();
    assert!(counts.cancelled);
    assert!(counts.groups.iter().filter(|group| group.is_some()).count() <= 1);
}

#[test]
fn a_template_without_end_stops_everything() {
    let reference = model::reference(
        "{% if messages[0].content == '' %}{% else %}{% for i in range(10000) %}{% for j in range(10000) %}{% endfor %}{% endfor %}{% endif %}",
    );
    let session =
        Session { messages: vec![user("x")], prompts: vec![1; 1000], ..Session::default() };
    let groups = Conversations(vec![vec![session]; 20]);
    let cancel = AtomicBool::new(false);
    let pool = Pool { threads: 2, cancel: &cancel, progress: &|_| {} };
    let error = count_all(&reference, &groups, &pool).unwrap_err();
    assert!(matches!(error, CountError::Template(_)), "{error}");
}
