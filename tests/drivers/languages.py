"""What a language needs for its tests: programs, a build, an example, a driver. Each is built on its own, beside the others."""

import json
import os
import shutil
import subprocess
import threading
from pathlib import Path

DRIVERS = Path(__file__).resolve().parent
ROOT = DRIVERS.parents[1]
BINDINGS = ROOT / "bindings"
RUNTIMES = ROOT / "tests" / "package" / "runtimes"
BUILD = ROOT / "build" / "languages"
LIBRARY = Path(os.environ.get("SLUICE_LIBRARY") or ROOT / "build" / "release" / "libsluice.so")
ADDON = Path(os.environ.get("SLUICE_ADDON") or ROOT / "build" / "release" / "sluice.node")
WASM = ROOT / "js" / "prebuilds" / "wasm" / "sluice.wasm"


installing = threading.Lock()  # Bun and Deno are installed together


class Missing(Exception):
    """Something that cannot be had here: the tests of the language are skipped."""


def environment(**more):
    return {**os.environ, "SLUICE_LIBRARY": str(LIBRARY), "SLUICE_LIBRARY_DIR": str(LIBRARY.parent), "LD_LIBRARY_PATH": str(LIBRARY.parent), **more}


def run(*command, folder=ROOT, **more):
    """What a program prints; an AssertionError with everything it said where it fails."""
    done = subprocess.run([str(word) for word in command], cwd=folder, env=environment(**more), capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, command))} ended with {done.returncode}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}")
    return done.stdout


class Language:
    name = ""
    programs = ()  # all of them are needed

    def build(self):
        """Builds the binding, its example and its driver."""

    def example(self):
        """The command of the example; None: it has none of its own."""
        raise NotImplementedError

    def driver(self):
        """The command of the driver."""
        raise NotImplementedError

    def tests(self):
        """Runs what tests the binding has of its own. An AssertionError says what failed."""

    def settings(self):
        """Environment variables of the example and the driver."""
        return {}

    def prepare(self):
        for program in self.programs:
            if not shutil.which(program):
                raise Missing(f"{self.name}: there is no {program} here")
        (BUILD / self.folder).mkdir(parents=True, exist_ok=True)
        self.build()

    @property
    def folder(self):
        return type(self).__name__.lower()

    def out(self, name):
        return BUILD / self.folder / name


class C(Language):
    name = "C"
    programs = ("cc",)
    flags = ("-std=c99", "-O1", "-pedantic", "-Wall", "-Wextra", "-Werror", "-I", ROOT / "native" / "include")

    def build(self):
        run("cc", *self.flags, DRIVERS / "driver.c", LIBRARY, "-o", self.out("driver"))
        run("cc", *self.flags, ROOT / "tests" / "ffi" / "smoke.c", LIBRARY, "-o", self.out("smoke"))
        run("cc", *self.flags, ROOT / "native" / "examples" / "note.c", LIBRARY, "-o", self.out("note"))

    def example(self):
        return [self.out("note")]

    def driver(self):
        return [self.out("driver")]

    def tests(self):
        run(self.out("smoke"))


class Addon(Language):
    """The npm package, right above its addon; its examples are those of the project's pages."""

    name = "the addon"
    programs = ("node",)
    backend, file = "addon", ADDON

    def build(self):
        if not self.file.exists():
            raise Missing(f"{self.name}: {self.file} was not built")

    def settings(self):
        return {"SLUICE_BACKEND": self.backend, "SLUICE_ADDON": str(ADDON)}

    def example(self):
        return None

    def driver(self):
        return ["node", DRIVERS / "driver.mjs"]


class WebAssembly(Addon):
    name = "WebAssembly"
    backend, file = "wasm", WASM


class Python(Language):
    name = "Python"
    programs = ("python3",)

    def build(self):
        """Installs the wheel, with the library inside: nothing names another one."""
        wheel = run("python3", BINDINGS / "python" / "sluice_wheel.py", self.out("wheel")).strip()
        shutil.rmtree(self.out("site"), ignore_errors=True)
        shutil.unpack_archive(ROOT / wheel, self.out("site"), "zip")

    def settings(self):
        return {"PYTHONPATH": str(self.out("site")), "PYTHONUNBUFFERED": "", "SLUICE_LIBRARY": ""}

    def example(self):
        return ["python3", BINDINGS / "python" / "example.py"]

    def driver(self):
        return ["python3", DRIVERS / "driver.py"]


class Rust(Language):
    name = "Rust"
    programs = ("cargo",)

    def cargo(self, folder, *words):
        run("cargo", *words, "--offline", "--release", folder=folder, CARGO_TARGET_DIR=str(self.out("target")))

    def build(self):
        self.cargo(DRIVERS / "rust", "build")
        self.cargo(BINDINGS / "rust", "build", "--examples")

    def example(self):
        return [self.out("target/release/examples/note")]

    def driver(self):
        return [self.out("target/release/sluice-driver")]

    def tests(self):
        self.cargo(BINDINGS / "rust", "test")


