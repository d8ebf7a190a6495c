# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Proves the package's units in the virtual radio's machine, with systemd as its first process and the real bluetoothd.

  service.py PACKAGE NEXT-PACKAGE FOLDER    installed, started, upgraded while it records, removed, purged
"""

import shutil
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
RADIO = ROOT / "tools/virtual-radio.d"
sys.path.insert(0, str(RADIO))

import machine  # noqa: E402
import scenario  # noqa: E402

# A machine on two idle cores needs some minutes; a busy one much longer.
LIMIT = 2400


def main() -> int:
    package, following, folder = map(Path, sys.argv[1:])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copy(package, folder / "old.deb")
    shutil.copy(following, folder / "next.deb")
    shutil.copy(ROOT / "tools/package.d/service.sh", folder)
    shutil.copy(RADIO / "client.py", folder)
    machine.lay_unit(folder, "/bin/bash /mnt/service.sh", "said")
    (folder / "schedule").write_text(list(scenario.load("plain").schedules(ROOT))[0])
    try:
        machine.install_packages(more=machine.SYSTEMD_PACKAGES)
        kernel = machine.kernel()
    except machine.Unavailable as error:
        print(f"service: {error}")
        return 69
    machine.compile_part(RADIO / "controller.c", folder / "controller")
    machine.make_initramfs(kernel, None, folder / "initramfs.gz")
    virtual = machine.boot(kernel, folder / "initramfs.gz", folder)
    try:
        virtual.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        virtual.kill()
        virtual.wait()
    said = folder / "said"
    text = said.read_text() if said.exists() else "the machine did not come up; see console.log\n"
    print(text, end="")
    return 0 if text.endswith("the service holds\n") else 1


if __name__ == "__main__":
    sys.exit(main())
