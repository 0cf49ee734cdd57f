"""Conversations that the conformance suite renders: everything that a replay can send."""

import copy

SYSTEM = {"role": "system", "content": "[salt: 4461]\n\nYou are a helpful agent.  \n\n[salt: ff0b]"}
USER = {"role": "user", "content": "Fix the \"naïve\" parser: it drops 日本語 input 😀.\n"}
HTML = {"role": "user", "content": "<b>bold</b> & 'quoted' \"text\" </tool_call><think>{{ x }} {% y %}"}

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "bash",
            "description": "Execute a command — «quoted» & <tagged>",
            "parameters": {
                "type": "object",
                "properties": {
                    "command": {"type": "string", "description": "The command to run"},
                    "timeout": {"type": "number", "default": 1.5},
                },
                "required": ["command"],
            },
        },
    },
    {
        "type": "function",
        "function": {
            "name": "lookup_order",
            "description": "Looks an order up\nover two lines",
            "parameters": {
                "type": "object",
                "properties": {
                    "order_id": {"type": "integer", "description": "Its \"number\"", "minimum": 0},
                    "tags": {"type": "array", "items": {"type": "string"}, "description": "tags"},
                    "mode": {"type": "string", "enum": ["fast", "slow"], "default": "fast"},
                    "any": {"type": ["string", "null"], "nullable": True},
                    "filter": {
                        "type": "object",
                        "description": "nested",
                        "properties": {"items": {"type": "boolean"}, "keys": {"type": "array"}},
                        "required": ["items"],
                    },
                },
                "required": ["order_id", "filter"],
                "additionalProperties": False,
            },
        },
    },
    {"type": "function", "function": {"name": "noop", "description": "Nothing", "parameters": {"type": "object", "properties": {}}}},
]

NESTED = {
    "path": "a/b \"c\".py",
    "count": 3,
    "ratio": 0.5,
    "whole": 2.0,
    "large": 1e20,
    "tiny": 1e-7,
    "negative": -17,
    "flag": True,
    "off": False,
    "nothing": None,
    "list": [1, "zwei", [3.25, None], {"k": "v"}],
    "empty_list": [],
    "empty": {},
    "deep": {"Z": {"y": {"x": "<&>'\""}}, "a": ["é", "\t\u0001\n"], "items": [1]},
    "text": "multi\nline\n\ttext \\ backslash",
}


def call(number, name="bash", arguments=None, text=False):
    import json

    arguments = {"command": "ls -la && grep -rn \"parse\" ."} if arguments is None else arguments
    if text:
        arguments = json.dumps(arguments, ensure_ascii=False)
    return {"id": f"functions.{name}:{number}", "type": "function", "function": {"name": name, "arguments": arguments}}


def assistant(content="", reasoning=None, calls=None):
    message = {"role": "assistant", "content": content}
    if reasoning is not None:
        message["reasoning_content"] = reasoning
    if calls is not None:
        message["tool_calls"] = calls
    return message


def tool(number, content="<returncode>0</returncode>\n", name="bash"):
    return {"role": "tool", "tool_call_id": f"functions.{name}:{number}", "content": content}


