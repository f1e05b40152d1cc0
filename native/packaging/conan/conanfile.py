"""A recipe for Conan 2. It builds the checkout that it is in."""

import re
from pathlib import Path

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy


class Sluice(ConanFile):
    name = "sluice"
    description = "One LLM turn as one unbroken message: streamed text, tool calls in place, approvals"
    license = "Apache-2.0"
    package_type = "library"
    settings = "os", "compiler", "build_type", "arch"
    options = {"shared": [True, False], "fPIC": [True, False]}
    default_options = {"shared": False, "fPIC": True}
    implements = ["auto_shared_fpic"]

    def set_version(self):
        text = (Path(self.recipe_folder).parents[2] / "CMakeLists.txt").read_text(encoding="utf-8")
        self.version = re.search(r"project\(sluice VERSION (\S+)", text)[1]

    def export_sources(self):
        root = Path(self.recipe_folder).parents[2]
        for pattern in ("CMakeLists.txt", "LICENSE", "native/*"):
            copy(self, pattern, src=str(root), dst=self.export_sources_folder)

    def requirements(self):
        self.requires("simdjson/[>=3.9 <4]")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["SLUICE_SHARED"] = bool(self.options.shared)
        for name in ("ADDON", "TESTS", "BENCH"):
            toolchain.cache_variables[f"SLUICE_{name}"] = False
        toolchain.cache_variables["SLUICE_NODE_MODULES"] = ""  # simdjson is Conan's
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):
        # The installed sluiceConfig.cmake says more than Conan would write.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["lib/cmake/sluice"]
        self.cpp_info.libs = ["sluice"]
        if not self.options.shared:
            self.cpp_info.defines = ["SLUICE_STATIC"]
            if self.settings.os in ("Linux", "FreeBSD"):
                self.cpp_info.system_libs = ["m"]
