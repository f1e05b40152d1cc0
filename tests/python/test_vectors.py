"""The conformance data beside the checkout through ctypes: vectors of one answer each, and recorded streams."""

import json
import unittest

from script_runner import cuts, mismatch, random_cut, shared_folder, sluice, sse_text

CUTS = {"whole": (0, 0), "seed 1": random_cut(1), "seed 2": random_cut(2), "seed 3": random_cut(3)}
ABSENT = {"$absent": True}
SHARED = shared_folder()


def parse(config, data, cut):
    """Blocks and events of one answer, read by a turn without `request`."""
    with sluice.Engine() as engine, engine.turn(config) as turn:
        for piece in cuts(data, *cut):
            turn.feed(piece)
        turn.finish()
        return turn.get(sluice.GET_MESSAGE)["blocks"], list(turn.events())


def block_pattern(expected):
    """A block of a vector as the pattern of a block of GET_MESSAGE."""
    for kind in ("text", "reasoning"):
        if kind in expected:
            return {"type": kind, "text": expected[kind]}
    said = expected.get("call") or expected["invalid"]
    pattern = {"type": "tool_use", "status": "pending" if "call" in expected else "invalid", "name": said.get("name", ABSENT)}
    if "reason" in said:
        pattern["reason"] = said["reason"]
    if "id" in said:
        pattern["wireId"] = said["id"]
    if "call" in expected:
        pattern["arguments"] = {"$equals": said["arguments"]}
        pattern["reserved"] = {"$equals": said["reserved"]} if "reserved" in said else ABSENT
    return pattern


def chunks(vector):
    items = [{"choices": [{"index": 0, "message": delta["__message__"]}]} if "__message__" in delta
             else {"choices": [{"index": 0, "delta": delta}]} for delta in vector["deltas"]]
    if vector["finish_reason"] is not None:
        items.append({"finish": vector["finish_reason"]})
    return sse_text(items + ["[DONE]"] * vector.get("done", True)).encode()


def joined(blocks, kind):
    return "".join(block["text"] for block in blocks if block["type"] == kind).strip(" \t\r\n\v\f")


@unittest.skipUnless(SHARED, "no conformance data at ../shared or $SLUICE_SHARED")
class Vectors(unittest.TestCase):
    def hold(self, vector, config, data):
        for name, cut in CUTS.items():
            with self.subTest(vector=vector["id"], cut=name):
                blocks, events = parse(config, data, cut)
                self.assertEqual(mismatch([block_pattern(block) for block in vector["blocks"]], blocks), "")
                reported = {event["code"] for event in events if event["type"] == "diagnostic"}
                self.assertLessEqual(set(vector.get("diagnostics", [])), reported)

    def test_the_vectors_of_vcp_and_of_its_context_hold_at_any_split(self):
        for name in ("vcp.json", "context.json"):
            file = json.loads((SHARED / "vectors" / name).read_text(encoding="utf-8"))
            for vector in file["cases"]:
                protocol = {"id": file["protocol"], **vector.get("options", {})}
                self.hold(vector, {"wire": "text", "protocol": protocol}, vector["input"].encode())

    def test_the_vectors_of_openai_chat_deltas_hold_at_any_split(self):
        file = json.loads((SHARED / "vectors" / "openai_chat_deltas.json").read_text(encoding="utf-8"))
        for vector in file["cases"]:
            self.hold(vector, {"wire": "openai-chat"}, chunks(vector))

    def test_recorded_openai_chat_streams_hold_at_any_split(self):
        for path in sorted((SHARED / "streams").rglob("*.expected.json")):
            expected = json.loads(path.read_text(encoding="utf-8"))
            if expected["wire"] != "openai-chat":
                continue
            stem = path.name.removesuffix(".expected.json")
            body = path.with_name(stem + ".sse") if path.with_name(stem + ".sse").exists() else path.with_name(stem + ".json")
            for name, cut in CUTS.items():
                with self.subTest(stream=stem, cut=name):
                    blocks, events = parse({"wire": "openai-chat"}, body.read_bytes(), cut)
                    self.compare_stream(expected, blocks, events)

    def compare_stream(self, expected, blocks, events):
        said = [(e.get("text", "").strip(), e.get("reasoning", "").strip())
                for e in (expected, expected.get("alt_think_split")) if isinstance(e, dict)]
        self.assertIn((joined(blocks, "text"), joined(blocks, "reasoning")), said)
        patterns = []
        for call in expected["tool_calls"]:
            card = {"name": call["name"]} | ({"wireId": call["id"]} if call["id"] else {})
            if call.get("arguments_invalid_json") or call.get("incomplete"):
                card["status"] = "invalid"
            elif not (call.get("arguments_empty") and expected["finish_reason"] == "length"):
                card |= {"status": "pending", "arguments": {"$equals": call["arguments"]}}
            patterns.append(card)
        self.assertEqual(mismatch(patterns, [block for block in blocks if block["type"] == "tool_use"]), "")
        if "error" in expected:
            error = {"type": "error", "detail": {"$has": expected["error"].get("message", "")}}
            self.assertTrue(any(not mismatch(error, event) for event in events))


if __name__ == "__main__":
    unittest.main()
