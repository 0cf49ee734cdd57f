//! Templates that would run, grow or nest without end.

use std::time::UNIX_EPOCH;

use scenario::tokens::TemplateError;
use scenario::tokens::template::{ChatTemplate, Rendering, TemplateOptions};
use serde_json::Map;

fn render(source: &str) -> Result<String, TemplateError> {
    let template = ChatTemplate::from_source(source, &Vec::new(), TemplateOptions::at(UNIX_EPOCH))?;
    template.render(&Rendering {
        messages: &[],
        tools: None,
        kwargs: &Map::new(),
        add_generation_prompt: false,
    })
}

fn grow(start: &str, step: &str, end: &str) -> String {
    format!(
        "{{% set ns = namespace(s={start}, t={start}) %}}{{% for i in range(90000) %}}{{% set ns.s = {step} %}}{{% endfor %}}{end}"
    )
}

#[test]
fn work_is_bounded() {
    let sources = [
        "{% for i in range(10000) %}{% for j in range(10000) %}{% endfor %}{% endfor %}".to_owned(),
        grow("'ab'", "ns.s + ns.s", ""),
        grow("'ab'", "ns.s ~ ns.s", ""),
        grow("'ab'", "ns.s.replace('a', ns.s)", ""),
        grow("'ab'", "ns.s.join(ns.s)", ""),
        grow("[1, 2]", "ns.s + ns.s", "{{ ns.s[::-1] }}"),
        // Nests, so that dropping it would overflow the stack.
        grow("[]", "[ns.s]", ""),
        grow("[]", "{'a': ns.s}", ""),
        grow("[]", "(ns.s,)", ""),
        grow("[]", "dict(a=ns.s)", ""),
        grow("[1]", "ns.s | batch(1) | list", ""),
        // Shares its parts, so that walking through it would not end.
        grow("'a'", "[ns.s, ns.s]", ""),
        grow("'a'", "(ns.s, ns.s)", "{{ ns.s }}"),
    ];
    for source in sources {
        let error = render(&source).unwrap_err();
        assert!(matches!(error, TemplateError::Exhausted(_)), "{source}: {error}");
    }
}

#[test]
fn texts_are_bounded() {
    for source in [
        "{{ 'x' * 10**9 }}",
        "{{ '%99999999d' % 5 }}",
        "{{ '{:999999999}'.format(5) }}",
        "{{ 'a'.ljust(10**9) }}",
        "{{ 'a'|center(10**9) }}",
        "{{ 'a\n'|indent(10**9) }}",
        "{{ range(10**12)|list }}",
        "{{ 2**100000000 }}",
    ] {
        assert!(render(source).is_err(), "{source}");
    }
}

#[test]
fn recursion_is_bounded() {
    let deep = [
        "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}".to_owned(),
        "{% for x in [[[]]] recursive %}{{ loop([x]) }}{% endfor %}".to_owned(),
        format!("{{{{ {}a }}}}", "not ".repeat(3000)),
        format!("{{{{ {}1 }}}}", "-".repeat(3000)),
        format!("{{{{ {}{} }}}}", "[".repeat(200), "]".repeat(200)),
        format!("{{{{ a{} }}}}", "|upper".repeat(5000)),
        format!("{}{}", "{% if a %}".repeat(500), "{% endif %}".repeat(500)),
        "{% set ns = namespace() %}{% set ns.a = ns %}{{ ns }}".to_owned(),
    ];
    for source in deep {
        assert!(render(&source).is_err(), "{source:.80}");
    }
}
