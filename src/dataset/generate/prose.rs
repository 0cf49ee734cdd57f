//! Sentences of engineers: thinking, answers, issues, comments, messages of programs.

/// Statements about code.
pub(super) const CLAIMS: &[&str] = &[
    "`«fn»` never looks at the «adj» «noun»",
    "the «noun» is «verbed» twice when «nouns» arrive out of order",
    "«path» still imports the «adj» `«type»`",
    "the «adj» branch returns before the «noun» is «verbed»",
    "`«type»` keeps a reference to the «noun» that was just «verbed»",
    "the comparison uses `<` where the «noun» allows equality",
    "nothing «verbs» the «noun» once `«fn»` has failed",
    "`«var»` is computed from the «adj» «noun», not from the «noun» it belongs to",
    "two callers rely on `«fn»` returning an empty «noun»",
    "the default of `«var»` changed in v«ver» and the docs did not follow",
    "the «noun» loses everything after the first «adj» «noun»",
    "`«fn»` swallows the exception and logs it at debug level",
    "there are «n» places that build a «noun» by hand instead of calling `«fn»`",
    "the loop stops one «noun» short when the length is a multiple of «nn»",
    "the lock is released between «verbing» the «noun» and storing it",
    "`«CONST»` is «nn» here but «nn» in `«path»`",
    "the «noun» is keyed by name, so two «nouns» with the same name overwrite each other",
    "the type checker cannot see that `«var»` may be missing",
    "only the happy path of `«fn»` has a test",
    "the «adj» «noun» holds text such as \"«uni»\" and its length is taken in bytes",
];

/// Why, or what follows.
pub(super) const CAUSES: &[&str] = &[
    "so the caller sees a «adj» «noun»",
    "because the «noun» was added later than the «noun»",
    "which explains the «errtext» in the report",
    "so the failure depends on the order of «nouns»",
    "because `«fn»` was written for «adj» «nouns» only",
    "and that is exactly the line in the traceback",
    "while the test only covers «adj» input",
    "so «verbing» it again is harmless but slow",
    "which the «noun» does not notice until it «verbs» the next «noun»",
    "since commit «hex7» moved the check into `«fn»`",
    "although the comment above says the opposite",
    "so a plain retry hides it most of the time",
    "and the same happens for \"«uni»\"",
    "which costs about «nn» ms for every «noun»",
];

/// What to do next.
pub(super) const STEPS: &[&str] = &[
    "look at who calls `«fn»`",
    "reproduce it with a small script",
    "check how «path» «verbs» the «noun»",
    "read the tests around `«type»`",
    "run the tests that touch «nouns»",
    "see what `git log -p` says about `«CONST»`",
    "add a regression test for the «adj» «noun»",
    "move the check in front of the loop",
    "compare with the behaviour of «dep» «ver»",
    "keep the signature of `«fn»` as it is",
    "print the «noun» right before it is «verbed»",
    "make `«fn»` return an error instead of an empty «noun»",
    "write the «noun» under a temporary name and rename it",
    "grep for other uses of `«var»`",
    "rerun everything and look at the diff once more",
];

/// How sure one is.
pub(super) const HEDGES: &[&str] = &[
    "I think",
    "It looks as if",
    "As far as I can see,",
    "If I read this correctly,",
    "Apparently",
    "The log shows that",
    "The test proves that",
    "So",
    "Interesting:",
    "Note that",
    "In other words,",
    "Judging by the traceback,",
    "Hm,",
    "Wait,",
    "OK,",
    "Right:",
    "That means",
];

/// What goes through a model's head before it acts.
pub(super) const THOUGHTS: &[&str] = &[
    "«hedge» «claim», «cause».",
    "«hedge» «claim».",
    "Let me «step».",
    "Let me «step», then «step».",
    "«hedge» «claim», «cause». First I will «step».",
    "The user wants the «noun» to be «verbed» even when the «noun» is «adj»; «claim».",
    "Two options: (1) «step»; (2) «step». The second one touches fewer files.",
    "Before I change anything: «claim», «cause».",
    "What about «adj» «nouns»? «hedge» «claim», «cause».",
    "That did not work, «cause». I should «step».",
    "The output has «nn» lines but the interesting one is in `«fn»`: «claim».",
    "Edge cases: an empty «noun», a «adj» «noun», a name such as \"«uni»\", and more than «big» «nouns».",
    "I must not break `«fn»`, because «path» depends on it. So I will «step».",
    "Is it possible that «claim»? Then `«type»` would fail in `«fn»` as well, and it does not.",
];

