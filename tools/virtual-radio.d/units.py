# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Does what `systemctl` does for two units, in a machine without systemd, so that the commands of `doctor` work there.

    systemctl start|stop|restart|enable [--now] bluetooth|dbus, daemon-reload

`bluetooth` is started by the ExecStart lines of the package's unit file and of its drop-ins.
"""

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

from bus import SYSTEM_BUS, Bus, BusError

STATE = Path("/run/virtual-radio")
UNIT = Path("/lib/systemd/system/bluetooth.service")
DROP_INS = Path("/etc/systemd/system/bluetooth.service.d")
BUS_DAEMON = ["dbus-daemon", "--system", "--nofork", "--nopidfile"]
# As in guest.py: emulation is slow.
PATIENCE = 20.0


def exec_start() -> list[str]:
    """The command line of a unit with its drop-ins: an empty ExecStart removes earlier ones."""
    command: list[str] = []
    for file in [UNIT, *sorted(DROP_INS.glob("*.conf"))]:
        for line in file.read_text().splitlines():
            if line.startswith("ExecStart="):
                command = shlex.split(line.removeprefix("ExecStart="))
    return command


def note_process(unit: str, process: int, log: str):
    """Notes the process that guest.py or this program started."""
    STATE.mkdir(exist_ok=True)
    (STATE / unit).write_text(f"{process} {log}")


def is_alive(process: int) -> bool:
    try:
        # A zombie has ended and only waits for its parent.
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def owns_its_name(unit: str) -> bool:
    bus = Bus()
    try:
        name = {"bluetooth": "org.bluez", "dbus": "org.freedesktop.DBus"}[unit]
        place = ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus")
        return bus.call(*place, "NameHasOwner", "s", name)[0]
    finally:
        bus.close()


def stop(unit: str):
    if not (STATE / unit).exists():
        return
    process = int((STATE / unit).read_text().split()[0])
    for ending, seconds in ((signal.SIGTERM, 5.0), (signal.SIGKILL, 5.0)):
        deadline = time.monotonic() + seconds
        while is_alive(process) and time.monotonic() < deadline:
            os.kill(process, ending)
            # A stopped process would not receive the signal.
            os.kill(process, signal.SIGCONT)
            time.sleep(0.1)


def start(unit: str):
    process, log = (STATE / unit).read_text().split(maxsplit=1)
    if is_alive(int(process)):
        return
    words = exec_start() if unit == "bluetooth" else BUS_DAEMON
    if unit == "dbus" and os.path.exists(SYSTEM_BUS):
        os.unlink(SYSTEM_BUS)
    with open(log, "ab") as file:
        streams = {"stdin": subprocess.DEVNULL, "stdout": file, "stderr": file}
        note_process(unit, subprocess.Popen(words, start_new_session=True, **streams).pid, log)
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            if owns_its_name(unit):
                return
        except (OSError, BusError):
            pass
        time.sleep(0.1)
    sys.exit(f"Job for {unit}.service failed")


def main():
    verb, *rest = sys.argv[1:]
    if verb == "daemon-reload":
        return
    units = [word.removesuffix(".service") for word in rest if not word.startswith("-")]
    if verb == "enable":
        verb = "start" if "--now" in rest else ""
    for unit in units:
        if verb in ("stop", "restart"):
            stop(unit)
        if verb in ("start", "restart"):
            start(unit)


if __name__ == "__main__":
    main()
