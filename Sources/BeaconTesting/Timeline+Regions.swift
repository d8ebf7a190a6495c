// SPDX-License-Identifier: Apache-2.0
// Part of Beacons; see LICENSE and docs/architecture.md.

public import Beacons

extension Timeline {
  /// Runs a region over a timeline written as text and writes what became of it, a character a second.
  ///
  /// `"--*--*-------"` with an exit time of 5 s gives `"--E-------X--"`.
  ///
  /// - Parameters:
  ///   - text: The sightings, as ``init(_:of:rssi:startingAt:)`` reads them.
  ///   - exitTiming: When the region is left; `nil` as the configuration says.
  ///   - assumed: The state to begin with; `nil` has it determined first, which crosses no boundary.
  ///   - enterPolicy: What must be heard to enter; `nil` for what the configuration says.
  ///   - configuration: How the engine works.
  /// - Returns: As many characters: `E` entered, `X` left, `i` inside and `o` outside without a crossing, `?` unknown,
  ///   `-` nothing told.
  /// - Throws: ``TimelineSyntaxError``.
  public static func regions(
    _ text: String,
    exitTiming: ExitTiming? = nil,
    assuming assumed: RegionState? = .outside,
    enterPolicy: EnterPolicy? = nil,
    configuration: Configuration = Configuration()
  ) throws(TimelineSyntaxError) -> String {
    let timeline = try Timeline(text)
    var driver = EngineDriver(configuration, startingAt: timeline.start)
    let client = driver.connect()
    let region = Region(
      "region",
      .minor(beacon),
      enterPolicy: enterPolicy,
      exitTiming: exitTiming
    )
    driver.request(.monitor(region, assuming: assumed), by: client)
    _ = driver.drainDeliveries()
    var deliveries: [Delivery] = []
    for batch in timeline.batches() {
      driver.supply(batch)
      deliveries += driver.collectDeliveries()
    }
    driver.endSource(.atEnd(performingScheduled: true))
    deliveries += driver.collectDeliveries()
    return row(of: deliveries, from: timeline.start, count: text.count)
  }

  /// Writes region events as a row, a character a second; of several in one second the last, a crossing before all.
  static func row(of deliveries: [Delivery], from start: Timestamp, count: Int) -> String {
    var row = [Character](repeating: "-", count: count)
    for delivery in deliveries {
      let second = Int((delivery.time - start).microseconds / 1_000_000)
      guard row.indices.contains(second) else { continue }
      switch delivery.event {
      case .regionEntered: row[second] = "E"
      case .regionExited: row[second] = "X"
      case .regionState(_, let state, _, _) where row[second] != "E" && row[second] != "X":
        switch state {
        case .inside: row[second] = "i"
        case .outside: row[second] = "o"
        case .unknown: row[second] = "?"
        }
      default: continue
      }
    }
    return String(row)
  }
}
