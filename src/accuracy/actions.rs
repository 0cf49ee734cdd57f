//! A shell command as the list of programs that it runs.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::python::{is_digit, is_space};
use super::quotes;
use super::work::Work;

/// The programs that count, each with the names it goes by. Any other name vanishes.
const TABLE: [(&str, &[&str]); 42] = [
    ("alias", &["alias"]),
    ("apt", &["apt-get", "apt"]),
    ("awk", &["awk", "gawk"]),
    ("cat", &["cat", "less", "more"]),
    ("conda", &["conda"]),
    ("cp", &["cp"]),
    ("curl", &["curl", "wget"]),
    ("cut", &["cut"]),
    ("cython", &["cython"]),
    ("date", &["date"]),
    ("diff", &["diff"]),
    ("export", &["export"]),
    ("false", &["false"]),
    ("find", &["find", "locate"]),
    ("git", &["git"]),
    ("grep", &["grep", "egrep", "fgrep", "rg", "ag"]),
    ("head", &["head"]),
    ("ls", &["ls"]),
    ("make", &["make"]),
    ("mkdir", &["mkdir"]),
    ("mv", &["mv"]),
    ("pip", &["pip", "pip3"]),
    ("pylint", &["pylint"]),
    ("pytest", &["pytest"]),
    ("python", &["python", "python2", "python3", "py"]),
    ("rm", &["rm"]),
    ("sed", &["sed"]),
    ("sort", &["sort"]),
    ("source", &["source", "."]),
    ("sphinx", &["sphinx-build", "sphinx-quickstart"]),
    ("tail", &["tail"]),
    ("tee", &["tee"]),
    ("timeout", &["timeout"]),
    ("touch", &["touch"]),
    ("tr", &["tr"]),
    ("true", &["true"]),
    ("uniq", &["uniq"]),
    ("unset", &["unset"]),
    ("wc", &["wc"]),
    ("which", &["which"]),
    ("xargs", &["xargs"]),
    ("yum", &["yum"]),
];

/// Words in front of a program that only say how it is run.
const WRAPPERS: [&str; 6] = ["env", "time", "nice", "sudo", "exec", "command"];

/// A program that counts, under its one name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Action(u8);

impl Action {
    /// How many there are.
    pub(super) const COUNT: usize = TABLE.len();

    /// The name.
    pub fn name(self) -> &'static str {
        TABLE[usize::from(self.0)].0
    }

    /// The position in the list of all, below [`Self::COUNT`].
    pub(super) fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The action of a program's file name, in lower case and without its version.
    fn of_program(name: &str) -> Option<Self> {
        static ACTIONS: LazyLock<HashMap<&str, Action>> = LazyLock::new(|| {
            let numbered = (0_u8..).zip(TABLE);
            numbered
                .flat_map(|(at, (_, names))| names.iter().map(move |name| (*name, Action(at))))
                .collect()
        });
        ACTIONS.get(name).copied()
    }
}

