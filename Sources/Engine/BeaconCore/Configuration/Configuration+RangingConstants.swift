// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension Configuration {
  static let filterConstants: [SectionConstant<Configuration>] = [
    .choice(
      "ranging.filter",
      RSSIFilterConfiguration.names,
      "bayes has the smallest error and follows fastest of all that were tried; see docs/accuracy.md",
      read: { $0.ranging.filter.name },
      write: { configuration, name in
        if let filter = RSSIFilterConfiguration(named: name) {
          configuration.ranging.filter = filter
        }
      }
    ),
    .seconds(
      "ranging.filter.window",
      \.ranging.filter.window,
      0.001...60,
      "how long a sample counts: enough samples to average, short enough to follow a walk"
    ),
    .count(
      "ranging.filter.lowTrim",
      of: \.ranging.filter.trimmedWindow,
      \.lowPercent,
      unit: "%",
      0...TrimmedWindowFilter.Parameters.largestTrim,
      "the share of weakest samples left out: about the reports that fade in a room with people"
    ),
    .count(
      "ranging.filter.highTrim",
      of: \.ranging.filter.trimmedWindow,
      \.highPercent,
      unit: "%",
      0...TrimmedWindowFilter.Parameters.largestTrim,
      "the share of strongest samples left out: a reflection that adds up, a receiver's glitch"
    ),
  ]

  /// The numbers of the Bayesian filter; while another filter is chosen they read as 0 and cannot be set.
  static let bayesianConstants: [SectionConstant<Configuration>] = [
    .number(
      "ranging.filter.changeRate",
      of: \.ranging.filter.bayesian,
      \.changeRate,
      unit: "1/s",
      0...BayesianFilter.Parameters.changeRateRange.upperBound,
      "how often a level changes: visitors stand still for a minute or two"
    ),
    .number(
      "ranging.filter.drift",
      of: \.ranging.filter.bayesian,
      \.drift,
      unit: "dB²/s",
      BayesianFilter.Parameters.driftRange,
      "how fast a level wanders by itself: a person who stands and sways"
    ),
    .number(
      "ranging.filter.deviation",
      of: \.ranging.filter.bayesian,
      \.model.deviation,
      unit: "dB",
      0...15,
      "how reports scatter about a level: three advertising channels that fade apart"
    ),
    .number(
      "ranging.filter.fadeShare",
      of: \.ranging.filter.bayesian,
      \.model.fadeShare,
      unit: "",
      0...0.9,
      "the share of faded reports in a room with people: 0.1 to 0.3"
    ),
    .number(
      "ranging.filter.deepestFade",
      of: \.ranging.filter.bayesian,
      \.model.deepestFade,
      unit: "dB",
      0...40,
      "the depth of the deepest fade: a body in between costs 10 to 15"
    ),
  ]

  static let distanceConstants: [SectionConstant<Configuration>] = [
    .choice(
      "ranging.pathLoss",
      PathLoss.names,
      "log-distance is monotonic, needs no phone table, and its exponent means something",
      read: { $0.ranging.pathLoss.name },
      write: { $0.ranging.pathLoss = PathLoss(named: $1) ?? $0.ranging.pathLoss }
    ),
    SectionConstant(
      "ranging.exponent",
      .number(unit: "", PathLoss.exponentRange),
      "of the log-distance law: 2 in free space, 1.6 to 1.8 in corridors, 2.5 to 4 among walls",
      read: { .number($0.ranging.pathLoss.exponent ?? PathLoss.defaultExponent) },
      write: { configuration, value in
        guard case .number(let exponent) = value else { return }
        configuration.ranging.pathLoss = .logDistance(exponent: exponent)
      }
    ),
    .number(
      "ranging.shadowing",
      \.ranging.shadowing,
      unit: "dB",
      0...20,
      "how far places and powers are from the law; 89 to 95 % of intervals then hold on recordings"
    ),
    .flag(
      "ranging.carried",
      \.ranging.isCarried,
      "set it where people carry beacons or receivers: a body adds 4.5 dB, so intervals are wider"
    ),
    .number(
      "ranging.strongestPower",
      \.ranging.calibration.strongestAnnouncedPower,
      unit: "dBm",
      -127...(-1),
      "announced powers above are no calibration: no beacon is received so strongly at a meter"
    ),
    .number(
      "ranging.weakestPower",
      \.ranging.calibration.weakestAnnouncedPower,
      unit: "dBm",
      -127...(-1),
      "announced powers below are not calibrations: such a beacon would not be received at a meter"
    ),
    SectionConstant(
      "ranging.fallbackPower",
      .number(unit: "dBm", -127...0),
      "for beacons that announce no valid power; 0 is none: a guess would look measured",
      read: { .number($0.ranging.calibration.fallbackPower ?? 0) },
      write: { configuration, value in
        guard case .number(let power) = value else { return }
        // Of the values that the constant's bounds allow, only 0 is not a power.
        try? configuration.ranging.calibration.setFallbackPower(power < 0 ? power : nil)
      }
    ),
  ]

  static let proximityConstants: [SectionConstant<Configuration>] = [
    .number(
      "ranging.immediate",
      \.ranging.proximity.immediateLimit,
      unit: "m",
      0...1000,
      "as measured on iPhones; Apple documents no number"
    ),
    .number(
      "ranging.near",
      \.ranging.proximity.nearLimit,
      unit: "m",
      0...1000,
      "as measured on iPhones; Apple documents no number"
    ),
    .number(
      "ranging.hysteresis",
      \.ranging.proximity.hysteresis,
      unit: "",
      0...ProximityRule.largestHysteresis,
      "the share by which a limit moves away from those who must cross it; certainty does it better"
    ),
    .seconds(
      "ranging.dwell",
      \.ranging.proximity.dwell,
      0...60,
      "how long beyond a limit before the zone changes: one tick, so that a single one changes none"
    ),
    .number(
      "ranging.certainty",
      \.ranging.proximity.certainty,
      unit: "standard errors",
      0...ProximityRule.largestCertainty,
      "a zone changes when the filter's own interval has cleared the limit: 1.645 is 90 %"
    ),
    .seconds(
      "ranging.patience",
      \.ranging.proximity.patience,
      0...60,
      "how much longer a distance may be beyond its zone than within before it changes"
    ),
    .seconds(
      "ranging.linger",
      \.ranging.linger,
      0...300,
      "how long a silent beacon stays listed as unknown: the ten seconds often quoted of iPhones"
    ),
    .flag(
      "ranging.hold",
      \.ranging.holdsProximity,
      "a beacon that misses seconds has not moved: it is held 3 to 5 s, or three of its intervals"
    ),
    .number(
      "ranging.nearestMargin",
      \.ranging.nearestMargin,
      unit: "",
      0...1,
      "the share by which another beacon must be nearer to become the first: 19 % is 1.5 dB"
    ),
    .flag(
      "ranging.mergeIdentity",
      \.ranging.mergesSameIdentity,
      "addresses rotate: one identity is one entry; off, each address is an entry of its own"
    ),
    .number(
      "ranging.contested",
      \.ranging.contestedDifference,
      unit: "dB",
      0...60,
      "levels of one identity's addresses that differ by more are two devices; 0 compares none"
    ),
  ]
}
