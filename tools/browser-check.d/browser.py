# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Chromium without a window, driven through its debugging pipe (one JSON object, ended by a zero byte, each way)."""

import base64
import json
import os
import re
import select
import subprocess
import tempfile
import time


# How many times as long as usual everything may take, on a machine that has little time for it.
PATIENCE = float(os.environ.get("BEACONS_PATIENCE", "1"))


class Failure(Exception):
    """The browser failed, or a condition was not met in time."""


class Browser:
    """A separate browser process with an empty profile."""

    def __init__(self):
        self.profile = tempfile.TemporaryDirectory(prefix="beacons-browser.", ignore_cleanup_errors=True)
        ours_in, theirs_out = os.pipe()
        theirs_in, self.out = os.pipe()
        self.inp = ours_in
        flags = [
            "--headless=new", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu", "--hide-scrollbars",
            "--disable-background-networking", "--disable-component-update", "--disable-sync", "--force-color-profile=srgb",
            # In a container the browser runs as root without a sandbox; it opens only our own pages.
            "--no-sandbox", "--disable-dev-shm-usage", f"--user-data-dir={self.profile.name}", "about:blank",
        ]
        # The shell gives the pipes the numbers 3 and 4, which the browser expects.
        line = f'exec chromium "$@" 3<&{theirs_in} 4>&{theirs_out}'
        self.process = subprocess.Popen(
            ["bash", "-c", line, "chromium", *flags], pass_fds=(theirs_in, theirs_out),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self.rest = b""
        self.number = 0
        self.events = []

    def close(self):
        try:
            self.ask("Browser.close", patience=5)
        except (Failure, OSError):
            pass
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.profile.cleanup()

    def _read(self, until):
        """Returns the next message; None if none was received in time."""
        while b"\0" not in self.rest:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.inp], [], [], left)[0]:
                return None
            data = os.read(self.inp, 1 << 16)
            if not data:
                raise Failure("the browser ended")
            self.rest += data
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def ask(self, method, session=None, patience=20, **parameters):
        """Sends a request and returns the answer; events received in that time are kept."""
        self.number += 1
        number = self.number
        message = {"id": number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + patience * PATIENCE
        while True:
            answer = self._read(until)
            if answer is None:
                raise Failure(f"the browser does not answer {method}")
            if answer.get("id") == number:
                if "error" in answer:
                    raise Failure(f"{method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def listen(self, seconds):
        """Receives events for a while."""
        until = time.monotonic() + seconds
        while (message := self._read(until)) is not None:
            self.events.append(message)


class Page:
    """A tab, with its requests and its errors."""

    def __init__(self, browser, address, width=1280, height=900, dark=False, language="en", waits=True):
        self.browser = browser
        target = browser.ask("Target.createTarget", url="about:blank")["targetId"]
        self.target = target
        self.session = browser.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Network", "Log", "DOM", "Accessibility"]:
            self.ask(f"{domain}.enable")
        self.ask(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False
        )
        self.ask(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}],
        )
        self.ask("Network.setExtraHTTPHeaders", headers={"Accept-Language": language})
        self.ask("Page.navigate", url=address)
        if waits:
            self.wait("document.readyState === 'complete'")

    def ask(self, method, **parameters):
        return self.browser.ask(method, session=self.session, **parameters)

    def run(self, script):
        """Evaluates an expression in the page."""
        result = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise Failure(f"{script}: {result['exceptionDetails'].get('text')}")
        return result["result"].get("value")

    def wait(self, script, seconds=20):
        """Waits until an expression is true; while the page reloads itself it is not."""
        until = time.monotonic() + seconds * PATIENCE
        while time.monotonic() < until:
            try:
                if self.run(script):
                    return
            except Failure as failure:
                if "navigated" not in str(failure):
                    raise
            self.browser.listen(0.1)
        raise Failure(f"never true: {script}")

    def press(self, key, code):
        for kind in ["keyDown", "keyUp"]:
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code)

    def picture(self, path):
        data = self.ask("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def sheets(self, path=None):
        """Prints the page, into a file if one is named, and returns on how many sheets."""
        paper = base64.b64decode(self.ask("Page.printToPDF", preferCSSPageSize=True, patience=60)["data"])
        if path:
            with open(path, "wb") as file:
                file.write(paper)
        return len(re.findall(rb"/Type\s*/Page\b", paper))

    def told(self, method):
        """The browser's events for this page."""
        return [e["params"] for e in self.browser.events if e.get("method") == method and e.get("sessionId") == self.session]

    @property
    def complaints(self):
        """Errors on the console, of scripts and of the security policy."""
        found = []
        for entry in self.told("Log.entryAdded"):
            if entry["entry"]["level"] == "error":
                found.append((entry["entry"]["source"], entry["entry"]["text"]))
        for call in self.told("Runtime.consoleAPICalled"):
            if call["type"] in ("error", "assert", "warning"):
                found.append(("console", str(call["args"])))
        for thrown in self.told("Runtime.exceptionThrown"):
            found.append(("exception", thrown["exceptionDetails"].get("text", "")))
        return found

    @property
    def requests(self):
        """The addresses that the page requested."""
        return [r["request"]["url"] for r in self.told("Network.requestWillBeSent")]

    @property
    def names(self):
        """Roles and names of all elements that a screen reader finds."""
        nodes = self.ask("Accessibility.getFullAXTree")["nodes"]
        return [
            (n["role"]["value"], n.get("name", {}).get("value", "")) for n in nodes if not n.get("ignored") and "role" in n
        ]

    def close(self):
        self.browser.ask("Target.closeTarget", targetId=self.target)
