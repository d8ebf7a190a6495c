# SPDX-License-Identifier: Apache-2.0
# Part of Beacons; see LICENSE and docs/architecture.md.
"""A fleet of gateways on a broker, which is killed again and again: losses, delays, and costs.

Three NATS servers, which several accounts share, keep each message three times, or there is one mosquitto. The gateways
are simulated (broker.d/swarm.py), and one reader of each account takes everything. A broker is killed each minute and
starts again 10 s later. Everything is on 127.0.0.1.
"""

import argparse
import asyncio
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "broker.d"))

from brokers import balance, mosquitto, nats, waited_for_core  # noqa: E402
from claims import Claims  # noqa: E402
from swarm import Collector, Gateway, Tally  # noqa: E402

# The project's own bars.
SILENCE, RETURN, CONNECTS = 10, 60, 500
# A killed broker is away for so long, as one that its service manager starts again.
AWAY = 10
# After its return it needs so long until it has the missed messages.
SETTLED = 10


def names(arguments):
    """Returns the accounts of the servers: a single one needs none."""
    clustered = arguments.broker == "nats" and arguments.nodes > 1
    return [f"part{number + 1}" for number in range(arguments.accounts)] if clustered else []


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * share))] if values else float("nan")


async def watch(lags):
    """Notes how much later than it wanted the load generator runs, in seconds."""
    while True:
        start = time.monotonic()
        await asyncio.sleep(0.1)
        lags.append(time.monotonic() - start - 0.1)


async def play(arguments, brokers):
    """Connects the gateways, lets them send, and kills brokers; returns the counts."""
    # One account without a name if the broker has no accounts.
    accounts = names(arguments) or [None]
    tally = Tally(brokers, accounts, arguments.period, arguments.spread)
    collector, ready = Collector(brokers, accounts, arguments.gateways), asyncio.Event()
    reading = asyncio.create_task(collector.run(ready))
    await asyncio.wait_for(ready.wait(), 60)
    gateways = [Gateway(number, tally) for number in range(arguments.gateways)]
    loop, tasks = asyncio.get_running_loop(), []
    start = time.monotonic()
    for number, gateway in enumerate(gateways):
        # Evenly, at four fifths of the rate that is allowed.
        if (wait := start + number / (CONNECTS * 0.8) - time.monotonic()) > 0:
            await asyncio.sleep(wait)
        tasks.append(asyncio.create_task(gateway.run()))
        loop.call_later(1 + number % 997 / 997 * arguments.period, gateway.tick)
    while tally.online < arguments.gateways and time.monotonic() - start < 300:
        await asyncio.sleep(0.5)
    if names(arguments):
        await asyncio.to_thread(balance, brokers, accounts)
    print(f"  {tally.online} gateways are connected after {time.monotonic() - start:.0f} s", flush=True)
    await asyncio.sleep(arguments.period)
    for gateway in gateways:
        # The bench does not wait for the time that makes a connection a stable one.
        gateway.settled, gateway.failures = True, 0
    settled = time.monotonic()
    tally.connects.clear()
    tally.returns.clear()
    tally.killed = tally.ended = tally.refused = 0
    cpu, waits = [broker.cpu() for broker in brokers], [broker.wait() for broker in brokers]
    own, own_wait, acks = time.process_time(), waited_for_core("self"), tally.acks
    lags = []
    tasks.append(asyncio.create_task(watch(lags)))
    first = time.time()
    kills, back = [], []
    for minute in range(arguments.minutes):
        end = settled + 60 * (minute + 1)
        if arguments.kills:
            await asyncio.sleep(10)
            broker = brokers[minute % len(brokers)]
            broker.kill()
            kills.append(time.monotonic())
            await asyncio.sleep(AWAY)
            broker.start()
            while tally.online < arguments.gateways and time.monotonic() < end:
                await asyncio.sleep(0.2)
            back.append(time.monotonic() - kills[-1] if tally.online >= arguments.gateways else float("inf"))
            print(f"  {broker.name} was killed; all are back after {back[-1]:.0f} s", flush=True)
            if names(arguments):
                # The server that was away leads nothing now.
                await asyncio.sleep(SETTLED)
                await asyncio.to_thread(balance, brokers, accounts)
        while time.monotonic() < end:
            for broker in brokers:
                broker.look()
            await asyncio.sleep(min(2, max(0, end - time.monotonic())))
    minutes = (time.monotonic() - settled) / 60
    used = [(broker.cpu() - before) / minutes for broker, before in zip(brokers, cpu)]
    waits = [(broker.wait() - before) / minutes for broker, before in zip(brokers, waits)]
    own, own_wait = (time.process_time() - own) / minutes, (waited_for_core("self") - own_wait) / minutes
    rate = (tally.acks - acks) / minutes / 60
    # Messages on their way arrive; new ones are not made.
    tally.stops = True
    limit = time.monotonic() + 90
    while time.monotonic() < limit:
        lost = sum(len(gateway.acknowledged - collector.known[gateway.number]) for gateway in gateways)
        if not lost and not any(gateway.waiting for gateway in gateways):
            break
        await asyncio.sleep(1)
    lost = sum(len(gateway.acknowledged - collector.known[gateway.number]) for gateway in gateways)
    never = sum(len(gateway.waiting) for gateway in gateways)
    stored = [broker.stored() for broker in brokers]
    collector.stops = True
    for task in [*tasks, reading]:
        task.cancel()
    delays = [delay for at, delay in collector.delays if at >= first]
    return dict(
        tally=tally, collector=collector, lost=lost, never=never, used=used, own=own, rate=rate, back=back, delays=delays,
        stored=stored, minutes=minutes, waits=waits, own_wait=own_wait, lags=lags,
    )


