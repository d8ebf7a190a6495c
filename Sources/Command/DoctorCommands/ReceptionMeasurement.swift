// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconTerminal
package import BeaconCore

/// The reports in a few seconds, as far as they decide whether ranging works.
package struct ReceptionMeasurement: Sendable, Equatable {
  /// Whether the controller reports a device again while it continues scanning.
  package enum Duplicates: String, Sendable {
    /// It reports each packet, or many of them.
    case passed
    /// It reports each device once a scan, about once in ten seconds.
    case filtered
    /// Too little was received to know.
    case unknown
  }

  /// The place of a sender's reports.
  private struct Sender: Sendable, Equatable {
    var last: Timestamp
    var rssi: Int8?
    var reports = 1
    var gaps: [TimeSpan] = []
  }

  private enum Key: Hashable, Sendable {
    case beacon(BeaconIdentity)
    case address(DeviceAddress)
  }

  /// How long was listened.
  package private(set) var span = TimeSpan.zero
  /// Advertising reports, with any content.
  package private(set) var reports = 0
  /// Reports of valid iBeacons.
  package private(set) var beaconReports = 0
  /// Changes of RSSI between two reports of one sender in a row, by their size in dB; none left out.
  package private(set) var steps: [Int: Int] = [:]
  private var senders: [Key: Sender] = [:]
  private var beacons: [BeaconIdentity: Int] = [:]

  /// A bound on the memory that senders can use.
  private static let senderLimit = 10_000
  /// A device that sends at all sends more often than this in ten seconds; BlueZ's scan of 10.24 s may restart once.
  private static let filteredReports = 2
  /// How many reports one device must have given before nothing filters it.
  private static let passedReports = 5

  package init() {}

  /// Processes a batch.
  package mutating func receive(_ batch: ScanBatch) {
    for input in batch.inputs {
      guard case .report(let report) = input else { continue }
      reports += 1
      if case .beacon(let identity, _) = batch.reading(of: report) {
        beaconReports += 1
        if beacons[identity] != nil || beacons.count < Self.senderLimit {
          beacons[identity, default: 0] += 1
        }
        receive(report, from: .beacon(identity))
      } else if let address = report.address {
        receive(report, from: .address(address))
      }
    }
  }

  /// Notes how long was listened.
  package mutating func end(after span: TimeSpan) {
    self.span = span
  }

  private mutating func receive(_ report: AdvertisingReport, from key: Key) {
    guard var sender = senders[key] else {
      guard senders.count < Self.senderLimit else { return }
      senders[key] = Sender(last: report.time, rssi: report.rssi)
      return
    }
    sender.reports += 1
    sender.gaps.append(report.time - sender.last)
    sender.last = max(sender.last, report.time)
    if let rssi = report.rssi {
      if let before = sender.rssi { steps[abs(Int(rssi) - Int(before)), default: 0] += 1 }
      sender.rssi = rssi
    }
    senders[key] = sender
  }

  /// Reports a second, with any content.
  package var rate: Double { span > .zero ? Double(reports) / span.seconds : 0 }

  /// The beacons, the one that was received most first; of two alike the smaller identity.
  package var identities: [BeaconIdentity] {
    beacons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(\.key)
  }

  /// How many beacons were distinguished.
  package var beaconCount: Int { beacons.count }

  /// The median over all beacons of the median gap between a beacon's reports; `nil` if none was received twice.
  package var medianGap: TimeSpan? {
    let medians = senders.compactMap { key, sender -> TimeSpan? in
      guard case .beacon = key else { return nil }
      return Self.median(sender.gaps)
    }
    return Self.median(medians)
  }

  /// The smallest change of RSSI that was seen, in dB, none left out; `nil` if none changed.
  package var smallestStep: Int? { steps.keys.filter { $0 > 0 }.min() }

  /// Whether duplicates were filtered.
  package var duplicates: Duplicates {
    let most = senders.values.map(\.reports).max() ?? 0
    if most >= Self.passedReports { return .passed }
    return most > 0 && most <= Self.filteredReports && senders.count >= 2 ? .filtered : .unknown
  }

  /// The UUID of the beacon that was received most; of two alike the smaller.
  package var busiestUUID: UInt128? {
    var counts: [UInt128: Int] = [:]
    for (identity, count) in beacons { counts[identity.uuid, default: 0] += count }
    return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
  }

  private static func median(_ spans: [TimeSpan]) -> TimeSpan? {
    spans.isEmpty ? nil : spans.sorted()[spans.count / 2]
  }
}
