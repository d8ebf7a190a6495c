// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconTerminal

extension RangeView {
  private static let help: [(keys: String, meaning: String)] = [
    ("F1 l", "the list of beacons"),
    ("F2 i Enter", "the chosen beacon in full, and why it is told as it is"),
    ("up down k j", "choose a beacon; PgUp PgDn Home End g G go further"),
    ("F3 s", "sort by distance, signal, name, rate, age"),
    ("F4 p Space", "pause what is shown; listening goes on"),
    ("F5 r", "record what is heard from now on; again to end the file"),
    ("F6 e", "what happened: regions, radios, recordings"),
    ("F8 h ?", "this page"),
    ("F10 q ^C", "end; ^Z stops, ^L draws anew"),
    ("", ""),
    ("I N F ?", "immediate, near, far, unknown; the longer the bar, the nearer"),
    ("PER S", "reports a second, over the last five"),
    ("AGE", "since the last report; a silent beacon is told of for a while"),
    ("line", "RSSI second by second from -100 to -40 dBm; a hole is silence"),
  ]

  func drawHelp(on screen: inout Screen, in area: RangeArea) {
    let width = min(screen.columns - 2, 80)
    let height = min(area.height, Self.help.count + 2)
    screen.box(column: 1, row: area.top, width: width, height: height, title: "Keys")
    for (index, line) in Self.help.prefix(max(0, height - 2)).enumerated() {
      screen.put(line.keys, column: 3, row: area.top + 1 + index, style: .bold, width: 12)
      screen.put(line.meaning, column: 16, row: area.top + 1 + index, width: width - 17)
    }
  }
}
