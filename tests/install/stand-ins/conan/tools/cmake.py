import subprocess


def cmake_layout(recipe):
    pass


class CMakeDeps:
    def __init__(self, recipe):
        self.recipe = recipe

    def generate(self):
        assert self.recipe.required, "requirements() comes before generate()"


class CMakeToolchain:
    def __init__(self, recipe):
        self.recipe, self.cache_variables = recipe, {}

    def generate(self):
        self.recipe.variables = self.cache_variables


class CMake:
    def __init__(self, recipe):
        self.recipe = recipe

    def configure(self):
        recipe, words = self.recipe, {True: "ON", False: "OFF"}
        variables = {"CMAKE_BUILD_TYPE": recipe.settings.build_type, "CMAKE_PREFIX_PATH": recipe.simdjson, "FETCHCONTENT_FULLY_DISCONNECTED": True} | recipe.variables
        options = [f"-D{name}={words.get(value, value)}" for name, value in variables.items()]
        subprocess.run(["cmake", "-S", recipe.export_sources_folder, "-B", recipe.build_folder, *options], check=True, stdout=subprocess.DEVNULL)

    def build(self):
        subprocess.run(["cmake", "--build", self.recipe.build_folder, "--parallel"], check=True, stdout=subprocess.DEVNULL)

    def install(self):
        subprocess.run(["cmake", "--install", self.recipe.build_folder, "--prefix", self.recipe.package_folder], check=True, stdout=subprocess.DEVNULL)
