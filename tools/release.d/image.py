# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Writes an OCI image of several architectures as one archive, the same bytes for the same files.

  image.py VERSION SECONDS SOURCE OUTPUT ARCHITECTURE=FOLDER …

FOLDER/base and FOLDER/command become a layer each. SECONDS is the time that everything gets.
"""

import gzip
import hashlib
import io
import json
import sys
import tarfile
import time
from pathlib import Path

VERSION, SECONDS, SOURCE, OUTPUT = sys.argv[1], int(sys.argv[2]), sys.argv[3], Path(sys.argv[4])
# The account without rights that every machine has: the host's bus refuses a user that its machine does not know.
USER = 65534
# Folders besides those of the files; the user may write to two of them.
OWNED = {"command": [("state", 0o700), ("data", 0o755)], "base": [("tmp", 0o1777), ("run", 0o755)]}
MANIFEST = "application/vnd.oci.image.manifest.v1+json"
blobs: dict[str, bytes] = {}


def entry(name: str, kind: bytes, mode: int, user: int = 0) -> tarfile.TarInfo:
    made = tarfile.TarInfo(name)
    made.type, made.mode, made.mtime, made.uid, made.gid = kind, mode, SECONDS, user, user
    return made


def layer(folder: Path, owned: list[tuple[str, int]]) -> bytes:
    """Returns the uncompressed archive of a folder: no owner, no right to become another user, no time but the one."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, mode in owned:
            archive.addfile(entry(name, tarfile.DIRTYPE, mode, USER if name in ("state", "data") else 0))
        for path in sorted(folder.rglob("*")):
            name = str(path.relative_to(folder))
            if path.is_symlink():
                made = entry(name, tarfile.SYMTYPE, 0o777)
                made.linkname = str(path.readlink())
                archive.addfile(made)
            elif path.is_dir():
                archive.addfile(entry(name, tarfile.DIRTYPE, 0o755))
            else:
                made = entry(name, tarfile.REGTYPE, 0o755 if path.stat().st_mode & 0o100 else 0o644)
                made.size = path.stat().st_size
                with path.open("rb") as file:
                    archive.addfile(made, file)
    return buffer.getvalue()


def keep(content: bytes, kind: str) -> dict:
    """Keeps a blob, and returns its descriptor."""
    digest = hashlib.sha256(content).hexdigest()
    blobs[digest] = content
    return {"mediaType": kind, "digest": f"sha256:{digest}", "size": len(content)}


def keep_json(content: dict, kind: str) -> dict:
    return keep(json.dumps(content, separators=(",", ":"), sort_keys=True).encode(), kind)


CREATED = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(SECONDS))
LABELS = {
    "org.opencontainers.image.title": "beaconctl",
    "org.opencontainers.image.description": "iBeacon ranging and region monitoring",
    "org.opencontainers.image.version": VERSION,
    "org.opencontainers.image.created": CREATED,
    "org.opencontainers.image.source": SOURCE,
    "org.opencontainers.image.licenses": "Apache-2.0",
}


def image(architecture: str, folder: Path) -> dict:
    """Keeps the blobs of one architecture, and returns the descriptor of its manifest."""
    layers, digests = [], []
    for part, owned in (("base", OWNED["base"]), ("command", OWNED["command"])):
        archive = layer(folder / part, owned)
        digests.append("sha256:" + hashlib.sha256(archive).hexdigest())
        layers.append(keep(gzip.compress(archive, 9, mtime=0), "application/vnd.oci.image.layer.v1.tar+gzip"))
    configuration = {
        "created": CREATED, "architecture": architecture, "os": "linux",
        "config": {
            "User": f"{USER}:{USER}", "Entrypoint": ["/usr/bin/beaconctl"], "WorkingDir": "/data",
            "Env": ["PATH=/usr/bin", "LANG=C.UTF-8", "HOME=/state", "XDG_STATE_HOME=/state"],
            "Labels": LABELS,
        },
        "rootfs": {"type": "layers", "diff_ids": digests},
        "history": [{"created": CREATED, "created_by": "tools/release"} for _ in digests],
    }
    if architecture == "arm64":
        configuration["variant"] = "v8"
    manifest = {
        "schemaVersion": 2, "mediaType": MANIFEST, "layers": layers, "annotations": LABELS,
        "config": keep_json(configuration, "application/vnd.oci.image.config.v1+json"),
    }
    platform = {key: configuration[key] for key in ("architecture", "os", "variant") if key in configuration}
    return keep_json(manifest, MANIFEST) | {"platform": platform}


index = {
    "schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json",
    "manifests": [image(*(word if not place else Path(word) for place, word in enumerate(one.split("=", 1)))) for one in sys.argv[5:]],
}
top = {
    "schemaVersion": 2,
    "manifests": [keep_json(index, index["mediaType"]) | {"annotations": {"org.opencontainers.image.ref.name": VERSION}}],
}
files = {"oci-layout": b'{"imageLayoutVersion":"1.0.0"}', "index.json": json.dumps(top).encode()}
files |= {f"blobs/sha256/{digest}": content for digest, content in sorted(blobs.items())}
with tarfile.open(OUTPUT, "w", format=tarfile.USTAR_FORMAT) as archive:
    for name, content in files.items():
        made = entry(name, tarfile.REGTYPE, 0o644)
        made.size = len(content)
        archive.addfile(made, io.BytesIO(content))
