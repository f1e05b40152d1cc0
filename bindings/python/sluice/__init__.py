"""Sluice for Python: one LLM turn as one unbroken message.

    with Engine({"tools": [...]}) as engine, engine.turn({"wire": "openai-chat", "request": {...}}) as turn:
        for event in turn.events(): ...

The rules are those of sluice.h: after every call that changes a turn, drain `events()`. Documents go in as dicts (or as str/bytes,
passed as they stand) and come out parsed; `raw=True` gives the text instead (big integers and key order survive in either).
A negative return code raises `Error`, an argument of the wrong type TypeError, one out of range ValueError. A turn belongs to one thread at a time.
`run()` does all of it in asyncio, by an HTTP client of yours.
"""

from ._library import (
    ALWAYS, DELTA_ARGS, DELTA_EVENT, DELTA_NONE, DELTA_PROGRESS, DELTA_REASONING, DELTA_TASK, DELTA_TEXT, END_ABORTED, END_COMPLETE, END_FALLBACK,
    END_HOOK, END_NETWORK, END_RETRY, E_ARGUMENT, E_INTERNAL, E_JSON, E_LIMIT, E_MEMORY, E_NOT_FOUND, E_STATE, E_UNSUPPORTED, EXACT, FAILURE,
    FINAL_ACCEPT, FINAL_REPLACE, FINAL_RETRY, FINAL_SYSTEM, FUNCTIONS, GATE_ASK, GATE_DENY, GATE_RUN, GET_ERROR, GET_HISTORY, GET_MESSAGE, GET_PROMPT, GET_REQUEST,
    GET_STATE, GET_TOOLS, NEVER, OK, ONCE, PROGRESS, RELEASE, RESULT, RESULT_JSON, RESULT_PARTS, REWRITTEN, SESSION, TURN, library, library_path,
    load,
)
from ._run import Approve, Deny, Send, Tool, run
from ._turn import Call, Delta, Document, Engine, Error, Event, Text, Turn, version

__all__ = [
    "ALWAYS", "DELTA_ARGS", "DELTA_EVENT", "DELTA_NONE", "DELTA_PROGRESS", "DELTA_REASONING", "DELTA_TASK", "DELTA_TEXT", "END_ABORTED",
    "END_COMPLETE", "END_FALLBACK", "END_HOOK", "END_NETWORK", "END_RETRY", "EXACT", "E_ARGUMENT", "E_INTERNAL", "E_JSON", "E_LIMIT", "E_MEMORY",
    "E_NOT_FOUND", "E_STATE", "E_UNSUPPORTED", "FAILURE", "FINAL_ACCEPT", "FINAL_REPLACE", "FINAL_RETRY", "FINAL_SYSTEM", "FUNCTIONS", "GATE_ASK", "GATE_DENY",
    "GATE_RUN", "GET_ERROR", "GET_HISTORY", "GET_MESSAGE", "GET_PROMPT", "GET_REQUEST", "GET_STATE", "GET_TOOLS", "NEVER", "OK", "ONCE", "PROGRESS",
    "RELEASE", "RESULT", "RESULT_JSON", "RESULT_PARTS", "REWRITTEN", "SESSION", "TURN", "Approve", "Call", "Delta", "Deny", "Document", "Engine", "Error",
    "Event", "Send", "Text", "Tool", "Turn", "library", "library_path", "load", "run", "version",
]
