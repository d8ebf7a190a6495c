# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""The announcement of a proxy by a real Avahi, as zeroconf, the library of Home Assistant, finds it. avahi.sh runs it."""

import asyncio
import base64
import contextlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from zeroconf import IPVersion
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

KIND, NAME, PORT = "_esphomelib._tcp.local.", "hall", 6053
BUS = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>system</type><listen>unix:path={0}/bus</listen><auth>EXTERNAL</auth><policy context="default">
<allow user="*"/><allow own="*"/><allow send_destination="*"/><allow receive_sender="*"/></policy></busconfig>"""
AVAHI = """[server]\nhost-name=here\nuse-ipv6=no\nallow-interfaces=lo\n[wide-area]\nenable-wide-area=no
[publish]\npublish-hinfo=no\npublish-workstation=no\n[rlimits]\n"""
SILENCE = """{"v":1,"type":"radio","t":"2026-01-01T00:00:00.000000Z","receiver":"hci0","state":"listening"}
{"v":1,"type":"mark","t":"2026-01-01T00:00:01.000000Z"}\n"""


async def until(what, look):
    async with asyncio.timeout(60):
        while not look():
            await asyncio.sleep(0.05)
    print(f"ok {what}", flush=True)


async def check(folder, avahi, beaconctl, processes):
    def start(*words, **options):
        with (folder / "log").open("ab") as log:
            processes.append(subprocess.Popen([*map(str, words)], stderr=log, env=environment, **options))
        return processes[-1]

    (folder / "bus.conf").write_text(BUS.format(folder))
    (folder / "avahi.conf").write_text(AVAHI)
    key = folder / "key"
    key.write_text(base64.b64encode(bytes(range(32))).decode() + "\n")
    key.chmod(0o600)
    environment = dict(
        os.environ, DBUS_SYSTEM_BUS_ADDRESS=f"unix:path={folder}/bus", BEACONS_CONFIG="none",
        LD_LIBRARY_PATH=":".join(map(str, (avahi / "usr/lib").glob("*-linux-*"))),
    )
    daemon = (avahi / "usr/sbin/avahi-daemon", "-f", folder / "avahi.conf", "--no-drop-root", "--no-rlimits", "--no-chroot")
    start("dbus-daemon", "--config-file", folder / "bus.conf", "--nofork")
    await until("the bus is there", (folder / "bus").exists)
    network = AsyncZeroconf(interfaces=["127.0.0.1"], ip_version=IPVersion.V4Only)
    there = set()

    def changed(zeroconf, service_type, name, state_change):  # noqa: ARG001
        (there.discard if state_change.name == "Removed" else there.add)(name)

    AsyncServiceBrowser(network.zeroconf, KIND, handlers=[changed])
    # The proxy is there before Avahi is.
    proxy = start(beaconctl, "proxy", "--from", "-", "--key-file", key, "--name", NAME, stdin=subprocess.PIPE)
    proxy.stdin.write(SILENCE.encode())
    proxy.stdin.flush()
    await until("the proxy listens", lambda: "listens on" in (folder / "log").read_text())
    for what in ("Avahi starts, and announces the proxy", "Avahi starts again, and announces it again"):
        server = start(*daemon)
        await until(what, lambda: f"{NAME}.{KIND}" in there)
        server.terminate()
        server.wait()
        await until("Avahi ends, and nothing is announced", lambda: not there)
    server = start(*daemon)
    await until("it is announced", lambda: there)
    info = AsyncServiceInfo(KIND, f"{NAME}.{KIND}")
    assert await info.async_request(network.zeroconf, 5000)
    values = {name.decode(): value.decode() for name, value in info.properties.items()}
    assert info.port == PORT and b"\x7f\0\0\1" in info.addresses, info
    assert values["api_encryption"] == "Noise_NNpsk0_25519_ChaChaPoly_SHA256" and len(values["mac"]) == 12, values
    print(f"ok with {', '.join(sorted(values))}", flush=True)
    proxy.terminate()
    proxy.wait()
    await until("the proxy ends, and is announced no longer", lambda: not there)
    await network.async_close()


def main():
    processes = []
    with tempfile.TemporaryDirectory() as folder:
        try:
            asyncio.run(check(Path(folder), Path(sys.argv[1]), sys.argv[2], processes))
        except (AssertionError, TimeoutError):
            print((Path(folder) / "log").read_text())
            raise
        finally:
            for process in processes:
                with contextlib.suppress(OSError):
                    process.kill()


main()
