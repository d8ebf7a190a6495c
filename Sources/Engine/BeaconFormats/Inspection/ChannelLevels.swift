// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// The number of reports and their mean RSSI on each of the three advertising channels.
///
/// Reflections in a room weaken one channel at one place and another channel at another, by 5 to 20 dB: the spread
/// between the channels is noise that does not average out while the receiver stands still.
public struct ChannelLevels: Sendable, Equatable {
  /// One channel.
  public struct Level: Sendable, Equatable {
    /// The channel.
    public let channel: AdvertisingChannel
    /// How many reports were received on it.
    public let reports: Int
    /// The mean of their RSSI in dBm; `nil` when none has one.
    public let mean: Double?
  }

  /// The fewest reports with an RSSI that a channel needs to count for ``spread``: where reports scatter by 5 dB, the
  /// mean of ten has a standard error of about 1.5 dB.
  public static let fewestReports = 10

  private struct Count: Sendable, Equatable {
    var reports = 0
    var measured = 0
    var sum = 0

    mutating func add(_ rssi: Int8?) {
      reports &+= 1
      guard let rssi else { return }
      measured &+= 1
      sum &+= Int(rssi)
    }

    var mean: Double? { measured > 0 ? Double(sum) / Double(measured) : nil }
  }

  private var first = Count()
  private var second = Count()
  private var third = Count()

  /// Creates levels without any report.
  public init() {}

  /// Counts a report; one without a channel changes nothing.
  public mutating func add(_ report: AdvertisingReport) {
    switch report.channel {
    case .channel37: first.add(report.rssi)
    case .channel38: second.add(report.rssi)
    case .channel39: third.add(report.rssi)
    case nil: break
    }
  }

  private func count(_ channel: AdvertisingChannel) -> Count {
    switch channel {
    case .channel37: first
    case .channel38: second
    case .channel39: third
    }
  }

  /// The channels with reports, the lowest first; empty if the capture does not state channels.
  public var levels: [Level] {
    AdvertisingChannel.allCases.compactMap { channel in
      let count = count(channel)
      guard count.reports > 0 else { return nil }
      return Level(channel: channel, reports: count.reports, mean: count.mean)
    }
  }

  /// The difference between the means of the strongest and the weakest channel in dB; `nil` unless at least two
  /// channels have ``fewestReports`` each.
  public var spread: Double? {
    let means = AdvertisingChannel.allCases.map(count).filter { $0.measured >= Self.fewestReports }
      .compactMap(\.mean)
    guard means.count > 1, let strongest = means.max(), let weakest = means.min() else {
      return nil
    }
    return strongest - weakest
  }
}
