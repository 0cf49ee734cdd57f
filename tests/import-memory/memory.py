"""Large inputs for `scenario dataset convert`; see `run` beside this file."""

import json
import os
import subprocess
import sys
import tempfile
import time

WORDS = "the parser drops what it cannot read; see tests/test_parser.py line 42 — größer 日本 ".encode()
TEXT = (WORDS * 40).decode()


def dump(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def messages(turns):
    out = [{"role": "system", "content": "You mend parsers."}]
    for n in range(turns):
        call = {"id": f"c{n}", "type": "function", "function": {"name": "bash", "arguments": '{"command":"ls"}'}}
        out.append({"role": "user", "content": f"{n} {TEXT}"} if n % 3 == 0 else
                   {"role": "tool", "tool_call_id": f"c{n - 1}", "content": f"{n} {TEXT}"})
        out.append({"role": "assistant", "content": f"{n}", "tool_calls": [call]} if n % 3 != 2 else
                   {"role": "assistant", "content": f"done {n}"})
    return out


MESSAGES = messages(12)


def openai(write):
    n = 0
    while True:
        # Sixteen conversations grow at once; every second one has an id.
        for upto in range(2, len(MESSAGES), 6):
            for k in range(16):
                head = {"id": f"chat-{n}-{k}"} if k % 2 else {}
                first = {"role": "system", "content": f"You mend parsers. {n}-{k}"}
                write(dump(head | {"messages": [first] + MESSAGES[1:upto]}) + "\n")
        n += 1


def claude_code(write):
    n = 0
    while True:
        for turn in range(20):
            for k in range(16):
                common = {"sessionId": f"s-{n}-{k}", "uuid": f"u-{n}-{k}-{turn}", "timestamp": f"2026-03-01T10:00:{turn:02}.000Z"}
                if k % 4 == 0:
                    common |= {"isSidechain": True, "agentId": "a"}
                if turn % 2 == 0:
                    event = {"type": "user", "message": {"role": "user", "content": f"{turn} {TEXT}"}}
                else:
                    event = {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": TEXT}]}}
                write(dump(common | event) + "\n")
        n += 1


def swe_agent(write):
    n = 0
    while True:
        write(dump({"trajectory_format": "x", "instance_id": f"i-{n}", "info": {}, "messages": MESSAGES}) + "\n")
        n += 1


def sharegpt(write):
    talk = [{"from": ("human", "gpt")[n % 2], "value": TEXT} for n in range(12)]
    write("[")
    n = 0
    while True:
        write(("," if n else "") + dump({"id": f"g-{n}", "conversations": talk}) + "\n")
        n += 1


def events(write):
    def event(kind, at, session, turn, data):
        write(dump({"event_type": kind, "timestamp_ns": at, "sample_uuid": "0" * 32,
                    "conversation_id": session, "turn": turn, "data": data}) + "\n")
    n, at = 0, 0
    while True:
        for upto in range(2, len(MESSAGES), 2):
            for k in range(16):
                at += 1000
                session = f"e-{n}-{k}" if n % 2 else f"e-{n - 1 if n else 0}-{k}__repeat_2"
                event("sample.issued", at, session, upto, ["PromptData", None, None, MESSAGES[:upto], None, None, None, None])
                event("sample.complete", at + 500, session, upto, ["TextModelOutput", TEXT, None, None])
        n += 1


def mooncake(write):
    n = 0
    while True:
        ids = [0, 1] + list(range(n * 10 + 10, n * 10 + 28))
        where = {"session_id": f"m-{n // 3 % 1000}-{n // 30000}"} if n % 4 else {}
        write(dump(where | {"timestamp": n, "input_length": 10240, "output_length": 20, "hash_ids": ids,
                            "note": "x" * 20_000}) + "\n")
        n += 1


def one_line(write):
    while True:
        write('{"messages":[' * 1000)


def one_text(write):
    write('{"messages":[{"role":"user","content":"')
    while True:
        write(TEXT)


def zeros(write):
    while True:
        write("\0" * 65536)


def empty_objects(write):
    while True:
        write("{}\n" * 4096)


def tiny(write):
    n = 0
    while True:
        write("".join(f'{{"messages":[{{"role":"user","content":"{m}"}}]}}\n' for m in range(n, n + 1000)))
        n += 1000


class Full(Exception):
    pass


# What is made, the most memory in MB, and whether anything must come out. A conversation is some
# 50 kB. The last two are a tenth of the others: the 400,000 conversations of `tiny` take 200 bytes of
# memory each.
CASES = [
    (openai, 48, True), (claude_code, 64, True), (swe_agent, 48, True), (sharegpt, 48, True),
    (events, 48, True), (mooncake, 48, True), (one_line, 260, False), (one_text, 260, False),
    (zeros, 260, False), (empty_objects, 48, False), (tiny, 160, True),
]


def make(path, maker, size):
    with open(path, "wb", buffering=1 << 20) as file:
        left = size

        def write(text):
            nonlocal left
            data = text.encode()
            file.write(data[:left])
            left -= len(data)
            if left <= 0:
                raise Full

        try:
            maker(write)
        except Full:
            pass


def main():
    binary, megabytes = sys.argv[1], int(sys.argv[2])
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        path, out = os.path.join(folder, "input.jsonl"), os.path.join(folder, "set.jsonl")
        for maker, limit, written in CASES:
            size = megabytes // 10 if maker in (tiny, empty_objects) else megabytes
            make(path, maker, size * 1_000_000)
            begun = time.monotonic()
            with open(os.path.join(folder, "messages"), "wb") as messages_file:
                child = subprocess.Popen([binary, "dataset", "convert", path, "--out", out, "--force"],
                                         stdout=subprocess.DEVNULL, stderr=messages_file)
                _, status, usage = os.wait4(child.pid, 0)
                child.returncode = code = os.waitstatus_to_exitcode(status)
            took, peak = time.monotonic() - begun, usage.ru_maxrss / 1000
            with open(os.path.join(folder, "messages"), encoding="utf-8") as messages_file:
                said = messages_file.read()
            there = os.path.exists(out)
            wrong = [name for name, bad in [
                ("exit code", code not in (0, 1)), ("silent", not said.strip()),
                ("memory", peak > limit), ("output", there != written),
                ("left behind", sorted(os.listdir(folder)) not in (["input.jsonl", "messages"], ["input.jsonl", "messages", "set.jsonl"])),
            ] if bad]
            failed |= bool(wrong)
            made = os.path.getsize(out) / 1e6 if there else 0
            print(f"{maker.__name__:>14}: {size:4} MB in, {made:7.1f} MB out, {took:5.1f} s, "
                  f"peak {peak:6.1f} MB of {limit}, exit code {code}" + (f"  WRONG: {', '.join(wrong)}" if wrong else ""))
            if wrong:
                print(said[:2000])
            if there:
                os.remove(out)
    sys.exit(1 if failed else 0)


main()
