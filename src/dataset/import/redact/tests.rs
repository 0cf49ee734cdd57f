//! What is redacted, and what only looks like it.

use super::*;

fn redact(text: &str) -> String {
    let mut text = text.to_owned();
    Redactor::default().replace(&mut text);
    text
}

/// Letters and digits without a meaning.
fn letters(n: usize) -> String {
    "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7".chars().cycle().take(n).collect()
}

#[test]
fn secrets_are_replaced() {
    for prefix in
        ["sk-", "sk-ant-api03-", "sk-proj-", "ghp_", "github_pat_", "glpat-", "xoxb-", "hf_"]
    {
        let token = format!("{prefix}{}", letters(40));
        assert_eq!(redact(&format!("use {token}.")), "use REDACTED_SECRET_1.", "{token}");
        assert_eq!(redact(&format!("K='{token}'")), "K='REDACTED_SECRET_1'", "{token}");
        assert_eq!(redact(&format!("a\\n{token}\\n")), "a\\nREDACTED_SECRET_1\\n", "{token}");
    }
    let aws = format!("AKIA{}", "Q7RZ2M5KX9T4W1PB");
    assert_eq!(redact(&format!("id {aws}, ok")), "id REDACTED_SECRET_1, ok");
    let jwt = format!("eyJ{}.{}.{}", letters(20), letters(30), letters(27));
    assert_eq!(
        redact(&format!("Authorization: Bearer {jwt}\n")),
        "Authorization: Bearer REDACTED_SECRET_1\n"
    );
    assert_eq!(
        redact("-H 'Authorization: Basic dXNlcjpodW50ZXIyMg=='"),
        "-H 'Authorization: Basic REDACTED_SECRET_1'"
    );
    for (text, expected) in [
        ("password=hunter2222", "password=REDACTED_SECRET_1"),
        ("DB_PASSWORD: \"hunter-2222\"", "DB_PASSWORD: \"REDACTED_SECRET_1\""),
        ("export API_KEY=abcd1234efgh;", "export API_KEY=REDACTED_SECRET_1;"),
        ("{\"client_secret\": \"abcd1234\"}", "{\"client_secret\": \"REDACTED_SECRET_1\"}"),
        ("https://h/x?access_token=abcd1234&y=1", "https://h/x?access_token=REDACTED_SECRET_1&y=1"),
        ("postgres://app:pa55word@db:5432/x", "postgres://app:REDACTED_SECRET_1@db:5432/x"),
    ] {
        assert_eq!(redact(text), expected);
    }
}

#[test]
fn what_only_looks_like_a_secret_stays() {
    for text in [
        "task-specific-instructions-for-2026-agents",
        "sk-learn-contrib-something-long",
        "sk-short1",
        "ghp_of_what",
        "max_tokens=8192, token_count=12345678",
        "password = getpass.getpass()",
        "token = make_token2(user)",
        "api_key=os.environ[\"KEY1\"]",
        "api_key = process.env.API_KEY1",
        "secret: str = field(default=None)",
        "password: ${DB_PASSWORD1}",
        "http://localhost:8080/a@b",
        "redis://:$PASSWORD@host",
        "the token is: short1",
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9aaaaaaaaaaaaaaaaaaaa",
        "Basic understanding of version 12",
        "commit 3f2a9c0d1e5b7a8f6c4d2e1b0a9f8e7d6c5b4a39",
    ] {
        assert_eq!(redact(text), text);
    }
}

#[test]
fn private_keys_are_replaced_whole() {
    let body = [letters(64), letters(64), letters(20)].join("\n");
    let block = |kind: &str| {
        format!("-----BEGIN {kind}PRIVATE KEY-----\n{body}\n-----END {kind}PRIVATE KEY-----")
    };
    for kind in ["", "RSA ", "OPENSSH ", "EC "] {
        let block = block(kind);
        assert_eq!(redact(&format!("x\n{block}\ny")), "x\nREDACTED_KEY_1\ny");
        let escaped = block.replace('\n', "\\n");
        assert_eq!(redact(&format!("k = \"{escaped}\"")), "k = \"REDACTED_KEY_1\"");
    }
    let cut = format!("-----BEGIN RSA PRIVATE KEY-----\n{body}... and so on");
    assert_eq!(redact(&cut), "REDACTED_KEY_1... and so on");
    let public = "-----BEGIN PUBLIC KEY-----\nabc\n-----END PUBLIC KEY-----";
    assert_eq!(redact(public), public);
}

