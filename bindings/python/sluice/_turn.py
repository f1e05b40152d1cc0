"""Engines and turns: what a host calls, and what comes out."""

from __future__ import annotations

import ctypes
import json
import math
from types import TracebackType
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Tuple, Type, TypeVar, Union

from ._library import _I, _N, _U, END_COMPLETE, FINAL_ACCEPT, GET_ERROR, GET_REQUEST, NEVER, ONCE, RESULT, library

#: Text that is handed over as it stands.
Text = Union[str, bytes, bytearray, memoryview]
#: A document: a value that becomes JSON, or JSON text.
Document = Union[Text, Mapping[str, Any], List[Any]]
#: An event: {"type": ..., "seq": ...} and members by its type. Types and members may be added: ignore what you do not know.
Event = Dict[str, Any]
#: A call: its number, or an event of it.
Call = Union[int, Mapping[str, Any]]

_Self = TypeVar("_Self", bound="_Handle")


class Delta(NamedTuple):
    """A piece of text, as `next_delta` gives it."""

    kind: int  #: DELTA_TEXT, DELTA_REASONING, DELTA_ARGS or DELTA_PROGRESS
    index: int  #: the block of text and reasoning, the call of arguments and progress
    text: str


class Error(Exception):
    """A mistake of the host. `code` is one of E_*, `detail` has {code, name, message, path}."""

    def __init__(self, code: int, detail: Optional[Dict[str, Any]]):
        detail = detail or {}
        where = f" ({detail['path']})" if detail.get("path") else ""
        super().__init__(f"{detail.get('name', code)}: {detail.get('message', 'no detail')}{where}")
        self.code, self.detail = code, detail


def _in(value: Any) -> Tuple[Optional[bytes], int]:
    """Encodes a document, or takes text as it is, for a function that takes bytes and their length."""
    if value is not None and not isinstance(value, (bytes, bytearray, memoryview, str)):
        value = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _text(value, "text")


def _text(value: Any, name: str) -> Tuple[Optional[bytes], int]:
    """Takes bytes or text, and no value that would have to become JSON first."""
    if isinstance(value, str):
        value = value.encode("utf-8", "surrogatepass")
    elif isinstance(value, (bytearray, memoryview)):
        value = bytes(value)
    elif value is not None and not isinstance(value, bytes):
        raise TypeError(f"{name}: found {value!r:.60}, expected bytes or str")
    return value, len(value) if value is not None else 0


def _whole(value: Any, name: str, least: int, most: int) -> int:
    """Checks a number against its C type: ctypes would cut off high bits, so that 2**32 would mean call 0, which is every call."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name}: found {value!r:.60}, expected an int")
    if not least <= value <= most:
        raise ValueError(f"{name}: found {value}, expected {least} to {most}")
    return value


def _call_number(call: Any) -> int:
    """The number of a call: from an event of the call, or the number itself."""
    return _whole(call["call"] if isinstance(call, dict) and "call" in call else call, "call", 0, 2**32 - 1)


def _int32(value: Any, name: str) -> int:
    return _whole(value, name, -(2**31), 2**31 - 1)


def _out(pointer: Any, length: Any, raw: bool) -> Any:
    if not pointer:
        return None
    text = ctypes.string_at(pointer, length.value).decode("utf-8")
    return text if raw else _parsed(text)


def _parsed(text: str) -> Any:
    return json.loads(text, parse_int=_integer, parse_float=_float)


def _integer(digits: str) -> int:
    try:
        return int(digits)
    except ValueError:  # Python reads at most some 4,300 digits
        raise _too_large(digits) from None


def _float(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise _too_large(digits)
    return value


def _too_large(digits: str) -> ValueError:
    return ValueError(f"a number is too large for Python: {digits if len(digits) <= 20 else digits[:20] + '…'}; raw=True gives the text")


def version() -> Tuple[int, int, int]:
    """The library's version: (major, minor, patch)."""
    number = library().sluice_version()
    return number >> 16, number >> 8 & 0xFF, number & 0xFF


