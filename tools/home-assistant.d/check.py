# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""What Home Assistant shows of a gateway: each state over REST, from the first message to the last entity's removal."""

import datetime
import json
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

from assistant import HERE, Assistant, Broker, wait_for

UUID = "F7826DA6-4FA2-4E98-8024-BC5B71E0893E"
DOG = f"{UUID}/1/7"
# A second of the source takes this long: an exit is there after 3 s and not after 30.
SECOND = 0.1
PATIENCE = 60
# Home Assistant and the gateway agree within this.
SOON = 20
# The broker publishes a will 10 s after the connection was lost.
WILL = 40
HALL, KITCHEN = -55, -80
SITE = "beacons_home"
BEACON = f"{SITE}_{UUID.lower().replace('-', '_')}_1_7"
VOLTAGE = f"{BEACON}_voltage_hall"
REGION = f"{SITE}_hall_region_{UUID.lower().replace('-', '_')}_2f1_2f7"


def stamp(seconds):
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def radio(state, seconds):
    return f'{{"v":1,"type":"radio","t":"{stamp(seconds)}","receiver":"hci0","state":"{state}"}}\n'


def mark(seconds):
    return f'{{"v":1,"type":"mark","t":"{stamp(seconds)}"}}\n'


def sighting(seconds, rssi, major=1, minor=7):
    return (
        f'{{"v":1,"type":"sighting","t":"{stamp(seconds)}","uuid":"{UUID}","major":{major},"minor":{minor},"power":-59,"rssi":{rssi},'
        '"receiver":"hci0","address":"C0:11:22:33:44:55"}\n'
    )


def is_time(text):
    """Whether a text is the time of the check, as Home Assistant shows it."""
    try:
        return abs(datetime.datetime.fromisoformat(text).timestamp() - time.time()) < 7200
    except (TypeError, ValueError):
        return False


def telemetry(seconds, millivolts):
    """A frame of Eddystone-TLM from the address that sends the identity."""
    return (
        f'{{"v":1,"type":"report","t":"{stamp(seconds)}","receiver":"hci0","address":"C0:11:22:33:44:55",'
        f'"address_type":"random","event":"ADV_NONCONN_IND","rssi":-60,"ad":"1116aafe2000{millivolts:04x}15800000010000002710"}}\n'
    )


class Gateway:
    """A gateway with a receiver whose radio and beacon the check chooses while it runs."""

    def __init__(self, command, broker, logs, name="hall", options=(), region="dog", config=None):
        self.radio, self.level, self.battery, self.told, self.strangers = "listening", None, None, None, 0
        # A separate folder each: two gateways never share one.
        environment = {**os.environ, "BEACONS_CONFIG": "none"}
        with open(logs / f"gateway-{name}.log", "ab") as out:
            self.process = subprocess.Popen(
                [command, "gateway", "--from", "-", "--speed", "max", "--broker", f"mqtt://127.0.0.1:{broker.port}",
                 "--site", "home", "--gateway", name, "--spool", logs / f"spool-{name}",
                 *(["--region", f"{region}={DOG}"] if region else []), *(["--config", config] if config else []), *options],
                stdin=subprocess.PIPE, stdout=out, stderr=out, env=environment,
            )
        threading.Thread(target=self.feed, daemon=True).start()

    def feed(self):
        """Writes a line for each event of a timeline that starts now."""
        now, turn = float(int(time.time())), 0
        try:
            while not self.process.stdin.closed:
                if self.radio != self.told:
                    self.told = self.radio
                    self.write(radio(self.told, now))
                if self.level is not None and self.told == "listening":
                    self.write(sighting(now, self.level + turn % 3 - 1))
                    if self.battery is not None:
                        self.write(telemetry(now, self.battery))
                for number in range(min(self.strangers, 500)):
                    self.write(sighting(now, -70, major=2, minor=self.strangers - number))
                self.strangers = max(0, self.strangers - 500)
                now, turn = now + 0.25, turn + 1
                if self.told == "listening":
                    self.write(mark(now))
                time.sleep(SECOND / 4)
        except (BrokenPipeError, ValueError):
            pass

    def write(self, line):
        self.process.stdin.write(line.encode())
        self.process.stdin.flush()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        """Ends it as a service manager does."""
        self.process.terminate()
        self.process.wait(timeout=PATIENCE)


