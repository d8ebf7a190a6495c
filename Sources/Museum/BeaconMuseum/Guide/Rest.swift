// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// Decides when a guide may stop ranging in a room without beacons, and which signal strength ends that rest.
///
/// Beacons of other rooms are received through the walls, so silence is not a usable criterion. But these beacons stay
/// weak: a visitor who walks on into a room gets nearer to its beacons than to any received while resting. So the rest
/// ends when a beacon is received louder, by a margin, than the loudest received over a while. If that would be as loud
/// as an exhibit within reach, the two cannot be distinguished, and the guide does not rest.
struct Rest: Sendable {
  /// The number of reports that must be that loud, and the time within which they must be received; a single one may be
  /// a reflection.
  static let (sightings, window) = (3, TimeSpan.seconds(3))
  /// The least probability that the visitor is in a room without beacons.
  static let confidence = 0.9

  private let rules: GuideConfiguration
  /// The expected strength of an exhibit within reach, in dBm: the weakest of the plan.
  private let within: Double?
  /// For each room, whether it has no beacons.
  private let bare: [Bool]
  private var since: Timestamp?
  private var loudest = -Double.infinity

  init(_ plan: Plan, exponent: Double, _ rules: GuideConfiguration) {
    self.rules = rules
    bare = plan.rooms.map { $0.major == nil }
    let powers = plan.exhibits.map { $0.power ?? plan.calibration.power }
    // A beacon with unknown power may be received with any strength.
    within =
      powers.contains(nil)
      ? nil
      : powers.compactMap { $0 }.min().map {
        $0 - 10 * exponent * DeterministicMath.log10(max(1, rules.reach))
      }
  }

  /// Resets the reports.
  mutating func forget() {
    since = nil
    loudest = -.infinity
  }

  /// Returns whether a visitor is almost certainly in a room without beacons.
  func isBare(_ room: Int?, _ shares: [Double]) -> Bool {
    guard let room, bare[safe: room] ?? false else { return false }
    return zip(bare, shares).reduce(0) { $0 + ($1.0 ? $1.1 : 0) } >= Self.confidence
  }

  /// Processes a second of ranging.
  ///
  /// - Parameters:
  ///   - isBare: Whether the visitor is almost certainly in a room without beacons and in front of no exhibit.
  ///   - rssi: The strength of the loudest beacon in dBm; `nil` for none.
  ///   - offset: The learned offset of this visitor's receiver from the expected strength, in dB.
  ///   - time: The current time.
  /// - Returns: How loud beacons must be in dBm to end the rest that starts now; `nil` if none starts.
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
    // If beacons are as loud as in front of an exhibit, a later period may be quieter.
    return floor < within + min(0, offset) ? Int8(floor.rounded(.up)) : nil
  }
}
