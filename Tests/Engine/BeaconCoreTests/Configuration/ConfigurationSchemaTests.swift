// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import Testing

@testable import BeaconCore

/// The constants: each is set alone, within its bounds, and read by the section it belongs to.
struct ConfigurationSchemaTests {
  private static func constant(_ key: String) throws -> Constant {
    try #require(ConfigurationSchema.core.constant(named: key))
  }

  private static func set(
    _ key: String,
    _ value: Constant.Value,
    in configuration: inout Configuration
  ) throws {
    configuration.apply(try constant(key).setting(value))
  }

  @Test(arguments: [
    ("ranging.filter.lowTrim", Constant.Value.count(20)),
    ("ranging.filter.highTrim", .count(20)),
    ("ranging.filter.window", .number(3)),
  ])
  func `one number of the trimmed window set leaves the others`(
    _ key: String,
    _ value: Constant.Value
  ) throws {
    var configuration = Configuration()
    let before = TrimmedWindowFilter.Parameters(
      window: .seconds(9),
      lowPercent: 15,
      highPercent: 5,
      sampleCap: 256
    )
    configuration.ranging.filter = .trimmedWindow(before)
    try Self.set(key, value, in: &configuration)
    var expected = before
    switch key {
    case "ranging.filter.lowTrim": expected.lowPercent = 20
    case "ranging.filter.highTrim": expected.highPercent = 20
    default: expected.window = .seconds(3)
    }
    #expect(configuration.ranging.filter == .trimmedWindow(expected))
    #expect(expected.sampleCap == 256)
  }

  @Test func `numbers of a filter that is not chosen read 0 and cannot be set`() throws {
    var configuration = Configuration()
    let before = configuration
    let constant = try Self.constant("ranging.filter.lowTrim")
    #expect(constant.value(in: ConfigurationSettings()) == .count(0))
    configuration.apply(try constant.setting(.count(10)))
    #expect(configuration == before)
    configuration.ranging.filter = .latest(LatestFilter.Parameters())
    try Self.set("ranging.filter.deviation", .number(3), in: &configuration)
    #expect(configuration.ranging.filter == .latest(LatestFilter.Parameters()))
  }

  /// Where a constant changes more than itself.
  private static let entangled = [
    "ranging.filter", "ranging.pathLoss", "ranging.exponent", "ranging.immediate",
    "region.learning.floor",
  ]

