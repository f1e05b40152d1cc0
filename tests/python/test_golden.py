"""Every state that a release saved is restored and goes on as it did then."""

import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "golden"))

import golden  # noqa: E402


# Members that cards have had since: a release did not save them.
NEW_MEMBERS = ("digest", "key")


def as_then(ended):
    for block in ended["message"]["blocks"]:
        for member in NEW_MEMBERS:
            block.pop(member, None)
    return ended


class GoldenStates(unittest.TestCase):
    def test_states_of_every_release_go_on_as_they_did(self):
        files = golden.files()
        self.assertGreaterEqual(len(files), len(golden.SCENES))
        for file in files:
            with self.subTest(file.name):
                saved = json.loads(file.read_text())
                self.assertEqual(as_then(golden.run(saved)), {"message": saved["message"], "history": saved["history"]})

    def test_a_turn_that_was_saved_ends_like_one_that_was_not(self):
        for scene, (config, answer, fed, approved) in golden.SCENES.items():
            if fed is None:
                continue
            with self.subTest(scene), golden.sluice.Engine(golden.ENGINE) as engine, engine.turn(config) as turn:
                list(turn.events())
                self.assertEqual(golden.run(golden.save(scene)), golden.end(turn, answer, config["wire"] == "openai-chat"))


if __name__ == "__main__":
    unittest.main()
