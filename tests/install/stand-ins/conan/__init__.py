"""Stands in for Conan: what the recipe uses of it, over the real CMake."""

import os
from types import SimpleNamespace


class ConanFile:
    def __init__(self, recipe_folder, folder, simdjson, shared):
        self.recipe_folder, self.export_sources_folder = str(recipe_folder), os.path.join(folder, "sources")
        self.build_folder, self.package_folder, self.simdjson = os.path.join(folder, "build"), os.path.join(folder, "package"), str(simdjson)
        self.settings = SimpleNamespace(os="Linux", build_type="Release")
        self.options = SimpleNamespace(**{**self.default_options, "shared": shared})
        self.required, self.variables = [], {}
        self.cpp_info = SimpleNamespace(properties={})
        self.cpp_info.set_property = self.cpp_info.properties.__setitem__

    def requires(self, reference):
        self.required.append(reference)
