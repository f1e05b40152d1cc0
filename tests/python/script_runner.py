"""Replays the shared scripts of tests/vectors through ctypes; the format is described in tests/README.md."""

import base64
import json
import os
import re
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS.parent / "bindings" / "python"))
import sluice  # noqa: E402

# Of the random cuts: C++ has others, and JavaScript.
SEED = 1001
BYTEWISE_LIMIT = 65536
FINAL = {"success", "error", "denied", "result_rejected", "not_found", "invalid", "timeout", "expired", "cancelled", "unknown"}
CODES = {"ok": sluice.OK, "argument": sluice.E_ARGUMENT, "state": sluice.E_STATE, "not_found": sluice.E_NOT_FOUND,
         "json": sluice.E_JSON, "limit": sluice.E_LIMIT, "unsupported": sluice.E_UNSUPPORTED}
ENDS = {"complete": 0, "network": 1, "aborted": 2, "retry": 3, "hook": 4, "fallback": 5}
FINALS = {"accept": sluice.FINAL_ACCEPT, "retry": sluice.FINAL_RETRY, "replace": sluice.FINAL_REPLACE}
WAYS = {"run": sluice.GATE_RUN, "ask": sluice.GATE_ASK, "deny": sluice.GATE_DENY}
DECISIONS = {"once": 0, "turn": 1, "session": 2, "always": 3, "release": 4}
KINDS = {"result": 0, "json": 1, "parts": 2, "failure": 3, "progress": 4, "rewritten": 5}
DOCUMENTS = {"request": 1, "message": 2, "history": 3, "tools": 4, "prompt": 5, "state": 6, "error": 7}
ASIDE = ("diagnostic", "usage", "round")  # events whose place between others is not promised
ABSENT = object()


class Failed(Exception):
    pass


def shared_folder():
    folder = Path(os.environ.get("SLUICE_SHARED") or TESTS.parent.parent / "shared")
    return folder if (folder / "vectors").exists() else None


def cuts(data, seed, most):
    """`data` in pieces: most 0: whole; 1: bytes; else at random, the same numbers in every language."""
    state, at = seed, 0
    while True:
        left = len(data) - at
        if most == 0:
            size = left
        elif most == 1 or state == 0:
            size = min(left, 1)
        else:
            state = (state * 1664525 + 1013904223) % 2**32
            size = 0 if (state >> 24) % 16 == 0 else min(left, 1 + (state >> 16) % most)
        yield data[at:at + size]
        at += size
        if at >= len(data):
            return


def random_cut(seed):
    return seed, 1 + (seed * 7) % 64