#[test]
fn mail_addresses_are_replaced() {
    for (text, expected) in [
        ("ann@example.org", "REDACTED_MAIL_1"),
        ("Author: A <a.b+c@mail.example.co.uk>.", "Author: A <REDACTED_MAIL_1>."),
        ("mail bob_1@x-y.de, ok", "mail REDACTED_MAIL_1, ok"),
        ("é ann@example.org é", "é REDACTED_MAIL_1 é"),
    ] {
        assert_eq!(redact(text), expected);
    }
    for text in [
        "git@github.com:a/b.git",
        "npm i @types/node@18.0.0",
        "pkg@1.2.3",
        "user@host",
        "@decorator.py",
        "x @ y",
        "a@b",
        "actions/checkout@v4",
        "foo@.com",
        "@",
        "a@@b.com.",
        "me@example.c",
    ] {
        assert_eq!(redact(text), text);
    }
}

#[test]
fn home_paths_lose_their_user() {
    for (text, expected) in [
        ("cd /home/ann/src && ls", "cd /home/REDACTED_USER_1/src && ls"),
        ("/Users/ann.b/x /Users/ann.b", "/Users/REDACTED_USER_1/x /Users/REDACTED_USER_1"),
        (r"C:\Users\ann\x", r"C:\Users\REDACTED_USER_1\x"),
        (r"c:\\Users\\ann\\x", r"c:\\Users\\REDACTED_USER_1\\x"),
        ("in /home/ann.", "in /home/REDACTED_USER_1."),
    ] {
        assert_eq!(redact(text), expected);
    }
    for text in ["/home", "/home/", "/homes/ann", "/Users/Shared/x", "home/ann", "/usr/home"] {
        assert_eq!(redact(text), text);
    }
}

#[test]
fn equal_strings_stay_equal_and_counts_say_both() {
    let mut redactor = Redactor::default();
    let mut texts = ["a@x.org b@x.org", "b@x.org a@x.org /home/a"].map(str::to_owned);
    for text in &mut texts {
        redactor.replace(text);
    }
    assert_eq!(
        texts,
        [
            "REDACTED_MAIL_1 REDACTED_MAIL_2",
            "REDACTED_MAIL_2 REDACTED_MAIL_1 /home/REDACTED_USER_1"
        ]
    );
    let counts: Vec<_> =
        redactor.counts().iter().map(|(k, c)| (*k, c.times, c.different)).collect();
    assert_eq!(counts, [(Kind::Mail, 4, 2), (Kind::Home, 1, 1)]);
    // What is redacted is not redacted again.
    let before = texts.clone();
    for text in &mut texts {
        redactor.replace(text);
    }
    assert_eq!(texts, before);
}

#[test]
fn json_stays_json_and_hides_nothing_in_escapes() {
    let token = format!("ghp_{}", letters(36));
    let arguments = format!(r#"{{"cmd": "printf 'é'\n{token} \"x\"", "n": 1.0}}"#);
    let redacted = redact(&arguments);
    assert_eq!(redacted, r#"{"cmd": "printf 'é'\nREDACTED_SECRET_1 \"x\"", "n": 1.0}"#);
    // A call as recorded: JSON in a JSON string.
    let call = format!(
        r#"{{"function":{{"name":"f","arguments":{}}}}}"#,
        crate::dataset::import::parts::quoted(&arguments)
    );
    let value: serde_json::Value = serde_json::from_str(&redact(&call)).unwrap();
    assert_eq!(value["function"]["arguments"], redacted);
}

proptest::proptest! {
    /// Nothing panics, and JSON stays JSON.
    #[test]
    fn any_text_is_survived(text in r#"[-a-zA-Z0-9@./\\:"'= é_{}\[\]]{0,80}"#) {
        redact(&text);
        let json = serde_json::to_string(&[&text, "sk-aB3dE6gH9jK2mN5pQ8sT1vW4", "a@b.org"]).unwrap();
        proptest::prop_assert!(is_json(&redact(&json)));
    }
}
