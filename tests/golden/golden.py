"""Saved turns of every release: a later one must restore each of them and go on the same way.

    python3 tests/golden/golden.py NAME...    writes states of this version, for scenes that have none in its folder yet

A file holds the engine, the state as it was saved, the bytes that were still to come, and the message and history in the end.
The engine, the state and the bytes of a release are never written again: where a change breaks one, the change is wrong.
The history in the end may take another shape if CHANGELOG says so. It did once, before anything was published:
`reasoning_content` moved from the message into `metadata.native`.
The message in the end may gain members in the same way: `utf16Start` and `utf16End` of a card came later.
So may its end: the answers behind the saved one say nothing, which was `completed` and is the error `empty_answer` since.
"""

import json
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parents[1] / "bindings" / "python"))

import sluice  # noqa: E402

ENGINE = {
    "tools": [
        {"name": "file.read", "description": "Reads a file.", "agentCallable": True, "permission": "moderate", "idempotent": True,
         "parameters": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}},
        {"name": "live2d.expression", "description": "Changes the face.", "agentCallable": True, "permission": "public",
         "immediate": True, "parameters": {"type": "object", "properties": {"name": {"enum": ["smile"]}}},
         "ipc": {"channel": "live2d:expression", "payload": [{"arg": "name"}]}},
    ]
}
REQUEST = {"model": "m", "messages": [{"role": "system", "content": "Be kind. {{tools}}"}, {"role": "user", "content": "你好"}]}


def sse(*deltas):
    chunks = [json.dumps({"choices": [{"index": 0, "delta": delta}]}, ensure_ascii=False) for delta in deltas]
    return "".join(f"data: {chunk}\n\n" for chunk in chunks) + "data: [DONE]\n\n"


END = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


def call(number, name, arguments):
    return {"tool_calls": [{"index": number, "id": f"call_{number}", "function": {"name": name, "arguments": arguments}}]}


NATIVE = sse({"reasoning_content": "Hm, "}, {"content": "Let me 看 "}, call(0, "live2d_expression", '{"name":"smile"}'),
             call(1, "file_read", '{"path":"a.txt"}'))
VCP = ("<think>so</think>\nI `look` <<<[TOOL_REQUEST]>>>\ntool_name:「始」file.read「末」,\npath:「始ESCAPE」a「末」.txt「末ESCAPE」\n"
       "<<<[END_TOOL_REQUEST]>>> and wait")

WAITING = "Let me `see <tool_call>{\"name\": \"file.read\", \"arguments\": {\"path\": \"a.txt\"}}</tool_call>\nthere"
FAMILY = ("<think>so</think>\n<tool_call>\n<function=file.read>\n<parameter=path>\na.txt\n</parameter>\n</function>\n</tool_call>"
          " and wait")

# name: (turn, bytes of the answer, how many of them were fed, whether the call was approved before it was saved)
SCENES = {
    "stream-cut-in-a-character": ({"wire": "openai-chat", "request": REQUEST}, NATIVE, NATIVE.encode().index("看".encode()) + 1, False),
    "stream-cut-in-arguments": ({"wire": "openai-chat", "request": REQUEST}, NATIVE, NATIVE.encode().index(b"a.txt"), False),
    "waiting-for-approval": ({"wire": "openai-chat", "request": REQUEST}, NATIVE, None, False),
    "executing": ({"wire": "openai-chat", "request": REQUEST}, NATIVE, None, True),
    "block-cut-in-a-value": ({"wire": "text", "protocol": "vcp", "request": REQUEST}, VCP, VCP.encode().index(b".txt") + 2, False),
    "parser-cut-in-an-opener": ({"wire": "text", "protocol": "vcp"}, VCP, VCP.encode().index(b"REQUEST"), False),
    "opener-waits-behind-a-back-tick": ({"wire": "text", "protocol": "hermes", "request": REQUEST}, WAITING,
                                        WAITING.encode().index(b"arguments"), False),
    "family-cut-in-a-closer": ({"wire": "text", "protocol": "qwen3-coder", "request": REQUEST}, FAMILY,
                               FAMILY.encode().index(b"tion>") + 2, False),
    "parser-cut-in-a-tag": ({"wire": "text", "protocol": ["hermes", "vcp"]}, FAMILY, FAMILY.encode().index(b"ink>"), False),
}


def drain(turn):
    """Lets everything happen: questions are answered with yes, tools with "done"."""
    for event in turn.events():
        if event["type"] == "approval":
            turn.approve(event["call"])
        elif event["type"] == "execute":
            turn.submit(event["call"], "done")


def end(turn, rest, stream):
    """Goes on from where the turn is to its end, and returns what is left of it. `stream`: its answers have an end of their own."""
    drain(turn)
    if rest:
        turn.feed(rest.encode("utf-8", "surrogateescape"))
        drain(turn)
    for _ in range(4):  # every answer that is open, and those of the rounds behind it, which say nothing but that they end
        if turn.get(sluice.GET_MESSAGE).get("outcome") is None:
            if stream and not rest:
                turn.feed(END)
            rest = None
            turn.finish(sluice.END_COMPLETE)
            drain(turn)
    message = turn.get(sluice.GET_MESSAGE)
    for younger in ("finishReason", "answers"):  # than the first release
        message.pop(younger, None)
    return {"message": message, "history": turn.get(sluice.GET_HISTORY)}


def save(scene):
    config, answer, fed, approved = SCENES[scene]
    body = answer.encode()
    with sluice.Engine(ENGINE) as engine, engine.turn(config) as turn:
        list(turn.events())
        turn.feed(body[: len(body) if fed is None else fed])
        list(turn.events())
        if fed is None:
            turn.finish(sluice.END_COMPLETE)
            list(turn.events())
        if approved:
            turn.approve(2)
            list(turn.events())
        state = turn.get(sluice.GET_STATE, raw=True)
        rest = "" if fed is None else body[fed:].decode("utf-8", "surrogateescape")
        return {"engine": ENGINE, "state": state, "rest": rest}


def run(saved):
    with sluice.Engine(saved["engine"]) as engine, engine.restore(saved["state"]) as turn:
        return end(turn, saved["rest"], "openai-chat" in json.dumps(saved["state"]))


def files():
    return sorted(FOLDER.glob("*/*.json"))


if __name__ == "__main__":
    folder = FOLDER / ".".join(str(number) for number in sluice.version())
    folder.mkdir(exist_ok=True)
    for scene in sys.argv[1:] or SCENES:
        target = folder / f"{scene}.json"
        if target.exists():
            print(f"{target.name}: is there already")
            continue
        saved = save(scene)
        saved.update(run(saved))
        target.write_text(json.dumps(saved, indent=1, ensure_ascii=True) + "\n")
        print(f"{target.name}: {saved['message'].get('outcome')}")
