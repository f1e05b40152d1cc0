"""Sluice for Python: sluice.h spelled in ctypes.

    with Engine({"tools": [...]}) as engine, engine.turn({"wire": "openai-chat", "request": {...}}) as turn:
        for event in turn.events(): ...

The rules are those of sluice.h: after every call that changes a turn, drain `events()`. Documents go in as dicts (or as str/bytes,
passed as they stand) and come out parsed; `raw=True` gives the text instead (big integers and key order survive in either).
A negative return code raises `Error`, an argument of the wrong type TypeError, one out of range ValueError. A turn belongs to one thread at a time.
"""

import ctypes
import json
import math
import os
from pathlib import Path
from typing import NamedTuple

OK, E_ARGUMENT, E_STATE, E_NOT_FOUND, E_JSON, E_LIMIT, E_UNSUPPORTED = 0, -1, -2, -3, -4, -5, -6
E_MEMORY, E_INTERNAL = -100, -101
END_COMPLETE, END_NETWORK, END_ABORTED, END_RETRY, END_HOOK = range(5)
ONCE, TURN, SESSION, ALWAYS, RELEASE, EXACT = 0, 1, 2, 3, 4, 256
GATE_RUN, GATE_ASK, GATE_DENY = 0, 1, 2
FINAL_ACCEPT, FINAL_RETRY, FINAL_REPLACE = range(3)
DELTA_NONE, DELTA_TEXT, DELTA_REASONING, DELTA_ARGS, DELTA_PROGRESS, DELTA_EVENT, DELTA_TASK = range(7)
RESULT, RESULT_JSON, RESULT_PARTS, FAILURE, PROGRESS, REWRITTEN = range(6)
GET_REQUEST, GET_MESSAGE, GET_HISTORY, GET_TOOLS, GET_PROMPT, GET_STATE, GET_ERROR = range(1, 8)
NEVER = 2**63 - 1  # tick returns it if there is no deadline

_P, _S, _N, _I, _U, _T = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int32, ctypes.c_uint32, ctypes.c_int64
_LEN = ctypes.POINTER(_N)
FUNCTIONS = {  # name: (result, arguments), as in sluice.h
    "sluice_version": (_U, []),
    "sluice_engine_new": (_P, [_S, _N]),
    "sluice_engine_error": (_P, [_P, _LEN]),  # not c_char_p: ctypes would copy up to the first NUL, without the length
    "sluice_engine_free": (None, [_P]),
    "sluice_turn_new": (_P, [_P, _S, _N]),
    "sluice_turn_restore": (_P, [_P, _S, _N]),
    "sluice_turn_free": (None, [_P]),
    "sluice_turn_response": (_I, [_P, _I, _S, _N]),
    "sluice_turn_feed": (_I, [_P, _S, _N]),
    "sluice_turn_finish": (_I, [_P, _I, _S, _N]),
    "sluice_turn_approve": (_I, [_P, _U, _I, _S, _N]),
    "sluice_turn_deny": (_I, [_P, _U, _S, _N]),
    "sluice_turn_refuse": (_I, [_P, _U, _S, _N]),
    "sluice_turn_judge": (_I, [_P, _U, _S, _N]),
    "sluice_turn_conclude": (_I, [_P, _I, _S, _N]),
    "sluice_turn_cancel": (_I, [_P, _U, _S, _N]),
    "sluice_turn_submit": (_I, [_P, _U, _I, _S, _N]),
    "sluice_turn_resolve": (_I, [_P, _U, _S, _N]),
    "sluice_turn_tick": (_T, [_P, _T]),
    "sluice_turn_next_event": (_P, [_P, _LEN]),
    "sluice_turn_next_delta": (_P, [_P, ctypes.POINTER(_I), ctypes.POINTER(_U), _LEN]),
    "sluice_turn_find_tool": (_P, [_P, _S, _N, _LEN]),
    "sluice_turn_get": (_P, [_P, _I, _LEN]),
}


class Delta(NamedTuple):
    """A piece of text, as `next_delta` gives it."""

    kind: int  #: DELTA_TEXT, DELTA_REASONING, DELTA_ARGS or DELTA_PROGRESS
    index: int  #: the block of text and reasoning, the call of arguments and progress
    text: str


def library_path():
    """$SLUICE_LIBRARY, or the release build of the checkout this file is in."""
    return os.environ.get("SLUICE_LIBRARY") or str(Path(__file__).resolve().parents[2] / "build" / "release" / "libsluice.so")


