# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Prints the parts of a package, or of an image, in the form of CycloneDX 1.5: the archives in the linker's map, and the libraries that are loaded.

  bom.py ARCHITECTURE VERSION SECONDS COMMAND MAP PACKAGE [FOLDER]

FOLDER has a file with the control fields of each Debian package in the image. A linked archive that is not in the table is an error.
"""

import hashlib
import json
import re
import subprocess
import sys
import time
import uuid
from pathlib import Path

ARCHITECTURE, VERSION, SECONDS, COMMAND, MAP, PACKAGE = sys.argv[1:7]
PACKAGES = Path(sys.argv[7]) if len(sys.argv) > 7 else None

SWIFT = "Apache-2.0 WITH Swift-exception"
# Each archive: its part, the part's license, and a description.
PARTS = {
    "libswiftCore": ("swift-stdlib", f"({SWIFT}) AND (Apache-2.0 WITH LLVM-exception) AND Unicode-3.0",
                     "Swift's standard library and runtime, with support code of LLVM and tables of the Unicode Character Database"),
    "libswift_Concurrency": ("swift-concurrency", SWIFT, "Swift's concurrency library"),
    "libswiftSynchronization": ("swift-synchronization", SWIFT, "Swift's synchronization library"),
    "libswiftGlibc": ("swift-glibc", SWIFT, "Swift's overlay of the C library"),
    "libswiftDispatch": ("swift-dispatch", SWIFT, "Swift's overlay of libdispatch"),
    "libdispatch": ("libdispatch", SWIFT, "Grand Central Dispatch"),
    "libBlocksRuntime": ("blocks-runtime", "MIT", "the runtime of Clang's blocks"),
    "libgcc": ("libgcc", "GPL-3.0-or-later WITH GCC-exception-3.1", "support code of the C compiler"),
    "libc_nonshared": ("glibc-nonshared", "LGPL-2.1-or-later", "the part of the C library that is linked statically"),
    # This project's functions that older C libraries lack.
    "libglibc-compat": None,
}


def swift_version():
    """Returns the version of the runtime that is linked in: its library contains the compiler's."""
    texts = subprocess.run(["strings", "-a", COMMAND], capture_output=True, check=True, text=True).stdout
    found = re.search(r"Swift version (\d+\.\d+(?:\.\d+)?)|swiftlang-(\d+\.\d+(?:\.\d+)?)", texts)
    return next(filter(None, found.groups())) if found else None


def linked():
    """Yields the parts that the linker took something from."""
    archives = set(re.findall(r"([^/\s]+)\.a\(", Path(MAP).read_text(errors="replace")))
    unknown = archives - PARTS.keys()
    if unknown:
        sys.exit(f"bom.py does not know the license of {', '.join(sorted(unknown))}")
    version = swift_version()
    for archive in sorted(archives):
        if PARTS[archive]:
            name, terms, text = PARTS[archive]
            part = {"type": "library", "bom-ref": name, "name": name, "description": text, "scope": "required",
                    "licenses": [{"expression": terms}]}
            if "Swift-exception" in terms and version:
                part["version"] = version
            yield part


def fields(text):
    """Returns the fields of a Debian package's control file."""
    return dict(re.findall(r"^([\w-]+): (.*)$", text, re.MULTILINE))


def debian(name, version=None, architecture=ARCHITECTURE, scope="required"):
    url = f"pkg:deb/debian/{name}" + (f"@{version}" if version else "") + f"?arch={architecture}"
    return {"type": "library", "bom-ref": url, "name": name, **({"version": version} if version else {}), "purl": url, "scope": scope}


def needed(control):
    """Yields the Debian packages that the package depends on, and those that it recommends, without a version."""
    for key, scope in (("Depends", "required"), ("Recommends", "optional")):
        for one in control.get(key, "").split(","):
            if one.strip():
                yield debian(one.split()[0], scope=scope)


def contained():
    """Yields the Debian packages in the image."""
    for path in sorted(PACKAGES.iterdir()):
        control = fields(path.read_text())
        yield debian(control["Package"], control["Version"].replace("+", "%2B").replace(":", "%3A"), control["Architecture"])


control = fields(subprocess.run(["dpkg-deb", "-f", PACKAGE], capture_output=True, check=True, text=True).stdout)
digest = hashlib.sha256(Path(PACKAGE).read_bytes()).hexdigest()
whole = {
    "type": "container" if PACKAGES else "application", "bom-ref": "beaconctl", "name": "beaconctl", "version": VERSION,
    "licenses": [{"license": {"id": "Apache-2.0"}}],
    "purl": f"pkg:deb/beacons/beaconctl@{control['Version']}?arch={ARCHITECTURE}",
}
if not PACKAGES:
    whole["hashes"] = [{"alg": "SHA-256", "content": digest}]
inside = [*linked(), *(contained() if PACKAGES else needed(control))]
print(json.dumps({
    "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json",
    "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
    "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, digest + str(bool(PACKAGES)))}",
    "metadata": {"timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(SECONDS))), "component": whole},
    "components": inside,
    "dependencies": [{"ref": "beaconctl", "dependsOn": sorted(one["bom-ref"] for one in inside)}],
}, indent=1))
