"""Runs the recipe of Conan with the stand-ins beside this file: run_conan.py <recipe folder> <scratch> <simdjson> <shared|static>."""

import importlib.util
import json
import sys
from pathlib import Path

recipe_folder, scratch, simdjson, kind = Path(sys.argv[1]).resolve(), *sys.argv[2:]
spec = importlib.util.spec_from_file_location("conanfile", recipe_folder / "conanfile.py")
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
recipe = module.Sluice(recipe_folder, scratch, simdjson, kind == "shared")
recipe.set_version()
recipe.export_sources()
recipe.requirements()
recipe.layout()
recipe.generate()
from conan.tools.cmake import CMake  # noqa: E402

CMake(recipe).configure()
recipe.package_info()
print(json.dumps({"version": recipe.version, "requires": recipe.required, "variables": recipe.variables,
                  "defines": getattr(recipe.cpp_info, "defines", []), "libs": recipe.cpp_info.libs}))
