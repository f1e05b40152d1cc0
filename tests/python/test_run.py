"""`run()`: a turn over a real socket, with tools, questions, timers and an iterator that is left early."""

import asyncio
import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bindings" / "python"))
import sluice  # noqa: E402

NOTE = {"name": "note", "agentCallable": True, "permission": "sensitive", "parameters": {"type": "object", "properties": {"text": {"type": "string"}}}}
CONFIG = {"wire": "openai-chat", "request": {"model": "m", "messages": [{"role": "user", "content": "hi"}]}}


def said(*deltas, finish="stop"):
    chunks = [{"choices": [{"delta": delta}]} for delta in deltas] + [{"choices": [{"delta": {}, "finish_reason": finish}]}]
    return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"


def called(**arguments):
    call = {"index": 0, "id": "c", "function": {"name": "note", "arguments": json.dumps(arguments)}}
    return said({"content": "Noted: "}, {"tool_calls": [call]}, finish="tool_calls")


class Provider:
    """Answers one request after the other, each on a connection of its own, in pieces of a few bytes; an answer that is None never ends."""

    def __init__(self, *answers):
        self.answers, self.bodies, self.left = list(answers), [], 0

    async def __aenter__(self):
        self.server = await asyncio.start_server(self.serve, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_):
        self.server.close()

    async def serve(self, reader, writer):
        size = int(await reader.readline())
        self.bodies.append(json.loads(await reader.readexactly(size)))
        status, answer = self.answers.pop(0)
        writer.write(b"%d\n" % status)
        try:
            for at in range(0, len(answer or ""), 7):
                writer.write(answer[at:at + 7].encode())
                await writer.drain()
            if answer is None:
                await reader.read()  # until the other side leaves
                self.left += 1
        finally:
            writer.close()

    async def send(self, body):
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            writer.write(b"%d\n" % len(body) + body)
            yield int(await reader.readline()), {"Content-Type": "text/event-stream"}
            while piece := await reader.read(50):
                yield piece
        finally:
            writer.close()


def played(provider, configuration=None, leave=None, **options):
    """(events, message) of a turn against the provider; `leave`: the type of the event at which the iterator is closed."""
    options = {"tools": {"note": lambda arguments: ""}, **options}

    async def play():
        events = []
        async with provider:
            with sluice.Engine({"tools": [NOTE], **(configuration or {})}) as engine, engine.turn(CONFIG) as turn:
                running = sluice.run(turn, provider.send, **options)
                async for event in running:
                    events.append(event)
                    if event["type"] == leave:
                        break
                await running.aclose()
                await asyncio.sleep(0.05)
                return events, turn.get(sluice.GET_MESSAGE)
    return asyncio.run(asyncio.wait_for(play(), 20))


def card(message):
    return next(block for block in message["blocks"] if block["type"] == "tool_use")


