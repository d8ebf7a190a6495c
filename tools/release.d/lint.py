# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Checks where schemas do not look: the steps of workflows, the Home Assistant app, and the lists of parts in dist/.

  lint.py VERSION
"""

import re
import sys
from pathlib import Path

import yaml
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

ROOT = Path(__file__).resolve().parent.parent.parent
APP = ROOT / "home-assistant-app"
# Of Home Assistant's Supervisor (apps/validate.py, 2026.08), those that the app uses; it skips unknown ones without a message.
REQUIRED = {"name": str, "version": str, "slug": str, "description": str, "arch": list}
OPTIONAL = {"url": str, "startup": str, "init": bool, "host_dbus": bool, "services": list, "options": dict, "schema": dict}
ELEMENT = re.compile(r"^(?:(?:bool|email|url|port|password|device)|(?:str|int|float)(?:\([-\d.]*,[-\d.]*\))?|match\((.*)\)|list\((.+)\))\??$")


def steps(path):
    """Yields the command lines of a workflow that are not a script of tools/."""
    for job in yaml.safe_load(path.read_text())["jobs"].values():
        for step in job.get("steps", []):
            command = step.get("run")
            if command and not re.fullmatch(r"tools/[\w -]+|sudo apt-get install .*", command.strip()):
                yield f"{path.name}: '{command}' is not a script of tools/"


def elements(schema, options, place="schema"):
    """Yields faults of an app's schema, and options without an element."""
    if isinstance(schema, str):
        found = ELEMENT.match(schema)
        if not found:
            yield f"{place}: '{schema}' is not an element"
        elif found[1] and isinstance(options, str) and not re.match(found[1], options):
            yield f"{place}: the default '{options}' does not match {found[1]}"
    elif isinstance(schema, list):
        for one in options or [None]:
            yield from elements(schema[0], one, place)
    else:
        for key in (options or {}).keys() - schema.keys():
            yield f"{place}: the option {key} has no element"
        for key, one in schema.items():
            yield from elements(one, (options or {}).get(key), f"{place}.{key}")


def app(version):
    """Yields faults of the Home Assistant app."""
    config = yaml.safe_load((APP / "config.yaml").read_text())
    for key, kind in (REQUIRED | OPTIONAL).items():
        if not isinstance(config.get(key), kind) and (key in REQUIRED or key in config):
            yield f"config.yaml: {key} is missing or not of type {kind.__name__}"
    for key in config.keys() - REQUIRED.keys() - OPTIONAL.keys():
        yield f"config.yaml: {key} is not known here"
    if config.get("version") != version:
        yield f"config.yaml: the version is {version}"
    if config["startup"] not in ("initialize", "system", "services", "application", "once"):
        yield "config.yaml: startup is not one of Home Assistant's"
    yield from elements(config["schema"], config["options"])
    texts = yaml.safe_load((APP / "translations/en.yaml").read_text())["configuration"]
    if texts.keys() != config["schema"].keys():
        yield "translations/en.yaml does not describe each option"
    if not {"name", "url"} <= yaml.safe_load((ROOT / "repository.yaml").read_text()).keys():
        yield "repository.yaml needs name and url"


faults = [fault for path in sorted((ROOT / ".github/workflows").glob("*.yml")) for fault in steps(path)]
faults += app(sys.argv[1])
lists = sorted((ROOT / "dist").glob("*.cdx.json"))
for path in lists:
    fault = JsonStrictValidator(SchemaVersion.V1_5).validate_str(path.read_text())
    faults += [f"{path.name}: {fault}"] if fault else []
print(*faults, f"lint: {len(faults)} faults; {len(lists)} lists of parts", sep="\n")
sys.exit(bool(faults))
