import fnmatch
import shutil
from pathlib import Path


def copy(recipe, pattern, src, dst):
    for path in Path(src).joinpath(pattern.split("*")[0]).rglob("*") if "*" in pattern else [Path(src) / pattern]:
        name = path.relative_to(src)
        if path.is_file() and fnmatch.fnmatch(str(name), pattern):
            target = Path(dst) / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