  /// Rows L8 and H1.
  @Test(arguments: ["bayes", "trimmed", "altbeacon", "kalman", "none"])
  func `a constant set changes itself alone`(filter: String) throws {
    var settings = ConfigurationSettings()
    settings.append(try Self.constant("ranging.filter").setting(.choice(filter)))
    let all = ConfigurationSchema.core.constants
    for constant in all where !Self.entangled.contains(constant.key) {
      for value in Self.values(of: constant) {
        var changed = settings
        changed.append(try constant.setting(value))
        for other in all where other.key != constant.key {
          #expect(
            other.value(in: changed) == other.value(in: settings),
            "\(constant.key) changes \(other.key)"
          )
        }
      }
    }
  }

  /// Values within bounds, none of them a default.
  private static func values(of constant: Constant) -> [Constant.Value] {
    switch constant.kind {
    case .seconds(let bounds), .number(_, let bounds):
      [.number((bounds.lowerBound + bounds.upperBound) / 2)]
    case .count(_, let bounds): [.count((bounds.lowerBound + bounds.upperBound) / 2)]
    case .flag: [.flag(true), .flag(false)]
    case .choice(let names): names.map { .choice($0) }
    }
  }

  @Test func `what a constant is set to is what it reads`() throws {
    let all = ConfigurationSchema.core.constants
    #expect(all.count > 30)
    for constant in all {
      var settings = ConfigurationSettings()
      if constant.key.hasSuffix("Trim") {
        settings.append(try Self.constant("ranging.filter").setting(.choice("trimmed")))
      }
      for value in Self.values(of: constant) {
        settings.append(try constant.setting(value))
        // One has a narrower range than its constant, and one is no value of its own.
        guard constant.key != "ranging.filter.lowTrim" else { continue }
        #expect(constant.value(in: settings) == value, "\(constant.key)")
      }
    }
  }

  @Test func `the last of several settings counts`() throws {
    var settings = ConfigurationSettings(.coreLocation14)
    let linger = try Self.constant("ranging.linger")
    for seconds in [3.0, 4] { settings.append(try linger.setting(.number(seconds))) }
    #expect(Configuration(settings).ranging.linger == .seconds(4))
    #expect(Configuration(settings).profile == .coreLocation14)
  }

  @Test func `a value of another kind or out of bounds is no setting`() throws {
    let linger = try Self.constant("ranging.linger")
    #expect(try linger.setting(.count(20)).value == .number(20))
    for (text, seconds) in [("20", 20), ("20s", 20), ("500ms", 0.5), ("5m", 300), ("0.05h", 180)] {
      #expect(try linger.setting(parsing: text).value == .number(seconds))
    }
    let cap = try Self.constant("timing.gap")
    #expect(throws: ConstantError.wrongKind(key: cap.key, expected: cap.expectation)) {
      try cap.setting(parsing: "m")
    }
    #expect(throws: ConstantError.outOfBounds(key: linger.key, expected: linger.expectation)) {
      try linger.setting(.number(301))
    }
    #expect(throws: ConstantError.outOfBounds(key: linger.key, expected: linger.expectation)) {
      try linger.setting(.number(.nan))
    }
    #expect(throws: ConstantError.wrongKind(key: linger.key, expected: linger.expectation)) {
      try linger.setting(.flag(true))
    }
    #expect(throws: ConstantError.wrongKind(key: linger.key, expected: linger.expectation)) {
      try linger.setting(parsing: "soon")
    }
    let filter = try Self.constant("ranging.filter")
    #expect(throws: ConstantError.outOfBounds(key: filter.key, expected: filter.expectation)) {
      try filter.setting(parsing: "median")
    }
  }

  /// A section of another module.
  private struct Lamp: ConfigurationSection {
    var brightness = 5.0
    init(_ profile: Profile) { if profile.followsCoreLocation { brightness = 9 } }
    static let constants: [SectionConstant<Lamp>] = [
      .number("lamp.brightness", \.brightness, unit: "lx", 0...100, "enough to read by")
    ]
  }

  @Test func `each section decodes its own settings from those of all`() throws {
    let schema = ConfigurationSchema([.core, ConfigurationSchema(Lamp.constants)])
    #expect(schema.constants.map(\.key).last == "lamp.brightness")
    #expect(Set(schema.constants.map(\.key)).count == schema.constants.count)
    let brightness = try #require(schema.constant(named: "lamp.brightness"))
    #expect(brightness.value(in: ConfigurationSettings()) == .number(5))
    #expect(brightness.value(in: ConfigurationSettings(.coreLocation12)) == .number(9))
    var settings = ConfigurationSettings()
    settings.append(try brightness.setting(parsing: "42"))
    settings.append(try Self.constant("ranging.linger").setting(.count(20)))
    #expect(Lamp(settings).brightness == 42)
    var expected = Configuration()
    expected.ranging.linger = .seconds(20)
    #expect(Configuration(settings) == expected)
    #expect(ConfigurationSchema.core.constant(named: "lamp.brightness") == nil)
  }

  @Test func `a section that was changed since is read as it is`() throws {
    var configuration = Configuration()
    configuration.ranging.linger = .seconds(7)
    let linger = try Self.constant("ranging.linger")
    #expect(linger.value(in: ConfigurationSettings(), given: configuration) == .number(7))
    let section = Lamp(.standard)
    #expect(linger.value(in: ConfigurationSettings(), given: section) == .number(10))
  }

  @Test func `numbers out of range are clamped when one is changed, as when all are made`() {
    var rule = ProximityRule()
    rule.immediateLimit = 5
    #expect(rule == ProximityRule(immediateLimit: 5, nearLimit: 3))
    #expect(rule.nearLimit == 5)
    rule.nearLimit = .nan
    #expect(rule.nearLimit == 5)
    rule.immediateLimit = -.infinity
    rule.nearLimit = .infinity
    (rule.hysteresis, rule.certainty, rule.dwell) = (.nan, 99, .seconds(-1))
    #expect(
      rule
        == ProximityRule(
          immediateLimit: -.infinity,
          nearLimit: .infinity,
          hysteresis: .nan,
          dwell: .seconds(-1),
          certainty: 99
        )
    )
    var model = SignalModel()
    (model.deviation, model.fadeShare, model.deepestFade) = (99, -1, .nan)
    #expect(model == SignalModel(deviation: 99, fadeShare: -1, deepestFade: .nan))
    #expect(
      model.likelihoods
        == SignalModel(deviation: 99, fadeShare: -1, deepestFade: .nan).likelihoods
    )
    var learning = ExitLearning()
    learning.floor = .seconds(40)
    #expect(learning == ExitLearning(floor: .seconds(40)) && learning.cap == .seconds(40))
    (learning.falseExitsPerHour, learning.cap) = (.nan, .zero)
    #expect(learning == ExitLearning(floor: .seconds(40), cap: .zero))
    var trims = TrimmedWindowFilter.Parameters()
    (trims.lowPercent, trims.sampleCap) = (85, 1)
    #expect(trims == TrimmedWindowFilter.Parameters(lowPercent: 85, sampleCap: 1))
    #expect(trims.highPercent == 5 && trims.sampleCap == 8)
    var timing = AuthorizationTiming()
    (timing.grace, timing.morning) = (.seconds(-5), .seconds(90_000))
    #expect(timing == AuthorizationTiming(grace: .zero, morning: .seconds(3600)))
  }
}
