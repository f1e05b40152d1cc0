"""Makes the wheel: the package with the library inside. A backend of PEP 517 that needs nothing but Python, so that `pip wheel .` works without a network.

    python3 sluice_wheel.py [folder]     default: dist

The library is $SLUICE_LIBRARY, or the release build of the checkout. The wheel is for this platform; $SLUICE_PLATFORM names another one, by its tag:
manylinux_2_28_x86_64.
"""

import base64
import hashlib
import os
import re
import sys
import sysconfig
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel into the folder, and returns its name."""
    version = re.search(r'^version = "(.*)"$', (HERE / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE).group(1)
    platform = os.environ.get("SLUICE_PLATFORM") or re.sub(r"[-.]", "_", sysconfig.get_platform())
    library = built_library()
    files = {f"sluice/{path.name}": path.read_bytes() for path in sorted((HERE / "sluice").iterdir()) if path.suffix in (".py", ".typed")}
    files[f"sluice/{library.name}"] = library.read_bytes()
    files.update(metadata(version, f"py3-none-{platform}"))
    files[f"sluice-{version}.dist-info/RECORD"] = record(files, f"sluice-{version}.dist-info")
    name = f"sluice-{version}-py3-none-{platform}.whl"
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, (2020, 1, 1, 0, 0, 0))  # the same sources give the same file
            entry.external_attr = 0o100644 << 16
            wheel.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return name


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("there is no sdist: the library is built from Sluice's own sources; build a wheel in a checkout of them")


def built_library():
    sys.path.insert(0, str(HERE))
    from sluice import library_path

    path = Path(library_path())
    if not path.exists():
        raise FileNotFoundError(f"{path} is not there: build it (npm run build), or name it in SLUICE_LIBRARY")
    return path


def metadata(version, tag):
    """What the wheel says of itself."""
    folder = f"sluice-{version}.dist-info"
    readme = (HERE / "README.md").read_text(encoding="utf-8")
    return {
        f"{folder}/METADATA": f"Metadata-Version: 2.1\nName: sluice\nVersion: {version}\nSummary: One LLM turn as one unbroken message\n"
                              f"License: Apache-2.0\nRequires-Python: >=3.9\nDescription-Content-Type: text/markdown\n\n{readme}".encode(),
        f"{folder}/WHEEL": f"Wheel-Version: 1.0\nGenerator: sluice_wheel\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(),
    }


def record(files, folder):
    """The list of all files with their hashes, in which it stands without one."""
    lines = [f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}" for path, data in files.items()]
    return "\n".join([*lines, f"{folder}/RECORD,,"]).encode() + b"\n"


if __name__ == "__main__":
    target = Path(sys.argv[1] if len(sys.argv) > 1 else "dist")
    target.mkdir(parents=True, exist_ok=True)
    print(target / build_wheel(target))
