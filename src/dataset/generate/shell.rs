//! Commands at a shell and what they print.

use super::edits;
use super::logs;
use super::project::Project;
use super::voice::Voice;
use std::fmt::Write as _;

/// A command with its output.
pub(super) struct Ran {
    pub(super) command: String,
    pub(super) code: u64,
    pub(super) output: String,
}

/// What a command is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    List,
    Read,
    Search,
    History,
    Script,
    Logs,
    Edit,
    Test,
    Diff,
    Finish,
}

/// Runs one command whose output is about `bytes` bytes.
pub(super) fn run(project: &mut Project, voice: &mut Voice, kind: Kind, bytes: usize) -> Ran {
    match kind {
        Kind::List => list(project, voice, bytes),
        Kind::Read => read(project, voice, bytes),
        Kind::Search => search(project, voice, bytes),
        Kind::History => history(voice, bytes),
        Kind::Script => script(project, voice, bytes),
        Kind::Logs => {
            let command = voice.draw.pick(LOG_COMMANDS);
            let command = voice.text(command);
            let mut output = String::new();
            logs::service(&mut output, voice, bytes);
            Ran { command, code: 0, output }
        }
        Kind::Edit => edit(project, voice, bytes),
        Kind::Test => test(project, voice, bytes),
        Kind::Diff => diff(project, voice),
        Kind::Finish => Ran {
            command: "git add -A && git commit -qm 'Fix it' && git status --short".to_owned(),
            code: 0,
            output: String::new(),
        },
    }
}

const LOG_COMMANDS: &[&str] = &[
    "tail -n «nn» /var/log/«pkg»/«noun».log",
    "grep -n '«noun»' logs/«date».jsonl | head -«nn»",
    "journalctl -u «noun» --since '«date» «time»' | tail -«nn»",
    "cat build/«noun».log | awk 'NR > «nn»' | cut -c1-200",
];

fn list(project: &Project, voice: &mut Voice, bytes: usize) -> Ran {
    let mut output = String::new();
    let wide = voice.draw.percent(50);
    let command = if wide {
        voice.text("ls -la && ls -la «pkg» 2>/dev/null")
    } else {
        format!(
            "find . -name '*.{}' -not -path './.git/*' | sort | head -80",
            project.language.extension
        )
    };
    let mut line = |voice: &mut Voice, name: &str, size: usize| {
        if wide {
            let _ = write!(output, "-rw-r--r--  1 root root {size:>7} ");
            output.push_str(&voice.text("«date» «time» "));
        } else {
            output.push_str("./");
        }
        output.push_str(name);
        output.push('\n');
        output.len()
    };
    for name in project.language.build_files {
        let size = voice.draw.skewed(2400);
        line(voice, name, usize::try_from(size).unwrap_or_default());
    }
    let mut length = 0;
    for file in &project.files {
        length = line(voice, &file.path, file.lines.iter().map(|line| line.len() + 1).sum());
    }
    while length < bytes {
        let name = voice.draw.pick(&[
            "docs/«noun».md",
            "docs/«adj»-«nouns».md",
            "examples/«fn».«noun»",
            "assets/«noun»-«hex7».svg",
            "fixtures/«noun»/«adj».json",
            "scripts/«verb»-«nouns».sh",
            "benches/«noun»_«noun».txt",
        ]);
        let name = voice.text(name);
        length = line(voice, &name, 900);
    }
    Ran { command, code: 0, output }
}

fn read(project: &Project, voice: &mut Voice, bytes: usize) -> Ran {
    let file = &project.files[project.any_file(&mut voice.draw)];
    let count = file.lines.len();
    let from = if voice.draw.percent(35) { 0 } else { voice.draw.index(count.saturating_sub(20)) };
    let numbered = voice.draw.percent(40);
    let (mut output, mut to) = (String::new(), from);
    while to < count && output.len() < bytes {
        if numbered {
            let _ = write!(output, "{:>6}\t", to + 1);
        }
        output.push_str(&file.lines[to]);
        output.push('\n');
        to += 1;
    }
    let path = &file.path;
    let command = match (numbered, from == 0 && to == count) {
        (false, true) => format!("cat {path}"),
        (true, true) => format!("cat -n {path}"),
        (false, false) => format!("sed -n '{},{to}p' {path}", from + 1),
        (true, false) => format!("nl -ba {path} | sed -n '{},{to}p'", from + 1),
    };
    Ran { command, code: 0, output }
}

fn search(project: &Project, voice: &mut Voice, bytes: usize) -> Ran {
    let word = voice.noun();
    let mut output = String::new();
    'files: for file in &project.files {
        for (n, line) in file.lines.iter().enumerate() {
            if line.contains(word) {
                let _ = writeln!(output, "{}:{}:{line}", file.path, n + 1);
                if output.len() >= bytes {
                    break 'files;
                }
            }
        }
    }
    let tail = voice.draw.pick(&["", " | head -40", " | sort | uniq", " || true"]);
    let tool = voice.draw.pick(&["grep -rn", "rg -n", "grep -rn --color=never", "git grep -n"]);
    let code = u64::from(output.is_empty() && tail.is_empty());
    Ran { command: format!("{tool} '{word}' .{tail}"), code, output }
}

