// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

/// The model of a site from a survey: its places, its receivers, and the levels of each place at each receiver.
///
/// It holds counts of seconds and nothing else, so two machines that learn from the same captures get the same model.
package struct SiteModel: Sendable, Equatable {
  /// The most places: a large museum.
  package static let placeLimit = 256
  /// The most receivers.
  package static let receiverLimit = 64
  /// The longest name of a place or receiver, in characters: as long as a line.
  package static let longestName = 80
  /// The levels that are distinguished, in dBm; weaker and stronger ones count as the first and the last.
  package static let levels = -110 ... -10
  /// The largest count of seconds: thirty years.
  package static let longestCount = 1_000_000_000
  /// The measured powers that a beacon can have, in dBm; others are not calibration.
  static let plausiblePowers = -100 ... -20

  /// The levels of one place at one receiver.
  package struct Levels: Sendable, Equatable {
    /// Seconds in which the receiver listened and received nothing.
    package var silent = 0
    /// Seconds by their mean level, the weakest of ``SiteModel/levels`` first.
    package var counts = [Int](repeating: 0, count: SiteModel.levels.count)

    package init() {}

    /// Seconds in which the receiver received the beacon.
    package var heard: Int { counts.reduce(0, +) }
    /// Seconds in which the receiver listened.
    package var seconds: Int { silent + heard }
  }

  /// A place.
  package struct Place: Sendable, Equatable {
    /// The name of the place.
    package var name: String
    /// Seconds of the survey in the place.
    package var seconds = 0
    /// Moves to each place, by its number.
    package var moves: [Int] = []
    /// Places next to this one, by number in ascending order, besides those that a survey moved to.
    package var neighbors: [Int] = []
    /// The levels at each receiver, by its number.
    package var levels: [Levels] = []

    package init(name: String) { self.name = name }
  }

  /// The measured power of the beacon that was carried, in dBm; `nil` if it sent none that can be true.
  package var power: Int8?
  /// The receivers' names.
  package private(set) var receivers: [String] = []
  /// The places.
  package var places: [Place] = []

  package init() {}

  /// Returns the number of a receiver, which is added if it is new; `nil` if there are too many.
  package mutating func number(ofReceiver name: String) -> Int? {
    if let known = receivers.firstIndex(of: name) { return known }
    guard receivers.count < Self.receiverLimit else { return nil }
    receivers.append(name)
    for place in places.indices { places[place].levels.append(Levels()) }
    return receivers.count - 1
  }

  /// Returns the number of a place, which is added if it is new; `nil` if there are too many.
  package mutating func number(ofPlace name: String) -> Int? {
    if let known = places.firstIndex(where: { $0.name == name }) { return known }
    guard places.count < Self.placeLimit else { return nil }
    var place = Place(name: name)
    place.levels = Array(repeating: Levels(), count: receivers.count)
    for index in places.indices { places[index].moves.append(0) }
    places.append(place)
    places[places.count - 1].moves = Array(repeating: 0, count: places.count)
    return places.count - 1
  }

  /// The model with its places and receivers in the order of their names.
  ///
  /// So the order in which captures are given has no effect on the file.
  package var sorted: SiteModel {
    var sorted = SiteModel()
    sorted.power = power
    let places = self.places.indices.sorted { self.places[$0].name < self.places[$1].name }
    let receivers = self.receivers.indices.sorted { self.receivers[$0] < self.receivers[$1] }
    sorted.receivers = receivers.map { self.receivers[$0] }
    let newNumbers = Dictionary(uniqueKeysWithValues: places.enumerated().map { ($1, $0) })
    sorted.places = places.map { index in
      var place = self.places[index]
      place.moves = places.map { place.moves[$0] }
      place.neighbors = place.neighbors.compactMap { newNumbers[$0] }.sorted()
      place.levels = receivers.map { place.levels[$0] }
      return place
    }
    return sorted
  }

  /// In how many stays the survey was in a place, as far as its moves show.
  func stays(in place: Int) -> Int {
    func sum(_ moves: some Sequence<(offset: Int, element: Int)>) -> Int {
      moves.reduce(0) { $0 + ($1.offset == place ? 0 : $1.element) }
    }
    let left = sum(places[place].moves.enumerated())
    let came = sum(places.lazy.map { $0.moves[place] }.enumerated())
    return max(1, left, came)
  }

  /// Returns the index of a level, in dBm, among the counts of a place.
  package static func index(ofLevel level: Double) -> Int {
    let bounded = min(max(level, Double(levels.lowerBound)), Double(levels.upperBound))
    return Int(bounded.rounded()) - levels.lowerBound
  }

  /// Returns how much stronger the surveyed beacon would have been than another one, in decibels.
  ///
  /// Zero if one of them sends a measured power that cannot be true.
  package func offset(ofPower other: Int8?) -> Double {
    guard let power, let other, Self.plausiblePowers.contains(Int(power)),
      Self.plausiblePowers.contains(Int(other))
    else { return 0 }
    return Double(Int(power) - Int(other))
  }
}
