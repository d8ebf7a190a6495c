# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Runs inside the machine: each scenario of the plan on a bus, a radio and a separate bluetoothd.

    guest.py FOLDER      with plan.json in it; for each scenario FOLDER/NAME appears, with run.json as its last file

This program only reports what happened; the host judges it.
"""

import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import traceback
from pathlib import Path

import services
import units
from bus import SYSTEM_BUS, Adapter, Bus, BusError
from programs import Programs, install_stand_ins

BLUETOOTHD = "/usr/libexec/bluetooth/bluetoothd"
TOOLS = Path(__file__).parent
NOBODY = 65534
# Emulation is slow, and slower still if the host builds at the same time.
PATIENCE = 20.0
# How long a live command may take to end before it is killed; a check judges whether it ended in time.
LEAVING = 10.0
# How long a program may take to start for the first time.
BOOTED = 60.0
# How long to wait before a condition is looked at again.
BETWEEN = 0.2


def wait_for(what: str, test, seconds: float = PATIENCE):
    """The first truthy answer of `test`."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if answer := test():
                return answer
        except (OSError, BusError, TimeoutError):
            pass
        time.sleep(0.05)
    raise TimeoutError(f"{what} was not there within {seconds:.0f} s")


def stop(process: subprocess.Popen | None, with_signal: int = signal.SIGTERM, seconds: float = 5):
    if process is None or process.poll() is not None:
        return
    process.send_signal(with_signal)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class Scene:
    """Everything that runs for one scenario."""

    def __init__(self, plan: dict, scenario: dict, schedules: list[Path], folder: Path):
        self.plan, self.scenario, self.schedules, self.folder = plan, scenario, schedules, folder
        self.bus_daemon = self.daemon = self.capture = self.calls = self.live = None
        self.radios: list[subprocess.Popen] = []
        self.clients: dict[str, Bus] = {}
        self.programs = Programs(folder)
        self.began = time.time()
        self.started = 0.0
        self.live_started = 0.0
        self.facts: dict = {"actions": [], "programs": self.programs.facts}

    # Setting up and clearing away

    def set_up(self):
        shutil.rmtree("/var/lib/bluetooth", ignore_errors=True)
        for folder in ("/run/dbus", "/var/lib/bluetooth"):
            os.makedirs(folder, exist_ok=True)
        # Grants are stored, so each scenario starts with an empty store.
        os.environ["XDG_STATE_HOME"] = str(self.folder / "state")
        self.start_bus()
        if self.scenario.get("capture", True):
            words = ["btmon", "-w", str(self.folder / "hci.btsnoop")]
            self.capture = self.start(words, "btmon.log", stdout=subprocess.DEVNULL)
        if self.scenario.get("calls"):
            rule = "type='method_call',interface='org.bluez.AdvertisementMonitor1'"
            with open(self.folder / "calls.log", "wb") as calls:
                self.calls = self.start(["dbus-monitor", "--system", "--profile", rule], "dbus-monitor.log", stdout=calls)
        for number, schedule in enumerate(self.schedules):
            self.start_radio(number, schedule)
        self.start_daemon()
        for number in range(len(self.radios)):
            self.power(True, number)

    def start_bus(self):
        if os.path.exists(SYSTEM_BUS):
            os.unlink(SYSTEM_BUS)
        self.bus_daemon = self.start(units.BUS_DAEMON, "dbus-daemon.log")
        units.note_process("dbus", self.bus_daemon.pid, str(self.folder / "dbus-daemon.log"))
        wait_for("the bus", lambda: Bus().close() or True)

    def start_radio(self, number: int, schedule: Path):
        words = [str(TOOLS / "controller"), str(schedule), str(self.folder / f"controller-{number}.jsonl")]
        self.radios.append(self.start(words, "controller.log", stdin=subprocess.PIPE))
        # The next controller starts only after this one is present: the kernel numbers them in the order of their arrival.
        wait_for("the controller", lambda: os.path.exists(f"/sys/class/bluetooth/hci{number}"))

    def clear_away(self):
        for client in self.clients.values():
            client.close()
        stop(self.live, signal.SIGKILL)
        self.programs.clear_away()
        stop(self.daemon)
        units.stop("bluetooth")
        shutil.rmtree(units.DROP_INS, ignore_errors=True)
        for radio in self.radios:
            radio.stdin.close()
            try:
                radio.wait(5)
            except subprocess.TimeoutExpired:
                stop(radio)
        stop(self.calls)
        stop(self.capture)
        stop(self.bus_daemon)
        units.stop("dbus")

    def log(self, name: str):
        return open(self.folder / name, "ab")

    def start(self, words: list[str], log: str, **more) -> subprocess.Popen:
        with self.log(log) as file:
            return subprocess.Popen(words, **{"stdin": subprocess.DEVNULL, "stdout": file, "stderr": file, **more})

    def start_daemon(self):
        experimental = ["-E"] if self.scenario.get("experimental") else []
        more = {}
        if self.scenario.get("refused"):
            more["env"] = {**os.environ, "LD_PRELOAD": str(TOOLS / "refused.so")}
        self.daemon = self.start([BLUETOOTHD, "-n", *experimental], "bluetoothd.log", **more)
        units.note_process("bluetooth", self.daemon.pid, str(self.folder / "bluetoothd.log"))

    def power(self, on: bool, number: int = 0):
        bus = wait_for("the bus", Bus)
        adapter = Adapter(bus, f"/org/bluez/hci{number}")
        try:
            wait_for("bluetoothd's adapter", lambda: adapter.get("Address"))
            # A daemon that has just started is still powering the adapter itself, and answers Busy.
            wait_for(f"power {'on' if on else 'off'}", lambda: adapter.set_powered(on) or adapter.get("Powered") == on)
        finally:
            bus.close()

    # Actions on the timeline

    def prepare(self):
        """Performs the actions before the radio sends."""
        for action in self.scenario.get("prepare", []):
            getattr(self, "do_" + action["do"])(action)

    def run(self):
        for number in range(len(self.radios)):
            self.tell_radio("air", number)
        self.started = time.monotonic()
        self.facts["air"] = time.time()
        for action in self.scenario["timeline"]:
            time.sleep(max(0.0, self.started + action["at"] - time.monotonic()))
            begun = round(time.monotonic() - self.started, 3)
            self.facts["actions"].append({**action, "begun": begun, "wall": time.time()})
            getattr(self, "do_" + action["do"])(action)

    def tell_radio(self, word: str, number: int = 0):
        self.radios[number].stdin.write(word.encode() + b"\n")
        self.radios[number].stdin.flush()

    def live_words(self) -> list[str]:
        recording = str(self.folder / "recording.jsonl")
        if self.plan["probe"]:
            words = ["/usr/bin/python3", "-B", str(TOOLS / "probe.py"), recording]
            if self.scenario.get("experimental"):
                words.append("--monitor")
            elif "net_admin" in self.scenario.get("capabilities", []):
                words.append("--mgmt")
            return words
        command, *options = self.scenario["live"]
        via = self.scenario.get("via", "dbus")
        adapter = self.scenario.get("adapter", "hci0" if len(self.radios) == 1 else "all")
        options = ["--adapter", adapter, *([] if via == "automatic" else ["--via", via]), *options]
        if command == "record":
            return ["beaconctl", command, str(self.folder / self.scenario.get("recording", "recording.jsonl")), *options]
        return ["beaconctl", command, *options, "--format", "jsonl", "--record", recording]

    def do_live(self, action: dict):
        words = self.live_words()
        capabilities = ",".join("+" + name for name in self.scenario.get("capabilities", []))
        if self.scenario.get("user", "root") != "root":
            os.chown(self.folder, NOBODY, NOBODY)
            drop = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
            if capabilities:
                drop += [f"--inh-caps={capabilities}", f"--ambient-caps={capabilities}"]
            words = drop + words
        with open(self.folder / "live.jsonl", "wb") as told:
            self.live = self.start(words, "live.log", stdout=told, cwd=self.folder)
        self.live_started = time.monotonic()
        self.facts["live"] = words
        threading.Thread(target=self.watch_memory, daemon=True).start()

    def watch_memory(self):
        """Notes the live command's resident memory once a second: seconds of the scenario, and bytes."""
        samples = self.facts["resident"] = []
        status = Path(f"/proc/{self.live.pid}/status")
        while self.live.returncode is None:
            try:
                found = [line.split()[1] for line in status.read_text().splitlines() if line.startswith("VmRSS:")]
            except OSError:
                return
            samples += [[round(time.monotonic() - self.started, 1), int(found[0]) * 1024]] if found else []
            time.sleep(1)

    def do_end(self, action: dict):
        if self.live is None:
            return
        if self.live.poll() is not None:
            self.facts["end"] = {"early": True, "code": self.live.poll()}
            return
        begun = time.monotonic()
        self.live.send_signal(getattr(signal, "SIG" + action.get("signal", "INT")))
        while (answer := os.wait4(self.live.pid, os.WNOHANG))[0] == 0 and time.monotonic() - begun < LEAVING:
            time.sleep(0.01)
        killed = answer[0] == 0
        if killed:
            self.live.kill()
            answer = os.wait4(self.live.pid, 0)
        self.live.returncode = os.waitstatus_to_exitcode(answer[1])
        usage = answer[2]
        self.facts["end"] = {
            "early": False,
            "code": None if killed else self.live.returncode,
            "seconds": round(time.monotonic() - begun, 3),
            "ran": round(time.monotonic() - self.live_started, 3),
            "cpu": round(usage.ru_utime + usage.ru_stime, 3),
            "memory": usage.ru_maxrss * 1024,
        }

    def do_power(self, action: dict):
        self.power(action["on"], action.get("radio", 0))

    def do_daemon(self, action: dict):
        if name := action.get("signal"):
            self.daemon.send_signal(getattr(signal, "SIG" + name))
            self.daemon.wait(PATIENCE)
        if action.get("start"):
            self.start_daemon()

    def do_unplug(self, action: dict):
        self.tell_radio("unplug", action.get("radio", 0))

    def do_plug(self, action: dict):
        self.tell_radio("plug", action.get("radio", 0))

    def do_client(self, action: dict):
        """A foreign program: it sets a filter and, by default, starts discovery."""
        client = self.clients[action["name"]] = Bus()
        adapter = Adapter(client)
        if "filter" in action:
            adapter.set_filter({key: tuple(value) for key, value in action["filter"].items()})
        if action.get("discover", True):
            adapter.call("StartDiscovery")

    def do_pause(self, action: dict):
        """Stops the live command for a while, as an overloaded machine does."""
        self.live.send_signal(signal.SIGSTOP)

    def do_resume(self, action: dict):
        self.live.send_signal(signal.SIGCONT)

    def do_leave(self, action: dict):
        self.clients.pop(action["name"]).close()

    def do_run(self, action: dict):
        self.programs.run(**self.given(action))

    def do_stop(self, action: dict):
        self.programs.stop(action["name"], action.get("signal", "INT"))

    def do_doctor(self, action: dict):
        self.programs.doctor(**self.given(action))

    def do_terminal(self, action: dict):
        self.programs.terminal(**self.given(action))

    def do_await(self, action: dict):
        """Repeats a shell command until it succeeds."""
        words, begun = ["sh", "-c", action["command"]], time.time()
        silent = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": self.folder}

        def succeeds() -> bool:
            time.sleep(BETWEEN)
            return subprocess.run(words, check=False, **silent).returncode == 0

        wait_for(action["name"], succeeds, action.get("seconds", BOOTED))
        self.programs.facts[action["name"]] = {"begun": begun, "ended": time.time(), "code": 0}

    @staticmethod
    def given(action: dict) -> dict:
        return {key: value for key, value in action.items() if key not in ("at", "do")}


