"""What the Python binding adds to the C ABI: documents parsed, arguments checked, and nothing lost on the way."""

import ctypes.util
import os
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bindings" / "python"))
import sluice  # noqa: E402

TOOL = {"name": "note", "agentCallable": True, "permission": "public"}


def fed(engine, text):
    """A turn that was fed the text of an answer of hermes."""
    turn = engine.turn({"wire": "text", "protocol": "hermes"})
    turn.feed(text)
    turn.finish()
    return turn


def every_event(turn, cannot):
    """(seq of every event, texts of those that raise `cannot`)"""
    seen, raised = [], []
    while True:
        try:
            event = turn.next_event()
        except cannot:
            text = turn.next_event(raw=True)
            raised.append(text)
            seen.append(int(text.rpartition('"seq":')[2].rstrip("}")))
            continue
        if event is None:
            return seen, raised
        seen.append(event["seq"])


class Events(unittest.TestCase):
    def test_pieces_of_text_come_without_json_and_in_their_place(self):
        with sluice.Engine({"tools": [TOOL]}) as engine, fed(engine, 'a\0"你\n<tool_call>{"name": "note", "arguments": {}}</tool_call>b') as turn:
            pieces = list(turn.pieces())
            self.assertEqual(pieces[0], sluice.Delta(sluice.DELTA_TEXT, 0, 'a\0"你\n'))
            self.assertEqual(pieces[1]["type"], "card")
            self.assertEqual(pieces[1]["seq"], 2)
            self.assertIn(sluice.Delta(sluice.DELTA_TEXT, 2, "b"), pieces)
            self.assertEqual(pieces[-1]["type"], "done")
            self.assertEqual(pieces[-1]["seq"], len(pieces))
            self.assertIsNone(turn.next_delta())

    def test_no_piece_overtakes_an_event_that_comes_again(self):
        with sluice.Engine({"tools": [TOOL]}) as engine, \
                fed(engine, '<tool_call>{"name": "note", "arguments": {"n": 1e999}}</tool_call>b') as turn:
            raised = 0
            order = []
            while True:
                try:
                    for piece in turn.pieces():
                        order.append(piece)
                    break
                except ValueError:
                    raised += 1
                    self.assertIsNone(turn.next_delta())
                    order.append(turn.next_event(raw=True))
            self.assertGreater(raised, 0)
            self.assertIsInstance(order[0], dict)
            said = order.index(sluice.Delta(sluice.DELTA_TEXT, 1, "b"))
            self.assertTrue(any(isinstance(event, str) for event in order[:said]))

    def test_an_event_too_deep_for_python_is_raised_and_comes_again(self):
        request = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
        with sluice.Engine({"tools": [TOOL], "limits": {"depth": 1024}}) as engine, \
                engine.turn({"wire": "openai-chat", "request": request}) as turn:
            deep = "[" * 1010 + "]" * 1010
            arguments = '{\\"n\\":' + deep + "}"
            turn.feed('data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"note","arguments":"'
                      + arguments + '"}}]},"finish_reason":"tool_calls"}]}\n\ndata: [DONE]\n\n')
            turn.finish()
            seen, raised = every_event(turn, RecursionError)
            self.assertGreater(len(raised), 0)
            for text in raised:
                self.assertIn(deep, text)
            self.assertEqual(seen, list(range(1, len(seen) + 1)))

    def test_a_number_too_large_for_python_is_raised_and_comes_again_and_is_never_infinite(self):
        for number in ("1e999", "-1E400", "9" * 5000, "-" + "9" * 5000):
            with self.subTest(number[:9]), sluice.Engine({"tools": [TOOL]}) as engine, \
                    fed(engine, '<tool_call>{"name": "note", "arguments": {"n": %s}}</tool_call>' % number) as turn:
                seen, raised = every_event(turn, ValueError)
                self.assertGreater(len(raised), 0)
                for text in raised:
                    self.assertIn(number, text)
                self.assertEqual(seen, list(range(1, len(seen) + 1)))
                with self.assertRaisesRegex(ValueError, "too large for Python: .*raw=True"):
                    turn.get(sluice.GET_MESSAGE)
                self.assertIn(number, turn.get(sluice.GET_MESSAGE, raw=True))

    def test_numbers_that_python_holds_arrive_whole(self):
        for number in (10**400, -(10**20), 0.1, 1e308, 5e-324):
            with self.subTest(number=str(number)[:9]), sluice.Engine({"tools": [TOOL]}) as engine, \
                    fed(engine, '<tool_call>{"name": "note", "arguments": {"n": %s}}</tool_call>' % number) as turn:
                cards = [event["arguments"] for event in turn.events() if "arguments" in event]
                self.assertEqual(cards, [{"n": number}])


