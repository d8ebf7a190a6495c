# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""A service for each profile of Core Location, each on a separate bus with an agent and a client: the events that a program gets in
each version of iOS from the same packets.

  profiles.py UUID    writes PROFILE.txt: questions with their choices, changes of the authorization, and events, in order

The client asks for when-in-use, then for Always; the user allows it while using and keeps that. The file `background` takes the
client out of the foreground; the user then changes to Always if asked, and `foreground` brings it back.
"""

import asyncio
import json
import os
import sys
from pathlib import Path

from dbus_fast import BusType, Variant
from dbus_fast.aio import MessageBus
from dbus_fast.errors import DBusError
from dbus_fast.service import ServiceInterface, method

PROFILES = ("coreLocation12", "coreLocation13.0", "coreLocation13.4", "coreLocation14", "default")
NAME, PATH = "io.github.swift_beacons.Beacons1", "/io/github/swift_beacons/Beacons1"
AGENT = "/agent"
# What does not depend on the profile.
SETTINGS = ("--set", "region.exit=3")
PATIENCE = 60


class Agent(ServiceInterface):
    """Answers for the user."""

    def __init__(self, program: "Program"):
        super().__init__("io.github.swift_beacons.Agent1")
        self.program = program

    @method()
    def Ask(self, question: "u", client: "s", verified: "b", kind: "s", detail: "a{sv}"):  # noqa: F722, F821, N802
        choices = detail["choices"].value
        precise = " precise" if "precise" in detail and detail["precise"].value else ""
        self.program.note(f"asked {kind}: {' '.join(choices)}{precise}")
        wanted = ("changeToAlways",) if Path("background").exists() else ("whileUsing", "allow", "keepWhileUsing")
        asyncio.ensure_future(self.program.manager.call_answer(question, next(c for c in choices if c in wanted), True))

    @method()
    def Cancel(self, number: "u"):  # noqa: F821, N802
        self.program.note("question withdrawn")

    @method()
    def Notify(self, notification: "u", client: "s", verified: "b", text: "s"):  # noqa: F821, N802
        self.program.note(f"notification {text}")


class Program:
    """A client with its service."""

    def __init__(self, profile: str):
        self.profile = profile
        self.output = open(f"{profile}.txt", "w", encoding="utf-8")
        self.status = ""

    def note(self, line: str):
        self.output.write(line + "\n")
        self.output.flush()

    async def start(self):
        silent = {"stdin": asyncio.subprocess.DEVNULL, "stderr": asyncio.subprocess.DEVNULL}
        words = ("dbus-daemon", "--session", "--nofork", "--print-address=1")
        daemon = await asyncio.create_subprocess_exec(*words, stdout=asyncio.subprocess.PIPE, **silent)
        self.address = (await daemon.stdout.readline()).decode().strip()
        words = ("beaconctl", "service", "run", "--bus", "session", "--state", f"state-{self.profile}", "--profile", self.profile)
        environment = {**os.environ, "DBUS_SESSION_BUS_ADDRESS": self.address}
        with open(f"{self.profile}.log", "wb") as log:
            await asyncio.create_subprocess_exec(*words, *SETTINGS, env=environment, stdin=silent["stdin"], stdout=log, stderr=log)
        self.bus = await MessageBus(self.address, BusType.SESSION, negotiate_unix_fd=True).connect()
        self.manager = await self.connect()
        self.bus.export(AGENT, Agent(self))
        await self.manager.call_register_agent(AGENT)
        texts = {"whenInUse": "To guide you.", "alwaysAndWhenInUse": "To greet you."}
        path = await self.manager.call_create_session({"label": Variant("s", "guide"), "manifest": Variant("a{ss}", texts)})
        self.session = await self.interface(path, "Session1")

    async def interface(self, path: str, name: str):
        proxy = self.bus.get_proxy_object(NAME, path, await self.bus.introspect(NAME, path))
        return proxy.get_interface("io.github.swift_beacons." + name)

    async def connect(self):
        """The manager, once the service is there."""
        for _ in range(10 * PATIENCE):
            try:
                return await self.interface(PATH, "Manager1")
            except DBusError:
                await asyncio.sleep(0.1)
        raise TimeoutError(f"no service with {self.profile}")

    async def read(self):
        """Notes the events of the stream, each in words."""
        stream = os.fdopen(await self.session.call_open_stream({}), "rb")
        reader = asyncio.StreamReader(limit=1 << 20)
        await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), stream)
        async for line in reader:
            event = json.loads(line)
            kind = event["type"]
            if kind == "authorization":
                self.status = event["status"]
                self.note(self.status)
            elif kind in ("region.enter", "region.exit"):
                self.note(kind.removeprefix("region."))
            elif kind == "region.state":
                self.note(f"{event['state']} {event['reason']}")
            elif kind == "failure":
                self.note(f"fails with {event['code']}")

    async def ask(self):
        await self.session.call_request("whenInUse", {})
        while self.status in ("", "notDetermined"):
            await asyncio.sleep(0.1)
        await self.session.call_request("always", {})
        # The question, and its answer.
        await asyncio.sleep(2)
        constraint = {"uuid": Variant("s", sys.argv[1])}
        await self.session.call_start_monitoring("lobby", constraint, {"assuming": Variant("s", "outside")})

    async def run(self):
        await self.start()
        reading = asyncio.ensure_future(self.read())
        await self.ask()
        Path(f"{self.profile}.ready").touch()
        for name, front in (("background", False), ("foreground", True)):
            while not Path(name).exists():
                await asyncio.sleep(0.1)
            self.note(name)
            await self.session.call_set_foreground(front)
        await reading


async def main():
    await asyncio.gather(*(Program(profile).run() for profile in PROFILES))


asyncio.run(main())
