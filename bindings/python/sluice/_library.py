"""The library: sluice.h spelled in ctypes."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path
from typing import Optional

OK, E_ARGUMENT, E_STATE, E_NOT_FOUND, E_JSON, E_LIMIT, E_UNSUPPORTED = 0, -1, -2, -3, -4, -5, -6
E_MEMORY, E_INTERNAL = -100, -101
END_COMPLETE, END_NETWORK, END_ABORTED, END_RETRY, END_HOOK, END_FALLBACK = range(6)
ONCE, TURN, SESSION, ALWAYS, RELEASE, EXACT = 0, 1, 2, 3, 4, 256
GATE_RUN, GATE_ASK, GATE_DENY = 0, 1, 2
FINAL_ACCEPT, FINAL_RETRY, FINAL_REPLACE, FINAL_SYSTEM = 0, 1, 2, 256
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
    "sluice_turn_call": (_I, [_P, _U, _S, _N]),
    "sluice_turn_tick": (_T, [_P, _T]),
    "sluice_turn_next_event": (_P, [_P, _LEN]),
    "sluice_turn_next_delta": (_P, [_P, ctypes.POINTER(_I), ctypes.POINTER(_U), _LEN]),
    "sluice_turn_find_tool": (_P, [_P, _S, _N, _LEN]),
    "sluice_turn_get": (_P, [_P, _I, _LEN]),
}


LIBRARY_NAME = {"win32": "sluice.dll", "darwin": "libsluice.dylib"}.get(sys.platform, "libsluice.so")


def library_path() -> str:
    """$SLUICE_LIBRARY, or the library of this package, or the release build of the checkout that this file is in."""
    here = Path(__file__).resolve().parent
    inside = here / LIBRARY_NAME
    return os.environ.get("SLUICE_LIBRARY") or str(inside if inside.exists() else here.parents[2] / "build" / "release" / LIBRARY_NAME)


def load(path: str) -> ctypes.CDLL:
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


_library: Optional[ctypes.CDLL] = None


def library() -> ctypes.CDLL:
    """The library, loaded when it is first used."""
    global _library
    if _library is None:
        _library = load(library_path())
    return _library
