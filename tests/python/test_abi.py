"""What the libraries export, and the header under every dialect of C and C++ that a host may have."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bindings" / "python"))
import sluice  # noqa: E402

ADDON = Path(os.environ.get("SLUICE_ADDON") or ROOT / "build" / "release" / "sluice.node")
HEADER = ROOT / "native" / "include" / "sluice" / "sluice.h"
EXPORTS = (ROOT / "tests" / "abi" / "exports.txt").read_text().split()
ADDON_EXPORTS = ["napi_register_module_v1", "node_api_module_get_api_version_v1"]


def output(*command):
    """What a tool prints. It runs without what sanitizer builds preload into this process."""
    environment = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=environment)
    if done.returncode != 0:
        raise AssertionError(f"{command[0]} ended with {done.returncode}: {done.stderr}")
    return done.stdout


def exported(library):
    """Names that a shared library defines for others; the version node itself (type A) is none."""
    lines = map(str.split, output("nm", "-D", "--defined-only", library).splitlines())
    return sorted(fields[2].split("@")[0] for fields in lines if fields[1] != "A")


class Exports(unittest.TestCase):
    def test_the_library_exports_what_is_listed_and_nothing_else(self):
        self.assertEqual(exported(sluice.library_path()), EXPORTS)

    def test_every_name_and_the_library_have_the_major_version(self):
        major = sluice.version()[0]
        names = [line.split()[2] for line in output("nm", "-D", "--defined-only", sluice.library_path()).splitlines() if " T " in line]
        self.assertEqual([name for name in names if not name.endswith(f"@@SLUICE_{major}")], [])
        self.assertIn(f"[libsluice.so.{major}]", output("readelf", "-d", sluice.library_path()))

    def test_the_header_declares_what_is_listed(self):
        declared = re.findall(r"SLUICE_CALL\s+(sluice_\w+)\s*\(", HEADER.read_text(encoding="utf-8"))
        self.assertEqual(sorted(declared), EXPORTS)

    def test_the_python_binding_declares_what_is_listed(self):
        self.assertEqual(sorted(sluice.FUNCTIONS), EXPORTS)

    def test_the_python_binding_has_every_constant(self):
        constants = re.findall(r"^\s+SLUICE_(\w+) = (-?\d+)", HEADER.read_text(encoding="utf-8"), re.MULTILINE)
        self.assertGreater(len(constants), 30)
        self.assertEqual({name: getattr(sluice, name, None) for name, _ in constants}, {name: int(value) for name, value in constants})

    def test_the_addon_exports_only_what_node_looks_for(self):
        if not ADDON.exists():
            self.skipTest(f"no addon at {ADDON}")
        self.assertEqual(exported(ADDON), ADDON_EXPORTS)

    def test_the_library_needs_no_symbol_of_node(self):
        self.assertNotIn("napi_", output("nm", "-D", "--undefined-only", sluice.library_path()))


class Header(unittest.TestCase):
    FLAGS = ["-pedantic", "-pedantic-errors", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-fsyntax-only"]

    def compile(self, compiler, standard, suffix, header="sluice.h"):
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / f"header{suffix}"
            source.write_text(f"#include <sluice/{header}>\n" * 2 + "int main(void) { return sluice_version() != SLUICE_VERSION; }\n")
            output(compiler, f"-std={standard}", *self.FLAGS, "-I", HEADER.parents[1], source)

    def test_the_header_compiles_in_every_dialect(self):
        for names, standards, suffix in [
            ((os.environ.get("CC", "cc"), "clang"), ("c99", "c11", "c17"), ".c"),
            ((os.environ.get("CXX", "c++"), "clang++"), ("c++11", "c++17", "c++20"), ".cpp"),
        ]:
            for compiler in filter(shutil.which, names):
                for standard in standards:
                    with self.subTest(compiler=compiler, standard=standard):
                        self.compile(compiler, standard, suffix)

    def test_the_header_of_cpp_compiles_in_every_dialect(self):
        for compiler in filter(shutil.which, (os.environ.get("CXX", "c++"), "clang++")):
            for standard in ("c++17", "c++20", "c++2b"):
                with self.subTest(compiler=compiler, standard=standard):
                    self.compile(compiler, standard, ".cpp", "sluice.hpp")


if __name__ == "__main__":
    unittest.main()
