// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import BeaconCore

/// How much and how strongly was heard on each of the three advertising channels.
///
/// What reflects in a room weakens one channel here and another there, by 5 to 20 dB: the spread between the channels is a
/// part of a beacon's noise that standing still does not average out.
public struct ChannelLevels: Sendable, Equatable {
  /// One channel.
  public struct Level: Sendable, Equatable {
    /// The channel.
    public let channel: AdvertisingChannel
    /// How many reports were heard on it.
    public let reports: Int
    /// The mean of their RSSI in dBm; `nil` when none has one.
    public let mean: Double?
  }

  /// The fewest reports with an RSSI on a channel that count for ``spread``: the mean of ten is sure to one and a half
  /// decibels where reports scatter by five.
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

  /// Nothing heard.
  public init() {}

  /// Counts a report; one whose channel is not known changes nothing.
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

  /// The channels that something was heard on, the lowest first; empty where the capture knows no channels.
  public var levels: [Level] {
    AdvertisingChannel.allCases.compactMap { channel in
      let count = count(channel)
      guard count.reports > 0 else { return nil }
      return Level(channel: channel, reports: count.reports, mean: count.mean)
    }
  }

  /// How far the strongest channel's mean lies above the weakest's, in dB; `nil` unless two channels have
  /// ``fewestReports`` each.
  public var spread: Double? {
    let means = AdvertisingChannel.allCases.map(count).filter { $0.measured >= Self.fewestReports }
      .compactMap(\.mean)
    guard means.count > 1, let strongest = means.max(), let weakest = means.min() else {
      return nil
    }
    return strongest - weakest
  }
}