def report(arguments, brokers, seen, claims):
    """Prints the figures with their bars."""
    tally, collector = seen["tally"], seen["collector"]
    name = f"{arguments.broker} × {len(brokers)}, {arguments.gateways:,} gateways"
    name += f" in {len(names(arguments))} accounts" if names(arguments) else ""
    judged = arguments.kills and arguments.broker == "nats"

    def add(what, value, bar=None, **more):
        claims.add(f"{name}: {what}", value, bar if judged or what == "lost of those acknowledged" else None, **more)

    add("messages acknowledged", tally.acks, digits=0)
    add("lost of those acknowledged", seen["lost"], 0, digits=0)
    add("received twice, known by their numbers", collector.duplicates, digits=0)
    add("messages a second", seen["rate"], digits=0)
    add("acknowledged after, p50", 1000 * percentile(tally.delays, 0.5), unit=" ms", digits=1)
    add("acknowledged after, p99", percentile(tally.delays, 0.99), unit=" s")
    add("silence of a gateway beyond its period, p50", 1000 * percentile(seen["delays"], 0.5), unit=" ms", digits=1)
    add("silence of a gateway beyond its period, p99", percentile(seen["delays"], 0.99), SILENCE, unit=" s")
    add("silence of a gateway beyond its period, longest", max(seen["delays"], default=float("nan")), unit=" s", digits=1)
    if arguments.kills:
        add("all are back after a kill, slowest", max(seen["back"]), RETURN, unit=" s", digits=0)
        add("a gateway is back after, p99", percentile(tally.returns, 0.99), unit=" s", digits=1)
        add("connects in a second, most", max(tally.connects.values(), default=0), CONNECTS, digits=0)
        add("connects", sum(tally.connects.values()), digits=0)
        add("connections at a killed server", tally.killed, digits=0)
        add("connections that a living server ended", tally.ended, digits=0)
        add("connects that a living server did not accept", tally.refused, digits=0)
        add("the reader is away, longest", max(collector.away, default=0), unit=" s", digits=1)
    for broker, used, waits, stored in zip(brokers, seen["used"], seen["waits"], seen["stored"]):
        add(f"{broker.name}, CPU a minute", used, unit=" s", digits=1)
        add(f"{broker.name}, waits for a core a minute, all threads", waits, unit=" s", digits=1)
        add(f"{broker.name}, memory, most", broker.peak / 1e6, unit=" MB", digits=0)
        add(f"{broker.name}, on the disk at the end", stored / 1e6, unit=" MB", digits=1)
    add("the load generator, CPU a minute", seen["own"], unit=" s", digits=1)
    add("the load generator, waits for a core a minute", seen["own_wait"], unit=" s", digits=1)
    add("the load generator runs late, p99", percentile(seen["lags"], 0.99), unit=" s")
    add("bytes of a message with its head", tally.bytes / max(1, tally.acks), digits=0)


def main():
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="tools/bench fleet", description=__doc__, formatter_class=form)
    parser.add_argument("--broker", choices=["nats", "mosquitto"], default="nats")
    parser.add_argument("--gateways", type=int, default=10_000, help="how many gateways (default: 10,000)")
    parser.add_argument("--nodes", type=int, default=3, help="how many NATS servers: 1 or 3 (default: 3)")
    parser.add_argument("--accounts", type=int, default=6, help="how many accounts share three servers (default: 6)")
    parser.add_argument("--minutes", type=int, default=4, help="how long it is measured (default: 4)")
    parser.add_argument("--period", type=float, default=10, help="seconds between two messages of a gateway (default: 10)")
    parser.add_argument(
        "--spread", type=float, default=8, help="limit of the first wait behind a stable connection, in seconds (default: 8)"
    )
    parser.add_argument("--no-kills", dest="kills", action="store_false", help="kill no broker")
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    arguments = parser.parse_args()
    files, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    if most < arguments.gateways + 200:
        sys.exit(f"this account may open {most} files, which is too few for {arguments.gateways} gateways; ulimit -n")
    claims = Claims()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        brokers = [mosquitto(folder)] if arguments.broker == "mosquitto" else nats(folder, arguments.nodes, names(arguments))
        try:
            seen = asyncio.run(play(arguments, brokers))
            print(f"load average {os.getloadavg()[0]:.1f} of {os.cpu_count()} cores", flush=True)
            report(arguments, brokers, seen, claims)
        finally:
            for broker in brokers:
                broker.kill()
    print(claims.table())
    if arguments.json:
        claims.write(arguments.json)
    return 0 if claims.all_met else 1


if __name__ == "__main__":
    sys.exit(main())
