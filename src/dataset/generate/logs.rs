//! Output of test runners and services.

use super::code::TestStyle;
use super::project::Project;
use super::voice::Voice;
use std::fmt::Write as _;

/// Appends a test run of about `bytes` bytes; whether it failed.
pub(super) fn test_run(
    out: &mut String,
    project: &Project,
    voice: &mut Voice,
    bytes: usize,
    passes: bool,
) {
    match project.language.test_style {
        TestStyle::Pytest => pytest(out, project, voice, bytes, passes),
        TestStyle::Cargo => cargo(out, voice, bytes, passes),
        TestStyle::Vitest => vitest(out, project, voice, bytes, passes),
        TestStyle::Go => go(out, project, voice, bytes, passes),
    }
}

/// A line or two of code from the project, as tracebacks quote them.
fn quoted(project: &Project, voice: &mut Voice) -> (String, usize, String) {
    let file = &project.files[project.any_file(&mut voice.draw)];
    let at = voice.draw.index(file.lines.len());
    let line = file.lines[at..].iter().find(|line| !line.trim().is_empty());
    (file.path.clone(), at + 1, line.cloned().unwrap_or_default())
}

fn pytest(out: &mut String, project: &Project, voice: &mut Voice, bytes: usize, passes: bool) {
    let start = out.len();
    if voice.draw.percent(50) {
        out.push_str(&voice.text(
            "============================= test session starts ==============================\n\
             platform linux -- Python 3.12.«n», pytest-8.«n».«n», pluggy-1.«n».0\n\
             rootdir: /testbed\nconfigfile: pyproject.toml\ncollected «nn» items\n\n",
        ));
    }
    let mut done = 0;
    for test in &project.files[project.first_test..] {
        done += voice.draw.range(3, 40);
        let _ = write!(out, "{} ", test.path);
        for _ in 0..voice.draw.range(4, 38) {
            let ok = passes || voice.draw.percent(88);
            out.push(if ok { '.' } else { voice.draw.pick(&['F', 'E', 's', 'x']) });
        }
        let _ = writeln!(out, " [{:>3}%]", done.min(100));
    }
    if !passes {
        out.push_str(
            "\n=================================== FAILURES ===================================\n",
        );
        loop {
            let (path, line, code) = quoted(project, voice);
            let name = voice.text("test_«fn»");
            let _ = write!(out, "_____ {name} _____\n\n");
            out.push_str(&voice.text("    def «fn»(«var»):\n        «var» = «fn»(«var», «nn»)\n"));
            let _ = writeln!(out, "{code}");
            out.push_str(&voice.text(
                "E       AssertionError: assert '«noun»-«hex7»' == '«noun»-«hex7»'\n\
                 E         - «noun»-«nn» «uni»\nE         + «noun»-«nn»\n\n",
            ));
            let _ = writeln!(out, "{path}:{line}: AssertionError");
            out.push_str(
                "----------------------------- Captured log call ------------------------------\n",
            );
            out.push_str(&voice.text("WARNING  «pkg».«noun»:«noun».py:«nn» «logtext»\n"));
            if out.len() - start >= bytes {
                break;
            }
        }
        out.push_str(
            "=========================== short test summary info ============================\n",
        );
        out.push_str(&voice.text("FAILED «path»::test_«fn» - AssertionError: «errtext»\n"));
        out.push_str(&voice.text("«n» failed, «nn» passed, «n» skipped in «ms»s\n"));
        return;
    }
    while out.len() - start + 60 < bytes {
        out.push_str(&voice.text("«path»::test_«fn»[«noun»-«nn»] PASSED\n"));
    }
    out.push_str(&voice.text("«nn» passed in «ms»s\n"));
}

