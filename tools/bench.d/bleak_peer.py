# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""A peer of live ranging: bleak's scanner with a callback that only counts, until SIGINT.

    bleak_peer.py      listens on the bus of DBUS_SYSTEM_BUS_ADDRESS and prints at the end how many advertisements it received
"""

import asyncio
import signal

from bleak import BleakScanner


async def main():
    received = 0

    def count(device, advertisement):
        nonlocal received
        received += 1

    over = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, over.set)
    async with BleakScanner(count):
        await over.wait()
    print(received, flush=True)


asyncio.run(main())
