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
# What a machine without hardware waits for in vain.
MASKED = (
    "systemd-tmpfiles-setup.service", "systemd-tmpfiles-setup-dev.service", "systemd-binfmt.service",
    "proc-sys-fs-binfmt_misc.automount", "systemd-update-utmp.service", "systemd-udev-trigger.service",
    "systemd-sysctl.service", "systemd-sysusers.service", "systemd-journal-flush.service", "dev-hugepages.mount",
    "systemd-modules-load.service", "modprobe@.service", "systemd-timesyncd.service",
)
TARGET = "[Unit]\nRequires=basic.target dbus.socket proof.service\nAfter=basic.target dbus.socket\n"
UNIT = """[Unit]
Requires=dbus.socket
After=basic.target dbus.socket

[Service]
Type=oneshot
ExecStart=/bin/bash /mnt/service.sh
ExecStopPost=/bin/systemctl poweroff --force --force
StandardOutput=file:/mnt/said
StandardError=file:/mnt/said
"""


def init() -> str:
    """The virtual radio's first program, which hands over to systemd instead of a Python program."""
    before, after = machine.INIT.split("mount -t proc proc /new/proc")
    assert "poweroff" in after
    masks = "".join(f"ln -sf /dev/null /new/etc/systemd/system/{name}\n" for name in MASKED)
    return before + f"""mkdir -p /new/mnt
mount -t 9p -o $share,msize=262144 out /new/mnt || echo "cannot mount the output folder"
: > /new/etc/fstab
{masks}cp /new/mnt/proof.target /new/mnt/proof.service /new/etc/systemd/system/
umount /proc; umount /sys; mount --move /dev /new/dev
exec switch_root /new /lib/systemd/systemd --unit=proof.target
"""


def main() -> int:
    package, following, folder = map(Path, sys.argv[1:])
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    shutil.copy(package, folder / "old.deb")
    shutil.copy(following, folder / "next.deb")
    for name in ("service.sh", "client.py"):
        shutil.copy(ROOT / "tools/package.d" / name, folder)
    (folder / "proof.target").write_text(TARGET)
    (folder / "proof.service").write_text(UNIT)
    (folder / "schedule").write_text(list(scenario.load("plain").schedules(ROOT))[0])
    try:
        machine.install_packages()
        kernel = machine.kernel()
    except machine.Unavailable as error:
        print(f"service: {error}")
        return 69
    machine.compile_controller(RADIO / "controller.c", folder / "controller")
    machine.INIT = init()
    machine.AMD64.modules.append("autofs4")
    machine.make_initramfs(kernel, "", folder / "initramfs.gz")
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