def load(path):
    """Loads the library and declares every function. OSError says how to get one."""
    try:
        library = ctypes.CDLL(path)
    except OSError as error:
        raise OSError(f"{error}\nSluice's library is not at {path}: build it (npm run build), or name it in SLUICE_LIBRARY") from error
    for name, (result, arguments) in FUNCTIONS.items():
        function = getattr(library, name, None)
        if function is None:
            raise OSError(f"{path} has no {name}: it is no library of Sluice, or one of another version")
        function.restype, function.argtypes = result, arguments
    return library


_library = None


def library():
    global _library
    if _library is None:
        _library = load(library_path())
    return _library


class Error(Exception):
    """A mistake of the host: `code`, and `detail` as {code, name, message, path}."""

    def __init__(self, code, detail):
        detail = detail or {}
        where = f" ({detail['path']})" if detail.get("path") else ""
        super().__init__(f"{detail.get('name', code)}: {detail.get('message', 'no detail')}{where}")
        self.code, self.detail = code, detail


def _in(value):
    """Encodes a document, or takes text as it is, for a function that takes bytes and their length."""
    if value is not None and not isinstance(value, (bytes, bytearray, memoryview, str)):
        value = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _text(value, "text")


def _text(value, name):
    """Takes bytes or text, and no value that would have to become JSON first."""
    if isinstance(value, str):
        value = value.encode("utf-8", "surrogatepass")
    elif isinstance(value, (bytearray, memoryview)):
        value = bytes(value)
    elif value is not None and not isinstance(value, bytes):
        raise TypeError(f"{name}: found {value!r:.60}, expected bytes or str")
    return value, len(value) if value is not None else 0