class Watch:
    """Polls a tracker, so that a state is seen even if it does not stay."""

    def __init__(self, assistant, entity):
        self.assistant, self.entity, self.seen, self.ends = assistant, entity, [], False
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.ends:
            try:
                state = self.assistant.states().get(self.entity, {}).get("state")
            except OSError:
                state = None
            if not self.seen or self.seen[-1] != state:
                self.seen.append(state)
            time.sleep(0.1)

    def end(self):
        self.ends = True
        self.thread.join()
        return self.seen


class Check:
    """The steps, in order; each is printed with its observation."""

    def __init__(self, command, logs):
        self.command, self.logs, self.count = command, logs, 0
        self.broker = Broker(logs)
        self.assistant = Assistant(logs)
        self.assistant.set_up(self.broker)
        self.gateway = None
        self.model = self.survey()

    def survey(self):
        """Learns two places from a walk of four minutes: one is near the receiver, one is not."""
        lines, labels = [radio("listening", 0)], ["start,end,name"]
        for turn, (place, level) in enumerate([("hall", HALL), ("kitchen", KITCHEN)] * 2):
            labels.append(f"{turn * 60},{turn * 60 + 60},{place}")
            lines += [sighting(turn * 60 + n / 4, level + n % 3 - 1) for n in range(240)]
        capture, truth, model = (self.logs / name for name in ("walk.jsonl", "walk.csv", "house.json"))
        capture.write_text("".join(lines) + mark(240))
        truth.write_text("\n".join(labels) + "\n")
        subprocess.run(
            [self.command, "site", "survey", "--from", capture, "--truth", truth, "--write", model],
            check=True, capture_output=True, env={**os.environ, "BEACONS_CONFIG": "none"},
        )
        return model

    # MARK: Entities

    def entity(self, identifier):
        return self.assistant.entities()[identifier]["entity_id"]

    def names(self):
        return {
            "connection": self.entity(f"{SITE}_hall_connection"), "occupancy": self.entity(REGION),
            "tracker": self.entity(REGION + "_tracker"), "distance": self.entity(f"{BEACON}_distance_hall"),
            "place": self.entity(f"{BEACON}_place"), "last": self.entity(f"{BEACON}_last_place"),
            "seen": self.entity(f"{BEACON}_seen_hall"), "receiver": self.entity(f"{SITE}_hall_receiver_hci0"),
            **({"voltage": self.entity(VOLTAGE)} if VOLTAGE in self.assistant.entities() else {}),
        }

    def registered(self):
        """The names, once all entities are there; each comes by itself."""
        try:
            return self.names()
        except KeyError:
            return None

    def shown(self, names):
        states = self.assistant.states()
        return {key: states.get(name, {}).get("state") for key, name in names.items()}

    def expect(self, step, limit=SOON, names=None, **expected):
        """Waits until entities have these states; a distance is a pair of bounds."""
        names, last = names or self.names(), {}

        def fits():
            last.clear()
            last.update(self.shown(names))
            return all(
                value(last[key]) if callable(value) else last[key] == value if isinstance(value, (str, type(None)))
                else re.fullmatch(r"[0-9.]+", last[key] or "") and value[0] <= float(last[key]) <= value[1]
                for key, value in expected.items()
            )

        try:
            wait_for(step, limit, fits)
        except AssertionError as fault:
            raise AssertionError(f"{fault}: expected {expected}, shown is {last}") from None
        self.passed(step, ", ".join(f"{key} {last[key]}" for key in expected))

    def passed(self, step, seen=""):
        self.count += 1
        print(f"ok {step}" + (f": {seen}" if seen else ""), flush=True)

    def start(self, **options):
        more = ["--home-assistant", "--espresense", "--model", self.model, *options.pop("options", [])]
        self.gateway = Gateway(self.command, self.broker, self.logs, options=more, **options)

    # MARK: Steps

    def first_start(self):
        self.start()
        wait_for("entities", SOON, self.registered)
        self.expect("after a start without the beacon nobody is away", connection="on", tracker="unknown",
                    occupancy="off", place="unknown")
        time.sleep(40 * SECOND)
        self.expect("nor later", tracker="unknown", occupancy="off")

    def presence(self):
        self.gateway.level = HALL
        self.expect("the beacon comes", connection="on", tracker="home", occupancy="on", place="hall", distance=(0.2, 2))
        self.gateway.level = KITCHEN
        self.zones(["zone.home"])
        self.expect("it goes to another place", tracker="home", place="kitchen", last="kitchen", distance=(3, 30), receiver="on")
        self.gateway.level = None
        self.expect("it leaves", tracker="not_home", occupancy="off", place="unknown", connection="on")
        self.expect("its last place and time stay", last="kitchen", seen=is_time)
        self.zones([])
        self.gateway.level = HALL
        self.expect("it comes again", tracker="home", occupancy="on", place="hall")

    def zones(self, expected):
        """Compares the attribute of which Home Assistant makes the tracker's state from July 2027 on."""
        tracker = self.assistant.states()[self.entity(REGION + "_tracker")]
        assert tracker["attributes"].get("in_zones") == expected, tracker["attributes"]
        self.passed("zones", str(expected))

    def strangers(self):
        """Ten thousand other beacons of the same UUID make no entity, no device and no message."""
        before = set(self.assistant.entities()), set(self.assistant.devices())
        self.gateway.strangers = 10_000
        wait_for("strangers", PATIENCE, lambda: not self.gateway.strangers)
        time.sleep(3)
        assert (set(self.assistant.entities()), set(self.assistant.devices())) == before
        self.expect("ten thousand strangers make no entity", tracker="home", place="hall", distance=(0.2, 2))

    def dashboard(self):
        """The dashboard of docs/gateway.md, pasted as it is: each entity that it names is there."""
        page = (HERE.parent.parent / "docs/gateway.md").read_text()
        text = re.search(r"```yaml\n(.*?)```", page, re.S)[1]
        names = sorted(set(re.findall(r"entity: (\S+)", text)))
        (self.assistant.folder / "house.yaml").write_text(text)
        states = self.assistant.states()
        missing = [name for name in names if name not in states]
        assert names and not missing, f"{missing} of the dashboard are not there: {sorted(states)}"
        shown = self.assistant.ask("lovelace/config", url_path="house-of-beacons", force=True)
        assert len(str(shown)) > 100 and all(name in str(shown) for name in names), shown
        self.passed("the dashboard of the page", f"{len(names)} entities")

    def battery(self):
        assert VOLTAGE not in self.assistant.entities()
        self.gateway.battery = 2954
        wait_for("voltage", SOON, lambda: VOLTAGE in self.assistant.entities())
        self.expect("the beacon says its battery", voltage=(2.94, 2.96), tracker="home")

    def radio_stops(self):
        names = self.names()
        for state in ("off", "deaf", "gone"):
            watch = Watch(self.assistant, names["tracker"])
            self.gateway.radio = state
            self.expect(f"the radio is {state}", connection="on", receiver="off", last="hall", seen=is_time, tracker="unavailable", occupancy="unavailable",
                        place="unavailable", distance="unavailable", voltage="unavailable")
            self.gateway.level = None
            time.sleep(60 * SECOND)
            self.gateway.radio = "listening"
            self.expect(f"the radio was {state}, and the beacon left meanwhile", tracker="unknown")
            time.sleep(60 * SECOND)
            self.gateway.level = HALL
            self.expect("the beacon is there again", tracker="home")
            seen = watch.end()
            assert "not_home" not in seen, f"a radio that was {state} made somebody leave: {seen}"
            self.passed("nobody left", " → ".join(map(str, seen)))

    def killed(self):
        names = self.names()
        watch = Watch(self.assistant, names["tracker"])
        start = time.monotonic()
        self.gateway.kill()
        self.expect("the gateway is killed", WILL, connection="off", tracker="unavailable", occupancy="unavailable",
                    place="unavailable", distance="unavailable")
        self.passed("told after", f"{time.monotonic() - start:.0f} s")
        self.expect("time and place stay", last="hall", seen=is_time, receiver="unavailable")
        self.start()
        self.expect("it starts again, without the beacon", connection="on", tracker="unknown", place="unknown", occupancy="off",
                    last="hall", seen=is_time,
                    voltage="unknown")
        seen = watch.end()
        assert "not_home" not in seen, seen
        self.passed("nobody left", " → ".join(map(str, seen)))
        self.gateway.level = HALL
        self.expect("the beacon is there", tracker="home", place="hall")
        self.gateway.stop()
        self.expect("the gateway is stopped", connection="off", tracker="unavailable", place="unavailable")
        self.start()
        self.gateway.level = HALL
        self.expect("it starts again, with the beacon", connection="on", tracker="home", place="hall")

    def broker_restarts(self):
        names = self.names()
        self.broker.kill()
        self.expect("the broker is killed", names=names, tracker="unavailable", connection="unavailable")
        time.sleep(2)
        self.broker.start()
        # Home Assistant tries again after at most a minute, the gateway after some seconds.
        self.expect("the broker is back and has nothing retained", 150, names=names, connection="on", tracker="home",
                    place="hall", distance=(0.2, 2))

    def assistant_restarts(self):
        names = self.names()
        self.assistant.kill()
        for topic in (f"{SITE}_hall", f"{BEACON}_hall"):
            self.broker.retain(f"homeassistant/device/{topic}/config")
        name = f"iBeacon:{UUID.lower()}-1-7"
        self.assistant.configure(
            "sensor:\n  - platform: mqtt_room\n    name: Dog's room\n"
            f'    device_id: "{name}"\n    state_topic: "espresense/devices/{name}"\n'
        )
        self.assistant.start()
        self.expect("Home Assistant starts again, and nobody retained what it needs", 60, names=names, connection="on",
                    tracker="home", place="hall", distance=(0.2, 2))

        self.expect("its mqtt_room reads what an ESPresense node would send", names={"room": "sensor.dog_s_room"}, room="hall")

    def renamed(self):
        before, tracker = self.assistant.entities(), self.entity(REGION + "_tracker")
        self.assistant.ask("config/entity_registry/update", entity_id=tracker, name="Rex at home",
                           new_entity_id="device_tracker.rex")
        self.gateway.stop()
        config = self.logs / "names.json5"
        config.write_text(f'{{ beacons: {{ "{DOG}": "Rex" }} }}')
        self.start(region="hound", config=config)
        self.gateway.level = HALL
        self.expect("region and beacon have other names", tracker="home", occupancy="on", place="hall", distance=(0.2, 2))
        after = self.assistant.entities()
        assert set(before) == set(after), set(before) ^ set(after)
        for key, entity in after.items():
            assert entity["id"] == before[key]["id"] and entity["device_id"] == before[key]["device_id"], key
        assert after[REGION + "_tracker"]["entity_id"] == "device_tracker.rex"
        assert after[REGION + "_tracker"]["name"] == "Rex at home"
        assert self.assistant.devices()[BEACON]["name"] == "Rex"
        self.passed("they are the same entities, and the names that the user gave stay", f"{len(after)} entities")
        return config

    def second_gateway(self):
        options = ["--home-assistant"]
        second = Gateway(self.command, self.broker, self.logs, "kitchen", options)
        second.level = KITCHEN
        wait_for("second distance", SOON, lambda: f"{BEACON}_distance_kitchen" in self.assistant.entities())
        names = {**self.names(), "other": self.entity(f"{BEACON}_distance_kitchen")}
        self.expect("a second gateway measures the same device", names=names, distance=(0.2, 2), other=(3, 30))
        entities = self.assistant.entities()
        assert entities[f"{BEACON}_distance_kitchen"]["device_id"] == entities[f"{BEACON}_distance_hall"]["device_id"]
        second.kill()
        self.expect("it is killed, and the first one is still there", WILL, names=names, other="unavailable",
                    distance=(0.2, 2), tracker="home")
        second = Gateway(self.command, self.broker, self.logs, "kitchen", ["--satisfying", UUID], region=None)
        wait_for("removal", SOON, lambda: not any("kitchen" in key for key in self.assistant.entities()))
        assert BEACON in self.assistant.devices()
        self.passed("it starts without --home-assistant: its entities go, the shared device stays")
        second.stop()

    def removed(self, config):
        self.gateway.stop()
        self.start(region=None, config=config)
        self.gateway.level = HALL
        left = {f"{SITE}_hall_connection", f"{SITE}_hall_receiver_hci0", f"{BEACON}_distance_hall", f"{BEACON}_place",
                        f"{BEACON}_last_place", f"{BEACON}_seen_hall", VOLTAGE}
        wait_for("removal", SOON, lambda: set(self.assistant.entities()) == left)
        self.passed("a region that is not configured any more goes", f"{len(left)} entities stay")
        self.gateway.stop()
        self.gateway = Gateway(self.command, self.broker, self.logs, options=["--satisfying", UUID], region=None)
        wait_for("removal of all", SOON, lambda: not self.assistant.entities() and not self.assistant.devices())
        self.passed("without --home-assistant everything goes")

    def upgraded(self):
        """Regions were entities of their gateway once: they go to other devices, under the same identifiers."""
        self.gateway.stop()
        gateway, key = f"{SITE}_hall", REGION.removeprefix(f"{SITE}_hall_")
        topic = f"homeassistant/device/{gateway}/config"
        state = {"stat_t": "beacons/home/hall/region/dog", "name": "dog"}
        former = {key: {"p": "binary_sensor", "uniq_id": REGION, **state},
                  key + "_tracker": {"p": "device_tracker", "uniq_id": REGION + "_tracker", **state}}
        self.broker.retain(topic, json.dumps({"dev": {"ids": [gateway], "name": "hall"}, "o": {"name": "beaconctl"}, "cmps": former}))
        wait_for("former form", SOON, lambda: set(self.assistant.entities()) == {REGION, REGION + "_tracker"})
        lines = [f"{topic} {name} {component['p']}\n" for name, component in former.items()]
        (self.logs / "spool-hall/components").write_text("".join(lines))
        self.start()
        self.gateway.level = HALL
        wait_for("region's new device", SOON, lambda: BEACON in self.assistant.devices() and all(
            self.assistant.entities().get(name, {}).get("device_id") == self.assistant.devices()[BEACON]["id"]
            for name in (REGION, REGION + "_tracker")))
        wait_for("place", SOON, lambda: f"{BEACON}_place" in self.assistant.entities())
        self.expect("the region of an earlier version has its beacon's device", tracker="home", occupancy="on", place="hall")

    def complaints(self):
        """Home Assistant's log has no warning, except of a broker that the check killed, and of `--skip-pip`."""
        lines = self.assistant.log.read_text(errors="replace").splitlines()
        bad = [line for line in lines if re.search(r" (ERROR|WARNING|CRITICAL) ", line) and not re.search(
            r"Skipping pip installation|mqtt.*(Unable to connect|Disconnected from|Failed to connect|The connection was lost|[Cc]onnection (refused|lost))", line)]
        assert not bad, "\n".join(bad[:5])
        self.passed("Home Assistant complained of no message")

    def run(self):
        self.first_start()
        self.presence()
        self.strangers()
        self.dashboard()
        self.battery()
        self.radio_stops()
        self.killed()
        self.broker_restarts()
        self.assistant_restarts()
        config = self.renamed()
        self.second_gateway()
        self.removed(config)
        self.upgraded()
        self.complaints()

    def end(self):
        if self.gateway:
            self.gateway.kill()
        self.assistant.kill()
        self.broker.kill()


def main():
    command, logs = sys.argv[1], Path(sys.argv[2])
    check = Check(command, logs)
    try:
        check.run()
    except AssertionError as fault:
        print(f"FAULT {fault}\nsee {logs}")
        return 1
    finally:
        check.end()
    print(f"{check.count} passed, 0 failed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
