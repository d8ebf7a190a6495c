// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Tells from the reports of several receivers in which place each beacon is, second by second.
package struct SiteFusion: Sendable {
  /// The model.
  package let model: SiteModel
  private let tables: PlaceTables
  private var seconds: ReceptionSeconds
  private var filters: [BeaconIdentity: PlaceFilter] = [:]
  private var learned: ReceiverOffsets
  /// The number in the model of each receiver of the captures.
  private var numbers: [Int?] = []
  /// For each receiver of the model, in how many seconds since its last report, of any device, others reported some.
  private var quiet: [Int]
  /// In how many such seconds the silence of a receiver is evidence: ten minutes.
  ///
  /// A broken receiver is silent for longer than a person stays in one part of a site.
  static let quietLimit = 600
  /// In how many of them before its first report: one minute.
  static let quietAtFirst = 60
  /// The constraints with a minor: if there are any, only their beacons teach how receivers differ from the survey, since a
  /// stranger can send any levels.
  private let teachers: [IdentityConstraint]
  /// The filter of every beacon that is not followed; `nil` if it is not requested.
  private var others: PlaceFilter?

  /// - Parameters:
  ///   - model: The survey's model of the site.
  ///   - accepts: Which beacons are followed; all if none is named.
  ///   - gap: Two inputs farther apart than this bound a time of which nothing is known.
  package init(
    _ model: SiteModel,
    _ accepts: [IdentityConstraint] = [],
    gap: TimeSpan = TimingConfiguration().gap
  ) {
    self.model = model
    tables = PlaceTables(model)
    learned = ReceiverOffsets(tables)
    teachers = accepts.filter { $0.minor != nil }
    quiet = Array(repeating: Self.quietLimit - Self.quietAtFirst, count: tables.receiverCount)
    seconds = ReceptionSeconds(accepts, gap: gap)
  }

  /// Has ``places(_:receivers:)`` return places of the beacons that are not followed as well.
  package mutating func followOthers() { others = PlaceFilter(places: tables.placeCount) }

  /// Starts with what an earlier run learned about the receivers, in decibels.
  package mutating func start(with offsets: [String: Int]) {
    learned.start(with: model.receivers.map { offsets[$0] ?? 0 })
  }

  /// By how many decibels receivers receive more than in the survey, as far as the beacons showed; only those that differ.
  package var offsets: [String: Int] {
    let offsets = zip(model.receivers, learned.offsets).map { ($0, Int($1)) }
    return Dictionary(uniqueKeysWithValues: offsets.filter { $1 != 0 })
  }

  /// Reports of beacons that were not followed because there were too many.
  package var ignored: Int { seconds.ignored }
  /// Whether no beacon was received so far.
  package private(set) var isEmpty = true

  /// Adds a batch.
  ///
  /// - Parameters:
  ///   - batch: Scan inputs.
  ///   - names: The names of the receivers, by their number in the inputs.
  /// - Returns: The places of the beacons in each second that the batch completes, ordered by time and identity.
  package mutating func add(_ batch: ScanBatch, receivers names: [String]) -> [PlaceEstimate] {
    completed(batch, names).flatMap { estimates($0) }
  }

  /// Adds a batch.
  ///
  /// - Parameters:
  ///   - batch: Scan inputs.
  ///   - names: The names of the receivers, by their number in the inputs.
  /// - Returns: The places for an engine of each second that the batch completes, ordered by time; of a second, that of all
  ///   beacons that are not followed comes last.
  package mutating func places(
    _ batch: ScanBatch,
    receivers names: [String]
  ) -> [(place: BeaconPlace, time: Timestamp)] {
    completed(batch, names).flatMap { second in
      let places = estimates(second).map { (place: $0.place(in: model), time: $0.time) }
      return places + place(ofOthers: second)
    }
  }

  private mutating func completed(_ batch: ScanBatch, _ names: [String]) -> [ReceptionSecond] {
    while numbers.count < names.count {
      let number = model.receivers.firstIndex(of: names[numbers.count])
      // The second of two receivers with one name would count the same evidence twice.
      numbers.append(number.flatMap { numbers.contains($0) ? nil : $0 })
    }
    return seconds.add(batch)
  }

  private mutating func place(
    ofOthers second: ReceptionSecond
  ) -> [(place: BeaconPlace, time: Timestamp)] {
    guard var filter = others else { return [] }
    var evidence = [ReceptionSecond.Evidence](repeating: .none, count: tables.receiverCount)
    // A report that was left out may be of any of them: no silence counts, nor does an earlier one.
    let isUnknown = second.hasIgnored
    for (receiver, listened) in zip(numbers, second.listened) where !isUnknown {
      if let receiver, listened, isTrusted(receiver) { evidence[receiver] = .silence }
    }
    _ = filter.take(evidence, followsGap: second.followsGap || isUnknown, tables)
    others = filter
    let place = BeaconPlace(
      nil,
      filter.isAbsent ? .absent : .unknown,
      deaf: UInt8(clamping: evidence.count { $0 == .none })
    )
    return [(place: place, time: second.time)]
  }

  private mutating func estimates(_ second: ReceptionSecond) -> [PlaceEstimate] {
    countQuiet(second)
    if second.beacons.count < filters.count {
      let followed = Set(second.beacons.map(\.identity))
      filters = filters.filter { followed.contains($0.key) }
    }
    var deaf = tables.receiverCount
    for (receiver, listened) in second.listened.enumerated() where listened {
      guard receiver < numbers.count, let number = numbers[receiver] else { continue }
      if quiet[number] <= Self.quietLimit { deaf -= 1 }
    }
    if !second.beacons.isEmpty { isEmpty = false }
    defer { learned.adopt(second.beacons.lazy.map(\.identity)) }
    return second.beacons.map { beacon in
      let received = evidence(of: beacon)
      let evidence = learned.corrected(received)
      var filter = filters[beacon.identity] ?? PlaceFilter(places: tables.placeCount)
      let (place, probability) = filter.take(evidence, followsGap: second.followsGap, tables)
      filters[beacon.identity] = filter
      if teachers.isEmpty || teachers.contains(where: { $0.isSatisfied(by: beacon.identity) }) {
        learned.take(beacon.identity, received, of: filter, followsGap: second.followsGap, tables)
      }
      return PlaceEstimate(
        identity: beacon.identity,
        time: second.time,
        place: place,
        probability: probability,
        isAbsent: filter.isAbsent,
        heard: evidence.count { if case .level = $0 { true } else { false } },
        deaf: deaf
      )
    }
  }

  /// Whether what a receiver receives, and does not receive, is evidence.
  private func isTrusted(_ receiver: Int) -> Bool {
    tables.isSurveyed[receiver] && quiet[receiver] <= Self.quietLimit
  }

  /// Counts a second in which some receivers reported anything for those that reported nothing.
  private mutating func countQuiet(_ second: ReceptionSecond) {
    var isHeard = [Bool](repeating: false, count: quiet.count)
    for (receiver, reported) in zip(numbers, second.reported) {
      if let receiver, reported { isHeard[receiver] = true }
    }
    guard isHeard.contains(true) else { return }
    for receiver in quiet.indices {
      quiet[receiver] = isHeard[receiver] ? 0 : min(quiet[receiver] + 1, Self.quietLimit + 1)
    }
  }

  /// The evidence of each receiver of the model on a beacon.
  private func evidence(of beacon: ReceptionSecond.Beacon) -> [ReceptionSecond.Evidence] {
    var evidence = [ReceptionSecond.Evidence](repeating: .none, count: tables.receiverCount)
    let offset = model.offset(ofPower: beacon.power)
    for (receiver, said) in zip(numbers, beacon.evidence) {
      guard let receiver, isTrusted(receiver) else { continue }
      if case .level(let level) = said {
        evidence[receiver] = .level(level + offset)
      } else {
        evidence[receiver] = said
      }
    }
    return evidence
  }
}
