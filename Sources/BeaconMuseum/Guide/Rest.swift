// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// Decides when a guide may stop ranging because its visitor rests in a room without beacons, and what would end the rest.
///
/// The beacons of other rooms are heard there through the walls, so silence does not tell. What tells is that they stay
/// faint: whoever goes on into a room comes nearer to its beacons than any was heard from the chair. So the loudest that is heard over a
/// while, and a margin, is what must be heard to end the rest. Where that is as loud as an exhibit within reach, nothing would
/// tell the two apart, and the guide does not rest.
struct Rest: Sendable {
  /// How many reports must be so loud, and in what time: one alone may be a reflection.
  static let (sightings, window) = (3, TimeSpan.seconds(3))
  /// How probable it must be that the visitor is in a room without beacons.
  static let confidence = 0.9

  private let rules: GuideConfiguration
  /// How strong an exhibit within reach is heard, in dBm: the weakest of the plan.
  private let within: Double?
  /// For each room whether it has no beacons.
  private let bare: [Bool]
  private var since: Timestamp?
  private var loudest = -Double.infinity

  init(_ plan: Plan, exponent: Double, _ rules: GuideConfiguration) {
    self.rules = rules
    bare = plan.rooms.map { $0.major == nil }
    let powers = plan.exhibits.map { $0.power ?? plan.calibration.power }
    // A beacon whose power nobody knows may be heard however weak.
    within =
      powers.contains(nil)
      ? nil
      : powers.compactMap { $0 }.min().map {
        $0 - 10 * exponent * DeterministicMath.log10(max(1, rules.reach))
      }
  }

  /// Forgets what was heard.
  mutating func forget() {
    since = nil
    loudest = -.infinity
  }

  /// Whether a visitor is in a room without beacons, and surely so.
  func isBare(_ room: Int?, _ shares: [Double]) -> Bool {
    guard let room, bare[safe: room] ?? false else { return false }
    return zip(bare, shares).reduce(0) { $0 + ($1.0 ? $1.1 : 0) } >= Self.confidence
  }

  /// Takes in a second of ranging.
  ///
  /// - Parameters:
  ///   - isBare: Whether the visitor is surely in a room without beacons, and before nothing.
  ///   - rssi: The loudest beacon in dBm; `nil` for none.
  ///   - offset: How much weaker than promised this visitor hears, in dB.
  ///   - time: Now.
  /// - Returns: How loud beacons must be in dBm to end the rest that begins now; `nil` where none begins.
  mutating func weigh(
    _ isBare: Bool,
    receiving rssi: Double?,
    offset: Double,
    at time: Timestamp
  ) -> Int8? {
    guard isBare, let within else {
      forget()
      return nil
    }
    if since == nil { since = time }
    loudest = max(loudest, rssi ?? loudest)
    guard let since, time - since >= rules.rest else { return nil }
    let floor = max(loudest + rules.restMargin, -127)
    forget()
    // Where it is as loud as before an exhibit, the next while may be more quiet.
    return floor < within + min(0, offset) ? Int8(floor.rounded(.up)) : nil
  }
}
