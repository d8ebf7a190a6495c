# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""The cache of the benches: compiled helpers, captures, programs of others. None of it is part of the project."""

import os
import shlex
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CACHE = Path(os.environ.get("TMPDIR", "/tmp")) / "beacons-bench"


def compiled(name, library=None):
    """Returns a C program of this folder, compiled when its source is newer; `library` is pkg-config's name of one."""
    program, source = CACHE / name, HERE / f"{name}.c"
    sources = [source, *HERE.glob("*.h")]
    if not program.exists() or program.stat().st_mtime < max(file.stat().st_mtime for file in sources):
        CACHE.mkdir(parents=True, exist_ok=True)
        flags = []
        if library:
            asked = ["pkg-config", "--cflags", "--libs", library]
            flags = subprocess.run(asked, check=True, capture_output=True, text=True).stdout.split()
        subprocess.run(["cc", "-O3", "-Wall", "-Wextra", "-Werror", "-o", program, source, *flags], check=True)
    return program


def capture(reports=5_000_000, identities=200, uuids=1, rate=1000, share=50, seed=1):
    """Returns a generated capture; the same options give the same bytes, so it is generated only once."""
    options = dict(reports=reports, identities=identities, uuids=uuids, rate=rate, share=share, seed=seed)
    maker = compiled("make_capture")
    path = CACHE / ("-".join(f"{name}{value}" for name, value in options.items()) + ".btsnoop")
    if not path.exists() or path.stat().st_mtime < maker.stat().st_mtime:
        partial = path.with_suffix(".partial")
        words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
        subprocess.run([maker, *words, partial], check=True)
        partial.rename(path)
    return path


def release_beaconctl():
    """Builds the release and returns the command."""
    build = ["swift", "build", "-c", "release", "--product", "beaconctl"]
    subprocess.run(build, cwd=ROOT, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    folder = subprocess.run([*build[:4], "--show-bin-path"], cwd=ROOT, check=True, capture_output=True, text=True)
    return Path(folder.stdout.strip()) / "beaconctl"


def scratch_file():
    """Returns the path of a new empty file in the cache."""
    CACHE.mkdir(parents=True, exist_ok=True)
    handle, path = tempfile.mkstemp(dir=CACHE)
    os.close(handle)
    return Path(path)


def shown(command):
    """Returns a command as a user would type it, shortened if it is very long."""
    text = shlex.join(map(str, command))
    return text if len(text) < 200 else text[:197] + "…"
