"""Every binding is built, runs its example, and answers a transcript of all shared scripts byte for byte as the library does. README.md has more."""

import json
import os
import re
import socket
import subprocess
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from itertools import zip_longest

import languages
import transcript
from languages import BUILD, Missing, environment

TRANSCRIPT = BUILD / "transcript"
LANGUAGES = [
    languages.C(), languages.Addon(), languages.WebAssembly(), languages.Python(), languages.Rust(), languages.Go(), languages.CSharp(), languages.Java(), languages.LuaJIT(),
    languages.Bun(), languages.Deno(),
]
prepared, answered = {}, {}  # what will have been done, by language


def setUpModule():
    """Writes the transcript while everything is built, then plays it through all drivers, as many at once as there are processors."""
    processors = max(2, os.cpu_count() or 2)
    builders = ThreadPoolExecutor(processors - 1)
    for language in LANGUAGES:
        prepared[language.name] = builders.submit(language.prepare)
    transcript.write(TRANSCRIPT)
    players = ThreadPoolExecutor(processors)
    for language in LANGUAGES:
        answered[language.name] = players.submit(play, language)
    for pool in (builders, players):
        pool.shutdown(wait=False)


def play(language):
    """Plays the transcript through a driver; returns what it said on the way, and how it ended."""
    prepared[language.name].result()
    with open(TRANSCRIPT / "lines", "rb") as lines, open(language.out("answers"), "wb") as answers:
        command = [str(word) for word in language.driver()]
        done = subprocess.run(command, stdin=lines, stdout=answers, stderr=subprocess.PIPE, env=environment(**language.settings()))
    return done.returncode, done.stderr.decode(errors="replace")[-2000:]


def first_difference(language):
    """The first line that was answered otherwise than by the library; empty: none was."""
    if os.path.getsize(language.out("answers")) == os.path.getsize(TRANSCRIPT / "answers") and \
            subprocess.run(["cmp", "-s", language.out("answers"), TRANSCRIPT / "answers"]).returncode == 0:
        return ""
    with open(TRANSCRIPT / "lines", "rb") as lines, open(TRANSCRIPT / "answers", "rb") as expected, open(language.out("answers"), "rb") as answers:
        for number, (asked, wanted, told) in enumerate(zip_longest(lines, expected, answers), 1):
            if wanted != told:
                at = next((i for i, (a, b) in enumerate(zip(wanted or b"", told or b"")) if a != b), 0)
                around = slice(max(0, at - 200), at + 200)
                return f"line {number}: {(asked or b'')[:400]}\n  expected …{(wanted or b'nothing')[around]}…\n  got      …{(told or b'nothing')[around]}…"
    return "the files differ"


@contextmanager
def started(*command, **settings):
    """A program whose output is read while it runs; it is ended after two minutes."""
    with subprocess.Popen([str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(**settings)) as program:
        late = threading.Timer(120, program.kill)
        late.start()
        try:
            yield program
        finally:
            late.cancel()
            program.kill()


class ScriptedServer:
    """server.mjs, which the examples talk to."""

    def __enter__(self):
        self._stack = ExitStack()
        self._program = self._stack.enter_context(started("node", languages.DRIVERS / "server.mjs"))
        self.base_url = self._program.stdout.readline().decode().strip()
        return self

    def go_on(self):
        """The first answer goes on behind its first words."""
        self._program.stdin.write(b"\n")
        self._program.stdin.flush()

    def __exit__(self, *_):
        with self._stack:
            told, _ = self._program.communicate()
            self.requests = json.loads(told)


class Tests:
    """For every language the same."""

    language = None

    def ready(self):
        try:
            prepared[self.language.name].result()
        except Missing as why:
            self.skipTest(str(why))

    def test_the_binding_is_built_and_passes_its_own_tests(self):
        self.ready()
        self.language.tests()

    def test_the_example_runs_a_turn_with_a_call_that_is_approved(self):
        self.ready()
        with ScriptedServer() as server, started(*self.language.example(), server.base_url, **self.language.settings()) as example:
            words = example.stdout.read(len("Noted: "))
            self.assertEqual(words, b"Noted: ", "text is shown while the answer still comes")
            server.go_on()
            self.assertRegex((words + example.stdout.read()).decode(), r"^Noted: you will not forget it\.\ncompleted")
            self.assertEqual(example.wait(), 0)
        first, second = server.requests
        self.assertEqual({first["path"], second["path"]}, {"/v1/chat/completions"})
        *_, result = second["body"]["messages"]
        self.assertEqual(first["body"]["messages"], second["body"]["messages"][:1])
        self.assertEqual(result["role"], "tool")
        self.assertRegex(result["content"], "^noted")

    def test_the_example_says_where_nobody_answers(self):
        self.ready()
        with socket.create_server(("127.0.0.1", 0)) as free:
            nobody = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
        done = subprocess.run([str(word) for word in self.language.example()], capture_output=True, text=True,
                              env=environment(**self.language.settings(), SLUICE_BASE_URL=nobody), timeout=120)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, r"127\.0\.0\.1")
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_the_driver_answers_every_script_as_the_library_does(self):
        self.ready()
        ended, said = answered[self.language.name].result()
        self.assertEqual(first_difference(self.language), "", said)
        self.assertEqual(ended, 0, said)


