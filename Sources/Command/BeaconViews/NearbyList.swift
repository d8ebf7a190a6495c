// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Everything nearby as a page shows it: the beacons of the last tick, and for a while those that became silent.
///
/// A beacon keeps its place while it is listed, so that no row moves while it is read. Of more beacons than a page has, the
/// nearest are listed; a listed one stays until another is clearly nearer, which then gets its place.
package struct NearbyList: Sendable {
  /// A beacon of the list.
  struct Entry: Sendable {
    /// When it was listed, as a number that no other beacon gets.
    let order: Int
    /// Its position in the list.
    let place: Int
    /// Its values.
    var row: RangeRow
    /// The last tick that contained it.
    var tick: Timestamp
  }

  /// How long a silent beacon stays listed: as long as its trace.
  private static let memory = TimeSpan.seconds(Int64(RangeRow.history))

  /// The most beacons of a page, which is fetched every two seconds.
  package static let most = 200

  /// How many times as far as another beacon a listed one has to be before it loses its place: more than a distance varies by
  /// itself.
  private static let clearly = 2.0

  /// How long a listed beacon may be silent before any other one can have its place.
  private static let patience = TimeSpan.seconds(30)

  /// How many further beacons were received.
  package private(set) var further = 0
  private var model: RangeModel
  private var entries: [RangeRow.Key: Entry] = [:]
  private var listed = 0

  /// Starts with nothing received.
  ///
  /// - Parameter ranging: How the engine ranges.
  package init(_ ranging: RangingConfiguration) {
    model = RangeModel(mergesSameIdentity: ranging.mergesSameIdentity, linger: ranging.linger)
  }

  /// The beacons by their places.
  var rows: [Entry] { entries.values.sorted { $0.place < $1.place } }

  /// The listed beacons.
  package var identities: Set<BeaconIdentity> { Set(entries.keys.map(\.identity)) }

  /// How far the time of the source has come.
  package var now: Timestamp { model.now }

  /// Whether there was anything yet.
  var hasBegun: Bool { model.hasBegun }

  /// Whether receivers are known, and all of them are silent.
  var hasNoReceiver: Bool { model.hasNoReceiver }

  /// Whether the source has ended.
  package private(set) var hasEnded = false

  /// The names of the receivers, by number.
  var receivers: [String] { model.receivers }

  /// Receives deliveries.
  package mutating func receive(_ deliveries: [Delivery]) {
    for delivery in deliveries {
      _ = model.receive(delivery)
      switch delivery.event {
      case .ranged, .nearby: list(at: delivery.time)
      default: break
      }
    }
  }

  /// Receives the states of receivers, and time.
  package mutating func receive(_ batch: ScanBatch, receivers: [String]) {
    _ = model.receive(batch, receivers: receivers)
  }

  /// Forgets all beacons: they may not be shown any more.
  package mutating func clear(_ ranging: RangingConfiguration) {
    self = NearbyList(ranging)
  }

  /// The source has ended.
  package mutating func end() { hasEnded = true }

  private mutating func list(at time: Timestamp) {
    for (key, entry) in entries {
      guard let row = model.rows[key] else { continue }
      entries[key] = Entry(order: entry.order, place: entry.place, row: row, tick: time)
    }
    entries = entries.filter { time - $0.value.row.beacon.lastReceived <= Self.memory }
    // Two devices of one identity are as near: their order of arrival decides.
    var others = model.rows.values.filter { entries[$0.key] == nil }.map {
      (meters: Self.meters($0, at: time), row: $0)
    }.sorted {
      ($0.meters, $0.row.beacon.firstReceivedOrder, $0.row.key.identity)
        < ($1.meters, $1.row.beacon.firstReceivedOrder, $1.row.key.identity)
    }
    let free = max(0, Self.most - entries.count)
    let new = others.prefix(free).map(\.row).sorted {
      ($0.beacon.firstReceivedOrder, $0.key.identity)
        < ($1.beacon.firstReceivedOrder, $1.key.identity)
    }
    let end = (entries.values.map(\.place).max() ?? -1) + 1
    for (index, row) in new.enumerated() { list(row, in: end + index, at: time) }
    others.removeFirst(new.count)
    exchange(others, at: time)
    further = model.rows.keys.count { entries[$0] == nil } + model.further
  }

  /// Gives the places of the farthest listed beacons to those that are clearly nearer, and are ordered.
  private mutating func exchange(
    _ others: [(meters: Double, row: RangeRow)],
    at time: Timestamp
  ) {
    guard !others.isEmpty else { return }
    let listed = entries.values.map { (meters: Self.meters($0.row, at: time), entry: $0) }.sorted {
      ($1.meters, $0.entry.order) < ($0.meters, $1.entry.order)
    }
    for (other, farthest) in zip(others, listed) {
      let reach = max(other.meters * Self.clearly, other.row.beacon.distance?.high ?? .infinity)
      guard reach < farthest.meters else { return }
      entries[farthest.entry.row.key] = nil
      list(other.row, in: farthest.entry.place, at: time)
    }
  }

  private mutating func list(_ row: RangeRow, in place: Int, at time: Timestamp) {
    entries[row.key] = Entry(order: listed, place: place, row: row, tick: time)
    listed += 1
  }

  /// The distance of a beacon; an unknown one is far.
  private static func meters(_ row: RangeRow, at time: Timestamp) -> Double {
    guard time - row.beacon.lastReceived <= patience else { return .infinity }
    return row.beacon.distance?.meters ?? .infinity
  }
}
