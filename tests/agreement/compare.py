"""Compares the official checker's findings with those of `scenario audit`, tree by tree."""

import collections
import json
import pathlib
import subprocess
import sys

from submission_checker import SubmissionChecker

# Trees on which the official checker ends with an exception instead of a report, with the reason.
CRASHES = {}


def key(rule, severity, path, root):
    if path is not None:
        path = str(pathlib.Path(path).relative_to(root))
    return (severity, rule, path)


def official(root):
    report = SubmissionChecker(root).run()
    found = [(key(r.rule, r.severity.value, r.path, root), r.key) for r in report.results]
    return found, report.passed


def ours(scenario, root):
    command = [scenario, "--quiet", "audit", "--format", "official-json", str(root)]
    done = subprocess.run(command, capture_output=True, text=True)
    report = json.loads(done.stdout)
    assert done.returncode == (0 if report["passed"] else 1), done
    found = [(key(r["rule"], r["severity"], r["path"], root), r["key"]) for r in report["results"]]
    return found, report["passed"]


def main():
    scenario, directory = sys.argv[1], pathlib.Path(sys.argv[2])
    trees = sorted(directory.iterdir())
    differing = 0
    for root in trees:
        try:
            theirs = official(root)
        except Exception as error:  # the official checker's own fault
            if root.name not in CRASHES:
                print(f"{root.name}: the official checker fails: {error!r}")
                differing += 1
            continue
        mine = ours(scenario, root)

        # Keys tell messages of one rule apart; those of passed checks are the official's own.
        def faults(found):
            return collections.Counter((*k, m) for k, m in found if k[0] != "info")

        def everything(found):
            return collections.Counter(k for k, _ in found)

        missing = faults(theirs[0]) - faults(mine[0])
        surplus = faults(mine[0]) - faults(theirs[0])
        unseen = everything(theirs[0]) - everything(mine[0])
        extra = everything(mine[0]) - everything(theirs[0])
        if missing or surplus or unseen or extra or theirs[1] != mine[1]:
            differing += 1
            print(root.name)
            for sign, found in (("-", missing), ("+", surplus), ("-", unseen), ("+", extra)):
                for entry, count in sorted(found.items(), key=str):
                    print(f"  {sign} {count} x {' '.join(map(str, entry))}")
    print(f"{len(trees)} trees, {differing} differ")
    sys.exit(1 if differing or not trees else 0)


main()
