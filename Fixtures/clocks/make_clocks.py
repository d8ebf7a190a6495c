#!/usr/bin/env python3
"""Writes the recordings of this folder; see README.md. Running it again gives the same bytes."""
import datetime
import os

FOLDER = os.path.dirname(os.path.abspath(__file__))
AD = "0201061aff4c000215f7826da64fa24e988024bc5b71e0893e00010001c5"
HEADER = (
    '{"v":1,"type":"capture","tool":"make_clocks","version":"1","receivers":["hci0"],'
    '"profile":null,"redacted":true}'
)
NOW = datetime.datetime(2026, 3, 1, 9, 0, 0)
EPOCH = datetime.datetime(1970, 1, 1)


def report(time, number):
    # An RSSI that differs from report to report, so that a lost or moved one shows.
    rssi = -60 - number % 7
    return (
        '{"v":1,"type":"report","t":"%sZ","receiver":"hci0","address":"02:00:00:00:00:01",'
        '"address_type":"random","event":"ADV_NONCONN_IND","rssi":%d,"ad":"%s"}'
        % (time.strftime("%Y-%m-%dT%H:%M:%S.%f"), rssi, AD)
    )


def write(name, times):
    lines = [HEADER] + [report(time, number) for number, time in enumerate(times)]
    with open(os.path.join(FOLDER, name), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def seconds(start, count, first=0.25):
    return [start + datetime.timedelta(seconds=first + number) for number in range(count)]


def main():
    right = seconds(NOW, 60)
    write("right.jsonl", right)
    # Twenty seconds in 1970 until the network sets the clock.
    write("boot-1970.jsonl", seconds(EPOCH, 20, 8.25) + right[20:])
    # Three starts from the hour that was saved at the last shutdown.
    saved = NOW - datetime.timedelta(minutes=43)
    write("boot-saved-hour.jsonl", right[:20] + seconds(saved, 20) + seconds(saved, 20, 0.75))
    # The clock is a day late for twenty seconds in the middle.
    late = [time - datetime.timedelta(days=1) for time in right[20:40]]
    write("day-late.jsonl", right[:20] + late + right[40:])
    # One stamp in 2031, one in 1970.
    wild = list(right)
    wild[10] = datetime.datetime(2031, 1, 1)
    wild[30] = EPOCH
    write("wild-stamps.jsonl", wild)
    # One stamp is 45 s ahead: no gap, but longer than a beacon is silent.
    spike = list(right)
    spike[30] += datetime.timedelta(seconds=45)
    write("spike-45.jsonl", spike)
    # The clock is 45 s late for twenty seconds in the middle.
    late = [time - datetime.timedelta(seconds=45) for time in right[20:40]]
    write("back-45.jsonl", right[:20] + late + right[40:])
    # The first stamp is from before the clock was set.
    write("wild-start.jsonl", [EPOCH + datetime.timedelta(seconds=3)] + right[1:])


if __name__ == "__main__":
    main()
