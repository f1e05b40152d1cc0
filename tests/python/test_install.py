"""What `cmake --install` gives to projects outside of the tree: by find_package, by pkg-config and by hand, from a folder that was moved."""

import json
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

BUILD = Path(sluice.library_path()).resolve().parent
PROJECTS = ROOT / "tests" / "install"
EXAMPLES = ROOT / "native" / "examples"
MAJOR, MINOR, PATCH = VERSION = sluice.version()
CC, CXX = os.environ.get("CC", "cc"), os.environ.get("CXX", "c++")


def run(*command, stdin="", fails=False, **environment):
    """What a program prints, or what it complains of where it is to fail."""
    generator = {"CMAKE_GENERATOR": "Ninja"} if shutil.which("ninja") else {}
    env = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"} | generator | environment
    done = subprocess.run(list(map(str, command)), input=stdin, capture_output=True, text=True, env=env)
    if (done.returncode != 0) is not fails:
        raise AssertionError(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stderr if fails else done.stdout


CACHE = BUILD / "CMakeCache.txt"
PLAIN = CACHE.exists() and "SLUICE_SANITIZE:STRING=\n" in CACHE.read_text()  # libraries with sanitizers are not for others


@unittest.skipUnless(PLAIN, "only a build without sanitizers is installed")
@unittest.skipUnless(sys.platform == "linux", "the names of the libraries are those of Linux")
class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = Path(tempfile.mkdtemp(prefix="sluice-install-"))
        cls.addClassCleanup(shutil.rmtree, cls.scratch)
        run("cmake", "--install", BUILD, "--prefix", cls.scratch / "first")
        cls.prefix = cls.scratch / "moved"
        (cls.scratch / "first").rename(cls.prefix)
        cls.lib = next(cls.prefix.rglob("libsluice.a")).parent
        cls.app = cls.scratch / "app"
        shutil.copytree(PROJECTS / "installed", cls.app)
        for example in ("turn.c", "turn.cpp"):
            shutil.copy(EXAMPLES / example, cls.app)

    def plays(self, *program, **environment):
        """A turn whose call is allowed, and one whose call is not."""
        for answer, status in (("y", "success"), ("n", "denied")):
            lines = [json.loads(line) for line in run(*program, stdin=answer + "\n", **environment).splitlines()]
            message = lines.pop()
            self.assertEqual([event["type"] for event in lines if event["type"] in ("request", "approval", "execute", "done")],
                             ["request", "approval", *(["execute"] if answer == "y" else []), "request", "done"])
            self.assertEqual([block.get("text") or block["status"] for block in message["blocks"]], ["I will. ", status, "Done."])

    def pkg_config(self, *words):
        return run("pkg-config", *words, "sluice", PKG_CONFIG_PATH=str(self.lib / "pkgconfig")).split()

    def test_everything_is_there(self):
        files = {str(path.relative_to(self.prefix)) for path in self.prefix.rglob("*") if not path.is_dir()}
        lib, cmake = self.lib.relative_to(self.prefix), "cmake/sluice"
        self.assertEqual(files, {
            "include/sluice/sluice.h", "include/sluice/sluice.hpp",
            *(f"{lib}/{name}" for name in (
                "libsluice.a", "libsluice.so", f"libsluice.so.{MAJOR}", f"libsluice.so.{MAJOR}.{MINOR}.{PATCH}", "pkgconfig/sluice.pc",
                f"{cmake}/sluiceConfig.cmake", f"{cmake}/sluiceConfigVersion.cmake",
                f"{cmake}/sluiceShared.cmake", f"{cmake}/sluiceShared-release.cmake",
                f"{cmake}/sluiceStatic.cmake", f"{cmake}/sluiceStatic-release.cmake")),
            *(f"share/doc/sluice/{name}" for name in ("LICENSE", "documents.md", "note.c", "turn.c", "turn.cpp")),
        })
        self.assertEqual(os.readlink(self.lib / "libsluice.so"), f"libsluice.so.{MAJOR}")
        self.assertEqual(os.readlink(self.lib / f"libsluice.so.{MAJOR}"), f"libsluice.so.{MAJOR}.{MINOR}.{PATCH}")

    def test_nothing_names_a_folder_of_this_machine(self):
        for path in (*self.lib.rglob("*.cmake"), *self.lib.rglob("*.pc")):
            for folder in (ROOT, self.scratch):
                self.assertNotIn(str(folder), path.read_text(), path.name)

    def test_a_project_finds_it_by_find_package(self):
        build = self.scratch / "by-cmake"
        run("cmake", "-S", self.app, "-B", build, "-DCMAKE_BUILD_TYPE=Debug", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        log = run("cmake", "--build", build, "--verbose")
        self.assertEqual(len(re.findall(r"-DSLUICE_STATIC\b", log)), 1)  # turn_static, and only its source
        for name in ("turn_c", "turn_cpp", "turn_static"):
            with self.subTest(name):
                self.plays(build / name)
                needed = run("objdump", "-p", build / name)
                self.assertEqual(f"libsluice.so.{MAJOR}" in needed, name != "turn_static")
        # 0.x promises nothing between its minor versions.
        wrong = run("cmake", "-S", self.app, "-B", build, f"-DWANTED={MAJOR}.{MINOR + 1}", fails=True)
        self.assertIn("that is compatible with requested version", " ".join(wrong.split()))

    @unittest.skipUnless(shutil.which("pkg-config"), "there is no pkg-config (Debian: apt-get install pkgconf)")
    def test_a_program_finds_it_by_pkg_config(self):
        self.assertEqual(run("pkg-config", "--modversion", "sluice", PKG_CONFIG_PATH=str(self.lib / "pkgconfig")).strip(), f"{MAJOR}.{MINOR}.{PATCH}")
        shared, static = self.scratch / "pc-shared", self.scratch / "pc-static"
        run(CC, self.app / "turn.c", "-o", shared, *self.pkg_config("--cflags", "--libs"))
        self.plays(shared, LD_LIBRARY_PATH=str(self.lib))
        run(CC, "-static", self.app / "turn.c", "-o", static, *self.pkg_config("--static", "--cflags", "--libs"))
        self.plays(static)

    def test_a_program_finds_it_by_its_folder(self):
        shared, static = self.scratch / "cc-shared", self.scratch / "cc-static"
        flags = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Werror", f"-I{self.prefix}/include", self.app / "turn.c"]
        run(CC, *flags, "-o", shared, f"-L{self.lib}", "-lsluice", f"-Wl,-rpath,{self.lib}")
        self.plays(shared)
        run(CC, *flags, "-o", static, self.lib / "libsluice.a", "-lstdc++", "-lm")
        self.plays(static)


@unittest.skipUnless(PLAIN, "only a build without sanitizers is installed")
class Within(unittest.TestCase):
    """As a part of another project. Configured only: tests/package/library.test.mjs builds it."""

    def configure(self, *options, fails=False):
        with tempfile.TemporaryDirectory() as folder:
            app = Path(folder) / "app"
            shutil.copytree(PROJECTS / "subdirectory", app)
            shutil.copy(EXAMPLES / "turn.c", app)
            # Whoever asks for node fails, and so does whoever goes into the network.
            node = Path(folder) / "bin" / "node"
            node.parent.mkdir()
            node.write_text(f"#!/bin/sh\ntouch {folder}/asked\nexit 1\n")
            node.chmod(0o755)
            said = run("cmake", "-S", app, "-B", Path(folder) / "build", f"-DSLUICE_SOURCE={ROOT}", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *options, fails=fails,
                       PATH=f"{node.parent}{os.pathsep}{os.environ['PATH']}", https_proxy="http://127.0.0.1:1", http_proxy="http://127.0.0.1:1")
            self.assertFalse((Path(folder) / "asked").exists(), "it asked for node")
            commands = Path(folder) / "build" / "compile_commands.json"
            self.commands = json.loads(commands.read_text()) if commands.exists() else []
            return said

    def test_it_is_a_library_and_nothing_else(self):
        for way in ("add_subdirectory", "FetchContent"):
            with self.subTest(way):
                said = self.configure(f"-DWAY={way}")
                for name in ("ADDON", "TESTS", "BENCH", "FUZZ", "INSTALL"):
                    self.assertIn(f"-- SLUICE_{name}=OFF\n", said)
                targets = re.search(r"^-- targets=(.*)$", said, re.MULTILINE)[1].split(";")
                self.assertLessEqual(set(targets), {"sluice", "sluice_static", "sluice_core", "sluice_flags", "sluice_simdjson"})
                own = [one["command"] for one in self.commands if one["file"].endswith("turn.c")]
                self.assertEqual(["SLUICE_STATIC" in command for command in own], [False, True])
                for command in own:  # neither the warnings of Sluice nor its insides
                    self.assertNotRegex(command, r"-Wshadow|native/src")

    def test_without_a_simdjson_it_says_what_to_do(self):
        said = self.configure("-DSLUICE_NODE_MODULES=/nonexistent", "-DCMAKE_DISABLE_FIND_PACKAGE_simdjson=ON", fails=True)
        for word in ("simdjson 3.9 or newer", "CMAKE_PREFIX_PATH", "SLUICE_SIMDJSON"):
            self.assertIn(word, " ".join(said.split()))

    def test_a_folder_that_holds_no_simdjson_is_refused(self):
        self.assertIn("no simdjson.cpp in", " ".join(self.configure("-DSLUICE_SIMDJSON=/nonexistent", fails=True).split()))


@unittest.skipUnless(PLAIN, "only a build without sanitizers is configured")
class Alone(unittest.TestCase):
    """As a project of its own, configured without a network."""

    def configure(self, *options, fails=False):
        with tempfile.TemporaryDirectory() as folder:
            return run("cmake", "-S", ROOT, "-B", folder, "-DSLUICE_ADDON=OFF", *options, fails=fails, https_proxy="http://127.0.0.1:1", http_proxy="http://127.0.0.1:1")

    def test_it_wants_no_tests_and_no_network(self):
        said = self.configure()
        self.assertIn("Build files have been written", said)
        self.assertNotIn("fetching", said)

    def test_without_a_simdjson_it_names_the_ways_out(self):
        said = " ".join(self.configure("-DSLUICE_NODE_MODULES=/nonexistent", "-DCMAKE_DISABLE_FIND_PACKAGE_simdjson=ON", fails=True).split())
        for words in ("simdjson 3.9 or newer", "npm ci", "apt-get install libsimdjson-dev", "SLUICE_SIMDJSON", "-DSLUICE_FETCH=ON"):
            self.assertIn(words, said)

    def test_tests_without_their_libraries_say_what_to_install(self):
        said = " ".join(self.configure("-DSLUICE_TESTS=ON", "-DCMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON", fails=True).split())
        for words in ("nlohmann_json 3.11", "nlohmann-json3-dev", "-DSLUICE_FETCH=ON"):
            self.assertIn(words, said)


class Build(unittest.TestCase):
    @unittest.skipUnless(CACHE.exists(), "the library was not built by CMake here")
    def test_no_source_is_compiled_with_extensions_of_the_compiler(self):
        files = [path for name in ("build.ninja", "flags.make") for path in BUILD.rglob(name)]
        said = {standard for path in files for standard in re.findall(r"-std=\S+", path.read_text())}
        self.assertIn("-std=c++20", said)
        self.assertEqual([standard for standard in said if "gnu" in standard], [])

    def test_the_version_is_the_same_everywhere(self):
        header = (ROOT / "native/include/sluice/sluice.h").read_text(encoding="utf-8")
        macros = tuple(int(re.search(rf"^#define SLUICE_VERSION_{part} (\d+)$", header, re.MULTILINE)[1]) for part in ("MAJOR", "MINOR", "PATCH"))
        cmake = re.search(r"^project\(sluice VERSION (\d+)\.(\d+)\.(\d+)", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)
        manifests = [json.loads((ROOT / name).read_text(encoding="utf-8"))["version"] for name in ("package.json", "native/packaging/vcpkg/vcpkg.json")]
        self.assertEqual({macros, tuple(map(int, cmake.groups())), *(tuple(map(int, one.split("."))) for one in manifests)}, {VERSION})


if __name__ == "__main__":
    unittest.main()
