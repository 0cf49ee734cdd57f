//! Pointer <-> span: every key and scalar of a document is found at its bytes.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use scenario::yaml::{Node, Pointer, parse};
use serde_json::{Map, Value};

/// A JSON value of texts and numbers.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<i32>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        "[a-z é😀:#'\"\\\\,-]{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec(("[a-zé/~. ]{1,6}", inner), 0..5)
                .prop_map(|entries| Value::Object(entries.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// Writes a value as block YAML with JSON scalars.
fn write(value: &Value, indent: usize, text: &mut String) {
    let pad = " ".repeat(indent);
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (key, value) in map {
                let _ = write!(text, "\n{pad}{}:", Value::from(key.as_str()));
                write(value, indent + 2, text);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for item in items {
                let _ = write!(text, "\n{pad}-");
                write(item, indent + 2, text);
            }
        }
        scalar => {
            let _ = write!(text, " {scalar} # é");
        }
    }
}

/// Every scalar and key of a node reads, at its bytes, as it was written.
fn check(root: &Node, json: &Value, text: &str) -> Result<(), TestCaseError> {
    let mut found = Vec::new();
    root.visit(&Pointer::root(), &mut |pointer, node| found.push((pointer.clone(), node)));
    for (pointer, node) in found {
        let expected = json.pointer(&pointer.to_string()).unwrap();
        prop_assert_eq!(&node.to_json(), expected);
        prop_assert_eq!(root.at(&pointer), Some(node));
        prop_assert_eq!(&Pointer::parse(&pointer.to_string()), &pointer);
        if !matches!(expected, Value::Object(_) | Value::Array(_)) {
            prop_assert_eq!(&text[node.origin.span.clone()], expected.to_string());
            prop_assert_eq!(&root.origin_of(&pointer), &node.origin);
        }
        for entry in node.entries() {
            let key = Value::from(entry.key.as_str()).to_string();
            prop_assert_eq!(&text[entry.key_origin.span.clone()], key);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn every_block_value_is_found_at_its_bytes(value in value()) {
        let mut text = String::from("\"root\":");
        write(&value, 2, &mut text);
        text.push('\n');
        let file: Arc<Path> = Path::new("x.yaml").into();
        let parsed = parse(&file, &text);
        prop_assert_eq!(&parsed.diagnostics, &[]);
        let json = serde_json::json!({ "root": value });
        check(&parsed.root.unwrap(), &json, &text)?;
    }

    #[test]
    fn every_flow_value_is_found_at_its_bytes(value in value()) {
        let text = format!("# é\r\n\"root\": {value}\r\n");
        let file: Arc<Path> = Path::new("x.yaml").into();
        let parsed = parse(&file, &text);
        prop_assert_eq!(&parsed.diagnostics, &[]);
        let json = serde_json::json!({ "root": value });
        check(&parsed.root.unwrap(), &json, &text)?;
    }
}