fn cargo(out: &mut String, voice: &mut Voice, bytes: usize, passes: bool) {
    let start = out.len();
    out.push_str(&voice.text("   Compiling «dep» v«ver»\n   Compiling «pkg» v«ver» (/testbed)\n"));
    out.push_str(
        &voice.text("    Finished `test` profile [unoptimized + debuginfo] target(s) in «ms»s\n"),
    );
    out.push_str(&voice.text("     Running unittests src/lib.rs (target/debug/deps/«noun»-«hex12»)\n\nrunning «nn» tests\n"));
    if passes || voice.draw.percent(50) {
        loop {
            let ok = passes || voice.draw.percent(85);
            out.push_str(&voice.text("test «noun»::tests::«fn»_«adj» ... "));
            out.push_str(if ok { "ok\n" } else { "FAILED\n" });
            if out.len() - start + 300 >= bytes {
                break;
            }
        }
    } else {
        loop {
            out.push_str(&voice.text(
                "error[E0«nn»]: cannot find value `«var»` in this scope\n   --> «path»:«nn»:«n»\n    |\n\
                 «nn» |         let «var» = self.«fn»(&«var»)?;\n    |                    ^^^^ help: a local variable with a similar name exists: `«var»`\n    |\n    = note: «doc»\n\n",
            ));
            if out.len() - start >= bytes {
                break;
            }
        }
    }
    if passes {
        out.push_str(&voice.text("\ntest result: ok. «nn» passed; 0 failed; «n» ignored; 0 measured; finished in 0.«nn»s\n"));
    } else {
        out.push_str(&voice.text(
            "\nfailures:\n\n---- «noun»::tests::«fn» stdout ----\nthread '«noun»::tests::«fn»' panicked at «path»:«nn»:«n»:\n\
             assertion `left == right` failed: «errtext»\n  left: Some(«nn»)\n right: None\n\
             note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n\n\
             test result: FAILED. «nn» passed; «n» failed; 0 ignored; finished in 0.«nn»s\n",
        ));
    }
}

fn vitest(out: &mut String, project: &Project, voice: &mut Voice, bytes: usize, passes: bool) {
    let start = out.len();
    out.push_str(&voice.text(" RUN  v3.«n».«n» /testbed\n\n"));
    loop {
        if passes || voice.draw.percent(60) {
            out.push_str(&voice.text(
                " ✓ «path» («nn» tests) «nn»ms\n   ✓ «type» > «verbs» the «adj» «noun» «n»ms\n",
            ));
        } else {
            let (path, line, code) = quoted(project, voice);
            out.push_str(&voice.text(
                " ❯ «path» («nn» tests | «n» failed) «nn»ms\n   × «type» > «verbs» «adj» «nouns»\n     → «errtext»\n\
                 AssertionError: expected { «var»: «nn» } to deeply equal { «var»: «nn», «var»: null }\n",
            ));
            let _ = writeln!(out, " ❯ {path}:{line}:12\n    {line}| {code}\n       |      ^");
        }
        if out.len() - start >= bytes {
            break;
        }
    }
    out.push_str(&voice.text(
        "\n Test Files  «n» passed («nn»)\n      Tests  «nn» passed («nn»)\n   Duration  «ms»s\n",
    ));
}

fn go(out: &mut String, project: &Project, voice: &mut Voice, bytes: usize, passes: bool) {
    let start = out.len();
    loop {
        if passes || voice.draw.percent(60) {
            out.push_str(&voice.text("ok  \texample.org/«pkg»/internal/«noun»\t«ms»s\n"));
        } else {
            let (path, line, code) = quoted(project, voice);
            out.push_str(&voice.text("--- FAIL: Test«Verb»«Noun» (0.0«n»s)\n    --- FAIL: Test«Verb»«Noun»/«noun» (0.00s)\n"));
            let _ = writeln!(out, "        {path}:{line}: {}", code.trim());
            out.push_str(&voice.text(
                "        «errtext»\nFAIL\nFAIL\texample.org/«pkg»/internal/«noun»\t0.«nn»s\n",
            ));
        }
        if out.len() - start >= bytes {
            return;
        }
    }
}

/// Appends service logs of about `bytes` bytes in one of several shapes.
pub(super) fn service(out: &mut String, voice: &mut Voice, bytes: usize) {
    let shape = voice.draw.pick(&[
        "«date»T«time».«milli»Z {\"level\":\"info\",\"«noun»\":\"«hex12»\",\"ms\":«ms»,\"msg\":\"«logtext»\"}\n",
        "«date» «time»,«milli» INFO  [«noun»-«n»] «pkg».«noun» - «logtext»\n",
        "[«time»] «adj»: «logtext» (pid «big»)\n",
        "{\"ts\": \"«date»T«time»Z\", \"span\": \"«hex12»\", \"«var»\": «nn», \"ok\": true, \"detail\": {\"«noun»\": «n», \"name\": \"«noun»-«hex7»\"}}\n",
        "10.«nn».«n».«nn» - - [«date»:«time» +0000] \"GET /api/«nouns»/«hex7»?«noun»=«nn» HTTP/1.1\" 200 «big» \"-\" \"«dep»/«ver»\"\n",
    ]);
    let start = out.len();
    loop {
        voice.say(out, shape);
        if voice.draw.percent(6) {
            voice.say(out, "WARN «errtext»\n");
        }
        if out.len() - start >= bytes {
            return;
        }
    }
}
