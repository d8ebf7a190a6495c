// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Learns a ``SiteModel`` from captures and from where their beacon really was.
package struct SiteSurveyor: Sendable {
  /// Two labeled seconds of a beacon that are farther apart are not a move: the time between them is not known.
  private static let longestMove = TimeSpan.seconds(30)

  /// The learned values so far.
  package private(set) var model = SiteModel()
  /// Seconds that were learned from: each of a beacon and a place.
  package private(set) var seconds = 0
  /// Places that were left out because there are too many.
  package private(set) var placesLeftOut: Set<String> = []
  /// Receivers that were left out because there are too many.
  package private(set) var receiversLeftOut: Set<String> = []
  /// The beacons of captures whose labels do not name their beacon; more than one of a capture is a mistake.
  package private(set) var unnamed: Set<BeaconIdentity> = []
  private let accepts: [IdentityConstraint]
  private let gap: TimeSpan
  private var reception: ReceptionSeconds
  private var truth: TruthTable?
  /// The number in the model of each of the truth's places.
  private var places: [Int?] = []
  private var previous: [BeaconIdentity: (place: Int, time: Timestamp)] = [:]

  /// - Parameters:
  ///   - accepts: Which beacons were carried; all if none is named.
  ///   - gap: Two inputs farther apart than this bound a time of which nothing is known.
  package init(
    _ accepts: [IdentityConstraint] = [],
    gap: TimeSpan = TimingConfiguration().gap
  ) {
    self.accepts = accepts
    self.gap = gap
    reception = ReceptionSeconds(accepts, gap: gap)
  }

  /// Starts with other captures, which have a separate timeline.
  package mutating func start(_ truth: TruthTable) {
    reception = ReceptionSeconds(accepts, gap: gap)
    self.truth = truth
    places = Array(repeating: nil, count: truth.names.count)
    previous = [:]
    unnamed = []
  }

  /// Places of the labels in none of whose seconds the beacon was received; they are not in the model.
  package func placesWithoutSeconds(of truth: TruthTable) -> [String] {
    truth.names.filter { name in !model.places.contains { $0.name == name } }
  }

  /// Adds a batch of the captures.
  ///
  /// - Parameters:
  ///   - batch: Scan inputs.
  ///   - names: The names of the receivers, by their number in the inputs; those without a name are not learned.
  package mutating func add(_ batch: ScanBatch, receivers names: [String]) {
    for second in reception.add(batch) { add(second, receivers: names) }
  }

  /// Adds a second.
  mutating func add(_ second: ReceptionSecond, receivers names: [String]) {
    for beacon in second.beacons { learn(beacon, second, names) }
  }

  private mutating func learn(
    _ beacon: ReceptionSecond.Beacon,
    _ second: ReceptionSecond,
    _ names: [String]
  ) {
    guard let truth else { return }
    if !truth.namesBeacons { unnamed.insert(beacon.identity) }
    let middle = second.time - TimeSpan.milliseconds(500)
    guard let label = truth.place(of: beacon.identity, at: middle) else { return }
    if places[label] == nil { places[label] = model.number(ofPlace: truth.names[label]) }
    guard let place = places[label] else {
      placesLeftOut.insert(truth.names[label])
      return
    }
    if model.power == nil, SiteModel.plausiblePowers.contains(Int(beacon.power)) {
      model.power = beacon.power
    }
    seconds += 1
    model.places[place].seconds += 1
    if let previous = previous[beacon.identity], previous.place != place,
      middle - previous.time <= Self.longestMove
    {
      model.places[previous.place].moves[place] += 1
    }
    previous[beacon.identity] = (place, middle)
    let offset = model.offset(ofPower: beacon.power)
    for (receiver, evidence) in beacon.evidence.enumerated() where evidence != .none {
      guard receiver < names.count, !names[receiver].isEmpty else { continue }
      guard let number = model.number(ofReceiver: names[receiver]) else {
        receiversLeftOut.insert(names[receiver])
        continue
      }
      switch evidence {
      case .none: break
      case .silence: model.places[place].levels[number].silent += 1
      case .level(let level):
        model.places[place].levels[number].counts[SiteModel.index(ofLevel: level + offset)] += 1
      }
    }
  }
}
