"""A turn with everything around it: requests by an HTTP client of the host, timers, tools, questions."""

from __future__ import annotations

import asyncio
import inspect
import json
import time
from typing import Any, AsyncIterator, Awaitable, Callable, Dict, Mapping, Optional, Set, Tuple, Union

from ._library import E_STATE, END_ABORTED, END_COMPLETE, END_NETWORK, FAILURE, GET_REQUEST, GET_TOOLS, NEVER, ONCE, RELEASE, RESULT, RESULT_JSON
from ._turn import Error, Event, Turn

#: Sends a request's body. Gives (status, headers) where the client tells them, then the pieces of the answer's body.
Send = Callable[[bytes], AsyncIterator[Any]]
#: A tool, `(arguments: dict) -> text or JSON value`, also as a coroutine; what it raises is the failure that the model reads. None: the host reads
#: the "execute" event and calls `turn.submit` itself.
Tool = Optional[Callable[[Dict[str, Any]], Any]]


class Deny:
    """An answer of `approve`: the call is denied, and the model reads the reason."""

    def __init__(self, reason: str):
        if not isinstance(reason, str):
            raise TypeError(f"Deny got {reason!r}, expected a reason as text")
        self.reason = reason

    def __repr__(self) -> str:
        return f"Deny({self.reason!r})"


#: Answers an "approval" event, `(event: dict) -> bool | int | Deny`, also as a coroutine: True or a decision (ONCE to ALWAYS, + EXACT) to approve,
#: False or Deny("why") to deny.
Approve = Callable[[Event], Union[bool, int, Deny, Awaitable[Union[bool, int, Deny]]]]

_detached: Set["asyncio.Task[None]"] = set()  # tools that run on behind their turn: the loop itself holds no task


def _now() -> int:
    return int(time.time() * 1000)


async def run(turn: Turn, send: Send, tools: Optional[Mapping[str, Tool]] = None, approve: Optional[Approve] = None) -> AsyncIterator[Event]:
    """Runs the turn to its end, and gives every event once it is done what the event says. `tools` by name: every tool that the model sees needs an
    entry, unless it has `ipc`; else `run` raises ValueError before the first request. A question is refused where `approve` is None, since nobody could
    be asked. A tool is `(arguments: dict) -> text or JSON value`, `approve` is `(event: dict) -> bool | int | Deny`; both may be async. Where `approve`
    gives anything else, the call is refused, and `run` raises TypeError. The host may call the turn's methods at any time from the same event loop.
    Whoever leaves the loop early closes the iterator (`aclose()`), which ends the request and the tools; the turn stays open.

        async def send(body):
            async with client.stream("POST", url, content=body) as response:  # httpx; any other client does as well
                yield response.status_code, dict(response.headers)
                async for piece in response.aiter_bytes():
                    yield piece
    """
    running = _Running(turn, send, _checked(tools or {}, turn), approve)
    try:
        while True:
            deadline = turn.tick(_now())
            running.changed.clear()
            for event in turn.events():
                running.do(event)
                yield event
                if event["type"] == "done":
                    return
            await running.wait(deadline)
    finally:
        await running.close()


def _checked(tools: Mapping[str, Tool], turn: Turn) -> Mapping[str, Tool]:
    for tool in turn.get(GET_TOOLS)["tools"]:
        name, function = tool["name"], tools.get(tool["name"])
        runs = "ipc" not in tool and tool.get("provider") != "mcp"  # an approval of `mcp` is all that it needs
        if tool["exposed"] and runs and not callable(function) and not (name in tools and function is None):
            found = f"{function!r:.60}" if name in tools else "nothing"
            raise ValueError(f"tools[{name!r}]: found {found}, expected a function, or None where the host answers the event \"execute\" itself")
    return tools


