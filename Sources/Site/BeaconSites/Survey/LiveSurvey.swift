// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// A survey while a user carries a beacon through the places of a site, and names each.
///
/// `site survey --live` and the operator's page use it. It keeps the seconds of the stays, so each stay is learned as in a
/// walk that was recorded, and can be taken back.
package struct LiveSurvey: Sendable {
  /// A stay of the beacon in a place.
  package struct Stay: Sendable, Equatable {
    package let place: String
    package let start: Timestamp
    let end: Timestamp
  }

  /// What became of a stay.
  package enum Outcome: Sendable, Equatable, CustomStringConvertible {
    case learned(place: String, seconds: Int)
    case notReceived(place: String)
    case severalBeacons(Int)

    package var description: String {
      switch self {
      case .learned(let place, let seconds): "learned '\(place)' from \(seconds) s"
      case .notReceived(let place):
        "the beacon was not received in '\(place)', so nothing was learned"
      case .severalBeacons(let count):
        "nothing was learned: --beacon names \(count) beacons that are received; name the one that you carry"
      }
    }
  }

  /// Why a stay cannot start.
  package enum Refusal: Error, Equatable, CustomStringConvertible {
    case noInput, wrongName, isStaying(String), isFull

    package var description: String {
      switch self {
      case .noInput: "no receiver has sent anything yet"
      case .wrongName: "the name of a place has 1 to \(LiveSurvey.longestName) characters"
      case .isStaying(let place): "the stay in '\(place)' has not ended"
      case .isFull: "the survey has all the seconds that it can keep"
      }
    }
  }

  /// The longest name of a place, in bytes.
  private static let longestName = 64
  /// The most seconds that are kept: 13 hours of stays.
  private static let secondLimit = 50_000

  /// How long a stay is.
  package let length: TimeSpan
  /// The stays that were learned.
  package private(set) var stays: [Stay] = []
  /// The stay that has not ended.
  package private(set) var current: Stay?
  /// The counts of all stays.
  package private(set) var learned: SiteSurveyor
  /// The time of the source; `nil` before its first input.
  package private(set) var now: Timestamp?
  private let accepts: [IdentityConstraint]
  private var reception: ReceptionSeconds
  /// The seconds of the stays.
  private var kept: [ReceptionSecond] = []
  private var names: [String] = []
  /// The last second.
  private var latest: ReceptionSecond?

  /// - Parameters:
  ///   - accepts: The beacon that is carried.
  ///   - length: How long a stay is.
  package init(_ accepts: [IdentityConstraint], stay length: TimeSpan) {
    (self.accepts, self.length) = (accepts, length)
    reception = ReceptionSeconds(accepts)
    learned = SiteSurveyor(accepts)
  }

  /// Adds a batch; returns what became of a stay that it ends.
  package mutating func add(_ batch: ScanBatch, receivers names: [String]) -> Outcome? {
    self.names = names
    let times = [now, batch.inputs.last?.time, batch.upTo].compactMap(\.self)
    now = times.max()
    for second in reception.add(batch) {
      latest = second
      guard let current else { continue }
      let middle = second.time - .milliseconds(500)
      if current.start <= middle, middle < current.end { kept.append(second) }
    }
    // The last second of the stay is complete.
    guard let current, let now, now >= current.end + .seconds(1) else { return nil }
    return finish(current)
  }

  /// Starts a stay.
  package mutating func start(_ name: some StringProtocol) throws(Refusal) {
    let place = name.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    guard let now else { throw .noInput }
    if let current { throw .isStaying(current.place) }
    guard !place.isEmpty, place.utf8.count <= Self.longestName else { throw .wrongName }
    guard kept.count < Self.secondLimit else { throw .isFull }
    current = Stay(place: place, start: now, end: now + length)
  }

  /// Takes the last stay back, also one that has not ended; returns its place.
  package mutating func undo() -> String? {
    guard let last = current ?? stays.popLast() else { return nil }
    current = nil
    forget(last)
    learned = learn(stays)
    return last.place
  }

  /// How many seconds of the current stay have passed.
  package var passed: Int {
    guard let current, let now else { return 0 }
    return min(Int((now - current.start).seconds), Int(length.seconds))
  }

  /// The level of the beacon at each receiver that listens, in dBm, in the last second; `nil` for silence.
  package var levels: [(receiver: String, level: Double?)] {
    let evidence = latest?.beacons.first?.evidence ?? []
    return zip(names, evidence).compactMap { name, evidence in
      switch evidence {
      case .none: nil
      case .silence: (name, nil)
      case .level(let level): (name, level)
      }
    }
  }

  /// The learned model; `nil` without a second of a place.
  package var model: SiteModel? { learned.seconds > 0 ? learned.model.sorted : nil }

  /// A sentence for each pair of places that no receiver tells from each other, with what would help.
  ///
  /// - Parameter place: Only pairs with this place; `nil` for all.
  /// - Returns: The sentences.
  package func likenesses(of place: String? = nil) -> [String] {
    model?.likenesses(of: place) ?? []
  }

  // MARK: Learning

  private mutating func finish(_ stay: Stay) -> Outcome {
    current = nil
    let before = seconds(in: stay.place, learned)
    let all = learn(stays + [stay])
    let count = seconds(in: stay.place, all)
    guard all.unnamed.count <= 1, count > before else {
      forget(stay)
      return all.unnamed.count > 1
        ? .severalBeacons(all.unnamed.count) : .notReceived(place: stay.place)
    }
    stays.append(stay)
    learned = all
    return .learned(place: stay.place, seconds: count)
  }

  private func seconds(in place: String, _ surveyor: SiteSurveyor) -> Int {
    surveyor.model.places.first { $0.name == place }?.seconds ?? 0
  }

  private mutating func forget(_ stay: Stay) {
    kept.removeAll { $0.time > stay.start }
  }

  private func learn(_ stays: [Stay]) -> SiteSurveyor {
    var surveyor = SiteSurveyor(accepts)
    surveyor.start(TruthTable(stays))
    for second in kept { surveyor.add(second, receivers: names) }
    return surveyor
  }
}
