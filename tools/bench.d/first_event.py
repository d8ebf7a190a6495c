# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""The time from `swift package init` to the first event of a program that depends on this package.

tools/bench first-event    a cold build; the limit is for two cores with nothing else to do
"""

import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

LIMIT = 90  # s, on two cores
ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = """import Beacons

let session = BeaconSession(try CaptureSource(path: CommandLine.arguments[1]))
let visitor = try await session.connect()
let museum = try IdentityConstraint(parsing: "F7826DA6-4FA2-4E98-8024-BC5B71E0893E")
try await session.run {
  await visitor.startMonitoring(Region("museum", museum))
  for await event in visitor.regionEvents { return print(event) }
}
"""


def run(folder, *command):
    return subprocess.run(command, cwd=folder, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True).stdout


def main():
    if len(sys.argv) > 1:
        return print(__doc__)
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place, "first")
        folder.mkdir()
        begun = time.monotonic()
        run(folder, "swift", "package", "init", "--type", "executable", "--name", "first")
        run(folder, "swift", "package", "add-dependency", str(ROOT), "--type", "path")
        run(folder, "swift", "package", "add-target-dependency", "Beacons", "first", "--package", ROOT.name)
        next(folder.glob("Sources/**/*.swift")).write_text(PROGRAM)
        event = run(folder, "swift", "run", "first", str(ROOT / "Fixtures/captures/walk.btsnoop"))
        wall = time.monotonic() - begun
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"first event: {event.strip()}")
    print(f"{wall:.0f} s from 'swift package init' (limit {LIMIT} s), {used.ru_utime + used.ru_stime:.0f} s of CPU,"
          f" load {os.getloadavg()[0]:.0f} on {os.cpu_count()} cores")
    # On a machine that others keep busy, only the CPU time decides.
    isBusy = os.getloadavg()[0] > os.cpu_count() + 2
    sys.exit(used.ru_utime + used.ru_stime > 2 * LIMIT or wall > LIMIT and not isBusy)


if __name__ == "__main__":
    main()
