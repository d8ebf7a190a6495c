# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Runs inside a machine whose first process is systemd: the package's units, accounts, and a program that the service wakes."""

import shutil
import subprocess
import time
from pathlib import Path

TOOLS = Path(__file__).parent
UNIT = "beacond.service"
STATE = Path("/var/lib/beacons/service")
# The paths of a package; `tools/package.d/deb.sh` does the same.
PLACES = {
    "beacond.service": "/usr/lib/systemd/system/beacond.service",
    "io.github.swift_beacons.conf": "/usr/share/dbus-1/system.d/io.github.swift_beacons.conf",
    "io.github.swift_beacons.policy": "/usr/share/polkit-1/actions/io.github.swift_beacons.policy",
    "sysusers.conf": "/usr/lib/sysusers.d/beacons.conf",
}
# Accounts of people; berta is the one whom a rule of polkit admits.
ACCOUNTS = ("anna", "berta")
# The files that a scenario may leave behind.
LEFT = ("/run/systemd/system/beacond.service.d", "/etc/beacons", "/etc/polkit-1/rules.d/60-beacons.rules", "/var/lib/bluetooth")
UUID = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
# A system unit that is a program of the service, and the name by which the service starts it.
GUIDE = "org.example.Guide"
FILES = {
    "/etc/systemd/system/guide.service": f"""[Service]
Type=dbus
BusName={GUIDE}
ExecStart=/usr/bin/python3 -B /usr/local/bin/client.py {UUID} /run/guide.jsonl guide {GUIDE}
""",
    f"/usr/share/dbus-1/system-services/{GUIDE}.service": f"""[D-BUS Service]
Name={GUIDE}
Exec=/bin/false
User=root
SystemdService=guide.service
""",
    f"/usr/share/dbus-1/system.d/{GUIDE}.conf": f"""<busconfig>
  <policy user="root"><allow own="{GUIDE}"/></policy>
  <policy context="default"><allow send_destination="{GUIDE}"/></policy>
</busconfig>
""",
}
# How long systemd may take to do something; emulation is slow.
PATIENCE = 60.0


def quietly(*words: str, check: bool = True) -> str:
    return subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=check).stdout


def properties(unit: str, *names: str) -> dict[str, str]:
    """Properties of a unit by their names."""
    lines = quietly("systemctl", "show", "-p", ",".join(names), unit).splitlines()
    return dict(line.split("=", 1) for line in lines)


def install(command: Path):
    """Puts everything into a package's places, once for all scenarios."""
    shutil.copy(command, "/usr/bin/beaconctl")
    shutil.copy(TOOLS / "client.py", "/usr/local/bin")
    for name, place in PLACES.items():
        Path(place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(TOOLS / "debian" / name, place)
    for path, text in FILES.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text)
    quietly("systemd-sysusers", "beacons.conf")
    for account in ACCOUNTS:
        quietly("useradd", account)
    quietly("systemctl", "daemon-reload")
    quietly("busctl", "call", "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "ReloadConfig")


def clear_away(folder: Path, since: float):
    """Ends the units, and copies their output to the scenario's folder."""
    units = (UNIT, "guide.service")
    # A stopped process would not end by itself.
    quietly("systemctl", "kill", "--signal=KILL", *units, check=False)
    quietly("systemctl", "stop", *units, "bluetooth.service", check=False)
    if Path("/run/guide.jsonl").exists():
        shutil.move("/run/guide.jsonl", folder / "guide.jsonl")
    journal = quietly("journalctl", "--no-pager", "-o", "short-precise", "--since", f"@{since:.0f}")
    (folder / "journal.log").write_text(journal)
    for place in (*LEFT, *STATE.glob("*")):
        shutil.rmtree(place) if Path(place).is_dir() else Path(place).unlink(missing_ok=True)
    quietly("systemctl", "daemon-reload")
    quietly("systemctl", "reset-failed", check=False)


def signal_and_wait(name: str) -> dict:
    """Sends the service a signal; returns how long it took until another process serves.

    systemd has the time: that is that of the notification `READY=1`.
    """
    first = int(properties(UNIT, "MainPID")["MainPID"])
    begun, wall = time.clock_gettime(time.CLOCK_MONOTONIC), time.time()
    subprocess.run(["kill", f"-{name}", str(first)], check=True)
    while time.clock_gettime(time.CLOCK_MONOTONIC) < begun + PATIENCE:
        now = properties(UNIT, "MainPID", "ActiveState", "ActiveEnterTimestampMonotonic", "NRestarts")
        if now["ActiveState"] == "active" and int(now["MainPID"]) not in (0, first):
            seconds = int(now["ActiveEnterTimestampMonotonic"]) / 1e6 - begun
            return {"begun": wall, "ended": time.time(), "seconds": round(seconds, 3), "restarts": int(now["NRestarts"])}
        time.sleep(0.1)
    raise TimeoutError(f"no other process serves {PATIENCE:.0f} s after SIG{name}")
