# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""A small D-Bus client for foreign programs and the probe: Python's standard library lacks one.

A variant is a pair (signature, value); arrays are lists, dictionaries dicts, structures tuples.
"""

import os
import select
import socket
import struct
import time

SYSTEM_BUS = "/run/dbus/system_bus_socket"
PROPERTIES = "org.freedesktop.DBus.Properties"
ADAPTER = "org.bluez.Adapter1"
# Seconds until a call counts as lost; bluetoothd may be busy for a while on an emulated processor.
ANSWERING = 10
CALL, RETURN, ERROR, SIGNAL = 1, 2, 3, 4
NUMBERS = {"y": "B", "n": "h", "q": "H", "i": "i", "u": "I", "x": "q", "t": "Q", "d": "d", "b": "I"}
ALIGNMENTS = {
    "y": 1, "n": 2, "q": 2, "i": 4, "u": 4, "b": 4, "x": 8, "t": 8, "d": 8,
    "s": 4, "o": 4, "g": 1, "v": 1, "a": 4, "(": 8, "{": 8,
}
PATH, INTERFACE, MEMBER, ERROR_NAME, REPLY_SERIAL, DESTINATION, SENDER, SIGNATURE = range(1, 9)


class BusError(Exception):
    """An error that the other side returned; its first argument is the error's name."""


def split(signature: str) -> list[str]:
    """The complete types of a signature."""
    types, start = [], 0
    while start < len(signature):
        end = start
        while signature[end] == "a":
            end += 1
        if signature[end] in "({":
            depth = 0
            while True:
                depth += (signature[end] in "({") - (signature[end] in ")}")
                if depth == 0:
                    break
                end += 1
        types.append(signature[start : end + 1])
        start = end + 1
    return types


def write(out: bytearray, kind: str, value):
    out.extend(bytes(-len(out) % ALIGNMENTS[kind[0]]))
    if kind in NUMBERS:
        out += struct.pack("<" + NUMBERS[kind], value)
    elif kind in "so":
        text = value.encode()
        out += struct.pack("<I", len(text)) + text + b"\0"
    elif kind == "g":
        out += bytes([len(value)]) + value.encode() + b"\0"
    elif kind == "v":
        write(out, "g", value[0])
        write(out, *value)
    elif kind[0] in "({":
        for inner, part in zip(split(kind[1:-1]), value, strict=True):
            write(out, inner, part)
    else:
        place = len(out)
        out += bytes(4)
        out.extend(bytes(-len(out) % ALIGNMENTS[kind[1]]))
        start = len(out)
        for item in value.items() if kind[1] == "{" else value:
            write(out, kind[1:], item)
        struct.pack_into("<I", out, place, len(out) - start)


def read(data: bytes, at: int, kind: str):
    """Returns the value of one type at an offset, and the offset after it."""
    at += -at % ALIGNMENTS[kind[0]]
    if kind in NUMBERS:
        form = "<" + NUMBERS[kind]
        value = struct.unpack_from(form, data, at)[0]
        return (bool(value) if kind == "b" else value), at + struct.calcsize(form)
    if kind in "so":
        length = struct.unpack_from("<I", data, at)[0]
        return data[at + 4 : at + 4 + length].decode(), at + 5 + length
    if kind == "g":
        return data[at + 1 : at + 1 + data[at]].decode(), at + 2 + data[at]
    if kind == "v":
        inner, at = read(data, at, "g")
        value, at = read(data, at, inner)
        return (inner, value), at
    if kind[0] in "({":
        parts = []
        for inner in split(kind[1:-1]):
            part, at = read(data, at, inner)
            parts.append(part)
        return tuple(parts), at
    length = struct.unpack_from("<I", data, at)[0]
    at += 4
    at += -at % ALIGNMENTS[kind[1]]
    items, end = [], at + length
    while at < end:
        item, at = read(data, at, kind[1:])
        items.append(item)
    return (dict(items) if kind[1] == "{" else items), at


class Message:
    def __init__(self, kind: int, serial: int, fields: dict, body: bytes):
        self.kind, self.serial, self.body = kind, serial, body
        self.fields = {code: value for code, (_, value) in fields.items()}

    def arguments(self) -> list:
        values, at = [], 0
        for kind in split(self.fields.get(SIGNATURE, "")):
            value, at = read(self.body, at, kind)
            values.append(value)
        return values