class _Handle:
    _free = ""

    def __init__(self, pointer: Optional[int]):
        self._pointer = pointer
        if not pointer:
            raise MemoryError

    @property
    def _open(self) -> int:
        """The native handle. Raises ValueError if it is closed."""
        if not self._pointer:
            raise ValueError(f"this {type(self).__name__} was closed")
        return self._pointer

    def close(self) -> None:
        """Frees the native memory. May be called twice."""
        pointer, self._pointer = getattr(self, "_pointer", None), None
        if pointer:
            getattr(library(), self._free)(pointer)

    __del__ = close

    def __enter__(self: _Self) -> _Self:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self.close()


class Engine(_Handle):
    """Tools and defaults, compiled once. Immutable: threads may share it. Closing it leaves its turns alive."""

    _free = "sluice_engine_free"

    def __init__(self, config: Optional[Document] = None, check: bool = True):
        """`config`: {"tools": [...], "protocols": [...], and defaults for every turn}. Raises Error if it is not accepted; with check=False call
        `error()` to find out."""
        super().__init__(library().sluice_engine_new(*_in({} if config is None else config)))
        if check and (error := self.error()):
            self.close()
            raise Error(error["code"], error)

    def error(self, raw: bool = False) -> Any:
        """Why the engine is unusable, as {code, name, message, path}; None if it is usable."""
        length = _N()
        return _out(library().sluice_engine_error(self._open, length), length, raw)

    def turn(self, config: Optional[Document], check: bool = True) -> Turn:
        """Makes a turn from {"wire": ..., "request": {...}, and members that replace the engine's defaults}. Raises Error if the configuration is not
        accepted; with check=False every call on the turn raises it."""
        return self._turn("sluice_turn_new", config, check)

    def restore(self, state: Optional[Document], check: bool = True) -> Turn:
        """Restores the turn from a state of `get(GET_STATE)`. Accept states only from sources from which you would accept code. Raises Error like `turn`."""
        return self._turn("sluice_turn_restore", state, check)

    def _turn(self, make: str, document: Optional[Document], check: bool) -> Turn:
        turn = Turn(getattr(library(), make)(self._open, *_in(document)))
        if check and (error := turn.get(GET_ERROR)):
            turn.close()
            raise Error(error["code"], error)
        return turn


