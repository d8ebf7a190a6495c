// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension Configuration {
  static let regionConstants: [SectionConstant<Configuration>] = [
    SectionConstant(
      "region.exit",
      .seconds(0...3600),
      "silence after which a region is left; 0 learns it from each beacon's own gaps",
      read: {
        guard case .fixed(let time) = $0.regions.exitTiming else { return .number(0) }
        return .number(time.seconds)
      },
      write: { configuration, value in
        guard case .number(let seconds) = value else { return }
        configuration.regions.exitTiming =
          seconds == 0 ? .learned : .fixed(TimeSpan(seconds: seconds))
      }
    ),
    .count(
      "region.enter.sightings",
      \.regions.enter.sightings,
      unit: "reports",
      1...1000,
      "reports before a region is entered: 1 as in Core Location; more ignore stray reports"
    ),
    .count(
      "region.enter.rssiFloor",
      \.regions.enter.countedFloor,
      unit: "dBm",
      -128...20,
      "the weakest report that counts towards entering; at -128 all do, also those without RSSI"
    ),
    .seconds(
      "region.enter.window",
      \.regions.enter.window,
      0.1...3600,
      "the time in which those reports must be received: as long as a first determination waits"
    ),
    .seconds(
      "region.initialDetermination",
      \.regions.initialDetermination,
      0.1...3600,
      "silence after which an unknown region is outside: slow beacons are received in 98 of 100 cases"
    ),
    .count(
      "region.limit",
      \.regions.limit,
      unit: "regions",
      1...1_000_000,
      "a client's regions: 20 is Apple's number, 10,000 take some ten megabytes"
    ),
    .seconds(
      "region.restoredStateAge",
      \.regions.restoredStateAge,
      0...604_800,
      "longer than a restart or an update takes, shorter than a person stays where they are"
    ),
    .flag(
      "region.tellsUnknown",
      \.regions.deliversUnknown,
      "whether a change to unknown is delivered; Core Location only answers so on request"
    ),
    .flag(
      "region.whileUnknown",
      \.regions.deliversMissedCrossings,
      "whether a crossing missed while unknown is delivered, so that a count stays right; not in Core Location"
    ),
    .flag(
      "region.startNeedsRadio",
      \.regions.needsRadioToStart,
      "whether monitoring fails to start while Bluetooth is off, as in Core Location; else it waits for it"
    ),
    .number(
      "region.learning.rate",
      \.regions.learning.falseExitsPerHour,
      unit: "1/h",
      0.001...100,
      "how often a present beacon may count as gone: about once in a museum's day"
    ),
    .seconds(
      "region.learning.floor",
      \.regions.learning.floor,
      0.1...60,
      "the shortest exit learned: one person stepping in between silences a radio about that long"
    ),
    .seconds(
      "region.learning.cap",
      \.regions.learning.cap,
      0.1...60,
      "the longest exit learned, and the one used until enough is known: as in Core Location"
    ),
    .seconds(
      "region.learning.hold",
      \.regions.learning.hold,
      10...14_400,
      "the presence after which an exit is learned: 120 packets of a beacon at 5 s show its loss"
    ),
  ]
}