def restored_cut(size):
    """Of a long script some hundred pieces: between them all of it is saved and read again."""
    return 5, max(36, size // 64)


def dump(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def brief(value):
    text = "nothing" if value is ABSENT else dump(value)
    return text if len(text) <= 1200 else f"{text[:1000]} ... ({len(text)} characters)"


def equal(a, b):
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(equal(a[key], b[key]) for key in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(equal, a, b))
    return a is not ABSENT and b is not ABSENT and a == b


def not_as(where, expected, actual):
    return f"{where or 'value'}: expected {expected}, got {brief(actual)}"


def subsequence(patterns, elements, where):
    """Greedy: each pattern meets an element behind the one that the pattern before it met."""
    at = 0
    for i, pattern in enumerate(patterns):
        while at < len(elements) and mismatch(pattern, elements[at]):
            at += 1
        if at == len(elements):
            return f"{where}[{i}]: nothing matches {brief(pattern)}"
        at += 1
    return ""


def mismatch(pattern, actual, where=""):
    """Empty, or where and how `actual` differs from the pattern."""
    if isinstance(pattern, dict):
        if len(pattern) == 1 and next(iter(pattern)).startswith("$"):
            return test_mismatch(*next(iter(pattern.items())), actual, where)
        if not isinstance(actual, dict):
            return not_as(where, f"an object like {brief(pattern)}", actual)
        return next(filter(None, (mismatch(value, actual.get(key, ABSENT), f"{where}.{key}") for key, value in pattern.items())), "")
    if isinstance(pattern, list):
        if not isinstance(actual, list) or len(actual) != len(pattern):
            return not_as(where, f"{len(pattern)} elements like {brief(pattern)}", actual)
        return next(filter(None, (mismatch(p, a, f"{where}[{i}]") for i, (p, a) in enumerate(zip(pattern, actual)))), "")
    return "" if equal(pattern, actual) else not_as(where, brief(pattern), actual)


def test_mismatch(test, operand, actual, where):
    if test == "$absent":
        return "" if actual is ABSENT else not_as(where, "nothing", actual)
    if test == "$not":
        return "" if mismatch(operand, actual) else not_as(where, f"not {brief(operand)}", actual)
    if actual is ABSENT:
        return not_as(where, f"{test} {brief(operand)}", actual)
    if test == "$any":
        return ""
    if test == "$equals":
        return "" if equal(operand, actual) else not_as(where, f"exactly {brief(operand)}", actual)
    if test == "$all":
        return next(filter(None, (mismatch(pattern, actual, where) for pattern in operand)), "")
    if test == "$some":
        return subsequence(operand, actual, where) if isinstance(actual, list) else not_as(where, "an array", actual)
    if not isinstance(actual, str):
        return not_as(where, f"a string: {test} {brief(operand)}", actual)
    if test == "$has":
        return "" if operand in actual else not_as(where, f"a text with {brief(operand)}", actual)
    if test == "$match":
        return "" if re.search(operand, actual) else not_as(where, f"a match of {brief(operand)}", actual)
    if test == "$bytes":
        size = len(actual.encode())
        return "" if operand[0] <= size <= operand[1] else not_as(where, f"{operand} bytes, not {size}", actual)
    if test == "$json":
        try:
            return mismatch(operand, json.loads(actual), where + "(json)")
        except ValueError:
            return not_as(where, "JSON text", actual)
    raise Failed(f"unknown test {test}")


def merged_events(events, cards):
    """Neighbouring deltas as one event and without `seq`; `cards`: neighbouring patches of a card, too."""
    out = []
    for event in events:
        event = {key: value for key, value in event.items() if key != "seq"}
        kind = event["type"]
        key = {"text": "block", "reasoning": "block", "args": "call", "card": "call"}.get(kind)
        if key and (kind != "card" or cards) and out and out[-1]["type"] == kind and out[-1][key] == event[key]:
            out[-1] |= event if kind == "card" else {"text": out[-1]["text"] + event["text"]}
        else:
            out.append(event)
    return out


def invalid_messages(messages):
    """Empty, or why these messages are no valid conversation."""
    ids, i = set(), 0
    while i < len(messages):
        message, at = messages[i], f"message {i}"
        i += 1
        # one that names no call is the text of all results (`results.role` of a declared format)
        if message["role"] == "tool" and "tool_call_id" in message:
            return f"{at}: a result without its call: {brief(message)}"
        if message["role"] != "assistant":
            continue
        calls, content = message.get("tool_calls"), message.get("content")
        if not content and calls is None:
            return f"{at}: an empty assistant message"
        if calls is None:
            continue
        if content == "":
            return f"{at}: empty text beside calls"
        if not calls:
            return f"{at}: tool_calls is empty"
        waiting = set()
        for call in calls:
            if not call.get("id") or call["id"] in ids:
                return f"{at}: no id, or one that was used before: {brief(call)}"
            ids.add(call["id"])
            waiting.add(call["id"])
            if call.get("type") == "custom":
                custom = call.get("custom", {})
                if not custom.get("name") or not isinstance(custom.get("input"), str):
                    return f"{at}: a custom call without a name and an input: {brief(call)}"
                continue
            if not call.get("function", {}).get("name"):
                return f"{at}: a call without a name: {brief(call)}"
            try:
                json.loads(call["function"]["arguments"])
            except (ValueError, TypeError, KeyError):
                return f"{at}: arguments that are not JSON: {brief(call)}"
        while waiting:
            result = messages[i] if i < len(messages) else {}
            if result.get("role") != "tool" or result.get("tool_call_id") not in waiting:
                return f"{at}: the result of {min(waiting)} is not right behind its call"
            if result.get("content") is None:
                return f"{at}: a result without content"
            waiting.remove(result["tool_call_id"])
            i += 1
    return ""


def open_ids(messages):
    """The ids of the calls at the end of these messages that have no result: the n-th result with an id belongs to the n-th call with it."""
    still = []
    for message in messages:
        if not isinstance(message, dict):
            continue  # the provider refuses it
        role, calls = message.get("role"), message.get("tool_calls")
        if role == "tool":
            if message.get("tool_call_id") in still:
                still.remove(message["tool_call_id"])
        elif role != "user" or "imagesOf" not in (message.get("metadata") or {}):
            still = [call.get("id", "") for call in calls] if role == "assistant" and isinstance(calls, list) else []
    return still


def invalid_history(messages, history):
    """Empty, or why [*messages, *history] is no valid conversation. The messages are the host's: only what the turn adds is judged."""
    still, added = open_ids(messages), list(history)
    while added and added[0]["role"] == "tool":
        result = added.pop(0)
        if result["tool_call_id"] not in still:
            return f"a result of no open call of the messages: {brief(result)}"
        if result.get("content") is None:
            return f"a result without content: {brief(result)}"
        still.remove(result["tool_call_id"])
    return f"an open call of the messages has no result: {still[0]}" if still else invalid_messages(added)


def document_text(document):
    return document if isinstance(document, str) else dump(document)


def sse_text(items):
    out = []
    for item in items:
        if isinstance(item, str):
            out.append(f"data: {item}\n\n")
            continue
        if "choices" in item or "error" in item or "object" in item:
            chunk = item
        elif "finish" in item:
            chunk = {"choices": [{"index": 0, "delta": {}, "finish_reason": item["finish"]}]}
        elif "usage" in item:
            chunk = {"choices": [], "usage": item["usage"]}
        else:
            chunk = {"choices": [{"index": 0, "delta": item}]}
        out.append(f"data: {dump(chunk)}\n\n")
    return "".join(out)


def fed(step):
    """What a feeding step hands over; None: it is another one."""
    if "feed" in step:
        return (step["feed"] * step.get("times", 1)).encode()
    if "feedBase64" in step:
        return base64.b64decode(step["feedBase64"])
    if "sse" in step:
        return sse_text(step["sse"]).encode()
    if "events" in step:
        return "".join((f"event: {item['type']}\n" if "type" in item else "") + f"data: {dump(item)}\n\n" for item in step["events"]).encode()
    if "answer" in step:
        return (sse_text(step["answer"]) + "data: [DONE]\n\n").encode()
    return None


def number(value, names):
    return names[value] if isinstance(value, str) else value


PIECES = {sluice.DELTA_TEXT: ("text", "block"), sluice.DELTA_REASONING: ("reasoning", "block"), sluice.DELTA_ARGS: ("args", "call"),
          sluice.DELTA_PROGRESS: ("progress", "call")}


def poll_pieces(turn, seq):
    """Every waiting event, text without JSON. `seq`: of the event that was polled last."""
    for piece in turn.pieces():
        if isinstance(piece, sluice.Delta):
            kind, of = PIECES[piece.kind]
            piece = {"type": kind, of: piece.index, "text": piece.text, "seq": seq + 1}
        elif piece["type"] in ("text", "reasoning", "args", "progress") and not {"refusal", "fabricated", "phase"} & piece.keys():
            raise Failed(f"a piece of text that was no Delta: {brief(piece)}")
        seq = piece["seq"]
        yield piece


class Player:
    def __init__(self, script, how, cut, poll):
        self.script, self.how, self.cut, self.polling, self.polls = script, how, cut, poll, 0
        self.events, self.pending = [], []
        self.seq = self.done = None
        self.diagnosed = False
        self.messages = []  # of the host; none if the turn does not know tools, and so takes up no call
        self.running, self.asked = set(), []  # calls whose execute was polled and that are not over; questions
        self.resolved = {}  # call: the arguments that were given for it

    def play(self):
        config = self.script.get("turn")
        with sluice.Engine(document_text(self.script.get("engine", {})), check=False) as engine:
            self.engine = engine
            self.turn = None if config is None else self.engine.turn(document_text(config), check=False)
            try:
                parsed = json.loads(document_text(config)) if config is not None else {}
            except ValueError:
                parsed = {}
            self.parser = not isinstance(parsed, dict) or "request" not in parsed
            self.wire = parsed.get("wire", "openai-chat") if isinstance(parsed, dict) else ""
            engine_config = self.script.get("engine", {})
            enabled = parsed.get("enabled", engine_config.get("enabled", True) if isinstance(engine_config, dict) else True) if not self.parser else False
            if enabled and isinstance(parsed["request"], dict):
                self.messages = parsed["request"].get("messages") or []
            for i, step in enumerate(self.script["steps"]):
                try:
                    if self.how == "restored" and i:
                        self.save_and_restore()
                    self.run(step)
                except (Failed, sluice.Error, ValueError, KeyError) as failure:
                    raise Failed(f"step {i} {brief(step)[:200]}\n    {type(failure).__name__}: {failure}") from failure
            message = history = None
            if self.turn:
                self.poll()
                message, history = self.turn.get(sluice.GET_MESSAGE), self.turn.get(sluice.GET_HISTORY)
                self.check_end(message)
                self.turn.close()
            return merged_events(self.events, False), message, history

    def restore(self):
        state = self.turn.get(sluice.GET_STATE, raw=True)
        if state is None:
            raise Failed(f"no state to save: {brief(self.turn.get(sluice.GET_ERROR))}")
        self.turn.close()
        self.turn = self.engine.restore(state, check=False)

    def save_and_restore(self):
        """Where nothing runs: what ran would be unknown afterwards."""
        if self.turn and not self.running and self.turn.get(sluice.GET_MESSAGE, raw=True) is not None:
            self.restore()
            if self.resolved:
                self.poll()

    def asked_again(self, event):
        """A question, or a final answer, that still waits comes out again after a restore, and so does the question which
        arguments a call has: it is answered as before."""
        if self.how != "restored" or event["type"] not in ("approval", "final", "resolve"):
            return False
        question = {key: value for key, value in event.items() if key != "seq"}
        again = question in self.asked
        self.asked.append(question)
        return again

    def poll(self):
        self.polls += 1
        answered = False
        pieces = self.polling == "pieces" or self.polling == "in turns" and self.polls % 2
        for event in poll_pieces(self.turn, self.seq or 0) if pieces else self.turn.events():
            if self.done:
                raise Failed(f"an event after done: {brief(event)}")
            if not isinstance(event.get("seq"), int) or self.seq is not None and event["seq"] != self.seq + 1:
                raise Failed(f"seq does not follow {self.seq}: {brief(event)}")
            self.seq = event["seq"]
            if event["type"] == "done":
                self.done = event["outcome"]
            self.diagnosed |= event["type"] == "diagnostic"
            if event["type"] == "request":
                self.check_request(event)
            if event["type"] == "execute" and not event["detached"]:
                self.running.add(event["call"])
            if event["type"] == "card":
                if event.get("status", "executing") != "executing":
                    self.running.discard(event["call"])
            if self.asked_again(event):
                if event["type"] == "resolve" and event["call"] in self.resolved:
                    self.turn.resolve(event["call"], self.resolved[event["call"]])
                    answered = True
                continue
            self.events.append(event)
            self.pending.append(event)
        if answered:
            self.poll()

    def check_request(self, event):
        text = self.turn.get(sluice.GET_REQUEST, raw=True)
        if text is None:
            return  # the answer came before the event was polled
        if event.get("bytes") != len(text.encode()):
            raise Failed(f"the body has {len(text.encode())} bytes: {brief(event)}")
        messages = json.loads(text).get("messages", [])
        if self.wire == "openai-chat" and (why := invalid_messages(messages)):  # the others' rules: request_rules.cpp
            raise Failed(f"request: {why}\n    in {brief(messages)}")
        for message in messages:
            if "metadata" in message:
                raise Failed(f"metadata was sent: {brief(message)}")

    def check_history(self):
        history = self.turn.get(sluice.GET_HISTORY)
        if self.parser or history is None or self.done == "awaiting_user":
            return
        if why := invalid_history(self.messages, history):
            raise Failed(f"history: {why}\n    in {brief(history)}")

    def call(self, step, function, *arguments):
        code, detail = sluice.OK, None
        before = self.turn.get(sluice.GET_STATE, raw=True) if "code" in step else None
        try:
            returned = function(*arguments)
        except sluice.Error as error:
            code, detail, returned = error.code, error.detail, None
        if code != CODES[step.get("code", "ok")]:
            raise Failed(f"expected code {CODES[step.get('code', 'ok')]}, got {code} {brief(detail)}")
        if "code" in step and self.turn.get(sluice.GET_STATE, raw=True) != before:
            raise Failed("a verb that returns an error has changed something")
        return returned

    def run(self, step):
        if "expect" in step:
            return self.expect(step)
        if "get" in step:
            return self.get(step)
        data, turn = fed(step), self.turn
        verb, value = next(iter(step.items()))
        if data is not None:
            for piece in cuts(data, *self.cut):
                self.call(step, self.turn.feed, piece)
                if self.how == "polled":
                    self.poll()
                if self.how == "restored":
                    self.save_and_restore()
            if "answer" in step:
                self.call(step, self.turn.finish)
        elif verb == "response":
            self.call(step, turn.response, value, step.get("headers"))
        elif verb == "finish":
            self.call(step, turn.finish, number(value, ENDS), step.get("detail"))
        elif verb == "approve":
            decision = number(step.get("decision", "once"), DECISIONS) + (sluice.EXACT if step.get("exact") else 0)
            self.call(step, turn.approve, value, decision, step.get("edited"))
        elif verb in ("deny", "refuse", "cancel"):
            self.call(step, getattr(turn, verb), value, step.get("reason"))
        elif verb == "conclude":
            self.call(step, turn.conclude, number(value, FINALS), step.get("text"))
        elif verb == "resolve":
            self.call(step, turn.resolve, value, step.get("arguments"))
            if "code" not in step:
                self.resolved[value] = step.get("arguments")
        elif verb == "call":
            called = self.call(step, turn.call, value, {"name": step["name"], "arguments": step.get("arguments", {})})
            if "number" in step and called != step["number"]:
                raise Failed(f"the number of the call is {called}")
        elif verb == "judge":
            way = self.call(step, turn.judge, value, document_text(step["rules"]))
            if "way" in step and way != number(step["way"], WAYS):
                raise Failed(f"the gate says {way}")
        elif verb == "submit":
            kind, text = step.get("kind"), step.get("data", "")
            for name in KINDS.keys() & step.keys():
                kind = KINDS[name]
                text = dump(step[name]) if name in ("json", "parts", "rewritten") else step[name] * step.get("times", 1)
            self.call(step, turn.submit, value, text, kind)
        elif verb == "tick":
            deadline = self.call(step, turn.tick, value)
            if "next" in step and deadline != (sluice.NEVER if step["next"] == "never" else step["next"]):
                raise Failed(f"the next deadline is {deadline}")
        elif verb == "restore":
            if isinstance(value, dict):
                self.engine = sluice.Engine(document_text(value), check=False)
            self.restore()
        else:
            raise Failed(f"unknown verb {verb}")
        if self.how == "polled":
            self.poll()
            self.check_history()

    def get(self, step):
        what = step["get"]
        if what == "tool":
            text = self.turn.find_tool(step["name"], raw=True)
        else:
            text = self.engine.error(raw=True) if what == "engineError" else self.turn.get(DOCUMENTS[what], raw=True)
        value = None if text is None else json.loads(text)
        if "is" in step and (why := mismatch(step["is"], value)):
            raise Failed(f"{why}\n    in {brief(value)}")
        if "text" in step and (why := mismatch(step["text"], text)):
            raise Failed(why)

    def expect(self, step):
        self.poll()
        events, self.pending = self.pending, []
        patterns = step["expect"]
        beside = [event for event in events if event["type"] in ASIDE]
        for kind in ASIDE:
            if why := subsequence([p for p in patterns if p.get("type") == kind], beside, kind):
                raise Failed(f"{why}\n    in {brief(beside)}")
        for pattern in step.get("no", []):
            for event in events:
                if not mismatch(pattern, event):
                    raise Failed(f"this may not come: {brief(event)}")
        ordered = [p for p in patterns if p.get("type") not in ASIDE]
        arguments = any(p.get("type") == "args" for p in ordered)
        main = merged_events([e for e in events if e not in beside and (arguments or e["type"] != "args")], True)
        if step.get("some"):
            why = subsequence(ordered, main, "expect")
        else:
            pairs = [(ordered[i] if i < len(ordered) else ABSENT, main[i] if i < len(main) else ABSENT)
                     for i in range(max(len(ordered), len(main)))]
            why = next(filter(None, (f"unexpected event {brief(a)}" if p is ABSENT else mismatch(p, a, f"event {i}")
                                     for i, (p, a) in enumerate(pairs))), "")
        if why:
            raise Failed(f"{why}\n    in {brief(main)}\n    beside {brief(beside)}")

    def check_end(self, message):
        if not message or "blocks" not in message:
            return
        blocks = message["blocks"]
        if self.done and message.get("outcome") != self.done:
            raise Failed("the message's outcome is not that of done")
        texts, arguments, cards, told, retracted = {}, {}, {}, set(), set()
        newest = 0  # block
        for event in self.events:
            kind = event["type"]
            if kind == "retracted":
                retracted.add(event["round"])  # another text may stand in its place
            nested = kind == "card" and "parent" in event
            if nested:
                if "block" in event:
                    raise Failed(f"a nested card has no block: {brief(event)}")
                cards.setdefault(event["call"], {}).update(event)
            elif kind in ("text", "reasoning", "error", "card"):
                expected = "tool_use" if kind == "card" else kind
                if event["block"] >= len(blocks) or blocks[event["block"]]["type"] != expected:
                    raise Failed(f"no {expected} block for {brief(event)}\n    in {brief(message)}")
                if not (kind == "card" and event["call"] in cards) and event["block"] < newest:
                    raise Failed(f"block {newest} came before {brief(event)}")
                newest = max(newest, event["block"])
                if kind in ("text", "reasoning"):
                    texts[event["block"]] = texts.get(event["block"], "") + event["text"]
                    if blocks[event["block"]]["round"] in told - retracted:
                        raise Failed(f"text behind its round: {brief(event)}")
                if kind == "card":
                    cards.setdefault(event["call"], {}).update(event)
            elif kind == "args":
                arguments[event["call"]] = arguments.get(event["call"], "") + event["text"]
            elif kind == "round":
                told.add(event["round"])
            elif kind == "request":
                told.discard(event["round"])  # asked for again
        if self.done in ("completed", "limit") and len(told) != message["rounds"]:
            raise Failed(f"not every answer has its round: {brief(self.events)}")
        for i, block in enumerate(blocks):
            kind = block["type"]
            if kind in ("text", "reasoning") and texts.get(i) != block["text"]:
                raise Failed(f"joined {kind} events are not block {i}: {brief(texts.get(i))}\n    but {brief(block)}")
            if kind == "tool_use":
                self.check_card(block, cards, arguments)
        self.check_history()

    def check_card(self, block, cards, arguments):
        """Compares the events of a card, and of those within it, with the message."""
        call, status = block["call"], block["status"]
        if self.done and not self.parser and self.done != "awaiting_user" and status not in FINAL:
            raise Failed(f"not final after done: {brief(block)}")
        laid = {k: v for k, v in cards.get(call, {}).items() if k not in ("type", "seq", "block", "progress")}
        streamed = call in arguments or "rawArguments" not in laid
        if status != "streaming" and streamed and not self.diagnosed and arguments.get(call, "") != block.get("rawArguments", ""):
            raise Failed(f"joined args are not rawArguments: {brief(arguments.get(call, ABSENT))}\n    but {brief(block)}")
        rest = {k: v for k, v in block.items() if k not in ("type", "progress", "nested")}
        if "rawArguments" not in laid:
            rest.pop("rawArguments", None)
        if not equal(laid, rest):
            raise Failed(f"patches laid over each other: {brief(laid)}\n    but the block is {brief(rest)}")
        for nested in block.get("nested", []):
            self.check_card(nested, cards, arguments)


def can_be_saved_between(script):
    """Whether a replay may save and restore between the steps. A script that restores and resolves says itself what comes again after
    a restore, and what is answered then."""
    verbs = {verb for step in script["steps"] for verb in step}
    return not ("restore" in verbs and ("resolve" in verbs or "call" in verbs))


def run_script(script, restorable):
    """What went wrong; empty: nothing."""
    if not restorable and any("restore" in step for step in script["steps"]):
        return ""
    size = sum(len(fed(step) or b"") for step in script["steps"])
    replays = [("as written", "cut", (0, 0), "events"), ("as written, in pieces", "cut", (0, 0), "pieces")]
    if 0 < size <= BYTEWISE_LIMIT:
        replays.append(("byte by byte", "cut", (0, 1), "in turns"))
    if size:
        replays.append((f"random cuts, seed {SEED}", "cut", random_cut(SEED), "in turns"))
    if script.get("polls") != "as written":
        cut = (0, 1) if size <= BYTEWISE_LIMIT else random_cut(1)
        replays.append(("polled after every call", "polled", cut, "in turns"))
    if restorable and can_be_saved_between(script):
        replays.append(("saved and restored", "restored", restored_cut(size), "in turns"))
    first = None
    for name, how, cut, poll in replays:
        try:
            outcome = Player(script, how, cut, poll).play()
            first = first or outcome
            if not equal(outcome[1], first[1]):
                raise Failed(f"another message than as written: {brief(outcome[1])}\n    not {brief(first[1])}")
            if not equal(outcome[2], first[2]):
                raise Failed(f"another history than as written: {brief(outcome[2])}\n    not {brief(first[2])}")
            if how == "cut" and not equal(outcome[0], first[0]):
                raise Failed(f"other events than as written: {brief(outcome[0])}\n    not {brief(first[0])}")
        except Failed as failure:
            return f"{name}: {failure}"
    return ""


def can_restore():
    with sluice.Engine() as engine, engine.restore({}, check=False) as turn:
        try:
            turn.feed(b"")
        except sluice.Error as error:
            return error.code != sluice.E_UNSUPPORTED
        return True
