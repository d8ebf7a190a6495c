// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension Configuration {
  static let filterConstants: [Constant] = [
    .choice(
      "ranging.filter",
      RSSIFilterConfiguration.names,
      "bayes errs least and follows soonest of all that were tried; docs/accuracy.md has the table",
      read: { $0.ranging.filter.name },
      write: { configuration, name in
        if let filter = RSSIFilterConfiguration(named: name) {
          configuration.ranging.filter = filter
        }
      }
    ),
    Constant(
      key: "ranging.filter.window",
      kind: .seconds(0.001...60),
      reason: "how long a sample counts: enough samples to average, short enough to follow a walk",
      read: { .number($0.ranging.filter.window.seconds) },
      write: { configuration, value in
        guard case .number(let seconds) = value else { return }
        configuration.ranging.filter.window = TimeSpan(seconds: seconds)
      }
    ),
    trimConstant(
      "ranging.filter.lowTrim",
      \.lowPercent,
      "the share of weakest samples left out: about the reports that fade in a room with people"
    ) {
      TrimmedWindowFilter.Parameters(window: $0.window, lowPercent: $1, highPercent: $0.highPercent)
    },
    trimConstant(
      "ranging.filter.highTrim",
      \.highPercent,
      "the share of strongest samples left out: a reflection that adds up, a receiver's glitch"
    ) {
      TrimmedWindowFilter.Parameters(window: $0.window, lowPercent: $0.lowPercent, highPercent: $1)
    },
  ]

  /// The numbers of the Bayesian filter; they read 0 while another filter is chosen, and cannot be set then.
  static let bayesianConstants: [Constant] = [
    bayesianConstant(
      "ranging.filter.changeRate",
      .number(unit: "1/s", 0...BayesianFilter.Parameters.changeRateRange.upperBound),
      "how often a level changes: visitors stand still for a minute or two",
      read: \.changeRate
    ) {
      BayesianFilter.Parameters(
        model: $0.model,
        changeRate: $1,
        drift: $0.drift,
        silence: $0.silence
      )
    },
    bayesianConstant(
      "ranging.filter.drift",
      .number(unit: "dB²/s", BayesianFilter.Parameters.driftRange),
      "how fast a level wanders by itself: a person who stands and sways",
      read: \.drift
    ) {
      BayesianFilter.Parameters(
        model: $0.model,
        changeRate: $0.changeRate,
        drift: $1,
        silence: $0.silence
      )
    },
    bayesianConstant(
      "ranging.filter.deviation",
      .number(unit: "dB", 0...15),
      "how reports scatter about a level: three advertising channels that fade apart",
      read: \.model.deviation
    ) {
      modeled(
        $0,
        SignalModel(
          deviation: $1,
          fadeShare: $0.model.fadeShare,
          deepestFade: $0.model.deepestFade
        )
      )
    },
    bayesianConstant(
      "ranging.filter.fadeShare",
      .number(unit: "", 0...0.9),
      "the share of faded reports in a room with people: 0.1 to 0.3",
      read: \.model.fadeShare
    ) {
      modeled(
        $0,
        SignalModel(
          deviation: $0.model.deviation,
          fadeShare: $1,
          deepestFade: $0.model.deepestFade
        )
      )
    },
    bayesianConstant(
      "ranging.filter.deepestFade",
      .number(unit: "dB", 0...40),
      "how deep a fade is at most: a body in the way takes 10 to 15",
      read: \.model.deepestFade
    ) {
      modeled(
        $0,
        SignalModel(
          deviation: $0.model.deviation,
          fadeShare: $0.model.fadeShare,
          deepestFade: $1
        )
      )
    },
  ]

  static let distanceConstants: [Constant] = [
    .choice(
      "ranging.pathLoss",
      PathLoss.names,
      "log-distance is monotonic, needs no phone table, and its exponent means something",
      read: { $0.ranging.pathLoss.name },
      write: { $0.ranging.pathLoss = PathLoss(named: $1) ?? $0.ranging.pathLoss }
    ),
    Constant(
      key: "ranging.exponent",
      kind: .number(unit: "", PathLoss.exponentRange),
      reason:
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
      "what remains of log-normal shadowing in a furnished room when fades are filtered out"
    ),
    .number(
      "ranging.strongestPower",
      \.ranging.calibration.strongestAnnouncedPower,
      unit: "dBm",
      -127...(-1),
      "announced powers above are no calibration: nothing is heard so strong at a meter"
    ),
    Constant(
      key: "ranging.fallbackPower",
      kind: .number(unit: "dBm", -127...0),
      reason: "for beacons that announce no valid power; 0 is none: a guess would look measured",
      read: { .number($0.ranging.calibration.fallbackPower ?? 0) },
      write: { configuration, value in
        guard case .number(let power) = value else { return }
        // Within the bounds of the kind, only 0 is no power.
        try? configuration.ranging.calibration.setFallbackPower(power < 0 ? power : nil)
      }
    ),
  ]

  static let proximityConstants: [Constant] = [
    ruleConstant(
      "ranging.immediate",
      .number(unit: "m", 0...1000),
      "as measured on iPhones; Apple documents no number",
      read: \.immediateLimit
    ) {
      ProximityRule(
        immediateLimit: $1,
        nearLimit: $0.nearLimit,
        hysteresis: $0.hysteresis,
        dwell: $0.dwell,
        certainty: $0.certainty
      )
    },
    ruleConstant(
      "ranging.near",
      .number(unit: "m", 0...1000),
      "as measured on iPhones; Apple documents no number",
      read: \.nearLimit
    ) {
      ProximityRule(
        immediateLimit: $0.immediateLimit,
        nearLimit: $1,
        hysteresis: $0.hysteresis,
        dwell: $0.dwell,
        certainty: $0.certainty
      )
    },
    ruleConstant(
      "ranging.hysteresis",
      .number(unit: "", 0...ProximityRule.largestHysteresis),
      "the share by which a limit moves away from those who must cross it; certainty does it better",
      read: \.hysteresis
    ) {
      ProximityRule(
        immediateLimit: $0.immediateLimit,
        nearLimit: $0.nearLimit,
        hysteresis: $1,
        dwell: $0.dwell,
        certainty: $0.certainty
      )
    },
    ruleConstant(
      "ranging.dwell",
      .seconds(0...60),
      "how long beyond a limit before the zone changes: one tick, so that a single one changes none",
      read: \.dwell.seconds
    ) {
      ProximityRule(
        immediateLimit: $0.immediateLimit,
        nearLimit: $0.nearLimit,
        hysteresis: $0.hysteresis,
        dwell: TimeSpan(seconds: $1),
        certainty: $0.certainty
      )
    },
    ruleConstant(
      "ranging.certainty",
      .number(unit: "standard errors", 0...ProximityRule.largestCertainty),
      "a zone changes when the filter's own interval has cleared the limit: 1.645 is 90 %",
      read: \.certainty
    ) {
      ProximityRule(
        immediateLimit: $0.immediateLimit,
        nearLimit: $0.nearLimit,
        hysteresis: $0.hysteresis,
        dwell: $0.dwell,
        certainty: $1
      )
    },
    .seconds(
      "ranging.linger",
      \.ranging.linger,
      0...300,
      "how long a silent beacon stays listed as unknown: the ten seconds often quoted of iPhones"
    ),
    .flag(
      "ranging.hold",
      \.ranging.holdsProximity,
      "a beacon silent within its own interval has not moved: its proximity stays, at most 5 s"
    ),
    .flag(
      "ranging.mergeIdentity",
      \.ranging.mergesSameIdentity,
      "addresses rotate: one identity is one entry; off, each address is an entry of its own"
    ),
  ]

  private static func modeled(
    _ parameters: BayesianFilter.Parameters,
    _ model: SignalModel
  ) -> BayesianFilter.Parameters {
    BayesianFilter.Parameters(
      model: model,
      changeRate: parameters.changeRate,
      drift: parameters.drift,
      silence: parameters.silence
    )
  }

  private static func bayesianConstant(
    _ key: String,
    _ kind: Constant.Kind,
    _ reason: String,
    read: @escaping @Sendable (BayesianFilter.Parameters) -> Double,
    _ changed:
      @escaping @Sendable (BayesianFilter.Parameters, Double) -> BayesianFilter.Parameters
  ) -> Constant {
    Constant(
      key: key,
      kind: kind,
      reason: reason,
      read: {
        guard case .bayesian(let parameters) = $0.ranging.filter else { return .number(0) }
        return .number(read(parameters))
      },
      write: { configuration, value in
        guard case .bayesian(let parameters) = configuration.ranging.filter,
          case .number(let number) = value
        else { return }
        configuration.ranging.filter = .bayesian(changed(parameters, number))
      }
    )
  }

  private static func trimConstant(
    _ key: String,
    _ path: any KeyPath<TrimmedWindowFilter.Parameters, Int> & Sendable,
    _ reason: String,
    _ changed:
      @escaping @Sendable (TrimmedWindowFilter.Parameters, Int) -> TrimmedWindowFilter.Parameters
  ) -> Constant {
    Constant(
      key: key,
      kind: .count(unit: "%", 0...TrimmedWindowFilter.Parameters.largestTrim),
      reason: reason,
      read: {
        guard case .trimmedWindow(let parameters) = $0.ranging.filter else { return .count(0) }
        return .count(parameters[keyPath: path])
      },
      write: { configuration, value in
        guard case .trimmedWindow(let parameters) = configuration.ranging.filter,
          case .count(let percent) = value
        else { return }
        configuration.ranging.filter = .trimmedWindow(changed(parameters, percent))
      }
    )
  }

  private static func ruleConstant(
    _ key: String,
    _ kind: Constant.Kind,
    _ reason: String,
    read: @escaping @Sendable (ProximityRule) -> Double,
    _ changed: @escaping @Sendable (ProximityRule, Double) -> ProximityRule
  ) -> Constant {
    Constant(
      key: key,
      kind: kind,
      reason: reason,
      read: { .number(read($0.ranging.proximity)) },
      write: { configuration, value in
        guard case .number(let number) = value else { return }
        configuration.ranging.proximity = changed(configuration.ranging.proximity, number)
      }
    )
  }
}