/// What a model says beside a tool call.
pub(super) const REMARKS: &[&str] = &[
    "I'll «step».",
    "Let me «step».",
    "«hedge» «claim». I'll «step».",
    "Now «step».",
    "Found it: «claim», «cause».",
    "The failing case is the «adj» «noun». Next I'll «step».",
    "That confirms it: «claim».",
    "Good, `«fn»` does what it says. Now «step».",
];

/// Sentences of a closing message.
pub(super) const CLOSINGS: &[&str] = &[
    "`«fn»` now «verbs» the «noun» before it is «verbed», so the «adj» case works too.",
    "The cause was that «claim», «cause».",
    "I added tests for an empty «noun», a «adj» one, and text outside ASCII (\"«uni»\").",
    "All «nn» tests pass; the new ones fail without the change.",
    "`«type»` keeps its public interface, and callers in `«path»` need no change.",
    "I left `«CONST»` alone: «claim», which deserves a change of its own.",
    "Performance is unchanged: «nn» «nouns» take «ms» ms before and after.",
];

/// Sentences of a bug report.
pub(super) const REPORTS: &[&str] = &[
    "Since the upgrade to «ver», `«fn»` returns a «adj» «noun» when the «noun» contains \"«uni»\".",
    "We «verb» about «big» «nouns» a day and every few hours one of them is missing.",
    "Expected: the «noun» is «verbed» exactly once. Actual: «claim».",
    "It works with «dep» «ver» and fails with «ver».",
    "A colleague (@«noun»«nn») suspects that «claim», «cause».",
    "The documentation says that `«fn»` accepts «adj» «nouns», but it raises «errtext».",
    "I can reproduce it on Linux and macOS with a clean checkout of «hex7».",
    "A workaround is to «verb» the «noun» by hand, which is «adj» and slow.",
    "Please also «verb» the «noun» when `«var»` is not set; today it is silently ignored.",
];

/// A line of documentation in code.
pub(super) const DOCS: &[&str] = &[
    "«Verb» the «adj» «noun» of a «noun».",
    "Returns the «noun», or nothing when the «noun» is «adj».",
    "«Verb»s every «noun» once, in the order of the «nouns».",
    "A «noun» is «adj» until it was «verbed».",
    "Keep in step with «type» in «path».",
    "Callers hold the lock of the «noun».",
    "Must not «verb»: the «noun» may be shared with another «noun».",
    "TODO(«noun»-«nn»): drop this once all «nouns» are «verbed».",
    "The limit of «nn» comes from the «noun» format (v«n»).",
    "Slow path: only for «adj» «nouns», see issue #«nn».",
];

/// Error messages of programs.
pub(super) const ERRORS: &[&str] = &[
    "cannot «verb» «noun» «nn»: «noun» is «adj»",
    "unexpected «noun» at offset «big»",
    "«noun» '«noun»-«hex7»' not found",
    "expected «nn» «nouns», got «nn»",
    "«noun» exceeds the limit of «big» bytes",
    "invalid «noun» \"«uni»\"",
    "timed out after «nn» ms while «verbing» «nouns»",
    "«adj» «noun» in «path»:«nn»",
];

/// Messages of log lines.
pub(super) const LOG_TEXTS: &[&str] = &[
    "«verbed» «nn» «nouns» in «ms» ms",
    "«noun» «hex12» «verbed»",
    "«verbing» «noun» «nn»/«nn» from «noun»-«n»",
    "«errtext», retry «n» of 5",
    "«noun» cache: «big» hits, «nn» misses, «n» evictions",
    "connection to «noun»-«n».internal:«nn» closed by peer",
    "slow «noun»: «big» us in «fn»",
    "config: «var»=«nn» «var»=«adj» «var»=\"«uni»\"",
    "worker «n» took over «noun» «hex7» from worker «n»",
    "checkpoint «big» written (delta «nn» kB)",
];
