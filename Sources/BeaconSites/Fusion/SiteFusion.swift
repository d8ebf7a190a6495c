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
  /// The number in the model of each receiver of the captures.
  private var numbers: [Int?] = []

  /// - Parameters:
  ///   - model: What a survey learned of the site.
  ///   - accepts: Which beacons are followed; all where none is named.
  ///   - gap: Two inputs farther apart than this bound a time of which nothing is known.
  package init(
    _ model: SiteModel,
    _ accepts: [IdentityConstraint] = [],
    gap: TimeSpan = TimingConfiguration().gap
  ) {
    self.model = model
    tables = PlaceTables(model)
    seconds = ReceptionSeconds(accepts, gap: gap)
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
  /// - Returns: Where the beacons are in each second that the batch completes, ordered by time and identity.
  package mutating func add(_ batch: ScanBatch, receivers names: [String]) -> [PlaceEstimate] {
    while numbers.count < names.count {
      let number = model.receivers.firstIndex(of: names[numbers.count])
      // The second of two receivers with one name would count the same evidence twice.
      numbers.append(number.flatMap { numbers.contains($0) ? nil : $0 })
    }
    return seconds.add(batch).flatMap { estimates($0) }
  }

  private mutating func estimates(_ second: ReceptionSecond) -> [PlaceEstimate] {
    if second.beacons.count < filters.count {
      let followed = Set(second.beacons.map(\.identity))
      filters = filters.filter { followed.contains($0.key) }
    }
    var deaf = tables.receiverCount
    for (receiver, listened) in second.listened.enumerated() where listened {
      if receiver < numbers.count, numbers[receiver] != nil { deaf -= 1 }
    }
    if !second.beacons.isEmpty { isEmpty = false }
    return second.beacons.map { beacon in
      let evidence = evidence(of: beacon)
      var filter = filters[beacon.identity] ?? PlaceFilter(places: tables.placeCount)
      let (place, probability) = filter.take(evidence, followsGap: second.followsGap, tables)
      filters[beacon.identity] = filter
      return PlaceEstimate(
        identity: beacon.identity,
        time: second.time,
        place: place,
        probability: probability,
        heard: evidence.count { if case .level = $0 { true } else { false } },
        deaf: deaf
      )
    }
  }

  /// What each receiver of the model says of a beacon.
  private func evidence(of beacon: ReceptionSecond.Beacon) -> [ReceptionSecond.Evidence] {
    var evidence = [ReceptionSecond.Evidence](repeating: .none, count: tables.receiverCount)
    let offset = model.offset(ofPower: beacon.power)
    for (receiver, said) in zip(numbers, beacon.evidence) {
      guard let receiver, tables.isSurveyed[receiver] else { continue }
      if case .level(let level) = said {
        evidence[receiver] = .level(level + offset)
      } else {
        evidence[receiver] = said
      }
    }
    return evidence
  }
}
