// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconTerminal

extension RangeView {
  private static let help: [(keys: String, meaning: String)] = [
    ("F1 l", "show the list of beacons"),
    ("F2 i Enter", "show the chosen beacon, and how its distance was computed"),
    ("up down k j", "choose a beacon; PgUp PgDn Home End g G go further"),
    ("F3 s", "sort by distance, signal, name, rate, age"),
    ("F4 p Space", "pause the view; listening continues"),
    ("F5 r", "record from now on; press again to end the file"),
    ("F6 e", "show events: regions, radios, recordings"),
    ("F8 h ?", "show this page"),
    ("F10 q ^C", "quit; ^Z suspends, ^L redraws"),
    ("", ""),
    ("I N F ?", "immediate, near, far, unknown; the longer the bar, the nearer"),
    ("PER S", "reports per second, over the last five seconds"),
    ("AGE", "time since the last report; a silent beacon stays for a while"),
    ("line", "RSSI per second from -100 to -40 dBm; a gap is silence"),
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
