# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""A private dbus-daemon for a bench, programs for which it is the system bus, and the load generator as org.bluez."""

import os
import select
import subprocess
import tempfile
from pathlib import Path

from measuring import Failed
from workshop import compiled

DEVICES = 200
# How long programs may take to start or to end; a busy machine is slow.
PATIENCE = 30

BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path={path}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*"/>
    <allow receive_sender="*"/>
    <allow own="*"/>
  </policy>
</busconfig>
"""


class Bus:
    """A private dbus-daemon."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="beacons-bus-")
        path = Path(self.folder.name) / "bus"
        configuration = path.with_suffix(".conf")
        configuration.write_text(BUS.format(path=path))
        self.address = f"unix:path={path}"
        words = ["dbus-daemon", f"--config-file={configuration}", "--nofork", "--print-address"]
        # It warns that only root can raise its limit of descriptors.
        quiet = {"stdin": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.daemon = subprocess.Popen(words, stdout=subprocess.PIPE, **quiet)
        self.daemon.stdout.readline()
        return self

    def __exit__(self, *_):
        self.daemon.kill()
        self.daemon.wait()
        self.daemon.stdout.close()
        self.folder.cleanup()

    def start(self, command, **streams):
        """Starts a program for which this is the system bus."""
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
        environment = {**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": self.address}
        return subprocess.Popen(list(map(str, command)), env=environment, text=True, **streams)

    def play(self, rate, seconds, devices=DEVICES, stamp=False):
        """Starts the load generator; it waits for a listener."""
        words = ["--devices", devices, "--rate", rate, "--seconds", seconds]
        return self.play_as(*words, *(["--stamp"] if stamp else []))

    def play_as(self, *words):
        """Starts the load generator with the given options."""
        player = self.start([compiled("play_bluez", "dbus-1"), "--address", self.address, *words], stderr=None)
        expect(player, "ready", PATIENCE)
        return player


def expect(player, word, seconds):
    """Waits for a line of the load generator that begins with a word, and returns it."""
    if not select.select([player.stdout], [], [], seconds)[0]:
        raise Failed(f"the load generator did not write '{word}' within {seconds:.0f} s")
    line = player.stdout.readline()
    if not line.startswith(word):
        raise Failed(f"the load generator said '{line.strip()}' instead of '{word}'")
    return line


def kill(*processes):
    for process in processes:
        if process.poll() is None:
            process.kill()
        process.wait()
        for stream in (process.stdout, process.stderr):
            if stream:
                stream.close()