class _Running:
    """The request and the tools of a turn that runs."""

    def __init__(self, turn: Turn, send: Send, tools: Mapping[str, Tool], approve: Optional[Approve]):
        self.turn, self.send, self.tools, self.approve = turn, send, tools, approve
        self.changed = asyncio.Event()
        self.tasks: Dict[Any, "asyncio.Task[None]"] = {}  # by call; None: the request; ("ask", call): a question
        self.failed: Optional[BaseException] = None
        turn._changed = self.changed.set

    def do(self, event: Event) -> None:
        kind, call = event["type"], event.get("call")
        if kind == "request":
            self.start(None, self.answer(self.turn.get(GET_REQUEST, raw=True).encode()))
        elif kind in ("round", "abortRequest"):
            self.end_answer(END_COMPLETE if kind == "round" else END_ABORTED)
        elif kind == "execute" and event["name"] in self.tools and self.tools[event["name"]]:
            self.start(call, self.execute(event), event["detached"])
        elif kind == "abortTool" and call in self.tasks:
            self.tasks[call].cancel()
        elif kind == "approval":
            self.start(("ask", call), self.ask(event))

    def start(self, key: Any, work: Any, detached: bool = False) -> None:
        task = asyncio.get_running_loop().create_task(work)
        if detached:
            _detached.add(task)
            task.add_done_callback(_detached.discard)
        else:
            self.tasks[key] = task
            task.add_done_callback(lambda done: self.ended(key, done))

    def ended(self, key: Any, task: "asyncio.Task[None]") -> None:
        if self.tasks.get(key) is task:
            del self.tasks[key]
        if not task.cancelled() and task.exception():
            self.failed = task.exception()  # a mistake of the host: `run` raises it
        self.changed.set()

    async def wait(self, deadline: int) -> None:
        left = None if deadline == NEVER else max(0, deadline - _now()) / 1000
        try:
            await asyncio.wait_for(self.changed.wait(), left)
        except asyncio.TimeoutError:
            pass
        if self.failed:
            raise self.failed

    async def answer(self, body: bytes) -> None:
        how: Tuple[int, Optional[str]] = (END_COMPLETE, None)
        try:
            async for piece in self.send(body):
                self.turn.tick(_now())
                if isinstance(piece, tuple):
                    status, headers = piece
                    self.turn.response(status, {name.lower(): value for name, value in headers.items()})
                else:
                    self.turn.feed(piece)
        except Error:
            raise  # not of the network, but a mistake of the host
        except Exception as error:  # noqa: BLE001: every client has its own
            how = (END_NETWORK, str(error) or type(error).__name__)
        self.tasks.pop(None, None)
        self.turn.finish(*how)

    def end_answer(self, how: int) -> None:
        task = self.tasks.pop(None, None)
        if task:
            task.cancel()
            self.turn.finish(how)

    async def ask(self, event: Event) -> None:
        if not self.approve:
            return self.turn.refuse(event, "nobody can be asked")
        decision = self.approve(event)
        if inspect.isawaitable(decision):
            decision = await decision
        try:
            if isinstance(decision, Deny):
                self.turn.deny(event, decision.reason)
            elif decision is False:
                self.turn.deny(event)
            elif not isinstance(decision, int):
                self.turn.refuse(event, "approve gave no decision")
                raise TypeError(f"approve gave {decision!r}, expected True, False, ONCE … ALWAYS, or Deny(\"why\")")
            else:
                once = RELEASE if event["stage"] == "result" else ONCE
                self.turn.approve(event, once if decision is True else decision)
        except Error as error:
            if error.code != E_STATE:  # the question expired, or was answered elsewhere
                raise

    async def execute(self, event: Event) -> None:
        try:
            result = self.tools[event["name"]](event["arguments"])
            if inspect.isawaitable(result):
                result = await result
            text, kind = (result, RESULT) if isinstance(result, str) else (json.dumps(result, ensure_ascii=False, allow_nan=False), RESULT_JSON)
        except Exception as error:  # noqa: BLE001: whatever it is, the model reads it
            text, kind = str(error) or type(error).__name__, FAILURE
        if not event["detached"]:
            self.turn.submit(event, text, kind)

    async def close(self) -> None:
        self.turn._changed = None
        tasks = list(self.tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
