# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Programs of others that do something comparable with a capture or on a bus, as commands to measure."""

import shutil
import subprocess
import sys

from workshop import CACHE, HERE

BEACONTOOLS = "2.1.0"
BLEAK = "3.1.0"
# What `range` needs of a report, by tshark's names. Debian 12's tshark leaves an iBeacon's frame undecoded, so the frame
# stands for UUID, major, minor and power: less work for it, not more.
TSHARK_FIELDS = [
    "frame.time_epoch", "bthci_evt.bd_addr", "bthci_evt.rssi", "btcommon.eir_ad.entry.company_id",
    "btcommon.eir_ad.entry.data",
]


def btmon(capture):
    """BlueZ's monitor, reading a capture."""
    return [_required("btmon"), "-r", capture]


def tshark(capture):
    """Wireshark without a window, printing the fields that ranging needs."""
    return [_required("tshark"), "-n", "-r", capture, "-T", "fields", *(w for f in TSHARK_FIELDS for w in ("-e", f))]


def beacontools(capture):
    """The Python library from PyPI, in a separate environment."""
    return [_python(f"beacontools=={BEACONTOOLS}"), HERE / "beacontools_peer.py", capture]


def bleak():
    """The scanner of the Python library from PyPI, on the system bus."""
    return [_python(f"bleak=={BLEAK}"), HERE / "bleak_peer.py"]


def _python(requirement):
    """Returns a Python that has a package of PyPI, in a separate environment."""
    folder = CACHE / requirement.replace("==", "-")
    python = folder / "bin/python"
    if not (folder / "installed").exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", requirement], check=True)
        (folder / "installed").touch()
    return python


def _required(name):
    path = shutil.which(name)
    if path is None:
        raise FileNotFoundError(f"{name} is not installed; run tools/setup")
    return path
