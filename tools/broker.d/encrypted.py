# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""A hostile broker with a valid certificate, whose packets only the library can check: no reader of it ends by a signal."""

import os
import random
import socket
import ssl
import subprocess
import threading
from concurrent.futures import ThreadPoolExecutor

from mqtt import CONNACK, DISCONNECT, PUBACK, PUBLISH, SUBACK, frame, text

SEED, READERS, AT_ONCE = 7, 40, 8
AUTH = 0xF0
# A property that MQTT 5 does not know, after a reason and the length of all properties.
UNKNOWN = b"\x03\x7f\x01\x01"


def packet(chance):
    """A packet of chance, often one with properties."""
    noise = chance.randbytes(chance.choice([0, 1, 2, 5, 20, 300]))
    kind = chance.choice([CONNACK, PUBLISH, PUBLISH | 2, PUBACK, SUBACK, DISCONNECT, AUTH, chance.randrange(256)])
    if kind & 0xF0 == PUBLISH:
        noise = text("beacons/1/home/hall/levels") + (b"\0\1" if kind & 6 else b"") + UNKNOWN + noise
    elif chance.random() < 0.7:
        noise = (b"" if kind in (DISCONNECT, AUTH) else b"\0\1") + b"\0" + UNKNOWN + noise
    return frame(kind, noise)


def serve(wire, context, chance):
    try:
        with context.wrap_socket(wire, server_side=True) as peer:
            peer.settimeout(3)
            peer.recv(4096)
            # A third is refused: it is to try another version of MQTT, or is accepted in the words of MQTT 5.
            answer = chance.choice([b"\0\1", b"\0\0" + UNKNOWN, b"\0\0", b"\0\0", b"\0\0", b"\0\0"])
            peer.sendall(frame(CONNACK, answer))
            peer.recv(4096)
            for _ in range(chance.randrange(1, 40)):
                peer.sendall(packet(chance))
    except OSError:
        pass


def check(command, folder):
    key, certificate, configuration = (folder / name for name in ("key.pem", "certificate.pem", "encrypted.json5"))
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost"], check=True, capture_output=True)
    configuration.write_text(f'{{ brokers: {{ "localhost": {{ ca: "{certificate}" }} }} }}')
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    listener = socket.create_server(("127.0.0.1", 0))
    count = 0

    def accept():
        nonlocal count
        while True:
            try:
                wire, _ = listener.accept()
            except OSError:
                return
            count += 1
            threading.Thread(target=serve, args=[wire, context, random.Random(SEED + count)], daemon=True).start()

    def read(_):
        reader = subprocess.Popen(
            [command, "scan", "--from", f"mqtts://localhost:{listener.getsockname()[1]}/home", "--format", "jsonl"],
            env={**os.environ, "BEACONS_CONFIG": configuration}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            return reader.communicate(timeout=1), reader.returncode
        except subprocess.TimeoutExpired:
            reader.terminate()
            return reader.communicate(timeout=20), reader.returncode

    threading.Thread(target=accept, daemon=True).start()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        ends = list(pool.map(read, range(READERS)))
    listener.close()
    assert count >= READERS, f"{count} connections"
    bad = [(texts[1][:200], code) for texts, code in ends if code not in (0, 69, 143)]
    assert not bad, f"{len(bad)} of {READERS}: {bad[0]}"
    return f"{count} connections"
