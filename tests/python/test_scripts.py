"""The shared scripts of tests/vectors through ctypes."""

import json
import os
import unittest

from script_runner import TESTS, can_restore, run_script


class Scripts(unittest.TestCase):
    def test_every_script_holds_however_its_bytes_are_cut_and_its_events_are_polled(self):
        folder = TESTS / "vectors"
        only = os.environ.get("SLUICE_SCRIPT", "")
        scripts = [path for path in sorted(folder.rglob("*.json")) if only in str(path)]
        self.assertTrue(scripts)
        restorable = can_restore()
        for path in scripts:
            with self.subTest(script=path.relative_to(folder).as_posix()):
                self.assertEqual(run_script(json.loads(path.read_text(encoding="utf-8")), restorable), "")

    def test_scripts_are_saved_and_restored(self):
        if not can_restore():
            self.skipTest("this library does not restore yet: no script was saved and restored")


if __name__ == "__main__":
    unittest.main()
