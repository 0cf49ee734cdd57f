"""The numbers of `scenario dataset inspect` once more, from its documentation alone.

With --characters tokens are exact: the tokenizer of tests/fixtures/character-tokenizer has one token
for each character, and its chat template is written down below once more."""

import hashlib
import json
import re
import subprocess
import sys

SLOTS, TOKEN_BYTES = [1, 8, 64], 1000
TABLE = {}


def dump(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def tokens(text):
    return -(-len(text.encode()) // 4)


def messages_of(row):
    """The messages of a row, as (estimated tokens, message)."""
    if row["role"] == "tool":
        return [(tokens(result["content"]), {"role": "tool", "content": result["content"], "tool_call_id": result["tool_call_id"]})
                for result in row["tool_results"]]
    message = {"role": row["role"]}
    size = 0
    for key in ["content", "tool_calls", "reasoning_content"]:
        if row.get(key) is not None:
            message[key] = row[key]
            size += tokens(row[key] if isinstance(row[key], str) else dump(row[key]))
    return [(size, message)]


class Estimate:
    def conversation(self, system, tools, rows):
        self.system = tokens(system) + 4 if system is not None else 0
        self.tools = tokens(dump(tools)) if tools is not None else 0
        self.sizes = ([tokens(system)] if system is not None else []) + [size for row in rows for size, _ in messages_of(row)]

    def prompt(self, count):
        return self.tools + sum(self.sizes[:count]) + 4 * count + 4

    def until(self, count):
        return self.prompt(count) - 4

    def kept(self, before, _):
        return self.prompt(before)

    def reply(self, row):
        return messages_of(row)[0][0]

    def heads(self, _):
        return self.system, self.system + self.tools


class Characters:
    """One token for each character of the rendered text."""

    def __init__(self):
        self.known = {}

    def conversation(self, system, tools, rows):
        self.key = (system, dump(tools))
        self.head = ""
        if tools is not None:
            self.head = "<|tools|>" + "".join(spaced(tool) for tool in tools) + "<|/tools|>\n"
        self.all = ([{"role": "system", "content": system}] if system is not None else []) + [m for row in rows for _, m in messages_of(row)]

    def text(self, count, generation, system=None):
        out = self.head
        for message in self.all[:count]:
            content = message.get("content") or ""
            if system is not None and message["role"] == "system":
                content = system
            out += f"<|im_start|>{message['role']}\n{content}"
            if message.get("reasoning_content"):
                out += f"<think>{message['reasoning_content']}</think>"
            for call in message.get("tool_calls") or []:
                arguments = call["function"]["arguments"]
                try:
                    arguments = json.loads(arguments) if isinstance(arguments, str) else arguments
                except ValueError:
                    pass
                out += f"<tool_call>{call['function']['name']}({spaced(arguments)})</tool_call>"
            out += "<|im_end|>\n"
        return out + ("<|im_start|>assistant\n" if generation else "")

    def length(self, text):
        return len(text)

    def prompt(self, count):
        return self.length(self.text(count, True))

    def until(self, count):
        return self.length(self.text(count, False))

    def kept(self, before, now):
        return self.length(common(self.text(before, True), self.text(now, True)))

    def reply(self, row):
        self_all, self.all = self.all, [{"role": "user", "content": ""}, messages_of(row)[0][1]]
        head, self.head = self.head, ""
        whole = self.text(2, False)
        self.all[1] = {"role": "assistant", "content": ""}
        empty = self.text(2, False)
        self.all, self.head = self_all, head
        return self.length(whole) - self.length(empty)

    def heads(self, first):
        system, _ = self.key
        plain, salted = self.text(first, True), self.text(first, True)
        if system is not None:
            salt = lambda text: hashlib.blake2b(text.encode(), digest_size=2).hexdigest()
            salted = self.text(first, True, f"[salt: {salt('1')}]\n\n{system}\n\n[salt: {salt(self.id)}]")
        if self.key not in self.known:
            self.known[self.key] = (salted, plain)
            return 0, 0
        known = self.known[self.key]
        return self.length(common(known[0], salted)), self.length(common(known[1], plain))


def spaced(value):
    return json.dumps(value, ensure_ascii=False)


def common(a, b):
    n = 0
    for x, y in zip(a, b):
        if x != y:
            break
        n += 1
    return a[:n]


def quantiles(numbers):
    if not numbers:
        return {"count": 0, "total": 0, "min": 0, "p50": 0, "p90": 0, "max": 0}
    ordered = sorted(numbers)
    rank = lambda percent: ordered[max(-(-len(ordered) * percent // 100), 1) - 1]
    return {"count": len(ordered), "total": sum(ordered), "min": ordered[0], "p50": rank(50), "p90": rank(90), "max": ordered[-1]}


def histogram(numbers):
    edges = [0]
    for power in range(20):
        edges += [n * 10**power for n in (1, 2, 5)]
    bins = [{"from": a, "to": b, "count": sum(a <= n < b for n in ())} for a, b in zip(edges, edges[1:])]
    for n in numbers:
        at = next(k for k, bin in enumerate(bins) if n < bin["to"])
        bins[at]["count"] += 1
    while bins and not bins[0]["count"]:
        bins.pop(0)
    while bins and not bins[-1]["count"]:
        bins.pop()
    return bins


def spread(numbers):
    return quantiles(numbers) | {"histogram": histogram(numbers)}


def conversations(path):
    rows = []
    for line in open(path, encoding="utf-8"):
        row = json.loads(line)
        if rows and rows[0]["conversation_id"] != row["conversation_id"]:
            yield rows
            rows = []
        rows.append(row)
    yield rows


def actions(row):
    """Whether a recorded answer calls a program that the scorer knows: here, of the generated and
    shipped sets, any first word of a piece that is in the scorer's table."""
    known = set("python python2 python3 py pip pip3 pytest pylint cython make conda cat less more head tail wc diff grep egrep fgrep rg ag sed awk gawk tr sort uniq cut find locate ls xargs cp mv rm mkdir touch tee source which alias unset export git curl wget true false timeout date apt-get apt yum sphinx-build sphinx-quickstart .".split())
    for call in row.get("tool_calls") or []:
        if call["function"]["name"] != "bash":
            continue
        arguments = call["function"]["arguments"]
        arguments = json.loads(arguments) if isinstance(arguments, str) else arguments
        command = arguments.get("command") or arguments.get("cmd") or ""
        command = re.sub(r"'[^']*'|\"(?:\\.|[^\"\\])*\"|`[^`]*`", " ", command, flags=re.S)
        for piece in re.split(r"\|\||\||&&|;|\n", command):
            words = piece.split()
            while words and (re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*=.*", words[0]) or words[0] in ("env", "time", "nice", "sudo", "exec", "command")):
                words.pop(0)
            if words and re.sub(r"(\.\d+){1,2}$", "", words[0].rsplit("/", 1)[-1].lower()) in known:
                return True
    return False


def count(path, meter):
    groups = {}
    salted, unsalted = [0, 0, 0], [0, 0, 0]
    chains, heads = set(), {}
    contexts, greatest = [], []
    for rows in conversations(path):
        identity = rows[0]["conversation_id"]
        meter.id = identity
        workflow = re.fullmatch(r"sim_[0-9]+", identity) is not None
        group = groups.setdefault("workflow" if workflow else "coding", {
            "trajectories": 0, "assistant_turns": 0, "calling_turns": 0, "scorable_turns": 0, "client_turns": [],
            "isl": [], "osl": [], "growth": [], "delay_ms": [], "tool_calls": {}, "tools_defined": {}, "intents": {}})
        system = next((row["system"] for row in rows if row.get("system")), None)
        tools = rows[0].get("tools")
        meter.conversation(system, tools, rows)
        keys = [dump(tools)]
        if system is not None:
            keys.append(keys[-1] + "\0s" + system)
        for row in rows:
            for _, message in messages_of(row):
                keys.append(hashlib.sha256((keys[-1] + "\0" + dump(message)).encode()).hexdigest())
        known = 0
        for key in keys[1:]:
            if key not in chains:
                break
            known += 1
        chains.update(keys[1:])
        seen = []
        for key in [("s", system), ("t", system, dump(tools))]:
            seen.append(key in heads and (key[0] == "t" or system is not None))
            heads[key] = True
        at, before, own, turns = int(system is not None), None, [], 0
        head = None
        for n, row in enumerate(rows):
            at += len(messages_of(row))
            if row["role"] == "assistant":
                group["assistant_turns"] += 1
                group["calling_turns"] += bool(row.get("tool_calls"))
                for call in row.get("tool_calls") or []:
                    name = call["function"]["name"]
                    group["tool_calls"][name] = group["tool_calls"].get(name, 0) + 1
                codes = {code.upper() for code in row.get("intent_codes") or [] if code}
                for code in codes:
                    group["intents"][code] = group["intents"].get(code, 0) + 1
                if rows[n - 1]["role"] != "assistant":
                    group["scorable_turns"] += bool(codes) if workflow else actions(row)
                continue
            turns += 1
            prompt = meter.prompt(at)
            group["isl"].append(prompt)
            reply = 0
            if n + 1 < len(rows) and rows[n + 1]["role"] == "assistant":
                reply = meter.reply(rows[n + 1])
                group["osl"].append(reply)
            own.append(prompt + reply)
            if head is None:
                head = meter.heads(at)
            kept = 0 if before is None else meter.kept(before, at)
            if before is not None:
                group["growth"].append(max(0, prompt - meter.prompt(before)))
            if row.get("delay_seconds"):
                group["delay_ms"].append(int(round(row["delay_seconds"] * 1e9)) // 1_000_000)
            shared = [head[0] if seen[0] else 0, head[1] if seen[1] else 0]
            chain = prompt if known >= at else meter.until(known) if known > int(system is not None) else 0
            for reuse, cross in [(salted, shared[0]), (unsalted, max(shared[0], shared[1], chain))]:
                reuse[0] += prompt
                reuse[1] += kept
                reuse[2] += max(0, min(cross, prompt) - kept)
            before = at
        contexts += own
        greatest.append(max(own))
        group["trajectories"] += 1
        group["client_turns"].append(turns)
        for name in {tool["function"]["name"] for tool in tools or []}:
            group["tools_defined"][name] = group["tools_defined"].get(name, 0) + 1
    for group in groups.values():
        for key in ["client_turns", "isl", "osl", "growth", "delay_ms"]:
            group[key] = spread(group[key])
    greatest.sort(reverse=True)
    footprints = []
    for slots in SLOTS:
        mean, most = sum(contexts) * min(slots, len(greatest)) // len(contexts), sum(greatest[:slots])
        footprints.append({"slots": slots, "mean_tokens": mean, "most_tokens": most,
                           "mean_bytes": mean * TOKEN_BYTES, "most_bytes": most * TOKEN_BYTES})
    reuse = lambda r: {"prompt_tokens": r[0], "within_trajectories": r[1], "across_trajectories": r[2], "to_prefill": r[0] - r[1] - r[2]}
    return {
        "prefix_sharing": {"salted": reuse(salted), "unsalted": reuse(unsalted)},
        "kv_cache": {"bytes_per_token": TOKEN_BYTES, "footprints": footprints},
        "groups": groups,
    }


def differences(expected, found, where=""):
    if isinstance(expected, dict) and isinstance(found, dict):
        out = []
        for key in expected:
            out += differences(expected[key], found.get(key), f"{where}/{key}")
        if where.rsplit("/", 1)[-1] in ("tool_calls", "tools_defined", "intents", "groups"):
            out += [f"{where}: only found: {key}" for key in found if key not in expected]
        return out
    return [] if expected == found else [f"{where}: expected {expected}, found {found}"]


def main():
    binary, path, exact = sys.argv[1], sys.argv[2], "--characters" in sys.argv
    command = [binary, "dataset", "inspect", path, "--format", "json", "--slots", ",".join(map(str, SLOTS)), "--kv-bytes-per-token", str(TOKEN_BYTES)]
    if exact:
        command += ["--tokenizer", "tests/fixtures/character-tokenizer"]
    found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    expected = count(path, Characters() if exact else Estimate()) | {"tokens": "exact" if exact else "estimated"}
    wrong = differences(expected, found)
    turns = sum(group["client_turns"]["total"] for group in expected["groups"].values())
    name = path.rsplit("/", 1)[-1] + (", with a tokenizer" if exact else "")
    print(f"{name}: {turns} client turns, " + (f"{len(wrong)} DIFFERENCES" if wrong else "no difference"))
    for line in wrong[:20]:
        print("  " + line[:300])
    sys.exit(1 if wrong else 0)


main()