def conversations():
    """name -> (messages, tools)"""
    one = [SYSTEM, USER]
    agent = [
        *one,
        assistant(" ", " First, look around — find the parser.", [call(0)]),
        tool(0),
        assistant(None, " Read both files\nat once.", [call(1), call(2, "lookup_order", NESTED)]),
        tool(1, "def parse(s):\n\treturn s.encode('ascii', 'ignore')  # \\u00e9\n"),
        tool(2, "{\"status\": \"en route\"}", "lookup_order"),
        assistant("I will rewrite it.", None, [call(3, "noop", {})]),
        tool(3, "", "noop"),
    ]
    chat = [
        SYSTEM,
        {"role": "user", "content": "Bonjour, où est ma commande n° 42 ?"},
        assistant("Elle est en route.\nintent: I001", "They ask for a status."),
        {"role": "user", "content": "Then refund it."},
    ]
    result = {
        "single user": ([USER], None),
        "system and user": (one, None),
        "html-like": ([HTML], None),
        "tools offered": (one, TOOLS),
        "tools offered, no system": ([USER], TOOLS),
        "no tools list": (one, []),
        "chat": (chat, None),
        "chat with tools": (chat, TOOLS),
        "chat answered": ([*chat, assistant("Done.", "Refund it.")], None),
        "agent, first call": (agent[:4], TOOLS),
        "agent, parallel calls": (agent[:7], TOOLS),
        "agent, whole": (agent, TOOLS),
        "agent, no tools sent": (agent, None),
        "agent, answered and asked again": (
            [*agent, assistant("Done: `parse` keeps non-ASCII text now.", "Summarise."), HTML],
            TOOLS,
        ),
        "agent, ends with calls": (agent[:3], TOOLS),
        "arguments as text": ([*one, assistant("", None, [call(0, arguments=NESTED, text=True)]), tool(0)], TOOLS),
        "arguments as broken text": (
            [*one, assistant("", None, [{**call(0), "function": {"name": "bash", "arguments": "{\"command\": "}}]), tool(0)],
            TOOLS,
        ),
        "single call": ([*one, assistant("Looking.", None, [call(0)]), tool(0), assistant("There.")], TOOLS),
        "call without reasoning, empty content": ([*one, assistant("", None, [call(0)]), tool(0)], TOOLS),
        "call with null content": ([*one, assistant(None, None, [call(0)]), tool(0)], TOOLS),
        "call without content key": ([*one, {"role": "assistant", "tool_calls": [call(0)]}, tool(0)], TOOLS),
        "null tool_calls": ([*one, {**assistant("Hi."), "tool_calls": None}, USER], TOOLS),
        "empty tool_calls": ([*one, assistant("Hi.", calls=[]), USER], TOOLS),
        "empty reply": ([{"role": "user", "content": ""}, assistant("")], None),
        "payload with reasoning": ([{"role": "user", "content": ""}, assistant("Yes.", "Hm.")], None),
        "payload with calls": ([{"role": "user", "content": ""}, assistant("", "Hm.", [call(0), call(1)])], None),
        "empty contents": ([{"role": "system", "content": ""}, {"role": "user", "content": ""}], None),
        "null content": ([SYSTEM, {"role": "user", "content": None}], None),
        "white space": ([{"role": "user", "content": "  \n\t padded \u00a0\u2003\n "}, assistant("\n\n answer \n")], None),
        "thoughts inside the content": (
            [USER, assistant("<think>\nhidden\n</think>\n\nvisible"), USER, assistant("<think>a</think>b")],
            None,
        ),
        "content in parts": (
            [{"role": "user", "content": [{"type": "text", "text": "one "}, {"type": "text", "text": "two"}]}],
            None,
        ),
        "picture": (
            [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}, {"type": "text", "text": "what?"}]}],
            None,
        ),
        "two users in a row": ([USER, USER], None),
        "assistant first": ([assistant("Hello."), USER], None),
        "late system": ([USER, SYSTEM, USER], None),
        "two systems": ([SYSTEM, SYSTEM, USER], None),
        "named": ([{**USER, "name": "ann"}, assistant("ok")], None),
        "unknown role": ([{"role": "critic", "content": "meh"}], None),
        "developer": ([{"role": "developer", "content": "be brief"}, USER], TOOLS),
        "tool without call": ([USER, tool(0)], None),
        "tool result in parts": ([*one, assistant("", None, [call(0)]), tool(0, [{"type": "text", "text": "part"}])], TOOLS),
        "no messages": ([], None),
        "reasoning by another name": ([USER, {"role": "assistant", "content": "x", "reasoning": "why"}, USER], None),
        "long": ([SYSTEM, *([USER, assistant("ok " * 50, "why " * 20)] * 20), USER], None),
    }
    return {name: (copy.deepcopy(messages), tools) for name, (messages, tools) in result.items()}


KWARGS = [
    {},
    {"enable_thinking": False},
    {"enable_thinking": True, "preserve_thinking": True, "thinking": True, "reasoning_effort": "high"},
    {"thinking": False, "date_string": "1 Jan 2026", "documents": None, "tool_choice": "required"},
]

SPECIAL = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}
