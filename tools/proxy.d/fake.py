# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""A fake Bluetooth proxy of ESPHome, with the messages of aioesphomeapi and the encryption that it uses."""

import asyncio
import base64

from aioesphomeapi import api_pb2 as pb
from aioesphomeapi.core import MESSAGE_TYPE_TO_PROTO
from noise.connection import NoiseConnection

NUMBERS = {kind: number for number, kind in MESSAGE_TYPE_TO_PROTO.items()}
NAME = "fake"
FEATURES = 1 | 32 | 64
RUNNING = 2


class FakeProxy(asyncio.Protocol):
    """One connection of a fake proxy."""

    def __init__(self, owner):
        self.owner, self.buffer, self.noise, self.phase = owner, bytearray(), None, "plain"
        if owner.key:
            self.phase = "hello"
            self.noise = NoiseConnection.from_name(b"Noise_NNpsk0_25519_ChaChaPoly_SHA256")
            self.noise.set_as_responder()
            self.noise.set_psks(base64.b64decode(owner.key))
            self.noise.set_prologue(b"NoiseAPIInit\0\0")
            self.noise.start_handshake()

    def connection_made(self, transport):
        self.transport = transport
        self.owner.connections.append(self)

    def connection_lost(self, _):
        self.owner.connections.remove(self)

    def data_received(self, data):
        self.buffer += data
        while self.receive_frame():
            pass

    def receive_frame(self):
        return self.receive_plain() if self.phase == "plain" else self.receive_noise()

    def receive_plain(self):
        # Messages of a subscriber are short: their numbers have one byte.
        if len(self.buffer) < 3 or len(self.buffer) < 3 + self.buffer[1]:
            return False
        if self.buffer[0] != 0:
            # As ESPHome answers a client that encrypts.
            self.transport.write(b"\0Bad indicator byte")
            self.transport.close()
            return False
        kind, content = self.buffer[2], bytes(self.buffer[3 : 3 + self.buffer[1]])
        del self.buffer[: 3 + len(content)]
        self.answer(kind, content)
        return True

    def receive_noise(self):
        if len(self.buffer) < 3:
            return False
        count = self.buffer[1] << 8 | self.buffer[2]
        if len(self.buffer) < 3 + count:
            return False
        assert self.buffer[0] == 1, "a frame of another kind"
        frame = bytes(self.buffer[3 : 3 + count])
        del self.buffer[: 3 + count]
        if self.phase == "hello":
            self.write_frame(b"\1" + NAME.encode() + b"\0" + b"aabbccddeeff\0")
            self.phase = "handshake"
        elif self.phase == "handshake":
            try:
                self.noise.read_message(frame[1:])
            except Exception:  # noqa: BLE001
                self.write_frame(b"\1Handshake MAC failure")
                self.transport.close()
                return False
            self.write_frame(b"\0" + self.noise.write_message())
            self.phase = "open"
        else:
            message = self.noise.decrypt(frame)
            self.answer(message[0] << 8 | message[1], message[4:])
        return True

    def write_frame(self, frame):
        self.transport.write(bytes((1, len(frame) >> 8, len(frame) & 255)) + frame)

    def send(self, message):
        number, content = NUMBERS[type(message)], message.SerializeToString()
        if self.phase == "plain":
            self.transport.write(b"\0" + varint(len(content)) + varint(number) + content)
        else:
            head = bytes((number >> 8, number & 255, len(content) >> 8, len(content) & 255))
            self.write_frame(self.noise.encrypt(head + content))

    def answer(self, kind, content):
        owner = self.owner
        if owner.is_silent:
            return
        message = MESSAGE_TYPE_TO_PROTO[kind].FromString(content)
        owner.received.append(type(message).__name__)
        if isinstance(message, pb.HelloRequest):
            self.send(pb.HelloResponse(api_version_major=1, api_version_minor=13, server_info="fake", name=NAME))
        elif isinstance(message, pb.DeviceInfoRequest):
            self.send(pb.DeviceInfoResponse(name=NAME, bluetooth_proxy_feature_flags=owner.features))
        elif isinstance(message, pb.PingRequest):
            self.send(pb.PingResponse())
        elif isinstance(message, pb.SubscribeBluetoothLEAdvertisementsRequest):
            owner.subscriber = self
            owner.set_state(RUNNING)
        elif isinstance(message, pb.DisconnectRequest):
            self.send(pb.DisconnectResponse())
            self.transport.close()


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out) + bytes((number,))


class Fake:
    """A fake proxy: like a real one it sends to the latest subscriber only."""

    def __init__(self, key=None, features=FEATURES):
        self.key, self.features, self.is_silent = key, features, False
        self.connections, self.received, self.subscriber = [], [], None

    async def start(self, port=0):
        self.server = await asyncio.get_running_loop().create_server(lambda: FakeProxy(self), "127.0.0.1", port)
        self.port = self.server.sockets[0].getsockname()[1]
        return self

    def set_state(self, state):
        self.subscriber.send(pb.BluetoothScannerStateResponse(state=state))

    def advertise(self, items):
        """Sends advertisements: (address, address type, RSSI, data)."""
        message = pb.BluetoothLERawAdvertisementsResponse()
        for address, address_type, rssi, data in items:
            message.advertisements.add(address=address, address_type=address_type, rssi=rssi, data=data)
        self.subscriber.send(message)

    async def drain(self):
        """Waits while a subscriber has much to read."""
        while self.subscriber.transport.get_write_buffer_size() > 65536:
            await asyncio.sleep(0.001)
        await asyncio.sleep(0)

    def stop(self):
        self.server.close()
        for connection in list(self.connections):
            connection.transport.abort()
