// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

import BeaconCore

/// One day of a beacon that stays and leaves, as a region of a client sees it: the engine's own events.
///
/// The beacon stays for half an hour and is away for three minutes. Reports are counted in presence: how long the
/// beacon has been there, without its absences.
struct Presence: ~Copyable {
  static let stay = 1800.0
  static let absence = 180.0
  /// From when on the goal holds, in seconds of presence; with bursts, three of them must have been.
  static let start = 600.0

  private(set) var falseExits = 0
  /// From the last reports to the exits, as those of a fixed time are counted.
  private(set) var delays: [Double] = []
  /// The silences while it was there, from ``start`` on.
  private(set) var silences: [Double] = []
  /// Seconds of presence that count.
  private(set) var counted = 0.0

  private var driver: EngineDriver
  private var isInside = false
  /// When a beacon that is away was received last, while its exit counts.
  private var departure: Double?
  private var counts = false
  private var batch = ScanBatch()

  init(
    _ condition: Condition,
    hours: Double,
    seed: UInt64,
    stay: Double = Self.stay,
    from start: Double = Self.start,
    _ configuration: Configuration = Configuration()
  ) {
    driver = EngineDriver(configuration, startingAt: Timestamp(microseconds: 0))
    var reception = ReportStream(condition, seed: seed)
    let client = driver.connect()
    driver.request(.monitor(Region("r", .uuid(Self.uuid))), by: client)
    batch.inputs.append(.radio(receiver: 0, .listening, Timestamp(microseconds: 0)))
    if condition.disturbance == .twoReceivers {
      batch.inputs.append(.radio(receiver: 1, .listening, Timestamp(microseconds: 0)))
    }
    var last: Double?
    // The time away so far: the time of a report is its presence and this.
    var away = 0.0
    var leaves = stay
    while true {
      let report = reception.nextReport()
      if report.time > hours * 3600 { break }
      while report.time > leaves {
        depart(at: leaves + away, lastReceived: last.map { $0 + away })
        if counts, let last { counted += leaves - last }
        away += Self.absence
        leaves += stay
        last = nil
      }
      let isCounted = counts
      counts =
        report.time >= start
        && (condition.disturbance != .bursts || start < Self.start || reception.bursts >= 3)
      if isCounted, let last {
        silences.append(report.time - last)
        counted += report.time - last
      }
      last = report.time
      receive(report, at: report.time + away)
    }
  }

  /// Lets the beacon be away: marks only, as a receiver that listens gives them.
  private mutating func depart(at time: Double, lastReceived: Double?) {
    run()
    departure = isInside && counts ? lastReceived : nil
    for step in 1..<Int(Self.absence / 10) {
      batch.inputs.append(.mark(Self.at(time + Double(step) * 10)))
    }
    run()
    departure = nil
  }

  private mutating func receive(_ report: ReportStream.Report, at time: Double) {
    batch.append(
      AdvertisingReport(
        time: Self.at(time),
        rssi: -60,
        receiver: report.receiver,
        payloadStart: 0,
        payloadCount: 0
      ),
      payload: Self.payloads[report.beacon]
    )
    if batch.inputs.count > 10_000 { run() }
  }

  private mutating func run() {
    driver.supply(batch)
    batch = ScanBatch()
    while true {
      switch driver.next() {
      case .deliver(let deliveries): deliveries.forEach { note($0) }
      case .pull, .sourceEnded, .ended: return
      case .record, .recordAction, .willPerform: continue
      }
    }
  }

  private mutating func note(_ delivery: Delivery) {
    switch delivery.event {
    case .regionState(_, let state, _, _): isInside = state == .inside
    case .regionExited:
      let time = Double(delivery.time.microseconds) / 1_000_000
      if let departure {
        delays.append(time - departure)
      } else if counts {
        falseExits += 1
      }
    default: break
    }
  }

  static func at(_ seconds: Double) -> Timestamp {
    Timestamp(microseconds: Int64((seconds * 1_000_000).rounded()))
  }

  static let uuid: UInt128 = 0xF782_6DA6_4FA2_4E98_8024_BC5B_71E0_893E
  static let payloads: [[UInt8]] = [1, 2].map { minor in
    [0x02, 0x01, 0x06, 0x1A, 0xFF, 0x4C, 0x00, 0x02, 0x15]
      + (0..<16).map { UInt8(truncatingIfNeeded: uuid >> (120 - 8 * $0)) }
      + [0, 1, 0, UInt8(minor), 0xC5]
  }
}
