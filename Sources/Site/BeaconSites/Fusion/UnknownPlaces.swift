// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// Why nearly everything of a beacon is unknown, counted while its places are found.
package struct UnknownPlaces: Sendable {
  private struct Counts {
    var seconds = 0
    var unknown = 0
    /// Seconds in which some receiver received the beacon.
    var received = 0
    /// The sum of the receivers that did not listen.
    var deaf = 0
  }

  /// From this share of unknown seconds on there is a fault.
  private static let nearlyAll = 0.9
  /// Fewer seconds show nothing.
  private static let fewestSeconds = 60
  /// A beacon that is received in a smaller share of the seconds than this part of the survey's share sends less often.
  private static let usualPart = 0.75
  /// The most beacons that are counted, and named.
  private static let (beaconLimit, namedLimit) = (64, 3)

  private let receivers: Int
  /// The share of the survey's seconds in which the best receiver of each place received the beacon.
  private let surveyed: Double
  private var counts: [BeaconIdentity: Counts] = [:]

  /// - Parameter model: The model that the places are found with.
  package init(_ model: SiteModel) {
    receivers = model.receivers.count
    var (received, seconds) = (0.0, 0.0)
    for place in model.places {
      let shares = place.levels.lazy.filter { $0.seconds > 0 }
        .map { Double($0.heard) / Double($0.seconds) }
      received += (shares.max() ?? 0) * Double(place.seconds)
      seconds += Double(place.seconds)
    }
    surveyed = seconds > 0 ? received / seconds : 0
  }

  /// Adds a second of a beacon; one in which it is in no place of the site does not count.
  package mutating func add(_ estimate: PlaceEstimate) {
    guard !estimate.isAbsent else { return }
    var count = counts[estimate.identity] ?? Counts()
    guard count.seconds > 0 || counts.count < Self.beaconLimit else { return }
    count.seconds += 1
    if estimate.place == nil { count.unknown += 1 }
    if estimate.heard > 0 { count.received += 1 }
    count.deaf += estimate.deaf
    counts[estimate.identity] = count
  }

  /// A sentence for each beacon of which nearly everything is unknown: how much, the reason, and the next step.
  package var sentences: [String] {
    let unknown = counts.sorted { $0.key < $1.key }.filter { _, count in
      count.seconds >= Self.fewestSeconds && count.deaf < count.seconds * receivers
        && Double(count.unknown) >= Self.nearlyAll * Double(count.seconds)
    }
    let more = unknown.count - Self.namedLimit
    return unknown.prefix(Self.namedLimit).map { identity, count in
      let share = count.unknown * 100 / count.seconds
      return
        "\(identity) is in an unknown place in \(share) % of \(count.seconds) s: \(reason(count))"
    } + (more > 0 ? ["\(more) more beacons are in unknown places"] : [])
  }

  private func reason(_ count: Counts) -> String {
    let seconds = Double(count.seconds)
    if 2 * Double(count.deaf) >= seconds * Double(receivers) {
      return "most receivers of the model did not listen; use captures of all of them"
    }
    let received = Double(count.received) / seconds
    guard received >= Self.usualPart * surveyed else {
      func percent(_ share: Double) -> String { "\(Int((share * 100).rounded())) %" }
      return "it is received in \(percent(received)) of the seconds, the survey's beacon in"
        + " \(percent(surveyed)); set its advertising interval to that one's, or survey with it"
    }
    return
      "its levels fit no place; survey the place that it is in, or all again if receivers were moved"
  }
}
