//! What the README says is so.

use std::path::Path;

use super::process::Sandbox;

fn readme() -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap()
}

/// The fenced blocks of one language.
fn blocks(readme: &str, language: &str) -> Vec<String> {
    let open = format!("```{language}\n");
    readme
        .split(open.as_str())
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap().to_owned())
        .collect()
}

#[test]
fn its_scenario_file_is_valid() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.run(&["init", "x"]).code, Some(0), "the data sets");
    let whole = blocks(&readme(), "yaml").pop().unwrap();
    sandbox.write("readme.yaml", &whole);
    let done = sandbox.run(&["validate", "readme.yaml"]);
    assert_eq!(done.code, Some(0), "{done}");
}

#[test]
fn its_commands_are_those_that_exist() {
    let readme = readme();
    let help = Sandbox::new().run(&["--help"]).stdout;
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    for line in listed.take_while(|line| !line.is_empty()) {
        let command = line.split_whitespace().next().unwrap();
        assert!(readme.contains(&format!("| `scenario {command}")), "{command} is missing");
    }
    for row in readme.lines().filter_map(|line| line.strip_prefix("| `scenario ")) {
        let command = row.split([' ', '`']).next().unwrap();
        assert!(help.contains(&format!("\n  {command} ")), "there is no {command}");
    }
}

#[test]
fn its_shell_commands_name_scenarios_and_flags_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for block in blocks(&readme(), "sh") {
        for word in block.split_whitespace().filter(|word| word.starts_with("scenarios/")) {
            assert!(root.join(word).exists(), "{word}");
        }
    }
}
