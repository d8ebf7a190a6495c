# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Hostile ends of a proxy's connection: a subscriber that sends anything in any order, and a network that changes the bytes of a proxy."""

import asyncio
import base64
import contextlib
import socket
import struct

from fake import varint
from noise.connection import NoiseConnection


def content(dice):
    """The bytes of a message: fields of protobuf, of which some are cut or have wrong lengths, or anything."""
    if dice.random() < 0.3:
        return dice.randbytes(dice.randrange(80))
    data = b""
    for _ in range(dice.randrange(6)):
        kind, number = dice.randrange(8), dice.choice((1, 2, 3, 4, 16, 1 << 28))
        data += varint(number << 3 | kind)
        if kind == 2:
            inner = dice.randbytes(dice.randrange(40))
            data += varint(dice.choice((len(inner), len(inner), 1 << 31, (1 << 64) - 1))) + inner
        else:
            data += varint(dice.getrandbits(dice.choice((7, 31, 64))))
    return data[: dice.randrange(len(data) + 1)] if dice.random() < 0.3 else data


def frames(dice):
    """Frames without encryption, with right and wrong lengths."""
    for _ in range(dice.randrange(1, 12)):
        data = content(dice)
        length = len(data) if dice.random() < 0.8 else dice.choice((0, 1 << 16, 1 << 31, 1 << 63, len(data) + 1))
        yield bytes([0 if dice.random() < 0.95 else dice.randrange(256)]) + varint(length) + varint(dice.randrange(140)) + data


def secret_frames(dice, noise):
    """Frames with encryption that begin as they should: messages in any order, broken ones, and lengths that are wrong."""
    for _ in range(dice.randrange(1, 12)):
        data = content(dice)
        length = len(data) if dice.random() < 0.8 else dice.randrange(1 << 16)
        sealed = noise.encrypt(struct.pack(">HH", dice.randrange(140), length) + data)
        if dice.random() < 0.1:
            sealed = dice.randbytes(len(sealed))
        yield bytes([1 if dice.random() < 0.97 else dice.randrange(256)]) + struct.pack(">H", len(sealed)) + sealed


async def shake_hands(reader, writer, key):
    noise = NoiseConnection.from_name(b"Noise_NNpsk0_25519_ChaChaPoly_SHA256")
    noise.set_as_initiator()
    noise.set_psks(base64.b64decode(key))
    noise.set_prologue(b"NoiseAPIInit\0\0")
    noise.start_handshake()
    first = b"\0" + noise.write_message()
    writer.write(b"\1\0\0\1" + struct.pack(">H", len(first)) + first)
    for _ in range(2):
        head = await reader.readexactly(3)
        answer = await reader.readexactly(head[1] << 8 | head[2])
    noise.read_message(answer[1:])
    return noise


async def attack(dice, port, key):
    """One connection of a hostile subscriber."""
    with contextlib.suppress(OSError, asyncio.IncompleteReadError, TimeoutError):
        async with asyncio.timeout(dice.choice((0.1, 0.3, 2))):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            turn = dice.random()
            if key and turn < 0.5:
                stream = b"".join(secret_frames(dice, await shake_hands(reader, writer, key)))
            elif turn < 0.9:
                stream = b"".join(frames(dice))
            else:
                stream = dice.randbytes(dice.randrange(2000))
            if dice.random() < 0.3:
                stream = stream[: dice.randrange(len(stream) + 1)]
            size = dice.choice((1, 7, 100, 100_000))
            for start in range(0, len(stream), size):
                writer.write(stream[start : start + size])
                await writer.drain()
                if size < 100 and start % 70 == 0:
                    await asyncio.sleep(0)
            if dice.random() < 0.5:
                # It reads for a moment, or not at all.
                await reader.read(dice.choice((1, 10_000)))
            if dice.random() < 0.3:
                writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.close()


class Network:
    """A network between a command and a proxy that changes, cuts and repeats the bytes of the proxy, while it is bad."""

    def __init__(self, dice, port):
        self.dice, self.target, self.is_bad, self.broken = dice, port, False, 0

    async def start(self):
        self.server = await asyncio.start_server(self.connect, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]
        return self

    async def connect(self, reader, writer):
        try:
            there, out = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            return writer.close()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(self.copy(reader, out, False), self.copy(there, writer, True))

    async def copy(self, reader, writer, changes):
        with contextlib.suppress(OSError):
            while data := await reader.read(4096):
                if changes and self.is_bad and self.dice.random() < 0.2:
                    data = self.change(data)
                    self.broken += 1
                    if data is None:
                        break
                writer.write(data)
                await writer.drain()
        writer.close()

    def change(self, data):
        dice, place = self.dice, self.dice.randrange(len(data))
        return (
            lambda: data[:place] + bytes([dice.randrange(256)]) + data[place + 1 :],
            lambda: data[:place],
            lambda: data + data[place:],
            lambda: data[:place] + dice.randbytes(dice.randrange(300)) + data[place:],
            lambda: b"".join(frames(dice)),
            lambda: None,
        )[dice.randrange(6)]()