def _whole(value, name, least, most):
    """Checks a number against its C type: ctypes would cut off high bits, so that 2**32 would mean call 0, which is every call."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name}: found {value!r:.60}, expected an int")
    if not least <= value <= most:
        raise ValueError(f"{name}: found {value}, expected {least} to {most}")
    return value


def _call_number(call):
    """The number of a call: from an event of the call, or the number itself."""
    return _whole(call["call"] if isinstance(call, dict) and "call" in call else call, "call", 0, 2**32 - 1)


def _int32(value, name):
    return _whole(value, name, -(2**31), 2**31 - 1)


def _out(pointer, length, raw):
    if not pointer:
        return None
    text = ctypes.string_at(pointer, length.value).decode("utf-8")
    return text if raw else _parsed(text)


def _parsed(text):
    return json.loads(text, parse_int=_integer, parse_float=_float)


def _integer(digits):
    try:
        return int(digits)
    except ValueError:  # Python reads at most some 4,300 digits
        raise _too_large(digits) from None


def _float(digits):
    value = float(digits)
    if math.isinf(value):
        raise _too_large(digits)
    return value


def _too_large(digits):
    return ValueError(f"a number is too large for Python: {digits if len(digits) <= 20 else digits[:20] + '…'}; raw=True gives the text")


def version():
    """(major, minor, patch)"""
    number = library().sluice_version()
    return number >> 16, number >> 8 & 0xFF, number & 0xFF


class _Handle:
    _free = ""

    def __init__(self, pointer):
        self._pointer = pointer
        if not pointer:
            raise MemoryError

    @property
    def _open(self):
        """The native handle. Raises ValueError if it is closed."""
        if not self._pointer:
            raise ValueError(f"this {type(self).__name__} was closed")
        return self._pointer

    def close(self):
        """Frees the native memory. May be called twice."""
        pointer, self._pointer = getattr(self, "_pointer", None), None
        if pointer:
            getattr(library(), self._free)(pointer)

    __del__ = close

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Engine(_Handle):
    _free = "sluice_engine_free"

    def __init__(self, config=None, check=True):
        """Raises Error if the configuration is not accepted; with check=False call `error()` to find out."""
        super().__init__(library().sluice_engine_new(*_in({} if config is None else config)))
        if check and (error := self.error()):
            self.close()
            raise Error(error["code"], error)

    def error(self, raw=False):
        """Why the engine is unusable, as {code, name, message, path}; None if it is usable."""
        length = _N()
        return _out(library().sluice_engine_error(self._open, length), length, raw)

    def turn(self, config, check=True):
        """Makes a turn. Raises Error if the configuration is not accepted; with check=False every call on the turn raises it."""
        return self._turn("sluice_turn_new", config, check)

    def restore(self, state, check=True):
        """Restores the turn from a state of `get(GET_STATE)`. Raises Error like `turn`."""
        return self._turn("sluice_turn_restore", state, check)

    def _turn(self, make, document, check):
        turn = Turn(getattr(library(), make)(self._open, *_in(document)))
        if check and (error := turn.get(GET_ERROR)):
            turn.close()
            raise Error(error["code"], error)
        return turn


class Turn(_Handle):
    _free = "sluice_turn_free"
    _unread = None  # an event that was polled, but could not be given out

    def _call(self, name, *arguments):
        code = getattr(library(), name)(self._open, *arguments)
        if code < 0:
            raise Error(code, self.get(GET_ERROR))
        return code

    # -- what came from the network
    def response(self, status, headers=None):
        self._call("sluice_turn_response", _int32(status, "status"), *_in(headers))

    def feed(self, data):
        """Feeds bytes of the answer's body (or str), cut anywhere."""
        self._call("sluice_turn_feed", *_text(data, "data"))

    def finish(self, how=END_COMPLETE, detail=None):
        self._call("sluice_turn_finish", _int32(how, "how"), *_text(detail, "detail"))

    # -- what came from the user: `call` is an event of the call, or its number; 0 stands for all
    def approve(self, call=0, decision=ONCE, edited=None):
        self._call("sluice_turn_approve", _call_number(call), _int32(decision, "decision"), *_in(edited))

    def deny(self, call, reason=None):
        self._call("sluice_turn_deny", _call_number(call), *_text(reason, "reason"))

    def refuse(self, call, reason=None):
        """Denies on behalf of the host, not the user: the record and the text for the model say "policy"."""
        self._call("sluice_turn_refuse", _call_number(call), *_text(reason, "reason"))

    def judge(self, call, rules):
        """Judges a call by these rules: GATE_RUN, GATE_ASK or GATE_DENY. Changes nothing."""
        return self._call("sluice_turn_judge", _call_number(call), *_in(rules))

    def conclude(self, how=FINAL_ACCEPT, text=None):
        """What becomes of the answer of a "final" event; with FINAL_RETRY and FINAL_REPLACE `text` says what is told, or stands in its place."""
        self._call("sluice_turn_conclude", _int32(how, "how"), *_text(text, "text"))

    def cancel(self, call=0, reason=None):
        self._call("sluice_turn_cancel", _call_number(call), *_text(reason, "reason"))

    # -- what came from a tool
    def submit(self, call, data, kind=RESULT):
        self._call("sluice_turn_submit", _call_number(call), _int32(kind, "kind"), *_in(data))

    def resolve(self, call, arguments):
        """The arguments that the host runs a call with, where it resolves what the model wrote: before its result is submitted."""
        self._call("sluice_turn_resolve", _call_number(call), *_in(arguments))

    # -- what came from the clock
    def tick(self, now_ms):
        return self._call("sluice_turn_tick", _whole(now_ms, "now_ms", -(2**63), 2**63 - 1))

    # -- what comes out
    def next_event(self, raw=False):
        """Returns the next event, or None. An event that Python cannot hold (RecursionError: too deep; ValueError: 1e999) is not lost: the next call
        returns it again, and raw=True gives its text."""
        length = _N()
        if self._unread is None:
            self._unread = _out(library().sluice_turn_next_event(self._open, length), length, True)
        event = self._unread if raw or self._unread is None else _parsed(self._unread)
        self._unread = None
        return event

    def events(self, raw=False):
        """Returns every waiting event."""
        while (event := self.next_event(raw)) is not None:
            yield event

    def next_delta(self):
        """Returns the next event as a Delta if it is a piece of text, which is told without JSON; else None: ask `next_event`. Text with a mark (refusal,
        fabricated) is such another event."""
        if self._unread is not None:
            return None
        kind, index, length = _I(), _U(), _N()
        text = _out(library().sluice_turn_next_delta(self._open, kind, index, length), length, True)
        return None if text is None else Delta(kind.value, index.value, text)

    def pieces(self):
        """Returns every waiting event in order: pieces of text as Delta, which is faster than JSON, any other as `next_event` gives it."""
        while (piece := self.next_delta() or self.next_event()) is not None:
            yield piece

    def find_tool(self, name, raw=False):
        """The tool that a model means by this name, as {"tool": ...}, or the nearest names, as {"near": [...]}."""
        length = _N()
        return _out(library().sluice_turn_find_tool(self._open, *_text(name, "name"), length), length, raw)

    def get(self, what, raw=False):
        length = _N()
        return _out(library().sluice_turn_get(self._open, _whole(what, "what", GET_REQUEST, GET_ERROR), length), length, raw)
