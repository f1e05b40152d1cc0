"""The Python package as it is installed: a wheel with the library inside, made and installed without a network; typed, and for Python 3.9."""

import ast
import base64
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "bindings" / "python"
SERVER = PACKAGE.parents[1] / "tests" / "drivers" / "server.mjs"
SOURCES = sorted((PACKAGE / "sluice").glob("*.py"))


def python(*words, folder=PACKAGE, **variables):
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "SLUICE_LIBRARY")}
    return subprocess.run([sys.executable, *map(str, words)], cwd=folder, env={**environment, **variables}, capture_output=True, text=True, check=True).stdout


class Wheel(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        library = {key: os.environ[key] for key in ("SLUICE_LIBRARY",) if key in os.environ}
        self.wheel = Path(python(PACKAGE / "sluice_wheel.py", self.folder, **library).strip())

    def test_every_file_stands_in_its_record_with_its_hash(self):
        with zipfile.ZipFile(self.wheel) as wheel:
            names = wheel.namelist()
            record = next(name for name in names if name.endswith(".dist-info/RECORD"))
            lines = [line.rsplit(",", 2) for line in wheel.read(record).decode().splitlines()]
            self.assertEqual([name for name, _, _ in lines], names)
            for name, digest, size in lines:
                if name != record:
                    data = wheel.read(name)
                    self.assertEqual(digest, "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode())
                    self.assertEqual(int(size), len(data))
        for name in ("sluice/__init__.py", "sluice/py.typed", "sluice/libsluice.so"):
            self.assertIn(name, names)

    def test_what_was_installed_runs_the_example_with_its_own_library(self):
        site = self.folder / "site"
        try:
            python("-m", "pip", "--version")
        except subprocess.CalledProcessError:
            with zipfile.ZipFile(self.wheel) as wheel:  # what installing comes to
                wheel.extractall(site)
        else:
            python("-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", site, self.wheel)
        place = python("-c", "import sluice; print(sluice.library_path())", folder=self.folder, PYTHONPATH=str(site))
        self.assertEqual(Path(place.strip()), site / "sluice" / "libsluice.so")
        with subprocess.Popen(["node", str(SERVER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
            base_url = server.stdout.readline().strip()
            server.stdin.write("\n")  # it need not wait in its first answer
            server.stdin.flush()
            said = python(PACKAGE / "example.py", base_url, folder=self.folder, PYTHONPATH=str(site))
            told, _ = server.communicate()
        self.assertEqual(said, "Noted: you will not forget it.\ncompleted, 3 messages for the next request\n")
        self.assertEqual(len(json.loads(told)), 2)


class Sources(unittest.TestCase):
    def test_python_3_9_reads_them(self):
        for path in [*SOURCES, PACKAGE / "example.py", PACKAGE / "sluice_wheel.py"]:
            ast.parse(path.read_text(encoding="utf-8"), path.name, feature_version=(3, 9))

    def test_what_the_page_shows_is_python(self):
        blocks = re.findall(r"^```python\n(.*?)^```", (PACKAGE / "README.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
        self.assertTrue(blocks)
        for block in blocks:
            ast.parse(block, feature_version=(3, 9))

    def test_whatever_is_public_is_typed_and_documented(self):
        for path in SOURCES:
            for owner in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                for node in getattr(owner, "body", []) if isinstance(owner, (ast.Module, ast.ClassDef)) else []:
                    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) or node.name.startswith("_") or getattr(owner, "name", "").startswith("_"):
                        continue
                    with self.subTest(f"{path.name}: {node.name}"):
                        self.assertTrue(ast.get_docstring(node))
                        if not isinstance(node, ast.ClassDef):
                            arguments = [a for a in node.args.args + node.args.kwonlyargs if a.arg != "self"]
                            self.assertTrue(node.returns and all(a.annotation for a in arguments))


if __name__ == "__main__":
    unittest.main()
