// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// Everything nearby as a page shows it: the beacons of the last tick, and for a while those that became silent.
///
/// A beacon keeps its place while it is listed, so that no row moves while it is read.
package struct NearbyList: Sendable {
  /// A beacon of the list.
  struct Entry: Sendable {
    /// When it was listed, as a number.
    let order: Int
    /// Its values.
    var row: RangeRow
    /// The last tick that contained it.
    var tick: Timestamp
  }

  /// How long a silent beacon stays listed: as long as its trace.
  private static let memory = TimeSpan.seconds(Int64(RangeRow.history))

  /// The most beacons of a page, which is fetched every two seconds.
  private static let most = 200

  /// How many further beacons were received.
  private(set) var further = 0
  private var model: RangeModel
  private var entries: [RangeRow.Key: Entry] = [:]
  private var listed = 0

  /// Starts with nothing received.
  ///
  /// - Parameter ranging: How the engine ranges.
  package init(_ ranging: RangingConfiguration) {
    model = RangeModel(mergesSameIdentity: ranging.mergesSameIdentity, linger: ranging.linger)
  }

  /// The beacons in the order in which they were listed.
  var rows: [Entry] { entries.values.sorted { $0.order < $1.order } }

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
    let rows = model.rows.values.sorted {
      ($0.beacon.firstReceivedOrder, $0.key.identity) < (
        $1.beacon.firstReceivedOrder, $1.key.identity
      )
    }
    for row in rows {
      let order = entries[row.key]?.order ?? listed
      if order == listed { listed += 1 }
      entries[row.key] = Entry(order: order, row: row, tick: time)
    }
    entries = entries.filter { time - $0.value.row.beacon.lastReceived <= Self.memory }
    // Addresses cost a sender nothing: of more beacons than a page has, those stay that were received last.
    further = max(0, entries.count - Self.most) + model.further
    guard entries.count > Self.most else { return }
    let kept = entries.sorted {
      ($1.value.row.beacon.lastReceived, $0.value.order)
        < ($0.value.row.beacon.lastReceived, $1.value.order)
    }
    entries = Dictionary(
      kept.prefix(Self.most).map { ($0.key, $0.value) },
      uniquingKeysWith: { first, _ in first }
    )
  }
}
