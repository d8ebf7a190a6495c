// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

package import BeaconCore

/// The reports of one beacon at one receiver, summed.
package struct ReceivedSum: Sendable, Equatable {
  /// How many reports there were.
  package var reports = 0
  /// How many of them had an RSSI.
  package var samples = 0
  /// The sum of the RSSI in dBm.
  package var total = 0
  /// The weakest RSSI in dBm; meaningful with a sample.
  package private(set) var weakest: Int8 = 0
  /// The strongest RSSI in dBm; meaningful with a sample.
  package private(set) var strongest: Int8 = 0
  /// The measured power of the last report in dBm at 1 m; meaningful with a report.
  package private(set) var power: Int8 = 0
  /// The time of the last report.
  package var last = Timestamp.earliest

  /// Starts with no report.
  package init() {}

  /// The mean RSSI in dBm; `nil` if no report had one.
  package var mean: Double? { samples > 0 ? Double(total) / Double(samples) : nil }

  /// Counts a report.
  package mutating func add(rssi: Int8?, power: Int8, at time: Timestamp) {
    reports += 1
    (self.power, last) = (power, time)
    if let rssi { add(samples: 1, Int(rssi), from: rssi, to: rssi) }
  }

  /// Adds the later reports of another sum.
  package mutating func add(_ later: ReceivedSum) {
    reports += later.reports
    (power, last) = (later.power, later.last)
    add(samples: later.samples, later.total, from: later.weakest, to: later.strongest)
  }

  private mutating func add(samples: Int, _ total: Int, from weakest: Int8, to strongest: Int8) {
    guard samples > 0 else { return }
    self.weakest = self.samples == 0 ? weakest : min(self.weakest, weakest)
    self.strongest = self.samples == 0 ? strongest : max(self.strongest, strongest)
    self.samples += samples
    self.total += total
  }
}

/// The reports of a second, summed for each beacon and receiver.
package struct ReceivedSums<Receiver: Hashable & Comparable & Sendable>: Sendable {
  /// A beacon at a receiver.
  package struct Key: Hashable, Sendable {
    package let identity: BeaconIdentity
    package let receiver: Receiver
  }

  private let limit: Int
  private var sums: [Key: ReceivedSum] = [:]

  /// - Parameter limit: The most pairs of beacon and receiver.
  package init(limit: Int = .max) {
    self.limit = limit
  }

  /// Counts a report; returns false if there are too many pairs.
  package mutating func add(
    _ identity: BeaconIdentity,
    _ receiver: Receiver,
    rssi: Int8?,
    power: Int8,
    at time: Timestamp
  ) -> Bool {
    let key = Key(identity: identity, receiver: receiver)
    guard sums.count < limit || sums[key] != nil else { return false }
    sums[key, default: ReceivedSum()].add(rssi: rssi, power: power, at: time)
    return true
  }

  /// Returns the sums, by beacon and receiver, and starts the next second.
  package mutating func drain() -> [(key: Key, sum: ReceivedSum)] {
    defer { sums.removeAll(keepingCapacity: true) }
    return sums.map { (key: $0.key, sum: $0.value) }.sorted {
      ($0.key.identity, $0.key.receiver) < ($1.key.identity, $1.key.receiver)
    }
  }
}
