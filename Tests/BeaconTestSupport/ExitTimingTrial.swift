// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

internal import BeaconCore

/// What learned and fixed exit times do to one beacon that stands still for a long time.
public struct ExitTimingTrial: Sendable {
  /// One cell of the table of conditions.
  public struct Cell: Sendable, CustomStringConvertible {
    public let interval: Double
    public let received: Double
    public let loss: LossyBeacon.Loss

    public var description: String { "\(interval) s, \(received) received, \(loss.rawValue)" }

    /// Interval 0.1, 0.35 and 1 s, received 0.9, 0.5 and 0.3, lost independently and in bursts.
    public static let all: [Cell] = LossyBeacon.Loss.allCases.flatMap { loss in
      [0.1, 0.35, 1].flatMap { interval in
        [0.9, 0.5, 0.3].map { Cell(interval: interval, received: $0, loss: loss) }
      }
    }
  }

  /// The rate of false exits that is aimed for.
  public static let bar = 0.1
  /// The grid on which fixed exit times are tried, in seconds.
  public static let grid = 0.5

  public let cell: Cell
  public private(set) var hours = 0.0
  public private(set) var falseExits = 0
  /// How many gaps ended in each step of the grid.
  private var gaps = Array(repeating: 0, count: 241)
  /// The learned exit time every ten seconds, with which a beacon that left then would exit.
  private var delays: [Double] = []

  /// Runs a cell; the same seed gives the same gaps to every exit time.
  public init(_ cell: Cell, hours: Double, seed: UInt64) {
    self.cell = cell
    var beacon = LossyBeacon(
      interval: cell.interval,
      received: cell.received,
      loss: cell.loss,
      seed: seed &+ UInt64(cell.interval * 1000) &+ UInt64(cell.received * 10)
    )
    var intervals = ArrivalIntervals()
    var nextSample = 0.0
    while beacon.now < hours * 3600 {
      let gap = beacon.nextGap()
      let exitTime = intervals.exitTime(.standard).seconds
      if gap > exitTime { falseExits += 1 }
      gaps[min(Int((gap / Self.grid).rounded(.up)), gaps.count - 1)] += 1
      while nextSample < beacon.now {
        delays.append(exitTime)
        nextSample += 10
      }
      intervals.received(after: TimeSpan(seconds: gap), .standard)
    }
    self.hours = beacon.now / 3600
    delays.sort()
  }

  /// False exits an hour with the learned exit time.
  public var falseExitsPerHour: Double { Double(falseExits) / hours }
  /// The learned delay in the middle of all moments, learning included.
  public var medianDelay: Double { delays[delays.count / 2] }
  /// The mean learned delay, learning included.
  public var meanDelay: Double { delays.reduce(0, +) / Double(delays.count) }
  /// The learned delay that 95 of 100 moments do not exceed.
  public var highDelay: Double { delays[delays.count * 19 / 20] }

  /// False exits an hour with a fixed exit time on the grid.
  public func falseExitsPerHour(fixed seconds: Double) -> Double {
    Double(gaps[(Int(seconds / Self.grid) + 1)...].reduce(0, +)) / hours
  }

  /// The shortest fixed exit time on the grid that keeps the bar.
  public var shortestFixed: Double {
    var seconds = Double(gaps.count - 1) * Self.grid
    while seconds > Self.grid, falseExitsPerHour(fixed: seconds - Self.grid) <= Self.bar {
      seconds -= Self.grid
    }
    return seconds
  }

  /// The row of the table.
  public var row: String {
    func number(_ value: Double, _ places: Int) -> String {
      let factor = places == 2 ? 100.0 : 1000
      return "\((value * factor).rounded() / factor)"
    }
    return [
      cell.loss.rawValue, "\(cell.interval)", "\(cell.received)", "\(shortestFixed)",
      number(medianDelay, 2), number(meanDelay, 2), number(highDelay, 2),
      number(falseExitsPerHour, 3), number(falseExitsPerHour(fixed: 10), 3),
      number(falseExitsPerHour(fixed: 30), 3),
    ].joined(separator: "\t")
  }

  /// The head of the table.
  public static let head =
    "loss\tinterval\treceived\tshortest fixed\tmedian\tmean\t95 %\tfalse/h\tfixed 10 s\tfixed 30 s"
}
