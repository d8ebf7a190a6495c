# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""A disk with a cache that a power cut empties, as a network block device that keeps a log of the writes with their times."""

import socket
import struct
import threading

SECTOR = 512
MAGIC, OPTIONS, REPLIES = b"NBDMAGIC", b"IHAVEOPT", 0x3E889045565A9
EXPORT_NAME, INFO, GO = 1, 6, 7
ACKNOWLEDGED, INFORMATION, UNSUPPORTED = 1, 3, (1 << 31) + 1
HAS_FLAGS, CAN_FLUSH, CAN_FORCE = 1, 4, 8
READ, WRITE, DISCONNECT, FLUSH = 0, 1, 2, 3
FORCED = 1


class Disk:
    """The log has ("write", place, bytes, was forced to the medium), ("flush",) and ("line", text) in their true order."""

    def __init__(self, image, path):
        self.before, self.now, self.log = bytes(image), bytearray(image), []
        self.lock = threading.Lock()
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen(1)
        threading.Thread(target=self.serve, daemon=True).start()

    def note(self, line):
        """A promise of the machine after all that it depends on."""
        with self.lock:
            self.log.append(("line", line))

    def serve(self):
        connection, _ = self.listener.accept()
        try:
            self.greet(connection)
            while self.answer(connection):
                pass
        except (EOFError, ConnectionError):
            pass
        connection.close()
        self.listener.close()

    def greet(self, connection):
        flags = struct.pack(">QH", len(self.now), HAS_FLAGS | CAN_FLUSH | CAN_FORCE)
        connection.sendall(MAGIC + OPTIONS + struct.pack(">H", 3))
        receive(connection, 4)
        while True:
            _, option, size = struct.unpack(">8sII", receive(connection, 16))
            receive(connection, size)
            if option == EXPORT_NAME:
                connection.sendall(flags)
                return
            known = option in (INFO, GO)
            if known:
                information = struct.pack(">H", 0) + flags
                connection.sendall(struct.pack(">QIII", REPLIES, option, INFORMATION, len(information)) + information)
            connection.sendall(struct.pack(">QIII", REPLIES, option, ACKNOWLEDGED if known else UNSUPPORTED, 0))
            if option == GO:
                return

    def answer(self, connection):
        _, flags, kind, handle, place, size = struct.unpack(">IHHQQI", receive(connection, 28))
        reply = struct.pack(">IIQ", 0x67446698, 0, handle)
        if kind == DISCONNECT:
            return False
        if kind == READ:
            reply += bytes(self.now[place:place + size])
        elif kind == WRITE:
            data = receive(connection, size)
            with self.lock:
                self.now[place:place + size] = data
                self.log.append(("write", place, data, bool(flags & FORCED)))
        elif kind == FLUSH:
            with self.lock:
                self.log.append(("flush",))
        connection.sendall(reply)
        return True

    def after_cut(self, at, random, lies=False):
        """The contents of the medium if the power goes at a place of the log: all that was flushed, and some of the rest.

        A disk that lies has forgotten half of the writes that it reported as flushed.
        """
        image = bytearray(self.before)
        waiting = []
        for event in self.log[:at]:
            if event[0] == "write" and event[3]:
                keep(image, event)
            elif event[0] == "write":
                waiting.append(event)
            elif event[0] == "flush":
                for write in waiting:
                    if not lies or random.random() < 0.5:
                        keep(image, write)
                waiting = []
        share = random.choice((0, 0.5, 0.9, 1))
        for write in waiting:
            if random.random() >= share:
                continue
            if random.random() < 0.2:
                write = torn(write, random)
            keep(image, write)
        return image


def keep(image, write):
    _, place, data, *_ = write
    image[place:place + len(data)] = data


def torn(write, random):
    """Some whole sectors of a write."""
    _, place, data, _ = write
    sectors = len(data) // SECTOR
    begin = random.randrange(sectors)
    end = random.randrange(begin, sectors) + 1
    return "write", place + begin * SECTOR, data[begin * SECTOR:end * SECTOR], False


def receive(connection, size):
    data = b""
    while len(data) < size:
        more = connection.recv(size - len(data))
        if not more:
            raise EOFError
        data += more
    return data
