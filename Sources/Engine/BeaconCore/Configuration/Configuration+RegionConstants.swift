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

  /// The constants by which exit times are learned.
  static let intervalConstants: [SectionConstant<Configuration>] = [
    .count(
      "region.learning.longestKept",
      \.regions.learning.model.longestKept,
      unit: "gaps",
      4...24,
      "the longest gaps of a period that count: fewer vary more, more are not typical of the longest"
    ),
    .count(
      "region.learning.fewestGaps",
      \.regions.learning.model.fewestGaps,
      unit: "gaps",
      2...24,
      "from how many of them a longer one is predicted: a prediction from fewer is random"
    ),
    .seconds(
      "region.learning.shortestGap",
      \.regions.learning.model.shortestGap,
      0.001...0.1,
      "what counts as a gap: the shortest advertising interval (Core 5.3, Vol 6, Part B, 4.4.2.2)"
    ),
    .count(
      "region.learning.firstGaps",
      \.regions.learning.model.firstGaps,
      unit: "gaps",
      2...8,
      "from how many the interval follows: one of eight is single in 94 of 100 cases at a loss of 70 %"
    ),
    .count(
      "region.learning.longerGaps",
      \.regions.learning.model.longerGaps,
      unit: "gaps",
      4...255,
      "how many in succession show a longer interval: by chance once in ten million at a loss of 50 %"
    ),
    .count(
      "region.learning.shorterWeight",
      \.regions.learning.model.shorterWeight,
      unit: "gaps",
      2...64,
      "how many gaps outweigh one that is too short: a late packet, or two beacons of one identity"
    ),
    .count(
      "region.learning.shorterLimit",
      \.regions.learning.model.shorterLimit,
      unit: "gaps",
      16...255,
      "the weight that shows a shorter interval: eight gaps that are too short"
    ),
    .number(
      "region.learning.slower",
      \.regions.learning.model.slower,
      unit: "times",
      1...10,
      "how much longer an interval is a new one: temperature and battery change it by 2 % at most"
    ),
    .seconds(
      "region.learning.slowerBy",
      \.regions.learning.model.slowerBy,
      0...10,
      "how much longer it is at least: packets come up to 100 ms late"
    ),
    .seconds(
      "region.learning.refresh",
      \.regions.learning.model.refresh,
      1...3600,
      "the presence from one fit to the next: a fit takes 1 µs, and its result changes over minutes"
    ),
    .seconds(
      "region.learning.memory",
      \.regions.learning.model.memory,
      3600...604_800,
      "the presence in each of two periods: together they span a day, so slow nights stay known"
    ),
    .number(
      "region.learning.aim",
      \.regions.learning.model.aim,
      unit: "of the rate",
      0.1...1,
      "what a fit aims for: a time too short costs more false exits than one too long saves"
    ),
    .seconds(
      "region.learning.assumedRun",
      \.regions.learning.model.assumedRun,
      0...30,
      "how fast gaps thin out beyond the longest, until the presence shows it: as bursts of loss do"
    ),
    .number(
      "region.learning.marginPart",
      \.regions.learning.model.marginPart,
      unit: "intervals",
      0...1,
      "how long after a packet is due an exit may come: covers advertising delay, drift and lateness"
    ),
    .seconds(
      "region.learning.longestMargin",
      \.regions.learning.model.longestMargin,
      0...10,
      "the longest such part: ten times as late as a busy host delivers"
    ),
    .seconds(
      "region.learning.shortestMargin",
      \.regions.learning.model.shortestMargin,
      0...1,
      "what is added to it: the delay of a busy host"
    ),
    .number(
      "region.learning.capShare",
      \.regions.learning.model.capShare,
      unit: "of the cap",
      0.1...1,
      "from where on an exit is the cap: gaps beyond it are not learned, so it would be too short"
    ),
    .number(
      "region.learning.commonHold",
      \.regions.learning.model.commonHold,
      unit: "times",
      1...10,
      "how much longer several beacons' common silences are observed: their phases drift"
    ),
    .number(
      "region.learning.needFactor",
      \.regions.learning.model.needFactor,
      unit: "times",
      1...100,
      "how far beyond the rate a longer cap counts as needed: a doubt is not worth a warning"
    ),
    .number(
      "region.learning.expectedBeyond",
      \.regions.learning.model.expectedBeyond,
      unit: "gaps",
      1...100,
      "how many gaps beyond the cap must be expected for their absence to mean something: 1 in 20 by chance"
    ),
    .count(
      "region.learning.rests",
      \.regions.learning.model.rests,
      unit: "silences",
      2...100,
      "how many silences beyond the cap are rests of a beacon: of random absences once in 10,000"
    ),
    .seconds(
      "region.learning.shortRest",
      \.regions.learning.model.shortRest,
      1...3600,
      "the longest silence that counts as a rest after any presence: a visitor is away for longer"
    ),
    .seconds(
      "region.learning.longestRest",
      \.regions.learning.model.longestRest,
      1...3600,
      "the longest rest: three times that of beacons that send every ten minutes to save energy"
    ),
    .seconds(
      "region.learning.unevenRest",
      \.regions.learning.model.unevenRest,
      1...3600,
      "the longest rest that is unlike the others, after a shorter presence: visits are farther apart"
    ),
    .number(
      "region.learning.restSpread",
      \.regions.learning.model.restSpread,
      unit: "times",
      1...10,
      "how much longer a rest may be than another: rests follow a clock, visits do not"
    ),
  ]
}
