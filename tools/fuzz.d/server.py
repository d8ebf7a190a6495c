# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Runs a command thousands of times from its `main` (forkserver.c) and returns how each run ended."""

import os
import struct
import subprocess
from pathlib import Path

PARTS = Path(__file__).resolve().parent
# A run of a small input takes milliseconds. A run that takes more is ended by a signal, which is a fault.
CPU_SECONDS = 30
WALL_SECONDS = 60
FILE_BYTES = 64 << 20
MOST_ARGUMENTS = 256


def compile_library(folder):
    library = folder / "forkserver.so"
    words = ["cc", "-std=gnu17", "-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-Werror", "-o", library]
    subprocess.run([*words, PARTS / "forkserver.c", "-ldl"], check=True)
    return library


class Ended:
    """How a run ended: a negative code is a signal's number."""

    def __init__(self, code, cpu, megabytes, output, errors):
        self.code, self.cpu, self.megabytes, self.output, self.errors = code, cpu, megabytes, output, errors


class Server:
    """A command that was loaded once; its runs work in a folder and keep their state in it."""

    def __init__(self, command, library, folder):
        self.folder = folder
        requests, self.requests = os.pipe()
        self.answers, answers = os.pipe()
        flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC
        self.output = os.open(folder / "stdout", flags, 0o600)
        self.errors = os.open(folder / "stderr", flags, 0o600)
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "XDG_STATE_HOME": str(folder / "state"),
                       "LD_PRELOAD": str(library), "FUZZ_SERVER": "1", "LC_ALL": "C.UTF-8", "LD_BIND_NOW": "1",
                       "FUZZ_CPU_SECONDS": str(CPU_SECONDS), "FUZZ_WALL_SECONDS": str(WALL_SECONDS),
                       "FUZZ_FILE_BYTES": str(FILE_BYTES)}
        self.process = os.fork()
        if self.process == 0:
            # What interrupts the fuzzing at a terminal does not end the command under it.
            os.setsid()
            os.chdir(folder)
            # Through high numbers, since a descriptor may already have one of the numbers that the server expects.
            moved = [os.dup2(file, 100 + at) for at, file in enumerate((requests, answers, self.output, self.errors))]
            for at, file in enumerate(moved):
                os.dup2(file, 3 + at)
            os.closerange(7, 200)
            os.execve(command, ["beaconctl"] * MOST_ARGUMENTS, environment)
        os.close(requests)
        os.close(answers)

    def run(self, arguments, standard_input="/dev/null"):
        words = b"".join(os.fsencode(word) + b"\0" for word in (standard_input, "beaconctl", *arguments))
        os.write(self.requests, struct.pack("I", len(words)) + words)
        answer = os.read(self.answers, 24)
        if len(answer) != 24:
            raise SystemExit("the command cannot be run from a copy; see tools/fuzz.d/forkserver.c")
        status, cpu, kilobytes = struct.unpack("3q", answer)
        return Ended(os.waitstatus_to_exitcode(status), cpu / 1e6, kilobytes / 1024, content(self.output), content(self.errors))

    def close(self):
        os.close(self.requests)
        os.waitpid(self.process, 0)


def content(file):
    size = os.fstat(file).st_size
    return os.pread(file, size, 0) if size else b""
