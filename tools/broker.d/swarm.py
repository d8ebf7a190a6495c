# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Simulated gateways, and the reader that counts what arrives of them.

A simulated gateway connects, sends and connects again as `beaconctl gateway` does: a message waits until the broker has
acknowledged it, new messages go first, and after a lost connection it waits at random up to a limit that doubles.
"""

import asyncio
import random
import struct
import time

from mqtt import CONNACK, PUBACK, Reader, Wire, connect, publish

# As in the gateway (BackOff.swift, Outbox.swift): seconds, and messages that are not acknowledged.
LONGEST, STABLE, IN_FLIGHT = 120.0, 30.0, 20
# The limits after a stable connection if the broker did not answer for HELD: of the first wait, and of the next two.
UNACKNOWLEDGED, UNANSWERED, HELD = 6.0, 4.0, 3.0
# There is one reader, which may ask again as soon as it is not answered: seconds.
READER_PATIENCE = 1.5
# How many gateways a site has.
SITE = 50
BEACON = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E/1/"


class Tally:
    """What all gateways have in common."""

    def __init__(self, brokers, accounts, period, spread):
        self.brokers, self.accounts, self.period, self.spread = brokers, accounts, period, spread
        self.acks, self.delays, self.returns = 0, [], []
        self.sent = self.bytes = 0
        self.connects, self.load = {}, {broker.name: 0 for broker in brokers}
        # Connections that ended at a killed broker, that a living one ended, and that it did not accept.
        self.killed = self.ended = self.refused = 0
        self.online = 0
        self.stops = False

    def connected(self, broker):
        second = int(time.monotonic())
        self.connects[second] = self.connects.get(second, 0) + 1
        self.load[broker.name] += 1


class Gateway(Wire):
    """One gateway: its connection, and its waiting messages."""

    def __init__(self, number, tally):
        super().__init__()
        self.number, self.tally = number, tally
        self.topic = f"beacons/1/site{number // SITE}/g{number}/"
        self.boot = f"{number:x}"
        self.account = tally.accounts[number // SITE % len(tally.accounts)]
        self.sequence, self.packet_number = 0, 0
        # Sequence to payload and time of unacknowledged messages, packet number to sequence of the sent bytes.
        self.waiting, self.flying, self.acknowledged = {}, {}, set()
        # Whether a connection was ever stable.
        self.failures, self.settled, self.accepted, self.lost_at, self.began = 0, False, None, None, 0.0

    def payload(self, now):
        """Two beacons of a second, as the gateway writes them: some 250 bytes."""
        beacons = ",".join(f'["{BEACON}{(self.number + n) % 999}",-{60 + n}.50,9,-59]' for n in range(2))
        return (
            f'{{"v":1,"t":"{now:.6f}","boot":"{self.boot}","seq":{self.sequence},"receiver":"hci0","span":1,'
            f'"beacons":[{beacons}]}}'
        ).encode()

    # MARK: The connection

    async def run(self):
        """Connects again and again until the end."""
        loop = asyncio.get_running_loop()
        while not self.tally.stops:
            self.began = time.monotonic()
            # As a load balancer chooses: the server with the fewest connections, and the next one without an answer.
            for self.broker in sorted(self.tally.brokers, key=lambda broker: (self.tally.load[broker.name], random.random())):
                try:
                    self.ended = asyncio.Event()
                    await loop.create_connection(lambda: self, "127.0.0.1", self.broker.port)
                    await self.ended.wait()
                    break
                except OSError:
                    continue
            if self.tally.stops:
                return
            if self.accepted and time.monotonic() - self.accepted >= STABLE:
                self.failures, self.settled = 0, True
            if self.settled:
                limit = min(self.tally.spread * 2.0 ** min(max(0, self.failures - 2), 20), LONGEST)
                held = time.monotonic() - self.began >= HELD and (self.flying or not self.accepted)
                if held and self.failures <= 2:
                    limit = min(limit, UNANSWERED if self.failures else UNACKNOWLEDGED)
            else:
                limit = min(2.0 ** min(self.failures, 20), LONGEST)
            self.failures, self.accepted = self.failures + 1, None
            await asyncio.sleep(random.random() * limit)

    def connection_made(self, transport):
        super().connection_made(transport)
        self.rest, self.flying, self.began = b"", {}, time.monotonic()
        self.tally.connected(self.broker)
        will = (self.topic + "status", f'{{"v":1,"state":"offline","boot":"{self.boot}"}}')
        transport.write(connect(f"g{self.number}", will=will, keep_alive=60, user=self.account))
        self.timer = asyncio.get_running_loop().call_later(15, self.give_up)

    def give_up(self):
        if self.accepted is None and self.transport:
            self.transport.abort()

    def connection_lost(self, _):
        self.timer.cancel()
        self.tally.load[self.broker.name] -= 1
        if not self.accepted:
            self.tally.refused += 1
        elif self.broker.lives:
            self.tally.ended += 1
        else:
            self.tally.killed += 1
        if self.accepted:
            self.tally.online -= 1
            self.lost_at = time.monotonic()
        self.transport = None
        self.ended.set()

    def packet(self, kind, body):
        if kind == PUBACK:
            sequence = self.flying.pop(struct.unpack(">H", body)[0], None)
            if sequence is not None and sequence in self.waiting:
                _, made = self.waiting.pop(sequence)
                self.acknowledged.add(sequence)
                self.tally.acks += 1
                self.tally.delays.append(time.monotonic() - made)
            self.send_waiting()
        elif kind == CONNACK and not body[1]:
            self.accepted = time.monotonic()
            self.tally.online += 1
            if self.lost_at:
                self.tally.returns.append(self.accepted - self.lost_at)
                self.lost_at = None
            self.send_waiting()

    # MARK: Messages

    def tick(self):
        """A message, now."""
        if self.tally.stops:
            return
        self.sequence += 1
        self.waiting[self.sequence] = (self.payload(time.time()), time.monotonic())
        self.tally.sent += 1
        if self.can_send and len(self.flying) < IN_FLIGHT:
            self.send(self.sequence)
        asyncio.get_running_loop().call_later(self.tally.period, self.tick)

    @property
    def can_send(self):
        return self.accepted and self.transport and not self.transport.is_closing()

    def send_waiting(self):
        """Sends the waiting messages, in order, as much as may be on the way."""
        if not self.can_send or len(self.waiting) == len(self.flying):
            return
        flying = set(self.flying.values())
        for sequence in self.waiting:
            if len(self.flying) >= IN_FLIGHT or self.transport.is_closing():
                return
            if sequence not in flying:
                self.send(sequence)

    def send(self, sequence):
        self.packet_number = self.packet_number % 65535 + 1
        self.flying[self.packet_number] = sequence
        data = publish(self.topic + "levels", self.waiting[sequence][0], self.packet_number)
        self.tally.bytes += len(data)
        self.transport.write(data)


class Collector:
    """A durable reader of each account: which numbers of each gateway came, how late, and how often again."""

    def __init__(self, brokers, accounts, gateways):
        self.brokers, self.accounts = brokers, accounts
        self.known = [set() for _ in range(gateways)]
        self.last = [None] * gateways
        self.duplicates, self.delays, self.foreign, self.away = 0, [], 0, []
        self.stops = False

    async def run(self, ready):
        """Reads until the end; `ready` is set when all accounts are read."""
        events = [asyncio.Event() for _ in self.accounts]
        reading = [asyncio.create_task(self.read(account, event)) for account, event in zip(self.accounts, events)]
        for event in events:
            await event.wait()
        ready.set()
        await asyncio.gather(*reading)

    async def read(self, account, ready):
        collector = self

        class Ears(Reader):
            def received(self, topic, payload, retained):
                collector.received(topic, payload)

        loop = asyncio.get_running_loop()
        lost = None
        while not self.stops:
            for broker in random.sample(self.brokers, len(self.brokers)):
                reader = Ears("collector", ["beacons/1/+/+/levels"], clean=False, user=account)
                try:
                    await loop.create_connection(lambda: reader, "127.0.0.1", broker.port)  # noqa: B023
                    await asyncio.wait_for(reader.subscribed.wait(), READER_PATIENCE)
                except (OSError, asyncio.TimeoutError):
                    if reader.transport:
                        reader.transport.abort()
                    continue
                if lost:
                    self.away.append(time.monotonic() - lost)
                ready.set()
                await reader.closed.wait()
                lost = time.monotonic()
                break
            await asyncio.sleep(0.2)

    def received(self, topic, payload):
        try:
            gateway = int(topic.split("/")[3][1:])
            start = payload.index(b'"seq":') + 6
            sequence = int(payload[start:payload.index(b",", start)])
            made = float(payload[payload.index(b'"t":"') + 5:payload.index(b'","boot"')])
            known = self.known[gateway]
        except (ValueError, IndexError):
            self.foreign += 1
            return
        if sequence in known:
            self.duplicates += 1
            return
        known.add(sequence)
        self.delays.append((time.time(), time.time() - made))
