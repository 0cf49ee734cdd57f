"""Writes what the rehearsal needs and what is too long to keep: the data set and the instance ids."""

import json
import pathlib
import sys

WORKFLOW, CODING = 500, 113
TOOL = {"type": "function", "function": {"name": "bash", "description": "Run a command", "parameters": {
    "type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}}}
COMMANDS = ["ls -la", "cat setup.py | head -20", "grep -rn import src", "python -m pytest -q", "git diff"]
# Four bytes are one token of the simulated endpoint; every reply has about 383 of them.
REPLY_BYTES = 1532


def text(start, number):
    words = [f"word{(number * 7 + i * 13) % 101}" for i in range(400)]
    return (start + " " + " ".join(words))[:REPLY_BYTES + (number * 37) % 81 - 40]


def rows():
    for n in range(WORKFLOW):
        key, system = f"sim_{n:04d}", "You route requests. Name the intent, then help."
        for turn in (1, 3):
            code = f"I{(n * 3 + turn) % 900 + 100}"
            yield {"conversation_id": key, "turn": turn, "role": "user", "system": system,
                   "content": f"Request {n}, part {turn}: please take care of this.", "delay_seconds": 20.0}
            yield {"conversation_id": key, "turn": turn + 1, "role": "assistant", "intent_codes": [code],
                   "content": text(f"intent: {code}.", n + turn)}
    for n in range(CODING):
        key, system = f"code-{n:03d}", "You repair software with the tool that you have."
        command = COMMANDS[n % len(COMMANDS)]
        call = {"id": f"call_{n}", "type": "function",
                "function": {"name": "bash", "arguments": json.dumps({"command": command})}}
        yield {"conversation_id": key, "turn": 1, "role": "user", "system": system, "tools": [TOOL],
               "content": f"Issue {n}: the tests fail.", "delay_seconds": 20.0}
        yield {"conversation_id": key, "turn": 2, "role": "assistant", "content": text("Looking.", n),
               "tool_calls": [call]}
        yield {"conversation_id": key, "turn": 3, "role": "tool", "delay_seconds": 20.0,
               "tool_results": [{"tool_call_id": f"call_{n}", "content": "done\n"}]}
        yield {"conversation_id": key, "turn": 4, "role": "assistant", "content": text("Fixed.", n + 1)}


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows())
    (folder / "dataset.jsonl").write_text(lines, encoding="utf-8")
    ids = "".join(f"example__project-{n}\n" for n in range(200))
    (folder / "instances.txt").write_text(ids)


main()