for language in LANGUAGES:
    without = {} if language.example() else {name: None for name in vars(Tests) if name.startswith("test_the_example")}
    globals()[type(language).__name__] = type(type(language).__name__, (Tests, unittest.TestCase), {"language": language, **without})


class Transcript(unittest.TestCase):
    @unittest.skipIf(os.environ.get("SLUICE_SCRIPT"), "SLUICE_SCRIPT leaves scripts out")
    def test_every_verb_stands_in_it(self):
        verbs = set(re.findall(r"^\| (`.*?`) \|", (languages.DRIVERS / "README.md").read_text().split("| `do` |")[1], re.MULTILINE))
        verbs = set(re.findall(r"`(\w+)`", " ".join(verbs)))
        self.assertGreater(len(verbs), 20)
        with open(TRANSCRIPT / "lines", "rb") as lines:
            self.assertEqual({line.split(b'"', 4)[3].decode() for line in lines}, verbs)

    def test_an_answer_that_differs_by_a_byte_is_found(self):
        class Wrong:
            def out(self, name):
                return BUILD / f"wrong-{name}"

        right = (TRANSCRIPT / "answers").read_bytes()
        wrong = bytearray(right)
        wrong[len(wrong) // 2] ^= 1
        self.addCleanup(Wrong().out("answers").unlink)
        for answers, same in ((wrong, False), (right[:-3], False), (right, True)):
            Wrong().out("answers").write_bytes(answers)
            self.assertEqual(first_difference(Wrong()) == "", same)


class Bindings(unittest.TestCase):
    def test_every_one_declares_every_function(self):
        names = (languages.ROOT / "tests" / "abi" / "exports.txt").read_text().split()
        self.assertGreater(len(names), 20)
        step = languages.BINDINGS / "step.h"  # what the two builds of the npm package share
        elsewhere = {"node": [step], "wasm": [step, languages.ROOT / "js" / "src" / "engine" / "core" / "wasm.ts"]}
        folders = [folder for folder in languages.BINDINGS.iterdir() if folder.is_dir()]
        self.assertGreater(len(folders), 8)
        for folder in folders:
            with self.subTest(folder.name):
                files = [path for path in folder.rglob("*") if path.suffix in (".py", ".rs", ".go", ".cs", ".java", ".lua", ".ts", ".cpp")]
                text = "".join(path.read_text(errors="replace") for path in files + elsewhere.get(folder.name, []))
                self.assertEqual([name for name in names if not re.search(rf"\b{name}\b", text)], [])

    def test_every_binding_has_the_version_of_the_library(self):
        wanted = re.search(r"project\(sluice VERSION ([\d.]+)", (languages.ROOT / "CMakeLists.txt").read_text()).group(1)
        for path in ("python/pyproject.toml", "rust/Cargo.toml", "lua/sluice-0.1.0-1.rockspec", "bun-deno/package.json", "bun-deno/deno.json", "java/pom.xml",
                     "csharp/Sluice.csproj"):
            with self.subTest(path):
                self.assertRegex((languages.BINDINGS / path).read_text(), rf'(?i)version"?( = |: |>)"?{re.escape(wanted)}[-"<]')


if __name__ == "__main__":
    unittest.main()
