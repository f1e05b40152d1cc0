"""The conformance data beside the checkout through ctypes: vectors of one answer each, recorded streams, and recorded
texts of model families."""

import json
import unittest

from script_runner import TESTS, cuts, mismatch, random_cut, shared_folder, sluice, sse_text

CUTS = {"whole": (0, 0), "seed 1": random_cut(1), "seed 2": random_cut(2), "seed 3": random_cut(3)}
ABSENT = {"$absent": True}
BLANK = " \t\r\n\v\f"
SHARED = shared_folder()


def parse_pieces(config, pieces, engine_config=None):
    """Blocks and events of one answer in pieces, read by a turn without `request`."""
    with sluice.Engine(engine_config or {}) as engine, engine.turn(config) as turn:
        for piece in pieces:
            turn.feed(piece)
        turn.finish()
        return turn.get(sluice.GET_MESSAGE)["blocks"], list(turn.events())


def parse(config, data, cut):
    return parse_pieces(config, cuts(data, *cut))


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
        pattern["protocolFields"] = {"$equals": said["reserved"]} if "reserved" in said else ABSENT
    return pattern


def chunks(vector):
    items = [{"choices": [{"index": 0, "message": delta["__message__"]}]} if "__message__" in delta
             else {"choices": [{"index": 0, "delta": delta}]} for delta in vector["deltas"]]
    if vector["finish_reason"] is not None:
        items.append({"finish": vector["finish_reason"]})
    return sse_text(items + ["[DONE]"] * vector.get("done", True)).encode()


def joined(blocks, kind):
    return "".join(block["text"] for block in blocks if block["type"] == kind).strip(BLANK)


def engine_of(recorded):
    tools = [tool.get("function", tool) for tool in recorded.get("tools", [])]
    return {"tools": [{"name": tool["name"], "description": tool.get("description") or "",
                       "parameters": tool.get("parameters") or {"type": "object"}} for tool in tools]}


def read_calls(recorded, blocks):
    """Cards that were read as calls. Whether the schema holds is not the text's business, nor whether the tool exists:
    but where a recording calls nothing, a call of a tool that it does not have is what a turn would refuse."""
    tools = {tool["name"] for tool in engine_of(recorded)["tools"]}
    nothing = not recorded["expected_calls"] and tools
    return [block for block in blocks if block["type"] == "tool_use"
            and (block["status"] != "invalid" or block.get("reason") in ("not_found", "schema"))
            and (not nothing or block.get("name") in tools)]


def same_text(said, blocks, kind):
    """Is `said` the texts of these blocks one after the other, with any white space between and around them?"""
    for block in blocks:
        if block["type"] == kind:
            text, said = block["text"].strip(BLANK), said.lstrip(BLANK)
            if not said.startswith(text):
                return False
            said = said[len(text):]
    return said.strip(BLANK) == ""


@unittest.skipUnless(SHARED, "no conformance data at ../shared or $SLUICE_SHARED")
class Vectors(unittest.TestCase):
    def hold(self, vector, config, data):
        for name, cut in CUTS.items():
            with self.subTest(vector=vector["id"], cut=name):
                blocks, events = parse(config, data, cut)
                self.assertEqual(mismatch([block_pattern(block) for block in vector["blocks"]], blocks), "")
                reported = {event["code"] for event in events if event["type"] == "diagnostic"}
                self.assertLessEqual(set(vector.get("diagnostics", [])), reported)

    def test_the_vectors_of_the_protocols_hold_at_any_split(self):
        for name in ("vcp", "context", "tool_action", "json_strict", "xml_tag", "inline_tags"):
            file = json.loads((SHARED / "vectors" / f"{name}.json").read_text(encoding="utf-8"))
            for vector in file["cases"]:
                protocol = {"id": file["protocol"], **vector.get("options", {})}
                if "rules" in file:
                    protocol["rules"] = file["rules"]
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

    def test_recorded_texts_of_model_families_are_read_as_recorded_at_any_split(self):
        exceptions = json.loads((TESTS / "conformance_exceptions.json").read_text(encoding="utf-8"))
        for path in sorted((SHARED / "texts").rglob("*.json")):
            family = path.parent.name
            if f"{family}/{path.name}" in exceptions:
                continue
            recorded = json.loads(path.read_text(encoding="utf-8"))
            config = {"wire": "text", "mode": "text", "protocol": family,
                      "startsInReasoning": recorded.get("starts_in_reasoning", False)}
            data = recorded["input"].encode()
            ways = {name: list(cuts(data, *cut)) for name, cut in CUTS.items()}
            if "chunks" in recorded:
                ways["chunks"] = [chunk.encode() for chunk in recorded["chunks"]]
            for name, pieces in ways.items():
                with self.subTest(text=f"{family}/{path.name}", cut=name):
                    self.compare_text(recorded, parse_pieces(config, pieces, engine_of(recorded))[0])

    def compare_text(self, recorded, blocks):
        ids = recorded.get("expected_ids") or []
        patterns = []
        for index, call in enumerate(recorded["expected_calls"]):
            card = {"name": call["name"], "arguments": {"$equals": call["arguments"]}}
            if index < len(ids) and isinstance(ids[index], str) and ids[index] in recorded["input"]:
                card["wireId"] = ids[index]
            patterns.append(card)
        self.assertEqual(mismatch(patterns, read_calls(recorded, blocks)), "")
        texts = [recorded["expected_text"], *recorded.get("text_variants", [])]
        self.assertTrue(any(same_text(text, blocks, "text") for text in texts), f"text: {texts} {blocks}")
        if "expected_reasoning" in recorded:
            self.assertTrue(same_text(recorded["expected_reasoning"], blocks, "reasoning"), f"reasoning: {blocks}")


if __name__ == "__main__":
    unittest.main()
