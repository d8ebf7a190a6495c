# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""A peer of live ranging: bleak's scanner with a callback that only counts, until SIGINT.

    bleak_peer.py      listens on the bus of DBUS_SYSTEM_BUS_ADDRESS and says at the end how many advertisements it heard
"""

import asyncio
import signal

from bleak import BleakScanner


async def main():
    heard = 0

    def count(device, advertisement):
        nonlocal heard
        heard += 1

    over = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, over.set)
    async with BleakScanner(count):
        await over.wait()
    print(heard, flush=True)


asyncio.run(main())
