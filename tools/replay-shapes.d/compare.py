# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""Runs ReplayShapes and compares its outputs: compare.py PROGRAM RUNS SPEEDS CAPTURES [SHAPE …]"""

import collections
import concurrent.futures
import os
import subprocess
import sys

def output(command):
    run = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300)
    return run.stdout + run.stderr + (f"exit {run.returncode}\n" if run.returncode else "")


def main():
    program, runs, speeds, captures = sys.argv[1], int(sys.argv[2]), sys.argv[3].split(","), sys.argv[4].split(",")
    shapes = sys.argv[5:] or output([program]).split()
    wrong = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for shape in shapes:
            for capture in captures:
                # In turns, so that a busy minute of the machine falls on every speed.
                commands = [[program, shape, capture, speed] for _ in range(runs) for speed in speeds]
                outputs = list(pool.map(output, commands))
                kinds = collections.Counter(outputs)
                usual = kinds.most_common(1)[0][0]
                lines = usual.count("\n")
                odd = len(outputs) - kinds[usual]
                fault = " EMPTY" if not usual else " EXIT" if "\nexit " in usual else ""
                wrong += bool(odd or fault)
                print(f"{shape:18} {os.path.basename(capture):13} {len(outputs) - odd}/{len(outputs)} equal, {lines} lines{fault}", flush=True)
                for speed, text in sorted({(c[3], o) for c, o in zip(commands, outputs) if o != usual})[:3]:
                    print(f"    at {speed}: {text.count(chr(10))} lines, e.g. {first_difference(usual, text)}")
    print(f"{wrong} shapes differ" if wrong else "all equal")
    sys.exit(wrong > 0)


def first_difference(usual, text):
    for mine, other in zip(usual.splitlines() + [""], text.splitlines() + [""]):
        if mine != other:
            return f"{other!r} in place of {mine!r}"
    return "more lines"


if __name__ == "__main__":
    main()
