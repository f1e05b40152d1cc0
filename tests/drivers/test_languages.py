"""Every binding is built, runs its example, and answers a transcript of all shared scripts byte for byte as the library does. README.md has more."""

import os
import re
import subprocess
import unittest
from concurrent.futures import ThreadPoolExecutor
from itertools import zip_longest

import languages
import transcript
from languages import BUILD, Missing, environment, run

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
        self.assertRegex(run(*self.language.example(), **self.language.settings()), r"^Noted: you will not forget it\.\ncompleted")

    def test_the_driver_answers_every_script_as_the_library_does(self):
        self.ready()
        ended, said = answered[self.language.name].result()
        self.assertEqual(first_difference(self.language), "", said)
        self.assertEqual(ended, 0, said)


for language in LANGUAGES:
    own = {"language": language} if language.example() else {"language": language, Tests.test_the_example_runs_a_turn_with_a_call_that_is_approved.__name__: None}
    globals()[type(language).__name__] = type(type(language).__name__, (Tests, unittest.TestCase), own)


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
        elsewhere = {"node": [step], "wasm": [step, languages.ROOT / "js" / "src" / "core" / "wasm.ts"]}
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
