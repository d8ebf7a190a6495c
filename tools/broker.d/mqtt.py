# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""As much of MQTT 3.1.1 as a gateway and a reader need, on asyncio: frames, and a client that sends and receives them."""

import asyncio
import struct

CONNECT, CONNACK, PUBLISH, PUBACK, SUBSCRIBE, SUBACK, PINGREQ, DISCONNECT = 0x10, 0x20, 0x30, 0x40, 0x82, 0x90, 0xC0, 0xE0


def text(value):
    """Returns a text or bytes with the length before it."""
    value = value.encode() if isinstance(value, str) else value
    return struct.pack(">H", len(value)) + value


def frame(kind, body=b""):
    """Returns a packet of a kind."""
    length, count = bytearray(), len(body)
    while True:
        count, part = divmod(count, 128)
        length.append(part | (128 if count else 0))
        if not count:
            return bytes([kind]) + bytes(length) + body


def connect(client, clean=True, will=None, keep_alive=60, user=None):
    """Returns the first packet of a client; `will` is a topic and a retained payload, the password of a `user` its name."""
    flags = (0x02 if clean else 0) | (0x04 | 0x08 | 0x20 if will else 0) | (0x80 | 0x40 if user else 0)
    body = text("MQTT") + bytes([4, flags]) + struct.pack(">H", keep_alive) + text(client)
    body += text(will[0]) + text(will[1]) if will else b""
    return frame(CONNECT, body + (text(user) + text(user) if user else b""))


def publish(topic, payload, number=0, retained=False):
    """Returns a message; it is delivered at least once if it has a number, otherwise at most once."""
    body = text(topic) + (struct.pack(">H", number) if number else b"") + payload
    return frame(PUBLISH | (0x02 if number else 0) | (0x01 if retained else 0), body)


def subscribe(number, *topics):
    """Returns a request for topics, at least once."""
    return frame(SUBSCRIBE, struct.pack(">H", number) + b"".join(text(topic) + b"\1" for topic in topics))


class Wire(asyncio.Protocol):
    """A connection: it cuts the bytes into packets and calls a function of the subclass for each."""

    def __init__(self):
        self.transport, self.rest = None, b""

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        data = self.rest + data if self.rest else data
        place, end = 0, len(data)
        while end - place >= 2:
            count, shift, start = 0, 0, place + 1
            while start < end:
                byte = data[start]
                count |= (byte & 127) << shift
                start, shift = start + 1, shift + 7
                if byte < 128:
                    break
            else:
                break
            if end - start < count:
                break
            self.packet(data[place], data[start:start + count])
            place = start + count
        self.rest = data[place:]

    def packet(self, kind, body):
        raise NotImplementedError

    def message(self, kind, body):
        """Returns topic, payload, number, and whether the broker kept it, of a message."""
        length = struct.unpack_from(">H", body)[0]
        place = 2 + length
        number = 0
        if kind & 0x06:
            number = struct.unpack_from(">H", body, place)[0]
            place += 2
        return body[2:2 + length].decode(), body[place:], number, bool(kind & 1)


class Reader(Wire):
    """A client that reads topics and keeps the messages; a durable one gets the messages from while it was away."""

    def __init__(self, client, topics, clean=True, user=None):
        super().__init__()
        self.client, self.topics, self.clean, self.user = client, topics, clean, user
        self.messages, self.subscribed, self.closed = [], asyncio.Event(), asyncio.Event()

    @classmethod
    async def open(cls, port, client, topics, clean=True):
        """Connects and waits until the broker has accepted the topics."""
        _, reader = await asyncio.get_running_loop().create_connection(lambda: cls(client, topics, clean), "127.0.0.1", port)
        await asyncio.wait_for(reader.subscribed.wait(), 30)
        return reader

    def connection_made(self, transport):
        super().connection_made(transport)
        transport.write(connect(self.client, self.clean, user=self.user))

    def connection_lost(self, _):
        self.closed.set()

    def packet(self, kind, body):
        if kind == CONNACK:
            if body[1]:
                self.transport.close()
            else:
                self.transport.write(subscribe(1, *self.topics))
        elif kind == SUBACK:
            self.subscribed.set()
        elif kind & 0xF0 == PUBLISH:
            topic, payload, number, retained = self.message(kind, body)
            self.received(topic, payload, retained)
            if number:
                self.transport.write(frame(PUBACK, struct.pack(">H", number)))

    def received(self, topic, payload, retained):
        self.messages.append((topic, payload, retained))

    def close(self):
        self.transport.write(frame(DISCONNECT))
        self.transport.close()