class Run(unittest.TestCase):
    def test_a_call_is_asked_about_and_runs_and_the_answer_goes_on(self):
        async def note(arguments):
            await asyncio.sleep(0.01)
            return f"kept {arguments['text']}"

        provider = Provider((200, called(text="milk")), (200, said({"content": "milk."})))
        events, message = played(provider, tools={"note": note}, approve=lambda event: event["stage"] == "execution")
        self.assertEqual("".join(event["text"] for event in events if event["type"] == "text"), "Noted: milk.")
        self.assertEqual((message["outcome"], card(message)["status"], card(message)["output"]), ("completed", "success", "kept milk"))
        self.assertEqual(provider.bodies[1]["messages"][-1]["content"], "kept milk")

    def test_what_a_tool_raises_is_its_failure_and_what_is_no_text_is_json(self):
        def fails(arguments):
            raise OSError("the disk is full")

        for tool, status, output in ((fails, "error", "the disk is full"), (lambda arguments: {"n": 1}, "success", '{"n": 1}')):
            with self.subTest(status):
                _, message = played(Provider((200, called()), (200, said({"content": "."}))), tools={"note": tool}, approve=lambda event: True)
                self.assertEqual((card(message)["status"], card(message).get("output", card(message).get("error"))), (status, output))

    def test_a_tool_that_nobody_can_run_is_refused_before_the_first_request(self):
        in_window = {"name": "wave", "agentCallable": True, "ipc": {"channel": "pet"}}
        for tools, found in ((None, "nothing"), ({}, "nothing"), ({"other": print}, "nothing"), ({"note": "text"}, "'text'"), ({"note": 0}, "0")):
            with self.subTest(found=found):
                provider = Provider((200, said({"content": "."})))
                with self.assertRaisesRegex(ValueError, f"tools\\['note'\\]: found {found}, expected a function, or None"):
                    played(provider, tools=tools)
                self.assertEqual(provider.bodies, [])
        for given in ([], [in_window], [{"name": "note"}]):  # none, one of a window, one that no model sees
            with self.subTest(given=given):
                _, message = played(Provider((200, said({"content": "."}))), {"tools": given})
                self.assertEqual(message["outcome"], "completed")

    def test_the_host_answers_a_call_of_a_tool_that_is_none(self):
        async def play():
            async with Provider((200, called(text="milk")), (200, said({"content": "."}))) as provider:
                with sluice.Engine({"tools": [NOTE]}) as engine, engine.turn(CONFIG) as turn:
                    async for event in sluice.run(turn, provider.send, {"note": None}, lambda event: True):
                        if event["type"] == "execute":
                            asyncio.get_running_loop().call_later(0.05, turn.submit, event, "kept", sluice.RESULT)
                    return turn.get(sluice.GET_MESSAGE)

        message = asyncio.run(asyncio.wait_for(play(), 60))
        self.assertEqual((message["outcome"], card(message)["output"]), ("completed", "kept"))

    def test_whoever_says_no_denies_and_where_nobody_can_be_asked_it_is_refused(self):
        async def no(event):
            return sluice.Deny("not now")

        for approve, by, reason in ((no, "user", "not now"), (lambda event: False, "user", None), (None, "policy", "nobody can be asked")):
            with self.subTest(reason=reason):
                _, message = played(Provider((200, called()), (200, said({"content": "."}))), tools={"note": lambda arguments: ""}, approve=approve)
                (approval,) = card(message)["approvals"]
                self.assertEqual((card(message)["status"], approval["by"], approval.get("reason")), ("denied", by, reason))

    def test_an_http_error_and_a_network_that_fails_are_errors_of_the_turn(self):
        events, message = played(Provider((503, '{"error":{"message":"overloaded"}}')))
        self.assertEqual((message["outcome"], message["blocks"][-1]["code"]), ("failed", "http"))

        async def broken(body):
            raise ConnectionError("no route to the host")
            yield  # makes it a generator

        provider = Provider()
        provider.send = broken
        events, message = played(provider)
        self.assertEqual(message["blocks"][-1]["code"], "network")
        self.assertIn("no route to the host", message["blocks"][-1]["detail"])

    def test_a_server_that_is_silent_is_given_up(self):
        provider = Provider((200, None))
        _, message = played(provider, {"firstByteTimeoutMs": 60})
        self.assertEqual(message["blocks"][-1]["code"], "first_byte_timeout")
        self.assertEqual(provider.left, 1)

    def test_whoever_leaves_ends_the_request_and_the_tools(self):
        ended = []

        async def note(arguments):
            try:
                await asyncio.sleep(60)
            finally:
                ended.append("note")

        events, message = played(Provider((200, called())), tools={"note": note}, approve=lambda event: True, leave="execute")
        self.assertEqual(card(message)["status"], "executing")

        async def cancel():
            async with Provider((200, called())) as provider:
                with sluice.Engine({"tools": [NOTE]}) as engine, engine.turn(CONFIG) as turn:
                    asyncio.get_running_loop().call_later(0.3, turn.cancel)  # from outside the loop over the events
                    return [event["type"] async for event in sluice.run(turn, provider.send, {"note": note}, lambda event: True)], turn.get(sluice.GET_MESSAGE)

        types, message = asyncio.run(asyncio.wait_for(cancel(), 20))
        self.assertEqual((types[-1], message["outcome"]), ("done", "cancelled"))
        self.assertEqual(ended, ["note"])

    def test_what_is_no_decision_is_raised_and_the_call_is_refused(self):
        for given in ("yes", None, 1.5, ["once"]):
            with self.subTest(given=given), sluice.Engine({"tools": [NOTE]}) as engine:
                ran = []
                with engine.turn(CONFIG) as turn:

                    async def play():
                        async with Provider((200, called())) as provider:
                            async for _ in sluice.run(turn, provider.send, {"note": ran.append}, lambda event: given):
                                pass

                    with self.assertRaises(TypeError) as raised:
                        asyncio.run(asyncio.wait_for(play(), 60))
                    self.assertEqual(str(raised.exception), f'approve gave {given!r}, expected True, False, ONCE … ALWAYS, or Deny("why")')
                    self.assertEqual((card(turn.get(sluice.GET_MESSAGE))["status"], ran), ("denied", []))
        with self.assertRaises(TypeError):
            sluice.Deny(None)

    def test_a_mistake_of_the_host_is_raised_from_the_loop(self):
        with self.assertRaises(sluice.Error) as raised:
            played(Provider((200, called())), approve=lambda event: 77)
        self.assertEqual(raised.exception.code, sluice.E_ARGUMENT)


if __name__ == "__main__":
    unittest.main()
