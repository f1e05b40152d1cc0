"""Writes down, in lines of the driver protocol (README.md), what the Python binding asks of the library and what the library answers.

    python3 transcript.py folder

It stands between the binding and the library, so that whatever replays scripts in Python writes a transcript of them.
"""

import ctypes
import json
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS.parent / "bindings" / "python"), str(TESTS / "python")]
import sluice  # noqa: E402
from script_files import script_files  # noqa: E402
from script_runner import Player, can_be_saved_between, random_cut  # noqa: E402
from sluice import _library  # noqa: E402

DOCUMENTS = {sluice.GET_REQUEST: "request", sluice.GET_MESSAGE: "message", sluice.GET_HISTORY: "history", sluice.GET_TOOLS: "tools",
             sluice.GET_PROMPT: "prompt", sluice.GET_STATE: "state", sluice.GET_ERROR: "error"}
TEXTS = {"deny": "reason", "refuse": "reason", "cancel": "reason", "judge": "rules", "resolve": "arguments", "call": "document"}  # of verbs (call, text)


def line(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"


def failure(text):
    error = json.loads(text)
    return {"code": error["code"], "name": error["name"], "message": error["message"], "path": error.get("path", "")}


class Transcript:
    def __init__(self, lines, answers):
        self._lines, self._answers = lines, answers  # files
        self._native = sluice.load(sluice.library_path())
        self._numbers, self._last = {}, 0  # pointer: the number in the protocol; a bad engine or turn has none
        self._polled, self._polled_of = [], None  # what was polled of a turn, and waits to be written as one poll
        self._saved = None

    def __enter__(self):
        self._before, _library._library = _library._library, self
        return self

    def __exit__(self, *_):
        self._write_polled()
        _library._library = self._before

    # -- the functions of the library, as the binding calls them ------------------------------------------------------------

    def __getattr__(self, name):
        verb = name.removeprefix("sluice_turn_")
        native = getattr(self._native, name)
        own = getattr(self, f"_{name.removeprefix('sluice_')}", None)
        return (lambda *given: own(native, *given)) if own else lambda turn, *given: self._verb(verb, native, turn, given)

    def _version(self, native):
        return native()

    def _engine_new(self, native, config, size):
        engine = native(config, size)
        self._made(engine, {"do": "engine", "document": config.decode()}, "engine", self._text(self._native.sluice_engine_error, engine))
        return engine

    def _engine_error(self, native, engine, length):
        return native(engine, length)  # told when the engine was made

    def _engine_free(self, native, engine):
        self._close(engine, "engine")
        native(engine)

    def _turn_new(self, native, engine, config, size):
        turn = native(engine, config, size)
        self._made_turn(turn, engine, {"do": "turn", "document": config.decode()})
        return turn

    def _turn_restore(self, native, engine, state, size):
        turn = native(engine, state, size)
        self._made_turn(turn, engine, {"do": "restore"} if state == self._saved else {"do": "restore", "document": state.decode()})
        return turn

    def _turn_free(self, native, turn):
        self._close(turn, "turn")
        native(turn)

    def _turn_next_event(self, native, turn, length):
        event = native(turn, length)
        if self._polling(turn):
            self._polled.append(("next", ctypes.string_at(event, length.value).decode() if event else None))
            if not event:
                self._write_whole_poll()
        return event

    def _turn_next_delta(self, native, turn, kind, index, length):
        text = native(turn, kind, index, length)
        if self._polling(turn):
            self._polled.append(("next_delta", [kind.value, index.value, ctypes.string_at(text, length.value).decode()] if text else None))
        return text

    def _turn_find_tool(self, native, turn, name, size, length):
        return self._document(turn, {"do": "find_tool", "name": name.decode()}, native(turn, name, size, length), length)

    def _turn_get(self, native, turn, what, length):
        text = native(turn, what, length)
        if what == sluice.GET_STATE and text:
            self._saved = ctypes.string_at(text, length.value)
        return self._document(turn, {"do": "get", "what": DOCUMENTS[what]}, text, length)

    def _turn_tick(self, native, turn, now):
        deadline = native(turn, now)
        self._done(turn, {"do": "tick", "now": now}, deadline, {"next": None if deadline == sluice.NEVER else deadline})
        return deadline

    def _verb(self, verb, native, turn, given):
        code = native(turn, *given)
        asked, extra = {"do": verb}, {"way": code} if verb == "judge" else {"number": code} if verb == "call" else {}
        *numbers, text, _ = given
        if verb == "feed":
            asked["bytes"] = text.hex()
        else:
            names = {"response": ["status", "headers"], "finish": ["how", "detail"], "approve": ["call", "decision", "edited"],
                     "submit": ["call", "kind", "data"], "conclude": ["how", "text"]}.get(verb) or ["call", TEXTS[verb]]
            asked |= dict(zip(names, numbers)) | ({} if text is None else {names[-1]: text.decode()})
        self._done(turn, asked, code, extra)
        return code

    # -- the lines ----------------------------------------------------------------------------------------------------------

    def _made(self, pointer, asked, kind, error):
        self._last += 1
        self._numbers[pointer] = None if error else self._last
        self._write({**asked, kind: self._last}, failure(error) if error else {"code": 0})

    def _made_turn(self, turn, engine, asked):
        self._numbers.pop(turn, None)  # the address of one that was freed
        if self._numbers[engine]:
            self._made(turn, {**asked, "engine": self._numbers[engine]}, "turn", self._text(self._native.sluice_turn_get, turn, sluice.GET_ERROR))

    def _close(self, pointer, kind):
        number = self._numbers.pop(pointer, None)
        if number:
            self._write({"do": "close", kind: number}, {"code": 0})

    def _document(self, turn, asked, pointer, length):
        number = self._numbers.get(turn)
        if number:
            self._write({**asked, "turn": number}, {"code": 0, "text": ctypes.string_at(pointer, length.value).decode() if pointer else None})
        return pointer

    def _done(self, turn, asked, code, extra):
        number = self._numbers.get(turn)
        if number:
            answer = {"code": 0, **extra} if code >= 0 else failure(self._text(self._native.sluice_turn_get, turn, sluice.GET_ERROR))
            self._write({**asked, "turn": number}, answer)

    def _text(self, native, *given):
        length = ctypes.c_size_t()
        pointer = native(*given, length)
        return ctypes.string_at(pointer, length.value).decode() if pointer else None

    def _polling(self, turn):
        """Whether what is polled of this turn is written: it waits with what was polled just before."""
        number = self._numbers.get(turn)
        if number and self._polled_of != number:
            self._write_polled()
            self._polled_of = number
        return number

    def _write_whole_poll(self):
        """A poll to its end, by the verb that does all of it."""
        polled, self._polled = self._polled, []
        verb = "pieces" if any(do == "next_delta" for do, _ in polled) else "events"
        self._write({"do": verb, "turn": self._polled_of}, {"code": 0, verb: [told for _, told in polled if told is not None]})

    def _write_polled(self):
        """A poll that something else came between, call by call."""
        polled, self._polled = self._polled, []
        for do, told in polled:
            self._lines.write(line({"do": do, "turn": self._polled_of}))
            self._answers.write(line({"code": 0, "text" if do == "next" else "delta": told}))
        self._polled_of = None

    def _write(self, asked, answer):
        self._write_polled()
        self._lines.write(line(asked))
        self._answers.write(line(answer))


def write(folder):
    """Replays every script, and writes `lines` and `answers` into the folder."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lines", "w", encoding="utf-8", newline="\n") as lines, open(folder / "answers", "w", encoding="utf-8", newline="\n") as answers, \
            Transcript(lines, answers):
        for one in script_files():
            script = one.script
            replays = [("cut", (0, 0), "events"), ("cut", random_cut(1), "pieces")]
            if can_be_saved_between(script):
                replays.append(("restored", (0, 0), "in turns"))
            if script.get("polls") != "as written":
                replays.append(("polled", random_cut(2), "in turns"))
            for how, cut, poll in replays:
                try:
                    Player(script, how, cut, poll).play()
                except Exception as failure:
                    raise AssertionError(f"{one.place}, {how}: {failure}") from failure


if __name__ == "__main__":
    write(sys.argv[1])