impl std::fmt::Debug for Action {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

impl serde::Serialize for Action {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Appends the actions of a shell command, in its order.
///
/// This is no shell: what stands in quotes is blanked, the rest is cut at `||`, `|`, `&&`, `;` and
/// line breaks (a single `&` is no cut), and each piece counts for its first word that is neither
/// an assignment nor a wrapper.
pub(super) fn of_command(command: &str, actions: &mut Vec<Action>, work: &mut Work) {
    let command = quotes::blank(command, work);
    let bytes = command.as_bytes();
    work.steps(bytes.len());
    let (mut start, mut at) = (0, 0);
    while let Some(&byte) = bytes.get(at) {
        let cut = match byte {
            b'|' | b';' | b'\n' => 1,
            b'&' if bytes.get(at + 1) == Some(&b'&') => 2,
            _ => {
                at += 1;
                continue;
            }
        };
        actions.extend(of_piece(&command[start..at]));
        at += cut;
        start = at;
    }
    actions.extend(of_piece(&command[start..]));
}

/// The action of one simple command; none when its program does not count.
fn of_piece(piece: &str) -> Option<Action> {
    let mut words = piece.split(is_space).filter(|word| !word.is_empty());
    let program = words.find(|word| !is_assignment(word) && !WRAPPERS.contains(word))?;
    let name = program.rsplit('/').next().unwrap_or_default().to_lowercase();
    Action::of_program(without_version(&name))
}

/// Whether a word starts with `NAME=`.
fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else { return false };
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// A name without a trailing `.d` or `.d.d`, where d are digits.
fn without_version(name: &str) -> &str {
    let shorter = |name: &'_ str| -> Option<usize> {
        let head = name.trim_end_matches(is_digit);
        head.strip_suffix('.').filter(|_| head.len() < name.len()).map(str::len)
    };
    let Some(once) = shorter(name) else { return name };
    let twice = shorter(&name[..once]).unwrap_or(once);
    &name[..twice]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn names(command: &str) -> Vec<&'static str> {
        let mut actions = Vec::new();
        of_command(command, &mut actions, &mut Work::default());
        actions.into_iter().map(Action::name).collect()
    }

    /// The whole table, spelled out a second time the other way round.
    #[test]
    fn every_alias() {
        let table = "python:python python2:python python3:python py:python pip:pip pip3:pip \
            pytest:pytest pylint:pylint sphinx-build:sphinx sphinx-quickstart:sphinx \
            cython:cython make:make conda:conda cat:cat less:cat more:cat head:head tail:tail \
            wc:wc diff:diff grep:grep egrep:grep fgrep:grep rg:grep ag:grep sed:sed awk:awk \
            gawk:awk tr:tr sort:sort uniq:uniq cut:cut find:find locate:find ls:ls xargs:xargs \
            cp:cp mv:mv rm:rm mkdir:mkdir touch:touch tee:tee source:source .:source which:which \
            alias:alias unset:unset export:export git:git curl:curl wget:curl true:true \
            false:false timeout:timeout date:date apt-get:apt apt:apt yum:yum";
        let mut aliases = 0;
        for entry in table.split_whitespace() {
            let (alias, name) = entry.split_once(':').unwrap();
            assert_eq!(names(alias), [name], "{alias}");
            assert_eq!(names(&format!("/opt/x/{alias} -v")), [name], "{alias}");
            assert_eq!(names(&alias.to_uppercase()), [name], "{alias}");
            aliases += 1;
        }
        assert_eq!(aliases, TABLE.iter().map(|(_, names)| names.len()).sum::<usize>());
    }

    #[test]
    fn what_does_not_count_vanishes() {
        for command in [
            "",
            " ",
            "\n\n",
            "cd /repo",
            "echo hi",
            "node x.js",
            "if",
            "pythonic",
            "python-3",
            "bash -c 'ls'",
            "(ls)",
            "$(ls)",
            "/usr/bin/",
            "python/",
            "-",
            "A=1",
            "sudo",
            "env A=1",
            "./configure",
            "#ls",
            "ls2",
            "pip-3",
            "2>/dev/null",
            "mAkéE",
        ] {
            assert!(names(command).is_empty(), "{command:?} {:?}", names(command));
        }
    }

    #[test]
    fn separators() {
        let cases: [(&str, &[&str]); 14] = [
            ("ls || cat", &["ls", "cat"]),
            ("ls|wc", &["ls", "wc"]),
            ("ls&&wc", &["ls", "wc"]),
            ("ls;wc", &["ls", "wc"]),
            ("ls\nwc\r\nhead", &["ls", "wc", "head"]),
            ("ls & wc", &["ls"]),
            ("ls &&& wc", &["ls"]),
            ("ls |& wc", &["ls"]),
            ("ls ||| wc", &["ls", "wc"]),
            (";;|&&ls;", &["ls"]),
            ("cd a && ls", &["ls"]),
            ("ls \\\n  wc", &["ls", "wc"]),
            ("find . -exec ls {} \\; -print", &["find"]),
            ("case x in a) ls ;; esac", &[]),
        ];
        for (command, expected) in cases {
            assert_eq!(names(command), expected, "{command:?}");
        }
    }