class SystemdScene(Scene):
    """A scenario of a machine with systemd: on its own bus, with the units of the package and of Debian."""

    def set_up(self):
        super().set_up()
        # Programs of several accounts write to it.
        self.folder.chmod(0o777)

    def start_bus(self):
        wait_for("the bus", lambda: Bus().close() or True)

    def start_daemon(self):
        services.quietly("systemctl", "start", "bluetooth.service")

    def clear_away(self):
        self.programs.clear_away()
        services.clear_away(self.folder, self.began)
        super().clear_away()

    def do_signal(self, action: dict):
        """Sends the service a signal, and waits until another process of it serves."""
        self.programs.facts[action["name"]] = services.signal_and_wait(action["signal"])


def run_scenario(plan: dict, name: str, out: Path):
    begun, wall = time.monotonic(), time.time()
    folder = Path("/tmp/run") / name
    folder.mkdir(parents=True)
    if (out / f"{name}.files").is_dir():
        shutil.copytree(out / f"{name}.files", folder, dirs_exist_ok=True)
    schedules = sorted(out.glob(f"{name}.[0-9].schedule"))
    kind = SystemdScene if plan["systemd"] else Scene
    scene = kind(plan, plan["scenarios"][name], schedules, folder)
    try:
        scene.set_up()
        scene.prepare()
        scene.facts["set_up"] = round(time.monotonic() - begun, 3)
        scene.run()
    except Exception:
        # After any error the next scenario still runs, and the host gets the error.
        scene.facts["error"] = traceback.format_exc(limit=4)
    scene.clear_away()
    scene.facts["seconds"] = round(time.monotonic() - begun, 3)
    scene.facts["wall"] = [wall, time.time()]
    # The results are copied to the host immediately: small writes over the share would slow the measured program.
    shutil.copytree(folder, out / name)
    (out / name / "run.json.part").write_text(json.dumps(scene.facts, indent=1))
    os.rename(out / name / "run.json.part", out / name / "run.json")
    shutil.rmtree(folder)


