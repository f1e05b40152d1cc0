"""The reader of pages of scripts: every row and every error of tests/vectors/reader-cases.md."""

import json
import unittest

from script_files import VECTORS, read_page, read_text, scripts_of_page

FILE = "reader-cases.md"
ENGINES = {"one": {"tools": []}, "two": {}}


def rows_of(page):
    """The rows that say what comes of a page."""
    try:
        return [("script", one.script) for one in scripts_of_page(page, "folder/texts.md", ENGINES)]
    except ValueError as error:
        return [("error", str(error))]


class ScriptFiles(unittest.TestCase):
    def test_pages_of_scripts_are_read_as_their_rows_say(self):
        _, cases = read_page(read_text(VECTORS / FILE), FILE)
        self.assertGreater(len(cases), 30)
        for one in cases:
            with self.subTest(case=one.title, place=f"{FILE}:{one.line}"):
                expected = [tuple(text.split(" ", 1)) for _, text in one.rows]
                self.assertEqual(rows_of(one.text), [(word, json.loads(rest) if word == "script" else rest) for word, rest in expected])


if __name__ == "__main__":
    unittest.main()