fn history(voice: &mut Voice, bytes: usize) -> Ran {
    let mut output = String::new();
    let long = voice.draw.percent(40);
    let mut count = 0;
    loop {
        count += 1;
        let one = if long {
            "commit «hex40»\nAuthor: «person» <«noun»@«pkg».example>\nDate:   «date» «time» +0100\n\n    «Verb» the «adj» «noun»\n\n    «claim».\n\n"
        } else {
            "«hex7» «Verb» «adj» «nouns» (#«nn»)\n"
        };
        voice.say(&mut output, one);
        if output.len() >= bytes {
            break;
        }
    }
    let command = if long {
        voice.text(&format!("git log -n {count} -- «path»"))
    } else {
        format!("git log --oneline | head -{count}")
    };
    Ran { command, code: 0, output }
}

fn script(project: &Project, voice: &mut Voice, bytes: usize) -> Ran {
    let mut lines = Vec::new();
    let language = project.language;
    language.body(voice, &mut lines, "");
    let (open, close) = match language.extension {
        "py" => ("python - <<'EOF'\n", "\nEOF"),
        "ts" => ("npx tsx - <<'EOF'\n", "\nEOF"),
        "go" => ("cat > /tmp/repro.go <<'EOF'\npackage main\n", "\nEOF\ngo run /tmp/repro.go"),
        _ => ("cat > examples/repro.rs <<'EOF'\n", "\nEOF\ncargo run -q --example repro"),
    };
    let command = format!("{open}{}{close}", lines.join("\n"));
    let mut output = String::new();
    loop {
        voice.say_one(
            &mut output,
            &[
                "«noun» «nn» «adj» {'«noun»': «nn», '«var»': '«uni»'}\n",
                "«var» = «big», «var» = \"«noun»-«hex7»\"\n",
                "[«nn», «nn», «nn», «nn»] -> «ms»\n",
                "«noun» «hex12»: «errtext»\n",
            ],
        );
        if output.len() >= bytes {
            break;
        }
    }
    let code = u64::from(voice.draw.percent(30));
    if code == 1 {
        voice.say(
            &mut output,
            "Traceback (most recent call last):\n  File \"<stdin>\", line «n», in <module>\n  File \"/testbed/«path»\", line «nn», in «fn»\n    «var» = self.«fn»(«var»)\n«type»: «errtext»\n",
        );
    }
    Ran { command, code, output }
}

fn edit(project: &mut Project, voice: &mut Voice, bytes: usize) -> Ran {
    let file = project.any_file(&mut voice.draw);
    let at = edits::edit(project, voice, file, bytes.min(1500) / 3);
    let Some(hunk) = project.hunks.get(at) else {
        return Ran { command: "git status --short".to_owned(), code: 0, output: String::new() };
    };
    let (mut patch, path) = (String::new(), hunk.path.clone());
    edits::diff(&mut patch, hunk);
    let mut output = format!("patching file {path}\n");
    let command = if voice.draw.percent(60) {
        format!("patch -p1 <<'EOF'\n{patch}EOF")
    } else {
        output.clear();
        edits::stat(&mut output, std::slice::from_ref(hunk));
        format!("git apply - <<'EOF' && git diff --stat\n{patch}EOF")
    };
    Ran { command, code: 0, output }
}

fn test(project: &Project, voice: &mut Voice, bytes: usize) -> Ran {
    let language = project.language;
    let passes = voice.draw.percent(55);
    let narrow = voice.draw.percent(50);
    let file = project.test_file(&mut voice.draw);
    let target = project.files.get(file).map_or("", |file| &file.path);
    let command = match (narrow, language.extension) {
        (true, "py" | "ts") => format!("{} {target} 2>&1 | tail -60", language.test_command),
        (true, _) => format!("{} {} 2>&1 | tail -60", language.test_command, voice.noun()),
        (false, _) => format!("{} 2>&1 | tail -80", language.test_command),
    };
    let mut output = String::new();
    logs::test_run(&mut output, project, voice, bytes, passes);
    Ran { command, code: u64::from(!passes), output }
}

fn diff(project: &Project, voice: &mut Voice) -> Ran {
    let mut output = String::new();
    if project.hunks.is_empty() {
        let command = "git status --short && git diff".to_owned();
        return Ran { command, code: 0, output };
    }
    if voice.draw.percent(25) {
        edits::stat(&mut output, &project.hunks[project.hunks.len().saturating_sub(12)..]);
        return Ran { command: "git diff --stat".to_owned(), code: 0, output };
    }
    let shown = usize::try_from(voice.draw.range(1, 3)).unwrap_or(1);
    let mut paths = Vec::new();
    for hunk in &project.hunks[project.hunks.len().saturating_sub(shown)..] {
        edits::diff(&mut output, hunk);
        if !paths.contains(&hunk.path) {
            paths.push(hunk.path.clone());
        }
    }
    Ran { command: format!("git diff -- {}", paths.join(" ")), code: 0, output }
}
