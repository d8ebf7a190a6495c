// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

extension Configuration {
  static let regionConstants: [Constant] = [
    Constant(
      key: "region.exit",
      kind: .seconds(0...3600),
      reason: "silence after which a region is left; 0 learns it of each beacon's own gaps",
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
    enterConstant(
      "region.enter.sightings",
      .count(unit: "reports", 1...1000),
      "reports before a region is entered: the first is Core Location's; more tell a visit from a stray",
      read: { .count($0.sightings) }
    ) { policy, value in
      guard case .count(let count) = value else { return policy }
      return EnterPolicy(sightings: count, rssiFloor: policy.rssiFloor, window: policy.window)
    },
    enterConstant(
      "region.enter.rssiFloor",
      .count(unit: "dBm", -128...20),
      "the weakest report that counts towards entering; at -128 all do, also those without RSSI",
      read: { .count(Int($0.rssiFloor ?? .min)) }
    ) { policy, value in
      guard case .count(let floor) = value else { return policy }
      return EnterPolicy(
        sightings: policy.sightings,
        rssiFloor: floor == Int(Int8.min) ? nil : Int8(clamping: floor),
        window: policy.window
      )
    },
    enterConstant(
      "region.enter.window",
      .seconds(0.1...3600),
      "in how long those reports must be heard: as long as a first determination waits",
      read: { .number($0.window.seconds) }
    ) { policy, value in
      guard case .number(let seconds) = value else { return policy }
      return EnterPolicy(
        sightings: policy.sightings,
        rssiFloor: policy.rssiFloor,
        window: TimeSpan(seconds: seconds)
      )
    },
    .seconds(
      "region.initialDetermination",
      \.regions.initialDetermination,
      0.1...3600,
      "silence after which an unknown region is outside: slow beacons are heard in 98 of 100 cases"
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
      "whether a region that becomes unknown is told; Core Location only answers so when asked"
    ),
    learningConstant(
      "region.learning.rate",
      .number(unit: "1/h", 0.001...100),
      "how often a beacon that is there may be taken for gone: about once in a museum's day",
      read: \.falseExitsPerHour
    ) { ExitLearning(falseExitsPerHour: $1, floor: $0.floor, cap: $0.cap) },
    learningConstant(
      "region.learning.floor",
      .seconds(0.1...60),
      "the shortest exit learned: one person stepping in between silences a radio about that long",
      read: \.floor.seconds
    ) {
      ExitLearning(
        falseExitsPerHour: $0.falseExitsPerHour,
        floor: TimeSpan(seconds: $1),
        cap: $0.cap
      )
    },
    learningConstant(
      "region.learning.cap",
      .seconds(0.1...60),
      "the longest exit learned, and what holds until enough is known: as in Core Location",
      read: \.cap.seconds
    ) {
      ExitLearning(
        falseExitsPerHour: $0.falseExitsPerHour,
        floor: $0.floor,
        cap: TimeSpan(seconds: $1)
      )
    },
  ]

  private static func enterConstant(
    _ key: String,
    _ kind: Constant.Kind,
    _ reason: String,
    read: @escaping @Sendable (EnterPolicy) -> Constant.Value,
    _ changed: @escaping @Sendable (EnterPolicy, Constant.Value) -> EnterPolicy
  ) -> Constant {
    Constant(
      key: key,
      kind: kind,
      reason: reason,
      read: { read($0.regions.enter) },
      write: { $0.regions.enter = changed($0.regions.enter, $1) }
    )
  }

  private static func learningConstant(
    _ key: String,
    _ kind: Constant.Kind,
    _ reason: String,
    read: @escaping @Sendable (ExitLearning) -> Double,
    _ changed: @escaping @Sendable (ExitLearning, Double) -> ExitLearning
  ) -> Constant {
    Constant(
      key: key,
      kind: kind,
      reason: reason,
      read: { .number(read($0.regions.learning)) },
      write: { configuration, value in
        guard case .number(let number) = value else { return }
        configuration.regions.learning = changed(configuration.regions.learning, number)
      }
    )
  }
}
