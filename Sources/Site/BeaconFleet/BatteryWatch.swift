// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore
internal import BeaconFormats

/// Watches a beacon's battery, by day, and its counters.
///
/// A lithium cell keeps its voltage for most of its life and then falls, and it has less in the cold; so days are
/// compared, not samples.
struct BatteryWatch: Sendable {
  private var sum = (volts: 0.0, count: 0, percent: 0, percents: 0)
  /// The means of the last days, in volts.
  private var days: [Double] = []
  private var percent: Double?
  private(set) var isLow = false
  /// The last counter at each receiver: their clocks may differ by more than the counter does.
  private var last: [(uptime: TimeSpan, time: Timestamp)?] = []
  private var backwards = 0

  /// Two weeks show a trend, one week at least.
  private static let daysKept = 14
  private static let daysWanted = 7
  /// Below 2.4 V, or a fifth; it is over at a little more.
  private static let low = (volts: 2.4, percent: 20.0)
  private static let charged = (volts: 2.5, percent: 25.0)
  /// The cell that reaches the low voltage in so many days at its present fall is reported.
  private static let daysAhead = 30.0
  /// A fall of less is the weather.
  private static let leastFall = 0.05
  /// Fewer samples are not mean.
  private static let fewest = 3
  /// The allowed difference of a counter, and how often it has to go back in an hour.
  private static let slack = TimeSpan.seconds(60)
  private static let backwardsWanted = 3

  mutating func add(_ telemetry: Telemetry, at time: Timestamp, receiver: Int) {
    if let volts = telemetry.volts { (sum.volts, sum.count) = (sum.volts + volts, sum.count + 1) }
    if let percent = telemetry.percent {
      (sum.percent, sum.percents) = (sum.percent + percent, sum.percents + 1)
    }
    guard let uptime = telemetry.uptime else { return }
    while last.count <= receiver { last.append(nil) }
    // A beacon that restarted has not been running for longer than since then.
    if let last = last[receiver], uptime + Self.slack < last.uptime,
      uptime > time - last.time + Self.slack
    {
      backwards += 1
    }
    last[receiver] = (uptime, time)
  }

  /// Whether counters went back in this hour although the beacon did not restart.
  var goesBack: Bool { backwards >= Self.backwardsWanted }

  /// Ends an hour.
  mutating func endHour() { backwards = 0 }

  /// Ends a day.
  mutating func endDay() {
    defer { sum = (0, 0, 0, 0) }
    if sum.percents >= Self.fewest { percent = Double(sum.percent) / Double(sum.percents) }
    if sum.count >= Self.fewest {
      if days.count >= Self.daysKept { days.removeFirst() }
      days.append(sum.volts / Double(sum.count))
    }
    let limit = isLow ? Self.charged : Self.low
    isLow = days.last.map { $0 < limit.volts } ?? percent.map { $0 < limit.percent } ?? false
  }

  /// The level at the start and at the end of the days that are kept: volts, or else per cent.
  var levels: (before: Double?, after: Double?, unit: FleetFinding.Unit) {
    days.isEmpty ? (nil, percent, .percent) : (days.first, days.last, .volts)
  }

  /// Whether the battery will be low within a month, if it continues falling as it does.
  var willBeLow: Bool {
    guard days.count >= Self.daysWanted, let first = days.first, let last = days.last,
      first - last >= Self.leastFall
    else { return false }
    let middle = Double(days.count - 1) / 2
    let mean = days.reduce(0, +) / Double(days.count)
    var (product, square) = (0.0, 0.0)
    for (day, volts) in days.enumerated() {
      product += (Double(day) - middle) * (volts - mean)
      square += (Double(day) - middle) * (Double(day) - middle)
    }
    let slope = product / square
    return slope < 0 && last + slope * Self.daysAhead < Self.low.volts
  }
}