class Turn(_Handle):
    """One input of the user, one message of the assistant: `Engine.turn` makes it. One thread at a time, any thread. After every call that changes the
    turn, drain `events()`. A `call` is the number of a call, or an event of it. Every method may raise Error."""

    _free = "sluice_turn_free"
    _unread: Optional[str] = None  # an event that was polled, but could not be given out
    _changed: Optional[Callable[[], None]] = None  # whoever waits for events, after every call that may bring some

    def _call(self, name: str, *arguments: Any) -> int:
        code: int = getattr(library(), name)(self._open, *arguments)
        if self._changed:
            self._changed()
        if code < 0:
            raise Error(code, self.get(GET_ERROR))
        return code

    # -- what came from the network
    def response(self, status: int, headers: Optional[Document] = None) -> None:
        """Gives the HTTP status, and the headers as {"lower-case name": "value"}. Optional: without it the status is 200."""
        self._call("sluice_turn_response", _int32(status, "status"), *_in(headers))

    def feed(self, data: Text) -> None:
        """Feeds bytes of the answer's body (or str), cut anywhere."""
        self._call("sluice_turn_feed", *_text(data, "data"))

    def finish(self, how: int = END_COMPLETE, detail: Optional[Text] = None) -> None:
        """Ends the answer: END_*. `detail`: the network's error, for example."""
        self._call("sluice_turn_finish", _int32(how, "how"), *_text(detail, "detail"))

    # -- what came from the user
    def approve(self, call: Call = 0, decision: int = ONCE, edited: Optional[Document] = None) -> None:
        """Lets a call run, or releases its result: ONCE to RELEASE, + EXACT. `edited`: arguments that replace the model's. Call 0: every call that waits
        for execution and whose event was polled."""
        self._call("sluice_turn_approve", _call_number(call), _int32(decision, "decision"), *_in(edited))

    def deny(self, call: Call, reason: Optional[Text] = None) -> None:
        """Denies what a call waits for. `reason`: text for the model."""
        self._call("sluice_turn_deny", _call_number(call), *_text(reason, "reason"))

    def refuse(self, call: Call, reason: Optional[Text] = None) -> None:
        """Denies on behalf of the host, not the user: the record and the text for the model say "policy"."""
        self._call("sluice_turn_refuse", _call_number(call), *_text(reason, "reason"))

    def judge(self, call: Call, rules: Document) -> int:
        """Judges a call by these rules: GATE_RUN, GATE_ASK or GATE_DENY. Changes nothing."""
        return self._call("sluice_turn_judge", _call_number(call), *_in(rules))

    def conclude(self, how: int = FINAL_ACCEPT, text: Optional[Text] = None) -> None:
        """Accepts, returns or replaces the answer of a "final" event. FINAL_RETRY: the model reads `text` and answers again, with
        + FINAL_SYSTEM in a system message. FINAL_REPLACE: `text` becomes the answer."""
        self._call("sluice_turn_conclude", _int32(how, "how"), *_text(text, "text"))

    def cancel(self, call: Call = 0, reason: Optional[Text] = None) -> None:
        """Cancels a call, or with 0 the turn."""
        self._call("sluice_turn_cancel", _call_number(call), *_text(reason, "reason"))

    # -- what came from a tool
    def submit(self, call: Call, data: Any, kind: int = RESULT) -> None:
        """Gives the result, failure or progress of a call whose "execute" event was polled: RESULT to REWRITTEN. What is no text becomes JSON."""
        self._call("sluice_turn_submit", _call_number(call), _int32(kind, "kind"), *_in(data))

    def resolve(self, call: Call, arguments: Optional[Document] = None) -> None:
        """The arguments that the host runs a call with, where it resolves what the model wrote; None: as they are. Behind a "resolve" event, or before the result is submitted."""
        self._call("sluice_turn_resolve", _call_number(call), *_in(arguments))

    def call(self, caller: Call, call: Document) -> int:
        """A tool that runs calls another one, through the same gate: {"name": ..., "arguments": {...}}. Returns the number of the new call,
        whose card event says how it ended."""
        return self._call("sluice_turn_call", _call_number(caller), *_in(call))

    # -- what came from the clock
    def tick(self, now_ms: int) -> int:
        """Tells the time in Unix milliseconds: before feed, submit and approve. Returns when to call again at the latest; NEVER if there is no deadline."""
        return self._call("sluice_turn_tick", _whole(now_ms, "now_ms", -(2**63), NEVER))

    # -- what comes out
    def next_event(self, raw: bool = False) -> Any:
        """Returns the next event, or None. An event that Python cannot hold (RecursionError: too deep; ValueError: 1e999) is not lost: the next call
        returns it again, and raw=True gives its text."""
        length = _N()
        if self._unread is None:
            self._unread = _out(library().sluice_turn_next_event(self._open, length), length, True)
        event = self._unread if raw or self._unread is None else _parsed(self._unread)
        self._unread = None
        return event

    def events(self, raw: bool = False) -> Iterator[Any]:
        """Returns every waiting event: an Event each, or its text with raw=True."""
        while (event := self.next_event(raw)) is not None:
            yield event

    def next_delta(self) -> Optional[Delta]:
        """Returns the next event as a Delta if it is a piece of text, which is told without JSON; else None: ask `next_event`. Text with a mark (refusal,
        fabricated, phase) is such another event."""
        if self._unread is not None:
            return None
        kind, index, length = _I(), _U(), _N()
        text = _out(library().sluice_turn_next_delta(self._open, kind, index, length), length, True)
        return None if text is None else Delta(kind.value, index.value, text)

    def pieces(self, raw: bool = False) -> Iterator[Any]:
        """Returns every waiting event in order: pieces of text as Delta, which is faster than JSON, any other as `next_event` gives it."""
        while (piece := self.next_delta() or self.next_event(raw)) is not None:
            yield piece

    def find_tool(self, name: Text, raw: bool = False) -> Any:
        """The tool that a model means by this name, as {"tool": ...}, or the nearest names, as {"suggestions": [...]}."""
        length = _N()
        return _out(library().sluice_turn_find_tool(self._open, *_text(name, "name"), length), length, raw)

    def get(self, what: int, raw: bool = False) -> Any:
        """Returns a document about the turn: GET_*. None if there is none. raw=True gives the text: big integers and key order survive in it."""
        length = _N()
        return _out(library().sluice_turn_get(self._open, _whole(what, "what", GET_REQUEST, GET_ERROR), length), length, raw)