class CSharp(Language):
    name = "C#"
    programs = ("mcs", "mono")

    def build(self):
        http = Path(shutil.which("mono")).resolve().parents[1] / "lib" / "mono" / "4.5" / "System.Net.Http.dll"
        if not http.exists():
            raise Missing(f"{self.name}: there is no {http} here")
        compiler = ("mcs", "-langversion:7", "-warnaserror", "-warn:4")  # with -doc it warns of what has no comment
        library = self.out("Sluice.dll")
        run(*compiler, "-target:library", f"-doc:{self.out('Sluice.xml')}", f"-out:{library}", *sorted((BINDINGS / "csharp" / "src").glob("*.cs")))
        for source in (BINDINGS / "csharp" / "example" / "Example.cs", DRIVERS / "Driver.cs", DRIVERS / "CSharpTest.cs"):
            run(*compiler, f"-r:{library}", "-r:System.Core.dll", "-r:System.Net.Http.dll", f"-out:{self.out(source.stem)}.exe", source)

    def example(self):
        return ["mono", self.out("Example.exe")]

    def driver(self):
        return ["mono", self.out("Driver.exe")]

    def tests(self):
        run("mono", self.out("CSharpTest.exe"))


class Java(Language):
    name = "Java"
    programs = ("javac", "java")
    jna = Path("/usr/share/java/jna.jar")

    def build(self):
        if not self.jna.exists():
            raise Missing(f"{self.name}: there is no {self.jna}")
        sources = [*(BINDINGS / "java").rglob("*.java"), DRIVERS / "Driver.java", DRIVERS / "JavaTest.java"]
        run("javac", "-encoding", "UTF-8", "-Xlint:all", "-Werror", "-Xdoclint:all,-missing", "-d", self.out("classes"), "-cp", self.jna, *sources)

    def java(self, program):
        return ["java", "-Dfile.encoding=UTF-8", "-cp", f"{self.out('classes')}:{self.jna}", program]

    def example(self):
        return self.java("Example")

    def driver(self):
        return self.java("Driver")

    def tests(self):
        run(*self.java("JavaTest"))


class LuaJIT(Language):
    name = "LuaJIT"
    programs = ("luajit",)

    def settings(self):
        return {"LUA_PATH": f"{BINDINGS}/lua/?.lua;;"}

    def example(self):
        return ["luajit", BINDINGS / "lua" / "example.lua"]

    def driver(self):
        return ["luajit", DRIVERS / "driver.lua"]

    def tests(self):
        run("luajit", DRIVERS / "lua_test.lua", **self.settings())


class Bun(Language):
    name = "Bun"
    programs = ("node",)  # which installs it
    runtime, words = "@oven/bun-linux-x64/bin/bun", ()

    @property
    def command(self):
        return [RUNTIMES / "node_modules" / self.runtime, *self.words]

    def build(self):
        with installing:
            support = ROOT / "tests" / "package" / "support.mjs"
            found = json.loads(run("node", "--input-type=module", "-e", f"import {{ runtimes }} from '{support.as_uri()}'; console.log(JSON.stringify(runtimes()))"))
        if "missing" in found:
            raise Missing(f"{self.name}: {found['missing']}")
        if not self.command[0].exists():
            raise Missing(f"{self.name}: its npm package is for another platform")

    def example(self):
        return [*self.command, BINDINGS / "bun-deno" / "example.ts"]

    def driver(self):
        return [*self.command, DRIVERS / "driver.ts"]

    def tests(self):
        run(*self.command, DRIVERS / "bun_deno_test.ts")


class Deno(Bun):
    name = "Deno"
    runtime, words = "@deno/linux-x64-glibc/deno", ("run", "--allow-all", "--no-config")

    def tests(self):
        super().tests()
        sources = (BINDINGS / "bun-deno" / "sluice.ts", BINDINGS / "bun-deno" / "example.ts", DRIVERS / "driver.ts", DRIVERS / "bun_deno_test.ts")
        run(self.command[0], "check", "--no-config", *sources)


class Go(Language):
    name = "Go"
    programs = ("go", "cc")
    go = {"GOFLAGS": "-mod=mod", "GOTOOLCHAIN": "local", "GOPROXY": "off"}

    def build(self):
        libraries = f"-L{LIBRARY.parent}"
        for folder, name in ((DRIVERS / "go", "driver"), (BINDINGS / "go", "example")):
            package = "." if name == "driver" else "./example"
            run("go", "build", "-o", self.out(name), package, folder=folder, CGO_LDFLAGS=libraries, GOCACHE=str(self.out("cache")), **self.go)

    def example(self):
        return [self.out("example")]

    def driver(self):
        return [self.out("driver")]

    def tests(self):
        run("go", "vet", "./...", folder=BINDINGS / "go", GOCACHE=str(self.out("cache")), **self.go)
        unformatted = run("gofmt", "-l", BINDINGS / "go", DRIVERS / "go")
        assert not unformatted, f"gofmt would change {unformatted}"
