#!/usr/bin/env python3
"""Says what is wrong with a result directory of a replay against a real server.

check.py RESULT_DIRECTORY     exit code 1 and one line per complaint, or 0 and a summary
check.py --up URL             exit code 0 when URL/health answers 200
"""

import collections
import json
import pathlib
import sys
import urllib.request


def is_up(url):
    try:
        return urllib.request.urlopen(url + "/health", timeout=2).status == 200
    except OSError:
        return False


def check_point(folder):
    """-> (complaints, facts) of one run folder"""
    complaints, facts = [], collections.Counter()
    cached = collections.defaultdict(list)  # conversation -> cached tokens in turn order
    for line in (folder / "events.jsonl").open(encoding="utf-8"):
        event = json.loads(line)
        kind = event["event_type"].rsplit(".", 1)[-1]
        where = f"{folder.name}: {event.get('conversation_id')} turn {event.get('turn')}"
        if event["event_type"].startswith("error"):
            complaints.append(f"{where}: failed: {event['data']}")
        if kind == "issued":
            facts["issued"] += 1
        if kind != "complete" or event["data"] is None:
            continue
        _, _, reasoning, tool_calls = event["data"]
        facts["completed"] += 1
        facts["with reasoning"] += bool(reasoning)
        facts["with tool calls"] += bool(tool_calls)
        usage = event.get("usage") or {}
        if usage.get("cached_tokens") is None:
            complaints.append(f"{where}: the server's usage holds no cached tokens: {usage}")
        else:
            cached[event["conversation_id"]].append((event["turn"], usage["cached_tokens"]))
    for conversation, turns in cached.items():
        tokens = [count for _, count in sorted(turns)]
        if any(later <= earlier for earlier, later in zip(tokens, tokens[1:])):
            complaints.append(f"{folder.name}: {conversation}: cached tokens do not grow: {tokens}")
        facts["conversations"] += 1
        facts["cached tokens"] += sum(tokens)
    for fact in ("completed", "with reasoning", "with tool calls", "cached tokens"):
        if not facts[fact]:
            complaints.append(f"{folder.name}: no turn {fact}")
    if facts["issued"] != facts["completed"]:
        complaints.append(
            f"{folder.name}: {facts['issued']} issued, {facts['completed']} completed"
        )
    check = json.loads((folder / "self_check.json").read_text(encoding="utf-8"))
    complaints += [f"{folder.name}: self check: {text}" for text in check["violations"]]
    return complaints, facts


def main(arguments):
    if arguments[:1] == ["--up"]:
        return 0 if is_up(arguments[1]) else 1
    folders = sorted(pathlib.Path(arguments[0]).glob("points/r*"))
    complaints = [] if folders else [f"{arguments[0]}: no run folder in points/"]
    for folder in folders:
        found, facts = check_point(folder)
        complaints += found
        print(f"{folder.name}: " + ", ".join(f"{count} {name}" for name, count in facts.items()))
    for complaint in complaints:
        print(f"real-server: {complaint}", file=sys.stderr)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
