"""What the Python binding adds to the C ABI: documents parsed, and nothing lost on the way."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bindings" / "python"))
import sluice  # noqa: E402


class Events(unittest.TestCase):
    def test_an_event_too_deep_for_python_is_raised_and_comes_again(self):
        tool = {"name": "note", "agentCallable": True, "permission": "public"}
        request = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
        with sluice.Engine({"tools": [tool], "limits": {"depth": 1024}}) as engine, \
                engine.turn({"wire": "openai-chat", "request": request}) as turn:
            deep = "[" * 1010 + "]" * 1010
            arguments = '{\\"n\\":' + deep + "}"
            turn.feed('data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"note","arguments":"'
                      + arguments + '"}}]},"finish_reason":"tool_calls"}]}\n\ndata: [DONE]\n\n')
            turn.finish()
            seen, raised = [], 0
            while True:
                try:
                    event = turn.next_event()
                except RecursionError:
                    raised += 1
                    text = turn.next_event(raw=True)
                    self.assertIn(deep, text)
                    seen.append(int(text.rpartition('"seq":')[2].rstrip("}")))
                    continue
                if event is None:
                    break
                seen.append(event["seq"])
            self.assertGreater(raised, 0)
            self.assertEqual(seen, list(range(1, len(seen) + 1)))


if __name__ == "__main__":
    unittest.main()