    #[test]
    fn assignments_and_wrappers() {
        let cases: [(&str, &[&str]); 16] = [
            ("A=1 ls", &["ls"]),
            ("A= _b2=x ls", &["ls"]),
            ("A+=1 ls", &[]),
            ("2A=1 ls", &[]),
            ("=1 ls", &[]),
            ("É=1 ls", &[]),
            ("PYTHONPATH=. python", &["python"]),
            ("A=\"x y\" ls", &["ls"]),
            ("A='x'y ls", &[]),
            ("env A=1 sudo python3.11", &["python"]),
            ("time nice exec command sudo env ls", &["ls"]),
            ("/usr/bin/env python", &[]),
            ("SUDO ls", &[]),
            ("sudo -u root ls", &[]),
            ("timeout 5 python x", &["timeout"]),
            ("ls A=1", &["ls"]),
        ];
        for (command, expected) in cases {
            assert_eq!(names(command), expected, "{command:?}");
        }
    }

    #[test]
    fn versions() {
        let cases: [(&str, &[&str]); 14] = [
            ("python3.11", &["python"]),
            ("python3.11.7", &["python"]),
            ("python.3.11", &["python"]),
            ("python3.1.11.7", &[]),
            ("python.1.2.3", &[]),
            ("python3.", &[]),
            ("python3.x", &[]),
            ("python3.٣", &["python"]),
            ("pip3.11", &["pip"]),
            ("ls.1", &["ls"]),
            (". env.sh", &["source"]),
            ("..1", &["source"]),
            (".1", &[]),
            ("a/b/../python", &["python"]),
        ];
        for (command, expected) in cases {
            assert_eq!(names(command), expected, "{command:?}");
        }
    }

    #[test]
    fn quoting_and_unicode() {
        let cases: [(&str, &[&str]); 12] = [
            ("grep 'a; rm -rf x' f | head", &["grep", "head"]),
            ("bash -c \"ls && echo 'x'\"; wc", &["wc"]),
            ("cat <<'EOF' > f\nls -la\nEOF", &["cat", "ls"]),
            ("cat > f <<EOF\ndef f():\n    return 'a | b'\nEOF\npython f", &["cat", "python"]),
            ("python - <<'EOF'\nprint(\"don't\")\nEOF\nls", &["python", "ls"]),
            ("`which ls` -la", &[]),
            ("\"ls\" -la", &[]),
            ("py\"x\"thon", &["python"]),
            ("ls\u{a0}-la\u{3000}x", &["ls"]),
            ("ls\u{1c}x", &["ls"]),
            ("ls\u{200b}", &[]),
            ("grep 日本語 | wc 😀", &["grep", "wc"]),
        ];
        for (command, expected) in cases {
            assert_eq!(names(command), expected, "{command:?}");
        }
    }

    proptest! {
        #[test]
        fn pieces_of_known_programs_count(
            programs in prop::collection::vec(0..TABLE.len(), 1..8),
            separator in prop::sample::select(vec!["|", "||", "&&", ";", "\n", " ; ; "]),
        ) {
            let expected: Vec<_> = programs.iter().map(|at| TABLE[*at].0).collect();
            let words: Vec<_> =
                programs.iter().map(|at| format!("X=1 /bin/{} -x", TABLE[*at].1[0])).collect();
            prop_assert_eq!(names(&words.join(separator)), expected);
        }

        #[test]
        fn never_panics_and_works_linearly(command in "\\PC{0,300}|[|&;'\"`\\\\ \n/.1lsA=é]{0,300}") {
            let (mut actions, mut work) = (Vec::new(), Work::default());
            of_command(&command, &mut actions, &mut work);
            prop_assert!(work.total() <= 8 * command.len() as u64);
        }
    }
}