class Bus:
    """One connection; for the bus, closing it is the same as the exit of a program."""

    def __init__(self, path: str = SYSTEM_BUS):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.connect(path)
        self.socket.sendall(b"\0AUTH EXTERNAL " + str(os.geteuid()).encode().hex().encode() + b"\r\n")
        if not self.socket.recv(4096).startswith(b"OK "):
            raise BusError("the bus refused this user")
        self.socket.sendall(b"BEGIN\r\n")
        self.buffer = b""
        self.serial = 0
        self.waiting: list[Message] = []
        self.call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "Hello")

    def close(self):
        self.socket.close()

    def send(self, kind: int, fields: list, signature: str = "", values: tuple = ()) -> int:
        self.serial += 1
        body = bytearray()
        for inner, value in zip(split(signature), values, strict=True):
            write(body, inner, value)
        if signature:
            fields = [*fields, (SIGNATURE, ("g", signature))]
        # Flag 2: never start a service for it.
        head = bytearray(struct.pack("<cBBBII", b"l", kind, 2, 1, len(body), self.serial))
        write(head, "a(yv)", fields)
        head.extend(bytes(-len(head) % 8))
        self.socket.sendall(head + body)
        return self.serial

    def receive(self, seconds: float) -> Message | None:
        """The next message; None if none was received in time."""
        if self.waiting:
            return self.waiting.pop(0)
        return self._receive(time.monotonic() + seconds)

    def _receive(self, deadline: float) -> Message | None:
        while True:
            if len(self.buffer) >= 16:
                _, kind, _, _, length, serial, fields = struct.unpack_from("<cBBBIII", self.buffer)
                start = 16 + fields + -fields % 8
                if len(self.buffer) >= start + length:
                    packet, self.buffer = self.buffer[: start + length], self.buffer[start + length :]
                    return Message(kind, serial, dict(read(packet, 12, "a(yv)")[0]), packet[start:])
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.socket], [], [], left)[0]:
                return None
            more = self.socket.recv(1 << 16)
            if not more:
                raise ConnectionError("the bus closed the connection")
            self.buffer += more

    def post(self, name: str, path: str, interface: str, member: str, signature: str = "", *values) -> int:
        """Calls a method without waiting for its answer, and returns the serial that the answer will name."""
        place = [(DESTINATION, ("s", name)), (PATH, ("o", path))]
        fields = [*place, (INTERFACE, ("s", interface)), (MEMBER, ("s", member))]
        return self.send(CALL, fields, signature, values)

    def call(self, name: str, path: str, interface: str, member: str, signature: str = "", *values) -> list:
        serial = self.post(name, path, interface, member, signature, *values)
        deadline = time.monotonic() + ANSWERING
        while message := self._receive(deadline):
            if message.fields.get(REPLY_SERIAL) != serial:
                self.waiting.append(message)
            elif message.kind == ERROR:
                raise BusError(message.fields.get(ERROR_NAME), *message.arguments())
            else:
                return message.arguments()
        raise TimeoutError(f"{member} was not answered in {ANSWERING} s")

    def reply(self, message: Message, signature: str = "", *values):
        fields = [(DESTINATION, ("s", message.fields[SENDER])), (REPLY_SERIAL, ("u", message.serial))]
        self.send(RETURN, fields, signature, values)

    def match(self, rule: str):
        self.call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "AddMatch", "s", rule)


class Adapter:
    """BlueZ's adapter, used through one connection."""

    def __init__(self, bus: Bus, path: str = "/org/bluez/hci0"):
        self.bus, self.path = bus, path

    def call(self, member: str, signature: str = "", *values):
        return self.bus.call("org.bluez", self.path, ADAPTER, member, signature, *values)

    def get(self, property: str):
        return self.bus.call("org.bluez", self.path, PROPERTIES, "Get", "ss", ADAPTER, property)[0][1]

    def set_powered(self, on: bool):
        self.bus.call("org.bluez", self.path, PROPERTIES, "Set", "ssv", ADAPTER, "Powered", ("b", on))

    def set_filter(self, keys: dict):
        self.call("SetDiscoveryFilter", "a{sv}", keys)
