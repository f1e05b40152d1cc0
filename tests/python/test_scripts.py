"""The shared scripts of tests/vectors through ctypes."""

import unittest

from script_files import script_files
from script_runner import can_restore, run_script


class Scripts(unittest.TestCase):
    def test_every_script_holds_however_its_bytes_are_cut_and_its_events_are_polled(self):
        scripts = script_files()
        self.assertTrue(scripts)
        restorable = can_restore()
        for one in scripts:
            with self.subTest(script=one.name, place=f"tests/vectors/{one.place}"):
                self.assertEqual(run_script(one.script, restorable), "")

    def test_scripts_are_saved_and_restored(self):
        if not can_restore():
            self.skipTest("this library does not restore yet: no script was saved and restored")


if __name__ == "__main__":
    unittest.main()
