"""The driver of the Python package; README.md describes the lines."""

import json
import sys

import sluice

DOCUMENTS = {name: getattr(sluice, f"GET_{name.upper()}") for name in ("request", "message", "history", "tools", "prompt", "state", "error")}
handles, saved = {}, None


def make(asked, kind, made):
    handles[asked[kind]] = made
    return {}


def get(turn, asked):
    global saved
    text = turn.get(DOCUMENTS[asked["what"]], raw=True)
    if asked["what"] == "state" and text is not None:
        saved = text
    return {"text": text}


def tick(turn, asked):
    deadline = turn.tick(asked["now"])
    return {"next": None if deadline == sluice.NEVER else deadline}


def done(_):
    return {}


HANDLES = {
    "engine": lambda asked: make(asked, "engine", sluice.Engine(asked["document"])),
    "turn": lambda asked: make(asked, "turn", handles[asked["engine"]].turn(asked["document"])),
    "restore": lambda asked: make(asked, "turn", handles[asked["engine"]].restore(asked.get("document", saved))),
    "close": lambda asked: done(handles.pop(asked.get("turn", asked.get("engine"))).close()),
}
TURN = {
    "response": lambda turn, asked: done(turn.response(asked["status"], asked.get("headers"))),
    "feed": lambda turn, asked: done(turn.feed(bytes.fromhex(asked["bytes"]))),
    "finish": lambda turn, asked: done(turn.finish(asked["how"], asked.get("detail"))),
    "approve": lambda turn, asked: done(turn.approve(asked["call"], asked["decision"], asked.get("edited"))),
    "deny": lambda turn, asked: done(turn.deny(asked["call"], asked.get("reason"))),
    "refuse": lambda turn, asked: done(turn.refuse(asked["call"], asked.get("reason"))),
    "cancel": lambda turn, asked: done(turn.cancel(asked["call"], asked.get("reason"))),
    "conclude": lambda turn, asked: done(turn.conclude(asked["how"], asked.get("text"))),
    "submit": lambda turn, asked: done(turn.submit(asked["call"], asked["data"], asked["kind"])),
    "resolve": lambda turn, asked: done(turn.resolve(asked["call"], asked.get("arguments"))),
    "call": lambda turn, asked: {"number": turn.call(asked["call"], asked["document"])},
    "judge": lambda turn, asked: {"way": turn.judge(asked["call"], asked["rules"])},
    "tick": tick,
    "next": lambda turn, asked: {"text": turn.next_event(raw=True)},
    "events": lambda turn, asked: {"events": list(turn.events(raw=True))},
    "next_delta": lambda turn, asked: {"delta": turn.next_delta()},
    "pieces": lambda turn, asked: {"pieces": list(turn.pieces(raw=True))},
    "find_tool": lambda turn, asked: {"text": turn.find_tool(asked["name"], raw=True)},
    "get": get,
}


def answer(asked):
    try:
        verb = asked["do"]
        told = HANDLES[verb](asked) if verb in HANDLES else TURN[verb](handles[asked["turn"]], asked)
        return {"code": 0, **told}
    except sluice.Error as error:
        return {"code": error.code, "name": error.detail["name"], "message": error.detail["message"], "path": error.detail.get("path", "")}


for line in sys.stdin.buffer:
    text = json.dumps(answer(json.loads(line)), ensure_ascii=False, separators=(",", ":"))
    sys.stdout.buffer.write(text.encode() + b"\n")
