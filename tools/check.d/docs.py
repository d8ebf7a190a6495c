# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Makes the documentation of every library the package offers, from a debug build; a warning is an error. Works offline."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
OUTPUT = ROOT / ".build-docs"


def run(*command):
    """Runs a command; its output is shown only when it failed."""
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        print(done.stdout)
        sys.exit(f"{' '.join(map(str, command[:4]))} … failed")
    return done.stdout


def libraries():
    """Returns the targets of the package's library products, each with its folder."""
    described = json.loads(
        subprocess.run(["swift", "package", "describe", "--type", "json"],
                       cwd=ROOT, capture_output=True, check=True, text=True).stdout
    )
    folders = {target["name"]: ROOT / target["path"] for target in described["targets"]}
    offered = {name for product in described["products"] if "library" in product["type"] for name in product["targets"]}
    return sorted((name, folders[name]) for name in offered)


def extract_graphs(names):
    """Extracts the libraries' symbol graphs from their modules, as the other checks build them."""
    graphs = OUTPUT / "graphs"
    shutil.rmtree(graphs, ignore_errors=True)
    graphs.mkdir(parents=True)
    modules = Path(run("swift", "build", "--show-bin-path").strip()) / "Modules"
    target = json.loads(run("swiftc", "-print-target-info"))["target"]["triple"]
    # The C libraries that modules import.
    c_modules = [f"-I{path.parent}" for path in sorted(ROOT.glob("Sources/System/*/module.modulemap"))]
    for name in names:
        run("swift-symbolgraph-extract", "-module-name", name, "-I", modules, *c_modules, "-target", target,
            "-minimum-access-level", "public", "-output-dir", graphs,
            f"-experimental-allowed-reexported-modules={','.join(names)}")
    return graphs


def convert(name, folder, graphs):
    """Converts one library's symbols, and its articles if it has any, into an archive."""
    own = OUTPUT / "symbols" / name
    shutil.rmtree(own, ignore_errors=True)
    own.mkdir(parents=True)
    # `Beacons.symbols.json` and, for its additions to others, `Beacons@BeaconCore.symbols.json`.
    for graph in [*graphs.glob(f"{name}.symbols.json"), *graphs.glob(f"{name}@*.symbols.json")]:
        shutil.copy(graph, own)
    catalog = folder / f"{name}.docc"
    run("docc", "convert", *([catalog] if catalog.is_dir() else []),
        "--additional-symbol-graph-dir", own, "--warnings-as-errors", "--transform-for-static-hosting",
        "--fallback-display-name", name, "--fallback-bundle-identifier", f"beacons.{name}",
        # The folder of a site in which tools/site puts it.
        *(["--hosting-base-path", f"{os.environ['BEACONS_SITE']}/libraries/{name}"] if "BEACONS_SITE" in os.environ else []),
        "--output-dir", OUTPUT / f"{name}.doccarchive")


offered = libraries()
graphs = extract_graphs([name for name, _ in offered])
for name, folder in offered:
    convert(name, folder, graphs)
    print(f"{name}: {OUTPUT.name}/{name}.doccarchive")