class Faults(unittest.TestCase):
    def test_a_wrong_configuration_raises_where_it_is_given(self):
        with self.assertRaisesRegex(sluice.Error, r"did you mean hermes\?"):
            sluice.Engine({"protocol": "hermez"})
        with sluice.Engine() as engine:
            for make in (lambda: engine.turn({"wire": "x"}), lambda: engine.turn(None), lambda: engine.turn("{"),
                         lambda: engine.restore("{}"), lambda: engine.restore({"format": 2})):
                with self.assertRaises(sluice.Error) as raised:
                    make()
                self.assertEqual(raised.exception.code, raised.exception.detail["code"])
                self.assertNotIn("no detail", str(raised.exception))
            with engine.turn({"wire": "x"}, check=False) as turn, self.assertRaisesRegex(sluice.Error, "expected one of openai-chat"):
                turn.feed("x")
            for value in (float("nan"), float("inf")):
                with self.assertRaises(ValueError):
                    engine.turn({"wire": "text", "x-own": value})

    def test_arguments_are_checked_before_c_cuts_them_off(self):
        with sluice.Engine({"tools": [{**TOOL, "permission": "sensitive"}]}) as engine, engine.turn({"wire": "text"}) as turn:
            for wrong, call in (
                (ValueError, lambda: turn.approve(-1)),
                (ValueError, lambda: turn.approve(2**32)),  # cut off it would be 0: every call
                (ValueError, lambda: turn.cancel(2**32)),
                (ValueError, lambda: turn.finish(2**32)),
                (ValueError, lambda: turn.response(2**32 + 200)),
                (ValueError, lambda: turn.tick(2**80)),
                (ValueError, lambda: turn.get(99)),
                (TypeError, lambda: turn.approve("2")),
                (TypeError, lambda: turn.approve({"type": "text"})),
                (TypeError, lambda: turn.approve(1, "once")),
                (TypeError, lambda: turn.approve(True)),
                (TypeError, lambda: turn.deny(1, {"reason": "x"})),
                (TypeError, lambda: turn.finish("complete")),
                (TypeError, lambda: turn.tick(1.5)),
                (TypeError, lambda: turn.feed(5)),
                (TypeError, lambda: turn.feed({"a": 1})),
            ):
                with self.assertRaisesRegex(wrong, r"^\w+: found .*, expected "):
                    call()
            for piece in (b"a", bytearray(b"b"), memoryview(b"c"), "d"):
                turn.feed(piece)
            turn.finish()
            self.assertEqual("".join(event.get("text", "") for event in turn.events()), "abcd")

    def test_a_decision_takes_the_event_itself(self):
        request = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
        with sluice.Engine({"tools": [{**TOOL, "permission": "sensitive"}]}) as engine, \
                engine.turn({"wire": "openai-chat", "request": request}) as turn:
            turn.feed('data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"note","arguments":"{}"}}]},'
                      '"finish_reason":"tool_calls"}]}\n\ndata: [DONE]\n\n')
            turn.finish()
            for event in turn.events():
                if event["type"] == "approval":
                    turn.approve(event)
            self.assertEqual(turn.get(sluice.GET_MESSAGE)["blocks"][0]["status"], "executing")

    def test_what_was_closed_says_so(self):
        engine = sluice.Engine()
        turn = engine.turn({"wire": "text"})
        turn.close()
        engine.close()
        for call in (lambda: turn.feed("x"), lambda: list(turn.events()), lambda: turn.get(sluice.GET_MESSAGE), lambda: engine.turn({})):
            with self.assertRaisesRegex(ValueError, "was closed"):
                call()

    def test_a_library_that_is_none_says_how_to_get_one(self):
        with self.assertRaisesRegex(OSError, "npm run build.*SLUICE_LIBRARY"):
            sluice.load(os.path.join(os.sep, "nowhere", "libsluice.so"))
        with self.assertRaisesRegex(OSError, "has no sluice_version: it is no library of Sluice"):
            sluice.load(ctypes.util.find_library("c"))


if __name__ == "__main__":
    unittest.main()