def main():
    out = Path(sys.argv[1])
    plan = json.loads((out / "plan.json").read_text())
    os.environ["PATH"] = "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    os.environ["HOME"] = "/root"
    # The host may be a container; this machine is not.
    Path("/.dockerenv").unlink(missing_ok=True)
    (line,) = glob.glob(plan["heartbeat"])
    subprocess.Popen(["/usr/bin/python3", "-B", str(TOOLS / "heartbeat.py"), line], stdin=subprocess.DEVNULL)
    subprocess.run(["dbus-uuidgen", "--ensure"], check=True)
    if plan["systemd"]:
        services.install(TOOLS / "beaconctl")
    elif not plan["probe"]:
        # A copy that any user may reach; the first start also brings the libraries into the machine's cache.
        for program in plan["programs"]:
            shutil.copy(TOOLS / program, "/usr/local/bin")
            silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "stdin": subprocess.DEVNULL}
            # A program for Core Location has no options, and ends if there is no such capture.
            environment = {**os.environ, "BEACONS_SOURCE": "capture:/nowhere", "BEACONS_STATE": "none"}
            subprocess.run([program, "--version"], env=environment, timeout=BOOTED, check=False, **silent)
        install_stand_ins()
    (out / "ready").write_text(f"{time.clock_gettime(time.CLOCK_BOOTTIME):.1f}\n")
    for name in plan["scenarios"]:
        run_scenario(plan, name, out)


if __name__ == "__main__":
    main()
